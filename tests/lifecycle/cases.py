"""Mara, who has been told a secret, has a key, and can die and come back."""

from evennia.objects.models import ObjectDB
from evennia.prototypes.spawner import spawn

from evennia_ai.experience.base import get_experience
from evennia_ai.lifecycle import waiting
from evennia_ai.memory import identity, journal, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.semantic import base
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.audience_paths import LeakTestCase

TYPECLASS = "evennia_ai.typeclasses.characters.AssistantCharacter"
WORD = "zq00c0ffee"


class MindOfMaraTestCase(LeakTestCase):
    """`key` is the identity of Mara, who knows where the crown lies."""

    def setUp(self):
        super().setUp()
        minds.script_llm("I see.", repeat=True)
        self.key = identity.identity_of(self.mara)
        self.do(self.char1, f"whisper Mara = The crown lies under {WORD}.", wait=3)
        self.assertIn(WORD, self.memories())

    def memories(self, key=None):
        """Return what long-term memory has of Mara, as text."""
        found = base.get_memory().get_all(assistant_key=key or self.key)
        return str(self.successResultOf(found))

    def experience(self, scope=None):
        """Return what experience has of Mara, or of a group, as text."""
        return str(self.successResultOf(get_experience(scope or self.key).dump()))

    def spawned(self, **changes):
        """Return a body by a prototype that names the mind of Mara."""
        prototype = {"key": "Mara", "typeclass": TYPECLASS, "attrs": [("ai_mind", "mara")]}
        where = {"location": self.room1, "home": self.room1}
        [npc] = spawn({**prototype, **where, **changes})
        return npc

    def place(self):
        """Return where Mara's mind waits."""
        [place] = ObjectDB.objects.filter(db_typeclass_path=waiting.BODY)
        return place

    def assert_nobody_waits(self):
        self.assertFalse(ObjectDB.objects.filter(db_typeclass_path=waiting.BODY))

    def mind(self, npc):
        """Return the mind of an NPC."""
        return scripts.find(npc)


class WaitingTestCase(MindOfMaraTestCase):
    """Mara has a key."""

    def setUp(self):
        super().setUp()
        waiting.give_key(self.mara, "mara")

    def assert_knows_all(self, npc):
        """A body has the mind of Mara, with all that she knew."""
        self.assertEqual(identity.identity_of(npc), self.key)
        self.assertIn(WORD, str(journal.entries(npc)))
        self.assertIn(WORD, str(working_memory.lines_with(npc, self.first)))
        self.assertIn(self.first, entity_profiles.known_identities(npc))
        self.assertIn(WORD, self.memories())
        self.assertEqual(waiting.key_of(npc), "mara")
        self.assertFalse(waiting.is_waiting(npc))
