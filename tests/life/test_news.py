"""News goes from NPC to NPC as they meet: what may be told, once, believed less each time, and found again to be forgotten."""

import json
from unittest import mock

from evennia.typeclasses.attributes import Attribute
from msgspec import structs

from evennia_ai import scheduling, tick
from evennia_ai.agent import ingest
from evennia_ai.agent.hearing import perception
from evennia_ai.agent.revising import forgetting
from evennia_ai.core import volatile
from evennia_ai.core.records import Source
from evennia_ai.domain.memories import relationship
from evennia_ai.life import news
from evennia_ai.memory import identity, journal, working_memory
from evennia_ai.memory.people import entity_profiles, heard
from evennia_ai.memory.state import assistant, npc_settings
from evennia_ai.memory.state.sleep_state import ASLEEP
from evennia_ai.sleep import extraction, sleep_cycle
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import call, seen_by, words
from tests.life import cases
from tests.memory.profiles import change_profile

NEWS = "The old bridge over the Quorn fell into the river last night."
MORE = "The king raised the tax on barley to nine crowns."


class NewsTestCase(cases.DayTestCase):
    """Mara, Bertil and Cid have no day to follow; the players are in the market, the NPCs elsewhere."""

    routine = ()

    def setUp(self):
        super().setUp()
        self.mind = minds.script_llm("I see.", repeat=True)
        self.char1.location = self.char2.location = self.market
        self.cid.location = self.lane
        self.meets(self.mara, self.square)

    def create_cast(self):
        super().create_cast()
        self.bertil, self.cid = (
            minds.make_assistant(name, location=self.square) for name in ("Bertil", "Cid")
        )

    def meets(self, npc, room):
        npc.location = room

    def passes(self, *npcs, times=1):
        for _ in range(times):
            for npc in npcs or (self.mara, self.bertil, self.cid):
                tick.run_tick(scripts.find(npc))
            self.wait(30)

    def hears(self, text=NEWS, npc=None, **fields):
        """Let an NPC note something that nobody said, for all to know."""
        given = {"source_type": "observation", "audience": "public", "importance": 7}
        return ingest.add_entry(npc or self.mara, text, **{**given, **fields})

    def is_told(self, text, by, npc=None, *, kind="say", audience="public", **fields):
        """Let an NPC note what a player told it."""
        who = identity.identity_of(by)
        given = {"source_type": "direct", "source_entity": by.key, "source_id": who}
        return self.hears(text, npc, tags=[kind], audience=audience, **{**given, **fields})

    def known(self, npc):
        return [entry.content for entry in journal.entries(npc)]

    def entry(self, npc, text=NEWS):
        [entry] = [one for one in journal.entries(npc) if one.content == text]
        return entry

    def befriends(self, npc, other):
        favorability = relationship.STATES["friend"].bound
        regarded = structs.replace(relationship.new(), state="friend", favorability=favorability)
        entity_profiles.update_relationship(npc, other, 0.01, "talked")
        change_profile(npc, identity.perceived(npc, other), relationship=regarded)


