"""Tests of schemas made of signatures, and of arguments checked against them."""

import unittest
from typing import Annotated, Literal, Optional

from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.exceptions import ToolError
from evennia_ai.tools.base import Tool, ToolCategory, quoted


class Brew(Tool):
    """Brew a drink
    for somebody.

    This paragraph is for people.
    """

    name = "brew"
    category = ToolCategory.DANGEROUS

    def execute(
        self,
        turn,
        drink: Annotated[Literal["Ale", "Mead"], "What to brew."],
        cups: int,
        heat: float = 20.0,
        quickly: bool = False,
        herbs: Annotated[list[str], "What goes in."] = (),
        note: Annotated[str | None, "For the guest."] = None,
        label: Optional[str] = None,
        size: Literal[1, 2] = 1,
    ):
        return "Done."


class Wink(Tool):
    """Wink."""

    name = "wink"

    def execute(self, turn):
        return "You wink."


PARAMETERS = ["drink", "cups", "heat", "quickly", "herbs", "note", "label", "size"]
JSON_VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(), inner, max_size=2),
    max_leaves=5,
)


class SchemaTests(unittest.TestCase):
    def test_the_signature_is_the_schema(self):
        self.assertEqual(
            Brew().schema(),
            {
                "name": "brew",
                "description": "Brew a drink for somebody.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "drink": {
                            "type": "string",
                            "enum": ["Ale", "Mead"],
                            "description": "What to brew.",
                        },
                        "cups": {"type": "integer"},
                        "heat": {"type": "number"},
                        "quickly": {"type": "boolean"},
                        "herbs": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "What goes in.",
                        },
                        "note": {"type": "string", "description": "For the guest."},
                        "label": {"type": "string"},
                        "size": {"type": "integer", "enum": [1, 2]},
                    },
                    "required": ["drink", "cups"],
                },
            },
        )

    def test_a_tool_without_parameters_has_an_empty_object(self):
        self.assertEqual(
            Wink().schema()["parameters"],
            {"type": "object", "properties": {}},
        )

    def test_the_schema_is_computed_once(self):
        self.assertIs(Brew().schema(), Brew().schema())

    def test_a_tool_is_offered_unless_it_says_otherwise(self):
        self.assertIs(Wink().allowed(None), True)
        self.assertEqual((Wink.category, Wink.cacheable, Wink.cache_ttl), ("safe_chain", False, 0))

    def test_a_tool_without_a_docstring_is_a_mistake_of_the_game(self):
        class Silent(Tool):
            name = "silent"

            def execute(self, turn):
                return ""

        with self.assertRaisesRegex(ImproperlyConfigured, "Silent needs a docstring"):
            Silent().schema()

    def test_a_type_without_a_schema_is_a_mistake_of_the_game(self):
        for hint in (dict, list, list[int], set[str], int | str, Literal[1, "a"], Literal[True]):

            class Odd(Tool):
                """Do something odd."""

                name = "odd"

                def execute(self, turn, thing: hint):
                    return ""

            with self.subTest(hint), self.assertRaisesRegex(ImproperlyConfigured, "thing"):
                Odd().schema()

    def test_a_parameter_without_a_type_is_a_mistake_of_the_game(self):
        class Untyped(Tool):
            """Do something."""

            def execute(self, turn, thing):
                return ""

        with self.assertRaisesRegex(ImproperlyConfigured, "thing"):
            Untyped().schema()

    def test_what_swallows_arguments_is_a_mistake_of_the_game(self):
        class Greedy(Tool):
            """Take everything."""

            def execute(self, turn, **things: str):
                return ""

        with self.assertRaisesRegex(ImproperlyConfigured, "things"):
            Greedy().schema()

    def test_a_name_that_python_cannot_resolve_is_a_mistake_of_the_game(self):
        class Lost(Tool):
            """Refer to nothing."""

            def execute(self, turn, thing: "Nowhere"):  # noqa: F821
                return ""

        with self.assertRaisesRegex(ImproperlyConfigured, "Nowhere"):
            Lost().schema()


