"""Embedders, which turn text into vectors; named by a dotted path in the settings, imported by nobody."""
