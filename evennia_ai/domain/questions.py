"""What a question asks for: a price, a place, an age; about whom; and the words that name the thing.

English and Swedish, as tables: first match wins. The answer is looked for by `matching`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evennia_ai.domain import retrieval, subjects
from evennia_ai.domain.spelling import spelled_out

# Characters of a question that are looked at.
MAX_LENGTH = 400

# What asks without saying anything of what is asked.
_FRAME = re.compile(
    r"(?:(?:and|so|but|ok(?:ay)?|well|hey|um+|hm+|erm?|please|then|oh|och|men|så|jaha|nå)[, ]+)*"
    r"(?:(?:(?:do|did|would|could|can|will) (?:you|u|ya)|d'you|have you)(?: happen to| still| even"
    r"| ever| please)? (?:know|remember|recall|tell (?:me|us)|say|explain|heard?|have any idea"
    r"|seen or heard)"
    r"|(?:please )?(?:tell|remind) (?:me|us)(?: more| something| a bit)?|any idea|(?:you|u|ya) know"
    r"|what(?:'s| is| do| can| could| did|'d)?(?: (?:you|u|ya))? (?:know|tell (?:me|us)|hear|heard|remember"
    r"|have to say)(?= (?:about|of|on)\b)|what have you heard|what about|how about|talk(?: to me)?"
    r"|i(?:'m| am)? (?:wonder(?:ing)?|was wondering|would like to know|want to know|'d like to know)"
    r"|(?:i(?:'ve| have)?|we(?:'ve| have)?) (?:heard|hear|was told|were told)(?: that)?"
    r"|(?:i'm|i am) (?:so |very )?sorry to hear(?: that)?|is it true(?: that)?|jag (?:har )?hör(?:t|de)(?: att)?|är det sant(?: att)?"
    r"|(?:i(?:'m| am) )?(?:looking|searching) for|(?:i|we)(?: really| just)? need(?: to find)?|i seek"
    r"|(?:vet|minns|känner|kan) du(?: (?:säga|berätta)(?: för (?:mig|oss))?| fortfarande| till)?"
    r"|har du hört(?: talas)?|berätta(?: (?:något|mer|lite))?(?: för (?:mig|oss))?|vad vet du|vad sägs"
    r"|jag (?:undrar|letar efter|söker|behöver))\b"
    r"(?: (?:about|of|on|if|whether|anything (?:about|of)|any|om|något om))*[,:]?\s*",
    re.I,
)

# What comes after the question itself, and says nothing more.
_TAG = re.compile(
    r"[,.;]? (?:is (?:that|it) (?:true|so|right)|isn't (?:that|it) so|isn't it|right|eh|innit|then"
    r"|if (?:i|one|you) (?:may|can|could|don't mind|do not mind)(?: (?:ask|tell me|me asking))?"
    r"|by any chance|do you (?:think|reckon|recall|remember|know)|or (?:what|not)|är det (?:sant|så)|stämmer det|eller(?: hur| inte)?"
    r"|om (?:jag|man) får fråga|tror? (?:du|ni)|tro|nu igen|igen|då|va|månne)\Z",
    re.I,
)

# (what is asked for, how it is asked)
_WANTS = tuple(
    (want, re.compile(pattern, re.I))
    for want, pattern in (
        (
            "age",
            r"\bhow old\b|\b(?:is|are|was) \w+ (?:\w+ )?old\Z|\b(?:är|var) \w+ (?:\w+ )?gam(?:mal|malt|la)\Z|\bwhat age\b|\b(?:your|his|her) age\b|\bhur gam(?:mal|la|malt)\b|\bålder\b",
        ),
        (
            "duration",
            r"\b(?:how long|since when)\b(?=.{0,99} (?:been|have|has|had|work\w*|live\w*)\b)"
            r"|\bhow long (?:have|has|did)\b|\bsince when\b|\bhur länge\b",
        ),
        (
            "distance",
            r"\bhow (?:far|long)\b|\bhur långt\b|\b(?:is|are) .{1,60}\bfar\b|\bär .{1,60}\blångt\b",
        ),
        ("count", r"\bhow many\b|\bhur många\b"),
        (
            "price",
            r"\bhow much(?: (?:is|are|does|do|did|for|would|will|d'|you|of)\b|'s|'re|\W*\Z)"
            r"|\bwhat (?:must|do|does|should|shall|would|will) (?:i|we|one) (?:have to |need to )?pay\b"
            r"|\bhow much\b.{0,99}\b(?:cost|pay|charge|ask|want|owe)|\b(?:price|cost|fee|fare|toll)s?\b"
            r"|\b(?:charge|ask|want|take) for\b|\b(?:expensive|pricey|costly)\b|\bhow cheap\b|\bgoing rate\b"
            r"|\bhow much\b(?= \w+\W*\Z)|\bset (?:me|us|one|a \w+) back\b|\bwhat (?:do|would|will|did) (?:i|we) owe\b"
            r"|\bhur mycket (?:kostar|är|för|tar|vill|blir|ska|betal)|\b(?:kostar?|priset?|avgift\w*)\b"
            r"|\bvad (?:tar|ska|vill) (?:du|ni|man) (?:ha )?(?:betalt )?för\b|\bvad är \w+ skyldig\b|\bdyr(?:t|a)?\b"
            r"|\bvad (?:(?:skulle|ska|kan|kommer) )?(?:det|den|de|\w+) ?(?:skulle|ska|kan)? ?(?:att )?(?:gå|går|landa|landar|bli|blir)"
            r" (?:(?:det|den|de|\w+) )?(?:lös )?på\b",
        ),
        (
            "occupation",
            r"\bfor (?:a )?(?:living|work|money)\b|\b(?:job|trade|profession|occupation)\b|\bwork as\b"
            r"|\bwhat(?:'s| is|s)? (?:do|does|did) (?!you)(?:\w+(?:'s \w+)?|my \w+) do\b"
            r"|\bwhat (?:kind|sort) of work\b|\bvad (?:jobbar|arbetar|sysslar)\b|\byrke\b"
            r"|\bvad gör (?:du|ni)\b.{0,30}\b(?:dagarna|dagen|dagligen)\b|\bwhat do you do (?:all day|every day|for)\b|\bvad gör (?!du\b|man\b|jag (?:nu|här))(?:\w+ ){0,2}\w+\W*\Z|\b(?:jobbar|arbetar) \w+ som\b",
        ),
        (
            "origin",
            r"\bwhere\b.{0,60}\b(?:come|comes|hail|hails|born|are|is|am|was|were|from)\b.{0,60}(?:\bfrom|\bborn)\b"
            r"|\bwhere\b.{0,60}\bborn\b|\b(?:var|varifrån)\b.{0,60}\b(?:ifrån|från|född)\b|\bvarifrån\b",
        ),
        (
            "often",
            r"\bhow (?:often|many times|frequently)\b|\bhur (?:ofta|många gånger)\b",
        ),
        (
            "when",
            r"\A(?:\w+ )?(?:when|när)\b|\btoo (?:late|early)\b|\bför (?:sent|tidigt)\b|\bat this hour\b|\bwhat (?:time|hour|day|date)\b|\bwhich (?:day|night)\b|\bhow soon\b"
            r"|\bopening (?:hours|times)\b|\bhur dags\b|\bvilke[nt] (?:dag|tid)\b",
        ),
        (
            "way",
            r"\bhow (?:do|can|would|could|to)\b.{0,99}\b(?:get to|go to|reach|travel to)\b|\bwhich way\b|\bwhat direction\b"
            r"|\bhur (?:kommer|går|reser|tar)\b|\bvägen till\b",
        ),
        (
            "place",
            r"\bwhere\b|\bwheres\b|\bwhereabouts\b|\bwhich way\b|\bwhat direction\b|\bhow (?:do|can|would|could|to)\b"
            r".{0,99}\b(?:get to|go to|reach|find)\b|\bvar\b|\bvart\b|\bhur (?:kommer|går|hittar|tar)\b|\bnånstans\b",
        ),
        ("wish", r"\b(?:looking|searching) for\b|\bletar? \w* ?efter\b|\bsöker\b"),
        ("name", r"\bnames?\b|\bcalled\b|\bheter\b|\bhette\b|\bnamn(?:et)?\b|\bkallas\b"),
        ("person", r"\b(?:who|whos|whose|whom|vem|vems|vilka)\b"),
    )
)
# Words that say what is wanted, and nothing of the thing.
_WANTED_WORDS = frozenset(
    """much price prices cost costs fee charge charges charging pay paying long far many age time hour
    day date direction way called call name names whats wheres whos hows whens work works working
    living job trade profession occupation going rate wrong matter problem happen happened whatcha
    around round here there now today tonight currently kind sort type anything lot bit sir madam mate friend
    pal please again exactly actually really anyway someone fella guy man way old expensive
    cost kostar kosta pris priset kost gammal gamla gammalt länge långt många tid dag heter hette namn
    jobbar jobba arbetar arbeta yrke gör göra finns nånstans någonstans man vart varifrån ifrån nu idag
    sett såg se ser hört free available spare vacant nearest closest local decent nice cheap ledig ledigt lediga
    late early soon often sent tidigt since still yet already yesterday back usually often always ever igår ibland ofta alltid brukar nånting egentligen
    igen hände händer hänt skedde här där vilka vilket hur är betalt tar sysslar u ur ya d'you d'ya cuz gonna wanna
    extra ready everyone everybody anyone anybody someone somebody down up through
    use used help tell say said need behöva behöver""".split()
)
# "You've", "who's": what is left of a verb names nothing.
_SHORTENED = re.compile(
    r"\b(?:i|you|he|she|it|we|they|who|what|that|there)['’](?:ve|re|ll|d|s|m)\b", re.I
)
# Wants of which those words are a part of the thing: who "works" at the mill is asked by a verb.
_VERBS_COUNT = frozenset(("duration", "person", ""))

_MODAL = re.compile(
    r"\b(?:can|could|may|might|should|must|how (?:do|to|would)|is there|are there|anyone|anybody"
    r"|where(?:'s| is| do| would| to)? (?:the|a|an|i (?:get|find|go|buy|eat|drink|stay|sleep|rent|see|pay))"
    r"|kan|får|hur kommer|hur går|hittar|finns)\b",
    re.I,
)
_MINE = re.compile(
    r"\b(?:my|mine|min|mitt|mina)\b|\b(?:did|was|have|had|am|do|were) i\b|\bi (?:did|was|do|am|said"
    r"|gave|told|lost|left)\b|\b(?:what|where|which|who|whom|when) (?:\w+ ){0,2}i (?!(?:can|could|should|must|may|might|would"
    r"|will|do|need|ought|get|find|buy|go|see|have to)\b)\w+"
    r"|\b(?:vad|var|vem|vilken|vilket|när) (?:\w+ ){0,2}jag (?!(?:kan|får|ska|bör|måste|skulle|hittar)\b)\w+|\b\w+(?:r|de|te|sa|la|fick|tog|såg|är) jag\b",
    re.I,
)
_YOURS = re.compile(
    r"\b(?:you|your|yours|yourself|u|ur|ya|du|dig|din|ditt|dina)\b|\b(?:d'you|d'ya)\b", re.I
)
_POINTS_BACK = re.compile(
    r"\b(?:he|she|it|they|him|her|his|its|them|their|that|this one|han|hon|den|det|honom|henne|hennes"
    r"|hans|dem|deras|there|där|dit)\b",
    re.I,
)
# What asks whether something is so: what is said of it stands at the end.
_IS_IT_SO = re.compile(
    r"(?:is|are|was|were|isn't|aren't|är|blir|blev)\s+(?!there\b)(?P<rest>.+)", re.I
)
_JUDGES = re.compile(
    r"\b(?:any |some )?(?:good|bad|nice|tasty|extra|included|bra|dålig|dåligt|god|gott|fin|fint)\b",
    re.I,
)
_WHY = re.compile(r"(?:why|how come|varför|hur kommer det sig)\b", re.I)
_WILL_IT = re.compile(r"(?:will|would|does|did|can|could|should) (?:it|he|she|they)\b", re.I)
_MAY_I = re.compile(r"(?:may|can|could|might|får|kan) (?:i|we|jag|vi)\b", re.I)
_EVER = re.compile(r"\b(?:you|u) ever\b|\bdu någonsin\b", re.I)
_SHE = re.compile(r"\b(?:he|she|they|han|hon|de)\b", re.I)
_PRONOUN = re.compile(
    r"(?:you|he|she|it|they|that|this|those|these|du|ni|han|hon|den|det|de)\b", re.I
)
_BESIDE = re.compile(
    r"\b(?:by|at|in|on|near|from|with|under|over|behind|across|vid|i|på|från|med|under|över|bakom)\b",
    re.I,
)


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
    def is_for_leave(self) -> bool:
        """Whether it asks for leave to do something, of which what is known tells little."""
        return bool(_MAY_I.match(self.text)) and not self.want

    @property
    def is_of_past(self) -> bool:
        """Whether it asks what somebody has ever done, which only what is told of them answers."""
        return bool(_EVER.search(self.text))

    @property
    def is_of_it(self) -> bool:
        """Whether it asks of "it" or "her" something that no thing is named for."""
        if self.terms and all(map(retrieval.is_verb, self.terms)) and _SHE.search(self.text):
            return True
        if _WILL_IT.match(self.text) and len(self.terms) == 1 and not self.want:
            return True
        match = _IS_IT_SO.match(self.text)
        return bool(
            match and self.points_back and _PRONOUN.match(match["rest"]) and len(self.terms) == 1
        )


def read(text: str, *, language: str, names: Iterable[str] = ()) -> Question:
    """Return what a question asks; `names` are those of the two who talk, by which nothing is meant."""
    plain = spelled_out(" ".join(text[:MAX_LENGTH].split()).replace("’", "'")).strip(" .!?\"'")
    rest = without_frame(_TAG.sub("", plain) or plain)
    want = next((want for want, pattern in _WANTS if pattern.search(rest)), "")
    # What somebody owes is told by what the thing costs, whoever asks.
    is_mine = bool(_MINE.search(rest)) and not _MODAL.search(rest) and want != "price"
    is_yours = bool(_YOURS.search(rest)) and not is_mine
    called = {stem for name in names for stem in retrieval.terms(name, language=language)}
    terms = tuple(one for one in key_terms(rest, language, want=want) if one not in called)
    return Question(
        text=rest,
        want=want,
        whose="speaker" if is_mine else "npc" if is_yours else "",
        terms=terms,
        language=language,
        # "How often?" asks of what was spoken of before.
        points_back=bool(_POINTS_BACK.search(rest) or (want and not terms)),
        lesser=_lesser(rest, language),
        loose=_loose(rest, language),
        asked=_asked(rest, language, want=want),
    )


def without_frame(text: str) -> str:
    """Return a question without "do you know" and the like; as it is if nothing else is said."""
    match = _FRAME.match(text)
    rest = text[match.end() :].strip(" ,:") if match else text
    return rest if re.search(r"\w", rest) else text


def key_terms(text: str, language: str, *, want: str = "") -> Sequence[str]:
    """Return the stems of the words that name what is asked about, each once, in order."""
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)?", _SHORTENED.sub("", text))
    kept = [
        word
        for word in words
        if want in _VERBS_COUNT
        and word.casefold().startswith(("work", "arbet", "jobb"))
        or word.casefold() not in _WANTED_WORDS
    ]
    return list(dict.fromkeys(retrieval.terms(" ".join(kept), language=language)))


def _lesser(text: str, language: str) -> frozenset[str]:
    """Return the stems of what stands after a preposition, behind something else: "the mill by the sea"."""
    parts = [key_terms(part, language) for part in _BESIDE.split(text)]
    named = [part for part in parts if not all(map(retrieval.is_verb, part))]
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
    verbs = filter(retrieval.is_verb, key_terms(text, language))
    describing += (word for word in words if subjects.is_empty(word, language))
    return frozenset([*verbs, *retrieval.terms(" ".join(describing), language=language)])


def _asked(text: str, language: str, *, want: str) -> frozenset[str]:
    """Return the stems of what somebody asks whether it is so: "haunted" of "is the mill by the sea haunted"."""
    match = _IS_IT_SO.match(text)
    if not match or want:
        return frozenset()
    # Whether something is any good, what is known of it tells.
    rest = _JUDGES.sub("", match["rest"])
    if _PRONOUN.match(rest):
        return frozenset(key_terms(rest, language))
    head, *tails = (key_terms(part, language) for part in _BESIDE.split(rest))
    behind = [stem for part in tails for stem in part]
    if len(head) > 1:
        return frozenset([head[-1], *behind])
    return frozenset(behind[-1:])
