"""Every address of the pages, whoever asks, by whatever method, with whatever in it."""

import re
from types import SimpleNamespace

from django.test import Client, tag
from django.urls import reverse

from evennia_ai.memory import journal
from evennia_ai.memory.state import assistant
from evennia_ai.typeclasses import scripts
from evennia_ai.web import urls
from tests.web.cases import PageTestCase

# What may stand in the places of an address; a new kind of place needs a line here.
PLACES = {"what": "stop"}
NOBODY = 999_999
# Larger than any number of a database.
HUGE = 10**30
FORM = {
    "entry": "1",
    "npc": "1",
    "sure": "yes",
    "question": "who?",
    "text": "x",
    "person": "x",
    "kind": "x",
    "who": "x",
    "how": "hostile",
    "whose": "server",
    "cap": "5",
    "words": "x",
    "was": "x",
    "description": "x",
    "more": "x",
    "number": "1",
    "wrong": "x",
    "right": "x",
    "back": "yes",
    "turn": "x",
    "all": "1 2",
}
ODD = ("", "\0", "-1", "1.5", "٣", "9" * 400, "'; --", "<b>", "\u202e", "x" * 10_000)
TOKEN = re.compile(r'value="\w{64}"')


class EachAddressTests(PageTestCase):
    def setUp(self):
        super().setUp()
        journal.add_entry(self.mara, "The well is dry.")

    def addresses(self, number):
        """Return each address, with this number where an NPC's stands."""
        found = {}
        for one in urls.pages:
            places = {
                name: number if name == "npc_id" else PLACES[name]
                for name in one.pattern.converters
            }
            found[one.name] = reverse(f"evennia_ai:{one.name}", kwargs=places)
        return found

    def of_npcs(self, number):
        return {
            name: address for name, address in self.addresses(number).items() if "/npc/" in address
        }

    def answers(self, address, web=None):
        """Yield (method, answer) of an address, asked for by each method."""
        web = web or self.web
        for method in ("get", "head", "options", "post", "put", "patch", "delete", "trace"):
            values = (FORM,) if method == "post" else ()
            yield method, getattr(web, method)(address, *values)

    def check_untouched(self):
        self.assertTrue(assistant.is_enabled(scripts.find(self.mara)))
        [kept] = journal.newest_first(self.mara)
        self.assertEqual((kept.content, kept.pinned), ("The well is dry.", False))

    def test_who_is_not_logged_in_gets_nothing_of_it(self):
        for name, address in self.addresses(self.mara.id).items():
            for method, answer in self.answers(address, Client()):
                with self.subTest(name, method=method):
                    self.assertIn(answer.status_code, (302, 405))
                    self.assertNotIn(b"Mara", answer.content)
        self.check_untouched()

    def test_whoever_logs_in_again_to_change_something_comes_to_a_page(self):
        for name, address in self.addresses(self.mara.id).items():
            with self.subTest(name):
                answer = Client().post(address, FORM)
                if answer.status_code != 405:
                    page = answer["Location"].removeprefix("/auth/login/?next=")
                    self.assertEqual(self.web.get(page).status_code, 200)

    def test_a_player_gets_nothing_of_an_npc(self):
        self.web.force_login(self.account2)
        for name, address in self.of_npcs(self.mara.id).items():
            for method, answer in self.answers(address):
                with self.subTest(name, method=method):
                    self.assertIn(answer.status_code, (403, 404, 405))
                    self.assertNotIn(b"Mara", answer.content)
        self.check_untouched()

    def test_an_npc_of_somebody_else_is_told_as_one_that_is_not_there(self):
        self.as_builder()
        nobody = self.of_npcs(NOBODY)
        for name, address in self.of_npcs(self.mara.id).items():
            others = dict(self.answers(nobody[name]))
            for method, answer in self.answers(address):
                with self.subTest(name, method=method):
                    self.assertEqual(shown(answer), shown(others[method]))
                    self.assertIn(answer.status_code, (404, 405))
        self.check_untouched()

    def test_no_form_of_another_site_changes_anything(self):
        web = Client(enforce_csrf_checks=True)
        web.force_login(self.account)
        for name, address in self.addresses(self.mara.id).items():
            with self.subTest(name):
                self.assertIn(web.post(address, FORM).status_code, (403, 405))
        self.check_untouched()

    def test_nothing_is_changed_but_by_a_form(self):
        for address in self.addresses(self.mara.id).values():
            for method in ("get", "head", "options", "put", "patch", "delete", "trace"):
                self.web.generic(method.upper(), f"{address}?sure=yes&entry=1&npc=all")
        self.check_untouched()

    @tag("scenario")
    def test_odd_words_are_no_errors(self):
        for name, address in self.addresses(self.mara.id).items():
            for odd in ODD:
                with self.subTest(name, odd=odd[:20]):
                    form = dict.fromkeys(FORM, odd)
                    for answer in (
                        self.web.get(
                            address,
                            {"name": odd, "state": odd, "order": odd, "day": odd, "over": odd},
                        ),
                        self.web.post(address, {**form, "sure": ""}),
                    ):
                        self.assertLess(answer.status_code, 500)

    def test_odd_numbers_are_no_errors(self):
        for number in (0, NOBODY, HUGE):
            for name, address in self.of_npcs(number).items():
                with self.subTest(name, number=number):
                    for _, answer in self.answers(address):
                        self.assertIn(answer.status_code, (404, 405))

    def test_no_answer_that_says_something_is_kept_by_a_browser(self):
        for name, address in self.addresses(self.mara.id).items():
            for method, answer in self.answers(address):
                with self.subTest(name, method=method):
                    if answer.content and answer.status_code != 405:
                        self.assertEqual(answer["Cache-Control"], "no-store")
                        self.assertIn("default-src 'none'", answer["Content-Security-Policy"])


def shown(answer):
    """Return what tells one answer from another; the token of a form is new each time."""
    kept = SimpleNamespace(
        status=answer.status_code,
        words=TOKEN.sub("", answer.content.decode()),
        headers={name: value for name, value in answer.items() if name != "Content-Length"},
    )
    return vars(kept)
