"""The page of all NPCs: who sees whom, what is shown, and what is done from there."""

import re
from datetime import datetime, timezone
from unittest.mock import patch

from django.test import Client, override_settings
from evennia.objects.models import ObjectDB
from evennia.server.models import ServerConfig

from evennia_ai.memory import journal
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.models import LedgerEntry
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.web import visitors
from tests.web.cases import PageTestCase
from tests.web.watched import Watched

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class WhoTests(PageTestCase):
    def test_who_is_not_logged_in_is_sent_to_the_login(self):
        answer = Client().get("/ai/?name=x")
        self.assertEqual(answer.status_code, 302)
        self.assertEqual(answer["Location"], "/auth/login/?next=/ai/%3Fname%3Dx")

    def test_a_player_is_refused(self):
        self.web.force_login(self.account2)
        self.assertNotIn("Mara", self.page(status=403))

    def test_a_guest_is_refused_whatever_their_character_may(self):
        self.npc("Zeno", "all()")
        self.as_builder()
        self.page()
        self.account2.permissions.add("Guest")
        self.page(status=403)

    def test_a_builder_sees_those_alone_whom_they_control(self):
        self.npc("Zeno", "false()")
        page = self.page()
        self.assertIn("Mara", page)
        self.assertNotIn("Zeno", page)

    def test_another_builder_sees_none_and_changes_none(self):
        self.as_builder()
        self.assertIn("You control no NPC", self.page())
        self.posts(f"/ai/npc/{self.mara.id}/stop/", status=404)
        self.assertTrue(assistant.is_enabled(scripts.find(self.mara)))

    def test_the_number_of_an_account_is_no_number_of_a_character(self):
        self.assertNotEqual(self.account2.id, self.char2.id)
        self.npc("Zeno", f"id({self.account2.id})")
        self.npc("Yrsa", f"id({self.char2.id})")
        self.as_builder()
        page = self.page()
        self.assertNotIn("Zeno", page)
        self.assertIn("Yrsa", page)

    def test_a_lock_on_the_account_is_asked_of_whoever_it_plays(self):
        self.npc("Zeno", f"pid({self.account2.id})")
        self.as_builder()
        self.char2.account = None
        self.assertIn("Zeno", self.page())

    def test_an_admin_sees_all_until_they_quell_it(self):
        self.account2.permissions.add("Admin")
        self.web.force_login(self.account2)
        self.assertIn("Mara", self.page())
        self.account2.attributes.add("_quell", True)
        self.page(status=403)

    def test_a_superuser_too(self):
        self.account2.is_superuser = True
        self.account2.save()
        self.web.force_login(self.account2)
        self.assertIn("Mara", self.page())
        self.account2.attributes.add("_quell", True)
        self.page(status=403)

    def test_a_right_of_the_body_alone_opens_nothing(self):
        self.char2.permissions.add("Admin")
        self.char2.account = None
        self.web.force_login(self.account2)
        self.page(status=403)
        self.as_builder()
        self.assertNotIn("Mara", self.page())

    def test_somebody_elses_character_opens_nothing(self):
        self.account.characters.remove(self.char1)
        self.page(status=403)

    def test_a_character_that_the_account_may_not_play_opens_nothing(self):
        self.char1.locks.add("puppet:false()")
        self.page(status=403)

    def test_nor_does_one_that_another_account_plays(self):
        self.char1.account = self.account2
        self.page(status=403)

    def test_who_is_banned_is_refused_though_they_are_logged_in(self):
        bans = [(self.account.key.lower(), "", "", "Mon", "spam")]
        ServerConfig.objects.conf("server_bans", bans)
        self.assertIn("banned", self.page(status=403))
        self.assertIn("banned", self.page("/ai/me/", status=403))
        self.posts(f"/ai/npc/{self.mara.id}/stop/", status=403)
        self.assertTrue(assistant.is_enabled(scripts.find(self.mara)))

    def test_so_is_who_comes_from_an_address_that_is_banned(self):
        bans = [("", "127.0.0.*", re.compile(r"127\.0\.0\..*"), "Mon", "spam")]
        ServerConfig.objects.conf("server_bans", bans)
        self.assertIn("banned", self.page(status=403))

    def test_what_is_no_npc_or_no_change_is_not_found(self):
        for address in ("/ai/npc/999999/stop/", f"/ai/npc/{self.char2.id}/stop/"):
            self.posts(address, status=404)
        self.posts(f"/ai/npc/{self.mara.id}/explode/", status=404)


