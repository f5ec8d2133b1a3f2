"""Who asks to be forgotten takes nothing along of what others said, whatever word their name is."""

from evennia_ai.agent.revising import forgetting
from evennia_ai.core.records import Reminder
from evennia_ai.experience import base as experience
from evennia_ai.memory import journal, kinds, repository, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.semantic import base
from evennia_ai.testing import minds
from tests.audience_paths import LeakTestCase
from tests.domain.lines import OF_THE_GAME

# What others speak of, as a name of a character: in rpsystem it is as easy as `sdesc crown`.
NAME = "crown"
LINES = (
    "say Mara, the crown was stolen by the baron at midnight.",
    "whisper Mara = I saw the baron carry the crown to the mill.",
)


class OverheardTests(LeakTestCase):
    def setUp(self):
        super().setUp()
        self.bertil = minds.make_assistant("Bertil", location=self.room1)
        minds.script_llm("Hello, Char. You hid the marzipan under the stair, you say.", repeat=True)
        self.do(self.char1, "say Mara, I hid the marzipan under the stair.", wait=3)
        self.do(self.char2, "say Mara, the baron stole a marzipan pig from Char.", wait=3)

    def kept(self, npc):
        noted = [entry.content for entry in journal.entries(npc)]
        return [*noted, *(line.text for line in working_memory.all_lines(npc))]

    def forget(self):
        done = forgetting.ask(self.char1)
        self.wait(8)
        self.successResultOf(done)

    def test_what_one_assistant_repeated_goes_from_those_who_heard_it(self):
        """Its words are no witness to them: they are from whoever is forgotten."""
        self.assertIn("under the stair", f"{self.kept(self.bertil)}")
        self.assertIn("Hello, Char", f"{self.kept(self.bertil)}")
        self.forget()
        for npc in (self.mara, self.bertil):
            with self.subTest(npc.key):
                self.assertNotIn("under the stair", f"{self.kept(npc)}")
                self.assertNotIn("Hello, Char", f"{self.kept(npc)}")

    def test_what_other_players_said_stays_there_as_well(self):
        self.forget()
        for npc in (self.mara, self.bertil):
            with self.subTest(npc.key):
                self.assertIn("the baron stole a marzipan pig from Char", f"{self.kept(npc)}")

    def test_so_it_does_of_an_assistant_that_was_switched_off_meanwhile(self):
        assistant.enable(self.script_of_mara, enabled=False)
        self.forget()
        self.assertNotIn("under the stair", f"{self.kept(self.bertil)}")

    def test_so_it_does_of_an_assistant_that_was_deleted_before(self):
        """Else its words would stand for those of somebody else, and keep what they repeat."""
        self.assertIn("under the stair", f"{self.kept(self.bertil)}")
        self.mara.delete()
        self.wait(2)
        self.forget()
        self.assertNotIn("under the stair", f"{self.kept(self.bertil)}")
        self.assertNotIn("Hello, Char", f"{self.kept(self.bertil)}")
        self.assertIn("the baron stole a marzipan pig from Char", f"{self.kept(self.bertil)}")


class NameThatIsAWordTests(LeakTestCase):
    def setUp(self):
        super().setUp()
        minds.script_llm("I see.", repeat=True)
        for line in LINES:
            self.do(self.char1, line, wait=3)
        entity_profiles.add_entity_observation(
            self.mara, self.char1, "They seek the crown.", audience="public", told_by=self.first
        )
        reminder = Reminder(
            sources=OF_THE_GAME,
            due="2040-01-01T00:00:00.000Z",
            text="fetch the crown",
            said_by=self.first,
            audience="public",
        )
        assistant.add_reminder(self.script_of_mara, reminder)
        repository.save(self.mara, kinds.SET_ASIDE, ['7 {"content": "The crown'], "journal/p")
        self.char2.key = NAME

    def kept(self):
        """Return all that Mara has from Char, by where it is."""
        key = self.script_of_mara.assistant_key
        told = self.successResultOf(base.get_memory().get_all(assistant_key=key))
        dumped = self.successResultOf(experience.get_experience(key).dump())
        known = entity_profiles.find_profile(self.mara, self.first)
        return {
            "journal": [entry.content for entry in journal.entries(self.mara)],
            "talk": [line.text for line in working_memory.all_lines(self.mara) if not line.mine],
            "long term": sorted(one.text for one in told),
            "people": [one.content for one in known.observations],
            "reminders": [one.text for one in assistant.reminders(self.script_of_mara)],
            "waiting": [one.text for one in assistant.pending_events(self.script_of_mara)],
            "experience": sorted(one["data"]["words"] for one in dumped["decisions"]),
            "set aside": repository.load(self.mara, kinds.SET_ASIDE, "journal/p"),
        }

    def forget(self, npc=None):
        if npc is None:
            done = forgetting.ask(self.char2)
        else:
            target = forgetting.person(npc, self.char2)
            done = forgetting.forget(npc, self.script_of_mara, target)
        self.wait(5)
        self.successResultOf(done)

    def test_nothing_that_others_said_goes(self):
        """In no kind; nor what was promised to them, or done for them."""
        before = self.kept()
        for place in ("journal", "talk", "long term", "people", "reminders", "experience"):
            self.assertIn(NAME, str(before[place]), place)
        self.forget(self.mara)
        self.assertEqual(self.kept(), before)
        self.forget()
        self.assertEqual(self.kept(), before)

    def test_a_question_that_waits_is_answered(self):
        """What was asked is no less somebody's own than what was told."""
        minds.script_llm("It is lost.", repeat=True)
        self.do(self.char1, "say Mara, where is the crown?", wait=0.2)
        self.forget(self.mara)
        self.wait(3)
        self.assertIn("It is lost.", " ".join(text for _, text in self.ann))
