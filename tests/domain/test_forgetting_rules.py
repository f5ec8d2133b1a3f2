import unittest

from evennia_ai.domain.memories.forgetting_rules import Traces, is_derived, plan_journal
from tests.domain import entries

SAID = "I hid the marzipan crown under the seventh stair."


def entry(id, content, **fields):
    told = {"source_type": "direct", "said_by": "bob", "source_entity": "Bob", "event_id": "1"}
    return entries.entry(content, id=id, **{**told, **fields})


def synthesis(id, content, **fields):
    fields = {"source_type": "inference", "said_by": "", "source_entity": "", **fields}
    return entry(id, f"[SYNTHESIS] {content}", tags=["synthesis"], **fields)


TRACES = Traces(
    identities=["ann", ""],
    names=["Ann", "the"],
    said=[SAID],
    others=["The crown is lost.", "Under the bridge lives a troll."],
)


class TracesTests(unittest.TestCase):
    def test_it_knows_what_is_from_them(self):
        self.assertTrue(TRACES.is_theirs("ann", []))
        self.assertTrue(TRACES.is_theirs("bob", [{"identity": "ann"}]))
        self.assertFalse(TRACES.is_theirs("", [{"identity": ""}, {}]))
        self.assertFalse(TRACES.is_theirs("bob", []))

    def test_it_knows_their_name_where_it_is_written_as_one(self):
        for text, expected in (
            ("Ann left.", True),
            ("It was Ann's.", True),
            ("Anna left.", False),
            ("ann", False),
            ("The inn.", False),
        ):
            with self.subTest(text):
                self.assertEqual(TRACES.names_them(text), expected)
        self.assertFalse(Traces(said=[SAID]).names_them("Ann left."))

    def test_a_name_in_small_letters_is_known_with_a_capital(self):
        traces = Traces(names=["will"])
        self.assertFalse(traces.names_them("They will come."))
        traces = Traces(names=["mouse"])
        self.assertTrue(traces.names_them("Mouse came."))
        self.assertTrue(traces.names_them("a mouse came."))

    def test_it_knows_their_words_in_the_words_of_the_assistant(self):
        for text, expected in (
            # Four words in a row.
            ("So it lies under the seventh stair then", True),
            # More than half of what it tells was told by nobody else.
            ("Somebody hid marzipan.", True),
            # Others spoke of the crown as well.
            ("The crown is lost.", False),
            ("It rains, and the marzipan of the baker by the river is sold out again.", False),
            ("", False),
        ):
            with self.subTest(text):
                self.assertEqual(TRACES.echoes(text), expected)

    def test_one_name_that_nobody_else_has_said_is_enough(self):
        traces = Traces(said=["We go to Quillon by the route 7b."], others=["We go to Rome."])
        self.assertTrue(traces.echoes("Many people these days travel as far as Quillon, they say."))
        self.assertTrue(traces.echoes("Take 7b, my good old friend, and mind the many dogs."))
        self.assertFalse(traces.echoes("Many people these days travel as far as Rome, they say."))

    def test_sentences_without_their_words_stay(self):
        self.assertEqual(
            TRACES.without_echoes("Ann was here. It rains. Somebody hid marzipan."), "It rains."
        )
        self.assertEqual(TRACES.without_echoes("It rains."), "It rains.")

    def test_plain_data_loses_what_is_theirs(self):
        value = {
            "events": [
                {"actor": "ann", "text": "Hello"},
                {"actor": "bob", "text": "Hello", "audience": ["ann", "bob"]},
                {"actor": "", "text": "Ann is late.", "at": "2026-01-10T00:00:00.000Z"},
            ],
            "others": [
                {"told_by": "bob", "text": "Ann is late."},
                {"said_by": "bob", "text": "Somebody hid marzipan."},
                {"source_id": "ann", "text": "It rains."},
            ],
            "ann": 5,
            "reason": "Somebody hid marzipan.",
            "number": 1,
        }
        self.assertTrue(TRACES.holds(value))
        self.assertEqual(
            TRACES.scrubbed(value),
            {
                "events": [{"actor": "bob", "text": "Hello", "audience": ["bob"]}],
                "others": [{"told_by": "bob", "text": "Ann is late."}],
                "reason": "",
                "number": 1,
            },
        )

    def test_a_line_that_nobody_can_read_is_theirs_if_it_says_so(self):
        self.assertTrue(TRACES.stand_in('7 {"source_id": "ann", "cont'))
        self.assertTrue(TRACES.stand_in('7 {"content": "Somebody hid marzipan'))
        self.assertFalse(TRACES.stand_in('7 {"content": "Ann is late'))

    def test_times_and_ids_are_nobodys_words(self):
        traces = Traces(said=["The year 2026 was the 11th of them."])
        for value in ("2026-01-11T10:00:00.000Z", "11ae11ae11ae11ae11ae11ae11ae11ae", 2026, None):
            with self.subTest(value):
                self.assertFalse(traces.holds(value))

    def test_a_number_of_four_digits_gives_them_away_and_a_shorter_one_does_not(self):
        for number, expected in (("4711", True), ("471", False)):
            traces = Traces(said=[f"The lock opens by {number} and it is a secret of the family."])
            self.assertEqual(
                traces.holds(f"The miller counted {number} bottles of wine in his cellar."),
                expected,
            )

    def test_nobody_leaves_no_traces(self):
        nobody = Traces()
        self.assertFalse(nobody.holds({"a": ["text", ""], "source_id": ""}))
        self.assertFalse(nobody.is_theirs("", []))


