"""What players promise an NPC is waited for, and kept, broken or let be; it is talked of, and moves how they are liked."""

from unittest import mock

from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object

from evennia_ai import conf, tick
from evennia_ai.agent.revising import forget_requests
from evennia_ai.llm import base
from evennia_ai.llm.base import Completion
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import identity, journal, working_memory
from evennia_ai.memory.people import entity_profiles, promised
from evennia_ai.memory.state import assistant, reflection_state
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call, seen_by, words

LEDGER = "I will bring you the ledger tomorrow."


class Hands:
    """The clock of the game, set by hand."""

    day = 100


def clock():
    """What GAME_CLOCK is in these tests."""
    return Hands.day, 8 * 3600.0, 86_400.0


class PromiseTestCase(MindTestCase):
    def setUp(self):
        super().setUp()
        self.configure(GAME_CLOCK="tests.agent.test_promises_heard.clock")
        self.addCleanup(setattr, Hands, "day", 100)
        self.mind = minds.script_llm("I see.", repeat=True)

    def promises(self, text=LEDGER, *, by=None, how="say Mara, {}"):
        self.do(by or self.char1, how.format(text))

    def expected(self, who=None):
        return [one.action for one in promised.expected(self.mara, who or self.first)]

    def gives(self, name="an old ledger", *, by=None):
        giver = by or self.char1
        thing = create_object(DefaultObject, key=name, location=giver)
        thing.move_to(self.mara, quiet=True, move_type="give")
        self.wait(2)

    def liking(self, who=None):
        known = entity_profiles.find_profile(self.mara, who or self.first)
        return [one.reason for one in known.relationship.history] if known else []

    def noted(self):
        return [one.content for one in journal.entries(self.mara) if "promise" in one.tags]

    def comes_in(self, character):
        for here in (None, self.room1):
            character.location = here
            for session in (self.session, self.session2):
                session.cmd_last_visible = self.clock.seconds()
            tick.run_tick(self.script_of_mara)
            self.wait(60)


class ShownTests(PromiseTestCase):
    def asked(self):
        """Return what a prompt says of now, when what was promised is no more part of the talk."""
        for number in range(20):
            self.do(self.char1, f"say Char2, song number {number} is a fine song.", wait=0.1)
        mind = minds.script_llm("It has a red back.")
        self.do(self.char1, "say Mara, what of the ledger?", wait=2)
        return mind.requests[0].messages[-1]["content"]

    def test_what_is_promised_stands_once_in_a_prompt(self):
        self.promises()
        shown = self.asked()
        self.assertEqual(shown.count("bring you the ledger"), 1)
        self.assertIn("has promised you, and has still to do:", shown)

    def test_for_when_it_was_promised_stands_behind_it(self):
        self.configure(REPLY_SIMILARITY=2)
        self.promises("I will bring you the ledger the day after tomorrow.")
        for day, shown in ((100, "in 2 days"), (101, "for tomorrow"), (102, "for today")):
            Hands.day = day
            self.assertIn(f'the day after tomorrow." ({shown})', self.asked())
            minds.script_llm("I see.", repeat=True)

    def test_whoever_asks_for_their_promise_is_shown_it_once(self):
        self.promises()
        mind = minds.script_llm("A ledger.")
        for number in range(20):
            self.do(self.char1, f"say Char2, song number {number} is a fine song.", wait=0.1)
        self.do(self.char1, "say Mara, what did I promise you?", wait=2)
        shown = mind.requests[0].messages[-1]["content"]
        self.assertEqual(shown.count("bring you the ledger"), 1)

    def test_a_promise_in_its_own_words_that_stand_in_the_talk_is_no_memory_besides(self):
        minds.script_llm("Friday is yours, Char, I promise you that.")
        self.do(self.char1, "say Mara, may I sing?", wait=2)
        mind = minds.script_llm("Two coins.")
        self.do(self.char2, "say Mara, what is the ale?", wait=2)
        told = "\n".join(one["content"] for one in mind.requests[0].messages)
        self.assertEqual(told.count("Friday is yours"), 1)

    def test_where_a_game_leaves_the_section_of_promises_out_one_comes_to_mind(self):
        sections = [one for one in conf.get("CONTEXT_SECTIONS") if "intentions" not in one]
        self.configure(CONTEXT_SECTIONS=sections)
        self.promises()
        self.assertEqual(self.asked().count("bring you the ledger"), 1)

    def test_what_was_promised_and_is_done_comes_to_mind_as_no_promise(self):
        self.promises()
        self.gives()
        shown = self.asked()
        self.assertNotIn("I will bring you the ledger", shown)
        self.assertIn("gives you an old ledger", shown)


