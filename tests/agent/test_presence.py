"""Who is there, who came and who left: by looking, not by what the game says about it."""

from unittest import mock

from django.db import connection
from django.test.utils import CaptureQueriesContext
from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_object

from evennia_ai import scheduling, tick
from evennia_ai.agent.hearing import perception, presence
from evennia_ai.core import volatile
from evennia_ai.memory import identity
from evennia_ai.memory.storage import own_attributes
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase


class LookTests(MindTestCase):
    def changes(self):
        """Return who came and who left since the last look."""
        return [(change.kind, change.name) for change in presence.look_around(self.mara)]

    def test_the_first_look_finds_no_change(self):
        self.assertEqual(self.changes(), [])
        self.assertEqual(self.changes(), [])

    def test_a_quiet_move_is_noticed(self):
        self.changes()
        self.char2.move_to(self.room2, quiet=True)
        self.assertEqual(self.changes(), [("leave", "Char2")])
        self.char2.move_to(self.room1, quiet=True)
        self.assertEqual(self.changes(), [("arrive", "Char2")])
        self.assertEqual(self.changes(), [])

    def test_who_logs_out_has_left(self):
        self.changes()
        self.account2.unpuppet_object(self.session2)
        self.assertEqual(self.changes(), [("leave", "Char2")])

    def test_who_is_deleted_has_left_under_the_name_of_the_last_look(self):
        self.changes()
        self.char2.delete()
        self.assertEqual(self.changes(), [("leave", "Char2")])

    def test_one_comes_while_another_leaves(self):
        self.char2.location = self.room2
        self.changes()
        self.char1.location, self.char2.location = self.room2, self.room1
        self.assertEqual(self.changes(), [("arrive", "Char2"), ("leave", "Char")])

    def test_things_and_empty_bodies_are_nobody(self):
        self.changes()
        create_object(DefaultCharacter, key="Body", location=self.room1)
        self.obj1.location = self.room2
        self.assertEqual(self.changes(), [])

    def test_another_mind_is_somebody_as_long_as_it_is_on(self):
        self.changes()
        tom = minds.make_assistant("Tom", location=self.room1)
        self.assertEqual(self.changes(), [("arrive", "Tom")])
        tom.assistant.disable()
        self.assertEqual(self.changes(), [("leave", "Tom")])

    def test_who_hides_has_left_and_comes_when_they_show_themselves(self):
        self.changes()
        self.char2.locks.add("view:false()")
        self.assertEqual(self.changes(), [("leave", "Char2")])
        self.char2.move_to(self.room2, quiet=True)
        self.assertEqual(self.changes(), [])
        self.char2.move_to(self.room1, quiet=True)
        self.assertEqual(self.changes(), [])
        self.char2.locks.add("view:all()")
        self.assertEqual(self.changes(), [("arrive", "Char2")])

    def test_in_another_room_nobody_came_or_left(self):
        self.changes()
        self.mara.location = self.room2
        self.assertEqual(self.changes(), [])
        self.char1.location = self.room2
        self.assertEqual(self.changes(), [("arrive", "Char")])

    def test_nowhere_is_nobody(self):
        self.mara.location = None
        self.assertEqual(self.changes(), [])
        self.assertEqual((presence.listeners(self.mara), presence.hearers(self.mara)), ([], set()))

    def test_hearers_are_players_and_minds_but_not_itself(self):
        self.assertEqual(presence.hearers(self.mara), {self.first, self.second})


class WatcherTests(MindTestCase):
    def test_who_typed_something_in_the_last_ten_minutes_watches(self):
        for ago, watched in ((0, True), (599, True), (601, False)):
            with self.subTest(ago):
                self.session.cmd_last_visible = self.clock.seconds() - ago
                self.session2.cmd_last_visible = 0
                self.assertIs(presence.is_watched(self.room1), watched)

    def test_an_empty_room_is_not_watched(self):
        self.assertFalse(presence.is_watched(self.room2))
        self.assertFalse(presence.is_watched(None))

    def test_things_do_not_watch(self):
        self.obj1.location = self.room2
        self.assertFalse(presence.is_watched(self.room2))


