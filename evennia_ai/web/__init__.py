"""Pages for staff and players; `urls` is what a game includes in its own."""
