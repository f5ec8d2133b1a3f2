"""Tools for the journal: note, search, look back.

What is shown is what everybody in earshot may know, and the turn notes who that was.
"""

from __future__ import annotations

from collections import Counter
from textwrap import shorten
from typing import Annotated, Any, Iterable, Iterator, Literal

from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.core.records import SOURCE_TRUST, Entry, united
from evennia_ai.core.talk import POSE, TOLD
from evennia_ai.domain import audience
from evennia_ai.domain.memories import memory_ranking, self_reference
from evennia_ai.domain.model_text.quotation import quote, word
from evennia_ai.domain.sleeping import reflection_rules
from evennia_ai.exceptions import ToolError
from evennia_ai.memory import episodic, journal
from evennia_ai.memory.state import reflection_state as reflections
from evennia_ai.semantic import base as semantic_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.tools import world
from evennia_ai.tools.base import Shown, Tool, ToolCategory, quoted

SourceType = Literal["direct", "observation", "inference", "environmental"]

# Entries that one result shows at most, and characters of each.
MAX_ENTRIES = 50
SHOWN_LENGTH = 400
# Tags that a review names.
FREQUENT_TAGS = 5
# What a review is worth, and how it is marked.
REVIEW_IMPORTANCE = 8
REVIEW_TAGS = ("synthesis", "meta_learning")
# What stands before the name of whom an entry is from, by its source.
ORIGINS = {
    "direct": "told by",
    "observation": "seen, about",
    "inference": "concluded, about",
    "environmental": "overheard from",
}


class AddJournalEntry(Tool):
    """Note something worth remembering; importance is from 1 to 10."""

    name = "add_journal_entry"
    brief = True
    left_out = ("related_projects", "source_type", "source_trust", "source_entity")
    keeps = True
    category = ToolCategory.SAFE_CHAIN

    def execute(
        self,
        turn,
        content: Annotated[str, "What to remember, in full sentences, with names."],
        tags: Annotated[list[str], "A few words to find it by."] = (),
        related_projects: Annotated[list[str], "Projects that it matters for."] = (),
        source_type: Annotated[SourceType, "How you know it."] = "observation",
        source_trust: Annotated[float | None, "How sure it is, 0 to 1."] = None,
        source_entity: Annotated[str, "Who told you."] = "",
        importance: Annotated[int | None, "1 (routine) to 10 (life-changing)."] = None,
    ):
        world.body_of(turn)
        entry = _note(
            turn,
            content,
            tags=tags,
            related_projects=related_projects,
            # In the mind's own words: as what somebody told they would stand as theirs.
            source_type="inference" if source_type in TOLD else source_type,
            source_trust=SOURCE_TRUST[source_type] if source_trust is None else source_trust,
            importance=importance,
            **_source(turn, source_type, source_entity),
        )
        return f"Noted as entry {entry.id}, importance {entry.importance}."


class SearchJournal(Tool):
    """Search your journal."""

    name = "search_journal"
    brief = True
    left_out = ("related_to_project", "limit", "semantic", "min_trust")
    category = ToolCategory.SAFE_CHAIN
    cacheable = True
    cache_ttl = 300.0

    def cache_key(self, turn):
        return journal.version(world.body_of(turn))

    @inlineCallbacks
    def execute(
        self,
        turn,
        query: Annotated[str, "Words to look for; none shows the newest entries."] = "",
        tags: Annotated[list[str], "Only entries that have all of these tags."] = (),
        days_back: Annotated[int | None, "Only entries of the last days."] = None,
        related_to_project: Annotated[str, "Only entries that matter for this project."] = "",
        limit: Annotated[int, "How many entries at most, 1 to 50."] = 10,
        semantic: Annotated[bool, "Whether to search by meaning, too."] = True,
        min_trust: Annotated[float, "Leave out what is less sure, 0 to 1."] = 0.0,
    ):
        _check_number("limit", limit, 1, MAX_ENTRIES)
        _check_number("min_trust", min_trust, 0, 1)
        _check_days(days_back)
        wanted = (tags, related_to_project, min_trust)
        meant = []
        if semantic and query.strip():
            is_narrow = any(wanted) or days_back is not None
            fitting = _fitting(turn, days_back, *wanted) if is_narrow else None
            among = None if fitting is None else [entry.id for entry in fitting]
            meant = yield _ids_by_meaning(turn, query, limit, among=among)
        found = {}
        # Looked up after the wait, so that what changed meanwhile is seen.
        for entry in _fitting(turn, days_back, *wanted):
            rank = meant.index(entry.id) if entry.id in meant else None
            if rank is not None or _contains(entry, query):
                found[entry.id] = (len(meant) if rank is None else rank, entry)
            # The newest are shown; by meaning, an older one may be nearer.
            if not meant and len(found) >= limit:
                break
        best = sorted(found.values(), key=lambda ranked: ranked[0])[:limit]
        return _listed(turn, [entry for _, entry in best], f"You find nothing on {quoted(query)}.")


