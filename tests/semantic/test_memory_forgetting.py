from evennia_ai.domain.memories.forgetting_rules import Traces
from evennia_ai.semantic import base, memory_forgetting
from evennia_ai.semantic.base import Off
from evennia_ai.testing import AITestCase

KEY = "mara"


class ForgettingTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.memory = base.get_memory()

    def learn(self, text, *, key=KEY, audience="public", **about):
        added = self.memory.add(text, assistant_key=key, audience=audience, metadata=about)
        return self.successResultOf(added)

    def kept(self, key=KEY):
        found = self.outcome(self.memory.get_all(assistant_key=key, limit=5000))
        return {item.text: item for item in found}

    def forget(self, traces, is_theirs=lambda item: False):
        return self.outcome(memory_forgetting.forget(KEY, traces, is_theirs=is_theirs))

    def test_what_is_from_them_goes_and_what_is_anothers_stays(self):
        mine = self.learn("I sell salt.", source_id="ann", speaker="Ann")
        through = self.learn("She sells salt.", source_id="bob", speaker="Bob", chain=[])
        self.learn("I sell salt.", key="tom", source_id="ann", speaker="Ann")
        traces = Traces(identities=["ann"])
        gone = self.forget(traces, lambda item: traces.is_from(item.metadata["source_id"]))
        self.assertEqual(gone, {mine})
        self.assertEqual([item.id for item in self.kept().values()], [through])
        self.assertEqual(list(self.kept("tom")), ["I sell salt."])

    def test_what_the_assistant_concluded_of_them_goes_and_what_others_said_stays(self):
        self.learn("Ann is a thief.", source_id="bob", speaker="Bob")
        self.learn("Ann steals.", source_type="inference", source_id="bob", speaker="Bob")
        self.learn("It rains.", source_type="inference")
        self.forget(Traces(names=["Ann"]))
        self.assertEqual(sorted(self.kept()), ["Ann is a thief.", "It rains."])

    def test_their_words_go_where_the_assistant_concluded_them(self):
        traces = Traces(said=["I hid the marzipan under the stair"])
        self.learn("Somebody hid marzipan.", source_type="inference")
        self.learn("Marzipan was hid.", speaker="Bob", source_id="bob")
        self.forget(traces)
        self.assertEqual(list(self.kept()), ["Marzipan was hid."])

    def test_their_words_go_from_what_is_kept_with_the_words_of_others(self):
        said = "I hid the marzipan under the stair"
        old = self.learn(
            "That is odd.",
            audience=["bob", "mara"],
            speaker="Bob",
            source_id="bob",
            previous=said,
            names=["Ann", "Bob"],
            history=[{"text": said, "timestamp": "2026"}, {"text": "Odd.", "timestamp": "2026"}],
            timestamp="2026-01-01T00:00:00.000Z",
        )
        gone = self.forget(Traces(said=[said], names=["Ann"]))
        self.assertEqual(gone, {old})
        kept = self.kept()["That is odd."]
        self.assertNotEqual(kept.id, old)
        self.assertEqual(kept.audience, ["bob", "mara"])
        self.assertEqual(kept.created, "2026-01-01T00:00:00.000Z")
        self.assertEqual(
            kept.metadata,
            {
                "speaker": "Bob",
                "source_id": "bob",
                "previous": "",
                "names": ["Bob"],
                "history": [{"text": "Odd.", "timestamp": "2026"}],
                "timestamp": "2026-01-01T00:00:00.000Z",
            },
        )

    def test_more_than_a_page_is_gone_through(self):
        self.patch(memory_forgetting, "PAGE", 3)
        for number in range(7):
            when = f"2026-01-0{number + 1}"
            self.learn(f"Day {number} of Ann.", source_type="inference", timestamp=when)
        self.forget(Traces(names=["Ann"]))
        self.assertEqual(self.kept(), {})

    def test_it_tells_their_texts_from_those_of_others(self):
        self.learn("I sell salt.", source_id="ann", speaker="Ann", history=[{"text": "I sold."}])
        self.learn("It rains.", source_id="bob", speaker="Bob")
        self.learn("Salt is sold.", source_type="inference", speaker="Bob")
        found = memory_forgetting.texts_of(
            KEY, lambda item: item.metadata.get("source_id") == "ann"
        )
        self.assertEqual(self.outcome(found), (["I sell salt.", "I sold."], ["It rains."]))

    def test_without_a_memory_there_is_nothing_to_forget(self):
        base.install("default", Off())
        self.assertEqual(self.forget(Traces(identities=["ann"])), set())
