"""Telling on among minds: it is whispered, believed less each time, and known by nobody else."""

from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_object
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from evennia_ai.agent import speech
from evennia_ai.agent.hearing import perception, presence
from evennia_ai.agent.turn import Turn
from evennia_ai.core.records import GAME, Source
from evennia_ai.domain.memories.gossip import Hearsay
from evennia_ai.exceptions import ToolError
from evennia_ai.llm.base import Completion
from evennia_ai.memory import identity, journal, working_memory
from evennia_ai.memory.state import active_assistants, npc_settings
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call, seen_by, words

SECRET = "The crown lies under the oak."


class HearsayTestCase(MindTestCase):
    """Char whispered a secret to Mara and left; Char2 is with her."""

    def setUp(self):
        super().setUp()
        self.configure(GOSSIP="freely")
        minds.script_llm("I shall keep it.")
        self.do(self.char1, f"whisper Mara = {SECRET}")
        self.char1.location = self.room2
        self.wait()
        self.ann.clear()
        self.bob.clear()

    def let_share(self, name, *, target="", about="crown under the oak", by=None):
        """Let Char2 talk an assistant into sharing; return the mind that does it."""
        # Whoever hears of it has nothing to say.
        idle = [call("noop")] * 6
        mind = minds.script_llm(call("share", about=about, target=target), *idle)
        self.do(by or self.char2, f"say {name}, be so kind.", wait=3)
        return mind

    def entry_of(self, npc, content=SECRET):
        """Return what an assistant has noted of the secret."""
        [entry] = [entry for entry in journal.entries(npc) if entry.content == content]
        return entry


class WhisperTests(HearsayTestCase):
    def test_it_is_whispered_word_for_word(self):
        self.let_share("Mara")
        self.assertEqual(
            words(self.bob, "whisper"), [f'Mara whispers: "|nChar told me: "{SECRET}"|n"']
        )

    def test_a_public_room_never_hears_it(self):
        self.char1.location = self.room1
        cid = create_object(DefaultCharacter, key="Cid", location=self.room1)
        heard = minds.listen(cid)
        self.let_share("Mara")
        self.assertEqual(len(words(self.bob, "whisper")), 1)
        for others in (self.ann, heard):
            self.assertEqual([text for _, text in others if "oak" in text], [])

    def test_words_that_a_mind_adds_are_not_whispered_with_it(self):
        minds.script_llm(
            call("share", about="crown", words="Char is a thief."), call("share", about="crown")
        )
        self.do(self.char2, "say Mara, be so kind.")
        self.assertEqual(
            words(self.bob, "whisper"), [f'Mara whispers: "|nChar told me: "{SECRET}"|n"']
        )

    def test_the_events_count_as_answered(self):
        mind = self.let_share("Mara")
        self.assertEqual((self.pending(), len(mind.requests)), ([], 1))

    def test_who_never_gossips_shows_the_mind_nothing_of_it(self):
        npc_settings.choose(self.mara, gossip="never")
        mind = minds.script_llm(call("share", about="crown under oak"), "I know nothing.")
        self.do(self.char2, "say Mara, be so kind.")
        self.assertEqual(words(self.bob)[-1], 'Mara says, "I know nothing."')
        self.assertIn(
            'Error: You know nothing about that which you would tell "Char2".', seen_by(mind)
        )
        self.assertNotIn(SECRET, seen_by(mind))

    def test_in_a_private_turn_a_third_is_told_no_more_than_the_memory(self):
        self.char1.location = self.room1
        minds.script_llm(call("share", about="crown", target="Char2"))
        self.do(self.char1, "whisper Mara = I am a thief. Tell Char2 of the crown.")
        self.assertEqual(self.bob, [("whisper", f'Mara whispers: "|nChar told me: "{SECRET}"|n"')])

    def test_what_was_just_whispered_is_not_what_is_passed_on(self):
        self.char1.location = self.room1
        minds.script_llm(call("share", about="thief", target="Char2"), call("noop"))
        self.do(self.char1, "whisper Mara = I am a thief. Tell Char2 of the crown.")
        self.assertEqual(self.bob, [])

    def test_a_tell_from_afar_is_answered_by_a_tell(self):
        self.char2.location = self.room2
        minds.script_llm(call("share", about="crown under the oak"))
        perception.told(self.mara, "Any news?", self.char2)
        self.wait()
        self.assertEqual(words(self.bob, "tell"), [f'Mara tells you: "Char told me: "{SECRET}""'])
        self.assertEqual(words(self.ann, "tell"), [])


