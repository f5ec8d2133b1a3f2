"""Tells when somebody puts right what they said before, and what it says then.

"Sorry, she lives in Elmstead, not Oakhaven", after "My mother lives in Oakhaven", makes "My mother lives
in Elmstead". What cannot be joined to an earlier sentence changes nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from evennia_ai.core import answer_kinds, languages
from evennia_ai.core.spelling import spelled_out
from evennia_ai.core.words import language_of
from evennia_ai.core.words import words as spoken
from evennia_ai.domain.memories import confidence, retrieval
from evennia_ai.domain.offline import utterances

# Characters that are looked at, and words that a remark may have which says it in passing.
MAX_LENGTH = 300
FRAGMENT_WORDS, SHORT = 4, 4

_LEAD = languages.Pattern("corrections.lead")
# A lead that says that something was wrong, and is no mere courtesy.
_FIRM = languages.Pattern("corrections.firm", of_words=True)
# A lead after which a bare name is what was meant: "No, Sir" means nobody.
_MEANS = languages.Pattern("corrections.means", of_words=True)
_INSTEAD = languages.Pattern("corrections.instead")
# "I am not from here" only denies.
_DENIES = languages.Pattern("corrections.denies")
# "Not in Oakhaven any more" tells that something changed.
_CHANGED = languages.Pattern("corrections.changed")
_SOMEBODY = languages.Pattern("corrections.somebody")
# Of whom somebody may go on to speak; "sorry, it was stupid" excuses.
_PERSON = languages.Pattern("corrections.person")
_DENIED = languages.Pattern("corrections.denied")
_ONESELF = languages.Pattern("corrections.oneself")
# What joins a subject to what is said of it.
_VERB = languages.Pattern("corrections.verb")
_IS = languages.Pattern("corrections.is")
_IT = languages.Pattern("corrections.it")
_PLACED = languages.Pattern("corrections.placed")
_BARE = languages.Pattern("corrections.bare")
# "Not at the beach, at the market": what is wrong stands first.
_TURNED = languages.Pattern("corrections.turned")
# "I said Martin, but it's Marvin", and "Ada isn't the cook, she's the carpenter".
_RETOLD = languages.Pattern("corrections.retold")
_IS_NOT = languages.Pattern("corrections.is_not")
# An article or a preposition, which what is right may have otherwise.
_BEFORE = languages.Pattern("corrections.before")
_NOW = languages.Pattern("corrections.now")
_SAME_VERB = {"'s": "is", "'m": "am", "'re": "are"}
_TYPES = ("occupation", "price", "age", "origin", "place", "name", "count")
_MARKS = " ,.:;!–-"
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_COUNT, _PRICE = languages.Pattern("types.count"), languages.Pattern("types.price")


_GOES_ON = re.compile(r" *[:;–-] *\w")
_DENIAL = languages.Pattern("corrections.denial")
_LIE = languages.Pattern("corrections.lie")
_OF_ONESELF = languages.Pattern("corrections.of_oneself", of_words=True)
# What one says of oneself that "I am no lord" may be meant to deny.
_BEING = languages.Pattern("corrections.being", of_words=True)


class TakenBack(NamedTuple):
    """The terms of what somebody says is not so, whether it is what they are, and whether they lied.

    There are none where it is only said that something was a lie: what was said last is meant.
    """

    terms: frozenset[str]
    is_being: bool
    is_lie: bool


class Correction(NamedTuple):
    """What somebody says is right, what they call wrong (""), and of what they say so ("").

    A `is_bare` one is a word or two ("I meant Tuesday"), for one of its kind in what was said last. One that
    `may_answer` has nothing but a no before it, and may be what somebody was asked.
    """

    right: str
    wrong: str
    about: str = ""
    may_answer: bool = False

    @property
    def is_bare(self) -> bool:
        """Whether only a word or two is said, and not in the place of which."""
        is_short = len(self.right.split()) <= FRAGMENT_WORDS
        return is_short and not (self.wrong or _VERB.search(self.right))


def read(text: str) -> Correction | None:
    """Return what a sentence puts right, or None where it is no correction."""
    plain = " ".join(text[:MAX_LENGTH].replace("’", "'").split())
    words = spelled_out(plain).strip(" .!")
    if words.endswith("?") or confidence.is_asked(text[:MAX_LENGTH]):
        # "Not a word to Bob!" puts nothing right.
        return None
    lead = _LEAD.match(words)
    rest = words[lead.end() :] if lead else words
    turned = _TURNED.fullmatch(rest) if lead else None
    if turned := turned or _RETOLD.fullmatch(rest) or _IS_NOT.fullmatch(rest):
        about = turned.groupdict().get("about") or ""
        return Correction(turned["right"].strip(), turned["wrong"].strip(), about)
    instead = _INSTEAD.search(rest)
    if instead and _DENIES.search(rest[: instead.start()]):
        instead = None
    wrong = instead["wrong"].strip() if instead else ""
    if _CHANGED.search(wrong):
        # It was right when it was said, and stays what was told then.
        return None
    right = (rest[: instead.start()] if instead else rest).strip(" ,.")
    if not right or not (lead or instead):
        return None
    is_firm = bool(lead and _FIRM.search(lead[0]))
    about = _SOMEBODY if is_firm else _PERSON
    is_no = bool(lead) and utterances.classify(lead[0].strip(_MARKS)).topic == "no"
    found = Correction(right, wrong, may_answer=is_no and not wrong)
    kind = _kind_of(right) if is_firm and found.is_bare else ""
    is_meant = kind and (kind != "name" or bool(lead and _MEANS.search(lead[0])))
    is_of_them = about.match(right) or is_firm and _ONESELF.match(right)
    return found if wrong or is_of_them or is_meant else None


def applied(before: str, correction: Correction) -> str:
    """Return an earlier sentence put right, "" if it is not what the correction is about."""
    right, wrong = correction.right, correction.wrong
    if correction.is_bare and not _PERSON.match(right):
        return _of_same_kind(before, right)
    language = language_of(spoken(before))
    named = retrieval.terms(correction.about, language=language)
    if not all(_has_words(before, one) for one in (wrong, " ".join(named)) if one):
        return ""
    # Swedish "i" is English "in": who begins with "I" says a whole sentence.
    is_place = _PLACED.match(right) and not _VERB.search(right)
    if is_place and _PLACED.match(wrong) and wrong in before:
        return before.replace(wrong, right, 1)
    if wrong and (same := _aligned(before, right, wrong)):
        return same
    if wrong and not _VERB.search(right):
        is_fragment = len(right.split()) <= FRAGMENT_WORDS
        return _replaced(before, wrong, right) if is_fragment else ""
    if _DENIED.search(right):
        # What is only denied leaves open what is right.
        return ""
    if wrong and (same := _swapped(before, right, wrong) or _exchanged(before, right, wrong)):
        return same
    if not wrong and (counted := _recounted(before, right)):
        return counted
    joined = _joined(before, right)
    if not joined:
        # Who never was in Harrow has said already that it is not Harrow.
        is_theirs = _ONESELF.match(right) and _ONESELF.match(before) and not _DENIED.search(before)
        return _stopped(right) if wrong and is_theirs else ""
    return joined if wrong or _is_alike(before, right) else ""


def taken_back(text: str) -> TakenBack | None:
    """Return what somebody says is not so of themselves, or was a lie; None if nothing is."""
    said = " ".join(text[:MAX_LENGTH].replace("’", "'").split())
    if said.endswith("?"):
        return None
    denied, lie = _DENIAL.search(said), _LIE.search(said)
    if lie and not denied and _GOES_ON.match(said, lie.end()):
        # "I lied: the pearl is glass" says of what, and not of what was said last.
        return None
    what = denied["what"] if denied else (lie.groupdict().get("about") or "") if lie else ""
    terms = frozenset(retrieval.terms(what, language=language_of(spoken(said))))
    found = TakenBack(terms, is_being=bool(denied), is_lie=bool(lie))
    return found if terms or (lie and not what) else None


def is_of_oneself(sentence: str) -> bool:
    """Return whether somebody tells something of themselves in a sentence, and takes nothing back."""
    return bool(_OF_ONESELF.search(sentence.replace("’", "'"))) and taken_back(sentence) is None


def is_meant(sentence: str, taken: TakenBack) -> bool:
    """Return whether somebody said in a sentence of themselves what they take back now."""
    said = sentence.replace("’", "'")
    about = _BEING if taken.is_being else _OF_ONESELF
    if _DENIED.search(said) or not about.search(said) or said.rstrip(' "”»').endswith("?"):
        return False
    before = taken_back(said)
    if before is not None and taken.terms <= before.terms:
        # Who owned up to it has said the same.
        return False
    return taken.terms <= set(retrieval.terms(said, language=language_of(spoken(said))))


def _kind_of(word: str) -> str:
    """Return of what kind a bare word is that somebody means: a time, a number or a name; "" of no other."""
    bare = _BEFORE.sub("", word)
    if answer_kinds.is_of_type("when", bare):
        return "when"
    if _COUNT.match(bare):
        return "count"
    is_written_so = bare.istitle() and not bare[-1:].isspace()
    # "I mean Yes", "Hello" and "She" are written so, too.
    is_name = is_written_so and retrieval.terms(bare) and _may_be_name(bare)
    return "name" if is_name else ""


def _may_be_name(words: str) -> bool:
    return utterances.classify(words).kind == "statement" and not _PERSON.match(words)


def _of_same_kind(before: str, right: str) -> str:
    """Return a sentence with another word in the place of the only one of its kind: "Tuesday" of "Monday"."""
    kind, bare = _kind_of(right), _BEFORE.sub("", right)
    told = [word for word in _WORD.finditer(before) if word.start() and _kind_of(word[0]) == kind]
    if not kind or len(told) != 1:
        return ""
    if kind == "count":
        bare = _COUNT.match(bare)[0] if bare.split()[1:] and bare.split()[-1] in before else bare
    start, end = told[0].span()
    changed = f"{before[:start]}{bare}{before[end:]}"
    return changed if changed != before else ""


def _swapped(before: str, right: str, wrong: str) -> str:
    """Return a sentence about something that is called by another word: a cat, and not a dog."""
    verb = _IS.search(right)
    if verb is None or verb.start() == 0:
        return ""
    subject, rest = right[: verb.start()], right[verb.end() :].strip(" .")
    known = set(retrieval.terms(before))
    is_of_it = known.issuperset(retrieval.terms(subject)) and retrieval.terms(subject)
    # "It was fifty crowns": whatever it is, the wrong word stands for it.
    is_of_it = is_of_it or bool(_IT.fullmatch(subject.strip())) and not _PLACED.match(rest)
    # "His name is Rolf, not Rex", after "my dog Rex".
    is_bare = all(map(retrieval.is_weak, retrieval.terms(subject)))
    is_of_it = is_of_it or bool(_PERSON.match(subject)) and is_bare
    if not is_of_it or not rest or len(rest.split()) > FRAGMENT_WORDS:
        return ""
    return _replaced(before, _BARE.sub("", wrong), _BARE.sub("", rest))


def _aligned(before: str, right: str, wrong: str) -> str:
    """Return a sentence with another word where both say the same before it: "we sail on"."""
    bare = _bare(wrong)
    place = re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", before, re.I)
    words = right.split()
    for count in range(len(words) - 1, 0, -1) if place else ():
        head = " ".join(words[:count]).casefold()
        if before[: place.start()].rstrip().casefold().endswith(head):
            return _replaced(before, wrong, " ".join(words[count:]))
    return ""


def _bare(wrong: str) -> str:
    return _BEFORE.sub("", wrong)


def _exchanged(before: str, right: str, wrong: str) -> str:
    """Return a sentence with another word after its verb, and all else that it says."""
    for verb in reversed(list(_VERB.finditer(right))):
        rest = right[verb.end() :].strip(" .")
        for same in _VERB.finditer(before):
            after = before[same.end() :].lstrip()
            is_there = re.match(rf"{re.escape(wrong)}(?!\w)", after, re.I)
            if _base(same[0]) == _base(verb[0]) and is_there and rest:
                kept = after[len(wrong) :]
                return f"{before[: same.end()]} {rest}{kept}" if kept else ""
    return ""


def _recounted(before: str, right: str) -> str:
    """Return a sentence with another number, where it has one: "it was twelve"."""
    verb = _IS.search(right)
    if verb is None or not _IT.fullmatch(right[: verb.start()].strip()):
        return ""
    said = right[verb.end() :].strip(" .")
    number = _COUNT.match(said)
    told = list(_COUNT.finditer(before))
    if number is None or len(told) != 1:
        return ""
    unit, place = said[number.end() :].split(), told[0]
    if not unit or unit[-1] in spoken(before[place.end() :]):
        return f"{before[: place.start()]}{number[0]}{before[place.end() :]}"
    price = _PRICE.search(before)
    is_sum = price is not None and _PRICE.fullmatch(said)
    return f"{before[: price.start()]}{said}{before[price.end() :]}" if price and is_sum else ""


def _joined(before: str, right: str) -> str:
    """Return the subject of one sentence with what another says, by the verb that they share."""
    earlier = list(_VERB.finditer(before))
    for verb in reversed(list(_VERB.finditer(right))):
        same = [one for one in earlier if _base(one[0]) == _base(verb[0])]
        # "He is five" is about what "he is" in the same words, if there is such.
        who = _last_word(right[: verb.start()])
        same.sort(key=lambda one: _last_word(before[: one.start()]) != who)
        if same:
            rest = _NOW.sub("", right[verb.end() :].strip(" ."))
            rest += _where(before[same[0].end() :].strip(" ."), rest)
            return f"{before[: same[0].end()].rstrip()} {rest}." if rest else ""
    return ""


def _where(before: str, right: str) -> str:
    """Return what stays of a place when somebody is another: "in Highmoor" of "a weaver in Highmoor"."""
    if not (_BARE.match(before) and _BARE.match(right)) or _PLACED.search(right):
        return ""
    place = _PLACED.search(before)
    return f" {before[place.start() :]}" if place else ""


def _last_word(text: str) -> str:
    return text.casefold().rstrip(" ").rpartition(" ")[2]


def _is_alike(before: str, right: str) -> bool:
    """Return whether two sentences tell things of one kind, so that the later takes the earlier's place."""
    if any(
        answer_kinds.is_of_type(kind, before) and answer_kinds.is_of_type(kind, right)
        for kind in _TYPES
    ):
        return True
    verb = _VERB.search(right)
    return bool(verb and not _ONESELF.match(right) and len(right[verb.end() :].split()) <= SHORT)


def _base(verb: str) -> str:
    return _SAME_VERB.get(verb.casefold(), verb.casefold())


def _has_words(text: str, words: str) -> bool:
    """Return whether a text has the telling words of some others, in any form."""
    language = language_of(spoken(text))
    known = set(retrieval.terms(text, language=language))
    wanted = set(retrieval.terms(words, language=language))
    return bool(wanted) and wanted <= known


def _replaced(before: str, wrong: str, right: str) -> str:
    bare = _bare(wrong)
    place = rf"(?P<article>\b\w{{1,5}} )?(?<!\w){re.escape(bare)}(?!\w)(?P<after> \w+)?"
    changed = re.sub(place, lambda match: _fitted(match, right), before, flags=re.I)
    if before[:1].isupper():
        changed = f"{changed[:1].upper()}{changed[1:]}"
    return changed if changed != before else ""


def _fitted(match: re.Match[str], right: str) -> str:
    """Return what is right as it stands in a sentence, with one article, and nothing twice."""
    first, after = match["article"] or "", match["after"] or ""
    if _BARE.match(first) and _BARE.match(right):
        first = ""
    if after and right.casefold().endswith(after.casefold()):
        after = ""
    return f"{first}{right}{after}"


def _stopped(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}."
