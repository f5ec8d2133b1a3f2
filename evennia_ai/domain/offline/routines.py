"""Answers without a model about the NPC's day, its errands, and the whereabouts of others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from evennia_ai.core import languages
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.offline.scene import Scene, is_same

_DOING = languages.Pattern("routines.doing")
_BACK = languages.Pattern("routines.back")
_WHERE = languages.Pattern("routines.where")
_YOU = languages.Words("answers.you")
_TAKE = languages.Pattern("errands.take")
_TAKE_TO = languages.Pattern("errands.take_to")
_ASKED = languages.Pattern("errands.asked")
_OFFER = languages.Pattern("errands.offer")
_US = languages.Words("small_talk.us")
# What may be meant of what the NPC has itself: "bring an ale to Bob".
_GIVE = re.compile(r"(?:give|hand|bring|bringe|deliver|gib|ge|räck|lämna)\b", re.I)

_ERRAND = {"taken": "errand_yes", "asked_for": "errand_give"}
# Words that may follow who is asked for: "where is Mara right now?".
AFTER = 2

# How the verb of a deed ("kneads dough") goes on after "I", by language: the first rule that fits.
_RULES: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        (r"is\b", "am"),
        (r"has\b", "have"),
        (r"(\w*[^aeiou\W])ies\b", r"\1y"),
        (r"(\w+(?:sh|ch|ss|x|zz|o))es\b", r"\1"),
        (r"(\w+[^s\W])s\b", r"\1"),
    ),
    "de": ((r"ist\b", "bin"), (r"hat\b", "habe"), (r"(\w+?)e?t\b", r"\1e")),
    "sv": ((r"(\w+)", r"\1"),),
}
_OWN = {
    "en": {
        "his": "my",
        "her": "my",
        "their": "my",
        "its": "my",
        "himself": "myself",
        "herself": "myself",
    },
    "de": {
        "seine": "meine",
        "ihre": "meine",
        "seinen": "meinen",
        "ihren": "meinen",
        "sich": "mich",
    },
    "sv": {"sin": "min", "sitt": "mitt", "sina": "mina", "sig": "mig"},
}


def asks_of_a_day(words: str) -> bool:
    """Return whether words ask what somebody does, where they are, or when they will be back."""
    return any(one.search(words) for one in (_DOING, _BACK, _WHERE))


def asks_of_errands(words: str) -> bool:
    """Return whether words ask what became of something that somebody was sent with."""
    return bool(_ASKED.search(words))


def answer(scene: Scene, text: str) -> str:
    """Return what the NPC says of its day or another's, "" if that is not asked, or it has none."""
    asks_where, asks_back = bool(_WHERE.search(text)), bool(_BACK.search(text))
    for other in scene.context.get("days") or () if asks_where or asks_back else ():
        name = _short(other.get("name"))
        is_meant = _is_asked_for(name, text, after=99 if asks_back else AFTER)
        if is_meant and not any(is_same(name, here) for here in scene.people_here):
            return _of_another(scene, other, name, asks_back=asks_back)
    own = scene.context.get("day") or {}
    if own.get("errand") and _DOING.search(text):
        return scene.line("errand_doing", text=_short(own["errand"]))
    if own and asks_back and any(word in _YOU for word in re.findall(r"\w+", text.casefold())):
        return _back(scene, own)
    return _doing(scene, own) if own and _DOING.search(text) else ""


def errand(scene: Scene, text: str) -> dict[str, str]:
    """Return what is asked to be brought to whom, as the tool `take_errand` has it; {} if nothing is."""
    match = _TAKE.search(text) or _TAKE_TO.search(text)
    if match is None or _ASKED.search(text):
        return {}
    item, target = match["item"].strip(), match["target"].strip()
    if item.casefold() in _US or target.casefold() in _US:
        return {}
    is_here = any(is_same(target, here) for here in scene.people_here)
    if _GIVE.match(match[0]) and (is_here or not _is_listed(scene, item)):
        return {}
    return {"thing": _short(item), "to": _short(target)}


