"""Tests of what an assistant remembers that bears on a question."""

import json

from evennia_ai.memory import journal
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.sleep import evidence
from evennia_ai.testing import minds
from tests.sleep.reflecting import ANNA, BO, ReflectionTestCase, insights


class EvidenceTests(ReflectionTestCase):
    def find(self, question="What about the mill?", **kwargs):
        return self.successResultOf(
            evidence.retrieve_evidence_for_question(self.script, question, **kwargs)
        )

    def test_long_term_memory_comes_first_and_what_the_journal_has_is_named_so(self):
        """J46 R7: {"id", "content", "score"}, strings as ids."""
        noted = self.note("The mill burned down.")
        known = self.learn("The mill was built by Tam.")
        self.learn("The mill burned down.", metadata={"source": "journal", "entry_id": noted})
        other = self.note("A new mill will be built.")
        found = self.find()
        self.assertEqual({tuple(one) for one in found}, {("id", "content", "score")})
        self.assertEqual([one["id"] for one in found], [str(noted), known, str(other)])
        self.assertEqual(found[0]["content"], "The mill burned down.")

    def test_what_a_game_keeps_with_a_number_of_its_own_is_no_copy_of_the_journal(self):
        noted = self.note("It rains.")
        known = self.learn("The mill burned.", metadata={"source": "rumours", "entry_id": noted})
        self.assertEqual(self.find()[0]["id"], known)

    def test_ten_are_enough(self):
        """J46 R7: 10 by default."""
        for number in range(12):
            self.note(f"The mill has {number} wheels.")
        self.learn("The mill was built by Tam.")
        self.assertEqual(len(self.find()), 10)
        self.assertEqual(len(self.find(limit=4)), 4)

    def test_what_is_unlike_the_question_is_no_evidence(self):
        self.memory.scale = {"relevant": 0.9}
        self.learn("The old mill stands by the river and grinds nothing.")
        self.assertEqual(self.find("What do mill owners in towns want for flour?"), [])

    def test_a_rumour_is_no_evidence(self):
        """J21 M10 R7."""
        self.learn("The mill is cursed.", metadata={"source_trust": 0.3})
        self.note("The mill is haunted.", source_type="environmental", source_entity="Bo")
        told = self.note("The mill burned down.", source_type="direct", source_entity="Bo")
        self.assertEqual([one["id"] for one in self.find()], [str(told)])

    def test_without_long_term_memory_there_is_the_journal(self):
        """J78."""
        self.memory.fail_with = MemoryUnavailable("the disk is full")
        noted = self.note("The mill burned down.", source_entity="Anna")
        self.assertEqual([one["id"] for one in self.find()], [str(noted)])
        self.assertEqual([one["id"] for one in self.find("What does Anna want?")], [str(noted)])
        self.assertIn("the disk is full", self.log[0])

    def test_a_question_that_fits_nothing_gets_what_matters_most(self):
        small = self.note("It drizzled.", importance=3)
        large = self.note("The king is dead.", importance=9)
        found = self.find("How do travellers respond?")
        self.assertEqual([one["id"] for one in found], [str(large), str(small)])

    def test_a_greeting_is_no_evidence_however_well_it_fits(self):
        """Rated 1 or 2: neither in the journal nor where sleep has copied it."""
        self.note("Good night, miller, and thank you for the mill.", importance=2)
        self.assertEqual(self.find("How is the miller of the mill?"), [])

    def test_only_what_the_audience_may_know_is_found(self):
        public = self.note("The mill burned down.")
        annas = self.note("The mill hides gold.", audience=[ANNA])
        both = self.note("The mill is for sale.", audience=[ANNA, BO])
        key = self.script.assistant_key
        secret = self.learn("The mill belongs to Anna.", audience=[ANNA, key])
        for audience, expected in (
            ("public", {str(public)}),
            ([ANNA], {str(public), str(annas), str(both), secret}),
            ([ANNA, BO], {str(public), str(both)}),
        ):
            with self.subTest(audience):
                self.assertEqual({one["id"] for one in self.find(audience=audience)}, expected)

    def test_what_other_assistants_echo_is_no_evidence(self):
        noted = self.note("Mara told me that the mill burned down.", tags=["say", "echo"])
        self.learn("Mara told me that the mill burned down.", metadata={"tags": ["echo"]})
        self.assertEqual(self.find(), [])
        journal.edit_entry(self.npc, noted, tags=["say"])
        self.assertEqual([one["id"] for one in self.find()], [str(noted)])

    def test_what_was_concluded_before_is_no_evidence(self):
        """R19: no reflection upon reflections."""
        self.note("[SYNTHESIS] The mill matters.", tags=["synthesis"])
        self.assertEqual(self.find(), [])


class ShownTests(ReflectionTestCase):
    """What a mind reads of the evidence when it concludes."""

    def shown(self, question="What about the mill?"):
        mind = minds.script_llm(
            json.dumps({"questions": [question]}), insights(("Prices follow the mill.", [1]))
        )
        self.run_reflection()
        return mind.requests[1].messages[-1]["content"].partition("oldest first:\n")[2]

    def test_what_the_journal_made_room_for_keeps_its_source(self):
        self.happen("The mill stands still.", "Anna")
        gone = {"source": "journal", "entry_id": 99, "timestamp": "1969-12-31T00:00:00.000Z"}
        self.learn("I owe you for the mill.", metadata={**gone, "speaker": "Bo"})
        deed = {"source_type": "observation", "tags": ["give"], "entry_id": 98}
        later = {"timestamp": "1969-12-31T00:00:10.000Z", "speaker": "Bo"}
        self.learn("Bo gives you a mill wheel", metadata={**gone, **deed, **later})
        self.assertEqual(
            self.shown(),
            "(2 days ago)\n"
            "1. Bo: I owe you for the mill.\n"
            "2. (seen): Bo gives you a mill wheel\n"
            "(Just now)\n"
            "3. Anna: The mill stands still.",
        )

    def test_what_it_did_itself_it_is_not_told_as_seen(self):
        self.note("Mara gives a mill wheel to Anna", source_type="observation", tags=["give"])
        self.clock.advance(60)
        self.happen("The mill stands still.", "Anna")
        deed = {"source_type": "observation", "tags": ["give"], "entry_id": 98, "source": "journal"}
        self.learn(
            "Mara gives the mill to Bo", metadata={**deed, "timestamp": "1969-12-31T00:00:00.000Z"}
        )
        self.assertEqual(
            self.shown(),
            "(2 days ago)\n"
            "1. (own doing): Mara gives the mill to Bo\n"
            "(Just now)\n"
            "2. (own doing): Mara gives a mill wheel to Anna\n"
            "3. Anna: The mill stands still.",
        )

    def test_the_oldest_comes_first_however_well_it_fits(self):
        self.happen("My wheel is cracked.", "Anna")
        self.clock.advance(60)
        self.happen("The mill wheel of the mill is mended.", "Anna")
        self.assertEqual(
            self.shown("What about the wheel of the mill?"),
            "(Just now)\n"
            "1. Anna: My wheel is cracked.\n"
            "2. Anna: The mill wheel of the mill is mended.",
        )

    def test_where_there_is_room_the_rest_of_the_day_is_shown(self):
        """A debt that was paid, where the question only finds the debt."""
        self.happen("I owe you three crowns for the mill.", "Bo")
        self.clock.advance(60)
        self.happen("There it is, all that you had coming.", "Bo")
        self.happen("Good day.", "Bo", importance=2)
        self.assertIn("2. Bo: There it is, all that you had coming.", self.shown())
        self.assertNotIn("Good day", self.shown("What about the mill?"))
