"""The turns of an NPC as data: what each heard, knew, was told to leave out, and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from evennia_ai import conf, prompts, scheduling
from evennia_ai.agent import speech, trace
from evennia_ai.agent.hearing import presence
from evennia_ai.commands.base import all_minds
from evennia_ai.core import records
from evennia_ai.domain import audience, classification
from evennia_ai.domain.model_text import request_text, tokens
from evennia_ai.llm import ledger
from evennia_ai.llm.base import bare
from evennia_ai.llm.openai_request import Learnt, build_body
from evennia_ai.memory import identity, lookup
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import npc_settings

NO_PROMPT = "{name} was asked nothing in that turn: no prompt was written."
# Experience that it shares with others stands in its prompt, and is theirs, too.
NOT_YOURS = (
    "What {name} was asked may hold experience of {other}, who is not yours to change: an admin may "
    "read it."
)
UNREAD = "It was for the offline mind, which reads no prompt; a model would be sent this."


def prompt_of(turn: Any) -> str:
    """The last request of a turn as it was sent, as text."""
    backend = bare(turn.llm)
    learnt = getattr(backend, "learnt", Learnt())
    body = build_body(turn.record.request, model=backend.name, options={}, learnt=learnt)
    return request_text.text(body)


def why_no_prompt(
    npc: Any, turn: Any, may_change: Callable[[Any], bool], name_of: Callable[[Any], str]
) -> str:
    """Why somebody may not read the prompt of a turn, or that there is none; "" if they may."""
    group = npc_settings.experience_scope(npc)
    other = next((one for one in partners(npc, group) if not may_change(one)), None)
    if other is not None:
        return NOT_YOURS.format(name=name_of(npc), other=name_of(other))
    return NO_PROMPT.format(name=name_of(npc)) if turn.record.request is None else ""


def partners(npc: Any, group: str) -> list[Any]:
    """The others that share experience with an NPC in a group."""
    others = [mind.obj for mind in all_minds()] if group else []
    return [one for one in others if one != npc and npc_settings.experience_scope(one) == group]


def left_out(recalled: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """How many memories did not get into the prompt, and why not."""
    for count, why in (
        (recalled["withheld"], "not looked at: not for whoever asked"),
        (recalled["unfit_for_others"], "left out: not for everybody who would hear it"),
        (recalled["left_out"], "left out: they fit less"),
    ):
        if count:
            yield count, why


def account_of(npc: Any, kept: list[Any], number: int) -> dict[str, Any]:
    """One of the turns that are kept."""
    return accounts_of(npc, kept, [number])[0]


def accounts_of(npc: Any, kept: list[Any], numbers: Iterable[int]) -> list[dict[str, Any]]:
    """Some of the turns that are kept; their calls are read by one question."""
    turns = {number: kept[number - 1] for number in numbers}
    attempts = ledger.of_turns((turn.id for turn in turns.values()), assistant_id=npc.id)
    return [_account(npc, kept, number, attempts[turn.id]) for number, turn in turns.items()]


def _account(npc: Any, kept: list[Any], number: int, attempts: list[Any]) -> dict[str, Any]:
    turn = kept[number - 1]
    noted, now = turn.record, scheduling.clock().seconds()
    names = Names(npc, turn)
    calls, steps = _calls_and_steps(noted.messages[noted.begun :])
    return {
        "name": f"{npc.key}(#{npc.id})",
        "number": number,
        "kept": len(kept),
        "ago": now - turn.started,
        "took": None if noted.ended is None else noted.ended - turn.started,
        "heard": [_heard(event) for event in turn.events or [turn.event]],
        "listening": sorted(map(names.of, turn.hearers)),
        "said": [(kind, words, _listener(turn, kind, to)) for kind, words, to in noted.said],
        "refused": noted.refused,
        "whispered": _why_whispered(turn),
        "known_to": names.listed(turn.audience),
        "recalled": _recalled(noted.recalled, names),
        "in_prompt": _count_in_prompt(noted),
        "sections": _sections(noted),
        "tools": len(noted.tool_names),
        "tool_tokens": noted.tool_tokens,
        "limit": conf.get("CONTEXT_TOKENS"),
        "calls": calls,
        "steps": steps,
        "mind": _mind(turn),
        "attempts": attempts,
        "notes": turn.notes,
        # What it has let pass since then has to do with other turns.
        "passed": passed_by(npc) if number == 1 else [],
    }


def _mind(turn: Any) -> str:
    """Which mind answered: while a model is left alone, or costs too much, the offline mind does."""
    if turn.by_rules and turn.llm.is_model:
        return f"offline in the place of {turn.llm.name}"
    return turn.llm.name


def passed_by(npc: Any) -> list[dict[str, Any]]:
    """Lines that an NPC heard and did not answer."""
    return [
        {
            **_heard(event),
            "reason": reason,
            "ago": records.age_seconds(event.timestamp, now=scheduling.now()),
        }
        for event, reason in trace.passed(npc.id)
    ]


class Names:
    """What an assistant calls those whom it keeps under identities."""

    def __init__(self, npc: Any, turn: Any):
        self._npc = npc
        self._known = {identity.perceived(npc, obj): obj for obj in presence.listeners(npc)}
        self._names = {who: speech.name_of(obj, npc) for who, obj in self._known.items()}
        self._names.update({event.said_by: event.name for event in turn.events})
        self._names[turn.event.said_by] = turn.event.name
        self._names[turn.identity] = turn.name

    def of(self, who: str) -> str:
        """Return the name for an identity."""
        if who not in self._names:
            known = entity_profiles.find_profile(self._npc, who)
            self._names[who] = known.name if known and known.name else f"somebody ({who[:8]})"
        return self._names[who]

    def listed(self, known: records.Audience) -> str:
        """Return who may know something, by name."""
        if known == audience.PUBLIC:
            return "everybody"
        return ", ".join(sorted(map(self.of, known))) or "nobody"


def _heard(event: records.Event) -> dict[str, Any]:
    return {
        "who": event.name,
        "kind": event.kind,
        "text": event.text,
        "channel": event.channel,
        "rule": event.rule,
        "by_itself": event.reason,
        "class": classification.class_of(event.rule),
        "priority": event.priority,
    }


def _listener(turn: Any, kind: str, object_id: int) -> str:
    if kind == "channel":
        return turn.event.channel
    obj = lookup.object_by_id(object_id)
    return speech.name_of(obj, turn.character) if obj and turn.character else ""


def _why_whispered(turn: Any) -> str:
    spoke_low = any(kind in records.PRIVATE for kind, _, _ in turn.record.said)
    if not spoke_low or turn.event.private:
        return ""
    if turn.private:
        return "what came to mind first is not for everybody who was there"
    return "it draws on what not everybody who was there may know"


def _recalled(recalled: trace.Recalled | None, names: Names) -> dict[str, Any] | None:
    if recalled is None:
        return None
    items = [
        {
            **{key: getattr(item, key) for key in ("text", "by", "kind", "score")},
            "known_to": names.listed(item.audience),
        }
        for item in recalled.items
    ]
    # What was asked of it by the question alone ("why do you think so?") was not looked for.
    counted = ("query", "withheld", "unfit_for_others", "left_out")
    return {
        **{name: getattr(recalled, name) for name in counted},
        "considered": max(recalled.considered, len(items)),
        "items": items,
    }


def _sections(noted: trace.Record) -> list[tuple[str, int, int]]:
    """Return the parts of the prompt: name, tokens, lines."""
    return [
        (name, sum(map(tokens.estimate, lines)), len(lines))
        for name, lines in noted.sections.items()
        if lines
    ]


def _count_in_prompt(noted: Any) -> int:
    """How many of the memories stand in the prompt: as such, as lore, or in the conversation."""
    prompt = "\n".join(one["content"] for one in noted.messages[: noted.begun])
    items = noted.recalled.items if noted.recalled else ()
    return sum(prompts.plain(item.text) in prompt for item in items)


def _calls_and_steps(messages: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """Return the tools that were used, each with its result, and how often the mind was asked."""
    calls: list[dict[str, Any]] = []
    steps = 0
    for message in messages:
        if message["role"] == "assistant":
            steps += 1
            calls.extend({**call, "result": None} for call in message.get("tool_calls", ()))
        elif message["role"] == "tool":
            # Ids may be used again in a later step: the result is for the first that has none.
            used = (call for call in calls if call["id"] == message["tool_call_id"])
            waiting = next((call for call in used if call["result"] is None), None)
            if waiting:
                waiting["result"] = message["content"]
    return calls, steps
