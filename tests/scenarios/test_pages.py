"""The pages in a real game: its own web server, a thread for each page, and the reactor beside them."""

import re
import threading
import unittest

from django.test import tag

from tests.scenarios.browser import Browser
from tests.scenarios.game import Game

AT_ONCE = 8


@tag("scenario")
class PageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.game = cls.enterClassContext(Game())

    def test_an_npc_is_stopped_and_started_in_the_browser(self):
        browser = Browser(self.game)
        page = browser.opens("/ai/?name=Mara")
        number = re.search(r"/ai/npc/(\d+)/stop/", page)[1]
        page = browser.sends(f"/ai/npc/{number}/stop/", page)
        self.assertIn(f"The mind of Mara (#{number}) is off now.", page)
        self.assertRegex(self.game.log("server"), r"Keeper\(#1\) switched off the mind of Mara")
        page = browser.sends(f"/ai/npc/{number}/start/", page)
        self.assertIn(f"The mind of Mara (#{number}) is on now.", page)
        self.assertIn("--ground", browser.opens("/static/evennia_ai/pages.css"))
        self.assertEqual(self.game.tracebacks(), [])

    def test_many_look_at_once(self):
        browser, pages = Browser(self.game), []
        threads = [
            threading.Thread(target=lambda: pages.append(browser.opens("/ai/")), daemon=True)
            for _ in range(AT_ONCE)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(["Mara" in page for page in pages], [True] * AT_ONCE)
        self.assertEqual(self.game.tracebacks(), [])
