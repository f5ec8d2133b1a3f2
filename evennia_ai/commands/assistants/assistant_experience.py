"""The switches `experience` and `rate` of `@assistant`: what an NPC learned by doing, and what staff say of it."""

from __future__ import annotations

import re
from typing import Any

from evennia.utils.evmore import EvMore
from twisted.python import log

from evennia_ai import scheduling
from evennia_ai.agent.speech import escaped
from evennia_ai.commands import formatting
from evennia_ai.commands.base import AssistantCommand, switch, whole_number
from evennia_ai.core.records import age_seconds
from evennia_ai.domain.choices.experience_told import Done, Habit, Told
from evennia_ai.domain.model_text import reply
from evennia_ai.experience import base as experience
from evennia_ai.experience import turn_decisions
from evennia_ai.experience.base import experience_of, group_of
from evennia_ai.memory import lookup
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.typeclasses import scripts

BEST = 10
# Decisions, habits and days that are listed.
SHOWN, HABITS, DAYS = 20, 30, 14
# Characters of the name of a domain, and how many of them one rating names.
NAME_LENGTH, NAMES = 40, 10
# Hours that something may have taken: a year.
HOURS = 8760.0

_FIELD = re.compile(r"(better|worse|hours):(\S+)\s*", re.I)


class ExperienceSwitch(AssistantCommand):
    """How `@assistant` shows what an NPC learned, and lets staff rate what it did."""

    @switch("experience", lock="perm(Builder)")
    def show_experience(self) -> None:
        """@assistant/experience <npc>"""
        npc = self.find_assistant(self.args)
        if npc is None or self._is_off():
            return
        name = self.name_of(npc)
        found = experience_of(scripts.find(npc), npc).told()
        found.addCallback(lambda told: self._tell_learned(name, group_of(npc), told))
        found.addErrback(self._not_reached, name)

    @switch("rate", lock="perm(Builder)")
    def rate(self) -> None:
        """@assistant/rate <npc>[/<number>] = <0-10> [better:… worse:… hours:…] [note]"""
        name, slash, number = self.lhs.rpartition("/")
        npc = self.find_assistant(name.strip() if slash else self.lhs)
        if npc is None:
            return
        if self._is_off():
            return
        given = _verdict(self.rhs or "")
        place = whole_number(number.strip()) if slash else 1
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

    def _is_off(self) -> bool:
        """Return whether NPCs learn nothing by doing, and say why."""
        why = experience.why_off()
        if why:
            self.msg(f"NPCs do not learn from what they do, and nothing can be rated: {why}.")
        return bool(why)

    def _tell_learned(self, name: str, group: str, told: Told) -> None:
        if not told.done:
            self.msg(f"{name} has decided nothing yet that it could learn from.")
            return
        EvMore(self.caller, _text(name, group, told), session=self.session)

    def _tell_rated(self, npc_id: int, action: str, rating: int) -> None:
        npc = lookup.object_by_id(npc_id)
        if npc is not None:
            self.log_change(f"gave {rating} out of {BEST} to", npc)
            self.msg(f"You rate {escaped(action)} of {self.name_of(npc)} as {rating} out of 10.")

    def _not_reached(self, failure: Any, name: str) -> None:
        if failure.check(MemoryUnavailable) is None:
            log.err(failure, f"evennia_ai: the experience of {name} was not read")
        self.msg(f"The experience of {name} cannot be reached just now.")


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
            names = filter(None, value[: NAME_LENGTH * NAMES].split(","))
            given[name] += [reply.printable(one, max_length=NAME_LENGTH) for one in names][:NAMES]
            continue
        try:
            given["hours"] = float(value)
        except ValueError:
            return None
        if not 0 <= given["hours"] <= HOURS:
            return None
    return {**given, "note": rest}


def _text(name: str, group: str, told: Told) -> str:
    shared = f", shared by the group {escaped(group)}" if group else ""
    average = "" if told.average is None else f", {told.average:+.2f} on average (-1 to 1)"
    parts = [f"{name} has decided {len(told.done)} times{shared}{average}."]
    parts += ["", "What it tries when:", *map(_habit, told.habits[:HABITS])]
    if told.days:
        parts += ["", "What went well, by day:"]
        parts += [f"  {day}: {share:.0%} of {count}" for day, share, count in told.days[-DAYS:]]
    parts += ["", "What it did last:"]
    for number, one in enumerate(told.done[:SHOWN], start=1):
        parts += _done(number, one)
    return "\n".join(parts)


def _habit(one: Habit) -> str:
    went = "not known yet" if one.worth is None else f"{one.worth:+.2f}"
    return f"  {escaped(one.situation)}: {escaped(one.action)} ({one.count} times, {went})"


def _done(number: int, one: Done) -> list[str]:
    ago = formatting.ago(age_seconds(one.at, now=scheduling.now())) if one.at else "a while"
    went = "not known yet" if one.worth is None else f"{one.worth:+.2f}"
    lines = [f"  {number}. {escaped(one.action)}, {ago} ago ({went}): {escaped(one.title)}"]
    if one.words:
        lines.append(f"     heard: {escaped(one.words)}")
    if one.reason:
        lines.append(f"     why: {escaped(one.reason)}")
    if one.rating is not None:
        lines.append(f"     rated {one.rating:g} out of 10 {escaped(one.note)}".rstrip())
    return lines
