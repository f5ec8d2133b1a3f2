"""What the benchmark of crashes takes for lost, doubled and unfinished."""

import copy
import unittest

from tests.benchmarks import crash_check

NOW = "2030-03-17T18:00:00.000Z"
LINE = {
    "role": "user",
    "said_by": "ann",
    "content": "The miller buried 2001 planks near the bridge.",
    "name": "Ann",
    "kind": "say",
    "audience": "public",
    "timestamp": "2030-03-17T16:00:00.000Z",
    "event_id": "said-1",
}


def entry(number, content="It rained.", **fields):
    return {
        "id": number,
        "content": content,
        "timestamp": "2030-03-16T12:00:00.000Z",
        "importance": 5,
        "audience": "public",
        "tags": [],
        "source_id": "",
        "event_id": "",
        "consolidated": True,
        **fields,
    }


def copy_of(one):
    return {
        "id": f"m{one['id']}",
        "text": one["content"],
        "audience": one["audience"],
        "metadata": {"entry_id": one["id"]},
    }


def there_is(*entries, **fields):
    """Return what there is: entries with their copies, each looked at."""
    memories = [copy_of(one) for one in entries]
    return {
        "entries": list(entries),
        "memories": memories,
        "links": {memory["id"]: {"linked_to": []} for memory in memories},
        "talks": {},
        "profiles": {},
        "ripe": [],
        "head": {"size": len(entries)},
        "counted": {"size": len(entries)},
        "night": {"phase": "dreaming", "done": True, "degraded": False},
        **fields,
    }


class CheckTestCase(unittest.TestCase):
    def setUp(self):
        self.before = there_is(entry(1), entry(2, "It snowed."))
        self.after = copy.deepcopy(self.before)

    def lost(self):
        return crash_check.lost(self.before, self.after, now=NOW)

    def doubled(self):
        return crash_check.doubled(self.before, self.after)

    def unfinished(self):
        return crash_check.unfinished(self.after)


class EntryTests(CheckTestCase):
    def test_nothing_is_wrong_with_a_night_that_kept_all(self):
        self.assertEqual((self.lost(), self.doubled(), self.unfinished()), ([], [], []))

    def test_an_entry_without_a_copy_is_lost(self):
        self.after["memories"].pop()
        self.assertEqual(self.lost(), ["entry 2 has no copy"])

    def test_an_entry_that_mattered_may_not_be_forgotten(self):
        self.after["entries"].pop()
        self.assertEqual(self.lost(), ["entry 2 was forgotten"])

    def test_an_old_entry_that_hardly_mattered_may(self):
        old = {"timestamp": "2030-01-01T00:00:00.000Z", "importance": 2}
        self.before["entries"][1].update(old)
        self.after["entries"].pop()
        self.assertEqual(self.lost(), [])

    def test_an_entry_that_waits_is_lost(self):
        self.after["entries"][0]["consolidated"] = False
        self.assertEqual(self.lost(), ["entry 1 waits"])

    def test_a_copy_must_be_as_its_entry_is_now(self):
        for change in ({"content": "It poured."}, {"audience": ["ann"]}):
            with self.subTest(change):
                self.after = copy.deepcopy(self.before)
                self.after["entries"][0].update(change)
                self.assertEqual(self.lost(), ["entry 1 is another one than its copy"])

    def test_two_copies_of_one_entry_are_one_too_many(self):
        self.after["memories"].append({**copy_of(entry(1, "It drizzled.")), "id": "m9"})
        self.assertEqual(self.doubled(), ["copy of entry 1: 2 times"])

    def test_the_same_new_entry_twice_is_one_too_many(self):
        self.after["entries"] += [entry(3, "Ann left."), entry(4, "Ann left.")]
        self.assertEqual(self.doubled(), ["entry ('Ann left.', '', 'public'): 2 times"])

    def test_an_insight_is_told_once_to_the_same_ears(self):
        first, second = (
            entry(3 + n, f"[SYNTHESIS] Reflection on: {n}?\n- Fire is near. [1]") for n in (0, 1)
        )
        self.after["entries"] += [first, second]
        self.assertEqual(len(self.doubled()), 1)
        second["audience"] = ["ann"]
        self.assertEqual(self.doubled(), [])


