"""The base of our commands: a switch is a method, and only an NPC's keeper may change the NPC.

Evennia's own commands ignore a switch that they do not know and run without it, so that a slip of
the hand does something else than was meant. Here a wrong switch is an error and nothing is run.
"""

from __future__ import annotations

import re
from typing import Any, Callable

from django.conf import settings
from django.utils.translation import gettext as _
from evennia.locks.lockhandler import check_lockstring
from evennia.utils import logger
from evennia.utils.utils import class_from_module

from evennia_ai import conf
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.screen import Screen, screen_of
from evennia_ai.domain.model_text import reply
from evennia_ai.memory.people import accounts
from evennia_ai.typeclasses import scripts

# What stands between the name of a command and its arguments: "/attach", "/a/b", "/a /b".
_SWITCHES = re.compile(r"(?:\s*/\S*)*")
# Characters of a name; Evennia's column takes no more, and what searches for more may fail.
NAME_LENGTH = 255
# Characters that are repeated to whoever typed them.
QUOTED = 60
# Digits of a number: Python refuses to read some thousands, and a database twenty.
_NUMBER = re.compile(r"[0-9]{1,15}")

Method = Callable[..., Any]


def switch(name: str, *, lock: str = "all()") -> Callable[[Method], Method]:
    """Make a method of a command what runs at a switch, or at none if `name` is empty.

    The first line of its docstring is its usage. `lock` is a lock function such as `perm(Admin)`.
    """

    def mark(method: Method) -> Method:
        method.switch, method.switch_lock = name, lock
        return method

    return mark


def split_switches(raw: str) -> tuple[list[str], str]:
    """Return the switches at the beginning of a command's input, and the rest of it."""
    match = _SWITCHES.match(raw)
    typed = match[0].split()
    names = [name.lower() for part in typed for name in part[1:].split("/")]
    return names, raw[match.end() :].strip()


def choose_switch(typed: list[str], known: list[str]) -> tuple[str, str]:
    """Return the one switch that is meant, or "", and else what is wrong with what was typed."""
    whole = "/".join(typed)
    if whole in known:
        return whole, ""
    if len(typed) > 1:
        return "", "One switch at a time"
    # A switch of two words is written out.
    fits = [name for name in known if whole and name.startswith(whole) and "/" not in name]
    if len(fits) == 1:
        return fits[0], ""
    if fits:
        return "", f"/{typed[0]} may be {' or '.join(f'/{name}' for name in fits)}"
    return "", f"There is no switch /{typed[0]}"


def whole_number(text: str) -> int | None:
    """Return the number that somebody typed, None if it is none or larger than any of ours."""
    return int(text) if _NUMBER.fullmatch(text) else None


def quoted(text: str) -> str:
    """Return what somebody typed, to be repeated to them: as it is, and not too much of it."""
    return escaped(repr(text[:QUOTED]))


def replaced(before: str, now: str) -> str:
    """A line with what was written over, as it can be typed again; "" if nothing was lost."""
    return f"\nIt was: {escaped(before)}" if before and before != now else ""


