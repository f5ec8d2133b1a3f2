"""Lore on a condition: told to those who fulfil it, in nobody else's hearing, and for their ears for good."""

from unittest import mock

from evennia.locks.lockhandler import get_all_lockfuncs

from evennia_ai.core.records import Lore
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import journal, kinds, persona, repository, working_memory
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, seen_by, words

VAULT = "The vault of the guild lies under the mill."


class ConditionalLoreTests(MindTestCase):
    lore = ({"text": VAULT, "only_if": "tag(initiate)"},)

    def setUp(self):
        super().setUp()
        base.install("default", OfflineMind())

    def answer(self, character, line="say Mara, where is the vault of the guild?"):
        """Return what both players read then, as (said aloud, whispered)."""
        self.ann.clear()
        self.bob.clear()
        self.do(character, line, wait=3)
        heard = [*self.ann, *self.bob]
        aloud = [text for kind, text in heard if kind == "say" and "Mara says" in text]
        whispered = [text for kind, text in heard if kind == "whisper" and "Mara whispers" in text]
        return "".join(aloud), "".join(whispered)

    def test_who_does_not_fulfil_it_is_told_nothing_also_a_superuser(self):
        self.assertNotIn("mill", "".join(self.answer(self.char2)))
        self.char1.permissions.add("Developer")
        self.assertNotIn("mill", "".join(self.answer(self.char1)))

    def test_who_fulfils_it_is_told_and_aloud_only_if_all_who_hear_do(self):
        self.char2.tags.add("initiate")
        aloud, whispered = self.answer(self.char2)
        self.assertNotIn("mill", aloud)
        self.assertIn("under the mill", whispered)
        self.char1.tags.add("initiate")
        aloud, _ = self.answer(self.char2)
        self.assertIn("under the mill", aloud)

    def test_who_asks_for_the_others_ears_does_not_hear_it_either(self):
        """Char fulfils it; Char2, who asks, does not."""
        self.char1.tags.add("initiate")
        self.assertNotIn("mill", "".join(self.answer(self.char2)))

    def test_what_was_said_of_it_stays_theirs_when_the_condition_has_passed(self):
        self.char2.tags.add("initiate")
        self.answer(self.char2)
        [line] = [one for one in working_memory.all_lines(self.mara) if "mill" in one.text]
        self.assertEqual({self.second} <= set(line.audience), True)
        self.assertNotIn(self.first, line.audience)
        self.assertNotIn("mill", "".join(self.answer(self.char1)))
        entries = [one for one in journal.entries(self.mara) if "mill" in one.content]
        self.assertEqual([one for one in entries if one.audience == "public"], [])
        self.char2.tags.remove("initiate")
        self.char2.location = None
        self.assertNotIn("mill", "".join(self.answer(self.char1)))

    def test_a_model_is_not_sent_it_either(self):
        mind = minds.script_llm("I cannot say.", "Nor now.", "It is there.")
        self.do(self.char2, "say Mara, where is the vault of the guild?", wait=3)
        self.assertNotIn("under the mill", seen_by(mind))
        self.char2.tags.add("initiate")
        self.do(self.char2, "whisper Mara = Where is the vault of the guild?", wait=3)
        self.assertIn("under the mill", seen_by(mind))
        self.assertEqual(words(self.ann, "whisper"), [])

    def test_who_looks_like_one_that_fulfils_it_is_told_nothing_by_that(self):
        """Both wear the same mask."""
        self.configure(IDENTIFY="tests.agent.test_conditional_lore.masked")
        self.char2.tags.add("initiate")
        self.assertNotIn("mill", "".join(self.answer(self.char2)))
        self.char1.tags.add("initiate")
        self.assertIn("mill", "".join(self.answer(self.char2)))

    def test_a_lock_of_many_facts_is_asked_once_of_each_who_hears(self):
        facts = [
            {"text": f"Vault {n} of the guild is old.", "only_if": "tag(initiate)"}
            for n in range(20)
        ]
        persona.save_lore(self.mara, facts)
        asked = []
        self.enterContext(
            mock.patch.dict(
                get_all_lockfuncs(), tag=lambda *args, **kwargs: asked.append(args[0]) or False
            )
        )
        self.answer(self.char2)
        self.assertEqual(sorted(one.key for one in asked), ["Char", "Char2"])

    def test_of_facts_that_have_nothing_to_do_with_what_is_asked_no_lock_is_asked(self):
        facts = [{"text": f"Boat {n} leaks.", "only_if": f"tag(sailor{n})"} for n in range(20)]
        persona.save_lore(self.mara, [*facts, {"text": VAULT, "only_if": "tag(initiate)"}])
        asked = []
        self.enterContext(
            mock.patch.dict(
                get_all_lockfuncs(), tag=lambda *args, **kwargs: asked.append(args[2]) or False
            )
        )
        self.answer(self.char2)
        self.assertEqual(sorted(asked), ["initiate", "initiate"])

    def test_whatever_audience_is_written_beside_a_condition_it_is_nobody(self):
        fact = Lore(text=VAULT, audience="public", only_if="tag(initiate)")
        self.assertEqual(fact.audience, [])
        repository.save(self.mara, kinds.LORE, [fact])
        self.assertNotIn("mill", "".join(self.answer(self.char2)))

    def test_staff_are_told_its_condition_and_that_an_audience_takes_it_away(self):
        self.char1.permissions.add("Developer")
        self.do(self.char1, "@assistant/lore Mara/1 = It lies under the mill.")
        self.do(self.char1, "@assistant/lore/audience Mara/1 = all")
        read = "".join(text for _, text in self.ann)
        self.assertIn("(told if tag(initiate)): It lies under the mill.", read)
        self.assertIn("is known to all now.\nIt was: told if tag(initiate)", read)

    def test_it_is_kept_when_its_words_are_written_anew(self):
        self.char1.permissions.add("Developer")
        self.do(self.char1, "@assistant/lore Mara/1 = The vault lies under the old mill.")
        [fact] = persona.load_lore(self.mara)
        self.assertEqual((fact.only_if, fact.audience), ("tag(initiate)", []))
        self.ann.clear()
        self.do(self.char1, "@assistant/lore Mara")
        self.assertIn("(told if tag(initiate))", "".join(text for _, text in self.ann))


def masked(npc, obj):
    """What IDENTIFY is where everybody wears the same mask."""
    return "mask"
