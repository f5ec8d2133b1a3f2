"""What a mind decides, as pure functions of plain data: no game, no clock, no chance."""
