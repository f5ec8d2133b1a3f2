"""Files that people bring: seeds and exported minds."""
