"""The base of our commands: a switch is a method, and only those who control an NPC may change it.

Evennia's own commands ignore a switch that they do not know and run without it. Here a wrong switch is
an error, and nothing is run.
"""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Callable, Generator, Iterable
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from evennia.locks.lockhandler import check_lockstring
from evennia.utils import logger
from evennia.utils.evmore import EvMore
from evennia.utils.utils import class_from_module

from evennia_ai import conf
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.screen import Screen, screen_of
from evennia_ai.domain.model_text import reply
from evennia_ai.memory import identity, lookup
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.typeclasses import scripts

# The switches in front of the arguments: "/attach", "/a/b", "/a /b".
_SWITCHES = re.compile(r"(?:\s*/\S*)*")
# Characters of a name; Evennia's column takes no more, and a longer search may fail.
NAME_LENGTH = 255
# Characters of a typed word that are repeated to the caller.
QUOTED = 60
# Columns of a help page, and where the meaning of a switch begins.
HELP_WIDTH, HELP_INDENT = 76, " " * 8
# Digits of a number: Python refuses to read some thousands, and a database twenty.
_NUMBER = re.compile(r"[0-9]{1,15}")
YES = ("y", "yes")
NOTHING_DONE = "Nothing was done."

Method = Callable[..., Any]


def switch(name: str, *, lock: str = "all()") -> Callable[[Method], Method]:
    """Make a method of a command run at a switch, or without one if `name` is empty.

    The first line of its docstring is its usage, the rest is its help. `lock` is a lock function such
    as `perm(Admin)`.
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
    """Return the one switch that is meant, or "", and else the problem with what was typed."""
    whole = "/".join(typed)
    if whole in known:
        return whole, ""
    # A switch of two words is written out.
    fits = [name for name in known if whole and name.startswith(whole) and "/" not in name]
    if len(fits) == 1:
        return fits[0], ""
    if fits:
        return "", f"/{typed[0]} may be {' or '.join(f'/{name}' for name in fits)}"
    alike = [name for name in known if ("/" in name) == (len(typed) > 1)]
    near = difflib.get_close_matches(whole, alike, n=1) if whole else []
    if near:
        return "", f"There is no switch /{whole}; did you mean /{near[0]}?"
    return "", "One switch at a time" if len(typed) > 1 else f"There is no switch /{whole}"


def whole_number(text: str) -> int | None:
    """Return the number that somebody typed, None if it is none or larger than any of ours."""
    return int(text) if _NUMBER.fullmatch(text) else None


def quoted(text: str) -> str:
    """Return typed text to be repeated to the caller: as it is, and not too much of it."""
    return escaped(repr(text[:QUOTED]))


def replaced(before: str, now: str) -> str:
    """A line with what was written over, as it can be typed again; "" if nothing was lost."""
    return f"\nIt was: {escaped(before)}" if before and before != now else ""


class AssistantCommand(class_from_module(settings.COMMAND_DEFAULT_CLASS)):
    """A command whose switches are methods.

    `args`, `lhs` and `rhs` are set whatever the game's own command class does: without switches,
    stripped, split at the first "=" (`rhs` is None if there is none). In the docstring of a command
    `{switches}` stands for the usage and help of its switches, those of `first` before the others.
    """

    # The key under which the class's docstrings speak of the command; games may choose another.
    default_key = ""
    # Switches that matter to a beginner.
    first: tuple[str, ...] = ()
    # Words that are no switches though somebody may guess them, and what is typed instead.
    instead: dict[str, str] = {}

    def __init_subclass__(cls) -> None:
        """Write the help before Evennia reads it: its website shows the docstring."""
        super().__init_subclass__()
        if cls.__doc__ and "{switches}" in cls.__doc__:
            cls.__doc__ = cls.__doc__.replace("{switches}", _help_of(cls))

    def parse(self) -> None:
        """Take the switches off before the game's own command class can drop any."""
        # A web client may send any character.
        raw = reply.storable(self.args)
        typed, rest = split_switches(raw)
        self.args = rest
        super().parse()
        lhs, equals, rhs = rest.partition("=")
        self.raw, self.switches, self.args = raw, typed, rest
        self.lhs, self.rhs = lhs.strip(), rhs.strip() if equals else None

    def func(self) -> Any:
        """Run the method of the switch; Evennia runs on one that asks a question."""
        self.method = self._chosen()
        return self.method() if self.method else None

    def get_help(self, caller: Any, cmdset: Any) -> str:
        """Return the docstring, with the key that this game gave the command."""
        return self._named(super().get_help(caller, cmdset))

    @switch("")
    def list_switches(self) -> None:
        """Say which switches there are; a command without a better idea does this at none."""
        self.msg(f"{self.key} needs a switch: {self._listed()}.")

    @classmethod
    def switch_functions(cls) -> dict[str, Method]:
        """Return the functions of the switches, sorted."""
        # Of two methods for one switch the one of the subclass counts.
        names = dict.fromkeys(name for base in reversed(cls.__mro__) for name in vars(base))
        functions = [getattr(cls, name) for name in names]
        found = {one.switch: one for one in functions if hasattr(one, "switch")}
        return dict(sorted(found.items()))

    def switch_methods(self) -> dict[str, Method]:
        return {
            name: getattr(self, method.__name__) for name, method in self.switch_functions().items()
        }

    def may(self, lock: str) -> bool:
        """True if the caller passes a lock function such as `perm(Admin)`."""
        return check_lockstring(self.caller, f"_dummy:{lock}")

    def may_change(self, obj: Any) -> bool:
        """True if the caller may change the mind of an object."""
        return accounts.may_change(self.caller, obj)

    def say_usage(self) -> None:
        """Tell how the switch that was used is written."""
        self.msg(self._named(f"Usage: {_first_line(self.method)}"))

    def show(self, text: str) -> None:
        EvMore(self.caller, text, session=self.session)

    def confirm(self, npc: Any, question: str) -> Generator[str, str, Any]:
        """Ask, and return the NPC if the answer is yes and the caller may still change it, else None."""
        npc_id = npc.id
        answer = yield f"{question} [y/N]"
        # It may have gone while the question stood, or belong to somebody else.
        npc = lookup.object_by_id(npc_id)
        if answer.strip().lower() in YES and npc is not None and self.may_change(npc):
            return npc
        self.msg(NOTHING_DONE)
        return None

    def find_object(self, name: str) -> Any:
        """Return an object that the caller may change, else None after having said why not."""
        return self._permitted(self.caller.search(name)) if self.is_name(name) else None

    def find_assistant(self, name: str) -> Any:
        """Return an NPC with a mind that the caller may change, else None after saying why not.

        An NPC out of reach is found by its name among all that have a mind.
        """
        if not self.is_name(name):
            return None
        found = self.caller.search(name, quiet=True)
        near = [obj for obj in found if scripts.find(obj) is not None] or found
        pool = None if near else [mind.obj for mind in all_minds()]
        npc = near[0] if len(near) == 1 else self.caller.search(name, candidates=pool)
        if npc is not None and scripts.find(npc) is None:
            key = conf.get("COMMAND_KEYS")["assistant"] or self.key
            self.msg(f"{self.name_of(npc)} has no mind; {key}/attach gives it one.")
            return None
        return self._permitted(npc)

    def find_part(self) -> tuple[Any, str]:
        """Return the NPC and the part that `npc/part` in front of the "=" names, "" for none.

        The NPC is None after having said why not.
        """
        name, slash, part = self.lhs.rpartition("/")
        npc = self.find_assistant(name.strip() if slash else self.lhs)
        return npc, part.strip() if slash else ""

    def find_identity(self, npc: Any, name: str) -> str | None:
        """Return the identity of somebody that `npc` knows by a name, or that is in reach; None after saying why not."""
        if not self.is_name(name):
            return None
        known = entity_profiles.find_by_name(npc, name)
        if len(known) == 1:
            return known[0]
        if name.strip().lower() in entity_profiles.known_identities(npc):
            return name.strip().lower()
        if known:
            self.msg(f"{self.name_of(npc)} knows {len(known)} of that name: {', '.join(known)}.")
            return None
        found = called(self.caller, name)
        if len(found) != 1:
            self.msg(
                f"There is no {quoted(name)} whom {self.name_of(npc)} knows or whom you can see."
            )
            return None
        return identity.perceived(npc, found[0])

    @property
    def screen(self) -> Screen:
        sessions = self.caller.sessions.all() if self.session is None else [self.session]
        return screen_of(sessions[0] if sessions else None)

    def name_of(self, obj: Any) -> str:
        """Return what the caller calls an object, with its dbref for those who may see that."""
        caller = self.caller
        return obj.get_display_name(caller) + obj.get_extra_display_name_info(caller)

    def is_name(self, name: str) -> bool:
        """True if something can be called so, else False after having said why not."""
        if not name:
            self.say_usage()
        elif len(name) > NAME_LENGTH:
            self.msg(_("Nobody has so long a name."))
        return 0 < len(name) <= NAME_LENGTH

    def log_change(self, what: str, npc: Any = None) -> None:
        log_change(self.caller, what, npc)

    def _chosen(self) -> Method | None:
        methods = self.switch_methods()
        if not self.switches:
            return methods[""]
        name, problem = choose_switch(self.switches, self._known())
        whole = "/".join(self.switches)
        guessed = self.instead.get(whole) or self.instead.get(self.switches[0])
        if problem and guessed:
            problem = f"There is no switch /{whole}; did you mean {guessed}?"
        if problem.endswith("?"):
            self.msg(self._named(escaped(f"{problem} {NOTHING_DONE}")))
        elif problem:
            self.msg(escaped(f"{problem}: {self.key} has {self._listed()}. {NOTHING_DONE}"))
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


def called(caller: Any, name: str, *, here: bool = True) -> list[Any]:
    """Return the objects of a name: those that are `here`, or anywhere without such."""
    near = caller.search(name, quiet=True) if here else ()
    return list(near or caller.search(name, global_search=True, quiet=True) or ())


def _help_of(command: type[AssistantCommand]) -> str:
    methods = {
        name: method
        for name, method in command.switch_functions().items()
        if method is not AssistantCommand.list_switches
    }
    others = [name for name in methods if name and name not in command.first]
    lines = ["Usage:", *_usages(methods[name] for name in ("", *command.first) if name in methods)]
    if command.first:
        lines += ["", "And by name:"]
    lines += _usages(methods[name] for name in others)
    return textwrap.indent("\n".join(lines), "    ").lstrip()


def _usages(methods: Iterable[Method]) -> Iterable[str]:
    for method in methods:
        yield f"  {_first_line(method)}"
        words = " ".join((method.__doc__ or "").strip().partition("\n")[2].split())
        yield from textwrap.wrap(
            words, HELP_WIDTH, initial_indent=HELP_INDENT, subsequent_indent=HELP_INDENT
        )


def _first_line(method: Method) -> str:
    return (method.__doc__ or "").strip().partition("\n")[0]