class NoticedTests(PromiseTestCase):
    def test_what_is_promised_in_words_is_waited_for(self):
        self.promises()
        self.assertEqual(self.expected(), ["I will bring you the ledger tomorrow."])

    def test_in_a_whisper_too_and_for_those_two(self):
        self.promises(how="whisper Mara = {}")
        [one] = promised.expected(self.mara, self.first)
        self.assertEqual(one.audience, sorted([self.first, identity.identity_of(self.mara)]))

    def test_questions_threats_conditions_and_what_others_said_are_no_promises(self):
        for line in (
            "shall I bring you the ledger?",
            "I will kill you tomorrow.",
            "I will bring you the ledger if I find it.",
            'Cid said: "I will bring you the ledger tomorrow."',
            "I will never bring you the ledger.",
            "I will see you tomorrow.",
        ):
            with self.subTest(line):
                self.promises(line)
                self.assertEqual(self.expected(), [])

    def test_what_is_said_to_somebody_else_is_none(self):
        self.do(self.char1, "say Char2, I will bring you the ledger tomorrow.")
        self.assertEqual((self.expected(), self.expected(self.second)), ([], []))

    def test_the_same_twice_is_one_and_only_the_last_three_are_kept(self):
        self.promises()
        self.promises("I will bring you that ledger tomorrow.")
        self.assertEqual(len(self.expected()), 1)
        for thing in ("a spade", "some salt", "my lute"):
            self.promises(f"I will bring you {thing} tomorrow.")
        self.assertEqual(len(self.expected()), 3)

    def test_in_swedish(self):
        with mock.patch.object(promised, "language", lambda npc: "sv"):
            self.promises("jag ska ge dig boken imorgon.")
        [one] = promised.expected(self.mara, self.first)
        self.assertEqual((one.due_day, one.is_brought), (101, True))

    def test_a_model_is_shown_what_they_promised(self):
        self.promises()
        self.do(self.char1, "say Mara, how are you?")
        shown = seen_by(self.mind)
        self.assertIn('What "Char" has promised you, and has still to do:', shown)
        self.assertIn("I will bring you the ledger tomorrow.", shown)

    def test_a_model_is_shown_for_what_day_that_was(self):
        self.promises("I will mend your roof tomorrow.")
        for day, when in ((100, "for tomorrow"), (101, "for today"), (102, "overdue")):
            with self.subTest(day):
                Hands.day = day
                self.do(self.char1, "say Mara, how are you?")
                self.assertIn(f'- "I will mend your roof tomorrow." ({when})', seen_by(self.mind))

    def test_a_model_is_not_shown_twice_what_they_promise_just_now(self):
        self.promises()
        self.assertNotIn("has promised you", seen_by(self.mind))


class OwnTests(PromiseTestCase):
    def setUp(self):
        super().setUp()
        self.configure(REPLY_SIMILARITY=2)
        self.mind = minds.script_llm("I see.", repeat=True)

    def test_a_model_is_shown_since_when_it_means_to_do_something(self):
        working_memory.add_pending_action(
            self.mara, self.first, "Wake Char tomorrow.", 5, audience="public"
        )
        for days, shown in (
            (0, '"Wake Char tomorrow."\n'),
            (1, '"Wake Char tomorrow." (said yesterday)\n'),
        ):
            with self.subTest(days):
                self.wait(days * 43_200)
                self.do(self.char1, "say Mara, how are you?")
                self.assertIn(f"- {shown}", self.mind.requests[-1].messages[-1]["content"])


