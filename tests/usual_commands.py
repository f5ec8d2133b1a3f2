"""Sets of commands of the demo game and locks, made once in a run; each later one is a copy.

Evennia compares each command that is added with all others, makes the sets anew for each
character, player and session of each test, and unites them anew for each line that is typed.
Locks it reads anew for each object.
"""

from contextlib import ExitStack
from unittest import mock

import evennia
from django.conf import settings
from evennia.commands.cmdset import CmdSet
from evennia.locks import lockhandler
from evennia.utils.utils import class_from_module

from evennia_ai import conf

# How Evennia makes sets and unites them.
MAKE, UNITE = CmdSet.__init__, CmdSet._union
# How it reads locks.
READ = lockhandler.LockHandler._parse_lockstring
KEYS = ("CMDSET_UNLOGGEDIN", "CMDSET_SESSION", "CMDSET_ACCOUNT", "CMDSET_CHARACTER")


def kept():
    """Return a context in which each set that the settings name is made by its class only once."""
    changes = {"__init__": _making()}
    # Later ones look names up as well.
    if evennia.__version__.startswith("5."):
        changes["_union"] = united
    both = ExitStack()
    both.enter_context(mock.patch.multiple(CmdSet, **changes))
    both.enter_context(mock.patch.object(lockhandler.LockHandler, "_parse_lockstring", _reading()))
    return both


def _reading():
    """Return what reads the locks of an object."""
    known = {}

    def _parse_lockstring(self, written):
        # Tests have lock functions of their own.
        place = (written, *lockhandler._LOCKFUNCS.values())
        if place not in known:
            known[place] = READ(self, written)
        return dict(known[place])

    return _parse_lockstring


def _making():
    """Return what makes a set."""
    made = {}
    usual = {class_from_module(getattr(settings, key)) for key in KEYS}

    def __init__(self, cmdsetobj=None, key=None):  # noqa: N807
        # What ours are made from.
        place = (type(self), settings.CMDSET_ACCOUNT, *conf.get("COMMAND_KEYS").items())
        if key or type(self) not in usual:
            MAKE(self, cmdsetobj, key)
        elif found := made.get(place):
            vars(self).update(_copied(found, self, cmdsetobj))
        else:
            MAKE(self, cmdsetobj)
            if all(command.obj is cmdsetobj for command in self.commands):
                made[place] = _copied(vars(self), None, None)

    return __init__


def united(self, one, other):
    """Unite two sets as Evennia 5 does, looking each name up instead of comparing all pairs."""
    both = one._duplicate()
    taken = {name for command in one.commands for name in command._matchset}
    both.commands = one.commands + [
        command
        for command in other.commands
        if (one.duplicates and one.priority == other.priority)
        or taken.isdisjoint(command._matchset)
    ]
    return both


def _copied(made, cmdset, cmdsetobj):
    """Return what a set consists of, with commands of its own."""
    commands = {
        id(command): _copy(command) for command in made["commands"] + made["system_commands"]
    }
    for command in commands.values():
        command.cmdset_source, command.obj = cmdset, cmdsetobj
    values = {
        name: [commands[id(one)] for one in made[name]] for name in ("commands", "system_commands")
    }
    return {
        **made,
        **values,
        "cmdsetobj": cmdsetobj,
        "merged_from": [],
        "_contains_cache": type(made["_contains_cache"])(),
    }


def _copy(command):
    """Return a copy, which copy.copy takes five times as long to make."""
    copied = object.__new__(type(command))
    vars(copied).update(vars(command))
    return copied
