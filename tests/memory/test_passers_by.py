"""Who only passed by, or wears a mask, makes room for others."""

from evennia.scripts.scripts import DefaultScript
from evennia.utils.create import create_script

from evennia_ai.core.states import PasserBy
from evennia_ai.memory import kinds, repository
from evennia_ai.memory.people import heard
from evennia_ai.testing import AITestCase


class PassersByTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.script = create_script(DefaultScript, key="mind", obj=self.char1)

    def meet(self, who, body_id, *, is_masked=False, is_new=True):
        return heard.note_passer_by(
            self.script, who, body_id=body_id, is_masked=is_masked, is_new=is_new
        )

    def kept(self):
        return repository.load(self.script, kinds.PASSERS_BY)

    def test_the_thirty_last_are_kept(self):
        for number in range(30):
            self.assertEqual(self.meet(f"who{number}", number), [])
        self.assertEqual(self.meet("one more", 30), ["who0"])
        self.assertEqual(self.meet("another", 31), ["who1"])
        self.assertEqual(len(self.kept()), 30)

    def test_after_five_lines_somebody_is_no_passer_by(self):
        self.meet("ann", 1)
        for _ in range(4):
            self.meet("ann", 1, is_new=False)
        self.assertEqual(self.kept(), {"ann": PasserBy(1, lines=5)})
        self.meet("ann", 1, is_new=False)
        self.assertEqual(self.kept(), {})

    def test_who_is_known_is_not_noted(self):
        self.assertEqual(self.meet("ann", 1, is_new=False), [])
        self.assertIsNone(self.kept())

    def test_of_the_masks_of_one_body_the_three_last_are_kept_however_much_they_say(self):
        for number in range(5):
            gone = self.meet(f"mask{number}", 1, is_masked=True)
            self.assertEqual(gone, [f"mask{number - 3}"] if number > 2 else [])
            for _ in range(9):
                self.meet(f"mask{number}", 1, is_masked=True, is_new=False)
        self.meet("mask9", 2, is_masked=True)
        self.assertEqual(list(self.kept()), ["mask2", "mask3", "mask4", "mask9"])

    def test_who_has_most_faces_makes_room_first(self):
        self.meet("ann", 1)
        for number in range(3):
            self.meet(f"mask{number}", 2, is_masked=True)
        for number in range(26):
            self.meet(f"who{number}", 100 + number)
        self.assertEqual(self.meet("one more", 9), ["mask0"])
        self.assertEqual(self.meet("two more", 10), ["mask1"])
        self.assertEqual(self.meet("three more", 11), ["ann"])
