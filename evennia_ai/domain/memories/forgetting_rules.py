"""Rules of forgetting somebody: what they said goes, and what was made of it.

That is told by who said it. What others said stays, whatever word their name is: by their name, and
by words that it has from nobody else, only that goes which the assistant itself said or concluded, and
what it heard other assistants say.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from evennia_ai.core.records import Entry
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.sleeping import insights, reflection_rules

# So many words in a row that somebody said are their words, wherever they stand.
RUN = 4
# From this share of its telling words on, a text only says what nobody but they have said.
SHARE = 0.5
# Keys under which identities stand only because somebody was in earshot.
EARSHOT = ("audience", "topic_audience")
# Keys under which it stands who said something, in records of ours and of a game.
SAYERS = ("said_by", "actor", "told_by", "source_id")
# Digits of a number that is nobody else's.
CODE = 4

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# What begins with a capital in the middle of a sentence names one thing alone.
_CAPITAL = re.compile(r"(?<=[^\W_][ ,] )[A-ZÅÄÖ][^\W_]+|(?<=[^\W_] )[A-ZÅÄÖ][^\W_]+")
# Times and ids are nobody's words.
_NO_WORDS = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?|[0-9a-f-]{32,36}")


class Traces:
    """By what it is told that something is of somebody, or about them.

    `identities` and `names` are theirs; `said` is all that is known to be from them, and `others`
    what others said: words that are in both are nobody's own. `assistants` are the identities of other
    assistants, who only repeat what they were told.
    """

    def __init__(
        self,
        *,
        identities: Iterable[str] = (),
        names: Iterable[str] = (),
        said: Iterable[str] = (),
        others: Iterable[str] = (),
        assistants: Iterable[str] = (),
    ) -> None:
        self.identities = frozenset(identities) - {""}
        self.names = tuple(name for name in names if _is_telling(name))
        self.assistants = frozenset(assistants) - self.identities
        self._said, self._others = list(said), list(others)
        # What was found out of texts: their terms and runs, and whether they are theirs.
        self._read: dict[str, tuple[frozenset[str], frozenset[tuple[str, ...]]]] = {}
        self._carried: dict[str, bool] = {}

    def preparing(self, texts: Iterable[str] = ()) -> Iterator[None]:
        """Read what they and others said, and then `texts`, one at a step; what follows is quick."""
        for text in (*self._said, *self._others):
            self._terms_and_runs(text)
            yield
        for text in texts:
            self.without_echoes(text)
            yield

    def is_from(self, *identities: str) -> bool:
        """Return whether one of these identities is theirs."""
        return not self.identities.isdisjoint(identities)

    def is_theirs(self, said_by: str, chain: Iterable[Mapping[str, Any]]) -> bool:
        """Return whether what somebody said is from them, or came through them."""
        return self.is_from(said_by, *(str(teller.get("identity") or "") for teller in chain))

    def names_them(self, text: str) -> bool:
        """Return whether a text names them."""
        return bool(self._named and self._named.search(text))

    def echoes(self, text: str) -> bool:
        """Return whether a text of the assistant's own names them, or has its words from them alone."""
        return self.names_them(text) or self.carries(text)

    def carries(self, text: str) -> bool:
        """Return whether a text has its words from them alone, whoever it is from."""
        if not self._said or not text:
            return False
        if text not in self._carried:
            self._carried[text] = self._is_carried(text)
        return self._carried[text]

    def _is_carried(self, text: str) -> bool:
        own = set(retrieval.terms(text))
        theirs = own & self._own_terms
        if any(_stems(word) & theirs for word in _naming(text)) or theirs & self._marks:
            return True
        if not self._own_runs.isdisjoint(_runs(text)):
            return True
        return len(theirs) > 1 and len(theirs) >= SHARE * len(own)

    def stand_in(self, line: str) -> bool:
        """Return whether a line that nobody can read is theirs, or carries their words."""
        return any(one in line for one in self.identities) or self.carries(line)

    def without_echoes(self, text: str) -> str:
        """Return the sentences of a text that do not carry their words."""
        sentences = retrieval.sentences(text)
        kept = [one for one in sentences if not self.echoes(one)]
        left = text if len(kept) == len(sentences) else " ".join(kept)
        # Their words may go on over the end of a sentence.
        return "" if self.echoes(left) else left

    def holds(self, value: Any, *, is_own: bool = True) -> bool:
        """Return whether plain data carries their words or stands under their identity.

        It is the assistant's own, as far as it does not say that it is somebody's (SAYERS).
        """
        if isinstance(value, str):
            is_text = not _NO_WORDS.fullmatch(value)
            is_gone = self.echoes if is_own else self.carries
            return value in self.identities or (is_text and is_gone(value))
        if isinstance(value, Mapping):
            is_own = is_own and not _is_from_somebody(value)
            return any(
                self.holds(key, is_own=is_own)
                or (key not in EARSHOT and self.holds(kept, is_own=is_own))
                for key, kept in value.items()
            )
        many = isinstance(value, (list, tuple))
        return many and any(self.holds(one, is_own=is_own) for one in value)

    def scrubbed(self, value: Any, *, is_own: bool = True) -> Any:
        """Return plain data without what carries their words: items of lists go whole."""
        if isinstance(value, str):
            return "" if self.holds(value, is_own=is_own) else value
        if isinstance(value, Mapping):
            is_own = is_own and not _is_from_somebody(value)
            return {
                key: self.scrubbed(kept, is_own=is_own)
                for key, kept in value.items()
                if not self.holds(key, is_own=is_own)
            }
        if isinstance(value, (list, tuple)):
            left = [one for one in value if not self.holds(one, is_own=is_own)]
            return [self.scrubbed(one, is_own=is_own) for one in left]
        return value

    @cached_property
    def _named(self) -> re.Pattern[str] | None:
        # A name that is a word as well is only meant where it is written as a name.
        forms = {form for name in self.names for form in (name, name[:1].upper() + name[1:])}
        choices = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
        return re.compile(rf"(?<!\w)(?:{choices})(?!\w)") if forms else None

    @cached_property
    def _own_terms(self) -> frozenset[str]:
        others = {term for text in self._others for term in self._terms_and_runs(text)[0]}
        own = {term for text in self._said for term in self._terms_and_runs(text)[0]}
        return frozenset(term for term in own - others if not retrieval.is_weak(term))

    @cached_property
    def _marks(self) -> frozenset[str]:
        named = {stem for text in self._said for word in _naming(text) for stem in _stems(word)}
        return frozenset(named & self._own_terms)

    @cached_property
    def _own_runs(self) -> frozenset[tuple[str, ...]]:
        others = {run for text in self._others for run in self._terms_and_runs(text)[1]}
        own = {run for text in self._said for run in self._terms_and_runs(text)[1]}
        return frozenset(own - others)

    def _terms_and_runs(self, text: str) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
        if text not in self._read:
            self._read[text] = frozenset(retrieval.terms(text)), frozenset(_runs(text))
        return self._read[text]


