"""Tests of what remarks have in common, kind by kind, and of what they are about."""

import unittest

from evennia_ai.domain.memories import subjects
from evennia_ai.domain.sleeping import insight_rules


def remarks(*lines):
    """Return remarks of (by, text) or (by, text, day, tags)."""
    given = []
    for number, (by, text, *rest) in enumerate(lines, 1):
        day, tags = (*rest, *(1, ())[len(rest) :])
        stamp = f"2030-01-{day:02d}T10:00:00Z"
        given.append({"number": number, "text": text, "by": by, "timestamp": stamp, "tags": tags})
    return subjects.read_remarks(given)


class SubjectTests(unittest.TestCase):
    def labels(self, *lines):
        return [one.label for one in subjects.find(remarks(*lines), own_names=["Mara"])]

    def test_a_thing_follows_an_article(self):
        for text, expected in (
            ("The old well has run dry.", ["the well"]),
            ("I lost a silver ring.", ["the ring"]),
            ("It lies behind a loose brick.", ["the brick"]),
            ("The river floods each year.", ["the river"]),
            ("Those wolves took two sheep.", ["the sheep", "the wolves"]),
            ("My brother is sick.", ["Anna's brother"]),
            ("It happened in the morning, at the end of the day.", []),
            ("Your ale is good.", []),
        ):
            with self.subTest(text):
                self.assertEqual(self.labels(("Anna", text)), expected)

    def test_names_are_found_inside_sentences(self):
        self.assertEqual(self.labels(("Anna", "They say Kari sells herbs.")), ["Kari"])
        self.assertEqual(self.labels(("Anna", "We met at Black Lake.")), ["Black Lake"])
        self.assertEqual(self.labels(("Bo", "Good day."), ("Anna", "Bo's horse is lame.")), ["Bo"])

    def test_the_assistant_is_none(self):
        self.assertEqual(self.labels(("Anna", "Hello Mara, they all like Mara.")), [])

    def test_whose_brother_it_is_counts(self):
        lines = [("Anna", "My brother is sick."), ("Bo", "My brother is well-off.")]
        self.assertEqual(self.labels(*lines), ["Anna's brother", "Bo's brother"])
        [annas, _] = subjects.find(remarks(*lines))
        self.assertEqual(annas.label_beside("Anna"), "their brother")
        self.assertEqual(annas.label_beside("Bo"), "Anna's brother")

    def test_what_most_people_brought_up_comes_first(self):
        labels = self.labels(
            ("Anna", "The mill is old."),
            ("Anna", "The mill is for sale."),
            ("Anna", "The well is dry."),
            ("Bo", "The wells are deep."),
        )
        self.assertEqual(labels, ["the well", "the mill"])


class ThoughtTests(unittest.TestCase):
    def found(self, kind, *lines):
        """Return (about, numbers) of the thoughts of one kind."""
        all_of_them = insight_rules.thoughts(remarks(*lines), own_names=["Mara"])
        return [(one.about, one.numbers) for one in all_of_them if one.kind == kind]

    def test_several_people_on_one_thing(self):
        lines = [("Anna", "The well is dry."), ("Bo", "The well is deep.")]
        self.assertEqual(self.found("shared", *lines), [(("the well",), (1, 2))])
        more = [*lines, ("Anna", "The well stinks.")]
        self.assertEqual(self.found("shared_most", *more), [(("the well",), (1, 2, 3))])

    def test_a_person_of_whom_three_speak(self):
        lines = [(by, "You know, Kari is back.") for by in ("Anna", "Bo", "Carl")]
        self.assertEqual(self.found("talked_about", *lines), [(("Kari",), (1, 2, 3))])

    def test_coming_back_to_a_thing(self):
        lines = [("Bo", "The baker cheats."), ("Bo", "The baker is rich.")]
        self.assertEqual(self.found("returning", *lines), [(("Bo", "the baker"), (1, 2))])
        days = [("Bo", "The baker cheats.", day) for day in (1, 2, 3)]
        self.assertEqual(self.found("for_days", *days), [(("Bo", "the baker"), (1, 2, 3))])

    def test_a_grudge(self):
        said = ("Bo", "Good day to you.")
        lines = [said, ("Anna", "I tell you, Bo stole my ring.")]
        self.assertEqual(self.found("at_odds", *lines), [(("Anna", "Bo"), (2,))])
        denied = [said, ("Anna", "I never said that Bo stole it.")]
        self.assertEqual(self.found("at_odds", *denied), [])
        place = [said, ("Anna", "They attacked Rivendell.")]
        self.assertEqual(self.found("at_odds", *place), [])

    def test_gratitude(self):
        lines = [("Bo", "Good day."), ("Anna", "Back then Bo helped me.")]
        self.assertEqual(self.found("grateful", *lines), [(("Anna", "Bo"), (2,))])

    def test_two_accounts_of_one_thing(self):
        broken, mended = "The bridge is broken.", "The bridge has been repaired."
        self.assertEqual(
            self.found("contradicted", ("Anna", broken), ("Bo", mended)),
            [(("the bridge", "change"), (1, 2))],
        )
        self.assertEqual(
            self.found("changed", ("Anna", broken), ("Anna", mended)),
            [(("the bridge", "change"), (1, 2))],
        )
        self.assertEqual(
            self.found("contradicted", ("Anna", broken), ("Bo", "The bridge is not repaired.")), []
        )

    def test_trouble_and_where_it_is(self):
        lines = [("Anna", "Bandits wait at the ford."), ("Bo", "They robbed me at the ford.")]
        self.assertEqual(self.found("trouble", *lines), [(("trouble",), (1, 2))])
        self.assertEqual(self.found("trouble_about", *lines), [(("the ford", "trouble"), (1, 2))])
        self.assertEqual(self.found("trouble", ("Anna", "No danger."), ("Bo", "No wolves.")), [])

    def test_a_search_without_a_find(self):
        sought = ("Anna", "I am looking for the silver ring of my mother.")
        self.assertEqual(self.found("seeking", sought), [(("Anna", "the ring"), (1,))])
        self.assertEqual(self.found("seeking", sought, ("Bo", "I found the ring.")), [])

    def test_who_gives_and_who_talks_most(self):
        gifts = [("Bo", f"gives Mara {what}", 1, ["give"]) for what in ("an apple", "a loaf")]
        self.assertEqual(self.found("generous", *gifts), [(("Bo", "gifts"), (1, 2))])
        talk = [("Bo", "It rains."), ("Bo", "It snows."), ("Bo", "It hails."), ("Anna", "So?")]
        self.assertEqual(self.found("talkative", *talk), [(("Bo", "news"), (1, 2, 3))])

    def test_who_gives_more_is_thought_of_sooner(self):
        gifts = [
            ("Bo", f"gives Mara {what}", 1, ["give"]) for what in ("an apple", "a loaf", "ale")
        ]
        weights = [
            one.weight
            for given in (gifts[:2], gifts)
            for one in insight_rules.thoughts(remarks(*given), own_names=["Mara"])
            if one.kind == "generous"
        ]
        self.assertEqual(weights, [7.0, 8.0])

    def test_many_names_are_listed_in_short(self):
        self.assertEqual(insight_rules.listed(["A"]), "A")
        self.assertEqual(insight_rules.listed(["A", "B", "C", "D"]), "A, B, C and D")
        self.assertEqual(insight_rules.listed(list("ABCDEF")), "A, B, C and three others")


if __name__ == "__main__":
    unittest.main()
