"""A mind with a key waits when its body dies, and the next body of that key gets it."""

from unittest import mock

from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultCharacter
from evennia.scripts.models import ScriptDB
from evennia.utils.create import create_object, create_script
from evennia.utils.idmapper.models import flush_cache
from twisted.internet.defer import Deferred

from evennia_ai.agent.revising import forgetting
from evennia_ai.lifecycle import waiting
from evennia_ai.memory import identity, journal, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import (
    active_assistants,
    channels,
    kept_goals,
    npc_settings,
    sleep_state,
)
from evennia_ai.models import LedgerEntry
from evennia_ai.sleep import sleep_cycle
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests import ledger_rows
from tests.agent.cases import words
from tests.lifecycle.cases import TYPECLASS, WORD, WaitingTestCase


class DyingTests(WaitingTestCase):
    def test_the_next_body_knows_everything(self):
        kept_goals.add_goal(self.script_of_mara, "Find the crown.")
        npc_settings.choose(self.mara, gossip="never")
        self.assertTrue(self.mara.delete())
        self.wait(2)
        npc = self.spawned()
        self.assert_knows_all(npc)
        self.assertEqual(self.mind(npc), self.script_of_mara)
        self.assertIn("Find the crown.", str(kept_goals.open_goals(self.mind(npc))))
        self.assertEqual(npc_settings.gossip(npc), "never")
        self.assertIn(WORD, self.experience())
        self.assertFalse(npc.attributes.has("ai_mind"))
        self.assert_nobody_waits()

    def test_it_answers_in_its_next_body(self):
        self.mara.delete()
        self.spawned()
        self.ann.clear()
        self.do(self.char1, "say Mara, are you well?", wait=3)
        self.assertEqual(words(self.ann)[-1], 'Mara says, "I see."')

    def test_a_mind_that_sleeps_sleeps_on(self):
        sleep_cycle.transition_mode(self.script_of_mara, "sleep", "it is tired")
        self.mara.delete()
        self.assertTrue(sleep_state.is_asleep(self.mind(self.spawned())))

    def test_a_mind_that_is_off_waits_as_well_and_is_off_in_the_next_body(self):
        self.script_of_mara.disable()
        self.mara.delete()
        npc = self.spawned()
        self.assert_knows_all(npc)
        self.assertFalse(self.mind(npc).enabled)
        self.assertIsNone(active_assistants.script_id_of(npc.id))

    def test_a_mind_that_is_started_while_it_waits_is_on_in_the_next_body(self):
        self.script_of_mara.disable()
        self.mara.delete()
        self.script_of_mara.enable()
        self.assertFalse(self.script_of_mara.enabled)
        self.assertTrue(self.mind(self.spawned()).enabled)

    def test_who_may_destroys_it_and_it_waits(self):
        self.char1.execute_cmd(f"destroy/force #{self.mara.id}")
        self.assertIsNone(self.mara.pk)
        self.assert_knows_all(self.spawned())

    def test_a_body_that_is_deleted_in_a_batch_leaves_its_mind_too(self):
        kept_goals.add_goal(self.script_of_mara, "Find the crown.")
        ObjectDB.objects.filter(id=self.mara.id).delete()
        self.wait(2)
        npc = self.spawned()
        self.assert_knows_all(npc)
        self.assertTrue(self.mind(npc).enabled)
        self.assertIn("Find the crown.", str(kept_goals.open_goals(self.mind(npc))))
        self.assert_nobody_waits()
        self.drop_complaints_of_rooms()

    def test_a_game_that_was_restarted_meanwhile_knows_as_much(self):
        self.mara.delete()
        place_id = self.place().id
        flush_cache()
        minds.forget_all()
        self.assertEqual(self.place().id, place_id)
        self.assert_knows_all(self.spawned())
        self.drop_complaints_of_rooms()

    def test_a_body_that_evennia_has_dropped_from_its_cache_leaves_its_mind(self):
        npc_id = self.mara.id
        flush_cache()
        ObjectDB.objects.get(id=npc_id).delete()
        self.assert_knows_all(self.spawned())
        self.drop_complaints_of_rooms()

    def drop_complaints_of_rooms(self):
        """Rooms that Evennia has dropped, or that were not told, know their contents no more."""
        self.traces[:] = [one for one in self.traces if "contents cache failed" not in one]

    def test_it_can_die_again_and_again(self):
        for _ in range(3):
            scripts.find(self.mara).obj.delete()
            self.mara = self.spawned()
        self.assert_knows_all(self.mara)

    def test_the_second_mind_of_a_body_does_not_wait(self):
        second = create_script(scripts.AssistantScript, key="assistant", obj=self.mara)
        self.mara.delete()
        self.assertIsNone(second.pk)
        self.assertEqual(self.mind(self.place()), self.script_of_mara)

    def test_what_was_asked_of_models_goes_along(self):
        LedgerEntry.objects.create(assistant_id=self.mara.id, prompt=WORD, created="2030-01-01T00Z")
        self.mara.delete()
        [entry] = ledger_rows.recent(self.spawned().id)
        self.assertEqual(entry["prompt"], WORD)

    def test_a_channel_that_it_follows_is_heard_by_the_next_body_alone(self):
        channels.follow(self.script_of_mara, "public", "named")
        old = self.mara.id
        self.assertEqual(channels.followers("public"), {old: "named"})
        self.mara.delete()
        self.assertEqual(channels.followers("public"), {self.place().id: "named"})
        npc = self.spawned()
        self.assertEqual(channels.followers("public"), {npc.id: "named"})


