"""An NPC lives its day: it walks where its routine says, and what keeps it from that keeps it not for ever."""

from evennia.objects.objects import DefaultExit

from evennia_ai import movement, tick
from evennia_ai.agent import turns
from evennia_ai.agent.hearing import perception, presence
from evennia_ai.core import records
from evennia_ai.life import day, walking, whereabouts
from evennia_ai.memory import routine
from evennia_ai.memory.state import assistant, npc_settings, sleep_state
from evennia_ai.sleep import sleep_cycle, waking
from evennia_ai.testing import minds
from tests.agent.cases import call, words
from tests.life.cases import DayTestCase, Hands


def may_act(npc):
    """A game in which Mara fights."""
    return not npc.db.fights


def on_foot(npc, rooms):
    """A FIND_WAY of a map without exits: a step leads right there."""
    return lambda body: body.move_to(rooms[0], quiet=True)


class LateExit(DefaultExit):
    """An exit that takes some seconds."""

    def at_traverse(self, traversing_object, target_location, **kwargs):
        self.ndb.waiting = traversing_object

    def arrive(self):
        self.ndb.waiting.move_to(self.destination)


class WalkTests(DayTestCase):
    def test_at_the_hour_she_walks_there_room_by_room_and_back(self):
        mind = minds.script_llm()
        self.assertEqual(self.ticks(2), ["Inn", "Inn"])
        self.at(13)
        self.assertEqual(self.ticks(4), ["Lane", "Square", "Market", "Market"])
        self.assertEqual(self.state(), "there")
        self.at(6, day=101)
        self.assertEqual(self.ticks(4), ["Square", "Lane", "Inn", "Inn"])
        self.assertEqual(mind.requests, [])

    def test_those_who_watch_see_her_come_and_what_she_begins_to_do(self):
        self.char2.location = self.market
        self.session2.cmd_last_visible = self.clock.seconds()
        self.bob.clear()
        self.at(13)
        self.ticks(5)
        heard = [text for _, text in self.bob]
        self.assertEqual(
            [text for text in heard if "arrives" in text], ["Mara arrives to Market from Square."]
        )
        self.assertEqual([text for text in heard if "eels" in text], ["Mara buys eels."])

    def test_where_nobody_watches_nothing_is_shown(self):
        self.at(13)
        self.ticks(3)
        self.char2.location = self.market
        self.bob.clear()
        self.ticks(3)
        self.assertEqual([text for _, text in self.bob if "eels" in text], [])

    def test_a_reload_in_the_middle_of_the_way_changes_nothing(self):
        self.at(13)
        self.assertEqual(self.ticks(2), ["Lane", "Square"])
        minds.forget_all()
        self.assertEqual(self.ticks(2), ["Market", "Market"])

    def test_after_a_jump_of_the_clock_only_what_is_now_counts(self):
        self.at(13)
        self.ticks(2)
        self.at(14, day=107)
        self.assertEqual(self.ticks(2), ["Market", "Market"])
        self.at(9, day=90)
        self.assertEqual(self.ticks(3), ["Square", "Lane", "Inn"])

    def test_rooms_to_avoid_and_rooms_out_of_the_zone_are_not_crossed(self):
        self.join(self.inn, alley := self.make_room("Alley"))
        self.join(alley, self.market)
        self.at(13)
        alley.tags.add("avoid")
        self.assertEqual(self.ticks(), ["Lane"])
        alley.tags.remove("avoid")
        self.mara.move_to(self.inn, quiet=True)
        self.at(6)
        self.ticks()
        self.gives(self.mara, *self.routine, zone="town")
        for room in (self.inn, alley, self.market):
            room.tags.add("town")
        self.at(13)
        self.assertEqual(self.ticks(2), ["Alley", "Market"])

    def test_a_room_out_of_her_zone_is_no_place_of_hers(self):
        self.gives(self.mara, *self.routine, zone="town")
        for room in (self.inn, self.lane, self.square):
            room.tags.add("town")
        self.at(13)
        self.assertEqual(self.ticks(3), ["Inn", "Inn", "Inn"])
        self.assertIn("finds no way from Inn", "".join(self.log))

    def test_a_room_to_avoid_is_no_place_of_hers(self):
        self.square.tags.add("stall")
        self.gives(self.mara, "06:00 inn", "13:00 stall", "15:00 market")
        self.square.tags.add("avoid")
        self.at(13)
        self.assertEqual(self.ticks(2), ["Inn", "Inn"])
        self.market.tags.add("stall")
        self.join(self.lane, self.market)
        self.at(14)
        self.wait(60)
        self.assertEqual(self.ticks(2), ["Lane", "Market"])

    def test_she_finds_her_way_home_though_nobody_else_is_to_enter(self):
        self.gives(self.mara)
        self.inn.tags.add("avoid")
        movement.note_led(self.script_of_mara, self.mara)
        self.mara.move_to(self.lane, quiet=True)
        self.wait(620)
        self.assertEqual(self.ticks(), ["Inn"])

    def test_a_map_without_exits_has_a_hook(self):
        self.configure(FIND_WAY="tests.life.test_day.on_foot")
        self.at(13)
        self.assertEqual(self.ticks(), ["Market"])

    def test_a_slow_exit_is_waited_for(self):
        self.ways["Inn-Lane"].delete()
        slow = self.join(self.inn, self.lane, LateExit)
        self.at(13)
        self.assertEqual(self.ticks(3), ["Inn", "Inn", "Inn"])
        slow.arrive()
        self.assertEqual(self.ticks(2), ["Square", "Market"])
        self.assertEqual(self.log, [])

    def test_a_tag_may_name_several_rooms_and_the_nearest_is_taken(self):
        self.gives(self.mara, "06:00 inn", "13:00 stall")
        self.square.tags.add("stall")
        self.market.tags.add("stall")
        self.at(13)
        self.assertEqual(self.ticks(3), ["Lane", "Square", "Square"])

    def test_who_is_there_is_told_of_it_as_well_as_shown(self):
        """Tom, who has a mind, hears what she does; that is no talk."""
        mind = minds.script_llm("The eels are good today.", repeat=True)
        minds.make_assistant("Tom", location=self.market)
        npc_settings.choose(self.mara, talkative="chatty")
        self.char2.location = self.market
        presence.silence(self.market.id)
        self.wait(60)
        self.session2.cmd_last_visible = self.clock.seconds()
        self.bob.clear()
        self.at(13)
        self.ticks(3)
        self.wait(3)
        self.assertIn("Mara buys eels.", [text for _, text in self.bob])
        self.assertEqual(words(self.bob), ['Mara says, "The eels are good today."'])
        self.assertEqual(len(mind.requests), 1)


