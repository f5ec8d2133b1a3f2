"""What is done with the whole of a mind: moved from an earlier version, laid to wait, buried."""
