"""Moves what version 0.1 kept in ordinary Attributes to where it is kept now.

It is done object by object, a few Attributes in one transaction, and can be done again: what was
moved is not there any more. Whoever needs an object before its turn comes gets it moved at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from django.db import transaction
from django.db.models import Q
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.server.models import ServerConfig
from evennia.typeclasses.attributes import Attribute
from evennia.typeclasses.models import TypedObject
from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.core import volatile
from evennia_ai.memory import kinds
from evennia_ai.memory.storage import (
    attribute_queries,
    first_version_formats,
    own_attributes,
    pages,
)

# In Evennia's ServerConfig: that nothing of version 0.1 is left.
DONE = "evennia_ai_moved_to"
VERSION = 2

# Attributes that are moved in one transaction.
PIECE = 20


def move(obj: TypedObject) -> None:
    """Move all that is left of an object, now."""
    if not is_done():
        for _ in _pieces(obj):
            pass


@volatile.once
def is_done() -> bool:
    """Return whether nothing of version 0.1 is left in the database."""
    return ServerConfig.objects.conf(DONE, default=None) == VERSION or _note_done()


def finish() -> int:
    """Move all that is left, now, for whoever asks the whole database; return how many Attributes that was."""
    return sum(steps())


@inlineCallbacks
def finish_in_slices() -> Generator[Deferred[None], None, int]:
    """Move all that is left while the game goes on; return how many Attributes that was.

    It can be run again, after a crash as well: what was moved is not moved twice.
    """
    moved = 0
    for count in steps():
        moved += count
        yield scheduling.yield_to_reactor()
    if moved:
        logger.log_info(f"evennia_ai: {said(moved)}")
    return moved


def said(moved: int) -> str:
    """Return what was done, as a sentence."""
    if not moved:
        return "Nothing of version 0.1 was left."
    return f"{moved} Attributes of version 0.1 were moved to where minds are kept now."


def steps() -> Iterator[int]:
    """Move all that is left, a piece at each step; yield how many Attributes it was."""
    if is_done():
        return
    for model in (ScriptDB, ObjectDB):
        for object_id in _owners(model):
            obj = model.objects.filter(pk=object_id).first()
            if obj is not None:
                yield from _pieces(obj)
    if not _note_done():
        logger.log_err("evennia_ai: some of what version 0.1 kept cannot be moved.")


def pulses() -> dict[int, int]:
    """Return the seconds between two ticks of the minds that are on and were not moved yet."""
    if is_done():
        return {}
    tagged = ScriptDB.objects.filter(db_tags__db_category=first_version_formats.PULSE_TAG)
    return {one: int(rate) for one, rate in tagged.values_list("id", "db_tags__db_key")}


def _note_done() -> bool:
    """Note that nothing is left, if that is so."""
    if any(_owners(model) for model in (ScriptDB, ObjectDB)):
        return False
    ServerConfig.objects.conf(DONE, VERSION)
    is_done.put(True)
    return True


def _owners(model: type[TypedObject]) -> list[int]:
    """Return the ids of whatever has Attributes of ours in their first form."""
    if model is ScriptDB:
        marked = Q(db_attributes__db_key="assistant_key", db_attributes__db_category=None)
    else:
        # Whoever remembered something had an identity; so have those who are remembered.
        marked = Q(
            db_attributes__db_key="identity",
            db_attributes__db_category=first_version_formats.OWN_CATEGORY,
        )
        # A body whose journal was never paged, or which has a mind and no memory yet.
        minds = ScriptDB.objects.filter(
            Q(db_attributes__db_key="assistant_key", db_attributes__db_category=None)
            | Q(db_attributes__db_attrtype=attribute_queries.TYPE)
        )
        marked |= Q(id__in=minds.values("db_obj_id")) & Q(
            db_attributes__db_key__in=first_version_formats.ON_BODY, db_attributes__db_category=None
        )
    found = model.objects.filter(marked, db_attributes__db_attrtype=None)
    return [one.id for one in found.distinct().order_by("id") if _rows(one)]


def _pieces(obj: TypedObject) -> Iterator[int]:
    """Move an object; the rows that say that it is ours go last, so that a kill loses nothing."""
    own_attributes.of(obj)
    rows = _rows(obj)
    paged = [row for row in rows if row.db_category in first_version_formats.KEYED]
    for start in range(0, len(paged), PIECE):
        piece = paged[start : start + PIECE]
        with transaction.atomic():
            _replace(obj, piece, first_version_formats.of_page)
        yield len(piece)
    rows = [row for row in rows if row.db_category not in first_version_formats.KEYED]
    if rows:
        with transaction.atomic():
            _replace(obj, rows, first_version_formats.of_the_rest)
            if isinstance(obj, ScriptDB):
                obj.tags.clear(category=first_version_formats.PULSE_TAG)
        yield len(rows)


def _rows(obj: TypedObject) -> list[Attribute]:
    """Return the Attributes of an object that are ours, in their first form."""
    plain = obj.db_attributes.filter(db_attrtype=None).order_by("id")
    if isinstance(obj, ScriptDB):
        is_ours = getattr(obj, "is_mind_of_assistant", False)
        rows = list(plain) if is_ours else []
    elif plain.filter(db_category=first_version_formats.OWN_CATEGORY, db_key="identity").exists():
        rows = list(plain.filter(db_category__in=first_version_formats.CATEGORIES))
    else:
        rows = []
    rows = [row for row in rows if not first_version_formats.is_foreign(row)]
    if isinstance(obj, ObjectDB) and _has_memory(obj, rows):
        named = plain.filter(db_category=None, db_key__in=first_version_formats.ON_BODY)
        rows += [row for row in named if not first_version_formats.is_foreign(row)]
    return rows


def _is_of_another(obj: TypedObject, row: Attribute) -> bool:
    """Return whether it is the identity of somebody else, of whom an object is a copy."""
    return bool(row.db_key == "identity" and row.db_value.get("owner") != obj.id)


def _has_memory(obj: TypedObject, rows: list[Attribute]) -> bool:
    """Return whether plain names such as `gossip` are ours on this object."""
    minds = ScriptDB.objects.filter(db_obj=obj)
    return (
        any(
            row.db_category in first_version_formats.KEYED or _is_of_another(obj, row)
            for row in rows
        )
        or minds.filter(db_attributes__db_key="assistant_key").exists()
        or minds.filter(db_attributes__db_attrtype=attribute_queries.TYPE).exists()
        or own_attributes.rows(obj).exclude(db_category=kinds.IDENTITY.name).exists()
    )


def _replace(
    obj: TypedObject,
    rows: list[Attribute],
    of: Callable[[TypedObject, list[Attribute]], first_version_formats.Values],
) -> None:
    """Write what rows say in its new form, and delete them."""
    values = of(obj, rows)
    own_attributes.warm([(obj, [(kind.name, kind.key(key)) for kind, key in values])])
    made, changed = [], []
    for (kind, key), value in values.items():
        text = pages.written(kind, value)
        kept = own_attributes.find(obj, kind.name, kind.key(key))
        if kept is None:
            made.append((obj, own_attributes.new(obj, kind.name, kind.key(key), text)))
        else:
            kept.db_strvalue = text
            changed.append(kept)
    if made:
        own_attributes.insert(made)
    if changed:
        own_attributes.update(changed)
    own_attributes.delete([(obj, row) for row in rows])
    obj.attributes.reset_cache()
