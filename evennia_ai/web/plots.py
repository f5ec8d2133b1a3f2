"""Figures over days as bars: numbers that a template draws as SVG; plain data, in any thread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

# Units of the drawing; it is scaled to the width of the page.
WIDTH, HEIGHT = 600, 120


class Bar(NamedTuple):
    """One day: where its bar stands, how high it is, and what it says."""

    x: float
    y: float
    width: float
    height: float
    day: date
    value: str


class Plot(NamedTuple):
    """A figure over days; `most` is the highest of its values, as it is shown."""

    title: str
    most: str
    bars: tuple[Bar, ...]
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def first(self) -> date:
        """The first of its days."""
        return self.bars[0].day

    @property
    def last(self) -> date:
        """The last of its days."""
        return self.bars[-1].day


def of_days(title: str, days: Sequence[tuple[date, float, str]]) -> Plot:
    """Return the plot of (day, value, the value as it is shown), one or more, in order of time."""
    most = max(value for _, value, _ in days)
    each = WIDTH / len(days)
    bars = []
    for at, (day, value, shown) in enumerate(days):
        high = value / most * HEIGHT if most else 0
        bars.append(Bar(round(at * each, 2), HEIGHT - high, round(each * 0.8, 2), high, day, shown))
    return Plot(title, max(days, key=lambda one: one[1])[2], tuple(bars))
