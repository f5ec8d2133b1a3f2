"""What is due is told to whom it is for: now, or as they come in; and never to others."""

from datetime import timedelta

from evennia_ai import scheduling
from evennia_ai.core.records import Reminder, format_time
from evennia_ai.memory import working_memory
from evennia_ai.memory.state import assistant
from evennia_ai.testing import minds
from tests.agent.cases import words
from tests.domain.lines import OF_THE_GAME
from tests.life.test_occasions import OccasionTestCase


class DueTests(OccasionTestCase):
    def setUp(self):
        super().setUp()
        self.mind = minds.script_llm("It is time.", repeat=True)

    def asks(self, text="the rope is ready", audience="public", said_by=""):
        reminder = Reminder(
            sources=OF_THE_GAME,
            due=format_time(scheduling.now() + timedelta(minutes=5)),
            text=text,
            said_by=said_by or self.second,
            actor_id=self.char2.id,
            actor_name="Char2",
            audience=audience,
        )
        assistant.add_reminder(self.script_of_mara, reminder)

    def meant(self):
        kept = working_memory.get_conversation_context(self.mara, self.second)
        return [(one.action, one.audience) for one in working_memory.still_pending(kept)]

    def test_whoever_is_there_is_told_when_it_is_due(self):
        self.asks()
        self.wait(301)
        self.ticks()
        self.assertEqual(words(self.bob), ['Mara says, "It is time."'])
        self.assertEqual(assistant.reminders(self.script_of_mara), [])
        told = self.mind.requests[0].messages[-1]["content"]
        self.assertIn("you may say so to Char2: the rope is ready)", told)

    def test_who_is_away_is_told_as_they_come_in(self):
        self.asks()
        self.char2.location = None
        self.wait(301)
        self.ticks()
        self.assertEqual(self.mind.requests, [])
        self.assertEqual(self.meant(), [("the rope is ready", "public")])
        self.wait(60)
        self.char2.location = self.room1
        self.ticks()
        self.assertEqual(words(self.bob), ['Mara says, "It is time."'])
        told = self.mind.requests[0].messages[-1]["content"]
        self.assertIn("the rope is ready", told)

    def test_who_is_hidden_is_told_as_they_show_themselves(self):
        self.asks()
        self.char2.locks.add("view:false()")
        self.wait(301)
        self.ticks()
        self.assertEqual(
            (self.mind.requests, self.meant()), ([], [("the rope is ready", "public")])
        )
        self.wait(60)
        self.char2.locks.add("view:all()")
        self.ticks()
        self.assertEqual(words(self.bob), ['Mara says, "It is time."'])

    def test_what_was_asked_for_under_a_mask_is_not_told_to_the_bare_face(self):
        self.configure(IDENTIFY="tests.life.test_due.masked")
        self.asks(said_by="mask")
        self.wait(301)
        self.ticks()
        self.assertEqual(self.mind.requests, [])
        kept = working_memory.get_conversation_context(self.mara, "mask")
        self.assertEqual([one.action for one in kept.pending_actions], ["the rope is ready"])

    def test_what_was_asked_in_confidence_stays_so(self):
        self.asks(audience=[self.second])
        self.char2.location = None
        self.wait(301)
        self.ticks()
        self.assertEqual(self.meant(), [("the rope is ready", [self.second])])

    def test_what_it_means_to_do_anyway_it_means_once(self):
        self.promises(self.char2, "tell that the rope is ready")
        self.asks("the rope is ready")
        self.char2.location = None
        self.wait(301)
        self.ticks()
        self.assertEqual(len(self.meant()), 1)

    def test_what_is_due_for_nobody_is_said_to_nobody(self):
        moment = format_time(scheduling.now())
        reminder = Reminder(sources=OF_THE_GAME, due=moment, text="feed the cat", audience="public")
        assistant.add_reminder(self.script_of_mara, reminder)
        self.char1.location = self.char2.location = None
        self.ticks()
        self.assertEqual(self.mind.requests, [])


def masked(npc, obj):
    """What IDENTIFY is where a mask can be put on and taken off: all have taken theirs off."""
    return f"face-of-{obj.id}"