class SettledTests(PromiseTestCase):
    def test_who_brings_it_has_kept_their_word(self):
        self.promises()
        self.gives()
        self.assertEqual(self.expected(), [])
        self.assertEqual(self.noted(), [])
        self.assertIn("theirs_kept", self.liking())

    def test_a_model_is_shown_that_this_is_what_they_promised(self):
        self.configure(REPLY_SIMILARITY=2)
        self.mind = minds.script_llm("I see.", repeat=True)
        self.promises()
        self.gives()
        shown = self.mind.requests[-1].messages[-1]["content"]
        self.assertIn(f'What "Char" had promised you, and does now:\n- "{LEDGER}"', shown)
        self.do(self.char1, "say Mara, how are you?")
        self.assertNotIn("had promised you", self.mind.requests[-1].messages[-1]["content"])

    def test_what_the_game_saw_a_model_may_say_again(self):
        self.promises()
        mind = minds.script_llm(
            Completion("Well kept.", (call("note_promise_or_liking", done=LEDGER),)), "No."
        )
        self.gives()
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Well kept."')
        self.assertEqual(len(mind.requests), 1)

    def test_another_thing_is_another_thing(self):
        self.promises()
        self.gives("a loaf")
        self.assertEqual(len(self.expected()), 1)
        self.assertNotIn("theirs_kept", self.liking())

    def test_a_number_is_no_name(self):
        self.promises("I will bring you 3 spades tomorrow.")
        self.gives("letter 3")
        self.assertEqual(len(self.expected()), 1)

    def test_what_another_brings_settles_nothing_of_theirs(self):
        self.promises()
        self.gives(by=self.char2)
        self.assertEqual(len(self.expected()), 1)

    def test_until_the_day_is_over_nothing_is_broken(self):
        self.promises()
        Hands.day = 101
        self.comes_in(self.char1)
        self.assertEqual(len(self.expected()), 1)
        self.assertNotIn("theirs_broken", self.liking())

    def test_after_it_they_are_told_so_as_they_come_in_and_liked_less_once(self):
        self.promises()
        Hands.day = 102
        self.wait(3600)
        self.comes_in(self.char1)
        self.assertIn("They promised you this and have not done it", seen_by(self.mind))
        self.comes_in(self.char1)
        self.assertEqual(self.liking().count("theirs_broken"), 1)
        self.assertEqual(
            self.noted(),
            [
                "Char promised Mara something, and did not do it in time: I will bring you the ledger tomorrow."
            ],
        )
        # It adds up to a reflection, as all that is noted does.
        [broken] = [one.id for one in journal.entries(self.mara) if "promise" in one.tags]
        state = reflection_state.reflection_state(self.script_of_mara)
        self.assertIn(broken, state.entries_since_reflection)

    def test_who_brings_it_late_has_brought_it(self):
        self.promises()
        Hands.day = 102
        self.wait(3600)
        self.comes_in(self.char1)
        self.gives()
        self.assertEqual(self.liking().count("theirs_kept"), 1)
        [note] = [one for one in journal.entries(self.mara) if "promise" in one.tags]
        self.assertIn("taken back", note.tags)

    def test_what_she_has_was_brought_even_if_a_crash_came_between(self):
        self.promises()
        create_object(DefaultObject, key="an old ledger", location=self.mara)
        Hands.day = 102
        self.wait(3600)
        self.comes_in(self.char1)
        self.assertEqual((self.expected(), self.liking().count("theirs_kept")), ([], 1))
        self.assertNotIn("theirs_broken", self.liking())

    def test_without_a_model_they_are_told_so_as_well(self):
        self.promises()
        base.install("default", OfflineMind())
        Hands.day = 102
        self.wait(3600)
        self.ann.clear()
        self.comes_in(self.char1)
        self.assertEqual(
            words(self.ann),
            [
                'Mara says, "Char, you promised me, and I have not seen it: "I will bring you the ledger tomorrow.""'
            ],
        )

    def test_what_the_game_cannot_see_is_never_called_broken(self):
        self.promises("I will help you with the roof tomorrow.")
        Hands.day = 110
        self.comes_in(self.char1)
        self.assertEqual(len(self.expected()), 1)
        self.assertNotIn("theirs_broken", self.liking())

    def test_and_is_waited_for_no_longer_than_anything(self):
        self.promises("I will help you with the roof tomorrow.")
        self.wait(15 * 86_400)
        self.assertEqual(self.expected(), [])

    def test_a_model_may_say_that_it_is_done(self):
        self.promises("I will help you with the roof tomorrow.")
        minds.script_llm(
            call("note_promise_or_liking", done="I will help you with the roof tomorrow."),
            "Thanks.",
        )
        self.do(self.char1, "say Mara, the roof is whole again.")
        self.assertEqual(self.expected(), [])
        self.assertIn("theirs_kept", self.liking())

    def test_nobody_is_told_of_what_somebody_promised_in_confidence(self):
        self.promises(how="whisper Mara = {}")
        self.char1.location = self.room2
        self.do(self.char2, "say Mara, what did Char promise you?")
        self.assertNotIn("ledger", words(self.bob)[-1])


class AskedTests(PromiseTestCase):
    def asks(self, text="what did I promise you?", by=None):
        self.do(by or self.char1, f"say Mara, {text}")
        return words(self.ann if by in (None, self.char1) else self.bob)[-1]

    def setUp(self):
        super().setUp()
        base.install("default", OfflineMind())

    def test_what_is_open(self):
        self.promises()
        self.assertIn("You promised me, Char:", self.asks())

    def test_how_it_ended(self):
        self.promises()
        self.gives()
        self.assertIn("You promised me, Char, and did:", self.asks("did I keep my promise?"))

    def test_none(self):
        self.assertIn("You have promised me nothing that I recall, Char.", self.asks())

    def test_another_is_told_of_their_own(self):
        self.promises()
        self.assertIn("nothing that I recall", self.asks(by=self.char2))


class ForgottenTests(PromiseTestCase):
    def test_it_goes_with_whoever_made_it(self):
        self.promises()
        done = forget_requests.ask(self.char1)
        self.wait(10)
        self.assertEqual(self.outcome(done), "")
        self.assertEqual(working_memory.conversations(self.mara), {})

    def test_a_visitor_promises_nothing(self):
        assistant.note_guest(self.script_of_mara, self.first, self.char1.id)
        with mock.patch("evennia_ai.memory.people.accounts.is_passing", return_value=True):
            self.promises()
        self.assertEqual(self.expected(), [])
