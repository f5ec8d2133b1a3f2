"""Truth check for summaries and insights: do the sources carry a sentence's names, numbers, words and persons?

What they do not carry is worse than nothing: it would come back as knowledge.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

from evennia_ai.core import languages
from evennia_ai.core.words import stem
from evennia_ai.domain.memories import retrieval, self_reference

# Share of a sentence's content words that must stand in its sources.
SHARE = 0.5
# Content words that a retold sentence shares with its sources, counted source by source.
LEAST = 2
# The subject stands among so many first words: "My brother Tom sails".
LEAD = 3
# Words such as "you" and "today" mean something else to a later reader.
_DEICTIC = languages.Pattern("summary.deictic", of_words=True, also_english=True)
_YOU = languages.Pattern("self_reference.you", of_words=True, also_english=True)
_THING = languages.Pattern("summary.thing")
_DENIED = languages.Pattern("night.denied", of_words=True, also_english=True)
_TOKEN = re.compile(r"\d+|[^\W\d_]+(?:['’-][^\W\d_]+)*")


def carries(
    sources: Iterable[str],
    text: str,
    *,
    names: Iterable[str] = (),
    also: Iterable[str] = (),
    share: float = SHARE,
    retells: str = "",
) -> bool:
    """Return whether sources carry a text: its names, numbers and `share` of its words, and nobody is "you".

    `names` are of who was there, whom it may name in any case; names and numbers may be from `also`.
    What only `retells` somebody's words is of whom, or of what, they are, and denies what they deny.
    """
    known, text = [source[:1000] for source in sources], text[:1000]
    bare = self_reference.QUOTED.sub(" ", text)
    if not text.strip() or (share and _DEICTIC.search(bare)):
        return False
    tokens = {token for source in (*known, *also, *names) for token in _TOKEN.findall(source)}
    told = {*map(_plain, tokens)}
    there = {*told, *map(_stem, told)}
    counts = _counts()
    if any(not _is_there(token, there, counts) for token in _names_and_numbers(text, counts)):
        return False
    named = {token for name in names for token in _TOKEN.findall(name)}
    called = {_stem(_plain(token)) for token in named}
    own = [term for term in _terms(text) if term not in called]
    said = {term for source in known for term in _terms(source)}
    if (share and not own) or sum(term in said for term in own) < share * len(own):
        return False
    if not retells:
        return True
    # One word in common says little: "is a smuggler", of who has met one.
    if sum(len({*own} & {*_terms(source)}) for source in known) < LEAST:
        return False
    nearest = _nearest(known, own)
    if not nearest:
        return True
    # Whom it is told, stands first: "Ann told Mara that".
    told_of = {*_TOKEN.findall(" ".join(bare.removeprefix(retells).split()[2:]))}
    others = {*(name for one in names for name in _TOKEN.findall(one))} - {*_TOKEN.findall(retells)}
    return (
        bool(_DENIED.search(nearest)) == bool(_DENIED.search(bare))
        and _lead(nearest, called).issubset(own)
        and (bool(_YOU.search(nearest)) or (told_of & others).issubset(_TOKEN.findall(nearest)))
    )


def _names_and_numbers(text: str, counts: Container[str]) -> set[str]:
    """Numbers, and capitalised words that do not begin a sentence."""
    return {
        token
        for sentence in retrieval.sentences(text)
        for place, token in enumerate(_TOKEN.findall(sentence))
        if place and token[0].isupper() or token.isdigit() or _plain(token) in counts
    }


def _is_there(token: str, there: set[str], counts: dict[str, int]) -> bool:
    plain = _plain(token)
    same = [plain, _stem(plain), str(counts.get(plain, plain))]
    same += [word for word, number in counts.items() if str(number) == plain]
    return any(one in there for one in same)


def _nearest(sources: Iterable[str], own: list[str]) -> str:
    """The source sentence closest to these terms, "" if none has half of them."""
    sentences = [one for source in sources for one in retrieval.sentences(source)]
    shared = {one: len({*own} & {*_terms(one)}) for one in sentences}
    nearest = max(shared, key=lambda one: shared[one], default="")
    return nearest if 2 * shared.get(nearest, 0) >= len({*own}) else ""


def _lead(sentence: str, called: set[str]) -> set[str]:
    """Return the terms of the thing or the name, but of those who are there, that a sentence begins with."""
    first = " ".join(sentence.split()[:LEAD])
    found = [first[match.start(1) :].split()[0] for match in _THING.finditer(first)]
    found += [token for token in _TOKEN.findall(first)[1:] if token[0].isupper()]
    return {term for one in found for term in _terms(one)} - called


def _counts() -> dict[str, int]:
    """Return the words for 2 to 10; "no" and "one" are other words as well."""
    return {
        word.casefold(): number
        for code in dict.fromkeys((*languages.read_now(), languages.DEFAULT))
        for number, word in enumerate(languages.load(code).counts)
        if number > 1
    }


def _terms(text: str) -> list[str]:
    # In one language, whatever each text looks like by itself, so that they can be compared.
    return retrieval.terms(text, language=languages.written())


def _plain(token: str) -> str:
    return re.sub(r"['’]s?\Z", "", token.casefold())


def _stem(word: str) -> str:
    return stem(word, languages.written())
