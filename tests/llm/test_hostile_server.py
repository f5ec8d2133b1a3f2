"""A model server that means ill: bombs, redirects, words where none belong, and usage that is not true."""

import gzip
import threading
import time
import tracemalloc
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

import httpx2
from django.test import override_settings
from twisted.internet import defer, reactor, task
from twisted.trial import unittest as trial

from evennia_ai.core import volatile
from evennia_ai.exceptions import LLMBadReply, LLMRefused, LLMTimeout, LLMUnavailable
from evennia_ai.llm import ledger, loop_thread
from evennia_ai.llm.base import Caller, Request
from evennia_ai.llm.openai import OpenAIBackend
from evennia_ai.llm.wrappers.budget import Budget
from evennia_ai.models import Budget as Row
from evennia_ai.testing import AITestCase
from tests import ledger_rows, model_steps
from tests.llm.cases import TransportTestCase, request
from tests.model_server import ModelServer
from tests.model_steps import Step
from tests.real_reactor import forget_what_is_due

TOKEN = "zq7crowberry"
SECRET = f"Char whispered: the wine is {TOKEN}"


class EndlessServer(ThreadingHTTPServer):
    """Answers in chunks of `size` bytes every `interval` seconds, and never ends; counts who left."""

    daemon_threads = True

    def __init__(self, *, status=200, size=10_000, interval=0.0):
        self.status, self.size, self.interval, self.sent, self.left = status, size, interval, 0, 0
        super().__init__(("127.0.0.1", 0), Endless)
        self.base_url = f"http://127.0.0.1:{self.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *exception):
        self.shutdown()
        self.server_close()


class Endless(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.server.status)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"%x\r\n%s\r\n" % (self.server.size, b"x" * self.server.size))
                self.server.sent += self.server.size
                time.sleep(self.server.interval)
        except OSError:
            self.server.left += 1
            self.close_connection = True

    def log_message(self, *given):
        pass


class SizeTests(TransportTestCase):
    def failure(self, base_url, expected=LLMBadReply, **fields):
        backend = OpenAIBackend(model="m", base_url=base_url)
        return str(self.failureResultOf(backend.complete(request(**fields)), expected).value)

    def test_a_compressed_answer_is_not_unpacked(self):
        words = b" " * 20_000_000
        for encoding, body in (
            ("gzip", gzip.compress(words)),
            ("GZIP", gzip.compress(words)),
            ("deflate", zlib.compress(words)),
            ("gzip, gzip", gzip.compress(gzip.compress(words))),
            ("br", b"\x8b"),
        ):
            for status in (200, 500):
                step = Step(body=body, status=status, headers=(("content-encoding", encoding),))
                with self.subTest(encoding=encoding, status=status), ModelServer([step]) as server:
                    tracemalloc.start()
                    told = self.failure(server.base_url)
                    _, most = tracemalloc.get_traced_memory()
                    tracemalloc.stop()
                    self.assertEqual(
                        told, "the answer is compressed, though none such was asked for"
                    )
                    self.assertLess(most, 8_000_000)
                    # It was asked for plainly.
                    self.assertEqual(server.requests[0].headers["accept-encoding"], "identity")

    def test_an_answer_that_says_that_it_is_not_compressed_is_read(self):
        body = model_steps.text("Hi.").chat_body()
        step = Step(body=body, headers=(("content-encoding", "identity"),))
        with ModelServer([step]) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            self.assertEqual(self.successResultOf(backend.complete(request())).text, "Hi.")

    def test_an_answer_without_end_is_left_at_the_limit(self):
        for limit in (1_000_000, 50_000):
            for status in (200, 500):
                told = f"the answer is larger than {limit} bytes"
                with self.subTest(told, status=status), EndlessServer(status=status) as server:
                    with mock.patch("evennia_ai.llm.openai.REPLY_BYTES", limit):
                        self.assertEqual(self.failure(server.base_url), told)
                    while not server.left:
                        time.sleep(0.005)

    def test_a_drip_without_end_is_left_at_the_deadline(self):
        with EndlessServer(size=1, interval=0.01) as server:
            self.failure(server.base_url, LLMTimeout, deadline=1.0)
            while not server.left:
                time.sleep(0.005)


class GameTests(trial.TestCase):
    """The way it runs in a game."""

    timeout = 60

    def setUp(self):
        forget_what_is_due()

    @defer.inlineCallbacks
    def test_drips_without_end_hold_neither_the_game_nor_a_thread(self):
        before = [one for one in threading.enumerate() if one.name == "evennia_ai"]
        self.patch(loop_thread._state, "runner", loop_thread.LoopThread())
        self.addCleanup(loop_thread.stop)
        settings = override_settings(EVENNIA_AI={"ALLOW_MODEL_REQUESTS": True})
        settings.enable()
        self.addCleanup(settings.disable)
        with EndlessServer(size=1, interval=0.01) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            yield backend.warm_up()
            ticks = []
            beat = task.LoopingCall(lambda: ticks.append(time.monotonic()))
            beat.start(0.01)
            answers = [backend.complete(request(deadline=1.0)) for _ in range(5)]
            for answer in answers:
                yield self.assertFailure(answer, LLMTimeout)
            beat.stop()
            gaps = [later - sooner for sooner, later in zip(ticks, ticks[1:], strict=False)]
            self.assertLess(max(gaps), 0.5)
            while server.left < 5:
                yield task.deferLater(reactor, 0.005)
            ours = [one.name for one in threading.enumerate() if one.name == "evennia_ai"]
            self.assertLessEqual(len(ours) - len(before), 1)


