"""Plain data in and out of Attributes; one module owns one kind."""
