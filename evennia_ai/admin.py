"""Evennia's admin pages, in which what a mind keeps is neither shown nor changed.

Staff may have every right of Django's and none on an NPC. Whoever may change or delete an NPC with a
mind, or the mind itself, is decided by the NPC's own locks, as everywhere else.

The pages that a game has registered before ours stay as they are otherwise.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.typeclasses.tags import Tag

# Evennia's pages are registered when this is imported.
from evennia.web import admin as _evennia_pages  # noqa: F401
from evennia.web.admin.attributes import AttributeInline
from evennia.web.admin.tags import TagInline

from evennia_ai.memory.storage import attribute_queries

# The type of our Attributes and Tags; Evennia's own are None, "nick", "alias" and "permission".
OURS = attribute_queries.TYPE


class WithoutMemories:
    """For an inline of Attributes or Tags: leaves ours out."""

    def get_queryset(self, request: Any) -> Any:
        """Return the rows that are shown, and thus may be changed."""
        field = "attribute__db_attrtype" if isinstance(self, AttributeInline) else "tag__db_tagtype"
        # What has no type is NULL, which SQL would leave out as well.
        return super().get_queryset(request).filter(~Q(**{field: OURS}) | Q(**{field: None}))


class UnderItsLocks:
    """For the page of an object or a script: a mind is for whom the NPC's locks let change it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.inlines = [_without_memories(inline) for inline in self.inlines]

    def has_change_permission(self, request: Any, obj: Any = None) -> bool:
        """Return whether somebody may change what the page shows."""
        return super().has_change_permission(request, obj) and _may(request.user, obj, "control")

    def has_delete_permission(self, request: Any, obj: Any = None) -> bool:
        """Return whether somebody may delete it."""
        return super().has_delete_permission(request, obj) and _may(request.user, obj, "delete")

    def get_deleted_objects(self, objs: Any, request: Any) -> Any:
        """Return what goes along, and what of it may not go; also where several are deleted at once."""
        gone, counts, missing, protected = super().get_deleted_objects(objs, request)
        protected = [
            *protected,
            *(f"{one}" for one in objs if not _may(request.user, one, "delete")),
        ]
        return gone, counts, missing, protected


class WithoutOurs:
    """For the page of all Tags: leaves ours out."""

    def get_queryset(self, request: Any) -> Any:
        """Return the Tags that are shown, and thus may be changed."""
        return super().get_queryset(request).filter(~Q(db_tagtype=OURS) | Q(db_tagtype=None))


def _may(user: Any, obj: Any, access: str) -> bool:
    # Not before the app is ready: typeclasses ask the database as they are imported.
    from evennia_ai.memory.people.accounts import may_change
    from evennia_ai.typeclasses import scripts

    npc = obj.obj if isinstance(obj, scripts.AssistantScript) else obj
    if not isinstance(npc, ObjectDB) or scripts.find(npc) is None:
        return True
    return npc.access(user, access) or may_change(user, npc)


def _without_memories(inline: type) -> type:
    if not issubclass(inline, (AttributeInline, TagInline)):
        return inline
    return type(inline.__name__, (WithoutMemories, inline), {})


def _replace(model: type, extra: type) -> None:
    """Register a page anew, as a subclass of what it was."""
    theirs = type(admin.site._registry[model])
    admin.site.unregister(model)
    admin.site.register(model, type(theirs.__name__, (extra, theirs), {}))


_replace(ObjectDB, UnderItsLocks)
_replace(ScriptDB, UnderItsLocks)
_replace(Tag, WithoutOurs)
