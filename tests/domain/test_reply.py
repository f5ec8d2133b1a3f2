"""Tests of the way from what a model wrote to what an assistant says."""

import time
import unicodedata
import unittest

from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.domain.model_text import json_reply, reply, spoken

# Pieces of everything that is taken off, for text that is worse than any model's.
pieces = some.sampled_from(
    ["<think>", "</think>", "<b>", "Mara:", "Mara says,", '"', "„", "“", "**", "*", "```", "#", "("]
    + [
        "\x1b[31m",
        "\x1b]",
        "\x07",
        "\x00",
        "\u202e",
        "\ud800",
        "\n",
        "\r",
        "\t",
        " ",
        "Yes. ",
        "no",
    ]
)
messy = some.lists(pieces, max_size=20).map("".join)


def clean(text, *, name="Mara", max_lines=3, max_length=500):
    text, _ = json_reply.split_thinking(spoken.COLOURS.sub("", text))
    return spoken.clean(text, spoken.Scene(name, max_lines=max_lines, max_length=max_length))


class CleanTests(unittest.TestCase):
    def check(self, *cases):
        for text, expected in cases:
            with self.subTest(text=text):
                self.assertEqual(clean(text), expected)

    def test_what_is_done_beside_the_words_is_not_spoken(self):
        self.check(
            ("*nods* Hello, Ann.", ["Hello, Ann."]),
            ("Hello *waves a hand* there.", ["Hello there."]),
            ("*nods*", ["*nods*"]),
        )

    def test_what_a_model_writes_for_somebody_else_is_not_spoken(self):
        for text, expected in (
            ("Mara: Good evening.\nAnn: And me?\nMara: You, too.", ["Good evening."]),
            ("Good evening.\n\n**Old Bob**: Ha!", ["Good evening."]),
            ("Ann: And me?", []),
            ('"Ann" says: "Who makes the beer?"', []),
            ("<reply>\nAnn: And me?\nMara: You, too.\n</reply>", ["You, too."]),
            ("Bread: two coppers.", ["Bread: two coppers."]),
            ("I know Ann.\nAnn is a smith.", ["I know Ann.", "Ann is a smith."]),
            ("Mara: Good evening.\nMara: You, too.", ["Good evening.", "You, too."]),
        ):
            with self.subTest(text):
                own = spoken.own_part(text, name="Mara", others=["Ann", "Old Bob", "Mara"])
                self.assertEqual(clean(own), expected)

    def test_plain_words_stay_as_they_are(self):
        self.check(
            ("The ale is fresh.", ["The ale is fresh."]),
            ("", []),
            (" \n\t\n ", []),
            ("2 < 3, and 5 > 4.", ["2 < 3, and 5 > 4."]),
            ("I <3 ale", ["I <3 ale"]),
            ("That is 2 * 3 * 4.", ["That is 2 * 3 * 4."]),
            ('He said "no" to me.', ['He said "no" to me.']),
            ("Ann: a fine name.", ["Ann: a fine name."]),
            ("Naïve Straße, 你好 🙂", ["Naïve Straße, 你好 🙂"]),
        )

    def test_thinking_is_not_said_however_broken_its_tags(self):
        self.check(
            ("<think>A guest.</think>Hello.", ["Hello."]),
            ("<THINK>A\nguest.</Think>\n\nHello.", ["Hello."]),
            ("<reasoning>A guest.</reasoning>Hello.", ["Hello."]),
            ("<thinking>One.</thinking>Hello.<think>Two.</think>", ["Hello."]),
            ("A guest.</think>Hello.", ["Hello."]),
            ("One.</think>Two.</think>Hello.", ["Hello."]),
            ("Hello.<think>Should I say", ["Hello."]),
            ("<think>Should I say", []),
            ("<think>One <think>two</think> three</think>Hello.", ["Hello."]),
            ("<think></think>", []),
            # Colours within.
            ("\x1b[2m<think>A guest.\x1b[0m</think>Hello.", ["Hello."]),
        )
        # Closed with another word: silence is better than thinking aloud.
        for text in ("<think>secret</thinking>Hello.", "<thinking>secret</think>Hello."):
            with self.subTest(text=text):
                self.assertNotIn("secret", " ".join(clean(text)))

    def test_its_own_label_is_taken_off(self):
        self.check(
            ("Mara: Hello.", ["Hello."]),
            ("MARA : Hello.", ["Hello."]),
            ("**Mara:** Hello.", ["Hello."]),
            ("*Mara*: Hello.", ["Hello."]),
            ("[Mara]: Hello.", ["Hello."]),
            # So lines of conversation stand in the prompt.
            ('"Mara": "Hello."', ["Hello."]),
            ('"Mara" (whispering): "Hello."', ["Hello."]),
            ("Mara (smiling): Hello.", ["Hello."]),
            ('Mara says, "Hello."', ["Hello."]),
            ('Mara says with a smile, "Hello."', ["Hello."]),
            ("Mara replies: Hello.", ["Hello."]),
            ("Mara:", []),
            ("Mara: Well.\nMara: Hello.", ["Well.", "Hello."]),
            # These only begin like it.
            ("Mara says hello to Ann, her friend.", ["Mara says hello to Ann, her friend."]),
            ("Marai: hello", ["Marai: hello"]),
            ("My name is Mara: remember it.", ["My name is Mara: remember it."]),
        )

    def test_a_name_is_no_pattern_and_may_be_missing(self):
        self.assertEqual(clean("R.O.B. (v2): Beep.", name="R.O.B. (v2)"), ["Beep."])
        self.assertEqual(clean("RxOxB: Beep.", name="R.O.B"), ["RxOxB: Beep."])
        self.assertEqual(clean("says: Beep.", name=""), ["says: Beep."])

    def test_quotation_marks_around_all_of_it_are_taken_off(self):
        self.check(
            ('"Hello."', ["Hello."]),
            ("“Hello.”", ["Hello."]),
            ("„Guten Tag.“", ["Guten Tag."]),
            ("«Bonjour.»", ["Bonjour."]),
            ('" Hello. "', ["Hello."]),
            ('""', []),
            ('"Yes" and "no"', ['"Yes" and "no"']),
            # A quotation over several lines.
            ('"Well.\nHello."', ["Well.", "Hello."]),
            ("'Tis late.", ["'Tis late."]),
        )

    def test_markup_is_taken_off(self):
        self.check(
            ("**Hello**, __you__.", ["Hello, you."]),
            ("## Greeting\nHello.", ["Greeting", "Hello."]),
            ("```text\nHello.\n```", ["Hello."]),
            ("Take the `key`.", ["Take the key."]),
            ("<b>Hello</b><br/>", ["Hello"]),
            ('<say tone="warm">Hello.</say>', ["Hello."]),
            ("#1 of all ales", ["#1 of all ales"]),
        )

    def test_colours_and_control_characters_are_taken_off(self):
        self.check(
            ("\x1b[1;31mHello\x1b[0m", ["Hello"]),
            ("\x1b]0;title\x07Hello", ["Hello"]),
            ("\x1b]8;;http://x\x1b\\Hello\x1b]8;;\x1b\\", ["Hello"]),
            ("He\x00llo\x07", ["Hello"]),
            ("Hel\u200blo \u202eeman", ["Hello eman"]),
            ("a \x00 b", ["a b"]),
            ("half a \ud83d pair", ["half a pair"]),
            ("one\u00a0\t two", ["one two"]),
        )

    def test_only_the_first_lines_are_spoken_and_empty_ones_do_not_count(self):
        self.assertEqual(clean("1\n\n2\r\n \n3\n4", max_lines=3), ["1", "2", "3"])
        self.assertEqual(clean("1\n2", max_lines=0), [])
        self.assertEqual(clean('Mara:\n""\n\x00\nHello.', max_lines=1), ["Hello."])

    def test_a_long_line_is_cut_at_a_sentence(self):
        text = "The ale is fresh. The bread is not. The cat sleeps."
        self.assertEqual(clean(text, max_length=40), ["The ale is fresh. The bread is not."])

    def test_what_is_very_long_takes_no_time(self):
        for text in (
            "x" * 400_000,
            "<" * 400_000,
            "<a" * 200_000,
            "<think>" * 60_000,
            "</think>" * 50_000,
            "\x1b]" * 200_000,
            "\x1b[" * 200_000,
            "*" * 400_000,
            "#" * 400_000,
            '"' * 400_000,
            " " * 400_000,
            "\n" * 200_000,
            "Mara says " * 50_000,
            "Mara (" * 60_000,
        ):
            started = time.process_time()
            lines = clean(text, max_lines=3, max_length=100)
            # Linear: a few hundredths of a second at most here; a pattern that goes back and forth takes minutes.
            with self.subTest(text=text[:10]):
                self.assertLess(time.process_time() - started, 1)
                self.assertLessEqual(max(map(len, lines), default=0), 100)

    @given(messy, some.integers(1, 4), some.integers(1, 30))
    def test_whatever_is_written_what_is_spoken_can_be_printed(self, text, max_lines, max_length):
        lines = clean(text, max_lines=max_lines, max_length=max_length)
        self.assertLessEqual(len(lines), max_lines)
        for line in lines:
            self.assertTrue(line.strip())
            self.assertLessEqual(len(line), max_length)
            self.assertEqual([char for char in line if unicodedata.category(char)[0] == "C"], [])


