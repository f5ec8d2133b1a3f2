"""Adapters for other people's systems, named in the settings and imported by none of our modules."""
