"""What the tests of reflection share: a mind with a long-term memory of words, and its answers."""

import json

from evennia.utils import logger

from evennia_ai.memory import journal
from evennia_ai.memory.state import reflection_state as states
from evennia_ai.semantic import base as semantic
from evennia_ai.sleep import reflection
from tests.memory_double import MemoryDouble
from tests.sleep.cases import SleepTestCase

ANNA, BO = "uuid-anna", "uuid-bo"
QUESTIONS = json.dumps({"questions": ["What happens at the mill?", "Who trades here?"]})


def insights(*given):
    """Return what a model answers: texts with the numbers of their evidence."""
    return json.dumps({"insights": [{"insight": text, "evidence": list(ns)} for text, ns in given]})


class ReflectionTestCase(SleepTestCase):
    """Mara has a long-term memory of words, and notes that count towards a reflection."""

    def setUp(self):
        super().setUp()
        self.memory = MemoryDouble()
        semantic.install("default", self.memory)
        self.log = []
        self.patch(logger, "log_info", self.log.append)
        self.patch(logger, "log_warn", self.log.append)

    def happen(self, content, by="", **fields):
        """Let something be noted, as it is while awake; return its id."""
        fields = {"importance": 5, **fields}
        entry = journal.add_entry(self.npc, content, source_entity=by, **fields)
        states.note_entry(self.script, entry)
        return entry.id

    def learn(self, text, **fields):
        fields = {"assistant_key": self.script.assistant_key, "audience": "public", **fields}
        return self.successResultOf(self.memory.add(text, **fields))

    def run_reflection(self):
        return self.outcome(reflection.run_reflection(self.script, self.npc))

    def stored(self, result):
        return [journal.get_entry(self.npc, entry_id) for entry_id in result["stored_entries"]]

    def waiting(self):
        state = states.reflection_state(self.script)
        return state.cumulative_importance, state.entries_since_reflection
