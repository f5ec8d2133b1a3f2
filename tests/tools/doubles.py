"""A turn without a mind, and the NPC that it belongs to."""

from datetime import datetime, timezone

from evennia.objects.objects import DefaultCharacter, DefaultExit, DefaultObject
from evennia.scripts.scripts import DefaultScript
from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_object, create_script
from twisted.internet.defer import succeed

from evennia_ai.core.records import Source, intersection, new_event
from evennia_ai.domain import reasons
from evennia_ai.exceptions import ToolError
from evennia_ai.testing import AITestCase

NOON = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)


def can_act(npc):
    """Stand behind the door CAN_ACT: everybody can, unless bound."""
    return not npc.db.bound


class TurnDouble:
    """What tools use of a turn; `spoken` is what was said, as (kind, words, target)."""

    def __init__(self, character, script, speaker=None):
        self.character, self.script, self.speaker = character, script, speaker
        self.name = character.key
        self.event = new_event("say", "hello", event_id="1", now=NOON, said_by="uuid-of-ann")
        self.spoken, self.notes, self.done, self.mute = [], [], [], False
        self.audience, self.private, self.reason = "public", False, reasons.TALK
        self.dangerous_used = False
        self.tellers = {"uuid-of-ann": ""}

    def include(self, kept, sources=()):
        known = kept if isinstance(kept, (str, list)) else kept.audience
        self.audience = intersection([self.audience, known])

    def origins(self):
        known = intersection([self.audience, self.event.audience])
        return [Source(self.event.id, self.event.said_by, known)]

    def name_of(self, obj):
        return strip_ansi(obj.get_display_name(self.character))

    def find(self, name):
        """Return what is visible under that name."""
        near = [*self.character.location.contents, *self.character.contents]
        visible = [obj for obj in near if obj.access(self.character, "view")]
        found = [obj for obj in visible if obj.key.lower() == name.lower()]
        if len(found) != 1:
            raise ToolError(f"{len(found)} things are called {name}.")
        return found[0]

    def run_command(self, line):
        return self.character.execute_cmd(line)

    def speak(self, kind, words, target=None):
        if not self.mute:
            self.spoken.append((kind, words, target))
        return succeed(not self.mute)

    def listeners(self):
        return [self.speaker]

    def note_command(self, key, line):
        self.notes.append(f'ran the command {key}: "{line}"')

    def may_keep(self):
        return True

    def note_done(self, text, *, gift=""):
        self.done += [text, *filter(None, [gift])]


class ToolTestCase(AITestCase):
    """A barkeep without an account in room1, beside char1 and char2; a door leads to room2."""

    extra_settings = {}

    def setUp(self):
        super().setUp()
        changed = self.settings_ai(CAN_ACT="tests.tools.doubles.can_act", **self.extra_settings)
        changed.enable()
        self.addCleanup(changed.disable)
        self.turn = TurnDouble(self.npc, self.script, speaker=self.char1)

    def create_cast(self):
        self.npc = create_object(DefaultCharacter, key="Bob", location=self.room1)
        self.script = create_script(DefaultScript, key="mind", obj=self.npc)
        self.door = create_object(
            DefaultExit, key="door", location=self.room1, destination=self.room2
        )
        self.mug = create_object(DefaultObject, key="mug", location=self.npc)

    def use(self, tool, **arguments):
        """Run a tool as the loop does: after its arguments have been checked."""
        return tool().execute(self.turn, **tool().checked(arguments))

    def refused(self, tool, **arguments):
        """Return the message of the ToolError that this use of a tool raises."""
        with self.assertRaises(ToolError) as caught:
            self.use(tool, **arguments)
        return str(caught.exception)
