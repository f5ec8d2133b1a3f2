"""The turn of an NPC without a model: a line, or a tool and then a line about its result.

It greets, parts, takes thanks, says who and where it is, tells what surely answers a question, does what it is
plainly asked to, and otherwise says that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from evennia_ai.core import languages, words
from evennia_ai.core.records import SPOKEN
from evennia_ai.domain import classification, sentiment
from evennia_ai.domain.memories import confidence, promises, retrieval
from evennia_ai.domain.model_text import quotation, reply
from evennia_ai.domain.offline import ranking, reading, routines, telling
from evennia_ai.domain.offline.reading import Utterance
from evennia_ai.domain.offline.scene import ARTICLE, Scene, is_same, quoted

# Characters of a thing's name, of what is seen, and of a description that the NPC says of itself.
THING_LENGTH = 60
LOOK_LENGTH = 220
SELF_LENGTH = 140
# Questions of one line that are looked into.
QUESTIONS = 3
# The score of a fact that tells of somebody who was seen.
SEEN = 0.8
# People here that are named.
NAMED = 6

_HOME = languages.Pattern("small_talk.home", of_words=True)
_ARTICLE = languages.Pattern("small_talk.article")
# "I need a healer" asks for what lore has of one.
_NEED = languages.Pattern("small_talk.need", of_words=True)
_US = languages.Words("small_talk.us")
# "Something", "one": no name of a ware.
_SOMETHING = languages.Words("small_talk.something")
# "You are", "Borin is": the beginning of a description.
_YOU_ARE, _IS = languages.Pattern("telling.you_are"), languages.Pattern("telling.is")
_SECRET = languages.Pattern("telling.secret", of_words=True)
_SECOND_PERSON = languages.Words("ranking.second_person")


@dataclass(frozen=True)
class Action:
    """Words to say, or a tool with its arguments."""

    text: str = ""
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)


def respond(context: dict[str, Any], *, tools: Collection[str]) -> Action:
    """What the NPC does about the event of this turn, with no other tools than these."""
    scene = Scene(context)
    kind = scene.event.get("kind") or "say"
    is_deed = kind in SPOKEN and reading.is_deed(scene.uncalled)
    if not is_deed and (kind in SPOKEN or kind == "pose" and _is_speech(scene)):
        return _tidy(scene, _to_words(scene, tools))
    handle = _HAPPENINGS.get("pose" if is_deed else kind, _to_happening)
    return _tidy(scene, handle(scene, tools))


def asked(context: dict[str, Any]) -> list[str]:
    """What a line asks or tells, as `telling.find` is asked for it."""
    scene = Scene(context)
    if scene.event.get("kind") not in (*SPOKEN, "pose"):
        return []
    said = reading.classify(scene.text, names=scene.called)
    more = reading.questions(scene.text, names=scene.called)
    return list(dict.fromkeys(one.text for one in (*more[:QUESTIONS], said) if one.text))


def wish(context: dict[str, Any], *, tools: Collection[str]) -> Action | None:
    """What a line plainly asks the NPC to do with one of these tools, or None."""
    scene = Scene(context)
    if wanted := routines.errand(scene, scene.text) if "take_errand" in tools else {}:
        return _tidy(scene, Action(tool="take_errand", arguments=wanted))
    said = reading.classify(scene.text, names=scene.called)
    call = _REQUESTS.get(said.topic) if said.kind == "request" else None
    action = call(scene, said) if call else None
    if action is None or action.tool not in tools:
        return None
    # "Give me a reason" asks for no thing.
    item = str(action.arguments.get("item", ""))
    return _tidy(scene, action) if not item or _is_near(scene, item) else None


def is_sure(context: dict[str, Any]) -> bool:
    """True if this mind answers a turn better than a weak model does.

    The model chats, says in fitting words what the lore has, and says that it does not know; it gives others' words
    for its own, and promises what it cannot do.
    """
    scene = Scene(context)
    said = reading.classify(scene.text, names=scene.called)
    if scene.event.get("kind") not in SPOKEN or _is_confided(scene):
        return True
    if said.kind == "question":
        fact = telling.find(scene, said.text)
        return fact is not None and fact.kind != telling.LORE
    return said.kind in ("request", "nonsense")


def comment(
    context: dict[str, Any], *, tool: str, arguments: dict[str, Any], result: str
) -> Action:
    """What the NPC says once a tool that it used has answered."""
    scene = Scene(context)
    failed = result.lstrip().casefold().startswith("error")
    return _tidy(scene, Action(_about_result(scene, tool, arguments, result, failed)))


def _is_speech(scene: Scene) -> bool:
    """True if a pose is speech: it calls the NPC, or asks, and does not name who poses."""
    name = str(scene.event.get("actor_name") or "").casefold()
    if not name or name in scene.text.casefold():
        return False
    # "Hugs Mara" calls nobody.
    is_bare = any(classification.ends_in_call(scene.text, name) for name in scene.called)
    return scene.text.endswith("?") or (
        not is_bare and classification.is_called(scene.text, scene.called)
    )


def _to_words(scene: Scene, tools: Collection[str]) -> Action:
    if deed := _of_its_day(scene, tools):
        return deed
    said = reading.classify(scene.text, names=scene.called)
    if _is_confided(scene):
        return Action(scene.line("secret"))
    action = _to_utterance(scene, said, tools)
    if said.greeted and said.kind != "greeting" and action.text and said.topic != "how":
        hello = scene.line("hello_bare" if scene.addressed in action.text else "hello")
        return Action(f"{hello} {action.text}")
    return action


def _to_utterance(scene: Scene, said: Utterance, tools: Collection[str]) -> Action:
    if said.kind == "request" or said.topic == "time":
        return _to_request(scene, said, tools)
    if said.kind == "greeting":
        return Action(_greeting(scene))
    if said.kind == "question":
        return Action(_to_question(scene, said))
    if said.kind == "farewell":
        return Action(scene.line("farewell", own="farewell_lines"))
    if said.kind == "nonsense":
        return Action(scene.line("shrug"))
    if said.kind == "statement":
        least = ranking.SURE if _NEED.search(said.text) else ranking.PLAIN
        fact = telling.find(scene, said.text, least=least)
        if fact and fact.kind == telling.LORE and not scene.has_said(fact.text):
            return Action(telling.tell(scene, fact))
    return Action(scene.line(said.topic if said.kind == "chat" else said.kind))


def _of_its_day(scene: Scene, tools: Collection[str]) -> Action | None:
    """What it says of its day or of errands, or that it takes one on; None if nothing of that is meant."""
    if text := routines.answer(scene, scene.text) or routines.of_errands(scene, scene.text):
        return Action(text)
    wanted = routines.errand(scene, scene.text) if "take_errand" in tools else {}
    return Action(tool="take_errand", arguments=wanted) if wanted else None


def _is_confided(scene: Scene) -> bool:
    return confidence.is_asked(scene.text)


def _greeting(scene: Scene) -> str:
    if scene.is_talking:
        return scene.line("hello_friend" if scene.is_friend else "hello_now")
    if scene.is_friend:
        return scene.line("greet_friend")
    if scene.is_known:
        return scene.line("greet_known")
    return scene.line("greet_stranger", own="greeting_lines")


def _to_question(scene: Scene, said: Utterance) -> str:
    """The answer to the first of the questions that it knows, else that it does not know."""
    asked = reading.questions(scene.text, names=scene.called) or [said]
    answers = (_answer(scene, one) for one in asked)
    return next(filter(None, answers), "") or _unknown(scene, said)


def _answer(scene: Scene, asked: Utterance) -> str:
    special = _SPECIAL.get(asked.topic)
    if text := special(scene, asked) if special else "":
        return text
    if asked.topic in ("where", "seen") and (here := _right_here(scene, asked)):
        return here
    # Few are spoken of as they are called: "have you seen an old man?" is about nobody's old mill.
    fact = telling.find(scene, asked.text, least=SEEN if asked.topic == "seen" else ranking.SURE)
    return telling.tell(scene, fact) if fact else _right_here(scene, asked)


def _unknown(scene: Scene, asked: Utterance) -> str:
    """That it does not know: in the builder's words, else ours."""
    if key := _NOTHING.get(asked.topic):
        return scene.line(key)
    is_vague = not retrieval.terms(asked.text, language=scene.language)
    own = None if is_vague else "unknown_lines"
    return scene.line("vague" if is_vague else "unknown", own=own or "")


