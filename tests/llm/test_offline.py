"""The offline mind behind the port: its jobs, its tools and their results; it reads no prompt."""

import json
import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

from evennia_ai.exceptions import LLMRefused
from evennia_ai.llm import base, offline
from tests.domain.small_talk_scene import scene


def tools(*names):
    """Return tools of these names as a request offers them."""
    parameters = {"type": "object", "properties": {}}
    return tuple({"name": name, "description": "", "parameters": parameters} for name in names)


def request(text, *names, messages=(), job="reply", **changes):
    """Return a request to answer what Ann says at the inn."""
    return base.Request(job, list(messages), tools(*names), context=scene(text, **changes))


class OfflineMindTests(SynchronousTestCase):
    def setUp(self):
        super().setUp()
        self.mind = offline.OfflineMind()

    def complete(self, *args, **kwargs):
        """Return the completion, which has to be there at once."""
        return self.successResultOf(self.mind.complete(request(*args, **kwargs)))

    def test_it_says_that_it_is_no_model(self):
        self.assertEqual((self.mind.name, self.mind.is_model), ("offline", False))
        completion = self.complete("hello")
        self.assertEqual((completion.model, completion.is_model), ("offline", False))
        self.assertEqual((completion.prompt_tokens, completion.completion_tokens), (None, None))

    def test_it_is_what_the_default_settings_name(self):
        path = "evennia_ai.llm.offline.OfflineMind"
        self.assertEqual(base.conf.DEFAULTS["LLM"], {"default": {"BACKEND": path}})

    def test_what_pleases_it_is_noted_before_it_speaks(self):
        completion = self.complete("Thank you, Mara!", "update_relationship")
        [call] = completion.tool_calls
        self.assertEqual(
            (call.name, call.arguments),
            ("update_relationship", {"entity_id": "Ann", "delta": 0.02, "reason": "thanks"}),
        )
        noted = {
            "role": "tool",
            "tool_call_id": call.id,
            "content": "You now regard Ann as: friend",
        }
        spoken = self.complete(
            "Thank you, Mara!",
            "update_relationship",
            messages=[completion.message(), noted],
        )
        self.assertEqual((spoken.tool_calls, spoken.text[-1]), ((), "."))

    def test_without_the_tool_it_only_speaks(self):
        self.assertEqual(self.complete("Thank you, Mara!").tool_calls, ())

    def test_it_answers_in_words(self):
        self.assertEqual(
            self.complete("hello").text, "Welcome to the Last Lantern, Ann! Sit by the fire."
        )
        self.assertEqual(self.complete("hello").tool_calls, ())

    def test_it_uses_a_tool_that_is_offered(self):
        completion = self.complete("follow me", "follow", "say")
        [call] = completion.tool_calls
        self.assertEqual((call.name, call.arguments), ("follow", {"target": "Ann"}))
        self.assertEqual(completion.text, "")

    def test_it_uses_no_tool_that_is_not_offered(self):
        for text in ["follow me", "give me the ale", "what time is it?", "dance", "be quiet"]:
            with self.subTest(text):
                completion = self.complete(text, "say", "whisper")
                self.assertEqual(completion.tool_calls, ())
                self.assertNotEqual(completion.text, "")

    def test_after_a_tool_it_says_what_came_of_it(self):
        for result, expected in [
            ("You follow Ann from now on.", "I am right behind you, Ann."),
            ("Error: Ann does not let you follow.", "I can't come along, Ann."),
        ]:
            with self.subTest(result):
                asked = self.complete("follow me", "follow")
                answered = {
                    "role": "tool",
                    "tool_call_id": asked.tool_calls[0].id,
                    "content": result,
                }
                completion = self.complete(
                    "follow me", "follow", messages=[asked.message(), answered]
                )
                self.assertEqual((completion.text, completion.tool_calls), (expected, ()))

    def test_a_whole_turn_ends_in_words(self):
        messages = [{"role": "system", "content": "You are Bree."}]
        for _ in range(3):
            completion = self.complete("look around", "look", messages=messages)
            messages.append(completion.message())
            if not completion.tool_calls:
                break
            [call] = completion.tool_calls
            answered = {"role": "tool", "tool_call_id": call.id, "content": "A chair."}
            messages.append(answered)
        self.assertEqual(completion.text, "I see this: A chair.")
        self.assertEqual(len(messages), 4)

    def test_a_tool_result_of_an_earlier_turn_is_not_of_this_one(self):
        call = {"id": "1", "name": "follow", "arguments": {"target": "Ann"}}
        messages = [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "You follow Ann."},
            {"role": "user", "content": "Ann says: haha"},
        ]
        self.assertEqual(
            self.complete("haha", messages=messages).text, "I am glad one of us is merry."
        )

    def test_a_result_without_its_call_is_passed_over(self):
        messages = [{"role": "tool", "tool_call_id": "9", "content": "6"}]
        self.assertEqual(
            self.complete("haha", messages=messages).text, "I am glad one of us is merry."
        )

    def test_it_reads_no_prompt(self):
        prompt = [
            {"role": "system", "content": "Say only: moo."},
            {"role": "user", "content": "Ann says: who are you?"},
        ]
        self.assertEqual(self.complete("haha", messages=prompt).text, self.complete("haha").text)

    def test_the_last_of_several_results_is_told(self):
        calls = [
            {"id": "1", "name": "look", "arguments": {"target": ""}},
            {"id": "2", "name": "follow", "arguments": {"target": "Ann"}},
        ]
        messages = [
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "1", "content": "A chair."},
            {"role": "tool", "tool_call_id": "2", "content": "You follow Ann."},
        ]
        self.assertEqual(
            self.complete("follow me", messages=messages).text, "I am right behind you, Ann."
        )

    def test_jobs_that_it_cannot_do_are_refused(self):
        for job in ("reflect",):
            with self.subTest(job):
                failing = self.mind.complete(request("hello", job=job))
                error = self.failureResultOf(failing, LLMRefused).value
                self.assertEqual(str(error), f"the offline mind cannot {job} yet.")

    def test_it_sums_up_a_conversation(self):
        line = {"name": "Ann", "text": "The well is dry.", "kind": "say", "mine": False}
        context = {"lines": [line], "person": "Ann", "npc": "Mara", "limit": 100}
        asked = base.Request("summarise", [], context=context)
        self.assertEqual(
            self.successResultOf(self.mind.complete(asked)).text,
            '{"summary": "Ann and Mara talked about the well. Ann said that the well is dry."}',
        )

    def test_it_names_the_facts_of_a_conversation(self):
        line = {"name": "Ann", "text": "The well is dry.", "kind": "say", "mine": False}
        asked = base.Request("extract", [], context={"lines": [line], "npc": "Mara"})
        self.assertEqual(
            self.successResultOf(self.mind.complete(asked)).text,
            '{"facts": ["Ann said that the well is dry."]}',
        )
        bare = self.mind.complete(base.Request("extract", []))
        self.assertEqual(self.successResultOf(bare).text, '{"facts": []}')

    def test_it_rates_entries_and_says_that_it_was_by_rules(self):
        """C-16."""
        entry = {
            "id": 4,
            "content": "Ann promised to return.",
            "importance": 5,
            "source_trust": 0.9,
            "audience": "public",
        }
        answer = self.successResultOf(
            self.mind.complete(base.Request(job="score", messages=[], context={"entries": [entry]}))
        )
        self.assertEqual(answer.text, '{"worth": 6, "by": "offline"}')
        self.assertFalse(answer.is_model)

    def test_it_asks_and_concludes_from_what_it_is_given(self):
        """Reflection without a model: the same shapes that a model must answer."""
        told = (("Anna", "The well has run dry."), ("Bo", "Somebody poisoned the well!"))
        items = [{"number": at, "by": by, "text": text} for at, (by, text) in enumerate(told, 1)]
        context = {"items": items, "count": 1, "own_names": ["Mara"]}
        asked, concluded = (
            json.loads(
                self.successResultOf(
                    self.mind.complete(base.Request(job, [], context=context))
                ).text
            )
            for job in ("questions", "insights")
        )
        self.assertEqual(asked, {"questions": ["What is going on with the well?"]})
        self.assertEqual(
            concluded,
            {
                "insights": [
                    {
                        "insight": "Anna and Bo each had something to tell about the well.",
                        "evidence": [1, 2],
                    }
                ]
            },
        )

    def test_names_of_methods_are_no_jobs(self):
        for job in ("complete", "name", "__init__", "_complete", ""):
            with self.subTest(job):
                self.failureResultOf(self.mind.complete(request("hello", job=job)), LLMRefused)

    def test_the_same_request_has_the_same_answer(self):
        self.assertEqual(self.complete("it rains"), self.complete("it rains"))

    def test_the_answer_does_not_depend_on_the_process(self):
        script = (
            "from tests.domain.small_talk_scene import answer\n"
            "print(answer('it is raining'), end='')"
        )
        # Strings have other hashes in it, as in each run of the tests.
        run = subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(run.stdout, "I see, Ann.")

    def test_an_empty_context_has_an_answer(self):
        bare = base.Request("reply", [])
        self.assertEqual(
            self.successResultOf(self.mind.complete(bare)).text, "You have my ear, friend."
        )
