"""The page of a persona and its lore: what would change is shown, then written, all or nothing."""

import html
import re

from evennia_ai.core.records import Lore
from evennia_ai.memory import persona
from tests.web.cases import PageTestCase
from tests.web.watched import Watched


class PersonaTestCase(PageTestCase):
    def setUp(self):
        super().setUp()
        self.address = f"/ai/npc/{self.mara.id}/persona/"
        persona.save_persona(
            self.mara, {"description": "An innkeeper.", "greeting_lines": ["Hello!", "Come in!"]}
        )
        facts = [
            Lore(text="The well is dry.", audience="public"),
            Lore(text="The mayor is a thief.", audience="public", only_if="perm(Admin)"),
        ]
        persona.save_lore(self.mara, facts)

    def form(self, page=None, **changed):
        """Return what a browser would send of a page, but for what somebody writes into it."""
        page = self.page(self.address) if page is None else page
        areas = re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>\n(.*?)</textarea>', page, re.S)
        inputs = re.findall(r'<input[^>]* name="([^"]+)" value="([^"]*)"', page)
        kept = {name: html.unescape(text) for name, text in (*areas, *inputs)}
        return {**kept, **{name.replace("_at_", "-"): text for name, text in changed.items()}}

    def plans(self, status=200, **changed):
        return self.posts(self.address, status, **self.form(**changed))

    def saves(self, **changed):
        return self.logged(self.address, **self.form(self.plans(**changed)))

    def facts(self):
        return [fact.text for fact in persona.load_lore(self.mara)]


class WrittenTests(PersonaTestCase):
    def test_what_is_written_stands_in_the_form(self):
        page = self.page(self.address)
        for words in ("An innkeeper.", "Hello!\nCome in!", "if perm(Admin)", "known to all"):
            self.assertIn(words, page)

    def test_what_would_change_is_shown_and_nothing_is_written(self):
        page = self.plans(
            description="A smith.",
            fact_at_0="",
            fact_at_1="The mayor is a liar.",
            more="Ale is dear.\n\nBread is cheap.",
        )
        for words in (
            "<del><bdi>An innkeeper.</bdi></del> <ins><bdi>A smith.</bdi></ins>",
            "<del><bdi>The well is dry.</bdi></del>",
            "<del><bdi>The mayor is a thief.</bdi></del> <ins><bdi>The mayor is a liar.</bdi></ins>",
            "<ins><bdi>Ale is dear.</bdi></ins>",
        ):
            self.assertIn(words, page)
        self.assertEqual(persona.load_persona(self.mara)["description"], "An innkeeper.")
        self.assertEqual(self.facts(), ["The well is dry.", "The mayor is a thief."])

    def test_what_nobody_touches_stays_as_it_was_written(self):
        kept = {
            "description": " An innkeeper.  \n\nShe is tall.\x0bShe is kind.",
            "greeting_lines": [" Hello! ", "", "Come in,\nstranger!"],
        }
        persona.save_persona(self.mara, kept)
        persona.save_lore(self.mara, [" The well is dry. ", "One.\u2028Two."])
        self.assertIn("Nothing would change", self.plans())
        self.saves(background="She was a sailor.")
        found = persona.load_persona(self.mara)
        self.assertEqual({key: found[key] for key in kept}, kept)
        self.assertEqual(found["background"], "She was a sailor.")
        self.assertEqual(self.facts(), [" The well is dry. ", "One.\u2028Two."])

    def test_it_is_written_once_they_are_sure(self):
        lines = self.saves(
            description="A smith.", fact_at_0="", fact_at_1="The mayor is a liar.", more="Ale!"
        )
        by, number = f"evennia_ai: Char(#{self.char1.id})", self.mara.id
        self.assertIn(f"{by} wrote the description of Mara(#{number}).", lines)
        self.assertIn(f"{by} wrote the lore of Mara(#{number}).", lines)
        self.assertIn("You write the persona and lore of Mara", self.seen)
        self.assertIn("4 changes", self.seen)
        kept = persona.load_persona(self.mara)
        self.assertEqual(kept["description"], "A smith.")
        self.assertEqual(kept["greeting_lines"], ["Hello!", "Come in!"])
        liar, ale = persona.load_lore(self.mara)
        self.assertEqual((liar.text, liar.only_if), ("The mayor is a liar.", "perm(Admin)"))
        self.assertEqual((ale.text, ale.audience, ale.only_if), ("Ale!", "public", ""))

    def test_lines_are_written_one_by_one(self):
        self.saves(greeting_lines="Hail!\r\n\r\n  Sit down!  ")
        self.assertEqual(persona.load_persona(self.mara)["greeting_lines"], ["Hail!", "Sit down!"])
        self.assertIn(f"Mara (#{self.mara.id}): 1 change.", self.seen)

    def test_a_plan_is_written_as_in_the_game(self):
        self.assertIn("how it reaches goals of its own, step by step", self.page(self.address))
        self.saves(plans=f"Rest: go {self.room2.key}")
        self.assertEqual(persona.load_persona(self.mara)["plans"], [f"Rest: go {self.room2.key}"])

    def test_a_form_that_was_not_touched_changes_nothing(self):
        self.assertIn("Nothing would change.", self.plans())

    def test_what_somebody_else_has_written_meanwhile_is_not_overwritten(self):
        form = self.form(self.plans(description="A smith."))
        persona.save_persona(self.mara, {"description": "A baker."})
        page = self.posts(self.address, **form)
        self.assertIn("Somebody has changed it meanwhile. Nothing was done.", page)
        self.assertEqual(persona.load_persona(self.mara)["description"], "A baker.")

    def test_what_is_wrong_is_said_and_what_was_typed_stays(self):
        page = self.plans(routine="at noon: nonsense", description="A smith.")
        self.assertIn("routine: Line 1:", page)
        self.assertIn("A smith.", page)
        for changed, said in (
            ({"more": "x" * 1001}, "A fact has at most 1000 characters."),
            ({"model": "gold"}, "model: Line 1:"),
        ):
            self.assertIn(said, self.plans(**changed))

    def test_hostile_words_are_text(self):
        page = self.plans(description="</textarea><script>alert(1)</script>", more="<img src=x>")
        self.assertNotIn("<script", page)
        self.assertNotIn("<img", page)
        self.logged(self.address, **self.form(page))
        self.assertNotIn("<script", self.seen)


class WhoTests(PersonaTestCase):
    def test_nobody_else_reads_or_writes_it(self):
        form = self.form(description="A fool.", sure="yes")
        self.as_builder()
        for status in (404, 403):
            self.assertNotIn("innkeeper", self.page(self.address, status=status))
            self.posts(self.address, status, **form)
            self.account2.permissions.clear()
        self.assertEqual(persona.load_persona(self.mara)["description"], "An innkeeper.")

    def test_all_of_the_game_comes_over_the_bridge(self):
        form = self.form()
        watched = Watched(self)
        with watched.watching():
            self.page(self.address)
            self.posts(self.address, 200, **{**form, "description": "A smith."})
            self.posts(self.address, **{**form, "description": "A smith.", "sure": "yes"})
        self.assertEqual(watched.touched, [])
