"""Tests of the kinds of things that a mind keeps, and of those that a game adds."""

import json

import msgspec
from django.core.exceptions import ImproperlyConfigured
from evennia.typeclasses.attributes import Attribute
from evennia.utils import logger

from evennia_ai import scheduling
from evennia_ai.agent.revising import forgetting, mind_transfer
from evennia_ai.domain.files import mind_file, mind_shape
from evennia_ai.lifecycle.store_handlers import Gone
from evennia_ai.memory import identity, kinds, repository
from evennia_ai.memory.kinds import BODY, MIND, SET_ASIDE, Kind
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.storage import own_attributes, pages, readahead
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts


class Debt(msgspec.Struct, frozen=True):
    """What somebody owes an NPC of this game."""

    who: str
    audience: tuple[str, ...]
    gold: int = 1


DEBTS = Kind("debts", BODY, list[Debt], ahead="turn")
RUMOURS = Kind("rumours", MIND, list[Debt], keyed=True, ahead="person")
OATH = Kind("oath", MIND, Debt, ahead="turn")
HABITS = Kind("habits", BODY, dict[str, int], role="builder", file="", copied=True)
OF_THE_GAME = [f"{__name__}.{name}" for name in ("DEBTS", "RUMOURS", "OATH", "HABITS")]

TAKEN = Kind("persona", BODY, dict[str, str])
TWICE = Kind("debts", BODY, list[str])
# The files of minds have something else under these names.
CLASHES = [
    Kind("goals", BODY, list[Debt]),
    Kind("memories", BODY, list[Debt]),
    Kind("wishes", MIND, list[Debt], file="experience"),
    Kind("rumours_of_old", BODY, list[Debt], file="rumours"),
]
NO_KIND = 5

ANN, BOB = "ann-uuid", "bob-uuid"
OWED = [Debt(ANN, (ANN, BOB), 5), Debt(BOB, (BOB,))]


class OurKindsTests(AITestCase):
    def test_what_says_nothing_can_be_written_and_read_at_each_kind(self):
        for kind in kinds.KINDS:
            if not kind.may_be_empty:
                self.assertIsNone(kind.empty(), kind.name)
                continue
            with self.subTest(kind=kind.name):
                obj, key = self.script if kind.on == MIND else self.char1, "1" if kind.keyed else ""
                repository.save(obj, kind, kind.empty(), key)
                for _ in range(2):
                    self.assertEqual(repository.load(obj, kind, key), kind.empty())
                    own_attributes.drop_cached(obj)
                self.assertEqual(pages.shaped(kind, pages.plain(kind.empty())), kind.empty())
                self.assertEqual(repository.keys(obj, kind), [kind.key(key)])

    def test_what_says_nothing_is_a_fresh_value_each_time(self):
        kinds.LORE.empty().append("x")
        kinds.PERSONA.empty()["x"] = 1
        self.assertEqual((kinds.LORE.empty(), kinds.PERSONA.empty()), ([], {}))

    def test_each_name_is_given_once_for_the_body_and_once_for_the_mind(self):
        names = [(kind.on, kind.name) for kind in kinds.KINDS]
        self.assertEqual(sorted(set(names)), sorted(names))
        files = [kind.file_name for kind in kinds.KINDS if kind.file_name]
        self.assertEqual(sorted(set(files)), sorted(files))

    def test_a_name_stands_on_the_page_of_the_first_letter_of_its_identity(self):
        self.assertEqual([kinds.name_page(who) for who in ("b0c3", "guest7")], ["b", "7"])

    def test_what_a_file_has_no_place_for_says_so(self):
        for kind in kinds.KINDS:
            if kind.file_name:
                self.assertIn(kind.file_name, mind_shape.KEYS)
        for kind in (kinds.GRANTS, kinds.IDENTITY, kinds.MIND_KEY, kinds.SWITCHES, kinds.NAMES):
            self.assertEqual(kind.file_name, "", kind.name)

    def test_words_of_others_are_memory_and_not_copied(self):
        for kind in kinds.KINDS:
            if kind.copied:
                self.assertEqual(kind.role, "builder", kind.name)
        self.assertEqual(kinds.JOURNAL.role, "memory")
        self.assertEqual(kinds.CONVERSATIONS.role, "memory")
        self.assertEqual(kinds.PROFILES.role, "memory")

    def test_without_the_setting_there_are_ours_alone(self):
        self.assertEqual(kinds.all_kinds(), kinds.KINDS)
        both = [*kinds.on(BODY), *kinds.on(MIND)]
        self.assertEqual({kind.on for kind in kinds.on(BODY)}, {"body"})
        self.assertCountEqual(both, kinds.KINDS)


