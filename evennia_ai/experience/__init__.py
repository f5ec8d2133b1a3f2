"""Experience: actions, their outcomes, and what people said of them, as examples for next time."""
