"""What is shown to whoever connects."""

CONNECTION_SCREEN = """
|y  The Crooked Lantern|n
  A small tavern with a good memory.

  |wcreate <name> <password>|n   to come in for the first time
  |wconnect <name> <password>|n  to come back
"""