class ShownTests(PageTestCase):
    def test_it_shows_how_each_does(self):
        journal.add_entry(self.mara, "The well is dry.")
        LedgerEntry.objects.create(
            created=datetime.now(timezone.utc),
            assistant_id=self.mara.id,
            money=12_300,
            outcome="ok",
        )
        minds.script_llm("Well met, Char.")
        self.char1.execute_cmd("say Hello Mara")
        minds.pass_time(self.clock, 2)
        page = self.page()
        for words in (
            "awake",
            "“<bdi>Well met, Char.</bdi>”",
            "0.0123",
            "1 entry, 1 person",
            "Room",
        ):
            self.assertIn(words, page)

    def test_it_is_sorted_and_filtered(self):
        sleeper = self.npc("Abel", "all()")
        scripts.find(sleeper).disable()
        page = self.page()
        self.assertLess(page.index(">Abel<"), page.index(">Mara<"))
        self.assertNotIn(">Abel<", self.page("/ai/?state=awake"))
        self.assertNotIn(">Mara<", self.page("/ai/?name=AB"))
        self.assertIn("None of your 2 NPCs fits.", self.page("/ai/?name=xyz"))
        assistant.count(scripts.find(self.mara), "turns")
        page = self.page("/ai/?order=turns")
        self.assertLess(page.index(">Mara<"), page.index(">Abel<"))
        self.page("/ai/?order=nonsense")

    def test_no_more_rows_than_somebody_reads(self):
        for number in range(3):
            self.npc(f"Guard {number}", "all()")
        with patch("evennia_ai.web.npc_pages.SHOWN", 2), patch("evennia_ai.scheduling.SLICE_MS", 0):
            page = self.page()
        self.assertIn("2 of 4 NPCs; 2 more fit: look for a name", page)

    def test_that_all_are_halted_is_said(self):
        self.addCleanup(active_assistants.halt, halted=False)
        self.assertNotIn("halted", self.page())
        active_assistants.halt()
        self.assertIn("Every mind is halted.", self.page())

    def test_hostile_names_and_words_are_text(self):
        self.mara.key = "<script>alert(1)</script>\"'\u202eevil|lcsay x|ltclick|le"
        page = self.page("/ai/?name=%3Cscript%3E")
        self.check_own_script_alone(page)
        self.assertIn(
            "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;\u202eevilclick</bdi>", page
        )
        self.assertIn('value="&lt;script&gt;"', page)


class DoneTests(PageTestCase):
    def test_stop_and_start_sleep_and_wake_as_the_commands_do(self):
        number = self.mara.id
        by = f"evennia_ai: Char(#{self.char1.id})"
        for what, said, logged, state in (
            (
                "stop",
                f"The mind of Mara (#{number}) is off now.",
                "switched off the mind of",
                "off",
            ),
            (
                "start",
                f"The mind of Mara (#{number}) is on now.",
                "switched on the mind of",
                "awake",
            ),
            ("sleep", f"Mara (#{number}) falls asleep (light).", "put to light sleep", "asleep"),
            ("wake", f"Mara (#{number}) wakes.", "woke", "awake"),
        ):
            with self.subTest(what):
                lines = self.logged(f"/ai/npc/{number}/{what}/")
                self.assertIn(f"{by} {logged} Mara(#{number}).", lines)
                self.assertIn(said, self.seen)
                self.assertIn(f'class="state {state}"', self.page())
                self.assertEqual(self.logged(f"/ai/npc/{number}/{what}/"), [])
        self.assertIn("is off now", self.posts(f"/ai/npc/{number}/stop/"))
        self.assertIn("is off already", self.posts(f"/ai/npc/{number}/stop/"))

    def test_nothing_is_done_by_looking(self):
        self.page(f"/ai/npc/{self.mara.id}/stop/", status=405)
        self.assertTrue(assistant.is_enabled(scripts.find(self.mara)))

    def test_nor_by_a_form_of_another_site(self):
        web = Client(enforce_csrf_checks=True)
        web.force_login(self.account)
        self.assertEqual(web.post(f"/ai/npc/{self.mara.id}/stop/").status_code, 403)
        self.assertTrue(assistant.is_enabled(scripts.find(self.mara)))

    def test_nor_faster_than_a_person_can(self):
        address = f"/ai/npc/{self.mara.id}/stop/"
        for _ in range(visitors.CHANGES):
            self.web.post(address)
        self.assertIn("Wait a little", self.posts(address, status=429))
        self.clock.advance(visitors.SECONDS)
        self.posts(address)


