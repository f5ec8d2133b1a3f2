"""What MAY_SAY may answer, and what becomes of words when it fails: they are not said."""

import tempfile
import unittest
from pathlib import Path

from django.test import override_settings
from twisted.internet.defer import CancelledError, Deferred, TimeoutError

from evennia_ai import permission
from evennia_ai.exceptions import PermissionUnclear, WordsRefused
from evennia_ai.permission import Permit, Way
from evennia_ai.testing import AITestCase
from tests.house.rules import read_modules

HERE = "tests.test_permission"


class PermissionTestCase(AITestCase):
    """Char is about to say "Hello."; `answers` is what MAY_SAY answers, one after the other."""

    def setUp(self):
        super().setUp()
        self.configure(MAY_SAY=f"{HERE}.answer")
        answers.clear()
        asked.clear()

    def configure(self, **changes):
        changed = self.settings_ai(**changes)
        changed.enable()
        self.addCleanup(changed.disable)

    def ask(self, words="Hello.", hearers=()):
        return permission.ask(self.char1, words, list(hearers))


class AskTests(PermissionTestCase):
    def test_true_lets_the_words_be_said(self):
        answers.append(True)
        self.assertEqual(self.successResultOf(self.ask("Hello.", [self.char2])), Permit("Hello."))
        self.assertEqual(asked, [(self.char1, "Hello.", [self.char2])])

    def test_text_stands_in_their_place_as_far_as_it_can_be_spoken(self):
        answers.extend(["H***o.", "one\ntwo\x00"])
        self.assertEqual(self.successResultOf(self.ask()), Permit("H***o."))
        self.assertEqual(self.successResultOf(self.ask()).words, "one two")

    def test_false_and_empty_text_refuse_them(self):
        answers.extend([False, "", "\x00"])
        for _ in range(3):
            failure = self.failureResultOf(self.ask(), WordsRefused)
            self.assertEqual(str(failure.value), "MAY_SAY refused the words")
            self.assertNotIsInstance(failure.value, PermissionUnclear)
        self.assertEqual(permission.failures().count, 0)

    def test_a_deferred_is_waited_for(self):
        thinking = Deferred()
        answers.append(thinking)
        asking = self.ask()
        self.assertNoResult(asking)
        thinking.callback(True)
        self.assertEqual(self.successResultOf(asking), Permit("Hello."))

    def test_a_coroutine_is_waited_for(self):
        self.configure(MAY_SAY=f"{HERE}.agree")
        self.assertEqual(self.successResultOf(self.ask()), Permit("Hello."))

    def test_what_is_no_answer_is_an_error_and_refuses(self):
        for wrong in (None, 1, ["Hello."]):
            with self.subTest(wrong):
                answers.append(wrong)
                self.failureResultOf(self.ask(), PermissionUnclear)
                [failure] = self.flushLoggedErrors(TypeError)
                self.assertIn("returned", str(failure.value))

    def test_an_error_refuses_and_the_admin_reads_it_without_the_words(self):
        answers.append(ValueError("boom"))
        failure = self.failureResultOf(self.ask("a secret"), PermissionUnclear)
        self.assertEqual(str(failure.value), "MAY_SAY failed with ValueError")
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)
        self.assertEqual(permission.failures().count, 1)
        self.assertEqual(permission.failures().last, "failed with ValueError")

    def test_a_path_that_leads_nowhere_refuses(self):
        self.configure(MAY_SAY="world.nowhere.may_say")
        self.failureResultOf(self.ask(), PermissionUnclear)
        self.assertEqual(len(self.flushLoggedErrors()), 1)

    def test_one_that_hangs_refuses_at_the_limit(self):
        thinking = Deferred()
        answers.append(thinking)
        asking = self.ask()
        self.clock.advance(4.9)
        self.assertNoResult(asking)
        self.clock.advance(0.2)
        failure = self.failureResultOf(asking, PermissionUnclear)
        self.assertEqual(str(failure.value), "MAY_SAY gave no answer in 5.0 s")
        self.assertEqual(len(self.flushLoggedErrors(TimeoutError)), 1)
        thinking.called or thinking.callback(True)

    def test_one_that_does_not_let_itself_be_cancelled_refuses_as_well(self):
        cancelled = []
        answers.append(Deferred(lambda _: None).addErrback(cancelled.append).addBoth(_wait_on))
        asking = self.ask()
        self.clock.advance(10)
        self.failureResultOf(asking, PermissionUnclear)
        self.assertEqual(len(cancelled), 1)
        self.flushLoggedErrors(TimeoutError)

    def test_whoever_does_not_wait_any_more_leaves_no_error(self):
        answers.append(Deferred())
        asking = self.ask()
        asking.cancel()
        self.failureResultOf(asking, CancelledError)
        self.assertEqual(permission.failures().count, 0)


