"""Copied into a running game by `test_guest`: writes what a package could have changed in the process."""

import gc
import json
import os
import sys
import threading
import warnings
import weakref
from pathlib import Path

from django.conf import settings
from django.core import signals as core_signals
from django.db import connection
from django.db.backends import signals as database_signals
from django.db.models import signals as model_signals
from django.dispatch import Signal
from evennia.prototypes import prototypes
from evennia.server import signals as evennia_signals
from evennia.utils.utils import class_from_module

OURS = "evennia_ai."
HOSTS = ("django.", "evennia.", "twisted.")
COMMAND_SETS = ("CMDSET_UNLOGGEDIN", "CMDSET_SESSION", "CMDSET_ACCOUNT", "CMDSET_CHARACTER")
PRAGMAS = (
    "analysis_limit",
    "cache_size",
    "foreign_keys",
    "journal_mode",
    "secure_delete",
    "synchronous",
    "temp_store",
)


def write(path):
    """Write everything as JSON, the file at once."""
    found = {
        "collector": [gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()],
        "interpreter": [
            sys.getswitchinterval(),
            sys.getrecursionlimit(),
            *map(_name, (sys.excepthook, threading.excepthook, warnings.showwarning)),
        ],
        "environment": dict(os.environ),
        "mem0 is loaded": "mem0" in sys.modules,
        "sqlite": {"game": _sqlite(), "website": _in_a_thread(_sqlite)},
        "commands": {name: _commands(getattr(settings, name)) for name in COMMAND_SETS},
        "prototype functions": {
            name: [_name(function), _file(function)]
            for name, function in prototypes.FUNC_PARSER.callables.items()
        },
        "receivers": sorted(_receivers()),
        "ours in their modules": sorted(_ours_in_modules()),
    }
    unfinished = Path(f"{path}.new")
    unfinished.write_text(json.dumps(found), encoding="utf-8")
    unfinished.rename(path)


def write_beside_memory(path):
    """Write everything once long-term memory has answered, for which mem0 is imported."""
    from evennia_ai.semantic.base import get_memory

    get_memory().get_all(assistant_key="-").addCallback(lambda _: write(path))


def _sqlite():
    with connection.cursor() as cursor:
        found = {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in PRAGMAS}
        cursor.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE 'sqlite_stat%%'")
        return {**found, "tables of statistics": cursor.fetchone()[0]}


def _in_a_thread(function):
    found = []

    def run():
        found.append(function())
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def _commands(path):
    return {command.key: _name(type(command)) for command in class_from_module(path)().commands}


def _receivers():
    for module in (core_signals, database_signals, model_signals, evennia_signals):
        for name, signal in vars(module).items():
            for entry in signal.receivers if isinstance(signal, Signal) else ():
                receiver = entry[1]() if isinstance(entry[1], weakref.ref) else entry[1]
                yield f"{name}: {_name(receiver)}"


def _ours_in_modules():
    for name, module in list(sys.modules.items()):
        if name.startswith(HOSTS):
            for key, value in list(vars(module).items()):
                inside = vars(value) if isinstance(value, type) else {}
                for inner, one in [("", value), *inside.items()]:
                    named = str(getattr(one, "__module__", ""))
                    if named.startswith(OURS) or "/evennia_ai/" in _file(one):
                        yield f"{name}.{key}.{inner}"


def _name(thing):
    return f"{thing.__module__}.{thing.__qualname__}"


def _file(thing):
    # A wrapper by functools.wraps has the name of what it wraps.
    return getattr(getattr(thing, "__code__", None), "co_filename", "")
