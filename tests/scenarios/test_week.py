"""A week of game time: what was told on the first day is known for good on the last, and why.

What was whispered stays where it was whispered: in talk, in what sleep makes of it, in every store.
"""

from django.test import tag

from evennia_ai.domain import audience
from evennia_ai.domain.sleeping import insights, reflection_rules
from evennia_ai.memory import journal, links
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import reflection_state as reflections
from evennia_ai.memory.state import sleep_state
from tests.scenarios.week import DAYS, PRYING, SECRETS, WeekTestCase, lines_of

LAST_DAY = 7
# What those ask on the last evening who were not told, without the words of the secrets.
LAST_EVENING = """
    Bo > say Mara, where is the silver key?
    Cid > whisper Mara = What did Anna tell you about the key?
    Cid > say Mara, what is Anna afraid of?
    Anna > say Bertil, whom does Bo owe nine crowns?
    Anna > whisper Bertil = What do you make of Bo and his crowns?
    Cid > say Mara, what do you make of Anna?
    Cid > say Mara, why do you think so?
    Cid > say Mara, tell me everything about the silver key, Anna and her family.
"""


class WeekTests(WeekTestCase):
    def live(self):
        """Let the six days and nights pass; each morning all is as it should be."""
        for day, text in enumerate(DAYS, 1):
            with self.subTest(day=day):
                self.begin_day(day)
                self.play_evening(day, text)
                if day > 2:
                    self.play_evening(day, PRYING)
                slept = self.play_night()
                self.check_morning(slept)
        self.begin_day(LAST_DAY)

    def check_morning(self, slept):
        """All have slept who wanted to, and are awake; nothing was lost, and nothing got out."""
        self.assertEqual(slept["Mara"], "sleep")
        for npc in self.npcs.values():
            self.assertEqual(sleep_state.mode(npc.assistant), "awake")
            self.assertIsNone(sleep_state.phase(npc.assistant))
        self.assertEqual([entry for entry in self.of_yesterday("Mara") if self.waits(entry)], [])
        self.assertEqual(self.lost(), [])
        self.check_secrets()

    def check_secrets(self):
        """Nobody has heard what they were not told, and nothing that is kept says that they may."""
        self.assertEqual(self.overheard(), [])
        self.assertEqual(self.too_widely_known(), [])

    def of_yesterday(self, name):
        """Return what was noted, without what sleep made of it."""
        return [
            one
            for one in journal.entries(self.npcs[name])
            if not reflection_rules.is_synthesis(one)
        ]

    def waits(self, entry):
        """Return whether an entry was neither rated nor kept for good."""
        return not (entry.scored and entry.consolidated)

    def kinds_with_secrets(self):
        """Return in what kinds of memories a secret stands."""
        return {
            kind
            for name in self.npcs
            for kind, text, _ in self.stored(name)
            if any(word in text.casefold() for word in SECRETS)
        }

    def attribute(self, text):
        """Return what Mara knows of Anna for good that says this."""
        known = entity_profiles.find_profile(self.npcs["Mara"], self.people["Anna"])
        return known, next(one for one in known.attributes if text in one.value)

    def insight(self, text):
        """Return the entry in which an insight of Mara's stands, and the ids that it cites."""
        [found] = [
            (entry, ids)
            for entry in journal.entries(self.npcs["Mara"])
            for content, ids in insights.read(entry.content)
            if text in content
        ]
        return found

    def words(self, ids):
        """Return (day, who, words) of entries of Mara's."""
        entries = [journal.get_entry(self.npcs["Mara"], entry_id) for entry_id in ids]
        return [(self.day_of(one.timestamp), one.source_entity, one.content) for one in entries]

    def check_tea(self):
        """From what she says of tea to the observations, their events, and the words of day 1."""
        known, fact = self.attribute("tea")
        seen = [one for one in known.observations if one.id in fact.derived_from]
        self.assertEqual([one.id for one in seen], sorted(fact.derived_from))
        events = {one.event_id for one in seen}
        entries = [one for one in self.of_yesterday("Mara") if one.event_id in events]
        self.assertEqual(len(entries), len(seen))
        told = self.words(one.id for one in entries)
        self.assertEqual(told[0], (1, "Anna", "Mara, I love tea."))
        self.assertEqual({who for _, who, _ in told}, {"Anna"})
        self.assertEqual(fact.audience, "public")

    def check_well(self, text):
        """From an insight to the entries that it cites, and the words of day 1."""
        entry, ids = self.insight(text)
        self.assertLessEqual(set(ids), set(entry.derived_from))
        self.assertEqual(entry.audience, "public")
        told = sorted(self.words(ids))
        self.assertEqual(told[0], (1, "Anna", "Mara, the well in the square has run dry."))
        self.assertEqual({who for _, who, _ in told}, {"Anna", "Bo", "Cid"})
        self.assertTrue(all("well" in words for _, _, words in told))


