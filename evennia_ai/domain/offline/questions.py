"""Questions: what is asked for (a price, a place, an age), about whom, and the words that name the thing.

As tables: first match wins. The answer is looked for by `matching`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evennia_ai.core import answer_kinds, languages
from evennia_ai.core.spelling import spelled_out
from evennia_ai.core.words import language_of
from evennia_ai.domain.memories import retrieval, subjects

# Characters of a question that are looked at.
MAX_LENGTH = 400

# What asks without saying anything of what is asked.
_FRAME = languages.Pattern("questions.frame")

# What comes after the question itself, and says nothing more.
_TAG = languages.Pattern("questions.tag")

# Words that say what is wanted, and nothing of the thing.
_WANTED_WORDS = languages.Words("questions.wanted_words")
# "You've", "who's": what is left of a verb names nothing.
_SHORTENED = languages.Pattern("questions.shortened")
_WORKING = languages.Words("questions.working")
# Wants of which those words are a part of the thing: who "works" at the mill is asked by a verb.
_VERBS_COUNT = frozenset(("duration", "person", ""))

_MODAL = languages.Pattern("questions.modal", of_words=True)
_MINE = languages.Pattern("questions.mine")
_YOURS = languages.Pattern("questions.yours")
# "What happens if I bribe you?" asks what holds for everybody.
_SUPPOSES = languages.Pattern("questions.supposes")
_POINTS_BACK = languages.Pattern("questions.points_back", of_words=True)
# The word "it" where somebody asks for the way to a place.
_IT_OF_WAYS = languages.Pattern("questions.it_of_ways")
_OF_WAYS = frozenset(("distance", "duration"))
# What asks whether something is so: what is said of it stands at the end.
_IS_IT_SO = languages.Pattern("questions.is_it_so")
# "Where do the thieves hang around?"
_LAST_VERB = languages.Pattern("questions.last_verb")
_JUDGES = languages.Pattern("questions.judges")
_WHY = languages.Pattern("questions.why")
_WILL_IT = languages.Pattern("questions.will_it")
_MAY_I = languages.Pattern("questions.may_i")
# What one would do with it: "safe to eat".
_TO_DO = languages.Pattern("questions.to_do")
_COUNT = languages.Pattern("types.count")
_OPENS = languages.Pattern("utterances.question")
_OPEN = languages.Pattern("questions.open", of_words=True)
_EVER = languages.Pattern("questions.ever")
_THEM = languages.Pattern("questions.them", of_words=True)
_SHE = languages.Pattern("questions.she", of_words=True)
_PRONOUN = languages.Pattern("questions.pronoun")
_ANYBODY = languages.Pattern("persons.anybody", of_words=True)
_BESIDE = languages.Pattern("questions.beside", of_words=True)


@dataclass(frozen=True)
class Question:
    """A question: what it wants ("" if simply something about its thing), whose, and its words.

    `whose` is "npc", "speaker" or ""; `terms` are the stems of what is asked about, `lesser` those that
    only say where it is and the like, `loose` those that an answer need not have; it must have one of
    `asked`, if there are any. `points_back` says that it goes on about what was talked of before.
    """

    text: str
    want: str
    whose: str
    terms: tuple[str, ...]
    language: str
    points_back: bool = False
    lesser: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()

    @property
    def is_whether(self) -> bool:
        """Whether it asks if something is so, or since when, and not who, what or how."""
        return self.want in ("duration", "when") or not (self.want or _OPEN.match(self.text))

    @property
    def is_why(self) -> bool:
        """Whether it asks for a reason."""
        return bool(_WHY.match(self.text))

    @property
    def is_narrow(self) -> bool:
        """Whether it asks one thing, and not for all that is known of something: "What about the mill?"."""
        return bool(self.want or self.is_for_leave or self.whose or _OPENS.match(self.text))

    @property
    def only_describes(self) -> bool:
        """Whether it names nothing, and only says how it is: "What is the big one called?"."""
        weak = (retrieval.is_weak(term, self.language) for term in self.terms)
        return bool(self.terms) and not self.whose and all(weak)

    @property
    def is_for_one(self) -> bool:
        """Whether it asks what one can do, or must, whoever one is."""
        return bool(_MODAL.search(self.text))

    @property
    def is_for_leave(self) -> bool:
        """Whether it asks for leave to do something, of which what is known tells little."""
        return bool(_MAY_I.match(self.text)) and not self.want

    @property
    def is_of_past(self) -> bool:
        """Whether it asks what somebody has ever done, which only what is told of them answers."""
        return bool(_EVER.search(self.text))

    @property
    def is_of_somebody(self) -> bool:
        """Whether it asks of "her" or "them" and names nothing itself: "Where does she live?"."""
        return bool(_SHE.search(self.text)) and all(map(retrieval.is_verb, self.terms))

    @property
    def is_of_them(self) -> bool:
        """Whether it asks of "them", whatever else it names: "Have they taken any animals?"."""
        return bool(_THEM.search(self.text)) and not self.whose

    @property
    def names_nothing(self) -> bool:
        """Whether it goes on about something that was spoken of, and names nothing else: "Who built it?"."""
        return self.points_back and all(map(retrieval.is_verb, self.terms))

    @property
    def said_of_it(self) -> frozenset[str]:
        """What is asked whether a thing is it: "safe" of "Is the road north safe?"; nothing of other questions."""
        match = _IS_IT_SO.match(self.text)
        if not match or len(self.terms) < 2:
            return frozenset()
        # The name of who is asked may stand behind it.
        said = [one for one in key_terms(match["rest"], self.language) if one in self.terms]
        return frozenset(said[-1:])

    @property
    def is_of_it(self) -> bool:
        """Whether it asks of "it" or "her" something that no thing is named for."""
        if self.terms and self.is_of_somebody:
            return True
        if _WILL_IT.match(self.text) and len(self.terms) == 1 and not self.want:
            return True
        match = _IS_IT_SO.match(self.text)
        return bool(
            match and self.points_back and _PRONOUN.match(match["rest"]) and len(self.terms) == 1
        )


def read(text: str, *, language: str, names: Iterable[str] = (), persona: str = "") -> Question:
    """Return what a question asks.

    Args:
        text: the question.
        language: its code.
        names: those of the two who talk, by which nothing is meant.
        persona: what the NPC is; how long it has been that is told by how long it has done it.

    """
    plain = spelled_out(" ".join(text[:MAX_LENGTH].split()).replace("’", "'")).strip(" .!?\"'")
    rest = without_frame(_TAG.sub("", plain) or plain)
    # Why a thing is so dear is told by no sum.
    is_why = bool(_WHY.match(rest))
    want = "" if is_why else answer_kinds.wanted(rest)
    # What somebody owes is told by what the thing costs, whoever asks.
    is_mine = bool(_MINE.search(rest)) and not _MODAL.search(rest) and want != "price"
    is_mine = is_mine and not _MAY_I.match(rest)
    is_yours = bool(_YOURS.search(rest)) and not is_mine
    idle = [*names, persona] if (want, is_yours) == ("duration", True) else names
    called = {stem for name in idle for stem in retrieval.terms(name, language=language)}
    terms = tuple(one for one in key_terms(rest, language, want=want) if one not in called)
    if want == "person":
        # "Who is the man by the well?" names the well.
        terms = tuple(one for one in terms if not _ANYBODY.only(language).fullmatch(one)) or terms
    said = _without_call(rest, called, language)
    return Question(
        text=rest,
        want=want,
        whose="" if _SUPPOSES.match(rest) else "speaker" if is_mine else "npc" if is_yours else "",
        terms=terms,
        language=language,
        # "How often?" asks of what was spoken of before, and "What is my trade?" does not.
        points_back=_points_back(rest, want) or bool(want and not terms and not is_mine),
        lesser=_lesser(said, language, want=want),
        loose=_loose(said, language),
        asked=_asked(said, language, want=want),
    )


def _points_back(text: str, want: str) -> bool:
    """Return whether a word of a question stands for what was talked of before."""
    told = _IT_OF_WAYS.sub("", text) if want in _OF_WAYS else text
    return bool(_POINTS_BACK.search(told))


def _without_call(text: str, called: set[str], language: str) -> str:
    """Return a question without the name at its end of who is asked: "is the dragon alive quill"."""
    *rest, last = text.split() or [""]
    stems = retrieval.terms(last, language=language)
    return " ".join(rest) if len(rest) > 1 and stems and called.issuperset(stems) else text


def without_frame(text: str) -> str:
    """Return a question without "do you know" and the like; as it is if nothing else is said."""
    match = _FRAME.match(text)
    rest = text[match.end() :].strip(" ,:") if match else text
    return rest if re.search(r"\w", rest) else text


def key_terms(text: str, language: str, *, want: str = "") -> Sequence[str]:
    """Return the stems of the words that name what is asked about, each once, in order."""
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)?", _SHORTENED.sub("", text))
    counted = tuple(_WORKING) if want in _VERBS_COUNT else ()
    left_out = frozenset() if _SUPPOSES.match(text) else _WANTED_WORDS.now
    kept = [
        word
        for word in words
        if word.casefold().startswith(counted) or word.casefold() not in left_out
    ]
    # A Swedish question is read as such, whatever is spoken by whom it is asked.
    spoken = language_of([word.casefold() for word in words], default=language)
    language = spoken if spoken in languages.read_now() else language
    return list(dict.fromkeys(retrieval.terms(" ".join(kept), language=language)))


def _lesser(text: str, language: str, *, want: str) -> frozenset[str]:
    """Return the stems of what stands after a preposition, behind something else: "the mill by the sea"."""
    parts = [key_terms(part, language) for part in _BESIDE.split(text)]
    # Where one can sleep in the village asks for no village.
    named = [
        part for part in parts if part and want == "place" or not all(map(retrieval.is_verb, part))
    ]
    return frozenset(stem for part in named[1:] for stem in part) - frozenset(*named[:1])


def _loose(text: str, language: str) -> frozenset[str]:
    """Return the stems of verbs, of nouns that say little, and of adjectives before what they describe."""
    words = re.findall(r"[^\W\d_]+", text)
    if _WHY.match(text):
        # Of somebody by name it is asked why, and what is so is taken as known.
        named = [word for word in words[1:] if word[:1].isupper() and len(word) > 1]
        known = {*key_terms(" ".join(named), language)}
        if known:
            return frozenset(key_terms(text, language)) - known
    describing = [
        word
        for word, following in zip(words, words[1:], strict=False)
        if subjects.is_adjective(word)
        and word.islower()
        and following.islower()
        and retrieval.terms(following, language=language)
    ]
    verbs = list(filter(retrieval.is_verb, key_terms(text, language)))
    if match := _LAST_VERB.match(text):
        verbs += key_terms(match["verb"], language)
    # "Open at eight?" is told by when it is open.
    describing += (
        one for one in words if subjects.is_empty(one, language) or _COUNT.fullmatch(one)
    )
    return frozenset([*verbs, *retrieval.terms(" ".join(describing), language=language)])


def _asked(text: str, language: str, *, want: str) -> frozenset[str]:
    """Return the stems of what somebody asks whether it is so: "haunted" of "is the mill by the sea haunted"."""
    match = _IS_IT_SO.match(text)
    if not match or want:
        return frozenset()
    # Whether something is any good, what is known of it tells.
    rest = _TO_DO.sub("", _JUDGES.sub("", match["rest"]))
    if _PRONOUN.match(rest):
        return frozenset(key_terms(rest, language))
    head, *tails = (key_terms(part, language) for part in _BESIDE.split(rest))
    behind = [stem for part in tails for stem in part if not _COUNT.fullmatch(stem)]
    if len(head) > 1:
        return frozenset([head[-1], *behind])
    return frozenset(behind[-1:] or (head if tails else ()))
