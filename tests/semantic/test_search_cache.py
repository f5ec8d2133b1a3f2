"""Tests of what is kept in memory of the rows of an assistant."""

import threading
import unittest

import numpy as np

from evennia_ai.semantic.stores.search_cache import UNREAD, Left, OwnedCache, Row


def row(n, *, moment=None, speaker="Ann", text="The wolf ate a sheep.", before="", audience=UNREAD):
    vector = np.array([n / 10], dtype=np.float32)
    return Row(
        n,
        float(n if moment is None else moment),
        0.9,
        5.0,
        speaker,
        0.5,
        text,
        before,
        vector.tobytes(),
        audience,
    )


class OwnedCacheTests(unittest.TestCase):
    def setUp(self):
        self.rows = {"mara": [row(1), row(2)], "otto": [row(3)]}
        self.fetched = []

    def fetch(self, assistant_key, after):
        self.fetched.append((assistant_key, after))
        return [one for one in self.rows.get(assistant_key, []) if one.n > after]

    def cache(self, **options):
        return OwnedCache(self.fetch, dimensions=1, **options)

    def numbers(self, cache, key):
        return cache.get(key).rows.numbers.tolist()

    def test_only_what_is_new_is_fetched(self):
        cache = self.cache()
        self.assertEqual(self.numbers(cache, "mara"), [1, 2])
        self.rows["mara"].append(row(7))
        self.assertEqual(self.numbers(cache, "mara"), [1, 2, 7])
        self.assertEqual(self.numbers(cache, "mara"), [1, 2, 7])
        self.assertEqual(self.fetched, [("mara", 0), ("mara", 2), ("mara", 7)])

    def test_nobody_has_nothing(self):
        cache = self.cache()
        view = cache.get("nobody")
        self.assertEqual((view.rows.numbers.tolist(), view.vectors.shape), ([], (0, 1)))
        self.assertEqual(view.places(["4"]).tolist(), [])
        self.assertEqual(view.words.fit(["wolf"], view.places([])).tolist(), [])

    def test_every_trait_of_a_row_is_kept(self):
        self.rows["mara"] = [row(1, speaker="Ann"), row(2, speaker="Bo"), row(4, speaker="Ann")]
        view = self.cache().get("mara")
        known = view.known(view.places([4, 2]))
        self.assertEqual(known.numbers.tolist(), [2, 4])
        self.assertEqual(known.moments.tolist(), [2.0, 4.0])
        self.assertEqual([known.speakers[code] for code in known.speaker_codes], ["Bo", "Ann"])
        self.assertEqual((known.trusts[0], known.importances[0], known.worths[0]), (0.9, 5.0, 0.5))
        np.testing.assert_allclose(view.vectors[:, 0], [0.1, 0.2, 0.4])

    def test_places_are_in_order_of_time_and_of_rows_that_are_there(self):
        self.rows["mara"] = [row(1, moment=9), row(2, moment=3), row(5, moment=3)]
        view = self.cache().get("mara")
        self.assertEqual(view.places(["5", "1", "2", "3", "99"]).tolist(), [1, 2, 0])

    def test_rows_that_are_not_stored_come_after_those_that_are_and_in_their_time(self):
        view = self.cache().get("mara", [row(-1, moment=1.5, text="The mill burnt.")])
        self.assertEqual(view.rows.numbers.tolist(), [1, 2, -1])
        self.assertEqual(view.places([1, 2]).tolist(), [0, 2, 1])
        self.assertEqual([round(float(one), 3) for one in view.likeness([1.0])], [0.1, 0.2, -0.1])
        self.assertEqual(self.numbers(self.cache(), "mara"), [1, 2])

    def test_of_two_that_say_the_same_the_stored_one_is_ranked_if_it_may_be_told(self):
        view = self.cache().get(
            "mara", [row(-1, text="the WOLF ate a  sheep."), row(-2, speaker="Bo")]
        )
        self.assertEqual(view.places([1, 2]).tolist(), [3, 0, 1])
        self.assertEqual(view.places([]).tolist(), [3, 2])

    def test_what_is_not_stored_is_ranked_once(self):
        view = self.cache().get("mara", [row(-n, text="The mill burnt.") for n in (1, 2)])
        self.assertEqual(view.places([]).tolist(), [2])

    def test_a_row_is_told_to_those_who_may_know_it(self):
        self.rows["mara"] = [
            row(1, audience=None),
            row(2, audience='["ann", "bo"]'),
            row(3, audience='["ann"]'),
            row(4),
        ]
        view = self.cache().get("mara", [row(-1, text="The mill burnt.", moment=9)])
        for hearers, told in (
            (["ann"], [0, 1, 2, 4]),
            (["bo", "ann"], [0, 1, 4]),
            (["cid"], [0, 4]),
            ([], [0, 1, 2, 3, 4]),
        ):
            self.assertEqual(view.told(hearers).tolist(), told, hearers)
        self.assertEqual(view.told(["ann"], min_trust=0.95).tolist(), [4])

    def test_what_was_deleted_is_told_no_more(self):
        deleted, left = [0], Left(np.array([2]), up_to=2)
        self.rows["mara"] = [row(n, audience=None) for n in (1, 2)]
        cache = self.cache(deletions=lambda: deleted[0], left=lambda key: left)
        self.assertEqual(cache.get("mara").told([]).tolist(), [0, 1])
        before = cache.get("mara")
        deleted[0] = 1
        self.assertEqual(cache.get("mara").told([]).tolist(), [1])
        self.assertEqual(before.told([]).tolist(), [0, 1])

    def test_what_others_cannot_see_yet_is_not_taken_for_deleted(self):
        """A thread that is not done has rows that the list of another does not have."""
        deleted, left = [0], [Left(np.array([2]), up_to=2)]
        self.rows["mara"] = [row(n, audience=None) for n in (1, 2, 3)]
        cache = self.cache(deletions=lambda: deleted[0], left=lambda key: left[0])
        cache.get("mara")
        deleted[0] = 1
        self.assertEqual(cache.get("mara").told([]).tolist(), [1, 2])

    def test_values_by_number_are_spread_over_the_stored_rows(self):
        view = self.cache().get("mara", [row(-1, text="The mill burnt.")])
        self.assertEqual(view.spread(np.array([2, 9]), np.array([0.5, 0.7])).tolist(), [0.0, 0.5])

    def test_a_view_does_not_change_with_what_comes_later(self):
        cache = self.cache()
        before = cache.get("mara")
        self.rows["mara"] += [row(n, text=f"Tale {n}.", speaker=f"S{n}") for n in range(10, 60)]
        after = cache.get("mara")
        self.assertEqual((len(before.rows.numbers), len(after.rows.numbers)), (2, 52))
        self.assertEqual((before.rows.speakers, len(before.vectors)), (["Ann"], 2))
        fitting = before.words.fit(["tale", "wolf"], before.places([1, 2]))
        self.assertEqual(len(fitting), 2)

    def test_beyond_the_limit_those_asked_longest_ago_are_dropped(self):
        size = self.cache().get("mara").vectors.base.nbytes
        cache = self.cache(limit=size)
        self.fetched.clear()
        for key in ("mara", "otto", "otto", "mara"):
            cache.get(key)
        self.assertEqual(self.fetched, [("mara", 0), ("otto", 0), ("otto", 3), ("mara", 0)])

    def test_the_last_one_is_kept_however_large_it_is(self):
        cache = self.cache(limit=0)
        cache.get("mara")
        cache.get("mara")
        self.assertEqual(self.fetched, [("mara", 0), ("mara", 2)])

    def test_dropping_forgets(self):
        cache = self.cache()
        for forget in (lambda: None, lambda: cache.drop("mara"), cache.drop):
            forget()
            cache.get("mara")
            cache.get("otto")
        before, one, both = self.fetched[:2], self.fetched[2:4], self.fetched[4:]
        self.assertEqual(before, [("mara", 0), ("otto", 0)])
        self.assertEqual(one, [("mara", 0), ("otto", 3)])
        self.assertEqual(both, [("mara", 0), ("otto", 0)])

    def test_what_was_dropped_while_it_was_fetched_is_fetched_again(self):
        """What is rolled back meanwhile must not come back into memory."""

        def fetch(assistant_key, after):
            rows = self.fetch(assistant_key, after)
            if len(self.fetched) == 1:
                self.rows["mara"] = [row(1, text="Another tale.")]
                cache.drop()
            return rows

        cache = OwnedCache(fetch, dimensions=1)
        self.assertEqual(self.numbers(cache, "mara"), [1])
        self.assertEqual(self.fetched, [("mara", 0), ("mara", 0)])

    def test_threads_that_fetch_at_once_keep_each_row_once(self):
        self.rows["mara"] = [row(n) for n in range(1, 200)]
        cache, found = self.cache(), []
        threads = [
            threading.Thread(target=lambda: found.append(self.numbers(cache, "mara")), daemon=True)
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        self.assertEqual(found, [list(range(1, 200))] * 8)