def full_disk():
    """Let nothing more be written, when nearly all is."""
    return mock.patch.object(waiting, "_note_move", side_effect=OSError("full"))


class InterruptedTests(WaitingTestCase):
    """A turn, or a crash, comes in between."""

    def test_what_it_was_about_to_say_is_not_said_from_nowhere(self):
        thinking = Deferred()
        minds.script_llm(thinking, "I see.", repeat=True)
        self.do(self.char1, "say Mara, how are you?")
        self.mara.delete()
        self.ann.clear()
        thinking.callback("I was about to say that.")
        self.wait(3)
        self.assertEqual(words(self.ann), [])
        self.assert_knows_all(self.spawned())

    def test_a_mind_that_cannot_be_laid_down_stays_where_it_is(self):
        with full_disk(), self.assertRaises(OSError):
            self.mara.delete()
        self.assert_nobody_waits()
        self.assert_knows_all(self.mara)
        self.assertEqual(self.script_of_mara.obj, self.mara)
        [stored] = ScriptDB.objects.filter(db_obj_id=self.mara.id)
        self.assertEqual(stored, self.script_of_mara)

    def test_a_mind_that_cannot_be_taken_up_waits_on(self):
        self.mara.delete()
        npc = create_object(TYPECLASS, key="Mara", location=self.room1)
        with full_disk(), self.assertRaises(OSError):
            waiting.take_up(npc, "mara")
        self.assertTrue(waiting.is_waiting(self.place()))
        self.assertEqual(self.script_of_mara.obj, self.place())
        self.assertEqual(journal.entries(npc), [])
        self.assertIn(WORD, str(journal.entries(self.place())))
        scripts.attach(npc, mind_key="mara")
        self.assert_knows_all(npc)


class Reluctant(AssistantCharacter):
    """A body that decides for itself whether it goes, after what it inherits has said yes."""

    def at_object_delete(self):
        super().at_object_delete()
        return not self.db.stays


class RefusingTests(WaitingTestCase):
    def test_a_deletion_that_is_refused_leaves_everything_as_it_was(self):
        body = self.reluctant()
        self.assertFalse(body.delete())
        self.assertEqual(self.mind(body).obj, body)
        self.assertTrue(self.mind(body).enabled)
        self.assert_nobody_waits()

    def test_to_detach_it_later_deletes_the_mind(self):
        body = self.reluctant()
        body.delete()
        self.assertTrue(scripts.detach(body))
        self.assertIsNone(self.mind(body))
        self.assert_nobody_waits()

    def test_to_detach_it_deletes_the_mind_of_a_stock_body_too(self):
        stock = create_object(DefaultCharacter, key="Bob", location=self.room1)
        scripts.attach(stock)
        waiting.give_key(stock, "bob")
        self.assertTrue(scripts.detach(stock))
        self.assert_nobody_waits()

    def reluctant(self):
        self.mara.delete()
        body = create_object(Reluctant, key="Mara", location=self.room1)
        scripts.attach(body, mind_key="mara")
        self.assert_knows_all(body)
        body.db.stays = True
        return body


