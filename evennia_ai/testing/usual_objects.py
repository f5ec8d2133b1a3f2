"""Evennia's usual objects, made once in a run and put back as rows for every later test.

Evennia makes ten of them for each test, hook by hook, which takes longer than most tests. Where that
leaves nothing behind but rows of the database, the rows are written again and the objects are read
from them, as after a reload of the server.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from types import FunctionType
from typing import Any, Callable

from django.apps import apps
from django.conf import UserSettingsHolder, settings
from django.db import connection
from evennia.accounts.models import AccountDB
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.server import signals
from evennia.utils.idmapper.models import SharedMemoryModel
from evennia.utils.test_resources import EvenniaTest
from evennia.utils.utils import class_from_module

# What makes them, in Evennia's order.
MAKERS = ("create_accounts", "create_rooms", "create_objs", "create_chars", "create_script")
# What deletes accounts one by one, right before the database takes back everything at once.
UNMAKER = "teardown_accounts"
# Under which names a test has them.
NAMES = (
    *("account", "account2", "room1", "room2", "exit"),
    *("obj1", "obj2", "char1", "char2", "script"),
)
TYPECLASSES = tuple(
    f"{kind}_typeclass" for kind in ("account", "object", "character", "exit", "room", "script")
)
MODELS = (AccountDB, ObjectDB, ScriptDB)
# Who listens to one of these wants to hear of each object.
CREATION = (signals.SIGNAL_OBJECT_POST_CREATE, signals.SIGNAL_SCRIPT_POST_CREATE)


@dataclass(frozen=True)
class Kept:
    """What the making wrote: SQL that writes it again, the ids, and which object is called how."""

    statements: list[str]
    ids: dict[Any, list[int]]
    names: dict[str, tuple[Any, int]]


# By what the rows depend on: the typeclasses, and the ids that the database gives next.
_kept: dict[Any, Kept] = {}


def makers(case: Any) -> dict[str, Callable[[], None]]:
    """Return, by name, what a test is to make its objects with instead of Evennia's own."""
    if not _leaves_only_rows(case):
        return {}
    key = (*(getattr(case, name) for name in TYPECLASSES), *_ids_given())
    if kept := _kept.get(key):
        put_back = partial(_put_back, case, kept)
        return {**dict.fromkeys((*MAKERS, UNMAKER), _nothing), MAKERS[0]: put_back}
    return {MAKERS[-1]: partial(_make_the_last, case, key, _rows())}


def _leaves_only_rows(case: Any) -> bool:
    return (
        connection.vendor == "sqlite"
        # Evennia's hooks read settings, which a test may have changed before.
        and not isinstance(settings._wrapped, UserSettingsHolder)
        and all(
            getattr(type(case), name) is getattr(EvenniaTest, name) for name in (*MAKERS, UNMAKER)
        )
        and all(_has_evennias_hooks(getattr(case, name)) for name in TYPECLASSES)
        and not any(signal.receivers for signal in CREATION)
    )


@cache
def _has_evennias_hooks(typeclass: Any) -> bool:
    """Return whether a typeclass, or the path of one, adds nothing that runs to Evennia's own."""
    if isinstance(typeclass, str):
        typeclass = class_from_module(typeclass, defaultpaths=settings.TYPECLASS_PATHS)
    return not any(
        isinstance(value, (FunctionType, classmethod, staticmethod))
        for parent in typeclass.__mro__
        if not parent.__module__.startswith(("evennia.", "django."))
        for value in vars(parent).values()
    )


def _nothing() -> None:
    """Make nothing, and delete nothing: all is there already, and goes with the transaction."""


def _make_the_last(case: Any, key: Any, before: dict[Any, set[Any]]) -> None:
    """Make what is made last, and keep what all the making wrote."""
    getattr(EvenniaTest, MAKERS[-1])(case)
    after = _rows()
    # What was changed or deleted cannot be put back by adding rows.
    if any(rows - after[model] for model, rows in before.items()):
        return
    new = {model: sorted(rows - before[model]) for model, rows in after.items()}
    _kept[key] = Kept(
        statements=[_insertion(model, rows) for model, rows in new.items() if rows],
        ids={
            model: [int(row[_columns(model).index(model._meta.pk.column)]) for row in rows]
            for model, rows in new.items()
            if issubclass(model, SharedMemoryModel)
        },
        names={name: _place(getattr(case, name)) for name in NAMES},
    )


def _put_back(case: Any, kept: Kept) -> None:
    for model, ids in kept.ids.items():
        for one in ids:
            # The test before may have left what had this id in Evennia's cache.
            model._flush_cached_by_key(one)
    with connection.cursor() as cursor:
        for statement in kept.statements:
            cursor.execute(statement)
    found = {
        _place(one): one for model in MODELS for one in model.objects.filter(pk__in=kept.ids[model])
    }
    for one in found.values():
        _point(one, found)
    for name, place in kept.names.items():
        setattr(case, name, found[place])


def _point(one: Any, found: dict[Any, Any]) -> None:
    """Hand an object those that its row points at, so that it need not read each by itself."""
    for field in one._meta.concrete_fields:
        place = (field.related_model, getattr(one, field.attname))
        if place in found:
            field.set_cached_value(one, found[place])


def _place(one: Any) -> tuple[Any, int]:
    return one.__dbclass__, one.pk


def _ids_given() -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, seq FROM sqlite_sequence ORDER BY name")
        return cursor.fetchall()


def _rows() -> dict[Any, set[Any]]:
    """Return the rows of each table, by its model, each value as SQL writes it."""
    rows = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            if not model._meta.proxy:
                values = ", ".join(f"quote({_quoted(name)})" for name in _columns(model))
                cursor.execute(f"SELECT {values} FROM {_quoted(model._meta.db_table)}")
                rows[model] = set(cursor.fetchall())
    return rows


def _insertion(model: Any, rows: list[Any]) -> str:
    columns = ", ".join(map(_quoted, _columns(model)))
    values = ", ".join(f"({', '.join(row)})" for row in rows)
    return f"INSERT INTO {_quoted(model._meta.db_table)} ({columns}) VALUES {values}"


def _columns(model: Any) -> list[str]:
    return [field.column for field in model._meta.local_concrete_fields]


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
