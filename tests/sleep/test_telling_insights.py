"""Tests of what comes of an insight when somebody asks: it is told, with its reasons, to its ears."""

import json

from evennia_ai.agent.prompting import recall_sources
from evennia_ai.domain.sleeping import insights
from evennia_ai.memory import journal
from evennia_ai.memory.state import npc_settings
from evennia_ai.memory.state import reflection_state as states
from evennia_ai.sleep import reflection
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call, seen_by, words
from tests.sleep.reflecting import QUESTIONS
from tests.sleep.reflecting import insights as answered

REMARKS = (
    ("Anna", "The well in the square has run dry."),
    ("Anna", "Somebody must look after the well."),
    ("Bo", "I saw lights at the well last night."),
    ("Carl", "A rat fell into the well yesterday."),
)


class TellingTestCase(MindTestCase):
    """Mara was told of a well, and slept over it."""

    def hear(self, by, text, **fields):
        entry = journal.add_entry(
            self.mara, text, source_entity=by, **{"source_type": "direct", **fields}
        )
        states.note_entry(self.script_of_mara, entry)
        return entry.id

    def reflect(self):
        made = reflection.run_reflection(self.script_of_mara, self.mara)
        result = self.outcome(made)
        self.assertEqual(result["error"], None)
        return [one["content"] for one in result["insights"]]

    def answer(self, question, *, by=None, kind="say"):
        """Return what Mara says, in one way, to whoever asks (Char)."""
        heard = self.bob if by is self.char2 else self.ann
        heard.clear()
        self.do(by or self.char1, f"say Mara, {question}", wait=3)
        return " ".join(text for text in words(heard, kind) if text.startswith("Mara"))


class OfflineTests(TellingTestCase):
    def setUp(self):
        super().setUp()
        for by, text in REMARKS:
            self.hear(by, text)
        self.concluded = self.reflect()

    def test_an_insight_is_told_as_a_sentence_of_its_own(self):
        self.assertEqual(
            self.concluded[0],
            "Of three people who talked about the well, Anna had the most to tell.",
        )
        said = self.answer("what do you make of the well?")
        self.assertIn(self.concluded[0], said)
        for mark in ("[SYNTHESIS]", "Reflection on", "- ", "because of"):
            self.assertNotIn(mark, said)

    def test_it_is_in_nobody_elses_words(self):
        texts = [text for _, text in REMARKS]
        self.assertEqual([one for one in self.concluded if insights.shares_a_run(one, texts)], [])

    def test_asked_why_she_names_whom_she_has_it_from(self):
        self.answer("what do you make of the well?")
        said = self.answer("why do you think so?")
        self.assertIn('Because Anna told me: "Somebody must look after the well."', said)
        self.assertIn('Bo told me: "I saw lights at the well last night."', said)

    def test_asked_for_what_she_has_noticed_she_tells_an_insight(self):
        said = self.answer("what have you noticed lately?")
        self.assertTrue(any(one in said for one in self.concluded), said)

    def test_of_what_it_said_to_another_a_bystander_is_told_the_reason_as_well(self):
        self.do(self.char1, "say Mara, what do you make of the well?", wait=3)
        said = self.answer("why do you think so?", by=self.char2)
        self.assertIn("Anna", said)

    def test_asked_why_without_an_insight_she_has_no_reason(self):
        self.assertNotIn("Because", self.answer("why do you think so?"))

    def test_she_passes_on_words_and_not_her_own_conclusions(self):
        npc_settings.choose(self.mara, gossip="freely")
        minds.script_llm(call("share", about="the well"), "There.")
        self.ann.clear()
        self.do(self.char1, "whisper Mara = What of the well?", wait=3)
        told = " ".join(text for _, text in self.ann if text.startswith("Mara"))
        self.assertIn("well", told)
        self.assertEqual([one for one in ("SYNTHESIS", *self.concluded) if one in told], [])

    def test_each_insight_of_a_synthesis_is_a_memory_of_its_own(self):
        [entry] = [one for one in journal.entries(self.mara) if "synthesis" in one.tags]
        known = list(recall_sources.thoughts([entry]))
        self.assertEqual([one.entry.content for one in known], self.concluded)
        self.assertEqual({one.kind for one in known}, {"insight"})


