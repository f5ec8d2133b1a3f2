"""An NPC lives its day on a map of Evennia's `contrib.grid.xyzgrid`."""

import unittest
from importlib.util import find_spec

from django.test import tag

from evennia_ai import movement
from evennia_ai.memory import routine
from tests.life.cases import DayTestCase

COLUMNS = 14
# So many rooms are searched in these tests for one of so near.
ROOMS, STRETCH = 24, 4


def ladder():
    """Return a map of two rows of rooms, joined along and across."""
    numbers = " + " + " ".join(str(column % 10) for column in range(COLUMNS))
    row = "-".join("#" * COLUMNS)
    across = " ".join("|" * COLUMNS)
    return "\n".join(["", numbers, "", f" 1 {row}", f"   {across}", f" 0 {row}", "", numbers, ""])


@tag("scenario")
@unittest.skipUnless(find_spec("scipy"), "the contrib asks for scipy")
class GridTests(DayTestCase):
    routine = ("06:00 hut", "13:00 harbour: mends nets")

    def setUp(self):
        super().setUp()
        from evennia.contrib.grid.xyzgrid.xyzgrid import XYZGrid
        from evennia.contrib.grid.xyzgrid.xyzroom import XYZRoom

        self.rooms = XYZRoom.objects
        self.grid, _ = XYZGrid.create("XYZGrid")
        self.grid.add_maps({"map": ladder(), "zcoord": "coast"})
        self.grid.spawn()
        self.addCleanup(lambda: self.grid.delete())
        self.room(0).aliases.add("hut")
        self.room(COLUMNS - 1).aliases.add("harbour")
        self.mara.move_to(self.room(0), quiet=True)
        self.ticks()
        self.at(13)

    def room(self, column, row=0):
        return self.rooms.get_xyz(xyz=(column, row, "coast"))

    def walks(self, count):
        """Let her walk; return where she is after each tick, as (column, row)."""
        been = []
        for _ in range(count):
            self.ticks()
            been.append(self.mara.location.xyz[:2])
        return been

    def by_the_map(self):
        """Let ways be found by the map, and only few rooms be searched."""
        from evennia_ai.contrib import xyzgrid

        self.patch(routine, "JITTER", 0)
        self.configure(
            GAME_CLOCK="tests.life.cases.clock",
            FIND_WAY="evennia_ai.contrib.xyzgrid.find_way",
        )
        self.patch(xyzgrid, "STRETCH", STRETCH)
        self.patch(movement, "ROOMS", ROOMS)

    def test_on_a_map_that_is_not_too_large_she_walks_as_anywhere(self):
        been = self.walks(COLUMNS)
        self.assertEqual(been[:2], [(1, 0), (2, 0)])
        self.assertEqual(been[-1], (COLUMNS - 1, 0))
        self.at(6, day=101)
        self.assertEqual(self.walks(COLUMNS)[-1], (0, 0))

    def test_on_a_large_one_she_goes_by_the_map_and_round_what_is_closed(self):
        self.patch(movement, "ROOMS", ROOMS)
        self.assertEqual(self.walks(2), [(0, 0), (0, 0)])
        self.by_the_map()
        # The second is one that she makes for by the map.
        for column in (3, 5):
            self.room(column).tags.add("avoid")
        [locked] = self.grid.get_exit((8, 0, "coast"), "east")
        locked.locks.add("traverse:false()")
        self.wait(30)
        been = self.walks(COLUMNS + 4)
        self.assertEqual((been[-1], self.state()), ((COLUMNS - 1, 0), "there"))
        self.assertEqual({(3, 0), (5, 0)} & set(been), set())
        self.assertNotIn(((8, 0), (9, 0)), list(zip(been, been[1:], strict=False)))

    def test_where_the_map_is_cut_she_waits_and_staff_are_told_once(self):
        self.by_the_map()
        for row in (0, 1):
            self.room(9, row).tags.add("avoid")
        self.assertLess(self.walks(40)[-1][0], 9)
        self.assertEqual(len([line for line in self.log if "finds no way" in line]), 1)
        self.room(9, 1).tags.remove("avoid")
        self.wait(900)
        self.assertEqual(self.walks(COLUMNS)[-1], (COLUMNS - 1, 0))

    def test_a_room_beside_the_map_is_reached_by_its_exits(self):
        self.by_the_map()
        self.join(self.room(1), self.market)
        self.gives(self.mara, "00:00 market")
        self.assertEqual(self.ticks(2)[1], "Market")