class ReviewJournal(Tool):
    """Look back on the last days: see what you noted, and write down what it adds up to."""

    name = "review_journal"
    keeps = True
    category = ToolCategory.SAFE_CHAIN
    for_talk = False

    def execute(
        self,
        turn,
        synthesis: Annotated[str, "Your insights, in a few sentences."],
        days_back: Annotated[int, "How many days to look back."] = 7,
        tags: Annotated[list[str], "Only entries that have all of these tags."] = (),
        save_as_entry: Annotated[bool, "Whether to keep your insights in the journal."] = True,
    ):
        character = world.body_of(turn)
        _check_days(days_back)
        if not synthesis.strip():
            raise ToolError("synthesis must say what you conclude.")
        if self_reference.is_about(synthesis, names=[turn.name_of(character)]):
            raise ToolError("This is about yourself; conclude only about the world and others.")
        reviewed = list(_fitting(turn, days_back, tags))
        # The statistics tell of all of them, also of those that are not shown.
        for entry in reviewed:
            turn.include(entry)
        lines = [_statistics(reviewed, days_back), _listed(turn, reviewed[:MAX_ENTRIES], "")]
        if save_as_entry:
            entry = _note(
                turn,
                f"{reflection_rules.SYNTHESIS_MARK} {synthesis.strip()}",
                tags=REVIEW_TAGS,
                source_type="inference",
                importance=REVIEW_IMPORTANCE,
            )
            lines.append(f"Your insights are kept as entry {entry.id}.")
        return "\n".join(line for line in lines if line)


class SearchEpisodicMemory(Tool):
    """Recall what matters most: recent, important and fitting entries of your journal."""

    name = "search_episodic_memory"
    category = ToolCategory.SAFE_CHAIN
    for_talk = False

    def execute(
        self,
        turn,
        query: Annotated[str, "What you want to recall."],
        days_back: Annotated[int, "How many days to look back."] = 7,
        min_importance: Annotated[int, "Leave out what matters less, 1 to 10."] = 5,
        limit: Annotated[int, "How many entries at most, 1 to 50."] = 10,
        min_trust: Annotated[float, "Leave out what is less sure, 0 to 1."] = 0.0,
    ):
        character = world.body_of(turn)
        _check_number("limit", limit, 1, MAX_ENTRIES)
        _check_number("min_trust", min_trust, 0, 1)
        _check_days(days_back)
        recent = journal.newest_first(character, days_back=days_back)
        results = episodic.search_episodic_memory(
            [one for one in recent if _tellable(turn, one)],
            query,
            days_back,
            min_importance,
            now=scheduling.now(),
            min_trust=min_trust,
        )
        best = [result["entry"] for result in results[:limit]]
        return _listed(turn, best, "Nothing comes to mind.")


def _note(turn: Any, content: str, **fields: Any) -> Entry:
    """Put something into the journal of a turn; it counts towards the next reflection."""
    try:
        # The mind may have made it of all that its prompt holds.
        entry = journal.add_entry(
            turn.character, content, sources=turn.origins(), event_id=turn.event.id, **fields
        )
    except ValueError as error:
        raise ToolError(str(error)) from None
    reflections.note_entry(turn.script, entry)
    return entry


