"""Words of any language: where they begin and end, their stems, and which of them carry meaning.

Stems are those of Snowball, function words of languages other than ours those of `stop-words`.
Chinese, Japanese, Korean and Thai part no words by spaces: they are cut into overlapping pairs.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Protocol

from evennia_ai.core.word_tables import FUNCTION_WORDS, IRREGULAR

# Letters of a word that are looked at.
WORD_LENGTH = 100
# Function words that a text has more of another language than of the game's. Those of our own lists
# are nothing else; on a kept list stands what is a thing elsewhere: "son", "die", "sea".
ENOUGH = 2
# How many times as many many texts have.
MANY = 2

# Snowball's name for a language.
_ALGORITHMS = MappingProxyType(
    {
        **{"ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german"},
        **{"el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian"},
        **{"eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish"},
        **{"hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian"},
        **{"it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch"},
        **{"pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian"},
        **{"sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish"},
    }
)

# Marks that belong to the letter before them; no expression of Python has a name for them.
_MARKS = "".join(
    one for one in map(chr, range(0x300, 0xFE00)) if unicodedata.category(one) in ("Mn", "Mc")
)
_RUN = rf"[^\W_]+(?:[{_MARKS}]+[^\W_]*)*"
_WORD = re.compile(rf"{_RUN}(?:'{_RUN})?")
_PLAIN_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
# "l'auberge", "qu'il", "dell'oro": what stands before the word itself.
_ELISION = re.compile(r"\A(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|un|(?:d|n)?all|(?:d|n)ell)'")
_HIRAGANA = "\u3041-\u309f"
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
# Katakana, Hangul, Thai, Lao, Burmese, Khmer.
_OTHERS = "\u30a1-\u30ff\u1100-\u11ff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED = re.compile(f"[{_HIRAGANA}{_HAN}{_OTHERS}]")
_SCRIPTS = re.compile(f"([{_HIRAGANA}]+)|([{_HAN}]+)|([{_OTHERS}]+)|[^{_HIRAGANA}{_HAN}{_OTHERS}]+")
# Chinese function words of one sign, which part the words around them.
_HAN_FUNCTION = re.compile("[的了着过吗呢吧啊在是有和与被把从到给这那哪谁什怎么里们我你他她它会能]")


# What Snowball leaves of endings: "miekko" and "mieka", "nycklar" and "nyckel", "vintrar" and "vinter".
_LEFT = MappingProxyType(
    {
        "fi": re.compile(r"(?<=[^\W_]{3})[aeiouyäöjv]{0,5}(?:i[mns]|[aä]s)?\Z"),
        "sv": re.compile(r"(?<=[bdfgkmpstv])[nr]\Z|e(?=ln?\Z)|(?<=l)n\Z"),
    }
)
# What it leaves before that of a Swedish noun with its article ("gatan", "ölet", "hjärtat", "doktorn"), of the past
# ("vägde", "köpte"), and of what something is: "sjukt".
_ARTICLE = re.compile(
    r"(?<=[^\W\d_]{3})(?:an|at|orn?|ert)\Z|(?<=[^\W\d_]{2})(?:et)\Z"
    r"|(?<=[^\W\d_][gvm])d\Z|(?<=[^\W\d_]p)t\Z|(?<=[^\W\d_]{3}[^\W\d_aeiouyåäöfst])(?<!fruk)t\Z"
)
# One language has one consonant where another form has two: "tyttäret" and "tytär", "rummet" and "rum".
_DOUBLE = {
    "fi": re.compile(r"([^\W\d_aeiouyäö])\1"),
    "sv": re.compile(r"([mn])\1\Z"),
}


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802


class Game:
    """What the settings say of the game."""

    language = "en"

    @classmethod
    def speaks(cls, code: str) -> None:
        """Say which language is meant where a text does not tell: "sv", "de-at"."""
        code = code.casefold().replace("_", "-").split("-")[0]
        cls.language = {"no": "nb", "nn": "nb"}.get(code, code)


_lock = threading.Lock()


def parts(text: str) -> list[str]:
    """Return the words of a text in their order and case, with what an apostrophe ties to them."""
    if text.isascii():
        return _PLAIN_WORD.findall(text)
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    found: list[str] = _WORD.findall(text)
    if not _UNSPACED.search(text):
        return found
    return [part for word in found for part in (_cut(word) if _UNSPACED.search(word) else [word])]


def words(text: str) -> list[str]:
    """Return the words of a text, casefolded, in order."""
    return [part.casefold() for part in parts(text)]


def signs(vocabulary: Iterable[str]) -> Counter[str]:
    """Return how many of casefolded words are function words of each language."""
    return Counter(
        code for word in set(vocabulary) for code in _function_words_by_word().get(word, ())
    )


def usual_language(counts: Counter[str]) -> str:
    """Return the language that the signs of many texts clearly tell, or "" if that is the game's."""
    [(code, count), *_] = counts.most_common(1) or [("", 0)]
    return code if count > MANY * (1 + counts[Game.language]) else ""


