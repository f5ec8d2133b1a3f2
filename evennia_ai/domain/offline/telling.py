"""Facts that the mind without a model tells, as what they are: lore verbatim, others' words with their source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from evennia_ai.core import answer_kinds, languages, words
from evennia_ai.domain.memories import news_rules, passages, promises, retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import ranking, reading
from evennia_ai.domain.offline.scene import (
    NAME_LENGTH,
    QUOTE_LENGTH,
    REPLY_LENGTH,
    Scene,
    is_same,
    quoted,
)

# A gift, as it was noted; what was noted before a game changed its language is found, too.
_GIVEN = languages.Pattern("self_knowledge.given", also_english=True)
# "My", "our"; "your".
_MINE, _YOURS = languages.Words("ranking.mine"), languages.Words("ranking.yours")
# "What did I tell you", "what do I do for a living".
_OF_SPEAKER = languages.Pattern("telling.of_speaker", of_words=True)
# The stems of "sell", "price" and the like.
_OF_TRADE = languages.Words("self_knowledge.of_trade", stemmed=True)
_PROMISED = (promises.OPEN, promises.LAPSED, promises.REMINDER)
# Lines about wares that one answer tells.
WARES = 2
SAID = ("said", "claim", "pose")
# The score by words from which on lore names a ware: two lines about swords hold each other down.
NAMED = 0.2
LORE = "lore"
# Languages of which the packaged embedder knows what sentences mean.
MEANT = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())


class Fact(NamedTuple):
    """Something that the NPC may tell: whose words it is ("" for none), its kind, and how it was heard."""

    text: str
    by: str = ""
    kind: str = LORE
    heard: str = ""


def lore(scene: Scene) -> list[Fact]:
    """The passages of what the builder wrote for everybody, or for this speaker."""
    written = [str(text) for text in scene.context.get("lore") or ()]
    written += [one.text for one in _memories(scene, "memories") if one.kind == LORE]
    return [Fact(part) for text in dict.fromkeys(written) for part in _parts(text)]


def memories(scene: Scene) -> list[Fact]:
    """What came to mind, and what is known of the people that the line names."""
    found = [*_memories(scene, "memories"), *_memories(scene, "people")]
    known = (one for one in found if one.kind != LORE)
    told = (one for one in known if not (one.kind in SAID and _says_nothing(scene, one.text)))
    return list(dict.fromkeys(told))


def find(scene: Scene, question: str, *, least: float = ranking.SURE) -> Fact | None:
    """The fact that answers a question with at least this score, or None."""
    said = set(words.words(question))
    is_mine, is_yours = (any(one in said for one in some) for some in (_MINE, _YOURS))
    is_mine = is_mine or bool(_OF_SPEAKER.search(question))
    told = [one for one in memories(scene) if one.kind in SAID]
    others = [one for one in memories(scene) if one.kind not in SAID]
    if is_mine:
        # The speaker's brother is not in the NPC's lore.
        told = [one for one in told if is_same(one.by, scene.name)]
        others = [one for one in others if is_same(one.by, scene.name) or not one.by]
    else:
        others += lore(scene)
    alike = (scene.context.get("likeness") or {}).get(question)
    score, fact = _best(scene, question, others, likeness=alike, before=scene.before)
    if not is_yours:
        # What others said is told for its words alone, unless somebody asks about themselves.
        known = _best(scene, question, told, likeness=alike if is_mine else None)
        enough = score if is_mine else max(ranking.PLAIN, _best(scene, question, others)[0])
        score, fact = known if known[0] > enough else (score, fact)
    return fact if fact and score >= least else _told_last(scene, question, [*others, *told])


def _best(scene: Scene, question: str, facts: list[Fact], **how: Any) -> tuple[float, Fact | None]:
    by_text = {one.text: one for one in reversed(facts)}
    lines = list(reversed(by_text))
    # "What did Bob tell you about the mill?" is about the mill.
    named = [*scene.called, *(one.by for one in facts if one.by)]
    found = (
        ranking.best(question, lines, names=names, language=scene.language, **how)
        for names in (named, scene.called)
    )
    line, score = max(found, key=lambda one: one[1])
    return score, by_text.get(line)


def lines(scene: Scene) -> list[str]:
    """All lines among which `find` chooses."""
    return list(dict.fromkeys(one.text for one in (*lore(scene), *memories(scene))))


def _told_last(scene: Scene, question: str, facts: Iterable[Fact]) -> Fact | None:
    """The fact that was told last, if a question goes on about it: "and where is that?"."""
    kind = answer_kinds.wanted(question)
    if not (kind and scene.is_talking) or retrieval.things(question) - set(scene.called):
        return None
    last = next(iter(scene.own_lines[-1:]), "")
    told = (one for one in facts if one.text and one.text in last)
    return next((one for one in told if answer_kinds.is_likely(kind, one.text)), None)


def find_ware(scene: Scene, thing: str) -> Fact | None:
    """Lore about the sale of a thing, or None."""
    known = {one.text: one for one in _wares(scene)}
    line, score = ranking.best(thing, list(known), names=scene.called, language=scene.language)
    return known[line] if score >= NAMED else None


def of_kind(scene: Scene, *kinds: str) -> list[Fact]:
    return [one for one in memories(scene) if one.kind in kinds]


def wares(scene: Scene) -> list[Fact]:
    """Lore about what is for sale, as much as one answer tells."""
    return _wares(scene)[:WARES]


def _wares(scene: Scene) -> list[Fact]:
    return [
        one
        for one in lore(scene)
        if any(stem in _OF_TRADE for stem in retrieval.terms(one.text, language=scene.language))
    ]


def of_the_world(scene: Scene) -> Iterator[Fact]:
    """Lore that stands alone, to be told unasked."""
    return (one for one in lore(scene) if news_rules.stands_alone(one.text))


def tell(scene: Scene, fact: Fact) -> str:
    """A fact as the NPC tells it."""
    if gift := _gift(fact):
        by, thing = gift
        if is_same(by, scene.name):
            return scene.line("gave", text=thing)
        return scene.line("gave_by", by=by, text=thing)
    text, is_speakers = quoted(fact.text), is_same(fact.by, scene.name)
    if fact.kind in SAID:
        text = reading.without_call(text, names=scene.called)
    if fact.kind in _PROMISED:
        key = "lapsed" if fact.kind == promises.LAPSED else "promise"
        return scene.line(f"{key}_self" if is_speakers else key, by=fact.by, text=text)
    if fact.by:
        key = fact.heard if fact.heard in ("overheard", "rumour") else "told"
        if is_speakers:
            key = "overheard_self" if key == "overheard" else "told_self"
        return scene.line(key, by=fact.by, text=text)
    if fact.kind == LORE:
        return reply.printable(fact.text, max_length=REPLY_LENGTH)
    told = reply.printable(fact.text, max_length=REPLY_LENGTH)
    return scene.line("insight" if fact.kind == "insight" else "journal", text=told)


def reasons(scene: Scene) -> str:
    """What the last conclusion rests on, "" if nothing was asked for."""
    if not scene.context.get("asked_why"):
        return ""
    said = ""
    for fact in memories(scene):
        line = f"{said} {tell(scene, fact)}".strip()
        if said and len(line) > REPLY_LENGTH - 20:
            break
        said = line
    return scene.line("because", text=said) if said else ""


def _parts(text: str) -> Iterable[str]:
    """A short text whole, a longer one by sentences; one that goes on about the one before stands with it."""
    if len(text) <= QUOTE_LENGTH:
        return [text]
    parts: list[str] = []
    for sentence in retrieval.sentences(text):
        if parts and passages.goes_on(sentence) and len(parts[-1]) + len(sentence) < REPLY_LENGTH:
            parts[-1] = f"{parts[-1]} {sentence}"
        else:
            parts.append(sentence)
    return parts


def _memories(scene: Scene, key: str) -> list[Fact]:
    return [_fact(one) for one in scene.context.get(key) or ()]


def _fact(memory: Mapping[str, Any]) -> Fact:
    by = reply.printable(str(memory.get("by") or ""), max_length=NAME_LENGTH)
    kind = str(memory.get("kind") or ("said" if by else LORE))
    return Fact(str(memory.get("text") or ""), by, kind, str(memory.get("heard") or ""))


def _says_nothing(scene: Scene, text: str) -> bool:
    """True for a question, a greeting, or the line that is answered."""
    kind = reading.classify(text, names=scene.called).kind
    return kind in (*reading.ASKING, "greeting") or text in scene.heard


def _gift(fact: Fact) -> tuple[str, str] | None:
    """The giver and the thing of a note such as "Ann gives you a loaf."; None for other facts."""
    match = _GIVEN.search(fact.text) if fact.kind == "deed" else None
    by = fact.text[: match.start()].strip() if match else ""
    if not (match and by):
        return None
    return by[:NAME_LENGTH], reply.printable(match["thing"], max_length=NAME_LENGTH)
