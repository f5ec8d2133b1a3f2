"""Days of a village that lives by itself: `python -m tests.benchmarks.village --npcs 20 --days 7`, one JSON line.

Each NPC sleeps at home, works somewhere, and is in the inn at night; some do not work when it rains. A
player sits in the inn for two hours of each day, asks one of them a thing in each, and says nothing else. `unwatched_calls` are those of
models while nobody watches, but for sleep; `routine_kept` is the share of the parts of a day in whose middle the NPC was where it should
be. In an hour of ours that is watched some NPCs begin to speak (`lines`) and greet (`greetings`): so often on average, so often at most, and
whether that is within OCCASIONS and `presence.GREETINGS`. What is asked for is lore on a condition that the player fulfils on the last day alone: `conditional_leaks` are requests with it
before, `conditional_told` those on that day.

One of them sees something on the first day, and each has been told something in confidence and tells on freely but for secrets (every other one), or
not at all: `news_known` is how many know the news after so many days, `meetings` how often two came together, `confidential_leaks` how many know what was secret or
in confidence of another, and `news_twice` how many have a piece of news twice. After the last day they go on meeting by twos, without the rest of their days, until there
were `--meetings`; each time somebody has news and somebody else was told something in confidence. `passed_on` is how often one told another anything then.

Each morning somebody gives a letter to every third of them, for another one who is somewhere else: `errands_done` is the share that was brought by the end,
`errands_given_up` how many were not, with a reason; `things_lost` are letters that are nowhere, `things_doubled` those that nobody sent.
"""

import argparse
import itertools
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from tests.benchmarks import lived, village_meetings, village_post
from tests.benchmarks.link import progress, run

# Seconds of the game's clock between two ticks, and how much faster it goes than ours: what is watched of a day is one hour.
STEP, FACTOR = 60, 2
DAY, HOUR = 86_400, 3600
WATCHED = range(18, 20)
# What only an initiate is told, and a word of it that stands nowhere else.
SECRET, WORD = "The vault of the guild lies under the weir of Quorn.", "Quorn"
QUESTION = "where is the vault of the guild?"
NEWS, NEWS_WORD = "A wolf was seen at the ford of Bramble.", "Bramble"
CONFIDED, CONFIDED_WORD = "The coins of house {} lie under the hearth at Thornwick.", "Thornwick"
LOOKED_AT = (1, 3, 7)
WORK = ("Mill", "Market", "Smithy", "Field")


class Hands:
    """What the clock of the game shows."""

    moment = 6.0 * HOUR


def clock():
    """The clock of the game."""
    day, seconds = divmod(Hands.moment, DAY)
    return int(day), seconds, float(DAY)


class Counting:
    """Counts in how many requests to a model the secret stands, how many were made awake, and for a greeting."""

    name, is_model = "script", True

    def __init__(self, model):
        self.model, self.awake, self.greetings, self.with_secret = model, 0, 0, 0

    def complete(self, request):
        """Answer a request."""
        self.awake += request.job in ("reply", "reflect")
        self.greetings += request.messages[-1]["content"].rstrip().endswith(" arrives.")
        self.with_secret += WORD in f"{request.messages}{request.context}"
        return self.model.complete(request)


def rains(npc):
    """On each third day it rains."""
    return clock()[0] % 3 == 0


def measure(npcs, days, meetings):
    """Return all figures."""
    with tempfile.TemporaryDirectory() as folder:
        lived.start_evennia(Path(folder), sections=[...])
        from django.conf import settings
        from django.test import override_settings

        mine = {
            **settings.EVENNIA_AI,
            "GAME_CLOCK": "tests.benchmarks.village.clock",
            "FACTS": {"raining": "tests.benchmarks.village.rains"},
        }
        from evennia_ai.agent import answer

        answer.SIMILARITY = 1.0
        with override_settings(EVENNIA_AI=mine):
            return _play(npcs, days, meetings)