def of_errands(scene: Scene, text: str) -> str:
    """Return what the NPC says of what it carries for others, or of what it was sent with; "" if neither is asked."""
    listed = scene.npc.get("errands") or ()
    if not listed:
        return ""
    last, asked = scene.context.get("errand_last") or {}, _ASKED.search(text)
    if last and asked is not None:
        said = {**asked.groupdict(), "thing": asked.groupdict().get("thing")}
        item = said.get("item") or said["thing"] or ""
        return _of_last(scene, last) if not item or _is_listed(scene, item) else ""
    if not _OFFER.search(text):
        return ""
    things = next((one for one in listed if one.startswith("things")), "")
    return scene.line("errand_offer", text=_short(things.partition(":")[2]))


def _of_last(scene: Scene, last: Mapping[str, Any]) -> str:
    how, whom = str(last.get("how")), _short(last.get("whom"))
    if how in ("done", "on_way", "waits"):
        return scene.line(f"errand_was_{how}", text=whom)
    with languages.reading(scene.language):
        line = languages.text("reports", f"errand_{how}")
    return line.replace("{name}", scene.name).replace("{person}", whom)


def _is_listed(scene: Scene, item: str) -> bool:
    """Return whether what is asked for may be what the NPC carries for others; "it" may be."""
    listed = next((one for one in scene.npc.get("errands") or () if one.startswith("things")), "")
    said = set(retrieval.terms(item, language=scene.language))
    return not said or bool(said & set(retrieval.terms(listed, language=scene.language)))


def of_errand(scene: Scene, arguments: Mapping[str, Any]) -> str:
    """Return what the NPC says once it was asked to bring something: that it will, or why not."""
    came = str(scene.context.get("errand") or "")
    whom = _short(scene.context.get("errand_to") or arguments.get("to"))
    line = _ERRAND.get(came, f"errand_{came}" if came else "refuse")
    again = scene.line("errand_again") if scene.context.get("errand_failed") else ""
    return f"{scene.line(line, text=whom)} {again}".strip()


def first_person(deed: str, language: str) -> str:
    """Return a deed as whoever does it says it: "kneads dough" is "knead dough"."""
    rules = _RULES.get(language, ())
    said = next(
        (re.sub(rule, verb, deed, count=1) for rule, verb in rules if re.match(rule, deed)), ""
    )
    own = _OWN.get(language, {})
    return re.sub(r"\b\w+\b", lambda match: own.get(match[0], match[0]), said)


def _is_asked_for(name: str, text: str, *, after: int) -> bool:
    """Return whether somebody is asked for, and not something of theirs or what they did."""
    called = "|".join(re.escape(part) for part in name.split() if len(part) > 2)
    rest = rf"(?:\W+\w+){{0,{after}}}\W*\Z"
    return bool(called and re.search(rf"\b(?:{called})(?!\w|['’]\w){rest}", text, re.I))


def _doing(scene: Scene, day: Mapping[str, Any]) -> str:
    if day.get("is_on_way"):
        return scene.line("day_on_way", text=_short(day.get("place")))
    deed = first_person(str(day.get("doing") or ""), scene.language)
    return scene.line("day_doing", text=_short(deed)) if deed else ""


def _back(scene: Scene, day: Mapping[str, Any]) -> str:
    if not day.get("next_at"):
        return ""
    if day.get("is_at_home"):
        return scene.line("day_here_until", by=str(day["next_at"]))
    return scene.line("day_back", text=_short(day.get("next_place")), by=str(day["next_at"]))


def _of_another(scene: Scene, day: Mapping[str, Any], name: str, *, asks_back: bool) -> str:
    if asks_back and day.get("next_at"):
        return scene.line("day_other_back", by=name, text=str(day["next_at"]))
    place = _short(day.get("place"))
    return scene.line("day_other_where", by=name, text=place) if place else ""


def _short(text: object) -> str:
    return reply.printable(str(text or ""), max_length=80)


def time_of_day(scene: Scene) -> str:
    """Return the time of day in the NPC's language."""
    words = reply.printable(str(scene.context.get("time") or ""), max_length=60)
    names = languages.load(scene.language).names
    words = ", ".join(names.get(part.casefold(), part) for part in words.split(", "))
    return scene.line("time", text=words) if words else scene.line("time_unknown")
