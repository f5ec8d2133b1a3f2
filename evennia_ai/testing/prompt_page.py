"""The page of the prompts: what a model is asked for each job, from a scene that is always the same.

The words that a model would write are given here; what it would work out at night, the rules of the
offline mind do. So the page changes with the prompts, and with nothing else.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.utils.module_loading import import_string
from twisted.internet.defer import Deferred, inlineCallbacks, succeed

from evennia_ai.agent import turns
from evennia_ai.agent.turn import Turn
from evennia_ai.domain.audience import PUBLIC
from evennia_ai.domain.model_text import request_text
from evennia_ai.life import occasions
from evennia_ai.llm import base
from evennia_ai.llm.base import Completion, Request, ToolCall
from evennia_ai.llm.openai_request import Learnt, build_body
from evennia_ai.llm.wrappers.breaker import OFFLINE
from evennia_ai.memory import journal
from evennia_ai.testing import dialogues
from evennia_ai.testing.dialogue import dialogue_apart, dialogue_cast, dialogue_file
from evennia_ai.testing.dialogue.dialogue_stage import Stage

SCENE = Path(__file__).with_name("prompt_page.yaml")
INTRODUCTION = """\
# Prompts

What a model is asked, word for word, for each job: from a scene that is played for this page, with the
prompts of this version and our own settings. What players wrote stands in quotation marks. A game's own
sections, tools and steps of sleep come on top; `@assistant/why/prompt` shows the prompt of a turn in
your game.

This page is written by `make docs`. A test fails when it is not what the prompts are.
"""
# Title, job, and words by which the request is found: the first of that job with these.
PARTS = (
    ("Talk: the first words of somebody unknown", "reply", "What is a crossing for me?"),
    ("Talk: after a tool", "reply", "A woman in a grey travelling cloak."),
    ("Talk: the day after", "reply", "Good morning, Orla."),
    ("Alone, where nobody watches (OCCASIONS)", "reflect", "nobody asks anything of you"),
    ("Night: how much each entry of the journal matters", "score", "Tam"),
    ("Night: what observations of somebody come to", "consolidate", "Tam"),
    ("Night: what the last days ask", "questions", "Tam"),
    ("Night: what the evidence adds up to", "insights", "Tam"),
    ("Night: what old talk tells, before it goes", "extract", "Tam"),
    ("Night: old talk in short", "summarise", "Tam"),
)


# What the NPC says, in its order.
REPLIES: list[Any] = [
    "A penny for you, and the eels stay yours.",
    ToolCall("call_1", "look", {"target": "Isolde"}),
    "At first light, and not before.",
    "He will hear nothing from me.",
    "Green, then. I hold you to it.",
    "She said good evening to us all.",
    "Then we eat fish.",
    "He should, with the hoops he makes.",
    "Pike. A good name for a river dog.",
]
# What it has noted as it thinks by itself.
NOTED = ("The upper landing is under water.", "Tam of Elmstead crossed with his dog.")


class StandIn:
    """A model of which the words are given; at night it answers by the rules of the offline mind."""

    name = "model"
    is_model = True

    def __init__(self, replies: list[str | ToolCall]) -> None:
        self.requests: list[Request] = []
        self._replies = list(replies)
        self._rules = import_string(OFFLINE)()

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer at once."""
        self.requests.append(request)
        if request.job == "reply":
            return succeed(self._completion(self._replies.pop(0) if self._replies else "Hm."))
        if request.tools:
            return succeed(self._completion("There is nothing more to note."))
        answered = self._rules.complete(request)
        return answered.addCallback(lambda given: replace(given, is_model=True, model=self.name))

    def _completion(self, given: str | ToolCall) -> Completion:
        if isinstance(given, ToolCall):
            return Completion(tool_calls=(given,), finish_reason="tool_calls")
        return Completion(given)


def page() -> str:
    """Return the page, as Markdown; the scene is played in the database that is there."""
    requests = played()
    parts = [INTRODUCTION]
    known: set[str] = set()
    for title, job, words in PARTS:
        body = body_of(_find(requests, job, words))
        tools = json.dumps(body.get("tools"))
        if tools in known:
            # Each list of tools is shown once.
            body.pop("tools", None)
        known.add(tools)
        parts.append(f"## {title}\n\nJob `{job}`.\n\n````text\n{request_text.text(body)}\n````\n")
    return "\n".join(parts)


def body_of(request: Request) -> dict[str, Any]:
    """Return what a server that refuses nothing is sent."""
    return build_body(request, model="model", options={}, learnt=Learnt(), json_tools=False)


def _find(requests: list[Request], job: str, words: str) -> Request:
    for request in requests:
        if request.job == job and words in json.dumps(request.messages, ensure_ascii=False):
            return request
    raise RuntimeError(f"nothing of the job {job} was asked with {words!r}")


def played() -> list[Request]:
    """Play the scene; return what was asked, in its order."""
    dialogue = dialogue_file.read(SCENE.read_bytes(), name=SCENE.name)
    with (
        tempfile.TemporaryDirectory(prefix="evennia-ai-prompts-") as folder,
        dialogue_apart.own_memory(folder, **dialogue.settings),
        dialogue_apart.own_time() as clock,
    ):
        original = dialogue_apart.drive(dialogue_cast.find(dialogue, []), clock)
        model = StandIn(REPLIES)
        base.install("default", model)
        report = dialogue_apart.drive(dialogues.play(dialogue, original), clock)
        wrong = [problem for result in report.results for problem in result.problems]
        if wrong:
            raise RuntimeError(f"the scene of the page does not go as it should: {wrong}")
        dialogue_apart.drive(_alone(original, dialogue, model), clock)
    return model.requests


@inlineCallbacks
def _alone(original: dialogue_cast.Original, dialogue: dialogue_file.Dialogue, model: StandIn):
    """Let a double think by itself, with two things in its journal."""
    stage = Stage()
    try:
        yield stage.set(original, room=dialogue.room, people=(), mind=model, payer=0)
        for text in NOTED:
            journal.add_entry(stage.npc, content=text, audience=PUBLIC)
        yield turns.run_turn(Turn(stage.script, [occasions.quiet_hour(stage.npc)], llm=model))
    finally:
        yield stage.strike()
