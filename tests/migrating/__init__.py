"""A game of the first house, whose minds move to the place that they have today."""
