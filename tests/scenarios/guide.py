"""Plays the transcripts of a page on a real server, so that no guide shows what is not so.

A transcript is a fenced block of the kind `transcript`. `Ann > say Hello` is what Ann types; what
follows is all that she sees then, line by line. `…` stands for what may differ: in a line for some
of it, alone for any number of lines. `[…]` is a note, which the scene may take for a stage direction.

`tests.scenarios.guided` has the scenes in which our guides are played.
"""

import re
from dataclasses import dataclass, field

from tests.scenarios.stage import PATIENCE, StepFailed

ANYTHING = "…"
# Seconds without a line after which nothing more is taken to come: of what should be all, and of
# what is written down for the first time.
SETTLED = 0.3
WRITTEN = 4.0

_BLOCK = re.compile(r"^```transcript\n(.*?)^```$", re.M | re.S)
_TYPED = re.compile(r"^(\w+) > ?(.*)$")
# Times, how long ago, lengths of time, dbrefs, how well something fits, how long a prompt is, how
# wide a table. What was a moment ago is minutes ago on a busy machine, so the unit is left open.
_VARYING = re.compile(
    r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?|\d+ \w+(?= ago\b)|\d+(?:\.\d+)?(?= (?:s|min|h|ms)\b)"
    r"|(?<=#)\d+"
    r"|\b0\.\d\d(?= \w+ from)|(?<=about )\d+(?= tokens)|(?<=instructions )\d+, .*"
    r"|(?<=\.\d{4}  )\d+$|(?<=~{20})~+"
)
_FILE = re.compile(r"[Ii]n `(world/[\w./]+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)


@dataclass
class Step:
    """What one player types, and the lines that the page shows after it."""

    line: int
    who: str
    typed: str
    shown: list = field(default_factory=list)

    @property
    def is_note(self):
        """Whether nobody types this: something happens off stage."""
        return not self.who


def files(text):
    """Return the files of the game that a page says to write, as (path, content)."""
    return _FILE.findall(text)


def steps(text):
    """Return the steps of all transcripts of a page."""
    found = []
    for block in _BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1)) + 1
        for number, line in enumerate(block[1].splitlines(), first):
            typed = _TYPED.match(line)
            if typed:
                found.append(Step(number, typed[1], typed[2]))
            elif re.fullmatch(r"\[.*\]", line):
                found.append(Step(number, "", line[1:-1]))
            elif line:
                found[-1].shown.append(line)
    return found


def fits(shown, seen):
    """Return whether lines are those that a page shows."""
    pattern = "".join(r"(?:.*\n)*" if line == ANYTHING else f"{_pattern(line)}\n" for line in shown)
    return (
        re.fullmatch(pattern, "".join(f"{line}\n" for line in _without_borders(seen))) is not None
    )


def play(page, text, *, players, notes):
    """Play the transcripts of a page; what somebody sees otherwise is a StepFailed.

    `players` are those who type, by name; `notes` maps each note to what happens then.
    """
    for step in steps(text):
        if step.is_note:
            notes[step.typed]()
        elif not _is_seen(step, players[step.who], seconds=PATIENCE, then=SETTLED):
            raise _differs(page, step, players[step.who])


def record(text, *, players, notes):
    """Play the transcripts, and return the text with what is seen where that is something else."""
    changed = []
    for step in steps(text):
        if step.is_note:
            notes[step.typed]()
            continue
        # Where nothing is shown yet, nobody knows how much there is to wait for.
        then = SETTLED if step.shown else WRITTEN
        if not _is_seen(step, players[step.who], seconds=PATIENCE, then=then):
            seen = _without_borders(players[step.who].seen)
            changed.append((step, [_kept(line, step) for line in seen]))
    lines = text.split("\n")
    for step, seen in reversed(changed):
        lines[step.line : step.line + len(step.shown)] = seen
    return "\n".join(lines)


def _is_seen(step, player, *, seconds, then):
    """Type a line; return whether the player sees what the page shows, and nothing else after it."""
    # What others did in the steps before may still be on its way to this player.
    player.catches_up()
    player.forget()
    player.does(step.typed)
    player.stage.pump(seconds, until=lambda: fits(step.shown, player.seen))
    player.stage.pump(then)
    player.catches_up()
    return fits(step.shown, player.seen)


def _differs(page, step, player):
    seen = "\n  ".join(player.seen) or "nothing"
    shown = "\n  ".join(step.shown) or "nothing"
    return StepFailed(
        f"{page}:{step.line}: {step.who} > {step.typed}\nThe page shows\n  {shown}\n"
        f"{step.who} saw\n  {seen}"
    )


def _kept(line, step):
    """Return a line as the page had it, if it still fits; else with what may differ left open."""
    for shown in step.shown:
        if shown != ANYTHING and fits([shown], [line]):
            return shown
    return _VARYING.sub(ANYTHING, line)


def _without_borders(lines):
    """Return lines without those that Evennia draws around a menu."""
    return [line for line in lines if line.strip("_")]


def _pattern(line):
    return ".*".join(map(re.escape, line.split(ANYTHING)))