class CheckedTests(unittest.TestCase):
    def read(self, **arguments):
        """Return what became of the arguments that are not about the drink itself."""
        read = Brew().checked({"drink": "Ale", "cups": 1, **arguments})
        return {name: read[name] for name in arguments}

    def refused(self, **arguments):
        with self.assertRaises(ToolError) as caught:
            self.read(**arguments)
        return str(caught.exception)

    def test_good_arguments_come_back_as_they_are(self):
        given = {"drink": "Mead", "cups": 3, "heat": 1.5, "quickly": True, "herbs": ["a", "b"]}
        self.assertEqual(Brew().checked(given), given)

    def test_what_can_only_mean_one_thing_is_taken_as_meant(self):
        cases = [
            ({"cups": "3"}, 3),
            ({"cups": " 3 "}, 3),
            ({"cups": 2.0}, 2),
            ({"cups": "2.0"}, 2),
            ({"cups": 2**60 + 1}, 2**60 + 1),
            ({"heat": 3}, 3.0),
            ({"heat": "3.5"}, 3.5),
            ({"quickly": "true"}, True),
            ({"quickly": "False"}, False),
            ({"quickly": 1}, True),
            ({"herbs": "mint"}, ["mint"]),
            ({"herbs": [1, "mint"]}, ["1", "mint"]),
            ({"drink": " ale "}, "Ale"),
            ({"size": "2"}, 2),
            ({"label": 7}, "7"),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments):
                [value] = self.read(**arguments).values()
                self.assertEqual((value, type(value)), (expected, type(expected)))

    def test_null_stands_for_what_was_left_out(self):
        self.assertEqual(self.read(heat=None, note=None), {"heat": 20.0, "note": None})

    def test_a_wrong_value_names_the_parameter_and_what_it_must_be(self):
        cases = [
            ({"cups": "many"}, 'cups must be a whole number, not "many".'),
            ({"cups": 2.5}, 'cups must be a whole number, not "2.5".'),
            ({"cups": True}, 'cups must be a whole number, not "True".'),
            ({"cups": None}, 'cups must be a whole number, not "None".'),
            ({"heat": "hot"}, 'heat must be a number, not "hot".'),
            ({"heat": "nan"}, 'heat must be a number, not "nan".'),
            ({"heat": float("inf")}, 'heat must be a number, not "inf".'),
            ({"heat": []}, 'heat must be a number, not "[]".'),
            ({"quickly": "maybe"}, 'quickly must be true or false, not "maybe".'),
            ({"quickly": 2}, 'quickly must be true or false, not "2".'),
            ({"herbs": {"a": 1}}, "herbs must be a list of texts, not \"{'a': 1}\"."),
            ({"herbs": [["a"]]}, "herbs must be a list of texts, not \"[['a']]\"."),
            ({"note": ["a"]}, "note must be text, not \"['a']\"."),
            ({"note": True}, 'note must be text, not "True".'),
            ({"drink": "Wine"}, 'drink must be one of Ale, Mead, not "Wine".'),
            ({"size": 3}, 'size must be one of 1, 2, not "3".'),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments):
                self.assertEqual(self.refused(**arguments), expected)

    def test_a_number_beyond_all_bounds_is_refused(self):
        self.assertIn("heat must be a number", self.refused(heat=10**400))
        self.assertIn("cups must be a whole number", self.refused(cups="9" * 1999))

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(ToolError, r"^brew needs cups: a whole number\.$"):
            Brew().checked({"drink": "Ale"})

    def test_what_is_unknown_is_named_with_what_is_known(self):
        self.assertEqual(
            self.refused(sugar=1),
            'brew knows no "sugar"; it takes drink, cups, heat, quickly, herbs, note, label, size.',
        )
        with self.assertRaisesRegex(ToolError, r'^wink knows no "eye"; it takes nothing\.$'):
            Wink().checked({"eye": "left"})

    def test_arguments_that_are_no_object_are_refused(self):
        for arguments in (None, "Ale", ["Ale"], 3):
            with self.subTest(arguments), self.assertRaisesRegex(ToolError, "must be an object"):
                Brew().checked(arguments)

    def test_texts_that_are_too_long_are_refused(self):
        self.assertEqual(self.read(note="x" * 2000), {"note": "x" * 2000})
        self.assertEqual(self.refused(note="x" * 2001), "note may have at most 2000 characters.")
        self.assertEqual(
            self.refused(herbs=["a", "x" * 2001]), "herbs may have at most 2000 characters."
        )
        self.assertEqual(self.refused(herbs=["a"] * 51), "herbs may have at most 50 members.")

    def test_characters_that_a_database_refuses_are_dropped(self):
        self.assertEqual(self.read(note="a\x00b\ud800c"), {"note": "abc"})

    @given(some.dictionaries(some.sampled_from([*PARAMETERS, "sugar"]), JSON_VALUES))
    def test_whatever_a_mind_sends_is_read_or_refused_in_a_sentence(self, arguments):
        try:
            read = Brew().checked({"drink": "Ale", "cups": 1, **arguments})
        except ToolError as error:
            self.assertLess(len(str(error)), 200)
            self.assertTrue(str(error).endswith("."))
        else:
            self.assertIs(type(read["cups"]), int)
            self.assertIn(read["drink"], ("Ale", "Mead"))
            self.assertTrue(all(type(herb) is str for herb in read.get("herbs", ())))

    def test_markup_and_braces_are_only_text(self):
        text = "|rhi|n {name} $You() %s \\n"
        self.assertEqual(self.read(note=text), {"note": text})


class QuotedTests(unittest.TestCase):
    def test_long_texts_are_cut_to_sixty_characters_on_one_line(self):
        self.assertEqual(quoted("a\n b"), '"a b"')
        self.assertEqual(quoted("x" * 60), f'"{"x" * 60}"')
        self.assertEqual(quoted("x" * 61), f'"{"x" * 59}…"')
