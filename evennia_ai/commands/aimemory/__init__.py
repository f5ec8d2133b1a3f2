"""`@aimemory` and its switches."""
