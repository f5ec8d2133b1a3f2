"""The switches of `@assistant` that write who an NPC is and what it knows: `persona`, `lore`, `goal`, `copy`."""

from __future__ import annotations

import re
from collections.abc import Generator
from functools import partial
from typing import Any

import msgspec
from evennia.utils.eveditor import EvEditor
from twisted.python import log

from evennia_ai.agent import own_model
from evennia_ai.agent.speech import escaped
from evennia_ai.checks import language_checks
from evennia_ai.commands.assistants import persona_drafts
from evennia_ai.commands.base import (
    AssistantCommand,
    log_change,
    quoted,
    replaced,
    switch,
    whole_number,
)
from evennia_ai.commands.shown import words
from evennia_ai.commands.shown.npcs import lore_of, told_to
from evennia_ai.core.records import Lore
from evennia_ai.domain.audience import PUBLIC, as_kept
from evennia_ai.domain.choices import goal_rules
from evennia_ai.domain.choices.plan_rules import LENGTH
from evennia_ai.domain.files import seed_files as rules
from evennia_ai.domain.model_text import reply
from evennia_ai.experience import pursuit
from evennia_ai.memory import identity, lookup, persona, plans, routine
from evennia_ai.memory.people import accounts
from evennia_ai.memory.seeds import seeding
from evennia_ai.memory.state import kept_goals
from evennia_ai.memory.storage import copying
from evennia_ai.typeclasses import scripts

DEFAULT_FIELD = "description"
# Between two lines of a list that are written in one line.
LINE_BREAK = ";"
# Words for an audience that is no list of names.
EVERYBODY, NOBODY = ("all", "everybody"), ("none", "nobody")
MANNERS = (
    "The manner of {name} is written for each kind of relationship. Empty it first "
    "({key}/persona {name}/manner =), or change it where it was written."
)
_FOR = re.compile(r"\s/for\s+(?P<who>\S.*)", re.I)
_IF = re.compile(r"if\s+(?P<lock>\S.*)", re.I)


