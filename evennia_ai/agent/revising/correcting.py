"""Putting right what an assistant knows of somebody: at their own word, or at the wish of staff.

At their own word also what it has from them, and nothing that somebody else said. A lasting fact gives way to the
new one, which stays what whoever corrected it says of themselves; what was only noticed, or told by them, is written
anew. What staff put right is nobody's word.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from evennia.utils import logger
from msgspec import structs
from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.core.records import Audience, EntityAttribute, Entry, format_time
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import profile, retrieval
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.sleeping import insights, mentions, reflection_rules
from evennia_ai.lifecycle import store_handlers
from evennia_ai.memory import identity, journal, kinds, repository, working_memory
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.semantic import journal_sync, memory_thread
from evennia_ai.semantic.base import SemanticMemory, get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable

# Old insights that are looked through at a correction.
AGED = 20
# Characters of a correction.
LENGTH = 200
VISITING = "Nothing is kept of what you say: you are remembered for your visit only."
# Whose word it is what staff write: seen, and told by nobody.
STAFF = ""


@inlineCallbacks
def correct(npc: Any, script: Any, speaker: Any, *, wrong: str, right: str):
    """Let what is most like `wrong` be `right`; return what it was, "" if nothing is like it.

    Arguments and errors are those of `correct_all`.
    """
    changed = yield correct_all(npc, script, speaker, wrong=wrong, right=right)
    return next(iter(changed), "")


@inlineCallbacks
def correct_all(npc: Any, script: Any, speaker: Any, *, wrong: str, right: str):
    """Let what is most like `wrong` be `right`, wherever it stands; return each text that was changed.

    The first is what is most like it; there is none if nothing is. `speaker` is whom it is about, or whom it is from, and who may know it.

    Raises:
        ValueError: The correction says nothing, or is from somebody of whom nothing is kept.
    """
    who, key = identity.perceived(npc, speaker), identity.identity_of(npc)
    words = reply.printable(right, max_length=LENGTH)
    if not retrieval.terms(words):
        raise ValueError("A correction says what is right.")
    if accounts.is_passing(speaker):
        raise ValueError(VISITING)
    candidates = [*known_of(npc, who), *_told(npc, who)]
    chosen = _most_like(wrong, audiences.select_tellable(candidates, [who]))
    if chosen is None:
        return []
    if chosen["kind"] == "entry":
        before = chosen["entry"]
        entry = journal.edit_entry(npc, before.id, content=words, consolidated=False)
        yield _copies(before, entry, assistant_key=key)
    else:
        _write(npc, who, chosen, words, by=who)
    # What was noticed is kept with "Says: " before it.
    said = mentions.words_of(chosen["text"])
    more = spread(npc, script, who, people=[who], old=said, new=words)
    logger.log_info(f"evennia_ai: #{npc.id} was corrected by #{speaker.id}.")
    return list(dict.fromkeys([chosen["text"], *(one for one in more if one != said)]))


def spread(
    npc: Any,
    script: Any,
    who: str,
    *,
    people: Iterable[str],
    old: str,
    new: str,
    known: Audience = audiences.PUBLIC,
) -> list[str]:
    """Let all that is kept in the words `old` of somebody say `new`; return each text that was changed.

    So far as it is their own word, and for no ears but those that may know what is right (`known`): in the
    journal, in conversations, in what was noticed or concluded of `people`. What was done about it stays in experience, without the words.
    """
    changed, corrected = [], []
    for entry in list(journal.newest_first(npc)):
        is_theirs = entry.said_by == who and audiences.is_open_to(known, entry.audience)
        if is_theirs and (old in entry.content or new in entry.content):
            corrected.append(entry)
        if is_theirs and old in entry.content:
            content = entry.content.replace(old, new)
            if journal.edit_entry(npc, entry.id, content=content, consolidated=False):
                changed.append(entry.content)
    changed += working_memory.reword(npc, who, old=old, new=new, known=known)
    for one in dict.fromkeys(people):
        changed += _rewrite(npc, who, one, old, new, known)
    forget_made_of(npc, script, corrected, right=new)
    return list(dict.fromkeys(changed))


def withdraw_aged(memory: SemanticMemory, kept: Memory, *, assistant_key: str) -> Deferred[bool]:
    """Mark an insight of long-term memory as one that no longer holds."""
    return memory.update(
        kept.id,
        kept.text,
        assistant_key=assistant_key,
        metadata={
            "tags": [*kept.tags, reflection_rules.TAKEN_BACK_TAG],
            "timestamp": kept.timestamp,
        },
    )


def withdraw(npc: Any, entry: Entry, insight: str) -> Entry | None:
    """Take an insight out of its entry of the journal; return the entry as it is then."""
    content = insights.without(entry.content, insight)
    if insights.read(content):
        return journal.edit_entry(npc, entry.id, content=content, consolidated=False)
    # The copy of long-term memory gives way to it.
    tags = [*entry.tags, reflection_rules.TAKEN_BACK_TAG]
    return journal.edit_entry(npc, entry.id, tags=tags, consolidated=False)


def _rewrite(npc: Any, teller: str, who: str, old: str, new: str, to_whom: Audience) -> list[str]:
    """Let what was noticed or concluded of somebody from a sentence of the teller say another."""
    known = entity_profiles.find_profile(npc, who)
    if known is None:
        return []
    observations = [
        (
            structs.replace(one, content=one.content.replace(old, new), consolidated=False)
            if one.said_by == teller
            and old in one.content
            and audiences.is_open_to(to_whom, one.audience)
            else one
        )
        for one in known.observations
    ]
    facts = known.attributes
    for fact in known.attributes:
        is_theirs = teller in fact.told_by and audiences.is_open_to(to_whom, fact.audience)
        if fact.superseded_by is None and is_theirs and old in fact.value:
            facts = _superseded(facts, fact.id, fact.value.replace(old, new), teller)
    if facts == known.attributes and observations == known.observations:
        return []
    changed = structs.replace(known, observations=observations, attributes=facts)
    _save_profile(npc, changed, who)
    pairs = zip(known.observations, observations, strict=True)
    noticed = [one.content for one, after in pairs if one is not after]
    given_way = {fact.id for fact in facts if fact.superseded_by is None}
    return [
        *noticed,
        *(
            fact.value
            for fact in known.attributes
            if fact.superseded_by is None and fact.id not in given_way
        ),
    ]


def _not_there(failure: Any, what: str) -> None:
    failure.trap(MemoryUnavailable, ImproperlyConfigured)
    logger.log_warn(f"evennia_ai: {what} keeps what was corrected: {failure.value}")


def forget_made_of(npc: Any, script: Any, entries: Iterable[Entry], *, right: str = "") -> None:
    """Forget what was made of entries that say something else now, but for what says what is `right`.

    Stores beside the game's objects forget it as soon as they can, their copies of the entries as well: sleep makes
    those anew.
    """
    from evennia_ai.agent.revising import forgetting  # it needs `Turn`

    gone = forgetting.Target(entries=tuple(entries)).gone
    if not gone.moments:
        return
    made = gone._replace(made_only=True, right=right)
    forgetting.forget_resting_on(npc, script, made)
    whose = store_handlers.whose(npc, script)
    stores = {
        "long-term memory": store_handlers.LongTerm(),
        "experience": store_handlers.Experience(),
    }
    for name, handler in stores.items():
        handler.forget(whose, made).addErrback(_not_there, name)


def like(npc: Any, who: str, wrong: str) -> dict[str, Any] | None:
    """Return what of `known_of` is most like some words, whoever may know it."""
    return _most_like(wrong, known_of(npc, who))


def correct_known(npc: Any, who: str, chosen: dict[str, Any], right: str) -> None:
    """Let something of `known_of` be `right`, at the wish of staff; "" takes it away. Who may know it stays.

    What people have said of it stays in the journal, where `entry_changes` changes it.

    Raises:
        ValueError: It says nothing, too much, or the same; or somebody has changed it meanwhile.
    """
    words = reply.printable(right, max_length=LENGTH)
    if len(right.strip()) > LENGTH:
        raise ValueError(f"It has up to {LENGTH} characters.")
    if right and not retrieval.terms(words):
        raise ValueError("A correction says what is right.")
    if words == chosen["text"]:
        raise ValueError("It says that already.")
    if chosen not in known_of(npc, who):
        raise ValueError("Somebody has changed it meanwhile.")
    if words:
        _write(npc, who, chosen, words, by=STAFF)
    else:
        _take_away(npc, who, chosen)


def known_of(npc: Any, who: str) -> list[dict[str, Any]]:
    """Return what is known of somebody: {"kind", "id", "text", "audience"} each."""
    known = entity_profiles.find_profile(npc, who)
    if known is None:
        return []
    facts = [
        {"kind": "fact", "id": fact.id, "text": fact.value, "audience": fact.audience}
        for fact in known.attributes
        if fact.superseded_by is None
    ]
    noticed = [
        {"kind": "noticed", "id": one.id, "text": one.content, "audience": one.audience}
        for one in known.observations
    ]
    return [*facts, *noticed]


def _told(npc: Any, who: str) -> list[dict[str, Any]]:
    """Return what somebody told, newest first."""
    return [
        {"kind": "entry", "text": one.content, "audience": one.audience, "entry": one}
        for one in journal.newest_first(npc)
        if one.said_by == who and one.source_type != "inference"
    ]


def _most_like(words: str, found: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return what holds these words, else what is most like them."""
    wanted = words.casefold()
    exact = next((one for one in found if wanted in one["text"].casefold()), None)
    if exact is not None:
        return exact
    ranked = retrieval.rank(words, [one["text"] for one in found], limit=1)
    return found[ranked[0][0]] if ranked else None


