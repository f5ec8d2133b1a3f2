"""A model on the owner's machine, over real HTTP: who is asked first, what counts as time, what it tells of itself."""

from twisted.internet import defer
from twisted.trial import unittest as trial

from evennia_ai.llm import model_facts, slots
from evennia_ai.llm.openai import OpenAIBackend
from tests import model_steps as steps
from tests.llm.cases import PATIENCE, InLoop, TransportTestCase, request
from tests.model_server import ModelServer


class Told(ModelServer):
    """A server that tells something of itself, {path: data}."""

    def __init__(self, told):
        super().__init__(lambda body: "Ready.")
        self.told = told

    def step_for(self, received):
        if received.path in self.told:
            self.requests.append(received)
            return steps.data(self.told[received.path])
        return super().step_for(received)


class ToldTests(TransportTestCase):
    def told(self, told, model="m"):
        with Told(told) as server:
            backend = OpenAIBackend(model=model, base_url=server.base_url)
            return self.successResultOf(backend.about())

    def test_each_kind_of_server_tells_its_window_in_its_own_place(self):
        llama = {"default_generation_settings": {"n_ctx": 8192}, "total_slots": 2}
        version, show = {"version": "0.9.0"}, {"parameters": "stop x\nnum_ctx 6144"}
        loaded = {"models": [{"name": "m:latest", "context_length": 4096}]}
        listed = {
            "data": [{"id": "other", "max_model_len": 1}, {"id": "m", "max_model_len": 32768}]
        }
        for told, window, count, server in (
            ({"/props": llama}, 8192, 2, "llama.cpp"),
            ({"/api/version": version, "/api/ps": loaded}, 4096, None, "ollama"),
            ({"/api/version": version, "/api/show": show}, 6144, None, "ollama"),
            ({"/v1/models": listed}, 32768, None, ""),
            ({"/props": [1], "/api/version": "?", "/v1/models": {"data": {}}}, None, None, ""),
            ({}, None, None, ""),
        ):
            with self.subTest(told=list(told)):
                found = self.told(told)
                self.assertEqual(found, {"window": window, "slots": count, "server": server})

    def test_a_server_that_sends_elsewhere_is_not_followed(self):
        with Told({}) as elsewhere, Told({}) as server:
            away = (("location", f"http://127.0.0.1:{elsewhere.port}/props"),)
            server.step_for = lambda received: steps.Step(status=307, headers=away)
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            self.assertIsNone(self.successResultOf(backend.about())["window"])
            self.assertEqual(list(elsewhere.requests), [])


class OptionTests(TransportTestCase):
    def test_local_servers_are_asked_one_thing_at_a_time_unless_told_otherwise(self):
        for host, options, expected in (
            ("127.0.0.1", {}, 1),
            ("localhost:8080", {}, 1),
            ("192.168.1.20", {}, 1),
            ("[::1]", {}, 1),
            ("gpu.local", {}, 1),
            ("ollama", {}, 1),
            ("127.0.0.1", {"concurrency": 4}, 4),
            ("api.openai.com", {}, 16),
            ("8.8.8.8", {}, 16),
        ):
            backend = OpenAIBackend(model="m", base_url=f"http://{host}/v1", **options)
            self.assertEqual(backend.concurrency, expected, host)

    def test_ollama_is_asked_to_keep_the_model_unless_told_otherwise(self):
        ollama, other = "http://localhost:11434/v1", "http://localhost:8080/v1"
        for url, extra, expected in (
            (ollama, None, "30m"),
            (ollama, {"keep_alive": "5m"}, "5m"),
            (other, None, None),
        ):
            backend = OpenAIBackend(model="m", base_url=url, extra=extra)
            self.assertEqual(backend._options.get("keep_alive"), expected)

    def test_an_ollama_at_another_port_is_known_once_it_was_measured(self):
        self.addCleanup(model_facts._found.clear)
        with ModelServer(lambda body: "Ready.") as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            self.successResultOf(backend.complete(request()))
            model_facts.keep(backend, server="ollama")
            self.successResultOf(backend.complete(request()))
            sent = [received.body.get("keep_alive") for received in server.requests]
            self.assertEqual(sent, [None, "30m"])

    def test_a_server_that_refuses_to_keep_it_is_not_asked_again(self):
        refusal = steps.status(400, "unknown field keep_alive")
        with ModelServer([refusal, "Ready.", "Ready."]) as server:
            backend = OpenAIBackend(
                model="m", base_url=server.base_url, extra={"keep_alive": "30m"}
            )
            for _ in range(2):
                self.successResultOf(backend.complete(request()))
            sent = ["keep_alive" in received.body for received in server.requests]
            self.assertEqual(sent, [True, False, False])


class QueueTests(InLoop, trial.TestCase):
    """Who is asked next by a server that answers one at a time."""

    @defer.inlineCallbacks
    def answered(self, *jobs, seconds=0.05):
        """Return in which order requests were answered that came while another was under way."""
        order = []
        with ModelServer(lambda body: steps.text("Hi.").after(seconds)) as server:
            # One server, whatever models it has.
            backends = [OpenAIBackend(model=name, base_url=server.base_url) for name in ("a", "b")]
            first = backends[0].complete(request(deadline=PATIENCE))
            yield self.until(lambda: server.requests)
            waiting = []
            for number, job in enumerate(jobs):
                asked = request(job=job, deadline=PATIENCE)
                answer = backends[number % 2].complete(asked)
                waiting.append(answer.addCallback(lambda _, job=job: order.append(job)))
            yield defer.gatherResults([first, *waiting])
        return order

    @defer.inlineCallbacks
    def test_whoever_waits_for_a_reply_goes_before_the_work_of_the_night(self):
        order = yield self.answered("summarise", "score", "reply", "moderate")
        self.assertEqual(order, ["reply", "moderate", "summarise", "score"])

    @defer.inlineCallbacks
    def test_the_work_of_the_night_has_its_turn_when_it_has_waited_for_long(self):
        self.patch(slots, "PATIENCE", 0.0)
        order = yield self.answered("summarise", "reply")
        self.assertEqual(order, ["summarise", "reply"])

    @defer.inlineCallbacks
    def test_between_two_steps_of_a_turn_no_summary_begins(self):
        order = []
        with ModelServer(lambda body: steps.text("Hi.").after(0.05)) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            step = backend.complete(request(deadline=PATIENCE))
            summary = request(job="summarise", deadline=PATIENCE)
            summing_up = backend.complete(summary).addCallback(lambda _: order.append("summary"))
            yield step
            yield backend.complete(request(deadline=PATIENCE))
            order.append("reply")
            yield summing_up
        self.assertEqual(order, ["reply", "summary"])

    @defer.inlineCallbacks
    def test_the_time_that_a_request_waits_for_others_does_not_count(self):
        with ModelServer(lambda body: steps.text("Hi.").after(1.0)) as server:
            backend = OpenAIBackend(model="m", base_url=server.base_url)
            asked = [request(deadline=2.5) for _ in range(4)]
            replies = yield defer.gatherResults([backend.complete(one) for one in asked])
        self.assertEqual([reply.text for reply in replies], ["Hi."] * 4)
        # The last waited for three others.
        self.assertGreater(asked[3].watch.stood, 2.9)
        self.assertIsNone(asked[3].watch.since)
