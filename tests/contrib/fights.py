"""What the page says of fights, as code, and a street with somebody who can be fought with."""

import re
from pathlib import Path

from evennia.scripts.models import ScriptDB
from evennia.utils.create import create_object

from evennia_ai.memory import routine
from evennia_ai.memory.state import assistant
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.life.cases import DayTestCase

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"


def of_page(file, module):
    """Return what a file of the page defines, as if it stood in a module."""
    [code] = re.findall(rf"```python\n# typeclasses/{file}\.py\n(.*?)```", PAGE.read_text(), re.S)
    names = {"__name__": module}
    exec(code, names)
    return names


def hook_of_page(contrib):
    """Return the CAN_ACT that the page has for a contrib."""
    pattern = rf'EVENNIA_AI\["CAN_ACT"\] = "(evennia_ai\.contrib\.{contrib}\.\w+)"'
    [path] = re.findall(pattern, PAGE.read_text())
    return path


class FightTestCase(DayTestCase):
    """Bree has a day, and can be fought with by Char."""

    contrib, room_type, npc_type, character_type = "", None, None, None

    def setUp(self):
        super().setUp()
        self.patch(routine, "JITTER", 0)
        self.configure(
            CAN_ACT=hook_of_page(self.contrib),
            GAME_CLOCK="tests.life.cases.clock",
        )
        self.char1.swap_typeclass(self.character_type, run_start_hooks="all")
        self.bree = minds.make_assistant("Bree", location=self.inn, typeclass=self.npc_type)
        self.gives(self.bree, *self.routine)
        self.mind = minds.script_llm("Why did you do that?", repeat=True)

    def tearDown(self):
        # What counts the seconds of a fight would go on in the reactor after it.
        for script in ScriptDB.objects.filter(db_interval__gt=0):
            script.stop()
        super().tearDown()

    def make_room(self, name):
        return (
            create_object(self.room_type, key=name) if self.room_type else super().make_room(name)
        )

    def walks(self, count=1):
        return self.ticks(count, npc=self.bree)

    def attacks(self):
        """Return who attacked Bree, by what waits for her."""
        waiting = assistant.pending_events(scripts.find(self.bree))
        return [event.actor_name for event in waiting if event.kind == "attacked"]