def _self(scene: Scene, asked: Utterance) -> str:
    return scene.line("self", text=_description(scene))


def _description(scene: Scene) -> str:
    """The description after "I am", where it surely can stand there; else the name."""
    persona = str(scene.npc.get("persona") or "")
    first = next(iter(retrieval.sentences(" ".join(persona.split()))), "")
    begun, plain = _YOU_ARE.match(first), ""
    if begun:
        plain = first[begun.end() :].rstrip(" .")
    elif first.startswith(scene.own_name) and (
        begun := _IS.match(first[len(scene.own_name) :].lstrip())
    ):
        rest = first[len(scene.own_name) :].lstrip()[begun.end() :].rstrip(" .")
        plain = f"{scene.own_name}, {rest}"
    others = set(words.words(plain)).intersection(_SECOND_PERSON)
    is_unsure = others or scene.own_name not in plain or _SECRET.search(first)
    return scene.own_name if is_unsure or len(plain) > SELF_LENGTH else plain


def _place(scene: Scene, asked: Utterance) -> str:
    return scene.line("place", text=scene.place) if scene.place else scene.line("place_unknown")


def _who_is_here(scene: Scene, asked: Utterance) -> str:
    people = scene.people_here[:NAMED]
    return scene.line("here", text=scene.listed(people)) if people else scene.line("here_none")


