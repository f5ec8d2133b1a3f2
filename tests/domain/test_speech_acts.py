"""Tests of what somebody does with a line that no expression knows."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from evennia_ai.core import languages, volatile
from evennia_ai.domain import speech_acts
from evennia_ai.domain.offline.utterances import Utterance, classify
from tests.domain.test_free_talk import asked
from tests.domain.test_meeting import lines

# Said by none of the examples, by people who write as they like.
SAID = {
    "en": {
        "farewell": ["anyway gotta bounce", "I had better be on my way before the rain comes."],
        "greeting": ["yo yo", "A very good evening to you, madam."],
        "insult": ["u stupid old goat", "you are a stupid old fool"],
        "work": ["u got smth i could do for coin", "Is there any work that I could do for you?"],
        "follow": ["wanna come with me to the ruins", "Would you come along with us, please?"],
        "praise": ["You have a beautiful shop."],
        "enter": ["is it ok if i sit down here"],
        "thanks": ["thx u helped me a lot"],
    },
    "sv": {
        "farewell": ["nä nu måste ja sticka", "Nu får jag allt ge mig av innan det mörknar."],
        "work": ["har du nåt jobb ja kan göra", "Finns det något jag kan hjälpa er med?"],
        "follow": ["kan du hänga med mej till gruvan"],
        "insult": ["din gamla fula get"],
    },
}
ASKED = {
    "en": [
        "Who mended the bell?",
        "what does a goose cost",
        "The bridge fell last night.",
        "where do they keep the boat",
        "My sister is a weaver.",
        "did he pay for it",
        "what do I do for a living",
    ],
    "sv": ["Vem lagade klockan?", "vad kostar en gås", "Min syster är vävare.", "var har de båten"],
}


def unread(text, kind="statement"):
    return Utterance(kind, text=text)


class ReadTests(unittest.TestCase):
    def test_what_somebody_does_in_words_of_their_own_is_read_by_examples(self):
        for code, acts in SAID.items():
            for act, said in acts.items():
                for line in said:
                    with self.subTest(line):
                        self.assertNotIn(line, [one for _, one in speech_acts.rows(code)])
                        found = speech_acts.read(line, language=code)
                        self.assertEqual(found.name, act)
                        self.assertGreater(found.margin, speech_acts.LIKELY)

    def test_a_question_and_news_are_no_act(self):
        for code, said in ASKED.items():
            for line in said:
                with self.subTest(line):
                    found = speech_acts.read(line, language=code)
                    self.assertLess(found.margin, speech_acts.LIKELY)

    def test_a_line_is_told_with_the_example_that_it_is_most_like(self):
        self.assertEqual(speech_acts.read("k bye", language="en").like, "ok bye")

    def test_without_a_word_in_common_it_is_nothing(self):
        self.assertLess(speech_acts.read("zzz qqq", language="en").margin, speech_acts.LIKELY)
        self.assertEqual(speech_acts.read("", language="en"), speech_acts.Act())

    def test_a_language_without_examples_has_no_acts(self):
        self.assertEqual(speech_acts.read("auf wiedersehen", language="de"), speech_acts.Act())

    def test_a_long_line_is_read_by_its_beginning(self):
        line = f"{'the king of the hill said that ' * 10}goodbye, farewell, goodbye"
        self.assertEqual(
            speech_acts.read(line, language="en"),
            speech_acts.read(f"{line}, farewell", language="en"),
        )

    def test_capitals_and_curled_apostrophes_are_read_as_others(self):
        for line, plain in (("K BYE", "k bye"), ("I’d better be off", "I'd better be off")):
            self.assertEqual(
                speech_acts.read(line, language="en"), speech_acts.read(plain, language="en")
            )

    def test_a_game_adds_examples_of_its_own(self):
        self.use_dutch("farewell", "tot ziens\n      dag hoor", more="  - greet_the_queen: hoi\n")
        self.assertEqual([act for act, _ in speech_acts.rows("nl")][:2], ["farewell"] * 2)
        self.assertEqual(speech_acts.read("tot ziens dan", language="nl").name, "farewell")
        self.assertEqual(len(list(speech_acts.rows("nl"))), 3)

    def test_other_files_are_read_anew(self):
        for act in ("farewell", "greeting"):
            self.use_dutch(act, "dag hoor")
            self.assertEqual(speech_acts.read("dag hoor", language="nl").name, act)

    def use_dutch(self, act, said, more=""):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        own = Path(folder) / "nl.yaml"
        own.write_text(
            f"examples:\n  - {act}: |\n      {said}\n  - other: |\n      waar is de brug\n{more}"
        )
        self.addCleanup(languages.use, {})
        languages.use({"nl": own})


class WarmUpTests(unittest.TestCase):
    """Examples are read step by step: here 400 of English, goodbyes among them, since all take a second."""

    def setUp(self):
        speech_acts._examples.cache_clear()
        self.addCleanup(speech_acts._examples.cache_clear)
        rows = [row for row in speech_acts.rows("en") if row[0] in ("farewell", speech_acts.OTHER)]
        few = sorted(rows, key=lambda row: row[0] == speech_acts.OTHER)[:400]
        of_all = mock.patch.object(speech_acts, "rows", {"en": few, "sv": [], "de": []}.__getitem__)
        of_all.start()
        self.addCleanup(of_all.stop)

    def test_no_line_waits_for_examples_that_are_read_step_by_step(self):
        steps = speech_acts.warm_up()
        next(steps)
        self.assertEqual(speech_acts.read("k bye", language="en"), speech_acts.Act())
        for _ in steps:
            pass
        self.assertEqual(speech_acts.read("k bye", language="en").name, "farewell")

    def test_where_nobody_goes_on_with_it_a_line_reads_the_rest(self):
        steps = speech_acts.warm_up()
        next(steps)
        steps.close()
        self.assertEqual(speech_acts.read("k bye", language="en").name, "farewell")

    def test_no_line_waits_for_those_of_another_language_than_the_games_either(self):
        speech_acts.await_examples()
        self.addCleanup(volatile.forget, speech_acts._awaited)
        with languages.reading("de"):
            self.assertEqual(speech_acts.read("k bye", language="en"), speech_acts.Act())
            for _ in speech_acts.warm_up():
                pass
            self.assertEqual(speech_acts.read("k bye", language="en").name, "farewell")
        self.assertEqual(list(speech_acts._examples("en", languages.edition()).reading()), [])

    def test_a_step_takes_one_example_and_no_file(self):
        languages.load.cache_clear()
        languages.read_whole()
        for _ in speech_acts.warm_up():
            pass
        self.assertEqual(languages.load.cache_info().misses, len(languages.codes()))
        taken = []
        rows = (taken.append(line) or ("farewell", line) for line in ("bye", "so long", "ta ta"))
        next(speech_acts.Examples(rows, code="en").reading())
        self.assertEqual(taken, ["bye"])

    def test_after_it_nothing_is_left_to_read(self):
        for _ in speech_acts.warm_up():
            pass
        examples = speech_acts._examples("en", languages.edition())
        self.assertEqual(list(examples.reading()), [])
        self.assertEqual(len(examples.lines), 400)


class SortTests(unittest.TestCase):
    """As what an utterance counts, before and after the NPC thinks of what it knows."""

    def known(self, text, kind="statement"):
        said = speech_acts.known(unread(text, kind), language="en")
        return (said.kind, said.topic)

    def likely(self, text, kind="statement"):
        said = speech_acts.likely(unread(text, kind), language="en")
        return said and (said.kind, said.topic)

    def test_what_is_sure_is_read_at_once(self):
        self.assertEqual(self.known("k bye"), ("farewell", ""))
        self.assertEqual(self.known("u got any quests 4 me", "question"), ("chat", "work"))

    def test_what_the_builder_may_have_written_about_waits_for_that(self):
        self.assertEqual(self.known("can i sit down here", "question"), ("question", ""))
        self.assertEqual(self.likely("can i sit down here", "question"), ("chat", "enter"))
        self.assertEqual(self.known("come with me to the ruins"), ("statement", ""))
        self.assertEqual(self.likely("come with me to the ruins"), ("request", "follow"))

    def test_who_is_asked_along_is_so_at_once(self):
        self.assertEqual(self.known("wanna tag along", "question"), ("request", "follow"))

    def test_who_is_to_follow_no_more_is_not_told_to_be_quiet(self):
        self.assertEqual(self.likely("you can stop following me now"), ("request", "stay"))

    def test_who_tells_of_others_asks_and_abuses_nobody(self):
        for line in (
            "my brother wants to come with me to the ruins",
            "the boy tagged along",
            "she asked the knight to come along",
            "his captain is a drunken oaf",
        ):
            with self.subTest(line):
                self.assertGreater(speech_acts.read(line, language="en").margin, speech_acts.SURE)
                self.assertEqual(self.known(line), ("statement", ""))
                self.assertIsNone(self.likely(line))
        self.assertEqual(self.known("the cat has more wit than you"), ("chat", "insult"))

    def test_a_deed_and_what_a_question_seldom_does_must_be_sure(self):
        self.enterContext(mock.patch.object(speech_acts, "SURE", 2.0))
        self.assertEqual(self.likely("k bye"), ("farewell", ""))
        self.assertIsNone(self.likely("k bye", "question"))
        self.assertEqual(self.likely("got work 4 me", "question"), ("chat", "work"))
        self.assertIsNone(self.likely("wanna tag along"))

    def test_an_order_that_no_expression_knows_is_read_by_examples(self):
        said = Utterance("request", "other", text="pay me what you owe me")
        said = speech_acts.known(said, language="en")
        self.assertEqual((said.kind, said.topic), ("chat", "payment"))

    def test_a_question_is_no_remark(self):
        self.assertEqual(self.likely("oh wow ok"), ("chat", "wonder"))
        self.assertIsNone(self.likely("oh wow ok", "question"))

    def test_what_an_expression_knows_is_left_as_it_is(self):
        said = classify("Goodbye!")
        self.assertEqual(speech_acts.known(said, language="en"), said)
        self.assertIsNone(speech_acts.likely(said, language="en"))


class AnswerTests(unittest.TestCase):
    """What an NPC without a model says to it."""

    def test_whoever_leaves_is_bidden_farewell(self):
        self.assertIn(asked("anyway gotta bounce"), lines("farewell"))

    def test_whoever_looks_for_work_hears_what_there_is_to_do(self):
        lore = ["I pay a silver for each rat in the cellar."]
        self.assertIn("a silver for each rat", asked("u got smth i could do for coin", lore=lore))
        self.assertIn(asked("u got smth i could do for coin"), lines("work"))

    def test_what_the_builder_wrote_comes_before_a_guess(self):
        self.assertIn("two coppers", asked("oi boatman, take me across now"))

    def test_abuse_is_answered_also_where_it_bids_to_be_quiet(self):
        self.assertIn(asked("shut up you fat cow"), lines("insult"))

    def test_whoever_claims_a_reward_is_not_believed_unseen(self):
        self.assertIn(asked("i killed ur rats, gimme my reward"), lines("payment"))
