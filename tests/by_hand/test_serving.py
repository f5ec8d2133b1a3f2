"""A model that is played by hand: requests are files, and answers are what is written beside them."""

import asyncio
import json
import shutil
import tempfile
import threading
import time
import unittest
from pathlib import Path

from tests.by_hand import server as by_hand
from tests.by_hand.server import ByHandServer
from tests.test_model_server import PATIENCE, message, post

GIVE = {
    "name": "give",
    "description": "Hand something over.",
    "parameters": {
        "type": "object",
        "properties": {"item": {"type": "string"}, "target": {"type": "string"}},
        "required": ["item"],
    },
}
TALK = {
    "model": "any",
    "messages": [
        {"role": "system", "content": "You are Mara."},
        {"role": "user", "content": '"Ann" says: "Hello."\nShe waits.'},
    ],
    "tools": [{"type": "function", "function": GIVE}],
}
RATE = {
    "model": "any",
    "messages": [{"role": "user", "content": "Rate these."}],
    "response_format": {
        "type": "json_schema",
        "json_schema": {
            "name": "answer",
            "schema": {
                "title": "Rating",
                "type": "object",
                "properties": {"scores": {"type": "array", "items": {"$ref": "#/$defs/Rated"}}},
                "required": ["scores"],
                "$defs": {"Rated": {"type": "object", "properties": {"id": {"type": "integer"}}}},
            },
        },
    },
}
AFTER_A_TOOL = [
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "a", "function": {"name": "give", "arguments": '{"item": "mug"}'}, "type": "f"}
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "You give a mug."},
]


class ByHandTestCase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="evennia-ai-by-hand-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.told = []

    def serve(self, **options):
        return ByHandServer(self.folder, tell=self.told.append, **options)

    def write(self, name, content):
        text = content if isinstance(content, str) else json.dumps(content)
        (self.folder / name).write_text(text, encoding="utf-8")

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def wait_for(self, name):
        until = time.monotonic() + PATIENCE
        while not (self.folder / name).exists():
            self.assertLess(time.monotonic(), until, f"{name} never came; {self.told}")
            time.sleep(0.01)

    def ask(self, server, body):
        """Ask beside the test; return what gives the answer once it is there."""
        answers = []
        asking = threading.Thread(target=lambda: answers.append(post(server, body)), daemon=True)
        asking.start()

        def answer():
            asking.join(PATIENCE)
            return answers[0]

        return answer


