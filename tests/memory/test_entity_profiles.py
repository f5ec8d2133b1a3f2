"""Tests of what an assistant knows of others, as it is stored."""

import itertools
import uuid
from datetime import datetime, timezone
from unittest import mock

from evennia.accounts.accounts import DefaultGuest
from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_account, create_object
from msgspec import structs, to_builtins

from evennia_ai.agent.revising import forgetting
from evennia_ai.core.records import format_time
from evennia_ai.memory import identity, kinds, repository, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.storage import own_attributes
from evennia_ai.testing import AITestCase
from tests.memory.asked import statements

NOON = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)


def masked(npc, obj):
    """The IDENTIFY of a game with masks."""
    return f"Mask-{obj.id}" if obj.db.masked else identity.identity_of(obj)


class ProfileTestCase(AITestCase):
    def create_cast(self):
        super().create_cast()
        self.npc = create_object(DefaultCharacter, key="Mara", location=self.room1)

    def observe(self, entity, content, source="direct", *, audience="public", **fields):
        return entity_profiles.add_entity_observation(
            self.npc, entity, content, source, audience=audience, **fields
        )

    def contents(self, entity):
        known = entity_profiles.get_entity_profile(self.npc, entity)
        return [one.content for one in known.observations]

    def adjust(self, delta, reason=None, *, now=NOON):
        return entity_profiles.update_relationship(self.npc, self.char2, delta, reason, now=now)

    def relationship(self):
        return entity_profiles.get_entity_profile(self.npc, self.char2).relationship

    def stored(self):
        return own_attributes.rows(self.npc).filter(db_category="profiles")


class GetTests(ProfileTestCase):
    def test_somebody_new_gets_a_profile_at_the_first_question(self):
        """E44 E43 M3 M58: get_entity_profile creates lazily, by create_entity_profile."""
        own = identity.identity_of(self.char2)
        self.assertIsNone(entity_profiles.find_profile(self.npc, self.char2))
        self.assertEqual(self.stored().count(), 0)
        known = entity_profiles.get_entity_profile(self.npc, self.char2)
        self.assertEqual((known.entity_id, known.name), (own, "Char2"))
        self.assertEqual(known.relationship.state, "stranger")
        self.assertEqual(entity_profiles.find_profile(self.npc, self.char2), known)
        self.assertEqual(list(self.stored().values_list("db_key", flat=True)), [own])

    def test_a_character_that_nobody_plays_just_now_is_a_player_all_the_same(self):
        account = create_account("Rolf", email="", password="river-road-7")
        rolf = create_object(DefaultCharacter, key="Rolf", location=self.room1)
        rolf.attributes.add("creator_id", account.id)
        know = entity_profiles.create_entity_profile
        self.assertEqual(know(self.npc, rolf).entity_type, "npc")
        account.characters.add(rolf)
        self.assertEqual(know(self.npc, rolf).entity_type, "player")
        account.characters.remove(rolf)
        self.assertEqual(know(self.npc, rolf).entity_type, "player")

    def test_a_profile_says_who_it_is_about_and_when_it_began(self):
        """E6 E5 C-4 C-45: type, name, times; UUID as key and inside, dbref beside it."""
        known = entity_profiles.create_entity_profile(self.npc, self.char2, now=NOON)
        own = identity.identity_of(self.char2)
        self.assertEqual(
            dict(itertools.islice(structs.asdict(known).items(), 6)),
            {
                "entity_id": own,
                "entity_type": "player" if self.char2.account else "npc",
                "name": "Char2",
                "dbref": self.char2.dbref,
                "created": "2024-03-01T12:00:00.000Z",
                "last_interaction": "2024-03-01T12:00:00.000Z",
            },
        )
        self.assertEqual(entity_profiles.all_profiles(self.npc), {own: known})

    def test_players_npcs_and_objects_are_told_apart(self):
        """E1 E6: player, npc or object."""
        for obj, expected in [(self.char1, "player"), (self.npc, "npc"), (self.obj1, "object")]:
            with self.subTest(expected):
                knower = self.char2 if obj is self.npc else self.npc
                known = entity_profiles.get_entity_profile(knower, obj)
                self.assertEqual(known.entity_type, expected)

    def test_a_player_stays_one_when_nobody_plays(self):
        entity_profiles.get_entity_profile(self.npc, self.char1)
        self.account.unpuppet_all()
        entity_profiles.update_relationship(self.npc, self.char1, 0.0)
        known = entity_profiles.find_profile(self.npc, self.char1)
        self.assertEqual(known.entity_type, "player")

    def test_uuid_dbref_and_object_are_the_same_person(self):
        """E5 C-45: every public function takes UUID, #123 or object."""
        own = identity.identity_of(self.char2)
        for entity in (self.char2, self.char2.dbref, own, own.upper()):
            self.observe(entity, f"by {type(entity).__name__} {entity}")
        self.assertEqual(len(self.contents(self.char2)), 4)
        self.assertEqual(self.stored().count(), 1)

    def test_only_an_identity_can_be_described_in_words(self):
        known = entity_profiles.create_entity_profile(
            self.npc, "some-uuid", name="Old Tom", entity_type="npc"
        )
        self.assertEqual((known.name, known.entity_type), ("Old Tom", "npc"))
        with self.assertRaises(ValueError):
            entity_profiles.create_entity_profile(self.npc, "other", entity_type="ghost")

    def test_creating_again_loses_nothing(self):
        self.observe(self.char2, "Likes tea.")
        entity_profiles.create_entity_profile(self.npc, self.char2, name="Somebody")
        self.assertEqual(self.contents(self.char2), ["Likes tea."])
        self.assertEqual(entity_profiles.find_profile(self.npc, self.char2).name, "Char2")

    def test_whoever_has_no_identity_is_unknown_and_cannot_be_noted(self):
        self.assertIsNone(entity_profiles.find_profile(self.npc, ""))
        entity_profiles.forget_entity(self.npc, "")
        with self.assertRaises(ValueError):
            self.observe(" ", "Likes tea.")
        with self.assertRaises(KeyError):
            entity_profiles.get_entity_profile(self.npc, "#999999")

    def test_changing_what_was_read_changes_nothing(self):
        entity_profiles.get_entity_profile(self.npc, self.char2).observations.append("x")
        self.assertEqual(self.contents(self.char2), [])