class RedirectTests(TransportTestCase):
    def test_the_words_of_players_go_to_no_host_that_no_setting_names(self):
        for status in (301, 302, 303, 307, 308):
            for client in (None, httpx2.AsyncClient(follow_redirects=True)):
                with (
                    self.subTest(status=status, client=client),
                    ModelServer(["Hello from elsewhere."]) as elsewhere,
                ):
                    there = f"{elsewhere.base_url}/chat/completions?{TOKEN}"
                    step = Step(body=b"", status=status, headers=(("location", there),))
                    with ModelServer([step]) as server:
                        backend = OpenAIBackend(
                            model="m", base_url=server.base_url, http_client=client
                        )
                        answer = backend.complete(request())
                        error = self.failureResultOf(answer, LLMRefused).value
                    self.assertEqual(
                        str(error),
                        f"m answers with {status}, a redirect, which is not followed: correct "
                        f"base_url, which must be where the redirect leads ({len(there)} characters)",
                    )
                    self.assertEqual(error.words, there)
                    self.assertEqual(list(elsewhere.requests), [])


class BooksTestCase(AITestCase):
    """A test with a real backend in the books and on the budget, and LEDGER_PROMPTS off."""

    def setUp(self):
        super().setUp()
        self.addCleanup(volatile.forget_all)
        settings = self.settings_ai(ALLOW_MODEL_REQUESTS=True, LLM={})
        settings.enable()
        self.addCleanup(settings.disable)
        runner = loop_thread.InlineRunner()
        loop_thread.set_runner(runner)
        self.addCleanup(loop_thread.set_runner, None)
        self.addCleanup(runner.stop)

    def row(self, step):
        """Return the row that one call has left in the books, and its text in all columns."""
        asked = Request(
            "reply",
            [{"role": "user", "content": "x" * 3600}],
            max_tokens=100,
            caller=Caller(player_id=3),
        )
        with ModelServer([step]) as server:
            backend = OpenAIBackend(model="village-talk", base_url=server.base_url)
            answer = Budget(ledger.Ledger(backend)).complete(asked)
            answer.addErrback(lambda failure: failure.trap(LLMUnavailable))
        return ledger_rows.recent()[0]


class WordsTests(BooksTestCase):
    def test_a_server_writes_no_words_into_the_books(self):
        answer = model_steps.completion({"content": "Hm."})
        status = model_steps.status
        page = (("content-type", f"text/html; {SECRET}"),)
        down = "village-talk is not available: 500, unknown"
        for step, error in (
            (model_steps.data({**answer, "model": f"gpt; {SECRET}"}), ""),
            (status(500, {"message": "down", "code": TOKEN}), f"{down} (43 characters)"),
            (status(500, {"message": "down", "type": TOKEN}), f"{down} (43 characters)"),
            (status(500, {"message": "down", "param": TOKEN}), f"{down} (44 characters)"),
            (
                model_steps.data({"error": {"message": "down", "code": TOKEN}}),
                "an error came as an answer, unknown (43 characters)",
            ),
            (
                Step(body=b"<html>", headers=page),
                "the answer is not JSON; does base_url end in /v1? (6 characters)",
            ),
            (
                Step(body=b"", headers=((SECRET, "x"),)),
                "village-talk cannot be reached: RemoteProtocolError",
            ),
        ):
            with self.subTest(str(step)):
                row = self.row(step)
                self.assertEqual((row["model"], row["error"]), ("village-talk", error))
                self.assertNotIn(TOKEN, str(row))


class UsageTests(BooksTestCase):
    """A prompt of 1,004 tokens by our estimate, 100 to answer, and an answer of 8."""

    def counted(self, **answer):
        Row.objects.all().delete()
        data = {**model_steps.completion({"content": "Good evening."}), "usage": None, **answer}
        row = self.row(model_steps.data(data))
        spent = {one.scope: one.tokens for one in Row.objects.all()}
        counted = (row["prompt_tokens"], row["completion_tokens"])
        self.assertEqual(spent, {"server": sum(counted), "player:3": sum(counted)})
        return (*counted, row["cached_tokens"])

    def test_usage_counts_within_what_the_text_can_have_cost(self):
        for told, counted in (
            ((900, 20), (900, 20)),
            # As if it were free.
            ((0, 0), (1004, 100)),
            ((None, None), (1004, 100)),
            ((1, 1), (251, 2)),
            # As if everybody's day were over.
            ((50_000_000, 49_999_999), (4016, 400)),
        ):
            with self.subTest(told=told):
                usage = dict(zip(("prompt_tokens", "completion_tokens"), told, strict=True))
                self.assertEqual(self.counted(usage=usage), (*counted, 0))
        self.assertEqual(self.counted(), (1004, 100, 0))

    def test_the_books_keep_what_the_server_had_read_before(self):
        usage = {"prompt_tokens": 900, "completion_tokens": 20}
        details = {"prompt_tokens_details": {"cached_tokens": 850}}
        self.assertEqual(self.counted(usage={**usage, **details}), (900, 20, 850))
        timings = {"cache_n": 800, "prompt_n": 100}
        self.assertEqual(self.counted(usage=usage, timings=timings), (900, 20, 800))
        self.assertEqual(self.counted(timings=timings), (900, 100, 800))
