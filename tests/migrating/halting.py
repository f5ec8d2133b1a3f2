"""Stops every mind of a game that is down: `python -m tests.migrating.halting`, in its directory.

Started then, nobody in it thinks or sleeps on.
"""

from tests.migrating.inventories import open_game

if __name__ == "__main__":
    open_game(0)
    from evennia_ai.memory.state import active_assistants

    active_assistants.halt()
