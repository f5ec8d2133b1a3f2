"""Chromium of this machine, and a tab of it that notes what a page does wrong."""

import contextlib
import functools
import importlib.metadata
import shutil
import sys
from urllib.parse import urlsplit

from tests.scenarios.game import ROOT

# Names of the program, as systems have it. Nothing is downloaded.
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PHONE, DESK = (375, 812), (1280, 900)
# A busy machine is slow.
PATIENCE_MS = 60_000
# What axe finds that keeps somebody out; the rest is advice.
BAD = ("serious", "critical")
# Tags of axe: what WCAG 2.2 asks at level AA, and what is good practice.
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}

# Of what is marked: a date has a stop for each of its parts.
STOPS = 4
# Every element that somebody may want to use, and a mark on it to tell whether the keyboard got there.
MARK = """() => {
    const all = 'a[href], button, input:not([type=hidden]), select, textarea, summary';
    const shown = [...document.querySelectorAll(all)].filter(one => one.checkVisibility());
    shown.forEach((one, at) => { one.dataset.place = at; });
    document.activeElement.blur();
    return shown.map(one => one.outerHTML.slice(0, 100));
}"""
FOCUSED = """() => {
    const one = document.activeElement;
    const style = getComputedStyle(one);
    // Of a date the browser marks the part that is written next.
    const seen = one.type === 'date'
        || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0);
    return {place: one.dataset.place ?? null, seen};
}"""
WIDER = """() => {
    const root = document.documentElement;
    return root.scrollWidth - root.clientWidth;
}"""


@functools.cache
def missing():
    """Return what is not here of what these tests need, or nothing."""
    if not any(map(shutil.which, NAMES)):
        return "Chromium"
    wanted = ("playwright", "axe-playwright-python")
    return next((one for one in wanted if not _is_installed(one)), "")


@contextlib.contextmanager
def opened():
    """Give a Chromium, and close it."""
    # Only here: a run without Chromium needs no driver.
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, NAMES)))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """Somebody at a browser: what they see and do, and what a page did that it may not."""

    def __init__(self, browser, base, *, size=DESK, scheme="light"):
        self._base = base
        self.wrong = []
        self.context = browser.new_context(
            base_url=base,
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        self.context.set_default_timeout(PATIENCE_MS)
        # Evennia's own pages ask other hosts for their style; none of them is in reach of a test.
        self.context.route(lambda url: not url.startswith(base), lambda route: route.abort())
        self.page = self.context.new_page()
        self.page.on("request", self._requested)
        self.page.on("console", self._logged)
        self.page.on("pageerror", lambda error: self.wrong.append(f"script failed: {error}"))
        self.page.on("dialog", self._asked)

    def close(self):
        """Close the tab, and forget who was logged in."""
        self.context.close()

    def logs_in(self, name, password):
        """Log in by the login page of the game, which is no page of ours."""
        self.opens("/ai/me/")
        self.page.fill("input[name=username]", name)
        self.page.fill("input[name=password]", password)
        self.page.locator("form", has=self.page.locator("input[name=password]")).evaluate(
            "form => form.requestSubmit()"
        )
        self.page.wait_for_url(f"{self._base}/ai/me/")
        self.wrong.clear()

    def opens(self, address):
        """Open a page; return its status."""
        return self.page.goto(address).status

    def looks_in(self, size, scheme="light"):
        """Make the window as large as this, light or dark."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.page.emulate_media(color_scheme=scheme)

    def presses(self, name):
        """Press the first button of this name, and wait for the page to which that leads."""
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=name, exact=True).first.click()

    def unfolds(self):
        """Open all that is folded."""
        for details in self.page.locator("details").all():
            details.evaluate("one => { one.open = true; }")

    def height(self):
        """Return how tall the page is."""
        return self.page.evaluate("document.documentElement.scrollHeight")

    def reads(self):
        """Return the words of the page, the folded ones as well."""
        self.unfolds()
        return self.page.inner_text("body")

    def address(self):
        """Return where the tab is, without its host."""
        whole = urlsplit(self.page.url)
        return f"{whole.path}?{whole.query}" if whole.query else whole.path

    def links(self):
        """Return the addresses of our pages to which this one leads."""
        found = self.page.eval_on_selector_all("a[href]", "all => all.map(one => one.href)")
        paths = [urlsplit(one) for one in found]
        return [one.path for one in paths if one.path.startswith("/ai/") and not one.query]

    def picture(self, name):
        """Keep a picture of the whole page with the other files that are built."""
        folder = (
            ROOT / "build" / "pages" / "evennia-{}".format(importlib.metadata.version("evennia"))
        )
        folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=folder / f"{name}.png", full_page=True)

    def barriers(self):
        """Return what keeps somebody from using the page, as axe finds it."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page, options=RULES).response["violations"]
        return [
            f"{one['id']}: {one['help']}: {[node['html'] for node in one['nodes']][:3]}"
            for one in found
            if one["impact"] in BAD
        ]

    def out_of_reach(self):
        """Return what the keyboard does not get to, and what does not show that it is there."""
        all_of_it = self.page.evaluate(MARK)
        reached, unseen = set(), set()
        for _ in range(STOPS * len(all_of_it) + STOPS):
            self.page.keyboard.press("Tab")
            focused = self.page.evaluate(FOCUSED)
            if len(reached) == len(all_of_it):
                break
            if focused["place"] is not None:
                place = int(focused["place"])
                reached.add(place)
                if not focused["seen"]:
                    unseen.add(place)
        wrong = unseen | (set(range(len(all_of_it))) - reached)
        return [all_of_it[place] for place in sorted(wrong)]

    def sticks_out(self):
        """Return by how many pixels the page is wider than the window."""
        return self.page.evaluate(WIDER)

    def _requested(self, request):
        if not request.url.startswith((self._base, "data:")):
            self.wrong.append(f"asked for {request.url}")

    def _logged(self, message):
        # That a page is refused is no fault of the page.
        if message.type in ("error", "warning") and "status of 4" not in message.text:
            self.wrong.append(f"{message.type}: {message.text}")

    def _asked(self, dialog):
        self.wrong.append(f"a dialog: {dialog.message}")
        dialog.dismiss()


def _is_installed(name):
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def say_what_is_missing():
    """Print what a run of the tests leaves out for want of it."""
    if missing():
        print(f"The pages are not tried in a browser: there is no {missing()}. Do: make browser")


if __name__ == "__main__":
    sys.exit(say_what_is_missing())