class PlanJournalTests(unittest.TestCase):
    def test_what_they_said_and_what_was_noted_about_them_goes(self):
        kept = [
            entry(1, SAID, said_by="ann", source_entity="Ann"),
            entry(2, "Ann is a thief."),
            entry(3, "It rains."),
            entry(4, "I heard of a crown.", chain=[{"identity": "ann", "name": "Ann"}]),
            entry(5, "They limp.", said_by="", source_entity="Ann"),
        ]
        self.assertEqual(plan_journal(kept, TRACES), ({1, 4, 5}, {}))

    def test_what_they_said_goes_also_if_staff_pinned_it(self):
        kept = [entry(1, SAID, said_by="ann", pinned=True)]
        self.assertEqual(plan_journal(kept, TRACES)[0], {1})

    def test_to_whom_it_was_told_is_forgotten(self):
        told = [{"with": "ann", "name": "Ann"}, {"with": "tom", "name": "Tom"}]
        self.assertEqual(
            plan_journal([entry(1, "It rains.", shared=told)], TRACES),
            (set(), {1: {"shared": [{"with": "tom", "name": "Tom"}]}}),
        )

    def test_a_conclusion_goes_with_what_it_rests_on(self):
        kept = [
            entry(1, SAID, said_by="ann"),
            entry(2, "Stairs are worth a look.", source_type="inference", derived_from=[1]),
            entry(3, "Look twice.", source_type="inference", derived_from=[2]),
        ]
        self.assertEqual(plan_journal(kept, TRACES), ({1, 2, 3}, {}))

    def test_insights_are_made_anew_of_the_others(self):
        content = (
            "Reflection on: What of stairs?\n\n"
            "- Stairs hide much (because of entry 1)\n"
            "- Rain is wet (because of entry 3)"
        )
        kept = [
            entry(1, SAID, said_by="ann"),
            entry(3, "It rains."),
            synthesis(4, content, derived_from=[1, 3]),
        ]
        self.assertEqual(
            plan_journal(kept, TRACES),
            (
                {1},
                {
                    4: {
                        "content": "[SYNTHESIS] Reflection on: \n\n"
                        "- Rain is wet (because of entry 3)",
                        "evidence": [3],
                    }
                },
            ),
        )

    def test_a_synthesis_of_which_nothing_is_left_goes(self):
        kept = [
            entry(1, SAID, said_by="ann"),
            synthesis(4, "Reflection on: x\n\n- Stairs hide much (because of entry 1)"),
            synthesis(5, "Somebody hid marzipan."),
        ]
        self.assertEqual(plan_journal(kept, TRACES)[0], {1, 4, 5})

    def test_a_summary_keeps_its_other_sentences(self):
        kept = [synthesis(5, "Bob and Mara talked. Somebody hid marzipan.", said_by="bob")]
        self.assertEqual(
            plan_journal(kept, TRACES),
            (set(), {5: {"content": "[SYNTHESIS] Bob and Mara talked."}}),
        )

    def test_one_entry_can_be_named(self):
        kept = [entry(1, "It rains."), entry(2, "So it is wet.", derived_from=[1])]
        self.assertEqual(plan_journal(kept, Traces(), gone=[1]), ({1, 2}, {}))

    def test_what_others_testify_is_not_derived(self):
        self.assertFalse(is_derived(entry(1, "It rains.")))
        self.assertTrue(is_derived(entry(1, "It rains.", source_type="inference")))
        self.assertTrue(is_derived(entry(1, "It rains.", derived_from=[2])))
        self.assertTrue(is_derived(synthesis(1, "It rains.")))

    def test_what_the_mind_noted_in_a_turn_is_derived_and_what_the_game_wrote_is_not(self):
        self.assertTrue(is_derived(entry(1, "It rains.", said_by="")))
        self.assertFalse(is_derived(entry(1, "It rains.", said_by="", event_id="")))
