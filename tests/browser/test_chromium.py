"""What the tab notes: a page on which all of it is wrong."""

import unittest

from django.test import tag

from tests.browser import chromium

WRONG = """<!DOCTYPE html><html lang="en"><head><title>Wrong</title><style>
p { color: #aaa; background: #fff; } .wide { width: 3000px; } #plain:focus { outline: none; }
</style></head><body><main><h1>Wrong</h1><p>Too pale to be read.</p><div class="wide">-</div>
<input name="nameless"><button tabindex="-1">nobody gets here</button>
<button id="plain">nobody sees it</button></main>
<img alt="" src="https://elsewhere.example/x.png">
<script>console.error("oh"); alert("ah"); throw new Error("uh");</script></body></html>"""


@tag("scenario", "browser")
@unittest.skipIf(chromium.missing(), f"needs a browser; there is no {chromium.missing()}")
class TabTests(unittest.TestCase):
    def test_a_page_on_which_all_is_wrong_is_told_all_of_it(self):
        browser = self.enterContext(chromium.opened())
        tab = chromium.Tab(browser, "http://127.0.0.1:1")
        self.addCleanup(tab.close)
        tab.page.set_content(WRONG)
        tab.looks_in(chromium.PHONE)
        found = {line.partition(":")[0] for line in tab.barriers()}
        self.assertLessEqual({"color-contrast", "label"}, found)
        self.assertGreater(tab.sticks_out(), 2000)
        missed = " ".join(tab.out_of_reach())
        self.assertIn("nobody gets here", missed)
        self.assertIn("nobody sees it", missed)
        self.assertNotIn("nameless", missed)
        told = " ".join(tab.wrong)
        for words in ("asked for https://elsewhere.example", "error: oh", "a dialog: ah", "uh"):
            self.assertIn(words, told)
