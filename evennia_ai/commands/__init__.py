"""Commands for staff and players; `cmdsets` holds the set that a game adds."""
