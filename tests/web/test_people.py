"""The pages of the people of an NPC: how it stands to whom, what it knows of one, and who else does."""

import re

from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_object

from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import entity_profiles
from tests.memory.profiles import add_fact
from tests.web.cases import PageTestCase
from tests.web.watched import Watched


class PeopleTestCase(PageTestCase):
    def setUp(self):
        super().setUp()
        self.address = f"/ai/npc/{self.mara.id}/people/"
        self.char2.key = "Ann"
        self.ann = identity.identity_of(self.char2)
        entity_profiles.add_entity_observation(
            self.mara, self.char2, "limps a little", audience=[self.ann]
        )
        for delta, reason in ((0.1, "brought ale"), (0.1, "told a joke"), (-0.05, "was rude")):
            entity_profiles.update_relationship(self.mara, self.char2, delta, reason)

    def looks_at(self, who, status=200):
        return self.posts(f"{self.address}one/", status, who=who)

    def disposes(self, how, status=302, who=None):
        return self.posts(f"{self.address}disposition/", status, who=who or self.ann, how=how)


class ShownTests(PeopleTestCase):
    def knows(self, name):
        """Let Mara know somebody, and like them better than Ann."""
        who = f"id-of-{name}".lower()
        entity_profiles.create_entity_profile(self.mara, who, name=name)
        for _ in range(2):
            entity_profiles.update_relationship(self.mara, who, 0.1)

    def test_whom_it_knows_is_a_table(self):
        self.knows("Bob")
        self.knows("Carla")
        page = self.page(self.address)
        self.assertIn("<bdi>Ann</bdi>", page)
        self.assertIn('data-label="Dealt with" class="number">3<', page)
        self.assertNotIn("style=", page)
        self.assertIn("knows nobody yet.", self.page(self.address.replace(*self.other())))

    def other(self):
        return f"/{self.mara.id}/", f"/{self.npc('Abel', 'all()').id}/"

    def test_no_player_is_in_an_address(self):
        page = self.page(self.address)
        self.assertNotRegex(page, f'(href|action)="[^"]*{self.ann}')

    def test_what_it_knows_of_one_is_told_with_how_that_went(self):
        page = self.looks_at(self.ann)
        for words in (
            "What <bdi>Mara</bdi> knows of <bdi>Ann</bdi>",
            "limps a little",
            "for Ann",
            "brought ale",
            "was rude",
            "none of the NPCs that you control",
        ):
            self.assertIn(words, page)

    def test_who_else_knows_them_is_told_of_those_that_one_controls(self):
        for name, lock in (("Abel", "all()"), ("Zeno", "false()")):
            npc = self.npc(name, lock)
            entity_profiles.add_entity_observation(npc, self.char2, "smiles", audience="public")
        page = self.looks_at(self.ann)
        self.assertIn("<bdi>Abel (#", page)
        self.assertNotIn("Zeno", page)

    def test_whom_it_does_not_know_is_not_found(self):
        for who in ("", "x", identity.identity_of(self.obj1), "x" * 9999):
            self.looks_at(who, 404)

    def test_hostile_names_and_words_are_text(self):
        known = entity_profiles.find_profile(self.mara, self.char2)
        self.char2.key = "<script>x</script>"
        entity_profiles.add_entity_observation(
            self.mara, self.char2, "<img src=x>", audience="public"
        )
        self.assertEqual(known.entity_id, self.ann)
        for page in (self.page(self.address), self.looks_at(self.ann)):
            self.assertNotIn("<script", page)
            self.assertNotIn("<img", page)


class DisposeTests(PeopleTestCase):
    def test_it_is_hostile_and_open_again_as_by_the_command(self):
        by = f"evennia_ai: Char(#{self.char1.id})"
        lines = self.logged(f"{self.address}disposition/", who=self.ann, how="hostile")
        self.assertIn(f"{by} chose hostile towards 'Ann' for Mara(#{self.mara.id}).", lines)
        self.assertIn(f"Mara (#{self.mara.id}) is hostile to Ann now.", self.seen)
        self.assertIn('<span class="state off">hostile</span>', self.seen)
        self.assertIn('value="open"', self.looks_at(self.ann))
        self.assertIn("is open to Ann now.", self.disposes("open"))
        self.assertIsNone(entity_profiles.find_profile(self.mara, self.char2).disposition)

    def test_nothing_else_is_done(self):
        self.disposes("charmed", 404)
        self.disposes("hostile", 404, who="x")
        self.assertEqual(self.web.get(f"{self.address}disposition/").status_code, 405)
        self.assertIsNone(entity_profiles.find_profile(self.mara, self.char2).disposition)

    def test_nor_of_a_guest_of_whom_nothing_is_kept(self):
        self.account2.permissions.add("Guest")
        self.assertIn("Of Ann nothing is kept. Nothing was done.", self.disposes("hostile"))


