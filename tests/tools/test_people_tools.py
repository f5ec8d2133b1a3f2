"""Tests of what an assistant can recall and note about people."""

from evennia.objects.objects import DefaultCharacter, DefaultObject
from evennia.utils.create import create_object
from msgspec import structs

from evennia_ai.exceptions import ToolError
from evennia_ai.memory import identity, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.tools import people_tools, registry
from tests.memory.profiles import add_fact
from tests.tools.doubles import ToolTestCase, TurnDouble


def masked(npc, obj):
    """The IDENTIFY of a game with masks."""
    return f"mask-{obj.id}" if obj.db.masked else identity.identity_of(obj)


class ListeningTurn(TurnDouble):
    """A turn that knows who listens, and who may know what has gone into it."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.hearers = frozenset({identity.identity_of(self.speaker)})


class EntityToolCase(ToolTestCase):
    def setUp(self):
        super().setUp()
        self.ann_id, self.tom_id, self.npc_id = map(
            identity.identity_of, (self.ann, self.tom, self.npc)
        )
        self.turn = ListeningTurn(self.npc, self.script, speaker=self.ann)
        self.turn.event = structs.replace(
            self.turn.event, said_by=self.ann_id, actor_id=self.ann.id, actor_name="Ann"
        )

    def create_cast(self):
        super().create_cast()
        self.ann = create_object(DefaultCharacter, key="Ann", location=self.room1)
        self.tom = create_object(DefaultCharacter, key="Old Tom", location=self.room1)

    def profile(self, who):
        return entity_profiles.find_profile(self.npc, who)

    def observe(self, who, content, *, known="public", **fields):
        entity_profiles.add_entity_observation(self.npc, who, content, audience=known, **fields)

    def between(self, *identities):
        return sorted([*identities, self.npc_id])


class ToolsTests(EntityToolCase):
    def test_there_are_six_and_one_of_ours_and_all_may_be_chained(self):
        """E33 E34 E35 E36 E37 E38: the names of the source."""
        module = "evennia_ai.tools.people_tools"
        with self.settings_ai(TOOL_MODULES=[module]):
            tools = registry.all_tools()
        self.assertEqual(
            {name: tool.category.value for name, tool in tools.items()},
            dict.fromkeys(
                [
                    "recall_entity_profile",
                    "update_entity_observation",
                    "update_relationship",
                    "start_entity_conversation",
                    "recall_conversation_context",
                    "add_pending_action",
                    "finish_pending_action",
                ],
                "safe_chain",
            ),
        )

    def test_each_takes_what_the_source_says(self):
        """E33 E34 E35 E36 E37 E38 C-42: parameters, and which of them are required."""
        expected = {
            people_tools.RecallEntityProfile: (["entity_id"], ["entity_id"]),
            people_tools.UpdateEntityObservation: (
                ["entity_id", "content", "source"],
                ["entity_id", "content"],
            ),
            people_tools.UpdateRelationship: (
                ["entity_id", "delta", "reason"],
                ["entity_id", "delta"],
            ),
            people_tools.StartEntityConversation: (["entity_id", "topic"], ["entity_id"]),
            people_tools.RecallConversationContext: (["entity_id"], ["entity_id"]),
            people_tools.AddPendingAction: (
                ["entity_id", "action", "minutes", "priority"],
                ["entity_id", "action"],
            ),
        }
        for tool, (names, required) in expected.items():
            with self.subTest(tool.name):
                parameters = tool().schema()["parameters"]
                self.assertEqual([*parameters["properties"], *tool.left_out], names)
                self.assertEqual(parameters["required"], required)


class NamingTests(EntityToolCase):
    def named(self, name):
        return people_tools.entity_named(self.turn, name).identity

    def test_whoever_speaks_goes_before_others_of_the_same_name(self):
        create_object(DefaultCharacter, key="Ann", location=self.room1)
        self.assertEqual(self.named(" ann "), self.ann_id)

    def test_somebody_in_the_room_is_found(self):
        self.assertEqual(self.named("Old Tom"), self.tom_id)

    def test_somebody_known_is_found_from_afar(self):
        self.observe(self.tom, "Is old.")
        self.tom.location = self.room2
        self.assertEqual(self.named("old tom"), self.tom_id)

    def test_a_thing_called_after_somebody_is_not_that_person(self):
        self.observe(self.tom, "Is old.")
        self.tom.location = self.room2
        hat = create_object(DefaultObject, key="Old Tom's hat", location=self.room1)
        # As a turn finds it: by a part of its name.
        self.turn.find = lambda name: hat
        self.assertEqual(self.named("Old Tom"), self.tom_id)
        self.assertEqual(self.named("hat"), identity.identity_of(hat))

    def test_nobody_and_several_are_refused(self):
        for number in range(2):
            entity_profiles.create_entity_profile(self.npc, f"joe-{number}", name="Joe")
        for name, problem in [
            ("Nemo", "0 things are called Nemo."),
            ("Joe", 'You know 2 who are called "Joe"; none of them is here.'),
            ("  ", "Say who is meant."),
        ]:
            with self.subTest(name):
                refusal = self.refused(people_tools.RecallEntityProfile, entity_id=name)
                self.assertEqual(refusal, problem)

    def test_a_mask_is_somebody_else(self):
        self.observe(self.tom, "Is a thief.")
        with self.settings_ai(IDENTIFY="tests.tools.test_people_tools.masked"):
            self.tom.db.masked = True
            self.tom.key = "A masked man"
            self.assertEqual(self.named("A masked man"), f"mask-{self.tom.id}")
            told = self.use(people_tools.RecallEntityProfile, entity_id="A masked man")
        self.assertEqual(told, 'You know nothing of "A masked man".')


class RecallTests(EntityToolCase):
    def recall(self, name="Ann"):
        return self.use(people_tools.RecallEntityProfile, entity_id=name)

    def test_profile_and_recent_observations_newest_first(self):
        """E33: the profile and recent observations; what is uncertain is marked."""
        self.observe(self.ann, "Likes tea.")
        self.observe(self.ann, 'Said "hello".', told_by="bob")
        entity_profiles.update_relationship(self.npc, self.ann, 0.1)
        self.assertEqual(
            self.recall(),
            '"Ann" (npc): to you, a stranger.\n'
            '- 1970-01-01 (not certain): "Said \\"hello\\"."\n'
            '- 1970-01-01: "Likes tea."',
        )

    def test_attributes_come_first_and_state_in_words(self):
        with self.settings_ai(FAVORABILITY={"call": 1.0, "day": 1.0}):
            entity_profiles.update_relationship(self.npc, self.ann, 0.8)
        add_fact(self.npc, self.ann, "tea", type="preference")
        self.observe(self.ann, "Is tall.")
        lines = self.recall().split("\n")
        self.assertEqual(lines[0], '"Ann" (npc): to you, an ally.')
        self.assertEqual(lines[1:], ['- preference: "tea"', '- 1970-01-01: "Is tall."'])

    def test_ten_are_shown(self):
        for number in range(12):
            self.observe(self.ann, f"fact {number}")
        lines = self.recall().split("\n")
        self.assertEqual((len(lines), lines[-1]), (11, '- 1970-01-01: "fact 2"'))

    def test_a_secret_is_told_to_its_owner_only_and_marks_the_turn(self):
        self.observe(self.ann, "Hides a crown.", known=self.between(self.ann_id))
        self.observe(self.ann, "Likes tea.")
        self.turn.hearers = frozenset({self.ann_id, self.tom_id})
        self.assertNotIn("crown", self.recall())
        self.assertEqual(self.turn.audience, "public")
        self.turn.hearers = frozenset({self.ann_id})
        self.assertIn("crown", self.recall())
        self.assertEqual(self.turn.audience, self.between(self.ann_id))

    def test_secrets_do_not_push_out_what_may_be_told(self):
        self.observe(self.ann, "Likes tea.")
        for number in range(12):
            self.observe(self.ann, f"secret {number}", known=self.between(self.tom_id))
        self.assertIn("Likes tea.", self.recall())

    def test_asking_about_a_stranger_notes_nothing(self):
        self.assertEqual(self.recall("Old Tom"), 'You know nothing of "Old Tom".')
        self.assertIsNone(self.profile(self.tom))


class ObserveTests(EntityToolCase):
    def note(self, name="Ann", content="Likes tea.", **arguments):
        tool = people_tools.UpdateEntityObservation
        return self.use(tool, entity_id=name, content=content, **arguments)

    def test_an_observation_is_added_with_where_it_is_from(self):
        """E34: a new observation, under the event that it was drawn from."""
        self.assertEqual(self.note(), 'Noted about "Ann".')
        [noted] = self.profile(self.ann).observations
        self.assertEqual((noted.content, noted.source), ("Likes tea.", "direct"))
        self.assertEqual((noted.event_id, noted.said_by), ("1", self.ann_id))
        self.assertEqual((noted.source_trust, noted.audience), (0.9, "public"))
        self.assertEqual(self.profile(self.ann).name, "Ann")

    def test_what_one_tells_about_another_is_hearsay(self):
        self.note("Old Tom", "Is a thief.", source="told")
        self.note("Old Tom", "Is rich.")
        trusts = [one.source_trust for one in self.profile(self.tom).observations]
        self.assertEqual(trusts, [0.6, 0.6])

    def test_without_words_that_were_spoken_nobody_told_it(self):
        self.turn.event = structs.replace(self.turn.event, kind="arrive")
        self.note("Old Tom", "Limps.")
        self.note("Old Tom", "Was a soldier.", source="told")
        first, second = self.profile(self.tom).observations
        self.assertEqual((first.said_by, first.source_trust), ("", 0.9))
        self.assertEqual((second.said_by, second.source_trust), ("", 0.6))

    def test_it_may_be_known_to_no_more_than_what_it_was_drawn_from(self):
        self.turn.event = structs.replace(
            self.turn.event, audience=self.between(self.ann_id, self.tom_id)
        )
        self.turn.include(self.between(self.ann_id))
        self.note()
        [noted] = self.profile(self.ann).observations
        self.assertEqual(noted.audience, self.between(self.ann_id))

    def test_words_are_needed_and_sources_are_three(self):
        """E8: direct, inferred, told."""
        tool = people_tools.UpdateEntityObservation
        self.assertEqual(
            self.refused(tool, entity_id="Ann", content=" "), "content must say what you noticed."
        )
        self.assertEqual(
            self.refused(tool, entity_id="Ann", content="x", source="dreamt"),
            'source must be one of direct, inferred, told, not "dreamt".',
        )
        self.assertIsNone(self.profile(self.ann))


class RelationshipTests(EntityToolCase):
    def adjust(self, delta, **arguments):
        return self.use(people_tools.UpdateRelationship, entity_id="Ann", delta=delta, **arguments)

    def test_favorability_is_adjusted(self):
        """E35: favorability changes, and the mind learns the state."""
        self.assertEqual(self.adjust(0.1, reason="Helped me."), 'You like "Ann" a little more now.')
        regarded = self.profile(self.ann).relationship
        self.assertEqual(regarded.favorability, 0.1)
        self.assertEqual(regarded.history[0].reason, "Helped me.")
        self.adjust("-0.05")
        self.assertEqual(self.profile(self.ann).relationship.favorability, 0.05)

    def test_more_than_a_tenth_is_refused(self):
        """E16 C-27: an error beyond ±0.1."""
        for delta in (0.11, -0.2, 5):
            with self.subTest(delta=delta):
                self.assertEqual(
                    self.refused(people_tools.UpdateRelationship, entity_id="Ann", delta=delta),
                    f"delta must be between -0.1 and 0.1, not {float(delta)}.",
                )
        self.assertIsNone(self.profile(self.ann))

    def test_nobody_talks_themselves_into_friendship_in_a_day(self):
        for _ in range(20):
            self.adjust(0.1)
        self.assertEqual(self.profile(self.ann).relationship.favorability, 0.2)


class ConversationTests(EntityToolCase):
    def start(self, topic="the old mill"):
        return self.use(people_tools.StartEntityConversation, entity_id="Ann", topic=topic)

    def recall(self):
        return self.use(people_tools.RecallConversationContext, entity_id="Ann")

    def test_a_conversation_is_begun_and_taken_up_again(self):
        """E36: start_entity_conversation."""
        self.assertEqual(self.start(), 'You begin a conversation with "Ann" about "the old mill".')
        self.assertEqual(self.start(""), 'You take up your conversation with "Ann".')
        kept = working_memory.get_conversation_context(self.npc, self.ann)
        self.assertEqual((kept.topic, kept.topic_audience), ("the old mill", "public"))

    def test_topic_lines_and_plans_are_recalled(self):
        """E25 E37: the active conversation."""
        self.start()
        say = working_memory.add_conversation_message
        say(self.npc, self.ann, "Who owns it?", "user", name="Ann", audience="public")
        say(self.npc, self.ann, "Nobody.", "assistant", audience="public")
        self.use(people_tools.AddPendingAction, entity_id="Ann", action="show the way", priority=3)
        self.use(people_tools.AddPendingAction, entity_id="Ann", action="warn her", priority=8)
        self.assertEqual(
            self.recall(),
            'Your conversation with "Ann":\n'
            'Topic: "the old mill".\n'
            '"Ann": "Who owns it?"\n'
            'You said: "Nobody."\n'
            'You meant to: "warn her" (priority 8).\n'
            'You meant to: "show the way" (priority 3).',
        )

    def test_what_was_whispered_is_not_recalled_before_others(self):
        secret = self.between(self.ann_id)
        self.turn.event = structs.replace(self.turn.event, audience=secret)
        self.start("the crown")
        self.use(people_tools.AddPendingAction, entity_id="Ann", action="dig for the crown")
        say = working_memory.add_conversation_message
        say(self.npc, self.ann, "It is in the well, the crown.", "user", audience=secret)
        self.turn.hearers = frozenset({self.ann_id, self.tom_id})
        self.assertEqual(self.recall(), 'Your conversation with "Ann":')
        self.assertEqual(self.turn.audience, "public")
        self.turn.hearers = frozenset({self.ann_id})
        self.assertEqual(self.recall().count("crown"), 3)
        self.assertEqual(self.turn.audience, secret)

    def test_with_a_stranger_there_is_none(self):
        self.assertEqual(self.recall(), 'You are in no conversation with "Ann".')


class PendingTests(EntityToolCase):
    def test_with_minutes_it_is_reminded_for_the_same_ears_or_keeps_nothing(self):
        secret = self.between(self.ann_id)
        self.turn.event = structs.replace(self.turn.event, audience=secret)
        asked = {"entity_id": "Ann", "action": "dig"}
        self.assertEqual(
            self.refused(people_tools.AddPendingAction, minutes=-1, **asked),
            "minutes must be between 1 and 10080.",
        )
        self.assertEqual(
            self.use(people_tools.AddPendingAction, minutes=30, **asked),
            'You keep in mind, for "Ann": "dig". You will be reminded in 30 minutes.',
        )
        [reminder] = assistant.reminders(self.script)
        self.assertEqual((reminder.text, reminder.audience), ("dig", secret))
        kept = working_memory.get_conversation_context(self.npc, self.ann)
        self.assertEqual([one.action for one in kept.pending_actions], ["dig"])

    def test_its_schema_leaves_out_what_may_be_given_all_the_same(self):
        """`left_out`: each word of a schema is paid for with every call."""
        shown = people_tools.AddPendingAction().schema()["parameters"]
        self.assertEqual(list(shown["properties"]), ["entity_id", "action", "minutes"])
        self.use(people_tools.AddPendingAction, entity_id="Ann", action="dig", priority=9)
        kept = working_memory.get_conversation_context(self.npc, self.ann)
        self.assertEqual([one.priority for one in kept.pending_actions], [9])

    def test_an_action_is_kept_with_its_priority(self):
        """E38: add_pending_action."""
        tool = people_tools.AddPendingAction
        self.assertEqual(
            self.use(tool, entity_id="Ann", action=" bring ale ", priority=7),
            'You keep in mind, for "Ann": "bring ale".',
        )
        kept = working_memory.get_conversation_context(self.npc, self.ann).pending_actions
        self.assertEqual(
            [(one.action, one.priority, one.audience) for one in kept],
            [("bring ale", 7, "public")],
        )

    def test_actions_need_words_and_priorities_have_bounds(self):
        tool = people_tools.AddPendingAction
        self.assertEqual(
            self.refused(tool, entity_id="Ann", action=" "), "action must say what you mean to do."
        )
        for priority in (0, 11):
            with self.subTest(priority=priority):
                self.assertEqual(
                    self.refused(tool, entity_id="Ann", action="x", priority=priority),
                    f"priority must be between 1 and 10, not {priority}.",
                )

    def offered(self):
        return "finish_pending_action" in [tool.name for tool in registry.offered(self.turn)]

    def test_nobody_pushes_out_what_was_promised_to_somebody_else(self):
        for number in range(working_memory.PENDING_LIMIT):
            working_memory.add_pending_action(self.npc, self.ann, f"bring ale {number}", 1)
        self.turn.event = structs.replace(self.turn.event, said_by=self.tom_id, actor_name="Tom")
        with self.assertRaisesRegex(ToolError, 'You already mean to do enough for "Ann".'):
            self.use(people_tools.AddPendingAction, entity_id="Ann", action="rob her", priority=10)
        self.turn.event = structs.replace(self.turn.event, said_by=self.ann_id, actor_name="Ann")
        self.use(people_tools.AddPendingAction, entity_id="Ann", action="bring bread", priority=10)
        kept = working_memory.get_conversation_context(self.npc, self.ann).pending_actions
        self.assertEqual((len(kept), kept[-1].action), (20, "bring bread"))

    def test_what_is_done_is_struck_out_and_only_for_whom_it_was_promised(self):
        """E24 E38: it is offered while there is something to do for whoever speaks."""
        working_memory.add_pending_action(self.npc, self.ann, "bring ale", 5, audience="public")
        self.turn.event = structs.replace(self.turn.event, said_by=self.tom_id)
        self.assertFalse(self.offered())
        with self.assertRaisesRegex(ToolError, "You did not mean to do"):
            self.use(people_tools.FinishPendingAction, action="bring ale")
        self.turn.event = structs.replace(self.turn.event, said_by=self.ann_id)
        self.assertTrue(self.offered())
        done = self.use(people_tools.FinishPendingAction, action="Bring ale.")
        self.assertEqual(done, 'You no longer have that to do: "Bring ale.".')
        self.assertFalse(self.offered())
