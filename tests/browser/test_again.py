"""A page that stays open shows what has changed meanwhile, unless somebody does something in it."""

from tests.browser.cases import BrowserTestCase, world

TOWN = "/ai/?name=Mara"


def setUpModule():  # noqa: N802 - the name that unittest looks for
    """Open the game and the browser."""
    world.begin()


class AgainTests(BrowserTestCase):
    def setUp(self):
        super().setUp()
        self.first, self.second = self.tab("Dora"), self.tab("Dora")
        self.first.page.clock.install()
        self.first.opens(TOWN)
        self.second.opens(TOWN)
        self.addCleanup(self.change, "start Mara")

    def change(self, name):
        """Do something in the other tab."""
        self.second.opens(TOWN)
        if self.second.page.get_by_role("button", name=name, exact=True).count():
            self.second.presses(name)

    def state(self, *, when):
        """Return how Mara does on the page that was open, after some seconds."""
        with self.first.page.expect_response(lambda one: "/ai/" in one.url):
            self.first.page.clock.fast_forward(when * 1000)
        self.first.page.wait_for_function("document.readyState === 'complete'")
        return self.first.page.locator("tbody .state")

    def test_what_was_changed_elsewhere_is_shown_after_ten_seconds(self):
        self.change("stop Mara")
        self.assertEqual(self.first.page.locator("tbody .state").inner_text(), "awake")
        state = self.state(when=11)
        state.filter(has_text="off").wait_for()
        self.first.presses("start Mara")
        self.assertIn("is on now", self.first.reads())

    def test_nothing_moves_under_the_hands_of_who_uses_it(self):
        asked = []
        self.first.page.on("request", lambda one: asked.append(one.url))
        self.first.page.get_by_role("button", name="stop Mara", exact=True).focus()
        self.first.page.clock.fast_forward(11_000)
        self.first.page.clock.fast_forward(11_000)
        self.assertEqual(asked, [])
        self.first.page.get_by_role("searchbox", name="Name").focus()
        self.state(when=11)
        self.assertEqual(len(asked), 1)
