"""Files that people bring: character cards, seeds, exported minds."""
