"""Somebody at a browser, and what they see; the cast of the tests of pages."""

import re

from django.test import Client
from twisted.logger import capturedLogs

from evennia_ai import scheduling
from evennia_ai.memory import identity
from evennia_ai.testing import AITestCase, minds
from evennia_ai.web import bridge
from tests.llm import logs

OURS = '<script src="/static/evennia_ai/pages.js" defer>'


def call_here(function, /, *args, **kwargs):
    """Call what a page asks of the game there and then, as if the game had nothing else to do."""
    errand = bridge.Errand(lambda: function(*args, **kwargs))
    errand.begin()
    scheduling.drain()
    return errand.wait(0.0)


class PageTestCase(AITestCase):
    """Keeper (account 1, char1) is a builder who controls Mara; Visitor (account 2, char2) is nobody yet."""

    def setUp(self):
        super().setUp()
        self.patch(bridge, "call", call_here)
        self.web = Client(enforce_csrf_checks=False)
        self.web.force_login(self.account)

    def create_cast(self):
        for account, character in ((self.account, self.char1), (self.account2, self.char2)):
            account.permissions.clear()
            account.characters.add(character)
            character.locks.add(f"puppet:pid({account.id})")
            # They are seen playing it.
            identity.identity_of(character)
        self.account.permissions.add("Builder")
        self.mara = self.npc("Mara", f"id({self.char1.id})")

    def npc(self, name, lock):
        """Return an NPC with a mind, for whom a lock lets change it."""
        npc = minds.make_assistant(name, location=self.room1)
        npc.locks.add(f"control:{lock};edit:{lock}")
        return npc

    def as_builder(self):
        """Let account 2 come, as a builder who controls nothing yet."""
        self.account2.permissions.add("Builder")
        self.web.force_login(self.account2)

    def page(self, address="/ai/", status=200):
        """Return what a page says."""
        answer = self.web.get(address)
        self.assertEqual(answer.status_code, status)
        return answer.content.decode()

    def posts(self, address, status=302, **values):
        """Return what a post leads to: the page that is shown then, or the one that refuses."""
        answer = self.web.post(address, values)
        self.assertEqual(answer.status_code, status)
        return self.page(answer["Location"]) if status == 302 else answer.content.decode()

    def check_own_script_alone(self, page):
        """Check that a page runs our script and no other, as hostile words would."""
        self.assertEqual(re.findall(r"<script[^>]*>?", page, re.I), [OURS])

    def logged(self, address, **values):
        """Return the lines for staff that a post leaves; the page that is shown then is `seen`."""
        with capturedLogs() as captured:
            self.seen = self.posts(address, **values)
        return logs.lines(captured)