class HoldTests(DayTestCase):
    def test_a_talk_under_way_holds_her(self):
        minds.script_llm("Good morning.", repeat=True)
        self.do(self.char1, "say Mara, good morning.", wait=3)
        self.at(13)
        self.assertEqual(self.ticks(3), ["Inn", "Inn", "Inn"])
        self.wait(60)
        self.assertEqual(self.ticks(), ["Lane"])

    def test_events_of_the_game_do_not_hold_her(self):
        minds.script_llm("How cold it is.", repeat=True)
        perception.perceive(self.mara, "weather", "it snows")
        self.wait(3)
        self.at(13)
        self.assertEqual(self.ticks(), ["Lane"])

    def test_what_waits_for_a_model_that_is_down_holds_her_ten_minutes_at_most(self):
        self.patch(records, "EVENT_MAX_AGE", 100_000)
        self.patch(turns, "_batch", lambda script: [])
        perception.perceive(self.mara, "say", "and then?", self.char1)
        self.at(13)
        self.ticks(3)
        self.assertEqual(len(assistant.pending_events(self.script_of_mara)), 1)
        self.wait(300)
        self.assertEqual(self.ticks(), ["Inn"])
        self.wait(300)
        self.assertEqual(self.ticks(3), ["Lane", "Square", "Market"])

    def test_what_waits_does_not_keep_her_from_what_she_does_where_she_is(self):
        self.patch(turns, "_batch", lambda script: [])
        self.gives(self.mara, "06:00 inn", "07:00 inn: wipes the counter")
        self.ticks()
        perception.perceive(self.mara, "say", "and then?", self.char1)
        self.at(7)
        self.session.cmd_last_visible = self.clock.seconds()
        self.ann.clear()
        self.ticks()
        self.assertIn("Mara wipes the counter.", [text for _, text in self.ann])

    def test_npcs_who_talk_on_and_on_hold_her_ten_minutes_at_most_and_a_player_as_long_as_they_talk(
        self,
    ):
        minds.script_llm("Indeed.", repeat=True)
        tom = minds.make_assistant("Tom", location=self.inn)
        self.at(13)
        for _ in range(19):
            self.assertEqual(self.chats(tom), "Inn")
        self.assertEqual(self.chats(self.char1), "Inn")
        self.assertEqual(self.chats(self.char1), "Inn")
        self.chats(tom)
        self.assertEqual([self.chats(tom), self.chats(tom)], ["Lane", "Square"])

    def chats(self, speaker):
        """Let somebody speak to her, and half a minute pass; return where she is then."""
        perception.perceive(self.mara, "say", "and then?", speaker)
        self.wait(25)
        return self.ticks()[-1]

    def test_a_fight_holds_her_and_wherever_it_ends_she_goes_on_from_there(self):
        self.configure(CAN_ACT="tests.life.test_day.may_act")
        self.at(13)
        self.ticks()
        self.mara.db.fights = True
        self.mara.move_to(self.inn, quiet=True)
        self.assertEqual(self.ticks(2), ["Inn", "Inn"])
        self.mara.db.fights = False
        self.assertEqual(self.ticks(3), ["Lane", "Square", "Market"])

    def test_who_plays_her_goes_where_they_like_and_she_goes_on_from_there(self):
        self.at(13)
        self.ticks()
        self.puppet(self.mara, self.account2, self.session2)
        self.mara.move_to(self.inn, quiet=True)
        self.assertEqual(self.ticks(2), ["Inn", "Inn"])
        self.puppet(self.char2, self.account2, self.session2)
        self.assertEqual(self.ticks(3), ["Lane", "Square", "Market"])

    def test_a_builder_who_puts_her_elsewhere_is_heeded_until_the_next_part_of_the_day(self):
        self.at(13)
        self.ticks(4)
        self.mara.move_to(self.lane, quiet=True)
        self.assertEqual(self.ticks(3), ["Lane", "Lane", "Lane"])
        self.assertEqual(self.state(), "moved")
        minds.forget_all()
        self.assertEqual(self.ticks(2), ["Lane", "Lane"])
        self.at(23)
        self.assertEqual(self.ticks(2), ["Inn", "Inn"])

    def test_who_leads_her_holds_her_and_left_alone_she_goes_to_her_work(self):
        self.mara.locks.add("lead:all()")
        minds.script_llm(call("follow", target="Char2"), "I come.", repeat=True)
        tick.run_tick(self.script_of_mara)
        self.do(self.char2, "say Mara, follow me.", wait=2)
        self.ways["Inn-Lane"].at_traverse(self.char2, self.lane)
        self.wait(2)
        self.at(13)
        self.assertEqual(self.ticks(2), ["Lane", "Lane"])
        self.char2.location = None
        self.ticks()
        self.wait(620)
        self.assertEqual(self.ticks(3), ["Square", "Market", "Market"])
        self.assertIsNone(assistant.following(self.script_of_mara))

    def test_a_leader_whom_nobody_plays_any_more_does_not_hold_her(self):
        self.session2.cmd_last_visible = self.clock.seconds()
        assistant.follow(self.script_of_mara, self.char2.id)
        movement.note_led(self.script_of_mara, self.mara)
        self.at(13)
        self.wait(590)
        self.session2.cmd_last_visible = self.clock.seconds()
        self.wait(300)
        self.assertEqual(self.ticks(), ["Inn"])
        self.account2.unpuppet_object(self.session2)
        self.char2.location = self.inn
        self.assertEqual(self.ticks(), ["Inn"])
        self.wait(610)
        self.assertEqual(self.ticks(3), ["Lane", "Square", "Market"])


