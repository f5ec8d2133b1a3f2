"""NPCs with a mind by Evennia's prototypes: who they are comes along, what they remember does not."""

from evennia.prototypes import spawner
from evennia.prototypes.spawner import spawn

from evennia_ai.memory import identity, journal, persona, working_memory
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.agent.cases import MindTestCase, words
from world.prototypes import LANTERN_REGULAR

TYPECLASS = "evennia_ai.typeclasses.characters.AssistantCharacter"


class SpawningTests(MindTestCase):
    def spawned(self, prototype, **changes):
        [npc] = spawn({**prototype, "location": self.room1, "home": self.room1, **changes})
        return npc

    def test_the_regular_of_the_demo_has_a_mind_and_answers(self):
        per = self.spawned(LANTERN_REGULAR)
        self.assertTrue(per.assistant.enabled)
        self.mara.location = None
        self.do(self.char1, "say Per, what about the stew?", wait=2)
        self.assertIn("The stew was better when the old cook was here.", words(self.ann)[-1])

    def test_two_of_them_are_two(self):
        one, two = self.spawned(LANTERN_REGULAR), self.spawned(LANTERN_REGULAR)
        self.assertNotEqual(identity.identity_of(one), identity.identity_of(two))
        self.assertNotEqual(one.assistant, two.assistant)
        journal.add_entry(one, "It rains.")
        self.assertEqual(journal.entries(two), [])

    def test_the_prototype_can_be_found_by_its_name(self):
        [per] = spawn("lantern_regular")
        self.assertEqual((per.key, per.location), ("Old Per", None))
        self.assertIsNotNone(scripts.find(per))

    def test_without_a_persona_there_is_no_mind(self):
        plain = self.spawned({"key": "Plain", "typeclass": TYPECLASS})
        self.assertIsInstance(plain, AssistantCharacter)
        self.assertIsNone(scripts.find(plain))

    def test_a_prototype_of_an_npc_does_not_hand_on_what_it_remembers(self):
        persona.save_persona(self.mara, "Warm.")
        minds.script_llm("I shall keep it.")
        self.do(self.char1, "whisper Mara = The crown lies under the oak.")
        self.assertTrue(journal.entries(self.mara))
        prototype = spawner.prototype_from_object(self.mara)
        copy = self.spawned({**prototype, "key": "Copy"})
        self.assertIsInstance(copy, AssistantCharacter)
        scripts.attach(copy)
        self.assertNotEqual(identity.identity_of(copy), identity.identity_of(self.mara))
        self.assertEqual(copy.assistant.assistant_key, identity.identity_of(copy))
        self.assertEqual((journal.entries(copy), working_memory.all_lines(copy)), ([], []))
        stored = [
            f"{attribute.db_value} {attribute.db_strvalue}"
            for attribute in copy.db_attributes.all()
        ]
        self.assertEqual([value for value in stored if "crown" in value], [])
        self.assertTrue(journal.entries(self.mara))

    def test_a_mind_that_was_taken_away_does_not_come_back_with_an_update(self):
        per = self.spawned(LANTERN_REGULAR)
        scripts.detach(per)
        changed = {**LANTERN_REGULAR, "desc": "An older man."}
        spawner.batch_update_objects_with_prototype(changed, objects=[per])
        self.assertEqual(per.db.desc, "An older man.")
        self.assertIsNone(scripts.find(per))
