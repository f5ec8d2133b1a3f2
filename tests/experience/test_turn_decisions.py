"""What of a turn becomes a decision: tables of turns, and where each of them is kept."""

from types import SimpleNamespace

from msgspec import structs

from evennia_ai.core import records
from evennia_ai.core.records import Source
from evennia_ai.experience import turn_decisions
from evennia_ai.experience.base import experience_of
from evennia_ai.memory.state import kept_goals, npc_settings
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase


class RecordingTestCase(MindTestCase):
    def turn(self, *, kind="say", text="Hello, Mara.", actor=True, **fields):
        """Return what recording reads of a turn that has ended."""
        event = records.new_event(
            kind,
            text,
            event_id="1",
            now=records.parse_time("2030-01-01T12:00:00Z"),
            said_by=self.first if actor else "",
            actor_id=self.char1.id if actor else 0,
            audience=fields.pop("heard_by", "public"),
        )
        given = {
            "id": "turn 1",
            "name": "Mara",
            "script": self.script_of_mara,
            "character": self.mara,
            "event": event,
            "events": [event],
            "audience": "public",
            "private": event.private,
            "context": {},
            "used": [],
            "spoken": [],
            "by_rules": True,
            "excused": False,
            "may_keep": lambda: True,
        }
        turn = SimpleNamespace(**{**given, **fields})
        known = Source("", "", turn.audience)
        turn.origins = lambda: records.united([known], *(one.origins for one in turn.events))
        return turn

    def noted(self, **fields):
        """Return the newest decision after a turn was noted, None if it decided nothing."""
        turn_decisions.note_turn(self.turn(**fields))
        kept = turn_decisions.recent(self.script_of_mara)
        return kept[-1] if kept else None

    def kept(self, record, *, hearers=None):
        """Return a decision as the store has it, once it went well."""
        memory = experience_of(self.script_of_mara, self.mara)
        self.successResultOf(memory.set_reward(record.id, 1.0))
        found = self.successResultOf(memory.lessons(record.title, 50, hearers=hearers)).precedents
        return next((one.decision for one in found if one.decision.id == record.id), None)


class ActionTests(RecordingTestCase):
    def test_what_a_turn_did(self):
        for fields, expected in (
            ({"spoken": ["Hi."]}, "say"),
            ({"spoken": ["Hi."], "private": True}, "whisper"),
            ({"spoken": ["Hi."], "used": [("look", "safe_chain")]}, "say"),
            ({"spoken": ["Hi."], "used": [("give", "dangerous")]}, "give"),
            ({"used": [("give", "dangerous")]}, "give"),
            ({"used": [("ring_bell", "terminal")]}, "ring_bell"),
            ({"used": [("noop", "terminal")]}, "noop"),
            ({"used": [("follow", "dangerous"), ("noop", "terminal")]}, "follow"),
        ):
            with self.subTest(fields):
                self.assertEqual(self.noted(**fields).action, expected)

    def test_what_decided_nothing(self):
        for fields in (
            {},
            {"used": [("look", "safe_chain")]},
            {"used": [("say", "terminal")]},
            {"spoken": ["Forgive me."], "excused": True},
            {"used": [("give", "dangerous")], "excused": True},
            {"kind": "leave", "text": "leaves", "used": [("noop", "terminal")]},
            {"spoken": ["Hi."], "script": None},
            {"spoken": ["Hi."], "character": None},
        ):
            with self.subTest(fields):
                self.assertIsNone(self.noted(**fields))

    def test_what_nobody_caused_is_a_decision_that_nobody_will_answer(self):
        record = self.noted(kind="quest_done", text="", actor=False, spoken=["At last."])
        self.assertEqual((record.actor, record.title), ("", "quest_done"))
        self.assertEqual(self.kept(record).metrics_snapshot, {})


