"""The pages in Chromium: each of them, each change, who may not, and words that would be a page."""

import re

from tests.browser import built, chromium
from tests.browser.cases import BrowserTestCase, world

# What an admin finds from the first page on.
OF_AN_NPC = ("turns", "memories", "people", "experience", "persona", "search")
FOR_STAFF = {
    "/ai/",
    "/ai/me/",
    "/ai/cost/",
    *(f"/ai/npc/N/{one}/" for one in OF_AN_NPC),
}
NOT_THERE = "There is no such thing here, or it is not yours to see."
FOR_BUILDERS = "These pages are for builders who play a character of their own, some for admins."


def setUpModule():  # noqa: N802 - the name that unittest looks for
    """Open the game and the browser."""
    world.begin()


class LookedAtTests(BrowserTestCase):
    def test_each_page_can_be_read_and_used_on_a_desk_and_a_phone(self):
        self.chats()
        tab, hers = self.tab("Olga"), f"/ai/npc/{self.number('Mara')}/"
        self.assertLessEqual(FOR_STAFF, self.walk(tab, hers))
        self.asks(tab, hers)
        player = self.tab("Ann")
        player.opens("/ai/me/")
        self.check_usable(player, "me-player")

    def test_what_is_remembered_is_little_to_scroll_on_a_phone(self):
        tab = self.tab("Dora")
        tab.looks_in(chromium.PHONE)
        tab.opens(f"/ai/npc/{self.number('Mara')}/memories/")
        self.assertLessEqual(tab.height(), 1500)

    def test_what_was_said_is_found_and_what_is_not_is_not(self):
        tab = self.tab("Dora")
        tab.opens(f"/ai/npc/{self.number('Mara')}/memories/")
        tab.unfolds()
        tab.page.get_by_label("Says").fill("MILL WHEEL")
        tab.presses("Show")
        self.assertIn("The mill wheel is broken.", tab.reads())
        self.assertNotIn("My brother is a smith.", tab.reads())
        self.assertNotIn("?", tab.address())
        tab.opens("/ai/?name=MAR&state=awake&order=turns")
        self.assertEqual(tab.page.locator("tbody tr").count(), 1)

    def chats(self):
        """Let Ann talk with Mara, so that there is something to see."""
        ann = world.stage.enter("Ann", built.PASSWORD, staff=True)
        for words in ("Good evening, Mara!", "Mara, who brews the ale here?"):
            ann.sends(f"say {words}")
            ann.sees(r'^Mara says, "')
        ann.connection.close()

    def asks(self, tab, hers):
        """Look at what is shown when something is posted."""
        tab.opens(f"{hers}people/")
        tab.presses("look at Ann")
        self.assertIn("limps a little", tab.reads())
        self.check_usable(tab, "person")
        tab.presses("Let it forget them…")
        self.assertIn("Shall Mara forget Ann?", tab.reads())
        self.check_usable(tab, "forget-person")
        tab.opens(f"{hers}turns/")
        tab.page.locator("details").first.evaluate("one => { one.open = true; }")
        tab.presses("read it")
        self.assertIn("who brews the ale here?", tab.reads())
        self.check_usable(tab, "prompt")
        tab.opens(f"{hers}search/")
        tab.page.get_by_label("Question").fill("Who brews the ale?")
        tab.presses("Ask")
        self.assertIn("brewed by old Tam", tab.reads())
        self.check_usable(tab, "search-found")
        tab.opens(f"{hers}persona/")
        tab.page.get_by_label("New facts").fill("<b>The cat</b> is called Smith.")
        tab.presses("Show what would change")
        self.assertIn("<b>The cat</b> is called Smith.", tab.reads())
        self.check_usable(tab, "persona-changes")
        self.assertEqual(tab.opens("/ai/npc/999999/turns/"), 404)
        self.check_usable(tab, "problem")

    def walk(self, tab, hers):
        """Look at each page that can be reached, one of each kind; return their kinds."""
        ahead, seen = ["/ai/"], set()
        while ahead:
            address = ahead.pop(0)
            kind = re.sub(r"\d+", "N", address)
            # Of all NPCs, she has the most to show.
            if kind in seen or ("/npc/" in address and not address.startswith(hers)):
                continue
            seen.add(kind)
            self.assertEqual(tab.opens(address), 200, address)
            tab.unfolds()
            ahead.extend(tab.links())
            name = re.sub(r"\W+", "-", kind.removeprefix("/ai/")).strip("-").replace("npc-N-", "")
            self.check_usable(tab, name or "town")
        return seen


