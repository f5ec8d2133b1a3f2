"""The situations that `tests.benchmarks.replay` plays: what is seen of them, and how they end."""