class RecordTests(AITestCase):
    """Kinds whose values are records of a type."""

    def test_a_record_without_who_may_know_it_cannot_be_made(self):
        with self.assertRaises(TypeError):
            Debt("ann")
        with self.assertRaises(ValueError):
            pages.shaped(DEBTS, [{"who": "ann"}])
        self.assertEqual(pages.read(DEBTS, '1\n{"who":"ann"}\n'), ([], ['{"who":"ann"}']))

    def test_a_record_cannot_be_changed(self):
        with self.assertRaises(AttributeError):
            OWED[0].gold = 100

    def test_records_are_equal_now_and_after_a_restart(self):
        repository.save(self.char1, DEBTS, OWED)
        repository.save(self.script, OATH, OWED[0])
        for _ in range(2):
            for _ in range(2):
                self.assertEqual(repository.load(self.char1, DEBTS), OWED)
                self.assertEqual(repository.load(self.script, OATH), OWED[0])
            own_attributes.drop_cached(self.char1)
            own_attributes.drop_cached(self.script)

    def test_records_are_decoded_once(self):
        repository.save(self.char1, DEBTS, OWED)
        own_attributes.drop_cached(self.char1)
        first = repository.load(self.char1, DEBTS)
        self.assertIs(repository.load(self.char1, DEBTS)[0], first[0])

    def test_lists_of_records_are_detached(self):
        given = [*OWED]
        repository.save(self.char1, DEBTS, given)
        given.clear()
        for _ in range(2):
            repository.load(self.char1, DEBTS).append("spy")
            self.assertEqual(repository.load(self.char1, DEBTS), OWED)
            own_attributes.drop_cached(self.char1)

    def test_an_edit_of_records_is_kept_and_one_that_fails_is_not(self):
        repository.save(self.char1, DEBTS, OWED)
        with (
            self.assertRaises(ZeroDivisionError),
            repository.edit(self.char1, DEBTS, default=list) as debts,
        ):
            debts.clear()
            raise ZeroDivisionError
        self.assertEqual(repository.load(self.char1, DEBTS), OWED)
        with repository.edit(self.char1, DEBTS, default=list) as debts:
            debts[1:] = []
        self.assertEqual(repository.load(self.char1, DEBTS), OWED[:1])


class SettingTests(AITestCase):
    def refused(self, path):
        changed = self.settings_ai(KINDS=[OF_THE_GAME[0], path])
        with changed, self.assertRaises(ImproperlyConfigured) as caught:
            kinds.all_kinds()
        return str(caught.exception)

    def test_the_kinds_of_a_game_come_after_ours(self):
        with self.settings_ai(KINDS=OF_THE_GAME):
            self.assertEqual(kinds.all_kinds(), (*kinds.KINDS, DEBTS, RUMOURS, OATH, HABITS))
        self.assertEqual(kinds.all_kinds(), kinds.KINDS)

    def test_a_name_that_is_taken_is_refused_in_one_sentence(self):
        for name, taken in (("TAKEN", "persona"), ("TWICE", "debts")):
            told = self.refused(f"{__name__}.{name}")
            self.assertEqual(told, f"EVENNIA_AI['KINDS']: there is a kind '{taken}' already.")

    def test_what_is_no_kind_is_refused_in_one_sentence(self):
        path = f"{__name__}.NO_KIND"
        told = self.refused(path)
        self.assertEqual(told, f"EVENNIA_AI['KINDS']: {path} is no memory.kinds.Kind.")

    def test_a_path_that_leads_nowhere_is_refused_in_one_sentence(self):
        for path in (f"{__name__}.NOTHING", "no_such_module.DEBTS", "debts"):
            told = self.refused(path)
            self.assertTrue(told.startswith(f"EVENNIA_AI names {path!r}: "), told)
            self.assertNotIn("\n", told)

    def test_a_name_that_means_something_else_in_the_file_of_a_mind_is_refused(self):
        for kind in CLASHES:
            globals()["CLASH"] = kind
            changed = self.settings_ai(KINDS=[*OF_THE_GAME, f"{__name__}.CLASH"])
            with self.subTest(file=kind.file_name), changed:
                self.assertRaises(ImproperlyConfigured, kinds.all_kinds)


