"""What holds of statements, of what is noticed and of portraits, whatever people say."""

import re
import time
import unittest

from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.domain import statements
from evennia_ai.domain.memories.profile import CONTENT_LENGTH
from evennia_ai.domain.sleeping import mentions, profile_rules
from tests.domain.entries import entry

SUBJECTS = ["I", "I really", "Ann", "Bo", "she", "and I", "now I", "Well, I", "My brother Tom", ""]
VERBS = """like|likes|love|hate|hates|never drink|do not like|used to like|no longer drink|prefer|live in
|lives at|work as|am afraid of|is|am called|own|have a|can swim in|want|come from|is looking for
|says: I like|often talks of|knows all about|is allergic to""".replace(
    "\n", ""
).split(
    "|"
)
THINGS = """tea|coffee|the old mill|a smith|wolves|my brother|two dogs|it|you|rain and snow|a cup of ale
|tea to coffee|Oak Hill|thirty years old|ale because it is cheap|{thing}|the silver, the gold""".replace(
    "\n", ""
).split(
    "|"
)
ENDS = [".", "!", "?", "; ", ", but I hate rain.", " and she owns a boat.", " very much.", "…", ""]
CLAUSES = some.tuples(*map(some.sampled_from, (SUBJECTS, VERBS, THINGS, ENDS))).map(
    lambda parts: f"{parts[0]} {parts[1]} {parts[2]}{parts[3]}".strip()
)
# What people say, or nearly: nonsense of words that mean something to the table.
TALK = some.lists(CLAUSES, min_size=1, max_size=3).map(" ".join)
# What only somebody does who wants to break it, or a client that is broken.
NOISE = some.text(max_size=80) | some.sampled_from(
    [
        "",
        " ",
        "\0",
        "|r|[x|/",
        "{name} {0}",
        "%s%n",
        "I like \x1b[31m",
        "I like 雪",
        "I am ‮",
        "ſI ß",
    ]
)
SAID = TALK | NOISE
# As a reader of the journal may find them in a very long line, which no rule may take long over.
LONG = (
    "I like tea" + " " * 60_000 + "and coffee",
    "I " * 20_000,
    "says: " * 10_000,
    "well, " * 10_000 + "I like tea",
    "my " * 20_000,
    "." * 60_000 + "x",
)


class StatementTests(unittest.TestCase):
    @given(SAID, some.booleans(), some.sampled_from(["", "Mara", "(", "Ann|Bo"]))
    def test_any_text_can_be_read_and_a_statement_is_short_and_whole(self, text, is_own, name):
        for one in statements.read(text, name=name, is_own=is_own, listener=name):
            self.assertIn(one.stance, (-1, 0, 1))
            self.assertTrue(one.kind and one.key and one.phrase and one.thing, one)
            self.assertNotIn("{verb}", one.phrase)
            self.assertEqual(one.phrase, " ".join(one.phrase.split()))
            self.assertLessEqual(len(one.thing), 80 + len(name) * 9)
            self.assertLess(len(one.phrase), 300)

    @given(TALK)
    def test_a_question_says_nothing(self, text):
        asked = re.sub("[.!?…]", "", text) + "?"
        self.assertEqual(statements.read(asked, is_own=True), [])

    @given(TALK)
    def test_a_kind_of_which_one_holds_has_one_key(self, text):
        for one in statements.read(text, is_own=True):
            if one.kind in statements.SINGLE:
                self.assertEqual(one.key, one.kind)

    @given(SAID)
    def test_an_observation_of_own_words_says_what_the_words_say(self, words):
        told = statements.as_observation(words)
        if words.strip() and "\n" not in words:
            self.assertEqual(
                statements.read_observation(told, name="Ann"),
                statements.read(words, name="Ann", is_own=True),
            )
            self.assertEqual(statements.words_of(told), words)

    def test_the_phrase_of_each_kind_of_row_reads_as_itself(self):
        """What sleep wrote yesterday is read by the same table tonight."""
        for said in (
            "I like tea.",
            "I hate coffee.",
            "I never drink ale.",
            "I cannot stand rain.",
            "I no longer drink wine.",
            "I am afraid of wolves.",
            "I live at the mill.",
            "I come from Oak Hill.",
            "I am called Red Ann.",
            "I have two brothers.",
            "I own a boat.",
            "I can swim.",
            "I work as a smith.",
            "I want a ring.",
            "I am thirty years old.",
            "I prefer tea to coffee.",
        ):
            with self.subTest(said):
                [one] = statements.read(said, is_own=True)
                [again] = statements.read(one.phrase, name="Ann")
                self.assertEqual(
                    (again.kind, again.key, again.stance, again.phrase),
                    (one.kind, one.key, one.stance, one.phrase),
                )

    def test_a_brother_is_the_same_brother_the_next_night(self):
        for said in (
            "My brother Tom has a mill.",
            "My old dog Bo is lame.",
            "My aunt lives at court.",
        ):
            with self.subTest(said):
                found = PortraitTests.context([f"Says: {said}"])
                [known] = profile_rules.draw(found)
                again = PortraitTests.context(
                    ["He hates rain.", f"Says: {said}"],
                    known=[{"id": 1, **known}],
                )
                family = [one for one in profile_rules.draw(again) if one["type"] == known["type"]]
                self.assertEqual([one["value"] for one in family], [known["value"]])
                self.assertEqual(family[0]["replaces"], [1])

    @given(SAID)
    def test_in_the_third_person_nobody_is_me_or_mine(self, words):
        plain = statements.third_person(words, "Mara")
        self.assertNotRegex(plain, r"(?i)\b(?:my|mine|me|myself|our|your|yours|you)\b")
        self.assertEqual(statements.third_person(plain, "Mara"), plain)

    def test_a_line_of_any_length_is_read_at_once(self):
        started = time.process_time()
        for text in LONG:
            statements.read(text, is_own=True)
            statements.read_observation(text, name="Ann")
            statements.subjects(text)
        # It took minutes when white space was tried from each of its characters.
        self.assertLess(time.process_time() - started, 4)


