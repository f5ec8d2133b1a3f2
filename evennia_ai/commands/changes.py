"""Changes of minds by commands and pages: each leaves a line for staff, and tells in words what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks, succeed
from twisted.python.failure import Failure

from evennia_ai.agent import say_as, turns
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.revising import correcting, forgetting
from evennia_ai.commands.base import NOTHING_DONE, log_change, quoted
from evennia_ai.commands.shown import npcs, words
from evennia_ai.core.records import Entry
from evennia_ai.memory import identity, journal, lookup
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.memory.state import active_assistants, assistant, sleep_state
from evennia_ai.sleep import sleep_cycle, waking
from evennia_ai.typeclasses import scripts

EVERYTHING, EXPERIENCE = "all", "experience"
# Words for how an NPC is disposed to somebody, whatever they did: `open` leaves it to that again.
DISPOSITIONS: dict[str, float | None] = {"hostile": -1.0, "open": None}


def turn(caller: Any, npc: Any, name: str, *, on: bool) -> str:
    mind, word = scripts.find(npc), "on" if on else "off"
    if assistant.is_enabled(mind) == on:
        return f"The mind of {name} is {word} already."
    if on:
        mind.enable()
    else:
        mind.disable()
    log_change(caller, f"switched {word} the mind of", npc)
    return f"The mind of {name} is {word} now."


def halt(caller: Any, *, halted: bool) -> str:
    if active_assistants.is_halted() == halted:
        return "Every mind is halted already." if halted else "The minds are not halted."
    active_assistants.halt(halted=halted)
    log_change(caller, "halted every mind" if halted else "let every mind go on")
    count = active_assistants.count()
    return f"Every mind is halted ({count})." if halted else f"The minds go on ({count})."


def put_to_sleep(caller: Any, npc: Any, name: str, *, depth: str = sleep_state.LIGHT) -> str:
    """Let an NPC fall asleep, where nothing keeps it."""
    mind = scripts.find(npc)
    if sleep_state.is_asleep(mind):
        return f"{name} sleeps already: {npcs.mode_of(mind)}."
    if not assistant.is_enabled(mind):
        return f"The mind of {name} is off; nothing would happen in its sleep."
    if presence.is_puppeted(npc):
        return f"{name} is being played by somebody."
    if turns.is_running(mind.id):
        return f"{name} is about to answer somebody. Try again in a moment."
    sleep_cycle.transition_mode(mind, sleep_state.ASLEEP, "staff said so", depth=depth)
    log_change(caller, f"put to {depth} sleep", npc)
    return f"{name} falls asleep ({depth})."


def wake(caller: Any, npc: Any, name: str) -> str:
    """Wake an NPC, however fast asleep."""
    if not waking.perform_wake_transition(scripts.find(npc), "staff said so"):
        return f"{name} is awake."
    log_change(caller, "woke", npc)
    return f"{name} wakes."


def speak_for(caller: Any, npc: Any, name: str, spoken: str) -> Deferred[str]:
    """Let an NPC say words of staff.

    The line for staff tells readers of the log that they were not the mind's own words.
    """
    npc_id = npc.id

    def told(reason: str) -> str:
        if reason:
            return f"{name} says nothing: {reason}."
        npc = lookup.object_by_id(npc_id)
        log_change(caller, f"gave words of their own ({spoken[:80]!r}) to", npc)
        return f"You let {name} say it."

    payer = accounts.payer_of(caller)
    return say_as.speak_for(npc, spoken, payer=payer).addCallback(told)


def pin(caller: Any, npc: Any, name: str, entry: Entry, *, pinned: bool) -> str:
    """Let an entry of an NPC's journal never go, or go like any other."""
    word = "pinned" if pinned else "not pinned"
    if entry.pinned == pinned:
        return f"Entry {entry.id} is {word}{' already' if pinned else ''}."
    journal.edit_entry(npc, entry.id, pinned=pinned)
    log_change(caller, f"{'pinned' if pinned else 'unpinned'} entry {entry.id} of", npc)
    stays = "It is never let go" if pinned else "It may be let go, as any other"
    return f"Entry {entry.id} of {name} is {word} now. {stays}."


def somebody(npc: Any, who: str, near: Iterable[Any]) -> forgetting.Target:
    """Return a known person to be forgotten: with all their characters, if one of those is `near`."""
    people = (forgetting.person(npc, obj) for obj in near)
    known = forgetting.Target(frozenset([who]))
    return next((one for one in people if who in one.identities), known)


def forget(caller: Any, npc: Any, name: str, what: Any, called: str) -> Deferred[str]:
    """Let an NPC forget an entry (its number), somebody (a Target), its experience or everything."""
    return _told_forgotten(_forget(caller, npc, what), name, called)