class ComingAndGoingTests(MindTestCase):
    """What the assistant makes of it."""

    def setUp(self):
        super().setUp()
        minds.script_llm("Hello.")
        self.do(self.char1, "say Mara, hello")
        perception.notice_presence(self.mara)

    def later(self):
        """Return what was remembered since the conversation."""
        return [text for _, text in self.remembered()][2:]

    def test_that_somebody_it_knows_walks_out_and_in_is_remembered_once(self):
        self.char1.move_to(self.room2)
        self.wait()
        self.char1.move_to(self.room1)
        self.wait()
        tick.run_tick(self.script_of_mara)
        self.assertEqual(self.later(), ["leaves", "arrives"])
        self.assertEqual(self.pending(), [])

    def test_a_quiet_move_is_found_at_the_next_tick(self):
        self.char1.move_to(self.room2, quiet=True)
        self.wait()
        self.assertEqual(self.later(), [])
        tick.run_tick(self.script_of_mara)
        self.assertEqual(self.later(), ["leaves"])

    def test_a_logout_is_found_at_the_next_tick(self):
        self.account.unpuppet_object(self.session)
        tick.run_tick(self.script_of_mara)
        self.assertEqual(self.later(), ["leaves"])

    def test_that_somebody_came_quietly_stands_before_their_first_words(self):
        self.char1.move_to(self.room2, quiet=True)
        tick.run_tick(self.script_of_mara)
        self.char1.move_to(self.room1, quiet=True)
        self.do(self.char1, "say Char2, here I am.")
        tick.run_tick(self.script_of_mara)
        self.assertEqual(self.later(), ["leaves", "arrives", "Char2, here I am."])

    def test_whoever_spoke_first_and_was_seen_then_arrives_no_more(self):
        self.account2.unpuppet_object(self.session2)
        tick.run_tick(self.script_of_mara)
        self.puppet(self.char2, self.account2, self.session2)
        self.do(self.char2, "say It is a long road from the mill.")
        tick.run_tick(self.script_of_mara)
        said = [text for _, text in self.remembered(self.second)]
        self.assertEqual(said, ["It is a long road from the mill."])

    def test_of_a_stranger_nothing_is_kept(self):
        self.char2.move_to(self.room2)
        self.wait()
        self.assertEqual(self.remembered(self.second), [])


class CrowdTests(MindTestCase):
    """Twenty NPCs in one room: what one look asks of the database does not grow with them."""

    def setUp(self):
        super().setUp()
        self.mara.location = self.room2
        presence.look_around(self.mara)
        # Evennia reads the tags of a room once.
        self.room2.tags.all()
        self.crowd = [
            minds.make_assistant(f"Tom{number}", location=self.room2) for number in range(20)
        ]

    def asked(self, look):
        with CaptureQueriesContext(connection) as queries:
            look(self.mara)
        return len([one for one in queries.captured_queries if "SAVEPOINT" not in one["sql"]])

    def happened(self):
        """Return who is noticed from now on, as (kind, id)."""
        noticed = []
        self.patch(
            type(self.script_of_mara),
            "at_happening",
            lambda script, kind, actor_id, known: noticed.append((kind, actor_id)),
        )
        return noticed

    def test_a_first_look_at_twenty_who_were_not_read_yet_asks_one_question(self):
        volatile.forget_assistant(self.mara.id)
        for one in self.crowd:
            own_attributes.drop_cached(one)
        self.assertEqual(self.asked(presence.look_around), 1)

    def test_twenty_who_came_are_noticed_by_as_many_questions_as_one(self):
        for one in self.crowd:
            identity.identity_of(one)
        noticed = self.happened()
        with mock.patch.object(scheduling, "SLICE_MS", 10_000):
            # What was said with all of them, how she is, and herself.
            self.assertEqual(self.asked(perception.notice_presence), 3)
        self.assertEqual(noticed, [("arrive", one.id) for one in self.crowd])

    def test_twenty_who_have_no_identity_yet_are_given_one_by_two_statements(self):
        volatile.forget_assistant(self.mara.id)
        for one in self.crowd:
            own_attributes.delete_all_of(one)
            own_attributes.of(one)
        # One reads, one writes, one links.
        self.assertEqual(self.asked(presence.look_around), 3)
        self.assertEqual(len(presence.hearers(self.mara)), 20)

    def test_whoever_does_not_fit_into_a_slice_is_noticed_in_the_next(self):
        noticed = self.happened()
        with mock.patch.object(scheduling, "SLICE_MS", 0):
            perception.notice_presence(self.mara)
            self.assertEqual(noticed, [("arrive", self.crowd[0].id)])
            # What changes meanwhile is for the next look.
            self.crowd[1].delete()
            scheduling.drain()
        self.assertEqual([who for _, who in noticed[2:]], [one.id for one in self.crowd[2:]])
        self.assertEqual(len(noticed), 20)

    def test_a_mind_that_is_switched_off_between_two_slices_notices_nobody_more(self):
        noticed = self.happened()
        with mock.patch.object(scheduling, "SLICE_MS", 0):
            perception.notice_presence(self.mara)
            self.script_of_mara.disable()
            scheduling.drain()
        self.assertEqual(len(noticed), 1)