class ShortenTests(unittest.TestCase):
    def test_lines_are_cut_after_a_sentence_or_else_after_a_word(self):
        for line, max_length, expected in (
            ("One. Two.", 9, "One. Two."),
            ("One. Two. Three.", 9, "One. Two."),
            ("One. Two! Three.", 12, "One. Two!"),
            # The only whole sentence is too short to stand for the line.
            ("Not now. This is one long sentence without an end", 20, "Not now. This is…"),
            ("It costs 3.14 crowns and more", 15, "It costs 3.14…"),
            ("one two three", 9, "one two…"),
            ("Donaudampfschiff", 6, "Donau…"),
            ("", 5, ""),
            ("ab", 1, "…"),
        ):
            with self.subTest(line=line, max_length=max_length):
                self.assertEqual(reply.shorten(line, max_length), expected)

    @given(some.text(alphabet="ab .!?…"), some.integers(1, 40))
    def test_the_result_is_never_too_long_and_begins_as_the_line_does(self, line, max_length):
        short = reply.shorten(line, max_length)
        self.assertLessEqual(len(short), max_length)
        self.assertTrue(line.startswith(short) or line.startswith(short[:-1]))


class PrintableTests(unittest.TestCase):
    def test_text_of_players_comes_on_one_line(self):
        self.assertEqual(reply.printable("  a\n\tb\r\n\x00c  ", max_length=10), "a b c")
        self.assertEqual(reply.printable("\x1b\x07\u202e", max_length=10), "")

    def test_long_text_is_cut_at_once(self):
        started = time.process_time()
        for text in ("word " * 20_000, "x" * 100_000, "\x00" * 100_000, " " * 100_000):
            self.assertLessEqual(len(reply.printable(text, max_length=2000)), 2000)
        self.assertLess(time.process_time() - started, 1)
        self.assertEqual(reply.printable("word " * 20_000, max_length=12), "word word…")


