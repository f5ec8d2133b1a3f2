"""How an NPC without a model words what it knows: lore as its own, somebody's words as theirs, once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from evennia_ai.core import languages
from evennia_ai.domain.memories import promises, retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline import knowledge
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.voice import QUOTE_LENGTH, REPLY_LENGTH, Scene, is_same, quoted

# Characters of a persona's first sentence that an NPC says of itself.
SELF_LENGTH = 140

# A sentence that goes on about "you" or "she" would be nonsense after "I am", and what is secret is
# not said to everybody who asks.
_NOT_OF_ONESELF = re.compile(
    r"\b(?:you|your|he|she|his|her|they|their|du|din|ditt|hans|hennes|han|hon"
    r"|secret\w*|hemlig\w*)\b",
    re.I,
)
# How verbs that follow a name go on after "I"; all others do not change, or end in "s".
_FIRST_PERSON = {"is": "am", "was": "was", "has": "have", "does": "do", "goes": "go"}
_PRESENT = re.compile(
    r"(?:(?:keep|sell|brew|mend|live|work|love|hate|fear|like|know|own|make|buy|run|serve|teach|lead|guard|tend|hunt"
    r"|bake|cook|heal|collect|rent|speak|sleep|play|sing|want|need|remember|believe|distrust|trust|dislike|favour|dream|talk|hope|drink"
    r"|eat|wear|carry|repair|forge|trade|offer|charge|take|give|lend|hold|hide|come|stand|rule|dream|hope"
    r"|prefer|think|write|read|ride|fish|farm|raise|grow|train|fight|craft|build|open|close|start|stop|wake)s"
    r"|(?:watch|teach|fish|wash|cross|miss|fix)es|carries|marries|studies)\b"
)
_PAST = re.compile(
    r"\w+ed|came|went|built|fought|lost|found|made|left|kept|taught|bought|took|saw|knew|never|often"
)
# "… since he was thirty" goes on about whom the sentence began with.
_AFTERWARDS = re.compile(r"\b(since|when|until|before|after|because|while) (?:he|she) (\w+)")
_THEIRS = {
    "en": {"his": "my", "her": "my", "himself": "myself", "herself": "myself"},
    "sv": {"sin": "min", "sitt": "mitt", "sina": "mina", "sig": "mig"},
}


def tell(scene: Scene, facts: Sequence[Fact]) -> str:
    """Return facts as the NPC tells them: what one person said in one pair of quotation marks."""
    if not facts:
        return ""
    first = facts[0]
    texts = [_worded(scene, fact) for fact in facts if fact.by == first.by]
    is_repeated = any(scene.has_said(text.rstrip(".")) for text in texts[:1])
    said = _joined(texts)
    key, slots = _told_as(scene, first, said)
    if not is_repeated:
        return scene.line(key, **slots)
    plain = "{text}" if key == "insight" else scene.table(key)[0]
    return scene.line("again", text=scene.fill(plain, **slots))


def _worded(scene: Scene, fact: Fact) -> str:
    passage = reply.printable(fact.text, max_length=QUOTE_LENGTH).replace('"', "'")
    # What was concluded is asked for again by its words ("why?"); what was promised is quoted.
    return (
        passage
        if fact.by or knowledge.is_insight(fact) or knowledge.is_promise(fact)
        else in_first_person(scene, in_second_person(scene, passage))
    )


def _joined(texts: Sequence[str]) -> str:
    """Return sentences in a row, as many as fit into one reply."""
    said = ""
    for text in texts:
        if not said or len(said) + 2 + len(text) <= REPLY_LENGTH - QUOTE_LENGTH // 2:
            said = f"{stopped(said)} {text}" if said else text
    return said


_KEYS = {
    **dict.fromkeys(("journal", "deed", "done", "note"), "journal"),
    "insight": "insight",
}


def _told_as(scene: Scene, fact: Fact, said: str) -> tuple[str, dict[str, str]]:
    """Return phrase and slots: lore as own knowledge, hearsay with its source."""
    if not fact.by:
        kind = str((fact.memory or {}).get("kind") or "lore")
        if kind in (promises.OPEN, promises.LAPSED):
            whom = reply.printable(str((fact.memory or {}).get("by") or ""), max_length=40)
            is_own = not whom or is_same(whom, scene.name)
            return f"{kind}_self" if is_own else kind, {"text": quoted(said), "by": whom}
        key = _KEYS.get(kind, "lore")
        return key, {"text": stopped(said)}
    heard = str((fact.memory or {}).get("heard") or "")
    if is_same(fact.by, scene.name):
        return "overheard_self" if heard == "overheard" else "told_self", {"text": said}
    by = reply.printable(fact.by, max_length=40) or scene.table("somebody")[0]
    return heard or "told", {"text": said, "by": by}


def reason(scene: Scene, memory: Mapping[str, Any]) -> str:
    """Return one memory as a reason, in the plainest words."""
    words = knowledge.own_words(scene, dict(memory), str(memory.get("text") or ""))
    by = str(memory.get("by") or "") if knowledge.is_said(dict(memory)) else ""
    key, slots = _told_as(scene, Fact(words, by, memory), words)
    return scene.fill(scene.table(key)[0], **slots)


def in_first_person(scene: Scene, sentence: str) -> str:
    """Return what was written of the NPC as it says it itself; only where that is plain to do.

    >>> in_first_person(Scene({"npc": {"name": "Borin"}}), "Borin is old and sells his swords.")
    'I am old and sell my swords.'
    """
    name = scene.own_name
    if not name or not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence):
        return sentence
    own = re.escape(name)
    if rules := languages.load(scene.language).first_person:
        return _by_rules(own, sentence, languages.load(scene.language).i, rules)
    is_swedish = scene.language == "sv"
    i, my = ("jag", "min") if is_swedish else ("I", "my")
    if is_swedish:
        said = re.sub(rf"\b{own}(?= (?:är|har|bor|\w+(?:r|de|te|sa|la|tt)\b))", i, sentence)
    else:
        said = re.sub(rf"\b{own}['’]s?(?= \w)", my, sentence)
        said = re.sub(rf"\b{own} (\w+)", lambda match: _verb(match, i), said)
    if said == sentence:
        return sentence
    if said.startswith((i, my)):
        for theirs, mine in _THEIRS["sv" if is_swedish else "en"].items():
            said = re.sub(rf"\b{theirs}\b", mine, said)
        if not is_swedish:
            said = _AFTERWARDS.sub(lambda one: f"{one[1]} {_verb(one, i, at=2)}", said)
        if said.startswith("I "):
            said = re.sub(
                rf"(?<=\band )(has|is|{_PRESENT.pattern})",
                lambda one: _FIRST_PERSON.get(one[1]) or _bare(one[1]),
                said,
            )
    return said[:1].upper() + said[1:]


def _by_rules(own: str, sentence: str, i: str, rules: Mapping[str, str]) -> str:
    """Return a sentence that begins with a name as the one it names says it, where its verb is known."""
    match = re.match(rf"{own} (?=(?:{'|'.join(rules)})\b)", sentence)
    if not match:
        return sentence
    rest = sentence[match.end() :]
    words = re.sub(rf"\b(?:{'|'.join(rules)})\b", lambda one: rules[one[0]], rest)
    return f"{i[:1].upper()}{i[1:]} {words}"


def in_second_person(scene: Scene, sentence: str) -> str:
    """Return what is known of whom the NPC speaks with as it says it to them: "You like tea."."""
    if scene.language != "en":
        return sentence
    if not sentence.startswith(f"{scene.name} "):
        done = rf"\A({re.escape(scene.own_name)} \w+) {re.escape(scene.name)}(?!\w)"
        return re.sub(done, r"\1 you", sentence)
    match = re.match(rf"{re.escape(scene.name)} (?:(\w+ly) )?(\w+)", sentence)
    if not match:
        return sentence
    verb = "are" if match[2] == "is" else _FIRST_PERSON.get(match[2]) or _plain_verb(match[2])
    how = f"{match[1]} " if match[1] else ""
    rest = re.sub(r"\b(?:his|her|their)\b", "your", sentence[match.end() :])
    return f"You {how}{'were' if verb == 'was' else verb}{rest}" if verb else sentence


def _plain_verb(verb: str) -> str:
    """Return a verb as it stands after "I" and "you", "" if that cannot be told."""
    if re.fullmatch(r"[a-z]{2,}[^sui]s", verb):
        return _bare(verb)
    return verb if _PAST.fullmatch(verb) else ""


def _verb(match: re.Match[str], subject: str, *, at: int = 1) -> str:
    verb = _FIRST_PERSON.get(match[at]) or _plain_verb(match[at])
    return f"{subject} {verb or match[at]}" if verb or at > 1 else match[0]


def _bare(verb: str) -> str:
    if verb.endswith("ies") and len(verb) > len("dies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if re.search(r"(?:ch|sh|ss|x)es\Z", verb) else verb[:-1]


def self_description(scene: Scene) -> str:
    """Return what stands after "I am": the first sentence of the persona, if it can be said so."""
    name = scene.own_name or scene.table("somebody")[0]
    persona = retrieval.sentences(str(scene.npc.get("persona") or ""))
    first = reply.printable(persona[0], max_length=SELF_LENGTH).rstrip(". ") if persona else ""
    start = rf"\A(?:you are|you're|i am|i'm|{re.escape(name)} (?:is|är|ist)|(?:she|he) is|du är|jag är|du bist|ich bin)\s+"
    rest = re.sub(start, "", first, flags=re.I)
    if not first or first.endswith("…") or _NOT_OF_ONESELF.search(rest):
        return name
    if rest == first and not re.match(
        r"(?:an?|the|en|ett|eine?) (?!.* (?:is|was|has|har|är|ist|hat) )", first, re.I
    ):
        return first if first.startswith(f"{name},") else name
    if rest == first:
        rest = rest[0].lower() + rest[1:]
    return rest if rest.startswith(name) else f"{name}, {rest}"


def stopped(sentence: str) -> str:
    """Return a sentence with its full stop."""
    return sentence if sentence.endswith((".", "!", "?", "…", "'")) else f"{sentence}."