class WhileItWaitsTests(WaitingTestCase):
    def setUp(self):
        super().setUp()
        self.mara.delete()
        self.wait(1)
        self.body = self.place()

    def test_players_do_not_find_it(self):
        self.assertIsNone(self.body.location)
        self.assertNotIn(self.body, self.room1.contents)
        self.assertFalse(self.char1.search("Mara", quiet=True))

    def test_it_is_not_ticked(self):
        self.assertEqual(active_assistants.count(), 0)
        self.assertIsNone(active_assistants.rate_of(self.script_of_mara))
        self.assertFalse(self.script_of_mara.enabled)

    def test_a_restart_does_not_wake_it(self):
        self.script_of_mara.at_server_start()
        self.assertEqual(active_assistants.count(), 0)

    def test_it_hears_nothing(self):
        before = working_memory.all_lines(self.body)
        self.body.msg(('Char says, "Mara?"', {"type": "say"}), from_obj=self.char1)
        self.do(self.char1, "say Mara, where are you?", wait=2)
        self.assertEqual(working_memory.all_lines(self.body), before)

    def test_whoever_asks_all_to_forget_them_is_forgotten_by_it(self):
        self.assertIn(self.body.id, forgetting.bodies())
        done = forgetting.ask(self.char1)
        self.wait(5)
        self.successResultOf(done)
        self.assertNotIn(WORD, self.memories())
        npc = self.spawned()
        self.assertNotIn(WORD, str(journal.entries(npc)))
        self.assertEqual(working_memory.all_lines(npc), [])
        self.assertNotIn(self.first, entity_profiles.known_identities(npc))

    def test_to_destroy_it_deletes_all_of_it_for_good(self):
        LedgerEntry.objects.create(
            assistant_id=self.body.id, prompt=WORD, answer=WORD, created="2030-01-01T00Z"
        )
        body_id = self.body.id
        self.assertTrue(self.body.delete())
        self.wait(2)
        self.assertIsNone(self.script_of_mara.pk)
        self.assertNotIn(WORD, self.memories())
        self.assertNotIn(WORD, self.experience())
        self.assertEqual([entry["prompt"] for entry in ledger_rows.recent(body_id)], [""])
        self.assert_nobody_waits()
        npc = self.spawned()
        self.assertEqual(journal.entries(npc), [])
        self.assertNotEqual(identity.identity_of(npc), self.key)

    def test_to_destroy_it_in_a_batch_deletes_it_for_good_too(self):
        ObjectDB.objects.filter(id=self.body.id).delete()
        self.wait(2)
        self.assert_nobody_waits()
        self.assertNotIn(WORD, self.memories())

    def test_who_takes_its_mind_away_leaves_what_it_remembers(self):
        scripts.detach(self.body)
        npc = self.spawned()
        self.assertIn(WORD, str(journal.entries(npc)))
        self.assertTrue(self.mind(npc).enabled)

    def test_its_key_can_be_changed_and_not_be_taken(self):
        with self.assertRaisesRegex(ValueError, "waits for its next body"):
            waiting.give_key(self.body, "")
        waiting.give_key(self.body, "host")
        self.assertEqual(waiting.body_of("host"), self.body)

    def test_a_staff_member_may_start_the_forgetting_of_everything(self):
        done = forgetting.forget_everything(self.body, self.script_of_mara)
        self.wait(2)
        self.successResultOf(done)
        self.assertNotIn(WORD, self.memories())
        self.assertNotIn(WORD, str(journal.entries(self.spawned())))