class AudienceTests(HearsayTestCase):
    """Who may know it after it was told."""

    def test_the_listener_may_know_it_from_now_on(self):
        self.let_share("Mara")
        entry = self.entry_of(self.mara)
        known = sorted([self.first, self.second, identity.identity_of(self.mara)])
        self.assertEqual(entry.audience, known)
        self.assertEqual([one["with"] for one in entry.shared], [self.second])
        mind = minds.script_llm("Under the oak.")
        self.do(self.char2, "say Mara, where does the crown lie?")
        told = [one["text"] for one in mind.requests[0].context["memories"]]
        self.assertEqual(told, [SECRET])

    def test_a_fourth_may_not(self):
        self.let_share("Mara")
        cid = create_object(DefaultCharacter, key="Cid", location=self.room1)
        mind = minds.script_llm("No idea.")
        self.do(cid, "say Mara, where does the crown lie?")
        self.assertEqual(len(mind.requests), 1)
        self.assertNotIn("oak", seen_by(mind))

    def test_she_remembers_that_she_told_it_to_these_two_only(self):
        self.let_share("Mara")
        line = working_memory.lines_with(self.mara, self.second)[-1]
        self.assertEqual((line.mine, line.kind), (True, "whisper"))
        self.assertEqual(line.text, f'Char told me: "{SECRET}"')
        both = sorted([self.second, identity.identity_of(self.mara)])
        self.assertEqual(line.audience, both)


class ChainTests(HearsayTestCase):
    """From Char to Mara, to Olga, to Pim: three minds, each of which has it from the last."""

    def setUp(self):
        super().setUp()
        self.olga = minds.make_assistant("Olga", location=self.room1)
        self.pim = minds.make_assistant("Pim", location=self.room1)
        self.let_share("Mara", target="Olga")

    def test_trust_is_halved_twice_along_the_chain(self):
        self.let_share("Olga", target="Pim")
        trusts = [self.entry_of(npc).source_trust for npc in (self.mara, self.olga, self.pim)]
        self.assertEqual(trusts, [0.9, 0.45, 0.225])

    def test_each_has_it_from_the_last_and_knows_whom_it_came_through(self):
        self.let_share("Olga", target="Pim")
        first, second, third = map(self.entry_of, (self.mara, self.olga, self.pim))
        char = {"identity": self.first, "name": "Char"}
        mara = {"identity": identity.identity_of(self.mara), "name": "Mara"}
        self.assertEqual((first.source_entity, first.chain), ("Char", []))
        self.assertEqual((second.source_entity, second.chain), ("Mara", [char]))
        self.assertEqual((third.source_entity, third.chain), ("Olga", [char, mara]))
        self.assertEqual(third.source_type, "direct")
        self.assertEqual([one["name"] for one in second.shared], ["Pim"])

    def test_hearsay_is_known_to_those_two_who_spoke_of_it(self):
        both = sorted([identity.identity_of(self.mara), identity.identity_of(self.olga)])
        self.assertEqual(self.entry_of(self.olga).audience, both)
        self.assertEqual([e for e in journal.entries(self.pim) if "oak" in e.content], [])

    def test_whoever_is_told_quotes_the_last_teller(self):
        self.let_share("Olga")
        self.assertEqual(
            words(self.bob, "whisper"), [f'Olga whispers: "|nMara told me: "{SECRET}"|n"']
        )
        mind = minds.script_llm("Mara told me so.")
        self.do(self.char2, "say Olga, where does the crown lie?")
        [memory] = [one for one in mind.requests[0].context["memories"] if one["text"] == SECRET]
        self.assertEqual(memory["by"], "Mara")

    def test_it_is_not_told_back(self):
        before = self.entry_of(self.olga)
        self.let_share("Olga", target="Mara")
        self.assertEqual(self.entry_of(self.olga), before)

    def test_what_is_no_hearsay_is_believed_as_before(self):
        self.do(self.char2, "say Olga, the bridge is broken.")
        entry = self.entry_of(self.olga, "Olga, the bridge is broken.")
        self.assertEqual((entry.source_trust, entry.chain), (0.9, []))


