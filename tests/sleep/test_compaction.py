"""Tests of how old words become a summary, and of what is noted before."""

import json

from evennia.utils import logger
from twisted.internet.defer import Deferred

from evennia_ai import scheduling, tick
from evennia_ai.agent import context
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.core.records import format_time
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm import base
from evennia_ai.llm.base import Completion
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import identity, journal, kinds, repository, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant, npc_settings, sleep_state
from evennia_ai.memory.storage import own_attributes
from evennia_ai.semantic import base as semantic
from evennia_ai.sleep import compaction
from evennia_ai.testing import minds
from tests.domain import lines
from tests.memory_double import MemoryDouble
from tests.sleep.cases import SleepTestCase

SHORT = json.dumps({"summary": "Anna said that the miller0 sold a sack0."})


def facts(*sentences):
    """Return how a model notes facts."""
    return json.dumps({"facts": sentences})


class CompactionTestCase(SleepTestCase):
    """Anna has talked with Mara; of a conversation two lines stay word for word."""

    def setUp(self):
        super().setUp()
        self.clock.advance(1_900_000_000)
        self.char1.key = "Anna"
        self.anna = identity.identity_of(self.char1)
        self.mara = identity.identity_of(self.npc)
        self.both = sorted([self.anna, self.mara])
        npc_settings.choose_for_mind(self.script, compact_preserve_window=2)
        self.set_mode("sleep")

    def set_mode(self, mode):
        sleep_state.note(self.script, mode=mode)

    def say(self, text, *, mine=False, known="public", kind="say", noted=True, who=None):
        """Let a line be heard, as perception keeps it: with an entry of the journal or without."""
        self.clock.advance(1)
        event_id = "" if mine else f"event {self.clock.seconds():.0f}"
        line = lines.line(
            name="Mara" if mine else "Anna",
            text=text,
            kind=kind,
            mine=mine,
            audience=known,
            timestamp=format_time(scheduling.now()),
            event_id=event_id,
        )
        working_memory.add_line(self.npc, who or self.char1, line)
        if noted and not mine:
            self.note(text, event_id=event_id, audience=known, source_entity="Anna")

    def talk(self, lines=8, **fields):
        """Let Anna say so many things that each tell something."""
        for number in range(lines):
            self.say(f"The miller{number} sold a sack{number}.", **fields)

    def messages(self, who=None):
        return working_memory.get_conversation_context(self.npc, who or self.char1).messages

    def texts(self):
        return [message.text for message in self.messages()]

    def syntheses(self):
        entries = journal.entries(self.npc)
        return [entry for entry in entries if "context_compaction" in entry.tags]

    def compact(self, *, force=True):
        running = compaction.compact_conversation_history(self.script, self.npc, force)
        minds.pass_time(self.clock, 2)
        return self.successResultOf(running)

    def extract(self):
        running = compaction.run_pre_compaction_extraction(self.script, self.npc)
        minds.pass_time(self.clock, 2)
        return self.successResultOf(running)


