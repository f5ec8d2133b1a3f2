"""A game of the first version, whose minds move to the place that they have today."""
