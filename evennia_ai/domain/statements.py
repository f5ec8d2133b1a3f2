"""Statements about a person, by rules: what they like, fear, own, are, and where they live.

A table of patterns, English: first match wins. What matches none says nothing, rather than
something wrong. The phrases that come out can be read by the same table.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from evennia_ai.core import spelling
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply

# Characters of a text that are looked at; nobody says more in one breath.
MAX_LENGTH = 2000
# Kinds of which one holds at a time: whoever moves does not live in two places.
SINGLE = frozenset(("name", "home", "origin", "occupation", "age"))
# What somebody feels about a thing; 0 is what they once felt.
LIKES, DISLIKES, ONCE = 1, -1, 0
# Words and characters that a thing may have; what goes on for longer is a story.
THING_WORDS = 9
THING_LENGTH = 80
# Characters of what says only how much, at most.
TAIL_LENGTH = 25


class Statement(NamedTuple):
    """One thing that is said of somebody; `phrase` goes on after their name.

    `key` tells what it is about: two statements of one kind and key agree or contradict each other.
    """

    kind: str
    key: str
    stance: int
    phrase: str
    thing: str
    is_strong: bool = False
    is_change: bool = False
    is_taste: bool = False
    is_hearsay: bool = False


class _Row(NamedTuple):
    kind: str
    pattern: re.Pattern[str]
    phrase: str
    stance: int = LIKES
    marks: str = ""


_PEOPLE = (
    "mother|father|sister|brother|son|daughter|wife|husband|aunt|uncle|cousin|grandmother"
    "|grandfather|child|children|twin|friend|master|teacher"
)
_KIN = f"{_PEOPLE}|dog|cat|horse|pony|mule"
_SKILLS = (
    "read|write|swim|fight|cook|sing|play|ride|dance|speak|brew|hunt|heal|forge|sail|fish|climb"
    "|juggle|sew|paint|track|bake|shoot"
)
_CONDITION = (
    "allergic to|married|engaged|widowed|deaf|blind|mute|lame|left-handed|loyal to|in love with"
    "|immune to|banned from|wanted by"
)
# By what people live, and what others make and keep as well.
_TRADES = "mend|make|build|repair|sell|grow|breed|weave|carve|keep"
_NO_WARES = "this|his|its|yes|towards|things|promises|secrets|mistakes|friends|plans|jokes|excuses|notes|always"
# What somebody "has" or "is" for a moment only.
_FLEETING = (
    "question|idea|moment|minute|look|seat|drink|feeling|headache|cold|bit|little|lot|problem"
    "|word|message|favou?r|point|plan|few|good|bad|long|hurry|fan|joke|great"
)

# Kind, phrase, stance, marks (s: strong, c: it has changed, t: of the palate), pattern.
_TABLE = rf"""
preference | used to {{verb}} {{thing}} | 0 | c |
    used to (?P<verb>like|love|adore|enjoy|prefer|drink|eat|hate|dislike) (?P<thing>.+)
preference | no longer cares for {{thing}} | 0 | c |
    (?:do|does) not (?:like|love|enjoy|care for|drink|eat|want|prefer) (?P<thing>.+?)
     (?:any ?more|any longer)\b.*
preference | no longer cares for {{thing}} | 0 | c |
    no longer (?:like|love|enjoy|care for|drink|eat|want|prefer|care)s?(?: for)? (?P<thing>.+)
preference | never {{verb}}s {{thing}} | -1 | st |
    (?:never|(?:do|does|will|would|can) not(?: ever)?|cannot) (?P<verb>drink|eat|wear|order)s?
     (?P<thing>.+)
preference | cannot stand {{thing}} | -1 | s |
    (?:can(?: |)not|could not) (?:stand|bear|abide|stomach|endure) (?P<thing>.+)
preference | dislikes {{thing}} | -1 | - |
    (?:(?:do|does|did) not|never) (?:really |much )?(?:like|likes|liked|love|care for|cared for|
    enjoy|fancy|trust|trusted) (?P<thing>.+)
preference | hates {{thing}} | -1 | s | (?:hate|loathe|detest|despise|abhor)[sd]? (?P<thing>.+)
preference | dislikes {{thing}} | -1 | - | (?:dislike|avoid|refuse)[sd]? (?P<thing>.+)
preference | prefers {{thing}} to {{other}} | 1 | t |
    prefer(?:s|red)? (?!to )(?P<thing>.+?) (?:to|over|rather than|instead of) (?P<other>.+)