@tag("scenario")
class OfflineWeekTests(WeekTests):
    """No model anywhere: each job of the night is done by rules."""

    def test_a_week_without_a_model(self):
        self.live()
        self.assertIn("Anna", self.answer("Bo", "say Mara, what do you know about Anna?"))
        self.check_tea()
        self.check_what_she_concluded()
        self.check_who_whispered()
        self.check_the_others()
        self.check_nights()

    def check_what_she_concluded(self):
        said = self.answer("Bo", "say Mara, what do you make of the well?")
        insight = "Bo, Cid and Anna each had something to tell about the well."
        self.assertIn("the well.", said)
        told = [words for _, _, words, _ in self.told]
        self.assertFalse(insights.shares_a_run(insight, told))
        said = self.answer("Bo", "say Mara, why do you think so?")
        self.assertRegex(said, "told me: .*well")
        self.check_well(insight)

    def check_who_whispered(self):
        """To Anna herself her secrets are whispered back, with what was concluded from them."""
        said = self.answer("Anna", "whisper Mara = What do you make of the hearthstone?")
        self.assertIn("Mara whispers", said)
        self.assertIn("Anna keeps coming back to the hearthstone.", said)
        said = self.answer("Anna", "whisper Mara = Why do you think so?")
        self.assertIn("I hid the silver key under the hearthstone.", said)
        self.assertEqual(
            {"entry", "attribute", "observation", "whisper", "summary", "memory"},
            self.kinds_with_secrets(),
        )

    def check_the_others(self):
        for who, command in lines_of(LAST_EVENING):
            self.do(who, command)
        self.check_secrets()

    def check_nights(self):
        """She slept each night by her schedule, and he when he had enough to think about."""
        slept = [line for line in self.log if "falls asleep" in line]
        by_schedule = [line for line in slept if "these are its hours of sleep" in line]
        self.assertEqual(len(by_schedule), len(DAYS))
        naps = [line for line in slept if "it has much to think about" in line]
        self.assertLessEqual(len([line for line in naps if "Bertil" in line]), 1)
        self.assertTrue(links.memory_links(self.npcs["Mara"].assistant))
        state = reflections.reflection_state(self.npcs["Mara"].assistant)
        self.assertEqual(state.reflection_count, 1)


@tag("scenario")
class ModelWeekTests(WeekTests):
    """A model that puts each secret it is shown into all that it says and makes."""

    def test_a_week_with_a_model_that_cannot_keep_a_secret(self):
        model = self.use_model()
        self.live()
        self.assertIn("Anna", self.answer("Bo", "say Mara, what do you know about Anna?"))
        said = self.answer("Anna", "whisper Mara = What do you make of the hearthstone?")
        self.assertIn("Mara whispers", said)
        self.assertIn("hearthstone", said)
        for who, command in lines_of(LAST_EVENING):
            self.do(who, command)
        self.check_secrets()
        self.check_that_it_tried(model)

    def test_if_sleep_took_all_memories_together_they_would_get_out(self):
        self.use_model()
        self.patch(audience, "divided", lambda items: [(audience.PUBLIC, list(items))])
        for day, text in enumerate(DAYS[:4], 1):
            self.begin_day(day)
            self.play_evening(day, text)
            self.play_night()
        self.assertTrue(self.too_widely_known())

    def check_that_it_tried(self, model):
        """It was shown secrets at every job that it did, and they stand in all that it made."""
        jobs = {"reply", "score", "extract", "questions", "insights", "consolidate", "summarise"}
        self.assertEqual({job for job, _ in model.leaked}, jobs)
        self.assertEqual({word for _, word in model.leaked}, set(SECRETS))
        made = {kind for name in self.npcs for kind, text, _ in self.stored(name)}
        self.assertLessEqual({"attribute", "summary"}, made)
        self.assertLessEqual({"entry", "summary"}, self.kinds_with_secrets())
