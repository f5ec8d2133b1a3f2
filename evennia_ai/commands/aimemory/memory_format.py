"""Text of the commands on memories: plain data in, text out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evennia_ai.agent.speech import escaped
from evennia_ai.core.records import Change, EntityAttribute, Entry, Observation, Profile
from evennia_ai.domain.memories import relationship
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.model_text import reply
from evennia_ai.tools.journal_tools import ORIGINS

# Characters of one memory.
LENGTH = 300
# Characters of a memory in a list of links.
SHORT = 60
# Events of a relationship that a profile shows.
HISTORY = 5


def journal(entries: Iterable[Entry], *, names: Mapping[str, str], size: int, more: int = 0) -> str:
    """Return entries, newest first, two lines each.

    `names` are those of identities, `size` how many entries the journal has, `more` how many fit
    and are not among these.
    """
    lines = [line for entry in entries for line in _entry(entry, names)]
    if not lines:
        return f"None of its {_count(size, 'entry', 'entries')} fits."
    if more:
        lines.append(f"… and {more} more that fit; say more of what you look for.")
    return "\n".join(lines)


def profile(known: Profile, *, names: Mapping[str, str]) -> str:
    """Return what is known of somebody, as `core.records.Profile` has it."""
    regard = known.relationship
    lines = [
        f"|c{_plain(known.name or known.entity_id)}|n ({known.entity_type})",
        f"  |wregard|n     {regard.state} ({regard.favorability:.2f}), "
        f"dealt with {_count(regard.interaction_count, 'time')}",
        f"  |wlast met|n   {_time(known.last_interaction)}",
    ]
    if known.disposition is not None:
        lines.append(f"  |wdisposed|n   {known.disposition:+.2f}")
    lines += _section("known", [_fact(fact, names) for fact in known.attributes])
    lines += _section("noticed", [_noticed(one, names) for one in known.observations])
    lines += _section("lately", [_change(one) for one in regard.history[-HISTORY:]])
    return "\n".join(lines)


def found(memories: Iterable[Remembered], *, names: Mapping[str, str]) -> str:
    """Return what a search found, best first, with its score, its source and who may know it."""
    lines = []
    for number, one in enumerate(memories, 1):
        by = f" from {_plain(one.by)}" if one.by else ""
        when = f", {_time(one.timestamp)}" if one.timestamp else ""
        known = audience(one.audience, names)
        lines.append(f"|w{number}.|n {one.score:.2f} {one.kind}{by}{when}, {known}")
        lines.append(f"     {_cut(one.text)}")
    return "\n".join(lines) or "Nothing comes to mind."


def links(rows: Iterable[Mapping[str, Any]], *, more: int = 0) -> str:
    """Return memories with what they are linked to: {"id", "text", "score"} and "linked" of such."""
    lines = []
    for row in rows:
        lines.append(f"|w{row['id'][:8]}|n {_cut(row['text'], SHORT)}")
        lines += [
            f"    {one['score']:.2f} |w{one['id'][:8]}|n {_cut(one['text'], SHORT)}"
            for one in row["linked"]
        ]
    if more:
        lines.append(f"… and {more} more that are linked.")
    return "\n".join(lines) or "It has linked no memories yet; it does that in its sleep."


def rumour(known: Iterable[Any], *, more: int = 0, looked_at: int) -> str:
    """Return who knows something, the first first: `known` as `rumours.Known` has it."""
    lines = []
    for one in known:
        through = ", who had it ".join(f"from {_plain(name)}" for name in one.told_by)
        facts = [_time(one.since), one.npc, through, f"believed {one.trust:.2f}"]
        lines.append(", ".join(filter(None, [*facts, _plain(one.audience)])))
        lines.append(f"    {_cut(one.text)}")
    if not lines:
        return f"None of {_count(looked_at, 'NPC')} knows of it."
    if more:
        lines.append(f"… and {more} more; say more of what you look for.")
    return "\n".join(lines)


def about_player(data: Mapping[str, Any]) -> str:
    """Return to a player what an NPC knows of them.

    `data` is {"name", "state", "facts", "noticed", "told", "heard", "lines", "entries", "opted_out"}.
    """
    name = data["name"]
    lines = [f"{name} {relationship.of(data['state']).shown}"]
    for title, kept in (
        (f"{name} knows of you:", data["facts"]),
        (f"{name} has noticed:", data["noticed"]),
        (f"You told {name}, lately:", data["told"]),
        (f"{name} heard you say, lately:", data["heard"]),
    ):
        if kept:
            lines += [title, *(f"  {_cut(one)}" for one in kept)]
    lines.append(
        f"{name} remembers {_count(data['lines'], 'line')} of your talk, and "
        f"{_count(data['entries'], 'thing')} that you said."
    )
    if data["opted_out"]:
        lines.append(
            "You asked not to be remembered: this goes when you leave the game, but for what was noted before."
        )
    return "\n".join(lines)


def forgotten(counts: Mapping[str, int]) -> str:
    """Return how much was forgotten: "2 entries, 1 memory"."""
    words = [
        _count(counts.get(key, 0), one, many)
        for key, one, many in (
            ("entries", "entry", "entries"),
            ("memories", "memory", "memories"),
            ("people", "profile", "profiles"),
            ("decisions", "decision", "decisions"),
        )
        if counts.get(key)
    ]
    return ", ".join(words) or "nothing"


def changed(instead: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return what becomes of an entry that gets other fields: "say …", "be for Ann"."""
    if "content" in instead:
        return f'say "{_cut(instead["content"])}"'
    return f"be {audience(instead['audience'], names)}"