preference | prefers {{thing}} | 1 | t | prefer(?:s|red)? (?P<thing>.+)
preference | favours {{thing}} above any other {{other}} | 1 | s |
    favou?rs (?P<thing>.+?) above any other (?P<other>\w+)
preference | loves {{thing}} | 1 | s | (?:love|adore)[sd]? (?P<thing>.+)
preference | likes {{thing}} | 1 | - | (?:like|enjoy|fancie|fancy)(?:s|d|ed)? (?P<thing>.+)
preference | is fond of {{thing}} | 1 | - |
    (?:am|is|are) (?:very |so |really |quite )?(?:fond of|partial to|keen on|crazy about|
    mad about) (?P<thing>.+)
preference | often has {{thing}} | 1 | t | (?:drink|order|eat|ask)(?:s|ed|)(?: for)? (?P<thing>.+)
preference | often has {{thing}} | 1 | t | often has (?P<thing>.+)
fear | fears {{thing}} | 1 | - | (?:fear|dread)(?:s|ed)? (?P<thing>.+)
fear | fears {{thing}} | 1 | - |
    (?:am|is|are) (?:very |so |really |quite )?(?:afraid|scared|terrified|frightened) of
     (?P<thing>.+)
wish | is looking for {{thing}} | 1 | - |
    (?:am|is|are) (?:still )?(?:looking|searching) for (?P<thing>.+)
wish | hopes to {{thing}} | 1 | - | hopes? to (?P<thing>.+)
wish | dreams of {{thing}} | 1 | - | dreams? of (?P<thing>.+)
wish | wants {{thing}} | 1 | - | (?:want|long|wishe)s?(?: for)?
     (?P<thing>(?!you\b|to (?:ask|confess|hear|know|say|speak|talk|tell|thank)\b).+)
home | lives {{thing}} | 1 | - |
    (?:live|dwell)s? (?P<thing>(?:in|at|by|near|on|above|below|under|beyond|across|behind|
    outside|next to|with|alone)\b.*)
origin | comes from {{thing}} | 1 | - |
    (?:(?:come|hail)s? from|(?:am|is|are) (?:originally )?from|was born in|grew up in) (?P<thing>.+)
occupation | works {{thing}} | 1 | - | works? (?P<thing>(?:as|at|in|for|on)\b.+)
occupation | {{verb}}s {{thing}} | 1 | - |
    (?P<verb>{_TRADES})s? (?P<thing>(?!(?:{_NO_WARES})\b)[\w-]+[^\Ws]s(?: (?:in|at|by|on|for|behind|near)\b.*)?)
age | is {{thing}} years old | 1 | - |
    (?:am|is) (?!called\b|named\b)(?P<thing>[\w-]+(?: [\w-]+)?) years old
name | is called {{thing}} | 1 | - | (?:am|is|are) (?:called|named|known as) (?P<thing>.+)
family | has {{thing}} | 1 | - |
    ha(?:ve|s) (?:got )?(?P<thing>(?:an?|one|two|three|four|five|six|seven)
     (?:\w+ )?(?:{_PEOPLE})s?\b.*)
trait | is {{thing}} | 1 | - | (?:am|is) (?P<thing>(?:{_CONDITION})\b.*)
trait | is {{thing}} | 1 | - |
    (?:am|is) (?P<thing>(?:an? (?!(?:{_FLEETING})\b)|the \w+ (?:of|in|at) ).+)
belongings | owns {{thing}} | 1 | - | (?:own|possess)(?:e?s)? (?P<thing>.+)
belongings | has {{thing}} | 1 | - |
    ha(?:ve|s) (?:got )?(?P<thing>(?:an?|one|two|three|four|five|several|many|\d+)
     (?!(?:\w+ )?(?:{_FLEETING})\b).+)
