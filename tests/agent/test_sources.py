"""Whatever a mind makes of a whisper names its sources, and goes with them.

The mind says it in words that nobody used, so that nothing but its sources tells whose it is.
"""

import ast
from pathlib import Path

from msgspec import structs

import evennia_ai
from evennia_ai.agent.revising import correcting, forgetting
from evennia_ai.core.records import Source, audience_from, is_said, united
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import identity, journal, kinds, repository, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant, kept_goals, sleep_state
from evennia_ai.semantic import base as semantic
from evennia_ai.sleep import extraction, reflection, sleep_cycle, steps, summaries
from evennia_ai.testing import minds
from tests.agent.cases import call
from tests.domain.entries import entry
from tests.scenarios.test_forgetting import ForgettingTestCase

WHISPER = "I poisoned the old miller with the green bottle."
# What the mind calls it.
TOKEN = "zq7adder"
DEED = f"The {TOKEN} did it."

# The tools by which a mind keeps something, with what it is given.
TOOLS = {
    "note": ("add_journal_entry", {"content": DEED, "importance": 7}),
    "review": ("review_journal", {"synthesis": DEED}),
    "memory": ("store_memory", {"content": DEED}),
    "observation": ("update_entity_observation", {"entity_id": "Char2", "content": DEED}),
    "regard": ("update_relationship", {"entity_id": "Char2", "delta": 0.1, "reason": DEED}),
    "topic": ("start_entity_conversation", {"entity_id": "Char2", "topic": DEED}),
    "promise": ("add_pending_action", {"entity_id": "Char2", "action": DEED}),
    "reminder": ("set_reminder", {"minutes": 600, "text": DEED}),
    "goal": ("add_goal", {"title": DEED}),
    "milestone": ("update_goal", {"goal_id": 1, "milestone": DEED}),
    "plan": ("plan_goal", {"goal_id": 1, "steps": [f"tell Char2: {DEED}"]}),
    "sleep": ("go_to_sleep", {"minutes": 30, "reason": DEED}),
}


class SourcesTestCase(ForgettingTestCase):
    def setUp(self):
        super().setUp()
        self.configure(ALL_TOOLS=True)
        minds.script_llm("Good morning.", repeat=True)
        self.do(self.char2, "say Mara, good morning.", wait=3)
        kept_goals.add_goal(self.script_of_mara, "Be a good host")
        self.both = sorted([self.first, identity.identity_of(self.mara)])

    def found(self, words=TOKEN):
        return super().found(words)

    def whispered(self, *answers):
        """Let Char whisper it; the mind does this before it says that it sees."""
        minds.script_llm(*answers, "I see.", "I see.")
        self.do(self.char1, f"whisper Mara = {WHISPER}", wait=4)
        return self.secret()

    def secret(self):
        return next((one for one in journal.entries(self.mara) if one.content == WHISPER), None)

    def talk(self):
        lines = working_memory.lines_with(self.mara, self.first)
        return extraction.Talk(
            self.script_of_mara.id, self.mara.id, self.first, "Char", "Mara", self.both, lines
        )

    def makes(self, kind):
        """Let something of a kind be made of the whisper."""
        if kind in TOOLS:
            name, arguments = TOOLS[kind]
            self.whispered(call(name, **arguments))
        else:
            self.whispered()
            getattr(self, f"make_{kind}")()
        self.assertNotEqual(self.found(), set(), kind)

    def make_answer(self):
        minds.script_llm(DEED)
        self.do(self.char1, "whisper Mara = What do you say to it?", wait=4)

    def make_summary(self):
        summaries.store(self.talk(), f"Char said that the {TOKEN} did it.")

    def make_extraction(self):
        extraction._write(self.talk(), self.talk().messages, [DEED])

    def make_insight(self):
        found = [{"content": DEED, "evidence_ids": [str(self.secret().id)]}]
        reflection.store_reflection_as_journal(self.mara, ["Who?"], found)

    def make_attribute(self):
        entity_profiles.add_entity_observation(
            self.mara, self.char2, "Fears.", audience=self.both, sources=self.secret().origins
        )
        found = {"type": "fear", "value": f"fears the {TOKEN}", "evidence": [1], "replaces": []}
        entity_profiles.apply_attributes(
            self.mara, self.second, [found], audience=self.both, consumed=[1]
        )

    def make_kept_promise(self):
        self.whispered(call("add_pending_action", entity_id="Char", action=DEED))
        self.whispered(call("finish_pending_action", action=DEED))
        self.assertIn("promise", journal.entries(self.mara)[-1].tags)

    MADE = ("answer", "summary", "extraction", "insight", "attribute", "kept_promise")

    def night(self):
        minds.base.install("default", OfflineMind())
        sleep_cycle.transition_mode(self.script_of_mara, "sleep", "a test")
        for _ in range(80):
            self.finished(steps.run_sleep_tick(self.script_of_mara, self.mara))
            if sleep_state.done(self.script_of_mara):
                break
            self.wait(60)
        sleep_cycle.transition_mode(self.script_of_mara, "awake", "morning")
        self.wait(5)

    def finished(self, deferred):
        for _ in range(50):
            if deferred.called:
                break
            self.wait(0.2)
        return self.successResultOf(deferred)


