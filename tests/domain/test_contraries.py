"""Questions that an opposite answers, and those that ask for a colour or for how long."""

import unittest

from evennia_ai.core import languages
from tests.domain.small_talk_scene import answer, own, theirs

LORE = {
    "en": (
        "The prisoner in the deep cell is innocent.",
        "My husband Corbin is stingy.",
        "The cellar is always dry.",
        "My dog Grip is blind.",
        "The old mill burned down in the war.",
        "My roses are white and bloom in June.",
        "I have kept these cells for twenty years.",
        "The mayor wears a purple hat.",
        "Nobody ever escaped but Sly Wat.",
        "Sly Wat dug a tunnel with a spoon.",
        "Supper is served at sundown.",
        "The berries by the stream are poisonous.",
        "Bears sleep until March.",
        "I open at nine and close at six.",
        "A map of the tunnels is missing from my shelf.",
        "I was born in Lorne.",
    ),
    "sv": ("Min man Kalle är snål.", "Mina rosor är vita."),
    "de": ("Mein Mann Kurt ist geizig.", "Meine Rosen sind weiß."),
}
# (language, what is asked, the place of the fact that answers, or None)
ASKED = (
    ("en", "is the prisoner guilty?", 0),
    ("en", "who is guilty?", None),
    ("en", "is your husband generous?", 1),
    ("en", "is the cellar wet?", 2),
    ("en", "can your dog see?", 3),
    ("en", "is the mill still standing?", 4),
    ("en", "what colour are your roses?", 5),
    ("en", "what colour is the mill?", None),
    ("en", "how long have you been a gaoler?", 6),
    ("en", "what does the mayor wear?", 7),
    ("en", "whom did you serve?", None),
    ("en", "are the berries safe to eat?", 11),
    ("en", "when do the bears wake up?", 12),
    ("en", "are you open at eight?", 13),
    ("en", "where do you come from?", 15),
    ("sv", "är din man givmild?", 0),
    ("sv", "vilken färg har dina rosor?", 1),
    ("de", "ist dein Mann großzügig?", 0),
    ("de", "welche Farbe haben deine Rosen?", 1),
)


class ContraryTests(unittest.TestCase):
    def test_what_is_asked_is_answered_by_what_tells_it(self):
        for language, asked, place in ASKED:
            npc = {"name": "Brannick", "persona": "Brannick is a gaoler.", "language": language}
            with languages.reading(language):
                told = answer(asked, lore=list(LORE[language]), npc=npc)
            with self.subTest(asked):
                found = [at for at, one in enumerate(LORE[language]) if one.rstrip(".") in told]
                self.assertEqual(found, [] if place is None else [place])

    def test_what_it_costs_is_told_of_what_it_is_called(self):
        lore = ["My rarest book is the Codex of Ys.", "The Codex of Ys costs ninety gold."]
        talk = [theirs("what is your rarest book?"), own(lore[0])]
        for asked in ("how much is it?", "is it cheap?"):
            with self.subTest(asked):
                self.assertIn("ninety gold", answer(asked, lore=lore, conversation=talk))

    def test_how_he_did_it_is_told_by_what_else_is_known_of_him(self):
        talk = [theirs("has anybody escaped?"), own(LORE["en"][8])]
        told = answer("how did he do it?", lore=list(LORE["en"]), conversation=talk)
        self.assertIn("dug a tunnel", told)