skill | cannot {{thing}} | -1 | - | can(?: |)not (?P<thing>(?:{_SKILLS})\b.*)
skill | can {{thing}} | 1 | - | can (?P<thing>(?:{_SKILLS})\b.*)
skill | knows {{thing}} | 1 | - | knows? (?P<thing>(?:how to|the way|every|all)\b .+)
theme | often talks of {{thing}} | 1 | - | often talks of (?P<thing>.+)
"""


def _row(line: str) -> _Row:
    kind, phrase, stance, marks, pattern = (part.strip() for part in line.split(" |", 4))
    return _Row(kind, re.compile(pattern, re.I), phrase, int(stance), marks)


# A line that is indented goes on with the one above.
_ROWS = tuple(_row(line) for line in re.sub(r"\n    ", "", _TABLE).strip().splitlines())

# Where a sentence goes on with another statement.
_CLAUSE = re.compile(
    r" ?(?:;|,| (?=(?:and|but|yet) )) ?(?:(?:and|but|yet|though|while|so) )?(?=(?:I"
    r"|my|he|she|they"
    r"|now|nowadays|never|no longer|used to|strongly|actively|really|reportedly|often|hates?|loves?"
    r"|likes?|dislikes?|prefers?|wants?|fears?|lives?|works?|owns?|has|have|is|am|knows?|can|cannot"
    rf"|do not|does not|enjoys?|detests?|comes|hopes|dreams|favours|call me|(?:{_TRADES})s)\b)",
    re.I,
)
_LEAD = re.compile(
    r"(?:(?:well|oh|ah|and|but|so|yes|no(?! longer)|aye|honestly|actually|truthfully|frankly"
    r"|then|also|you know|to be honest|mind you|believe me|of course|truth is)\b[,:]?\s+)+",
    re.I,
)
_NOW = re.compile(r"(?:now|nowadays|these days|lately)\b,?\s+", re.I)
_ADVERBS = re.compile(
    r"(?:(?:really|truly|just|simply|also|do|does|absolutely|very much|deeply|strongly|actively"
    r"|still|rather|quite|always|only|reportedly|now|surely|certainly|especially|secretly"
    r"|particularly)\s+)+",
    re.I,
)
_STRONG = re.compile(
    r"\b(?:really|truly|absolutely|deeply|strongly|actively|always|especially)\b", re.I
)
_HEARSAY = re.compile(r"\breportedly\b", re.I)
_SAID = re.compile(r"(?:(?P<by>[^:]{1,60}?) )?says: (?P<words>.+)", re.I | re.S)
_NAMED = re.compile(
    r"(?:(?:just |please |you can |you may )*call me|my (?:real |full )?name is"
    r"|(?:people|they|friends|my friends|everybody|everyone|most) calls? me)\s+(?P<thing>.+)",
    re.I,
)
# "I am Corvin Pell, a tailor's apprentice from Holt": whom one says one is, by capitals.
_INTRODUCED = re.compile(
    r"(?:I am|This is) (?P<called>(?:Lord |Lady |Sir |Brother |Sister |Father |Mother |Master |Captain )?"
    r"[A-Z][\w'’-]+(?: (?:of |von |van |de )?[A-Z][\w'’-]+){0,2})(?P<more>,? (?:from|an?|the) .+)?"
)
_NAME_FIRST = re.compile(r"(?P<thing>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}) is my name")
_NO_NAME = re.compile(r"(?:later|back|again|when|if|an?|the|old|crazy|what|whatever|any)\b", re.I)
_FAVOURITE = re.compile(
    r"(?P<whose>my|his|her|their)(?: most)? favou?rite (?P<other>\w+) (?:is|are) (?P<thing>.+)",
    re.I,
)
_RELATED = re.compile(
    rf"(?P<whose>my|his|her|their) (?P<kin>(?:\w+ )?(?:{_KIN}))(?: (?P<called>[A-Z]\w+))? "
    r"(?P<rest>(?:is|was|lives?|works?|has|died|owns?|sells?|left|went|comes|makes|keeps)\b.*)",
    re.I,
)
# Where a thing ends and a reason begins, and what says only how much.
_END = re.compile(
    r" ?(?:[.!…]|,? (?:because|since|when|whenever|if|so that|but|though|although|unless|until"
    r"|while"
    r"|and (?:I|he|she|they|you|we))\b|, (?:especially|which|as|for|you|mostly|not|even"
    r"|please)\b).*",
    re.I | re.S,
)
_TAIL = re.compile(
    r",? (?:very much|a lot|so much|so|too|as well|these days|nowadays|now|again|today|best|most"
    r"|the most|more than anything|of all|dearly|at all|any ?more|myself|indeed)$",
    re.I,
)
_MEASURE = re.compile(
    r"(?:(?:an?|some|the|another|his|her|their) )?(?:nice |good |hot |strong )?"
    r"(?:cup|mug|pint|glass|bowl|pot|bit|plate) of ",
    re.I,
)
_EMPTY = frozenset("it that this them him her you me us so one what there to all".split())
_PERSONS = {"my": "their", "mine": "theirs", "me": "them", "myself": "themselves", "our": "their"}
_POSSESSIVE = re.compile(r"\b(my|mine|me|myself|our|your|yours|you)\b", re.I)


def read(text: str, *, name: str = "", is_own: bool = False, listener: str = "") -> list[Statement]:
    """Return what a text says of one person, in the order in which it is said.

    Where it is their own text (`is_own`), the person is "I"; else they are called `name`, "she" and
    the like, or not at all ("Likes tea."). `listener` is whom they call "you". Questions say
    nothing.
    """
    found = []
    for clause in clauses(text):
        found += _read_clause(clause, name=name, is_own=is_own, listener=listener)
    return found


def as_observation(words: str, *, by: str = "") -> str:
    """Return somebody's words as an observation: of themselves, or of whom they speak of."""
    return f"{by} says: {words}" if by else f"Says: {words}"


