"""Corrections in talk: what somebody said before becomes what they say now, in all that is kept of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from msgspec import structs

from evennia_ai.agent.prompting import recall_sources, said_here
from evennia_ai.agent.revising import correcting
from evennia_ai.core import name_patterns, records
from evennia_ai.core.records import Audience, Entry, Event
from evennia_ai.core.talk import TOLD
from evennia_ai.domain import audience
from evennia_ai.domain.memories import confidence, conversation, gossip, retrieval
from evennia_ai.domain.memories.passages import TALK_GAP
from evennia_ai.domain.offline import corrections, utterances
from evennia_ai.domain.sleeping.reflection_rules import TAKEN_BACK_TAG
from evennia_ai.memory import journal, working_memory
from evennia_ai.memory.state import assistant

# Things that somebody told last, among which is what they put right.
LATEST = 12
JOURNAL_LIMIT = 200
# Words that may be said beside a correction and still go with what it put right.
REST_WORDS = 40
# Words of an entry beyond which nothing more is put to it.
ENTRY_WORDS = 2 * REST_WORDS
# "I was wrong, Mara: we sail on Saturday."
_WITHIN = rf",\s*{name_patterns.NAME}(?=\s*[:;,–])"
# How far somebody who owned up to a lie is believed in what they said of themselves in the same talk.
DOUBTED = 0.3


def apply_correction(npc: Any, script: Any, event: Event) -> tuple[Event, str] | None:
    """Let what somebody said before be what they say now; return the event with it, and what else it says.

    None if it corrects nothing. Only their own words are changed, and only for ears that may know what is right,
    the words beside it among that. What they take
    back without saying what is so instead comes to mind no more. A few words beside it stand with what is right:
    "The mate told me just now" alone tells nothing.
    """
    if not event.said_by or event.kind not in records.SPOKEN:
        return None
    recent = itertools.islice(journal.newest_first(npc), JOURNAL_LIMIT)
    said_before = (one for one in recent if one.said_by == event.said_by)
    own = list(itertools.islice((one for one in said_before if _is_own_word(one, event)), LATEST))
    called = [npc.key, *npc.key.split()]
    for said in dict.fromkeys([event.text, *retrieval.sentences(event.text)]):
        bare = utterances.without_call(said, names=called)
        for name in called:
            bare = name_patterns.sub(_WITHIN, name, "", bare)
        correction = corrections.read(bare)
        rest = event.text.replace(said, "").strip()
        # A bare word goes into what was said just before it, and nowhere else.
        among = _just_said(npc, event, own) if correction and correction.is_bare else own
        found = _found(npc, among, correction, event) if correction else None
        if found:
            entry, before, right = found
            joined = rest if _goes_with(entry, event, rest) else ""
            secret = confidence.is_asked(event.text)
            known = audience.intersection([event.audience, entry.audience])
            _change(npc, script, entry, before, right, known=known, rest=joined, secret=secret)
            # Who puts right aloud what they whispered has not said aloud all that they whispered.
            if not audience.is_open_to(known, event.audience):
                return event, event.text
            event = structs.replace(event, text=event.text.replace(said, right))
            return event, "" if joined else rest
    _take_back(npc, script, event, own)
    return None


def is_corrected(npc: Any, events: Iterable[Event]) -> bool:
    """Return whether words put something right that the same person had said: it stands in the journal."""
    return any(_puts_right(npc, event) for event in events if event.said_by)


def _puts_right(npc: Any, event: Event) -> bool:
    lines = working_memory.lines_with(npc, event.said_by)
    before = list(itertools.takewhile(lambda line: line.event_id != event.id, lines))
    # What was said again stands in the journal, too.
    is_new = not conversation.repeated(event, conversation.said_lately(event, before))
    return is_new and any(line.extracted for line in lines if line.event_id == event.id)


def _found(
    npc: Any, own: list[Entry], correction: corrections.Correction, event: Event
) -> tuple[Entry, str, str] | None:
    """Return the newest of somebody's entries that it is about, with what it says there and what is right."""
    asked = ""
    if correction.may_answer:
        # "No, it was the pump" answers whoever asked, and puts right only what was asked about.
        asked = conversation.asked_before(said_here.with_people(npc, event), event)
    about = set(retrieval.terms(asked))
    for entry in own:
        is_asked = not about or not about.isdisjoint(retrieval.terms(entry.content))
        for sentence in retrieval.sentences(entry.content) if is_asked else ():
            before = _uncalled(npc, sentence)
            if right := corrections.applied(before, correction):
                return entry, before, right
    return None


