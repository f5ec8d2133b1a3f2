"""What a mind can do: tools, whose signature is their schema and whose docstring describes them."""
