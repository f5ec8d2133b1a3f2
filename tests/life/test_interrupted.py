"""What comes between an NPC and its way: nothing is lost, done twice, or keeps it for ever."""

from django.db import connection
from evennia.contrib.grid.slow_exit import slow_exit
from evennia.contrib.grid.slow_exit.slow_exit import SlowExit
from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultExit
from evennia.prototypes.spawner import spawn
from evennia.scripts import taskhandler

from evennia_ai import scheduling, tick
from evennia_ai.agent import ingest
from evennia_ai.lifecycle import waiting
from evennia_ai.memory import journal
from evennia_ai.memory.state import active_assistants, assistant
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.life.cases import DayTestCase

NEWS = "The old bridge over the Quorn fell into the river."
BODY = {
    "key": "Mara",
    "typeclass": "evennia_ai.typeclasses.characters.AssistantCharacter",
    "attrs": [("ai_mind", "mara")],
}


class DeathTests(DayTestCase):
    def setUp(self):
        super().setUp()
        waiting.give_key(self.mara, "mara")

    def respawn(self, room):
        [self.mara] = spawn({**BODY, "location": room, "home": self.inn})
        self.script_of_mara = scripts.find(self.mara)

    def bodies(self):
        return ObjectDB.objects.filter(db_key="Mara").count()

    def test_killed_on_her_way_she_goes_on_from_where_her_next_body_stands(self):
        self.at(13)
        self.assertEqual(self.ticks(2), ["Lane", "Square"])
        self.mara.delete()
        self.wait(30)
        self.respawn(self.inn)
        self.assertEqual(self.ticks(4), ["Lane", "Square", "Market", "Market"])
        self.assertEqual((self.bodies(), active_assistants.count()), (1, 1))
        self.assertEqual(self.state(), "there")

    def test_dead_for_a_week_she_does_what_is_to_be_done_now(self):
        self.at(13)
        self.ticks(1)
        self.mara.delete()
        self.at(8, day=107)
        minds.forget_all()
        self.wait(30)
        self.respawn(self.market)
        self.assertEqual(self.ticks(4), ["Square", "Lane", "Inn", "Inn"])
        self.assertEqual((self.bodies(), active_assistants.count()), (1, 1))

    def test_put_elsewhere_and_killed_there_her_next_body_goes_to_work(self):
        self.at(13)
        self.ticks(4)
        self.mara.move_to(self.lane, quiet=True)
        self.ticks(2)
        self.assertEqual(self.state(), "moved")
        self.mara.delete()
        self.wait(30)
        self.respawn(self.inn)
        self.assertEqual(self.ticks(3), ["Lane", "Square", "Market"])

    def test_while_she_is_dead_nobody_walks(self):
        self.at(13)
        self.ticks(1)
        self.mara.delete()
        [place] = ObjectDB.objects.filter(db_typeclass_path=waiting.BODY)
        self.at(22)
        self.wait(3600)
        self.assertIsNone(place.location)
        self.assertEqual(self.log, [])


class TeleportTests(DayTestCase):
    def teleport(self, room):
        self.account.is_superuser = True
        self.account.save()
        self.do(self.char1, f"@tel/quiet Mara = #{room.id}", wait=0)
        self.assertIs(self.mara.location, room)

    def test_on_her_way_she_stays_where_a_builder_puts_her(self):
        self.at(13)
        self.ticks(1)
        self.teleport(cell := self.make_room("Cell"))
        self.join(cell, self.square)
        self.assertEqual(self.ticks(3), ["Cell", "Cell", "Cell"])
        self.assertEqual(self.state(), "moved")
        self.at(22)
        self.join(self.square, self.inn)
        self.assertEqual(self.ticks(3), ["Square", "Inn", "Inn"])

    def test_put_where_she_was_going_she_is_there(self):
        self.at(13)
        self.ticks(1)
        self.teleport(self.market)
        self.assertEqual(self.ticks(2), ["Market", "Market"])
        self.assertEqual(self.state(), "there")

    def test_put_into_a_room_without_a_way_out_she_waits_for_one(self):
        self.teleport(cell := self.make_room("Cell"))
        self.ticks(2)
        self.at(13)
        self.assertEqual(set(self.ticks(60)), {"Cell"})
        self.assertEqual(len(self.log), 1)
        self.join(cell, self.market)
        self.assertEqual(self.ticks(130)[-1], "Market")


class DoorTests(DayTestCase):
    def test_a_door_that_is_locked_before_and_behind_her_opens_again_and_she_goes_on(self):
        self.at(13)
        self.assertEqual(self.ticks(1), ["Lane"])
        for name in ("Lane-Square", "Lane-Inn"):
            self.ways[name].locks.add("traverse:false()")
        self.assertEqual(set(self.ticks(20)), {"Lane"})
        minds.forget_all()
        self.at(23)
        self.assertEqual(set(self.ticks(20)), {"Lane"})
        self.assertEqual(len(self.log), 1)
        self.ways["Lane-Inn"].locks.add("traverse:all()")
        self.assertEqual(self.ticks(130)[-1], "Inn")


class Pit(DefaultExit):
    """Whoever goes in is gone."""

    def at_traverse(self, traversing_object, target_location, **kwargs):
        traversing_object.delete()


class Bridge(DefaultExit):
    """It breaks under whoever crosses it, with all that it led to."""

    def at_traverse(self, traversing_object, target_location, **kwargs):
        target_location.delete()


