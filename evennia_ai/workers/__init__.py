"""Calls of models that are made elsewhere: by workers, which are processes of their own."""
