import time
import unittest
from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpy_strategies

from evennia_ai.semantic.ranking import fusion

NOW = datetime(2023, 8, 20, tzinfo=UTC)
scores = st.floats(-1, 1)


def fused(cosine, keyword=None, **signals):
    keyword = [0.0] * len(cosine) if keyword is None else keyword
    signals = {name: np.array(values) for name, values in signals.items()}
    return fusion.fuse(cosine=np.array(cosine), keyword=np.array(keyword), **signals)


def stamp(*date):
    return datetime(*date, tzinfo=UTC).timestamp()


class PrepareTests(unittest.TestCase):
    # Text, names, what is embedded.
    TEXTS = (
        ("Anna: I sold the boat.", ["Anna"], "I sold the boat."),
        ("What did ANNA's sister sell?", ["Anna"], "What did sister sell?"),
        ("Annabel sold Bo's boat to Bo.", ["Anna", "Bo"], "Annabel sold boat to ."),
        ("Old Tom: Tom is dead.", ["Tom", "Old Tom"], "is dead."),
        ("C++ is (odd): yes.", ["C++"], "is (odd): yes."),
        ("Nothing to cut.", [], "Nothing to cut."),
        ("Anna", ["Anna"], "…"),
        ("", ["", "Anna"], "…"),
    )

    def test_names_are_cut_and_nothing_else(self):
        for text, names, expected in self.TEXTS:
            with self.subTest(text=text):
                self.assertEqual(fusion.prepare(text, names=names), expected)


class QueryTermTests(unittest.TestCase):
    def test_function_words_and_names_are_left_out(self):
        found = fusion.query_terms("What did Anna's brother buy in Saltmere?", names=["Anna"])
        self.assertEqual(found, ["brother", "buy", "saltmere"])

    def test_each_term_comes_once_in_order(self):
        self.assertEqual(fusion.query_terms("Ring, ring! Red ring."), ["ring", "red"])

    def test_a_query_of_names_alone_looks_for_the_names(self):
        self.assertEqual(fusion.query_terms("Who is Anna?", names=["Anna"]), ["anna"])

    def test_a_query_of_function_words_alone_looks_for_them(self):
        self.assertEqual(fusion.query_terms("Who are you?"), ["who", "are", "you"])

    def test_swedish_has_function_words_too(self):
        self.assertEqual(fusion.query_terms("Var är den gamla kronan?"), ["gamla", "kronan"])

    def test_a_word_that_is_idle_in_one_language_counts_in_another(self):
        self.assertEqual(fusion.query_terms("Where did they dig?"), ["dig"])
        self.assertEqual(fusion.query_terms("Vem gav dig hatten?"), ["gav", "hatten"])

    def test_nothing_gives_nothing(self):
        self.assertEqual(fusion.query_terms(" ?! "), [])

    @given(st.text(), st.lists(st.text(), max_size=3))
    def test_any_text_is_fit_for_a_full_text_query(self, query, names):
        for term in fusion.query_terms(query, names=names):
            self.assertNotIn('"', term)
            self.assertTrue(term.strip())


class NamedTests(unittest.TestCase):
    NAMES = ("Anna Berg", "Bo", "Old Tom")

    def test_a_name_is_known_by_its_first_word(self):
        self.assertEqual(fusion.named_in("What did Anna's goat eat?", self.NAMES), {"Anna Berg"})

    def test_words_in_which_a_name_stands_are_no_name(self):
        self.assertEqual(fusion.named_in("Who rows the boat?", self.NAMES), set())

    def test_several_and_empty_names(self):
        self.assertEqual(fusion.named_in("bo and anna", (*self.NAMES, "")), {"Anna Berg", "Bo"})


