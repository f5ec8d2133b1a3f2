"""Tests of the marks for people whom sleep has to look at, and of what it makes of them."""

from datetime import datetime, timezone
from unittest import mock

from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_object

from evennia_ai.agent.revising import forgetting
from evennia_ai.lifecycle.store_handlers import Gone
from evennia_ai.memory import identity, kinds, repository
from evennia_ai.memory.people import entity_backlog, entity_profiles
from evennia_ai.testing import AITestCase
from tests.memory.asked import statements

LONG_AGO = datetime(1969, 1, 1, tzinfo=timezone.utc)


class BacklogTestCase(AITestCase):
    def setUp(self):
        super().setUp()
        self.second = identity.identity_of(self.char2)

    def create_cast(self):
        super().create_cast()
        self.npc = create_object(DefaultCharacter, key="Mara", location=self.room1)

    def observe(self, count=1, *, entity=None, audience="public", told_by=""):
        for number in range(count):
            entity_profiles.add_entity_observation(
                self.npc,
                entity or self.char2,
                f"Likes tea number {number}.",
                audience=audience,
                told_by=told_by,
            )

    def apply(self, value="Likes tea", *, evidence=(1,), consumed=(1, 2, 3, 4, 5), **fields):
        found = {"type": "preference", "value": value, "evidence": list(evidence), "replaces": []}
        return entity_profiles.apply_attributes(
            self.npc,
            self.char2,
            [{**found, **fields}],
            audience="public",
            consumed=consumed,
        )

    def known(self):
        return entity_profiles.find_profile(self.npc, self.char2)


class RipeTests(BacklogTestCase):
    def test_five_observations_make_a_mark(self):
        """E40."""
        self.observe(4)
        self.assertEqual(entity_backlog.ripe(self.npc), [])
        self.observe(1)
        self.assertEqual(entity_backlog.ripe(self.npc), [self.second])

    def test_what_was_used_takes_the_mark_away(self):
        self.observe(5)
        self.apply()
        self.assertEqual(entity_backlog.ripe(self.npc), [])
        self.observe(4)
        self.assertEqual(entity_backlog.ripe(self.npc), [])

    def test_a_mark_is_written_once(self):
        self.observe(6)
        with statements() as asked:
            entity_profiles.update_relationship(self.npc, self.char2, 0.05)
        # Only the profile.
        self.assertEqual(asked, ["BEGIN", "UPDATE 1", "COMMIT"])

    def test_who_is_forgotten_has_no_mark(self):
        self.observe(5)
        entity_profiles.forget_entity(self.npc, self.char2)
        self.assertEqual(entity_backlog.ripe(self.npc), [])

    def test_a_copy_has_no_marks(self):
        self.observe(5)
        entity_backlog.note_noticed(self.npc, 7)
        copy = self.npc.copy()
        identity.identity_of(copy)
        self.assertEqual(entity_backlog.ripe(copy), [])
        self.assertEqual(entity_backlog.noticed_until(copy), 0)

    def test_how_far_the_journal_was_read_is_no_person(self):
        self.assertEqual(entity_backlog.noticed_until(self.npc), 0)
        entity_backlog.note_noticed(self.npc, 7)
        self.assertEqual(entity_backlog.noticed_until(self.npc), 7)
        self.assertEqual(entity_backlog.ripe(self.npc), [])


class ApplyTests(BacklogTestCase):
    def test_attributes_and_marks_of_use_are_one_write(self):
        """E42 E45: a server that is killed between the two could make of them twice."""
        self.observe(5)
        with mock.patch.object(repository, "save_all", wraps=repository.save_all) as save_all:
            self.assertEqual(self.apply(), 1)
        written = [call.args[1] for call in save_all.call_args_list]
        [[profile]] = [
            [value for (kind, _), value in values.items() if kind is kinds.PROFILES]
            for values in written
        ]
        self.assertEqual([fact.value for fact in profile.attributes], ["Likes tea"])
        self.assertTrue(all(one.consolidated for one in profile.observations))

    def test_applied_twice_it_is_there_once(self):
        self.observe(5)
        self.assertEqual((self.apply(), self.apply()), (1, 0))
        self.assertEqual(len(self.known().attributes), 1)

    def test_what_was_observed_meanwhile_is_kept_and_waits(self):
        self.observe(6)
        self.apply()
        waiting = [one.id for one in self.known().observations if not one.consolidated]
        self.assertEqual(waiting, [6])

    def test_who_was_forgotten_meanwhile_stays_forgotten(self):
        self.observe(5)
        entity_profiles.forget_entity(self.npc, self.char2)
        self.assertIsNone(self.apply())
        self.assertIsNone(self.known())

    def test_forgetting_somebody_takes_what_they_told_of_others(self):
        first = identity.identity_of(self.char1)
        self.observe(5, told_by=first)
        self.apply()
        forgetting.forget_resting_on(self.npc, None, Gone(frozenset([first])))
        self.assertEqual(self.known().attributes, [])
        self.assertEqual(self.known().observations, [])

    def test_an_old_entry_of_the_journal_is_no_later_meeting(self):
        self.observe()
        met = self.known().last_interaction
        entity_profiles.add_entity_observation(
            self.npc, self.char2, "Likes ale.", audience="public", now=LONG_AGO
        )
        self.assertEqual(self.known().last_interaction, met)


class NameTests(BacklogTestCase):
    def test_all_who_are_known_by_name(self):
        self.observe()
        other = create_object(DefaultCharacter, key="char2", location=self.room1)
        self.observe(entity=other)
        both = sorted([self.second, identity.identity_of(other)])
        self.assertEqual(entity_profiles.known_names(self.npc), {"char2": both})

    def test_those_who_are_mentioned_come_in_the_order_of_the_names(self):
        self.observe()
        self.observe(entity=self.char1)
        first = identity.identity_of(self.char1)
        for names, expected in (
            (["char2", "char"], [self.second, first]),
            (["char", "nobody", "char2"], [first, self.second]),
            (["nobody"], []),
            ([], []),
        ):
            with self.subTest(names):
                self.assertEqual(entity_profiles.find_mentioned(self.npc, names), expected)
