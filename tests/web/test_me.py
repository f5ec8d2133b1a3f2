"""The page of a player: what NPCs know of them, by the functions of `remember`."""

from unittest.mock import patch

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from tests.web.cases import PageTestCase
from tests.web.watched import Watched

ME = "/ai/me/"
FORGET = "/ai/me/forget/"


class MeTestCase(PageTestCase):
    """Account 2 looks: a player, with char2; Mara knows both players."""

    def setUp(self):
        super().setUp()
        self.web.force_login(self.account2)
        self.ann, self.keeper = map(identity.identity_of, (self.char2, self.char1))
        self.tells("My brother is a smith.", self.ann, audience=[self.ann])
        self.tells("The mayor is a fool.", self.keeper, audience=[self.keeper])

    def tells(self, words, who, **how):
        journal.add_entry(self.mara, words, source_type="direct", source_id=who, **how)

    def entries(self):
        return [one.content for one in journal.newest_first(self.mara)]


class ShownTests(MeTestCase):
    def test_who_is_not_logged_in_is_sent_to_the_login(self):
        self.assertEqual(Client().get(ME)["Location"], f"/auth/login/?next={ME}")

    def test_it_shows_what_an_npc_knows_of_the_player_and_of_nobody_else(self):
        entity_profiles.add_entity_observation(
            self.mara, self.char2, "limps a little", audience="public"
        )
        entity_profiles.add_entity_observation(
            self.mara, self.char2, "smells of fish", audience=[self.keeper]
        )
        page = self.page(ME)
        for words in ("My brother is a smith.", "limps a little", "1 thing that you said"):
            self.assertIn(words, page)
        for words in ("mayor", "fish", "Do it", ">NPCs<"):
            self.assertNotIn(words, page)

    def test_who_only_looks_writes_nothing(self):
        self.page(ME)
        with CaptureQueriesContext(connection) as asked:
            self.page(ME)
            self.page("/ai/", status=403)
        changes = [
            one["sql"] for one in asked if one["sql"].startswith(("INSERT", "UPDATE", "DEL"))
        ]
        # Of Evennia's website.
        self.assertEqual([one for one in changes if "django_session" not in one], [])

    def test_another_npc_that_knows_them_is_no_other_question_to_the_database(self):
        asked = []
        for name in ("Bo", "Cy", "Di"):
            journal.add_entry(
                self.npc(name, "all()"), "Hello.", source_type="direct", source_id=self.ann
            )
            self.page(ME)
            with CaptureQueriesContext(connection) as found:
                self.page(ME)
            asked.append(len(found))
        self.assertEqual(asked[0], asked[-1])

    def test_the_characters_of_a_game_that_lists_them_itself_are_asked_of_it(self):
        class Listed:
            def all(self):
                return [case.char1]

        case = self
        with patch.dict(vars(self.account2), {"characters": Listed()}):
            self.assertEqual(identity.characters_of(self.account2), [self.char1])

    def test_who_knows_nothing_is_not_named(self):
        self.npc("Zeno", "all()")
        self.assertNotIn("Zeno", self.page(ME))

    def test_nor_is_one_whom_the_player_may_not_see(self):
        self.mara.locks.add("view:false()")
        self.assertIn("Nobody knows anything of you.", self.page(ME))
        self.posts(FORGET, status=404, npc=self.mara.id)

    def test_a_character_that_staff_tried_once_is_still_theirs(self):
        self.account2.characters.add(self.char2)
        identity.identity_of(self.char2)
        self.char2.account = self.account
        self.assertEqual(identity.account_of(self.char2), self.account)
        self.char2.account = self.account2
        self.assertEqual(identity.characters_of(self.account2), [self.char2])

    def test_of_each_of_their_characters(self):
        self.account2.characters.add(self.obj1)
        self.char1.account = None
        self.assertNotIn("mayor", self.page(ME))
        self.account2.characters.add(self.char1)
        self.char1.account = self.account2
        # As they are seen to play it.
        self.assertEqual(identity.account_of(self.char1), self.account2)
        page = self.page(ME)
        self.assertIn("mayor", page)
        self.assertIn("(as <bdi>Char2</bdi>)", page)

    def test_a_character_that_somebody_else_plays_is_nobody_of_theirs(self):
        self.account2.characters.add(self.char1)
        self.assertNotIn("mayor", self.page(ME))

    def test_a_guest_is_told_so(self):
        self.account2.permissions.add("Guest")
        page = self.page(ME)
        self.assertIn("You are a guest", page)
        self.assertNotIn("smith", page)
        self.posts("/ai/me/optout/", status=404)

    def test_who_has_no_character_is_told_so(self):
        self.account2.characters.remove(self.char2)
        self.assertIn("You have played no character yet", self.page(ME))
        self.posts(FORGET, status=404, npc="all", sure="yes")

    def test_no_more_npcs_than_somebody_reads_and_the_others_by_their_name(self):
        for name in ("Abel", "Zeno"):
            npc = self.npc(name, "all()")
            journal.add_entry(npc, "I snore.", source_type="direct", source_id=self.ann)
        with patch("evennia_ai.web.me_page.SHOWN", 2):
            page = self.page(ME)
            self.assertIn("The first 2; more know you: look for a name.", page)
            self.assertNotIn("Zeno", page)
            self.assertIn("Zeno", self.page(f"{ME}?name=ZEN"))
        page = self.page(f"{ME}?name=nobody")
        self.assertIn("Nobody of that name knows anything of you.", page)
        self.assertIn("Let everybody forget me", page)
        self.assertNotIn("Name <input", self.page(ME))

    def test_hostile_words_are_text(self):
        self.mara.key = "<i>Mara</i>\u202e|lcquit|ltx|le"
        self.tells("<script>alert(1)</script> \"'", self.ann, audience=[self.ann])
        page = self.page(ME)
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt;", page)
        for words in ("<script", "<i>", "|lc"):
            self.assertNotIn(words, page)

    def test_all_of_the_game_comes_over_the_bridge(self):
        watched = Watched(self)
        with watched.watching():
            self.page(ME)
            self.posts(FORGET, status=200, npc=self.mara.id)
            self.posts(FORGET, npc=self.mara.id, sure="yes")
            self.posts("/ai/me/optout/")
        self.assertEqual(watched.touched, [])