def _write(npc: Any, who: str, chosen: dict[str, Any], words: str, *, by: str) -> None:
    known = entity_profiles.find_profile(npc, who)
    if known is None:
        return
    if chosen["kind"] == "noticed":
        observations = [
            # The word of whoever corrected it, and to be slept on again.
            (
                structs.replace(one, content=words, said_by=by, consolidated=False)
                if one.id == chosen["id"]
                else one
            )
            for one in known.observations
        ]
        changed = structs.replace(known, observations=observations)
    else:
        facts = _superseded(known.attributes, chosen["id"], words, by)
        changed = structs.replace(known, attributes=facts)
    _save_profile(npc, changed, who)


def _take_away(npc: Any, who: str, chosen: dict[str, Any]) -> None:
    known = entity_profiles.find_profile(npc, who)
    if known is not None:
        name = "observations" if chosen["kind"] == "noticed" else "attributes"
        left = [one for one in getattr(known, name) if one.id != chosen["id"]]
        _save_profile(npc, structs.replace(known, **{name: left}), who)


def _save_profile(npc: Any, changed: Any, who: str) -> None:
    repository.save(npc, kinds.PROFILES, changed, who)
    repository.note_rewrite(npc.id)


def _superseded(
    facts: list[EntityAttribute], wrong: int, words: str, by: str
) -> list[EntityAttribute]:
    number = 1 + max(fact.id for fact in facts)
    before = next(fact for fact in facts if fact.id == wrong)
    right = structs.replace(
        before,
        id=number,
        value=words,
        source=profile.CORRECTION,
        created=format_time(scheduling.now()),
        derived_from=[],
        told_by=[by],
    )
    old = structs.replace(before, superseded_by=number)
    return [*(old if fact is before else fact for fact in facts), right]


@inlineCallbacks
def _copies(before: Entry, entry: Entry, *, assistant_key: str):
    """Let long-term memory know it, too; otherwise sleep brings it there."""
    try:
        memory = get_memory()
        if memory.enabled:
            found = yield journal_sync.find_copies(memory, [before], assistant_key=assistant_key)
            yield journal_sync.keep_entry(
                memory, entry, assistant_key=assistant_key, copies=found.get(entry.id, ())
            )
    except (MemoryUnavailable, ImproperlyConfigured) as error:
        memory_thread.warn("a correction waits for the next sleep", error)
