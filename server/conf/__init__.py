"""Settings and start-up of the demo game."""
