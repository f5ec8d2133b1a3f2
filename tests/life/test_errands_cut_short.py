"""What comes between an NPC and its errand: forgetting, another body, death, a mind that meddles, staff."""

from datetime import timedelta
from unittest import mock

from django.db import connection, transaction
from django.db.transaction import TransactionManagementError

from evennia_ai import scheduling, tick
from evennia_ai.agent.revising import forgetting, mind_transfer
from evennia_ai.domain.choices import step_rules
from evennia_ai.life import running_errands, whereabouts
from evennia_ai.llm.base import Completion
from evennia_ai.memory import identity, journal, kinds, repository, working_memory
from evennia_ai.memory.state import kept_goals
from evennia_ai.sleep import sleep_cycle
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import call, words
from tests.life.test_running_errands import LISTED, ErrandTestCase


class CutShortTests(ErrandTestCase):
    def finish(self, deferred):
        """Return what comes of something that takes a while."""
        self.wait(30)
        return self.successResultOf(deferred)

    def test_who_is_forgotten_on_the_way_is_told_of_nowhere_and_nothing_is_lost(self):
        self.sends()
        self.leave()
        self.ticks(1)
        target = forgetting.Target(frozenset([self.first]), 1)
        self.finish(forgetting.forget(self.mara, self.script_of_mara, target))
        self.assertEqual(kept_goals.goals(self.script_of_mara), [])
        entrusted = repository.load(self.script_of_mara, kinds.ENTRUSTED) or {}
        self.assertEqual([*entrusted.values()], [""])
        self.ticks(5)
        self.assertIs(self.letter.location, self.mara)

    def test_with_who_sent_it_goes_what_was_noted_of_an_errand(self):
        self.sends()
        self.leave()
        self.ticks(8, seconds=30)
        noted = [one.content for one in journal.entries(self.mara) if "errand" in one.tags]
        self.assertEqual(
            noted, ["Mara was asked to bring letter to Bertil, and gave it to Bertil."]
        )
        target = forgetting.Target(frozenset([self.first]), 1)
        self.finish(forgetting.forget(self.mara, self.script_of_mara, target))
        self.assertEqual([one for one in journal.entries(self.mara) if "errand" in one.tags], [])

    def test_a_receiver_who_is_forgotten_gets_nothing(self):
        self.sends()
        self.leave()
        target = forgetting.Target(frozenset([identity.identity_of(self.bertil)]), 0)
        self.finish(forgetting.forget(self.mara, self.script_of_mara, target))
        self.assertEqual(kept_goals.goals(self.script_of_mara), [])

    def test_another_body_that_takes_the_mind_over_has_the_goal_without_its_steps(self):
        self.sends()
        mind = self.finish(mind_transfer.take_mind(self.mara, self.script_of_mara))
        bea = minds.make_assistant("Bea", location=self.inn)
        scripts.find(bea).disable()
        self.finish(mind_transfer.give_mind(bea, scripts.find(bea), mind))
        [goal] = kept_goals.goals(scripts.find(bea))
        self.assertEqual((goal.title, goal.plan), ("Bring letter to Bertil", []))
        self.assertFalse(running_errands.live(scripts.find(bea), bea))

    def test_a_body_that_dies_on_the_way_leaves_what_it_had_where_the_game_puts_it(self):
        self.letter.home = self.square
        self.sends()
        self.leave()
        self.ticks(1)
        self.mara.delete()
        self.wait(10)
        self.assertIs(self.letter.location, self.square)

    def test_a_mind_cannot_end_what_goes_by_itself(self):
        self.sends()
        minds.script_llm([call("update_goal", goal_id=1, status="done")], "Hm.")
        self.do(self.char1, "say Mara, forget about it.", wait=5)
        self.assertEqual(self.goal().status, "open")

    def test_a_model_takes_one_on_by_its_tool_with_the_same_checks(self):
        self.do(self.char1, "give letter to Mara")
        mind = minds.script_llm(
            [call("take_errand", thing="letter", to="Dora")],
            "No.",
            [call("take_errand", thing="letter", to="Bertil")],
            "I will.",
        )
        for wanted in ("Error: You carry nothing to them.", 'You will take "letter" to "Bertil"'):
            self.do(self.char1, "say Mara, would you do something for me?", wait=5)
            shown = "".join(str(one["content"]) for one in mind.requests[-1].messages)
            self.assertIn(wanted, shown)
        self.assertEqual(self.goal().title, "Bring letter to Bertil")

    def sends_and_asks(self, question):
        """Send the letter, let it be brought, and ask before she has told of it; return the request."""
        self.sends()
        self.leave()
        self.ticks(8, seconds=30)
        self.assertIs(self.letter.location, self.bertil)
        mind = minds.script_llm("He has it.")
        for character in (self.char1, self.char2):
            character.location = self.mara.location
        self.ann.clear()
        self.bob.clear()
        self.do(self.char1, f"say Mara, {question}", wait=5)
        return mind.requests[0]

    def test_a_model_is_shown_what_became_of_an_errand_by_whoever_asks_for_the_thing(self):
        shown = self.sends_and_asks("has he got my letter? What did he say?").messages[-1][
            "content"
        ]
        self.assertIn("(You have given Bertil what Char sent.)", shown)
        self.assertIn("(You did just now: Mara was asked to bring letter to Bertil", shown)
        self.assertEqual(words(self.bob, "whisper"), [])
        self.assertIn("He has it.", "".join(words(self.ann, "whisper")))

    def test_an_errand_is_no_goal_that_a_model_may_note_something_of(self):
        request = self.sends_and_asks("has he got my letter?")
        self.assertNotIn("Your goal", request.messages[-1]["content"])

    def test_who_asks_for_something_else_is_answered_aloud(self):
        shown = self.sends_and_asks("what is the ale?").messages[-1]["content"]
        self.assertNotIn("You have given", shown)
        self.assertIn("He has it.", "".join(words(self.bob)))

    def test_who_asks_for_such_a_thing_days_later_asks_after_no_errand(self):
        with mock.patch.object(whereabouts, "SOON", timedelta(0)):
            shown = self.sends_and_asks("how much is a letter?").messages[-1]["content"]
        self.assertNotIn("You have given", shown)

    def test_what_she_says_by_rules_of_an_errand_stands_in_the_talk(self):
        self.sends_and_asks("has he got my letter?")
        told = [
            one.text
            for one in working_memory.lines_with(self.mara, identity.identity_of(self.bertil))
        ]
        self.assertEqual(told, ["Char sends you this."])
        self.ticks(1)
        last = working_memory.lines_with(self.mara, self.first)[-1]
        self.assertEqual((last.text, last.kind), ("Char, Bertil has what you sent.", "whisper"))
        self.assertEqual(last.audience, sorted([self.first, identity.identity_of(self.mara)]))

    def test_a_model_that_has_still_to_ask_for_the_thing_is_asked_for_other_words(self):
        self.letter.location = self.char1
        mind = minds.script_llm(
            Completion("Of course.", (call("take_errand", thing="letter", to="Bertil"),)),
            "Give me the letter, then.",
        )
        self.do(self.char1, "say Mara, would you take my letter to Bertil?", wait=5)
        self.assertIn('Not said yet: "Of course."', mind.requests[1].messages[-1]["content"])
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Give me the letter, then."')

    def test_whom_something_is_brought_was_told_so_and_did_not_overhear_it(self):
        self.sends()
        self.ticks(5)
        [told] = [one for one in journal.entries(self.bertil) if "sends you" in one.content]
        self.assertEqual(told.source_type, "direct")

    def test_an_errand_that_staff_drop_is_given_back(self):
        self.sends()
        self.assertTrue(running_errands.drop(self.script_of_mara, self.mara, self.goal().id))
        self.assertFalse(running_errands.drop(self.script_of_mara, self.mara, 99))
        self.ticks(2)
        self.assertIs(self.letter.location, self.char1)
        self.assertEqual(self.goal().status, "abandoned")

    def test_two_who_carry_to_each_other_both_come_through(self):
        self.gives(self.bertil, errands=["things: letter", "to: Mara"])
        self.bertil.location = self.inn
        other = self.thing("red letter", self.char2)
        self.do(self.char2, "give red letter to Bertil")
        self.do(self.char2, "say Bertil, take the red letter to Mara.", wait=3)
        self.sends()
        self.leave()
        self.bertil.location = self.lane
        for _ in range(20):
            self.ticks(npc=self.bertil, seconds=20)
            self.ticks(seconds=20)
        self.assertIs(self.letter.location, self.bertil)
        self.assertIs(other.location, self.mara)

    def test_a_sleeping_receiver_is_waited_for(self):
        self.sends()
        self.leave()
        sleep_cycle.transition_mode(
            scripts.find(self.bertil),
            "sleep",
            "tired",
            wake_at=scheduling.now() + timedelta(days=1),
        )
        self.ticks(5)
        self.assertIs(self.letter.location, self.mara)
        sleep_cycle.transition_mode(scripts.find(self.bertil), "awake", "rested")
        self.assertEqual(self.carried(), self.bertil)

    def test_who_only_naps_takes_what_is_brought_and_gets_up_to_bring_it(self):
        self.sends()
        self.leave()
        for script in (self.script_of_mara, scripts.find(self.bertil)):
            sleep_cycle.transition_mode(script, "sleep", "nothing to do")
        self.assertEqual(self.carried(), self.bertil)

    def test_where_players_ask_again_and_again_the_journal_holds_one_line_an_errand(self):
        self.gives(self.mara, errands=[*LISTED, "a_day: 2"])
        for _ in range(10):
            self.asks()
        self.assertEqual(len(kept_goals.goals(self.script_of_mara)), 2)
        self.assertEqual(len(kept_goals.planned(self.script_of_mara)), 1)


