"""Long-term memory in a turn: it joins in when it can, and is not waited for when it cannot."""

import tempfile
from pathlib import Path
from unittest import mock

from twisted.internet.defer import Deferred, fail, succeed

from evennia_ai.semantic import base as semantic
from evennia_ai.semantic.mem0 import Mem0Memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, seen_by, words
from tests.found_memories import hit


class BrokenEmbedder:
    name, dimensions = "broken", 8
    scale = {"relevant": 0.2}

    def embed(self, texts):
        raise RuntimeError("no weights")

    def embed_query(self, text):
        raise RuntimeError("no weights")


class Memory:
    """A memory whose search gives what the test prepared."""

    enabled, scale = True, {"relevant": 0.5}

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def search(self, query, **how):
        """Note what was asked, and answer."""
        self.asked.append((query, how))
        return self.answer

    def close(self):
        """There is nothing to close."""


def memory(text, *, cosine=0.9, audience="public", **metadata):
    """Return a hit as a memory gives it."""
    return hit(text, text, score=0.8, cosine=cosine, audience=audience, **metadata)


class LongTermTests(MindTestCase):
    def ask(self, answer, *, wait=2.0):
        """Let Char ask something that only long-term memory can answer; return what was shown."""
        stub = Memory(answer)
        semantic.install("default", stub)
        self.mind = minds.script_llm("Hm.", repeat=True)
        self.do(self.char1, "say Mara, who brews the ale?", wait=wait)
        self.asked = stub.asked
        return seen_by(self.mind)

    def test_what_it_finds_reaches_the_prompt_with_its_teller(self):
        found = memory("Old Tam makes the beer.", speaker="Ann", source_trust=0.9)
        self.assertIn(
            "(You remember: Ann told you: Old Tam makes the beer.)", self.ask(succeed([found]))
        )

    def test_what_it_only_overheard_or_has_as_a_rumour_stands_so(self):
        """J20 J21 M10."""
        for source, trust, expected in (
            ("environmental", 0.3, "(You overheard from Ann: Old Tam makes the beer.)"),
            ("direct", 0.4, "(A rumour from Ann: Old Tam makes the beer.)"),
        ):
            found = memory(
                "Old Tam makes the beer.", speaker="Ann", source_type=source, source_trust=trust
            )
            self.assertIn(expected, self.ask(succeed([found])))

    def test_only_who_asks_for_a_secret_hears_it_in_a_whisper(self):
        secret = "I carry gold in a hollow saddle. Please wake me if anybody goes near the stable."
        found = memory(secret, speaker="Char", audience=[self.first])
        for line, kind, reply in (
            ("Have you a room to the east? I like to wake with the sun.", "say", "It is yours."),
            ("Good night. I go up now. Thank you for the soup.", "say", "Sleep well."),
            ("Where did I put my gold?", "whisper", "You said where."),
        ):
            with self.subTest(line=line):
                semantic.install("default", Memory(succeed([found])))
                self.mind = minds.script_llm(reply)
                self.do(self.char1, f"say Mara, {line}", wait=5.0)
                self.assertEqual("saddle" in seen_by(self.mind), kind == "whisper")
                self.assertIn(reply, words(self.ann, kind)[-1])

    def test_it_is_asked_for_the_ears_of_who_asks(self):
        self.ask(succeed([]))
        [(query, how)] = self.asked
        self.assertEqual(query, "Mara, who brews the ale?")
        self.assertEqual(how["hearers"], frozenset({self.first}))
        self.assertEqual(how["assistant_key"], self.script_of_mara.assistant_key)

    def test_what_is_only_the_least_unlike_is_no_answer_of_a_mind_without_a_model(self):
        near, like = memory("It rained in May.", cosine=0.49), memory("Tam makes beer.", cosine=0.5)
        self.ask(succeed([near, like]))
        shown = self.mind.requests[-1].context["memories"]
        self.assertEqual([one["text"] for one in shown], ["Tam makes beer."])

    def test_what_is_at_hand_is_ranked_along(self):
        minds.personas.save_lore(self.mara, ["The ale is brewed by Tam."])
        with mock.patch("evennia_ai.agent.prompting.recall.LORE_TOKENS", 0):
            shown = self.ask(succeed([]))
        [(_, how)] = self.asked
        [lore] = how["also"]
        self.assertEqual((lore.text, lore.audience), ("The ale is brewed by Tam.", "public"))
        self.assertNotIn("You know: ", shown)

    def test_an_answer_is_found_by_what_another_asked_for_the_same_ears(self):
        self.do(self.char2, "say Have they built a new workshop?", wait=2)
        self.do(self.char1, "say Yes, in the old fire station.", wait=2)
        self.do(self.char2, "whisper Mara = Is the sauna in the garden?", wait=2)
        self.do(self.char1, "say My brother keeps bees.", wait=2)
        self.ask(succeed([]))
        [(_, how)] = self.asked
        self.assertEqual(
            {one.text: one.metadata.get("previous") for one in how["also"]},
            {
                "Yes, in the old fire station.": "Have they built a new workshop?",
                "My brother keeps bees.": None,
            },
        )

    def test_a_short_answer_is_shown_with_what_was_asked(self):
        asked = "That is like her. Is there a new workshop?"
        short = memory("In the old fire station.", speaker="Ann", previous=asked)
        long = memory("Her dress has a burn mark on one sleeve.", speaker="Ann", previous=asked)
        shown = self.ask(succeed([short, long]))
        asked = "(You remember: Ann told you (asked - Is there a new workshop?): In the old fire station.)"
        self.assertIn(asked, shown)
        self.assertIn(
            "(You remember: Ann told you: Her dress has a burn mark on one sleeve.)", shown
        )

    def test_without_long_term_memory_words_alone_decide(self):
        minds.personas.save_lore(self.mara, ["The ale is brewed by Tam.", "The mill burned."])
        with mock.patch("evennia_ai.agent.prompting.recall.LORE_TOKENS", 0):
            semantic.install("default", semantic.Off())
            mind = minds.script_llm("Hm.")
            self.do(self.char1, "say Mara, who brews the ale?", wait=2)
        shown = f"{mind.requests[-1].messages}"
        self.assertIn("brewed by Tam", shown)
        self.assertNotIn("The mill burned", shown)

    def test_what_bystanders_may_not_know_is_whispered(self):
        own = memory("Old Tam brews the ale.", audience=[self.first])
        self.ask(succeed([own]))
        self.assertEqual(words(self.bob), ['Char says, "Mara, who brews the ale?"'])
        self.assertEqual(len(words(self.ann, "whisper")), 1)

    def test_a_memory_that_fails_costs_a_line_in_the_log_and_no_answer(self):
        self.ask(fail(MemoryUnavailable("the file is locked.")))
        self.assertEqual(
            self.log, ["evennia_ai: Mara could not search its memory: the file is locked."]
        )
        self.assertEqual(words(self.bob)[-1], 'Mara says, "Hm."')

    def test_a_memory_that_takes_too_long_is_not_waited_for(self):
        self.ask(Deferred(), wait=1.2)
        self.assertEqual(words(self.bob), ['Char says, "Mara, who brews the ale?"'])
        self.wait(0.5)
        self.assertEqual(words(self.bob)[-1], 'Mara says, "Hm."')
        self.assertEqual(
            self.log,
            ["evennia_ai: Mara could not search its memory: it did not answer within 1 seconds"],
        )

    def test_a_greeting_does_not_ask_it(self):
        stub = Memory(succeed([]))
        semantic.install("default", stub)
        minds.script_llm("Hello.")
        self.do(self.char1, "say Hello, Mara!", wait=2)
        self.assertEqual(stub.asked, [])

    def test_a_backend_that_does_not_exist_leaves_nobody_mute(self):
        self.configure(SEMANTIC={"default": {"BACKEND": "nowhere.Memory"}})
        minds.script_llm("Hm.")
        self.do(self.char1, "say Mara, who brews the ale?", wait=2)
        self.assertEqual(words(self.bob)[-1], 'Mara says, "Hm."')
        self.assertIn("nowhere.Memory", self.log[0])


