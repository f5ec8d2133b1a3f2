"""Tests of the decisions that a game brings along."""

import json
from pathlib import Path
from unittest import mock

from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from evennia.utils import logger

from evennia_ai import conf, scheduling
from evennia_ai.core.records import new_event
from evennia_ai.domain.choices import decision_rules
from evennia_ai.experience import base, from_settings
from evennia_ai.semantic.embedders.words import WordsEmbedder
from tests.experience.cases import ExperienceTestCase
from tests.semantic.cases import PLAIN

SETTINGS = {"PATH": ":memory:"}


def seed(action="communicate", **changes):
    """Return metadata as the source's own files hold it."""
    return {
        "conflict_title": "Friday 6PM",
        "action_type": action,
        "target_domain": "relationships",
        "reward": 0.72,
        "reasoning": "A quick call.",
        **changes,
    }


def seeds(*metadatas, first=0):
    ids = [f"d{first + number}" for number in range(len(metadatas))]
    return {
        "decisions": {
            "ids": ids,
            "documents": [metadata["conflict_title"] for metadata in metadatas],
            "metadatas": list(metadatas),
            "embeddings": [[0.5] * 384 for _ in metadatas],
        }
    }


class HydrationTests(ExperienceTestCase):
    def hydrated(self, pattern, **options):
        """Open a new memory that is filled from files; return it with what was logged."""
        with mock.patch.object(logger, "log_warn") as warned:
            memory = self.open(self.folder / "new.db3", hydrate_from=pattern, **options)
        return memory, [call.args[0] for call in warned.call_args_list]

    def actions(self, memory):
        return sorted(memory.get_stats()["by_action_type"])

    def test_what_is_for_a_role_is_known_to_those_of_that_role_alone(self):
        self.write_seeds(
            "roles.json",
            seeds(
                seed("ask closely", role="guard"),
                seed("sit with them", role="priest"),
                seed("call"),
            ),
        )
        guard, _ = self.hydrated(str(self.folder / "*.json"))
        self.assertEqual(self.actions(guard), ["call"])
        self.assertEqual(guard.hydrate("A gruff guard who has seen it all."), 1)
        self.assertEqual(self.actions(guard), ["ask closely", "call"])
        self.assertEqual(guard.hydrate("A priest."), 0)
        other = guard.scoped("other")
        other.lessons("Friday 6PM", roles="Osric, the old priest")
        self.assertEqual(self.actions(other), ["call", "sit with them"])
        guard.remove(lambda data: True)
        again = self.open(self.folder / "new.db3", hydrate_from="", scope="other")
        self.assertEqual(again.hydrate("guard"), 0)

    def test_each_decision_of_the_demo_is_shown_to_who_is_told_the_like(self):
        """D7: as a player of the game tells it, in another place and after a name."""
        pattern = Path(__file__).parents[2] / "world" / "experience" / "*.json"
        memory, _ = self.hydrated(str(pattern), embedder=WordsEmbedder())
        context = {"npc": {"name": "Bram"}, "place": "Lane"}
        [path] = pattern.parent.glob("*.json")
        for given in json.loads(path.read_text("utf-8"))["decisions"]["metadatas"]:
            told = new_event(
                "say", f"Bram, {given['words']}", event_id="1", now=scheduling.now(), said_by="ann"
            )
            found = memory.scoped(given["role"]).lessons(
                decision_rules.title(context, event=told),
                1,
                words=decision_rules.heard(told),
                background=decision_rules.background(context, event=told),
                roles=given["role"],
            )
            with self.subTest(given["words"]):
                self.assertEqual(
                    [one.decision.action_type for one in found.precedents], [given["action_type"]]
                )

    def test_what_a_file_leaves_empty_or_out_is_empty(self):
        unexplained = seed("wait", target_domain="")
        del unexplained["reasoning"]
        path = self.write_seeds("one.json", seeds(seed("call", reasoning=""), unexplained))
        memory, warned = self.hydrated(path)
        self.assertEqual((self.actions(memory), warned), (["call", "wait"], []))

    def test_an_empty_memory_is_filled_from_all_files(self):
        """D7: the shape and the three partitions of the source; only decisions."""
        self.write_seeds("preseeded_memory.json", seeds(seed("call")))
        self.write_seeds("preseeded_memory_p1.json", seeds(seed("wait"), first=1))
        self.write_seeds(
            "preseeded_memory_p2.json",
            {**seeds(seed("rest"), first=2), "feedback": {"ids": ["fb_1"]}},
        )
        memory, warnings = self.hydrated(str(self.folder / "preseeded_memory*.json"))
        self.assertEqual((self.actions(memory), warnings), (["call", "rest", "wait"], []))
        [found] = memory.retrieve_similar("Friday 6PM", {}, 1)
        self.assertEqual((found["reward"], found["personality_type"]), (0.72, "unknown"))
        self.assertIn("A quick call.", memory.build_few_shot_prompt("Friday 6PM", {}))

    def test_one_that_has_decisions_is_left_alone(self):
        """D7: only if there are none."""
        pattern = self.write_seeds("a.json", seeds(seed("call")))
        memory, _ = self.hydrated(pattern)
        self.decide(memory=memory, action="own")
        memory.close()
        self.write_seeds("b.json", seeds(seed("wait"), first=1))
        again, _ = self.hydrated(pattern)
        self.assertEqual(self.actions(again), ["call", "own"])

    def test_each_scope_is_filled(self):
        memory, _ = self.hydrated(self.write_seeds("a.json", seeds(seed("call"))))
        self.assertEqual(self.actions(memory.scoped("mara")), ["call"])

    def test_a_broken_file_is_named_and_the_others_count(self):
        self.write_seeds("a.json", "{")
        self.write_seeds("b.json", {"decisions": {"ids": ["1"], "metadatas": []}})
        self.write_seeds("c.json", seeds({"conflict_title": "no more"}))
        self.write_seeds("d.json", ["decisions"])
        self.write_seeds("e.json", seeds(seed(reward="much")))
        pattern = self.write_seeds("f.json", seeds(seed("call")))
        memory, warnings = self.hydrated(pattern)
        self.assertEqual(self.actions(memory), ["call"])
        names = [warning.split("were read from ")[1].partition(": ")[0] for warning in warnings]
        self.assertEqual(names, [str(self.folder / f"{letter}.json") for letter in "abcde"])

    def test_what_may_be_known_to_some_only_stays_so(self):
        pattern = self.write_seeds("a.json", seeds(seed("call", audience=["ann"])))
        memory, _ = self.hydrated(pattern)
        self.assertEqual(memory.retrieve_similar("Friday 6PM", {}), [])
        self.assertEqual(len(memory.retrieve_similar("Friday 6PM", {}, hearers=["ann"])), 1)

    def test_the_settings_name_the_files(self):
        pattern = self.write_seeds("a.json", seeds(seed("call")))
        wanted = {**conf.given(), "EXPERIENCE": {**SETTINGS, "HYDRATE": pattern}}
        with override_settings(EVENNIA_AI=wanted):
            stats = self.successResultOf(base.get_experience("mara").get_stats())
        self.assertEqual(stats["by_action_type"], {"call": 1})


