"""What comes to mind first, of everything that is remembered."""

import unittest
from datetime import datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as some
from msgspec import structs

from evennia_ai.core.records import format_time
from evennia_ai.domain.memories import memory_ranking
from evennia_ai.domain.memories.remembered import Remembered

NOON = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)


def memory(text, *, by="", hours=0.0, **fields):
    moment = format_time(NOON - timedelta(hours=hours))
    return Remembered(text=text, by=by, timestamp=moment, audience="public", **fields)


def rank(items, query, *, limit=10, names=()):
    return memory_ranking.rank(items, query, now=NOON, limit=limit, names=names)


class HeardTests(unittest.TestCase):
    def test_what_is_hardly_believed_is_a_rumour_and_what_was_said_to_others_overheard(self):
        """J21 M10."""
        for source, trust, expected in (
            ("direct", 0.5, ""),
            ("direct", 0.49, "rumour"),
            ("environmental", 0.3, "overheard"),
            ("environmental", 0.9, "overheard"),
            ("reflection", 0.3, ""),
        ):
            with self.subTest(source=source, trust=trust):
                self.assertEqual(memory_ranking.heard_as(source, trust), expected)


class RankTests(unittest.TestCase):
    def test_what_fits_comes_first_and_what_does_not_fit_not_at_all(self):
        found = rank(
            [memory("The ale is brewed by Tam."), memory("The mill burned down.")], "who brews ale"
        )
        self.assertEqual([item.text for item in found], ["The ale is brewed by Tam."])

    def test_of_two_that_fit_alike_the_fresher_comes_first(self):
        old, new = memory("The mill burned.", hours=400), memory("The mill burned.", by="Bob")
        self.assertEqual(rank([old, new], "the mill burned")[0].by, "Bob")

    def test_of_two_that_fit_alike_the_weightier_comes_first(self):
        light = memory("The mill burned.", by="Ann", importance=1)
        weighty = memory("The mill burned.", by="Bob", importance=10)
        self.assertEqual(rank([light, weighty], "the mill burned")[0].by, "Bob")

    def test_of_two_that_fit_alike_the_more_trusted_comes_first(self):
        rumour = memory("The mill burned.", by="Ann", trust=0.1)
        sure = memory("The mill burned.", by="Bob", trust=0.9)
        self.assertEqual(rank([rumour, sure], "the mill burned")[0].by, "Bob")

    def test_freshness_weight_and_trust_never_make_up_for_not_fitting(self):
        loud = memory("It rains.", importance=10, trust=1.0)
        self.assertEqual(rank([loud], "who brews the ale"), [])

    def test_a_likeness_by_meaning_counts_where_no_word_fits(self):
        like = memory("Tam makes the beer.", likeness=0.6)
        [found] = rank([like], "who brews the ale")
        # 0.7 for fitting, 0.1 as it is fresh, 0.05 of weight, 0.08 of trust; of all that 0.6.
        self.assertEqual(found.score, 0.558)

    def test_who_said_it_is_found_by_name(self):
        found = rank([memory("The bridge is out.", by="Ann")], "what did Ann say about the bridge")
        self.assertEqual(len(found), 1)

    def test_a_call_by_name_is_not_what_is_asked_about(self):
        called = memory("Mara, I met Ann at the mill.", by="Bob")
        known = memory("Ann prefers tea.", importance=10)
        items, query = [called, known], "Mara, what do you know about Ann?"
        self.assertEqual(
            rank(items, query, names=["Mara"])[0], structs.replace(known, score=0.98, fits=0.98)
        )
        self.assertEqual(rank(items, query)[0].text, called.text)

    def test_a_memory_without_a_time_is_as_good_as_fresh(self):
        [lore] = rank(
            [structs.replace(memory("The mill burned."), timestamp="")], "the mill burned"
        )
        [fresh] = rank([memory("The mill burned.")], "the mill burned")
        self.assertEqual(lore.score, fresh.score)

    def test_the_limit_is_kept_and_equal_ones_stay_in_order(self):
        items = [memory("The mill burned.", by="", importance=5, event_id=f"{n}") for n in range(5)]
        found = rank(items, "the mill burned", limit=3)
        self.assertEqual([item.event_id for item in found], ["0", "1", "2"])

    @given(some.lists(some.text(max_size=40), max_size=8), some.text(max_size=40))
    def test_any_text_gets_a_score_between_0_and_1(self, texts, query):
        for item in rank([memory(text) for text in texts], query):
            self.assertTrue(0 < item.score <= 1, item)


class DoubleTests(unittest.TestCase):
    def test_the_same_words_of_the_same_person_count_once(self):
        items = [
            memory("The mill  burned.", by="Ann", event_id="1"),
            memory("the mill burned.", by="Ann"),
        ]
        self.assertEqual([one.event_id for one in memory_ranking.without_doubles(items)], ["1"])

    def test_the_same_words_of_two_people_count_twice(self):
        items = [memory("The mill burned.", by="Ann"), memory("The mill burned.", by="Bob")]
        self.assertEqual(len(memory_ranking.without_doubles(items)), 2)


class FittingTests(unittest.TestCase):
    def fits(self, *items, query="who brews the ale", relevant=0.4):
        marked = memory_ranking.mark_fitting(
            [structs.replace(item, score=0.5) for item in items],
            query,
            relevant=relevant,
            now=NOON,
            names=["Mara"],
        )
        return [item.fits > 0 for item in marked]

    def test_it_is_by_words_or_by_likeness(self):
        self.assertEqual(
            self.fits(
                memory("Tam brews the ale.", likeness=0.1),
                memory("The beer is made by Tam.", likeness=0.4),
                memory("It rained in May.", likeness=0.3),
            ),
            [True, True, False],
        )

    def test_the_order_stays(self):
        items = [
            memory(f"Line {n}.", likeness=n / 10, event_id=f"{n}", score=0.5) for n in range(9)
        ]
        marked = memory_ranking.mark_fitting(items, "anything", relevant=0.4, now=NOON)
        self.assertEqual([item.event_id for item in marked], list("012345678"))
