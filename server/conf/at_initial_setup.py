"""Builds the tavern, once, when the database is new."""


def at_initial_setup():
    """Build the demo world."""
    # Evennia imports this module before its classes exist.
    from world import tavern

    tavern.build()
