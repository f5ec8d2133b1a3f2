"""Tags, aliases and permissions of objects, read ahead into Evennia's own memory of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from django.conf import settings
from django.db import connection
from evennia.objects.models import ObjectDB
from evennia.typeclasses.models import TypedObject
from evennia.typeclasses.tags import Tag, TagHandler

from evennia_ai.memory.storage.own_attributes import PAGE


def warm(objs: Iterable[TypedObject]) -> None:
    """Read by one question what is not in memory yet; Evennia asks for each handler, and for each Tag in it."""
    if not settings.TYPECLASS_AGGRESSIVE_CACHE:
        return
    cold = [(obj.pk, missing) for obj in objs if (missing := _missing(obj))]
    for start in range(0, len(cold), PAGE):
        some = dict(cold[start : start + PAGE])
        found: dict[tuple[int, str | None], dict[str, Tag]] = defaultdict(dict)
        for tag in Tag.objects.raw(_asked(len(some)), list(some)):
            category = tag.db_category.lower() if tag.db_category else None
            found[tag.owner_id, tag.db_tagtype][f"{tag.db_key.lower()}-{category}"] = tag
        for pk, handlers in some.items():
            for handler in handlers:
                handler._cache = found[pk, handler._tagtype]
                handler._cache_complete = True


def _missing(obj: TypedObject) -> list[TagHandler]:
    handlers = (obj.tags, obj.aliases, obj.permissions)
    return [handler for handler in handlers if not handler._cache_complete]


def _asked(count: int) -> str:
    quoted, links = connection.ops.quote_name, ObjectDB.db_tags
    owner = quoted(links.field.m2m_column_name())
    holes = ", ".join(["%s"] * count)
    return (
        f"SELECT kept.*, linked.{owner} AS owner_id"
        f" FROM {quoted(links.through._meta.db_table)} AS linked"
        f" CROSS JOIN {quoted(Tag._meta.db_table)} AS kept"
        f" WHERE kept.id = linked.tag_id AND kept.db_model = 'objectdb' AND linked.{owner} IN ({holes})"
    )
