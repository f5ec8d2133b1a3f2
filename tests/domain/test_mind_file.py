"""Tests of a mind as a document: what it has to hold, and how it changes hands."""

import json
import unittest
from copy import deepcopy
from datetime import datetime, timezone

from evennia_ai.core.records import Link
from evennia_ai.domain.files import mind_file

NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)
TIME = "2026-05-01T12:00:00.000Z"
ENTRY = {
    "id": 3,
    "timestamp": TIME,
    "content": "Ann hid the key.",
    "source_type": "direct",
    "source_trust": 0.9,
    "source_entity": "Ann",
    "source_id": "ann",
    "importance": 7,
    "importance_method": "heuristic",
    "tags": [],
    "related_projects": [],
    "audience": ["ann", "mara"],
    "consolidated": False,
    "evidence": [],
    "chain": [],
    "shared": [],
}
PROFILE = {
    "entity_id": "ann",
    "entity_type": "player",
    "name": "Ann",
    "created": TIME,
    "last_interaction": TIME,
    "attributes": [{"id": 1, "type": "trait", "audience": "public", "told_by": ["mara"]}],
    "observations": [],
    "observation_count": 0,
    "relationship": {"state": "stranger", "favorability": 0.1, "interaction_count": 2},
}
MIND = {
    "identity": "mara",
    "persona": {"description": "An innkeeper called mara."},
    "lore": [{"text": "The well is deep.", "audience": "public"}],
    "settings": {},
    "journal": {"entries": [ENTRY], "entry_count": 3, "max_entries": 100, "last_reflection": ""},
    "noticed_until": 3,
    "profiles": {"ann": PROFILE},
    "conversations": {},
    "goals": [],
    "reminders": [],
    "schedule": None,
    "reflection": {
        "cumulative_importance": 7.0,
        "threshold": 150,
        "reflection_count": 0,
        "entries_since_reflection": [3],
    },
    "memories": [
        {"id": "m1", "text": "Ann.", "audience": ["ann"], "metadata": {}, "created": TIME},
        {"id": "m2", "text": "Bob.", "audience": ["bob"], "metadata": {}, "created": TIME},
    ],
    "links": {"m1": [{"id": "m2", "score": 0.8}, {"id": "gone", "score": 0.7}]},
    "more": {},
    "experience": {"decisions": [], "trajectories": [], "feedback": []},
}
TRIED = {
    "conflict_title": "A brawl",
    "action_type": "soothe",
    "target_domain": "relationship",
    "reward": None,
    "reasoning": "",
    "episode_id": "e1",
    "personality_type": "unknown",
}
DECISION = {"id": "1", "audience": "public", "data": TRIED}


def changed(path, value):
    """Return the mind with another value at a path of keys."""
    mind = deepcopy(MIND)
    *way, last = path
    place = mind
    for key in way:
        place = place[key]
    place[last] = value
    return mind