class Killed(Exception):
    """The process is gone."""


class StatementTests(ErrandTestCase):
    """A kill at any statement that writes loses and doubles nothing."""

    def setUp(self):
        super().setUp()
        self.mara.location = self.market

    def send(self, number):
        """Let Mara set out with a letter of her own errand; return it."""
        letter = self.thing(f"{number} letter", self.mara)
        bertil = identity.identity_of(self.bertil)
        plan = step_rules.errand(
            thing=(identity.identity_of(letter), letter.id),
            sender=(self.first, self.char1.id),
            receiver=(bertil, self.bertil.id),
            back_to=0,
            is_here=True,
            now=scheduling.now(),
        )
        known = [self.first, bertil, identity.identity_of(self.mara)]
        kept_goals.add_goal(
            self.script_of_mara, f"Bring {letter.key} to Bertil", plan=plan, audience=known
        )
        return letter

    def tick_until_killed(self, number):
        """Let a tick pass that dies at its so-manieth write; return whether it came that far."""
        left = number

        def die(execute, sql, *rest):
            nonlocal left
            left -= sql.startswith(("INSERT", "UPDATE", "DELETE"))
            if left <= 0:
                # Nothing is written from then on, whoever catches the error.
                raise Killed
            return execute(sql, *rest)

        try:
            with connection.execute_wrapper(die):
                tick.run_tick(self.script_of_mara)
        except (Killed, TransactionManagementError):
            pass
        return left <= 0

    def start_anew(self, letter):
        """Let memory hold what the database has."""
        # The process is a new one: it knows of no error, and no transaction is open.
        transaction.set_rollback(False)
        self.flushLoggedErrors()
        self.traces.clear()
        minds.forget_all()
        for obj in (letter, self.mara, self.bertil):
            obj.refresh_from_db()
            obj.contents_cache.init()

    def test_it_is_given_once_at_whichever_write_of_the_giving_she_is_killed(self):
        number, letters = 0, []
        is_killed = True
        while is_killed:
            number += 1
            letters.append(self.send(number))
            is_killed = self.tick_until_killed(number)
            self.start_anew(letters[-1])
            self.assertIn(letters[-1].location, (self.mara, self.bertil))
            self.ticks(4, seconds=30)
        self.assertGreater(number, 4)
        self.assertEqual({letter.location for letter in letters}, {self.bertil})
        reached = [goal.milestones for goal in kept_goals.goals(self.script_of_mara)]
        self.assertEqual([len(one) for one in reached], [1] * number)