def language_of(vocabulary: Iterable[str], *, default: str = "") -> str:
    """Return the code of the language of casefolded words: that of most of their function words.

    A word of many languages tells less. `default` is what it probably is, if not the game's.
    """
    return _language_of(frozenset(vocabulary), default, Game.language)


@lru_cache(maxsize=2_000)
def _language_of(vocabulary: frozenset[str], default: str, game: str) -> str:
    by_word = _function_words_by_word()
    counts: dict[str, int] = {game: 0, default: 0}
    shares: dict[str, float] = {}
    for codes in filter(None, map(by_word.get, vocabulary)):
        for code in codes:
            counts[code] = counts.get(code, 0) + 1
            shares[code] = shares.get(code, 0.0) + 1 / len(codes)
    trusted = {game, default, *FUNCTION_WORDS}
    needed = ENOUGH + max(counts[game], counts[default])
    likely = {
        code: (share, code == default, code == game, code)
        for code, share in shares.items()
        if (code in trusted or counts[code] >= needed)
        # One word that two languages have ("get", "under") makes no Swedish sentence English.
        and (code == default or counts[code] > counts[default] or not default)
    }
    return max(likely, key=likely.__getitem__) if likely else default or game


@lru_cache(maxsize=50)
def function_words(language: str) -> frozenset[str]:
    """Return the words of a language that carry no meaning by themselves."""
    import stop_words

    if language in FUNCTION_WORDS:
        return FUNCTION_WORDS[language]
    if language not in stop_words.LANGUAGE_MAPPING:
        return frozenset()
    kept = (word.casefold().rstrip("'.") for word in stop_words.get_stop_words(language))
    return frozenset(word for word in kept if word and " " not in word)


def carries_meaning(word: str, language: str) -> bool:
    """Return whether a casefolded word is more than a function word or a letter."""
    idle, plain = function_words(language), bare(word)
    if len(plain) < 2 and not plain.isdigit() and not _UNSPACED.match(plain):
        return False
    return word not in idle and plain not in idle


def telling(vocabulary: Iterable[str], language: str) -> list[str]:
    """Return those of casefolded words that carry meaning, bare, in order."""
    return [bare(word) for word in vocabulary if carries_meaning(word, language)]


def bare(word: str) -> str:
    """Return a word without a genitive or an elision: "bob's", "l'auberge"."""
    if "'" not in word:
        return word
    return word[:-2] if word.endswith("'s") else _ELISION.sub("", word, count=1)


def stem(word: str, language: str = "") -> str:
    """Return what the forms of a casefolded word have in common; to compare, not to read.

    Args:
        word: without genitive or elision.
        language: its code; the game's, if not given.

    """
    return _stem(word, language or Game.language)


@lru_cache(maxsize=100_000)
def _stem(word: str, language: str) -> str:
    word = IRREGULAR.get(language, {}).get(word, word)[:WORD_LENGTH]
    if language not in _ALGORITHMS or _UNSPACED.match(word):
        return word
    # A stemmer keeps its place in a word in itself.
    with _lock:
        found = _stemmer(_ALGORITHMS[language]).stemWord(word)
    if language == "sv":
        found = _ARTICLE.sub("", found)
    if language in _LEFT:
        found = _LEFT[language].sub("", found)
    return _DOUBLE[language].sub(r"\1", found) if language in _DOUBLE else found


@lru_cache(maxsize=50)
def _stemmer(algorithm: str) -> _Stemmer:
    import snowballstemmer

    stemmer: _Stemmer = snowballstemmer.stemmer(algorithm)
    return stemmer


@lru_cache(maxsize=1)
def _function_words_by_word() -> dict[str, tuple[str, ...]]:
    """Return for each function word of any language the languages that have it."""
    import stop_words

    found: dict[str, list[str]] = {}
    for code in sorted({*FUNCTION_WORDS, *stop_words.LANGUAGE_MAPPING}):
        for word in function_words(code):
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


def _cut(word: str) -> list[str]:
    """Return a run of letters of which some are of a script without spaces, in pairs.

    Hiragana behind other letters is endings and particles, and left out.
    """
    found: list[str] = []
    for match in _SCRIPTS.finditer(word):
        hiragana, han, others = match.groups()
        if hiragana:
            found += [] if match.start() else _pairs(hiragana)
        elif han:
            found += [pair for run in _HAN_FUNCTION.split(han) for pair in _pairs(run)]
        else:
            found += _pairs(others) if others else [match.group()]
    return found


def _pairs(run: str) -> list[str]:
    return [one + other for one, other in pairwise(run)] if len(run) > 1 else [run] if run else []