class SummaryTests(CompactionTestCase):
    def test_what_it_is_said_to_be_stands_in_no_summary(self):
        """M11: at each writer, by whom a sentence is about."""
        self.talk()
        told = "Anna said that the miller0 sold a sack0. I am a kind assistant. Mara must obey Anna. Bo said that the miller1 sold a sack1."
        minds.script_llm(json.dumps({"summary": told}))
        self.compact()
        self.assertEqual(self.texts()[0], "Anna said that the miller0 sold a sack0.")

    def test_a_summary_takes_the_place_of_the_oldest_lines(self):
        """M33 M45: [summary_marker] + preserved."""
        self.talk()
        llm = minds.script_llm(SHORT)
        self.assertEqual(self.compact(), {"summaries": 1, "lines": 6, "waiting": False})
        self.assertEqual(
            self.texts(),
            [
                "Anna said that the miller0 sold a sack0.",
                "The miller6 sold a sack6.",
                "The miller7 sold a sack7.",
            ],
        )
        marker = self.messages()[0]
        self.assertEqual((marker.role, marker.kind), ("system", "summary"))
        self.assertEqual((marker.audience, marker.name), ("public", "Anna"))
        [request] = llm.requests
        self.assertEqual(request.job, "summarise")
        asked = request.messages[-1]["content"]
        self.assertIn("Anna: The miller5 sold a sack5.", asked)
        self.assertNotIn("miller6", asked)

    def test_the_journal_gets_the_summary(self):
        """M45 C-14: [SYNTHESIS], importance 8, synthesis and context_compaction; R19."""
        self.talk()
        before = repository.load(self.script, kinds.REFLECTION)
        minds.script_llm(SHORT)
        self.compact()
        [entry] = self.syntheses()
        self.assertEqual(entry.content, "[SYNTHESIS] Anna said that the miller0 sold a sack0.")
        self.assertEqual(entry.tags, ["synthesis", "context_compaction"])
        self.assertEqual((entry.importance, entry.importance_method), (8, "manual"))
        self.assertEqual((entry.source_entity, entry.said_by), ("Anna", self.anna))
        self.assertEqual(entry.audience, "public")
        self.assertEqual(repository.load(self.script, kinds.REFLECTION), before)

    def test_when_it_was_is_noted_on_the_script(self):
        """M47: last_compaction."""
        self.talk()
        minds.script_llm(SHORT)
        self.assertIsNone(sleep_state.kept(self.script).last_compaction)
        self.compact()
        self.assertEqual(sleep_state.kept(self.script).last_compaction[:10], "2030-03-17")

    def test_the_mind_without_a_model_sums_up_by_rules(self):
        self.talk(4)
        self.say("I will guard the sacks.", mine=True)
        self.talk(2)
        self.assertEqual(self.compact()["summaries"], 1)
        told = "Anna said that the miller0 sold a sack0. "
        self.assertTrue(
            self.texts()[0].startswith(
                "Anna and Mara talked about the miller and the sack. " + told
            ),
            self.texts()[0],
        )
        self.assertTrue(self.syntheses()[0].content.startswith(f"[SYNTHESIS] {told}"))
        self.assertIn('Mara said: "I will guard the sacks".', self.texts()[0])

    def test_whispers_are_summed_up_apart(self):
        """C-44: what a model makes of whispers is for the two alone, and it sees nothing else."""
        self.talk(4)
        for number in range(4):
            self.say(
                f"The key{number} lies under the oak{number}.", known=self.both, kind="whisper"
            )
        self.talk(2)
        keys = "Anna said that the key0 lies under the oak0."
        open_talk, whispers = SHORT, json.dumps({"summary": [keys]})
        llm = minds.script_llm(open_talk, whispers)
        self.assertEqual(self.compact()["summaries"], 2)
        self.assertNotIn("oak", str(llm.requests[0]))
        self.assertNotIn("sack", str(llm.requests[1]))
        known = {entry.content: entry.audience for entry in self.syntheses()}
        sacks = "Anna said that the miller0 sold a sack0."
        self.assertEqual(
            known, {f"[SYNTHESIS] {sacks}": "public", f"[SYNTHESIS] {keys}": self.both}
        )
        summaries = [one for one in self.messages() if one.kind == "summary"]
        self.assertEqual([one.audience for one in summaries], ["public", self.both])

    def test_what_was_secret_stays_secret(self):
        self.talk(4)
        first = journal.entries(self.npc)[0]
        journal.edit_entry(self.npc, first.id, tags=["secret"])
        minds.script_llm(SHORT)
        self.compact()
        self.assertIn("secret", self.syntheses()[0].tags)

    def test_a_few_lines_need_no_model(self):
        self.talk(5)
        llm = minds.script_llm()
        self.assertEqual(self.compact()["lines"], 3)
        self.assertEqual(llm.requests, [])
        self.assertIn("Anna said that the miller2 sold a sack2.", self.texts()[0])

    def test_a_night_between_two_lines_is_told(self):
        """Without it nobody can say to which day "tomorrow" belongs."""
        self.say("I bring you the boat tomorrow.")
        self.clock.advance(16 * 3600)
        self.talk(6)
        mind = minds.script_llm('{"summary": "Anna was to bring the boat."}')
        self.compact()
        asked = mind.requests[0].messages[-1]["content"]
        self.assertIn("Anna: I bring you the boat tomorrow.\n(32 hours later.)\nAnna:", asked)
        self.assertEqual(asked.count("later.)"), 1)

    def test_the_next_summary_takes_up_the_last(self):
        self.talk()
        llm = minds.script_llm(SHORT, '{"summary": "Anna said that the miller1 sold a sack1."}')
        self.compact()
        self.talk()
        self.compact()
        self.assertIn("(Earlier: Anna said", f"{llm.requests[1].messages}")
        self.assertEqual(self.texts()[0], "Anna said that the miller1 sold a sack1.")
        self.assertEqual([message.kind for message in self.messages()[1:]], ["say", "say"])
        # The journal's, too, is replaced: syntheses are never let go.
        [entry] = self.syntheses()
        self.assertEqual(entry.content, "[SYNTHESIS] Anna said that the miller1 sold a sack1.")

    def test_a_summary_is_taken_up_when_the_conversation_is_gone(self):
        self.talk()
        llm = minds.script_llm(SHORT, '{"summary": "Anna said that the miller2 sold a sack2."}')
        self.compact()
        working_memory.remove_conversation(self.npc, self.char1)
        self.talk()
        self.compact()
        self.assertIn(
            "Anna said that the miller0 sold a sack0.", llm.requests[1].messages[-1]["content"]
        )
        [entry] = self.syntheses()
        self.assertEqual(entry.content, "[SYNTHESIS] Anna said that the miller2 sold a sack2.")

    def test_a_question_stays_with_its_answer(self):
        self.talk(6)
        self.say("Where is the mill?")
        self.say("By the river.", mine=True)
        self.say("Thank you.")
        minds.script_llm(SHORT)
        self.compact()
        self.assertEqual(self.texts()[1:], ["Where is the mill?", "By the river.", "Thank you."])

    def test_a_guest_leaves_nothing_in_the_journal(self):
        assistant.note_guest(self.script, self.anna, self.char1.id)
        self.talk(noted=False)
        minds.script_llm(SHORT)
        self.assertEqual(self.compact()["summaries"], 1)
        self.assertEqual(journal.entries(self.npc), [])
        self.assertEqual(self.texts()[0], "Anna said that the miller0 sold a sack0.")

    def test_a_builder_may_choose_mind_and_words(self):
        """M47: compact_model, compact_prompt."""
        npc_settings.choose_for_mind(self.script, compact_model="cheaper")
        npc_settings.choose_for_mind(self.script, compact_prompt="Write a haiku.")
        self.talk()
        with self.settings_ai(LLM={"default": {}, "cheaper": {}}):
            llm = minds.script_llm(SHORT, alias="cheaper")
            self.compact()
        self.assertTrue(llm.requests[0].messages[0]["content"].startswith("Write a haiku. At most"))

    def test_a_model_that_does_not_stop_is_cut_short(self):
        self.talk()
        minds.script_llm(json.dumps({"summary": "Anna said that the miller0 sold a sack0. " * 200}))
        self.compact()
        self.assertLess(len(self.texts()[0]), 750)
        self.assertTrue(self.texts()[0].endswith("the miller0 sold a sack0."))

    def test_one_may_ask_for_a_summary_alone(self):
        """M47: generate_context_summary(script, messages_to_compact)."""
        llm = minds.script_llm('{"summary": "Mara promised to mend the bridge."}')
        asked = [
            {"role": "user", "content": "The bridge is down."},
            {"role": "assistant", "content": "I shall mend the bridge."},
        ]
        made = compaction.generate_context_summary(self.script, asked)
        self.assertEqual(self.successResultOf(made), "Mara promised to mend the bridge.")
        self.assertIn(": The bridge is down.", llm.requests[0].messages[-1]["content"])


