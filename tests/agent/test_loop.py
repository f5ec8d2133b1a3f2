"""The loop: tools, results, mistakes and limits, as the model meets them."""

from twisted.internet.defer import Deferred

from evennia_ai.llm.base import Completion, ToolCall
from evennia_ai.testing import minds
from evennia_ai.tools import registry
from evennia_ai.tools.base import Tool, ToolCategory
from tests.agent.cases import MindTestCase, call, words

pushed = []
looked_up = []
slow = []


class PushLever(Tool):
    """Push a lever."""

    name = "push_lever"
    category = ToolCategory.DANGEROUS

    def execute(self, turn, number: int):
        pushed.append(number)
        return f"Lever {number} is down."


class LookUp(Tool):
    """Look something up in a book."""

    name = "look_up"
    cacheable = True
    cache_ttl = 60.0

    def execute(self, turn, word: str):
        looked_up.append(word)
        return f"{word}: see page 7."


class AskTheGods(Tool):
    """Ask, and wait for a sign."""

    name = "ask_the_gods"
    category = ToolCategory.ASYNC_REQUIRED

    def execute(self, turn):
        slow.append(Deferred())
        return slow[-1]


class LoopTests(MindTestCase):
    def setUp(self):
        super().setUp()
        for kept in (pushed, looked_up, slow):
            kept.clear()
        self.configure(TOOL_MODULES=[..., "tests.agent.test_loop"])

    def ask(self, *replies, seconds=1.0):
        """Let Char ask something; return the mind and what Mara said aloud."""
        mind = minds.script_llm(*replies)
        self.do(self.char1, "say Mara, tell me something", wait=seconds)
        return mind, words(self.ann)[1:]

    def results(self, mind):
        """Return what the last request showed of the results of tools."""
        return [
            message["content"]
            for message in mind.requests[-1].messages
            if message["role"] == "tool"
        ]

    def test_a_result_goes_back_to_the_model_before_it_answers(self):
        mind, said = self.ask(call("look_up", word="ale"), "On page 7.")
        self.assertEqual(said, ['Mara says, "On page 7."'])
        self.assertEqual(self.results(mind), ["ale: see page 7."])
        self.assertEqual(
            mind.requests[1].messages[2]["tool_calls"],
            [{"id": "call-look_up", "name": "look_up", "arguments": {"word": "ale"}}],
        )
        self.assertEqual(mind.requests[1].messages[3]["tool_call_id"], "call-look_up")

    def test_the_request_says_on_whose_account_it_is_made(self):
        mind, _ = self.ask("Well.")
        [request] = mind.requests
        self.assertEqual((request.job, request.max_tokens), ("reply", 300))
        self.assertEqual(request.caller.assistant_id, self.mara.id)
        self.assertEqual(request.caller.assistant_key, self.script_of_mara.assistant_key)
        self.assertEqual(request.caller.player_id, self.account.id)
        self.assertEqual([message["role"] for message in request.messages], ["system", "user"])
        self.assertLessEqual(request.deadline, 30)
        self.assertIn("push_lever", [tool["name"] for tool in request.tools])

    def test_a_mistake_in_the_arguments_goes_back_to_the_model(self):
        mind, said = self.ask(call("push_lever", number="many"), "I cannot.")
        self.assertEqual(self.results(mind), ['Error: number must be a whole number, not "many".'])
        self.assertEqual((said, pushed), (['Mara says, "I cannot."'], []))

    def test_arguments_that_are_no_json_go_back_to_the_model(self):
        broken = ToolCall("1", "push_lever", {}, error="The arguments are not JSON.")
        mind, said = self.ask(broken, "I cannot.")
        self.assertEqual(self.results(mind), ["Error: The arguments are not JSON."])
        self.assertEqual((said, pushed), (['Mara says, "I cannot."'], []))

    def test_a_tool_that_is_not_there_goes_back_with_those_that_are_near(self):
        mind, _ = self.ask(call("push_levers", number=1), "I cannot.")
        [result] = self.results(mind)
        self.assertEqual(result.partition(";")[0], 'Error: There is no tool "push_levers"')
        self.assertIn("push_lever", result.partition(";")[2])

    def test_a_tool_that_is_not_offered_cannot_be_used(self):
        mind, _ = self.ask(call("execute_command", command="dig hole"), "I cannot.")
        self.assertEqual(self.results(mind), ["Error: You cannot use execute_command now."])

    def test_the_same_call_three_times_ends_the_turn_with_an_excuse(self):
        same = call("look_up", word="ale")
        mind, said = self.ask(same, same, same)
        self.assertEqual((len(mind.requests), len(said)), (3, 1))
        self.assertIn("look_up", self.log[0])
        self.assertEqual(len(self.log), 1)
        self.assertEqual(self.pending(), [])

    def test_the_same_tool_with_other_words_is_another_call(self):
        calls = [call("look_up", word=word) for word in ("ale", "mead", "beer")]
        _, said = self.ask(*calls, "Nothing.")
        self.assertEqual(said, ['Mara says, "Nothing."'])

    def test_the_third_identical_call_of_one_answer_counts_as_well(self):
        same = call("look_up", word="ale")
        mind, said = self.ask([same, same, same])
        self.assertEqual((len(mind.requests), len(said)), (1, 1))

    def test_after_the_last_step_comes_an_excuse(self):
        calls = [call("look_up", word=str(number)) for number in range(6)]
        mind, said = self.ask(*calls)
        self.assertEqual((len(mind.requests), len(said)), (5, 1))
        self.assertEqual(self.log[0].partition(": no answer: ")[2][:17], "StepLimitExceeded")

    def test_one_change_of_the_world_a_turn(self):
        two = [call("push_lever", number=1), call("push_lever", number=2)]
        mind, said = self.ask(two, "One is down.")
        self.assertEqual(pushed, [1])
        refusal = "Error: You have already acted in this turn; say something instead."
        self.assertEqual(self.results(mind), ["Lever 1 is down.", refusal])
        self.assertEqual(said, ['Mara says, "One is down."'])
        self.ask(call("push_lever", number=3), "Another.")
        self.assertEqual(pushed, [1, 3])

    def test_what_was_refused_is_no_change_of_the_world(self):
        mind, said = self.ask(
            call("give", item="anvil", target="Char"), call("push_lever", number=4), "Done."
        )
        self.assertEqual(pushed, [4])
        self.assertIn('Error: You see nothing called "anvil".', self.results(mind)[0])
        self.assertEqual(said, ['Mara says, "Done."'])

    def test_what_cannot_act_changes_nothing(self):
        self.configure(CAN_ACT="tests.agent.test_loop.unless_bound")
        thinking = Deferred()
        mind = minds.script_llm(thinking, "I am bound.")
        self.do(self.char1, "say Mara, push it")
        self.mara.db.bound = True
        thinking.callback([call("push_lever", number=1)])
        self.wait()
        self.assertEqual((pushed, len(mind.requests)), ([], 1))

    def test_a_tool_that_speaks_ends_the_turn(self):
        two = [call("say", words="I am done."), call("push_lever", number=1)]
        mind, said = self.ask(two)
        self.assertEqual((said, pushed, len(mind.requests)), (['Mara says, "I am done."'], [], 1))
        self.assertEqual(self.pending(), [])

    def test_staying_silent_ends_the_turn(self):
        mind, said = self.ask(call("noop"))
        self.assertEqual((said, len(mind.requests), self.pending()), ([], 1, []))

    def test_saying_nothing_goes_back_to_the_model(self):
        mind, said = self.ask(call("say", words="\u200b \x07"), "Hm?")
        self.assertEqual(said, ['Mara says, "Hm?"'])
        self.assertEqual(
            self.results(mind), ["Error: There is nothing to say: the words are empty."]
        )

    def test_words_of_a_tool_are_one_printable_line(self):
        _, said = self.ask(call("say", words="One.\n\x1b[31mTwo.\u202e Three."))
        self.assertEqual(said, ['Mara says, "One. [31mTwo. Three."'])

    def test_a_tool_may_take_its_time(self):
        mind, said = self.ask(call("ask_the_gods"), "They nod.", seconds=3)
        self.assertEqual((said, len(mind.requests)), ([], 1))
        slow[0].callback("They nod.")
        self.wait()
        self.assertEqual(self.results(mind), ["They nod."])
        self.assertEqual(words(self.ann)[1:], ['Mara says, "They nod."'])

    def test_a_result_is_used_again_before_the_same_hearers(self):
        self.ask(call("look_up", word="ale"), "Page 7.")
        mind, _ = self.ask(call("look_up", word="ale"), "Still page 7, friend.")
        self.assertEqual(looked_up, ["ale"])
        self.assertEqual(self.results(mind), ["ale: see page 7."])
        self.char2.location = self.room2
        self.ask(call("look_up", word="ale"), "As I said.")
        self.assertEqual(looked_up, ["ale", "ale"])

    def test_what_a_model_calls_with_text_beside_is_not_said_twice(self):
        both = Completion("Let me see.", (call("look_up", word="ale"),))
        _, said = self.ask(both, "On page 7.")
        self.assertEqual(said, ['Mara says, "On page 7."'])

    def test_the_tools_of_this_module_are_offered_by_the_setting(self):
        self.assertIn("look_up", registry.all_tools())
        self.configure(TOOL_MODULES=[...])
        self.assertNotIn("look_up", registry.all_tools())


def unless_bound(npc):
    """Stand behind the door CAN_ACT."""
    return not npc.db.bound
