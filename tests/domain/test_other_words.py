"""Questions in other words than the lore has: of kinds, of what is forbidden, of whose master somebody is."""

import unittest

from tests.domain.small_talk_scene import answer, own, theirs

QUILL = {
    "name": "Quill",
    "persona": "Quill is the apprentice of the wizard Maldren. He talks too much.",
    "language": "en",
}
TOWER = (
    "Maldren is away at the council and comes back at the full moon.",
    "Quill needs moonpetal for his examination and pays twenty crowns a stalk.",
    "Moonpetal grows only in the Sunken Garden.",
    "Two mules were stolen in spring; people blame the Redcap gang.",
    "The Redcap gang camps in the old quarry.",
    "No animals are allowed upstairs.",
    "The grey mare went lame on a stone.",
    "Quill ran away from home because his father beat him.",
    "Quill saves his money to buy a farm.",
    "A boat can be hired for a shilling a day.",
    "The dragon Smolder sleeps under Mount Ash.",
)


def asked(text, *before, npc=QUILL, lore=TOWER, **changes):
    """Return what is said to Ann, who said some lines before, or heard them (those after "<")."""
    said = [own(line[1:]) if line.startswith("<") else theirs(line) for line in before]
    return answer(text, npc=npc, lore=lore, conversation=said, **{"memories": [], **changes})


class OtherWordsTests(unittest.TestCase):
    def test_what_is_wrong_is_told_by_what_ails(self):
        self.assertEqual(asked("whats wrong with the grey horse"), TOWER[6])
        dog = {"text": "My dog Biscuit is blind.", "by": "Ann", "kind": "said"}
        dog["timestamp"] = "2025-01-02T00:00:00Z"
        self.assertIn("Biscuit is blind", asked("whats wrong with my dog", memories=[dog]))

    def test_what_no_kind_may_is_told_of_one_of_that_kind(self):
        self.assertEqual(asked("can i take a dog upstairs"), TOWER[5])
        self.assertEqual(asked("is it ok to take my cat upstairs"), TOWER[5])

    def test_the_master_is_whose_apprentice_it_is(self):
        self.assertEqual(asked("wheres ur master"), TOWER[0])
        self.assertEqual(asked("when is your master back?"), TOWER[0])
        secret = {**QUILL, "persona": "Quill is shy. He is secretly the apprentice of Maldren."}
        self.assertNotEqual(asked("wheres ur master", npc=secret), TOWER[0])

    def test_where_it_is_is_told_by_a_place(self):
        needs = "I need moonpetal for my examination and pay twenty crowns a stalk."
        self.assertEqual(asked("do you need help with anything"), needs)
        hidden = asked("and where do they hide", "who stole the mules", f"<{TOWER[3]}")
        self.assertEqual(hidden, TOWER[4])

    def test_whoever_did_it_it_was_done_to_the_npc(self):
        self.assertEqual(
            asked("why did you run away?"), "I ran away from home because my father beat me."
        )

    def test_what_it_wishes_for_is_what_it_saves_for(self):
        self.assertEqual(
            asked("what do you want to do with your life"), "I save my money to buy a farm."
        )

    def test_one_that_is_not_named_costs_what_it_costs_to_do_that(self):
        self.assertEqual(asked("can i rent one?"), TOWER[9])

    def test_the_name_of_who_is_asked_is_not_what_is_asked(self):
        self.assertIn("Smolder", asked("is the dragon under mount ash quill"))

    def test_a_verb_that_comes_first_asks_in_swedish(self):
        ture = {"name": "Ture", "persona": "Ture är jägare.", "language": "sv"}
        lore = ("Skogen är farlig om natten.", "Olle har sin verkstad vid torget.")
        self.assertEqual(asked("ture är skogen farlig", npc=ture, lore=lore), lore[0])
        self.assertEqual(asked("var har Olle sin verkstad", npc=ture, lore=lore), lore[1])