class AnswerTests(ByHandTestCase):
    def test_text_is_what_is_said(self):
        with self.serve() as server:
            answer = self.ask(server, TALK)
            self.wait_for("0001.request.txt")
            self.write("0001.answer.txt", "Good evening, Ann.\n")
            data = json.loads(answer()[2])
        self.assertEqual(data["choices"][0]["message"]["content"], "Good evening, Ann.")
        self.assertEqual(json.loads(self.read("0001.request.json")), TALK)
        self.assertGreater(data["usage"]["prompt_tokens"], 50)

    def test_json_uses_tools(self):
        self.write(
            "0001.answer.json",
            {"content": "Here.", "tool_calls": [{"name": "give", "arguments": {"item": "mug"}}]},
        )
        with self.serve() as server:
            found = message(post(server, TALK))
        [call] = found["tool_calls"]
        self.assertEqual((found["content"], call["id"]), ("Here.", "call_1_1"))
        self.assertEqual(call["function"]["name"], "give")
        self.assertEqual(json.loads(call["function"]["arguments"]), {"item": "mug"})

    def test_a_structured_request_is_answered_by_the_json_itself(self):
        self.write("0001.answer.json", {"scores": [{"id": 4}]})
        with self.serve() as server:
            self.assertEqual(message(post(server, RATE))["content"], '{"scores": [{"id": 4}]}')

    def test_what_is_wrong_is_said_in_one_sentence_and_another_is_waited_for(self):
        server = self.enterContext(self.serve())
        for body, name, wrong, sentence in (
            (TALK, "txt", "  ", "it is empty."),
            (TALK, "json", "{", "it is no JSON: "),
            (TALK, "json", [], "it must be an object with content or tool_calls."),
            (TALK, "json", {"say": "x"}, "there is no key 'say'; there are content, tool_calls."),
            (TALK, "json", {"content": ""}, "it says nothing and uses no tool."),
            (TALK, "json", {"tool_calls": ["give"]}, "a tool call must be "),
            (
                TALK,
                "json",
                {"tool_calls": [{"name": "giev"}]},
                "there is no tool giev; did you mean give?",
            ),
            (
                TALK,
                "json",
                {"tool_calls": [{"name": "give", "arguments": "mug"}]},
                "the arguments of give must be an object.",
            ),
            (RATE, "json", {"points": []}, "there is no key 'points'; there are scores."),
            (RATE, "txt", "{}", "it lacks scores."),
        ):
            with self.subTest(wrong=wrong):
                number = f"{len(list(self.folder.glob('*.request.json'))) + 1:04}"
                self.write(f"{number}.answer.{name}", wrong)
                answer = self.ask(server, body)
                self.wait_for(f"{number}.problem.txt")
                problem = self.read(f"{number}.problem.txt")
                self.assertTrue(problem.startswith(f"{number}.answer.{name}: {sentence}"), problem)
                self.assertTrue(problem.endswith(" Write it anew.\n"), problem)
                (self.folder / f"{number}.answer.{name}").unlink()
                right = {"scores": []} if body is RATE else {"content": "Hm."}
                self.write(f"{number}.answer.json", right)
                self.assertIn(message(answer())["content"], ("Hm.", '{"scores": []}'))
                self.assertFalse((self.folder / f"{number}.problem.txt").exists())

    def test_an_answer_is_taken_when_it_is_whole(self):
        written = iter(('{"content": ', '{"content": "Hm."}'))

        class Growing(by_hand.Sheet):
            """A sheet of which the answer is longer at the second look, and then stays."""

            def answer(self):
                if (text := next(written, None)) is not None:
                    self.answers[0].write_text(text, encoding="utf-8")
                return super().answer()

        server = self.serve()
        found = asyncio.run(server._wait_for(Growing(self.folder, 1), TALK))
        self.assertEqual((found["content"], self.told), ("Hm.", []))

    def test_nobody_answers_within_the_limit(self):
        with self.serve(timeout=0.2) as server:
            status, _, body = post(server, TALK)
        self.assertEqual(status, 504)
        self.assertIn(b"nobody wrote an answer in time", body)
        self.assertEqual(self.read("0001.problem.txt"), "Nobody answered within 0.2 seconds.\n")

    def test_what_nobody_waits_for_any_more_says_so(self):
        with self.serve() as server:
            with self.assertRaises(TimeoutError):
                post(server, TALK, timeout=0.3)
            self.wait_for("0001.problem.txt")
        self.assertEqual(self.read("0001.problem.txt"), "Nobody waits for this answer any more.\n")


class NumberTests(ByHandTestCase):
    def setUp(self):
        super().setUp()
        self.write("0001.answer.txt", "One.")
        with self.serve() as server:
            post(server, TALK)

    def test_a_scene_that_is_played_again_takes_the_answers_that_are_there(self):
        with self.serve() as server:
            self.assertEqual(message(post(server, TALK))["content"], "One.")

    def test_an_answer_to_another_request_is_put_aside(self):
        changed = {**TALK, "messages": TALK["messages"][:1]}
        with self.serve() as server:
            answer = self.ask(server, changed)
            self.wait_for("0001.answer.txt.old")
            self.write("0001.answer.txt", "Anew.")
            self.assertEqual(message(answer())["content"], "Anew.")


class ShownTests(unittest.TestCase):
    def test_a_request_to_talk(self):
        body = {**TALK, "messages": [*TALK["messages"], *AFTER_A_TOOL]}
        self.assertEqual(
            by_hand.shown("0007", body),
            "Request 0007: reply\n"
            "\n"
            "=== system\n"
            "You are Mara.\n"
            "\n"
            "=== user\n"
            '"Ann" says: "Hello."\n'
            "She waits.\n"
            "\n"
            "=== assistant\n"
            'uses give {"item": "mug"}\n'
            "\n"
            "=== tool: give gave\n"
            "You give a mug.\n"
            "\n"
            "=== tools\n"
            "give(item: string, [target: string]): Hand something over.\n"
            "\n"
            "=== asked\n"
            "Write 0007.answer.txt with the words that are said, or 0007.answer.json to use tools:\n"
            '{"content": "", "tool_calls": [{"name": "…", "arguments": {}}]}\n',
        )

    def test_a_structured_request_says_its_form(self):
        shown = by_hand.shown("0008", RATE)
        self.assertTrue(shown.startswith("Request 0008: score\n"))
        self.assertTrue(
            shown.endswith(
                "=== asked\nWrite 0008.answer.json with JSON of this form:\n"
                '{"scores": [{"id": integer}, …]}\n'
            ),
            shown,
        )
