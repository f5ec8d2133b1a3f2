"""Tests of what comes to mind about people who are mentioned."""

from evennia_ai.agent.prompting import recall_sources
from evennia_ai.memory.people import entity_profiles
from evennia_ai.sleep import people_noticed
from tests.agent.cases import MindTestCase


class FactTests(MindTestCase):
    def know(self, who, name, *values, audience="public"):
        entity_profiles.create_entity_profile(self.mara, who, name=name)
        found = [
            {"type": "trait", "value": value, "evidence": [1], "replaces": []} for value in values
        ]
        entity_profiles.add_entity_observation(self.mara, who, "Seen.", audience=audience)
        entity_profiles.apply_attributes(self.mara, who, found, audience=audience, consumed=[1])

    def facts(self, words):
        named = recall_sources.mentioned(self.mara, words)
        return [fact for who in named for fact in recall_sources.of_person(self.mara, who)]

    def told(self, words):
        return [fact.text for fact in self.facts(words)]

    def test_who_is_named_in_a_question_comes_to_mind(self):
        self.know("uuid-tom", "Tom Miller", "Is a miller", "Fears fire")
        self.know("uuid-bo", "Bo", "Likes tea")
        for words in ("Who is Tom Miller?", "who is tom miller", "Is that Tom Miller?"):
            with self.subTest(words):
                self.assertEqual(
                    self.told(words), ["Tom Miller is a miller.", "Tom Miller fears fire."]
                )
        self.assertEqual(self.told("What is new?"), [])

    def test_a_fact_says_who_may_know_it(self):
        self.know("uuid-bo", "Bo", "Likes tea", audience=[self.first])
        [fact] = self.facts("Bo?")
        self.assertEqual((fact.audience, fact.by), ([self.first], ""))

    def test_what_no_longer_holds_is_not_told(self):
        self.know("uuid-bo", "Bo", "Is a baker")
        entity_profiles.apply_attributes(
            self.mara,
            "uuid-bo",
            [{"type": "trait", "value": "Is a smith", "evidence": [1], "replaces": [1]}],
            audience="public",
            consumed=[],
        )
        self.assertEqual(self.told("Bo?"), ["Bo is a smith."])

    def test_who_was_only_overheard_is_known_by_name(self):
        self.do(self.char1, "say Char2, I love tea.")
        people_noticed.note_from_journal(self.mara)
        self.outcome(
            people_noticed.consolidate_entity_observations(
                self.script_of_mara, self.mara, self.first
            )
        )
        self.assertEqual(self.told("What about Char?"), ['Char says "Char2, I love tea".'])

    def test_three_people_at_most(self):
        for name in ("Ada", "Bea", "Cid", "Dan"):
            self.know(f"uuid-{name}", name, "Is here")
        self.assertEqual(len(self.told("Ada, Bea, Cid, Dan?")), 3)