def forget_entries(keeper_of: Callable[[], tuple[Any, Any]], name: str, numbers: list[int]) -> Any:
    """Let an NPC forget some entries, one after the other; `keeper_of` gives the visitor and the NPC after each wait."""
    called = f"entry {numbers[0]} and what rests on it"
    if len(numbers) > 1:
        called = f"{len(numbers)} entries and what rests on them"
    return _told_forgotten(_forget_each(keeper_of, numbers), name, called)


def change_entry(
    caller: Any, npc: Any, name: str, entry: Entry, changed: Callable[[], dict[str, Any]]
) -> Deferred[str]:
    """Let an entry have other words or fewer ears (`changed` returns the new fields), and the old be forgotten."""
    try:
        instead = changed()
    except ValueError as error:
        return succeed(f"{error} {NOTHING_DONE}")
    how = "wrote anew" if "content" in instead else "narrowed who may know"
    log_change(caller, f"{how} entry {entry.id} of", npc)

    def told(counts: Mapping[str, int] | None) -> str:
        if counts is None:
            return f"{name} has no entry {entry.id} any more."
        return (
            f"{name} has changed entry {entry.id}, and forgotten what it was: {forgotten(counts)}."
        )

    changing = forgetting.change(npc, scripts.find(npc), entry.id, instead)
    return changing.addCallbacks(told, _not_yet, errbackArgs=(name,))


def correct_known(
    caller: Any, npc: Any, name: str, who: str, chosen: dict[str, Any], right: str
) -> str:
    """Let an NPC know something else of somebody, or ("") nothing of it."""
    try:
        correcting.correct_known(npc, who, chosen, right)
    except ValueError as error:
        return f"{error} {NOTHING_DONE}"
    log_change(caller, "put right what is known of somebody by", npc)
    return f"{name} {'knows better now' if right else 'has forgotten it'}."


def dispose(caller: Any, npc: Any, who: str, word: str, *, name: str) -> str:
    """Let an NPC be disposed to somebody as one of DISPOSITIONS says; return the problem, "" if that was done."""
    there = npc.location.contents if npc.location else ()
    is_guest = any(
        accounts.is_passing(obj) and identity.perceived(npc, obj) == who for obj in there
    )
    if is_guest or accounts.object_id_of(who) is not None:
        return f"Of {name} nothing is kept. {NOTHING_DONE}"
    entity_profiles.set_disposition(npc, who, DISPOSITIONS[word])
    log_change(caller, f"chose {word} towards {quoted(name)} for", npc)
    return ""


def forgotten(counts: Mapping[str, int]) -> str:
    """How much was forgotten: "2 entries, 1 memory"."""
    nouns = {
        "entries": ("entry", "entries"),
        "memories": ("memory", "memories"),
        "people": ("profile", "profiles"),
        "decisions": ("decision", "decisions"),
    }
    parts = [words.count(counts[key], *both) for key, both in nouns.items() if counts.get(key)]
    return ", ".join(parts) or "nothing"


def _forget(caller: Any, npc: Any, what: Any) -> Deferred[Any]:
    if isinstance(what, str):
        called = "its experience" if what == EXPERIENCE else "everything"
    else:
        called = f"entry {what}" if isinstance(what, int) else "somebody"
    log_change(caller, f"let {called} be forgotten by", npc)
    mind = scripts.find(npc)
    if what == EVERYTHING:
        return forgetting.forget_everything(npc, mind)
    if what == EXPERIENCE:
        return forgetting.forget_experience(npc, mind)
    if isinstance(what, int):
        return forgetting.forget_entry(npc, mind, what)
    return forgetting.forget(npc, mind, what)


@inlineCallbacks
def _forget_each(keeper_of: Callable[[], tuple[Any, Any]], numbers: list[int]):
    counts: Counter[str] = Counter()
    for number in numbers:
        who, npc = keeper_of()
        # It may have gone with one on which it rested.
        if journal.get_entry(npc, number) is not None:
            counts.update((yield _forget(who, npc, number)))
    return counts


def _told_forgotten(forgetting_it: Deferred[Any], name: str, called: str) -> Deferred[str]:
    def told(counts: Mapping[str, int] | None) -> str:
        much = f": {forgotten(counts)}" if counts else ""
        return f"{name} has forgotten {called}{much}."

    return forgetting_it.addCallbacks(told, _not_yet, errbackArgs=(name,))


def _not_yet(failure: Failure, name: str) -> str:
    """Tell that something was not forgotten: long-term memory is away, a turn goes on, or somebody else changed it."""
    if failure.check(ValueError):
        return str(failure.value)
    failure.trap(*forgetting.NOT_YET)
    return f"{name} has not forgotten all of it: {failure.value} Do it once more."