class WorthTests(unittest.TestCase):
    def test_what_tells_is_worth_more_than_what_greets_or_asks(self):
        tells = fusion.line_worth("Tom: Grisk sold my silver ring to a jeweller in Saltmere.")
        asks = fusion.line_worth("Tom: Did Grisk sell your silver ring to a jeweller in Saltmere?")
        greets = fusion.line_worth("Tom: Hello! How are you?")
        self.assertGreater(tells, 1.5 * asks)
        self.assertGreater(asks, greets)

    def test_rare_words_are_worth_more_than_common_ones(self):
        cheers = fusion.line_worth("Every little day is a good day, and you work so hard!")
        self.assertGreater(fusion.line_worth("Lily touched a glacier."), 2 * cheers)

    def test_an_answer_is_worth_more_than_the_same_words_unasked(self):
        answers = fusion.line_worth("Yes, twice.", "Have you been to Samarkand?")
        self.assertGreater(answers, fusion.line_worth("Yes, twice.", "I was in Samarkand."))

    def test_words_of_other_languages_are_worth_something(self):
        self.assertGreater(fusion.line_worth("Wir sahen einen Gletscher auf der Insel."), 0.3)

    def test_it_stays_between_nothing_and_all(self):
        self.assertEqual(fusion.line_worth(""), 0.0)
        self.assertEqual(fusion.line_worth(" ".join(f"wolf{n}" for n in range(99)) + "."), 1.0)

    def test_who_says_it_does_not_count(self):
        self.assertEqual(fusion.line_worth("Grisk: Wolves!"), fusion.line_worth("Wolves!"))


class NeighbourTests(unittest.TestCase):
    def test_a_talk_ends_where_nobody_spoke_for_an_hour(self):
        found = fusion.previous_rows([0, 10, 20, 4000, 4000])
        self.assertEqual(found.tolist(), [-1, 0, 1, -1, 3])

    def test_no_row_and_one_row(self):
        self.assertEqual(fusion.previous_rows([]).tolist(), [])
        self.assertEqual(fusion.previous_rows([7.0]).tolist(), [-1])

    def test_a_share_goes_to_the_next_line_and_to_the_one_before(self):
        found = fusion.spread(
            np.array([0.0, 1.0, 0.0, 0.0]),
            np.array([-1, 0, 1, -1]),
            from_previous=0.5,
            from_next=0.25,
        )
        self.assertEqual(found.tolist(), [0.25, 1.0, 0.5, 0.0])

    def test_the_scores_that_come_in_are_left_alone(self):
        given_scores = np.array([1.0, 0.0])
        fusion.spread(given_scores, np.array([-1, 0]), from_previous=0.5, from_next=0.5)
        self.assertEqual(given_scores.tolist(), [1.0, 0.0])

    def test_an_answer_is_found_by_its_question(self):
        """ "Who brews the ale?" "Old Tam." and three other lines."""
        alike = [0.6, 0.1, 0.1, 0.1, 0.1]
        linked = fused(alike, previous=[-1, 0, -1, -1, -1])
        self.assertEqual(np.argsort(-linked)[:2].tolist(), [0, 1])
        self.assertAlmostEqual(linked[2], linked[3])
        self.assertGreater(linked[1], linked[2] + 0.01)

    def test_a_line_is_no_worse_for_those_around_it(self):
        """The first line of a talk has none before it, and gains nothing by that."""
        linked = fused([0.1, 0.1, 0.1, 0.9], previous=[-1, 0, 1, -1])
        self.assertAlmostEqual(linked[0], linked[1])
        self.assertAlmostEqual(linked[1], linked[2])


