"""Minds for the NPCs of Evennia games.

Import public names from `evennia_ai.api`. Nothing is imported here: Django loads this package
before Evennia is set up, when its classes are still None.
"""

__version__ = "0.1.0"