class DocumentTests(unittest.TestCase):
    def document(self, mind=MIND):
        return json.loads(mind_file.write(mind, name="Mara", now=NOON))

    def refused(self, document):
        with self.assertRaises(ValueError) as caught:
            mind_file.read(document)
        return str(caught.exception)

    def test_it_says_what_it_is(self):
        document = self.document()
        self.assertEqual(
            {key: document[key] for key in ("format", "version", "name", "exported")},
            {
                "format": "evennia_ai.mind",
                "version": 1,
                "name": "Mara",
                "exported": "2026-05-01T12:00:00.000Z",
            },
        )
        self.assertEqual(mind_file.read(document), MIND)

    def test_another_format_or_version_is_refused(self):
        self.assertEqual(self.refused({}), "it is no mind that was exported here.")
        self.assertEqual(self.refused([]), "it is no mind that was exported here.")
        for version in (2, "1", None):
            sentence = f"it is of version {version!r}; this game reads version 1."
            self.assertEqual(self.refused({**self.document(), "version": version}), sentence)

    def test_a_document_that_was_changed_is_refused(self):
        document = self.document()
        document["mind"]["journal"]["entries"][0]["audience"] = "public"
        sentence = "it was changed after it was exported: its hash does not fit."
        self.assertEqual(self.refused(document), sentence)

    def test_foreign_and_missing_keys_are_refused(self):
        self.assertEqual(
            self.refused({**self.document(), "x": 1}),
            "the document: object contains unknown field `x`.",
        )
        document = self.document()
        del document["hash"]
        self.assertEqual(
            self.refused(document), "the document: object missing required field `hash`."
        )
        for mind, sentence in (
            ({**MIND, "x": 1}, "mind: object contains unknown field `x`."),
            (
                {key: MIND[key] for key in MIND if key != "links"},
                "mind: object missing required field `links`.",
            ),
        ):
            document = {**self.document(), "mind": mind, "hash": mind_file.hash_of(mind)}
            self.assertEqual(self.refused(document), sentence)

    def test_a_memory_without_an_audience_is_never_taken_for_public(self):
        entry = {key: ENTRY[key] for key in ENTRY if key != "audience"}
        memory = {**MIND["memories"][0], "audience": None}
        for mind, sentence in (
            (
                changed(["journal", "entries", 0], entry),
                "mind.journal.entries[0]: object missing required field `audience`.",
            ),
            (
                changed(["memories", 0], memory),
                "mind.memories[0].audience: expected `str | array`, got `null`.",
            ),
        ):
            document = {**self.document(), "mind": mind, "hash": mind_file.hash_of(mind)}
            self.assertEqual(self.refused(document), sentence)

    def test_a_document_written_by_hand_with_a_hash_that_fits_is_refused_by_what_it_holds(self):
        feedback = {
            "episode_id": "e1",
            "overall_effectiveness": 8,
            "unexpected_effects": "",
            "audience": None,
            "history": [],
        }
        entry, profile = ["journal", "entries", 0], ["profiles", "ann", "relationship"]
        for mind, sentence in (
            (changed(["identity"], "public"), "mind.identity is not an identity."),
            (changed(["identity"], ""), "mind.identity is not an identity."),
            (
                changed([*entry, "id"], 10**9),
                "mind.journal.entries[0].id: expected `int` <= 10000000.",
            ),
            (
                changed(["journal", "entry_count"], 10**30),
                "mind.journal.entry_count: expected `int` <= 10000000.",
            ),
            (
                changed(["journal", "entry_count"], 2),
                "mind.journal.entry_count is below the id of an entry.",
            ),
            (
                changed([*entry, "importance"], 10**9),
                "mind.journal.entries[0].importance: expected `int` <= 10.",
            ),
            (
                changed([*entry, "source_trust"], 99.0),
                "mind.journal.entries[0].source_trust: expected `float` <= 1.0.",
            ),
            (
                changed([*profile, "favorability"], 5.0),
                "mind.profiles[...].relationship.favorability: expected `float` <= 1.0.",
            ),
            (
                changed(["experience", "feedback"], [{**feedback, "overall_effectiveness": [[]]}]),
                "mind.experience.feedback[0].overall_effectiveness: expected `float`, got `array`.",
            ),
            (
                changed(["experience", "feedback"], [{**feedback, "overall_effectiveness": 99}]),
                "mind.experience.feedback[0].overall_effectiveness: expected `float` <= 10.0.",
            ),
            (
                changed(["experience", "feedback"], [{**feedback, "history": [1]}]),
                "mind.experience.feedback[0].history[0]: expected `object`, got `int`.",
            ),
            (
                changed(["experience", "decisions"], [{**DECISION, "audience": [""]}]),
                "mind.experience.decisions[0].audience[0]: expected `str` of length >= 1.",
            ),
            (
                changed(["experience", "decisions"], [{**DECISION, "data": {**TRIED, "words": 3}}]),
                "mind.experience.decisions[0].words: expected `str`, got `int`.",
            ),
            (
                changed(["experience", "trajectories"], [DECISION]),
                "mind.experience.trajectories[0]: object missing required field `task_id`.",
            ),
            (
                changed(["experience", "feedback"], [{**feedback, "domains_worsened": "trade"}]),
                "mind.experience.feedback[0].domains_worsened: expected `array`, got `str`.",
            ),
            (
                changed([*entry, "timestamp"], "9999-12-31T23:59:59.999Z"),
                "mind.journal.entries[0].timestamp: it is no time.",
            ),
            (
                changed([*entry, "timestamp"], "soon"),
                "mind.journal.entries[0].timestamp: it is no time.",
            ),
            (
                changed([*entry, "timestamp"], None),
                "mind.journal.entries[0].timestamp: it is no time.",
            ),
            (
                changed([*entry, "id"], True),
                "mind.journal.entries[0].id: expected `int`, got `bool`.",
            ),
            (
                changed([*entry, "audience"], [""]),
                "mind.journal.entries[0].audience[0]: expected `str` of length >= 1.",
            ),
            (
                changed([*entry, "audience"], "ann"),
                "mind.journal.entries[0].audience: invalid enum value 'ann'.",
            ),
            (
                changed([*profile, "state"], "#1"),
                "mind.profiles[...].relationship.state: invalid enum value '#1'.",
            ),
            (
                changed(["memories", 0, "text"], " "),
                "mind.memories[0].text: expected `str` matching regex '\\\\S'.",
            ),
        ):
            document = {**self.document(), "mind": mind, "hash": mind_file.hash_of(mind)}
            with self.subTest(sentence):
                self.assertEqual(self.refused(document), sentence)
        kept = {"decisions": [DECISION], "trajectories": [], "feedback": [feedback]}
        sound = changed(["experience"], kept)
        document = {**self.document(), "mind": sound, "hash": mind_file.hash_of(sound)}
        self.assertEqual(mind_file.read(document), sound)

    def test_what_nobody_could_read_again_is_not_written(self):
        for mind, sentence in (
            (changed(["lore"], "x"), "mind.lore: expected `array`, got `str`."),
            (changed(["journal", "entries"], [ENTRY, ENTRY]), "an id twice"),
            (changed(["journal", "entries", 0, "id"], 0), "one below 1"),
            (changed(["profiles"], {"bob": PROFILE}), "mind.profiles.bob is the profile of ann."),
            (changed(["persona"], {"x": {1}}), "it holds what cannot be written as JSON."),
            (
                changed(["noticed_until"], float("nan")),
                "mind.noticed_until: expected `int`, got `float`.",
            ),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence.split("[")[0]):
                mind_file.write(mind, name="Mara", now=NOON)

    def test_what_is_nested_without_end_is_refused(self):
        deep = []
        for _ in range(300):
            deep = [deep]
        document = self.document(changed(["persona"], {"x": deep}))
        self.assertEqual(self.refused(document), "it is nested more than 100 levels deep.")

    def test_what_is_inside_and_not_listed_is_kept(self):
        mind = changed(["profiles", "ann", "mood"], "sour")
        self.assertEqual(mind_file.read(self.document(mind))["profiles"]["ann"]["mood"], "sour")


class HandedOverTests(unittest.TestCase):
    def test_its_own_identity_becomes_that_of_who_takes_it_over(self):
        mind = mind_file.handed_over(MIND, "bea")
        self.assertEqual(mind["identity"], "bea")
        self.assertEqual(mind["journal"]["entries"][0]["audience"], ["ann", "bea"])
        self.assertEqual(mind["profiles"]["ann"]["attributes"][0]["told_by"], ["bea"])
        self.assertEqual(mind["persona"]["description"], "An innkeeper called mara.")
        self.assertEqual(MIND["journal"]["entries"][0]["audience"], ["ann", "mara"])

    def test_audiences_stay_in_order(self):
        mind = mind_file.handed_over(MIND, "aaa")
        self.assertEqual(mind["journal"]["entries"][0]["audience"], ["aaa", "ann"])

    def test_links_lead_to_where_the_memories_are_now(self):
        linked = mind_file.with_memory_ids(MIND, {"m1": "n1", "m2": "n2"})
        self.assertEqual(linked, {"n1": [Link(id="n2", score=0.8, audience=["ann"])]})
        self.assertEqual(mind_file.with_memory_ids(MIND, {"m2": "n2"}), {})
