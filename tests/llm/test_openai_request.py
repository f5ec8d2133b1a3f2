import json
import unittest

from evennia_ai.llm.openai_request import Learnt, build_body, tidy_messages
from tests.llm.cases import SAY, request

USED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "1", "name": "look", "arguments": {"at": "hearth"}}],
}
SEEN = {"role": "tool", "tool_call_id": "1", "content": "A fire."}


def message(role, content):
    return {"role": role, "content": content}


class TidyMessagesTests(unittest.TestCase):
    def tidy(self, *messages, **options):
        return tidy_messages(request(*messages), **options)

    def test_there_is_one_system_message_and_it_leads(self):
        tidy = self.tidy(message("user", "Hi."), message("system", "A"), message("system", "B"))
        self.assertEqual(tidy, [message("system", "A\n\nB"), message("user", "Hi.")])

    def test_lines_of_the_same_side_are_one_message(self):
        tidy = self.tidy(
            message("user", "Tom says hi."),
            message("user", "Ann says yo."),
            message("assistant", "Hello."),
            message("assistant", "Both."),
            message("user", "Tom nods."),
        )
        self.assertEqual(
            tidy,
            [
                message("user", "Tom says hi.\nAnn says yo."),
                message("assistant", "Hello.\nBoth."),
                message("user", "Tom nods."),
            ],
        )

    def test_the_user_begins_even_if_nobody_spoke(self):
        self.assertEqual(
            self.tidy(message("assistant", "Hello.")),
            [message("user", "…"), message("assistant", "Hello.")],
        )
        self.assertEqual(
            self.tidy(message("system", "A")), [message("system", "A"), message("user", "…")]
        )

    def test_no_content_is_empty_content(self):
        tidy = self.tidy(message("user", "Hi."), message("assistant", None))
        self.assertEqual(tidy[-1], message("assistant", ""))

    def test_the_request_itself_is_left_alone(self):
        messages = [message("user", "Hi."), message("user", "Yo.")]
        self.tidy(*messages)
        self.assertEqual(messages, [message("user", "Hi."), message("user", "Yo.")])

    def test_tool_calls_take_the_form_of_the_protocol(self):
        tidy = self.tidy(message("user", "Look!"), USED, SEEN)
        [call] = tidy[1]["tool_calls"]
        self.assertEqual((call["id"], call["type"]), ("1", "function"))
        self.assertEqual(call["function"], {"name": "look", "arguments": '{"at": "hearth"}'})
        self.assertEqual(tidy[2], SEEN)

    def test_results_of_tools_are_never_merged(self):
        two = {**USED, "tool_calls": [*USED["tool_calls"], {**USED["tool_calls"][0], "id": "2"}]}
        tidy = self.tidy(message("user", "Look!"), two, SEEN, {**SEEN, "tool_call_id": "2"})
        self.assertEqual([one["role"] for one in tidy], ["user", "assistant", "tool", "tool"])

    def test_a_schema_is_shown_to_the_model(self):
        schema = {"type": "object", "title": "Mood"}
        asked = request(message("system", "A"), message("user", "How?"), schema=schema)
        [system, _] = tidy_messages(asked)
        self.assertTrue(system["content"].startswith("A\n\nAnswer with JSON only"))
        self.assertIn('"title": "Mood"', system["content"])

    def test_instructions_can_go_to_the_user_message(self):
        tidy = self.tidy(message("system", "A"), message("user", "Hi."), no_system=True)
        self.assertEqual(tidy, [message("user", "A\n\nHi.")])

    def test_half_a_surrogate_pair_can_be_sent(self):
        [tidy] = self.tidy(message("user", "a\ud800b"))
        self.assertEqual(json.dumps(tidy, ensure_ascii=False).encode().count(b"a?b"), 1)


