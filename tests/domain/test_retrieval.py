"""Ranking: what fits is found by its rare words, and what does not fit is not offered."""

import time
import unittest

from hypothesis import given
from hypothesis import strategies as st

from evennia_ai.domain.memories import retrieval

FACTS = [
    "The goblins stole the mill key last night.",
    "Ann owes Bree two silver coins.",
    "The old bridge is closed.",
    "A ghost is seen in the cellar when the moon is full.",
    "The blacksmith is called Odd and lives by the harbour.",
    "Ale costs two coppers, wine costs five.",
]


def best(query, texts=FACTS, **options):
    """Return the first text that answers the query, or None."""
    found = retrieval.rank(query, texts, **options)
    return texts[found[0][0]] if found else None


class RankTests(unittest.TestCase):
    def test_questions_find_the_text_that_answers_them(self):
        for query, index in [
            ("who stole the key?", 0),
            ("Who steals keys around here?", 0),
            ("what do you know about goblins?", 0),
            ("tell me about the goblin", 0),
            ("does Ann owe anybody silver?", 1),
            ("Where is the bridge?", 2),
            ("is the bridge closed", 2),
            ("have you seen a ghost?", 3),
            ("what is in your cellar", 3),
            ("where does the blacksmith live?", 4),
            ("What's the blacksmith's name?", 4),
            ("who is Odd?", 4),
            ("what is the price of ale?", 5),
            ("how much does wine cost?", 5),
            ("what happened last night?", 0),
        ]:
            with self.subTest(query):
                self.assertEqual(best(query), FACTS[index])

    def test_what_is_not_known_finds_nothing(self):
        for query in [
            "how is the weather?",
            "who stole the crown?",
            "where is the old temple?",
            "what do you know about dragons?",
            "is the king old?",
            "where does the baker live?",
            "have you seen my brother?",
            "do you like it here?",
            "and?",
            "",
            "...",
        ]:
            with self.subTest(query):
                self.assertIsNone(best(query))

    def test_a_text_that_shares_only_the_verb_is_not_an_answer(self):
        self.assertEqual(retrieval.rank("who stole the crown?", FACTS), [])
        self.assertEqual(retrieval.rank("who stole Excalibur?", FACTS), [])

    def test_a_rare_word_counts_more_than_a_common_one(self):
        texts = [
            "The mill is old.",
            "The mill is tall.",
            "The mill has a ghost.",
            "The mill burned.",
        ]
        self.assertEqual(best("does the mill have a ghost?", texts), "The mill has a ghost.")

    def test_more_of_the_query_is_better(self):
        texts = ["The key is lost.", "The key of the cellar is lost.", "The cellar is wet."]
        self.assertEqual(
            [index for index, _ in retrieval.rank("where is the key of the cellar?", texts)],
            [1, 0, 2],
        )

    def test_scores_are_the_share_of_the_query_that_is_covered(self):
        [(index, score)] = retrieval.rank("the goblins", FACTS)
        self.assertEqual((index, score), (0, 1.0))
        [(index, score)] = retrieval.rank("the goblins and trolls", FACTS)
        self.assertEqual(index, 0)
        self.assertAlmostEqual(score, 0.436, places=2)

    def test_texts_that_score_alike_keep_their_order(self):
        texts = ["Wolves in the hills.", "Wolves in the woods.", "Wolves at the door."]
        self.assertEqual(retrieval.rank("any wolves?", texts), [(0, 1.0), (1, 1.0), (2, 1.0)])

    def test_the_limit_is_kept(self):
        texts = ["Wolves in the hills.", "Wolves in the woods.", "Wolves at the door."]
        self.assertEqual(retrieval.rank("any wolves?", texts, limit=2), [(0, 1.0), (1, 1.0)])
        self.assertEqual(retrieval.rank("any wolves?", texts, limit=0), [])

    def test_one_text_alone_has_a_score(self):
        self.assertEqual(retrieval.rank("wolves", ["A wolf came."]), [(0, 1.0)])
        self.assertEqual(retrieval.rank("wolves", []), [])

    def test_the_names_of_those_who_talk_are_no_content(self):
        texts = ["Bree likes plums.", "Plums are ripe in August."]
        self.assertEqual(best("Bree, when are plums ripe?", texts, names=("Bree",)), texts[1])
        self.assertIsNone(best("Bree?", texts, names=("Bree", "Ann")))
        self.assertEqual(best("Bree?", texts), texts[0])

    def test_a_genitive_is_the_name(self):
        self.assertEqual(
            best("what is Bob's horse called?", ["Bob has a horse."]), "Bob has a horse."
        )

    def test_weak_words_alone_connect_nothing(self):
        self.assertIsNone(best("who is the old man?", ["The old bridge is closed."]))
        self.assertEqual(
            best("the old man", ["An old man fishes here."]), "An old man fishes here."
        )

    def test_swedish_forms_meet(self):
        facts = [
            "Kvarnen vid ån brann ner i vintras.",
            "Trollen stal nyckeln till källaren.",
            "Draken sover under berget.",
        ]
        for query, index in [
            ("Vad vet du om kvarnar?", 0),
            ("vad hände med kvarnen?", 0),
            ("vem stal nyckeln?", 1),
            ("finns det några troll?", 1),
            ("var är drakarna?", 2),
        ]:
            with self.subTest(query):
                self.assertEqual(best(query, facts), facts[index])
        self.assertIsNone(best("vad vet du om kungen?", facts))

    def test_two_thousand_texts_are_ranked_while_nobody_notices(self):
        texts = [
            f"Rumour {number} tells of word{number % 700} and the mill." for number in range(2000)
        ]
        retrieval.rank("warm up", texts)
        took = []
        for _ in range(5):
            started = time.process_time()
            found = retrieval.rank("what about word17 and word99?", texts, limit=3)
            took.append(time.process_time() - started)
        self.assertEqual([index for index, _ in found], [17, 99, 717])
        # Aimed at 20 ms; the bound is wide for a machine that does other things at the same time.
        self.assertLess(min(took), 0.1)

    @given(st.text(max_size=80), st.lists(st.text(max_size=60), max_size=8))
    def test_any_text_can_be_ranked(self, query, texts):
        found = retrieval.rank(query, texts, limit=3)
        self.assertLessEqual(len(found), 3)
        for index, score in found:
            self.assertIn(index, range(len(texts)))
            self.assertTrue(retrieval.MINIMUM_RELEVANCE <= score <= 1.0)
        self.assertEqual(found, retrieval.rank(query, texts, limit=3))
        self.assertEqual([score for _, score in found], sorted((s for _, s in found), reverse=True))

    @given(st.sampled_from(FACTS))
    def test_every_text_answers_itself(self, fact):
        self.assertEqual(best(fact), fact)


