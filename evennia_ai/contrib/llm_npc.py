"""NPCs of Evennia's `contrib.rpg.llm` as assistants: `@assistant/attach` on one takes over what it has.

Nothing of what is there is changed or deleted. Detached again, the NPC is what it was before.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from evennia.objects.models import ObjectDB
from evennia.utils.dbserialize import deserialize

from evennia_ai import markup, scheduling
from evennia_ai.agent import speech
from evennia_ai.core.records import format_time
from evennia_ai.memory import kinds, persona, repository, working_memory
from evennia_ai.memory.people import entity_profiles

CONTRIB = "evennia.contrib.rpg.llm"
# The typeclass of the contrib, and what takes its place: with it, `talk` reaches the mind as well.
ORIGINAL = f"{CONTRIB}.llm_npc.LLMNPC"
TALKING = "evennia_ai.contrib.llm_character.TalkingAssistant"
# What a prompt of the contrib says of whoever talks, where nobody does.
VISITOR = "whoever talks with you"


def convert(npc: Any) -> str:
    """Take over persona and talk of an NPC of the contrib; return what, in words, "" for any other.

    What a builder wrote for us already is kept.
    """
    if not _is_of_contrib(npc):
        return ""
    if f"{type(npc).__module__}.{type(npc).__name__}" == ORIGINAL:
        npc.swap_typeclass(TALKING, clean_attributes=False, no_default=True)
    if repository.load(npc, kinds.CONVERTED):
        return "what was taken over before"
    with repository.together(npc):
        fields = _write_persona(npc)
        people = _write_talk(npc)
        repository.save(npc, kinds.CONVERTED, {"at": format_time(scheduling.now())})
    talked = f"its talk with {people} {'person' if people == 1 else 'people'}" if people else ""
    return ", ".join(part for part in (*fields, talked) if part) or "nothing, for it had nothing"


def _is_of_contrib(npc: Any) -> bool:
    return any(base.__module__.startswith(CONTRIB) for base in type(npc).__mro__)


def _write_persona(npc: Any) -> list[str]:
    """Write what the contrib has, where nothing is written yet; return which fields."""
    written = {key: value for key, value in persona.load_persona(npc).items() if value}
    found = {
        "description": str(npc.db.desc or ""),
        "notes": _prompt_of(npc),
        "thinking_lines": [str(line) for line in npc.attributes.get("thinking_messages") or ()],
    }
    new = {key: value for key, value in found.items() if value and key not in written}
    persona.save_persona(npc, {**new, **written})
    return [f"its {key.replace('_', ' ')}" for key in new]


def _prompt_of(npc: Any) -> str:
    """Return the prompt that was written for this NPC or its class; "" for the contrib's own."""
    given = npc.attributes.get("prompt_prefix") or type(npc).prompt_prefix
    given = given or getattr(settings, "LLM_PROMPT_PREFIX", "")
    here = npc.location.key if npc.location else "the void"
    slots = {
        "{name}": npc.key,
        "{desc}": str(npc.db.desc or "someone"),
        "{location}": here,
        "{character}": VISITOR,
    }
    for slot, value in slots.items():
        given = str(given).replace(slot, value)
    return str(given)


def _write_talk(npc: Any) -> int:
    """Write the lines that were exchanged with whom as conversations; return with how many people."""
    memory = deserialize(npc.attributes.get("chat_memory")) or {}
    # Who was deleted meanwhile is None.
    talked = [
        (who, lines)
        for who, lines in (memory.items() if isinstance(memory, Mapping) else ())
        if isinstance(who, ObjectDB) and who.pk and lines
    ]
    for who, lines in talked:
        entity_profiles.create_entity_profile(npc, who)
        kept = list(lines)[-working_memory.CONVERSATION_LINES :]
        for number, line in enumerate(kept):
            name, separator, words = str(line).partition(": ")
            mine = markup.plain(name) in (npc.key, speech.name_of(npc, npc))
            working_memory.add_conversation_message(
                npc,
                who,
                words if separator else name,
                "assistant" if mine else "user",
                name=markup.plain(name),
                # When it was said is not known: in this order, and before now.
                now=scheduling.now() - timedelta(seconds=len(kept) - number),
            )
    return len(talked)