class ForgettingTests(SourcesTestCase):
    """Of each kind nothing is left: in no table, no file, no log and no prompt."""

    def nothing_is_left(self, kind):
        self.assertEqual(self.found(), set(), kind)
        mind = minds.script_llm("Hm.", repeat=True)
        self.do(self.char2, "say Mara, what do you know of Char2 and of the deed?", wait=4)
        self.assertNotIn(TOKEN, str([request.messages for request in mind.requests]))


def played(kind, how):
    """Return a test in which one kind is made of the whisper, and then that goes or is changed."""

    def test(self):
        self.makes(kind)
        npc, mind, secret = self.mara, self.script_of_mara, self.secret()
        if how == "after_a_night":
            self.night()
        if how == "put_right":
            instead = forgetting.reworded(secret, "I sold the miller a bottle.")
            self.finished(forgetting.change(npc, mind, secret.id, instead))
        elif how == "narrowed":
            instead = forgetting.narrowed(secret, npc, [])
            self.finished(forgetting.change(npc, mind, secret.id, instead))
        else:
            self.finished(forgetting.ask(self.char1))
        self.nothing_is_left(kind)

    return test


for _kind in (*TOOLS, *SourcesTestCase.MADE):
    for _how in ("forgotten", "after_a_night", "put_right", "narrowed"):
        setattr(ForgettingTests, f"test_{_kind}_of_a_whisper_{_how}", played(_kind, _how))


class SpokenCorrectionTests(SourcesTestCase):
    def test_what_was_made_of_it_goes_when_they_put_it_right(self):
        for kind in ("note", "goal", "observation", "promise", "memory", "insight"):
            with self.subTest(kind):
                self.makes(kind)
                done = correcting.correct_all(
                    self.mara,
                    self.script_of_mara,
                    self.char1,
                    wrong=WHISPER,
                    right="I sold the miller a green bottle.",
                )
                self.finished(done)
                self.wait(3)
                self.assertEqual(self.found(), set())
                self.finished(forgetting.ask(self.char1))


class PoseTests(SourcesTestCase):
    def test_what_a_pose_told_of_another_goes_with_the_poser(self):
        minds.base.install("default", OfflineMind())
        self.do(self.char1, f":nods. Char2 hates tea and loves {TOKEN}.", wait=2)
        self.night()
        self.assertNotEqual(self.found(), set())
        self.finished(forgetting.ask(self.char1))
        self.assertEqual(self.found(), set())


class PromiseTests(SourcesTestCase):
    """Holes of the third adversary: a promise that is over was noted without its source."""

    def test_one_that_lapsed_goes_with_them(self):
        from evennia_ai.sleep import compaction

        self.whispered(call("add_pending_action", entity_id="Char", action=DEED))
        self.char1.location = None
        self.clock.advance(40 * 86400)
        self.wait(60)
        compaction.clear_stale_conversations(self.mara, 0.001)
        self.assertIn(TOKEN, journal.entries(self.mara)[-1].content)
        self.finished(forgetting.ask(self.char1))
        self.assertEqual(self.found(), set())