class PassingOnTests(NewsTestCase):
    def test_who_meets_is_told(self):
        self.hears()
        self.passes()
        self.assertEqual(self.known(self.bertil), [NEWS])

    def test_by_nobody_it_goes_on_with_whom_it_came_through_and_is_believed_less(self):
        self.hears()
        self.passes(times=2)
        self.meets(self.bertil, self.lane)
        self.passes(times=2)
        second, third = self.entry(self.bertil), self.entry(self.cid)
        self.assertEqual((second.source_entity, second.source_trust), ("Mara", 0.4))
        self.assertEqual((third.source_entity, third.source_trust), ("Bertil", 0.2))
        self.assertEqual([one["name"] for one in third.chain], ["Mara"])

    def test_a_third_asked_says_whom_it_is_from(self):
        self.hears()
        self.passes(times=2)
        self.meets(self.bertil, self.lane)
        self.passes(times=2)
        self.meets(self.cid, self.market)
        self.do(self.char1, "say Cid, what of the bridge over the Quorn?")
        self.assertIn(NEWS, seen_by(self.mind))
        self.assertRegex(seen_by(self.mind), "Bertil")

    def test_asked_for_news_it_tells_what_it_heard_and_from_whom(self):
        self.hears()
        self.passes(times=2)
        self.meets(self.bertil, self.market)
        self.do(self.char1, "say Bertil, what is the news?", wait=4)
        self.assertIn(NEWS, seen_by(self.mind))
        self.assertIn("Mara", seen_by(self.mind))

    def test_asked_for_news_it_does_not_tell_what_a_player_told_it(self):
        self.is_told("The miller stole a sack of barley.", self.char2, self.bertil)
        self.meets(self.bertil, self.market)
        self.do(self.char1, "say Bertil, what is the news?", wait=4)
        self.assertNotIn("barley", seen_by(self.mind))

    def test_no_model_is_asked(self):
        self.hears()
        self.passes(times=3)
        self.assertEqual(self.mind.requests, [])

    def test_one_thing_a_meeting(self):
        self.hears()
        self.hears(MORE)
        self.passes(times=3)
        self.assertEqual(len(self.known(self.bertil)), 1)

    def test_the_next_at_the_next_meeting(self):
        self.hears()
        self.hears(MORE)
        self.passes(times=2)
        self.meets(self.bertil, self.lane)
        self.passes(self.mara)
        self.meets(self.bertil, self.square)
        self.passes(self.mara)
        self.assertEqual(sorted(self.known(self.bertil)), [MORE, NEWS])

    def test_three_a_day_of_the_games_clock(self):
        texts = [
            f"The {what} of Elmstead burned down." for what in ("mill", "inn", "school", "barn")
        ]
        for text in texts:
            self.hears(text)
        for _ in texts:
            self.passes(self.mara)
            self.meets(self.bertil, self.inn)
            self.passes(self.mara)
            self.meets(self.bertil, self.square)
        self.assertEqual(len(self.known(self.bertil)), 3)
        self.at(7, day=101)
        self.passes(self.mara)
        self.assertEqual(len(self.known(self.bertil)), 4)

    def test_what_the_other_knows_is_not_told_again(self):
        self.hears()
        self.hears(npc=self.bertil)
        self.hears(MORE)
        self.passes(self.mara)
        self.assertEqual(self.known(self.bertil), [NEWS, MORE])

    def test_it_does_not_come_back(self):
        self.hears()
        self.passes(times=2)
        for _ in range(3):
            volatile.forget_all()
            self.passes()
        self.assertEqual((self.known(self.mara), self.known(self.bertil)), ([NEWS], [NEWS]))

    def test_after_a_restart_it_is_not_told_twice(self):
        self.hears()
        self.passes()
        minds.forget_all()
        self.passes()
        self.assertEqual(self.known(self.bertil), [NEWS])

    def test_of_themselves_nobody_is_told(self):
        self.hears("Bertil broke the great wheel of the mill.")
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_what_is_old_is_no_news(self):
        self.hears()
        self.wait(8 * 86_400)
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_what_hardly_matters_is_no_news(self):
        self.hears(importance=5)
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_what_is_hardly_believed_goes_no_further(self):
        self.hears(source_trust=0.19)
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_answers_gifts_and_what_it_set_out_to_do_are_no_news(self):
        self.hears("Yes, that one, over there.")
        self.hears("Char gives you a loaf.", tags=["give"])
        self.hears("Mara set out to fetch flour from the mill, and did so.", tags=["errand"])
        self.passes()
        self.assertEqual(self.known(self.bertil), [])


class WhomTests(NewsTestCase):
    def test_what_a_player_said_stays_unless_the_builder_says_so(self):
        self.is_told(NEWS, self.char1)
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_nor_does_what_a_mind_made_of_their_words(self):
        """Holes of the third adversary: a note of its own, and what the night took out of old talk."""
        self.hears(sources=[Source("event 1", self.first)])
        self.hears(MORE, source_type="inference", source_id=self.first)
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_what_it_made_of_what_nobody_said_goes_on(self):
        self.hears(sources=[Source("event 1")])
        self.passes()
        self.assertEqual(self.known(self.bertil), [NEWS])

    def test_nor_does_it_go_on_from_one_who_was_told(self):
        self.is_told(NEWS, self.char1)
        npc_settings.choose(self.mara, gossip="freely")
        self.passes()
        self.meets(self.bertil, self.lane)
        self.passes(times=2)
        self.assertEqual((self.known(self.bertil), self.known(self.cid)), ([NEWS], []))

    def test_freely_it_goes_to_anybody_in_their_words(self):
        npc_settings.choose(self.mara, gossip="freely")
        self.is_told(NEWS, self.char1)
        self.passes()
        entry = self.entry(self.bertil)
        self.assertEqual([one["name"] for one in entry.chain], ["Char"])
        self.assertEqual(entry.source_trust, 0.45)

    def test_to_friends_among_friends_alone(self):
        npc_settings.choose(self.mara, gossip="friends")
        self.is_told(NEWS, self.char1)
        self.passes()
        self.assertEqual(self.known(self.bertil), [])
        self.befriends(self.mara, self.bertil)
        volatile.forget_all()
        self.passes()
        self.assertEqual(self.known(self.bertil), [NEWS])

    def test_what_was_told_in_confidence_is_for_the_two_alone(self):
        npc_settings.choose(self.mara, gossip="freely")
        mine = sorted([self.first, identity.identity_of(self.mara)])
        self.is_told(NEWS, self.char1, kind="whisper", audience=mine)
        self.passes()
        between = sorted(identity.identity_of(one) for one in (self.mara, self.bertil))
        self.assertEqual(self.entry(self.bertil).audience, between)

    def test_by_default_a_confidence_stays(self):
        mine = sorted([self.first, identity.identity_of(self.mara)])
        self.is_told(NEWS, self.char1, kind="whisper", audience=mine)
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_a_secret_stays_whatever_the_builder_says(self):
        npc_settings.choose(self.mara, gossip="freely")
        self.hears(tags=["secret"])
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_so_does_another_entry_of_the_same_words(self):
        npc_settings.choose(self.mara, gossip="freely")
        self.hears()
        self.hears(tags=["secret"])
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_what_those_behind_a_lock_may_know_is_no_news(self):
        npc_settings.choose(self.mara, gossip="freely")
        self.hears(tags=["trigger"], audience=[self.first])
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_who_sleeps_is_told_nothing(self):
        self.hears()
        sleep_cycle.transition_mode(scripts.find(self.bertil), ASLEEP, "it is tired")
        self.passes(self.mara)
        self.assertEqual(self.known(self.bertil), [])

    def test_who_is_played_is_told_nothing(self):
        self.hears()
        self.puppet(self.bertil, self.account2, self.session2)
        self.passes(self.mara)
        self.assertEqual(self.known(self.bertil), [])

    def test_who_is_hidden_is_told_nothing(self):
        self.hears()
        self.bertil.locks.add("view:false()")
        self.passes()
        self.assertEqual(self.known(self.bertil), [])

    def test_who_never_speaks_of_itself_tells_nothing(self):
        npc_settings.choose(self.mara, talkative="never")
        self.hears()
        self.passes()
        self.assertEqual(self.known(self.bertil), [])