class WritingSwitches(AssistantCommand):
    """How `@assistant` writes minds."""

    @switch("persona", lock="perm(Builder)")
    def write_persona(self) -> Generator[str, str, None]:
        """@assistant/persona <npc>[/<field>[/<line>]] [= <text>]

        Write who it is: its `description` unless you name another field. Without a text you get
        an editor. A text is added to a field that is a list (routine, triggers, errands,
        greeting_lines, …), with a semicolon between lines; the number of a line writes it anew,
        or takes it away with nothing after the `=`. All other fields are replaced.
        """
        name, field, at = split_field(self.lhs)
        npc = self.find_assistant(name)
        if npc is None:
            return
        if field not in (*persona.FIELDS, *persona.LINES):
            known = ", ".join((*persona.FIELDS, *persona.LINES))
            self.msg(f"A persona has no {quoted(field)}; it has {known}.")
            return
        written = persona.load_persona(npc)[field]
        if at is not None and not 1 <= at <= len(written):
            self.msg(f"There is no line {at} in its {field}; {self.key}/show {npc.key} lists them.")
        elif self.rhs == "" and at is None:
            yield from self._empty(npc, field)
        elif isinstance(written, dict):
            self.msg(MANNERS.format(name=npc.key, key=self.key))
        elif self.rhs is None:
            open_editor(self.caller, npc, field)
        elif isinstance(written, list):
            self._write_lines(npc, field, at, self.rhs)
        else:
            self._write_text(npc, field, self.rhs)

    def _empty(self, npc: Any, field: str) -> Generator[str, str, None]:
        if not persona.load_persona(npc)[field]:
            self.msg("Nothing was done.")
            return
        npc = yield from self.confirm(npc, f"Empty the {field} of {self.name_of(npc)}?")
        if npc is not None:
            before = _in_one_line(npc, field)
            self._save(npc, field, [], "")
            self.msg(f"You empty the {field} of {self.name_of(npc)}.{replaced(before, '')}")

    def _write_text(self, npc: Any, field: str, text: str) -> None:
        if wrong := persona_drafts.field_problem(npc, field, [text]):
            self.msg(wrong)
            return
        before = _in_one_line(npc, field)
        self._save(npc, field, [], text)
        was = replaced(before, _in_one_line(npc, field))
        self.msg(f"You write the {field} of {self.name_of(npc)}.{was}")
        if warning := _unspoken(npc, field, text):
            self.msg(warning)

    def _write_lines(self, npc: Any, field: str, at: int | None, text: str) -> None:
        """Add lines to a list, or put them in the place of one; say what the list is now."""
        before = list(persona.load_persona(npc)[field])
        lines = [line for part in text.split(LINE_BREAK) if (line := part.strip())]
        start, end = (len(before), len(before)) if at is None else (at - 1, at)
        kept = before[:start], before[end:]
        if field == "errands":
            # A line of errands has a key; there is one of each.
            keys = {line.partition(":")[0].strip() for line in lines}
            kept = tuple(
                [one for one in part if one.partition(":")[0] not in keys] for part in kept
            )
        now = [*kept[0], *lines, *kept[1]]
        if wrong := persona_drafts.field_problem(npc, field, now, kept=before):
            self.msg(wrong)
            return
        self._save(npc, field, now, "")
        shown = [
            f"{' ' if line in before else '+'} {number}. {escaped(line)}"
            for number, line in enumerate(now, 1)
        ]
        lost = f"{LINE_BREAK} ".join(line for line in before if line not in now)
        if not before:
            self.msg(f"You write the {field} of {self.name_of(npc)}.")
            return
        title = f"The {field} of {self.name_of(npc)}, with + what is new:"
        self.msg("\n".join([title, *shown]) + replaced(lost, ""))

    def _save(self, npc: Any, field: str, lines: list[str], text: str) -> None:
        persona_drafts.write_field(npc, field, lines, text=text)
        self.log_change(f"wrote the {field} of", npc)

    @switch("lore", lock="perm(Builder)")
    def write_lore(self) -> Generator[str, str, None]:
        """@assistant/lore <npc>[/<number>] [= <fact> [/for <who>]]

        What it knows from you, one fact each: see them, add one, write one anew by its number,
        or take it away with nothing after the `=`. A new fact is for everybody, unless you say
        for whom: `/for nobody`, `/for Ann, Bob` or `/for if <lock string>`.
        """
        found = self._chosen_fact()
        if found is None:
            return
        npc, at = found
        if self.rhs is None:
            self._show_lore(npc)
        elif self.rhs:
            self._write_fact(npc, at, self.rhs)
        elif at is None:
            self.say_usage()
        else:
            yield from self._take_fact(npc, at)

    @switch("lore/audience", lock="perm(Builder)")
    def choose_audience(self) -> None:
        """@assistant/lore/audience <npc>/<number> = <all, nobody, names, or if <lock>>

        Who may know a fact: `all`, `nobody` (it never comes up), names with commas between
        them, or `if` and a lock that those pass who may hear it, such as `if tag(smith)`.
        """
        found = self._chosen_fact()
        if found is None:
            return
        npc, at = found
        if at is None or not self.rhs:
            self.say_usage()
            return
        before = persona.load_lore(npc)[at]
        fact = self._for_whom(npc, before.text, self.rhs)
        if fact is not None:
            self._put_fact(npc, at, fact)
            self.log_change(f"chose who may know fact {at + 1} of", npc)
            was = replaced(told_to(npc, before), told_to(npc, fact))
            told = escaped(told_to(npc, fact))
            self.msg(f"Fact {at + 1} of {self.name_of(npc)} is {told} now.{was}")

    def _chosen_fact(self) -> tuple[Any, int | None] | None:
        """Return the NPC and the place of the fact that is meant, if one is; None after saying why not."""
        npc, number = self.find_part()
        if npc is None or not number:
            return npc and (npc, None)
        at = whole_number(number)
        if at is None or not 1 <= at <= len(persona.load_lore(npc)):
            self.msg(
                f"{quoted(number)} is none of its facts; {self.key}/lore {npc.key} lists them."
            )
            return None
        return npc, at - 1

    def _show_lore(self, npc: Any) -> None:
        facts = [words.fact(fact) for fact in lore_of(npc)]
        none = f"{self.name_of(npc)} has no lore; {self.key}/lore {npc.key} = <fact> adds some."
        title = f"What {self.name_of(npc)} knows from its builder:"
        self.msg("\n".join([title, *facts]) if facts else none)

    def _write_fact(self, npc: Any, at: int | None, text: str) -> None:
        facts = persona.load_lore(npc)
        named = _FOR.search(text)
        text = text[: named.start()].rstrip() if named else text
        fact = Lore(text=text, audience=PUBLIC)
        if named:
            fact = self._for_whom(npc, text, named["who"])
        elif at is not None:
            fact = msgspec.structs.replace(facts[at], text=text)
        if fact is None:
            return
        if len(text) > rules.FACT_LENGTH:
            self.msg(f"A fact has at most {rules.FACT_LENGTH} characters. Nothing was done.")
        elif at is None and len(facts) >= rules.ITEMS:
            self.msg(f"{self.name_of(npc)} has {len(facts)} facts, and no room for more.")
        else:
            self._put_fact(npc, at, fact)
            number = len(facts) + 1 if at is None else at + 1
            self.log_change(f"wrote fact {number} of", npc)
            told = escaped(told_to(npc, fact))
            was = "" if at is None else replaced(facts[at].text, text)
            self.msg(f"Fact {number} of {self.name_of(npc)} ({told}): {escaped(text)}{was}")
            if at is None and fact.audience == PUBLIC:
                how = f"{self.key}/lore/audience {npc.key}/{number} = nobody"
                self.msg(f"Everybody who asks may hear it; {how}, or names, changes that.")

    def _take_fact(self, npc: Any, at: int) -> Generator[str, str, None]:
        fact = persona.load_lore(npc)[at]
        question = f"Take this from {self.name_of(npc)}: {escaped(fact.text)}"
        npc = yield from self.confirm(npc, question)
        if npc is None:
            return
        if persona.load_lore(npc)[at : at + 1] != [fact]:
            self.msg("Nothing was done.")
            return
        self._put_fact(npc, at, None)
        self.log_change(f"took fact {at + 1} from", npc)
        self.msg(f"{self.name_of(npc)} does not know that any more.")

    def _put_fact(self, npc: Any, at: int | None, fact: Lore | None) -> None:
        """Put a fact into its place, or behind the last; none takes the one there away."""
        facts = persona.load_lore(npc)
        at = len(facts) if at is None else at
        before = facts[at : at + 1]
        facts[at : at + 1] = [fact] if fact else []
        persona.save_lore(npc, facts)
        for file in seeding.files_of(npc, before[0]) if before else ():
            self.msg(f"It was from {escaped(file)}, which writes it anew when it is next read.")

    def _for_whom(self, npc: Any, text: str, who: str) -> Lore | None:
        """Return a fact for those that `who` means; None after having said why not."""
        if condition := _IF.fullmatch(who.strip()):
            lock = condition["lock"].strip()
            wrong = routine.lock_problem(lock)
            if len(lock) > rules.FACT_LENGTH:
                wrong = f"A lock string has at most {rules.FACT_LENGTH} characters."
            if wrong:
                self.msg(f"{escaped(wrong)} Nothing was done.")
            return None if wrong else Lore(text=text, audience=[], only_if=lock)
        if who.strip().lower() in (*EVERYBODY, *NOBODY):
            return Lore(text=text, audience=PUBLIC if who.strip().lower() in EVERYBODY else [])
        ears = [self.find_identity(npc, name.strip()) for name in who.split(",")]
        if any(one is None for one in ears):
            return None
        return Lore(text=text, audience=as_kept([identity.identity_of(npc), *ears]))

    @switch("goal", lock="perm(Builder)")
    def pursue(self) -> None:
        """@assistant/goal <npc>[/<number>] [= <goal, or how it goes>]

        See or set what it strives for. How a goal goes is a number for percent, a step that was
        taken, `done` or `abandoned`; a goal that is over becomes experience.
        """
        npc, number = self.find_part()
        if npc is None:
            return
        typed = reply.printable(self.rhs or "", max_length=LENGTH)
        if self.rhs is None and not number:
            goals = goal_rules.described(kept_goals.goals(scripts.find(npc)))
            title = f"{self.name_of(npc)} wants to achieve:"
            none = f"{self.name_of(npc)} has no goals."
            self.msg("\n".join([title, *map(escaped, goals)]) if goals else none)
        elif not typed:
            self.say_usage()
        elif number:
            self._note_progress(npc, number, typed)
        else:
            self._set_goal(npc, typed)

    def _set_goal(self, npc: Any, typed: str) -> None:
        try:
            goal = plans.set_goal(npc, scripts.find(npc), typed)
        except ValueError as error:
            self.msg(f"{escaped(str(error)[:1].upper() + str(error)[1:])} Nothing was done.")
            return
        self.log_change(f"set goal {goal.id} of", npc)
        steps = len(goal.plan)
        by_steps = f" It goes by itself: {steps} step{'s' * (steps > 1)}." if steps else ""
        self.msg(f"{self.name_of(npc)} has goal {goal.id} now: {escaped(goal.title)}{by_steps}")

    def _note_progress(self, npc: Any, number: str, typed: str) -> None:
        """Note how a goal goes; to end one lets experience keep how it went."""
        goal_id = whole_number(number)
        kept = kept_goals.goals(scripts.find(npc))
        goal = next((one for one in kept if one.id == goal_id), None)
        if goal is None or goal.status != goal_rules.OPEN:
            state = f"is {goal.status} already" if goal else "is none of its goals"
            self.msg(f"{quoted(number)} {state}; {self.key}/goal {npc.key} lists them.")
            return
        if goal.plan:
            self.msg(f"That goes by itself; {self.key}/errands {npc.key} shows it, and drops it.")
            return
        percent = whole_number(typed.removesuffix("%").strip())
        if percent is not None and percent > goal_rules.FULL:
            self.msg("A goal is between 0 and 100 percent done.")
            return
        change: dict[str, Any] = {"milestone": typed}
        if percent is not None:
            change = {"progress": float(percent)}
        elif typed.casefold() in (goal_rules.DONE, goal_rules.ABANDONED):
            change = {"status": typed.casefold()}
        noted = pursuit.update_goal(scripts.find(npc), npc, goal_id, **change)
        noted.addErrback(log.err, f"evennia_ai: goal {goal_id} of #{npc.id} was not noted")
        self.log_change(f"noted how goal {goal_id} goes of", npc)
        self.msg(f"Goal {goal_id} of {self.name_of(npc)}: {escaped(typed)}")

    @switch("copy", lock="perm(Builder)")
    def copy_npc(self) -> None:
        """@assistant/copy <npc> = <name>

        Make another of this NPC here: with its persona, lore and manners, and no memory.
        """
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        if not self.rhs or not self.is_name(self.rhs):
            self.say_usage()
            return
        twin = npc.copy(new_key=self.rhs)
        # An NPC without the mixin has no hook for it.
        copying.carry(npc, twin)
        scripts.attach(twin, mind_key="")
        self.log_change(f"copied {npc.key}(#{npc.id}) to", twin)
        self.msg(f"{self.name_of(twin)} is who {npc.key} is, and remembers nothing.")


