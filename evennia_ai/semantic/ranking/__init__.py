"""Ranking of long-term memories: words, senses, fusion, neighbours."""
