"""A game, a browser, and people at it: what the tests of pages have in common."""

import shutil
import unittest

from django.test import tag

from tests.browser import built, chromium
from tests.scenarios.game import ROOT, SUPERUSER, Game
from tests.scenarios.stage import Stage

# Characters of the log that are shown from the first traceback on.
SHOWN = 6000


class BrowsedGame(Game):
    """The demo game with some more people in it, and words that nobody would like to see as a page."""

    def __init__(self):
        super().__init__(AT_INITIAL_SETUP_HOOK_MODULE="built")

    def prepare(self):
        """Copy who is in it, too."""
        shutil.copy(ROOT / "tests" / "browser" / "built.py", self.directory)
        super().prepare()


class World:
    """One game and one Chromium for the tests of a module, with Keeper in the game."""

    def begin(self):
        """Start both, unless there is no Chromium; to be called in `setUpModule`."""
        if chromium.missing():
            raise unittest.SkipTest(f"needs a browser; there is no {chromium.missing()}")
        self.game = unittest.enterModuleContext(BrowsedGame())
        self.base = f"http://127.0.0.1:{self.game.settings['WEBSERVER_PORTS'][0][0]}"
        self.stage = Stage(self.game.port, write=lambda line: None)
        unittest.addModuleCleanup(self.stage.leave)
        self.keeper = self.stage.enter(*SUPERUSER, staff=True)
        self.browser = unittest.enterModuleContext(chromium.opened())


world = World()


@tag("scenario", "browser")
class BrowserTestCase(unittest.TestCase):
    """Somebody at a browser; each test has tabs of its own, and Mara as she was."""

    def setUp(self):
        self.tabs = []
        self.addCleanup(self.check_quiet)

    def tab(self, name="", password=built.PASSWORD):
        """Return a tab in which somebody is logged in."""
        tab = chromium.Tab(world.browser, world.base)
        self.addCleanup(tab.close)
        if name:
            tab.logs_in(name, password)
        self.tabs.append(tab)
        return tab

    def does(self, line, shown):
        """Let Keeper type a line in the game, and see that it is done."""
        world.keeper.sends(line)
        return world.keeper.sees(shown)

    def number(self, name):
        """Return the number of somebody in the game, as Keeper finds it."""
        shown = self.does(
            f'py "number", evennia.search_object("{name}")[0].id', r"\('number', (\d+)\)"
        )
        return int(shown[1])

    def check_quiet(self):
        """Nothing went wrong, in the browser or in the game."""
        self.assertEqual([line for tab in self.tabs for line in tab.wrong], [])
        log, found = world.game.log(), world.game.tracebacks()
        first = log[log.index(found[0]) :] if found else ""
        self.assertEqual(found, [], first[:SHOWN])

    def check_usable(self, tab, name):
        """A page can be read and used: on a desk and on a phone, by light and dark, by keyboard."""
        for size, scheme in (
            (chromium.DESK, "light"),
            (chromium.DESK, "dark"),
            (chromium.PHONE, "light"),
            (chromium.PHONE, "dark"),
        ):
            with self.subTest(name, width=size[0], scheme=scheme):
                tab.looks_in(size, scheme)
                tab.picture(f"{name}-{size[0]}{'-dark' * (scheme == 'dark')}")
                self.assertEqual(tab.barriers(), [])
                self.assertLessEqual(tab.sticks_out(), 0)
        with self.subTest(name, by="keyboard"):
            self.assertEqual(tab.out_of_reach(), [])
        tab.looks_in(chromium.DESK)
