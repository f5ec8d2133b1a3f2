"""Evennia's commands that ask no lock: of an NPC with a mind, they do."""

from evennia.objects.objects import DefaultObject
from evennia.prototypes import menus, prototypes
from evennia.utils.create import create_object
from evennia.utils.evmenu import EvMenu
from evennia.utils.funcparser import ParsingError

from evennia_ai.commands import stock
from evennia_ai.memory import journal
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase

REFUSED = "You may not change Mara: an NPC with a mind is for those who control it."


class StockTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.npc.locks.add("control:id(999);edit:id(999)")
        self.script = scripts.find(self.npc)
        self.builder = self.as_staff("Builder")
        self.builder.location = self.room1

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()


class TagTests(StockTestCase):
    def test_they_are_not_put_on_or_taken_off_somebody_elses_npc(self):
        self.npc.tags.add("inn")
        for text in (
            "tag Mara = x",
            f"tag #{self.npc.id} = x:y",
            "tag/del Mara",
            "tag/del Mara = inn",
        ):
            with self.subTest(text):
                self.assertEqual(self.types(f"@{text}", by=self.builder), REFUSED)
        self.assertTrue(self.npc.tags.has("inn"))
        self.assertIn("inn", self.types("@tag Mara", by=self.builder))
        self.assertIn("Mara", self.types("@tag/search inn", by=self.builder))

    def test_whoever_controls_it_may_and_other_things_are_as_ever(self):
        self.types("@tag Obj = x", by=self.builder)
        self.assertTrue(self.obj1.tags.has("x"))
        self.npc.locks.add(f"control:id({self.builder.id})")
        self.types("@tag Mara = x", by=self.builder)
        self.assertTrue(self.npc.tags.has("x"))


class PlaceTests(StockTestCase):
    def test_nobody_makes_an_exit_of_somebody_elses_npc_or_changes_its_home(self):
        home = self.npc.home
        for text in (
            "link Mara = Room2",
            f"link #{self.npc.id} = Room2",
            "link Mara =",
            "link/twoway out = Mara",
            "unlink Mara",
            "sethome Mara = Room2",
        ):
            with self.subTest(text):
                self.assertEqual(self.types(text, by=self.builder), REFUSED)
                self.assertEqual(self.types(f"@{text}", by=self.builder), REFUSED)
        self.assertEqual((self.npc.destination, self.npc.home), (None, home))
        self.assertIn(f"{home}", self.types("@sethome Mara", by=self.builder))
        self.assertIn("not an exit", self.types("@link Mara", by=self.builder))

    def test_a_thing_of_ones_own_that_is_called_almost_so_does_not_stand_for_it(self):
        create_object(DefaultObject, key="Marabout", location=self.builder)
        self.assertEqual(self.types("@link/twoway out = Mara", by=self.builder), REFUSED)
        self.assertIsNone(self.npc.destination)

    def test_whoever_controls_it_may_and_other_things_are_as_ever(self):
        self.types("@sethome Obj = Room2", by=self.builder)
        self.assertEqual(self.obj1.home, self.room2)
        self.types("@unlink out", by=self.builder)
        self.assertIsNone(self.exit.destination)
        self.types("@link out = Room2", by=self.builder)
        self.assertEqual(self.exit.destination, self.room2)
        self.npc.locks.add(f"control:id({self.builder.id})")
        self.types("@sethome Mara = Room2", by=self.builder)
        self.assertEqual(self.npc.home, self.room2)


class SearchTests(StockTestCase):
    """`$search` in a prototype tells nothing of what a mind keeps."""

    def setUp(self):
        super().setUp()
        journal.add_entry(self.npc, "The crown lies under the oak.", audience=["ann"])

    def searched(self, arguments, name="search"):
        """Return what comes of it, as the spawner has prototypes read: found objects, or a refusal."""
        try:
            return prototypes.protfunc_parser(f"${name}({arguments})", caller=self.builder)
        except ParsingError as error:
            return str(error)

    def test_a_guess_that_is_right_reads_as_one_that_is_wrong(self):
        for way in (
            "attributes__db_strvalue__contains",
            "db_attributes__db_strvalue__contains",
            "location__locations_set__attributes__db_strvalue__contains",
            "attributes__db_key__startswith",
        ):
            for guess in ("The crown", "p0000", "qqqq"):
                for name in (way, f"attribute_name={way}"):
                    with self.subTest(name=name, guess=guess):
                        said = self.searched(f"{guess}, {name}, access=view, return_list=True")
                        self.assertIn("is the name of one Attribute", said)

    def test_each_name_of_search_is_guarded(self):
        way = "attribute_name=attributes__db_strvalue__contains"
        for name in ("search", "obj", "objlist", "dbref"):
            with self.subTest(name):
                said = self.searched(f"The crown, {way}, access=view", name)
                self.assertIn("is the name of one Attribute", said)

    def test_who_remembers_anything_is_not_told(self):
        for key in ("p00000", "p00009"):
            said = self.searched(f"$eval(None), attribute_name={key}, access=view")
            self.assertIn("is the name of one Attribute", said)

    def test_what_is_there_to_be_found_is_found(self):
        self.builder.db.mark = "silver"
        self.assertEqual(self.searched("Char2, access=view"), self.builder)
        self.assertEqual(self.searched("silver, attribute_name=mark, access=view"), self.builder)
        self.assertIn("no matches", self.searched("gold, attribute_name=mark"))


class SpawnTests(StockTestCase):
    PROTOTYPE = "{'prototype_key': 'evil', 'key': 'Mara', 'locks': 'control:all()'}"

    def setUp(self):
        super().setUp()
        self.npc.tags.add("evil", category="from_prototype")
        self.before = str(self.npc.locks)

    def test_a_prototype_does_not_change_somebody_elses_npc(self):
        self.types(f"@spawn/save evil = {self.PROTOTYPE}", by=self.builder)
        self.types("y", by=self.builder)
        self.assertIn("Saved prototype", str(self.read[self.builder]))
        self.assertIn(REFUSED, str(self.read[self.builder]))
        self.assertEqual(self.types("@spawn/update evil", by=self.builder), REFUSED)
        self.assertEqual(str(self.npc.locks), self.before)

    def test_nor_does_the_menu_of_prototypes(self):
        self.types("olc", by=self.builder)
        menu = self.builder.ndb._evmenu
        self.assertIsInstance(menu, EvMenu)
        self.assertIs(menu._menutree["node_apply_diff"], stock._node_apply_diff)
        prototype = {"prototype_key": "evil", "key": "Mara"}
        text, _ = stock._node_apply_diff(self.builder, prototype=prototype)
        self.assertEqual(text, REFUSED)
        menu.close_menu()

    def test_the_menu_updates_what_is_nobody_elses(self):
        seen = []
        self.patch(menus, "node_apply_diff", lambda caller, **kwargs: seen.append(kwargs))
        stock._node_apply_diff(self.builder, objects=[self.obj1])
        self.assertEqual(seen, [{"objects": [self.obj1]}])
