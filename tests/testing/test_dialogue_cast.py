"""Who plays the NPC: a double with the mind and the rights of its original, or one made afresh."""

from django.test import override_settings
from evennia.prototypes import prototypes as protlib
from evennia.utils.create import create_object
from twisted.internet.defer import inlineCallbacks

from evennia_ai.agent.revising import mind_archive
from evennia_ai.core.records import Lore
from evennia_ai.lifecycle import waiting
from evennia_ai.memory import identity, journal, persona
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import npc_settings
from evennia_ai.testing import minds
from evennia_ai.testing.dialogue import dialogue_cast, dialogue_file
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.testing.dialogue_cases import DialogueTestCase

CLASS = f"{AssistantCharacter.__module__}.{AssistantCharacter.__name__}"


class CastTestCase(DialogueTestCase):
    def find(self, head, *npcs):
        text = f"{head}\ninjections: standard"
        dialogue = dialogue_file.read(text.encode(), name="x.yaml")
        return self.drive(dialogue_cast.find(dialogue, list(npcs)))

    def refusal(self, head, *npcs):
        with self.assertRaises(ValueError) as caught:
            self.find(head, *npcs)
        return str(caught.exception)

    def make(self, original):
        self.kept = []
        made = self.drive(
            dialogue_cast.make(original, self.room2, keep=lambda obj: self.kept.append(obj) or obj)
        )
        self.assertEqual(self.kept, [made])
        self.assertEqual((made.location, made.home), (self.room2, self.room2))
        self.assertTrue(made.assistant.enabled)
        return made


class DoubleTests(CastTestCase):
    def setUp(self):
        super().setUp()
        self.npc = minds.make_assistant(
            "Mara", location=self.room1, persona="Mara keeps the inn.", lore=["The well is deep."]
        )
        self.npc.aliases.add("innkeeper")
        self.npc.permissions.add("Helper")
        self.npc.locks.add("edit:perm(Admin)")
        self.npc.db.desc = "A broad woman."
        npc_settings.grant(self.npc, allowed_commands=["pose"])
        npc_settings.choose(self.npc, talkative="chatty")
        self.npc.db.friend = self.char2
        npc_settings.grant(self.npc, experience_scope="innkeepers")

    def test_it_has_the_looks_and_the_rights_of_its_original(self):
        made = self.make(self.find("npc: mara", self.npc))
        self.assertEqual((made.key, made.aliases.all()), ("Mara", ["innkeeper"]))
        self.assertEqual(made.permissions.all(), self.npc.permissions.all())
        self.assertEqual(str(made.locks), str(self.npc.locks))
        self.assertEqual(made.db.desc, "A broad woman.")
        self.assertEqual(npc_settings.allowed_commands(made), ["pose"])
        self.assertEqual(npc_settings.talkative(made), "chatty")

    def test_it_has_neither_objects_of_the_game_nor_the_experience_of_a_group(self):
        made = self.make(self.find("npc: Mara", self.npc))
        self.assertIsNone(made.db.friend)
        self.assertEqual(npc_settings.experience_scope(made), "")

    def test_it_knows_what_its_original_knows_and_is_somebody_else(self):
        entry = journal.add_entry(self.npc, content="Bob owes me.", importance=7)
        entity_profiles.update_relationship(self.npc, self.char2, 0.1)
        made = self.make(self.find("npc: Mara", self.npc))
        self.assertEqual(journal.get_entry(made, entry.id).content, "Bob owes me.")
        known = entity_profiles.find_profile(made, identity.identity_of(self.char2))
        self.assertEqual(known.relationship.favorability, 0.1)
        self.assertEqual(persona.load_lore(made), persona.load_lore(self.npc))
        self.assertNotEqual(identity.identity_of(made), identity.identity_of(self.npc))

    def test_what_it_learns_its_original_does_not(self):
        made = self.make(self.find("npc: Mara", self.npc))
        journal.add_entry(made, content="Bob owes me.", importance=7)
        self.assertEqual(journal.size(self.npc), 0)

    def test_the_room_looks_as_that_of_its_original(self):
        self.room1.db.desc = "Low beams."
        self.room1.tags.add("private")
        room = self.find("npc: Mara", self.npc).room
        self.assertEqual((room.name, room.desc, room.private), ("Room", "Low beams.", True))

    def test_who_is_meant_is_told_by_name_or_number(self):
        other = minds.make_assistant("Mara", location=self.room1)
        self.assertEqual(self.find(f"npc: '#{other.id}'", self.npc, other).lore, ())
        self.assertEqual(
            self.refusal("npc: Mara", self.npc, other),
            f"2 assistants are called Mara; write one of '#{self.npc.id}', '#{other.id}'.",
        )
        self.assertEqual(
            self.refusal("npc: Per", self.npc),
            "there is no assistant called Per; in an empty game, name a seed, a prototype or a mind.",
        )

    def test_a_body_of_another_class_keeps_it(self):
        npc = create_object(
            "evennia.objects.objects.DefaultCharacter", key="Per", location=self.room1
        )
        scripts.attach(npc)
        made = self.drive_make(self.find("npc: Per", npc))
        self.assertNotIsInstance(made, AssistantCharacter)
        self.assertTrue(scripts.find(made).enabled)

    def drive_make(self, original):
        return self.drive(dialogue_cast.make(original, self.room2, keep=lambda obj: obj))


