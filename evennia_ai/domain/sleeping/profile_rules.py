"""Lasting knowledge of a person, by rules: what several observations of them have in common.

A mind without a model answers the job `consolidate` with it. Nothing is made up: each part of a value was
observed, and names the observations.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Iterable, NamedTuple

from evennia_ai.domain import statements
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.statements import DISLIKES, LIKES, ONCE, SINGLE, Statement

# Parts of one value: more would be a list, and no description.
PARTS = 4
# Observations that have to share a word before it is what somebody often talks of.
THEME_OBSERVATIONS = 3
THEMES = 2
# What a repeated like or dislike adds up to.
REPEATED = 2


class _Held(NamedTuple):
    """A statement, the observations it rests on, and how often it was made."""

    statement: Statement
    evidence: tuple[int, ...]
    weight: int
    is_new: bool


def draw(context: dict[str, Any]) -> list[dict[str, Any]]:
    """Return lasting knowledge as [{"type", "value", "evidence", "replaces"}].

    The context has `name` and `listener` (the one who remembers); `observations` of {"id",
    "content", "is_hearsay"}, oldest first; `known` of {"id", "type", "value", "evidence"}, which what
    is new may replace; `background` of {"type", "value"}, which need not be said again.
    """
    told = _told(context.get("background") or (), context["name"])
    held = [*_of_known(context), *_of_observations(context)]
    kinds = list(dict.fromkeys(one.statement.kind for one in held if one.is_new))
    found = []
    for kind in kinds:
        about = [one for one in held if one.statement.kind == kind]
        parts = [part for part in _parts(about) if _sense(part.statement) not in told]
        if parts:
            found.append(_attribute(kind, parts, context))
    return found


def _of_known(context: dict[str, Any]) -> list[_Held]:
    held = []
    for known in context.get("known") or ():
        for statement in _readable(known, context["name"]) or ():
            weight = REPEATED if statement.is_strong else 1
            held.append(_Held(statement, tuple(known["evidence"]), weight, is_new=False))
    return held


def _of_observations(context: dict[str, Any]) -> list[_Held]:
    held = []
    for observed in context["observations"]:
        read = statements.read_observation(
            observed["content"], name=context["name"], listener=context.get("listener") or ""
        )
        for statement in read:
            hearsay = statement.is_hearsay or bool(observed.get("is_hearsay"))
            strong = REPEATED if statement.is_strong and statement.stance != ONCE else 1
            evidence = (observed["id"],)
            held.append(_Held(statement._replace(is_hearsay=hearsay), evidence, strong, True))
    return [*held, *_themes(context, held)]


def _readable(known: dict[str, Any], name: str) -> list[Statement] | None:
    """Return what a value says, or None unless the rules can read all of it."""
    value = str(known["value"])
    read = statements.read(value, name=name)
    is_whole = _plain(value) == _plain(", ".join(one.phrase for one in read))
    return read if is_whole and all(one.kind == known["type"] for one in read) else None


def _plain(value: str) -> str:
    return re.sub(r"\b(?:strongly|actively|reportedly|very) ", "", value.casefold()).strip(" .")


def _told(background: Iterable[dict[str, Any]], name: str) -> set[tuple[str, str, int, str]]:
    return {
        _sense(statement)
        for known in background
        for statement in statements.read(str(known["value"]), name=name)
    }


def _sense(statement: Statement) -> tuple[str, str, int, str]:
    # Two homes have one key: what tells them apart is the thing.
    thing = statements.key_of(statement.thing) if statement.kind in SINGLE else ""
    return (statement.kind, statement.key, statement.stance, thing)


def _parts(about: list[_Held]) -> list[_Held]:
    """Return what holds of each thing: weightiest first, likes before dislikes before the past."""
    by_key: dict[str, list[_Held]] = {}
    for one in about:
        by_key.setdefault(one.statement.key, []).append(one)
    parts = [_settled(group) for group in by_key.values()]
    order = {LIKES: 0, DISLIKES: 1, ONCE: 2}
    latest = {id(one): place for place, one in enumerate(parts)}
    parts.sort(key=lambda one: (-one.weight, -latest[id(one)]))
    kept = parts[:PARTS]
    return sorted(kept, key=lambda one: (one.statement.is_hearsay, order[one.statement.stance]))


def _settled(group: list[_Held]) -> _Held:
    """Return what holds of one thing: own words before hearsay, change before number, number first."""
    direct = [one for one in group if not one.statement.is_hearsay] or group
    last = direct[-1]
    if last.statement.kind in SINGLE:
        agreeing = [one for one in direct if _sense(one.statement) == _sense(last.statement)]
    elif last.statement.is_change or last.statement.stance == ONCE:
        agreeing = [one for one in direct if one.statement.stance == last.statement.stance]
    else:
        votes: Counter[int] = Counter()
        for one in direct:
            votes[one.statement.stance] += one.weight
        most = max(votes.values())
        winners = {stance for stance, count in votes.items() if count == most}
        stance = last.statement.stance if last.statement.stance in winners else winners.pop()
        agreeing = [one for one in direct if one.statement.stance == stance]
    strongest = max(agreeing, key=lambda one: (one.statement.is_strong, one is agreeing[-1]))
    evidence = sorted({number for one in agreeing for number in one.evidence})
    weight = sum(one.weight for one in agreeing)
    is_new = any(one.is_new for one in agreeing)
    return _Held(_worded(strongest.statement, agreeing), tuple(evidence), weight, is_new)


def _worded(strongest: Statement, agreeing: list[_Held]) -> Statement:
    """Return a statement with the words for how often and how firmly it was made."""
    if strongest.kind != "preference" or strongest.stance == ONCE:
        return strongest
    times = sum(one.weight for one in agreeing)
    is_told_twice = len(agreeing) > 1 or times > REPEATED
    phrase, thing = strongest.phrase, strongest.thing
    # A verb that is strong by itself stands as it was said.
    is_firm = strongest.is_strong and phrase.startswith(("prefers", "likes", "dislikes"))
    if not (is_told_twice or is_firm) or phrase.startswith(("favours", "never")):
        return strongest
    is_taste = any(one.statement.is_taste for one in agreeing)
    if strongest.stance == DISLIKES:
        phrase = f"actively dislikes {thing}"
    else:
        phrase = f"strongly prefers {thing}" if is_taste else f"is very fond of {thing}"
    return strongest._replace(phrase=phrase, is_strong=True)


def _attribute(kind: str, parts: list[_Held], context: dict[str, Any]) -> dict[str, Any]:
    phrases = [
        f"reportedly {one.statement.phrase}" if one.statement.is_hearsay else one.statement.phrase
        for one in parts
    ]
    value = ", ".join(phrases)
    replaced = [
        known["id"]
        for known in context.get("known") or ()
        if known["type"] == kind and _readable(known, context["name"])
    ]
    return {
        "type": kind,
        "value": value[0].upper() + value[1:],
        "evidence": sorted({number for one in parts for number in one.evidence}),
        "replaces": replaced,
    }


def _themes(context: dict[str, Any], held: list[_Held]) -> list[_Held]:
    """Return what observations keep coming back to, unless it is known what somebody makes of it."""
    names = {*retrieval.terms(context["name"]), *retrieval.terms(context.get("listener") or "")}
    told = names | _made_something_of(held)
    places: dict[str, set[int]] = {}
    shown: dict[str, Counter[str]] = {}
    for observed in context["observations"]:
        for match in _NOUN.finditer(statements.words_of(observed["content"])):
            for term in retrieval.terms(match["noun"], language="en"):
                if term not in told and not retrieval.is_weak(term):
                    places.setdefault(term, set()).add(observed["id"])
                    the = "the " if match["opener"].casefold() == "the" else ""
                    shown.setdefault(term, Counter())[the + match["noun"]] += 1
    often = [term for term in places if len(places[term]) >= THEME_OBSERVATIONS]
    often.sort(key=lambda term: -len(places[term]))
    return [
        _theme(term, shown[term].most_common(1)[0][0], tuple(sorted(places[term])))
        for term in often[:THEMES]
    ]


def _made_something_of(held: list[_Held]) -> set[str]:
    """Return the terms of likes, and of what is said so often that it is no theme but a fact."""
    about: dict[tuple[str, str], set[int]] = {}
    for one in held:
        about.setdefault((one.statement.kind, one.statement.key), set()).update(one.evidence)
    return {
        term
        for one in held
        if one.statement.kind == "preference"
        or len(about[one.statement.kind, one.statement.key]) >= THEME_OBSERVATIONS
        for term in retrieval.terms(one.statement.thing, language="en")
    }


def _theme(term: str, thing: str, evidence: tuple[int, ...]) -> _Held:
    statement = Statement("theme", term, LIKES, f"often talks of {thing}", thing)
    return _Held(statement, evidence, len(evidence), True)


# A thing follows one of these.
_NOUN = re.compile(
    r"\b(?P<opener>the|an?|my|your|our|his|her|their|this|that|these|those|some|of|about)"
    r" (?:old |new |big |great |little )?(?P<noun>[^\W\d_][\w-]*)",
    re.I,
)
