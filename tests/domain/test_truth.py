"""Whether what a model says at night stands in its sources."""

import unittest

from evennia_ai.domain.sleeping import truth

LINES = (
    "I hid the silver key behind the third barrel in your cellar. Don't tell Bob.",
    "My brother Tom sails on the Heron in nine days.",
    "I owe you 12 coins, and I'm allergic to fish.",
    "Nobody keeps the old bridge in repair.",
)


class TruthTests(unittest.TestCase):
    def carries(self, text, **fields):
        return truth.carries(LINES, text, names=["Ann", "Mara"], retells="Ann", **fields)

    def test_what_was_said_is_carried(self):
        for text in (
            "Ann told Mara that she hid the silver key behind the third barrel in her cellar.",
            "Ann said that her brother Tom sails on the Heron in 9 days.",
            "Ann owes Mara twelve coins.",
            "Ann said that nobody keeps the old bridge in repair.",
        ):
            with self.subTest(text):
                self.assertTrue(self.carries(text))

    def test_what_was_not_said_is_refused(self):
        for text in (
            "",
            "Ann hid the silver key in your cellar.",
            "I hid the silver key in the cellar.",
            "Ann hid the golden crown under the oak.",
            "Ann said that Rob hid the silver key in the cellar.",
            "Ann said that her brother sails in ten days.",
            "Ann said that she sails on the Heron in nine days.",
            "Ann said that the old bridge is kept in repair.",
            "Ann said that Mara is allergic to fish and sails on the Heron.",
            "Ann is a sailor.",
        ):
            with self.subTest(text):
                self.assertFalse(self.carries(text))

    def test_a_conclusion_may_be_in_other_words_but_names_nobody_new(self):
        for text, is_true in (
            ("Debts of 12 coins trouble Ann.", True),
            ("Debts of 13 coins trouble Ann.", False),
            ("Ann and Kate share 12 coins.", False),
        ):
            with self.subTest(text):
                known = truth.carries(LINES, text, names=["Ann"], share=0.2)
                self.assertEqual(known, is_true)