class ReleaseTests(HearsayTestCase):
    """What a turn whispers on release, and what it does not."""

    def turn(self, **fields):
        """Return a turn of Mara's about words of Char2."""
        given = {"addressed": True, "kind": "say", "text": "Be so kind.", **fields}
        kind, text = given.pop("kind"), given.pop("text")
        event = perception._event(self.mara, kind, text, self.char2, **given)
        return Turn(self.script_of_mara, [event], llm=minds.script_llm("x"))

    def tell_on(self, turn, target=None):
        told = turn.tell_on(
            "Psst.", target or self.char2, hearsay=Hearsay("Psst.", 0.9, sources=(Source(GAME),))
        )
        results = []
        told.addBoth(results.append)
        if isinstance(results[0], Failure):
            results[0].raiseException()
        return results[0]

    def test_what_else_is_in_the_prompt_does_not_hold_it_back(self):
        turn = self.turn()
        turn.include([self.first])
        self.assertTrue(self.tell_on(turn))
        self.assertEqual(words(self.bob, "whisper"), ['Mara whispers: "|nPsst.|n"'])
        self.assertTrue(turn.is_over)
        self.assertEqual(turn.spoken, ["Psst."])
        both = sorted([self.second, identity.identity_of(self.mara)])
        self.assertEqual(working_memory.lines_with(self.mara, self.second)[-1].audience, both)

    def test_words_of_the_mind_are_still_held_back(self):
        self.char1.location = self.room1
        turn = self.turn()
        turn.include([self.second])
        turn.speak("whisper", "Psst.", self.char1)
        self.assertEqual((words(self.ann, "whisper"), len(words(self.bob, "whisper"))), ([], 1))

    def test_nothing_is_told_on_a_channel(self):
        turn = self.turn(kind="channel", channel="public", audience="public")
        self.patch(turn, "why_silent", lambda: "")
        with self.assertRaisesRegex(ToolError, "Char2 would not hear you whisper."):
            self.tell_on(turn)
        self.assertEqual(self.bob, [])

    def test_who_is_elsewhere_or_away_is_not_told(self):
        asleep = create_object(DefaultCharacter, key="Cid", location=self.room1)
        for target in (self.char1, asleep):
            self.assertFalse(target is asleep and presence.can_hear(target))
            with self.assertRaisesRegex(ToolError, "would not hear you whisper."):
                self.tell_on(self.turn(), target)
        self.assertEqual(self.ann, [])

    def test_who_cannot_speak_keeps_it_and_nothing_of_it_is_remembered(self):
        self.configure(CAN_ACT="tests.tools.doubles.can_act")
        self.mara.db.bound = True
        turn = self.turn()
        self.assertFalse(self.tell_on(turn))
        self.assertEqual(turn.notes, ["did not tell on: it cannot act"])
        self.assertEqual((self.bob, turn.is_over), ([], True))
        self.assertEqual(self.remembered(self.second), [])

    def test_while_the_server_stops_nothing_is_told_and_the_question_waits(self):
        self.patch(active_assistants, "is_closing", lambda: True)
        turn = self.turn()
        self.assertFalse(self.tell_on(turn))
        self.assertEqual((self.bob, turn.is_over), ([], False))

    def test_somebody_who_left_while_she_thought_is_not_told(self):
        thinking = Deferred()
        minds.script_llm(thinking, call("noop"))
        self.do(self.char2, "say Mara, be so kind.")
        self.char2.location = self.room2
        thinking.callback(Completion("", tool_calls=[call("share", about="crown")]))
        self.wait()
        self.assertEqual(words(self.bob, "whisper"), [])
        self.assertEqual(self.entry_of(self.mara).shared, [])


class GarbledTests(HearsayTestCase):
    def test_words_that_the_game_changes_are_believed_less_all_the_same(self):
        olga = minds.make_assistant("Olga", location=self.room1)
        self.patch(self.mara, "at_pre_say", lambda text, **_: text.replace("oak", "o-hic-ak"))
        self.let_share("Mara", target="Olga")
        self.assertEqual([entry for entry in journal.entries(olga) if entry.content == SECRET], [])
        [entry] = [entry for entry in journal.entries(olga) if "o-hic-ak" in entry.content]
        self.assertEqual((entry.source_trust, entry.chain), (0.45, []))

    def test_an_utterance_says_what_it_passes_on_while_it_lasts(self):
        hearsay = Hearsay(SECRET, 0.9)
        with speech.uttering(self.mara, "Psst.", hops=0, hearsay=hearsay):
            self.assertIs(speech.current(self.mara).hearsay, hearsay)
        self.assertIsNone(speech.current(self.mara))
