"""Whatever a model answers to a job of sleep: nothing is lost, nothing is made up, nothing breaks."""

import json

from twisted.internet.defer import maybeDeferred

from evennia_ai.llm import loop_thread
from evennia_ai.memory import identity, journal, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import reflection_state as states
from evennia_ai.memory.state import sleep_state
from evennia_ai.semantic import base as semantic
from evennia_ai.sleep import (
    compaction,
    people_noticed,
    reflection,
    scoring,
    sleep_cycle,
    steps,
    waking,
)
from evennia_ai.testing import minds
from tests.memory_double import MemoryDouble
from tests.sleep.cases import SleepTestCase
from tests.sleep.test_compaction import CompactionTestCase

# What is no answer to any job.
NONSENSE = (
    "",
    " \n ",
    "null",
    "[]",
    "{}",
    '"worth"',
    "I cannot help with that.",
    "{" * 500,
    '{"a": ' * 500,
    "x" * 100_000,
    "\0\ud800|r|[x",
    "<think>hm</think>",
    "```json\n```",
    '{"%s": 1}',
    '{"worth": {}, "questions": 3, "insights": 5, "attributes": "tea", "summary": [{}]}',
    '{"worth": "x", "questions": {}, "insights": {}, "attributes": {}, "summary": {}}',
    '{"worth": null, "questions": null, "insights": null, "attributes": null, "summary": null}',
    '{"worth": [8], "questions": [[1]], "insights": [7], "attributes": ["tea"], "summary": 7}',
)
# Words that a model may put into any field, and that must come out harmless.
STRANGE = "{name} %s |rred|n \\u0000\\ud800\\u001b[m \\n\\n \\u202e雪"


class AnswerTestCase(SleepTestCase):
    """Broken JSON is repaired there and then."""

    CONTEXT_TOKENS = 8000

    def setUp(self):
        super().setUp()
        # What a book costs is not asked here.
        changed = self.settings_ai(SLEEP_TOKENS=10**9, CONTEXT_TOKENS=self.CONTEXT_TOKENS)
        changed.enable()
        self.addCleanup(changed.disable)
        loop_thread.set_runner(loop_thread.InlineRunner())
        self.addCleanup(loop_thread.set_runner, None)
        self.memory = MemoryDouble()
        semantic.install("default", self.memory)

    def finish(self, function, *args, **kwargs):
        """Return what a step did, once its slices of work are done."""
        running = maybeDeferred(function, *args, **kwargs)
        minds.pass_time(self.clock, 1)
        return self.outcome(running)

    def with_nonsense(self, check, *before):
        """Call `check` once for each answer that is none, after the answers `before`."""
        for number, text in enumerate(NONSENSE):
            minds.script_llm(*before, text, text)
            with self.subTest(text[:60]):
                check(number)


class ScoreTests(AnswerTestCase):
    def score(self):
        return self.finish(scoring.score_pending_entries, self.script, self.npc)

    def test_nonsense_rates_nothing(self):
        self.note("Ann swore an oath.")
        before = journal.entries(self.npc)

        def check(number):
            done = self.score()
            self.assertEqual((done["scored"], done["failed"]), (0, 1))
            self.assertEqual(journal.entries(self.npc), before)

        self.with_nonsense(check)

    def test_numbers_that_are_none_rate_nothing(self):
        self.note("Ann swore an oath.")
        scores = ("null", '"high"', "1e400", "-1e400", "NaN", "[7]", "{}", '""', '"7 7"')
        for score in scores:
            minds.script_llm(*[f'{{"worth": {score}}}'] * 2)
            with self.subTest(score):
                self.assertEqual(self.score()["scored"], 0)
        [entry] = journal.entries(self.npc)
        self.assertEqual((entry.importance, entry.scored), (6, False))

    def test_no_model_can_say_that_it_rated_by_rules_and_be_asked_forever(self):
        """Only what is by rules is looked at again; a model that claims it is believed at most once."""
        self.note("Ann swore an oath.")
        minds.script_llm('{"worth": 9, "by": 7}', repeat=True)
        self.assertEqual(self.score()["scored"], 0)
        minds.script_llm('{"worth": 9, "why": "because", "by": ""}')
        self.assertEqual(self.score()["scored"], 1)
        self.assertEqual(journal.entries(self.npc)[0].importance_method, "llm")


