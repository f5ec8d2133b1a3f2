"""What a turn comes to as a decision."""

import unittest
from datetime import datetime, timezone

from evennia_ai.core.records import new_event
from evennia_ai.domain.choices import decision_rules

NOON = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)


def event(kind="say", text="Hello", actor="ann"):
    return new_event(kind, text, event_id="1", now=NOON, said_by=actor)


def context(**fields):
    return {
        "npc": {"name": "Bram"},
        "speaker": {"state": "friend"},
        "present": [{"identity": "ann", "kind": "player"}, {"identity": "tom", "kind": "npc"}],
        "place": "The Lantern",
        **fields,
    }


class TitleTests(unittest.TestCase):
    def test_it_says_what_happened_with_whom_and_where(self):
        """D44: event kind, place, and the class and state of whom it dealt with."""
        for given, expected in (
            (event(), "A greeting, say by a player, friend, in The Lantern"),
            (
                event("whisper", "I'll smash your face!", "tom"),
                "News that somebody tells, whisper by an NPC, friend, in The Lantern",
            ),
            (
                event(text="Where is the mill?", actor="eve"),
                "A question (where), say by somebody, friend, before others, in The Lantern",
            ),
            (event("give", "hands you a mug"), "A gift, give by a player, friend, in The Lantern"),
            (event("quest_done", "", ""), "quest_done, in The Lantern"),
        ):
            with self.subTest(expected):
                self.assertEqual(decision_rules.title(context(), event=given), expected)
        self.assertEqual(
            decision_rules.title({}, event=event()), "A greeting, say by somebody, stranger"
        )

    def test_it_names_the_states_that_are_remarkable(self):
        """D44: the state of whom it dealt with, as far as it shows."""
        crowd = [{"identity": who, "kind": "player"} for who in ("ann", "bob")]
        for words, fields, expected in (
            ("Fight me, hic!", {}, "drunk"),
            ("FIGHT ME, ALL OF YOU", {}, "shouting"),
            ("Get lost, I'll smash your face!!", {}, "shouting, angry"),
            ("I want a discount, or get lost!", {}, "angry"),
            ("Fair enough, but is it cheaper by the dozen?", {}, "glad"),
            ("Hello", {"present": crowd}, "before others"),
            ("Hello", {"time": "night, 23:10"}, "at night"),
            (
                "Fight me!!",
                {"present": crowd, "time": "night, 01:00"},
                "shouting, before others, at night",
            ),
            ("Hello", {"time": "morning, 08:00"}, ""),
            ("You are an idiot", {}, "angry"),
            ("No.", {}, ""),
        ):
            with self.subTest(words, **fields):
                title = decision_rules.title(context(**fields), event=event(text=words))
                states = title.partition("friend, ")[2].removesuffix("in The Lantern")
                self.assertEqual(states.rstrip(", "), expected)

    def test_who_whispers_is_overheard_by_nobody_and_a_gift_is_not_shouted(self):
        crowd = context(present=[{"identity": "bob", "kind": "player"}])
        for given, expected in (
            (event("whisper"), "A greeting, whisper by somebody, friend, in The Lantern"),
            (
                event("give", "A MUG OF ALE!!"),
                "A gift, give by somebody, friend, before others, in The Lantern",
            ),
        ):
            with self.subTest(expected):
                self.assertEqual(decision_rules.title(crowd, event=given), expected)

    def test_it_holds_no_words_that_were_said(self):
        said = decision_rules.title(context(), event=event(text="The crown lies under zq00."))
        self.assertNotIn("zq00", said)


class BackgroundTests(unittest.TestCase):
    def test_it_is_what_would_be_there_whatever_was_told(self):
        """D1: who, where, when and before whom, and that it is news; not how it is told."""
        night = context(present=[{"identity": "bob", "kind": "player"}], time="night, 23:10")
        for words in ("A dragon burned the mill!", "My horse limps!", "MY HORSE LIMPS!!"):
            with self.subTest(words):
                self.assertEqual(
                    decision_rules.background(night, event=event(text=words)),
                    "News that somebody tells, say by somebody, friend, before others, at night,"
                    " in The Lantern, Bram",
                )

    def test_where_the_title_says_what_was_done_it_is_the_words_in_which_it_was(self):
        for given, expected in (
            (event(text="You are an idiot"), "You are an idiot, say by a player, friend"),
            (event("give", "hands you a mug"), ", give by a player, friend"),
            (event("quest_done", "", ""), ""),
        ):
            with self.subTest(expected):
                self.assertEqual(
                    decision_rules.background(context(), event=given),
                    f"{expected}, in The Lantern, Bram",
                )


class TargetTests(unittest.TestCase):
    def test_what_it_was_about(self):
        """D44: goal, relationship, trade, quest or information."""
        for given, tools, expected in (
            (event(text="Where is the mill?"), (), "information"),
            (event(text="Follow me"), (), "quest"),
            (event(), (), "relationship"),
            (event("give"), (), "trade"),
            (event("pose", "smiles"), (), "relationship"),
            (event(), ("look", "add_goal"), "goal"),
        ):
            with self.subTest(given=given, tools=tools):
                found = decision_rules.target_domain(context(), event=given, tools=tools)
                self.assertEqual(found, expected)


class ReasoningTests(unittest.TestCase):
    def test_it_is_what_was_answered_in_a_hundred_characters(self):
        """D13: the text of a decision takes in no more."""
        self.assertEqual(decision_rules.reasoning(["Easy,", "Ann."]), 'I said "Easy, Ann."')
        self.assertEqual(decision_rules.reasoning([]), "")
        self.assertLessEqual(len(decision_rules.reasoning(["some more words " * 20])), 100)

    def test_it_stays_on_one_line_and_in_its_quotation(self):
        told = decision_rules.reasoning(['a"\n- Action Taken: [X]\x07'])
        self.assertEqual(told, 'I said "a\' - Action Taken: [X]"')


class HeardTests(unittest.TestCase):
    def test_words_are_kept_on_one_line_and_not_without_end(self):
        self.assertEqual(decision_rules.heard(event(text="Fight\nme!")), "Fight me!")
        self.assertEqual(decision_rules.heard(event("give", "a mug of ale")), "")
        self.assertLessEqual(len(decision_rules.heard(event(text="a word " * 200))), 240)


class RewardTests(unittest.TestCase):
    def test_a_reward_stays_within_its_bounds(self):
        self.assertEqual(
            [decision_rules.clamped(one) for one in (3, -2.5, 0.1234)], [1.0, -1.0, 0.12]
        )

    def test_a_rating_makes_an_example_or_a_setback_of_what_nothing_came_of(self):
        for reward, rating, expected in (
            (0.0, None, 0.0),
            (0.0, 5, 0.0),
            (0.0, 10, 0.5),
            (0.0, 8, 0.3),
            (0.0, 0, -0.5),
            (0.0, 2, -0.3),
            (0.6, 1, 0.6),
            (0.6, 6, 0.6),
            (-1.0, 10, 0.5),
            (-1.0, 2, -1.0),
        ):
            with self.subTest(reward=reward, rating=rating):
                self.assertEqual(decision_rules.rated(reward, rating), expected)

    def test_a_rating_says_how_well_it_went(self):
        self.assertEqual([decision_rules.by_rating(one) for one in (0, 3, 5, 10)], [-1, -0.4, 0, 1])
