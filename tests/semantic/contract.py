"""The contract of every semantic memory, as tests: a game that writes its own mixes them in.

    class RedisMemoryTests(SemanticMemoryContract, AITestCase):
        def make_memory(self):
            return RedisMemory()

Deferreds must fire at once: use `semantic.memory_thread.InlineWorker`.
"""

from __future__ import annotations

from typing import Any

from msgspec import structs

from evennia_ai.domain.memories.long_term import NewMemory
from evennia_ai.semantic import base

# What comes out of JSON, out of players, and out of other people's code.
ODD_METADATA = {
    "nothing": None,
    "empty": [],
    "nested": {"deep": [{"er": [1, 2.5, None, True]}]},
    "tags": ["ale", "räksmörgås"],
    "data": "a name that libraries like to use for themselves",
    "hash": "another",
    "user_id": "somebody else",
    "id": 7,
    "created_at": "yesterday",
    "expiration_date": "2001-01-01",
    "": "no key",
    "with space and 'quotes'": '"both"',
    "snowman": "☃ 🐉 \u202e",
}
# Identities as a game of one's own might make them.
ODD_NAMES = ("%", "a_n", 'a"n', "a,n", "{ann}", "NULL", "a\\n", "';--", "[]", "public", "an", "Å☃")


class SemanticMemoryContract:
    """Tests of a memory; the test case gives `make_memory`, an empty one each time."""

    def setUp(self) -> None:
        super().setUp()  # type: ignore[misc]
        self.memory = self.make_memory()  # type: ignore[attr-defined]
        self.addCleanup(self.memory.close)  # type: ignore[attr-defined]

    def did(self, deferred: Any) -> Any:
        """Return what a Deferred has fired with."""
        return self.successResultOf(deferred)  # type: ignore[attr-defined]

    def add(
        self, text: str, *, key: str = "mara", audience: Any = "public", **metadata: Any
    ) -> Any:
        """Keep a text; return its id."""
        return self.did(
            self.memory.add(text, assistant_key=key, audience=audience, metadata=metadata)
        )

    def texts(
        self, query: str, *, key: str = "mara", hearers: Any = ("ann",), **options: Any
    ) -> Any:
        """Return the texts that a search finds."""
        found = self.did(self.memory.search(query, assistant_key=key, hearers=hearers, **options))
        return [item.text for item in found]

    def test_what_is_added_is_found_and_fetched(self: Any) -> None:
        id = self.add("The tavern is in the north wing.", source_id="uuid-of-bob", speaker="Bob")
        [found] = self.did(
            self.memory.search("Where is the tavern?", assistant_key="mara", hearers=["ann"])
        )
        self.assertEqual(
            (found.id, found.text, found.audience),
            (id, "The tavern is in the north wing.", "public"),
        )
        self.assertEqual(found.metadata, {"source_id": "uuid-of-bob", "speaker": "Bob"})
        self.assertTrue(0 < found.score <= 1, found.score)
        self.assertTrue(0 < found.cosine <= 1, found.cosine)
        fetched = self.did(self.memory.get(id, assistant_key="mara"))
        self.assertEqual(fetched, structs.replace(found, score=0.0, cosine=0.0))

    def test_the_best_comes_first_and_no_more_than_the_limit(self: Any) -> None:
        for number in range(6):
            self.add(f"Cow {number} grazes on the meadow.")
        self.add("The dragon sleeps under the old mill.")
        found = self.texts("Where does the dragon sleep?", limit=3)
        self.assertEqual(found[0], "The dragon sleeps under the old mill.")
        self.assertLessEqual(len(found), 3)
        self.assertEqual(self.texts("dragon", limit=0), [])

    def test_an_assistant_has_its_own_memories_only(self: Any) -> None:
        id = self.add("The key lies under the mat.", key="mara")
        self.assertEqual(self.texts("Where is the key?", key="otto"), [])
        self.assertIsNone(self.did(self.memory.get(id, assistant_key="otto")))
        self.assertEqual(self.did(self.memory.get_all(assistant_key="otto")), [])
        self.assertFalse(self.did(self.memory.update(id, "Stolen.", assistant_key="otto")))
        self.assertFalse(self.did(self.memory.delete(id, assistant_key="otto")))
        self.assertEqual(self.texts("Where is the key?"), ["The key lies under the mat."])

    def test_every_hearer_must_be_in_the_audience(self: Any) -> None:
        self.add("The king is ill.", audience=["mara", "ann", "bob"])
        for hearers, may in (
            (["ann"], True),
            (["ann", "bob"], True),
            (["carl"], False),
            (["ann", "carl"], False),
        ):
            with self.subTest(hearers):
                found = self.texts("How is the king?", hearers=hearers)
                self.assertEqual(found, ["The king is ill."] if may else [])

    def test_an_identity_is_compared_as_it_is(self: Any) -> None:
        kept = {
            odd: f"The mill of number {place} burnt down." for place, odd in enumerate(ODD_NAMES)
        }
        for odd, text in kept.items():
            self.add(text, audience=["mara", odd], source_id=odd)
        for odd, text in kept.items():
            with self.subTest(odd):
                self.assertEqual(self.texts("mill", hearers=[odd]), [text])
        self.assertEqual(self.texts("mill", hearers=["ann"]), [])
        for odd in list(kept):
            with self.subTest(odd):
                del kept[odd]
                self.did(self.memory.delete_scope(source_id=odd))
                left = self.did(self.memory.get_all(assistant_key="mara"))
                self.assertEqual({one.text for one in left}, set(kept.values()))

    def test_it_says_of_several_memories_which_are_there_and_since_when(self: Any) -> None:
        kept = self.add("The Bridge fell.", timestamp="2026-01-02T03:04:05.000Z")
        other = self.add("The mill fell.", key="b")
        self.assertEqual(
            self.did(base.created(self.memory, [kept, other, "gone", kept], assistant_key="mara")),
            {kept: "2026-01-02T03:04:05.000Z"},
        )

    def test_a_secret_has_no_part_in_the_ranking_of_others(self: Any) -> None:
        self.add("The mill burnt down.")
        before = self.did(self.memory.search("mill", assistant_key="mara", hearers=["ann"]))
        for number in range(20):
            self.add(f"The mill, the mill, secret {number}.", audience=["mara", "bob"])
        after = self.did(self.memory.search("mill", assistant_key="mara", hearers=["ann"], limit=1))
        self.assertEqual([item.text for item in after], ["The mill burnt down."])
        self.assertEqual(len(before), 1)

    def test_what_is_not_kept_here_is_ranked_along(self: Any) -> None:
        self.add("The mill burnt down.", speaker="Bob")
        lore = NewMemory(
            text="Ale from the mill costs two coins.", audience=["ann"], metadata={"place": 7}
        )
        known = NewMemory(
            text="the mill burnt down.", audience="public", metadata={"speaker": "Bob"}
        )
        found = self.did(
            self.memory.search(
                "What about the ale and the mill?",
                assistant_key="mara",
                hearers=["ann"],
                also=[lore, known],
            )
        )
        self.assertEqual(
            [(item.text, bool(item.id)) for item in found],
            [("Ale from the mill costs two coins.", False), ("The mill burnt down.", True)],
        )
        self.assertEqual((found[0].audience, found[0].metadata), (["ann"], {"place": 7}))
        self.assertTrue(0 < found[0].cosine <= 1 and found[0].score > found[1].score)
        self.assertEqual(self.texts("What of the mill?"), ["The mill burnt down."])
        self.assertEqual(len(self.did(self.memory.get_all(assistant_key="mara"))), 1)

    def test_trust_is_asked_before_the_ranking(self: Any) -> None:
        self.add("Wolves were seen in the wood.", source_trust=0.3)
        self.add("Wolves were seen at the ford.", source_trust=0.9)
        self.assertEqual(
            self.texts("Where were wolves seen?", min_trust=0.5, limit=1),
            ["Wolves were seen at the ford."],
        )
        self.assertEqual(len(self.texts("Where were wolves seen?")), 2)

    def test_filters_look_into_the_metadata(self: Any) -> None:
        self.add("Ale costs two coins.", tags=["prices", "ale"], source="journal")
        self.add("Wine costs nine coins.", tags=["prices"], source="talk")
        cost = "What does it cost in coins?"
        self.assertEqual(self.texts(cost, filters={"source": "journal"}), ["Ale costs two coins."])
        self.assertEqual(self.texts(cost, filters={"tags": "ale"}), ["Ale costs two coins."])
        self.assertEqual(len(self.texts(cost, filters={"tags": ["ale", "prices"]})), 2)
        self.assertEqual(self.texts(cost, filters={"tags": "wine"}), [])
        self.assertEqual(self.texts(cost, filters={"absent": "x"}), [])

    def test_the_same_words_of_the_same_source_are_kept_once(self: Any) -> None:
        kept = self.add("The bridge is broken.", source_id="bob")
        again = self.did(
            self.memory.put(
                " the  bridge is BROKEN.",
                assistant_key="mara",
                audience="public",
                metadata={"source_id": "bob"},
            )
        )
        self.assertEqual(again, (kept, "duplicate"))
        # Another witness, other ears, another assistant.
        others = [
            self.add("The bridge is broken.", source_id="ann"),
            self.add("The bridge is broken.", source_id="bob", audience=["mara", "bob"]),
            self.add("The bridge is broken.", source_id="bob", key="otto"),
        ]
        self.assertEqual(len({kept, *others}), 4)

    def test_an_update_supersedes_and_keeps_the_former_text(self: Any) -> None:
        id = self.add(
            "Ann likes tea.", audience=["mara", "ann"], tags=["taste"], timestamp="2030-01-01"
        )
        self.assertTrue(
            self.did(
                self.memory.update(
                    id, "Ann likes coffee.", assistant_key="mara", metadata={"event_id": "9"}
                )
            )
        )
        item = self.did(self.memory.get(id, assistant_key="mara"))
        self.assertEqual((item.text, item.audience), ("Ann likes coffee.", ["ann", "mara"]))
        [former] = item.metadata["history"]
        self.assertEqual(former["sources"], [[id, "", ["ann", "mara"]]])
        self.assertEqual((former["text"], former["timestamp"]), ("Ann likes tea.", "2030-01-01"))
        self.assertEqual((item.metadata["tags"], item.metadata["event_id"]), (["taste"], "9"))
        self.assertEqual(self.texts("What does Ann like, coffee?"), ["Ann likes coffee."])
        self.assertEqual(self.texts("Ann likes", hearers=["bob"]), [])

    def test_an_update_with_the_same_text_changes_the_metadata_alone(self: Any) -> None:
        id = self.add("Ann likes tea.", importance=5)
        metadata = {"importance": 9, "timestamp": "2030-01-01"}
        updated = self.memory.update(id, "Ann likes tea.", assistant_key="mara", metadata=metadata)
        self.assertTrue(self.did(updated))
        item = self.did(self.memory.get(id, assistant_key="mara"))
        self.assertEqual(item.metadata["importance"], 9)
        self.assertEqual((item.metadata["history"], item.created), ([], "2030-01-01"))

    def test_what_came_from_an_entry_is_found_by_its_number_whoever_may_know_it(self: Any) -> None:
        for number in range(1, 7):
            known = "public" if number % 2 else ["ann"]
            self.add(f"Event {number}.", audience=known, source="journal", entry_id=number)
        self.add("Event 3.", source="tool", entry_id=3)
        self.add("Event 3.", key="bob", source="journal", entry_id=3)
        filters = {"source": "journal", "entry_id": [2, 3, 9]}
        found = self.texts("Event 2.\nEvent 3.", hearers=[], filters=filters)
        self.assertEqual(sorted(found), ["Event 2.", "Event 3."])

    def test_ten_former_texts_are_kept(self: Any) -> None:
        id = self.add("Price 0.")
        for price in range(1, 13):
            self.did(self.memory.update(id, f"Price {price}.", assistant_key="mara"))
        item = self.did(self.memory.get(id, assistant_key="mara"))
        past = [former["text"] for former in item.metadata["history"]]
        self.assertEqual((len(past), past[0], past[-1]), (10, "Price 2.", "Price 11."))

    def test_what_is_deleted_is_gone(self: Any) -> None:
        id = self.add("The moon is cheese.")
        self.assertTrue(self.did(self.memory.delete(id, assistant_key="mara")))
        self.assertFalse(self.did(self.memory.delete(id, assistant_key="mara")))
        self.assertIsNone(self.did(self.memory.get(id, assistant_key="mara")))
        self.assertEqual(self.texts("moon cheese"), [])
        self.assertNotEqual(self.add("The moon is cheese."), id)

    def test_a_scope_is_an_assistant_a_source_or_both(self: Any) -> None:
        def fill() -> None:
            for key in ("mara", "otto"):
                for source in ("ann", "bob"):
                    self.add(f"{source} told {key} a tale.", key=key, source_id=source)

        def left() -> list[str]:
            kept = [self.did(self.memory.get_all(assistant_key=key)) for key in ("mara", "otto")]
            return sorted(item.text for items in kept for item in items)

        fill()
        both = self.memory.delete_scope(assistant_key="mara", source_id="ann")
        self.assertEqual((self.did(both), len(left())), (1, 3))
        self.assertEqual(self.did(self.memory.delete_scope(source_id="bob")), 2)
        self.assertEqual(left(), ["ann told otto a tale."])
        fill()
        self.assertEqual(self.did(self.memory.delete_scope(assistant_key="otto")), 2)
        self.assertEqual(left(), ["ann told mara a tale.", "bob told mara a tale."])
        self.failureResultOf(self.memory.delete_scope(), ValueError)
        self.assertEqual(len(left()), 2)

    def test_all_memories_come_newest_first(self: Any) -> None:
        for day in (2, 3, 1):
            self.add(f"Day {day}.", timestamp=f"2030-01-0{day}T12:00:00.000Z")
        items = self.did(self.memory.get_all(assistant_key="mara"))
        self.assertEqual([item.text for item in items], ["Day 3.", "Day 2.", "Day 1."])
        two = self.did(self.memory.get_all(assistant_key="mara", limit=2))
        self.assertEqual([item.text for item in two], ["Day 3.", "Day 2."])
        rest = self.did(self.memory.get_all(assistant_key="mara", limit=2, offset=2))
        self.assertEqual([item.text for item in rest], ["Day 1."])
        self.assertEqual(self.did(self.memory.get_all(assistant_key="mara", offset=3)), [])

    def test_odd_metadata_comes_back_as_it_went_in(self: Any) -> None:
        id = self.add("Odd.", **ODD_METADATA)
        item = self.did(self.memory.get(id, assistant_key="mara"))
        self.assertEqual(item.metadata, ODD_METADATA)

    def test_large_texts_and_metadata_are_kept(self: Any) -> None:
        large = "dragon " * 150_000
        id = self.add(large, note=large)
        item = self.did(self.memory.get(id, assistant_key="mara"))
        self.assertEqual((item.text, item.metadata), (large, {"note": large}))

    def test_what_a_database_refuses_is_left_out(self: Any) -> None:
        id = self.add("a\x00b \ud800c")
        self.assertEqual(self.did(self.memory.get(id, assistant_key="mara")).text, "ab c")

    def test_odd_queries_find_nothing_and_break_nothing(self: Any) -> None:
        self.add("The well is deep.")
        for query in (
            "",
            "   ",
            "\x00",
            '"',
            "'; DROP TABLE facts;--",
            "* OR NEAR(",
            "☃",
            "\ud800",
        ):
            with self.subTest(query):
                self.texts(query)
        self.assertEqual(self.texts("How deep is the well?"), ["The well is deep."])

    def test_wrong_arguments_fail_and_keep_nothing(self: Any) -> None:
        for wrong, error in (
            ({"text": "  "}, ValueError),
            ({"assistant_key": ""}, ValueError),
            ({"assistant_key": "old tom"}, ValueError),
            ({"audience": "everybody"}, ValueError),
            ({"metadata": {"set": {1}}}, TypeError),
        ):
            given = {"text": "x", "assistant_key": "mara", "audience": "public", "metadata": {}}
            with self.subTest(wrong):
                given.update(wrong)
                self.failureResultOf(self.memory.add(given.pop("text"), **given), error)
        self.assertEqual(self.did(self.memory.get_all(assistant_key="mara")), [])

    def test_many_are_added_at_once(self: Any) -> None:
        texts = [
            NewMemory(text=text, audience="public", metadata={})
            for text in ("One.", "Two.", "One.")
        ]
        added = self.did(self.memory.add_all(texts, assistant_key="mara"))
        self.assertEqual([one.event for one in added], ["added", "added", "duplicate"])
        self.assertEqual(added[0].id, added[2].id)
        self.assertEqual(len(self.did(self.memory.get_all(assistant_key="mara"))), 2)