class ConsolidateTests(AnswerTestCase):
    def setUp(self):
        super().setUp()
        entity_profiles.add_entity_observation(
            self.npc, self.char1, "Likes tea.", audience="public"
        )

    def consolidate(self):
        return self.finish(
            people_noticed.consolidate_entity_observations, self.script, self.npc, self.char1
        )

    def attributes(self):
        return entity_profiles.find_profile(self.npc, self.char1).attributes

    def test_what_rules_read_is_kept_where_a_model_answers_nonsense(self):
        def check(number):
            entity_profiles.add_entity_observation(
                self.npc, self.char1, f"Likes tea{number}.", audience="public"
            )
            self.assertNotIn("error", self.consolidate())
            holding = [one for one in self.attributes() if one.superseded_by is None]
            self.assertIn(f"tea{number}", str(holding))

        self.with_nonsense(check)

    def test_an_attribute_of_strange_words_is_one_plain_line(self):
        minds.script_llm(
            '{"attributes": [{"type": "%s", "value": "Likes tea %s", "evidence": [1, 1, -5, 0]}]}'
            % (STRANGE, STRANGE)
        )
        self.assertEqual(self.consolidate(), {"observations": 1, "attributes": 1})
        [fact] = self.attributes()
        self.assertEqual(fact.value, "Likes tea {name} %s |rred|n [m 雪")
        self.assertEqual(fact.derived_from, [1])
        self.assertRegex(fact.type, r"\A\w{1,30}\Z")

    def test_a_book_of_attributes_is_cut(self):
        long = [
            {
                "type": "t" * 5000,
                "value": f"Likes tea {chr(97 + number % 26) * (number + 1)} " + "x" * 5000,
                "evidence": [1],
            }
            for number in range(300)
        ]
        minds.script_llm(json.dumps({"attributes": long}))
        self.assertEqual(self.consolidate()["attributes"], 12)
        for fact in self.attributes():
            self.assertLessEqual(len(fact.value), 200)
            self.assertLessEqual(len(fact.type), 30)

    def test_what_it_replaces_must_be_its_own(self):
        bo = identity.identity_of(self.char2)
        entity_profiles.add_entity_observation(self.npc, self.char1, "Fears fire.", audience=[bo])
        answer = {"type": "fear", "value": "Fears fire", "evidence": [2], "replaces": [1, -1, 99]}
        public = {"type": "preference", "value": "Likes tea", "evidence": [1]}
        minds.script_llm(json.dumps({"attributes": [public]}), json.dumps({"attributes": [answer]}))
        self.assertEqual(self.consolidate()["attributes"], 2)
        self.assertEqual([fact.superseded_by for fact in self.attributes()], [None, None])


class ReflectionTests(AnswerTestCase):
    QUESTIONS = json.dumps({"questions": ["What happens at the mill?"]})

    def setUp(self):
        super().setUp()
        for text in ("The mill burned down.", "Flour is dear since the mill is gone."):
            entry = journal.add_entry(self.npc, text, importance=5, source_entity="Anna")
            states.note_entry(self.script, entry)

    def reflect(self):
        return self.finish(reflection.run_reflection, self.script, self.npc)

    def forget_failures(self):
        """Let the next attempt be now."""
        self.clock.advance(100 * 3600)

    def check_that_all_is_kept(self, number):
        self.forget_failures()
        done = self.reflect()
        self.assertFalse(done["success"])
        self.assertTrue(done["error"])
        self.assertEqual([entry.id for entry in journal.entries(self.npc)], [1, 2])
        state = states.reflection_state(self.script)
        self.assertEqual(state.entries_since_reflection, (1, 2))
        self.assertEqual(state.cumulative_importance, 10)

    def test_nonsense_for_questions_keeps_all_that_happened(self):
        self.with_nonsense(self.check_that_all_is_kept)

    def test_nonsense_for_insights_keeps_all_that_happened(self):
        self.with_nonsense(self.check_that_all_is_kept, self.QUESTIONS)

    def test_citations_that_lead_nowhere_are_no_insights(self):
        for evidence in ("[]", "[0]", "[-1]", "[99]", "[1e12]", "[1.0e3]"):
            minds.script_llm(
                self.QUESTIONS,
                f'{{"insights": [{{"insight": "All bread is dear.", "evidence": {evidence}}}]}}',
            )
            self.forget_failures()
            with self.subTest(evidence):
                self.assertEqual(self.reflect()["error"], "there was nothing to conclude")

    def test_a_citation_of_five_thousand_digits_is_no_error(self):
        minds.script_llm(
            self.QUESTIONS, json.dumps({"insights": [f"Bread is dear ({'9' * 5000})"]})
        )
        self.assertEqual(self.reflect()["error"], "there was nothing to conclude")

    def test_strange_words_become_one_plain_line(self):
        minds.script_llm(
            '{"questions": ["%s"]}' % STRANGE,
            '{"insights": ["- The mill %s (because of evidence 1-2)"]}' % STRANGE,
        )
        done = self.reflect()
        self.assertEqual(done["questions"], ["{name} %s |rred|n [m 雪"])
        [entry_id] = done["stored_entries"]
        content = journal.get_entry(self.npc, entry_id).content
        self.assertIn("- The mill {name} %s |rred|n [m 雪 (because of entries ", content)
        self.assertFalse(set("\0\ud800\x1b\u202e") & set(content))

    def test_a_book_of_questions_and_insights_is_cut(self):
        minds.script_llm(
            json.dumps(
                {"questions": [f"Why {chr(97 + n % 26)}? " + "x" * 9000 for n in range(90)]}
            ),
            json.dumps(
                {
                    "insights": [
                        {
                            "insight": f"Bread {chr(97 + n % 26)} " + "dear " * 900,
                            "evidence": [1, 2] * 450,
                        }
                        for n in range(90)
                    ]
                }
            ),
        )
        done = self.reflect()
        self.assertEqual((len(done["questions"]), len(done["insights"])), (3, 5))
        self.assertTrue(all(len(one["content"]) <= 300 for one in done["insights"]))


