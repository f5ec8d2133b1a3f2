"""The whole of a mind: waiting for a body, buried."""
