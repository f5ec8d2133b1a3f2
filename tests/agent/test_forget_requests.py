"""Who asked to be forgotten is told when it is not done yet, and it is done later, also after a kill."""

from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_object
from twisted.internet.defer import Deferred, fail

from evennia_ai.agent import turns
from evennia_ai.agent.revising import forgetting
from evennia_ai.experience.base import get_experience
from evennia_ai.memory import journal
from evennia_ai.memory.people import accounts
from evennia_ai.models import LedgerEntry
from evennia_ai.semantic import base
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import minds
from tests.scenarios.test_forgetting import SECRET, TOKEN, ForgettingTestCase, PlantedTestCase

ELSEWHERE = "somebody-who-is-gone"


class BusyTests(ForgettingTestCase):
    def setUp(self):
        super().setUp()
        self.thinking = Deferred()
        minds.script_llm(self.thinking)
        self.do(self.char1, f"say Mara, {SECRET}", wait=1)
        self.patch(forgetting, "WAIT_SECONDS", 5.0)

    def ask(self):
        done = forgetting.ask(self.char1, self.mara)
        self.wait(8)
        return self.forgotten(done)

    def test_it_is_not_called_done_and_is_done_when_the_npc_has_time(self):
        self.assertEqual(self.ask(), "waits: it is busy.")
        self.assertEqual(len(forgetting.waiting()), 1)
        self.assertNotEqual(self.found(), set())
        self.thinking.callback(f"So there is {TOKEN}.")
        self.wait(forgetting.RETRY_SECONDS + 5)
        self.assertEqual((dict(forgetting.waiting()), self.found()), ({}, set()))

    def test_a_kill_in_between_loses_no_request(self):
        self.ask()
        minds.forget_all()
        self.assertEqual(len(forgetting.waiting()), 1)
        done = forgetting.resume()
        self.wait(3)
        self.forgotten(done)
        self.assertEqual((dict(forgetting.waiting()), self.found()), ({}, set()))

    def test_meanwhile_no_new_turn_begins_and_afterwards_it_does(self):
        self.thinking.callback("I see.")
        self.wait(1)
        turns.hold(self.script_of_mara.id)
        mind = minds.script_llm("It rains.", repeat=True)
        self.do(self.char2, "say Mara, how is the weather?", wait=3)
        self.assertEqual(mind.requests, [])
        turns.release(self.script_of_mara.id)
        self.wait(3)
        self.assertEqual(len(mind.requests), 1)


class AgainTests(ForgettingTestCase):
    def test_who_asks_over_and_over_keeps_no_npc_from_answering(self):
        self.do(self.char1, f"say Mara, {SECRET}", wait=2)
        answers = [forgetting.ask(self.char1, self.mara) for _ in range(20)]
        self.wait(3)
        self.assertEqual(self.forgotten(answers[0]), "waits: it was asked for again meanwhile.")
        self.assertEqual(
            {self.forgotten(one) for one in answers[1:]}, {"waits: it was asked for a moment ago."}
        )
        self.assertEqual(len(forgetting.waiting()), 1)
        mind = minds.script_llm("It rains.", repeat=True)
        self.do(self.char2, "say Mara, how is the weather?", wait=3)
        self.assertEqual(len(mind.requests), 1)

    def test_what_was_said_before_asking_again_goes_as_well(self):
        self.forgotten(forgetting.ask(self.char1, self.mara))
        self.do(self.char1, f"say Mara, {SECRET}", wait=2)
        self.forgotten(forgetting.ask(self.char1, self.mara))
        self.assertNotEqual(self.found(), set())
        self.wait(forgetting.RETRY_SECONDS + 5)
        self.assertEqual((dict(forgetting.waiting()), self.found()), ({}, set()))

    def test_prompts_go_of_an_npc_that_remembers_nothing(self):
        self.configure(LEDGER_PROMPTS=True)
        kept = [
            LedgerEntry.objects.create(
                created="2030-01-01T00:00:00Z",
                assistant_id=self.room1.id,
                player_id=account.id,
                prompt=SECRET,
            )
            for account in (self.account, self.account2)
        ]
        self.forgotten(forgetting.ask(self.char1))
        self.assertEqual([LedgerEntry.objects.get(id=one.id).prompt for one in kept], ["", SECRET])


class FailureTests(PlantedTestCase):
    def test_a_memory_that_is_away_is_said_and_tried_again(self):
        real = self.memory.get_all
        away = MemoryUnavailable("semantic memory is away.")
        self.patch(self.memory, "get_all", lambda **kwargs: fail(away))
        done = forgetting.ask(self.char1, self.mara)
        self.wait(2)
        self.assertEqual(self.forgotten(done), "waits: semantic memory is away.")
        self.patch(self.memory, "get_all", real)
        self.wait(forgetting.RETRY_SECONDS + 5)
        self.assertEqual((dict(forgetting.waiting()), self.found()), ({}, set()))

    def test_killed_before_the_last_step_it_leaves_nothing_when_it_is_begun_anew(self):
        """It finds by its sources what is left."""
        real = forgetting.forget_here
        self.patch(forgetting, "forget_here", lambda *args: 1 / 0)
        asked = forgetting.ask(self.char1)
        self.wait(5)
        self.failureResultOf(asked, ZeroDivisionError)
        self.assertEqual(len(forgetting.waiting()), 1)
        self.patch(forgetting, "forget_here", real)
        self.forgotten(forgetting.resume())
        self.assertEqual((dict(forgetting.waiting()), self.found()), ({}, set()))


class DeletedCharacterTests(ForgettingTestCase):
    def setUp(self):
        super().setUp()
        self.do(self.char1, f"say Mara, {SECRET}", wait=2)
        self.account.unpuppet_object(self.session)
        self.account.characters.remove(self.char1)
        self.char1.delete()
        self.other = create_object(DefaultCharacter, key="Zelda", location=self.room1)
        self.account.characters.add(self.other)
        self.puppet(self.other, self.account, self.session)

    def test_what_a_character_said_that_its_player_deleted_goes_with_the_others(self):
        self.assertNotEqual(self.found(), set())
        self.forgotten(forgetting.ask(self.other))
        self.assertEqual((self.found(), accounts.deleted_of(self.account.id)), (set(), set()))

    def test_one_npc_alone_forgets_them_too(self):
        self.forgotten(forgetting.ask(self.other, self.mara))
        self.assertEqual(self.found(), set())
        self.assertEqual(accounts.deleted_of(self.account.id), {self.first})

    def test_they_are_nobody_elses(self):
        self.forgotten(forgetting.ask(self.char2))
        self.assertNotEqual(self.found(), set())


class GoneOwnerTests(ForgettingTestCase):
    def test_what_those_have_from_them_who_are_no_more_goes_by_who_said_it(self):
        """As it is left where the stores could not be reached when an NPC was deleted."""
        kept = get_experience(ELSEWHERE)
        for who, words in ((self.first, SECRET), (self.second, "It rains.")):
            added = base.get_memory().add(
                words, assistant_key=ELSEWHERE, audience="public", metadata={"source_id": who}
            )
            self.successResultOf(added)
            stored = kept.store_decision(words, "say", "talk", 0.5, {}, words, source_id=who)
            self.successResultOf(stored)
        self.assertNotEqual(self.found(), set())
        done = forgetting.ask(self.char1)
        self.wait(3)
        self.assertEqual(self.forgotten(done), "")
        self.assertEqual(self.found(), set())
        self.assertIn("memory.db3 table facts", self.found("It rains."))
        self.assertIn("experience.db3 table decisions", self.found("It rains."))
        self.assertEqual(journal.entries(self.mara), [])
