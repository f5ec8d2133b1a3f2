"""Tests of insights that say what an earlier one says."""

import json
import unittest

from evennia_ai.agent.prompting import recall_sources
from evennia_ai.memory import journal
from evennia_ai.sleep import pruning, repeated_insights
from evennia_ai.testing import minds
from tests.sleep.reflecting import ANNA, BO, QUESTIONS, ReflectionTestCase, insights

SAME = (
    ("Wolves come.", "wolves come"),
    ("Anna fears the mill at night.", "Anna has feared a mill at night."),
    ("Flour is very dear.", "Flour is dear."),
    ("Strangers often ask about the ferry.", "Strangers ask about the ferry."),
    ("The bridge isn't safe.", "The bridge is not safe."),
    ("Det är ofta vargar vid bron.", "Det är vargar vid bron."),
)
DIFFERENT = (
    ("The miller is dead.", "The miller is not dead."),
    ("The miller is dead.", "The miller isn't dead."),
    ("Anna fears the mill.", "Anna fears the well."),
    ("Anna fears the mill.", "Anna no longer fears the mill."),
    ("Anna fears the mill.", "Anna stopped fearing the mill."),
    ("Anna fears the mill.", "Bo fears the mill."),
    ("Anna moved to the mill.", "Anna moved from the mill."),
    ("Anna loves ale.", "Anna hates ale."),
    ("Anna owes Bo money.", "Bo owes Anna money."),
    ("The ferry leaves before dawn.", "The ferry leaves after dawn."),
    ("Ale costs 2 crowns.", "Ale costs 3 crowns."),
    ("Cid will marry Dora.", "Cid will marry Dora's sister."),
    ("People lose purses near the bridge in autumn.", "People lose purses near the bridge."),
    ("The bridge is safe.", "The bridge is unsafe."),
    ("The ale of Jon is dear.", "The ale of Jons is dear."),
)


class TableTests(unittest.TestCase):
    def test_what_tells_nothing_may_differ_and_nothing_else(self):
        for pairs, expected in ((SAME, True), (DIFFERENT, False)):
            for one, other in pairs:
                with self.subTest(one, other=other):
                    self.assertIs(repeated_insights.says_the_same(one, other), expected)
                    self.assertIs(repeated_insights.says_the_same(other, one), expected)


