"""The objects that each test begins with, made once in a run and put back as rows for every later test.

Evennia makes ten objects for each test, hook by hook, and logs a player in; a class may add a cast of
its own. That takes longer than most tests. Where it leaves nothing behind but rows of the database and
sessions, the rows are written again and the objects made of them, as after a reload of the server.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cache, partial
from types import FunctionType
from typing import Any, Callable
from unittest import mock

import evennia
from django.apps import apps
from django.conf import UserSettingsHolder, settings
from django.db import connection
from evennia.accounts.models import AccountDB
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.server.serversession import ServerSession
from evennia.utils.idmapper.models import SharedMemoryModel
from evennia.utils.test_resources import EvenniaTest
from evennia.utils.utils import class_from_module

from evennia_ai.testing import AITestCase

# What Evennia makes them with, in its order.
MAKERS = ("create_accounts", "create_rooms", "create_objs", "create_chars", "create_script")
# What logs the first player in, and our own addition, which comes last.
LOGIN = "setup_session"
CAST = "create_cast"
# What deletes accounts one by one, right before the database takes back everything at once.
UNMAKER = "teardown_accounts"
TYPECLASSES = tuple(
    f"{kind}_typeclass" for kind in ("account", "object", "character", "exit", "room", "script")
)
MODELS = (AccountDB, ObjectDB, ScriptDB)


@dataclass(frozen=True)
class Kept:
    """What the making left: SQL that writes it again, ids, sessions, and the objects by their names."""

    statements: list[str]
    ids: dict[Any, list[int]]
    sessions: list[dict[str, Any]]
    names: dict[str, tuple[Any, int]]


# By what the rows depend on: the typeclasses, the cast, and the ids that the database gives next.
_kept: dict[Any, Kept] = {}


def kept() -> Any:
    """Patch Evennia's setUp, for as long as the context lasts, so that our tests make their objects of kept rows."""
    set_up = EvenniaTest.setUp

    def set_up_from_rows(case: Any) -> None:
        if isinstance(case, AITestCase):
            vars(case).update(makers(case))
        set_up(case)

    return mock.patch.object(EvenniaTest, "setUp", set_up_from_rows)


def makers(case: Any) -> dict[str, Callable[[], None]]:
    """Return, by name, what a test is to make its objects with instead of Evennia's own and its own."""
    if not _leaves_only_rows(case):
        return {}
    plain, key = (_key(case, kind) for kind in (_first_with_a_cast(case), type(case)))
    kept = _kept.get(key)
    if kept or plain in _kept:
        again = _Again(case, kept or _kept[plain])
        return {
            **dict.fromkeys((*MAKERS, UNMAKER), _nothing),
            MAKERS[0]: again.read_rows,
            LOGIN: again.log_in,
            CAST: again.wake_cast if kept else partial(_make_the_last, case, key, _rows()),
        }
    return {CAST: partial(_make_all, case, plain, key, _rows())}


def _key(case: Any, kind: Any) -> tuple[Any, ...]:
    return (*(getattr(case, name) for name in TYPECLASSES), *_cast(kind), *_ids_given())


def _first_with_a_cast(case: Any) -> Any:
    """Return the class of ours that a test comes from, whose cast is nobody."""
    return [kind for kind in type(case).__mro__ if CAST in vars(kind)][-1]


def _leaves_only_rows(case: Any) -> bool:
    return (
        connection.vendor == "sqlite"
        # Evennia's hooks read settings, which a test may have changed before.
        and not isinstance(settings._wrapped, UserSettingsHolder)
        and all(
            getattr(type(case), name) is getattr(EvenniaTest, name)
            for name in (*MAKERS, LOGIN, UNMAKER)
        )
        and all(_has_evennias_hooks(getattr(case, name)) for name in TYPECLASSES)
    )


def _cast(case_class: Any) -> tuple[str, ...]:
    """Return what tells the casts of two classes of tests apart: how they are made, and from what."""
    names = (CAST, "clock_start", *getattr(case_class, "cast_from", ()))
    return tuple(repr(getattr(case_class, name)) for name in names)


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


def _make_all(case: Any, plain: Any, key: Any, before: dict[Any, set[Any]]) -> None:
    """Keep Evennia's objects, which were just made, and go on to the cast."""
    _keep(case, plain, before)
    if key != plain:
        _make_the_last(case, key, before)


def _make_the_last(case: Any, key: Any, before: dict[Any, set[Any]]) -> None:
    """Make what is made last, and keep it with all that was made before it."""
    getattr(type(case), CAST)(case)
    _keep(case, key, before)


def _keep(case: Any, key: Any, before: dict[Any, set[Any]]) -> None:
    """Keep what all the making wrote."""
    after = _rows()
    # What was changed or deleted cannot be put back by adding rows.
    if any(rows - after[model] for model, rows in before.items()):
        return
    new = {model: sorted(rows - before[model]) for model, rows in after.items()}
    ids = {
        model: [int(row[_columns(model).index(model._meta.pk.column)]) for row in rows]
        for model, rows in new.items()
        if issubclass(model, SharedMemoryModel)
    }
    _kept[key] = Kept(
        statements=[_insertion(model, rows) for model, rows in new.items() if rows],
        ids=ids,
        sessions=[
            one.get_sync_data()
            for one in evennia.SESSION_HANDLER.values()
            if one.sessid not in case.sessions_before
        ],
        names={name: _place(one) for name, one in vars(case).items() if _is_new(one, ids)},
    )


def _is_new(one: Any, ids: dict[Any, list[int]]) -> bool:
    if isinstance(one, MODELS):
        return one.pk in ids[one.__dbclass__]
    return isinstance(one, ServerSession)


@dataclass
class _Again:
    """Gives a test what was made for another."""

    case: Any
    kept: Kept
    found: dict[Any, Any] = field(default_factory=dict)

    def read_rows(self) -> None:
        """Write the rows and make the objects of them."""
        for model, ids in self.kept.ids.items():
            for one in ids:
                # The test before may have left what had this id in Evennia's cache.
                model._flush_cached_by_key(one)
        with connection.cursor() as cursor:
            for statement in self.kept.statements:
                cursor.execute(statement)
        for model in MODELS:
            objects = model.objects.filter(pk__in=self.kept.ids.get(model, ()))
            self.found.update((_place(one), one) for one in objects)
        self._name()

    def log_in(self) -> None:
        """Let the players be there as Evennia's portal brings them back."""
        handler = evennia.SESSION_HANDLER
        for data in self.kept.sessions:
            session = ServerSession()
            session.sessionhandler = handler
            session.load_sync_data(copy.deepcopy(data))
            session.account = self.found[AccountDB, session.uid]
            handler[session.sessid] = self.found[_place(session)] = session
            session.at_sync()
        self._name()

    def wake_cast(self) -> None:
        """Let the scripts of the cast start as they do with the server."""
        for one in list(self.found.values()):
            if isinstance(one, ScriptDB):
                one.at_server_start()

    def _name(self) -> None:
        for name, place in self.kept.names.items():
            if place in self.found:
                setattr(self.case, name, self.found[place])


def _place(one: Any) -> tuple[Any, int]:
    return (
        (ServerSession, one.sessid) if isinstance(one, ServerSession) else (one.__dbclass__, one.pk)
    )


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