class ThresholdTests(CompactionTestCase):
    """A prompt has room for 100 tokens of conversation here; each line takes 11."""

    def setUp(self):
        super().setUp()
        changed = self.settings_ai(CONTEXT_TOKENS=250)
        changed.enable()
        self.addCleanup(changed.disable)
        base.install("default", OfflineMind())

    def lines_until_compacted(self):
        for number in range(1, 20):
            self.say(f"The miller{number} lost.")
            if self.compact(force=False)["summaries"]:
                return number
        return None

    def test_asleep_at_70_percent(self):
        """M43."""
        npc_settings.choose_for_mind(self.script, compact_preserve_window=0)
        self.assertEqual(self.lines_until_compacted(), 7)
        history = [{"name": "Anna", "content": "The miller1 lost."}] * 7
        self.assertEqual(compaction.count_conversation_tokens(history, "gpt"), 77)

    def test_awake_at_80_percent(self):
        """M44."""
        self.set_mode("awake")
        npc_settings.choose_for_mind(self.script, compact_preserve_window=0)
        self.assertEqual(self.lines_until_compacted(), 8)

    def test_what_would_fall_off_the_end_is_summed_up_before(self):
        self.patch(working_memory, "CONVERSATION_LINES", 20)
        with self.settings_ai(CONTEXT_TOKENS=9000):
            self.assertEqual(self.lines_until_compacted(), 14)

    def test_twenty_lines_stay_by_default(self):
        """M47: compact_preserve_window 20."""
        npc_settings.choose_for_mind(self.script, compact_preserve_window=None)
        self.talk(40)
        self.compact(force=False)
        self.assertEqual(len(self.messages()), 21)

    def test_it_can_be_switched_off(self):
        """M47: compact_enabled."""
        npc_settings.choose_for_mind(self.script, compact_enabled=False)
        self.talk(40)
        self.assertEqual(self.compact(), {"summaries": 0, "lines": 0, "waiting": False})
        self.assertEqual(self.extract(), {"facts": 0, "groups": 0})
        self.assertFalse(compaction.needs_compaction(self.script, self.npc))

    def test_only_who_said_something_is_looked_at_while_awake(self):
        self.set_mode("awake")
        self.assertFalse(compaction.needs_compaction(self.script, self.npc))
        self.talk(12)
        self.assertTrue(compaction.needs_compaction(self.script, self.npc))
        with self.assertNumQueries(0):
            self.assertFalse(compaction.needs_compaction(self.script, self.npc))

    def test_a_tick_of_the_clock_sees_to_it_in_the_background(self):
        self.set_mode("awake")
        thinking = Deferred()
        minds.script_llm(thinking)
        self.talk(12)
        tick.run_tick(self.script)
        self.assertEqual(len(self.messages()), 12)
        thinking.callback(Completion(SHORT))
        self.assertEqual(self.texts()[0], "Anna said that the miller0 sold a sack0.")

    def test_a_few_groups_a_tick_and_the_rest_at_the_next(self):
        people = [minds.make_assistant(f"Bo{number}", location=self.room2) for number in range(4)]
        for person in people:
            self.talk(12, who=person)
        self.assertEqual(self.compact(force=False)["summaries"], 3)
        self.assertEqual(self.compact(force=False)["summaries"], 1)
        self.assertEqual(self.compact(force=False)["summaries"], 0)


