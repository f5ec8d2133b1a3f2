"""The switches of `@assistant` for the life of an NPC: on and off, its day, its errands, and how well it did."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evennia.comms.models import ChannelDB
from twisted.python import log

from evennia_ai import scheduling
from evennia_ai.agent import turns
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.speech import escaped
from evennia_ai.commands import changes
from evennia_ai.commands.assistants.asking import MANNERS, channels_text
from evennia_ai.commands.base import AssistantCommand, quoted, switch, whole_number
from evennia_ai.commands.shown import npcs, words
from evennia_ai.core.records import Goal, Step, age_seconds, format_time, parse_time
from evennia_ai.core.states import Round
from evennia_ai.domain.choices import step_rules
from evennia_ai.domain.choices.experience_told import Done, Habit, Told
from evennia_ai.domain.days import HOUR, Slot
from evennia_ai.domain.model_text import reply
from evennia_ai.experience import base as experience
from evennia_ai.experience import turn_decisions
from evennia_ai.experience.base import experience_of, group_of
from evennia_ai.life import day
from evennia_ai.life import running_errands as running
from evennia_ai.memory import errands, lookup, routine
from evennia_ai.memory.state import (
    active_assistants,
    assistant,
    channels,
    kept_goals,
    sleep_state,
)
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.sleep import waking
from evennia_ai.typeclasses import scripts

GO, GONE, DROP = "go", "gone", "drop"
STATES = {
    day.GOING: "It is on its way.",
    day.THERE: "It is where it should be.",
    day.BLOCKED: "No way leads there that it may pass; it looks again from time to time.",
    GONE: "There is no such room any more: it stays, and does nothing of that.",
    day.MOVED: "Somebody moved it: it stays there until the next part of its day.",
}
# The next step of an errand for a player, and of a plan of its own.
NEXT = {
    "go": "goes back",
    "get": "waits for it to be handed over",
    "give": "brings it",
    "tell": "waits to tell how it went",
}
NEXT_OF_OWN = {
    "go": "goes to {called}",
    "take": "takes {called}",
    "give": "brings {called} to {person}",
    "tell": "is to tell {person} something",
    "hear": "waits for an answer of {person}",
    "wait": "waits",
}
BACK = "waits to give it back"
BEST = 10
# Decisions, habits and days that are listed.
SHOWN, HABITS, DAYS = 20, 30, 14
# Characters of the name of a domain, and how many of them one rating names.
DOMAIN_LENGTH, DOMAINS = 40, 10
# Hours that something may have taken: a year.
HOURS = 8760.0

_FIELD = re.compile(r"(better|worse|hours):(\S+)\s*", re.I)


class LivingSwitches(AssistantCommand):
    """How `@assistant` lets NPCs live."""

    @switch("start", lock="perm(Builder)")
    def start(self) -> None:
        """@assistant/start <npc>

        Let it perceive and answer.
        """
        self._turn(on=True)

    @switch("stop", lock="perm(Builder)")
    def stop(self) -> None:
        """@assistant/stop <npc>

        Let it perceive and answer nothing, until it is started again.
        """
        self._turn(on=False)

    def _turn(self, *, on: bool) -> None:
        npc = self.find_assistant(self.args)
        if npc is not None:
            self.msg(changes.turn(self.caller, npc, self.name_of(npc), on=on))

    @switch("say", lock="perm(Builder)")
    def speak_for(self) -> None:
        """@assistant/say <npc> = <words>

        Let it say your words, or do them if they begin with a colon.
        """
        if not self.lhs or not self.rhs:
            self.say_usage()
            return
        npc = self.find_assistant(self.lhs)
        if npc is not None:
            spoken = changes.speak_for(self.caller, npc, self.name_of(npc), self.rhs)
            spoken.addCallback(self.msg)
            spoken.addErrback(log.err, "evennia_ai: words of staff were not spoken")

    @switch("channel", lock="perm(Builder)")
    def follow_channel(self) -> None:
        """@assistant/channel <npc> [= <channel> [listen/named/answer/off]]

        Let it hear a channel of the game: `listen` only remembers what is said there, `named`
        (which it does unless you say otherwise) also answers to its name, `answer` answers
        everything, `off` hears it no more.
        """
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        if not self.rhs:
            followed = channels_text(npcs.channels_of(npc))
            self.msg(f"{self.name_of(npc)} follows: {followed}.")
            return
        name, _, manner = self.rhs.rpartition(" ")
        if not name or manner.lower() not in (*channels.MANNERS, "off"):
            name, manner = self.rhs, "named"
        if manner.lower() == "off":
            self._unfollow(npc, name.strip())
        else:
            self._follow(npc, name.strip(), manner.lower())

    def _follow(self, npc: Any, name: str, manner: str) -> None:
        channel = self._find_channel(name)
        if channel is None:
            self.msg(f"There is no channel {quoted(name)} that you may listen to.")
            return
        try:
            scripts.follow_channel(npc, channel, manner=manner)
        except ValueError as error:
            self.msg(str(error))
            return
        self.log_change(f"let the channel {channel.key!r} be followed ({manner}) by", npc)
        self.msg(f"{self.name_of(npc)} {MANNERS[manner]} on {channel.key} now.")

    def _unfollow(self, npc: Any, name: str) -> None:
        channel = self._find_channel(name)
        # A channel that is gone from the game can still stand on the assistant's list.
        is_left = channel is not None and scripts.unfollow_channel(npc, channel)
        if not is_left and not scripts.unfollow_channel(npc, name):
            self.msg(f"{self.name_of(npc)} does not follow {quoted(name)}.")
            return
        self.log_change(f"let the channel {name!r} be left by", npc)
        self.msg(f"{self.name_of(npc)} does not hear {escaped(name)} any more.")

    def _find_channel(self, name: str) -> Any:
        """Return the channel of that name or alias, if the caller may listen to it."""
        found = ChannelDB.objects.search_channel(name) if name else ()
        return next((one for one in found if one.access(self.caller, "listen")), None)

    @switch("routine", lock="perm(Builder)")
    def show_routine(self) -> None:
        """@assistant/routine <npc> [= go]

        Its day by the clock, and how far it is with that; `go` sends it on its way, whatever
        keeps it. It is written by `persona <npc>/routine`.
        """
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        unread = [f"Nobody can read: {escaped(wrong)}" for wrong in routine.unread(npc)]
        if not routine.slots_of(npc):
            how = f"{self.key}/persona {npc.key}/routine = <lines> writes one."
            self.msg("\n".join([f"{self.name_of(npc)} has no routine; {how}", *unread]))
        elif self.rhs is None:
            lines = [f"The day of {self.name_of(npc)}:", *_routine_lines(npc), *unread]
            self.msg("\n".join(lines))
        elif self.rhs.lower() == GO:
            self._push(npc)
        else:
            self.say_usage()

    def _push(self, npc: Any) -> None:
        """Let it go on at once, whatever kept it, and say what came of that."""
        script, before = scripts.find(npc), npc.location
        if why_not := _why_not(script, npc):
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
        self.msg(f"{said} {_routine_state(script, npc)}")

    @switch("errands", lock="perm(Builder)")
    def show_errands(self) -> None:
        """@assistant/errands <npc>[/<number> = drop]

        What it carries for players by its persona, and how far it is; `drop` lets it give one
        up, and give back what it has.
        """
        npc, number = self.find_part()
        if npc is None:
            return
        if number and (self.rhs or "").casefold() == DROP:
            self._drop(npc, number)
        elif number or self.rhs is not None:
            self.say_usage()
        else:
            listed = errands.errands_of(npc)
            things, people = ", ".join(listed.things), ", ".join(listed.to)
            carried = f"{self.name_of(npc)} carries {escaped(things)} to {escaped(people)}."
            none = f"{self.name_of(npc)} runs no errands; its persona has no `errands`."
            kept = kept_goals.planned(scripts.find(npc))
            lines = [_errand_line(npc, goal) for goal in kept]
            self.msg("\n".join([carried if listed.to else none, *lines]))

    def _drop(self, npc: Any, number: str) -> None:
        goal_id = whole_number(number)
        if goal_id is None or not running.drop(scripts.find(npc), npc, goal_id):
            how = f"{self.key}/errands {npc.key} lists them."
            self.msg(f"{quoted(number)} is none of its errands; {how}")
            return
        self.log_change(f"dropped errand {goal_id} of", npc)
        self.msg(
            f"{self.name_of(npc)} gives up errand {goal_id}, and gives back what it has of it."
        )

    @switch("experience", lock="perm(Builder)")
    def show_experience(self) -> None:
        """@assistant/experience <npc>[/<number>] [= <0-10> [note]]

        What it learned by doing: what it tries when, how that goes, and what it did last. A
        number from 0 to 10 says how well it did what it did last, or before (1 is the last);
        the note may begin with what became better and worse and how many hours it took, as in
        `= 7 better:peace worse:trade hours:2 They left.`
        """
        npc, number = self.find_part()
        if npc is None:
            return
        if why := experience.why_off():
            self.msg(f"NPCs do not learn from what they do, and nothing can be rated: {why}.")
        elif self.rhs is not None:
            self._rate(npc, number, self.rhs)
        elif number:
            self.say_usage()
        else:
            name = self.name_of(npc)
            found = experience_of(scripts.find(npc), npc).told()
            found.addCallback(lambda told: self._tell_learned(name, group_of(npc), told))
            found.addErrback(self._not_reached, name)

    def _rate(self, npc: Any, number: str, text: str) -> None:
        given = _verdict(text)
        place = whole_number(number) if number else 1
        if given is None or not place:
            self.say_usage()
            return
        kept = turn_decisions.recent(scripts.find(npc))
        if place > len(kept):
            self.msg(f"{self.name_of(npc)} has done {len(kept)} things lately that can be rated.")
            return
        record, npc_id = kept[-place], npc.id
        done = turn_decisions.rate(scripts.find(npc), npc, record, **given)
        done.addCallback(lambda _: self._tell_rated(npc_id, record.action, given["rating"]))
        done.addErrback(self._not_reached, self.name_of(npc))

    def _tell_learned(self, name: str, group: str, told: Told) -> None:
        if told.done:
            self.show("\n".join(_experience_lines(name, group, told)))
        else:
            self.msg(f"{name} has decided nothing yet that it could learn from.")

    def _tell_rated(self, npc_id: int, action: str, rating: int) -> None:
        npc = lookup.object_by_id(npc_id)
        if npc is not None:
            self.log_change(f"gave {rating} out of {BEST} to", npc)
            self.msg(f"You rate {escaped(action)} of {self.name_of(npc)} as {rating} out of 10.")

    def _not_reached(self, failure: Any, name: str) -> None:
        if failure.check(MemoryUnavailable) is None:
            log.err(failure, f"evennia_ai: the experience of {name} was not read")
        self.msg(f"The experience of {name} cannot be reached just now.")


def _why_not(script: Any, npc: Any) -> str:
    """Return why an NPC cannot be sent on its way, "" if it can."""
    if active_assistants.is_halted() or not assistant.is_enabled(script):
        return "its mind was stopped"
    if presence.is_puppeted(npc):
        return "somebody is playing it"
    return "" if turns.can_act(script) else "it cannot act"


def _routine_lines(npc: Any) -> Iterator[str]:
    now, (_, seconds, _) = routine.present(npc), routine.now()
    for slot in routine.slots_of(npc):
        mark = "|w>|n" if now is not None and slot == now.slot else " "
        yield f" {mark} {escaped(slot.line)}{_remark(npc, slot)}"
    clock = f"{int(seconds) // HOUR:02}:{int(seconds) % HOUR // 60:02}"
    yield f"It is {clock} there. {_routine_state(scripts.find(npc), npc)}"


def _remark(npc: Any, slot: Slot) -> str:
    rooms = [lookup.object_by_id(one) for one in sorted(routine.room_ids(slot.place, slot.zone))]
    if slot.place and not any(rooms):
        return f" |r(there is no room called {quoted(slot.place)})|n"
    return "" if routine.is_so(npc, slot) else " (not now)"


def _routine_state(script: Any, npc: Any) -> str:
    now = routine.present(npc)
    if now is None:
        return "Nothing of it is so now."
    if sleep_state.is_asleep(script):
        return "It sleeps."
    if day.is_there(npc, now.slot):
        return STATES[day.THERE]
    if day.is_gone(now.slot):
        return STATES[GONE]
    kept: Round | None = assistant.round_of(script)
    is_now = kept is not None and (kept.day, kept.slot) == (now.day, now.slot.number)
    return STATES[kept.state if kept and is_now and kept.state != day.THERE else day.GOING]


def _errand_line(npc: Any, goal: Goal) -> str:
    step = goal.plan[0]
    sender = lookup.object_by_id(goal.plan[-1].person_id) if goal.said_by else None
    whom = f" for {escaped(sender.get_display_name(None))}" if sender is not None else ""
    why = f" ({step_rules.REASONS[step_rules.NOT_ALONE]})" if running.is_held(npc, goal) else ""
    way = "; ".join([*goal.milestones, f"{_next_step(goal, step)}{why}"])
    return f" {goal.id}. {escaped(goal.title)}{whom}: {escaped(way)}"


def _next_step(goal: Goal, step: Step) -> str:
    """Return the next step of an errand, and when it comes."""
    if goal.said_by or (step.act == "go" and not step.called):
        what = BACK if step.act == "give" and step.words else NEXT[step.act]
    else:
        person = lookup.object_by_id(step.person_id)
        name = person.get_display_name(None) if person is not None else "somebody"
        what = NEXT_OF_OWN[step.act].format(called=step.called, person=name)
    now = scheduling.now()
    if not step.retry_at or parse_time(step.retry_at) <= now:
        return what
    minutes = age_seconds(format_time(now), now=parse_time(step.retry_at)) / 60
    return f"{what}, again in {minutes:.0f} min"


def _verdict(text: str) -> dict[str, Any] | None:
    """Return what somebody typed as the arguments of `turn_decisions.rate`; None if it is no rating."""
    number, _, rest = text.strip().partition(" ")
    rating = whole_number(number)
    if rating is None or rating > BEST:
        return None
    given: dict[str, Any] = {"rating": rating, "better": [], "worse": [], "hours": 0.0}
    while field := _FIELD.match(rest := rest.lstrip()):
        name, value = field[1].lower(), field[2]
        rest = rest[field.end() :]
        if name != "hours":
            domains = filter(None, value[: DOMAIN_LENGTH * DOMAINS].split(","))
            shortened = [reply.printable(one, max_length=DOMAIN_LENGTH) for one in domains]
            given[name] += shortened[:DOMAINS]
            continue
        try:
            given["hours"] = float(value)
        except ValueError:
            return None
        if not 0 <= given["hours"] <= HOURS:
            return None
    return {**given, "note": rest}


def _experience_lines(name: str, group: str, told: Told) -> Iterator[str]:
    shared = f", shared by the group {escaped(group)}" if group else ""
    average = "" if told.average is None else f", {told.average:+.2f} on average (-1 to 1)"
    yield f"{name} has decided {len(told.done)} times{shared}{average}."
    yield from ("", "What it tries when:")
    yield from map(_habit, told.habits[:HABITS])
    if told.days:
        yield from ("", "What went well, by day:")
        yield from (f"  {date}: {share:.0%} of {count}" for date, share, count in told.days[-DAYS:])
    yield from ("", "What it did last:")
    for number, done in enumerate(told.done[:SHOWN], start=1):
        yield from _done(number, done)


def _habit(habit: Habit) -> str:
    went = _went(habit.worth)
    return f"  {escaped(habit.situation)}: {escaped(habit.action)} ({habit.count} times, {went})"


def _done(number: int, done: Done) -> Iterator[str]:
    ago = words.ago(age_seconds(done.at, now=scheduling.now())) if done.at else "a while"
    went = _went(done.worth)
    yield f"  {number}. {escaped(done.action)}, {ago} ago ({went}): {escaped(done.title)}"
    if done.words:
        yield f"     heard: {escaped(done.words)}"
    if done.reason:
        yield f"     why: {escaped(done.reason)}"
    if done.rating is not None:
        yield f"     rated {done.rating:g} out of 10 {escaped(done.note)}".rstrip()


def _went(worth: float | None) -> str:
    return "not known yet" if worth is None else f"{worth:+.2f}"