def read_observation(content: str, *, name: str, listener: str = "") -> list[Statement]:
    """Return what an observation says of whom it is about, whoever wrote it."""
    said = _SAID.fullmatch(content)
    if said is None:
        return read(content, name=name)
    is_own = not said["by"] or said["by"].casefold() == name.casefold()
    own = read(said["words"], name=name, is_own=is_own, listener=listener)
    # Somebody may speak of themselves by their name.
    return own or (read(said["words"], name=name) if is_own and said["by"] else [])


def words_of(content: str) -> str:
    """Return an observation without the note of who said it."""
    said = _SAID.fullmatch(content)
    return said["words"] if said else content


def clauses(text: str) -> list[str]:
    """Return the statements of a text one by one; the subject of the first holds for all."""
    parts = []
    for sentence in retrieval.sentences(spelling.in_full(text[:MAX_LENGTH])):
        if not sentence.endswith("?"):
            found = (part.strip(" .,;:!…") for part in _CLAUSE.split(" ".join(sentence.split())))
            parts += [part for part in found if part]
    return parts


def subjects(text: str) -> list[str]:
    """Return the names with which the sentences of a text begin: whom it may be about."""
    starts = (re.match(r"((?:[^\W\d_][\w'-]*)(?: [A-Z][\w'-]*)?) ", one) for one in clauses(text))
    found = [start[1] for start in starts if start]
    return list(dict.fromkeys([*found, *(name.split(" ")[0] for name in found)]))


def third_person(words: str, listener: str = "") -> str:
    """Return somebody's own words as others say them: "my" is "their", "you" is the listener."""

    def other(match: re.Match[str]) -> str:
        word = match[0].casefold()
        if word in _PERSONS:
            return _PERSONS[word]
        if not listener:
            return match[0]
        return f"{listener}'s" if word in ("your", "yours") else listener

    return _POSSESSIVE.sub(other, words)


def key_of(thing: str) -> str:
    """Return what is the same for two ways of naming a thing."""
    terms = set(retrieval.terms(thing, language="en"))
    telling = {term for term in terms if not retrieval.is_weak(term)}
    return " ".join(sorted(telling or terms)) or thing.casefold()


def _read_clause(clause: str, *, name: str, is_own: bool, listener: str) -> list[Statement]:
    words = _LEAD.sub("", clause, count=1) if _LEAD.match(clause) else clause
    is_change = bool(
        _NOW.match(words) or re.search(r"\b(?:now|these days|nowadays)\b", words, re.I)
    )
    words = _NOW.sub("", words, count=1) if _NOW.match(words) else words
    special = _of_phrase(words, is_own=is_own, listener=listener)
    if special:
        met = _INTRODUCED.fullmatch(words) if special.kind == "name" else None
        more = f"I am {met['more'].lstrip(', ')}" if met and met["more"] else ""
        rest = _read_clause(more, name=name, is_own=is_own, listener=listener) if more else []
        return [special, *rest]
    rest = _subject(name, is_own=is_own).sub("", words, count=1)
    adverbs = _ADVERBS.match(rest)
    how = adverbs[0] if adverbs else ""
    # "Does not" and "do not" belong to the verb.
    if re.search(r"\b(?:do|does)\s+$", how, re.I) and rest[len(how) :].startswith("not "):
        how = re.sub(r"(?:do|does)\s+$", "", how, flags=re.I)
    for row in _ROWS:
        match = row.pattern.fullmatch(rest[len(how) :])
        made = match and _statement(row, match, how, is_own=is_own, listener=listener)
        if made:
            return [made._replace(is_change=made.is_change or is_change)]
    return []


