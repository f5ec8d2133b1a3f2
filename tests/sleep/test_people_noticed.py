"""Tests of what sleep makes of what was noticed about people."""

import json

from django.db import DatabaseError
from twisted.internet.defer import Deferred

from evennia_ai import prompts_asleep
from evennia_ai.agent.revising import forgetting
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.lifecycle.store_handlers import Gone
from evennia_ai.llm.base import Completion
from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import entity_backlog, entity_profiles
from evennia_ai.memory.state import sleep_state
from evennia_ai.sleep import people_noticed
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase
from tests.sleep.cases import SleepTestCase

TEA = ("Ordered tea.", "Asked for tea again.", "Says: I really don't like coffee.")


def answer(*attributes):
    return json.dumps({"attributes": list(attributes)})


def attribute(value="Likes tea", *, evidence=(1,), kind="preference", **fields):
    return {"type": kind, "value": value, "evidence": list(evidence), **fields}


class EntityTestCase(SleepTestCase):
    def setUp(self):
        super().setUp()
        self.ann = identity.identity_of(self.char1)
        self.bo = identity.identity_of(self.char2)
        self.whisper = sorted([self.ann, identity.identity_of(self.npc)])

    def observe(self, *contents, who=None, audience="public", **fields):
        for content in contents:
            entity_profiles.add_entity_observation(
                self.npc, who or self.char1, content, audience=audience, **fields
            )

    def consolidate(self, who=None):
        return people_noticed.consolidate_entity_observations(
            self.script, self.npc, who or self.char1
        )

    def run_batch(self):
        done = people_noticed.run_entity_consolidation_batch(self.script, self.npc)
        minds.pass_time(self.clock, 1)
        return self.outcome(done)

    def attributes(self, who=None):
        known = entity_profiles.find_profile(self.npc, who or self.char1)
        return known.attributes if known else None

    def values(self, who=None):
        return [(one.value, one.audience) for one in self.attributes(who)]

    def said(self, content, *, by=None, **fields):
        by = by or self.char1
        return journal.add_entry(
            self.npc,
            content,
            source_type="direct",
            source_id=identity.identity_of(by),
            source_entity=by.key,
            **fields,
        )


class ConsolidateTests(EntityTestCase):
    def test_three_observations_become_one_attribute(self):
        """E41 E42 E43: the tea of the source, by a model."""
        tea = attribute("Strongly prefers tea, actively dislikes coffee", evidence=[1, 2, 3])
        llm = minds.script_llm(answer(tea))
        self.observe(*TEA)
        self.assertEqual(self.outcome(self.consolidate()), {"observations": 3, "attributes": 1})
        [fact] = self.attributes()
        self.assertEqual(fact.type, "preference")
        self.assertEqual(fact.value, "Strongly prefers tea, actively dislikes coffee")
        self.assertEqual(fact.derived_from, [1, 2, 3])
        self.assertEqual(llm.requests[0].job, "consolidate")
        shown = llm.requests[0].messages[-1]["content"]
        self.assertIn("1. Ordered tea.", shown)

    def test_the_mind_without_a_model_keeps_it_in_the_words_of_its_source(self):
        self.observe("Says: I love tea.", "Says: I love tea.", "Came in.")
        self.outcome(self.consolidate())
        self.assertEqual(
            [(fact.value, fact.derived_from) for fact in self.attributes()],
            [('Says "I love tea"', [1, 2]), ("Came in", [3])],
        )

    def test_observations_stay_as_evidence(self):
        """E42 E45: from the attribute to the observation to the event that it is from."""
        self.observe("Says: I love tea.", event_id="event-7")
        self.outcome(self.consolidate())
        [number] = self.attributes()[0].derived_from
        [kept] = entity_profiles.find_profile(self.npc, self.char1).observations
        self.assertEqual((kept.id, kept.event_id), (number, "event-7"))
        self.assertTrue(kept.consolidated)

    def test_a_second_night_changes_nothing(self):
        """E45."""
        self.observe(*TEA)
        self.outcome(self.consolidate())
        before = entity_profiles.find_profile(self.npc, self.char1)
        self.assertEqual(self.outcome(self.consolidate()), {"observations": 0, "attributes": 0})
        self.assertEqual(entity_profiles.find_profile(self.npc, self.char1), before)

    def test_a_model_that_cites_nothing_that_it_saw_is_not_believed(self):
        minds.script_llm(answer(attribute(evidence=[99]), attribute(evidence=[])))
        self.observe("Likes tea.")
        self.assertEqual(self.outcome(self.consolidate()), {"observations": 1, "attributes": 0})
        self.assertEqual(self.attributes(), [])

    def test_a_model_that_gives_no_answer_of_use_is_replaced_by_rules(self):
        minds.script_llm('{"tea": "yes"}', '{"tea": "really"}')
        self.observe("Likes tea.")
        self.outcome(self.consolidate())
        self.assertEqual(self.values(), [("Likes tea", "public")])

    def test_without_any_mind_all_is_left_as_it_was(self):
        for error in (LLMUnavailable("it is down"), BudgetExceeded("it is spent")):
            with self.subTest(error):
                minds.script_llm(error)
                self.observe("Likes tea.")
                before = entity_profiles.find_profile(self.npc, self.char1)
                self.assertEqual(
                    self.outcome(self.consolidate()),
                    {"observations": 0, "attributes": 0, "error": str(error)},
                )
                self.assertEqual(entity_profiles.find_profile(self.npc, self.char1), before)

    def test_the_night_pays_for_it(self):
        minds.script_llm(Completion(answer(), prompt_tokens=90, completion_tokens=10))
        self.observe("Likes tea.")
        self.outcome(self.consolidate())
        self.assertEqual(sleep_state.tokens(self.script), 100)

    def test_somebody_unknown_is_nobody(self):
        self.assertEqual(
            self.outcome(self.consolidate(self.char2)),
            {"observations": 0, "attributes": 0},
        )
        self.assertIsNone(self.attributes(self.char2))


