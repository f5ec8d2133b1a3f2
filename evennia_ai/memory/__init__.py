"""Memory of a mind: its kinds, and the repository through which each of them goes."""
