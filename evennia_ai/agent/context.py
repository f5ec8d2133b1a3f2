"""Builds the prompt of a turn from its sections, within the budget of tokens."""

from __future__ import annotations

import itertools

from twisted.internet.defer import inlineCallbacks, maybeDeferred

from evennia_ai import conf, scheduling
from evennia_ai.agent.sections import memory_lines
from evennia_ai.domain.model_text import prompt_budget, tokens

# What is so now goes to the model after what was said: what comes before is the same from turn to turn
# as far as it can be, so that a provider may keep it. Sections of a game are the system's.
NOW_SECTIONS = (
    "place",
    "of_day",
    "profile",
    "intentions",
    "memories",
    "experience",
    "goals",
    "event",
)
TALK = "conversation"
# Stands first where the assistant spoke first: many servers want a user to begin.
BEGINNING = "(You are there, and people come and go.)"


@inlineCallbacks
def build(turn):
    """Return the messages of a turn: one of the system, what was said by role, and what is so now.

    A section may ask for something that takes time; the others wait for it. They run in their
    order, since recalling a secret makes the turn private for all that come after.
    """
    sections = {}
    for path in conf.get("CONTEXT_SECTIONS"):
        if turn.character is None:
            return []
        name = path.rpartition(".")[2]
        if not turn.reason.has_section(name):
            continue
        part = yield maybeDeferred(conf.load(path), turn)
        if part:
            # A game's section may have the name of another: both stand in the prompt.
            sections[path if name in sections else name] = part
        # Each of them is work of milliseconds, and many turns may begin together.
        yield scheduling.yield_to_reactor(first=True)
    offered = turn.counted_tools = turn.shown_tools()
    tools = tokens.estimate_messages((), [tool.schema() for tool in offered])
    fitted = _fitted(turn, sections, conf.get("CONTEXT_TOKENS") - tools)
    noted = turn.record
    noted.sections, noted.fitted, noted.tool_tokens = sections, fitted, tools
    noted.tool_names = [tool.name for tool in offered]
    return _messages(fitted)


def _fitted(turn, sections, limit):
    """Return the sections within the limit; what is cut of the conversation may come to mind instead."""
    fitted = prompt_budget.fit(sections, limit=limit)
    told = fitted.get(TALK) or ()
    if len(told) == len(sections.get(TALK) or ()):
        return fitted
    # Without the line that it answers, its own would be the beginning.
    sections[TALK] = told = [*itertools.dropwhile(lambda line: _role(line) == "assistant", told)]
    if "memories" in sections:
        said = [getattr(line, "told", None) for line in told]
        sections["memories"] = memory_lines(turn, [line for line in said if line])
    return prompt_budget.fit(sections, limit=limit)


def _messages(fitted):
    standing = [
        _text(part) for name, part in fitted.items() if part and name not in (*NOW_SECTIONS, TALK)
    ]
    messages = [{"role": "system", "content": "\n\n".join(standing)}]
    spoken = itertools.groupby(fitted.get(TALK) or (), key=_role)
    talk = [{"role": role, "content": "\n".join(lines)} for role, lines in spoken]
    if talk and talk[0]["role"] == "assistant":
        talk.insert(0, {"role": "user", "content": BEGINNING})
    now = "\n\n".join(_text(fitted[name]) for name in NOW_SECTIONS if fitted.get(name))
    if talk and talk[-1]["role"] == "user":
        now = f"{talk.pop()['content']}\n\n{now}"
    return [*messages, *talk, {"role": "user", "content": now}]


def _role(line):
    return getattr(line, "role", "user")


def _text(part):
    return part if isinstance(part, str) else "\n".join(part)
