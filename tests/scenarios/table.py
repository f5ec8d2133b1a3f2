"""Lines that are typed in a real game, one after the other, and what is read after each.

Whoever is in the game has a dbref, which differs from game to game: here nobody has.
"""

import re
from typing import NamedTuple

from tests.scenarios.stage import StepFailed

# In front of or behind what was read there is more.
MORE = "…"
# What an NPC may do by itself between two lines: its day is a clock's, and no answer.
BETWEEN = "Ole hammers a nail."
# Seconds for an answer that does not come at once.
SOON = 60.0
QUESTION = "[y/N]"

_DBREF = re.compile(r"\(#\d+\)")
_OURS = re.compile(r"\[SS\] evennia_ai: (?P<words>\w+\(#\d+\) .*)$", re.M)


class Line(NamedTuple):
    """Somebody types a line and reads the answer, in which "…" stands for more at either end.

    `log` is the line that it leaves for staff, or several. One that `asks` is answered by the next line, so that
    nothing else can be typed before it. One that `is_wrong` is a misuse, and changes nothing.
    """

    who: str
    typed: str
    answer: str
    log: str = ""
    asks: bool = False
    is_wrong: bool = False


def asking(who, typed, answer, log=""):
    """Return a line after which whoever typed it is asked something."""
    return Line(who, typed, answer, log, asks=True)


def wrong(who, typed, answer):
    """Return a line that is refused, by one sentence."""
    return Line(who, typed, answer, is_wrong=True)


def plain(text):
    """Return a text without dbrefs."""
    return _DBREF.sub("", text)


def fits(answer, read):
    """Return whether the lines that were read are an answer."""
    text = plain("\n".join(read))
    wanted = answer.strip(MORE)
    if answer.startswith(MORE):
        return wanted in text if answer.endswith(MORE) else text.endswith(wanted)
    return text.startswith(wanted) if answer.endswith(MORE) else text == wanted


class Table:
    """Types lines in a game, each when the one before it was answered."""

    def __init__(self, players):
        self._players = players
        self._count = 0

    def type(self, line):
        """Type a line and wait for its answer.

        What is typed right after it tells where an answer that comes at once is at its end.
        """
        player = self._players[line.who]
        self._count += 1
        mark = f"mark{self._count}"
        player.catches_up()
        player.forget()
        player.sends(line.typed)
        if not line.asks:
            player.sends(mark)

        def read():
            return [text for text in player.seen if mark not in text]

        def answers():
            by_the_clock = [text for text in read() if plain(text) != BETWEEN]
            return fits(line.answer, read()) or fits(line.answer, by_the_clock)

        def has_come():
            is_over = line.asks or len(read()) < len(player.seen)
            return is_over and answers()

        if not player.stage.pump(SOON, until=has_come):
            raise StepFailed(f"{line.who} typed {line.typed!r} and read {read()}")


def logged(game, names):
    """Return the lines that the commands of these people have left for staff."""
    lines = (plain(match["words"]) for match in _OURS.finditer(game.log("server")))
    return [line for line in lines if line.partition(" ")[0] in names]
