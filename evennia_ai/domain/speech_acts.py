"""Speech acts: what somebody does with a line that no expression knows, by the examples that it is most like.

Expressions (`utterances`) know the usual words of a farewell, and people find others each day. The examples stand
in the file of a language; a line counts for what most of those do that share words with it, rare ones above all.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import nlargest
from operator import itemgetter

from evennia_ai.core import languages, volatile, words
from evennia_ai.core.spelling import spelled_out
from evennia_ai.domain.offline.utterances import Utterance

# How far ahead of all that is no act an act must be to be taken for one before the NPC thinks of what it knows, and
# after that (`tests/benchmarks/acts`).
SURE, LIKELY = 0.45, 0.4
# Examples that are asked, and what a pair of words and a piece of a word count, beside a word.
NEIGHBOURS, PAIR, PIECE = 20, 1.0, 0.5
# What counts against what the nearest examples say: few that are little like it say nothing.
DOUBT = 0.02
PIECE_LETTERS = 4
# Letters of a line that are looked at.
MOST_LETTERS = 200
# Examples of what is no act: questions and news.
OTHER = "other"

# The kind and topic of an utterance by which each is answered.
SORTS = {
    "greeting": ("greeting", ""),
    "farewell": ("farewell", ""),
    "thanks": ("thanks", ""),
    "sorry": ("sorry", ""),
    "insult": ("chat", "insult"),
    "threat": ("chat", "threatened"),
    "praise": ("chat", "praise"),
    "flirt": ("chat", "flirt"),
    "laugh": ("chat", "laugh"),
    "acknowledge": ("chat", "wonder"),
    "condole": ("chat", "condole"),
    "doubt": ("chat", "doubt"),
    "how": ("question", "how"),
    "work": ("chat", "work"),
    "follow": ("request", "follow"),
    "give": ("request", "give"),
    "payment": ("chat", "payment"),
    "enter": ("chat", "enter"),
    "stay": ("request", "stay"),
    "quiet": ("request", "quiet"),
    "who": ("question", "self"),
    "knows_me": ("question", "remember"),
    "news": ("question", "news"),
    "advice": ("chat", "advice"),
}
# Utterances of which an expression knows no more than their form, or that quiet is asked for, as abuse does.
UNREAD = (("question", ""), ("statement", ""), ("request", "other"), ("request", "quiet"))
# Which are answered by what the builder wrote, where that says something of it.
_OF_LORE = frozenset(("how", "who", "knows_me", "news", "give", "enter", "advice"))
# Which a question that nothing answers may be; others, and what the NPC does something about, are no guess.
_ASKED = frozenset(("who", "knows_me", "news", "give", "work"))
_DEEDS = frozenset(("follow", "stay", "quiet"))
# Which are done to whom one speaks, and not by telling of others: "My brother wants to come with me."
_TO_LISTENER = _DEEDS | {"insult", "threat", "flirt", "how", "who", "knows_me"}
_ANYBODY = languages.Words("answers.anybody")
_OPENERS = languages.Words("retrieval.openers")
_FOR_ONE = languages.Words("classification.for_one")
# Which no question does: "Oh dear, ought I to leave?".
_STATED = frozenset(("acknowledge", "condole", "laugh", "sorry"))


@dataclass(frozen=True)
class Act:
    """What a line does, one of the keys of `examples`; how far that is ahead of no act, -1 to 1; what it is like."""

    name: str = OTHER
    margin: float = -1.0
    like: str = ""


@dataclass
class _Awaited:
    """The languages whose examples are read step by step just now: no line waits for that."""

    codes: set[str] = field(default_factory=set)


_awaited = volatile.keep(_Awaited)


class Examples:
    """The examples of a language, by the features that they share with a line: `acts` and `lines`, one for each."""

    def __init__(self, rows: Iterable[tuple[str, str]], *, code: str) -> None:
        self.acts: list[str] = []
        self.lines: list[str] = []
        self._having: dict[str, array[int]] = defaultdict(lambda: array("I"))
        self._unread = iter(rows)
        self._unmeasured: deque[Mapping[str, float]] = deque()
        self._lengths: list[float] = []
        self._code = code

    def reading(self) -> Iterator[None]:
        """Read on where somebody left off, one example at each step."""
        for act, line in self._unread:
            self._add(act, line, _features(line, self._code))
            yield
        while self._unmeasured:
            self._lengths.append(self._length(self._unmeasured.popleft()))
            yield

    def _add(self, act: str, line: str, features: Mapping[str, float]) -> None:
        for feature in features:
            self._having[feature].append(len(self.lines))
        self.acts.append(act)
        self.lines.append(line)
        self._unmeasured.append(features)

    def read(self, text: str) -> Act:
        """Return what a line does; examples that nobody has read are read now."""
        deque(self.reading(), maxlen=0)
        votes: Counter[str] = Counter()
        nearest = self._nearest(_features(text, self._code))
        for place, likeness in nearest:
            votes[self.acts[place]] += likeness**2
        against, whole = votes.pop(OTHER, 0.0), sum(votes.values())
        if not whole:
            return Act()
        name, best = max(votes.items(), key=itemgetter(1))
        like = next(self.lines[place] for place, _ in nearest if self.acts[place] == name)
        return Act(name, (best - against) / (whole + against + DOUBT), like)

    def _nearest(self, features: Mapping[str, float]) -> list[tuple[int, float]]:
        """Return the places of the examples that are most like a line with these features, and how like it, 0 to 1."""
        alike: dict[int, float] = defaultdict(float)
        for feature, worth in features.items():
            # Twice: as the line has it, and as the example does.
            weight = (worth * self._rarity(feature)) ** 2
            for place in self._having.get(feature, ()):
                alike[place] += weight
        length = self._length(features)
        found = ((place, sum_ / (length * self._lengths[place])) for place, sum_ in alike.items())
        return nlargest(NEIGHBOURS, found, key=itemgetter(1))

    def _length(self, features: Mapping[str, float]) -> float:
        weights = (worth * self._rarity(one) for one, worth in features.items())
        return math.hypot(*weights) or 1.0

    def _rarity(self, feature: str) -> float:
        return math.log((len(self.lines) + 1) / (len(self._having.get(feature, ())) + 0.5))


def known(said: Utterance, *, language: str) -> Utterance:
    """Return what somebody surely does with a line that no expression knows; else the utterance as it was read."""
    act = _act(said, language)
    # "Take me across now" may be told by what the ferry costs.
    is_open = act.name in _OF_LORE or act.name in _DEEDS and said.kind != "question"
    return _as(said, act) if act.margin >= SURE and not is_open else said


def likely(said: Utterance, *, language: str) -> Utterance | None:
    """Return what somebody probably does with a line that nothing answers, or None."""
    act = _act(said, language)
    is_guess = act.name not in (_ASKED if said.kind == "question" else SORTS.keys() - _DEEDS)
    return _as(said, act) if act.margin >= (SURE if is_guess else LIKELY) else None


def read(text: str, *, language: str) -> Act:
    """Return what a line does, by the examples of the language that it is in; nothing while they are awaited."""
    spoken = words.language_of(words.words(text), default=language)
    return Act() if spoken in _awaited.codes else _examples(spoken, languages.edition()).read(text)


def rows(code: str) -> Iterator[tuple[str, str]]:
    """Yield the examples that a language has, each with its act."""
    for one in languages.load(code).examples if code in languages.codes() else ():
        for act, text in one.items():
            for line in text.splitlines() if act in SORTS or act == OTHER else ():
                yield act, line


def await_examples() -> None:
    """Let no line read examples from now on: `warm_up` does, step by step, and until then expressions do without."""
    _awaited.codes.update(languages.codes())


def warm_up() -> Iterator[None]:
    """Read the examples of all languages, one at each step, those of the game first."""
    await_examples()
    try:
        for code in dict.fromkeys((*languages.read_now(), *languages.codes())):
            yield from _examples(code, languages.edition()).reading()
            _awaited.codes.discard(code)
    finally:
        _awaited.codes.clear()


def _act(said: Utterance, language: str) -> Act:
    """Return what an utterance does of which its form says nothing, or only that it is asked for."""
    act = read(said.text, language=language) if (said.kind, said.topic) in UNREAD else Act()
    is_other = act.name in _TO_LISTENER and _is_of_others(said.text)
    is_other = is_other or said.kind == "question" and act.name in _STATED
    return Act() if is_other else act


def _is_of_others(text: str) -> bool:
    """Return whether a line tells of others from its first word on, and not of whom it is said to."""
    said = words.words(text)
    begins = any(word in _OPENERS or word in _ANYBODY for word in said[:1])
    return begins and not any(word in _FOR_ONE for word in said)


def _as(said: Utterance, act: Act) -> Utterance:
    kind, topic = SORTS[act.name]
    return replace(said, kind=kind, topic=topic)


@lru_cache(maxsize=8)
def _examples(code: str, edition: int) -> Examples:
    return Examples(rows(code), code=code)


def _features(text: str, code: str) -> dict[str, float]:
    """Return the stems of a line, its pairs of them and its pieces of words, with what each counts."""
    said = words.words(spelled_out(text[:MOST_LETTERS]))
    stems = [words.stem(word, code) for word in said]
    pairs = zip(("^", *stems), (*stems, "$"), strict=True)
    run = f"_{'_'.join(said)}_"
    starts = range(len(run) - PIECE_LETTERS + 1)
    return {
        **{run[at : at + PIECE_LETTERS]: PIECE for at in starts},
        **{f"{one} {other}": PAIR for one, other in pairs},
        **{f" {stem}": 1.0 for stem in stems},
    }
