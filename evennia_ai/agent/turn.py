"""One turn: an assistant dealing with a batch of events, and all that it may do about them.

A turn keeps ids and plain data. Objects are fetched again at each access, since a model may take
half a minute and the game goes on meanwhile.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from typing import Any, Callable

from evennia.utils import logger
from twisted.internet.defer import Deferred

from evennia_ai import conf, permission, rate_limits, scheduling
from evennia_ai.agent import delivery, own_model, speech, trace
from evennia_ai.agent.hearing import addressing, channel_talk, presence
from evennia_ai.core import records
from evennia_ai.core.records import Event, Source
from evennia_ai.domain import audience, reasons
from evennia_ai.domain.memories import conversation
from evennia_ai.domain.memories.gossip import Hearsay
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.domain.model_text.repetition import Shown
from evennia_ai.domain.model_text.spoken import Scene
from evennia_ai.exceptions import ToolError
from evennia_ai.llm import model_facts
from evennia_ai.llm.base import Backend, Caller, Request, Stopwatch
from evennia_ai.memory import identity, lookup, persona, routine
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import active_assistants, assistant, channels
from evennia_ai.prompts import quote
from evennia_ai.tools import registry
from evennia_ai.tools.base import Tool, quoted

# Tokens of an answer that can be nothing but a few sentences.
TALK_TOKENS = 120
# Parts of its prompt that a mind does not read out.
TOLD = ("instructions", "scene")
# Characters of a warning by which it is told from another.
NOTED = 100


class Turn:
    """What the loop, the context sections and the tools know of the turn that they serve.

    `hearers` are the identities of those who will hear the reply; `sources` is what has gone into
    the prompt, `audience` who may know that; `private` turns are answered in a whisper.
    """

    def __init__(self, script: Any, events: list[Event], *, llm: Backend | None = None):
        self.id = uuid.uuid4().hex
        self.script_id = script.id
        self.character_id = script.obj.id
        self.key = assistant.key_of(script)
        self.events = events
        self.event = records.main_event(events)
        self.reason = reasons.of(self.event)
        self.private = self.event.private
        self.llm = llm or own_model.llm_of(script.obj, self.reason.job)
        self.started = scheduling.clock().seconds()
        # Stands still while the model is busy with others.
        self.watch = Stopwatch()
        self.context: dict[str, Any] = {}
        self.sources: list[Source] = []
        self.audience: records.Audience = audience.PUBLIC
        # The audiences of what went into the prompt, in order.
        self.included: list[records.Audience] = []
        self.is_over = False
        # Whether it said something to whoever it is about.
        self.exchanged = False
        self.spoken: list[str] = []
        self.notes: list[str] = []
        # What was done before its mind was asked, each as one sentence of the prompt.
        self.happened: list[str] = []
        self.record = trace.Record()
        # What stands in the prompt as lore, what is known there of whoever speaks, and what came to mind.
        self.standing: list[str] = []
        self.profiled: list[Shown] = []
        self.recalled: list[Remembered] = []
        # The tools that were counted within the size of the prompt, until the first request has them.
        self.counted_tools: list[Tool] | None = None
        self.dangerous_used = False
        # For experience: the tools that worked, as (name, category).
        self.used: list[tuple[str, str]] = []
        self.excused = False
        # Whether what it says comes from no model.
        self.by_rules = False
        npc = script.obj
        self.name = speech.name_of(npc, npc)
        self.identity = identity.identity_of(npc)
        self.hearers = self._hearers_now()
        # When they are gone nobody can tell any more.
        self.is_visit = self.speaker is not None and accounts.is_passing(self.speaker)

    @property
    def script(self) -> Any:
        """The mind, or None if it was deleted."""
        return lookup.script_by_id(self.script_id)

    @property
    def character(self) -> Any:
        """The body, or None if it was deleted."""
        return lookup.object_by_id(self.character_id)

    @property
    def speaker(self) -> Any:
        """Who caused the main event, or None if nobody did or they are gone."""
        return lookup.object_by_id(self.event.actor_id)

    # What the loop asks

    def may_keep(self) -> bool:
        """Return whether what the mind makes of this turn may outlive it."""
        npc, script = self.character, self.script
        if npc is None or script is None or self.is_visit or self.event.is_nobodys:
            return False
        return assistant.may_keep(npc, script, [event.actor_id for event in self.events])

    def is_remembered(self) -> bool:
        """Return whether talk with whoever it answers is remembered: that of a visit only until it is over."""
        if not self.is_visit:
            return True
        return self.script is not None and self.event.said_by in assistant.guests(self.script)

    def request(
        self, messages: list[dict[str, Any]], *, temperature: float | None = None
    ) -> Request:
        """Return the next request to the model; at a `temperature`, of one that talks, for words alone."""
        self.record.requests += 1
        counted, self.counted_tools = self.counted_tools, None
        shown = self.shown_tools() if counted is None else counted
        most, is_talk = conf.get("REPLY_TOKENS"), not shown and self.llm.is_model
        self.record.request = request = Request(
            job=self.reason.job,
            messages=list(messages),
            tools=(
                () if temperature and self.reason.speaks else tuple(one.schema() for one in shown)
            ),
            context=self.context,
            max_tokens=min(most, TALK_TOKENS) if is_talk else most,
            deadline=max(0.1, self.remaining()),
            temperature=temperature,
            caller=Caller(self.character_id, self.key, self.event.payer, self.id),
            watch=self.watch,
        )
        return request

    def tool(self, name: str) -> Tool:
        """Return a tool that is offered in this turn; ToolError for any other."""
        tool = registry.get(name)
        if tool not in self.usable_tools():
            raise ToolError(f"You cannot use {name} now.")
        return tool

    def is_in_vain(self) -> bool:
        """Return whether no answer would reach anybody; the events count as dealt with then."""
        if active_assistants.is_closing():
            # What waits stays as it is stored.
            return True
        reason = self.why_silent()
        if reason:
            self.notes.append(f"asked no mind: {reason}")
            self.finish()
        return bool(reason)

    def remaining(self) -> float:
        """Return the seconds that are left until the deadline."""
        now = scheduling.clock().seconds()
        # However long the model was busy: what waits for EVENT_MAX_AGE is not answered any more.
        seconds = max(self.watch.seconds(), now - records.EVENT_MAX_AGE)
        return float(self.started + conf.get("TURN_DEADLINE") - seconds)

    def take_new_events(self) -> list[Event]:
        """Fold what the same person said since into this turn, for the same ears; return it."""
        script = self.script
        known = {event.id for event in self.events}
        waiting = assistant.pending_events(script) if script else []
        fresh = [
            event
            for event in waiting
            if event.id not in known and records.answered_together(self.event, event)
        ]
        for event in fresh:
            self.include(event)
        self.events = [*self.events, *fresh]
        return fresh

    # What sections and tools ask

    def include(
        self, kept: records.Kept | records.Audience, sources: Iterable[Source] = ()
    ) -> None:
        """Note that something went into the prompt: a record, or what has an audience and these sources."""
        is_bare = isinstance(kept, (str, list))
        known, origins = (kept, sources) if is_bare else (kept.audience, kept.origins)
        self.included.append(known)
        origins = records.known_to(known, origins) or [Source("", "", known)]
        self.sources = records.united(self.sources, origins)
        self.audience = records.audience_from(self.sources)

    def origins(self) -> list[Source]:
        """Return what anything that the mind makes of this turn rests on."""
        return records.united(self.sources, *(event.origins for event in self.events))

    def answer_privately(self) -> None:
        """Whisper the reply: it draws on what bystanders may not know.

        On a channel nothing can be whispered, and nothing is said.
        """
        self.private = True
        self.hearers = self._hearers_now()

    def listeners(self) -> list[Any]:
        """Return who can hear the assistant where it is."""
        npc = self.character
        return presence.listeners(npc) if npc else []

    def note_command(self, key: str, line: str) -> None:
        """Note that it runs a command of the game, which those around it may hear."""
        self.notes.append(f"ran the command {key}: {quoted(line)}")
        trace.note_uttered(
            self.character_id,
            "command",
            line,
            self.listeners(),
            turn_id=self.id,
            sources=self.origins(),
        )

    def note_done(self, text: str, *, gift: str = "") -> None:
        """Remember what it did by a tool, as all who are there could see; a `gift` for good."""
        delivery.remember_done(self, text, gift=gift)

    def name_of(self, obj: Any) -> str:
        """Return what the assistant calls somebody."""
        npc = self.character
        return speech.name_of(obj, npc) if npc else obj.key

    def find(self, name: str) -> Any:
        """Return the one thing or person in reach that `name` means; else a ToolError."""
        npc = self.character
        if npc is None:
            raise ToolError("You are not there any more.")
        wanted = name.strip().casefold()
        reach = [*(npc.location.contents if npc.location else ()), *npc.contents]
        seen = [obj for obj in reach if obj is not npc and obj.access(npc, "view")]
        found = [obj for obj in seen if wanted in _names(obj, npc)]
        found = found or [obj for obj in seen if any(wanted in name for name in _names(obj, npc))]
        looks = {speech.name_of(obj, npc) for obj in found}
        if len(looks) == 1 and (speaker := self.speaker) in found:
            # Of two who look alike, whoever speaks means themselves.
            return speaker
        if found and len({(speech.name_of(obj, npc), obj.typeclass_path) for obj in found}) == 1:
            # Five equal ales are as good as one.
            return found[0]
        names = sorted({speech.name_of(obj, npc) for obj in found or seen})
        listed = ", ".join(map(quote, names)) or "nothing"
        problem = "Several fit" if found else "You see nothing called"
        raise ToolError(f"{problem} {quoted(name)}. You see: {listed}.")

    def run_command(self, line: str) -> Any:
        """Let the NPC run a command of the game, as what whoever caused this turn has caused."""
        npc = self.character
        with speech.uttering(npc, "", **self.caused()):
            return npc.execute_cmd(line)

    # What ends it

    def speak(self, kind: str, words: str, target: Any = None) -> Deferred[bool]:
        """Say, whisper or pose, if the assistant still can; fires with whether it was done.

        Words on a channel of the game are answered there. The events count as answered from the
        moment in which it speaks, so that a crash cannot answer them twice.

        Raises:
            WordsRefused: MAY_SAY does not let it say that.
        """
        return delivery.speak(self, kind, words, target)

    def scene(self) -> Scene | None:
        """Return by what the words of its mind are read; None where nobody hears them."""
        if not self.reason.speaks:
            return None
        return Scene(
            name=self.name,
            listeners=[self.name_of(obj) for obj in self.listeners()],
            asked=[event.text for event in self.events if event.kind in records.SPOKEN],
            instructions="\n".join(
                line for name in TOLD for line in self.record.sections.get(name, ())
            ),
            persona="\n".join(self.record.sections.get("persona", ())),
            is_channel=bool(self.event.channel),
            max_lines=permission.REPLY_LINES,
            max_length=permission.LINE_LENGTH,
            is_doubted=self.is_coached(),
            recalled=[one["text"] for one in self.context.get("memories") or () if self.asks()],
        )

    def is_coached(self) -> bool:
        """True if the model is weak and speaks English: it is shown examples, and its answers are checked."""
        npc = self.character
        is_weak = npc is not None and self.reason.speaks and model_facts.is_weak(self.llm)
        return is_weak and persona.language_of(persona.load_persona(npc)["language"])[0] == "en"

    def asks(self) -> bool:
        """True if a line that is answered is a question."""
        return any(conversation.asks(event.text) for event in self.events)

    def tell_on(self, words: str, target: Any, *, hearsay: Hearsay) -> Deferred[bool]:
        """Whisper to one person what they were released to know; fires with whether it was done.

        What else is in the prompt does not hold it back: so only for words that no model wrote.
        """
        return delivery.tell_on(self, words, target, hearsay=hearsay)

    def finish(self) -> None:
        """The events of this turn are dealt with."""
        self.is_over = True
        script = self.script
        if script is not None:
            assistant.remove_pending(script, [event.id for event in self.events])

    def why_silent(self) -> str:
        """Return why nothing may be said now, or "" if it may."""
        npc, script = self.character, self.script
        if npc is None or script is None:
            return "it is gone"
        if active_assistants.is_halted() or not assistant.is_enabled(script):
            return "its mind was stopped"
        if self.event.channel:
            reason = channel_talk.why_silent(script, npc, self.event.channel)
            if reason:
                return reason
        here = npc.location.id if npc.location else 0
        is_afar = bool(self.event.channel) or self.event.kind == "tell"
        is_there = is_afar or here == self.event.location_id
        checks: tuple[tuple[Callable[[], bool], str], ...] = (
            (lambda: presence.is_puppeted(npc), "somebody is playing it"),
            (lambda: not routine.can_act(npc), "it cannot act"),
            (lambda: not is_there, "it was somewhere else by then"),
            (lambda: self._speaker_left(npc), f"{self.event.name} had left"),
            (lambda: self._is_unheard(npc), "nobody was there to hear it"),
        )
        if not self.reason.speaks:
            # Nobody has to be there for what is said to nobody.
            checks = checks[:2]
        return next((reason for check, reason in checks if check()), "")

    def caused(self) -> dict[str, Any]:
        """Return what is handed on to assistants who hear what is said in this turn."""
        return {"hops": self.event.hops + 1, "payer": self.event.payer}

    def why_kept(self) -> str:
        """Return why words may not be said aloud, though nobody can be whispered to, or ""."""
        nobody_to_whisper_to = self.event.channel or self.speaker is None
        kept = nobody_to_whisper_to and self.is_for_few()
        return "it was not for everybody there" if kept else ""

    def is_for_few(self) -> bool:
        """Return whether words said aloud would reach one who may not know what they draw on."""
        return self.private or not audience.may_know(self.audience, self._hearers_now())

    def shown_tools(self) -> list[Tool]:
        """Return the tools whose schemas go along: to a mind by rules, what can be done now."""
        if not self.llm.is_model:
            return self.usable_tools()
        found = registry.shown(self) if model_facts.uses_tools(self.llm) else []
        return [tool for tool in found if self._is_in_reach(tool)]

    def usable_tools(self) -> list[Tool]:
        """Return the tools that can be used now."""
        return [tool for tool in registry.offered(self) if self._is_in_reach(tool)]

    def _is_in_reach(self, tool: Tool) -> bool:
        return not (self.event.channel and tool.needs_place)

    def _speaker_left(self, npc: Any) -> bool:
        """Return whether whoever would be answered is gone: from there, or out of the game."""
        if self.event.channel or not self.event.actor_id:
            # The others on the channel have read the question, too.
            return False
        speaker = self.speaker
        is_for_player = self.event.payer or self.event.kind == records.OCCASION
        if speaker is None or (is_for_player and not presence.can_hear(speaker)):
            return True
        return self.event.kind != "tell" and speaker.location != npc.location

    def _is_unheard(self, npc: Any) -> bool:
        """Return whether no player is there to hear what is said to another assistant, or to nobody."""
        asked = self.event.kind != records.OCCASION
        if self.event.channel or (asked and self.speaker and not presence.is_mind(self.speaker)):
            return False
        return not any(map(presence.is_puppeted, npc.location.contents if npc.location else ()))

    def _hearers_now(self) -> frozenset[str]:
        npc = self.character
        if self.event.channel:
            return channel_talk.hearers(channels.find(self.event.channel))
        if not self.reason.speaks:
            # Nobody hears it, and anybody may learn of it: it is made of what is public.
            return frozenset({audience.NOBODY})
        # Whoever is answered hears it, also one whom no session plays (a scripted character).
        asker = {self.event.said_by} - {""}
        return frozenset(asker if self.private or npc is None else asker | presence.hearers(npc))

    def warn(self, text: str) -> None:
        """Tell staff, in the server log; what differs by a number alone is told once an hour, with how often it was."""
        self.notes.append(text)
        kind = re.sub(r"[\d.,]+", "", text[:NOTED])
        line = f"evennia_ai: {self.name}(#{self.character_id}): {text}"

        def say(count: int) -> None:
            often = f" ({count} times since it was last told)" if count > 1 else ""
            logger.log_warn(f"{line}{often}")

        rate_limits.tell(("warned", self.character_id, kind), say)


def _names(obj: Any, npc: Any) -> set[str]:
    return {name.casefold() for name in addressing.names_of(obj, npc)}
