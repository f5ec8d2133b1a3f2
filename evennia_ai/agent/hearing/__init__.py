"""From the game to events: who is there, who is meant, what was said."""
