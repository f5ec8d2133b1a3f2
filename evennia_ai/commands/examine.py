"""Evennia's `@examine`, in which what an assistant remembers is one line and not a thousand."""

from __future__ import annotations

from typing import Any

from evennia.commands.default.building import CmdExamine

from evennia_ai.memory.storage import attribute_queries


class ShortMemory:
    """For a CmdExamine: sums up what is ours, and shows one only to developers."""

    def format_attributes(self, obj: Any) -> str | None:
        """Return the Attributes of an object; of ours only how many there are."""
        kept = list(obj.db_attributes.all())
        ours = [one for one in kept if one.db_attrtype == attribute_queries.TYPE]
        others = sorted(self.format_single_attribute(one) for one in kept if one not in ours)
        if ours:
            others.append(
                f"({len(ours)} Attributes of its mind; @aimemory shows what it remembers.)"
            )
        return "\n  " + "\n  ".join(others) if others else None

    def format_single_attribute_detail(self, obj: Any, attr: Any) -> str:
        """Return an Attribute in full; of ours, if whoever asks may read it."""
        is_ours = attr.db_attrtype == attribute_queries.TYPE
        if is_ours and not attr.access(self.caller, "attrread"):
            return f"Attribute {obj.name}/{attr.db_key}: only developers may read it."
        return super().format_single_attribute_detail(obj, attr)


class CmdExamineAssistant(ShortMemory, CmdExamine):
    __doc__ = CmdExamine.__doc__
