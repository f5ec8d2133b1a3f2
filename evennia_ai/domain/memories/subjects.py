"""Subjects of texts: the things and names that they mention, in words that one can say.

Articles tell a thing from a deed where a language has any; else only names do, and in German all nouns are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evennia_ai.core import languages
from evennia_ai.core.words import stem
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply

# Characters of a name that is spoken of.
NAME_LENGTH = 40

# A thing follows one of these; what is "your" or "his" cannot be told from here.
_ARTICLES = languages.Words("subjects.articles")
_OWN = languages.Words("subjects.own")
_ADJECTIVE = languages.Pattern("subjects.adjective")
_PAST = languages.Pattern("subjects.past")
_TOKEN = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|\d+|[.!?…,;:]")

Key = tuple[str, ...]


@dataclass(frozen=True)
class Remark:
    """One thing that is remembered: its number, its words, whom it is from ("": nobody), its day."""

    number: int
    text: str
    by: str
    day: str
    stems: frozenset[str]
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Subject:
    """Something that remarks are about, as one speaks of it: "the well", "Ann's brother", "Kari"."""

    label: str
    stem: str
    is_name: bool
    owner: str
    remarks: tuple[Remark, ...] = field(repr=False)
    beside: str = ""

    @property
    def tellers(self) -> list[str]:
        """Who brought it up, those who did so most often first."""
        counted = Counter(remark.by for remark in self.remarks if remark.by)
        return sorted(counted, key=lambda name: (-counted[name], name))

    def label_beside(self, name: str) -> str:
        """Return what to call it where somebody has just been named: "their brother"."""
        return self.beside if self.owner == name else self.label

    def of(self, name: str) -> list[Remark]:
        """Return the remarks of one person about it."""
        return [remark for remark in self.remarks if remark.by == name]


def read_remarks(items: Iterable[Mapping[str, Any]]) -> list[Remark]:
    """Return remarks for {"number", "text", "by", "timestamp", "tags"}; what is missing is empty."""
    return [
        Remark(
            number=int(item["number"]),
            text=str(item.get("text") or ""),
            by=reply.printable(str(item.get("by") or ""), max_length=NAME_LENGTH),
            day=str(item.get("timestamp") or "")[:10],
            stems=frozenset(
                retrieval.terms(str(item.get("text") or ""), language=languages.written())
            ),
            tags=frozenset(str(tag).casefold() for tag in item.get("tags") or ()),
        )
        for item in items
    ]


def find(remarks: Sequence[Remark], *, own_names: Iterable[str] = ()) -> list[Subject]:
    """Return what the remarks are about: what most people brought up first, then what came up most.

    Of the one who remembers, called by `own_names`, nothing is said.
    """
    people = {remark.by for remark in remarks if remark.by}
    names = _names(remarks, people)
    called: dict[Key, Counter[str]] = {}
    for remark in remarks:
        for key, label in (*_things(remark), *_named(remark, names)):
            called.setdefault(key, Counter())[label] += 1
    oneself = {
        stem for name in own_names for stem in retrieval.terms(name, language=languages.written())
    }
    found = [
        _subject(key, labels, remarks) for key, labels in called.items() if key[-1] not in oneself
    ]
    about = [subject for subject in found if subject.remarks]
    return sorted(about, key=lambda one: (-len(one.tellers), -len(one.remarks), one.label))


def _subject(key: Key, labels: Counter[str], remarks: Sequence[Remark]) -> Subject:
    kind, *owner, stem = key
    label = min(labels, key=lambda one: (-labels[one], one))
    mentions = [
        remark
        for remark in remarks
        if stem in remark.stems and (not owner or remark.by == owner[0])
        # Who speaks of themselves does not speak about somebody.
        and not (kind == "name" and remark.by == label)
    ]
    noun = label.rpartition(" ")[2]
    beside = _filled(languages.text("labels", "their"), noun=noun) if owner else label
    return Subject(label, stem, kind == "name", "".join(owner), tuple(mentions), beside)


def _names(remarks: Sequence[Remark], people: set[str]) -> set[str]:
    """Return the words that are written as names inside a sentence, and the names of who spoke."""
    inside = {
        word
        for remark in remarks
        for word, is_first in _words(remark.text)
        if word[0].isupper() and not is_first and retrieval.terms(word)
    }
    parts = {part for name in people for part in name.split() if part[0].isupper()}
    return inside | {part for part in parts if not retrieval.is_weak(part.casefold())}


def _named(remark: Remark, names: set[str]) -> Iterator[tuple[Key, str]]:
    """Yield the names in a remark, those of several words as one."""
    run: list[str] = []
    for word, is_first in [*_words(remark.text), (".", True)]:
        if word in names and not (is_first and run):
            run.append(word)
            continue
        if run:
            yield ("name", _stem(run[-1])), " ".join(run)
        run = [word] if word in names else []


def _things(remark: Remark) -> Iterator[tuple[Key, str]]:
    """Yield what follows an article, or belongs to the speaker."""
    words = [word for word, _ in _words(remark.text, marks=True)]
    for index, word in enumerate(words):
        article = word.casefold()
        if article not in _ARTICLES and not (article in _OWN and remark.by):
            continue
        for noun in _nouns(words[index + 1 : index + 3]):
            if article in _OWN:
                label = languages.text("labels", "own")
                yield ("own", remark.by, _stem(noun)), _filled(label, name=remark.by, noun=noun)
            else:
                yield ("thing", _stem(noun)), _filled(languages.text("labels", "thing"), noun=noun)


def _nouns(words: Sequence[str]) -> list[str]:
    """Return what may be the noun after an article: the first word, or the one that it describes."""
    if not words or not _is_telling(words[0]) or words[0][0].isupper():
        return []
    first = words[0]
    describes = retrieval.is_weak(first) or is_adjective(first)
    second = words[1] if len(words) > 1 else ""
    if describes and _is_telling(second) and second[0].islower() and not _PAST.fullmatch(second):
        return [] if is_empty(second) else [second]
    return [] if is_empty(first) else [first]


def is_adjective(word: str) -> bool:
    """Return whether a word looks like one that describes."""
    return bool(_ADJECTIVE.fullmatch(word))


def is_empty(word: str, language: str = "") -> bool:
    """Return whether a noun says too little to be what somebody talks about: "way", "idea"."""
    plain = word.casefold()
    codes = (language,) if languages.spoken(language) else languages.read_now()
    return plain in languages.words("subjects.vague", codes) or retrieval.is_weak(plain, language)


def _filled(label: str, **slots: str) -> str:
    for name, words in slots.items():
        label = label.replace(f"{{{name}}}", words)
    return label


def _is_telling(word: str) -> bool:
    return (
        len(word) > 2
        and word[0].isalpha()
        and bool(retrieval.terms(word, language=languages.written()))
    )


def _stem(word: str) -> str:
    return stem(word.casefold(), languages.written())


def _words(text: str, *, marks: bool = False) -> list[tuple[str, bool]]:
    """Return the words, each with whether a sentence begins with it; stops too if they count."""
    words: list[tuple[str, bool]] = []
    is_first = True
    for token in _TOKEN.findall(text):
        is_mark = not token[0].isalnum()
        if not is_mark or marks:
            # "Bo's" is of Bo.
            words.append((token.removesuffix("'s").removesuffix("’s"), is_first))
        is_first = token in ".!?…:" if is_mark else False
    return words
