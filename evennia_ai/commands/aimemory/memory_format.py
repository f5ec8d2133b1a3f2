"""Text of the commands on memories: plain data in, text out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.shown import words
from evennia_ai.commands.shown.words import cut, moment
from evennia_ai.core.records import Entry
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.tools import journal_tools

# Events of a relationship that a profile shows.
HISTORY = 5
# Characters of a text in one line of a difference.
LENGTH = 58
_COLORS = {"+": "|g", "~": "|y", "-": "|r"}
# Parts of a mind, and how they are called.
_PARTS = {
    "entries": ("entry of the journal", "entries of the journal"),
    "memories": ("memory", "memories"),
    "profiles": ("person or thing", "people or things"),
    "conversations": ("conversation", "conversations"),
    "lore": ("fact of lore", "facts of lore"),
    "goals": ("goal", "goals"),
    "decisions": ("decision", "decisions"),
}


def journal(entries: Iterable[Entry], *, names: Mapping[str, str], size: int, more: int = 0) -> str:
    """Entries, newest first, two lines each.

    `names` are those of identities, `size` how many entries the journal has, `more` how many fit
    and are not among these.
    """
    lines = [line for entry in entries for line in _entry(entry, names)]
    if not lines:
        return f"None of its {words.count(size, 'entry', 'entries')} fits."
    if more:
        lines.append(f"… and {more} more that fit; say more of what you look for.")
    return "\n".join(lines)


def profile(told: Mapping[str, Any]) -> str:
    """What is known of somebody, as `shown.memories.profile_of` tells it."""
    known = told["known"]
    regard = known.relationship
    dealt = words.count(regard.interaction_count, "time")
    lines = [
        f"|c{escaped(known.name or known.entity_id)}|n ({known.entity_type})",
        *words.labelled(
            "regard", [f"{regard.state} ({regard.favorability:.2f}), dealt with {dealt}"]
        ),
        *words.labelled("last met", [moment(known.last_interaction)]),
    ]
    if known.disposition is not None:
        lines += words.labelled("disposed", [f"{known.disposition:+.2f}"])
    facts = [
        f"{escaped(fact.type)}: {cut(fact.value)} ({escaped(audience)}{_rests_on(fact)})"
        f"{' |x(no longer)|n' if fact.superseded_by is not None else ''}"
        for fact, audience in told["facts"]
    ]
    noticed = [
        f"{moment(one.timestamp)} {cut(one.content)} ({one.source_word}, {escaped(audience)})"
        for one, audience in told["noticed"]
    ]
    lately = [
        f"{moment(one.timestamp)} {one.delta:+.2f} {escaped(one.reason or '')}".rstrip()
        for one in regard.history[-HISTORY:]
    ]
    for title, shown in (("known", facts), ("noticed", noticed), ("lately", lately)):
        if shown:
            lines += [f"  |w{title}|n", *(f"    {line}" for line in shown)]
    return "\n".join(lines)


def found(memories: Iterable[Remembered], *, names: Mapping[str, str]) -> str:
    """What a search found, best first, with its score, its source and who may know it."""
    lines = []
    for number, one in enumerate(memories, 1):
        by = f" from {escaped(one.by)}" if one.by else ""
        when = f", {moment(one.timestamp)}" if one.timestamp else ""
        known = escaped(words.known_to(one.audience, names))
        lines.append(f"|w{number}.|n {one.score:.2f} {one.kind}{by}{when}, {known}")
        lines.append(f"     {cut(one.text)}")
    return "\n".join(lines) or "Nothing comes to mind."


def changed(instead: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """What becomes of an entry that gets other fields: "say …", "be for Ann"."""
    if "content" in instead:
        return f'say "{cut(instead["content"])}"'
    return f"be {escaped(words.known_to(instead['audience'], names))}"


def differences(changes: Iterable[tuple[str, Iterable[Any]]]) -> str:
    """Changes by a file: (name of the NPC, [`domain.files.seed_files.Change`]) each."""
    lines = []
    for name, differing in changes:
        lines.append(f"|c{name}|n")
        lines += [_difference(change) for change in differing] or [
            "  nothing but whose words they are"
        ]
    return "\n".join(lines)


def contents(mind: Mapping[str, Any]) -> str:
    """How much is in a mind of a file, in one line."""
    kept = {
        **mind,
        "entries": mind["journal"]["entries"],
        "decisions": mind["experience"]["decisions"],
    }
    parts = [words.count(len(kept[key]), *nouns) for key, nouns in _PARTS.items() if kept[key]]
    return ", ".join(parts) or "nothing"


def _entry(entry: Entry, names: Mapping[str, str]) -> list[str]:
    by = entry.source_entity
    facts = [
        moment(entry.timestamp),
        f"importance {entry.importance} ({entry.importance_method})",
        f"{journal_tools.origin(entry)} {escaped(by)}" if by else entry.source_type,
        escaped(words.known_to(entry.audience, names)),
    ]
    facts += [f"tags {escaped(', '.join(entry.tags))}"] if entry.tags else []
    facts += [mark for mark in ("pinned", "consolidated") if getattr(entry, mark)]
    return [f"|w[{entry.id}]|n {', '.join(facts)}", f"    {cut(entry.content)}"]


def _rests_on(fact: Any) -> str:
    return f", from {len(fact.derived_from)} seen" if fact.derived_from else ""


def _difference(change: Any) -> str:
    sign, what, before, after = change
    texts = (before, after) if sign == "~" else (before or after,)
    shown = " -> ".join(words.shortened(text, LENGTH) for text in texts)
    return f"  {_COLORS[sign]}{sign}|n |w{what}|n: {shown}"