class AssistantCommand(class_from_module(settings.COMMAND_DEFAULT_CLASS)):
    """A command whose switches are methods.

    `args`, `lhs` and `rhs` are set whatever the game's own command class does: without switches,
    stripped, split at the first "=" (`rhs` is None if there is none).
    """

    # The key under which the class's docstrings speak of the command; games may choose another.
    default_key = ""

    def parse(self) -> None:
        """Take the switches off before the game's own command class can drop any."""
        # A web client sends whatever it likes.
        raw = reply.storable(self.args)
        typed, rest = split_switches(raw)
        self.args = rest
        super().parse()
        lhs, equals, rhs = rest.partition("=")
        self.raw, self.switches, self.args = raw, typed, rest
        self.lhs, self.rhs = lhs.strip(), rhs.strip() if equals else None

    def func(self) -> Any:
        """Run the method of the switch; one that asks a question is run on by Evennia."""
        self.method = self._chosen()
        return self.method() if self.method else None

    def get_help(self, caller: Any, cmdset: Any) -> str:
        """Return the docstring, with the key that this game gave the command."""
        return self._named(super().get_help(caller, cmdset))

    @switch("")
    def list_switches(self) -> None:
        """Say which switches there are; what a command without a better idea does at none."""
        self.msg(f"{self.key} needs a switch: {self._listed()}.")

    def switch_methods(self) -> dict[str, Method]:
        """Return the methods by their switches, in the order in which they are written."""
        names = [name for base in reversed(type(self).__mro__) for name in vars(base)]
        methods = [getattr(type(self), name) for name in dict.fromkeys(names)]
        return {
            method.switch: getattr(self, method.__name__)
            for method in methods
            if hasattr(method, "switch")
        }

    def may(self, lock: str) -> bool:
        """Return whether the caller passes a lock function such as `perm(Admin)`."""
        return check_lockstring(self.caller, f"_dummy:{lock}")

    def may_change(self, obj: Any) -> bool:
        """Return whether the caller may change the mind of an object."""
        return accounts.may_change(self.caller, obj)

    def say_usage(self) -> None:
        """Tell how the switch that was used is written."""
        self.msg(self._named(f"Usage: {_first_line(self.method)}"))

    def find_object(self, name: str) -> Any:
        """Return an object that the caller may change, else None after having said why not."""
        return self._permitted(self.caller.search(name)) if self.is_name(name) else None

    def find_assistant(self, name: str) -> Any:
        """Return an NPC with a mind that the caller may change, else None after saying why not.

        Who is not in reach is found by name among all who have a mind; who bears its name and has none is not meant.
        """
        if not self.is_name(name):
            return None
        found = self.caller.search(name, quiet=True)
        near = [one for one in found if scripts.find(one) is not None] or found
        pool = None if near else [mind.obj for mind in all_minds()]
        npc = near[0] if len(near) == 1 else self.caller.search(name, candidates=pool)
        if npc is not None and scripts.find(npc) is None:
            key = conf.get("COMMAND_KEYS")["assistant"] or self.key
            self.msg(f"{self.name_of(npc)} has no mind; {key}/attach gives it one.")
            return None
        return self._permitted(npc)

    @property
    def screen(self) -> Screen:
        """What the caller reads on."""
        sessions = self.caller.sessions.all() if self.session is None else [self.session]
        return screen_of(sessions[0] if sessions else None)

    def name_of(self, obj: Any) -> str:
        """Return what the caller calls an object, with its dbref for those who may see that."""
        caller = self.caller
        return obj.get_display_name(caller) + obj.get_extra_display_name_info(caller)

    def is_name(self, name: str) -> bool:
        """Return whether something can be called so, else False after having said why not."""
        if not name:
            self.say_usage()
        elif len(name) > NAME_LENGTH:
            self.msg(_("Nobody has so long a name."))
        return 0 < len(name) <= NAME_LENGTH

    def log_change(self, what: str, npc: Any = None) -> None:
        """Leave a line for staff about what the caller changed."""
        log_change(self.caller, what, npc)

    def _chosen(self) -> Method | None:
        methods = self.switch_methods()
        if not self.switches:
            return methods[""]
        name, problem = choose_switch(self.switches, self._known())
        if problem:
            self.msg(escaped(f"{problem}: {self.key} has {self._listed()}. Nothing was done."))
        return methods.get(name) if not problem else None

    def _known(self) -> list[str]:
        """Return the switches that the caller may use."""
        methods = self.switch_methods()
        return [name for name in methods if name and self.may(methods[name].switch_lock)]

    def _listed(self) -> str:
        return ", ".join(f"/{name}" for name in self._known()) or "no switches"

    def _permitted(self, obj: Any) -> Any:
        if obj is None or self.may_change(obj):
            return obj
        self.msg(f"You may not change the mind of {self.name_of(obj)}: you do not control it.")
        return None

    def _named(self, text: str) -> str:
        return text.replace(self.default_key, self.key) if self.default_key else text


def log_change(caller: Any, what: str, npc: Any = None) -> None:
    """Leave a line for staff about what somebody changed."""
    whose = f" {npc.key}(#{npc.id})" if npc else ""
    logger.log_sec(f"evennia_ai: {caller.key}(#{caller.id}) {what}{whose}.")


def all_minds() -> list[scripts.AssistantScript]:
    """Return every mind that has a body, on or off, in the order of the bodies' names."""
    minds = [mind for mind in scripts.AssistantScript.objects.all_family() if mind.obj]
    return sorted(minds, key=lambda mind: (mind.obj.key.casefold(), mind.obj.id))


def _first_line(method: Method) -> str:
    return (method.__doc__ or "").strip().partition("\n")[0]