class NightTests(ReflectionTestCase):
    def conclude(self, text, *, said="The mill creaks at night.", cited=(1,), **fields):
        """Let something be noted, and the night conclude this from it; return (id, result)."""
        noted = self.happen(said, "Anna", importance=9, **fields)
        minds.script_llm(QUESTIONS, insights((text, cited)))
        return noted, self.run_reflection()

    def syntheses(self):
        return [entry for entry in journal.entries(self.npc) if "synthesis" in entry.tags]

    def test_an_insight_that_comes_again_strengthens_the_first(self):
        first, _ = self.conclude("Anna fears the mill.")
        second, result = self.conclude("Anna feared the mill.", said="Anna ran from the mill.")
        [kept] = self.syntheses()
        self.assertEqual(result["stored_entries"], [])
        self.assertEqual(kept.content.splitlines()[-1], self.line(first, second))
        self.assertEqual((kept.derived_from, kept.importance), ([first, second], 9))

    def test_what_is_gone_already_keeps_no_other_that_no_longer_holds(self):
        self.conclude("Anna fears the mill.")
        [kept] = self.syntheses()
        gone, other = (
            repeated_insights.Told(entry_id, "Anna fears the mill.", kept.audience)
            for entry_id in (kept.id + 50, kept.id)
        )
        repeated_insights.let_go(self.npc, [gone, other], audience=kept.audience)
        [taken] = self.syntheses()
        self.assertIn("taken back", taken.tags)

    def test_the_same_evidence_strengthens_nothing(self):
        self.conclude("Anna fears the mill.")
        [before] = self.syntheses()
        minds.script_llm(QUESTIONS, insights(("Anna fears the mill.", [1])))
        self.run_reflection()
        self.assertEqual(self.syntheses(), [before])

    def line(self, *ids):
        return f"- Anna fears the mill. (because of entries {', '.join(map(str, ids))})"

    def test_what_says_the_opposite_stands_beside_it(self):
        self.conclude("The miller is dead.", said="The miller has drowned.")
        self.conclude("The miller is not dead.", said="The miller came in for ale.")
        self.assertEqual(len(self.syntheses()), 2)

    def test_what_all_may_know_is_not_strengthened_by_a_secret(self):
        self.conclude("Anna fears the mill.")
        [before] = self.syntheses()
        self.conclude("Anna fears the mill.", said="The mill scares me.", audience=[ANNA, BO])
        self.assertEqual(self.syntheses(), [before])

    def answer(self, *found, outdated=()):
        given = [{"number": number, "evidence": cited} for number, cited in outdated]
        return json.dumps({**json.loads(insights(*found)), "outdated": given})

    def test_what_no_longer_holds_is_shown_and_goes(self):
        """A debt that was paid does not stand beside the payment."""
        self.conclude("Anna owes three shillings.", said="I owe three shillings.")
        self.happen("Here are the three shillings.", "Anna", importance=9)
        mind = minds.script_llm(QUESTIONS, self.answer(outdated=[(1, [1, 2])]))
        self.run_reflection()
        asked = mind.requests[-1].messages[-1]["content"]
        self.assertIn("1. Anna owes three shillings.", asked.split("Concluded before")[1])
        [entry] = self.syntheses()
        self.assertIn("taken back", entry.tags)
        self.assertEqual(recall_sources.newest_insights(self.npc, hearers=[ANNA]), [])

    def age(self):
        """Let all that was concluded leave the journal for long-term memory."""
        self.patch(journal, "syntheses_beyond", lambda npc: self.syntheses())
        self.outcome(pruning.let_insights_age(self.script, self.npc))
        self.assertEqual(self.syntheses(), [])

    def aged(self):
        """Return the tags of each insight that grew old."""
        known = self.successResultOf(self.memory.get_all(assistant_key=self.script.assistant_key))
        return {one.text: "taken back" in one.metadata["tags"] for one in known}

    def test_what_grew_old_is_shown_and_goes_if_it_no_longer_holds(self):
        self.conclude("Anna owes three shillings.", said="I owe three shillings.")
        self.conclude("Anna sings.", said="I sing, though I owe three shillings.", cited=(2,))
        self.age()
        self.happen("Here are the three shillings that I owed.", "Anna", importance=9)
        mind = minds.script_llm(QUESTIONS, self.answer(outdated=[(1, [1, 2, 3])]))
        self.run_reflection()
        asked = mind.requests[-1].messages[-1]["content"].split("Concluded before")[1]
        self.assertIn("1. Anna owes three shillings.", asked)
        self.assertEqual(self.aged(), {"Anna owes three shillings.": True, "Anna sings.": False})

    def test_what_grew_old_and_all_may_know_is_not_taken_back_for_a_secret(self):
        self.conclude("Anna owes three shillings.", said="I owe three shillings.")
        self.age()
        self.happen("I paid the three shillings.", "Anna", importance=9, audience=[ANNA])
        minds.script_llm(QUESTIONS, self.answer(outdated=[(1, [1, 2])]), repeat=True)
        self.run_reflection()
        self.assertEqual(self.aged(), {"Anna owes three shillings.": False})

    def test_the_others_of_one_night_stay(self):
        self.happen("I owe three shillings.", "Anna", importance=9)
        found = ("Anna owes three shillings.", [1]), ("Whoever owes is honest.", [1])
        minds.script_llm(QUESTIONS, insights(*found))
        self.run_reflection()
        self.happen("Here are the three shillings.", "Anna", importance=9)
        minds.script_llm(
            QUESTIONS,
            self.answer(("Anna brings shillings in time.", [1, 2]), outdated=[(1, [1, 2])]),
        )
        self.run_reflection()
        told = [one.content for one in repeated_insights.told_before(self.npc, "public")]
        self.assertEqual(told, ["Whoever owes is honest.", "Anna brings shillings in time."])

    def test_what_all_may_know_does_not_go_for_a_secret(self):
        self.conclude("Anna owes three shillings.", said="I owe three shillings.")
        [before] = self.syntheses()
        self.happen("I paid.", "Anna", importance=9, audience=[ANNA])
        minds.script_llm(QUESTIONS, self.answer(outdated=[(1, [1, 2])]), repeat=True)
        self.run_reflection()
        self.assertEqual(self.syntheses(), [before])

    def test_nothing_goes_without_new_evidence_or_for_the_word_of_one_whom_it_does_not_concern(
        self,
    ):
        self.conclude("Anna owes three shillings.", said="I owe three shillings.")
        [before] = self.syntheses()
        for cited in ([], [1], [7]):
            self.happen("Fine weather, and Anna knows it.", "Anna", importance=9)
            minds.script_llm(QUESTIONS, self.answer(outdated=[(1, cited)]))
            self.run_reflection()
            with self.subTest(cited):
                self.assertEqual(self.syntheses(), [before])
        self.happen("Anna paid it all.", "Bo", importance=9)
        minds.script_llm(QUESTIONS, self.answer(outdated=[(1, [1, 2, 3, 4, 5])]))
        self.run_reflection()
        self.assertEqual(self.syntheses(), [before])

    def test_an_answer_in_another_shape_says_that_nothing_is_outdated(self):
        """The insights beside it stay."""
        self.conclude("Anna owes three shillings.", said="I owe three shillings.")
        shapes = ["none", 1, [1, 2], {"number": None}, {"number": 1}]
        for outdated, found in ((None, "Anna drinks ale."), (shapes, "Her ale pleases the inn.")):
            self.happen("I like ale.", "Anna", importance=9)
            answer = {**json.loads(insights((found, [1, 2]))), "outdated": outdated}
            minds.script_llm(QUESTIONS, json.dumps(answer))
            with self.subTest(outdated):
                self.assertIsNone(self.run_reflection()["error"])
        told = [one.content for one in repeated_insights.told_before(self.npc, "public")]
        self.assertEqual(
            told, ["Anna owes three shillings.", "Anna drinks ale.", "Her ale pleases the inn."]
        )

    def test_what_was_concluded_of_others_is_not_shown(self):
        self.conclude("Bo owes three shillings.", said="Bo owes me three shillings.")
        self.happen("I like ale.", "Cid", importance=9)
        mind = minds.script_llm(QUESTIONS, self.answer())
        self.run_reflection()
        self.assertNotIn("Concluded before", mind.requests[-1].messages[-1]["content"])