class FuseTests(unittest.TestCase):
    def test_each_signal_lifts_its_row(self):
        for name in ("worth", "by_named", "dates", "recency", "importance", "trust"):
            with self.subTest(name):
                found = fused([0.3, 0.3], **{name: [0.0, 1.0]})
                self.assertGreater(found[1], found[0])

    def test_sense_and_words_both_count(self):
        found = fused([0.1, 0.6, 0.1, 0.6], [0.0, 0.0, 4.0, 4.0])
        self.assertEqual(np.argmin(found), 0)
        self.assertEqual(np.argmax(found), 3)

    def test_no_row_gives_no_score(self):
        self.assertEqual(fused([]).tolist(), [])

    def test_one_row_that_fits_scores_well_and_one_that_does_not_scores_badly(self):
        """With a row or two nothing is usual or unusual among them."""
        self.assertGreater(fused([0.7], [5.0])[0], 0.4)
        self.assertLess(fused([0.02])[0], 0.15)

    def test_rows_that_are_alike_score_alike(self):
        found = fused([0.4] * 7, [1.0] * 7)
        self.assertEqual(len(set(found.tolist())), 1)
        self.assertTrue(np.isfinite(found).all())

    def test_another_weight_changes_the_order(self):
        arrays = {"cosine": np.array([0.6, 0.1]), "keyword": np.array([0.0, 3.0])}
        words_only = {**fusion.WEIGHTS, "cosine": 0.0}
        self.assertEqual(np.argmax(fusion.fuse(**arrays)), 0)
        self.assertEqual(np.argmax(fusion.fuse(**arrays, weights=words_only)), 1)

    def test_the_embedder_says_what_is_usual(self):
        arrays = {"cosine": np.array([0.5]), "keyword": np.array([0.0])}
        low = fusion.fuse(**arrays, cosine_prior=(0.5, 0.1, 5.0))[0]
        self.assertGreater(fusion.fuse(**arrays, cosine_prior=(0.0, 0.1, 5.0))[0], low)

    @given(
        numpy_strategies.arrays(np.float64, st.integers(1, 20), elements=scores),
        st.integers(0, 2**32 - 1),
    )
    def test_a_score_is_always_a_number_from_0_to_1(self, cosine, seed):
        chance = np.random.default_rng(seed)
        count = len(cosine)
        found = fusion.fuse(
            cosine=cosine,
            keyword=chance.random(count) * 9,
            worth=chance.random(count),
            previous=fusion.previous_rows(np.sort(chance.random(count)) * 9000),
        )
        self.assertEqual(found.shape, (count,))
        self.assertTrue(((found >= 0) & (found <= 1)).all())

    def test_ten_thousand_rows_are_fused_well_within_a_search(self):
        """The limit is far above what it takes, so that a busy machine does not fail it."""
        chance = np.random.default_rng(1)
        one, two, three = chance.random((3, 10_000))
        previous = fusion.previous_rows(np.arange(10_000.0))
        took = []
        for _ in range(5):
            began = time.process_time()
            fusion.fuse(cosine=one, keyword=two, worth=three, by_named=one > 0.5, previous=previous)
            took.append(time.process_time() - began)
        self.assertLess(min(took), 0.1)


class DateTests(unittest.TestCase):
    # Query, first and last second that it names.
    DATES = (
        ("What happened in May 2023?", (2023, 5, 1), (2023, 6, 1)),
        ("Where was she on 8 June 2022?", (2022, 6, 8), (2022, 6, 9)),
        ("Where was she on June 8th, 2022?", (2022, 6, 8), (2022, 6, 9)),
        ("Who came on the 3rd of July?", (2023, 7, 3), (2023, 7, 4)),
        ("Who left in October?", (2022, 10, 1), (2022, 11, 1)),
        ("Who left in Feb 2024?", (2024, 2, 1), (2024, 3, 1)),
    )
    NO_DATES = (
        "May I ask who you are?".lower(),
        "Did they march to war?",
        "Who came on 31 February 2022?",
        "How many of the 12 wolves fled?",
        "",
    )

    def test_dates_are_read_in_the_ways_people_write_them(self):
        for query, start, end in self.DATES:
            with self.subTest(query):
                expected = [(stamp(*start), stamp(*end))]
                self.assertEqual(fusion.date_ranges(query, now=NOW), expected)

    def test_what_looks_like_a_date_is_not_always_one(self):
        for query in self.NO_DATES:
            with self.subTest(query):
                self.assertEqual(fusion.date_ranges(query, now=NOW), [])

    def test_two_dates(self):
        found = fusion.date_ranges("between 1 May 2023 and 3 May 2023", now=NOW)
        self.assertEqual([start for start, _ in found], [stamp(2023, 5, 1), stamp(2023, 5, 3)])

    def test_what_was_said_then_counts_most_and_what_was_said_soon_after_some(self):
        times = [stamp(2023, 5, day) for day in (7, 8, 14, 31)]
        match = fusion.date_match(times, [(stamp(2023, 5, 8), stamp(2023, 5, 9))])
        self.assertEqual(match.tolist(), [0.0, 1.0, 0.5, 0.0])

    def test_no_date_is_no_signal(self):
        self.assertIsNone(fusion.date_match([1.0, 2.0], []))
