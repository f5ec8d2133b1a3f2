"""Tests of what NPCs do by themselves."""
