"""Scenes whose model is a person: served, recorded on tapes, and replayed from them."""
