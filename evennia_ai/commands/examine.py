"""Evennia's `@examine`, in which what an assistant remembers is one line and not a thousand."""

from __future__ import annotations

from typing import Any

from evennia.commands.default.building import CmdExamine

from evennia_ai.storage import attributes, identity, journal_pages, links

# Categories of Attributes in which memories are kept, by page and by person.
OURS = (*identity.MEMORY_CATEGORIES, attributes.CATEGORY, links.CATEGORY)
# What is kept beside them under a plain name.
HEAD = journal_pages.KEY


class ShortMemory:
    """For a CmdExamine: sums up the memories of an assistant, and shows one only to developers."""

    def format_attributes(self, obj: Any) -> str | None:
        """Return the Attributes of an object; of the memories only how many there are."""
        kept = list(obj.db_attributes.all())
        ours = [one for one in kept if _is_memory(one)]
        others = sorted(self.format_single_attribute(one) for one in kept if one not in ours)
        if ours:
            others.append(f"({len(ours)} Attributes with what it remembers; @aimemory shows them.)")
        return "\n  " + "\n  ".join(others) if others else None

    def format_single_attribute_detail(self, obj: Any, attr: Any) -> str:
        """Return an Attribute in full, if whoever asks may read it."""
        if _is_memory(attr) and not attr.access(self.caller, "attrread"):
            return f"Attribute {obj.name}/{attr.db_key}: only developers may read it."
        return super().format_single_attribute_detail(obj, attr)


class CmdExamineAssistant(ShortMemory, CmdExamine):
    __doc__ = CmdExamine.__doc__


def _is_memory(attr: Any) -> bool:
    is_head = attr.db_key == HEAD and attr.db_category is None
    return attr.db_category in OURS or (is_head and attr.db_attrtype is None)