def _subject(name: str, *, is_own: bool) -> re.Pattern[str]:
    if is_own:
        return re.compile(r"\AI\s+", re.I)
    named = f"{re.escape(name)}|" if name else ""
    return re.compile(rf"\A(?:{named}he|she|they)\s+", re.I)


def _of_phrase(words: str, *, is_own: bool, listener: str) -> Statement | None:
    """Read what has another subject than the person: their name, their favourite, their kin."""
    whose = ("my", "me") if is_own else ("his", "her", "their")
    named = _NAMED.fullmatch(words) or _NAME_FIRST.fullmatch(words) if is_own else None
    met = _INTRODUCED.fullmatch(words) if is_own else None
    if met and (" " in met["called"] or met["more"]):
        return Statement("name", "name", LIKES, f"is called {met['called']}", met["called"])
    if named and (thing := _thing(named["thing"], "")):
        if _NO_NAME.match(thing) or len(thing.split()) > 3:
            return None
        return Statement("name", "name", LIKES, f"is called {thing}", thing)
    best = _FAVOURITE.fullmatch(words)
    if best and best["whose"].casefold() in whose and (thing := _thing(best["thing"], listener)):
        phrase = f"favours {thing} above any other {best['other'].casefold()}"
        return Statement("preference", key_of(thing), LIKES, phrase, thing, is_strong=True)
    kin = _RELATED.fullmatch(words)
    if kin and kin["whose"].casefold() in whose and (rest := _thing(kin["rest"], listener)):
        who = f"{kin['kin'].casefold()}{' ' + kin['called'] if kin['called'] else ''}"
        article = "an" if who[0] in "aeiou" else "a"
        kind = "family" if re.search(rf"\b(?:{_PEOPLE})\b", who) else "belongings"
        return Statement(kind, key_of(who), LIKES, f"has {article} {who} who {rest}", who)
    return None


def _statement(
    row: _Row, match: re.Match[str], how: str, *, is_own: bool, listener: str
) -> Statement | None:
    slots = {
        key: _thing(value, listener if is_own else "", is_own=is_own)
        for key, value in match.groupdict().items()
        if value is not None
    }
    if not all(slots.values()):
        return None
    thing = slots["thing"]
    about = thing
    if row.kind in ("family", "belongings"):
        # "A brother Tom who sings" is known as he is where somebody says "my brother Tom".
        about, _, does = thing.partition(" who ")
        kin = re.search(rf"\b(?:{_PEOPLE})s?\b", about) if row.kind == "family" else None
        about = kin[0] if kin and not does else about
    return Statement(
        kind=row.kind,
        key=row.kind if row.kind in SINGLE else key_of(about),
        stance=row.stance,
        phrase=row.phrase.format(**slots),
        thing=thing,
        is_strong="s" in row.marks or bool(_STRONG.search(how)),
        is_change="c" in row.marks,
        is_taste="t" in row.marks,
        is_hearsay=bool(_HEARSAY.search(how)),
    )


def _without_tail(words: str) -> str:
    end = len(words)
    while found := _TAIL.search(words, max(0, end - TAIL_LENGTH), end):
        end = found.start()
    return words[:end]


def _thing(words: str, listener: str, *, is_own: bool = True) -> str:
    """Return what something is about, clean and short; "" if it is nothing that can be named."""
    words = _without_tail(_END.sub("", words).strip(" .,;:!-"))
    if listener:
        words = re.sub(rf",? {re.escape(listener)}\Z", "", words, flags=re.I)
    words = _MEASURE.sub("", words, count=1)
    words = reply.printable(words, max_length=THING_LENGTH).strip(" .,;:!-\"'")
    if words.casefold() in _EMPTY or len(words.split()) > THING_WORDS:
        return ""
    return third_person(words, listener) if is_own else words