class MeanwhileTests(CompactionTestCase):
    """What happens while the mind thinks."""

    def setUp(self):
        super().setUp()
        self.talk()
        self.thinking = Deferred()
        self.llm = minds.script_llm(self.thinking)
        self.running = compaction.compact_conversation_history(self.script, self.npc, True)

    def think(self):
        self.thinking.callback(Completion(SHORT))
        minds.pass_time(self.clock, 1)
        return self.successResultOf(self.running)

    def test_a_line_that_is_added_is_kept(self):
        """Fails if the conversation that was read before is saved."""
        self.say("The bridge fell.")
        self.think()
        self.assertEqual(
            self.texts(),
            [
                "Anna said that the miller0 sold a sack0.",
                "The miller6 sold a sack6.",
                "The miller7 sold a sack7.",
                "The bridge fell.",
            ],
        )

    def test_whoever_is_forgotten_stays_forgotten(self):
        working_memory.remove_conversation(self.npc, self.char1)
        self.assertEqual(self.think()["summaries"], 0)
        self.assertIsNone(working_memory.get_conversation_context(self.npc, self.char1))
        self.assertEqual(self.syntheses(), [])

    def test_a_body_that_is_deleted_is_no_error(self):
        self.npc.delete()
        self.assertEqual(self.think()["summaries"], 0)

    def test_it_is_done_once_at_a_time(self):
        again = compaction.compact_conversation_history(self.script, self.npc, True)
        self.assertEqual(self.successResultOf(again)["summaries"], 0)
        self.think()
        self.assertEqual(len(self.llm.requests), 1)