def split_field(text: str) -> tuple[str, str, int | None]:
    """Return the NPC's name, the field of its persona and the number of a line that stand in `npc/field/number`."""
    name, slash, field = text.rpartition("/")
    if not slash:
        return text, DEFAULT_FIELD, None
    before, _, parent = name.rpartition("/")
    if parent.strip().lower() in persona.LINES and whole_number(field.strip()) is not None:
        return before.strip(), parent.strip().lower(), whole_number(field.strip())
    return name.strip(), field.strip().lower(), None


def open_editor(caller: Any, npc: Any, field: str) -> None:
    """Let somebody write a field in Evennia's line editor, which outlives a reload."""
    key = f"{field} of {npc.key}"
    EvEditor(
        caller,
        loadfunc=partial(_load, npc.id, field),
        savefunc=partial(_save_buffer, npc.id, field),
        quitfunc=partial(_quit, key),
        key=key,
        persistent=True,
    )


def _load(npc_id: int, field: str, caller: Any) -> str:
    npc = lookup.object_by_id(npc_id)
    return persona_drafts.as_text(persona.load_persona(npc)[field]) if npc else ""


def _save_buffer(npc_id: int, field: str, caller: Any, buffer: str) -> bool:
    """Write the editor's text; True if that was done."""
    npc = lookup.object_by_id(npc_id)
    # Hours may have passed since it was opened.
    if npc is None or not accounts.may_change(caller, npc):
        caller.msg("It is gone, or not yours to change any more. Nothing was done.")
        return False
    text = buffer.strip()
    lines = [line.strip() for line in text.splitlines()]
    if wrong := persona_drafts.field_problem(npc, field, lines):
        caller.msg(wrong)
        return False
    persona_drafts.write_field(npc, field, lines, text=text)
    log_change(caller, f"wrote the {field} of", npc)
    caller.msg(f"You write the {field} of {npc.key}(#{npc.id}).")
    return True


def _quit(key: str, caller: Any) -> None:
    caller.msg(f"You leave the {key}.")


def _in_one_line(npc: Any, field: str) -> str:
    written = persona.load_persona(npc)[field]
    return f"{LINE_BREAK} ".join(written) if isinstance(written, list) else str(written)


def _unspoken(npc: Any, field: str, text: str) -> str:
    """Return a warning if an NPC cannot speak the language that it is to speak, else ""."""
    if field != "language" or not text or own_model.llm_of(npc).is_model:
        return ""
    code, name = persona.language_of(text)
    if language_checks.has_words(code):
        return ""
    return f"Without a model NPCs speak {language_checks.spoken()} and no {escaped(name)}: it will speak English."