class WordsOfPlayersTests(NewsTestCase):
    """Whatever a mind makes of what players said counts as said by them."""

    def notes_alone(self, text=NEWS):
        """Let Char2 tell Mara something, and her mind note it in an hour alone."""
        self.configure(OCCASIONS={"reflect": 24})
        self.meets(self.mara, self.market)
        self.do(self.char2, f"say Mara, {NEWS}", wait=4)
        self.meets(self.mara, self.square)
        self.wait(300)
        noted = call("add_journal_entry", content=text, importance=7)
        minds.script_llm([noted], [call("noop")], repeat=True)
        self.passes(self.mara, times=3)
        self.wait(120)
        minds.script_llm("I see.", repeat=True)

    def test_a_note_in_a_minds_own_words_is_no_news(self):
        self.notes_alone(MORE)
        self.passes(times=4)
        self.assertIn(MORE, self.known(self.mara))
        self.assertEqual(self.known(self.bertil), [])

    def test_who_gossips_freely_tells_it_as_from_the_player_and_the_next_is_told_nothing(self):
        npc_settings.choose(self.mara, gossip="freely")
        self.notes_alone(MORE)
        self.passes(self.mara)
        self.meets(self.bertil, self.lane)
        self.passes(times=4)
        [heard] = journal.entries(self.bertil)
        self.assertIn(self.second, {source.by for source in heard.sources})
        self.assertEqual(self.known(self.cid), [])

    def test_it_is_forgotten_with_the_player_by_whoever_heard_of_it(self):
        npc_settings.choose(self.mara, gossip="freely")
        self.notes_alone(MORE)
        self.passes(self.mara, times=1)
        self.meets(self.bertil, self.lane)
        self.meets(self.bertil, self.square)
        self.passes(self.mara)
        self.assertIn(MORE, self.known(self.bertil))
        forgetting.ask(self.char2)
        self.wait(60)
        self.assertEqual((self.known(self.mara), self.known(self.bertil)), ([], []))

    def test_what_the_night_takes_from_a_talk_is_no_news(self):
        self.meets(self.mara, self.market)
        self.do(self.char2, f"say Mara, {NEWS}", wait=4)
        journal.remove_entries(self.mara, [one.id for one in journal.entries(self.mara)])
        lines = list(working_memory.lines_with(self.mara, self.second))
        talk = extraction.Talk(
            self.script_of_mara.id, self.mara.id, self.second, "Char2", "Mara", "public", lines
        )
        noted = "Char2 said that the old bridge over the Quorn fell into the river last night."
        minds.script_llm(json.dumps({"facts": [noted]}), repeat=True)
        extraction.extract(talk, emergency=True)
        self.wait(10)
        for entry in journal.entries(self.mara):
            journal.edit_entry(self.mara, entry.id, importance=7)
        self.meets(self.mara, self.square)
        self.wait(120)
        self.passes(times=4)
        self.assertEqual(self.known(self.mara), [noted])
        self.assertEqual(self.known(self.bertil), [])

    def test_what_a_mind_says_aloud_of_it_is_no_news_of_whoever_hears_it(self):
        heard.note_mind(self.bertil, identity.identity_of(self.mara))
        self.is_told(NEWS, self.mara, self.bertil)
        self.meets(self.bertil, self.lane)
        self.passes(times=2)
        self.assertEqual((self.known(self.bertil), self.known(self.cid)), ([NEWS], []))


