"""The switch `routine` of `@assistant`: what an NPC does by itself, how far it is with that, and a push."""

from __future__ import annotations

from typing import Any

from evennia_ai.agent import turns
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import AssistantCommand, quoted, switch
from evennia_ai.core.states import Round
from evennia_ai.domain.days import HOUR, Slot
from evennia_ai.life import day
from evennia_ai.memory import lookup, routine
from evennia_ai.memory.state import active_assistants, assistant, sleep_state
from evennia_ai.sleep import waking
from evennia_ai.typeclasses import scripts

GO, GONE = "go", "gone"
STATES = {
    day.GOING: "It is on its way.",
    day.THERE: "It is where it should be.",
    day.BLOCKED: "No way leads there that it may pass; it looks again from time to time.",
    GONE: "There is no such room any more: it stays, and does nothing of that.",
    day.MOVED: "Somebody moved it: it stays there until the next part of its day.",
}


class RoutineSwitch(AssistantCommand):
    """How `@assistant` shows the day of an NPC."""

    @switch("routine", lock="perm(Builder)")
    def show_routine(self) -> None:
        """@assistant/routine <npc> [= go]"""
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        unread = [f"Nobody can read: {escaped(wrong)}" for wrong in routine.unread(npc)]
        if not routine.slots_of(npc):
            none = (
                f"{self.name_of(npc)} has no routine; {self.key}/persona {npc.key}/routine = "
                "<lines> writes one."
            )
            self.msg("\n".join([none, *unread]))
        elif self.rhs is None:
            self.msg("\n".join([f"The day of {self.name_of(npc)}:", *_lines(npc), *unread]))
        elif self.rhs.lower() == GO:
            self._push(npc)
        else:
            self.say_usage()

    def _push(self, npc: Any) -> None:
        """Let it go on at once, whatever kept it, and say what came of that."""
        script, before = scripts.find(npc), npc.location
        why_not = _why_not(script, npc)
        if why_not:
            self.msg(f"{self.name_of(npc)} stays: {why_not}.")
            return
        now = routine.present(npc)
        if now is not None and not (now.slot.sleeps and day.is_there(npc, now.slot)):
            waking.perform_wake_transition(script, "staff sent it on its way")
        day.resume(script, npc)
        day.live(script, npc, is_pushed=True)
        self.log_change("pushed on the day of", npc)
        moved = npc.location is not None and npc.location != before
        place = npc.location.get_display_name(self.caller) if npc.location else "nowhere"
        said = f"{self.name_of(npc)} goes to {place}." if moved else f"{self.name_of(npc)} stays."
        self.msg(f"{said} {_state(script, npc)}")


def _why_not(script: Any, npc: Any) -> str:
    """Return why an NPC cannot be sent on its way, "" if it can."""
    if active_assistants.is_halted() or not assistant.is_enabled(script):
        return "its mind was stopped"
    if presence.is_puppeted(npc):
        return "somebody is playing it"
    return "" if turns.can_act(script) else "it cannot act"


def _lines(npc: Any) -> list[str]:
    now, (_, seconds, _) = routine.present(npc), routine.now()
    found = []
    for slot in routine.slots_of(npc):
        mark = "|w>|n" if now is not None and slot == now.slot else " "
        found.append(f" {mark} {escaped(slot.line)}{_remark(npc, slot)}")
    clock = f"{int(seconds) // HOUR:02}:{int(seconds) % HOUR // 60:02}"
    return [*found, f"It is {clock} there. {_state(scripts.find(npc), npc)}"]


def _remark(npc: Any, slot: Slot) -> str:
    rooms = [lookup.object_by_id(one) for one in sorted(routine.room_ids(slot.place, slot.zone))]
    if slot.place and not any(rooms):
        return f" |r(there is no room called {quoted(slot.place)})|n"
    return "" if routine.is_so(npc, slot) else " (not now)"


def _state(script: Any, npc: Any) -> str:
    now = routine.present(npc)
    if now is None:
        return "Nothing of it is so now."
    if sleep_state.is_asleep(script):
        return "It sleeps."
    if day.is_there(npc, now.slot):
        return STATES[day.THERE]
    if day.is_gone(now.slot):
        return STATES[GONE]
    kept = assistant.round_of(script)
    is_now = kept is not None and (kept.day, kept.slot) == (now.day, now.slot.number)
    return STATES[_state_of(kept) if is_now else day.GOING]


def _state_of(kept: Round | None) -> str:
    return kept.state if kept is not None and kept.state != day.THERE else day.GOING
