"""Somebody puts right what an assistant knows of them, or has from them."""

from evennia_ai.agent.revising import correcting
from evennia_ai.experience.base import get_experience
from evennia_ai.memory import journal
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.semantic import base, journal_sync
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase
from tests.memory.profiles import add_fact


class CorrectingTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.own = self.script_of_mara.assistant_key

    def correct(self, wrong, right, *, by=None):
        done = correcting.correct(
            self.mara, self.script_of_mara, by or self.char1, wrong=wrong, right=right
        )
        return self.successResultOf(done)

    def tell(self, content, **fields):
        given = {"source_id": self.first, "source_entity": "Char", "source_type": "direct"}
        return journal.add_entry(self.mara, content, **{**given, **fields})

    def know(self, *facts):
        entity_profiles.create_entity_profile(self.mara, self.char1)
        for value in facts:
            add_fact(self.mara, self.first, value)

    def facts(self):
        known = entity_profiles.find_profile(self.mara, self.first)
        return [(fact.id, fact.value, fact.superseded_by) for fact in known.attributes]

    def test_the_words_that_hold_it_decide_before_those_that_are_like_it(self):
        self.know("likes red wine", "likes old wine")
        self.assertEqual(self.correct("OLD WINE", "likes ale"), "likes old wine")
        self.assertEqual(
            self.facts(),
            [(1, "likes red wine", None), (2, "likes old wine", 3), (3, "likes ale", None)],
        )

    def test_nothing_is_written_down_of_who_is_remembered_for_a_visit_only(self):
        self.know("likes red wine")
        accounts.opt_out(self.char1)
        done = correcting.correct(
            self.mara,
            self.script_of_mara,
            self.char1,
            wrong="red wine",
            right="sleeps in the attic",
        )
        refused = self.failureResultOf(done, ValueError)
        self.assertIn("remembered for your visit only", str(refused.value))
        self.assertEqual(self.facts(), [(1, "likes red wine", None)])

    def test_what_somebody_says_of_themselves_stays_what_they_say(self):
        """Put right, a fact of them is no knowledge of the assistant's own, which others would believe."""
        entity_profiles.create_entity_profile(self.mara, self.char2)
        add_fact(self.mara, self.second, "lives at the mill", told_by=[self.first])
        owner = "is the owner of this inn, and Char owes Char2 a hundred crowns"
        self.correct("mill", owner, by=self.char2)
        mind = minds.script_llm("Hm.", repeat=True)
        self.do(self.char1, "say Mara, who is Char2?")
        shown = mind.requests[0].messages[-1]["content"]
        self.assertIn(f"(Char2 says of themselves: {owner}.)", shown)
        self.assertNotIn("You know: ", shown)
        # The mind without a model says whom it has it from, too.
        [memory] = mind.requests[0].context["memories"]
        self.assertEqual((memory["kind"], memory["by"]), ("claim", "Char2"))
        self.do(self.char2, "say Mara, hello")
        shown = mind.requests[-1].messages[-1]["content"]
        self.assertIn(f"(Char2 says of themselves: {owner})", shown)

    def test_words_that_are_like_it_are_enough(self):
        self.know("keeps seven brown horses", "likes wine")
        self.assertEqual(self.correct("brown horse", "keeps one cow"), "keeps seven brown horses")

    def test_a_fact_that_gave_way_is_not_corrected_again(self):
        self.know("likes wine")
        self.correct("likes wine", "likes ale")
        self.assertEqual(self.correct("wine", "likes milk"), "")
        self.assertEqual(self.facts()[-1], (2, "likes ale", None))

    def test_an_entry_keeps_who_may_know_it_and_waits_to_be_kept_anew(self):
        entry = self.tell("I sell salt.", audience=[self.first, self.own])
        journal.edit_entry(self.mara, entry.id, consolidated=True)
        self.assertEqual(self.correct("I sell salt", "I sell pepper."), "I sell salt.")
        after = journal.get_entry(self.mara, entry.id)
        self.assertEqual(
            (after.content, after.audience, after.consolidated, after.said_by),
            ("I sell pepper.", sorted([self.first, self.own]), False, self.first),
        )

    def test_the_newest_of_several_is_meant(self):
        older, newer = self.tell("I sell salt."), self.tell("I still sell salt.")
        self.correct("sell salt", "I sell pepper.")
        contents = [journal.get_entry(self.mara, one.id).content for one in (older, newer)]
        self.assertEqual(contents, ["I sell salt.", "I sell pepper."])

    def test_nobody_corrects_what_another_told_or_the_assistant_concluded(self):
        self.tell("Salt is dear.", source_id=self.second)
        self.tell("Char sells salt.", source_type="inference")
        self.assertEqual(self.correct("salt", "It is cheap."), "")

    def test_what_one_may_not_know_is_not_found(self):
        self.tell("I sell salt.", audience=[self.second, self.own])
        self.assertEqual(self.correct("salt", "It is cheap."), "")

    def test_control_characters_do_not_get_in(self):
        self.know("likes wine")
        self.correct("wine", "likes\n\x1b[31m ale\x00")
        self.assertEqual(self.facts()[-1][1], "likes [31m ale")

    def test_without_words_it_is_refused(self):
        self.know("likes wine")
        done = correcting.correct(
            self.mara, self.script_of_mara, self.char1, wrong="wine", right="the"
        )
        self.failureResultOf(done, ValueError)
        self.assertEqual(self.facts(), [(1, "likes wine", None)])

    def test_the_former_words_stay_in_the_history_of_long_term_memory(self):
        memory, entry = base.get_memory(), self.tell("I sell salt.")
        self.successResultOf(journal_sync.add_entry(memory, entry, assistant_key=self.own))
        self.correct("salt", "I sell pepper.")
        [kept] = self.successResultOf(memory.get_all(assistant_key=self.own))
        self.assertEqual(kept.text, "I sell pepper.")
        self.assertEqual([one["text"] for one in kept.metadata["history"]], ["I sell salt."])

    def test_what_was_done_about_it_stays_without_the_words(self):
        experience, told = get_experience(self.own), self.tell("I sell salt.")
        for who, heard in (
            (self.first, "I sell salt."),
            (self.second, "They sell salt."),
            (self.first, "Hello."),
        ):
            self.successResultOf(
                experience.store_decision(
                    "News",
                    "nod",
                    "trade",
                    0.5,
                    {},
                    f'They said "{heard}"',
                    source_id=who,
                    sources=told.origins if heard == told.content else (),
                )
            )
        self.correct("salt", "I sell pepper.")
        kept = self.successResultOf(experience.dump())["decisions"]
        self.assertEqual(
            [(one["data"]["action_type"], one["data"]["reasoning"]) for one in kept],
            [("nod", ""), ("nod", 'They said "They sell salt."'), ("nod", 'They said "Hello."')],
        )

    def test_without_long_term_memory_the_journal_has_it(self):
        self.tell("I sell salt.")
        base.get_memory().fail_with = MemoryUnavailable("it is broken.")
        self.assertEqual(self.correct("salt", "I sell pepper."), "I sell salt.")
        self.assertEqual(
            self.log,
            [
                "evennia_ai: a correction waits for the next sleep: it is broken.",
                "evennia_ai: long-term memory keeps what was corrected: it is broken.",
            ],
        )
