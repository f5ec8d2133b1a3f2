"""The pages as JSON: each of them, by the same functions, for the same people."""

import base64
import json

from django.test import Client
from django.urls import reverse

from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.typeclasses import scripts
from evennia_ai.web import urls
from tests.web.cases import PageTestCase
from tests.web.watched import Watched


class ApiTestCase(PageTestCase):
    def setUp(self):
        super().setUp()
        self.char2.key = "Ann"
        self.ann = identity.identity_of(self.char2)
        journal.add_entry(self.mara, "The silver key lies under the well.", audience=[self.ann])
        entity_profiles.add_entity_observation(self.mara, self.char2, "limps", audience="public")
        self.npc_address = f"/ai/api/npc/{self.mara.id}/"

    def gets(self, address, status=200):
        return self.answered(self.web.get(address), status)

    def sends(self, address, status=200, **values):
        sent = self.web.post(address, json.dumps(values), content_type="application/json")
        return self.answered(sent, status)

    def answered(self, answer, status):
        self.assertEqual(answer.status_code, status, answer.content)
        self.assertEqual(answer["Content-Type"], "application/json")
        return answer.json()


class ShownTests(ApiTestCase):
    def test_what_a_page_shows_is_an_object(self):
        [row] = self.gets("/ai/api/")["rows"]
        self.assertEqual((row["id"], row["name"], row["state"]), (self.mara.id, "Mara", "awake"))
        [entry, noticed] = sorted(
            self.gets(f"{self.npc_address}memories/")["rows"], key=lambda one: one["kind"]
        )
        self.assertEqual(entry["text"], "The silver key lies under the well.")
        self.assertEqual((entry["known_to"], entry["number"]), ("for Ann", 1))
        self.assertEqual(noticed["text"], "Ann: limps")
        [known, hostile] = self.gets(f"{self.npc_address}people/")["rows"][0]
        self.assertEqual((known["name"], hostile), ("Ann", False))

    def test_what_asks_for_a_page_need_not_send_anything(self):
        """Programs name the type of what they send also where they send nothing."""
        for body in (b"", b"nonsense"):
            asked = self.web.generic("GET", "/ai/api/", body, content_type="application/json")
            self.assertEqual(self.answered(asked, 200)["rows"][0]["name"], "Mara")

    def test_every_page_that_is_looked_at_can_be_said(self):
        self.account.permissions.add("Admin")
        self.web.force_login(self.account)
        of_npcs = ("turns", "memories", "search", "persona", "people", "experience")
        for name in ("town", "me", "cost", *of_npcs):
            with self.subTest(name):
                of_npc = name not in ("town", "me", "cost")
                places = {"npc_id": self.mara.id} if of_npc else {}
                told = self.gets(reverse(f"evennia_ai:api_{name}", kwargs=places))
                self.assertNotIn("csrf_token", told)
        self.assertEqual(len(self.gets("/ai/api/cost/")["days"]), 30)

    def test_a_question_is_sent_and_what_comes_to_mind_is_returned(self):
        told = self.sends(f"{self.npc_address}search/", question="Where is the silver key?")
        self.assertEqual(told["rows"][0]["known_to"], "for Ann")
        self.assertGreater(told["rows"][0]["memory"]["score"], 0)

    def test_all_of_the_game_comes_over_the_bridge(self):
        watched = Watched(self)
        with watched.watching():
            self.gets("/ai/api/")
            self.gets(f"{self.npc_address}memories/")
            self.sends(f"{self.npc_address}stop/")
        self.assertEqual(watched.touched, [])


