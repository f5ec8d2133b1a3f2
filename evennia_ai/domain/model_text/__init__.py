"""Text to a model and from it: budget, quoting, replies, costs, tapes."""
