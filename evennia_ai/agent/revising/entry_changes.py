"""An entry of a journal in other words, or for fewer ears, at the wish of staff.

What it was goes as if it were forgotten: its copies, the line in which it was said, and what was concluded
from it. The entry itself stays, and sleep makes of it anew what it makes of any other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai.agent.revising import forget_people
from evennia_ai.agent.revising.forget_people import Target
from evennia_ai.core.records import Entry
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.memory import identity, journal

# Characters of an entry that staff write.
LENGTH = 1000


def reworded(entry: Entry, words: str) -> dict[str, Any]:
    """Return the fields of an entry that says something else.

    Raises:
        ValueError: It would say nothing, the same, or too much.
    """
    text = reply.printable(words, max_length=LENGTH)
    if len(words.strip()) > LENGTH:
        raise ValueError(f"An entry has up to {LENGTH} characters.")
    if not retrieval.terms(text):
        raise ValueError("An entry says something.")
    if text == entry.content:
        raise ValueError(f"Entry {entry.id} says that already.")
    return {"content": text}


def narrowed(entry: Entry, npc: Any, who: Iterable[str]) -> dict[str, Any]:
    """Return the fields of an entry that those alone may know, of all that may now.

    Raises:
        ValueError: One of them may not know it now, or all who may are among them.
    """
    wanted, own = set(who), identity.identity_of(npc)
    if entry.audience != audiences.PUBLIC:
        may = {*entry.audience, own}
        if not wanted <= may:
            raise ValueError(
                f"Who may know entry {entry.id} can become fewer, and nobody who may not know it now."
            )
        if may == {*wanted, own} and (wanted or not entry.audience):
            raise ValueError(f"Entry {entry.id} is for nobody else already.")
    # What one other may know is a confidence between the two.
    return {"audience": sorted({*wanted, own}) if wanted else []}


@inlineCallbacks
def change(npc: Any, script: Any, entry_id: int, instead: dict[str, Any]):
    """Let an entry be another, with the fields of `reworded` or `narrowed`; None if there is none.

    Fires with how much was forgotten, and raises, as `forget_people.forget`.

    Raises:
        ValueError: Somebody else wrote it anew meanwhile; what they wrote stands.
    """
    entry = journal.get_entry(npc, entry_id)
    if entry is None:
        return None
    target = Target(entries=(entry,), instead=instead)
    counts = yield forget_people.forget(npc, script, target)
    now = journal.get_entry(npc, entry_id)
    if now is not None and now.content != instead.get("content", entry.content):
        raise ValueError(f"Somebody else has changed entry {entry_id} meanwhile; that stands.")
    return counts
