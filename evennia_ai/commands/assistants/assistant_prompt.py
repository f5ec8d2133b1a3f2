"""The switch `why/prompt` of `@assistant`: what the model was asked in a turn, word for word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evennia.utils.evmore import EvMore

from evennia_ai.agent.speech import escaped
from evennia_ai.agent.trace import Record
from evennia_ai.commands.assistants.assistant_why import WhySwitch
from evennia_ai.commands.base import all_minds, switch
from evennia_ai.domain.model_text import request_text
from evennia_ai.llm.openai_request import Learnt, build_body
from evennia_ai.memory.state import npc_settings

NO_PROMPT = "{name} was asked nothing in that turn: no prompt was written."
# What it learned with others stands in its prompt, and is theirs, too.
NOT_YOURS = (
    "What {name} was asked may hold experience of {other}, who is not yours to change: an admin may "
    "read it."
)
UNREAD = "It was for the offline mind, which reads no prompt; a model would be sent this."


class PromptSwitch(WhySwitch):
    """What `@assistant` can tell of its last prompts."""

    @switch("why/prompt", lock="perm(Builder)")
    def show_prompt(self) -> None:
        """@assistant/why/prompt [<npc>] [= <which, from the last>]"""
        found = self.find_turn()
        if found is None:
            return
        npc, kept, number = found
        turn = kept[number - 1]
        other = partner(npc, self.may_change)
        if other is not None:
            self.msg(NOT_YOURS.format(name=self.name_of(npc), other=self.name_of(other)))
        elif turn.record.request is None:
            self.msg(NO_PROMPT.format(name=self.name_of(npc)))
        else:
            text = f"{_title(npc, number, turn)}\n\n{escaped(prompt_of(turn))}"
            EvMore(self.caller, text, session=self.session)


def partner(npc: Any, may_change: Callable[[Any], bool]) -> Any:
    """Return somebody with whom an NPC learns and whom somebody may not change, None if they may change all."""
    group = npc_settings.experience_scope(npc)
    return next((one for one in partners(npc, group) if not may_change(one)), None)


def partners(npc: Any, group: str) -> list[Any]:
    """Return the others that share experience with an NPC in a group."""
    others = [mind.obj for mind in all_minds()] if group else []
    return [one for one in others if one != npc and npc_settings.experience_scope(one) == group]


def prompt_of(turn: Any) -> str:
    """Return the last request of a turn as it was sent, as text."""
    request = turn.record.request
    backend = turn.llm
    while hasattr(backend, "inner"):
        backend = backend.inner
    learnt = getattr(backend, "learnt", Learnt())
    body = build_body(
        request, model=backend.name, options={}, learnt=learnt, json_tools=learnt.json_tools
    )
    return request_text.text(body)


def _title(npc: Any, number: int, turn: Any) -> str:
    noted: Record = turn.record
    which = "the last turn" if number == 1 else f"turn {number} from the last"
    last = f"request {noted.requests} of {noted.requests}" if noted.requests > 1 else "its request"
    title = f"|c{npc.key}(#{npc.id})|n, {which}, {last}"
    return title if turn.llm.is_model else f"{title}\n{UNREAD}"