class WhoIsWhoTests(ProfileTestCase):
    def test_a_rename_shows_at_the_next_dealing(self):
        self.observe(self.char2, "Likes tea.")
        self.char2.key = "Aurelia"
        self.assertEqual(entity_profiles.find_profile(self.npc, self.char2).name, "Char2")
        entity_profiles.update_relationship(self.npc, self.char2, 0.0, now=NOON)
        known = entity_profiles.find_profile(self.npc, self.char2)
        self.assertEqual(known.name, "Aurelia")
        self.assertEqual(known.last_interaction, "2024-03-01T12:00:00.000Z")
        self.assertEqual(self.contents(self.char2), ["Likes tea."])
        self.assertEqual(entity_profiles.find_by_name(self.npc, "Char2"), [])

    def test_a_name_can_be_said_where_only_the_identity_is_at_hand(self):
        entity_profiles.create_entity_profile(self.npc, "some-uuid", name="A masked man")
        entity_profiles.update_relationship(self.npc, "some-uuid", 0.0)
        self.assertEqual(entity_profiles.find_profile(self.npc, "some-uuid").name, "A masked man")

    def test_a_mask_is_somebody_else(self):
        self.observe(self.char2, "Likes tea.")
        with self.settings_ai(IDENTIFY="tests.memory.test_entity_profiles.masked"):
            self.char2.db.masked = True
            for entity in (self.char2, self.char2.dbref):
                self.assertEqual(self.contents(entity), [])
            self.char2.db.masked = False
            self.assertEqual(self.contents(self.char2), ["Likes tea."])

    def test_whoever_gets_the_number_of_another_is_unknown(self):
        self.observe(self.obj1, "Is cursed.")
        number = self.obj1.id
        self.obj1.delete()
        path = "evennia.objects.objects.DefaultObject"
        ObjectDB(id=number, db_key="fresh", db_typeclass_path=path).save()
        self.assertIsNone(entity_profiles.find_profile(self.npc, f"#{number}"))

    def test_a_copy_of_an_assistant_knows_nobody(self):
        self.observe(self.char2, "Likes tea.")
        copy = ObjectDB.objects.copy_object(self.npc, new_key="Copy")
        self.assertIsNone(entity_profiles.find_profile(copy, self.char2))
        self.assertEqual(entity_profiles.find_by_name(copy, "Char2"), [])
        self.assertEqual(len(entity_profiles.all_profiles(copy)), 0)
        self.assertEqual(self.contents(self.char2), ["Likes tea."])

    def test_a_name_finds_everybody_who_bears_it(self):
        for number in range(3):
            entity_profiles.create_entity_profile(self.npc, f"tom-{number}", name="Old Tom")
        entity_profiles.create_entity_profile(self.npc, "x", name="Tom")
        self.assertEqual(
            entity_profiles.find_by_name(self.npc, " old  TOM"), ["tom-0", "tom-1", "tom-2"]
        )
        self.assertEqual(entity_profiles.find_by_name(self.npc, "To"), [])

    def test_a_name_is_kept_as_it_is_seen(self):
        self.char2.key = "|rRed|n Char"
        self.assertEqual(entity_profiles.get_entity_profile(self.npc, self.char2).name, "Red Char")


