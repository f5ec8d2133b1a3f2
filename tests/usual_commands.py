"""Sets of commands of the demo game, made once in a run; each later one is a copy.

Evennia compares each command that is added with all others, and makes the sets anew for each
character, player and session of each test.
"""

import copy
from unittest import mock

from django.conf import settings
from evennia.commands.cmdset import CmdSet
from evennia.utils.utils import class_from_module

from evennia_ai import conf

KEYS = ("CMDSET_UNLOGGEDIN", "CMDSET_SESSION", "CMDSET_ACCOUNT", "CMDSET_CHARACTER")


def kept():
    """Return a context in which each set that the settings name is made by its class only once."""
    made = {}
    usual = {class_from_module(getattr(settings, key)) for key in KEYS}
    make = CmdSet.__init__

    def __init__(self, cmdsetobj=None, key=None):  # noqa: N807
        # What ours are made from.
        place = (type(self), settings.CMDSET_ACCOUNT, *conf.get("COMMAND_KEYS").items())
        if key or type(self) not in usual:
            make(self, cmdsetobj, key)
        elif found := made.get(place):
            vars(self).update(_copied(found, self, cmdsetobj))
        else:
            make(self, cmdsetobj)
            if all(command.obj is cmdsetobj for command in self.commands):
                made[place] = _copied(vars(self), None, None)

    return mock.patch.object(CmdSet, "__init__", __init__)


def _copied(made, cmdset, cmdsetobj):
    """Return what a set consists of, with commands of its own."""
    commands = {
        id(command): copy.copy(command) for command in made["commands"] + made["system_commands"]
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