class SummaryTests(AnswerTestCase, CompactionTestCase):
    def test_for_nonsense_there_are_the_words_of_the_rules(self):
        self.talk()
        before = self.texts()

        def check(number):
            done = self.finish(compaction.compact_conversation_history, self.script, self.npc, True)
            # By force, so that rules do what no model does.
            self.assertEqual(done["summaries"], 1)
            self.assertTrue(self.texts()[0].startswith("Anna and Mara talked"))
            working_memory.remove_conversation(self.npc, self.char1)
            self.talk()

        self.assertEqual(len(before), 8)
        self.with_nonsense(check)

    def test_an_empty_summary_is_written_by_rules(self):
        self.talk()
        minds.script_llm('{"summary": " \\u0000\\n"}')
        self.assertEqual(self.compact()["summaries"], 1)
        self.assertTrue(self.texts()[0].startswith("Anna and Mara talked"))

    def test_strange_words_become_one_plain_line(self):
        self.talk()
        minds.script_llm('{"summary": "Anna said that the miller0 sold a sack0 %s."}' % STRANGE)
        self.assertEqual(self.compact()["summaries"], 1)
        self.assertEqual(
            self.texts()[0], "Anna said that the miller0 sold a sack0 {name} %s |rred|n [m 雪."
        )
        self.assertIn(
            "Anna said that the miller0 sold a sack0 {name} %s", self.syntheses()[0].content
        )

    def test_a_book_is_cut(self):
        self.talk()
        minds.script_llm(json.dumps({"summary": "雪" * 100_000}))
        self.assertEqual(self.compact()["summaries"], 1)
        self.assertLess(len(self.texts()[0]), 800)


class ExtractTests(AnswerTestCase, CompactionTestCase):
    # What notes nothing in the place of a list of sentences, and in that of a sentence.
    WRONG = (
        "null",
        "{}",
        "7",
        '"Rain."',
        "[7]",
        "[null]",
        "[[]]",
        '[{"fact": "x"}]',
        '["", " \\n"]',
    )

    def noted(self):
        entries = journal.entries(self.npc)
        return [entry for entry in entries if "pre_compaction" in entry.tags]

    # Small enough for eight lines to be too many.
    CONTEXT_TOKENS = 100

    def extract_by(self, *replies, repeat=False):
        """Return how many facts come of a talk that is not in the journal."""
        working_memory.remove_conversation(self.npc, self.char1)
        self.talk(noted=False)
        mind = minds.script_llm(*replies, repeat=repeat)
        facts = self.extract()["facts"]
        self.assertTrue(mind.requests)
        return facts

    def test_facts_of_another_shape_note_nothing(self):
        for given in self.WRONG:
            with self.subTest(given):
                self.assertEqual(self.extract_by(f'{{"facts": {given}}}', repeat=True), 0)
                self.assertEqual(self.noted(), [])

    def test_a_fact_of_strange_words_is_one_plain_line(self):
        told = '{"facts": ["Anna said that the miller0 sold a sack0 %s."]}' % STRANGE
        self.assertEqual(self.extract_by(told), 1)
        [entry] = self.noted()
        self.assertFalse(set("\0\ud800\n") & set(entry.content))
        self.assertTrue(
            entry.content.startswith("Anna said that the miller0 sold a sack0 {name} %s |rred|n")
        )

    def test_words_in_the_place_of_facts_note_nothing(self):
        for text in NONSENSE:
            with self.subTest(text[:40]):
                self.assertEqual(self.extract_by(text, repeat=True), 0)
                self.assertEqual(self.noted(), [])


class TickTests(AnswerTestCase):
    def test_a_night_of_nonsense_ends_and_leaves_the_day_as_it_was(self):
        """Whatever the model answers: no step breaks, and nobody sleeps forever over it."""
        for text in ("Ann swore an oath.", "Bo likes tea."):
            entry = journal.add_entry(self.npc, text, source_entity="Ann")
            states.note_entry(self.script, entry)
        before = [entry.content for entry in journal.entries(self.npc)]
        self.patch(waking, "PATIENT_TICKS", 4)
        semantic.install("default", self.memory)
        minds.script_llm(*NONSENSE, repeat=True)
        sleep_cycle.transition_mode(self.script, "sleep", "a test")
        for _ in range(12):
            self.finish(steps.run_sleep_tick, self.script, self.npc)
        self.assertTrue(sleep_state.done(self.script))
        self.assertEqual([entry.content for entry in journal.entries(self.npc)], before)
        # With the scores of the rules, after three ticks in which nobody would rate.
        self.assertEqual(len(self.memory.facts), 2)
