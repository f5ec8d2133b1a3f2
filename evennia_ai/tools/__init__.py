"""Tools of a mind: the signature is the schema, the docstring the description."""