class AudienceTests(RecordingTestCase):
    def test_it_is_for_those_who_may_know_all_that_the_turn_drew_on(self):
        """D13: its reasoning holds words, so it is for nobody else."""
        for fields, expected in (
            ({}, "public"),
            ({"heard_by": ["ann", "mara"]}, ["ann", "mara"]),
            ({"audience": ["ann", "mara"]}, ["ann", "mara"]),
            ({"audience": ["ann", "mara"], "heard_by": ["bob", "mara"]}, ["mara"]),
            ({"audience": ["ann"], "heard_by": ["bob"]}, []),
        ):
            with self.subTest(fields):
                record = self.noted(spoken=["Hi."], **fields)
                hearers = ["mara"] if "mara" in expected else expected
                if expected == "public":
                    hearers = ["anybody"]
                self.assertEqual(self.kept(record, hearers=hearers).audience, expected)
                if expected != "public":
                    self.assertIsNone(self.kept(record, hearers=["somebody else"]))

    def test_all_events_of_the_turn_count(self):
        turn = self.turn(spoken=["Hi."])
        turn.events = [*turn.events, structs.replace(turn.event, id="2", audience=["ann"])]
        turn_decisions.note_turn(turn)
        [record] = turn_decisions.recent(self.script_of_mara)
        self.assertIsNone(self.kept(record))
        self.assertEqual(self.kept(record, hearers=["ann"]).audience, ["ann"])

    def test_of_what_has_only_the_occasion_in_common_with_others_nothing_is_expected(self):
        """D1: how it was expected to go is what is held against how it went."""
        hopes = []
        for words in ("My horse limps.", "A dragon burns the mill!", "My horse limps again."):
            hopes.append(self.kept_hope(self.noted(spoken=["Hm."], text=words)))
        self.assertEqual(hopes[:2], [0.0, 0.0])
        self.assertGreater(hopes[2], 0.5)

    def kept_hope(self, record):
        """Return how a decision was expected to go, and let it have gone well."""
        memory = experience_of(self.script_of_mara, self.mara)
        self.successResultOf(memory.set_reward(record.id, 1.0))
        return self.successResultOf(memory.dump())["decisions"][-1]["data"]["hope"]

    def test_words_of_speech_are_kept_and_no_others(self):
        for fields, expected in (
            ({"text": "Hello!"}, ("Hello!", 'I said "Hi."')),
            ({"kind": "pose", "text": "smiles"}, ("", 'I said "Hi."')),
            ({"kind": "tell", "text": "Psst."}, ("Psst.", 'I said "Hi."')),
        ):
            with self.subTest(fields):
                record = self.noted(spoken=["Hi."], **fields)
                kept = self.kept(record)
                self.assertEqual((kept.words, kept.reasoning), expected)


class SituationTests(RecordingTestCase):
    def test_numbers_describe_it_as_it_was_when_the_prompt_was_written(self):
        turn = self.turn(context={"speaker": {"favorability": 0.35}})
        first = turn_decisions.situation(turn)
        self.assertEqual(first.metrics, {"favorability": 35.0})
        turn.context["speaker"]["favorability"] = 0.9
        self.assertEqual(turn_decisions.situation(turn).metrics, {"favorability": 35.0})

    def test_whoever_it_does_not_know_is_regarded_as_nobody(self):
        self.assertEqual(turn_decisions.favorability(self.mara, "uuid-nobody"), 0.0)

    def test_goals_count_where_there_are_any(self):
        kept_goals.add_goal(self.script_of_mara, "Find the crown")
        kept_goals.update_goal(self.script_of_mara, 1, progress=30)
        self.assertEqual(
            turn_decisions.situation(self.turn()).metrics,
            {"favorability": 0.0, "goal_progress": 30.0},
        )


class ScopeTests(RecordingTestCase):
    def test_an_assistant_draws_on_its_own_experience(self):
        key = self.script_of_mara.assistant_key
        self.assertEqual(experience_of(self.script_of_mara, self.mara).scope, key)
        self.noted(spoken=["Hi."])
        tom = minds.make_assistant("Tom", location=self.room1)
        other = experience_of(minds.scripts.find(tom), tom)
        self.assertEqual(self.successResultOf(other.get_stats())["total_memories"], 0)

    def test_a_builder_names_a_group_in_any_case(self):
        for written, scope in (("Watch", "group:watch"), (" watch ", "group:watch")):
            npc_settings.grant(self.mara, experience_scope=written)
            self.assertEqual(experience_of(self.script_of_mara, self.mara).scope, scope)
        npc_settings.grant(self.mara, experience_scope="  ")
        key = self.script_of_mara.assistant_key
        self.assertEqual(experience_of(self.script_of_mara, self.mara).scope, key)


class StateTests(RecordingTestCase):
    def given(self, words, **context):
        """Return the situation that somebody's words make."""
        return turn_decisions.situation(self.turn(text=words, context={"place": "Inn", **context}))

    def test_what_was_done_in_the_like_state_is_found_first(self):
        """D44: the state makes one of the like unlike another."""
        night = {"time": "night, 23:10"}
        memory = experience_of(self.script_of_mara, self.mara)
        for words, context, action in (
            ("You idiot, hic!", {}, "soothe"),
            ("YOU IDIOT!!", {}, "call_help"),
            ("You idiot.", {}, "warn"),
            ("You idiot.", night, "distract"),
        ):
            given = self.given(words, **context)
            title, metrics = given.conflict_title, given.metrics
            self.successResultOf(
                memory.store_decision(title, action, "relationship", 0.6, metrics, "Easy now.")
            )
        for words, context, expected in (
            ("You are a fool, hick!", {}, "soothe"),
            ("YOU ARE A FOOL!!", {}, "call_help"),
            ("You are a fool.", {}, "warn"),
            ("You are a fool.", night, "distract"),
        ):
            given = self.given(words, **context)
            found = self.successResultOf(memory.lessons(given.conflict_title))
            with self.subTest(words, **context):
                self.assertEqual(found.precedents[0].decision.action_type, expected)
