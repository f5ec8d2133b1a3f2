"""Plots (SVG): figures over days, and the course of a relationship; plain data, in any thread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from evennia_ai.core.records import Profile, Relationship, parse_time
from evennia_ai.domain.memories import relationship

# Units of the course of a relationship.
WIDTH, LINE_HEIGHT = 720, 160
# Units of the drawing; it is scaled to the width of the page.
PLOT_WIDTH, PLOT_HEIGHT = 600, 120
# Days for which a plot has room at least: fewer stand at its left, in bars that are no broader.
ROOM = 15
# Of fewer days, or events, a sentence says more than a drawing.
FEWEST = 3


class Bar(NamedTuple):
    """One day: where its bar stands, how high it is, and what it says."""

    x: float
    y: float
    width: float
    height: float
    day: date
    value: str


class Plot(NamedTuple):
    """A figure over days; `unit` says what its bars are."""

    title: str
    unit: str
    bars: tuple[Bar, ...]
    width: int = PLOT_WIDTH
    height: int = PLOT_HEIGHT

    @property
    def is_short(self) -> bool:
        """Whether its days do not fill it."""
        return len(self.bars) < ROOM

    @property
    def first(self) -> date:
        """The first of its days."""
        return self.bars[0].day

    @property
    def last(self) -> date:
        """The last of its days."""
        return self.bars[-1].day


def of_days(
    title: str, days: Sequence[tuple[date, float, str]], *, most: float = 0, unit: str = ""
) -> Plot:
    """Return the plot of (day, value, the value as it is shown), one or more, in order of time.

    A bar of `most` is as high as the plot: the highest value, if it is not given.
    """
    unit = unit or f"at most {max(days, key=lambda one: one[1])[2]} a day"
    most = most or max(value for _, value, _ in days)
    each = PLOT_WIDTH / max(len(days), ROOM)
    bars = []
    for at, (day, value, shown) in enumerate(days):
        high = value / most * PLOT_HEIGHT if most else 0
        bars.append(
            Bar(round(at * each, 2), PLOT_HEIGHT - high, round(each * 0.8, 2), high, day, shown)
        )
    return Plot(title, unit, tuple(bars))


class Dot(NamedTuple):
    """How somebody was regarded after an event."""

    x: float
    y: float
    value: float
    reason: str
    time: str


class Course(NamedTuple):
    """Favorability over time, between its first and its last event."""

    dots: tuple[Dot, ...]
    # (height, state) of the lower bounds of the states.
    bounds: tuple[tuple[float, str], ...]
    width: int = WIDTH
    height: int = LINE_HEIGHT

    @property
    def is_drawn(self) -> bool:
        """Whether there is something to see in it."""
        return len(self.dots) >= FEWEST

    @property
    def points(self) -> str:
        """The line as SVG writes it."""
        return " ".join(f"{dot.x:.1f},{dot.y:.1f}" for dot in self.dots)


def is_hostile(known: Profile) -> bool:
    """Return whether dislike shows, whatever somebody did."""
    return known.disposition is not None and known.disposition <= relationship.HOSTILE_FROM


def course(regard: Relationship) -> Course | None:
    """Return how favorability went, as far as its events are kept; None without any."""
    if not regard.history:
        return None
    times = [parse_time(event.timestamp).timestamp() for event in regard.history]
    span = times[-1] - times[0]
    values = [regard.favorability]
    for event in reversed(regard.history[1:]):
        values.insert(0, min(1.0, max(0.0, values[0] - event.delta)))
    dots = [
        Dot(
            x=round((time - times[0]) / span * WIDTH, 1) if span else WIDTH / 2,
            y=_height(value),
            value=value,
            reason=event.reason or "",
            time=event.timestamp,
        )
        for time, value, event in zip(times, values, regard.history, strict=True)
    ]
    bounds = tuple((_height(state.bound), name) for name, state in relationship.STATES.items())
    return Course(tuple(dots), bounds)


def _height(favorability: float) -> float:
    return round((1 - favorability) * LINE_HEIGHT, 1)
