"""What becomes of profiles that version 0.1 kept, or that have the shape of the sources."""

from evennia.utils import logger

from evennia_ai.memory import kinds, repository
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import npc_settings
from evennia_ai.memory.storage import own_attributes
from tests.memory.test_first_version_journal import FirstJournalTestCase

OF_A_SOURCE = {
    "name": "Alice",
    "entity_type": "player",
    "attributes": {"preference": ["tea", 7]},
    "observations": [{"content": "Has a cat.", "source": "told"}],
    "relationship": {"state": "acquaintance", "favorability": 0.45, "interaction_count": 12},
}


class FirstProfilesTests(FirstJournalTestCase):
    def known(self, stored):
        self.char1.attributes.add("ann", stored, category="entity_profiles")
        self.restart()
        return entity_profiles.find_profile(self.char1, "ann")

    def test_a_profile_of_the_source_is_read(self):
        """C-3 M12: attributes in a dict are migrated, and nobody may know what nobody was said to."""
        known = self.known(OF_A_SOURCE)
        self.assertEqual((known.entity_id, known.name, known.dbref), ("ann", "Alice", ""))
        self.assertEqual([fact.value for fact in known.attributes], ["tea", "7"])
        self.assertEqual([fact.audience for fact in known.attributes], [[], []])
        [noticed] = known.observations
        self.assertEqual((noticed.content, noticed.source), ("Has a cat.", "direct"))
        regard = known.relationship
        self.assertEqual((regard.favorability, regard.history), (0.45, []))

    def test_what_is_written_to_it_later_is_added(self):
        self.known(OF_A_SOURCE)
        entity_profiles.add_entity_observation(self.char1, "ann", "Is tall.", audience="public")
        known = entity_profiles.find_profile(self.char1, "ann")
        self.assertEqual([one.id for one in known.observations], [1, 2])
        self.assertEqual([fact.value for fact in known.attributes], ["tea", "7"])

    def test_what_is_no_profile_is_kept_aside(self):
        log = []
        self.patch(logger, "log_err", log.append)
        self.assertIsNone(self.known({**OF_A_SOURCE, "name": ["Ann"]}))
        self.assertEqual(len(log), 1)
        aside = repository.load(self.char1, kinds.SET_ASIDE, "profiles/ann")
        self.assertIn("Has a cat.", aside[0])
        self.assertEqual(own_attributes.rows(self.char1).filter(db_category="profiles").count(), 0)


class FirstGrantsTests(FirstJournalTestCase):
    def test_what_its_builder_granted_is_read_as_it_is_written_now(self):
        self.char1.db.experience_scope, self.char1.db.allowed_commands = " Guards ", "give"
        self.restart()
        self.assertEqual(npc_settings.experience_scope(self.char1), "guards")
        self.assertEqual(npc_settings.allowed_commands(self.char1), ["give"])