def _just_said(npc: Any, event: Event, own: list[Entry]) -> list[Entry]:
    """Return of somebody's entries that of the line which they said last."""
    lines = working_memory.lines_with(npc, event.said_by)
    last = next((one.event_id for one in reversed(lines) if not one.mine), "")
    return [one for one in own if last and one.event_id == last]


def _take_back(npc: Any, script: Any, event: Event, own: list[Entry]) -> None:
    """Mark what somebody said and now calls a lie, or says is not so."""
    taken = corrections.taken_back(event.text)
    if taken is None:
        return
    since = records.format_time(records.parse_time(event.timestamp) - TALK_GAP)
    of_late = [one for one in own if one.timestamp >= since]
    for entry in own if taken.terms else of_late[:1]:
        sentences = retrieval.sentences(entry.content)
        if not taken.terms and any(map(corrections.taken_back, sentences)):
            # "Forgive me that I lied" means what was owned up to just before.
            continue
        if any(corrections.is_meant(one, taken) for one in sentences):
            _edit(npc, script, entry, tags=[*entry.tags, TAKEN_BACK_TAG])
            correcting.unlearn(npc, event.said_by, entry)
        elif taken.is_lie and entry in of_late and any(map(corrections.is_of_oneself, sentences)):
            _edit(npc, script, entry, source_trust=min(entry.source_trust, DOUBTED))


def _edit(npc: Any, script: Any, entry: Entry, **changes: Any) -> None:
    changed = journal.edit_entry(npc, entry.id, consolidated=False, **changes)
    if changed is not None:
        correcting.copy_soon(entry, changed, assistant_key=assistant.key_of(script))


def _uncalled(npc: Any, sentence: str) -> str:
    """Return what was said without the name before it, letter by letter."""
    plain = utterances.without_call(sentence, names=[npc.key, *npc.key.split()])
    return plain if plain in sentence else f"{plain[:1].lower()}{plain[1:]}"


def _is_own_word(entry: Entry, event: Event) -> bool:
    known = event.audience in (audience.PUBLIC, entry.audience)
    return known and not entry.chain and entry.source_type in TOLD


def _goes_with(entry: Entry, event: Event, rest: str) -> bool:
    """Return whether what is said beside a correction tells something, and is for the same ears."""
    is_short = len(rest.split()) <= REST_WORDS and len(entry.content.split()) <= ENTRY_WORDS
    is_new = is_short and rest not in entry.content and entry.audience == event.audience
    return is_new and conversation.is_worth_keeping(structs.replace(event, text=rest))


def _change(
    npc: Any,
    script: Any,
    entry: Entry,
    old: str,
    new: str,
    *,
    known: Audience,
    rest: str,
    secret: bool,
) -> None:
    people = [entry.said_by, *recall_sources.mentioned(npc, old)]
    correcting.spread(npc, script, entry.said_by, people=people, old=old, new=new, known=known)
    changed = journal.get_entry(npc, entry.id)
    if changed is not None:
        content = f"{changed.content} {rest}".strip()
        tags = gossip.with_secret(changed.tags) if secret else changed.tags
        changed = journal.edit_entry(npc, entry.id, content=content, tags=tags)
    if changed is not None:
        correcting.copy_soon(entry, changed, assistant_key=assistant.key_of(script))
