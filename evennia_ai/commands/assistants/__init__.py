"""`@assistant` and its switches."""