class AudienceTests(TellingTestCase):
    """An insight from what everybody knows and what only Char (and Mara) may know."""

    def setUp(self):
        super().setUp()
        self.known = sorted([self.first, self.script_of_mara.assistant_key])
        self.hear("Bo", "The king lost his crown.")
        self.secret = self.hear("Char", "The crown lies under the oak.", audience=self.known)
        minds.script_llm(
            QUESTIONS,
            answered(("Kings lose things.", [1])),
            answered(("Whoever digs at the oak may anger the palace.", [1, 2])),
        )
        self.reflect()

    def test_it_is_stored_for_those_ears(self):
        entries = [one for one in journal.entries(self.mara) if "synthesis" in one.tags]
        self.assertEqual([one.audience for one in entries], ["public", self.known])
        self.assertIn(self.secret, entries[1].derived_from)

    def test_an_outsider_is_told_nothing_of_it(self):
        """The insight, and its evidence, reach no prompt of somebody else's turn."""
        mind = minds.script_llm("I could not say.", "Hm.", "Well.")
        for question in ("what about the oak?", "what have you noticed?", "why do you think so?"):
            self.do(self.char2, f"say Mara, {question}", wait=3)
        self.assertEqual(len(mind.requests), 3)
        self.assertNotIn("palace", seen_by(mind))
        self.assertNotIn("lies under the oak", seen_by(mind))

    def test_to_whom_it_belongs_it_is_whispered_where_others_listen(self):
        mind = minds.script_llm("Digging there may anger the palace.")
        self.do(self.char1, "say Mara, what do you make of the oak?", wait=3)
        self.assertIn("Whoever digs at the oak may anger the palace.", seen_by(mind))
        self.assertIn("palace", words(self.ann, "whisper")[-1])
        self.assertEqual([text for text in words(self.bob) if "palace" in text], [])

    def test_the_reasons_are_whispered_as_well(self):
        mind = minds.script_llm("Whoever digs at the oak may anger the palace.", "You told me.")
        self.do(self.char1, "say Mara, what do you make of the oak?", wait=3)
        self.do(self.char1, "say Mara, why do you think so?", wait=3)
        self.assertIn("The crown lies under the oak.", str(mind.requests[1].messages))
        self.assertEqual([text for text in words(self.bob) if "You told me" in text], [])
        self.assertIn("You told me.", words(self.ann, "whisper")[-1])

    def test_a_reason_that_became_more_secret_is_not_given(self):
        journal.edit_entry(self.mara, self.secret, audience=["somebody else"])
        self.char2.location = None
        mind = minds.script_llm("Whoever digs at the oak may anger the palace.", "Bo told me.")
        self.do(self.char1, "say Mara, what do you make of the oak?", wait=3)
        self.do(self.char1, "say Mara, why do you think so?", wait=3)
        self.assertNotIn("lies under the oak", str(mind.requests[1].context["memories"]))
        self.assertIn("The king lost his crown.", str(mind.requests[1].context["memories"]))


class ReasonsOfAModelTests(TellingTestCase):
    def test_asked_for_the_reason_of_what_it_said_itself_what_that_was_about_comes_to_mind(self):
        for by, text in REMARKS:
            self.hear(by, text)
        mind = minds.script_llm("It is some dead rat, I say.", "I was told.")
        self.do(self.char1, "say Mara, what is the matter with the water?", wait=3)
        self.do(self.char1, "say Mara, why do you think so?", wait=3)
        self.assertIn("A rat fell into the well yesterday.", str(mind.requests[1].messages))


class OtherSynthesesTests(TellingTestCase):
    def test_a_review_is_recalled_without_its_mark(self):
        journal.add_entry(self.mara, "[SYNTHESIS] The mill matters to many.", tags=["synthesis"])
        self.assertIn("The mill matters to many.", self.answer("what do you know of the mill?"))
        self.assertNotIn("SYNTHESIS", self.answer("what do you know of the mill?"))

    def test_an_insight_in_other_words_is_recognised(self):
        for by, text in REMARKS:
            self.hear(by, text)
        minds.script_llm(
            json.dumps({"questions": ["What about the well?"]}),
            answered(("Neglect of the well worries the whole town.", [1, 2])),
            "It worries the whole town, I think, how the well suffers from neglect.",
            "Because of what I hear.",
        )
        self.reflect()
        self.do(self.char1, "say Mara, what do you make of the well?", wait=3)
        mind = minds.script_llm("Anna told me.")
        self.do(self.char1, "say Mara, what makes you think so?", wait=3)
        shown = [one["by"] for one in mind.requests[0].context["memories"]]
        self.assertEqual(shown, ["Carl", "Bo"])