class NoticingTests(unittest.TestCase):
    NAMES = {"ann": ["uuid-ann"], "bo": ["uuid-bo"], "tom": ["uuid-tom", "uuid-tom-2"]}

    def notice(self, content, *, speaker="uuid-ann", kind="direct", chain=()):
        noted = entry(
            content, source_type=kind, said_by=speaker, source_entity="Ann", chain=list(chain)
        )
        return mentions.notice(noted, names=self.NAMES, own_key="uuid-mara", own_name="Mara")

    @given(SAID, some.sampled_from(["uuid-ann", "uuid-mara", "uuid-new", ""]))
    def test_only_who_spoke_or_is_known_by_one_name_is_noticed(self, content, speaker):
        for one in self.notice(content, speaker=speaker):
            self.assertIn(one.who, {speaker, "uuid-ann", "uuid-bo"} - {"", "uuid-mara"})
            self.assertLessEqual(len(one.content), CONTENT_LENGTH)
            self.assertEqual(one.told_by, speaker)

    @given(TALK, some.sampled_from(["inference", "observation"]))
    def test_what_nobody_said_is_told_by_nobody(self, content, kind):
        for one in self.notice(content, kind=kind):
            self.assertEqual(one.told_by, "")
            # Seen with its own eyes, so that nobody's words are put around it.
            self.assertIn(one.content.split(" ")[0], content)

    @given(TALK)
    def test_what_is_noticed_can_be_read_again(self, content):
        """Else it would wait for a night that can make nothing of it."""
        for one in self.notice(content):
            name = {"uuid-ann": "Ann", "uuid-bo": "Bo"}[one.who]
            self.assertTrue(statements.read_observation(one.content, name=name), one)

    def test_gossip_is_told_by_whom_one_has_it_from(self):
        chain = [{"identity": "uuid-bo", "name": "Bo"}]
        [one] = self.notice("I like tea.", chain=chain)
        self.assertEqual((one.who, one.told_by), ("uuid-bo", "uuid-ann"))


class PortraitTests(unittest.TestCase):
    @staticmethod
    def context(contents, *, known=(), background=(), hearsay=frozenset()):
        observations = [
            {"id": number, "content": content, "is_hearsay": number in hearsay}
            for number, content in enumerate(contents, 1)
        ]
        return {
            "name": "Ann",
            "listener": "Mara",
            "observations": observations,
            "known": list(known),
            "background": list(background),
        }

    CONTENTS = some.lists(SAID.map(lambda words: f"Says: {words}") | SAID, max_size=6)

    @given(CONTENTS, some.sets(some.integers(1, 6)))
    def test_each_attribute_cites_what_was_observed(self, contents, hearsay):
        found = profile_rules.draw(self.context(contents, hearsay=hearsay))
        ids = set(range(1, len(contents) + 1))
        for one in found:
            self.assertTrue(one["value"] and one["type"])
            self.assertTrue(one["evidence"] and set(one["evidence"]) <= ids, one)
            self.assertEqual(one["evidence"], sorted(set(one["evidence"])))
            self.assertEqual(one["replaces"], [])
        kinds = [one["type"] for one in found]
        self.assertEqual(len(kinds), len(set(kinds)))

    @given(CONTENTS)
    def test_what_only_others_say_is_marked(self, contents):
        everything = set(range(1, len(contents) + 1))
        for one in profile_rules.draw(self.context(contents, hearsay=everything)):
            if one["type"] != "theme":
                self.assertTrue(one["value"].casefold().startswith("reportedly "), one)

    @given(CONTENTS)
    def test_what_all_may_know_anyway_is_not_said_again(self, contents):
        found = profile_rules.draw(self.context(contents))
        background = [{"type": one["type"], "value": one["value"]} for one in found]
        readable = [one for one in background if statements.read(one["value"], name="Ann")]
        again = profile_rules.draw(self.context(contents, background=background))
        values = [one["value"] for one in again]
        self.assertFalse([one for one in readable if one["value"] in values])

    @given(CONTENTS, some.text(max_size=60))
    def test_what_the_rules_cannot_read_they_do_not_replace(self, contents, value):
        strange = f"\u2020{value}"
        known = [{"id": 7, "type": "preference", "value": strange, "evidence": [99]}]
        for one in profile_rules.draw(self.context(contents, known=known)):
            self.assertEqual(one["replaces"], [])
            self.assertNotIn(99, one["evidence"])