class ChangesTests(BrowserTestCase):
    def test_an_npc_is_stopped_started_put_to_sleep_and_woken(self):
        tab, number = self.tab("Dora"), self.number("Mara")
        tab.opens("/ai/?name=Mara")
        for what, said, state in (
            ("stop", "is off now", "off"),
            ("start", "is on now", "awake"),
            ("sleep", "falls asleep", "asleep"),
            ("wake", "wakes", "awake"),
        ):
            with self.subTest(what):
                tab.presses(f"{what} Mara")
                self.assertIn(said, tab.page.inner_text(".said"))
                self.assertIn(f"(#{number})", tab.page.inner_text(".said"))
                row = tab.page.locator("tr", has_text="Mara")
                self.assertEqual(row.locator(".state").inner_text(), state)

    def test_an_admin_halts_all_minds_and_lets_them_go_on(self):
        tab = self.tab("Olga")
        tab.opens("/ai/")
        tab.presses("Halt all minds")
        try:
            self.assertIn("Every mind is halted.", tab.reads())
            builder = self.tab("Dora")
            builder.opens("/ai/")
            self.assertIn("An admin lets them go on.", builder.reads())
            self.assertEqual(builder.opens("/ai/cost/"), 403)
        finally:
            tab.presses("Let all minds go on")
        self.assertNotIn("Every mind is halted.", tab.reads())

    def test_what_is_written_on_a_page_is_what_the_npc_knows(self):
        tab, number = self.tab("Dora"), self.number("Mara")
        tab.opens(f"/ai/npc/{number}/persona/")
        tab.page.get_by_label("New facts").fill("The ferryman is called Ulf.")
        tab.presses("Show what would change")
        self.assertIn("The ferryman is called Ulf.", tab.page.inner_text(".changes"))
        tab.opens(f"/ai/npc/{number}/persona/")
        self.assertNotIn("Ulf", tab.page.content())
        tab.page.get_by_label("New facts").fill("The ferryman is called Ulf.")
        tab.presses("Show what would change")
        tab.presses("Save")
        tab.opens(f"/ai/npc/{number}/persona/")
        self.assertIn("Ulf", tab.page.content())

    def test_a_memory_is_written_anew_and_kept_for_one_player(self):
        tab = self.tab("Dora")
        self.opens_toll(tab)
        self.check_usable(tab, "entry")
        tab.page.get_by_label("What it says").fill("The toll is <b>three</b> coppers.")
        tab.presses("Let it say so")
        self.assertIn("has changed entry", tab.page.inner_text(".said"))
        self.assertIn("The toll is <b>three</b> coppers.", tab.reads())
        self.assertNotIn("two coppers", tab.reads())
        self.opens_toll(tab)
        tab.page.get_by_label("Who may still know it").fill("Ann")
        tab.presses("Let nobody else know it")
        self.opens_toll(tab)
        self.assertIn("Now: for Ann, Mara.", tab.reads())
        self.check_usable(tab, "entry-for-some")

    def opens_toll(self, tab):
        """Open the entry of the toll, to be changed."""
        tab.opens(f"/ai/npc/{self.number('Mara')}/memories/")
        tab.unfolds()
        row = tab.page.locator("li", has_text="The toll").first
        with tab.page.expect_navigation():
            row.get_by_role("button", name=re.compile("^change entry")).click()

    def test_an_npc_says_what_it_is_told_to_say(self):
        tab = self.tab("Dora")
        tab.opens(f"/ai/npc/{self.number('Mara')}/turns/")
        tab.page.locator("input[name=words]").fill("The stew is <b>ready</b>.")
        tab.presses("Say it")
        world.keeper.sees(r'^Mara says, "The stew is <b>ready</b>\."')

    def test_it_is_hostile_to_somebody_and_open_again(self):
        tab = self.tab("Dora")
        for press, shown in (("hostile", "hostile, whatever they do"), ("open", "by what they do")):
            tab.opens(f"/ai/npc/{self.number('Mara')}/people/")
            tab.presses("look at Ann")
            tab.presses(f"Let it be {press} to them")
            tab.opens(f"/ai/npc/{self.number('Mara')}/people/")
            tab.presses("look at Ann")
            self.assertIn(shown, tab.reads())

    def test_what_it_noticed_of_somebody_is_put_right(self):
        tab = self.tab("Dora")
        tab.opens(f"/ai/npc/{self.number('Mara')}/people/")
        tab.presses("look at Ann")
        tab.presses("put right: limps a little")
        self.check_usable(tab, "fact")
        tab.page.get_by_label("What is so").fill("walks <b>well</b>")
        tab.presses("Let it know so")
        self.assertIn("knows better now.", tab.page.inner_text(".said"))
        tab.presses("look at Ann")
        self.assertIn("walks <b>well</b>", tab.reads())
        tab.presses("put right: walks <b>well</b>")
        tab.page.get_by_label("What is so").fill("limps a little")
        tab.presses("Let it know so")

    def test_of_two_tabs_that_write_the_same_the_second_is_told(self):
        self.does(
            "py from evennia_ai.memory import journal; self.msg('entry %d' % journal.add_entry("
            "evennia.search_object('Mara')[0], 'The swans are back.').id)",
            r"entry \d+",
        )
        address = f"/ai/npc/{self.number('Mara')}/memories/"
        first, second = self.tab("Dora"), self.tab("Olga")
        for tab in (first, second):
            tab.opens(address)
            tab.unfolds()
            row = tab.page.locator("li", has_text="The swans are back.").first
            with tab.page.expect_navigation():
                row.get_by_role("button", name=re.compile("^change entry")).click()
        first.page.get_by_label("What it says").fill("The swans are white.")
        first.presses("Let it say so")
        second.page.get_by_label("What it says").fill("The swans are black.")
        second.presses("Let it say so")
        self.assertIn("Somebody has changed it meanwhile.", second.page.inner_text(".said"))
        self.assertIn("The swans are white.", second.reads())
        self.assertNotIn("The swans are black.", second.reads())

    def test_a_memory_is_forgotten_once_that_was_said_twice(self):
        self.does(
            "py from evennia_ai.memory import journal; self.msg('entry %d' % journal.add_entry("
            "evennia.search_object('Mara')[0], 'The heron is back.').id)",
            r"entry \d+",
        )
        tab = self.tab("Dora")
        tab.opens(f"/ai/npc/{self.number('Mara')}/memories/")
        tab.unfolds()
        row = tab.page.locator("li", has_text="The heron is back.").first
        name = row.get_by_role("button", name="forget").get_attribute("aria-label")
        tab.presses(name)
        self.assertIn("The heron is back.", tab.reads())
        self.check_usable(tab, "forget")
        tab.page.get_by_role("link", name="Keep it").click()
        tab.page.wait_for_url("**/memories/")
        tab.unfolds()
        self.assertIn("The heron is back.", tab.reads())
        tab.presses(name)
        tab.presses("Forget it")
        self.assertIn("has forgotten entry", tab.reads())
        self.assertNotIn("The heron is back.", tab.reads())

    def test_a_player_is_not_remembered_and_then_forgotten(self):
        tab = self.tab("Cid")
        tab.opens("/ai/me/")
        tab.presses("Do not remember me any more")
        self.assertIn("Nobody will remember you for longer", tab.reads())
        tab.presses("Remember me as everybody else")
        self.assertIn("You will be remembered as everybody else.", tab.reads())
        self.tells_of_cid("My uncle keeps bees.")
        tab.opens("/ai/me/")
        self.assertIn("My uncle keeps bees.", tab.reads())
        tab.page.get_by_label("Some words of what is wrong").fill("uncle bees")
        tab.page.get_by_label("What is right").fill("My aunt keeps bees.")
        self.check_usable(tab, "me-correct")
        tab.presses("Put it right, Mara")
        self.assertIn("Mara knows better now.", tab.reads())
        self.assertIn("My aunt keeps bees.", tab.reads())
        tab.presses("Forget me…, Mara")
        self.check_usable(tab, "forget-me")
        tab.presses("Forget me")
        self.assertIn("Mara will know you no more", tab.reads())
        self.assertNotIn("My aunt keeps bees.", tab.reads())

    def tells_of_cid(self, words):
        self.does(
            "py from evennia_ai.memory import identity, journal; self.msg('entry %d' % "
            f"journal.add_entry(evennia.search_object('Mara')[0], '{words}', source_type='direct', "
            "source_id=identity.identity_of(evennia.search_account('Cid')[0].characters.all()[0])).id)",
            r"entry \d+",
        )


