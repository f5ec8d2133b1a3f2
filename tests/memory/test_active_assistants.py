"""Tests of which minds are on."""

from evennia.scripts.models import ScriptDB
from evennia.scripts.scripts import DefaultScript
from evennia.server.models import ServerConfig
from evennia.utils.create import create_script

from evennia_ai.core import volatile
from evennia_ai.memory import working_memory
from evennia_ai.memory.state import active_assistants
from evennia_ai.testing import AITestCase


class ActiveTestCase(AITestCase):
    def setUp(self):
        super().setUp()
        volatile.forget_all()
        self.addCleanup(volatile.forget_all)

    def mind(self, npc):
        return create_script(DefaultScript, key="mind", obj=npc)

    def joined(self, npc, rate=5):
        script = self.mind(npc)
        active_assistants.join(script, rate)
        return script

    def both(self, question):
        """Return the answer from memory, and the one that the database gives after a restart."""
        mirrored = question()
        volatile.forget_all()
        return mirrored, question()


class JoinTests(ActiveTestCase):
    def test_who_has_joined_is_found_also_after_a_restart(self):
        script = self.joined(self.char1)
        self.assertEqual(
            self.both(lambda: active_assistants.script_id_of(self.char1.id)), (script.id, script.id)
        )
        self.assertIs(active_assistants.script_of(self.char1), script)
        self.assertIsNone(active_assistants.script_id_of(self.char2.id))
        self.assertIsNone(active_assistants.script_of(self.char2))

    def test_minds_are_listed_by_their_interval_in_a_stable_order(self):
        scripts = [self.joined(npc, 5) for npc in (self.char2, self.char1)]
        asleep = self.joined(self.obj1, 60)
        awake = [script.id for script in scripts]
        self.assertEqual(self.both(lambda: active_assistants.members(5)), (awake, awake))
        self.assertEqual(
            self.both(lambda: active_assistants.members(60)), ([asleep.id], [asleep.id])
        )
        self.assertEqual(active_assistants.members(7), [])
        self.assertEqual(self.both(active_assistants.rates), ({5, 60}, {5, 60}))
        self.assertEqual(self.both(active_assistants.count), (3, 3))
        everybody = [*awake, asleep.id]
        self.assertEqual(self.both(active_assistants.all_ids), (everybody, everybody))

    def test_joining_again_with_another_interval_replaces_the_first(self):
        script = self.joined(self.char1, 5)
        active_assistants.join(script, 60)
        self.assertEqual(self.both(active_assistants.rates), ({60}, {60}))
        self.assertEqual(self.both(active_assistants.count), (1, 1))

    def test_other_tags_of_a_script_are_not_ours(self):
        script = self.mind(self.char1)
        script.tags.add("boss", category="combat")
        script.tags.add("7")
        active_assistants.join(script, 5)
        self.assertEqual(self.both(active_assistants.rates), ({5}, {5}))
        active_assistants.leave(script)
        self.assertEqual(sorted(script.tags.all()), ["7", "boss"])

    def test_a_question_from_memory_costs_nothing(self):
        self.joined(self.char1)
        with self.assertNumQueries(0):
            for _ in range(100):
                active_assistants.script_id_of(self.char1.id)
                active_assistants.script_id_of(self.char2.id)

    def test_they_are_read_in_two_queries_however_many_are_on(self):
        for npc in (self.char1, self.char2, self.obj1):
            self.joined(npc)
        active_assistants._loaded.clear()
        with self.assertNumQueries(2):
            self.assertEqual(active_assistants.count(), 3)


class LeaveTests(ActiveTestCase):
    def test_who_has_left_is_gone_also_after_a_restart(self):
        script, other = self.joined(self.char1), self.joined(self.char2)
        active_assistants.leave(script)
        self.assertEqual(
            self.both(lambda: active_assistants.script_id_of(self.char1.id)), (None, None)
        )
        self.assertEqual(self.both(active_assistants.all_ids), ([other.id], [other.id]))

    def test_who_leaves_takes_along_what_is_kept_of_them_in_memory_alone(self):
        script, _ = self.joined(self.char1), self.joined(self.char2)
        for npc in (self.char1, self.char2):
            working_memory._grown[npc.id] = {"ann"}
        active_assistants.leave(script)
        self.assertEqual(working_memory.take_grown(self.char1), set())
        self.assertEqual(working_memory.take_grown(self.char2), {"ann"})

    def test_leaving_twice_is_no_error(self):
        script = self.joined(self.char1)
        active_assistants.leave(script)
        active_assistants.leave(script)
        self.assertEqual(active_assistants.count(), 0)

    def test_a_second_mind_of_a_body_takes_the_place_of_the_first(self):
        first = self.joined(self.char1)
        second = self.joined(self.char1, 60)
        self.assertEqual(
            self.both(lambda: active_assistants.script_id_of(self.char1.id)), (second.id, second.id)
        )
        self.assertEqual(self.both(active_assistants.count), (1, 1))
        # What has lost its place takes nobody with it.
        active_assistants.leave(first)
        self.assertEqual(self.both(active_assistants.all_ids), ([second.id], [second.id]))
        active_assistants.leave(second)
        self.assertEqual(self.both(active_assistants.count), (0, 0))

    def test_a_deleted_body_leaves_nobody_after_a_restart(self):
        script = self.joined(self.obj1)
        number, script_id = self.obj1.id, script.id
        self.obj1.delete()
        volatile.forget_all()
        self.assertIsNone(active_assistants.script_id_of(number))
        self.assertFalse(ScriptDB.objects.filter(id=script_id).exists())

    def test_a_mind_that_was_deleted_is_nobodys_also_before_it_has_left(self):
        script = self.joined(self.obj1)
        script.delete()
        self.assertIsNone(active_assistants.script_of(self.obj1))

    def test_a_mind_without_a_body_is_not_on(self):
        script = self.joined(self.obj1)
        ScriptDB.objects.filter(id=script.id).update(db_obj=None)
        volatile.forget_all()
        self.assertEqual(active_assistants.all_ids(), [])

    def test_a_mind_can_leave_when_its_body_is_gone(self):
        script = self.joined(self.obj1)
        script.db_obj = None
        active_assistants.leave(script)
        self.assertEqual(self.both(active_assistants.count), (0, 0))


class HaltTests(ActiveTestCase):
    def test_a_halt_holds_over_a_restart_until_it_is_taken_back(self):
        self.assertEqual(self.both(active_assistants.is_halted), (False, False))
        active_assistants.halt()
        self.assertEqual(self.both(active_assistants.is_halted), (True, True))
        active_assistants.halt(halted=False)
        self.assertEqual(self.both(active_assistants.is_halted), (False, False))

    def test_it_is_kept_where_the_server_keeps_such_things(self):
        active_assistants.halt()
        self.assertIs(ServerConfig.objects.conf("evennia_ai_halted"), True)

    def test_a_halt_leaves_them_as_they_are(self):
        script = self.joined(self.char1)
        active_assistants.halt()
        self.assertEqual(self.both(active_assistants.all_ids), ([script.id], [script.id]))

    def test_asking_again_costs_nothing(self):
        active_assistants.is_halted()
        with self.assertNumQueries(0):
            active_assistants.is_halted()