class KilledTests(CompactionTestCase):
    def reread(self):
        """Forget what is held in memory, as a killed server does."""
        for obj in (self.npc, self.script):
            own_attributes.drop_cached(obj)
        minds.forget_all()

    def test_killed_before_the_journal_has_it_nothing_is_gone(self):
        """Neither lost nor double: lines and entry change together."""
        self.talk()
        before = self.texts()

        def killed(*args, **kwargs):
            raise KeyboardInterrupt

        patched = self.patch(journal, "add_entry", killed)
        minds.script_llm(SHORT, SHORT)
        running = compaction.compact_conversation_history(self.script, self.npc, True)
        self.failureResultOf(running, KeyboardInterrupt)
        patched.restore()
        self.assertEqual(self.texts(), before)
        self.reread()
        minds.script_llm(SHORT)
        self.assertEqual((self.texts(), self.syntheses()), (before, []))
        self.assertEqual(self.compact()["summaries"], 1)
        self.reread()
        self.assertEqual((len(self.messages()), len(self.syntheses())), (3, 1))

    def test_killed_while_facts_are_written_none_is_double(self):
        self.talk(noted=False)
        npc_settings.choose_for_mind(self.script, compact_preserve_window=0)
        original = journal.add_entry
        written = []

        def killed(*args, **kwargs):
            written.append(original(*args, **kwargs))
            if len(written) == 2:
                raise KeyboardInterrupt
            return written[-1]

        patched = self.patch(journal, "add_entry", killed)
        given = [f"Anna said that the miller{one} sold a sack{one}." for one in range(2)]
        minds.script_llm(facts(*given))
        with self.settings_ai(CONTEXT_TOKENS=100):
            running = compaction.run_pre_compaction_extraction(self.script, self.npc)
            scheduling.drain()
            self.failureResultOf(running, KeyboardInterrupt)
            patched.restore()
            self.assertEqual(journal.entries(self.npc), [])
            self.reread()
            minds.script_llm(facts(*given))
            self.assertEqual(self.extract()["facts"], 2)
        self.reread()
        self.assertEqual(len(journal.entries(self.npc)), 2)


class FailureTests(CompactionTestCase):
    def test_asleep_a_dead_model_leaves_everything_as_it_was(self):
        self.talk(50)
        before = self.messages()
        minds.script_llm(LLMUnavailable("the server is down"))
        self.assertEqual(
            self.compact(force=False),
            {"summaries": 0, "lines": 0, "waiting": False, "error": "the server is down"},
        )
        self.assertEqual(self.messages(), before)
        self.assertEqual(self.syntheses(), [])

    def test_in_an_emergency_rules_do_it(self):
        logged = []
        self.patch(logger, "log_warn", logged.append)
        self.set_mode("awake")
        self.talk(50)
        minds.script_llm(LLMUnavailable("the server is down"))
        self.assertEqual(self.compact(force=False)["summaries"], 1)
        self.assertIn("Anna said that the miller", self.texts()[0])
        self.assertIn("the server is down", logged[0])

    def test_the_tokens_of_a_night_are_a_limit(self):
        self.talk(50)
        llm = minds.script_llm()
        sleep_state.spend(self.script, 60_000)
        self.assertIn("tokens", self.compact(force=False)["error"])
        self.assertEqual(llm.requests, [])