class OtherMindTests(SourcesTestCase):
    def test_what_a_mind_said_of_it_goes_from_another_that_heard_it(self):
        """In words of the mind's own: the second one has whose they were from the first."""
        bertil = minds.make_assistant("Bertil", location=self.room1)
        minds.script_llm(DEED, repeat=True)
        self.do(self.char1, "say Mara, I poisoned the old miller with the green bottle.", wait=3)
        self.assertIn(TOKEN, str(working_memory.all_lines(bertil)))
        self.finished(forgetting.ask(self.char1))
        self.assertEqual(self.found(), set())


class RuleTests(SourcesTestCase):
    ANN, BOTH = Source("1", "ann", ["ann", "mara"]), Source("2", "bob", ["ann", "bob", "mara"])

    def test_it_is_for_no_more_ears_than_the_narrowest_source(self):
        self.assertEqual(audience_from([self.ANN, self.BOTH]), ["ann", "mara"])
        self.assertEqual(audience_from([]), [])

    def test_it_is_said_if_a_player_is_behind_one_source(self):
        self.assertTrue(is_said([self.ANN, Source("3")], minds=["mara"]))
        self.assertFalse(is_said([Source("3"), Source("4", "mara")], minds=["mara"]))

    def test_of_many_moments_the_oldest_are_kept_by_whose_they_are(self):
        many = united([Source(str(number), "ann") for number in range(100)], [Source("x", "bob")])
        self.assertEqual((len(many), many[0]), (25, Source("", "ann")))
        self.assertEqual(many[-1], Source("x", "bob"))

    def test_no_goal_is_wider_than_what_it_rests_on(self):
        goal = kept_goals.add_goal(self.script_of_mara, "Dig", sources=[self.ANN])
        self.assertEqual(goal.audience, ["ann", "mara"])
        self.assertEqual(structs.replace(goal, audience="public").audience, ["ann", "mara"])

    def test_nothing_can_be_made_without_sources(self):
        made = kept_goals.add_goal(self.script_of_mara, "Dig")
        fields = {name: getattr(made, name) for name in made.__struct_fields__ if name != "sources"}
        with self.assertRaisesRegex(TypeError, "sources"):
            type(made)(**fields)

    def test_a_conclusion_without_sources_is_for_the_npc_alone(self):
        self.assertEqual(entry("It rains.", source_type="inference").audience, [])

    def test_what_was_kept_without_sources_is_read_as_nobodys_for_the_npc_alone(self):
        goal = kept_goals.add_goal(self.script_of_mara, "Dig")
        stored = repository.own_attributes.rows(self.script_of_mara).get(db_category="goals")
        text = stored.db_strvalue.replace(',"sources":[["game","","public"]]', "")
        self.assertNotIn("sources", text)
        [*_, kept] = repository.pages.read(kinds.GOALS, text).value
        self.assertEqual(kept, structs.replace(goal, sources=[], audience=[]))

    def test_every_maker_in_the_package_is_told_the_sources(self):
        """The defaults of these functions are for the game's own code."""
        makers = {"add_goal", "add_entity_observation", "add_pending_action", "store_decision"}
        makers |= {"store_trajectory", "own_line", "set_plan"}
        package = Path(evennia_ai.__file__).parent
        # Builders and staff, who write for themselves.
        own = {"plans.py", "plain_profiles.py", "dialogue_ways.py", "experience_port.py", "base.py"}
        bare = [
            f"{path.name}:{node.lineno}"
            for path in sorted(package.rglob("*.py"))
            if path.name not in own
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call)
            and getattr(node.func, "attr", "") in makers
            and all(one.arg != "sources" for one in node.keywords)
        ]
        self.assertEqual(bare, [])

    def test_a_memory_names_what_it_was_made_of(self):
        self.makes("memory")
        key = self.script_of_mara.assistant_key
        told = self.finished(semantic.get_memory().get_all(assistant_key=key))
        [memory] = [one for one in told if TOKEN in one.text]
        self.assertIn(self.first, {source.by for source in memory.sources})
        self.assertEqual(memory.audience, self.both)
        self.assertEqual(assistant.reminders(self.script_of_mara), [])