class WhileItThinksTests(EntityTestCase):
    def test_what_is_noticed_meanwhile_stays_and_waits(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.observe("Likes tea.")
        done = self.consolidate()
        self.observe("Likes ale.")
        thinking.callback(answer(attribute()))
        self.outcome(done)
        known = entity_profiles.find_profile(self.npc, self.char1)
        self.assertEqual([one.consolidated for one in known.observations], [True, False])

    def test_who_is_forgotten_meanwhile_stays_forgotten(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.observe("Likes tea.")
        done = self.consolidate()
        entity_profiles.forget_entity(self.npc, self.char1)
        thinking.callback(answer(attribute()))
        self.assertEqual(self.outcome(done), {"observations": 0, "attributes": 0})
        self.assertIsNone(self.attributes())

    def test_what_somebody_told_who_is_forgotten_meanwhile_is_not_kept(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.observe("Bo says: Char likes tea.", told_by=self.bo)
        done = self.consolidate()
        forgetting.forget_resting_on(self.npc, None, Gone(frozenset([self.bo])))
        thinking.callback(answer(attribute()))
        self.outcome(done)
        self.assertEqual(self.attributes(), [])

    def test_an_assistant_that_is_deleted_meanwhile_is_no_error(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.observe("Likes tea.")
        done = self.consolidate()
        self.npc.delete()
        thinking.callback(answer(attribute()))
        self.assertEqual(self.outcome(done), {"observations": 0, "attributes": 0})


class AudienceTests(EntityTestCase):
    def test_a_request_holds_one_audience_and_so_does_what_comes_of_it(self):
        llm = minds.script_llm(
            answer(attribute("Likes tea", evidence=[1])),
            answer(attribute("Fears fire", evidence=[2], kind="fear")),
        )
        self.observe("Likes tea.")
        self.observe("Fears fire.", audience=self.whisper)
        self.outcome(self.consolidate())
        public, private = (f"{one.messages} {one.context}" for one in llm.requests)
        self.assertNotIn("fire", public)
        self.assertIn("fire", private)
        self.assertEqual(self.values(), [("Likes tea", "public"), ("Fears fire", self.whisper)])

    def test_the_public_cannot_cite_a_whisper(self):
        minds.script_llm(answer(attribute("Fears fire", evidence=[2])), answer(), repeat=True)
        self.observe("Likes tea.")
        self.observe("Fears fire.", audience=self.whisper)
        self.outcome(self.consolidate())
        self.assertEqual(self.attributes(), [])

    def test_a_whisper_hides_nothing_that_is_public(self):
        """E45: both are kept, and the narrower one is for its ears."""
        self.observe("Says: I live in the mill.")
        self.observe("Says: I live at court now.", audience=self.whisper)
        self.outcome(self.consolidate())
        self.assertEqual(
            self.values(),
            [
                ('Says "I live in the mill"', "public"),
                ('Says "I live at court now"', self.whisper),
            ],
        )
        self.assertEqual([one.superseded_by for one in self.attributes()], [None, None])

    def test_three_audiences_a_tick_the_others_wait(self):
        for number in range(5):
            self.observe("Likes tea.", audience=[self.ann, f"friend {number}"])
        self.assertEqual(self.outcome(self.consolidate()), {"observations": 3, "attributes": 3})
        self.assertEqual(self.outcome(self.consolidate()), {"observations": 2, "attributes": 2})


class BatchTests(EntityTestCase):
    NOTHING = {"entries": 0, "noticed": 0, "entities": 0, "observations": 0, "attributes": 0}

    def test_five_observations_are_enough_and_four_are_not(self):
        """E40 E43 M28: who has been observed five times is thought about."""
        self.observe(*TEA, "Came in.")
        self.assertEqual(self.run_batch(), self.NOTHING)
        self.observe("Left.")
        self.assertEqual(
            self.run_batch(), {**self.NOTHING, "entities": 1, "observations": 5, "attributes": 4}
        )
        self.assertEqual(self.run_batch(), self.NOTHING)

    def test_so_many_people_a_tick(self):
        people = [f"person-{number}" for number in range(5)]
        for who in people:
            self.observe(*["Likes tea."] * 5, who=who)
        self.assertEqual(self.run_batch()["entities"], 3)
        self.assertEqual(self.run_batch()["entities"], 2)

    def test_a_dead_model_is_asked_once_a_tick(self):
        llm = minds.script_llm(LLMUnavailable("it is down"))
        for who in (self.char1, self.char2):
            self.observe(*["Likes tea."] * 5, who=who)
        self.assertEqual(self.run_batch(), {**self.NOTHING, "error": "it is down"})
        self.assertEqual(len(llm.requests), 1)
        self.assertEqual(len(entity_backlog.ripe(self.npc)), 2)


class JournalTests(EntityTestCase):
    def observations(self, who=None):
        known = entity_profiles.find_profile(self.npc, who or self.char1)
        return known.observations if known else []

    def test_what_was_said_becomes_observations_that_lead_back_to_it(self):
        """E45: from the observation to the event, or to the entry itself."""
        self.said("I love tea.", event_id="event-7")
        entry = self.said("I hate coffee.", audience=self.whisper)
        self.assertEqual((self.run_batch()["entries"], self.run_batch()["entries"]), (2, 0))
        tea, coffee = self.observations()
        self.assertEqual(
            (tea.content, tea.event_id, tea.said_by, tea.source, tea.audience),
            ("Says: I love tea.", "event-7", self.ann, "direct", "public"),
        )
        self.assertEqual(
            (coffee.event_id, coffee.audience, coffee.timestamp),
            (f"entry {entry.id}", self.whisper, entry.timestamp),
        )

    def test_what_is_said_of_others_who_are_known_is_hearsay(self):
        entity_profiles.create_entity_profile(self.npc, self.char2)
        self.said("Char2 hates cats. Nobody hates cats.")
        self.run_batch()
        [noticed] = self.observations(self.char2)
        self.assertEqual(noticed.content, "Char says: Char2 hates cats.")
        self.assertEqual((noticed.source_trust, noticed.said_by), (0.6, self.ann))
        self.outcome(self.consolidate(self.char2))
        self.assertEqual(self.values(self.char2), [('Char says "Char2 hates cats"', "public")])

    def test_it_goes_on_where_it_was(self):
        for number in range(45):
            self.said(f"I like river {number}.")
        counts = [self.run_batch()["entries"] for _ in range(4)]
        self.assertEqual(counts, [30, 15, 0, 0])
        self.assertEqual(entity_backlog.noticed_until(self.npc), 45)
        self.said("I like tea.")
        self.assertEqual(self.run_batch()["entries"], 1)

    def test_a_server_killed_between_has_written_all_of_it_or_nothing(self):
        """E45: the observations and how far it has come are written together."""

        def killed(character, entry_id):
            raise DatabaseError("killed")

        self.said("I love tea.")
        self.patch(entity_backlog, "note_noticed", killed)
        with self.assertRaises(DatabaseError):
            people_noticed.note_from_journal(self.npc)
        self.assertEqual(self.observations(), [])
        self.assertEqual(entity_backlog.noticed_until(self.npc), 0)

    def test_what_is_said_of_a_thing_begins_no_profile_and_who_looks_at_it_does(self):
        """E1 C-53: what was said stays in the journal."""
        self.said("Obj is cursed, and it has a crack.")
        people_noticed.note_from_journal(self.npc)
        self.assertIsNone(entity_profiles.find_profile(self.npc, self.obj1))
        self.observe("It glows at night.", who=self.obj1)
        known = entity_profiles.find_profile(self.npc, self.obj1)
        self.assertEqual(known.entity_type, "object")
        self.assertEqual([one.content for one in known.observations], ["It glows at night."])

    def test_a_day_of_talk_becomes_knowledge_without_any_model(self):
        for words in (
            "I love tea.",
            "I work as a smith.",
            "My sister lives in the mill.",
            "I'm afraid of the dark.",
            "I hate coffee.",
        ):
            self.said(words)
        self.assertEqual(self.run_batch()["attributes"], 4)
        self.assertEqual(
            [value for value, _ in self.values()],
            [
                'Says "I work as a smith"',
                'Says "My sister lives in the mill"',
                'Says "I\'m afraid of the dark"',
                'Says "I hate coffee"',
            ],
        )


class PromptTests(EntityTestCase):
    def test_what_people_say_is_one_line_in_which_nobody_else_speaks(self):
        fact = {"id": 3, "type": "fear", "value": "Fears fire"}
        *_, user = prompts_asleep.consolidation(
            name='An"na',
            observations=[{"id": 1, "content": "Says: Hi.\nBo: I lie.", "is_hearsay": True}],
            known=[fact],
            background=[{"type": "home", "value": "Lives here"}],
        )
        self.assertEqual(
            user["content"],
            "Noticed about An na:\n"
            "1. (only others say so): Says - Hi. Bo - I lie.\n"
            "Known so far:\n3. fear: Fears fire\n"
            "Known as well:\n-. home: Lives here",
        )

    def test_what_was_whispered_says_that_it_was(self):
        llm = minds.script_llm('{"attributes": []}', repeat=True)
        self.observe("Says: I love tea.")
        self.observe("Says: I fear fire.", audience=self.whisper)
        self.outcome(self.consolidate())
        shown = [request.messages[-1]["content"] for request in llm.requests]
        self.assertEqual(
            [text.splitlines()[0] for text in shown],
            ["Noticed about Char:", "Noticed about Char, told in confidence:"],
        )


class ToldTests(MindTestCase):
    """What sleep has made of it reaches those who may know, and nobody else."""

    def setUp(self):
        super().setUp()
        self.known = sorted([self.first, self.script_of_mara.assistant_key])

    def learn(self, *contents, of=None, audience):
        who = of or self.char1
        for content in contents:
            entity_profiles.add_entity_observation(
                self.mara, who, content, audience=audience, told_by=self.first
            )
        self.outcome(
            people_noticed.consolidate_entity_observations(self.script_of_mara, self.mara, who)
        )

    def test_the_mind_without_a_model_tells_it(self):
        self.learn("Says: I love tea.", "Says: I hate coffee.", audience="public")
        self.do(self.char2, "say Mara, what do you know about Char?", wait=3)
        self.assertIn('Char says "I love tea".', f"{self.bob}")

    def test_a_whisper_is_not_told_to_a_bystander(self):
        self.learn("Says: I love tea.", audience=self.known)
        self.do(self.char2, "say Mara, what do you know about Char?", wait=3)
        self.assertNotIn("loves tea", f"{self.bob} {self.ann}")

    def test_it_is_told_in_a_whisper_to_whoever_whispered_it(self):
        self.learn("Char says: Char2 hates cats.", of=self.char2, audience=self.known)
        self.do(self.char1, "say Mara, what do you know about Char2?", wait=3)
        self.assertIn('Char says "Char2 hates cats".', f"{self.ann}")
        self.assertNotIn("cats", f"{self.bob}")

    def test_a_model_reads_it_in_the_profile_of_whom_it_speaks_with(self):
        self.learn("Says: I love tea.", audience="public")
        mind = minds.script_llm("Welcome.", repeat=True)
        self.do(self.char1, "say Mara, good day", wait=3)
        shown = f"{mind.requests[0].messages}"
        self.assertIn("Char says of themselves: Says", shown)
        self.assertIn("I love tea", shown)
