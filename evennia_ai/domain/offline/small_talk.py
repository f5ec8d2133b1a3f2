"""The turn of an NPC without a model: a line, or a tool and then a line about its result."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from evennia_ai.core import languages
from evennia_ai.core.records import SPOKEN
from evennia_ai.domain import classification, sentiment, speech_acts
from evennia_ai.domain.choices import approaches
from evennia_ai.domain.memories import confidence, promises
from evennia_ai.domain.model_text import quotation, reply
from evennia_ai.domain.offline import (
    answers,
    echoes,
    rewriting,
    routines,
    seeking,
    self_knowledge,
    telling,
    trading,
    utterances,
)
from evennia_ai.domain.offline.utterances import Utterance
from evennia_ai.domain.offline.voice import Scene, is_same, quoted

# Characters of a thing's name.
THING_LENGTH = 60
LOOK_LENGTH = 220


# What calls the place where it belongs.
_HOME = languages.Pattern("small_talk.home", of_words=True)
# Those who speak.
_ARTICLE = languages.Pattern("small_talk.article")
_US = languages.Words("small_talk.us")


@dataclass(frozen=True)
class Action:
    """What to do: words to say, or a tool with its arguments; `approach` if there was a choice."""

    text: str = ""
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    approach: str = ""


def respond(context: dict[str, Any], *, tools: Collection[str]) -> Action:
    """Return what the NPC does about the event of this turn, with no other tools than these."""
    scene = rewriting.self_contained(Scene(context))
    kind = scene.event.get("kind") or "say"
    is_deed = kind in SPOKEN and utterances.is_deed(scene.uncalled)
    if not is_deed and (kind in SPOKEN or kind == "pose" and _is_speech(scene)):
        return _tidy(scene, _to_words(scene, tools))
    handle = _HAPPENINGS.get("pose" if is_deed else kind, _to_happening)
    return _tidy(scene, handle(scene, tools))


def _is_speech(scene: Scene) -> bool:
    """Return whether a pose is what was said in it: it calls the NPC, or asks, and tells no deed."""
    name = str(scene.event.get("actor_name") or "").casefold()
    if not name or name in scene.text.casefold():
        return False
    return scene.text.endswith("?") or classification.is_called(scene.text, scene.called)


def comment(
    context: dict[str, Any], *, tool: str, arguments: dict[str, Any], result: str
) -> Action:
    """Return what the NPC says once a tool that it used has answered."""
    scene = Scene(context)
    failed = result.lstrip().casefold().startswith("error")
    return _tidy(scene, Action(_about_result(scene, tool, arguments, result, failed)))


def _to_words(scene: Scene, tools: Collection[str]) -> Action:
    situation = approaches.recognise(scene.text, names=scene.called)
    if situation:
        return _to_situation(scene, situation)
    if deed := _of_its_day(scene, tools):
        return deed
    said = utterances.classify(scene.text, names=scene.called)
    if scene.context.get("corrected") and said.kind not in ("question", "request"):
        return Action(scene.line("corrected"))
    if _is_confided(scene):
        return Action(scene.line("secret"))
    if promises.made_for_a_day(scene.uncalled):
        return Action(scene.line("promise_heard"))
    said = speech_acts.known(said, language=scene.language)
    action = _to_utterance(scene, said, tools)
    if said.kind == "greeting":
        return action
    is_new = action.text and not scene.has_just_said(action.text)
    if said.greeted and is_new and said.topic != "how":
        hello = scene.line("hello_bare" if scene.addressed in action.text else "hello")
        return Action(f"{hello} {action.text}")
    return action


def _to_utterance(scene: Scene, said: Utterance, tools: Collection[str]) -> Action:
    if said.kind == "request" or said.topic == "time":
        return _to_request(scene, said, tools)
    if said.kind == "greeting":
        return Action(_greeting(scene))
    known = rewriting.known(scene, said) if said.kind == "question" else seeking.known(scene, said)
    if known:
        return Action(known)
    if act := speech_acts.likely(said, language=scene.language):
        return _to_utterance(scene, act, tools)
    if said.kind == "question":
        return Action(answers.unknown(scene, said))
    return Action(_remark(scene, said))


def _of_its_day(scene: Scene, tools: Collection[str]) -> Action | None:
    """Return what it says of its day or of errands, or that it takes one on; None if nothing of that is meant."""
    if words := routines.answer(scene, scene.text) or routines.of_errands(scene, scene.text):
        return Action(words)
    wanted = routines.errand(scene, scene.text) if "take_errand" in tools else {}
    return Action(tool="take_errand", arguments=wanted) if wanted else None


def _is_confided(scene: Scene) -> bool:
    """Return whether something was told in confidence."""
    return confidence.is_asked(scene.text) and not confidence.asks(scene.text)


def _to_situation(scene: Scene, situation: approaches.Situation) -> Action:
    way = approaches.choose(
        situation,
        persona=scene.npc,
        few_shot=str(scene.context.get("experience") or ""),
        failed=scene.context.get("setbacks") or (),
    )
    lines = languages.way(scene.language, situation.name, way)
    return Action(scene.pick(way, [scene.fill(line) for line in lines]), approach=way)


def _greeting(scene: Scene) -> str:
    if scene.is_talking:
        return scene.line("hello_friend" if scene.is_friend else "hello_now")
    if scene.is_friend:
        return scene.line("greet_friend")
    if scene.is_known:
        return scene.line("greet_known")
    return scene.line("greet_stranger", own="greeting_lines")


def _remark(scene: Scene, said: Utterance) -> str:
    """Return an answer to what is neither a question, a request nor a greeting, and calls nothing to mind."""
    if said.kind == "farewell":
        return scene.line("farewell", own="farewell_lines")
    if said.kind == "nonsense" or said.kind == "statement" and echoes.is_babble(scene, said.text):
        return scene.line("shrug")
    if said.kind == "chat":
        return scene.line(said.topic)
    if mood := echoes.mood(said):
        return scene.line(mood)
    if said.kind == "statement" and echoes.is_of_listener(said.text):
        return scene.line("aside")
    if said.kind == "statement" and (thing := echoes.of(scene, said.text)):
        return scene.line("statement_echo", text=thing[0].upper() + thing[1:])
    return scene.line("aside" if echoes.tells_little(scene, said) else said.kind)


def _to_request(scene: Scene, said: Utterance, tools: Collection[str]) -> Action:
    """Return the tool that a request asks for, or a line where there is none."""
    call = _REQUESTS.get(said.topic)
    action = call(scene, said) if call else None
    if action and action.tool in tools:
        return action
    if action and action.text:
        return Action(action.text)
    if said.topic == "other":
        known = self_knowledge.known_of(scene, said.text)
        if known := known or telling.tell(scene, seeking.helping(scene, said.text)):
            return Action(known)
        if act := speech_acts.likely(said, language=scene.language):
            return _to_utterance(scene, act, tools)
    if said.topic == "time":
        return Action(routines.time_of_day(scene, ""))
    return Action(scene.line(_WITHOUT_TOOL.get(said.topic, "refuse")))


def _follow(scene: Scene, said: Utterance) -> Action:
    return Action(tool="follow", arguments={"target": _whom(scene, said)})


def _stay(scene: Scene, said: Utterance) -> Action:
    return Action(scene.line("stay"), tool="follow", arguments={"target": ""})


def _give(scene: Scene, said: Utterance) -> Action | None:
    """Hand over what is wanted; what has its price, or is to be bought, is no gift."""
    item = _thing(said.slots.get("item", ""))
    if item and (known := trading.priced_deed(scene, item, said.text)):
        return Action(known)
    if item and (trading.is_wish(said.text) or self_knowledge.is_priced_lately(scene, item)):
        return _trade(scene, said, "buy")
    if not item:
        return None
    has_it = self_knowledge.is_carried(scene, item) and not self_knowledge.has_price(scene, item)
    told = self_knowledge.ware_of if said.slots.get("target") else self_knowledge.known_of
    if known := "" if has_it else told(scene, item):
        return Action(known)
    return Action(tool="give", arguments={"item": item, "target": _whom(scene, said)})


def _trade(scene: Scene, said: Utterance, wish: str = "") -> Action:
    """Leave a wish to trade to the game; where it does nothing about it, there is a line."""
    wish, thing = wish or said.topic, _thing(said.slots.get("item", ""))
    line = trading.line(scene, wish, thing)
    return Action(line, tool="trade", arguments=trading.call(wish, thing))


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
    pose = scene.line(f"do_{_gesture_asked(said.slots.get('item', ''))}")
    return Action(tool="emote", arguments={"action": pose})


def _gesture_asked(words: str) -> str:
    known = languages.table("asked_gestures", languages.read_now())
    return known.get(words.casefold(), words.casefold())


_REQUESTS: dict[str, Callable[[Scene, Utterance], Action | None]] = {
    "follow": _follow,
    "stay": _stay,
    "give": _give,
    "trade": _trade,
    "sell": _trade,
    "look": _look,
    "go": _go,
    "remind": _remind,
    "staff": _staff,
    "gesture": _gesture,
    "time": lambda scene, said: Action(tool="get_time"),
    "quiet": lambda scene, said: Action(scene.line("quiet"), tool="noop"),
}
# What is said of a request for which no tool is offered.
_WITHOUT_TOOL = {
    "follow": "follow_no",
    "stay": "stay",
    "give": "give_no",
    "look": "look_no",
    "go": "go_no",
    "remind": "remind_no",
    "staff": "staff_no",
}


def _whom(scene: Scene, said: Utterance) -> str:
    target = said.slots.get("target", "me")
    return scene.name if target.casefold() in _US else _thing(target)


def _thing(words: str) -> str:
    """Return the name of a thing out of what somebody called it."""
    words = _ARTICLE.sub("", words)
    return reply.printable(words.strip(" .,!?\"'"), max_length=THING_LENGTH)


def _about_result(
    scene: Scene, tool: str, arguments: dict[str, Any], result: str, failed: bool
) -> str:
    if tool == "get_time":
        return routines.time_of_day(scene, "" if failed else result)
    if tool == "follow" and not arguments.get("target"):
        return scene.line("refuse" if failed else "stay")
    if tool == "take_errand":
        return routines.of_errand(scene, arguments)
    if tool == "trade" and failed:
        return trading.line(scene, str(arguments.get("wish")), str(arguments.get("thing")))
    if tool == "look" and not failed:
        seen = reply.printable(quotation.unquoted(result), max_length=1000)
        seen = reply.shorten(seen, LOOK_LENGTH)
        return scene.line("look", text=seen) if seen else scene.line("look_no")
    if tool in _AFTER:
        done, not_done = _AFTER[tool]
        return scene.line(not_done if failed else done)
    return scene.line("refuse" if failed else "react")


# What is said after a tool did what it should, and when it could not.
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
    pose = scene.line(f"pose_{gesture}" if gesture else "pose")
    return _emote(scene, pose, tools)


def _to_leaving(scene: Scene, tools: Collection[str]) -> Action:
    if "noop" in tools:
        return Action(tool="noop")
    return Action(scene.line("farewell", own="farewell_lines"))


def _to_happening(scene: Scene, tools: Collection[str]) -> Action:
    """Answer an event of the game's own: with a look, since its text is nobody's words."""
    return _emote(scene, scene.line("pose"), tools)


def _emote(scene: Scene, pose: str, tools: Collection[str]) -> Action:
    if "emote" in tools:
        return Action(tool="emote", arguments={"action": pose})
    return Action(f"*{pose}*")


_HAPPENINGS: dict[str, Callable[[Scene, Collection[str]], Action]] = {
    "pose": _to_pose,
    "arrive": lambda scene, tools: Action(_greeting(scene)),
    "leave": _to_leaving,
    "give": lambda scene, tools: Action(scene.line("gift")),
    "occasion": lambda scene, tools: _to_occasion(scene, tools),
    "reminder": lambda scene, tools: Action(scene.line("reminder", text=quoted(scene.text))),
}


def _to_occasion(scene: Scene, tools: Collection[str]) -> Action:
    """Speak first: of what it means to do, else of something that its builder wrote and it has not told."""
    reason = scene.event.get("reason")
    if reason == "met":
        return Action(scene.line("promise_self", text=quoted(scene.text)))
    if reason == "owed":
        return Action(scene.line("owing", text=quoted(scene.text)))
    if reason == "trigger":
        # Its words are the builder's for a model; without one, a look says that it was noticed.
        return _emote(scene, scene.line("pose"), tools)
    told = (fact for fact in self_knowledge.of_the_world(scene) if not scene.has_said(fact.text))
    if fact := next(told, None):
        return Action(telling.tell(scene, [fact]))
    return Action(tool="noop") if "noop" in tools else _emote(scene, scene.line("pose"), tools)


def _tidy(scene: Scene, action: Action) -> Action:
    """Return the action with words that can be spoken; a mind that has none says "Hm."."""
    if action.tool:
        arguments = {
            key: scene.tidy(value) if isinstance(value, str) else value
            for key, value in action.arguments.items()
        }
        return Action(tool=action.tool, arguments=arguments)
    text = scene.tidy(action.text) or "Hm."
    if scene.own_lines and text == scene.tidy(scene.own_lines[-1]):
        text = scene.tidy(scene.line("again", text=text))
    return replace(action, text=text)