class StageDirectionTests(unittest.TestCase):
    def test_a_line_in_asterisks_or_brackets_is_an_action(self):
        for line, expected in (
            ("*smiles*", "smiles"),
            ("* smiles at Ann *", "smiles at Ann"),
            ("(nods)", "nods"),
            ("[nods]", "nods"),
            ("_nods_", "nods"),
            ("*smiles* Hello.", None),
            ("Hello *smiles*", None),
            ("*smiles* and *nods*", None),
            ("**", None),
            ("Hello.", None),
            ("", None),
            ("[shrugs]", "shrugs"),
            # Brackets around data are no gesture, and a colon in other marks is only a colon.
            ('["say", "words"]', None),
            ('[{"tool": "say"}]', None),
            ("[tool: say]", None),
            ("[{}]", None),
            ("(thinks: why not)", "thinks: why not"),
            ("*taps twice: knock, knock*", "taps twice: knock, knock"),
        ):
            with self.subTest(line=line):
                self.assertEqual(spoken.stage_direction(line), expected)


class RepeatTests(unittest.TestCase):
    def test_similarity_is_the_share_of_common_words(self):
        for one, other, expected in (
            ("The ale is fresh.", "the ALE is fresh!", 1.0),
            ("a b c", "b c d", 0.5),
            ("a", "b", 0.0),
            ("", "a", 0.0),
            ("", "", 1.0),
            # Without words, the marks themselves.
            ("…", " … ", 1.0),
            ("…", "?!", 0.0),
        ):
            with self.subTest(one=one, other=other):
                self.assertEqual(reply.similarity(one, other), expected)

    @given(some.text(), some.text())
    def test_similarity_has_no_direction(self, one, other):
        self.assertEqual(reply.similarity(one, other), reply.similarity(other, one))
        self.assertEqual(reply.similarity(one, one), 1.0)


