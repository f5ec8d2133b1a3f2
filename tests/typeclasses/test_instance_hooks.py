"""A mind on a body of a stock typeclass: it hears once, and leaves no trace when it goes."""

from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object

from evennia_ai.agent import answer
from evennia_ai.memory import working_memory
from evennia_ai.testing import minds
from evennia_ai.typeclasses import instance_hooks, scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.agent.cases import MindTestCase, words

MIXED = "evennia_ai.typeclasses.characters.AssistantCharacter"
STOCK = "evennia.objects.objects.DefaultCharacter"


class Mirror(DefaultObject):
    """A thing whose own hooks matter to its game."""

    def at_msg_receive(self, text=None, from_obj=None, **kwargs):
        self.ndb.heard = [*(self.ndb.heard or ()), text[0]]
        return "whatever"

    def at_object_receive(self, moved_obj, source_location, move_type="move", **kwargs):
        self.ndb.got = [*(self.ndb.got or ()), (moved_obj.key, move_type)]


class TapTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.patch(answer, "SIMILARITY", 2)

    def create_cast(self):
        super().create_cast()
        self.mirror = create_object(DefaultObject, key="mirror", location=self.room1)

    def lines(self, obj=None):
        """Return what a body remembers of what was said to it."""
        return [line.text for line in working_memory.all_lines(obj or self.mirror)]

    def ask(self, question="say mirror, who is the fairest?"):
        minds.script_llm("You are.")
        self.ann.clear()
        self.do(self.char1, question)
        return [line for line in words(self.ann) if "You are." in line]

    def test_a_stock_object_with_a_mind_answers(self):
        script = scripts.attach(self.mirror)
        self.assertTrue(instance_hooks.is_attached(self.mirror))
        self.assertEqual(self.ask(), ['mirror says, "You are."'])
        self.assertEqual(script.obj, self.mirror)

    def test_detached_it_is_a_thing_again(self):
        scripts.attach(self.mirror)
        self.assertTrue(scripts.detach(self.mirror))
        self.assertFalse(instance_hooks.is_attached(self.mirror))
        self.assertEqual(self.mirror.nattributes.all(), [])
        self.assertNotIn("at_msg_receive", vars(self.mirror))
        self.assertNotIn("at_object_receive", vars(self.mirror))
        self.assertEqual(self.ask(), [])
        self.assertFalse(scripts.detach(self.mirror))

    def test_switched_off_it_is_not_listened_to(self):
        script = scripts.attach(self.mirror)
        script.disable()
        self.assertFalse(instance_hooks.is_attached(self.mirror))
        script.enable()
        self.assertTrue(instance_hooks.is_attached(self.mirror))

    def test_the_hooks_of_its_own_class_run_and_their_value_comes_back(self):
        mirror = create_object(Mirror, key="glass", location=self.room1)
        scripts.attach(mirror)
        self.assertEqual(
            mirror.at_msg_receive(text=("hm", {"type": "say"}), from_obj=self.char1), "whatever"
        )
        self.assertEqual(self.ask("say glass, hello"), ['glass says, "You are."'])
        self.assertEqual(mirror.ndb.heard[:2], ["hm", 'Char says, "glass, hello"'])
        create_object(DefaultObject, key="rose", location=self.char1)
        minds.script_llm("How lovely.")
        self.do(self.char1, "give rose to glass")
        self.assertEqual(mirror.ndb.got, [("rose", "give")])
        self.assertEqual(self.lines(mirror)[-2:], ["gives you a rose", "How lovely."])

    def test_what_its_class_refuses_is_not_heard(self):
        deaf = create_object(Deaf, key="stone", location=self.room1)
        scripts.attach(deaf)
        self.assertEqual(self.ask("say stone, hello"), [])
        self.assertEqual(self.lines(deaf), [])

    def test_attached_twice_it_hears_once_and_has_one_mind(self):
        first = scripts.attach(self.mirror)
        self.assertIs(scripts.attach(self.mirror), first)
        instance_hooks.attach(self.mirror)
        self.assertEqual(len(self.mirror.scripts.all()), 1)
        self.ask()
        self.assertEqual(self.lines().count("mirror, who is the fairest?"), 1)

    def test_a_body_that_became_an_assistant_hears_once(self):
        npc = create_object(STOCK, key="Bob", location=self.room1)
        script = scripts.attach(npc)
        npc.swap_typeclass(MIXED, clean_attributes=False)
        self.assertIsInstance(npc, AssistantCharacter)
        self.ask("say Bob, who is the fairest?")
        self.assertEqual(self.lines(npc), ["Bob, who is the fairest?", "You are."])
        script.at_tick()
        self.assertFalse(instance_hooks.is_attached(npc))
        self.ask("say Bob, and who else?")
        self.assertEqual(self.lines(npc).count("Bob, and who else?"), 1)

    def test_an_assistant_that_became_stock_is_listened_to_after_the_next_tick(self):
        self.mara.swap_typeclass(STOCK, clean_attributes=False)
        self.assertNotIsInstance(self.mara, AssistantCharacter)
        self.script_of_mara.at_tick()
        self.assertEqual(self.ask("say Mara, hello"), ['Mara says, "You are."'])

    def test_it_survives_a_flush_of_evennias_cache(self):
        script = scripts.attach(self.mirror)
        ObjectDB.flush_instance_cache()
        mirror = ObjectDB.objects.get(pk=self.mirror.id)
        script.at_tick()
        self.assertTrue(instance_hooks.is_attached(mirror))
        self.do_after_flush(mirror)

    def do_after_flush(self, mirror):
        """Speak to the instance that is in the room now."""
        minds.script_llm("You are.")
        mirror.msg(('Char says, "mirror, hello"', {"type": "say"}), from_obj=self.char1)
        self.wait()
        self.assertEqual(self.lines(mirror), ["mirror, hello", "You are."])

    def test_it_is_put_back_by_a_restart(self):
        script = scripts.attach(self.mirror)
        instance_hooks.detach(self.mirror)
        minds.forget_all()
        script.at_server_start()
        self.assertTrue(instance_hooks.is_attached(self.mirror))
        self.assertEqual(self.ask(), ['mirror says, "You are."'])

    def test_a_deleted_body_takes_its_mind_along(self):
        script = scripts.attach(self.mirror)
        self.mirror.delete()
        self.assertIsNone(script.pk)
        self.do(self.char1, "say mirror, hello")
        self.assertEqual(self.log, [])

    def test_another_object_of_the_class_is_not_listened_to(self):
        scripts.attach(self.mirror)
        other = create_object(DefaultObject, key="window", location=self.room1)
        self.assertFalse(instance_hooks.is_attached(other))
        self.ask()
        self.assertEqual(self.lines(other), [])


class Deaf(DefaultObject):
    """What is said to it does not arrive."""

    def at_msg_receive(self, text=None, from_obj=None, **kwargs):
        return False
