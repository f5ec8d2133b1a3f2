"""Builds the prompt of a turn from its sections, within the budget of tokens."""

from __future__ import annotations

from twisted.internet.defer import inlineCallbacks, maybeDeferred

from evennia_ai import conf, pace
from evennia_ai.domain import prompt_budget, tokens
from evennia_ai.tools import registry

# What happened goes to the model as the words of a user, the rest as the system's.
USER_SECTIONS = ("conversation", "event")


@inlineCallbacks
def build(turn):
    """Return the messages of a turn: one of the system, one of the user.

    A section may ask for something that takes time; the others wait for it. They run in their
    order, since recalling a secret makes the turn private for all that come after.
    """
    sections = {}
    for path in conf.get("CONTEXT_SECTIONS"):
        if turn.character is None:
            return []
        part = yield maybeDeferred(conf.load(path), turn)
        if part:
            name = path.rpartition(".")[2]
            # A game's section may have the name of another: both stand in the prompt.
            sections[path if name in sections else name] = part
        # Each of them is work of milliseconds, and many turns may begin together.
        yield pace.breath()
    offered = registry.offered(turn)
    tools = tokens.estimate_messages((), [tool.schema() for tool in offered])
    fitted = prompt_budget.fit(sections, limit=conf.get("CONTEXT_TOKENS") - tools)
    noted = turn.record
    noted.sections, noted.fitted, noted.tool_tokens = sections, fitted, tools
    noted.tool_names = [tool.name for tool in offered]
    user = [_text(fitted[name]) for name in USER_SECTIONS if fitted.get(name)]
    system = [_text(part) for name, part in fitted.items() if part and name not in USER_SECTIONS]
    return [
        {"role": "system", "content": "\n\n".join(system)},
        {"role": "user", "content": "\n\n".join(user)},
    ]


def _text(part):
    return part if isinstance(part, str) else "\n".join(part)
