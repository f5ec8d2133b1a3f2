"""Tests of seeds as plain data: what is wrong in a file, and what a file changes."""

import unittest

from evennia_ai.core.records import Lore
from evennia_ai.domain.files import seed_files
from evennia_ai.domain.files.seed_files import Change, Scoped, Seed

FIELDS, LINES = ("description", "manner"), ("greeting_lines",)


def parse(content):
    return seed_files.parse(content, fields=FIELDS, lines=LINES)


def fact(text, audience="public"):
    return Lore(text=text, audience=audience)


class ParseTests(unittest.TestCase):
    def refused(self, content):
        with self.assertRaises(ValueError) as caught:
            parse(content)
        return str(caught.exception)

    def test_one_npc(self):
        content = {
            "name": " Mara ",
            "aliases": ["innkeeper"],
            "desc": "A woman.",
            "persona": {"description": "Warm.\n", "greeting_lines": ["Hello."], "manner": None},
            "lore": ["A bed costs three.", {"text": "The key.", "audience": ["b", "a", "a"]}],
        }
        self.assertEqual(
            parse(content),
            (
                [
                    Seed(
                        "Mara",
                        {"description": "Warm.", "greeting_lines": ["Hello."]},
                        [fact("A bed costs three."), fact("The key.", ["a", "b"])],
                    )
                ],
                [],
            ),
        )

    def test_several_and_what_all_know_who_are_tagged_so(self):
        content = {
            "npcs": [{"name": "Mara"}, {"name": "Bertil"}],
            "lore": [{"scope": "tavern", "facts": ["The well is deep."]}],
        }
        self.assertEqual(
            parse(content),
            (
                [Seed("Mara", {}, []), Seed("Bertil", {}, [])],
                [Scoped("tavern", [fact("The well is deep.")])],
            ),
        )

    def test_a_manner_may_be_told_by_relationship(self):
        [seed], _ = parse({"name": "M", "persona": {"manner": {"friend": "warm"}}})
        self.assertEqual(seed.persona, {"manner": {"friend": "warm"}})

    def test_what_is_wrong_is_said_with_the_npc_and_the_key(self):
        for content, sentence in (
            ([], "it begins with a key such as name or npcs."),
            (None, "it begins with a key such as name or npcs."),
            ({"nmae": "M"}, "the file has no 'nmae'; it has npcs, lore."),
            ({"name": 3}, "an NPC has a name, which is text."),
            ({"npcs": ["Mara"]}, "an NPC has a name, which is text."),
            (
                {"npcs": {"name": "M"}},
                "npcs is a list: each item on a line of its own, after a dash.",
            ),
            ({"npcs": [{"name": "M"}, {"name": "m"}]}, "M is described twice."),
            (
                {"name": "M", "mood": ""},
                "M has no 'mood'; it has name, aliases, desc, persona, lore, routine, triggers, errands, plans, zone.",
            ),
            ({"name": "M", "persona": "x"}, "M: persona has keys such as description."),
            (
                {"name": "M", "persona": {"mood": "x"}},
                "M: persona has no 'mood'; it has description, manner, greeting_lines.",
            ),
            (
                {"name": "M", "persona": {"description": True}},
                "M: description: 'True' is no text; put quotes around it.",
            ),
            (
                {"name": "M", "persona": {"description": [["x"]]}},
                "M: description: a list or keys stand where text is wanted.",
            ),
            (
                {"name": "M", "persona": {"greeting_lines": "x"}},
                "M: greeting_lines is a list: each item on a line of its own, after a dash.",
            ),
            (
                {"name": "M", "persona": {"manner": {"foe": "x"}}},
                "M: manner has no 'foe'; it has ally, friend, acquaintance, stranger.",
            ),
            ({"name": "M", "lore": [3]}, "M: lore: '3' is no text; put quotes around it."),
            ({"name": "M", "lore": [""]}, "M: lore: a fact says something."),
            (
                {"name": "M", "lore": [{"text": "x", "tell": "all"}]},
                "M: lore has no 'tell'; it has text, audience, if.",
            ),
            (
                {"name": "M", "lore": [{"text": "x", "audience": "ann"}]},
                'M: lore: an audience is "public" or a list of identities.',
            ),
            ({"lore": ["x"]}, "lore: an item has a scope and facts."),
            ({"lore": [{"facts": ["x"]}]}, "lore: an item has a scope and facts."),
            ({"lore": [{"scope": "t", "text": "x"}]}, "lore has no 'text'; it has scope, facts."),
            ({"name": "M", "lore": ["x" * 1001]}, "M: lore has 1001 characters; 1000 are allowed."),
            ({"name": "M", "lore": ["x"] * 1001}, "M: lore has 1001 items; 1000 are allowed."),
        ):
            with self.subTest(sentence):
                self.assertEqual(self.refused(content), sentence)


