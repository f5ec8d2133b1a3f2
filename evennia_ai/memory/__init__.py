"""What a mind keeps: its kinds, and the repository through which each of them goes."""
