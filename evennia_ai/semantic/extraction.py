"""Takes the facts out of what was said, by the mind for the job `extract`, and keeps them."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import inlineCallbacks

from evennia_ai import prompts
from evennia_ai.core.records import Audience
from evennia_ai.llm.base import Caller, Request, get_llm
from evennia_ai.llm.structured import complete_structured
from evennia_ai.semantic.base import get_memory

# Facts that one text may hold, and characters of one.
MAX_FACTS = 20
MAX_LENGTH = 500
MAX_TOKENS = 500


@inlineCallbacks
def learn(
    text: str,
    *,
    assistant_key: str,
    audience: Audience,
    metadata: dict[str, Any] | None = None,
    caller: Caller | None = None,
    alias: str = "default",
) -> Any:
    """Keep the facts in a text; return their ids. Without a model the text itself is the fact.

    The facts have the audience and the metadata of the text: nothing becomes public by being
    put in other words.
    """
    llm = get_llm("extract", assistant_id=caller.assistant_id if caller else 0)
    facts = [text]
    if llm.is_model:
        facts = yield extract_facts(text, llm=llm, caller=caller)
    ids = []
    for fact in facts:
        added = yield get_memory(alias).add(
            fact, assistant_key=assistant_key, audience=audience, metadata=metadata
        )
        ids.append(added)
    return list(dict.fromkeys(ids))


@inlineCallbacks
def extract_facts(text: str, *, llm: Any, caller: Caller | None = None) -> Any:
    """Return what a text says about the world and its people, each a sentence.

    Raises:
        LLMBadReply: the mind gave no list of facts, twice.
    """
    from pydantic import BaseModel

    class Facts(BaseModel):
        facts: list[str]

    request = Request(
        job="extract",
        messages=[
            {"role": "system", "content": prompts.ASSISTANT_FACT_EXTRACTION_PROMPT},
            {"role": "user", "content": prompts.quote(text)},
        ],
        max_tokens=MAX_TOKENS,
        caller=caller or Caller(),
    )
    answer = yield complete_structured(llm, request, Facts)
    given = (fact.strip() for fact in answer.facts)
    return [fact for fact in given if fact and len(fact) <= MAX_LENGTH][:MAX_FACTS]
