"""A world of many rooms and NPCs: what one of them looks for costs no more than it must."""

from evennia_ai import movement
from evennia_ai.life import whereabouts
from evennia_ai.testing import minds
from tests.life.cases import DayTestCase


class BigWorldTests(DayTestCase):
    def test_of_a_room_with_very_many_exits_only_some_are_tried(self):
        tried = []
        may_pass = movement.may_pass
        self.patch(movement, "may_pass", lambda *both: tried.append(1) or may_pass(*both))
        self.patch(movement, "ROOMS", 5)
        for number in range(12):
            self.join(self.inn, self.make_room(f"Cellar {number}"))
        self.assertIsNone(movement.find_way(self.mara, [self.market]))
        self.assertLessEqual(len(tried), 8)

    def test_of_very_many_locked_exits_only_some_are_tried(self):
        tried = []
        self.patch(movement, "may_pass", lambda *both: bool(tried.append(1)))
        self.patch(movement, "EXITS", 8)
        for number in range(12):
            self.join(self.inn, self.make_room(f"Cellar {number}"))
        self.assertIsNone(movement.find_way(self.mara, [self.market]))
        self.assertEqual(len(tried), 8)

    def test_where_no_way_was_found_none_is_looked_for_for_a_while(self):
        self.ways["Lane-Square"].locks.add("traverse:false()")
        tried = []
        may_pass = movement.may_pass
        self.patch(movement, "may_pass", lambda *both: tried.append(1) or may_pass(*both))
        for _ in range(5):
            self.assertIsNone(movement.find_way(self.mara, [self.market]))
        once = len(tried)
        self.assertLessEqual(once, 3)
        self.wait(31)
        movement.find_way(self.mara, [self.market])
        self.assertEqual(len(tried), 2 * once)

    def test_a_room_next_door_is_found_behind_any_number_of_other_exits(self):
        self.patch(movement, "ROOMS", 5)
        for number in range(12):
            self.join(self.inn, self.make_room(f"Cellar {number}"))
        way = self.join(self.inn, self.market)
        self.assertIs(movement.find_way(self.mara, [self.market]), way)

    def test_the_day_of_those_who_are_not_named_is_not_looked_at(self):
        for name in ("Tom", "Ida"):
            self.gives(minds.make_assistant(name, location=self.inn), *self.routine)
        looked = []
        slots_of = whereabouts.routine.slots_of
        self.patch(
            whereabouts.routine, "slots_of", lambda npc: looked.append(npc.key) or slots_of(npc)
        )
        [found] = whereabouts._named(self.mara, "where is Tom?")
        self.assertEqual(found["place"], "Inn")
        self.assertEqual(set(looked), {"Tom"})
