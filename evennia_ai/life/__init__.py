"""A life of its own: what NPCs do without being spoken to."""