class BuildBodyTests(unittest.TestCase):
    def build(self, asked, *, learnt=None, **options):
        return build_body(asked, model="m", options=options, learnt=learnt or Learnt())

    def test_few_fields_are_sent(self):
        sent = ["max_tokens", "messages", "model", "temperature"]
        self.assertEqual(sorted(self.build(request())), sent)

    def test_tools_go_in_the_form_of_the_protocol(self):
        body = self.build(request(tools=(SAY,)))
        self.assertEqual(body["tools"], [{"type": "function", "function": SAY}])
        self.assertNotIn("tool_choice", body)
        self.assertNotIn("tools", self.build(request(tools=(SAY,)), learnt=Learnt(no_tools=True)))

    def test_a_schema_goes_along_if_its_root_is_an_object(self):
        schema = {"type": "object"}
        self.assertEqual(
            self.build(request(schema=schema))["response_format"],
            {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
        )
        self.assertNotIn("response_format", self.build(request(schema={"type": "array"})))

    def test_options_are_added_and_none_is_nothing(self):
        body = self.build(request(), temperature=0.5, reasoning_effort=None)
        self.assertEqual(body["temperature"], 0.5)
        self.assertNotIn("reasoning_effort", body)

    def test_the_temperature_of_a_request_goes_before_that_of_the_options(self):
        asked = request(temperature=0.2)
        self.assertEqual(self.build(asked, temperature=0.9)["temperature"], 0.2)
        self.assertEqual(self.build(request(), temperature=0.9)["temperature"], 0.9)

    def test_what_was_learnt_counts(self):
        learnt = Learnt(
            dropped={"temperature"},
            renamed={"max_tokens": "max_completion_tokens"},
            forced={"reasoning_effort": "none"},
        )
        body = self.build(
            request(max_tokens=50), learnt=learnt, temperature=1, reasoning_effort="low"
        )
        self.assertEqual(body["max_completion_tokens"], 50)
        self.assertEqual(body["reasoning_effort"], "none")
        self.assertNotIn("temperature", body)
        self.assertNotIn("max_tokens", body)


class LearntTests(unittest.TestCase):
    BODY = {
        "model": "m",
        "messages": [message("system", "A"), message("user", "Hi.")],
        "max_tokens": 300,
        "tools": [{}],
        "reasoning_effort": "none",
        "response_format": {"type": "json_schema"},
        "temperature": 0.5,
    }

    def learn(self, refusal, *, param=None, without=()):
        learnt = Learnt()
        body = {key: value for key, value in self.BODY.items() if key not in without}
        cured = learnt.learn(refusal, body, param=param)
        return learnt if cured else None

    def test_what_a_refusal_teaches(self):
        for refusal, expected in (
            (
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
                Learnt(renamed={"max_tokens": "max_completion_tokens"}),
            ),
            ("'temperature' does not support 0.5", Learnt(dropped={"temperature"})),
            ("Unknown field: reasoning_effort", Learnt(dropped={"reasoning_effort"})),
            (
                "'response_format.type' must be 'text'",
                Learnt(dropped={"response_format"}),
            ),
            ("failed to parse grammar", Learnt(dropped={"response_format"})),
            ("library/gemma:2b does not support tools", Learnt(no_tools=True)),
            (
                '"auto" tool choice requires --enable-auto-tool-choice',
                Learnt(no_tools=True),
            ),
            ("tools param requires --jinja flag", Learnt(no_tools=True)),
            ("No endpoints found that support tool use.", Learnt(no_tools=True)),
            ("System role not supported", Learnt(no_system=True)),
        ):
            with self.subTest(refusal=refusal):
                self.assertEqual(self.learn(refusal), expected)

    def test_what_no_parameter_can_cure(self):
        for refusal in (
            "model 'm' not found",
            "Conversation roles must alternate user/assistant/user/assistant",
            "max_tokens must be at most 200",
            "messages with role 'tool' must follow tool_calls",
            "a tool message requires a tool_call_id",
            "",
        ):
            with self.subTest(refusal=refusal):
                self.assertIsNone(self.learn(refusal))

    def test_the_parameter_that_the_server_blames_is_left_out(self):
        self.assertEqual(self.learn("bad value", param="temperature").dropped, {"temperature"})

    def test_what_was_not_sent_cannot_be_left_out(self):
        self.assertIsNone(self.learn("'temperature' is unknown", without=("temperature",)))
        self.assertIsNone(self.learn("does not support tools", without=("tools",)))

    def test_tools_can_need_that_reasoning_is_off(self):
        refusal = "Function tools with reasoning_effort are not supported. Set it to 'none'."
        learnt = self.learn(refusal, without=("reasoning_effort",))
        self.assertEqual(learnt, Learnt(forced={"reasoning_effort": "none"}))
        # It was off, and is refused all the same: then the tools go.
        body = {**self.BODY, "reasoning_effort": "none"}
        self.assertTrue(learnt.learn(refusal, body, param=None))
        self.assertTrue(learnt.no_tools)

    def test_a_rename_can_be_taken_back(self):
        learnt = Learnt(renamed={"max_tokens": "max_completion_tokens"})
        body = {"messages": self.BODY["messages"], "max_completion_tokens": 300}
        refusal = "max_completion_tokens is unknown, did you mean max_tokens?"
        self.assertTrue(learnt.learn(refusal, body, param=None))
        self.assertEqual(learnt.renamed, {})