class BrokenTests(MindTestCase):
    """Whatever fails as long-term memory is built: NPCs talk, and staff are told once."""

    def told(self, memory, answers):
        """Let Char ask twice and say hello; return what staff were told, and what Mara said."""
        semantic.install("default", memory)
        minds.script_llm(*answers)
        for line in ("Mara, who brews the ale?", "Mara, where is the mill?", "Hello, Mara!"):
            self.do(self.char1, f"say {line}", wait=2)
        told, self.traces[:] = [*self.log, *self.traces], []
        return told, [line for line in words(self.bob) if line.startswith("Mara")]

    def assert_told_once(self, memory, reason):
        """See that she answers all three lines, and that staff hear of the reason in one entry."""
        told, said = self.told(memory, answers := ("Tam does.", "By the river.", "Good day."))
        self.assertEqual(said, [f'Mara says, "{answer}"' for answer in answers])
        self.assertEqual(len(told), 1, told)
        sentence = "evennia_ai: NPCs talk without long-term memory: semantic memory in "
        self.assertTrue(told[0].startswith(sentence), told[0])
        self.assertIn(reason, told[0])

    def test_a_path_that_is_a_directory(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.assert_told_once(Mem0Memory(path=folder.name), "unable to open database file")

    def test_a_file_that_is_no_database(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "memory.db3"
        path.write_bytes(b"this is no database, but it is long enough to be read" * 50)
        self.assert_told_once(Mem0Memory(path=str(path)), "file is not a database")

    def test_a_library_that_breaks_as_it_is_built(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        memory = Mem0Memory(path=str(Path(folder.name) / "memory.db3"))
        error = AttributeError("no attribute 'model_dump'")
        with mock.patch("evennia_ai.semantic.engine.build", side_effect=error):
            self.assert_told_once(memory, "no attribute 'model_dump'")

    def test_an_embedder_that_is_not_there(self):
        self.assert_told_once(Mem0Memory(embedder="no.such.Embedder"), "no.such.Embedder")

    def test_an_embedder_that_fails_when_it_is_asked(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = str(Path(folder.name) / "memory.db3")
        memory = Mem0Memory(path=path, embedder=f"{__name__}.BrokenEmbedder")
        self.assert_told_once(memory, "the embedder broken failed: no weights")
