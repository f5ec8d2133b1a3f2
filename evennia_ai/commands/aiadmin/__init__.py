"""`@aiadmin` and its switches."""