class EmbedderOfSettingsTests(ExperienceTestCase):
    def chosen(self, **options):
        wanted = {**conf.get("EXPERIENCE"), **options}
        with (
            override_settings(EVENNIA_AI={**conf.given(), "EXPERIENCE": wanted}),
            mock.patch.object(logger, "log_warn") as warned,
        ):
            return from_settings.embedder().name, len(warned.call_args_list)

    def test_it_is_the_one_of_the_settings(self):
        self.assertEqual(self.chosen(), ("words-2", 0))
        self.assertEqual(self.chosen(EMBEDDER=PLAIN), ("plain", 0))
        options = {"EMBEDDER": PLAIN, "EMBEDDER_OPTIONS": {"name": "mine"}}
        self.assertEqual(self.chosen(**options), ("mine", 0))

    def test_a_model_of_sentences_for_long_term_memory_is_not_taken_over(self):
        described = {
            "BACKEND": "evennia_ai.semantic.mem0.Mem0Memory",
            "OPTIONS": {"embedder": PLAIN},
        }
        with override_settings(EVENNIA_AI={**conf.given(), "SEMANTIC": {"default": described}}):
            self.assertEqual(from_settings.embedder().name, "words-2")

    def test_a_model_that_is_not_here_is_replaced_by_counted_words(self):
        """D9: the hash of the source stands in, with a warning."""
        onnx = "evennia_ai.semantic.embedders.onnx.OnnxEmbedder"
        options = {"EMBEDDER": onnx, "EMBEDDER_OPTIONS": {"folder": str(self.folder)}}
        self.assertEqual(self.chosen(**options), ("adler32", 1))
        with mock.patch.object(
            conf, "load", side_effect=[ImproperlyConfigured("x"), self.embedder_class]
        ):
            self.assertEqual(from_settings.embedder(silent=True).name, "adler32")