class WatchedTests(NewsTestCase):
    def setUp(self):
        super().setUp()
        self.char1.location = self.square
        self.passes()
        self.wait(60)
        self.ann.clear()

    def watches(self):
        self.session.cmd_last_visible = self.clock.seconds()

    def test_a_player_sees_one_line_of_what_is_public(self):
        self.hears()
        self.watches()
        self.passes()
        self.assertEqual(words(self.ann), [f'Mara says, "{NEWS}"'])
        self.assertEqual(self.known(self.bertil), [NEWS])

    def test_of_what_is_not_they_see_that_it_is_told(self):
        npc_settings.choose(self.mara, gossip="freely")
        mine = sorted([self.first, identity.identity_of(self.mara)])
        self.is_told(NEWS, self.char1, kind="whisper", audience=mine)
        self.watches()
        self.passes()
        self.assertEqual(
            [text for _, text in self.ann], ["Mara tells Bertil something in a low voice."]
        )
        self.assertEqual(len(self.known(self.bertil)), 1)

    def test_who_else_is_there_hears_it_and_nobody_answers(self):
        self.meets(self.cid, self.square)
        self.passes()
        self.wait(60)
        self.hears()
        self.watches()
        self.passes(self.mara)
        self.assertEqual(self.known(self.cid) + self.known(self.bertil), [NEWS, NEWS])
        self.assertEqual(self.mind.requests, [])

    def test_who_overhears_what_they_know_notes_it_no_second_time(self):
        self.hears()
        self.hears(npc=self.cid)
        self.meets(self.cid, self.square)
        self.watches()
        self.passes(self.mara)
        self.assertEqual(self.known(self.bertil), [NEWS])
        self.assertEqual(self.known(self.cid), [NEWS])

    def test_while_others_talk_it_waits(self):
        self.hears()
        self.watches()
        self.char1.execute_cmd("say What a day it is.")
        self.passes(self.mara)
        self.assertEqual(self.known(self.bertil), [])

    def test_beyond_what_a_room_is_shown_it_waits(self):
        self.configure(OCCASIONS={"room": 0})
        self.hears()
        self.watches()
        self.passes()
        self.assertEqual(self.known(self.bertil), [])


class CrashTests(NewsTestCase):
    def test_what_cannot_be_written_with_the_one_is_not_with_the_other(self):
        self.hears()

        def full(*_, **__):
            raise OSError("the disk is full")

        with mock.patch.object(perception, "perceive", full), self.assertRaises(OSError):
            tick.run_tick(self.script_of_mara)
            scheduling.drain()
        self.assertEqual((self.known(self.bertil), self.entry(self.mara).shared), ([], []))
        self.assertEqual(assistant.news_told(self.script_of_mara, 100), 0)

    def test_what_is_with_both_is_in_the_database_at_once(self):
        self.hears()
        tick.run_tick(self.script_of_mara)
        scheduling.drain()
        kept = "\n".join(
            Attribute.objects.values_list("db_strvalue", flat=True).filter(
                db_strvalue__contains="Quorn"
            )
        )
        self.assertEqual(kept.count("the river last night"), 3)

    def test_who_leaves_before_it_is_told_does_not_hear_it(self):
        self.hears()
        news.meet(self.script_of_mara, self.mara)
        self.bertil.location = self.lane
        scheduling.drain()
        self.assertEqual(self.known(self.bertil), [])

    def test_two_who_look_at_the_same_moment_tell_one_thing(self):
        self.hears()
        self.hears(MORE, self.bertil)
        for npc in (self.mara, self.bertil):
            news.meet(scripts.find(npc), npc)
        scheduling.drain()
        self.assertEqual((self.known(self.mara), self.known(self.bertil)), ([NEWS], [MORE, NEWS]))


class ForgettingTests(NewsTestCase):
    def test_forgetting_finds_each_copy(self):
        for npc in (self.mara, self.bertil):
            npc_settings.choose(npc, gossip="freely")
        self.is_told(NEWS, self.char1)
        self.passes()
        self.meets(self.bertil, self.lane)
        self.passes(times=2)
        self.assertEqual(self.known(self.cid), [NEWS])
        done = forgetting.ask(self.char1)
        self.wait(10)
        self.assertEqual(self.outcome(done), "")
        left = [self.known(npc) for npc in (self.mara, self.bertil, self.cid)]
        self.assertEqual(left, [[], [], []])
