"""The stage of a dialogue: a room of its own, people who talk there, and the double of the NPC.

Nothing here goes past the usual paths: people speak by the hooks that the game's commands call, and
what they say is perceived, thought about and answered as at any other time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from evennia.utils.create import create_object
from evennia.utils.utils import class_from_module
from twisted.internet.defer import inlineCallbacks
from twisted.internet.task import deferLater

from evennia_ai import conf, models, scheduling, tick
from evennia_ai.agent import trace, turns
from evennia_ai.agent.hearing import perception
from evennia_ai.agent.revising import forgetting
from evennia_ai.llm import ledger
from evennia_ai.memory import identity, lookup
from evennia_ai.memory.state import assistant, sleep_state
from evennia_ai.memory.state.sleep_state import ASLEEP
from evennia_ai.sleep import sleep_cycle, waking
from evennia_ai.testing.dialogue import dialogue_cast, dialogue_ways
from evennia_ai.testing.dialogue.dialogue_cast import Original
from evennia_ai.testing.dialogue.dialogue_people import DialoguePerson, Heard
from evennia_ai.testing.dialogue.dialogue_plan import Person, Room, Step
from evennia_ai.typeclasses import scripts

ROOM_NAME = "A room for a dialogue"
# Seconds between two looks whether the NPC has answered, and beyond its own deadline until it counts
# as mute.
LOOK, GRACE = 0.05, 10.0
# Seconds between two ticks while time passes.
PACE = 60.0

_ARTICLE = re.compile(r"\A(?:an?|the|some)\s+(?=\S)", re.I)


class StageError(ValueError):
    """A step cannot be played; the text is a sentence."""


class Stage:
    """The objects of one dialogue, by their ids."""

    def __init__(self) -> None:
        self.people: dict[str, int] = {}
        self.room_id = self.elsewhere_id = self.npc_id = 0
        self._made: list[int] = []

    @property
    def npc(self) -> Any:
        """The double; StageError if somebody deleted it."""
        npc = lookup.object_by_id(self.npc_id)
        if npc is None or scripts.find(npc) is None:
            raise StageError("the NPC of the dialogue is gone.")
        return npc

    @property
    def script(self) -> Any:
        """Its mind."""
        return scripts.find(self.npc)

    @property
    def room(self) -> Any:
        """Where it stands."""
        return lookup.object_by_id(self.room_id)

    def person(self, name: str) -> Any:
        """Return one of the people."""
        person = lookup.object_by_id(self.people[name])
        if person is None:
            raise StageError(f"{name} is gone.")
        return person

    @inlineCallbacks
    def set(
        self,
        original: Original,
        *,
        room: Room,
        people: Iterable[Person],
    ):
        """Make everything."""
        shown, own = room, original.room
        made = self._make_room(shown.name or own.name or ROOM_NAME, shown.desc or own.desc)
        if shown.private or own.private:
            made.tags.add("private")
        self.room_id = made.id
        self.elsewhere_id = self._make_room(f"{ROOM_NAME}: elsewhere", "").id
        for person in people:
            self.add(person)
        npc = yield dialogue_cast.make(original, self.room, keep=self._keep)
        self.npc_id = npc.id

    def add(self, person: Person) -> Any:
        """Let somebody come in, or wait elsewhere."""
        place = lookup.object_by_id(self.room_id if person.is_here else self.elsewhere_id)
        made = create_object(DialoguePerson, key=person.name, location=place, home=place)
        if person.desc:
            made.db.desc = person.desc
        self.people[person.name] = self._keep(made).id
        return made

    def remove(self, name: str) -> None:
        """Let somebody be gone for good."""
        self.person(name).delete()
        self._made.remove(self.people.pop(name))

    def put(self, key: str, *, desc: str, inside: int = 0, typeclass: Any = None) -> int:
        """Put a thing into the room, or into another thing; return its id."""
        typeclass = typeclass or class_from_module(settings.BASE_OBJECT_TYPECLASS)
        place = lookup.object_by_id(inside or self.room_id)
        thing = self._keep(create_object(typeclass, key=key, location=place, home=self.room))
        thing.db.desc = desc
        return thing.id

    def identities(self) -> dict[str, str]:
        """Return whom the NPC takes the people for, by name."""
        npc = self.npc
        return {name: identity.perceived(npc, self.person(name)) for name in self.people}

    def present(self) -> list[str]:
        """Return the names of those who are in the room."""
        return [name for name in self.people if self.person(name).location == self.room]

    def heard(self, name: str) -> list[Heard]:
        """Return what reached somebody from others, so far."""
        return [line for line in self.person(name).heard if line.from_id != self.people[name]]

    # What happens.

    def do(self, step: Step) -> Any:
        """Let a person say or do something, as the game's own commands would; return a Deferred of what
        takes time, else None."""
        person, npc = self.person(step.person), self.npc
        from_afar = step.deed == "tell" and conf.get("TELL_RANGE") == "anywhere"
        if step.deed == "arrive":
            person.move_to(self.room)
            return None
        if person.location != self.room and not from_afar:
            raise StageError(f"{step.person} is not there.")
        return getattr(self, f"_{step.deed}")(person, npc, step.text)

    @inlineCallbacks
    def wait(self):
        """Wait until everything that was said is dealt with; StageError if it takes too long."""
        patience = turns.DELAY + conf.get("TURN_DEADLINE") + GRACE
        until = scheduling.clock().seconds() + patience
        while True:
            # In the order of asking: what was said before is perceived by then.
            yield scheduling.yield_to_reactor()
            if not self._is_busy():
                # What is noted after an answer has its slice, too.
                yield scheduling.yield_to_reactor()
                if not self._is_busy():
                    return
            if scheduling.clock().seconds() > until:
                raise StageError(f"{self.npc.key} had not answered after {patience:.0f} seconds.")
            yield deferLater(scheduling.clock(), LOOK)

    @inlineCallbacks
    def pass_time(self, seconds: float):
        """Let time pass with all that it brings; only with a clock that somebody winds."""
        until = scheduling.clock().seconds() + seconds
        while (left := until - scheduling.clock().seconds()) > 0:
            yield deferLater(scheduling.clock(), min(PACE, left))
            yield tick.run_tick(self.script)
        yield self.wait()

    @inlineCallbacks
    def sleep(self):
        """Let it sleep until the work of the night is done."""
        sleep_cycle.transition_mode(self.script, ASLEEP, "a dialogue lets it sleep")
        until = scheduling.clock().seconds() + sleep_state.NAP_HOURS * 3600
        while sleep_state.is_asleep(self.script):
            if scheduling.clock().seconds() > until:
                waking.perform_wake_transition(self.script, "the night of the dialogue is over")
                raise StageError("it had not done its work of the night when the night was over.")
            yield deferLater(scheduling.clock(), PACE)
            yield tick.run_tick(self.script)
        yield self.wait()

    # What came of it.

    def turns_after(self, known: set[str]) -> list[Any]:
        """Return the turns that are not known yet, the oldest first."""
        return [turn for turn in reversed(trace.turns(self.npc_id)) if turn.id not in known]

    def last_row(self) -> int:
        """Return the id of the newest row of the ledger."""
        ledger.flush()
        newest = models.LedgerEntry.objects.order_by("-id").values_list("id", flat=True).first()
        return newest or 0

    def rows_after(self, row_id: int) -> list[dict[str, Any]]:
        """Return the rows of the ledger that are newer and the double's."""
        ledger.flush()
        rows = models.LedgerEntry.objects.filter(assistant_id=self.npc_id, id__gt=row_id)
        return list(rows.order_by("id").values())

    # The end.

    @inlineCallbacks
    def strike(self):
        """Delete everything that was made, the rooms last, with all that was remembered."""
        npc = lookup.object_by_id(self.npc_id)
        if npc is not None and (script := scripts.find(npc)) is not None:
            # It begins nothing any more; what it is about is waited for.
            script.disable()
            yield forgetting.forget_everything(npc, script)
        for obj in filter(None, map(lookup.object_by_id, reversed(self._made))):
            obj.delete()
        yield scheduling.yield_to_reactor()

    def _is_busy(self) -> bool:
        script = self.script
        return bool(assistant.pending_events(script)) or turns.is_running(script.id)

    def _make_room(self, key: str, desc: str) -> Any:
        typeclass = class_from_module(settings.BASE_ROOM_TYPECLASS)
        room = self._keep(create_object(typeclass, key=key, nohome=True))
        room.db.desc = desc
        return room

    def _keep(self, obj: Any) -> Any:
        self._made.append(obj.id)
        return obj

    # As Evennia's own commands do it.

    def _say(self, person: Any, npc: Any, text: str) -> None:
        words = person.at_pre_say(text)
        if words:
            person.at_say(words, msg_self=True)

    def _whisper(self, person: Any, npc: Any, text: str) -> None:
        words = person.at_pre_say(text, whisper=True, receivers=[npc])
        if words:
            person.at_say(words, msg_self=True, receivers=[npc], whisper=True)

    def _tell(self, person: Any, npc: Any, text: str) -> None:
        perception.told(npc, text, person)

    def _emote(self, person: Any, npc: Any, text: str) -> None:
        line = f"{person.name} {text}"
        person.location.msg_contents(text=(line, {"type": "pose"}), from_obj=person)

    def _give(self, person: Any, npc: Any, text: str) -> None:
        typeclass = class_from_module(settings.BASE_OBJECT_TYPECLASS)
        thing = create_object(typeclass, key=_ARTICLE.sub("", text), location=person, home=person)
        self._keep(thing)
        if thing.at_pre_give(person, npc) and thing.move_to(npc, quiet=True, move_type="give"):
            thing.at_give(person, npc)

    def _rate(self, person: Any, npc: Any, text: str) -> Any:
        return dialogue_ways.rate(self, person, text)

    def _correct(self, person: Any, npc: Any, text: str) -> Any:
        return dialogue_ways.correct(self, person, text)

    def _leave(self, person: Any, npc: Any, text: str) -> None:
        person.move_to(lookup.object_by_id(self.elsewhere_id))