class ObtainTests(PermissionTestCase):
    """The way that words go is looked at before and after."""

    def setUp(self):
        super().setUp()
        self.hearers = [self.char2]
        self.there = True

    def obtain(self):
        return permission.obtain("Hello.", self.find_way)

    def find_way(self):
        return Way(self.char1, "say", None, list(self.hearers)) if self.there else None

    def test_who_comes_meanwhile_is_asked_for_too(self):
        thinking = Deferred()
        answers.extend([thinking, False])
        obtaining = self.obtain()
        self.hearers.append(self.obj1)
        thinking.callback(True)
        self.failureResultOf(obtaining, WordsRefused)
        self.assertEqual(
            [hearers for _, _, hearers in asked], [[self.char2], [self.char2, self.obj1]]
        )

    def test_who_goes_meanwhile_is_not_asked_for_again(self):
        thinking = Deferred()
        answers.append(thinking)
        obtaining = self.obtain()
        self.hearers.clear()
        thinking.callback(True)
        permit, way = self.successResultOf(obtaining)
        self.assertEqual((permit, way.hearers), (Permit("Hello."), []))

    def test_without_a_way_nobody_is_asked(self):
        self.there = False
        self.assertIsNone(self.successResultOf(self.obtain()))
        self.assertEqual(asked, [])

    def test_a_way_that_is_gone_by_then_is_not_gone(self):
        thinking = Deferred()
        answers.append(thinking)
        obtaining = self.obtain()
        self.there = False
        thinking.callback(True)
        self.assertIsNone(self.successResultOf(obtaining))


class SourceTests(unittest.TestCase):
    """No other place speaks."""

    def places(self, text):
        return [module.name for module in read_modules("evennia_ai") if text in module.source]

    def test_there_is_one_place_that_speaks_and_one_that_permits(self):
        self.assertEqual(self.places('hook("SPEAK")'), ["agent.speech"])
        self.assertEqual(self.places("Permit("), ["permission"])


class WordsTests(AITestCase):
    """Our own MAY_SAY."""

    def says(self, said, **given):
        with self.settings_ai(FORBIDDEN_WORDS=given):
            return permission.may_say(self.char1, said, [])

    def test_by_default_everything_may_be_said(self):
        self.assertTrue(permission.may_say(self.char1, "damn", []))

    def test_words_of_the_settings(self):
        self.assertFalse(self.says("Damn it.", words=["damn"]))
        self.assertTrue(self.says("Hello.", words=["damn"]))

    def test_words_of_a_file_of_the_game(self):
        folder = Path(tempfile.mkdtemp())
        (folder / "words.txt").write_text(
            "\ufeffdamn\n\n  # not this\n  sons of gold  \n", encoding="utf-8"
        )
        with override_settings(GAME_DIR=str(folder)):
            self.assertFalse(self.says("damn", file="words.txt"))
            self.assertFalse(self.says("Sons of gold!", file="words.txt"))
            self.assertFalse(self.says("darn", file="words.txt", words=["darn"]))
            self.assertTrue(self.says("not this", file="words.txt"))

    def test_a_file_that_is_gone_refuses_all(self):
        with self.settings_ai(FORBIDDEN_WORDS={"file": "nowhere.txt"}):
            self.failureResultOf(permission.ask(self.char1, "Hello.", []), PermissionUnclear)
        self.assertEqual(len(self.flushLoggedErrors(FileNotFoundError)), 1)


answers = []
asked = []


def answer(npc, words, hearers):
    """Stand behind the door MAY_SAY, and answer what the test wants."""
    asked.append((npc, words, hearers))
    given = answers.pop(0)
    if isinstance(given, Exception):
        raise given
    return given


async def agree(npc, words, hearers):
    """Stand behind the door MAY_SAY as a coroutine."""
    return True


def _wait_on(_):
    return Deferred()