class OfTheGameTests(AITestCase):
    """What is done with ours is done with the kinds of a game."""

    def setUp(self):
        super().setUp()
        changed = self.settings_ai(KINDS=OF_THE_GAME)
        changed.enable()
        self.addCleanup(changed.disable)
        self.mara = minds.make_assistant("Mara", location=self.room1)
        self.mind = scripts.find(self.mara)

    def fill(self):
        repository.save(self.mara, DEBTS, OWED)
        repository.save(self.mara, HABITS, {"naps": 2})
        repository.save(self.mind, RUMOURS, OWED[:1], ANN)
        repository.save(self.mind, RUMOURS, OWED[1:], BOB)
        repository.save(self.mind, OATH, OWED[1])

    def kept(self, npc=None):
        npc = npc or self.mara
        mind = scripts.find(npc)
        return {
            "debts": repository.load(npc, DEBTS),
            "habits": repository.load(npc, HABITS),
            "rumours": repository.load_all(mind, RUMOURS),
            "oath": repository.load(mind, OATH),
        }

    def test_they_are_read_ahead(self):
        self.fill()
        for obj in (self.mara, self.mind):
            own_attributes.drop_cached(obj)
        readahead.read_ahead(self.mara, self.mind, ANN)
        with self.assertNumQueries(0):
            self.assertEqual(repository.load(self.mara, DEBTS), OWED)
            self.assertEqual(repository.load(self.mind, RUMOURS, ANN), OWED[:1])
            self.assertEqual(repository.load(self.mind, OATH), OWED[1])

    def test_they_go_along_in_the_file_of_a_mind(self):
        self.fill()
        mind = self.outcome(mind_transfer.take_mind(self.mara, self.mind))
        own = {"who": BOB, "audience": [BOB], "gold": 1}
        self.assertEqual(sorted(mind["more"]), ["debts", "oath", "rumours"])
        self.assertEqual(mind["more"]["oath"], own)
        self.assertEqual(mind["more"]["rumours"][BOB], [own])
        text = mind_file.write(mind, name="Mara", now=scheduling.now())
        other = minds.make_assistant("Tam", location=self.room1)
        script = scripts.find(other)
        script.disable()
        read = mind_file.read(json.loads(text))
        self.outcome(mind_transfer.give_mind(other, script, read))
        self.assertEqual(self.kept(other), {**self.kept(), "habits": None})

    def test_a_mind_that_has_none_of_a_record_can_be_exported_and_imported(self):
        mind = self.outcome(mind_transfer.take_mind(self.mara, self.mind))
        self.assertEqual(mind["more"], {})
        other = minds.make_assistant("Tam", location=self.room1)
        script = scripts.find(other)
        script.disable()
        self.outcome(mind_transfer.give_mind(other, script, mind))
        self.assertIsNone(repository.load(script, OATH))

    def test_who_has_some_of_a_list_is_not_blank(self):
        self.assertTrue(self.outcome(mind_transfer.is_blank(self.mara, self.mind)))
        repository.save(self.mara, HABITS, {"naps": 2})
        self.assertTrue(self.outcome(mind_transfer.is_blank(self.mara, self.mind)))
        repository.save(self.mara, DEBTS, OWED)
        self.assertFalse(self.outcome(mind_transfer.is_blank(self.mara, self.mind)))

    def test_who_is_forgotten_goes_from_them(self):
        self.fill()
        forgetting.forget_resting_on(self.mara, self.mind, Gone(frozenset([ANN])))
        kept = self.kept()
        self.assertEqual(kept["debts"], OWED[1:])
        self.assertEqual(kept["rumours"], {BOB: OWED[1:]})
        # They may know of Bob's oath; and what a builder wrote stays.
        self.assertEqual(kept["oath"], OWED[1])
        self.assertEqual(kept["habits"], {"naps": 2})

    def test_a_record_about_who_is_forgotten_does_not_stay(self):
        repository.save(self.mind, OATH, OWED[0])
        forgetting.forget_resting_on(self.mara, self.mind, Gone(frozenset([ANN])))
        left = repository.load(self.mind, OATH)
        self.assertNotIn(ANN, str(left.who if left else None))

    def test_forgetting_everything_clears_memory_and_leaves_what_builders_wrote(self):
        self.fill()
        identity.forget_everything(self.mara)
        forgetting.empty(self.mind)
        expected = {"debts": None, "habits": {"naps": 2}, "rumours": {}, "oath": None}
        self.assertEqual(self.kept(), expected)

    def test_what_a_game_says_is_copied_goes_along(self):
        self.fill()
        copy = self.mara.copy("Lara")
        self.assertEqual(repository.load(copy, HABITS), {"naps": 2})
        self.assertIsNone(repository.load(copy, DEBTS))

    def test_opening_the_game_without_the_setting_keeps_what_was_kept(self):
        self.fill()
        before = self.kept()
        with self.settings_ai(KINDS=[]):
            for obj in (self.mara, self.mind):
                own_attributes.drop_cached(obj)
            readahead.read_ahead(self.mara, self.mind, ANN)
            repository.save(self.mara, kinds.LORE, [])
            identity.forget_everything(self.mara)
            forgetting.empty(self.mind)
        self.assertEqual(Attribute.objects.filter(db_category="debts").count(), 1)
        for obj in (self.mara, self.mind):
            own_attributes.drop_cached(obj)
        self.assertEqual(self.kept(), before)


class SetAsideTests(AITestCase):
    def test_what_was_set_aside_of_who_is_forgotten_goes_as_well(self):
        """Its line cannot be read; that it is theirs is told by its place."""
        mara = minds.make_assistant("Mara", location=self.room1)
        who = identity.identity_of(self.char1)
        entity_profiles.create_entity_profile(mara, self.char1)
        found = own_attributes.rows(mara).filter(db_category="profiles", db_key=who)
        found.update(db_strvalue='1\n{"observations":[{"content":"Hides mar\n')
        own_attributes.drop_cached(mara)
        Attribute.flush_instance_cache()
        self.patch(logger, "log_err", lambda line: None)
        self.assertIsNone(repository.load(mara, kinds.PROFILES, who))
        self.assertEqual(repository.keys(mara, SET_ASIDE), [f"profiles/{who}"])
        forgetting.forget_resting_on(mara, None, Gone(frozenset([who])))
        self.assertEqual(repository.keys(mara, SET_ASIDE), [])