class PlanTests(unittest.TestCase):
    def plan(self, *, persona=None, lore=(), wanted=None, facts=(), owned=None, others=None):
        return seed_files.plan(
            persona or {},
            lore,
            wanted_persona=wanted or {},
            wanted_lore=facts,
            owned=owned or {},
            others=others or {},
        )

    def test_what_is_new_is_added_and_what_differs_is_changed(self):
        found = self.plan(
            persona={"description": "Old.", "notes": "by hand"},
            lore=[fact("By hand.")],
            wanted={"description": "New.", "greeting_lines": ["A", "B"]},
            facts=[fact("The well."), fact("The well.")],
        )
        self.assertEqual(
            found.persona,
            {"description": "New.", "notes": "by hand", "greeting_lines": ["A", "B"]},
        )
        self.assertEqual(found.lore, [fact("By hand."), fact("The well.")])
        self.assertEqual(
            found.changes,
            [
                Change("~", "description", "Old.", "New."),
                Change("+", "greeting_lines", "", "A; B"),
                Change("+", "lore", "", "The well."),
            ],
        )

    def test_a_second_time_nothing_changes(self):
        first = self.plan(wanted={"description": "New."}, facts=[fact("The well.")])
        again = self.plan(
            persona=first.persona,
            lore=first.lore,
            wanted={"description": "New."},
            facts=[fact("The well.")],
            owned=first.owned,
        )
        self.assertEqual(again.changes, [])
        self.assertEqual(again[:3], first[:3])

    def test_what_is_taken_out_of_the_file_goes_and_nothing_else(self):
        first = self.plan(
            persona={"notes": "by hand"},
            lore=[fact("By hand.")],
            wanted={"description": "New."},
            facts=[fact("The well.")],
        )
        after = self.plan(persona=first.persona, lore=first.lore, owned=first.owned)
        self.assertEqual((after.persona, after.lore), ({"notes": "by hand"}, [fact("By hand.")]))
        self.assertEqual(
            after.changes,
            [Change("-", "description", "New.", ""), Change("-", "lore", "The well.", "")],
        )

    def test_what_another_file_wants_as_well_stays(self):
        first = self.plan(wanted={"description": "New."}, facts=[fact("The well.")])
        after = self.plan(
            persona=first.persona, lore=first.lore, owned=first.owned, others=first.owned
        )
        self.assertEqual((after.changes, after.lore), ([], [fact("The well.")]))

    def test_the_same_words_for_other_ears_are_another_fact(self):
        found = self.plan(lore=[fact("The key.")], facts=[fact("The key.", ["ann"])])
        self.assertEqual(found.lore, [fact("The key."), fact("The key.", ["ann"])])
        self.assertNotEqual(
            seed_files.fingerprint(fact("The key.")),
            seed_files.fingerprint(fact("The key.", ["ann"])),
        )

    def test_what_a_file_owns_is_kept_without_its_words(self):
        found = self.plan(wanted={"description": "New."}, facts=[fact("The well.")])
        self.assertEqual(found.owned["persona"], ["description"])
        self.assertRegex(found.owned["lore"][0], "^[0-9a-f]{16}$")

    def test_a_manner_by_relationship_is_shown_in_one_line(self):
        found = self.plan(wanted={"manner": {"friend": "warm", "ally": "warmer"}})
        self.assertEqual(found.changes[0].after, "friend: warm; ally: warmer")