class BlockedTests(DayTestCase):
    def locks(self):
        self.ways["Lane-Square"].locks.add("traverse:false()")

    def warnings(self):
        return [line for line in self.log if "finds no way" in line]

    def test_at_a_locked_door_she_waits_staff_are_told_once_and_she_goes_on_when_it_opens(self):
        self.at(13)
        self.assertEqual(self.ticks(), ["Lane"])
        self.locks()
        self.assertEqual(set(self.ticks(60)), {"Lane"})
        [warning] = self.warnings()
        self.assertIn("finds no way from Lane", warning)
        self.assertIn("'market'", warning)
        self.ways["Lane-Square"].locks.add("traverse:all()")
        self.assertEqual(self.ticks(130)[-1], "Market")
        self.assertEqual(self.state(), "there")

    def test_staff_are_told_once_for_as_long_as_it_lasts_and_again_after_she_was_there(self):
        self.gives(self.mara, "06:00 inn", "13:00 market", "15:00 square")
        self.locks()
        self.at(13)
        self.ticks(3)
        self.at(15)
        self.ticks(3)
        self.at(13, day=101)
        self.ticks(3)
        self.assertEqual(len(self.warnings()), 1)
        self.at(6, day=102)
        self.ticks(200)
        self.at(13, day=102)
        self.ticks(5)
        self.assertEqual(len(self.warnings()), 2)

    def test_she_looks_for_a_way_less_and_less_often(self):
        self.locks()
        looked = []
        find = day.movement.find_way
        self.patch(day.movement, "way_to", lambda npc, rooms: looked.append(1) or find(npc, rooms))
        self.at(13)
        self.ticks(240)
        self.assertLess(len(looked), 10)

    def test_another_way_round_is_taken(self):
        self.at(13)
        self.ticks()
        self.join(self.lane, self.market)
        self.locks()
        self.assertEqual(self.ticks(), ["Market"])

    def test_superuser_rights_of_the_game_open_no_door_for_her(self):
        self.mara.permissions.add("Developer")
        self.locks()
        self.at(13)
        self.assertEqual(self.ticks(3), ["Inn", "Inn", "Inn"])

    def test_stuck_for_a_day_and_unwatched_she_is_put_at_home(self):
        cell = self.make_room("Cell")
        self.at(13)
        self.ticks()
        self.mara.move_to(cell, quiet=True)
        self.ticks(2)
        self.at(14, day=101)
        self.char1.location = self.char2.location = cell
        self.ticks(2)
        self.assertIs(self.mara.location, cell)
        self.char1.location = self.char2.location = self.square
        walking._walks.clear()
        self.assertEqual(self.ticks(130)[-1], "Market")

    def test_a_clock_that_jumps_a_week_frees_who_was_stuck(self):
        self.locks()
        self.at(13)
        self.ticks(3)
        self.at(13, day=107)
        self.char1.location = self.char2.location = None
        self.mara.location = self.lane
        self.ticks(3)
        self.assertEqual(self.ticks(130)[-1], "Inn")

    def test_a_room_that_is_gone_keeps_her_where_she_is(self):
        self.market.delete()
        self.at(13)
        self.assertEqual(self.ticks(3), ["Inn", "Inn", "Inn"])
        self.assertEqual(self.state(), "blocked")

    def test_what_is_done_in_a_room_that_is_gone_is_done_nowhere_else(self):
        self.char2.location = self.inn
        self.session2.cmd_last_visible = self.clock.seconds()
        self.market.delete()
        self.wait(61)
        self.at(13)
        self.ticks(3)
        self.assertEqual([text for _, text in self.bob if "eels" in text], [])
        told = whereabouts.of(self.mara, seen_by=self.mara, home=self.inn)
        self.assertEqual((told["doing"], told["is_on_way"]), ("", False))


