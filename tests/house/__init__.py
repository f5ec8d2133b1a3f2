"""The shape of the house: rooms, arrows, sizes, requirements, and the walks through it."""