def plan_journal(
    entries: Sequence[Entry], traces: Traces, *, gone: Iterable[int] = ()
) -> tuple[set[int], dict[int, dict[str, Any]]]:
    """Return (ids that go, {id: changed fields}); the entries `gone` go in any case.

    What was made of other entries is made anew without those that go; where nothing is left of it,
    it goes as well.
    """
    theirs = {entry.id for entry in entries if traces.is_theirs(entry.said_by, entry.chain)}
    removed = set(gone) | theirs
    while True:
        left = [entry for entry in entries if entry.id not in removed]
        changes = {entry.id: _changes(entry, removed, traces) for entry in left}
        emptied = {one for one, changed in changes.items() if changed.get("content") == ""}
        if not emptied:
            return removed, {one: changed for one, changed in changes.items() if changed}
        removed |= emptied


def event_of(entry: Entry) -> str:
    """Return by what is found again what was noted elsewhere of the moment of an entry."""
    return entry.event_id or f"entry {entry.id}"


def is_derived(entry: Entry) -> bool:
    """Return whether an entry is the assistant's own, and neither testimony nor the game's word."""
    made = reflection_rules.is_synthesis(entry) or bool(entry.derived_from)
    # What it notes in a turn belongs to an event, and says of nobody that they said so.
    noted = bool(entry.event_id) and not entry.said_by
    return made or noted or entry.source_type == "inference"


def is_testimony(entry: Entry, assistants: Collection[str]) -> bool:
    """Return whether an entry is somebody's word: not the assistant's own, nor what others repeat."""
    return not is_derived(entry) and entry.said_by not in assistants


def _changes(entry: Entry, removed: set[int], traces: Traces) -> dict[str, Any]:
    """Return the fields of an entry that become others; an empty content means that it goes."""
    changed: dict[str, Any] = {}
    shared = [one for one in entry.shared if not traces.is_from(one.get("with", ""))]
    if shared != entry.shared:
        changed["shared"] = shared
    if is_testimony(entry, traces.assistants):
        return changed
    content = _remade(entry, removed, traces)
    if content != entry.content:
        changed["content"] = content
    evidence = [one for one in entry.derived_from if one not in removed]
    if evidence != entry.derived_from:
        changed["evidence"] = evidence
    return changed


def _remade(entry: Entry, removed: set[int], traces: Traces) -> str:
    content, cites_them = entry.content, not removed.isdisjoint(entry.derived_from)
    told = insights.read(content) if reflection_rules.is_synthesis(entry) else []
    if told:
        kept = [
            (text, ids) for text, ids in told if removed.isdisjoint(ids) and not traces.echoes(text)
        ]
        if len(kept) == len(told) and not cites_them and not traces.echoes(content):
            return content
        # The questions in the heading may give away what they were asked about.
        return insights.written([], kept) if kept else ""
    if cites_them:
        return ""
    if not reflection_rules.is_synthesis(entry):
        is_about = traces.echoes(content) or entry.source_entity in traces.names
        return "" if is_about else content
    bare = insights.unmarked(content)
    left = traces.without_echoes(bare)
    if left == bare:
        return content
    return f"{reflection_rules.SYNTHESIS_MARK} {left}" if left else ""


def _is_telling(name: str) -> bool:
    """Return whether a name is one, rather than a word that everybody uses."""
    return len(name) > 1 and bool(retrieval.terms(name))


def _is_from_somebody(value: Mapping[str, Any]) -> bool:
    return any(value.get(key) for key in SAYERS)


def _naming(text: str) -> Iterator[str]:
    """Yield the words that name one thing alone: also what mixes letters and digits, as codes do."""
    yield from _CAPITAL.findall(text)
    for word in _WORD.findall(text):
        if any(map(str.isdecimal, word)) and (len(word) >= CODE or not word.isdecimal()):
            yield word


def _stems(word: str) -> set[str]:
    return set(retrieval.terms(word))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}
