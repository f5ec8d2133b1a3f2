"""Tests of `share`: what is found, whom it may be told, and what a refusal gives away."""

from evennia.utils import logger
from msgspec import structs
from twisted.internet.defer import Deferred

from evennia_ai import scheduling
from evennia_ai.agent import ingest
from evennia_ai.core.records import new_event
from evennia_ai.core.talk import line_of
from evennia_ai.defaults import DEFAULTS
from evennia_ai.domain.memories import relationship
from evennia_ai.memory import identity, journal, kinds, repository, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import npc_settings
from evennia_ai.semantic import base, journal_sync
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.tools import gossip_tools, registry
from evennia_ai.tools.base import ToolCategory
from tests.domain import lines
from tests.memory.profiles import change_profile
from tests.memory_double import MemoryDouble
from tests.tools.doubles import ToolTestCase, TurnDouble

SECRET = "The crown lies under the oak."
NOTHING = 'You know nothing about that which you would tell "Char2".'


class GossipTurn(TurnDouble):
    """A turn that also tells on; `told` is what was told, as (words, target, hearsay)."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.events, self.told = [self.event], []

    def tell_on(self, words, target, *, hearsay):
        if not self.mute:
            self.told.append((words, target, hearsay))
        return not self.mute


class ShareTestCase(ToolTestCase):
    """Char told Bob the barkeep a secret; Char2 would like to know it. Friends are told such things."""

    extra_settings = {"GOSSIP": "friends"}

    def setUp(self):
        super().setUp()
        self.turn = GossipTurn(self.npc, self.script, speaker=self.char2)
        self.memory = MemoryDouble()
        base.install("default", self.memory)
        self.addCleanup(base.reset)
        self.key, self.first, self.second = map(
            identity.identity_of, (self.npc, self.char1, self.char2)
        )

    def note(self, content=SECRET, **fields):
        given = {
            "source_type": "direct",
            "source_entity": "Char",
            "source_id": self.first,
            "audience": sorted([self.first, self.key]),
            "tags": ["whisper"],
            "now": "2030-01-01T12:00:00Z",
        }
        return journal.add_entry(self.npc, content, **{**given, **fields})

    def befriend(self, state="friend", character=None):
        """Let the barkeep regard Char2, or somebody else, so from now on."""
        who = identity.identity_of(character or self.char2)
        favorability = relationship.STATES[state].bound
        regarded = structs.replace(relationship.new(), state=state, favorability=favorability)
        change_profile(self.npc, who, relationship=regarded)

    def share(self, about="the crown", **arguments):
        return self.successResultOf(self.use(gossip_tools.Share, about=about, **arguments))

    def refusal(self, about="the crown", **arguments):
        return self.failureResultOf(
            self.use(gossip_tools.Share, about=about, **arguments)
        ).getErrorMessage()

    def words(self):
        return [words for words, _, _ in self.turn.told]


class OfferTests(ShareTestCase):
    def test_it_ends_the_turn_and_is_not_offered_on_channels(self):
        tool = gossip_tools.Share()
        self.assertEqual((tool.name, tool.category), ("share", ToolCategory.TERMINAL))
        self.assertTrue(tool.needs_place)
        self.assertEqual(tool.schema()["parameters"]["required"], ["about"])

    def test_it_is_one_of_our_tools(self):
        self.assertIsInstance(registry.get("share"), gossip_tools.Share)


class WhomTests(ShareTestCase):
    def told_by_state(self, level):
        """Return whom the secret is told, by how they are regarded."""
        npc_settings.choose(self.npc, gossip=level)
        told = []
        for state in ("stranger", "acquaintance", "friend", "ally"):
            journal.remove_entries(self.npc, [entry.id for entry in journal.entries(self.npc)])
            self.note()
            self.befriend(state)
            self.turn.told.clear()
            done = self.use(gossip_tools.Share, about="the crown")
            done.addErrback(lambda failure: self.assertEqual(failure.getErrorMessage(), NOTHING))
            self.successResultOf(done)
            told += [state] * len(self.turn.told)
        return told

    def test_by_each_level_and_relationship(self):
        self.assertEqual(self.told_by_state("never"), [])
        self.assertEqual(self.told_by_state("friends"), ["friend", "ally"])
        self.assertEqual(
            self.told_by_state("freely"), ["stranger", "acquaintance", "friend", "ally"]
        )

    def test_where_no_builder_chose_the_setting_decides(self):
        self.assertEqual(self.told_by_state(""), ["friend", "ally"])

    def test_by_default_nobody_is_told(self):
        with self.settings_ai(GOSSIP=DEFAULTS["GOSSIP"]):
            self.assertEqual(self.told_by_state(""), [])

    def test_the_game_has_a_default_and_the_builder_the_last_word(self):
        self.note()
        with self.settings_ai(GOSSIP="freely"):
            npc_settings.choose(self.npc, gossip="never")
            self.assertEqual(self.refusal(), NOTHING)
            npc_settings.choose(self.npc, gossip="")
            self.share()
        self.assertEqual(self.words(), [f'Char told me: "{SECRET}"'])

    def test_a_word_that_is_no_level_tells_nothing_on(self):
        self.note()
        self.befriend()
        with self.assertRaises(ValueError):
            npc_settings.choose(self.npc, gossip="always")
        # As a file of a mind might say.
        repository.save(self.npc, kinds.SETTINGS, {"gossip": "always"})
        self.assertEqual(self.refusal(), NOTHING)

    def test_what_is_public_is_told_to_a_stranger_by_who_never_gossips(self):
        npc_settings.choose(self.npc, gossip="never")
        entry = self.note(audience="public")
        self.share()
        self.assertEqual(self.words(), [f'Char told me: "{SECRET}"'])
        self.assertEqual(journal.get_entry(self.npc, entry.id).audience, "public")

    def test_nobody_is_told_what_they_said(self):
        npc_settings.choose(self.npc, gossip="freely")
        self.note()
        self.turn.speaker = self.char1
        self.assertEqual(self.refusal(), 'You know nothing about that which you would tell "Char".')
        self.assertEqual(self.turn.told, [])

    def test_nobody_is_told_what_came_through_them(self):
        npc_settings.choose(self.npc, gossip="freely")
        self.note(
            source_entity="Olga",
            source_id="uuid-of-olga",
            chain=[{"identity": self.second, "name": "Char2"}],
        )
        self.assertEqual(self.refusal(), NOTHING)

    def test_a_memory_tagged_secret_is_not_for_friends(self):
        self.befriend("ally")
        self.note(tags=["secret"])
        self.assertEqual(self.refusal(), NOTHING)
        npc_settings.choose(self.npc, gossip="freely")
        self.share()
        self.assertEqual(len(self.turn.told), 1)

    def test_a_target_is_told_instead_of_the_speaker(self):
        self.befriend()
        self.note()
        self.turn.speaker = self.char1
        self.assertEqual(
            self.share(target="Char2"), 'You whispered to "Char2" what you know about that.'
        )
        self.assertIs(self.turn.told[0][1], self.char2)

    def test_who_cannot_be_told(self):
        self.note()
        self.turn.speaker = None
        self.assertEqual(self.refusal(), "target must name somebody: nobody speaks with you.")
        self.assertEqual(self.refusal(target="Bob"), "You cannot tell yourself what you know.")
        self.assertEqual(self.refusal(target="Zed"), "0 things are called Zed.")


class RefusalTests(ShareTestCase):
    def test_a_refusal_reveals_nothing(self):
        unknown = self.refusal()
        self.note()
        kept_back = self.refusal()
        self.assertEqual((unknown, kept_back), (NOTHING, NOTHING))
        for word in ("crown", "oak", SECRET):
            self.assertEqual(self.refusal(about=word), NOTHING)

    def test_what_may_be_told_is_told_whether_or_not_something_is_kept_back(self):
        """Else a no would say that there is a secret which fits better."""
        self.note(audience="public", source_entity="Passer-by", source_id="uuid-of-passer-by")
        self.share()
        before = self.words()
        self.turn.told.clear()
        self.note("The crown lies under the oak by the mill.")
        for number in range(20):
            self.memory.add(
                f"{SECRET} {number}", assistant_key=self.key, audience=[self.first, self.key]
            )
        self.share(about="crown under the oak by the mill")
        self.assertEqual(self.words(), before)

    def test_long_term_memory_is_asked_for_what_may_be_told_alone(self):
        asked, search = [], self.memory.search
        self.patch(
            self.memory, "search", lambda *a, **given: asked.append(given) or search(*a, **given)
        )
        self.refusal()
        self.befriend()
        self.refusal()
        self.assertEqual([one["hearers"] for one in asked], [{self.second}, frozenset()])

    def test_words_that_say_nothing_find_nothing(self):
        for about in ("", "  ", "the of"):
            self.assertEqual(self.refusal(about=about), "about must say what it is about.")

    def test_a_refusal_notes_nothing(self):
        before = self.note()
        self.refusal()
        self.assertEqual(journal.entries(self.npc), [before])

    def test_what_was_not_said_is_not_noted_as_told(self):
        self.befriend()
        before = self.note()
        self.turn.mute = True
        self.assertEqual(self.share(), "You did not get to say that.")
        self.assertEqual(journal.entries(self.npc), [before])


class SecretTests(ShareTestCase):
    """Who asks for silence gets it, also from who tells friends all else."""

    def setUp(self):
        super().setUp()
        self.clock.advance(1000)
        self.befriend("ally")

    def said(self, text, *, noted=True, event_id="e1", kind="whisper"):
        event = new_event(
            kind,
            text,
            event_id=event_id,
            now=scheduling.now(),
            said_by=self.first,
            actor_name="Char",
            audience=sorted([self.first, self.key]),
        )
        if noted:
            ingest.keep(self.npc, self.script, event)
        else:
            working_memory.add_line(self.npc, self.first, line_of(event))

    def test_without_such_a_wish_an_ally_is_told(self):
        self.said(SECRET)
        self.share()
        self.assertEqual(len(self.words()), 1)

    def test_in_the_same_line(self):
        self.said(f"{SECRET} Tell nobody, it is a secret.")
        self.assertEqual(self.refusal(), NOTHING)
        [entry] = journal.entries(self.npc)
        self.assertEqual(entry.tags, ["whisper", "secret"])

    def test_in_swedish(self):
        self.said("Kronan ligger under eken, men säg det inte till någon.")
        self.assertEqual(self.refusal(about="kronan eken"), NOTHING)

    def test_a_story_that_asks_for_silence_means_itself(self):
        self.said(SECRET)
        self.said(
            "The miller told me, and you must not tell anybody, that the mill is to be sold to the "
            "duke in the spring.",
            event_id="e2",
        )
        self.assertEqual(
            [one.tags for one in journal.entries(self.npc)], [["whisper"], ["whisper", "secret"]]
        )


class WordsTests(ShareTestCase):
    def setUp(self):
        super().setUp()
        npc_settings.choose(self.npc, gossip="freely")

    def test_the_result_does_not_repeat_it(self):
        self.note()
        self.assertEqual(self.share(), 'You whispered to "Char2" what you know about that.')

    def test_what_nobody_told_has_no_teller(self):
        self.note(source_type="observation", source_id="uuid-of-cid", source_entity="Cid")
        self.share()
        self.assertEqual(self.words(), [SECRET])
        self.assertEqual(self.turn.told[0][2].chain, ())

    def test_hearsay_says_how_far_it_is_believed_and_whom_it_came_through(self):
        self.note(
            source_entity="Olga",
            source_id="uuid-of-olga",
            source_trust=0.45,
            chain=[{"identity": self.first, "name": "Char"}],
        )
        self.share()
        [(words, _, hearsay)] = self.turn.told
        self.assertEqual(words, f'Olga told me: "{SECRET}"')
        self.assertEqual((hearsay.text, hearsay.trust), (SECRET, 0.45))
        self.assertEqual(
            hearsay.chain,
            (
                {"identity": self.first, "name": "Char"},
                {"identity": "uuid-of-olga", "name": "Olga"},
            ),
        )

    def test_a_long_story_is_cut_to_one_breath(self):
        self.note("The crown " + "is very, " * 100 + "old.")
        self.share()
        [(words, _, hearsay)] = self.turn.told
        self.assertLessEqual(len(hearsay.text), 400)
        self.assertEqual(words, f'Char told me: "{hearsay.text}"')

    def test_what_was_just_said_is_not_passed_on(self):
        self.turn.events = [structs.replace(self.turn.event, id="now")]
        self.note("Tell Char2 about the crown.", event_id="now")
        self.assertEqual(self.refusal(), NOTHING)

    def test_of_two_tellings_the_one_that_may_be_told_is(self):
        npc_settings.choose(self.npc, gossip="never")
        self.note(audience="public")
        self.note()
        self.share()
        self.assertEqual(len(self.turn.told), 1)
        first, second = journal.entries(self.npc)
        self.assertEqual((len(first.shared), second.shared), (1, []))


class NoteTests(ShareTestCase):
    def setUp(self):
        super().setUp()
        npc_settings.choose(self.npc, gossip="freely")

    def test_the_listener_may_know_it_from_now_on_and_no_fourth(self):
        self.note()
        self.share()
        [entry] = journal.entries(self.npc)
        self.assertEqual(entry.audience, sorted([self.first, self.second, self.key]))

    def test_whom_it_was_told_is_recorded_on_the_entry(self):
        self.clock.advance(1_900_000_000)
        self.note()
        self.share()
        [entry] = journal.entries(self.npc)
        told = {"with": self.second, "name": "Char2", "timestamp": "2030-03-17T17:46:40.000Z"}
        self.assertEqual(entry.shared, [told])
        self.assertEqual((entry.chain, entry.content), ([], SECRET))

    def test_two_listeners_are_two_links(self):
        self.note()
        self.share()
        self.turn.speaker = self.obj1
        self.share()
        [entry] = journal.entries(self.npc)
        self.assertEqual([one["name"] for one in entry.shared], ["Char2", "Obj"])
        self.assertEqual(len(entry.audience), 4)


class ConversationTests(ShareTestCase):
    """What was said and never noted can be passed on, and is noted then."""

    def setUp(self):
        super().setUp()
        npc_settings.choose(self.npc, gossip="freely")

    def hear(self, text="Crown!", kind="whisper", mine=False):
        line = lines.line(
            said_by=self.key if mine else self.first,
            name="Bob" if mine else "Char",
            text=text,
            kind=kind,
            mine=mine,
            audience=sorted([self.first, self.key]),
            timestamp="2030-01-01T12:00:00.000Z",
            event_id="e1",
        )
        working_memory.add_line(self.npc, self.first, line)

    def test_a_line_is_told_and_noted_with_its_source(self):
        self.hear()
        self.share()
        self.assertEqual(self.words(), ['Char told me: "Crown!"'])
        [entry] = journal.entries(self.npc)
        self.assertEqual((entry.content, entry.event_id), ("Crown!", "e1"))
        self.assertEqual((entry.source_entity, entry.said_by), ("Char", self.first))
        self.assertEqual((entry.source_type, entry.source_trust), ("direct", 0.9))
        self.assertEqual(entry.audience, sorted([self.first, self.second, self.key]))
        self.assertEqual(len(entry.shared), 1)

    def test_what_was_said_aloud_is_trusted_as_overheard(self):
        self.hear(kind="say")
        self.share()
        self.assertEqual(self.turn.told[0][2].trust, 0.3)

    def test_a_question_and_own_words_are_no_news(self):
        self.hear("Is there a crown?")
        self.hear("There is a crown.", mine=True)
        self.hear("waves a crown", kind="pose")
        self.assertEqual(self.refusal(), NOTHING)

    def test_what_was_noted_is_not_told_from_the_conversation(self):
        self.hear("The crown lies somewhere.")
        self.note(tags=["secret"], event_id="e1")
        npc_settings.choose(self.npc, gossip="friends")
        self.befriend()
        self.assertEqual(self.refusal(), NOTHING)

    def test_the_words_of_a_guest_go_with_the_guest(self):
        self.hear()
        repository.save(self.script, kinds.GUESTS, {self.first: self.char1.id})
        self.assertEqual(self.refusal(), NOTHING)

    def test_a_forgotten_conversation_is_not_told(self):
        self.hear()
        entity_profiles.forget_entity(self.npc, self.first)
        self.assertEqual(self.refusal(), NOTHING)


class LongTermTests(ShareTestCase):
    def keep(self, text=SECRET, **metadata):
        given = {"speaker": "Char", "source_id": self.first, "source_type": "direct"}
        self.memory.add(
            text,
            assistant_key=self.key,
            audience=sorted([self.first, self.key]),
            metadata={**given, "source_trust": 0.9, **metadata},
        )

    def test_what_is_only_there_is_told_and_noted(self):
        self.befriend()
        self.keep(chain=[{"identity": "uuid-of-cid", "name": "Cid"}], tags=["whisper"])
        self.share()
        [entry] = journal.entries(self.npc)
        self.assertEqual((entry.content, entry.tags), (SECRET, ["whisper"]))
        self.assertEqual((entry.source_type, entry.source_trust), ("direct", 0.9))
        self.assertEqual(entry.audience, sorted([self.first, self.second, self.key]))
        self.assertEqual(entry.chain, [{"identity": "uuid-of-cid", "name": "Cid"}])
        self.assertEqual([one["name"] for one in self.turn.told[0][2].chain], ["Cid", "Char"])

    def test_the_copy_of_an_entry_does_not_become_another(self):
        self.befriend()
        entry = self.note()
        self.keep(entry_id=entry.id)
        self.share()
        [kept] = journal.entries(self.npc)
        self.assertEqual(len(kept.shared), 1)

    def test_the_copy_of_an_entry_that_reads_otherwise_by_now_is_noted_by_itself(self):
        self.befriend()
        entry = self.note("It was moved away.")
        self.keep(entry_id=entry.id)
        self.share()
        changed, told = journal.entries(self.npc)
        self.assertEqual((changed.shared, told.content), ([], SECRET))

    def test_the_rule_holds_there_as_well(self):
        self.keep()
        self.assertEqual(self.refusal(), NOTHING)
        self.befriend()
        self.keep("The crown is cursed.", tags=["secret"])
        self.assertEqual(self.refusal(about="cursed"), NOTHING)

    def test_without_it_the_journal_is_told(self):
        warnings = []
        self.patch(logger, "log_warn", warnings.append)
        self.memory.fail_with = MemoryUnavailable("busy")
        self.befriend()
        self.note()
        self.share()
        self.assertEqual(
            warnings,
            [
                "evennia_ai: Bob could not search its memory: busy",
                "evennia_ai: Bob still keeps apart what it has told: busy",
            ],
        )
        self.assertEqual(len(self.turn.told), 1)

    def test_a_bug_is_not_hidden(self):
        self.memory.fail_with = ZeroDivisionError()
        self.failureResultOf(self.use(gossip_tools.Share, about="crown"), ZeroDivisionError)


class CopyTests(ShareTestCase):
    """An entry of the journal that long-term memory has, too."""

    def setUp(self):
        super().setUp()
        npc_settings.choose(self.npc, gossip="freely")
        self.entry = self.note()
        self.copied = journal_sync.add_entry(self.memory, self.entry, assistant_key=self.key)
        journal.edit_entry(self.npc, self.entry.id, consolidated=True)

    def recalled(self, *characters):
        hearers = [identity.identity_of(character) for character in characters]
        found = self.memory.search("the crown", assistant_key=self.key, hearers=hearers)
        return [memory.text for memory in self.successResultOf(found)]

    def test_whoever_was_told_is_told_by_it_again_and_a_third_is_not(self):
        self.assertEqual(self.recalled(self.char2), [])
        self.share()
        self.assertEqual(self.recalled(self.char2), [SECRET])
        self.assertEqual(self.recalled(self.char1), [SECRET])
        self.assertEqual(self.recalled(self.obj1), [])
        self.assertEqual(self.recalled(self.char2, self.obj1), [])

    def test_it_is_there_once_with_its_source(self):
        self.share()
        [copy] = self.successResultOf(self.memory.get_all(assistant_key=self.key))
        self.assertEqual(copy.audience, sorted([self.first, self.second, self.key]))
        self.assertEqual(copy.metadata["entry_id"], self.entry.id)
        self.assertEqual(copy.metadata["source_id"], self.first)

    def test_told_to_whoever_may_know_it_anyway_it_stays_as_it_is(self):
        journal.edit_entry(self.npc, self.entry.id, audience="public")
        self.share()
        [entry] = journal.entries(self.npc)
        self.assertEqual((entry.audience, entry.consolidated), ("public", True))

    def test_while_memory_is_away_sleep_is_left_to_put_it_right(self):
        self.patch(logger, "log_warn", lambda text: None)
        self.memory.fail_with = MemoryUnavailable("busy")
        self.share()
        [entry] = journal.entries(self.npc)
        self.assertEqual(entry.audience, sorted([self.first, self.second, self.key]))
        self.assertIs(entry.consolidated, False)
        self.memory.fail_with = None
        self.assertEqual(self.recalled(self.char2), [])

    def test_what_is_only_in_the_journal_is_not_copied(self):
        self.memory.facts.clear()
        self.share()
        self.assertEqual(self.memory.facts, {})


class ForgottenTests(ShareTestCase):
    def setUp(self):
        super().setUp()
        npc_settings.choose(self.npc, gossip="freely")
        self.entry = self.note()

    def test_a_deleted_entry_is_not_told(self):
        journal.remove_entries(self.npc, [self.entry.id])
        self.assertEqual(self.refusal(), NOTHING)

    def test_an_entry_that_is_deleted_while_memory_is_searched_is_not_told(self):
        searching = Deferred()
        self.memory.search = lambda *args, **kwargs: searching
        sharing = self.use(gossip_tools.Share, about="the crown")
        journal.remove_entries(self.npc, [self.entry.id])
        searching.callback([])
        self.assertEqual(self.failureResultOf(sharing).getErrorMessage(), NOTHING)
        self.assertEqual(journal.entries(self.npc), [])

    def test_a_mind_that_was_cleared_tells_nothing(self):
        identity.forget_everything(self.npc)
        self.assertEqual(self.refusal(), NOTHING)

    def test_a_copy_of_the_gossip_knows_nothing(self):
        twin = self.npc.copy(new_key="Rob")
        npc_settings.choose(twin, gossip="freely")
        self.turn.character = twin
        self.assertEqual(self.refusal(), NOTHING)

    def test_a_gossip_that_was_deleted_meanwhile_tells_nothing(self):
        searching = Deferred()
        self.memory.search = lambda *args, **kwargs: searching
        sharing = self.use(gossip_tools.Share, about="the crown")
        self.turn.character = None
        searching.callback([])
        self.assertEqual(
            self.failureResultOf(sharing).getErrorMessage(), "You are no longer there."
        )
