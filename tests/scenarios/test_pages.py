"""The pages in a real game: its own web server, a thread for each page, and the reactor beside them."""

import contextlib
import re
import threading
import time
import unittest
from pathlib import Path
from urllib.error import URLError

from django.test import tag

from tests.scenarios.browser import Browser
from tests.scenarios.game import SUPERUSER, Game
from tests.scenarios.stage import Stage

AT_ONCE = 8
TABS, EVERY = 5, 1.0
# The old Server may be gone so many seconds later with tabs open: on a machine that does other things, too.
LONGER = 2.0
# Seconds after which a reload hangs.
PATIENCE = 120


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

    def test_a_reload_waits_for_no_tab_and_each_goes_on_afterwards(self):
        stage = Stage(self.game.port, write=lambda line: None)
        self.addCleanup(stage.leave)
        keeper = stage.enter(*SUPERUSER, staff=True)
        alone = self.reload(keeper)
        with self.tabs() as looked:
            time.sleep(2)
            watched = self.reload(keeper)
            self.assertLess(watched, alone + LONGER, f"with tabs, and {alone} s without")
            before = [len(pages) for pages in looked]
            time.sleep(4)
        for number, pages in zip(before, looked, strict=True):
            self.assertGreater(len(pages), number)
            self.assertIn("Mara", pages[-1])
        self.assertEqual(self.game.tracebacks(), [])

    def reload(self, keeper):
        """Reload the Server; return after how many seconds the old one was gone."""
        before, old, begun = self.game.starts(), self.game.server_pid(), time.monotonic()
        keeper.sends("reload")
        while Path(f"/proc/{old}").exists():
            self.assertLess(time.monotonic(), begun + PATIENCE, self.game.log()[-2000:])
            time.sleep(0.02)
        taken = time.monotonic() - begun
        while self.game.starts() == before:
            self.assertLess(time.monotonic(), begun + PATIENCE, self.game.log()[-2000:])
            time.sleep(0.05)
        keeper.catches_up()
        return taken

    @contextlib.contextmanager
    def tabs(self):
        """Let tabs look at the list again and again in the block; give what each has seen."""
        looked, over = [[] for _ in range(TABS)], threading.Event()
        browsers = [Browser(self.game) for _ in range(TABS)]

        def look(browser, pages):
            while not over.wait(EVERY):
                # The Server is away for a moment.
                with contextlib.suppress(URLError, OSError):
                    pages.append(browser.opens("/ai/"))

        threads = [
            threading.Thread(target=look, args=pair, daemon=True)
            for pair in zip(browsers, looked, strict=True)
        ]
        for thread in threads:
            thread.start()
        try:
            yield looked
        finally:
            over.set()
            for thread in threads:
                thread.join()
