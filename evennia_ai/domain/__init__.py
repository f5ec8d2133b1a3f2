"""Decisions of a mind as pure functions of plain data: no game, no clock, no chance."""
