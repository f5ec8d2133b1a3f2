"""What one mind is set to and busy with: settings, sleep, goals, decisions, channels."""
