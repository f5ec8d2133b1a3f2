"""Commands and help for players."""
