"""What a conversation was about, by rules: who talked, of what, and the words that tell most.

Nothing is put into other words than whoever spoke has used, so that nothing is made up; each
sentence says whom it is from.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Iterable

from evennia_ai.core import languages
from evennia_ai.core.words import stem
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.conversation import SUMMARY
from evennia_ai.domain.model_text import reply, tokens
from evennia_ai.domain.offline import utterances
from evennia_ai.domain.sleeping import compaction, importance

# What a mind without a model reads of a line: plain data.
Plain = dict[str, Any]

# Things that the first sentence names.
TOPICS = 3
# Two sentences that share this part of their words say the same.
SAME_SHARE = 0.8
# Facts that one stretch of talk may give.
MAX_FACTS = 10
# Characters of one reported sentence.
LENGTH = 300

_VERBS = {"whisper": "whispered", "tell": "told {npc}", "channel": "said on the channel"}
# Words with which a sentence may go on after "that": none of them is a name.
_PLAIN_STARTS = frozenset(
    """a all an every everybody everyone few he her his if in it its many most near no nobody nothing
    on one our over several she some somebody someone the their there they three two under when
    where""".split()
)
# Whoever reports these words in their own mouth would say something else.
_NUMBER = re.compile(r"\d+")
_DEICTIC = re.compile(
    r"\b(?:i|me|my|mine|myself|we|us|our|ours|you|your|yours|yourself|here|now|this|these|today"
    r"|tonight|tomorrow|yesterday)\b|[\"“”„»«]",
    re.I,
)
_PROMISE = re.compile(
    r"\b(?:I(?:'ll|’ll| will| shall| promise| swear)|we(?:'ll|’ll| will))\b", re.I
)
_THING = re.compile(r"\b(?:the|an?|his|her|their|my|your) ([^\W\d_]+)(?: ([^\W\d_]+))?", re.I)
# A sentence together with the quotation mark behind it.
_SENTENCE = re.compile(r".+?(?:(?<![.!?…])[.!?…]+[\"”’']?(?=\s|\Z)|\Z)")
_NAME = re.compile(r"(?<=[^\W_][ ,] )[A-Z][^\W\d_]+|(?<=[^\W_] )[A-Z][^\W\d_]+")
# What ends so after a noun is rather what it does than what it is.
_VERB_ENDINGS = ("s", "ed", "ing", "ly")
_VERB_STEMS = languages.Words("retrieval.verbs", stemmed=True)


def summarise(lines: list[Plain], *, person: str, npc: str, limit: int) -> str:
    """Return a summary of at most `limit` tokens.

    A line is {"name", "text", "kind", "mine"}; an earlier summary is a line of kind "summary".
    """
    said = [line for line in lines if line["kind"] != SUMMARY]
    text = _opening(said, person=person, npc=npc)
    candidates = _candidates(lines, person=person, npc=npc)
    chosen: list[int] = []
    best = sorted(range(len(candidates)), key=lambda index: (-candidates[index][0], index))
    for index in best:
        together = " ".join(candidates[one][1] for one in sorted([*chosen, index]))
        if tokens.estimate(f"{text} {together}") <= limit:
            chosen.append(index)
    return " ".join([text, *(candidates[index][1] for index in sorted(chosen))])


def facts(lines: Iterable[Plain], *, npc: str) -> list[str]:
    """Return what others said about the world, each a sentence that names who said it."""
    found: list[str] = []
    for line in lines:
        if line["mine"] or line["kind"] == SUMMARY:
            continue
        for sentence in _told(line, npc):
            if not is_about(sentence, npc) and not _is_known(sentence, found):
                found.append(reported(line, sentence, npc=npc))
    return found[:MAX_FACTS]


def reported(line: Plain, sentence: str, *, npc: str) -> str:
    """Return a sentence of somebody as others report it: in indirect speech where that is safe."""
    plain = " ".join(sentence.split())[:LENGTH].strip(" \"'“”„»«")
    # Whoever bears the assistant's name is somebody else all the same.
    is_namesake = not line["mine"] and line["name"].casefold() == npc.casefold()
    name = f"Another {line['name']}" if is_namesake else line["name"]
    if line["kind"] == "pose":
        return _ended(plain)
    verb = _VERBS.get(line["kind"], "said").replace("{npc}", npc)
    first, _, rest = plain.partition(" ")
    if first.casefold() in _PLAIN_STARTS and rest and not _DEICTIC.search(plain):
        return f"{name} {verb} that {_ended(f'{first.lower()} {rest}'.rstrip('.!'))}"
    # The stop stands behind the quotation: whoever takes the text apart finds whole sentences.
    inner = re.sub('["“”„»«]', "'", plain).rstrip(".!")
    return f'{name} {verb}: "{inner}".'


def is_about(sentence: str, npc: str) -> bool:
    """Return whether a sentence is about the assistant itself: such a thing is never a fact."""
    names = rf"{re.escape(npc)}|" if npc else ""
    return bool(re.match(rf"\W*(?:{names}the assistant|you|your|yours)\b", sentence, re.I))


def told(text: str, *, person: str, npc: str) -> str:
    """Return a summary without the sentence that only says who talked, if it says more."""
    return " ".join(_without_opening(text, person=person, npc=npc)) or text


def shortened(text: str, limit: int) -> str:
    """Return the first sentences of a text that have at most `limit` tokens; one at least, cut."""
    kept: list[str] = []
    # No token has so many characters; what a model wrote may hold what nobody can read or store.
    text = reply.printable(text, max_length=limit * 8)
    for sentence in _sentences(text):
        if tokens.estimate(" ".join([*kept, sentence])) > limit:
            break
        kept.append(sentence)
    if kept:
        return " ".join(kept)
    # What has no end of a sentence is cut at a word.
    cut = text[: int(limit * tokens.ASCII_PER_TOKEN)]
    while (size := tokens.estimate(cut)) > limit:
        cut = cut[: len(cut) * limit // size]
    return cut.rpartition(" ")[0] or cut


def _told(line: Plain, npc: str) -> list[str]:
    """Return what a line tells, without the name of the assistant that it calls."""
    called = (
        utterances.without_call(one, names=[npc]) for one in compaction.statements(line["text"])
    )
    return [sentence for sentence in called if compaction.statements(sentence)]


def _sentences(text: str) -> list[str]:
    return [match.group().strip() for match in _SENTENCE.finditer(" ".join(text.split()))]


def _without_opening(text: str, *, person: str, npc: str) -> list[str]:
    return [one for one in _sentences(text) if not one.startswith(f"{person} and {npc} talked")]


def _opening(lines: list[Plain], *, person: str, npc: str) -> str:
    topics = _topics(lines, names={person.casefold(), npc.casefold()})
    if not topics:
        return f"{person} and {npc} talked."
    listed = topics[0] if len(topics) == 1 else f"{', '.join(topics[:-1])} and {topics[-1]}"
    return f"{person} and {npc} talked about {listed}."


def _topics(lines: list[Plain], *, names: set[str]) -> list[str]:
    """Return the things that were named most, as they were called."""
    counted: Counter[str] = Counter()
    for line in lines:
        found = [(one.start(), _thing(one)) for one in _THING.finditer(line["text"])]
        named = [(one.start(), one.group()) for one in _NAME.finditer(line["text"])]
        counted.update(list(dict.fromkeys(one for _, one in sorted(found + named) if one)))
    known = [thing for thing, _ in counted.most_common() if thing.casefold() not in names]
    chosen: list[str] = []
    for thing in known:
        if not any(_stems(thing) & _stems(other) for other in chosen):
            chosen.append(thing)
    return chosen[:TOPICS]


def _thing(match: re.Match[str]) -> str:
    """Return the noun after an article, with the word before it where that is no verb."""
    first, second = match[1].casefold(), match[2] or ""
    # "My brother Tom" is a brother, whatever his name is.
    second = second if second.islower() else ""
    if _names_something(first):
        is_pair = _names_something(second) and not second.endswith(_VERB_ENDINGS)
        return f"the {first} {second}" if is_pair else f"the {first}"
    is_described = retrieval.is_weak(first) and _names_something(second)
    return f"the {first} {second}" if is_described else ""


def _stems(thing: str) -> set[str]:
    return {stem(word, "en") for word in thing.casefold().split()} - {stem("the", "en")}


def _names_something(word: str) -> bool:
    stems = retrieval.terms(word, language="en")
    return bool(stems) and not retrieval.is_weak(stems[0]) and stems[0] not in _VERB_STEMS


def _candidates(lines: list[Plain], *, person: str, npc: str) -> list[tuple[float, str]]:
    """Return what may be reported, in the order in which it was said: (how telling, sentence)."""
    found: list[tuple[float, str]] = []
    for line in lines:
        if line["kind"] == SUMMARY:
            worded = _without_opening(line["text"], person=person, npc=npc)
        elif line["kind"] == "thought":
            worded = []
        else:
            # Of its own words it need only know what it has promised.
            fresh = [one for one in _told(line, npc) if not line["mine"] or _PROMISE.search(one)]
            worded = [reported(line, one, npc=npc) for one in fresh]
        for sentence in worded:
            if not _is_known(sentence, [known for _, known in found]):
                found.append((_worth(sentence), sentence))
    return found


def _worth(sentence: str) -> float:
    stems = {term for term in retrieval.terms(sentence) if not retrieval.is_weak(term)}
    return importance.score_importance_heuristic(sentence, "inference") + min(len(stems), 8) / 2


def _is_known(sentence: str, others: Iterable[str]) -> bool:
    """Return whether nearly the same words are there: but twelve barrels are not thirteen."""
    own, numbers = set(retrieval.terms(sentence)), _NUMBER.findall(sentence)
    return any(
        len(own & set(retrieval.terms(other))) >= SAME_SHARE * max(len(own), 1)
        and _NUMBER.findall(other) == numbers
        for other in others
    )


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."
