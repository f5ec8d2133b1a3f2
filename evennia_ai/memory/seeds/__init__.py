"""Seeds and exported minds in the folders of the game."""
