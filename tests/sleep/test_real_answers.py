"""What a small model (Qwen2.5-Coder-1.5B, Q4, llama.cpp) answered to the jobs of a night is read, and what it made up is not kept."""

import json

from evennia_ai import scheduling
from evennia_ai.core.records import format_time
from evennia_ai.domain import audience as audiences
from evennia_ai.memory import identity, journal, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.sleep import extraction, people_noticed, reflection, scoring, summaries
from evennia_ai.sleep.extraction import Talk
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.domain import lines
from tests.house.rules import ROOT
from tests.sleep.cases import SleepTestCase

# First the talks, then of 30 remarks what one blind to the answers finds them worth, then the answers to each job.
TAPE = [
    json.loads(line)
    for line in (ROOT / "tests/data/night/qwen_1_5b.jsonl").read_text("utf-8").splitlines()
]
TALKS = [one for one in TAPE if "lines" in one]
# Sentences that it made up, and whose they were.
MADE_UP = (
    "the harbour master wore the key",
    "there is straw in the loft",
    "allergic to fish and got a red face",
    "needed to be taken to the hospital",
    "is a smuggler",
    "poison the duchess, ",
)


class RealAnswersTests(SleepTestCase):
    def answers(self, job):
        return [one for one in TAPE if one.get("job") == job]

    def cast(self, talk):
        """Give the NPC of a talk to whom somebody has said their lines; return it and the talk."""
        npc = minds.make_assistant(talk["npc"], location=self.room1)
        script, messages = scripts.find(npc), []
        for number, (name, text) in enumerate(talk["lines"]):
            self.clock.advance(1)
            mine = name == talk["npc"]
            line = lines.line(
                name=name,
                text=text,
                mine=mine,
                said_by=identity.identity_of(npc) if mine else "them",
                timestamp=format_time(scheduling.now()),
                event_id="" if mine else f"{npc.id}-{number}",
            )
            working_memory.add_line(npc, "them", line)
            messages.append(line)
        known = audiences.PUBLIC
        return npc, Talk(script.id, npc.id, "them", talk["person"], talk["npc"], known, messages)

    def each(self, job):
        """Yield each talk with its NPC, and let the model answer as it did, at the first try."""
        found = self.answers(job)
        self.assertEqual(len(found), 10)
        for one in found:
            npc, talk = self.cast(TALKS[one["talk"]])
            mind = minds.script_llm(one["answer"])
            yield npc, talk
            self.assertEqual(len(mind.requests), 1)

    def assert_true(self, kept):
        for words in MADE_UP:
            self.assertNotIn(words, "\n".join(kept))

    def test_small_talk_is_told_from_what_matters_and_that_from_a_secret(self):
        remarks = self.answers("score")
        for one in remarks:
            known = ["ann", "mara"] if one["in_confidence"] else "public"
            self.note(one["content"], source_entity=one["by"], audience=known)
        minds.script_llm(*(one["answer"] for one in remarks))
        done = self.outcome(scoring.score_pending_entries(self.script, self.npc, 30))
        self.assertEqual(done, {"scored": 30, "failed": 0})
        by_label = {}
        for one, entry in zip(remarks, journal.entries(self.npc), strict=True):
            by_label.setdefault(one["label"], []).append(entry.importance)
        self.assertEqual(by_label[1], [1] * 6)
        self.assertEqual(by_label[7], [7] * 6)
        self.assertEqual(by_label[9], [9] * 6)

    def test_talks_are_summed_up_in_the_third_person(self):
        kept = [self.successResultOf(summaries.ask(talk)) for _, talk in self.each("summarise")]
        self.assertIn("Ann owed Mara 12 coins for the room and would pay on market day.", kept[0])
        self.assertFalse([text for text in kept if " talked " in text])
        self.assert_true(kept)

    def test_facts_are_noted_with_who_told_them(self):
        noted = []
        for npc, talk in self.each("extract"):
            self.outcome(extraction.extract(talk))
            noted += [entry.content for entry in journal.entries(npc)]
        self.assertIn(
            "Ann said that she hid the silver key behind the third barrel in Mara's cellar.", noted
        )
        self.assertGreater(len(noted), 25)
        self.assert_true(noted)

    def test_knowledge_of_people_rests_on_their_words(self):
        kept = []
        for npc, talk in self.each("consolidate"):
            entity_profiles.create_entity_profile(npc, "them", name=talk.person)
            for line in talk.messages:
                if not line.mine:
                    entity_profiles.add_entity_observation(
                        npc, "them", f"Says: {line.text}", audience="public"
                    )
            done = self.outcome(
                people_noticed.consolidate_entity_observations(scripts.find(npc), npc, "them")
            )
            self.assertNotIn("error", done)
            profile = entity_profiles.find_profile(npc, "them")
            kept += [fact.value for fact in profile.attributes]
        self.assertGreater(len(kept), 8)
        self.assert_true(kept)

    def items(self, npc, talk):
        """Note what was shown to the model: what this person said, and two remarks of the next one."""
        other = TALKS[(TALKS.index(next(one for one in TALKS if one["npc"] == talk.npc)) + 1) % 10]
        told = [(line.name, line.text) for line in talk.messages if not line.mine]
        told += [tuple(line) for line in other["lines"] if line[0] == other["person"]][1:3]
        return [journal.add_entry(npc, text, source_entity=name) for name, text in told]

    def test_questions_are_asked_of_what_was_said(self):
        for npc, talk in self.each("questions"):
            asked = reflection.generate_reflection_questions(
                scripts.find(npc), self.items(npc, talk)
            )
            self.assertTrue(self.outcome(asked))

    def test_an_insight_that_its_evidence_does_not_carry_is_dropped(self):
        kept = []
        for npc, talk in self.each("insights"):
            found = [
                {"id": str(entry.id), "content": entry.content, "score": 1.0}
                for entry in self.items(npc, talk)
            ]
            made = reflection.generate_insights(scripts.find(npc), ["Why?"], {"Why?": found})
            kept += [one["content"] for one in self.outcome(made)]
        self.assertTrue(kept)
        self.assertNotIn("her wife Kala", "\n".join(kept))