class Curse(DefaultExit):
    """Whoever goes through loses their mind."""

    def at_traverse(self, traversing_object, target_location, **kwargs):
        super().at_traverse(traversing_object, target_location, **kwargs)
        scripts.detach(traversing_object)


class StrangeExitTests(DayTestCase):
    def goes_through(self, typeclass):
        self.ways["Inn-Lane"].delete()
        self.join(self.inn, self.lane, typeclass)
        self.at(13)
        for _ in range(3):
            tick.pulse(5)
            self.wait(5)
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_an_exit_that_swallows_her_leaves_nothing_to_walk(self):
        self.goes_through(Pit)
        self.assertIsNone(self.mara.pk)
        self.assertEqual(active_assistants.count(), 0)

    def test_an_exit_that_breaks_under_her_leaves_her_where_she_was(self):
        self.goes_through(Bridge)
        self.assertEqual((self.mara.location.key, self.state()), ("Inn", "blocked"))

    def test_an_exit_that_takes_her_mind_leaves_her_behind_it(self):
        self.goes_through(Curse)
        self.assertEqual(self.mara.location.key, "Lane")
        self.assertIsNone(scripts.find(self.mara))


class SlowExitTests(DayTestCase):
    """Each step takes four seconds, by an exit of Evennia's `contrib.grid.slow_exit`."""

    def setUp(self):
        super().setUp()
        self.patch(taskhandler.TASK_HANDLER, "clock", self.clock)
        for name, way in list(self.ways.items()):
            here, there = way.location, way.destination
            way.delete()
            self.ways[name] = self.join(here, there, SlowExit)
        self.at(13)

    def test_she_gets_there_as_fast_as_the_exits_let_her(self):
        self.assertEqual(self.ticks(10, seconds=2)[-1], "Market")
        self.assertEqual(self.log, [])

    def test_a_slower_one_is_taken_once(self):
        self.mara.db.move_speed = "stroll"
        arrived = []
        self.patch(
            type(self.lane), "at_object_receive", lambda room, *_, **__: arrived.append(room)
        )
        self.ticks(20, seconds=2)
        self.assertEqual(arrived, [self.lane, self.square, self.market])

    def test_of_a_minute_each_she_takes_each_once(self):
        self.patch(slow_exit, "MOVE_DELAY", {"walk": 60})
        arrived = []
        self.patch(
            type(self.lane), "at_object_receive", lambda room, *_, **__: arrived.append(room)
        )
        self.ticks(60)
        self.assertEqual(arrived, [self.lane, self.square, self.market])
        self.assertEqual(self.log, [])

    def test_a_restart_that_loses_the_step_lets_her_take_it_again(self):
        self.ticks(1, seconds=2)
        taskhandler.TASK_HANDLER.clear(save=False)
        minds.forget_all()
        self.assertEqual(self.ticks(4, seconds=5), ["Lane", "Square", "Market", "Market"])

    def test_a_step_that_somebody_stops_is_taken_again(self):
        self.ticks(1, seconds=2)
        self.mara.ndb.currently_moving.cancel()
        self.assertEqual(self.ticks(40, seconds=5)[-1], "Market")

    def test_who_plays_her_as_she_walks_leaves_her_where_the_step_ends(self):
        self.ticks(1, seconds=2)
        self.puppet(self.mara, self.account2, self.session2)
        self.assertEqual(self.ticks(4), ["Lane"] * 4)
        self.puppet(self.char2, self.account2, self.session2)
        self.assertEqual(self.ticks(3), ["Square", "Market", "Market"])

    def test_put_elsewhere_as_she_walks_she_is_not_stuck(self):
        self.ticks(1, seconds=2)
        self.mara.move_to(self.make_room("Cell"), quiet=True)
        self.ticks(3)
        self.at(22)
        self.assertEqual(self.ticks(130)[-1], "Inn")


class Killed(Exception):
    """The process is gone."""


class StatementTests(DayTestCase):
    """A kill at any statement that writes leaves all of it or nothing."""

    routine = ()

    def setUp(self):
        super().setUp()
        minds.script_llm("I see.", repeat=True)
        self.bertil = minds.make_assistant("Bertil", location=self.market)
        self.mara.location = self.market

    def killed_at_each_write(self, do, look):
        """Do something, killed at its first write, its second, …; return what is there each time, and whole."""
        found, number = [], 0
        while True:
            number += 1
            left = number

            def die_later(execute, sql, *rest):
                nonlocal left
                if sql.startswith(("INSERT", "UPDATE", "DELETE")):
                    left -= 1
                    if not left:
                        raise Killed
                return execute(sql, *rest)

            try:
                with connection.execute_wrapper(die_later):
                    do()
            except Killed:
                # What is held in memory is read anew by then, from what the database has.
                found.append(look())
            else:
                return found, look()

    def test_passing_on(self):
        ingest.add_entry(
            self.mara, NEWS, source_type="observation", audience="public", importance=8
        )

        def look():
            [entry] = journal.entries(self.mara)
            noted = [one.content for one in journal.entries(self.bertil)]
            told = assistant.news_told(self.script_of_mara, 100)
            return len(entry.shared), noted, told

        def pass_on():
            tick.run_tick(self.script_of_mara)
            # It is told in a slice of its own.
            scheduling.drain()

        found, whole = self.killed_at_each_write(pass_on, look)
        self.assertEqual(whole, (1, [NEWS], 1))
        self.assertGreater(len(found), 3)
        self.assertEqual(found, [(0, [], 0)] * len(found))
