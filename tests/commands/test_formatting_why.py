"""What `why` shows, as text: pure, so no game is needed."""

import unittest

from evennia.utils.ansi import strip_ansi

from evennia_ai.commands.assistants import formatting_why
from evennia_ai.commands.shown import spending
from evennia_ai.llm.caps import Amount


def account(**changes):
    """Return the account of a turn in which nothing was remarkable."""
    return {
        "name": "Mara(#7)",
        "number": 1,
        "kept": 3,
        "ago": 75.0,
        "took": 1.25,
        "heard": [
            {
                "who": "Ann",
                "kind": "say",
                "text": "Good evening, Mara!",
                "channel": "",
                "rule": "named",
                "class": "direct_addressing",
                "priority": 8,
            }
        ],
        "listening": ["Ann", "Bob"],
        "said": [("say", "Good evening.", "Ann")],
        "refused": [],
        "whispered": "",
        "known_to": "everybody",
        "recalled": None,
        "in_prompt": 0,
        "sections": [("instructions", 120, 1), ("talk", 10, 1)],
        "tools": 19,
        "tool_tokens": 1500,
        "limit": 3000,
        "calls": [],
        "steps": 1,
        "mind": "offline",
        "attempts": [],
        "notes": [],
        "passed": [],
        **changes,
    }


def shown(**changes):
    """Return the lines without markup."""
    return strip_ansi(formatting_why.why(account(**changes))).splitlines()


class WhyTests(unittest.TestCase):
    def test_a_turn_in_which_nothing_was_remarkable(self):
        self.assertEqual(
            shown(),
            [
                "Mara(#7), the last turn (3 are kept), 1 min ago, took 1.2 s",
                "  heard      Ann, say: Good evening, Mara! (named: direct_addressing, priority 8)",
                "  listening  Ann, Bob",
                "  said       say to Ann: Good evening.",
                "  may know   everybody may know what went into it",
                "  memories   none were looked for: no word told what for",
                "  prompt     about 1630 tokens of 3000",
                "             instructions 120, talk 10, 19 tools 1500",
                "  model      offline, 1 step; of models, none was asked, and this costs nothing",
            ],
        )

    def test_memories_name_score_source_and_who_may_know_and_what_was_left_out(self):
        items = [
            {"text": "Key.", "by": "Ann", "kind": "said", "score": 0.912, "known_to": "Ann, Mara"},
            {"text": "x" * 300, "by": "", "kind": "lore", "score": 0.5, "known_to": "everybody"},
        ]
        recalled = {
            "query": "where is the key?",
            "items": items,
            "considered": 40,
            "withheld": 3,
            "unfit_for_others": 1,
            "left_out": 2,
        }
        lines = shown(recalled=recalled, in_prompt=1)
        start = next(n for n, line in enumerate(lines) if line.startswith("  memories"))
        self.assertEqual(
            [line[13:] for line in lines[start : start + 6]],
            [
                "2 of 40 looked at, for: where is the key?",
                "  0.91 said from Ann: Key. (for Ann, Mara)",
                f"  0.50 lore: {'x' * 99}… (for everybody, cut from the prompt)",
                "  3 not looked at: not for whoever asked",
                "  1 left out: not for everybody who would hear it",
                "  2 left out: they fit less",
            ],
        )

    def test_what_a_channel_or_an_event_without_a_rule_was(self):
        event = account()["heard"][0]
        [line] = [
            line
            for line in shown(heard=[{**event, "channel": "trade", "rule": "", "who": ""}])
            if line.startswith("  heard")
        ]
        self.assertEqual(
            line, "  heard      something on trade, say: Good evening, Mara! (priority 8)"
        )

    def test_a_tool_shows_what_it_was_given_and_gave_back_cut_short(self):
        calls = [
            {"name": "look", "arguments": {"target": "a" * 200}, "result": "b\n" * 200},
            {"name": "noop", "arguments": {}, "result": None},
        ]
        lines = [line[13:] for line in shown(calls=calls) if "→" in line]
        self.assertEqual(lines[0], f"look(target='{'a' * 106}… → {'b ' * 59}b…")
        self.assertEqual(lines[1], "noop() → no result")

    def test_each_attempt_at_a_model_stands_there_with_what_it_cost(self):
        row = {
            "model": "small",
            "alias": "default",
            "latency_ms": 812,
            "prompt_tokens": 1204,
            "completion_tokens": 31,
            "money": 123,
            "outcome": "ok",
            "error": "",
        }
        failed = {**row, "outcome": "LLMUnavailable", "error": "503", "prompt_tokens": None}
        lines = shown(attempts=[failed, row], mind="small")
        self.assertEqual(
            [line[13:] for line in lines[-3:]],
            [
                "small, 1 step",
                "  small (default): 812 ms, ? + 31 tokens, 0.0001, LLMUnavailable: 503",
                "  small (default): 812 ms, 1204 + 31 tokens, 0.0001",
            ],
        )

    def test_what_was_not_said_or_not_written_is_told_as_that(self):
        lines = shown(said=[], sections=[], tool_tokens=0, took=None, listening=[])
        self.assertIn("  said       nothing yet", lines)
        self.assertIn("  prompt     none was written", lines)
        self.assertIn("  listening  nobody else", lines)
        self.assertIn("  said       nothing", shown(said=[]))

    def test_nothing_that_a_player_typed_is_carried_out(self):
        event = {**account()["heard"][0], "who": "|rAnn", "text": "|rred {name} |lclook|ltx|le"}
        text = formatting_why.why(account(heard=[event], listening=["|rBob"], notes=["|r!"]))
        for typed in ("||rAnn", "||rred {{name} lclookltxle", "||rBob", "||r!"):
            self.assertIn(typed, text)


class SpendingTests(unittest.TestCase):
    def test_a_cap_in_words(self):
        for cap, expected in {
            Amount(300000, 2_500_000): "300,000 tokens and 2.5000 in money",
            Amount(5, None): "5 tokens",
            Amount(None, 5): "0.0000 in money",
            Amount(None, None): "as much as they like",
            Amount(0, None): "0 tokens",
        }.items():
            with self.subTest(cap):
                self.assertEqual(spending.amount(cap), expected)