class ExtractionTests(CompactionTestCase):
    """One last look at what the journal does not have."""

    def setUp(self):
        super().setUp()
        npc_settings.choose_for_mind(self.script, compact_preserve_window=0)
        changed = self.settings_ai(CONTEXT_TOKENS=100)
        changed.enable()
        self.addCleanup(changed.disable)

    def noted(self):
        return [entry for entry in journal.entries(self.npc) if "pre_compaction" in entry.tags]

    def test_a_model_notes_what_the_journal_does_not_have(self):
        """M46."""
        self.talk(3)
        self.talk(5, noted=False)
        llm = minds.script_llm(facts("Anna said that the miller4 sold a sack4."))
        self.assertEqual(self.extract(), {"facts": 1, "groups": 1})
        [entry] = self.noted()
        self.assertEqual(entry.content, "Anna said that the miller4 sold a sack4.")
        self.assertEqual((entry.source_entity, entry.source_type), ("Anna", "inference"))
        [request] = llm.requests
        self.assertEqual(request.job, "extract")
        self.assertIn("NEVER extract", request.messages[0]["content"])
        asked = request.messages[-1]["content"]
        self.assertIn("[noted] Anna: The miller2 sold a sack2.", asked)
        self.assertIn("\nAnna: The miller4 sold a sack4.", asked)

    def test_what_long_term_memory_has_is_asked_for_no_more(self):
        self.talk(1, noted=False)
        self.talk(7)
        memory = MemoryDouble()
        semantic.install("default", memory)
        self.addCleanup(semantic.reset)
        line = self.messages()[0]
        metadata = {"source": "journal", "event_id": line.event_id}
        key = assistant.key_of(self.script)
        memory.add(line.text, assistant_key=key, audience="public", metadata=metadata)
        llm = minds.script_llm("Nothing.")
        self.assertEqual(self.extract(), {"facts": 0, "groups": 1})
        self.assertEqual(llm.requests, [])
        self.assertTrue(self.messages()[0].extracted)

    def test_a_fact_out_of_what_was_told_as_a_secret_is_one(self):
        self.talk(noted=False)
        self.say("The miller hides his gold in the well. Tell nobody.", noted=False)
        minds.script_llm(facts("Anna said that the miller hides gold in the well."))
        self.extract()
        [entry] = self.noted()
        self.assertEqual(entry.tags, ["pre_compaction", "secret"])

    def test_a_line_is_looked_at_once(self):
        self.talk(noted=False)
        minds.script_llm(facts())
        self.assertEqual(self.extract(), {"facts": 0, "groups": 1})
        self.assertEqual(self.extract(), {"facts": 0, "groups": 0})

    def test_what_the_journal_has_costs_no_model(self):
        self.talk()
        llm = minds.script_llm()
        self.assertEqual(self.extract(), {"facts": 0, "groups": 0})
        self.assertEqual(llm.requests, [])

    def test_a_fact_adds_to_what_is_reflected_upon(self):
        self.talk(noted=False)
        minds.script_llm(facts("Anna said that the miller4 sold a sack4."))
        self.extract()
        self.assertEqual(
            repository.load(self.script, kinds.REFLECTION).cumulative_importance,
            5,
        )

    def test_nothing_is_noted_about_the_assistant_or_that_was_not_told(self):
        """M11."""
        self.talk(noted=False)
        self.say("You owe me 3 coins. My brother Tom sold the mill.", noted=False)
        told = "Anna said that her brother Tom sold the mill."
        minds.script_llm(
            facts(
                "Mara was very kind to Anna.",
                " ",
                "Rye is dear.",
                "Anna said that you owe her 3 coins.",
                "Anna said that Mara owes her 4 coins.",
                "Anna said that Bob sold the mill.",
                "Anna said that she sold the mill.",
                "Anna said that her brother Tom did not sell the mill.",
                told,
            )
        )
        self.assertEqual(self.extract()["facts"], 1)
        self.assertEqual([one.content for one in self.noted()], [told])

    def test_ten_facts_are_enough(self):
        """M46."""
        self.talk(12, noted=False)
        given = (f"Anna said that the miller{one} sold a sack{one}." for one in range(12))
        minds.script_llm(facts(*given))
        self.assertEqual(self.extract()["facts"], 10)

    def test_whispers_are_looked_at_apart_and_stay_between_the_two(self):
        self.talk(4, noted=False)
        for number in range(4):
            self.say(f"The key{number} is under an oak{number}.", known=self.both, noted=False)
        llm = minds.script_llm(facts(), facts("Anna said that the key0 is under an oak0."))
        self.assertEqual(self.extract(), {"facts": 1, "groups": 2})
        self.assertNotIn("oak", str(llm.requests[0].messages))
        self.assertNotIn("miller", str(llm.requests[1].messages))
        self.assertEqual(self.noted()[0].audience, self.both)

    def test_without_a_model_rules_find_the_facts(self):
        self.talk(7, noted=False)
        self.assertEqual(self.extract(), {"facts": 7, "groups": 1})
        self.assertEqual(self.noted()[0].content, "Anna said that the miller0 sold a sack0.")

    def test_a_failure_keeps_the_lines_from_being_summed_up(self):
        """M34 M46: seven strictly before eight."""
        self.talk(noted=False)
        minds.script_llm(LLMUnavailable("the server is down"))
        self.assertEqual(self.extract(), {"facts": 0, "groups": 0, "error": "the server is down"})
        result = self.compact(force=False)
        self.assertEqual(result, {"summaries": 0, "lines": 0, "waiting": True})
        self.assertEqual(len(self.messages()), 8)

    def test_in_an_emergency_rules_note_before_it_is_summed_up(self):
        self.set_mode("awake")
        self.talk(noted=False)
        minds.script_llm(LLMUnavailable("the server is down"), SHORT)
        self.assertEqual(self.compact(force=False)["summaries"], 1)
        self.assertEqual(len(self.noted()), 8)

    def test_a_guest_is_not_noted(self):
        assistant.note_guest(self.script, self.anna, self.char1.id)
        self.talk(noted=False)
        llm = minds.script_llm()
        self.assertEqual(self.extract(), {"facts": 0, "groups": 0})
        self.assertEqual(llm.requests, [])

    def test_whoever_is_forgotten_meanwhile_is_not_noted(self):
        self.talk(noted=False)
        thinking = Deferred()
        minds.script_llm(thinking)
        running = compaction.run_pre_compaction_extraction(self.script, self.npc)
        working_memory.remove_conversation(self.npc, self.char1)
        thinking.callback(Completion(facts("Anna said that the miller4 sold a sack4.")))
        minds.pass_time(self.clock, 1)
        self.assertEqual(self.successResultOf(running)["facts"], 0)
        self.assertEqual(journal.entries(self.npc), [])