class WhoMayTests(BrowserTestCase):
    def hers(self):
        """Return the addresses of the pages of Mara."""
        number = self.number("Mara")
        return [f"/ai/npc/{number}/{one}/" for one in OF_AN_NPC]

    def check_refused(self, tab, addresses, status, words):
        for address in addresses:
            with self.subTest(address):
                self.assertEqual(tab.opens(address), status)
                self.assertIn(words, tab.reads())
                self.assertNotIn("Mara", tab.reads())

    def test_who_is_not_logged_in_is_led_to_the_login(self):
        tab = self.tab()
        for address in ("/ai/", "/ai/me/", *self.hers()):
            with self.subTest(address):
                tab.opens(address)
                self.assertEqual(tab.address(), f"/auth/login/?next={address}")
        # The game's own page, and what it loads.
        tab.wrong.clear()

    def test_a_player_and_a_guest_see_what_is_known_of_them_alone(self):
        for name in ("Bob", "Rover"):
            with self.subTest(name):
                tab = self.tab(name)
                self.check_refused(tab, ["/ai/", *self.hers()], 403, FOR_BUILDERS)
                self.assertEqual(tab.opens("/ai/me/"), 200)
                self.assertNotIn("Mara", tab.reads())

    def test_another_builder_has_nothing_here(self):
        tab = self.tab("Edda")
        self.assertEqual(tab.opens("/ai/"), 200)
        self.assertIn("You control no NPC with a mind.", tab.reads())
        self.check_refused(tab, self.hers(), 404, NOT_THERE)

    def test_the_number_of_an_account_opens_nothing(self):
        tab, number = self.tab("Dora"), self.number("Osk")
        tab.opens("/ai/")
        self.assertIn("Mara", tab.reads())
        self.assertNotIn("Osk", tab.reads())
        for page in OF_AN_NPC:
            self.assertEqual(tab.opens(f"/ai/npc/{number}/{page}/"), 404)
        admin = self.tab("Olga")
        admin.opens("/ai/")
        self.assertIn("Osk", admin.reads())

    def test_who_quells_what_they_are_is_a_player_until_they_take_it_back(self):
        tab = self.tab("Dora")
        dora = world.stage.enter("Dora", built.PASSWORD, staff=True)
        self.addCleanup(dora.connection.close)
        dora.sends("quell")
        dora.sees("^Quelling")
        self.check_refused(tab, ["/ai/", *self.hers()], 403, FOR_BUILDERS)
        dora.sends("unquell")
        dora.sees("restored")
        self.assertEqual(tab.opens("/ai/"), 200)

    def test_who_is_banned_while_they_look_is_out(self):
        tab = self.tab("Bob")
        self.assertEqual(tab.opens("/ai/me/"), 200)
        self.does("ban Bob", r"\[Y\]/N")
        self.does("yes", "(?i)name-ban 'bob' was added")
        self.check_refused(tab, ["/ai/me/", "/ai/"], 403, "You are banned from this game.")
        self.does("unban 1", r"\[Y\]/N")
        self.does("yes", "Cleared ban 1")

    def test_a_right_that_is_taken_away_meanwhile_is_not_used(self):
        tab, number = self.tab("Dora"), self.number("Mara")
        tab.opens("/ai/?name=Mara")
        self.does(f"py evennia.search_object('#{number}')[0].locks.add('control:false()')", "True")
        self.does(f"py evennia.search_object('#{number}')[0].locks.add('edit:false()')", "True")
        try:
            tab.presses("stop Mara")
            self.assertIn(NOT_THERE, tab.reads())
        finally:
            hers = f"id({self.number('Dora')}) or perm(Admin)"
            lock = f"control:{hers};edit:{hers}"
            self.does(f"py evennia.search_object('#{number}')[0].locks.add('{lock}')", "True")
        tab.opens("/ai/?name=Mara")
        self.assertEqual(tab.page.inner_text("tbody .state"), "awake")

    def test_who_is_logged_out_in_another_tab_changes_nothing(self):
        tab = self.tab("Dora")
        tab.opens("/ai/?name=Mara")
        tab.context.clear_cookies()
        tab.presses("stop Mara")
        self.assertNotIn("is off now", tab.reads())
        tab.wrong.clear()
        again = self.tab("Dora")
        again.opens("/ai/?name=Mara")
        self.assertEqual(again.page.inner_text("tbody .state"), "awake")


class HostileTests(BrowserTestCase):
    def test_what_was_made_to_be_a_page_is_shown_as_it_was_said(self):
        tab = self.tab("Dora")
        for address in ("/ai/", f"/ai/npc/{self.number('Mara')}/memories/"):
            tab.opens(address)
            self.assertEqual(tab.page.locator("main h1").count(), 1)
            made = (
                "main script, main img, main svg, main b, script:not([src^='/static/evennia_ai/'])"
            )
            self.assertEqual(tab.page.locator(made).count(), 0)
            self.assertTrue(tab.page.title().endswith("The Crooked Lantern"))
        for words in built.HOSTILE[:4]:
            self.assertIn(words, tab.reads())
        tab.opens("/ai/")
        self.assertIn(built.NAME, tab.page.text_content("main"))
