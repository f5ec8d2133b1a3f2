"""Pages of an NPC in a game that is not as they would like it."""

import itertools

from django.test import tag
from django.urls import reverse

from evennia_ai.memory import journal, kinds, repository
from evennia_ai.memory.people import entity_profiles
from evennia_ai.typeclasses import scripts
from evennia_ai.web import bridge, urls
from tests.web.cases import PageTestCase, call_here

LONG = "W" * 255
FORM = {"sure": "yes", "entry": "1", "question": "who?", "words": "x", "how": "hostile"}


def vanishing(npc, number):
    """Return a bridge at whose other end an NPC is deleted before the call of this number."""
    calls = itertools.count(1)

    def call(function, /, *args, **kwargs):
        if next(calls) == number:
            npc.delete()
        return call_here(function, *args, **kwargs)

    return call


class OddGameTests(PageTestCase):
    def of(self, npc):
        """Return each address of an NPC."""
        return [
            reverse(
                f"evennia_ai:{one.name}",
                kwargs={
                    name: npc.id if name == "npc_id" else "stop" for name in one.pattern.converters
                },
            )
            for one in urls.pages
            if "npc_id" in one.pattern.converters
        ]

    def looks(self, npc):
        """Return what comes of looking at each page, by status."""
        return {one: self.web.get(one).status_code for one in self.of(npc)}

    @tag("scenario")
    def test_an_npc_that_goes_while_its_page_is_made_is_not_found(self):
        for number in (2, 3):
            for at in range(len(self.of(self.mara))):
                npc = self.npc("Abel", f"id({self.char1.id})")
                journal.add_entry(npc, "The well is dry.")
                entity_profiles.create_entity_profile(npc, self.char2)
                address = self.of(npc)[at]
                with self.subTest(address, call=number):
                    self.patch(bridge, "call", vanishing(npc, number))
                    answers = [self.web.get(address), self.web.post(address, FORM)]
                    found = {one.status_code for one in answers}
                    self.assertLessEqual(found, {200, 302, 404, 405})
                self.patch(bridge, "call", call_here)
                if npc.pk:
                    npc.delete()

    def test_an_npc_that_has_lost_its_mind_is_not_found(self):
        scripts.detach(self.mara)
        self.assertEqual({*self.looks(self.mara).values()}, {404, 405})
        self.assertIn("You control no NPC with a mind.", self.page())

    def test_a_persona_that_is_nothing_like_one_can_be_looked_at_and_mended(self):
        for odd in (5, ["x"], {"description": 5, "beats": {"a": 1}}, {"manner": [1, {"b": None}]}):
            with self.subTest(odd):
                repository.save(self.mara, kinds.PERSONA, odd)
                self.assertEqual({*self.looks(self.mara).values()}, {200, 405})

    def test_a_very_long_name_is_a_name(self):
        self.mara.key = LONG
        self.char2.key = LONG
        entity_profiles.create_entity_profile(self.mara, self.char2)
        self.assertEqual({*self.looks(self.mara).values()}, {200, 405})
        self.assertIn(LONG, self.page())
