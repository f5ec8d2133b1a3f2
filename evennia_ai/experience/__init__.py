"""What assistants did, what came of it, and what people said of it: examples for the next time."""
