"""Dialogues that test an NPC: the file, the stage, the people, what came of it."""
