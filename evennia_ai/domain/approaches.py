"""Situations in which there is more than one way to go about it, and the ways: soothe, or warn?

They are recognised by what somebody says, in English and Swedish. Which way is taken is decided by
what experience speaks for; where it says nothing, by the temper that the persona tells of.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evennia_ai.domain import precedent, reply, utterances

# Characters of one utterance that are looked at.
MAX_LENGTH = 600
# Letters that a line must have to be shouted, and the share of them that is in capitals.
SHOUTED_LETTERS, SHOUTED_SHARE = 8, 0.7

# What a temper is told by. The approaches of a situation stand in this order.
TEMPERS = {
    "firm": (
        r"gruff|stern|strict|tough|fierce|grim|harsh|blunt|guard\w*|soldier\w*|sergeant|captain"
        r"|warrior|barsk|sträng|hård|vakt\w*|soldat"
    ),
    "gentle": (
        r"gentle|kind\w*|warm\w*|patient\w*|motherly|soft\w*|friendly|healer|priest\w*|monk"
        r"|snäll|vänlig|varm|tålmodig|präst"
    ),
    "merry": r"merry|jolly|witty|cheerful|bard|jok\w+|laugh\w*|playful|glad|munter|skämt\w*",
    "careful": (
        r"timid|shy|careful\w*|cautious\w*|nervous|frail|shrewd|clever|försiktig|blyg|rädd|klok"
    ),
}


@dataclass(frozen=True)
class Situation:
    """What is going on: its name, what a decision in it is about, and the ways to go about it.

    `ways` are those that the tempers of TEMPERS come to first, in their order; `usual` is the way of
    somebody of whom no temper is known.
    """

    name: str
    description: str
    domain: str
    ways: tuple[str, ...]
    usual: str


BRAWLER = Situation(
    "brawler",
    "A brawler threatens and looks for a fight",
    "relationship",
    ("warn", "soothe", "distract", "call_help"),
    "soothe",
)
HAGGLER = Situation(
    "haggler",
    "A haggler wants a lower price",
    "trade",
    ("hold_firm", "meet_halfway", "tell_story", "sweeten"),
    "hold_firm",
)
ROBBED = Situation(
    "robbed",
    "Somebody was robbed and cries thief",
    "quest",
    ("ask_closely", "reassure", "search", "call_help"),
    "ask_closely",
)
MOURNER = Situation(
    "mourner",
    "Somebody is sad and mourns",
    "relationship",
    ("advise", "comfort", "distract", "listen"),
    "comfort",
)
SITUATIONS = (BRAWLER, ROBBED, HAGGLER, MOURNER)

_BLOWS = (
    r"kill|beat|smash|punch|hit|break|crush|gut|stab|cut|thrash|flatten|knock|tear|rip|fight|hurt"
)
_SOMEBODY_HERE = (
    r"(?:you\b(?! (?:at|in) )|your\b|this place|the place|everybody|everyone|anybody|anyone|every"
    r" one|the lot|somebody|someone|all of you)"
)
_THREAT = re.compile(
    rf"\bi(?:'ll| will| shall|'m going to| am going to|'m gonna)(?: \w+){{0,2}} (?:{_BLOWS})"
    rf"(?: \w+){{0,3}} ?{_SOMEBODY_HERE}"
    rf"|\b(?:or|before) i (?:{_BLOWS}) |\bfight me\b|\bwho wants (?:a fight|some|to fight)\b"
    r"|\b(?:i want|you want|do you want|want|wanna|looking for|spoiling for) (?:a |to )?fight\b"
    r"(?! (?:the|a|an|against|dragons?|orcs?|wolves)\b)"
    r"|\b(?:come|step) outside\b|\bput up your fists\b|\byou want (?:some|trouble)\b"
    r"|\bwhat are you (?:looking|staring) at\b|\bget out of my way\b"
    r"|\bjag (?:ska|skall|kommer att) (?:slå|döda|krossa|spöa|klå upp|banka) (?:ihjäl |sönder )?"
    r"(?:dig|er|alla|någon|dem|din|ditt|dina)\b|\bvill du slåss\b|\bkom ut då\b|\bvad glor du på\b",
    re.I,
)
_RUDE = re.compile(
    r"\b(?:shut (?:up|your)|get lost|idiots?|fools?|bastards?|cowards?|swine|dogs|scum|damn you"
    r"|håll käften|idioter?|fegis\w*)\b",
    re.I,
)
_DRUNK = re.compile(r"(?:\A|[\s.,!*…])\*?(?:hic|hicks?|hick)\*?(?=[\s.,!*…]|\Z)", re.I)
# A number, and nothing that it is of.
_SUM = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|ett|två|tre|fyra|fem|sex|sju|åtta|nio|tio|tolv|hälften|\d{1,5})"
    r"(?= ?(?:[.,;!?]|\Z|(?:öre|daler|riksdaler|mynt|kronor|pennies|coppers|silvers)\b))"
)
_CHEAPER = re.compile(
    r"\btoo (?:expensive|dear|costly|steep)\b"
    r"|\btoo much (?=for\b|gold\b|silver\b|money\b|coin)"
    r"|\b(?:is|'s|costs?|ask|asking|charge|want) (?:far |much |way )?too much(?=\s*(?:[.!?,]|\Z))"
    r"|\b(?:lower|better|special|fairer?|good|best|friend'?s|reduce\w*) (?:your |the |my )?prices?\b"
    r"|\bdiscount\b|\bcheaper\b|\bhalf (?:of that|the price|price|as much)\b|\brobbery\b"
    r"|\bi(?:'ll| will| can)? (?:give|pay|offer)(?: you)? \w+ (?:gold|silver|copper|coins?|pennies)"
    rf"|\bi(?:'ll| will| can)? (?:give|pay|offer)(?: you)? {_SUM}|\b(?:that|it)(?:'s| is| was) (?:\w+ ){{0,2}}(?:expensive|dear|steep|pricey)\b|\bdet (?:är|var) (?:\w+ )?dyrt\b"
    rf"|\b(?:have|get|take|buy|do|let) \w+(?: \w+)?(?: go)? for {_SUM}|\b(?:få|köpa|ta) \w+(?: \w+)? för {_SUM}"
    rf"|\b(?:du får|jag (?:ger|betalar|bjuder)(?: dig)?) {_SUM}"
    r"|\bknock (?:something|a bit|a little|\w+ \w+) off\b"
    r"|\bfor dyrt\b|\bför (?:dyrt|mycket betalt)\b|\bbilligare\b|\brabatt\b|\bhalva priset\b"
    r"|\b(?:sänk|lägre|bättre) pris\w*\b|\bpruta\b",
    re.I,
)
_STOLEN = re.compile(
    r"\bi(?:'ve| have| was| am|'m)? (?:just )?(?:been )?robbed\b"
    r"|\b(?:stole|stolen|took|taken|nicked|swiped|pinched) (?:all )?my (?!word|advice|leave|time)"
    r"|\bmy (?:\w+ ){1,3}(?:is|was|has been|got|were|are) (?:gone|stolen|missing)\b"
    r"|\bstop (?:the|that) thief\b|\bthie(?:f|ves) *!|\bthere(?:'s| is) a thief\b"
    r"|\bstulit (?:min|mitt|mina)\b|\bblivit rånad\b|\btjuv\w* *!",
    re.I,
)
_KIN = r"(?:father|mother|brother|sister|wife|husband|son|daughter|child|friend|dog|horse|gran\w*)"
_SAD = re.compile(
    r"\bi(?:'m| am|'ve been| feel) (?:so |very |really |all )?(?:sad|lonely|heartbroken|miserable"
    r"|in despair|grieving|in mourning)\b"
    rf"|\bmy (?:\w+ )?{_KIN} (?:has |is |was |just )?(?:died|dead|killed|passed away|left me)\b"
    rf"|\bi (?:miss|buried|mourn|have lost) my (?:\w+ )?{_KIN}\b|\bnobody (?:loves|likes) me\b"
    r"|\bjag är (?:så )?(?:ledsen|ensam|olycklig)\b(?! för att jag)"
    r"|\bmin (?:far|mor|bror|syster|man|fru|son|dotter|vän) (?:är död|dog|har dött)\b",
    re.I,
)


def recognise(text: str, *, names: Iterable[str] = ()) -> Situation | None:
    """Return the situation that somebody makes by these words, or None for all others."""
    line = reply.printable(text, max_length=MAX_LENGTH).replace("’", "'")
    tests = {BRAWLER: _is_brawl, ROBBED: _STOLEN.search, HAGGLER: _CHEAPER.search}
    tests[MOURNER] = _SAD.search
    for situation in SITUATIONS:
        if tests[situation](line):
            is_for_a_model = utterances.classify(line, names=names).kind == "nonsense"
            return None if is_for_a_model else situation
    return None


def ordered(situation: Situation, persona: Mapping[str, Any]) -> list[str]:
    """Return the ways of a situation, the one that is in the nature of this persona first."""
    first = situation.usual
    temper = temper_of(persona)
    if temper:
        first = situation.ways[list(TEMPERS).index(temper)]
    return [first, *(way for way in situation.ways if way != first)]


def temper_of(persona: Mapping[str, Any]) -> str:
    """Return the temper that the words of a persona speak of most, "" if of none."""
    words = " ".join(
        str(persona.get(key) or "") for key in ("description", "background", "notes", "manner")
    )
    counts = {
        temper: len(re.findall(rf"\b(?:{stems})\b", words, re.I))
        for temper, stems in TEMPERS.items()
    }
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else ""


def choose(
    situation: Situation,
    *,
    persona: Mapping[str, Any],
    few_shot: str = "",
    failed: Collection[str] = (),
) -> str:
    """Return the way to take: what experience speaks for, else what did not fail and comes naturally.

    `few_shot` is the text of past decisions; `failed` are ways that went wrong in such a situation.
    """
    ways = ordered(situation, persona)
    # What went wrong comes last, and first again for whoever has failed with everything.
    hopeful = sorted(ways, key=lambda way: way in failed)
    return precedent.choose(hopeful, few_shot, default=hopeful[0])


def is_shouted(line: str) -> bool:
    """Return whether a line is shouted: mostly capitals, or more than one exclamation mark."""
    letters = [letter for letter in line if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    loud = len(letters) >= SHOUTED_LETTERS and capitals >= SHOUTED_SHARE * len(letters)
    return loud or "!!" in line


def is_drunk(line: str) -> bool:
    """Return whether somebody hiccups while speaking."""
    return bool(_DRUNK.search(line))


def _is_brawl(line: str) -> bool:
    if _THREAT.search(line):
        return True
    return bool(_RUDE.search(line)) and (is_shouted(line) or is_drunk(line))