def _play(npcs, days, meetings):
    from twisted.internet.task import Clock

    from evennia_ai import scheduling, tick
    from evennia_ai.llm import base
    from evennia_ai.semantic import memory_thread
    from tests.scenarios.cast import make_people
    from tests.synced import synced

    synced().start()
    memory_thread.set_worker(memory_thread.InlineWorker())
    time_of_ours = Clock()
    time_of_ours.advance(1_900_000_000)
    scheduling.set_clock(time_of_ours)
    village, inn, road = _build(npcs)
    model = Counting(lived.Model())
    base.install("default", model)
    [player] = make_people(1, location=road)
    # They sit there and look on.
    player.sessions.all = lambda: [
        SimpleNamespace(cmd_last_visible=time_of_ours.seconds(), account=None)
    ]
    counts = dict.fromkeys(("unwatched", "asked", "leaks", "told", "kept", "parts", "meetings"), 0)
    known, together = {}, set()
    _plant(village)
    post = village_post.Post(village, road)
    # What was begun, and who was greeted, while somebody watched; by day, which is an hour of ours.
    lines, greetings = [0] * days, [0] * days
    spent = 0.0
    for step in range(days * DAY // STEP):
        Hands.moment += STEP
        hour = int(Hands.moment % DAY) // HOUR
        is_watched = hour in WATCHED
        player.location = inn if is_watched else road
        if step == (days - 1) * DAY // STEP:
            player.tags.add("initiate")
        before, secrets, begun = model.awake, model.with_secret, time.process_time()
        greeted, asked = model.greetings, 0
        if is_watched and Hands.moment % HOUR < STEP:
            asked = _ask(player)
        _visit(post)
        for script in village:
            tick.run_tick(script)
        time_of_ours.pump([1.0] * (STEP // FACTOR))
        spent += time.process_time() - begun
        if is_watched:
            day, greeted = step * STEP // DAY, model.greetings - greeted
            greetings[day] += greeted
            lines[day] += model.awake - before - greeted - asked
            counts["asked"] += asked
        else:
            counts["unwatched"] += model.awake - before
        is_initiate = step >= (days - 1) * DAY // STEP
        counts["told" if is_initiate else "leaks"] += model.with_secret - secrets
        now_together = set(_pairs(village))
        counts["meetings"] += len(now_together - together)
        together = now_together
        if step % (HOUR // STEP) == 0:
            _look(village, counts)
        day = (step + 1) * STEP // DAY
        if day in LOOKED_AT and day not in known:
            known[day] = len(_knowing(village, NEWS_WORD))
        if step % (DAY // STEP) == 0:
            progress(f"village: day {step * STEP // DAY}, {counts}")
    routine = {"meetings_of_days": counts["meetings"]}
    more = village_meetings.Meetings(village, Hands, time_of_ours)
    while counts["meetings"] < meetings:
        counts["meetings"] += more.come()
    return {
        "benchmark": "village",
        "npcs": npcs,
        "days": days,
        # Who is spoken to answers.
        "unwatched_calls": max(0, counts["unwatched"]),
        **_hours(lines, greetings),
        "conditional_leaks": counts["leaks"],
        "conditional_told": counts["told"],
        "news_known": {str(day): count for day, count in known.items()},
        **routine,
        "meetings": counts["meetings"],
        "passed_on": more.passed_on(),
        "confidential_leaks": sum(
            f"house {who} " not in text for who, text in _knowing(village, CONFIDED_WORD)
        ),
        "news_twice": len(_knowing(village, NEWS_WORD)) - len(dict(_knowing(village, NEWS_WORD))),
        **post.figures(),
        "routine_kept": round(counts["kept"] / counts["parts"], 4),
        "parts_looked_at": counts["parts"],
        "ms_an_npc_and_tick": round(spent * 1000 / (npcs * days * DAY // STEP), 3),
    }


def _hours(lines, greetings):
    """Return how much was said by itself in a watched hour, and whether OCCASIONS allows that."""
    from evennia_ai.agent.hearing import presence

    limits = presence.unprompted_limits()
    return {
        "lines_per_watched_hour": round(sum(lines) / len(lines), 2),
        "most_lines": max(lines),
        "greetings_per_watched_hour": round(sum(greetings) / len(greetings), 2),
        "most_greetings": max(greetings),
        # All is said to one player.
        "within_limits": max(lines) <= min(limits["room"], limits["player"])
        and max(greetings) <= presence.GREETINGS,
    }


def _build(npcs):
    """Build the village; return its minds, the inn, and a place outside."""
    from evennia.objects.objects import DefaultExit, DefaultRoom
    from evennia.utils.create import create_object

    from evennia_ai.memory.state import npc_settings
    from evennia_ai.testing import minds

    def make(key):
        return create_object(DefaultRoom, key=key, nohome=True)

    square, inn, road = make("Square"), make("Inn"), make("Road")
    homes = [make(f"House {number}") for number in range(npcs)]
    for room in (inn, *homes, *map(make, WORK)):
        create_object(DefaultExit, key="in", location=square, destination=room)
        create_object(DefaultExit, key="out", location=room, destination=square)
    village = []
    for number, home in enumerate(homes):
        work = WORK[number % len(WORK)]
        lines = [
            f"06:00 {home.key}: eats bread",
            f"08:00 {work}: works [unless raining]",
            "17:00 Inn: drinks ale",
            f"22:00 {home.key} [sleep]",
        ]
        errands = village_post.listed(number, npcs)
        persona = {"description": "A villager.", "routine": lines, "errands": errands}
        lore = ({"text": SECRET, "only_if": "tag(initiate)"},)
        npc = minds.make_assistant(f"Villager {number}", location=home, persona=persona, lore=lore)
        npc_settings.choose(npc, talkative="chatty")
        village.append(npc.scripts.all()[0])
    return village, inn, road


def _plant(village):
    """Let one see something, and each have been told something in confidence, half of it marked as secret."""
    from evennia_ai.agent import ingest
    from evennia_ai.memory import identity
    from evennia_ai.memory.state import npc_settings

    seen = {"source_type": "observation", "audience": "public", "importance": 8}
    ingest.add_entry(village[0].obj, NEWS, **seen)
    told = {"source_type": "direct", "source_entity": "Ann", "source_id": "ann", "importance": 9}
    for number, script in enumerate(village):
        npc, is_free = script.obj, number % 2
        between = sorted(["ann", identity.identity_of(npc)])
        tags = ["whisper", "secret"] if is_free else ["whisper"]
        npc_settings.choose(npc, gossip="freely" if is_free else "never")
        text = CONFIDED.format(script.id)
        ingest.add_entry(npc, text, audience=between, tags=tags, **told)


def _pairs(village):
    """Return who is with whom."""
    rooms = {}
    for script in village:
        rooms.setdefault(script.obj.location.id, []).append(script.id)
    return [pair for there in rooms.values() for pair in itertools.combinations(sorted(there), 2)]


def _knowing(village, word):
    """Return who knows something that has a word, and in which words, once for each entry."""
    from evennia_ai.memory import journal

    return [
        (script.id, entry.content)
        for script in village
        for entry in journal.entries(script.obj)
        if word in entry.content
    ]


def _visit(post):
    """Let those come round who come at this hour."""
    day, hour = divmod(int(Hands.moment) // HOUR, 24)
    if Hands.moment % HOUR >= STEP:
        return
    if hour == village_post.HOUR:
        post.come(day)


def _ask(player):
    """Let the player ask one who is there; return how many were asked."""
    from evennia_ai.agent.hearing import perception, presence

    there = [one for one in player.location.contents if presence.is_mind(one)]
    for npc in there[:1]:
        perception.perceive(npc, "say", QUESTION, player)
    return len(there[:1])


def _look(village, counts):
    """Count who is where it should be, an hour and more after the part of its day began."""
    from evennia_ai.life import day
    from evennia_ai.memory import routine

    seconds = Hands.moment % DAY
    for script in village:
        now = routine.present(script.obj)
        if now is not None and (seconds - now.slot.at) % DAY >= HOUR:
            counts["parts"] += 1
            counts["kept"] += day.is_there(script.obj, now.slot)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--npcs", type=int, default=20)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--meetings", type=int, default=10_000)
    asked = parser.parse_args()
    # What GAME_CLOCK names is this module by its own name.
    from tests.benchmarks import village as this

    sys.exit(run(lambda: this.measure(asked.npcs, asked.days, asked.meetings)))
