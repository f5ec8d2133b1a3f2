"""Summaries of a conversation, by rules: who talked, of what, and its most telling words.

Nothing is put into other words than whoever spoke has used, so that nothing is made up; each
sentence says whom it is from.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Iterable

from evennia_ai.core import languages, name_patterns
from evennia_ai.core.talk import POSE
from evennia_ai.core.words import stem
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.conversation import SUMMARY
from evennia_ai.domain.model_text import reply, tokens
from evennia_ai.domain.offline import reading
from evennia_ai.domain.sleeping import compaction_rules, importance

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

# Words with which a sentence may go on after "that": none of them is a name.
_PLAIN_STARTS = languages.Words("summary.starts")
# Whoever reports these words in their own mouth would say something else.
_NUMBER = re.compile(r"\d+")
_DEICTIC = languages.Pattern("summary.deictic", of_words=True)
_MARK = re.compile('["“”„»«]')
_PROMISE = languages.Pattern("summary.promises", of_words=True)
_THING = languages.Pattern("summary.thing")
_TO_IT = languages.Pattern("summary.to_it", of_words=True)
# A sentence together with the quotation mark behind it.
_SENTENCE = re.compile(r".+?(?:(?<![.!?…])[.!?…]+[\"”’']?(?=\s|\Z)|\Z)")
_NAME = re.compile(r"(?<=[^\W_][ ,] )[A-ZÅÄÖÜ][^\W\d_]+|(?<=[^\W_] )[A-ZÅÄÖÜ][^\W\d_]+")
# What ends so after a noun is rather what it does than what it is.
_DOES = languages.Pattern("summary.does")
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
                said = reported(line, sentence, npc=npc)
                # Marks of quotation in it are others as it is reported.
                found += [said] if said not in found else []
    return found[:MAX_FACTS]


def reported(line: Plain, sentence: str, *, npc: str) -> str:
    """Return a sentence of somebody as others report it: in indirect speech where that is safe."""
    plain = " ".join(sentence.split())[:LENGTH].strip(" \"'“”„»«")
    # Whoever bears the assistant's name is somebody else all the same.
    is_namesake = not line["mine"] and line["name"].casefold() == npc.casefold()
    another = languages.text("reports", "another").replace("{name}", line["name"])
    name = another if is_namesake else line["name"]
    if line["kind"] == POSE and name_patterns.is_in(rf"\A{name_patterns.NAME}(?!\w)", name, plain):
        return _ended(plain)
    how = line["kind"] if line["kind"] in languages.load(languages.DEFAULT).reports else "said"
    verb = languages.text("reports", how).replace("{npc}", npc)
    first, _, rest = plain.partition(" ")
    is_plain = not _DEICTIC.search(plain) and not _MARK.search(plain)
    if first.casefold() in _PLAIN_STARTS and rest and is_plain:
        return f"{name} {verb} {languages.text('reports', 'that')} {_ended(f'{first.lower()} {rest}'.rstrip('.!'))}"
    # The stop stands behind the quotation: whoever takes the text apart finds whole sentences.
    inner = re.sub('["“”„»«]', "'", plain).rstrip(".!")
    return f'{name} {verb}: "{inner}".'


def is_about(sentence: str, npc: str) -> bool:
    """Return whether a sentence is about the assistant itself: such a thing is never a fact."""
    bare = sentence.lstrip("".join(set(sentence) - set(re.findall(r"\w", sentence))))
    is_named = npc and re.match(rf"{re.escape(npc)}\b", bare, re.I)
    return bool(is_named or _TO_IT.match(bare))


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
        reading.without_call(one, names=[npc]) for one in compaction_rules.statements(line["text"])
    )
    return [sentence for sentence in called if compaction_rules.statements(sentence)]


def _sentences(text: str) -> list[str]:
    return [match.group().strip() for match in _SENTENCE.finditer(" ".join(text.split()))]


def _without_opening(text: str, *, person: str, npc: str) -> list[str]:
    talked = _filled("talked", person=person, npc=npc)
    return [one for one in _sentences(text) if not one.startswith(talked)]


def _opening(lines: list[Plain], *, person: str, npc: str) -> str:
    topics = _topics(lines, names={person.casefold(), npc.casefold()})
    if not topics:
        return f"{_filled('talked', person=person, npc=npc)}."
    *first, last = topics
    both = languages.phrase(languages.written(), "and")[0]
    things = f"{', '.join(first)} {both} {last}" if first else last
    return f"{_filled('about', person=person, npc=npc, things=things)}."


def _filled(key: str, **slots: str) -> str:
    """Return a report with its slots filled in one pass: what fills them is not read again."""
    report = languages.text("reports", key)
    return re.sub(r"\{(\w+)\}", lambda slot: slots.get(slot[1], ""), report)


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
    first, second = (*filter(None, match.groups()), "")[:2]
    first = first.casefold()
    # "My brother Tom" is a brother, whatever his name is.
    second = second if second.islower() else ""
    if _names_something(first):
        is_pair = _names_something(second) and not _DOES.fullmatch(second)
        return _called(f"{first} {second}" if is_pair else first)
    is_described = retrieval.is_weak(first) and _names_something(second)
    return _called(f"{first} {second}") if is_described else ""


def _called(noun: str) -> str:
    return languages.text("labels", "thing").replace("{noun}", noun)


def _stems(thing: str) -> set[str]:
    code = languages.written()
    article = languages.text("labels", "thing").replace("{noun}", "").strip()
    return {stem(word, code) for word in thing.casefold().split()} - {stem(article, code)}


def _names_something(word: str) -> bool:
    stems = retrieval.terms(word, language=languages.written())
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
