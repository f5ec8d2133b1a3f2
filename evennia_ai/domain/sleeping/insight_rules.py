"""Insights by rules: what somebody returns to, what several people tell, who disagrees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from evennia_ai.core import languages
from evennia_ai.domain.memories import retrieval, subjects
from evennia_ai.domain.memories.subjects import Remark, Subject

# How each kind of thought is put into words stands in the file of a language, under `thoughts`.
# Words after "looking for" among which the thing is.
SOUGHT_WORDS = 4
_HOSTILE = languages.Pattern("night.hostile", of_words=True)
_KIND = languages.Pattern("night.kind", of_words=True)
_TROUBLE = languages.Pattern("night.trouble", of_words=True)
_SEEKS = languages.Pattern("night.seeks", of_words=True)
_FOUND = languages.Pattern("night.found", of_words=True)
_DENIED = languages.Pattern("night.denied", of_words=True)


@dataclass(frozen=True)
class Thought:
    """One thing that remarks add up to, not yet in words: `about` what, from which `numbers`."""

    kind: str
    about: tuple[str, ...]
    numbers: tuple[int, ...]
    weight: float
    slots: dict[str, str] = field(default_factory=dict)


def thoughts(remarks: Sequence[Remark], *, own_names: Iterable[str] = ()) -> list[Thought]:
    """Return all that the remarks add up to; a thought rests on two remarks, or on clear words."""
    found = subjects.find(remarks, own_names=own_names)
    of_subjects = [thought for rule in _OF_SUBJECTS for thought in rule(found)]
    of_remarks = [thought for rule in _OF_REMARKS for thought in rule(remarks, found)]
    oneself = {name.casefold() for name in own_names}
    return [
        thought
        for thought in (*of_subjects, *of_remarks)
        if oneself.isdisjoint(one.casefold() for one in thought.about)
    ]


def tellers(remarks: Iterable[Remark]) -> list[str]:
    """Return who said something, those who said most first."""
    counted = Counter(remark.by for remark in remarks if remark.by)
    return sorted(counted, key=lambda name: (-counted[name], name))


def listed(names: Sequence[str]) -> str:
    """Return names as one says them; of many, the first few."""
    if len(names) > 4:
        others = languages.text("labels", "others")
        names = [*names[:3], others.format(count=_count(len(names) - 3).casefold())]
    *first, last = names
    both = languages.phrase(languages.written(), "and")[0]
    return f"{', '.join(first)} {both} {last}" if first else last


def _count(number: int) -> str:
    counts = languages.load(languages.written()).counts
    return counts[number] if number < len(counts) else str(number)


def _shared(found: Sequence[Subject]) -> Iterator[Thought]:
    """Tell what at least two people brought up on their own."""
    for subject in found:
        people = subject.tellers
        if len(people) < 2:
            continue
        counts = [len(subject.of(name)) for name in people]
        slots = {
            "subject": subject.label,
            "people": listed(people),
            "count": _count(len(people)).casefold(),
            "Count": _count(len(people)),
            "name": people[0],
            "others": listed(people[1:]),
        }
        kind = "shared_most" if counts[0] > counts[1] else "shared"
        if subject.is_name:
            kind = "talked_about" if len(people) > 2 else "shared"
        weight = 2.0 * len(people) + len(subject.remarks)
        yield _thought(kind, [subject.label], _spread(subject), weight, slots)


def _returning(found: Sequence[Subject]) -> Iterator[Thought]:
    """Tell what somebody comes back to."""
    for subject in found:
        for name in subject.tellers:
            mine = subject.of(name)
            days = {remark.day for remark in mine if remark.day}
            if len(mine) < 2:
                continue
            kind = "for_days" if len(days) > 2 else "returning"
            slots = {"name": name, "subject": subject.label_beside(name)}
            weight = 2.0 * len(mine) + len(days)
            yield _thought(kind, [name, subject.label], mine, weight, slots)


def _at_odds(remarks: Sequence[Remark], found: Sequence[Subject]) -> Iterator[Thought]:
    """Tell who spoke of somebody as one speaks of a foe."""
    yield from _towards(remarks, found, "at_odds", _HOSTILE)


def _grateful(remarks: Sequence[Remark], found: Sequence[Subject]) -> Iterator[Thought]:
    """Tell who spoke of somebody as one speaks of a friend."""
    yield from _towards(remarks, found, "grateful", _KIND)


def _towards(
    remarks: Sequence[Remark], found: Sequence[Subject], kind: str, words: languages.Pattern
) -> Iterator[Thought]:
    people = {name.casefold() for name in tellers(remarks)}
    for subject in found:
        # A place, too, has a name; one who spoke is a person.
        if not subject.is_name or subject.label.casefold() not in people:
            continue
        for name in subject.tellers:
            told = [
                remark
                for remark in subject.of(name)
                if words.search(remark.text) and not _is_denied(remark.text, words)
            ]
            if told:
                slots = {"name": name, "other": subject.label}
                yield _thought(kind, [name, subject.label], told, 6 + len(told), slots)


def _is_denied(text: str, words: languages.Pattern | re.Pattern[str]) -> bool:
    match = words.search(text)
    return match is not None and bool(_DENIED.search(text[: match.start()]))


def _changes(remarks: Sequence[Remark], found: Sequence[Subject]) -> Iterator[Thought]:
    """Tell of what two remarks say the opposite."""
    # Each text is looked at once, not once for each other text.
    pairs = languages.states(languages.read_now())
    sides = {remark: [_side(remark.text, pair) for pair in pairs] for remark in remarks}
    for subject in found:
        for earlier, later in combinations(subject.remarks, 2):
            if not (earlier.by and later.by and _are_opposite(sides[earlier], sides[later])):
                continue
            same = earlier.by == later.by
            slots = {"subject": subject.label, "name": earlier.by, "other": later.by}
            kind = "changed" if same else "contradicted"
            yield _thought(kind, [subject.label, "change"], [earlier, later], 9, slots)
            break


def _are_opposite(one: Iterable[int], other: Iterable[int]) -> bool:
    return any(first * second < 0 for first, second in zip(one, other, strict=True))


def _side(text: str, sides: Sequence[re.Pattern[str]]) -> int:
    """Return -1 for the first of two opposites, 1 for the second, 0 for neither or both."""
    says = [bool(side.search(text)) for side in sides]
    if says[0] == says[1]:
        return 0
    side = -1 if says[0] else 1
    return -side if _is_denied(text, sides[0 if says[0] else 1]) else side


def _trouble(remarks: Sequence[Remark], found: Sequence[Subject]) -> Iterator[Thought]:
    """Tell who warned of something, and what most warnings have to do with."""
    told = [
        one for one in remarks if _TROUBLE.search(one.text) and not _is_denied(one.text, _TROUBLE)
    ]
    people = tellers(told)
    if len(told) < 2:
        return
    if len(people) > 1:
        slots = {"people": listed(people)}
        yield _thought("trouble", ["trouble"], told, 2.0 + len(told), slots)
    for subject in found:
        bad = [remark for remark in subject.remarks if remark in told]
        if len(bad) > 1 and 2 * len(bad) > len(told) and not _TROUBLE.search(subject.label):
            slots = {"subject": subject.label}
            about = [subject.label, "trouble"]
            yield _thought("trouble_about", about, bad, 3.0 + len(bad), slots)
            return


def _seeking(remarks: Sequence[Remark], found: Sequence[Subject]) -> Iterator[Thought]:
    """Tell what somebody is looking for and nobody is said to have found."""
    for subject in found:
        asked = [one for one in subject.remarks if one.by and subject.stem in _sought(one.text)]
        if asked and not any(_FOUND.search(one.text) for one in subject.remarks):
            who = asked[0].by
            slots = {"name": who, "subject": subject.label_beside(who)}
            yield _thought("seeking", [who, subject.label], asked, 5.0 + len(asked), slots)


def _sought(text: str) -> list[str]:
    """Return the stems of the thing that somebody says they look for."""
    match = _SEEKS.search(text)
    near = text[match.end() :].split()[:SOUGHT_WORDS] if match else []
    return retrieval.terms(" ".join(near), language=languages.written())


def _people(remarks: Sequence[Remark], found: Sequence[Subject]) -> Iterator[Thought]:
    """Tell who gives, and who talks most."""
    for name in tellers(one for one in remarks if "give" in one.tags):
        given = [one for one in remarks if one.by == name and "give" in one.tags]
        if len(given) > 1:
            yield _thought("generous", [name, "gifts"], given, 5.0 + len(given), {"name": name})
    people = tellers(remarks)
    counts = [sum(one.by == name for one in remarks) for name in people]
    if len(people) > 1 and counts[0] > 2 and counts[0] > sum(counts[1:]):
        most = [one for one in remarks if one.by == people[0]]
        yield _thought("talkative", [people[0], "news"], most, 3.0, {"name": people[0]})


_OF_SUBJECTS: tuple[Callable[..., Iterator[Thought]], ...] = (
    _shared,
    _returning,
)
_OF_REMARKS: tuple[Callable[..., Iterator[Thought]], ...] = (
    _at_odds,
    _grateful,
    _changes,
    _trouble,
    _seeking,
    _people,
)


def _spread(subject: Subject) -> list[Remark]:
    """Return its remarks with one of each person first, so that all of them are cited."""
    first = [subject.of(name)[0] for name in subject.tellers]
    return [*first, *(remark for remark in subject.remarks if remark not in first)]


def _thought(
    kind: str, about: Iterable[str], remarks: Iterable[Remark], weight: float, slots: dict[str, str]
) -> Thought:
    numbers = tuple(remark.number for remark in remarks)
    return Thought(kind, tuple(about), numbers, float(weight), slots)