class ObservationTests(ProfileTestCase):
    def test_an_observation_is_kept_with_source_audience_and_event(self):
        """E8 E34 E43 C-8: add_entity_observation."""
        kept = self.observe(
            self.char2, "Likes tea.", "told", audience=["b", "a"], event_id="e1", now=NOON
        )
        self.assertEqual(
            to_builtins(kept),
            {
                "id": 1,
                "content": "Likes tea.",
                "source": "direct",
                "source_word": "told",
                "source_trust": 0.9,
                "told_by": "",
                "timestamp": "2024-03-01T12:00:00.000Z",
                "audience": ["a", "b"],
                "sources": [["e1", "", ["a", "b"]]],
                "event_id": "e1",
                "consolidated": False,
            },
        )
        known = entity_profiles.find_profile(self.npc, self.char2)
        self.assertEqual(known.observations, [kept])
        self.assertEqual(known.last_interaction, "2024-03-01T12:00:00.000Z")

    def test_hearsay_is_trusted_less(self):
        self.assertEqual(self.observe(self.char2, "b", told_by="bob").source_trust, 0.6)
        own = identity.identity_of(self.char2)
        self.assertEqual(self.observe(self.char2, "c", told_by=own).source_trust, 0.9)

    def test_a_repeated_call_counts_once(self):
        first = self.observe(self.char2, "Likes tea.", event_id="e1")
        self.assertEqual(self.observe(self.char2, "Likes tea.", event_id="e1"), first)
        self.assertEqual(self.contents(self.char2), ["Likes tea."])

    def test_fifty_are_kept_and_what_is_lost_is_logged(self):
        for number in range(50):
            self.observe(self.char2, str(number))
        with mock.patch.object(entity_profiles.logger, "log_warn") as warned:
            self.observe(self.char2, "50")
        self.assertEqual(self.contents(self.char2), [str(number) for number in range(1, 51)])
        warned.assert_called_once_with(
            f"evennia_ai: Mara(#{self.npc.id}) forgot 1 observation(s) of Char2 before it slept on them."
        )

    def test_what_was_slept_on_goes_first_and_quietly(self):
        with mock.patch.object(entity_profiles, "OBSERVATIONS", 2):
            self.observe(self.char2, "a")
            self.observe(self.char2, "b")
            key = identity.identity_of(self.char2)
            entity_profiles.apply_attributes(self.npc, key, [], audience="public", consumed=[2])
            with mock.patch.object(entity_profiles.logger, "log_warn") as warned:
                self.observe(self.char2, "c")
        self.assertEqual(self.contents(self.char2), ["a", "c"])
        warned.assert_not_called()

    def test_an_error_writes_nothing(self):
        with self.assertRaises(ValueError):
            self.observe(self.char2, "x", "dreamt")
        self.assertEqual(self.stored().count(), 0)


