"""Who sleeps in the game of the first version: one in the midst of keeping the day, one who dreams."""

from datetime import timedelta

from evennia_ai import pace
from evennia_ai.sleep import modes, steps
from evennia_ai.storage import entity_profiles, identity, journal, night, reflection
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.data.first_version import talk
from tests.migrating.inventories import done

TICK_SECONDS = 60
MOST_TICKS = 200


def move_in(people):
    """Let both fall asleep, and sleep for as long as it takes."""
    _bertram(people)
    _celeste(people)


def _bertram(people):
    """Some of his day is kept; three ticks are over."""
    npc, script = _tired("Bertram", people, entries=80)
    for _ in range(3):
        _tick(npc, script)
    assert night.phase(script) == night.COMPACTING
    # He had asked for it before he fell asleep, which nobody has taken back.
    wish = {"depth": "deep", "hours": 3, "reason": "a long day", "at": "2024-05-01T20:00:00.000Z"}
    night.request(script, wish)
    night.note_answer(script, answered=False)


def _celeste(people):
    """The work of her day is done, but not that of her dreams."""
    npc, script = _tired("Celeste", people, entries=30)
    for _ in range(MOST_TICKS):
        if night.phase(script) == night.DREAMING:
            break
        _tick(npc, script)
    assert night.phase(script) == night.DREAMING
    _tick(npc, script)


def _tired(name, people, *, entries):
    npc = minds.make_assistant(name, location=people["room"])
    script, own = scripts.find(npc), identity.identity_of(npc)
    for number in range(entries):
        entry = journal.add_entry(
            npc,
            talk.told(2000 + 3 * number + npc.id),
            source_entity="Ann",
            source_id=people["ann"],
            tags=["say"],
            audience=sorted([own, people["ann"]]) if number % 6 == 0 else "public",
            event_id=f"{name}-{number}",
            now=pace.now() - timedelta(minutes=entries - number),
        )
        reflection.note_entry(script, entry)
    for number in range(6):
        entity_profiles.add_entity_observation(
            npc,
            people["ann_body"],
            f"Ann never liked the number {number}.",
            audience="public",
            told_by=people["ann"],
            event_id=f"liked-{number}",
        )
    talk.exchange(npc, people["ann"], "Ann", 30, since=pace.now() - timedelta(hours=1))
    wake_at = pace.now() + timedelta(hours=8)
    modes.transition_mode(script, "sleep", "it is late", wake_at=wake_at, depth="deep")
    return npc, script


def _tick(npc, script):
    done(steps.run_sleep_tick(script, npc))
    pace.clock().rightNow += TICK_SECONDS
