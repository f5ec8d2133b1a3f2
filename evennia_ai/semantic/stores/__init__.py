"""Stores of semantic memory: rows, tables, arrays, by database."""
