"""One remembered fact, as the store takes it in, how another text supersedes it, and what is searched for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from evennia_ai import scheduling
from evennia_ai.core.records import Audience, format_time, parse_time
from evennia_ai.domain.memories.long_term import Memory, NewMemory
from evennia_ai.domain.model_text.reply import storable

# How much is believed what comes without a trust, and how much it matters.
UNKNOWN_TRUST = 0.5
UNKNOWN_IMPORTANCE = 5
# Former texts that are kept of a memory that was superseded.
HISTORY_LIMIT = 10


class Fact(NamedTuple):
    """A text with all that is asked of it; `audience` None is the public."""

    text: str
    assistant_key: str
    audience: str | None
    metadata: dict[str, Any]
    created: str
    id: str = ""

    @property
    def audience_list(self) -> list[str]:
        """The identities that may know it; of what is public, none."""
        return [] if self.audience is None else json.loads(self.audience)

    @property
    def moment(self) -> float:
        """When it was learnt, in seconds; what is no time counts as the beginning of all."""
        try:
            return parse_time(self.created).timestamp()
        except (ValueError, OverflowError):
            return 0.0

    @property
    def trust(self) -> float:
        """How far it is believed, 0 to 1."""
        return _number(self.metadata.get("source_trust"), UNKNOWN_TRUST)

    @property
    def importance(self) -> float:
        """How much it matters, 1 to 10."""
        return _number(self.metadata.get("importance"), UNKNOWN_IMPORTANCE)

    @property
    def source_id(self) -> str:
        """The identity of whom one has it from, or ""."""
        return str(self.metadata.get("source_id") or "")

    @property
    def speaker(self) -> str:
        """The name of whom one has it from, or ""."""
        return str(self.metadata.get("speaker") or "")

    @property
    def names(self) -> list[str]:
        """The names of those who talked, which say nothing about what was talked about."""
        given = self.metadata.get("names")
        names = [name for name in given if isinstance(name, str)] if isinstance(given, list) else []
        return [*names, *([self.speaker] if self.speaker else [])]

    @property
    def before(self) -> str:
        """The line before it, by whose words it is found as well."""
        previous = self.metadata.get("previous")
        return previous if isinstance(previous, str) else ""

    @property
    def fingerprint(self) -> str:
        """A hash that two memories share if the same source said the same words to the same.

        A fact is the same whenever it is told. A line of a talk is not: "Yes, exactly!" is about what was said
        before it, and means something else the next time. Two people who say the same are two witnesses.
        """
        words, before = (" ".join(one.casefold().split()) for one in (self.text, self.before))
        said = "\n".join([words, self.source_id, self.speaker, *filter(None, [before])])
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()

    def memory(self) -> Memory:
        """Return it as it is told of."""
        return Memory(
            id=self.id,
            text=self.text,
            audience="public" if self.audience is None else self.audience_list,
            metadata=self.metadata,
            created=self.created,
        )


class Search(NamedTuple):
    """What a store is asked for, by the rules of `SemanticMemory.search`."""

    query: str
    assistant_key: str
    hearers: frozenset[str]
    limit: int = 10
    min_trust: float = 0.0
    # Of those who talk: they say whose words are meant, not what about.
    names: tuple[str, ...] = ()
    filters: dict[str, Any] | None = None
    also: tuple[NewMemory, ...] = ()
    # Of the query, where it was embedded already.
    vector: Any = None

    @classmethod
    def of(
        cls,
        query: str,
        *,
        hearers: Iterable[str],
        names: Iterable[str] = (),
        also: Iterable[NewMemory] = (),
        **more: Any,
    ) -> Search:
        """Return a search with all of what may be read only once."""
        told = {"hearers": frozenset(hearers), "names": tuple(names), "also": tuple(also)}
        return cls(query, **told, **more)


def new_fact(
    text: str,
    *,
    assistant_key: str,
    audience: Audience,
    metadata: dict[str, Any] | None = None,
) -> Fact:
    """Return a fact of these words; the metadata must be plain data.

    Raises:
        ValueError: there are no words, no assistant, or the audience is none.
        TypeError: the metadata cannot be written as JSON.
    """
    text = storable(text)
    if not text.strip():
        raise ValueError("a memory needs words.")
    if assistant_key.split() != [assistant_key]:
        raise ValueError(f"an assistant_key is text without spaces, not {assistant_key!r}.")
    plain = json.loads(storable(json.dumps(metadata or {})))
    created = plain.get("timestamp")
    return Fact(
        text=text,
        assistant_key=assistant_key,
        audience=_audience_text(audience),
        metadata=plain,
        created=created if isinstance(created, str) and created else format_time(scheduling.now()),
    )


def fact_of(new: NewMemory, assistant_key: str) -> Fact:
    """Return the fact of an assistant that a text becomes; raises as `new_fact` does."""
    return new_fact(
        new.text, assistant_key=assistant_key, audience=new.audience, metadata=new.metadata
    )


def superseded(old: Fact, text: str, metadata: dict[str, Any] | None) -> Fact:
    """Return the fact with a new text, and the former one in metadata["history"].

    With the text that it has already only the metadata change.
    """
    plain = json.loads(json.dumps(metadata or {}))
    fresh = storable(text)
    if not fresh.strip():
        raise ValueError("a memory needs words.")
    history = old.metadata.get("history")
    past = list(history) if isinstance(history, list) else []
    if fresh != old.text:
        made_of = msgspec.to_builtins(old.memory().origins)
        past.append({"text": old.text, "timestamp": old.created, "sources": made_of})
    merged = {**old.metadata, **plain, "history": past[-HISTORY_LIMIT:]}
    merged["timestamp"] = plain.get("timestamp") or format_time(scheduling.now())
    return old._replace(text=fresh, metadata=merged, created=merged["timestamp"])


def _number(value: Any, default: float) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    # NaN is not equal to itself, and would be first in each ranking.
    return float(value) if is_number and value == value else float(default)


def _audience_text(audience: Any) -> str | None:
    """Return an audience as it is stored; None is the public."""
    if audience == "public":
        return None
    if isinstance(audience, str):
        raise ValueError(f'an audience is "public" or a list of identities, not {audience!r}.')
    return json.dumps(sorted(set(audience)))