class DoneTests(MeTestCase):
    def test_an_npc_forgets_once_they_are_sure(self):
        page = self.posts(FORGET, status=200, npc=self.mara.id)
        self.assertIn("Shall <bdi>Mara</bdi> forget you?", page)
        self.assertEqual(len(self.entries()), 2)
        lines = self.logged(FORGET, npc=self.mara.id, sure="yes")
        by = f"evennia_ai: Char2(#{self.char2.id})"
        self.assertIn(f"{by} asked to be forgotten by Mara(#{self.mara.id}).", lines)
        self.assertIn("You are forgotten: Mara will know you no more.", self.seen)
        self.assertIn("Nobody knows anything of you.", self.seen)
        self.assertEqual(self.entries(), ["The mayor is a fool."])

    def test_or_all_of_them_do(self):
        self.assertIn("everybody", self.posts(FORGET, status=200, npc="all"))
        lines = self.logged(FORGET, npc="all", sure="yes")
        by = f"evennia_ai: Char2(#{self.char2.id})"
        self.assertIn(f"{by} asked to be forgotten by everybody.", lines)
        self.assertIn("You are forgotten: Everybody will know you no more.", self.seen)
        self.assertEqual(self.entries(), ["The mayor is a fool."])

    def test_what_cannot_be_done_yet_is_kept(self):
        get_memory().fail_with = MemoryUnavailable("its file is broken.")
        self.assertIn("Your request is kept", self.posts(FORGET, npc=self.mara.id, sure="yes"))
        get_memory().fail_with = None
        self.clock.advance(61)
        self.assertEqual(self.entries(), ["The mayor is a fool."])

    def test_they_opt_out_and_in(self):
        lines = self.logged("/ai/me/optout/")
        by = f"evennia_ai: Char2(#{self.char2.id})"
        self.assertEqual(lines, [f"{by} does not want to be remembered."])
        self.assertIn("You asked not to be remembered", self.seen)
        self.assertTrue(accounts.is_opted_out(self.char2))
        self.assertFalse(accounts.is_opted_out(self.char1))
        lines = self.logged("/ai/me/optin/")
        self.assertEqual(lines, [f"{by} wants to be remembered again."])
        self.assertFalse(accounts.is_opted_out(self.char2))
        self.assertEqual(self.logged("/ai/me/optin/"), [])

    def test_nothing_is_done_by_looking_or_by_a_form_of_another_site(self):
        for address in (FORGET, "/ai/me/optout/"):
            self.assertEqual(self.web.get(f"{address}?npc=all&sure=yes").status_code, 405)
        web = Client(enforce_csrf_checks=True)
        web.force_login(self.account2)
        self.assertEqual(web.post(FORGET, {"npc": "all", "sure": "yes"}).status_code, 403)
        self.assertEqual(web.post("/ai/me/optout/").status_code, 403)
        self.assertEqual(len(self.entries()), 2)
        self.assertFalse(accounts.is_opted_out(self.char2))

    def test_what_there_is_not_is_not_found(self):
        for npc in ("", "x", "999999", str(self.char1.id)):
            self.posts(FORGET, status=404, npc=npc, sure="yes")
        self.posts("/ai/me/explode/", status=404)


class CorrectTests(MeTestCase):
    def corrects(self, status=302, **values):
        given = {"npc": self.mara.id, "number": self.char2.id, "wrong": "brother"}
        given["right"] = "My sister is a smith."
        return self.posts(f"{ME}correct/", status, **{**given, **values})

    def test_what_is_wrong_is_put_right_as_by_the_command(self):
        self.assertIn("Something is wrong…", self.page(ME))
        page = self.corrects()
        self.assertIn("Mara knows better now.", page)
        self.assertIn("My sister is a smith.", page)
        self.assertEqual(self.entries(), ["The mayor is a fool.", "My sister is a smith."])

    def test_it_leaves_a_line_for_staff_without_the_words(self):
        given = {"npc": self.mara.id, "number": self.char2.id, "wrong": "brother"}
        given["right"] = "My sister is a smith."
        lines = self.logged(f"{ME}correct/", **given)
        by = f"evennia_ai: Char2(#{self.char2.id}) corrected what is known of them"
        self.assertIn(f"{by} by Mara(#{self.mara.id}).", lines)
        self.assertNotIn("brother", "".join(lines))

    def test_what_others_told_is_not_theirs_to_put_right(self):
        page = self.corrects(wrong="mayor fool", right="The mayor is wise.")
        self.assertIn("knows nothing like &#x27;mayor fool&#x27; of you or from you.", page)
        self.corrects(404, number=self.char1.id)
        self.corrects(404, npc=self.char1.id)
        self.assertEqual(self.entries(), ["The mayor is a fool.", "My brother is a smith."])

    def test_what_says_nothing_is_refused(self):
        for values, said in (
            ({"wrong": " "}, "Say what is wrong, and what is right."),
            ({"right": ""}, "Say what is wrong, and what is right."),
            ({"right": "…"}, "A correction says what is right."),
        ):
            with self.subTest(values=values):
                self.assertIn(said, self.corrects(**values))
        self.assertEqual(self.entries(), ["The mayor is a fool.", "My brother is a smith."])