def has_changed(name: str, entry_id: int, counts: Mapping[str, int] | None) -> str:
    """Return that an entry of somebody was changed, and how much was forgotten for it."""
    if counts is None:
        return f"{name} has no entry {entry_id} any more."
    return f"{name} has changed entry {entry_id}, and forgotten what it was: {forgotten(counts)}."


def audience(known: Any, names: Mapping[str, str]) -> str:
    """Return who may know something, as words that may be shown."""
    return _plain(known_to(known, names))


def known_to(known: Any, names: Mapping[str, str]) -> str:
    """Return who may know something, as words."""
    if known == "public":
        return "known to all"
    who = sorted(names.get(one, "somebody") for one in known)
    return f"for {', '.join(who)}" if who else "for nobody"


def _entry(entry: Entry, names: Mapping[str, str]) -> list[str]:
    by = entry.source_entity
    facts = [
        _time(entry.timestamp),
        f"importance {entry.importance} ({entry.importance_method})",
        f"{ORIGINS.get(entry.source_type, 'from')} {_plain(by)}" if by else entry.source_type,
        audience(entry.audience, names),
    ]
    facts += [f"tags {_plain(', '.join(entry.tags))}"] if entry.tags else []
    facts += [mark for mark in ("pinned", "consolidated") if getattr(entry, mark)]
    return [f"|w[{entry.id}]|n {', '.join(facts)}", f"    {_cut(entry.content)}"]


def _section(title: str, shown: list[str]) -> list[str]:
    return [f"  |w{title}|n", *(f"    {line}" for line in shown)] if shown else []


def _fact(fact: EntityAttribute, names: Mapping[str, str]) -> str:
    over = " |x(no longer)|n" if fact.superseded_by is not None else ""
    rests = f", from {len(fact.derived_from)} seen" if fact.derived_from else ""
    known = audience(fact.audience, names)
    return f"{_plain(fact.type)}: {_cut(fact.value)} ({known}{rests}){over}"


def _noticed(one: Observation, names: Mapping[str, str]) -> str:
    known = audience(one.audience, names)
    return f"{_time(one.timestamp)} {_cut(one.content)} ({one.source_word}, {known})"


def _change(one: Change) -> str:
    return f"{_time(one.timestamp)} {one.delta:+.2f} {_plain(one.reason or '')}".rstrip()


def _time(timestamp: str) -> str:
    return timestamp[:16].replace("T", " ")


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def _cut(text: str, length: int = LENGTH) -> str:
    return _plain(reply.printable(text, max_length=length))


def _plain(text: str) -> str:
    return escaped(str(text))
