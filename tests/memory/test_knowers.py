"""Who may know somebody, as the database says: nobody who does is missing."""

from django.conf import settings
from django.test import override_settings

from evennia_ai.commands.players import remember
from evennia_ai.core.records import Identity
from evennia_ai.memory import identity, journal, kinds, repository, working_memory
from evennia_ai.memory.people import entity_profiles, knowers
from evennia_ai.testing import AITestCase, minds

MASKED = "tests.memory.test_knowers.masked"


class MayKnowTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.npcs = {one.key: one for one in self.room1.contents if one.key in WAYS}

    def create_cast(self):
        first, second = map(identity.identity_of, (self.char1, self.char2))
        for name, way in WAYS.items():
            npc = minds.make_assistant(name, location=self.room1)
            journal.add_entry(npc, "It rains.", source_id=first)
            way(npc, self.char2, second)

    def found(self):
        return knowers.may_know(knowers.sought([self.char2]))

    def test_it_finds_each_who_knows_them_when_all_are_asked_and_no_stranger(self):
        asked = {
            name for name, npc in self.npcs.items() if remember.is_anything_known(npc, self.char2)
        }
        self.assertEqual(
            asked, {"profile", "seen", "talk", "told", "overheard", "told long ago", "remark"}
        )
        found = {name for name, npc in self.npcs.items() if npc.id in self.found()}
        self.assertLessEqual(asked, found)
        self.assertNotIn("stranger", found)

    def test_what_is_said_soon_is_what_the_whole_of_it_says(self):
        for name, npc in self.npcs.items():
            told = remember.what_is_known(npc, self.char2)
            whole = any(told[what] for what in remember.KNOWN)
            self.assertEqual(remember.is_anything_known(npc, self.char2), whole, name)

    def test_it_is_one_question(self):
        sought = knowers.sought([self.char1, self.char2])
        with self.assertNumQueries(1):
            knowers.may_know(sought)

    def test_nobody_knows_whoever_has_no_character(self):
        self.assertEqual(knowers.may_know(knowers.sought([])), set())


class SoughtTests(AITestCase):
    def test_where_masks_can_be_worn_all_are_to_be_asked(self):
        with override_settings(EVENNIA_AI={**settings.EVENNIA_AI, "IDENTIFY": MASKED}):
            self.assertIsNone(knowers.sought([self.char2]))

    def test_and_where_an_identity_may_be_written_in_other_letters(self):
        for odd in ('quo"ted', "caf\u00e9", "Ann"):
            repository.save(self.char2, kinds.IDENTITY, Identity(odd))
            self.assertIsNone(knowers.sought([self.char2]), odd)


def masked(npc, obj):
    return "nobody"


def _tells(npc, words, who, **how):
    journal.add_entry(npc, words, source_id=who, **{"source_type": "direct", **how})


def _told_long_ago(npc, obj, who):
    _tells(npc, "I snore.", who)
    for number in range(70):
        journal.add_entry(npc, f"It rained on day {number}.")


# What lets an NPC know somebody, or keep their identity without knowing them.
WAYS = {
    "profile": lambda npc, obj, who: entity_profiles.add_entity_observation(
        npc, obj, "limps", audience="public"
    ),
    "seen": lambda npc, obj, who: _tells(
        npc, "Ann waves.", who, source_type="observation", tags=["pose"]
    ),
    "talk": lambda npc, obj, who: working_memory.add_conversation_message(npc, obj, "Hi", "user"),
    "told": lambda npc, obj, who: _tells(npc, "I snore.", who, audience=[who]),
    "overheard": lambda npc, obj, who: _tells(npc, "I snore.", who, source_type="environmental"),
    "told long ago": _told_long_ago,
    "remark": lambda npc, obj, who: entity_profiles.add_entity_observation(
        npc, obj, "is kind", audience=[who]
    ),
    "remark for others": lambda npc, obj, who: entity_profiles.add_entity_observation(
        npc, obj, "is a thief", audience=["somebody-else"]
    ),
    "audience": lambda npc, obj, who: journal.add_entry(npc, "Bob snores.", audience=[who]),
    "stranger": lambda npc, obj, who: None,
}