class MenuTests(PageTestCase):
    def test_the_menu_of_the_site_links_to_the_pages_and_they_to_the_site(self):
        self.assertIn('<a class="nav-link" href="/ai/me/">NPCs</a>', self.page("/"))
        page = self.page()
        for link in ('href="/">Home<', 'href="/help/">Help<', 'href="/ai/me/">About you<'):
            self.assertIn(link, page)

    def test_the_npc_is_called_by_its_name_and_labels_are_plain_words(self):
        page = self.page(f"/ai/npc/{self.mara.id}/memories/")
        self.assertIn("What <bdi>Mara</bdi> remembers", page)
        page = self.page()
        for label in (">Unanswered<", ">Answers<", ">Actions<"):
            self.assertIn(label, page)


class GuardTests(PageTestCase):
    def test_a_page_loads_our_style_and_script_and_nothing_else(self):
        for answer in (self.web.get("/ai/"), Client().get("/ai/"), self.web.post("/ai/npc/1/x/")):
            self.assertEqual(answer["Content-Security-Policy"], POLICY)
            self.assertEqual(answer["Cache-Control"], "no-store")
            self.assertEqual(answer["X-Content-Type-Options"], "nosniff")
        self.check_own_script_alone(self.page())
        self.assertNotIn("style=", self.page())

    def test_also_where_the_game_keeps_its_files_elsewhere(self):
        with override_settings(STATIC_URL="https://files.example.org/static/"):
            policy = self.web.get("/ai/")["Content-Security-Policy"]
        self.assertIn("style-src 'self' https://files.example.org;", policy)
        self.assertIn("script-src 'self' https://files.example.org;", policy)

    def test_no_object_of_the_game_is_touched_off_the_bridge(self):
        watched = Watched(self)
        with watched.watching():
            for answer in (
                self.web.get("/ai/"),
                self.web.post(f"/ai/npc/{self.mara.id}/stop/"),
                self.web.get("/ai/"),
            ):
                self.assertIn(answer.status_code, (200, 302))
        self.assertEqual(watched.touched, [])
        with watched.watching():
            self.mara.access(self.char1, "control")
            ObjectDB.objects.get(pk=self.mara.pk)
        self.assertEqual(watched.touched, ["access", "fetch"])


class HaltTests(PageTestCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(active_assistants.halt, halted=False)

    def test_an_admin_halts_all_minds_and_lets_them_go_on(self):
        self.account.permissions.add("Admin")
        self.web.force_login(self.account)
        by = f"evennia_ai: Char(#{self.char1.id})"
        lines = self.logged("/ai/halt/")
        self.assertIn(f"{by} halted every mind.", lines)
        self.assertIn("Every mind is halted (1).", self.seen)
        self.assertIn("Let all minds go on", self.seen)
        self.assertTrue(active_assistants.is_halted())
        self.assertIn("Every mind is halted already.", self.posts("/ai/halt/"))
        self.assertIn(f"{by} let every mind go on.", self.logged("/ai/resume/"))
        self.assertIn("The minds go on (1).", self.seen)
        self.assertIn("Halt all minds", self.seen)
        self.assertIn("The minds are not halted.", self.posts("/ai/resume/"))

    def test_nobody_else_does(self):
        self.assertNotIn("Halt all minds", self.page())
        self.posts("/ai/halt/", status=403)
        self.assertFalse(active_assistants.is_halted())
        active_assistants.halt()
        self.posts("/ai/resume/", status=403)
        self.assertTrue(active_assistants.is_halted())
        self.assertIn("An admin lets them go on.", self.page())
