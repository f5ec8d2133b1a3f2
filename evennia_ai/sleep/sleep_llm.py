"""Asking a mind to do one of the jobs of sleep, on the account of the assistant and of its night.

A job is ids and plain data in, plain data out: it needs no object of the game, and could run
anywhere. Whoever asks applies the answer to a fresh load.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai import conf
from evennia_ai.domain.model_text import tokens
from evennia_ai.exceptions import BudgetExceeded
from evennia_ai.llm import measure
from evennia_ai.llm.base import (
    Backend,
    Caller,
    Completion,
    Request,
    aliases_for_one,
    get_alias,
    get_llm,
)
from evennia_ai.llm.structured import complete_structured
from evennia_ai.memory import lookup
from evennia_ai.memory.state import assistant, sleep_state

# Seconds for one answer at night.
DEADLINE = 60.0
# Tokens of an answer; a schema keeps it far shorter.
MAX_TOKENS = 400
OFFLINE = "evennia_ai.llm.offline.OfflineMind"


@inlineCallbacks
def ask(
    script_id: int,
    job: str,
    *,
    messages: list[dict[str, Any]],
    context: dict[str, Any],
    answer: Any,
    schema: dict[str, Any],
    alias: str = "",
) -> Any:
    """Return the mind's answer, an instance of the pydantic model `answer`.

    `messages` and `schema` are for a model; `context` is the same as plain data, for the mind without
    one, which also does all but to rate in the place of a model that is known to be weak.
    `alias` is that of another mind than the job's, where the settings have it.

    Raises:
        BudgetExceeded: The night's tokens (SLEEP_TOKENS) are spent, or the assistant's of the day.
        LLMUnavailable: No answer came, or none of that shape.
    """
    llm = mind_for(script_id, job, alias=alias)
    # It says what its sources do not carry.
    if job != "score" and llm.is_model and measure.verdict_of(llm) == measure.WEAK:
        llm = conf.load(OFFLINE)()
    request = Request(
        job=job,
        messages=messages,
        context=context,
        schema=schema,
        max_tokens=MAX_TOKENS,
        deadline=DEADLINE,
        # What is most likely is also most often true.
        temperature=0.0,
        caller=caller_of(script_id),
    )
    found = yield complete_structured(llm, request, answer)
    found.by_rules = not llm.is_model
    return found


def mind_for(script_id: int, job: str, *, alias: str = "") -> Backend:
    """Return the mind for a job of sleep; what it takes counts to the night.

    Raises:
        BudgetExceeded: The night's tokens are spent, or whoever asks is gone.
    """
    script = lookup.script_by_id(script_id)
    if script is None or script.obj is None:
        raise BudgetExceeded("the mind that asked is gone")
    llm = get_alias(alias) if alias in aliases_for_one() else get_llm(job)
    if llm.is_model and sleep_state.tokens(script) >= conf.get("SLEEP_TOKENS"):
        raise BudgetExceeded("the tokens of this night are spent")
    return _Counting(llm, script_id)


def caller_of(script_id: int) -> Caller:
    """Return on whose account an assistant thinks in its sleep."""
    script = lookup.script_by_id(script_id)
    if script is None or script.obj is None:
        return Caller()
    return Caller(script.obj.id, assistant.key_of(script))


class _Counting:
    """A backend that adds what an answer took to the tokens of the night."""

    def __init__(self, llm: Backend, script_id: int) -> None:
        self.name = llm.name
        self.is_model = llm.is_model
        self.inner = llm
        self._script_id = script_id

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer as the backend does."""
        return self.inner.complete(request).addCallback(self._count, request)

    def _count(self, completion: Completion, request: Request) -> Completion:
        script = lookup.script_by_id(self._script_id)
        if script is not None and completion.is_model:
            asked = completion.prompt_tokens or tokens.estimate_messages(request.messages)
            sleep_state.spend(
                script, asked + (completion.completion_tokens or tokens.estimate(completion.text))
            )
        return completion