def _right_here(scene: Scene, asked: Utterance) -> str:
    """That somebody or something is here, if the question asks where or who that is."""
    who = ARTICLE.sub("", asked.slots.get("who", ""))
    names = (
        str(being.get("name") or "")
        for being in scene.context.get("present") or ()
        if being.get("kind") != "exit"
    )
    present = [one for one in names if who and is_same(who, ARTICLE.sub("", one))]
    return scene.line("right_here", text=quoted(present[0])) if present else ""


def _me(scene: Scene, asked: Utterance) -> str:
    """What the speaker told, or is known of them."""
    known = [one for one in telling.memories(scene) if one.kind not in ("insight",)]
    fresh = [one for one in known if not scene.has_said(quoted(one.text))]
    return next((telling.tell(scene, one) for one in fresh or known), "")


def _news(scene: Scene, asked: Utterance) -> str:
    """The first news that was not told a moment ago."""
    told = (one for one in telling.memories(scene) if not is_same(one.by, scene.name))
    fresh = (one for one in told if not scene.has_said(quoted(one.text)))
    return next((telling.tell(scene, one) for one in fresh), "")


def _opinion(scene: Scene, asked: Utterance) -> str:
    """A conclusion that was not told a moment ago."""
    told = (telling.tell(scene, one) for one in telling.of_kind(scene, "insight"))
    return next((one for one in told if not scene.has_said(one)), "")


def _sells(scene: Scene, asked: Utterance) -> str:
    """Lore about wares; else the things that the NPC carries."""
    if told := " ".join(telling.tell(scene, one) for one in telling.wares(scene)):
        return told
    return _carried(scene, asked) or scene.line("trade_none")


def _carried(scene: Scene, asked: Utterance) -> str:
    things = list(map(str, scene.context.get("carried") or ()))[:NAMED]
    return scene.line("carried", text=scene.listed(things)) if things else ""


_SPECIAL: dict[str, Callable[[Scene, Utterance], str]] = {
    "how": lambda scene, asked: scene.line("how"),
    "self": _self,
    "my_name": lambda scene, asked: scene.line("my_name", name=scene.name),
    "remember": lambda scene, asked: scene.line(
        "remember_yes" if scene.is_known else "remember_no"
    ),
    "me": _me,
    "place": _place,
    "here": _who_is_here,
    "opinion": _opinion,
    "sells": _sells,
    "carried": _carried,
    "why": lambda scene, asked: telling.reasons(scene),
    "news": _news,
}
# Topics with words of their own for "nothing".
_NOTHING = {"me": "me_nothing", "news": "news_none", "more": "more_none", "why": "vague"}


def _to_request(scene: Scene, said: Utterance, tools: Collection[str]) -> Action:
    """The tool that a request asks for, or a line where there is none."""
    call = _REQUESTS.get(said.topic)
    action = call(scene, said) if call else None
    if action and action.tool in tools:
        return action
    if action and action.text:
        return Action(action.text)
    if said.topic == "time":
        return Action(routines.time_of_day(scene, ""))
    if said.topic == "other" and (fact := telling.find(scene, said.text)):
        return Action(telling.tell(scene, fact))
    return Action(scene.line(_WITHOUT_TOOL.get(said.topic, "refuse")))