class ReciteTests(unittest.TestCase):
    SOURCE = "You are Mara, a character in a text game. Stay in character; you know nothing."

    def test_eight_words_in_a_row_are_read_off(self):
        for text, expected in (
            ("My orders: you ARE mara -- a character in 'a text' game!", True),
            ("You are Mara, a character in a text", True),
            ("You are Mara, a character in a", False),
            ("You are, Mara, a kind character in a text game.", False),
            ("", False),
        ):
            with self.subTest(text):
                self.assertIs(reply.recites(text, self.SOURCE), expected)

    def test_of_a_few_words_nothing_can_be_read_off(self):
        self.assertIs(reply.recites("Good evening.", "Good evening."), False)
        self.assertIs(reply.recites("Good evening.", ""), False)


class LinkTests(unittest.TestCase):
    def test_no_mark_of_a_link_is_left(self):
        for text, expected in (
            ("|lcquit|ltclick|le", "lcquitltclickle"),
            ("||lcquit||||ltclick|||le", "lcquitltclickle"),
            ("|luhttp://x|lthere|le", "luhttp://xlthere" + "le"),
            ("|l|lcquit", "|llcquit"),
            ("a|b, |r and |l.", "a|b, |r and |l."),
        ):
            with self.subTest(text):
                self.assertEqual(reply.unlinked(text), expected)

    @given(some.text(alphabet="|lctue "))
    def test_whatever_is_written_nothing_of_a_link_stands_in_it(self, text):
        self.assertNotRegex(reply.unlinked(text), r"\|l[cute]")


class PickTests(unittest.TestCase):
    def test_the_seed_chooses_and_lately_said_lines_are_avoided(self):
        lines = ["a", "b", "c"]
        for seed, avoid, expected in (
            (0, [], "a"),
            (4, [], "b"),
            (-1, [], "c"),
            (0, ["a"], "b"),
            (1, ["a", "b"], "c"),
            # All were said: then one of them again.
            (1, ["a", "b", "c"], "b"),
        ):
            with self.subTest(seed=seed, avoid=avoid):
                self.assertEqual(reply.pick(lines, seed, avoid=avoid), expected)
                # What can be gone through only once is as good.
                self.assertEqual(reply.pick(lines, seed, avoid=iter(avoid)), expected)

    def test_there_may_be_nothing_to_choose_from(self):
        self.assertEqual(reply.pick([], 7), "")
