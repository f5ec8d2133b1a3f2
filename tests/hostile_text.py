"""Lines that are made to take long, and whether something takes too long to read them.

What counts is CPU time of the thread, compared with a plain search on the same machine at the same
moment: a machine that is busy with other things fails nothing.
"""

import gc
import re
import time
from functools import cache

# Characters of a line. Evennia takes 6,000 from a client; a game may send more.
LENGTH = 20_000
LIMIT = 0.020
# How much longer it may take than on a machine that does nothing else.
PATIENCE = 2
# How often it may try again: what disturbs it passes, and what is slow stays so.
TRIES = 10
# On the way there: what takes long for these takes too long.
LENGTHS = (40, 1500, 6000, LENGTH)
# From one length to the next, four times as long: what takes so much longer does not grow with its square.
STRAIGHT = 6
# What is repeated.
UNITS = """a ä A 1 a1 1a 1, 1. a- a' _ - , . ! ? … : ; / | || |lc |lt |lu |r |[ " “ „ « ' ’ ( ) [ { < </ * *a
    (#1 # $ $f( \\ \\" "\\ = ` ``` haha <think> <tool_call> {{ [INST]""".split()
UNITS += [
    " ",
    "\t",
    "\n",
    "\n    ",
    "a ",
    "1 ",
    ", ",
    ". ",
    "- ",
    "a\n",
    "\x1b[",
    "\u200b",
    "a a, ",
    "Mara, ",
]
# No unit fits it: what searched in vain to the end begins again at the next place.
BEGIN, END = '"', "\x01!"
# A search that has to look at each place, and how long it takes on the machine that LIMIT is for.
_PLAIN, _PLAIN_TEXT = re.compile(r"\b(?:alpha|beta|gamma)\w*|[xyz]{3,}"), "a b " * (LENGTH // 4)
_PLAIN_SECONDS = 0.0012


def lines(length=LENGTH, units=()):
    """Return {how it is made: line} of each shape, and of units of one's own, in this length."""
    return {**_usual(length), **_made(length, units)}


def slowest(read, units=(), *, limit=LIMIT):
    """Return what `read` takes too long for, as text; "" if there is no such line."""
    shapes = [lines(length, units) for length in LENGTHS]
    for how in shapes[0]:
        before = 0.0
        for made in shapes:
            line = made[how]
            took = seconds(read, line)
            if took > limit and _is_slow(read, line, limit):
                return f"{len(line)} characters of {how}"
            # What grew with the square from here on would still be in time.
            if took < limit * (len(line) / LENGTH) ** 2 and len(line) >= LENGTHS[1]:
                break
            # What grew with the length alone, and will be in time by far.
            grown = len(line) >= LENGTHS[2] and took < STRAIGHT * before
            if grown and took * LENGTH / len(line) < limit / 2:
                break
            before = took
    return ""


def seconds(read, line):
    """Return the CPU seconds that reading a line takes, without those of the garbage collector."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        begun = time.thread_time()
        read(line)
        return time.thread_time() - begun
    finally:
        if was_on:
            gc.enable()


@cache
def _usual(length):
    return _made(length, UNITS)


def _made(length, units):
    made = {}
    for unit in units:
        whole = unit * (length // len(unit) + 1)
        # Where a quotation that does not end begins, too.
        made[repr(unit)] = BEGIN + whole[: length - len(BEGIN + END)] + END
    return made


def _is_slow(read, line, limit):
    """Return whether it is slow again, by what a plain search takes just now."""
    for number in range(TRIES):
        plain = max(seconds(_PLAIN.findall, _PLAIN_TEXT), _PLAIN_SECONDS)
        # Another line each time: what was read of this one may be kept.
        if seconds(read, " " * (number + 1) + line) <= PATIENCE * limit * plain / _PLAIN_SECONDS:
            return False
    return True