def _follow(scene: Scene, said: Utterance) -> Action:
    return Action(tool="follow", arguments={"target": _whom(scene, said)})


def _stay(scene: Scene, said: Utterance) -> Action:
    return Action(scene.line("stay"), tool="follow", arguments={"target": ""})


def _give(scene: Scene, said: Utterance) -> Action | None:
    """Hand over a thing, unless it is a ware of which lore tells."""
    item = _thing(said.slots.get("item", ""))
    if not item:
        return None
    if fact := telling.find_ware(scene, item):
        return Action(telling.tell(scene, fact))
    return Action(tool="give", arguments={"item": item, "target": _whom(scene, said)})


def _trade(scene: Scene, said: Utterance) -> Action:
    """Leave a wish to trade to the game; where it does nothing about it, there is a line."""
    thing = _thing(said.slots.get("item", ""))
    return Action(
        _trade_line(scene, said.topic, thing),
        tool="trade",
        arguments={"wish": said.topic, "thing": thing},
    )


def _trade_line(scene: Scene, kind: str, thing: str) -> str:
    if kind == "sell":
        return scene.line("buy_none")
    is_named = bool(retrieval.terms(thing, language=scene.language)) and thing not in _SOMETHING
    found = [telling.find_ware(scene, thing)] if is_named else telling.wares(scene)
    told = " ".join(telling.tell(scene, one) for one in found if one)
    return told or scene.line("trade_none" if is_named else "trade_what")


def _look(scene: Scene, said: Utterance) -> Action:
    return Action(tool="look", arguments={"target": _thing(said.slots.get("item", ""))})


def _go(scene: Scene, said: Utterance) -> Action | None:
    """Go where there is an exit of that name, or home; "go to sleep" is no way out."""
    wanted = _thing(said.slots.get("item", ""))
    if _HOME.fullmatch(wanted):
        return Action(tool="move", arguments={"exit": "home"})
    exits = [
        str(being.get("name") or "")
        for being in scene.context.get("present") or ()
        if being.get("kind") == "exit" and is_same(wanted, being.get("name"))
    ]
    return Action(tool="move", arguments={"exit": exits[0]}) if exits else None


def _remind(scene: Scene, said: Utterance) -> Action:
    what, number = said.slots.get("what", ""), said.slots.get("number", "").casefold()
    if not what or not number:
        return Action(scene.line("remind_when"))
    codes, unit = languages.read_now(), said.slots["unit"].casefold()
    amount = languages.table("numbers", codes).get(number) or float(number)
    units = languages.table("minutes", codes)
    minutes = round(amount * next(units[one] for one in units if unit.startswith(one)))
    minutes = min(promises.REMINDER_MINUTES, max(1, minutes))
    text = reply.printable(what, max_length=200)
    return Action(tool="set_reminder", arguments={"minutes": minutes, "text": text})


def _staff(scene: Scene, said: Utterance) -> Action:
    reason = f"{scene.name}: {quoted(said.text or scene.text)}"
    return Action(tool="escalate_to_staff", arguments={"reason": reason})


def _gesture(scene: Scene, said: Utterance) -> Action:
    asked = said.slots.get("item", "").casefold()
    known = languages.table("asked_gestures", languages.read_now())
    return _pose(scene, f"do_{known.get(asked, asked)}")


_REQUESTS: dict[str, Callable[[Scene, Utterance], Action | None]] = {
    "follow": _follow,
    "stay": _stay,
    "give": _give,
    "trade": _trade,
    "buy": _trade,
    "sell": _trade,
    "look": _look,
    "go": _go,
    "remind": _remind,
    "staff": _staff,
    "gesture": _gesture,
    "time": lambda scene, said: Action(routines.time_of_day(scene)),
    "quiet": lambda scene, said: Action(scene.line("quiet"), tool="noop"),
}
_WITHOUT_TOOL = {
    "follow": "follow_no",
    "stay": "stay",
    "give": "give_no",
    "look": "look_no",
    "go": "go_no",
    "remind": "remind_no",
    "staff": "staff_no",
}


