"""Who is in the game of the first version from before it: from an earlier one, a builder, another package."""

from evennia.utils.create import create_object, create_script

from evennia_ai import api
from evennia_ai.domain import records
from evennia_ai.storage import attributes, entity_profiles, goals, journal, journal_pages
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.data.first_version import talk


def egon(people):
    """His journal lies flat, and what he knows has an older shape; a builder wrote him by hand."""
    npc = minds.make_assistant("Egon", location=people["room"])
    entries = [
        {
            "id": number,
            "timestamp": records.format_time(talk.ago(days=20 - number)),
            "content": talk.told(400 + number),
            "source_type": "observation",
            "importance": 3 + number % 6,
            "tags": ["say"],
        }
        for number in range(1, 9)
    ]
    entries += [{"content": "An entry without a number or a time."}]
    npc.db.journal = {"entries": entries, "consolidated_entry_ids": [1, 2], "entry_count": 8}
    npc.db.ai_persona = "A ferryman who counts in Greek."
    npc.db.ai_lore = "The ferry leaks."
    scripts.find(npc).db.reflection_state = {"cumulative_importance": 12.0, "threshold": 60}
    older = {
        "name": "Ann",
        "entity_type": "player",
        "attributes": {"work": "a weaver", "likes": ["plums", "rain"]},
        "observations": [{"content": "Ann is left-handed."}],
        "relationship": {"state": "acquaintance", "favorability": 0.3},
    }
    attributes.save(npc, people["ann"], older, category=entity_profiles.CATEGORY)


def jost(people):
    """Something of the game's own stands where his journal would; nobody has looked yet."""
    npc = minds.make_assistant("Jost", location=people["room"])
    npc.db.journal = "a book bound in red"
    scripts.find(npc).db.pending_events = []


def kuno(people):
    """He was an NPC of Evennia's own contrib."""
    npc = create_object(
        "evennia.contrib.rpg.llm.llm_npc.LLMNPC", key="Kuno", location=people["room"]
    )
    npc.db.desc = "A parrot of a man."
    npc.db.chat_memory = {people["ann_body"]: ["Ann: Hello", "Kuno: Hello yourself"]}
    api.attach(npc)
    from evennia_ai.contrib import llm_npc

    llm_npc.convert(npc)


def lena(people):
    """An earlier version wrote her journal; a second mind of hers, and one of nobody, are off."""
    npc = minds.make_assistant("Lena", location=people["room"])
    for number in range(70):
        journal.add_entry(npc, talk.told(600 + number), now=talk.ago(hours=100 - number))
    head = attributes.load(npc, journal_pages.KEY, category=None)
    # It counted fewer kinds.
    pages = [" ".join(page.split(" ")[:6]) for page in head["pages"].split(";")]
    attributes.save(npc, journal_pages.KEY, {**head, "pages": ";".join(pages)}, category=None)
    for body in (npc, None):
        spare = create_script(scripts.AssistantScript, key=scripts.KEY, obj=body)
        goals.add_goal(spare, "To be somebody")
