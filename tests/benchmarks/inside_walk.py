"""Inside the Server: a long street, and an NPC whose day leads it from one end to the other."""

from pathlib import Path

from django.conf import settings
from evennia.objects.objects import DefaultExit, DefaultRoom
from evennia.utils.create import create_object

from evennia_ai.memory import persona
from evennia_ai.memory.state import assistant
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter

NAME = "Mara"


class Step(DefaultRoom):
    """A room of the street, which writes down who comes in."""

    def at_object_receive(self, moved_obj, source_location, move_type="move", **kwargs):
        """Add a line to the file."""
        super().at_object_receive(moved_obj, source_location, move_type=move_type, **kwargs)
        with _file().open("a", encoding="utf-8") as file:
            file.write(f"{moved_obj.key} {self.db.number}\n")


def build(rooms):
    """Build the street with an NPC at its first room, which is to be at the last one all day."""
    street = [create_object(Step, key=f"Step {number}") for number in range(rooms)]
    for number, room in enumerate(street):
        room.db.number = number
    for here, there in zip(street, street[1:], strict=False):
        create_object(DefaultExit, key="on", location=here, destination=there)
        create_object(DefaultExit, key="back", location=there, destination=here)
    npc = create_object(AssistantCharacter, key=NAME, location=street[0], home=street[0])
    persona.save_persona(
        npc, {"description": "A baker.", "routine": [f"00:00 Step {rooms - 1}: rests"]}
    )
    scripts.attach(npc)


def look():
    """Return (which room each NPC is in, the rooms it came into so far, how far it is)."""
    found = AssistantCharacter.objects.filter(db_key=NAME)
    lines = _file().read_text("utf-8").splitlines() if _file().exists() else []
    rooms = [int(line.split()[1]) for line in lines if line.startswith(f"{NAME} ")]
    [script] = {scripts.find(npc) for npc in found}
    kept = assistant.round_of(script)
    return [npc.location.db.number for npc in found], rooms, kept.state if kept else ""


def _file():
    return Path(settings.GAME_DIR) / "walked.txt"