class TermsTests(unittest.TestCase):
    def test_function_words_fall_out_and_forms_fall_together(self):
        for text, expected in [
            ("What do you know about the goblins?", ["goblin"]),
            ("They were fighting; we fought.", ["fight", "fight"]),
            ("stories and a story", ["stori", "stori"]),
            ("Bob's keys", ["bob", "key"]),
            ("He stopped, she stops, they stop", ["stop", "stop", "stop"]),
            ("the glass", ["glass"]),
            ("3 a b", ["3"]),
            ("", []),
            ("{goblin} |r $You()", ["goblin"]),
        ]:
            with self.subTest(text):
                self.assertEqual(retrieval.terms(text), expected)

    def test_the_language_decides_the_endings(self):
        self.assertEqual(retrieval.terms("in the cellar"), ["cellar"])
        self.assertEqual(retrieval.terms("kvarnarna och kvarnen är här"), ["kvarn", "kvarn"])
        self.assertEqual(retrieval.terms("garden", language="en"), ["garden"])
        self.assertEqual(retrieval.terms("garden", language="sv"), ["gard"])

    def test_words_that_many_texts_share_are_weak(self):
        self.assertTrue(retrieval.is_weak("old"))
        self.assertFalse(retrieval.is_weak("mill"))


class SentencesTests(unittest.TestCase):
    def test_sentences_end_at_marks_and_line_ends(self):
        self.assertEqual(
            retrieval.sentences("One. Two!  Three?\nFour"), ["One.", "Two!", "Three?", "Four"]
        )
        self.assertEqual(
            retrieval.sentences("Dr. Odd costs 2.50 a day."), ["Dr. Odd costs 2.50 a day."]
        )