class CorrectTests(PeopleTestCase):
    def setUp(self):
        super().setUp()
        add_fact(self.mara, self.char2, "has a brother", told_by=[self.ann], audience=[self.ann])
        known = entity_profiles.find_profile(self.mara, self.char2)
        self.which = {"who": self.ann, "kind": "fact", "number": known.attributes[0].id}
        self.seen_of_her = {**self.which, "kind": "noticed", "number": known.observations[0].id}

    def corrects(self, status=302, **values):
        return self.posts(f"{self.address}fact/", status, **{**self.which, **values})

    def facts(self):
        known = entity_profiles.find_profile(self.mara, self.char2)
        return [one for one in known.attributes if one.superseded_by is None]

    def test_a_fact_is_put_right_for_those_who_may_know_it_and_is_no_word_of_theirs(self):
        page = self.corrects(200)
        self.assertIn("has a brother</textarea>", page)
        self.assertIn("Who may know it stays: <bdi>for Ann</bdi>", page)
        lines = self.logged(f"{self.address}fact/", **self.which, words="has a sister")
        by = f"evennia_ai: Char(#{self.char1.id})"
        self.assertIn(f"{by} put right what is known of somebody by Mara(#{self.mara.id}).", lines)
        self.assertIn("knows better now.", self.seen)
        [fact] = self.facts()
        self.assertEqual((fact.value, fact.audience), ("has a sister", [self.ann]))
        self.assertEqual((fact.told_by, fact.source), ([""], "correction"))

    def test_what_it_noticed_is_put_right_or_forgotten(self):
        self.assertIn("knows better now.", self.corrects(**self.seen_of_her, words="dances"))
        known = entity_profiles.find_profile(self.mara, self.char2)
        self.assertEqual([one.content for one in known.observations], ["dances"])
        self.assertIn("has forgotten it.", self.corrects(**self.seen_of_her, gone="yes"))
        self.assertIn("has forgotten it.", self.corrects(gone="yes"))
        known = entity_profiles.find_profile(self.mara, self.char2)
        self.assertEqual((known.attributes, known.observations), ([], []))

    def test_what_another_tab_has_written_meanwhile_stands_and_that_is_said(self):
        was = re.search(r'name="was" value="(\w+)"', self.corrects(200, **self.seen_of_her))[1]
        self.corrects(**self.seen_of_her, was=was, words="dances")
        said = "Somebody has changed it meanwhile. Nothing was done."
        self.assertIn(said, self.corrects(**self.seen_of_her, was=was, words="sings"))
        self.assertIn(said, self.corrects(**self.seen_of_her, was=was, gone="yes"))
        known = entity_profiles.find_profile(self.mara, self.char2)
        self.assertEqual([one.content for one in known.observations], ["dances"])

    def test_what_cannot_be_is_said(self):
        for words, said in (
            ("has a brother", "It says that already."),
            ("…", "A correction says what is right."),
            ("x" * 201, "It has up to 200 characters."),
        ):
            with self.subTest(words[:20]):
                self.assertIn(f"{said} Nothing was done.", self.corrects(words=words))
        self.assertEqual([one.value for one in self.facts()], ["has a brother"])

    def test_nothing_else_and_nobody_else_s_is_found(self):
        for values in ({"number": "99"}, {"number": "x"}, {"kind": "entry"}, {"who": "x"}):
            self.corrects(404, **values)
            self.corrects(404, words="x", **values)
        self.as_builder()
        for status in (404, 403):
            self.assertNotIn("brother", self.corrects(status))
            self.corrects(status, words="has a sister")
            self.account2.permissions.clear()
        self.assertEqual([one.value for one in self.facts()], ["has a brother"])


class ForgetTests(PeopleTestCase):
    def setUp(self):
        super().setUp()
        journal.add_entry(self.mara, "I owe money.", source_type="direct", source_id=self.ann)
        journal.add_entry(self.mara, "The well is dry.")

    def forgets(self, status=302, **values):
        return self.posts(f"{self.address}forget/", status, **{"who": self.ann, **values})

    def entries(self):
        return [one.content for one in journal.entries(self.mara)]

    def test_somebody_is_forgotten_once_that_was_said_twice(self):
        page = self.forgets(200)
        self.assertIn("Shall <bdi>Mara</bdi> forget <bdi>Ann</bdi>?", page)
        self.assertIn("(1 entry of its journal)", page)
        self.assertEqual(self.entries(), ["I owe money.", "The well is dry."])
        lines = self.logged(f"{self.address}forget/", who=self.ann, sure="yes")
        by = f"evennia_ai: Char(#{self.char1.id})"
        self.assertIn(f"{by} let somebody be forgotten by Mara(#{self.mara.id}).", lines)
        said = f"Mara (#{self.mara.id}) has forgotten Ann, and what they told: 1 entry, 1 profile."
        self.assertIn(said, self.seen)
        self.assertEqual(self.entries(), ["The well is dry."])
        self.assertIsNone(entity_profiles.find_profile(self.mara, self.char2))

    def test_with_all_their_characters(self):
        other = create_object(DefaultCharacter, key="Anna", location=self.room1)
        self.account2.characters.add(other)
        other.locks.add(f"puppet:pid({self.account2.id})")
        told = {"source_type": "direct", "source_id": identity.identity_of(other)}
        journal.add_entry(self.mara, "I am Ann, too.", **told)
        self.forgets(sure="yes")
        self.assertEqual(self.entries(), ["The well is dry."])

    def test_whom_it_does_not_know_is_not_found_and_nobody_else_may(self):
        for who in ("", "x", "\0"):
            self.forgets(404, who=who)
            self.forgets(404, who=who, sure="yes")
        self.as_builder()
        for status in (404, 403):
            self.assertNotIn("Ann", self.forgets(status))
            self.forgets(status, sure="yes")
            self.account2.permissions.clear()
        self.assertEqual(self.entries(), ["I owe money.", "The well is dry."])


class WhoTests(PeopleTestCase):
    def test_nobody_else_sees_or_sets_it(self):
        self.as_builder()
        for status in (404, 403):
            self.assertNotIn("Ann", self.page(self.address, status=status))
            self.assertNotIn("limps", self.looks_at(self.ann, status))
            self.disposes("hostile", status)
            self.account2.permissions.clear()
        self.assertIsNone(entity_profiles.find_profile(self.mara, self.char2).disposition)

    def test_all_of_the_game_comes_over_the_bridge(self):
        watched = Watched(self)
        with watched.watching():
            self.page(self.address)
            self.looks_at(self.ann)
            self.disposes("hostile")
        self.assertEqual(watched.touched, [])
