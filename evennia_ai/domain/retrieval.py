"""Ranks texts by how well they answer a query: whole words, light stems, rare words first.

What a text is worth is the share of the query's weight that it covers, so the number means the
same with one text and with thousands. It is made to say "nothing fits" rather than to guess.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

# Below this share of the query a text is about something else.
MINIMUM_RELEVANCE = 0.3
# How much a word counts that many unlike texts have in common, beside 1 for the others.
WEAK_WEIGHT = 0.3
# Characters of a query that are looked at.
QUERY_LENGTH = 2000
# Letters that a stem keeps at least.
STEM_LENGTH = 3
SWEDISH_STEM_LENGTH = 4

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])(?<!\bMr\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)[\"'”’)]?\s+|\n+"
)

# How a sentence begins that goes on about what the one before it named.
_POINTS_BACK = re.compile(
    r"(?:its?|he|she|they|his|her|their|this|these|there|then"
    r"|den|det|dess|de|deras|han|hon|hans|hennes|där|sedan)\b",
    re.I,
)

STOPWORDS = {
    "en": frozenset(
        """a about after again all also am an and any anybody anyone anything are as ask at be
        because been before being but by can could did do does doing done else ever every
        everything find for from get go going got had happen happened happening happens has have
        he hear heard hello her here hers hey hi him his how i if in into is it its just know
        known knows like look looking may me mean might mine more much must my need no not of off
        on one or our out over please really remember said say saying says see seen she should so
        some somebody someone something than thank thanks that the their them then there these
        they think this those to too told up us very want was we were what when where which who
        whom whose why will wish with wonder would yes you your yours tell tells telling speak
        talk let i'm i've i'd i'll you're it's what's who's where's don't didn't can't isn't
        aren't that's there's doesn't""".split()
    ),
    "sv": frozenset(
        """alla allt att av bara berätta berättade blev bli blir de dem den denna deras dess det
        detta dig din dina ditt du där då efter eller en er ett fick finns för före från få får ge
        gå går ha hade han har hej henne hennes hitta hittar hon honom hur här i icke in ingen
        inget inte ja jag kan kom kunde känner lite med mig min mina minns mitt mot mycket
        måste ni nu någon något några när och om oss på sa sade se sedan ser sig sina sitt ska
        skulle som säga säger så tack till tror under ut vad var varför vara vart varit vem vems
        vet vi vid vilka vilken vilket vill än är åt över""".split()
    ),
}

# Words that describe or count: two texts that share only these are not about the same thing.
WEAK = frozenset(
    """bad best better big black blue brown cold dark day days few first good great green grey hot
    large last little long lot man many men name named called new next night nice old people
    person place poor red right short small strange tall thing things time today tomorrow two
    three white woman women world year years yellow yesterday young bra dag dagar dålig folk
    gammal gamla gröna heter ingenting liten lång man människa ny nya natt plats röd sak saker
    stor stora svart tid två tre ung vit år""".split()
)

# A noun that the query is about follows one of these.
OPENERS = frozenset(
    """a about an any called her his my named of our some that the their these this those your den
    det din dina ditt en ett min mina mitt om deras hans hennes""".split()
)

# "The crown and sceptre" are two things.
JOINERS = frozenset(["and", "or", "och", "eller"])

IRREGULAR = {
    form: base
    for base, forms in {
        "break": "broke broken",
        "bring": "brought",
        "build": "built",
        "burn": "burnt",
        "buy": "bought",
        "catch": "caught",
        "child": "children",
        "come": "came",
        "cost": "price prices",
        "die": "dead death died dies dying",
        "fall": "fell fallen",
        "fight": "fought",
        "flee": "fled",
        "give": "gave given",
        "hide": "hid hidden",
        "keep": "kept",
        "leave": "left",
        "lie": "lying lied",
        "lose": "lost",
        "make": "made",
        "pay": "paid",
        "sell": "sold",
        "steal": "stole stolen",
        "take": "took taken",
        "thief": "thieves",
        "wolf": "wolves",
        "write": "wrote written",
        "stjäla": "stal stulit stulen",
        "brinna": "brann brunnit",
    }.items()
    for form in forms.split()
}

# Verbs that end a question ("where does the baker live?") and are not what it is about.
VERBS = frozenset(
    """begin belong break bring build burn buy catch come cost die drink eat end fall fight flee
    give grow hide keep leave lie live lose make open pay sell sleep stand start stay steal take
    work write arbeta bo bor brinna jobba sova stjäla""".split()
)

_ENGLISH_SUFFIXES = ("ings", "ing", "ies", "ied", "ed", "es", "s", "ly")
_SWEDISH_SUFFIXES = (
    "arnas ornas ernas arna orna erna ande ade are ens ets ar or er en et an as es na de te s"
).split()


def terms(text: str, *, language: str = "") -> list[str]:
    """Return the stems of the words that carry meaning, in order."""
    words = _words(text)
    language = language or _language(set(words))
    return [stem(_bare(word), language) for word in words if _carries_meaning(word)]


def rank(
    query: str, texts: Sequence[str], *, limit: int = 5, names: Iterable[str] = ()
) -> list[tuple[int, float]]:
    """Return (index, score 0..1) of the texts that answer the query, best first.

    `names` are of those who talk: they stand in the query only to call somebody. Texts that score
    alike keep their order; a text that has little to do with the query is not among them.
    """
    query, documents = query[:QUERY_LENGTH], [_words(text) for text in texts]
    language = _language(set(_words(query)).union(*documents))
    called = {stem(word, language) for name in names for word in _words(name)}
    wanted = [term for term in dict.fromkeys(terms(query, language=language)) if term not in called]
    if not wanted or not documents:
        return []
    found = _shared(documents, wanted, language)
    weights = _weights(wanted, found)
    whole = sum(weights.values())
    focus = _focus(query, language) - called
    scored = [
        (index, sum(weights[term] for term in shared) / whole)
        for index, shared in enumerate(found)
        if _is_about(shared, wanted, focus)
    ]
    best = [(index, min(1.0, score)) for index, score in scored if score >= MINIMUM_RELEVANCE]
    return sorted(best, key=lambda pair: (-pair[1], pair[0]))[:limit]


def best_sentence(text: str, query: str) -> str:
    """Return the one sentence of the text that says most about the query, else the first."""
    choices = sentences(text)
    if len(choices) < 2:
        return text.strip()
    language = _language({*_words(text), *_words(query)})
    wanted = sorted(set(terms(query, language=language)))
    found = _shared([_words(sentence) for sentence in choices], wanted, language)
    weights = _weights(wanted, found)
    worth = [sum(weights[term] for term in shared) for shared in found]
    return choices[worth.index(max(worth))]


def best_passage(text: str, query: str, *, max_length: int) -> str:
    """Return the best sentence, with the one before it where it would not be clear alone.

    "Its cellar is haunted." says little to somebody who does not hear whose cellar; the two are
    kept together while they are not longer than `max_length`.
    """
    best, choices = best_sentence(text, query), sentences(text)
    index = choices.index(best) if best in choices else 0
    if index and _POINTS_BACK.match(best):
        both = f"{choices[index - 1]} {best}"
        return both if len(both) <= max_length else best
    return best


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, stripped."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


@lru_cache(maxsize=20_000)
def stem(word: str, language: str = "en") -> str:
    """Return the part of a word that its forms have in common; made to compare, not to read."""
    word = IRREGULAR.get(word, word)
    suffixes, shortest = (
        (_SWEDISH_SUFFIXES, SWEDISH_STEM_LENGTH)
        if language == "sv"
        else (_ENGLISH_SUFFIXES, STEM_LENGTH)
    )
    for suffix in suffixes:
        if word.endswith(suffix) and len(word) - len(suffix) >= shortest and word[-2:] != "ss":
            word = word[: -len(suffix)] + ("y" if suffix in ("ies", "ied") else "")
            break
    # "drake" and "drakar", "live" and "living", "stopped" and "stop".
    if len(word) > shortest and word[-1] in "ea":
        word = word[:-1]
    if (
        len(word) > shortest
        and word[-1] == word[-2]
        and word[-1].isalpha()
        and word[-1] not in "ls"
    ):
        word = word[:-1]
    return word


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def is_common(name: str) -> bool:
    """Return whether all words of a name are such as everybody uses, whoever is meant."""
    words = _words(name)
    return bool(words) and all(
        any(word in stopwords for stopwords in STOPWORDS.values()) for word in words
    )


def _carries_meaning(word: str) -> bool:
    if len(word) < 2 and not word.isdigit():
        return False
    bare = _bare(word)
    return all(form not in stopwords for stopwords in STOPWORDS.values() for form in (word, bare))


def _bare(word: str) -> str:
    """Return a word without its English genitive."""
    return word[:-2] if word.endswith(("'s", "’s")) else word


def _language(vocabulary: set[str]) -> str:
    """Return "sv" if there are more Swedish than English function words, else "en"."""
    swedish, english = (len(vocabulary & STOPWORDS[name]) for name in ("sv", "en"))
    if swedish == english:
        return "sv" if any(letter in word for word in vocabulary for letter in "åäö") else "en"
    return "sv" if swedish > english else "en"


def _shared(
    documents: Sequence[Sequence[str]], wanted: Iterable[str], language: str
) -> list[set[str]]:
    """Return for each document which of the wanted terms it has."""
    wanted = frozenset(wanted)
    # Stemming each word once, and not where it stands, is what makes thousands of texts cheap.
    hits = {
        word: found
        for word in set().union(*documents)
        if (found := stem(_bare(word), language)) in wanted
    }
    return [{hits[word] for word in words if word in hits} for words in documents]


def _weights(wanted: Sequence[str], found: Sequence[set[str]]) -> dict[str, float]:
    """Weigh each wanted term by how few of the texts have it; no weight is zero."""
    weights = {}
    for term in wanted:
        frequency = sum(term in shared for shared in found)
        rarity = 1.0 + math.log((len(found) + 1) / (frequency + 1))
        weights[term] = rarity * (WEAK_WEIGHT if is_weak(term) else 1.0)
    return weights


def _is_about(shared: set[str], wanted: Sequence[str], focus: set[str]) -> bool:
    """Return whether a text has one of the things asked for; "old" alone is none."""
    if focus:
        return bool(focus & shared)
    return len(shared) == len(wanted) or not all(is_weak(term) for term in shared)


@lru_cache(maxsize=4_000)
def is_weak(term: str) -> bool:
    return term in WEAK or term in _WEAK_STEMS


_WEAK_STEMS = frozenset(stem(word, language) for word in WEAK for language in ("en", "sv"))
_VERB_STEMS = frozenset(stem(word, language) for word in VERBS for language in ("en", "sv"))


def _focus(query: str, language: str) -> set[str]:
    """Return the terms that the query names as its things: "the crown", "of Rivendell", "Bob".

    A text that shares the verb but none of these tells of something else.
    """
    focus: set[str] = set()
    is_open, first = False, True
    for match in _WORD.finditer(query):
        word = match.group().casefold()
        if not _carries_meaning(word):
            is_open = word in OPENERS or (is_open and word in JOINERS)
        elif is_open or (match.group()[0].isupper() and not first):
            focus.add(stem(_bare(word), language))
        first = False
    return {term for term in focus if not is_weak(term) and term not in _VERB_STEMS}
