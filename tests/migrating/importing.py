"""Puts the files of a game of the first version into blank assistants: `python -m tests.migrating.importing`, in its game.

It prints one JSON line: what of each file did not arrive, by file; and what became of the card.
"""

import json

from tests.migrating.inventories import done, open_game, plain

FILES = ("odila", "celeste")
# What the first version did not keep of a decision.
NEW_IN_DECISIONS = {"words": "", "hope": None}


def import_mind(file):
    """Return what a blank assistant has otherwise than the file, once its mind was put into it."""
    from evennia_ai.agent.revising import mind_archive, mind_transfer
    from evennia_ai.domain.files import mind_file
    from evennia_ai.memory import identity
    from evennia_ai.memory.storage import pages
    from evennia_ai.testing import minds
    from evennia_ai.typeclasses import scripts
    from tests.migrating.first_version_game import differences, reflecting

    npc = minds.make_assistant(f"Heir of {file}")
    script = scripts.find(npc)
    script.disable()
    mind = done(mind_archive.read(file, name=npc.key))
    assert done(mind_transfer.is_blank(npc, script))
    done(mind_transfer.give_mind(npc, script, mind))
    script.enable()
    found = done(mind_transfer.take_mind(npc, script))
    wanted = mind_file.handed_over({**mind, **reflecting(mind)}, identity.identity_of(npc))
    # Memories are kept under ids of their own.
    pairs = zip(wanted["memories"], found["memories"], strict=True)
    ids = {one["id"]: other["id"] for one, other in pairs}
    wanted["links"] = pages.plain(mind_file.with_memory_ids(wanted, ids))
    for one in wanted["memories"]:
        one["id"] = ids[one["id"]]
    for one in (wanted.get("experience") or {}).get("decisions") or ():
        one["data"] = {**NEW_IN_DECISIONS, **one["data"]}
    return differences(plain(wanted), plain(found))


def read_card():
    """Return whom the card describes, and how much it says."""
    from evennia_ai.agent.revising import mind_archive

    card = done(mind_archive.read("card", name="Tilda"))
    return {"name": card.name, "persona": sorted(card.persona), "lore": len(card.lore)}


if __name__ == "__main__":
    from tests.migrating.first_version_game import inventory

    open_game(inventory()["moment"])
    found = {file: import_mind(file) for file in FILES}
    print(json.dumps({"differences": found, "card": read_card()}))
