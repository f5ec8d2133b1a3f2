"""Each path on which a memory reaches a mind or an ear keeps what only some may know.

For each path the filter on it is switched off, and then the secret must be found: a test that finds
nothing either way would prove nothing. Links, summaries, insights and decisions join the table with
the code that reads them, which `PlaceTests` does not let in without.
"""

import pkgutil
import random
import unittest

from evennia_ai.agent.turn import Turn
from evennia_ai.domain import audience
from evennia_ai.llm import base as base_of_minds
from evennia_ai.memory import journal
from tests import memory_places
from tests.audience_paths import PATHS, SHOW_NOTHING, TOKEN, LeakTestCase, noted
from tests.house.rules import Module, read_modules
from tests.scenarios import cast
from tests.scenarios.histories import History, too_widely_known


class PathTests(LeakTestCase):
    """One test for each path, of its name."""

    def check(self, path):
        self.assertFalse(self.leaks(path), "it leaks with the filter on")
        for where, name, stand_in in path.off:
            self.patch(pkgutil.resolve_name(where), name, stand_in)
        self.assertTrue(self.leaks(path), "without the filter no leak was found")


def _test_of(name, path):
    def test(self):
        self.check(path)

    slug = "_".join(name.replace(",", "").replace("-", " ").split())
    test.__name__ = f"test_{slug}_keeps_a_secret_by_its_filter_alone"
    return test


for _path_name, _path in PATHS.items():
    _test = _test_of(_path_name, _path)
    setattr(PathTests, _test.__name__, _test)


class ProvenanceTests(LeakTestCase):
    """What a turn has drawn on is what bounds the ears of what is made of it."""

    def test_a_review_counts_also_what_it_does_not_show(self):
        journal.add_entry(self.mara, "It rains.", tags=[TOKEN], audience=self.known)
        for number in range(50):
            journal.add_entry(self.mara, f"It rains for the {number}th day.")
        self.char2.location = self.room2
        turn = self.turn_of(self.char1)
        shown = self.result("review_journal", turn=turn, synthesis="Rain.", save_as_entry=False)
        self.assertIn(TOKEN, shown)
        self.assertEqual(turn.audience, sorted(self.known))

    def test_the_detector_sees_a_turn_that_forgot_what_it_drew_on(self):
        self.patch(Turn, "include", lambda self, kept, sources=(): None)
        noted(self)
        self.char2.location = self.room2
        turn = self.turn_of(self.char1)
        shown = f"{self.built(turn)}"
        [leak] = too_widely_known(turn, shown, self.secrets())
        self.assertEqual(leak.token, TOKEN)


class HistoryTests(LeakTestCase):
    """Whole histories with a mind that tells and notes all it is shown, as the benchmark plays them."""

    def played(self, seed):
        """Return a history in a private room."""
        chance = random.Random(seed)
        base_of_minds.install("default", cast.Parrot(chance))
        self.room1.tags.add("private")
        return History(
            chance=chance,
            people=cast.make_people(4, location=self.room2),
            room=self.room1,
            elsewhere=self.room2,
            clock=self.clock,
            closed=True,
        ).play(steps=6)

    def setUp(self):
        super().setUp()
        for obj in (self.mara, self.char1, self.char2):
            obj.location = None

    def test_nobody_hears_what_they_may_not_know(self):
        history = self.played("a")
        ways = {secret.way for secret in history.secrets.values()}
        self.assertEqual(len(ways), 11)
        self.assertEqual(history.overheard(), [])
        heard = "\n".join(line for person in history.people for line in person.heard)
        told = {"whisper", "tell", "say"}
        answered = [one for one in history.secrets.values() if heard.count(one.token) > 1]
        self.assertTrue({secret.way for secret in answered} & told)

    def test_without_the_filter_they_do(self):
        self.patch(audience, "may_know", lambda known, hearers: True)
        self.assertNotEqual(self.played("a").overheard(), [])


class PlaceTests(unittest.TestCase):
    """Whoever reads memory in a new place has to say by which path it may get out."""

    KNOWN = {place for path in PATHS.values() for place in path.places} | SHOW_NOTHING.keys()

    @classmethod
    def setUpClass(cls):
        cls.modules = {module.name: module for module in read_modules("evennia_ai")}

    def test_each_place_that_reads_memory_belongs_to_a_path(self):
        found = set().union(*map(memory_places.places, self.modules.values()))
        self.assertEqual(sorted(found - self.KNOWN), [], "these belong to no path of PATHS")
        self.assertEqual(sorted(self.KNOWN - found), [], "these read nothing any more")

    def test_a_path_that_is_not_in_the_table_is_found(self):
        for line, reads in (
            ("journal.entries(npc)", "journal.entries"),
            ("older.get_entry(npc, 1)", "journal.get_entry"),
            ("map(entity_profiles.all_profiles, npcs)", "entity_profiles.all_profiles"),
            ("all_lines(npc)", "working_memory.all_lines"),
            ("persona.load_lore(npc)", "persona.load_lore"),
            ("get_memory().search('crown')", "memory.search"),
            ("base.get_memory('default').get_all()", "memory.get_all"),
            ("known.get(1)", "memory.get"),
            ("registry.results().get(tool)", "results.get"),
            ("repository.load_all(npc, kinds.GOALS)", "repository.load_all"),
        ):
            source = f"""
from evennia_ai.semantic import base
from evennia_ai.semantic.base import get_memory
from evennia_ai.memory import journal, persona, repository
from evennia_ai.memory import journal as older
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.working_memory import all_lines

class Dream:
    def execute(self, npc):
        known = get_memory()
        return {line}
"""
            with self.subTest(line):
                module = Module("evennia_ai/tools/dream.py", "tools.dream", source)
                found = memory_places.places(module)
                self.assertEqual(found, {f"tools.dream.Dream.execute: {reads}"})
                self.assertFalse(found & self.KNOWN)

    def test_what_only_looks_like_it_is_none(self):
        source = """
names = {}
names.get("journal")
search(journal.version(npc))
get_memory().scale.get(1)
"""
        module = Module("evennia_ai/tools/dream.py", "tools.dream", source)
        self.assertEqual(memory_places.places(module), set())

    def test_each_function_of_the_stores_either_reads_memory_or_does_not(self):
        for name, others in memory_places.OTHERS.items():
            with self.subTest(name):
                shown = memory_places.public_functions(self.modules[name])
                self.assertEqual(shown, memory_places.READERS[name] | others)

    def test_each_module_of_storage_keeps_memory_or_does_not(self):
        modules = [module for module in self.modules.values() if module.room == "memory"]
        files = [module for module in modules if not module.path.endswith("__init__.py")]
        kept = {module.name.rpartition(".")[2] for module in files}
        listed = {name.rpartition(".")[2] for name in memory_places.OTHERS}
        self.assertEqual(kept, listed | (memory_places.SILENT - {""}))
