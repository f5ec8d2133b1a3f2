"""The switch `persona` of `@assistant`: who an NPC is, in one line or in Evennia's line editor."""

from __future__ import annotations

from functools import partial
from typing import Any, Generator

from evennia.utils.eveditor import EvEditor

from evennia_ai.agent import own_model
from evennia_ai.agent.speech import escaped
from evennia_ai.checks import language_checks
from evennia_ai.commands import base
from evennia_ai.commands.assistants import persona_drafts
from evennia_ai.commands.base import AssistantCommand, quoted, switch
from evennia_ai.memory import lookup, persona
from evennia_ai.memory.people import accounts

# What is written where no field is named.
DEFAULT_FIELD = "description"
# Between two lines of a field that is a list, where it is written in one line.
LINE_BREAK = ";"

MANNERS = (
    "The manner of {name} is written for each kind of relationship. Empty it first "
    "({key}/persona {name}/manner =), or change it where it was written."
)


class PersonaSwitch(AssistantCommand):
    """How `@assistant` writes who an NPC is."""

    @switch("persona", lock="perm(Builder)")
    def write_persona(self) -> Generator[str, str, None]:
        """@assistant/persona <npc>[/<field>] [= <text>]"""
        name, field = split_field(self.lhs)
        npc = self.find_assistant(name)
        if npc is None:
            return
        if field not in (*persona.FIELDS, *persona.LINES):
            known = ", ".join((*persona.FIELDS, *persona.LINES))
            self.msg(f"A persona has no {quoted(field)}; it has {known}.")
            return
        npc_id, written = npc.id, persona.load_persona(npc)[field]
        if self.rhs == "":
            answer = "no"
            if written:
                answer = yield f"Empty the {field} of {self.name_of(npc)}? [y/N]"
            # It may have gone while the question stood.
            npc = lookup.object_by_id(npc_id)
            if answer.strip().lower() not in ("y", "yes") or npc is None:
                self.msg("Nothing was done.")
            else:
                self._write(npc, field, "")
        elif isinstance(written, dict):
            self.msg(MANNERS.format(name=npc.key, key=self.key))
        elif self.rhs is None:
            open_editor(self.caller, npc, field)
        else:
            self._write(npc, field, self.rhs)

    def _write(self, npc: Any, field: str, text: str) -> None:
        lines = [part.strip() for part in text.split(LINE_BREAK)]
        if wrong := persona_drafts.field_problem(npc, field, lines):
            self.msg(wrong)
            return
        before = _in_one_line(npc, field)
        persona_drafts.write_field(npc, field, lines, text=text)
        self.log_change(f"wrote the {field} of", npc)
        done, was = "write" if text else "empty", base.replaced(before, _in_one_line(npc, field))
        self.msg(f"You {done} the {field} of {self.name_of(npc)}.{was}")
        if warned := _unspoken(npc, field, text):
            self.msg(warned)


def _in_one_line(npc: Any, field: str) -> str:
    written = persona.load_persona(npc)[field]
    return f"{LINE_BREAK} ".join(written) if isinstance(written, list) else str(written)


def _unspoken(npc: Any, field: str, text: str) -> str:
    """Return what to warn of if an NPC cannot speak the language that it is to speak."""
    if field != "language" or not text or own_model.answers(npc):
        return ""
    code, name = persona.language_of(text)
    if language_checks.has_words(code):
        return ""
    return f"Without a model NPCs speak {language_checks.spoken()} and no {escaped(name)}: it will speak English."


def split_field(text: str) -> tuple[str, str]:
    """Return the name of an NPC and the field of its persona that stand in `npc/field`."""
    name, slash, field = text.rpartition("/")
    if not slash:
        return text, DEFAULT_FIELD
    return name.strip(), field.strip().lower()


def open_editor(caller: Any, npc: Any, field: str) -> None:
    """Let somebody write a field in Evennia's line editor, which outlives a reload."""
    load, save = partial(_load, npc.id, field), partial(_save, npc.id, field)
    key = f"{field} of {npc.key}"
    EvEditor(
        caller, loadfunc=load, savefunc=save, quitfunc=partial(_quit, key), key=key, persistent=True
    )


def _load(npc_id: int, field: str, caller: Any) -> str:
    npc = lookup.object_by_id(npc_id)
    written = persona.load_persona(npc)[field] if npc else ""
    return written if isinstance(written, str) else "\n".join(written)


def _save(npc_id: int, field: str, caller: Any, buffer: str) -> bool:
    """Write what stands in the editor; return whether that was done."""
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
    base.log_change(caller, f"wrote the {field} of", npc)
    caller.msg(f"You write the {field} of {npc.key}(#{npc.id}).")
    return True


def _quit(key: str, caller: Any) -> None:
    caller.msg(f"You leave the {key}.")