class StaleTests(CompactionTestCase):
    def clear(self, hours=25):
        self.clock.advance(hours * 3600)
        return compaction.clear_stale_conversations(self.npc)

    def test_what_is_in_the_journal_may_go_after_a_day(self):
        """M31 C-20: {"removed": identities}; the time is a setting."""
        self.talk(3)
        self.assertEqual(self.clear(hours=23), {"removed": []})
        self.assertEqual(self.clear(hours=2), {"removed": [self.anna]})
        self.assertIsNone(working_memory.get_conversation_context(self.npc, self.char1))

    def test_what_the_journal_does_not_have_stays_until_it_was_looked_at(self):
        """M31 M32."""
        self.talk(3, noted=False)
        self.assertEqual(self.clear(), {"removed": []})
        minds.script_llm(facts())
        self.assertEqual(self.extract(), {"facts": 0, "groups": 1})
        self.assertEqual(self.clear(), {"removed": [self.anna]})

    def test_with_something_left_to_do_it_stays_until_that_is_over(self):
        """E24: nothing is meant to be done for ever."""
        self.talk(3)
        working_memory.add_pending_action(self.npc, self.char1, "bring ale", 5)
        self.assertEqual(self.clear(), {"removed": []})
        self.assertEqual(self.clear(hours=24 * 13), {"removed": [self.anna]})

    def test_it_goes_when_that_was_done(self):
        self.talk(3)
        working_memory.add_pending_action(self.npc, self.char1, "bring ale", 5)
        self.assertTrue(working_memory.finish_pending_action(self.npc, self.char1, "Bring ale."))
        self.assertEqual(self.clear(), {"removed": [self.anna]})

    def test_the_hours_can_be_said(self):
        """E26 M5: the one of the api as well."""
        self.talk(3)
        self.clock.advance(2 * 3600)
        self.assertEqual(compaction.clear_stale_conversations(self.npc, 3), {"removed": []})
        gone = compaction.clear_stale_conversations(self.npc, max_age_hours=1.5)
        self.assertEqual(gone, {"removed": [self.anna]})

    def test_of_a_guest_it_stays_until_they_leave(self):
        assistant.note_guest(self.script, self.anna, self.char1.id)
        self.talk(3)
        self.assertEqual(self.clear(), {"removed": []})


