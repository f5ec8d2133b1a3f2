"""What no word of the lore answers, and a thing that means nearly the same does."""

import unittest

from tests.domain.small_talk_scene import answer, own, theirs
from tests.domain.test_free_talk import NOT_KNOWN

GAOL = [
    "Crake earns nine shillings a month.",
    "A plague took half the town when Crake was a boy.",
    "The deepest cell floods when it rains.",
    "Bail is fixed by Judge Harrow and never falls below two crowns.",
    "Crake never lends money to a guard, because the last one was guilty of theft.",
]


def asked(text, *, lore=GAOL, language="en", **changes):
    npc = {"name": "Crake", "persona": "Crake is a gaoler.", "language": language}
    return answer(text, npc=npc, lore=lore, **{"memories": [], **changes})


class NearestTests(unittest.TestCase):
    def test_other_words_for_the_same_are_understood(self):
        self.assertIn("nine shillings", asked("what is your salary?"))
        self.assertIn("plague", asked("was there ever an epidemic here?"))

    def test_what_is_merely_near_is_not_told(self):
        for text in (
            "what colour is the moon?",
            "is the cell haunted?",
            "how old is the judge?",
            "what do the wolves eat?",
            "who is innocent?",
        ):
            with self.subTest(text):
                self.assertTrue(asked(text).startswith(NOT_KNOWN), asked(text))

    def test_a_price_is_told_by_a_sum_alone(self):
        lore = ["The sisters brew a dark beer that they sell to the town."]
        self.assertTrue(asked("what is the fare for an ale?", lore=lore).startswith(NOT_KNOWN))

    def test_of_the_npc_only_its_own_is_told(self):
        lore = ["The hangman of Ostrey earns a crown for each neck."]
        self.assertTrue(asked("what is your salary?", lore=lore).startswith(NOT_KNOWN))

    def test_a_word_that_is_a_word_is_no_slip(self):
        lore = ["Rook grew up in the orphanage of Saint Bride."]
        self.assertTrue(asked("is anybody bribed?", lore=lore).startswith(NOT_KNOWN))
        self.assertIn("orphanage", asked("where is the orphenage?", lore=lore))

    def test_of_two_that_are_as_near_none_is_told(self):
        lore = [*GAOL, "The bees swarm in May.", "Bees sleep through the winter."]
        self.assertTrue(asked("do the wasps fly?", lore=lore).startswith(NOT_KNOWN))

    def test_what_somebody_needs_is_asked_for(self):
        lore = [
            "Willow bark eases headaches.",
            "A forged pass costs a crown.",
            "The cellar is damp.",
        ]
        self.assertIn("A forged pass", asked("I need a forged pass.", lore=lore))
        self.assertIn("Willow bark", asked("I'm looking for willow.", lore=lore))
        self.assertNotIn("Willow", asked("I need a new horse.", lore=lore))

    def test_who_it_was_is_not_told_by_what_names_nobody(self):
        lore = ["A forged pass takes three days."]
        before = [theirs("how long does a pass take?"), own(lore[0])]
        told = asked("who makes them?", lore=lore, conversation=before)
        self.assertNotIn("three days", told)

    def test_what_the_npc_was_asked_before_tells_nothing_of_who_asks_of_themselves(self):
        lore = ["The sister of Crake runs a farm in Appledale."]
        before = [theirs("what does your sister do?"), own(lore[0])]
        self.assertNotIn("farm", asked("what's my trade?", lore=lore, conversation=before))

    def test_who_runs_a_farm_commands_nobody(self):
        lore = ["Crake's sister runs a farm.", "Crake served under Captain Rulf.", *GAOL]
        self.assertIn("Captain Rulf", asked("who was your commander?", lore=lore))