class LineTests(CheckTestCase):
    def setUp(self):
        super().setUp()
        self.before["talks"] = {"ann": [LINE]}
        self.summary = entry(
            3, "[SYNTHESIS] Ann talked.", tags=["synthesis", "context_compaction"], source_id="ann"
        )
        self.fact = entry(4, "Ann said that the miller buried 2001 planks.", source_id="ann")

    def test_a_line_that_is_still_there_is_not_lost(self):
        self.after["talks"] = {"ann": [LINE]}
        self.assertEqual(self.lost(), [])

    def test_a_line_that_is_gone_must_be_noted_and_summed_up(self):
        self.after["talks"] = {"ann": []}
        self.assertEqual(len(self.lost()), 2)
        self.after["entries"] += [self.fact]
        self.assertEqual(self.lost(), [f"a line was not summed up: {LINE['content']}"])
        self.after["entries"] += [self.summary]
        self.assertEqual(self.lost(), [])

    def test_a_line_of_a_talk_that_ended_must_only_be_noted(self):
        self.assertEqual(self.lost(), [f"nothing of a line is left: {LINE['content']}"])
        self.after["entries"] += [entry(3, "Something else.", event_id="said-1")]
        self.assertEqual(self.lost(), [])

    def test_what_was_noted_for_other_ears_does_not_count(self):
        self.after["entries"] += [{**self.fact, "audience": ["bob"]}]
        self.assertEqual(len(self.lost()), 1)

    def test_two_summaries_for_the_same_ears_are_one_too_many(self):
        self.after["entries"] += [self.summary, {**self.summary, "id": 5, "content": "Another."}]
        self.assertEqual(self.doubled(), ["summary ('ann', 'public'): 2 times"])

    def test_a_line_twice_is_one_too_many(self):
        self.after["talks"] = {"ann": [LINE, LINE]}
        self.assertEqual(len(self.doubled()), 1)


class PeopleTests(CheckTestCase):
    def setUp(self):
        super().setUp()
        seen = {"event_id": "e1", "content": "Ann limps."}
        trait = {"type": "trait", "value": "limps", "audience": "public", "superseded_by": None}
        self.before["profiles"] = {"ann": {"observations": [seen], "attributes": []}}
        self.after["profiles"] = {"ann": {"observations": [seen], "attributes": [trait]}}

    def test_an_observation_stays_and_is_there_once(self):
        known = self.after["profiles"]["ann"]
        self.assertEqual((self.lost(), self.doubled()), ([], []))
        known["observations"] *= 2
        self.assertEqual(self.doubled(), ["observation ('ann', 'e1', 'Ann limps.'): 2 times"])
        known["observations"] = []
        self.assertEqual(self.lost(), ["an observation is gone: e1"])

    def test_an_attribute_holds_once(self):
        known = self.after["profiles"]["ann"]
        known["attributes"].append({**known["attributes"][0], "value": "Limps"})
        self.assertEqual(self.doubled(), ["attribute ('ann', 'trait', 'limps', 'public'): 2 times"])


class NightTests(CheckTestCase):
    def test_a_night_that_was_given_up_is_not_completed(self):
        self.after["night"]["degraded"] = True
        self.assertEqual(len(self.unfinished()), 1)

    def test_a_memory_that_was_not_looked_at_and_a_link_to_nothing(self):
        del self.after["links"]["m1"]
        self.after["links"]["m9"] = {"linked_to": []}
        self.assertEqual(
            self.unfinished(), ["memory m1 was not looked at", "memory m9 is gone and linked"]
        )

    def test_a_journal_that_counts_wrong(self):
        self.after["counted"] = {"size": 1}
        self.assertEqual(self.unfinished(), ["the journal counts {'size': 2} and has {'size': 1}"])

    def test_whom_there_is_something_to_make_of(self):
        self.after["ripe"] = ["ann"]
        self.assertEqual(self.unfinished(), ["of ann enough is known to think about"])
