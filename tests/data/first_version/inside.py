"""What `make` does in the directory of its game: `python -m tests.data.first_version.inside <task> …`."""

import json
import sys
from pathlib import Path

from tests.migrating.inventories import open_game, read_inventory


def build(moment):
    """Let everybody move in, and tell when it was."""
    open_game(moment)
    from tests.data.first_version import nights, others, residents

    people = others.move_in()
    residents.move_in(people)
    nights.move_in(people)
    others.leave_traces(people)
    residents.come_last()


def export(moment, files):
    """Write the minds that are handed on by themselves."""
    open_game(moment)
    from evennia.utils.search import search_object

    from evennia_ai.agent import mind_archive
    from evennia_ai.typeclasses import scripts
    from tests.migrating.inventories import done

    for name, file in json.loads(files).items():
        [npc] = search_object(name, exact=True)
        done(mind_archive.export(npc, scripts.find(npc), file))


def read(moment, path):
    """Write down what all of it says."""
    open_game(moment)
    text = json.dumps(read_inventory(), ensure_ascii=False, indent=1, sort_keys=True)
    Path(path).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    {"build": build, "export": export, "read": read}[sys.argv[1]](*sys.argv[2:])