def _is_near(scene: Scene, item: str) -> bool:
    """True if a thing of that name is carried by the NPC, or lies here."""
    wanted = set(retrieval.terms(item, language=scene.language))
    here = (one.get("name") for one in scene.context.get("present") or ())
    things = [*(scene.context.get("carried") or ()), *here]
    return any(
        wanted and wanted <= set(retrieval.terms(str(one), language=scene.language))
        for one in things
    )


def _whom(scene: Scene, said: Utterance) -> str:
    target = said.slots.get("target", "")
    return scene.name if not target or target.casefold() in _US else _thing(target)


def _thing(text: str) -> str:
    """The name of a thing in the words for it."""
    text = _ARTICLE.sub("", text)
    return reply.printable(text.strip(" .,!?\"'"), max_length=THING_LENGTH)


def _about_result(
    scene: Scene, tool: str, arguments: dict[str, Any], result: str, failed: bool
) -> str:
    if tool == "follow" and not arguments.get("target"):
        return scene.line("refuse" if failed else "stay")
    if tool == "take_errand":
        return routines.of_errand(scene, arguments)
    if tool == "trade" and failed:
        return _trade_line(scene, str(arguments.get("wish")), str(arguments.get("thing")))
    if tool == "look" and not failed:
        seen = reply.printable(quotation.unquoted(result), max_length=1000)
        seen = reply.shorten(seen, LOOK_LENGTH)
        return scene.line("look", text=seen) if seen else scene.line("look_no")
    if tool in _AFTER:
        done, not_done = _AFTER[tool]
        return scene.line(not_done if failed else done)
    return scene.line("refuse" if failed else "react")


# Lines after a tool did what it should, and when it could not.
_AFTER = {
    "follow": ("follow", "follow_no"),
    "give": ("give", "give_no"),
    "look": ("look", "look_no"),
    "move": ("go", "go_no"),
    "trade": ("trade", "trade_none"),
    "set_reminder": ("remind", "remind_no"),
    "escalate_to_staff": ("staff", "staff_no"),
}


def _to_pose(scene: Scene, tools: Collection[str]) -> Action:
    gesture = sentiment.gesture(scene.text, scene.own_names)
    return _pose(scene, f"pose_{gesture}" if gesture else "pose")


def _to_leaving(scene: Scene, tools: Collection[str]) -> Action:
    if "noop" in tools:
        return Action(tool="noop")
    return Action(scene.line("farewell", own="farewell_lines"))


def _to_happening(scene: Scene, tools: Collection[str]) -> Action:
    """Answer an event of the game's own with a look: its text is nobody's words."""
    return _pose(scene, "pose")


def _pose(scene: Scene, line: str) -> Action:
    return Action(f"*{scene.line(line)}*")


def _to_occasion(scene: Scene, tools: Collection[str]) -> Action:
    """Speak first: of what it means to do, else of lore that it has not told."""
    reason = scene.event.get("reason")
    if reason == "met":
        return Action(scene.line("promise_self", text=quoted(scene.text)))
    if reason == "trigger":
        # Its words are the builder's for a model; without one, a look says that it was noticed.
        return _pose(scene, "pose")
    told = (one for one in telling.of_the_world(scene) if not scene.has_said(one.text))
    if fact := next(told, None):
        return Action(telling.tell(scene, fact))
    return Action(tool="noop") if "noop" in tools else _pose(scene, "pose")


_HAPPENINGS: dict[str, Callable[[Scene, Collection[str]], Action]] = {
    "pose": _to_pose,
    "arrive": lambda scene, tools: Action(_greeting(scene)),
    "leave": _to_leaving,
    "give": lambda scene, tools: Action(scene.line("gift")),
    "occasion": _to_occasion,
    "reminder": lambda scene, tools: Action(scene.line("reminder", text=quoted(scene.text))),
}


def _tidy(scene: Scene, action: Action) -> Action:
    """The action with words that can be spoken; a mind that has none says "Hm."."""
    if action.tool:
        arguments = {
            key: scene.tidy(value) if isinstance(value, str) else value
            for key, value in action.arguments.items()
        }
        return Action(tool=action.tool, arguments=arguments)
    return replace(action, text=scene.tidy(action.text) or "Hm.")