class CostTests(ProfileTestCase):
    def test_a_note_costs_one_write_among_many_acquaintances(self):
        """E2: one Attribute per entity."""
        for _ in range(60):
            entity_profiles.create_entity_profile(self.npc, str(uuid.uuid4()), name="x")
        self.observe(self.char2, "a")
        with statements() as asked:
            self.observe(self.char2, "b")
        self.assertEqual(asked, ["BEGIN", "UPDATE 1", "COMMIT"])
        with self.assertNumQueries(1):
            self.assertEqual(len(entity_profiles.all_profiles(self.npc)), 61)


class ForgetTests(ProfileTestCase):
    def test_nothing_of_somebody_is_left_and_others_stay(self):
        own = identity.identity_of(self.char2)
        self.observe(self.char2, "Likes tea.")
        self.observe(self.char1, "Is a thief.", told_by=own)
        self.observe(self.char1, "Is tall.")
        for entity in (self.char1, self.char2):
            working_memory.add_conversation_message(self.npc, entity, "Hello.", "user")
        forgetting.forget_here(self.npc, None, forgetting.person(self.npc, self.char2))
        self.assertIsNone(entity_profiles.find_profile(self.npc, self.char2))
        self.assertEqual(entity_profiles.find_by_name(self.npc, "Char2"), [])
        self.assertEqual(working_memory.lines_with(self.npc, self.char2), [])
        self.assertEqual(self.contents(self.char1), ["Is tall."])
        self.assertEqual(len(working_memory.lines_with(self.npc, self.char1)), 1)
        left = own_attributes.rows(self.npc).exclude(db_category="conversations")
        self.assertNotIn(own, str(list(left.values_list("db_key", "db_strvalue"))))

    def test_forgetting_a_stranger_does_nothing(self):
        entity_profiles.forget_entity(self.npc, "nobody")
        self.assertEqual(repository.keys(self.npc, kinds.NAMES), [])


class GuestTests(ProfileTestCase):
    def test_guests_are_known_by_account_or_permission(self):
        guest = create_account(
            "Guest1", email="", password="correct horse 7", typeclass=DefaultGuest
        )
        self.assertFalse(identity.is_guest(self.char1))
        self.assertFalse(identity.is_guest(self.npc))
        self.char2.account = guest
        # EvenniaTest sets Evennia's own guest typeclass.
        self.assertTrue(identity.is_guest(self.char2))
        with self.settings(BASE_GUEST_TYPECLASS="world.accounts.Visitor"):
            self.assertFalse(identity.is_guest(self.char2))
            guest.permissions.add("Guests")
            self.assertTrue(identity.is_guest(self.char2))

    def test_a_guest_is_one_still_when_the_account_has_let_go(self):
        guest = create_account(
            "Guest1", email="", password="correct horse 7", typeclass=DefaultGuest
        )
        character = create_object(DefaultCharacter, key="Guest1")
        identity.identity_of(character)
        character.account = guest
        self.assertTrue(identity.is_guest(character))
        character.account = None
        self.assertTrue(identity.is_guest(character))
        guest.delete()
        self.assertFalse(identity.is_guest(character))


class TimeTests(ProfileTestCase):
    def test_without_a_time_it_is_now_by_the_clock(self):
        self.clock.advance(60)
        kept = self.observe(self.char2, "Likes tea.")
        self.assertEqual(kept.timestamp, "1970-01-01T00:01:00.000Z")
        entity_profiles.update_relationship(self.npc, self.char2, 0.1)
        self.assertEqual(
            self.relationship().history[0].timestamp,
            format_time(datetime(1970, 1, 1, 0, 1, tzinfo=timezone.utc)),
        )
