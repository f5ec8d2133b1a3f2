"""State of one mind: settings, sleep, goals, decisions, channels."""
