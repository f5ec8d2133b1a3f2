"""Storage: our Attributes, pages of records, reading ahead, the move from version 0.1."""
