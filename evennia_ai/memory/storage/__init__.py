"""Storage: our Attributes, pages of records, reading ahead."""
