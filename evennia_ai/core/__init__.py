"""Shared ground of all rooms: the records, and who may know them."""
