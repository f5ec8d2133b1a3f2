"""What is changed in a mind afterwards: put right, forgotten, moved to another body."""