class DoneTests(ApiTestCase):
    def test_a_change_says_what_was_done(self):
        told = self.sends(f"{self.npc_address}stop/")
        self.assertEqual(told, {"said": f"The mind of Mara (#{self.mara.id}) is off now."})
        self.assertFalse(assistant.is_enabled(scripts.find(self.mara)))

    def test_also_of_a_form(self):
        self.web.post(f"{self.npc_address}pin/", {"entry": 1})
        self.assertTrue(journal.get_entry(self.mara, 1).pinned)

    def test_what_is_forgotten_is_shown_first(self):
        told = self.sends(f"{self.npc_address}forget/", entry=[1])
        self.assertEqual(told["entries"][0]["text"], "The silver key lies under the well.")
        self.assertEqual(journal.size(self.mara), 1)
        self.sends(f"{self.npc_address}forget/", entry=[1], sure=True)
        self.assertEqual(journal.size(self.mara), 0)

    def test_what_is_wrong_is_told_with_its_status(self):
        told = self.sends(f"{self.npc_address}pin/", 404, entry=99)
        self.assertIn("no such thing", told["words"])
        deep = f'{{"entry": {"[" * 9999}'
        for sent in ("[1]", "7", "null", '"x"', "{", deep, '{"entry": {"id": 1}}'):
            answer = self.web.post(f"{self.npc_address}pin/", sent, "application/json")
            self.assertIn("no object", self.answered(answer, 400)["words"])
        self.assertFalse(journal.get_entry(self.mara, 1).pinned)

    def test_no_is_not_taken_for_yes(self):
        self.sends(f"{self.npc_address}forget/", entry=[1], sure=False)
        self.assertEqual(journal.size(self.mara), 1)


class OddTests(ApiTestCase):
    def test_a_browser_is_answered_as_any_other(self):
        for web, status in ((Client(), 403), (self.web, 200)):
            answer = web.get("/ai/api/", HTTP_ACCEPT="text/html,*/*;q=0.8")
            self.assertEqual(answer.status_code, status)
            self.assertEqual(answer["Content-Type"], "application/json")

    def test_what_is_no_form_is_refused(self):
        for text in ("{", "[" * 100_000, '"x"', "[1]", "null", '{"entry": {"a": []}}'):
            with self.subTest(text[:20]):
                answer = self.web.post(
                    f"{self.npc_address}forget/", text, content_type="application/json"
                )
                self.assertIn(answer.status_code, (400, 404))


class WhoTests(ApiTestCase):
    def addresses(self):
        for one in urls.pages:
            kinds = one.pattern.converters
            places = {"npc_id": self.mara.id, "what": "stop"}
            yield reverse(
                f"evennia_ai:api_{one.name}", kwargs={name: places[name] for name in kinds}
            )

    def test_who_is_not_logged_in_gets_nothing_also_not_by_a_password(self):
        self.account2.set_password("sesame-123")
        self.account2.save()
        word = base64.b64encode(f"{self.account2.key}:sesame-123".encode()).decode()
        for address in self.addresses():
            for web in (Client(), Client(HTTP_AUTHORIZATION=f"Basic {word}")):
                answers = web.get(address), web.post(address)
                self.assertLessEqual({one.status_code for one in answers}, {403, 405}, address)
                self.assertIn(403, [one.status_code for one in answers], address)
                self.assertNotIn(b"Mara", answers[0].content + answers[1].content)

    def test_who_may_not_see_a_page_does_not_see_it_as_json(self):
        self.as_builder()
        for status in (404, 403):
            self.assertNotIn("key", str(self.gets(f"{self.npc_address}memories/", status)))
            self.sends(f"{self.npc_address}stop/", status)
            self.account2.permissions.clear()
        self.assertEqual(self.gets("/ai/api/cost/", 403)["words"][:11], "These pages")
        self.assertTrue(assistant.is_enabled(scripts.find(self.mara)))

    def test_nothing_is_changed_from_another_site(self):
        web = Client(enforce_csrf_checks=True)
        web.force_login(self.account)
        for address in self.addresses():
            self.assertEqual(web.post(address, {"sure": "yes"}).status_code, 403, address)
        self.assertTrue(assistant.is_enabled(scripts.find(self.mara)))

    def test_nothing_is_changed_by_looking_or_by_other_methods(self):
        for method in ("get", "put", "patch", "delete", "options"):
            answer = getattr(self.web, method)(f"{self.npc_address}stop/")
            self.assertEqual(answer.status_code, 405)

    def test_an_answer_is_kept_by_nobody(self):
        answer = self.web.get("/ai/api/")
        self.assertEqual(answer["Cache-Control"], "no-store")