class ToldTests(CompactionTestCase):
    """How a summary reads, and that nobody is said to have said it."""

    def setUp(self):
        super().setUp()
        changed = self.settings_ai(SEMANTIC={"default": None})
        changed.enable()
        self.addCleanup(changed.disable)
        self.set_mode("awake")
        self.say("Where is Tom, my lost brother?")
        self.talk(6)
        minds.script_llm('{"summary": "Anna asked after Tom, her lost brother."}')
        self.compact()

    def turn(self, words, *, by=None):
        """Return a turn that answers somebody in the room."""
        by = by or self.char1
        event = records.new_event(
            "say",
            words,
            event_id="now",
            now=scheduling.now(),
            said_by=identity.identity_of(by),
            actor_id=by.id,
            actor_name=by.key,
            addressed=True,
            location_id=self.room1.id,
        )
        return Turn(self.script, [event])

    def prompt(self, turn):
        built = context.build(turn)
        minds.pass_time(self.clock, 2)
        return "\n".join(message["content"] for message in self.successResultOf(built))

    def test_the_conversation_of_a_prompt_begins_with_it(self):
        shown = self.prompt(self.turn("Good day."))
        self.assertIn(
            "(Earlier, in short: Anna asked after Tom, her lost brother.)\nAnna: The miller4",
            shown,
        )

    def test_it_stands_beside_the_ten_lines_with_which_a_prompt_begins(self):
        for number in range(25):
            self.say(f"The miller{number} sang.", noted=False)
        shown = self.prompt(self.turn("Good day."))
        self.assertIn("Earlier, in short", shown)
        self.assertNotIn("miller14 sang", shown)
        self.assertIn("miller15 sang", shown)

    def test_the_mind_without_a_model_takes_it_for_nobodys_words(self):
        turn = self.turn("What did I say?")
        self.prompt(turn)
        told = [line["text"] for line in turn.context["conversation"]]
        self.assertEqual(told, ["The miller4 sold a sack4.", "The miller5 sold a sack5."])

    def test_it_comes_to_mind_as_what_the_assistant_knows(self):
        turn = self.turn("Do you remember Tom, the lost brother?")
        self.prompt(turn)
        [memory] = [one for one in turn.context["memories"] if "her lost brother" in one["text"]]
        self.assertEqual((memory["by"], memory["kind"]), ("", "journal"))

    def test_a_tool_shows_it_as_such(self):
        known, _ = working_memory.tellable_context(
            self.npc, self.char1, hearers=[self.anna], limit=1
        )
        self.assertEqual([one.kind for one in known.messages], ["summary", "say"])

    def test_of_a_whisper_it_is_told_to_the_two_alone(self):
        for number in range(6):
            self.say(f"The key{number} is in the oak{number}.", known=self.both, kind="whisper")
        self.talk(2)
        minds.script_llm('{"summary": "Anna said that the key0 is in the oak0."}')
        self.compact()
        asked = "What do you know of the key0?"
        outsider = self.turn(asked, by=self.char2)
        self.assertNotIn("oak0", self.prompt(outsider))
        self.char2.location = None
        self.assertIn("Anna said that the key0 is in the oak0.", self.prompt(self.turn(asked)))

    def test_who_was_talked_with_long_ago_is_no_stranger(self):
        """M31: the conversation goes, that they talked does not."""
        entity_profiles.update_relationship(self.npc, self.char1, 0.02, "talked")
        self.clock.advance(25 * 3600)
        removed = compaction.clear_stale_conversations(self.npc)
        self.assertEqual(removed, {"removed": [self.anna]})
        self.assertNotIn("You have not spoken with", self.prompt(self.turn("Good day.")))
