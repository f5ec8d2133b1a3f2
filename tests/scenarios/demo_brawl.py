"""The brawls of the demo: what the guard learns from one brawler, he does with the next.

Nobody trains anything. What he did, what came of it and how it was rated stands in his experience, and
without it he does what is in his nature.
"""

import re

from evennia_ai.core import languages
from tests.scenarios.stage import StepFailed

# What is in the nature of a guard, and what else there is, in the order in which he comes to it.
IN_HIS_NATURE, SECOND, THIRD = "warn", "soothe", "distract"
RATED = r"^You rate what Bertil did as 1 out of 10\."
# Seconds after his words in which what he did is kept, so that it can be rated.
KEPT = 2.0


def brawl(scene):
    """The guard deals with a second brawler as he learned with the first; a rating changes that."""
    dealt_with(scene, scene.ann, "Bertil, I'll smash your face!", IN_HIS_NATURE)
    takes(scene.ann, "Get lost, Bertil!")
    scene.stage.note("that went badly: with the next brawler he tries something else")
    dealt_with(scene, scene.bob, "Bertil, fight me!", SECOND)
    takes(scene.bob, "Sorry, Bertil, you are right.")
    scene.stage.note("that went well: he does it again, with whom the first way did not work")
    dealt_with(scene, scene.ann, "Bertil, I will break every bone of you!", SECOND)
    scene.stage.pump(KEPT)
    scene.ann.does("rate Bertil = 1 far too soft")
    scene.ann.sees(RATED)
    scene.stage.note("people's word outweighs his own impression: he tries a third way")
    dealt_with(scene, scene.bob, "Bertil, who wants a fight?", THIRD)
    scene.keeper.does("@aimemory/forget Bertil = experience")
    scene.keeper.sees(r"\[y/N\]")
    scene.keeper.does("y")
    scene.keeper.sees("has forgotten what it has learned by doing: [1-9]")
    scene.stage.note("without experience he is as he was at first")
    dealt_with(scene, scene.ann, "Bertil, I'll smash your face!", IN_HIS_NATURE)


def dealt_with(scene, brawler, words, expected):
    """Let somebody look for a fight, and make sure how the guard goes about it."""
    way = way_of(answer(brawler, words))
    if way != expected:
        raise StepFailed(f"the guard chose {way or 'no way that we know'!r}, not {expected!r}")
    scene.stage.note(f"his way: {way}")


def takes(brawler, words):
    """Let somebody say how they take it; he has learned from it once he has answered."""
    answer(brawler, words)


def answer(brawler, words):
    """Return what the guard answers to somebody's words."""
    brawler.does(f"say {words}")
    # What he said to others before that is not meant.
    brawler.sees("^You say, ")
    return brawler.sees("^Bertil says, (.*)")[1]


def way_of(said):
    """Return the way that a line of a mind without a model goes about a brawler, "" if none."""
    for way, lines in languages.load("en").ways["brawler"].items():
        for line in lines:
            pattern = r"\w+".join(map(re.escape, line.split("{name}")))
            if re.search(pattern, said):
                return way
    return ""