class FreshTests(CastTestCase):
    def test_a_seed_of_one(self):
        made = self.make(self.find("seed: mara"))
        self.assertEqual((made.key, made.aliases.all()), ("Mara", ["innkeeper"]))
        self.assertEqual(made.db.desc, "A broad woman.")
        self.assertEqual(persona.load_persona(made)["description"], "Mara keeps the inn.")
        self.assertEqual(
            persona.load_lore(made),
            [Lore(text="The ale is brewed by old Tam, in the mill.", audience="public")],
        )

    def test_a_seed_of_many_needs_a_name(self):
        self.write("world/minds/many.yaml", "npcs:\n  - {name: Ann}\n  - {name: Bo, desc: Tall.}\n")
        self.assertEqual(self.find("seed: many\nnpc: bo").desc, "Tall.")
        for head in ("seed: many", "seed: many\nnpc: Cid"):
            with self.subTest(head):
                self.assertEqual(
                    self.refusal(head),
                    "many.yaml: it describes Ann, Bo; npc has to name one of them.",
                )

    def test_a_seed_that_is_wrong_or_not_there_is_told(self):
        self.write("world/minds/bad.yaml", "name: Mara\npersonna: {}\n")
        self.assertTrue(self.refusal("seed: bad").startswith("bad.yaml: Mara has no 'personna'"))
        self.assertEqual(self.refusal("seed: none"), "There is no file none in world/minds.")
        self.assertIn("is not the name of a file", self.refusal("seed: ../../etc/passwd"))

    def test_a_prototype(self):
        with override_settings(PROTOTYPE_MODULES=["world.prototypes"]):
            made = self.make(self.find("prototype: lantern_regular"))
            self.assertEqual(made.key, "Old Per")
            self.assertTrue(made.tags.has("tavern"))
            self.assertIn("every evening", persona.load_persona(made)["description"])
        self.assertEqual(self.refusal("prototype: nobody"), "there is no prototype nobody.")

    def test_a_prototype_of_a_mind_that_waits_does_not_call_it(self):
        """The double is deleted with all that it remembers."""
        npc = minds.make_assistant("Per", location=self.room1)
        journal.add_entry(npc, "Bob owes me.")
        waiting.give_key(npc, "per")
        npc.delete()
        protlib.save_prototype(
            {"prototype_key": "per", "key": "Per", "typeclass": CLASS, "ai_mind": "per"}
        )
        made = self.make(self.find("prototype: per"))
        self.assertEqual(journal.entries(made), [])
        self.assertTrue(waiting.is_waiting(waiting.body_of("per")))

    @inlineCallbacks
    def export(self, npc):
        yield mind_archive.export(npc, scripts.find(npc), "mara.json")

    def test_a_mind_that_was_exported(self):
        npc = minds.make_assistant("Mara", location=self.room1)
        journal.add_entry(npc, content="Bob owes me.", importance=7)
        self.drive(self.export(npc))
        made = self.make(self.find("mind: mara.json\nnpc: Greta"))
        self.assertEqual((made.key, journal.size(made)), ("Greta", 1))
