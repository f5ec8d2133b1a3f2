"""One who talks on and on makes an NPC forget nothing that somebody else told it."""

from twisted.internet.defer import fail

from evennia_ai import tick
from evennia_ai.agent.revising import making_room
from evennia_ai.commands.shown import npcs
from evennia_ai.memory import journal, journal_pages
from evennia_ai.semantic import base
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing import minds
from tests.audience_paths import LeakTestCase

# Of all that is said these matter least.
WHISPER = "My sister is called Ilse."
NEWS = "Mara, the door of the shed is green."


class FloodTestCase(LeakTestCase):
    """Char tells two things, of which one in confidence; then Char2 talks to the room."""

    settings = {}

    def sync(self):
        """What is noted waits for sleep."""

    def setUp(self):
        super().setUp()
        self.configure(JOURNAL_MAX_ENTRIES=20, **self.settings)
        self.mind = minds.script_llm("I see.", repeat=True)
        self.do(self.char1, f"whisper Mara = {WHISPER}", wait=3)
        self.do(self.char1, f"say {NEWS}", wait=3)
        self.told = [entry.id for entry in journal.entries(self.mara)]
        self.assertEqual(len(self.told), 2)
        for entry_id in self.told:
            journal.rescore(self.mara, {entry_id: 4})

    def flood(self, lines=40, *, ticks=True):
        for number in range(lines):
            self.char2.execute_cmd(
                f"say The war has begun, dragon {number} killed the duke of place{number}."
            )
            self.wait(0.3)
            if ticks and number % 3 == 0:
                tick.run_tick(self.script_of_mara)
                self.wait(0.1)

    def by(self):
        """Return who told what the journal has, in its order."""
        return [one.said_by for one in journal.entries(self.mara)]


class FloodTests(FloodTestCase):
    def kept(self):
        """Return what long-term memory has, as texts."""
        found = base.get_memory().get_all(assistant_key=self.script_of_mara.assistant_key)
        return [item.text for item in self.successResultOf(found)]

    def test_what_another_told_stays_and_what_goes_is_in_long_term_memory(self):
        self.flood()
        there = journal.entries(self.mara)
        self.assertEqual([one.id for one in there if one.said_by == self.first], self.told)
        self.assertGreaterEqual(journal_pages.load_head(self.mara).evicted, 20)
        self.assertEqual(journal.lost(self.mara), 0)
        texts = [one.content for one in there] + self.kept()
        for number in range(40):
            self.assertIn(f"dragon {number} killed", str(texts))

    def test_nobody_is_asked_for_it(self):
        asked = len(self.mind.requests)
        self.flood()
        self.assertEqual(len(self.mind.requests), asked)

    def test_between_two_ticks_it_costs_only_whoever_talks(self):
        self.flood(ticks=False)
        self.assertEqual(self.by().count(self.first), 2)
        self.assertEqual((len(self.by()), journal.lost(self.mara)), (24, 18))

    def test_where_long_term_memory_cannot_be_reached_nothing_is_marked_as_kept(self):
        full = lambda *args, **kwargs: fail(MemoryUnavailable("no disk."))  # noqa: E731
        self.patch(base.get_memory(), "add", full)
        self.flood(22)
        self.assertEqual(journal.count(self.mara, "consolidated"), 0)
        self.assertIn(f"the journal of #{self.mara.id} is full: no disk.", str(self.log))
        self.assertEqual((len(self.by()), self.by().count(self.first)), (24, 2))

    def test_with_room_nothing_is_done(self):
        self.flood(3)
        self.assertFalse(making_room.is_needed(self.mara))
        self.assertEqual(self.kept(), [])


class WithoutLongTermMemoryTests(FloodTestCase):
    """It is not installed, or switched off: then some is lost, of whoever talked most."""

    settings = {"SEMANTIC": {"default": None}}

    def test_what_another_told_stays(self):
        self.flood()
        self.assertEqual((len(self.by()), self.by().count(self.first)), (24, 2))
        self.assertEqual(journal.lost(self.mara), 18)

    def test_staff_are_told(self):
        self.flood()
        shown = npcs.status_of(self.mara, self.char1)["problems"]
        self.assertEqual(
            shown,
            [
                "Its journal let 18 of its entries go that were kept nowhere else: Semantic memory is "
                "switched off in the settings."
            ],
        )
