"""Explicit wishes ("follow me") for models without tools: rules carry them out, and the prompt says what happened."""

from __future__ import annotations

import re
from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai.agent import loop
from evennia_ai.agent.prompting import surroundings
from evennia_ai.core import languages
from evennia_ai.core.records import SPOKEN
from evennia_ai.domain import audience
from evennia_ai.domain.classification import (
    CONVERSATION,
    DIRECT_ADDRESSING,
    DIRECT_MESSAGE,
    class_of,
)
from evennia_ai.domain.offline import mind
from evennia_ai.llm import model_facts
from evennia_ai.llm.base import ToolCall
from evennia_ai.memory import persona
from evennia_ai.memory.state import assistant
from evennia_ai.memory.storage import pages

# Tools for wishes, each with the words that follow "You could not".
_DEEDS = {
    "follow": "follow",
    "give": "give it",
    "move": "go there",
    "take_errand": "carry that",
    "trade": "trade",
    "set_reminder": "remember that",
    "escalate_to_staff": "call the staff",
}
# Quoted names, which stand in a prompt without quotes.
_NAME = re.compile(r'"([\w\' -]+)"')


@inlineCallbacks
def fulfil(turn):
    """Carry out the speaker's explicit wish, if the model has no tools; add the result to `turn.happened`."""
    is_plain = turn.llm.is_model and not model_facts.uses_tools(turn.llm)
    call = _call(turn) if is_plain and turn.reason.speaks and not turn.why_silent() else None
    if call is None:
        return
    result = str((yield loop.use_tool(turn, call)))
    # For the offline mind, in case it has to answer.
    turn.context["wished"] = {"tool": call.name, "arguments": call.arguments, "result": result}
    said = _NAME.sub(r"\1", result.partition("\n")[0])
    if said.startswith(loop.ERROR):
        said = f"You could not {_DEEDS[call.name]}: {said.removeprefix(loop.ERROR)}"
    turn.happened.append(said)


def _call(turn: Any) -> ToolCall | None:
    """Tool call for the newest line that is addressed to the NPC, or None."""
    npc, written = turn.character, persona.load_persona(turn.character)
    language, _ = persona.language_of(written["language"])
    tools = {tool.name for tool in turn.usable_tools()} & _DEEDS.keys()
    if npc.location is not None:
        surroundings.note(turn)
    own = {"name": turn.name, "persona": written["description"], "language": language}
    around = {
        **turn.context,
        "npc": {**written, **own, "aliases": npc.aliases.all()},
        "speaker": {"name": turn.event.name},
        "lore": [one.text for one in persona.load_lore(npc) if one.audience == audience.PUBLIC],
        "present": [surroundings.described(npc, one) for one in surroundings.in_reach(npc)],
    }
    for event in reversed(turn.events):
        is_meant = class_of(event.rule) in (DIRECT_MESSAGE, DIRECT_ADDRESSING, CONVERSATION)
        if event.kind not in SPOKEN or not is_meant:
            continue
        with languages.reading(language):
            action = mind.wish({**around, "event": pages.plain(event)}, tools=tools)
        # "Stay here" changes nothing for an NPC that follows nobody.
        if action and (action.arguments != {"target": ""} or assistant.following(turn.script)):
            return ToolCall("wish", action.tool, action.arguments)
    return None
