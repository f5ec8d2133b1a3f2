import http.client
import json
import time
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from tests import model_steps as steps
from tests.llm import bad_steps
from tests.model_server import ModelServer

ASKED = {"model": "any", "messages": [{"role": "user", "content": "Hi."}]}
# Seconds in which even a busy machine answers.
PATIENCE = 60.0


def post(server, body=ASKED, path="/v1/chat/completions", timeout=PATIENCE):
    """Return the status, the headers and the body of an answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", data=data)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def message(answer):
    """Return the message in the answer that `post` returned."""
    return json.loads(answer[2])["choices"][0]["message"]


class ScriptTests(unittest.TestCase):
    def test_steps_are_used_up_in_order(self):
        with ModelServer(["One.", steps.text("Two.")]) as server:
            self.assertEqual(message(post(server))["content"], "One.")
            self.assertEqual(message(post(server))["content"], "Two.")
            status, _, body = post(server)
        self.assertEqual(status, 500)
        self.assertIn(b"used up", body)

    def test_a_function_answers_what_was_asked(self):
        def echo(body):
            return f"You said: {body['messages'][-1]['content']}"

        with ModelServer(echo) as server:
            for _ in range(3):
                self.assertEqual(message(post(server))["content"], "You said: Hi.")

    def test_requests_are_remembered(self):
        with ModelServer(["One."]) as server:
            post(server, path="/v1/chat/completions?a=b")
            [received] = server.requests
        self.assertEqual((received.method, received.path), ("POST", "/v1/chat/completions"))
        self.assertEqual(received.body, ASKED)
        self.assertEqual(received.headers["host"], f"127.0.0.1:{server.port}")

    def test_headers_are_left_out_of_what_is_printed(self):
        with ModelServer(["One."]) as server:
            post(server)
            self.assertNotIn("urllib", repr(server.requests[0]))

    def test_other_paths_and_the_list_of_models(self):
        with ModelServer() as server:
            self.assertEqual(post(server, path="/chat/completions")[0], 404)
            status, _, body = post(server, path="/v1/models")
        self.assertEqual((status, json.loads(body)["data"]), (200, [{"id": "scripted"}]))

    def test_a_body_that_is_no_object_is_kept_as_text(self):
        with ModelServer(["One.", "Two."]) as server:
            post(server, body=b"{broken")
            post(server, body=b"[1]")
            bodies = [received.body for received in server.requests]
        self.assertEqual(bodies, [{"not an object": "{broken"}, {"not an object": "[1]"}])

    def test_a_port_is_free_again_afterwards(self):
        with ModelServer(["One."]) as server:
            post(server)
        with self.assertRaises(OSError):
            post(server)
        with ModelServer(["Two."], port=server.port) as again:
            self.assertEqual(message(post(again))["content"], "Two.")


class StepTests(unittest.TestCase):
    def ask(self, step, **options):
        with ModelServer([step]) as server:
            answer = post(server, **options)
            self.disconnects = server.disconnects
            return answer

    def test_a_good_answer_is_complete(self):
        answer = json.loads(self.ask(steps.text("Hi."))[2])
        self.assertEqual(answer["object"], "chat.completion")
        self.assertEqual(answer["choices"][0]["finish_reason"], "stop")
        self.assertEqual(answer["usage"]["prompt_tokens"], 120)

    def test_tool_calls(self):
        answer = self.ask(
            steps.tools(("say", {"words": "Hi."}), ("look", "{broken"), ("go", steps.raw([1])))
        )
        asked = message(answer)["tool_calls"]
        self.assertEqual([call["id"] for call in asked], ["call_1", "call_2", "call_3"])
        self.assertEqual([call["function"]["name"] for call in asked], ["say", "look", "go"])
        self.assertEqual(
            [call["function"]["arguments"] for call in asked],
            ['{"words": "Hi."}', "{broken", [1]],
        )
        self.assertEqual(json.loads(answer[2])["choices"][0]["finish_reason"], "tool_calls")

    def test_faults_with_a_body(self):
        for step, status, body in (
            (steps.status(401), 401, b'{"error": {"message": "scripted"}}'),
            (steps.status(400, {"n_ctx": 1}), 400, b'{"error": {"n_ctx": 1}}'),
            (bad_steps.html(), 200, b"<html><body>Welcome!</body></html>"),
            (bad_steps.empty(), 200, b""),
            (bad_steps.no_choices(), 200, b'{"choices": null}'),
            (
                bad_steps.error_in_200("up"),
                200,
                b'{"error": {"code": 502, "message": "up"}}',
            ),
        ):
            with self.subTest(step=step):
                answered, _, sent = self.ask(step)
                self.assertEqual((answered, sent), (status, body))

    def test_headers_of_an_error(self):
        _, headers, _ = self.ask(steps.status(429, retry_after="2"))
        self.assertEqual(headers["retry-after"], "2")
        self.assertEqual(headers["content-type"], "application/json")

    def test_fields_and_usage_can_be_odd(self):
        answer = self.ask(steps.message(content="Hi.", reasoning="Hm.", usage=False))
        self.assertEqual(message(answer)["reasoning"], "Hm.")
        self.assertNotIn("usage", json.loads(answer[2]))

    def test_a_huge_answer_has_its_size(self):
        self.assertEqual(len(message(self.ask(bad_steps.huge(2_000_000)))["content"]), 2_000_000)

    def test_latency_and_dripping_take_their_time(self):
        for step in (steps.text("Hi.").after(0.1), bad_steps.drip("Hi.", interval=0.0005)):
            with self.subTest(step=step):
                started = time.monotonic()
                self.assertEqual(message(self.ask(step))["content"], "Hi.")
                self.assertGreater(time.monotonic() - started, 0.1)

    def test_a_cut_connection(self):
        with self.assertRaises((ConnectionError, http.client.RemoteDisconnected)):
            self.ask(bad_steps.drop())

    def test_who_leaves_before_the_answer_is_counted(self):
        for step in (bad_steps.hang(), bad_steps.drip(interval=0.01)):
            with self.subTest(step=step), ModelServer([step]) as server:
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
                connection.request("POST", "/v1/chat/completions", body=b"{}")
                while not server.requests:
                    time.sleep(0.005)
                connection.close()
                self.assertTrue(server.wait_for_disconnect(PATIENCE))
                self.assertEqual(server.disconnects, 1)

    def test_who_stays_is_not_counted(self):
        self.ask(steps.text("Hi."))
        self.assertEqual(self.disconnects, 0)


class ConnectionTests(unittest.TestCase):
    def test_one_connection_carries_many_requests(self):
        with ModelServer(lambda body: "Hi.") as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            for _ in range(3):
                connection.request("POST", "/v1/chat/completions", body=b"{}")
                self.assertEqual(connection.getresponse().read()[:1], b"{")
            self.assertEqual(len(server.connections), 1)
            connection.close()

    def test_a_request_may_come_in_pieces(self):
        with ModelServer(["Hi."]) as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            connection.connect()
            connection.sock.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Le")
            time.sleep(0.02)
            connection.sock.sendall(b"ngth: 2\r\n\r\n{")
            time.sleep(0.02)
            connection.sock.sendall(b"}")
            self.assertIn(b"200 Scripted", connection.sock.recv(4096))
            connection.close()

    def test_many_wait_at_once(self):
        with ModelServer(lambda body: steps.text("Hi.").after(1.0)) as server:
            started = time.monotonic()
            with ThreadPoolExecutor(50) as threads:
                answers = list(threads.map(lambda _: post(server), range(50)))
            # One after the other they would take fifty seconds.
            self.assertLess(time.monotonic() - started, 25)
        self.assertEqual([message(answer)["content"] for answer in answers], ["Hi."] * 50)
