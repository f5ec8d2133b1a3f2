"""Decisions and goals: what there was to choose, and what came of it."""