class SleepTests(DayTestCase):
    def test_she_sleeps_and_rises_by_her_day(self):
        self.ticks()
        self.wait(61)
        self.at(22)
        self.ticks(2)
        self.assertTrue(sleep_state.is_asleep(self.script_of_mara))
        self.at(5, day=101)
        self.ticks(3)
        self.assertTrue(sleep_state.is_asleep(self.script_of_mara))
        self.at(6, day=101)
        self.ticks(40)
        self.assertFalse(sleep_state.is_asleep(self.script_of_mara))

    def test_whom_staff_wake_at_night_is_up_for_a_while(self):
        self.ticks()
        self.wait(61)
        self.at(22)
        self.ticks(2)
        waking.perform_wake_transition(self.script_of_mara, "staff said so")
        self.ticks(8)
        self.assertFalse(sleep_state.is_asleep(self.script_of_mara))
        self.ticks(5)
        self.assertTrue(sleep_state.is_asleep(self.script_of_mara))

    def test_a_nap_does_not_let_her_miss_the_market(self):
        sleep_cycle.transition_mode(self.script_of_mara, "sleep", "it has much to think about")
        self.at(13)
        self.ticks(60)
        self.assertIs(self.mara.location, self.market)


class ConditionTests(DayTestCase):
    routine = (
        "06:00 inn: kneads dough",
        "13:00 market: buys eels [unless raining]",
        "15:00 square [if tag(singer)]",
    )

    def test_what_depends_on_something_is_done_only_if_it_is_so(self):
        self.configure(FACTS={"raining": "tests.life.test_day.rains"})
        Hands.rains = True
        self.at(13)
        self.assertEqual(self.ticks(3), ["Inn", "Inn", "Inn"])
        Hands.rains = False
        self.at(15)
        self.assertEqual(self.ticks(3), ["Lane", "Square", "Market"])
        self.mara.tags.add("singer")
        self.wait(routine.LOCK_SECONDS)
        self.assertEqual(self.ticks(), ["Square"])


def rains(npc):
    return Hands.rains


class ManyTests(DayTestCase):
    def test_two_npcs_of_one_routine_set_off_at_their_own_times(self):
        self.patch(routine, "JITTER", 3600)
        tom = minds.make_assistant("Tom", location=self.inn)
        self.gives(tom, *self.routine)
        begins = []
        for minute in range(0, 61):
            self.at(13 + minute / 60)
            self.ticks(seconds=0)
            self.ticks(npc=tom, seconds=0)
            begins.append((self.mara.location.key, tom.location.key))
        first = [next(n for n, pair in enumerate(begins) if pair[who] != "Inn") for who in (0, 1)]
        self.assertNotEqual(*first)
        self.assertEqual(begins[-1], ("Market", "Market"))

    def test_who_has_no_routine_stays_where_the_builder_put_it(self):
        tom = minds.make_assistant("Tom", location=self.lane)
        self.assertEqual(self.ticks(3, npc=tom), ["Lane", "Lane", "Lane"])
