"""Wrappers around every model: budget, retry, rate, tape, and what happens when it is down (`breaker`)."""