@inlineCallbacks
def _ids_by_meaning(turn: Any, query: str, limit: int, *, among: list[int] | None):
    """Return the ids of the entries that semantic memory finds, best first, of all or `among` these ids.

    It knows only what was copied there, so that a search by words goes with it.
    """
    only = {} if among is None else {"entry_id": among}
    memory = semantic_memory.get_memory()
    try:
        found = yield memory.search(
            query,
            assistant_key=turn.key,
            hearers=turn.hearers,
            limit=limit,
            filters={"source": "journal", **only},
        )
    except MemoryUnavailable as error:
        turn.notes.append(f"searched by words only: {error}")
        return []
    relevant = memory.scale.get("relevant", 0.0)
    fitting = memory_ranking.about(found, query, relevant=relevant)
    return [one.entry_id for one in fitting]


def _source(turn: Any, source_type: str, source_entity: str) -> dict[str, str]:
    """Return who it comes from; somebody else than the speaker is known by name only."""
    speaker, named = turn.event.actor_name, source_entity.strip()
    if not named and source_type == "direct":
        named = speaker
    is_speaker = bool(named) and named.casefold() == speaker.casefold()
    return {"source_entity": named, "source_id": turn.event.said_by if is_speaker else ""}


def _fitting(turn: Any, days_back: int | None, *wanted: Any) -> Iterator[Entry]:
    """Yield the entries of the last days that fit and may be told, the newest first."""
    for entry in journal.newest_first(world.body_of(turn), days_back=days_back):
        if _fits(entry, *wanted) and _tellable(turn, entry):
            yield entry


def _tellable(turn: Any, entry: Entry) -> bool:
    return bool(audience.select_tellable([entry], turn.hearers))


def _fits(
    entry: Entry, tags: Iterable[str] = (), project: str = "", min_trust: float = 0.0
) -> bool:
    if entry.source_trust < min_trust:
        return False
    own = {tag.casefold() for tag in entry.tags}
    projects = {one.casefold() for one in entry.related_projects}
    all_tags = all(tag.casefold() in own for tag in tags)
    return all_tags and (not project or project.casefold() in projects)


def _contains(entry: Entry, query: str) -> bool:
    return query.strip().casefold() in entry.content.casefold()


def _listed(turn: Any, shown: list[Entry], otherwise: str) -> str:
    for entry in shown:
        turn.include(entry)
    sources = united(*(entry.origins for entry in shown))
    return Shown("\n".join(map(_line, shown)) or otherwise, sources)


def origin(entry: Entry) -> str:
    """Return what stands before the name of whom an entry is from."""
    return "posed by" if POSE in entry.tags else ORIGINS.get(entry.source_type, "from")


def _line(entry: Entry) -> str:
    facts = [entry.timestamp[:10], f"importance {entry.importance}"]
    if entry.source_entity:
        facts.append(f"{origin(entry)} {quote(entry.source_entity)}")
    if entry.tags:
        facts.append(f"tags: {', '.join(map(word, entry.tags))}")
    content = shorten(entry.content, SHOWN_LENGTH, placeholder=" …")
    return f"[{entry.id}] ({'; '.join(facts)}) {quote(content)}"


def _statistics(reviewed: list[Entry], days_back: int) -> str:
    if not reviewed:
        return f"You noted nothing in the last {days_back} days."
    mean = sum(entry.importance for entry in reviewed) / len(reviewed)
    counted = Counter(tag for entry in reviewed for tag in entry.tags).most_common(FREQUENT_TAGS)
    frequent = ", ".join(f"{word(tag)} ({number})" for tag, number in counted) or "none"
    return (
        f"In the last {days_back} days: {len(reviewed)} entries, importance {mean:.1f} on "
        f"average, frequent tags: {frequent}."
    )


def _check_number(name: str, value: float, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ToolError(f"{name} must be between {least} and {most}.")


def _check_days(days_back: int | None) -> None:
    if days_back is not None and days_back < 0:
        raise ToolError("days_back must not be negative.")
