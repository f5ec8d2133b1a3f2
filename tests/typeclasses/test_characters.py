"""The body: any typeclass with the mixin perceives, and stays where it is."""

from evennia.objects.objects import DefaultCharacter, DefaultObject
from evennia.utils.create import create_object

from evennia_ai.core import volatile
from evennia_ai.memory import identity, journal, persona, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import active_assistants
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter, AssistantMixin
from tests.agent.cases import MindTestCase, words


class UnderWater(DefaultCharacter):
    """What its hook refuses does not arrive."""

    def at_msg_receive(self, text=None, from_obj=None, **kwargs):
        return self.db.answer


class DeafAssistant(AssistantMixin, UnderWater):
    """An assistant under water."""


class MixinTests(MindTestCase):
    def test_any_object_can_have_a_mind(self):
        door = minds.make_assistant("Gate", location=self.room1, typeclass=Talking)
        minds.script_llm("Who goes there?")
        self.do(self.char1, "say Gate, open up!")
        self.assertEqual(words(self.ann)[-1], 'Gate says, "Who goes there?"')
        self.assertIs(door.assistant, scripts.find(door))

    def test_a_body_gives_a_game_its_journal_and_whom_it_knows(self):
        """E2 E4 J1."""
        npc = minds.make_assistant("Gate", location=self.room1, typeclass=Talking)
        journal.add_entry(npc, "It rained.")
        entity_profiles.create_entity_profile(npc, self.char1)
        self.assertEqual([one["content"] for one in npc.journal["entries"]], ["It rained."])
        self.assertEqual([one["name"] for one in npc.entity_profiles.values()], ["Char"])

    def test_without_a_mind_it_is_what_it_would_be(self):
        plain = create_object(AssistantCharacter, key="Plain", location=self.room1)
        self.do(self.char1, "say Plain, hello")
        self.do(self.char1, "whisper Plain = hello")
        self.assertIsNone(plain.assistant)
        self.assertEqual(working_memory.all_lines(plain), [])

    def test_a_mind_that_is_off_is_none_to_the_game(self):
        self.script_of_mara.disable()
        self.assertIsNone(self.mara.assistant)
        self.script_of_mara.enable()
        self.assertEqual(self.mara.assistant, self.script_of_mara)

    def test_the_value_of_the_class_own_hook_is_kept(self):
        npc = minds.make_assistant("Wet", location=self.room1, typeclass=DeafAssistant)
        for value in (True, False, None):
            with self.subTest(value):
                npc.db.answer = value
                self.assertIs(npc.at_msg_receive(("x", {"type": "say"}), self.char1), value)

    def test_what_the_body_refuses_does_not_reach_the_mind(self):
        npc = minds.make_assistant("Wet", location=self.room1, typeclass=DeafAssistant)
        npc.db.answer = False
        self.do(self.char1, "say Wet, hello")
        self.assertEqual(working_memory.all_lines(npc), [])
        npc.db.answer = True
        minds.script_llm("Blub.")
        self.do(self.char1, "say Wet, hello")
        self.assertEqual(words(self.ann)[-1], 'Wet says, "Blub."')

    def test_a_mixin_of_a_players_character_leaves_with_its_player(self):
        hero = create_object(Hero, key="Hero", location=self.room1)
        self.puppet(hero, self.account2, self.session2)
        self.account2.unpuppet_object(self.session2)
        self.assertIsNone(hero.location)

    def test_a_mixin_with_a_mind_stays_when_its_player_leaves(self):
        hero = minds.make_assistant("Hero", location=self.room1, typeclass=Hero)
        self.puppet(hero, self.account2, self.session2)
        self.account2.unpuppet_object(self.session2)
        self.assertIs(hero.location, self.room1)


class PuppetTests(MindTestCase):
    def test_an_assistant_stays_where_it_is_when_its_player_leaves(self):
        self.puppet(self.mara, self.account2, self.session2)
        self.mara.move_to(self.room2)
        self.account2.unpuppet_object(self.session2)
        self.assertIs(self.mara.location, self.room2)
        self.assertIn(self.mara, self.room2.contents)

    def test_it_stays_even_without_a_mind(self):
        plain = create_object(AssistantCharacter, key="Plain", location=self.room1)
        self.puppet(plain, self.account2, self.session2)
        self.account2.unpuppet_object(self.session2)
        self.assertIs(plain.location, self.room1)

    def test_the_typed_ooc_leaves_it_there_as_well(self):
        self.puppet(self.mara, self.account2, self.session2)
        self.account2.execute_cmd("ooc", session=self.session2)
        self.assertEqual(self.mara.sessions.count(), 0)
        self.assertIs(self.mara.location, self.room1)

    def test_while_it_is_played_it_takes_in_and_does_not_answer(self):
        mind = minds.script_llm("Hello.")
        self.puppet(self.mara, self.account2, self.session2)
        self.do(self.char1, "say Mara, my name is Ann", wait=10)
        self.assertEqual((mind.requests, self.pending()), ([], []))
        self.assertEqual(self.remembered(), [(False, "Mara, my name is Ann")])


class CopyTests(MindTestCase):
    """Evennia's `copy` duplicates Attributes, tags and scripts."""

    def setUp(self):
        super().setUp()
        persona.save_persona(self.mara, {"description": "keeps the inn"})
        minds.script_llm("I shall keep it.")
        self.do(self.char1, "whisper Mara = The crown lies under the oak.")
        self.twin = self.mara.copy("Twin")

    def test_a_copy_has_a_mind_of_its_own_that_is_off(self):
        script = scripts.find(self.twin)
        self.assertNotEqual(script.id, self.script_of_mara.id)
        self.assertFalse(script.enabled)
        self.assertIsNone(active_assistants.script_id_of(self.twin.id))
        mind = minds.script_llm("Hm.")
        self.do(self.char1, "whisper Twin = hello")
        self.assertEqual(mind.requests, [])

    def test_a_copy_keeps_the_persona_and_forgets_the_rest(self):
        self.assertEqual(persona.load_persona(self.twin)["description"], "keeps the inn")
        self.assertEqual(working_memory.all_lines(self.twin), [])
        self.assertEqual(len(working_memory.all_lines(self.mara)), 2)

    def test_a_copy_is_somebody_else(self):
        self.assertNotEqual(identity.identity_of(self.twin), identity.identity_of(self.mara))
        scripts.attach(self.twin)
        key = scripts.find(self.twin).assistant_key
        self.assertEqual(key, identity.identity_of(self.twin))

    def test_only_the_one_that_is_on_is_ticked(self):
        self.assertEqual(active_assistants.all_ids(), [self.script_of_mara.id])
        volatile.forget_all()
        self.assertEqual(active_assistants.all_ids(), [self.script_of_mara.id])


class Talking(AssistantMixin, DefaultObject):
    """A thing that can have a mind."""


class Hero(AssistantMixin, DefaultCharacter):
    """A game's own character class, of players and of NPCs."""
