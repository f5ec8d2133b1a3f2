"""The whole of a mind: moved from an earlier version, waiting for a body, buried."""
