"""What goes from the Attributes of a body and a mind when somebody is forgotten."""

from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object
from msgspec import structs

from evennia_ai.agent.revising import forgetting
from evennia_ai.core.records import Source
from evennia_ai.core.states import SleepWish
from evennia_ai.memory import identity, journal, lookup, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant, npc_settings, sleep_state
from tests.agent.cases import MindTestCase


class ForgottenHereTests(MindTestCase):
    def forget(self):
        forgetting.forget_here(
            self.mara, self.script_of_mara, forgetting.person(self.mara, self.char1)
        )

    def test_a_mind_is_found_on_or_off(self):
        self.assertEqual(lookup.mind_of(self.mara), self.script_of_mara)
        self.script_of_mara.disable()
        self.assertEqual(lookup.mind_of(self.mara), self.script_of_mara)
        self.assertIsNone(lookup.mind_of(self.char1))

    def test_talk_with_others_loses_what_the_assistant_has_from_them(self):
        for words in ("Char is a thief.", "I hid marzipan, too."):
            working_memory.add_conversation_message(self.mara, self.second, words, "user")
        for words, said_by in (("Somebody hid marzipan.", self.first), ("It rains.", self.second)):
            line = working_memory.own_line(
                self.mara,
                "say",
                words,
                name="Mara",
                audience="public",
                sources=[Source("event 1", said_by)],
            )
            working_memory.add_line(self.mara, self.second, line)
        theirs = [Source("event 1", self.first)]
        working_memory.start_conversation(
            self.mara, self.second, "what Char did", audience="public", sources=theirs
        )
        working_memory.add_pending_action(self.mara, self.second, "tell", 5, sources=theirs)
        working_memory.add_pending_action(self.mara, self.second, "fetch ale", 5)
        self.forget()
        kept = working_memory.get_conversation_context(self.mara, self.second)
        self.assertEqual(
            [line.text for line in kept.messages],
            ["Char is a thief.", "I hid marzipan, too.", "It rains."],
        )
        self.assertEqual((kept.topic, kept.topic_audience, kept.topic_sources), ("", [], []))
        self.assertEqual([one.action for one in kept.pending_actions], ["fetch ale"])

    def test_reasons_of_a_regard_lose_their_words_and_count_on(self):
        entity_profiles.update_relationship(
            self.mara, self.char2, 0.1, "spoke of Char", sources=[Source("event 1", self.first)]
        )
        self.forget()
        regard = entity_profiles.find_profile(self.mara, self.second).relationship
        self.assertEqual([one.reason for one in regard.history], [None])
        self.assertEqual(regard.favorability, 0.1)

    def test_a_fact_goes_and_is_made_anew_of_what_is_left(self):
        for said_by in (self.first, self.second):
            entity_profiles.add_entity_observation(
                self.mara,
                self.char2,
                f"Likes tea, says {said_by}.",
                audience="public",
                told_by=said_by,
            )
        found = {"type": "taste", "value": "likes tea", "evidence": [1, 2], "replaces": []}
        entity_profiles.apply_attributes(
            self.mara, self.second, [found], audience="public", consumed=[1, 2]
        )
        self.forget()
        known = entity_profiles.find_profile(self.mara, self.second)
        self.assertEqual(known.attributes, [])
        self.assertEqual([(one.id, one.consolidated) for one in known.observations], [(2, False)])

    def test_what_a_builder_wrote_stays(self):
        npc_settings.choose_for_mind(self.script_of_mara, compact_prompt="Say what Char did.")
        npc_settings.choose_for_mind(self.script_of_mara, sleep_schedule="Char")
        wish = SleepWish(depth="deep", hours=1, reason="Char tires me", at="")
        sleep_state.request(self.script_of_mara, wish)
        self.forget()
        self.assertEqual(
            npc_settings.of_mind(self.script_of_mara).get("compact_prompt"), "Say what Char did."
        )
        self.assertEqual(npc_settings.of_mind(self.script_of_mara).get("sleep_schedule"), "Char")
        self.assertEqual(
            sleep_state.requested(self.script_of_mara), structs.replace(wish, reason="")
        )

    def test_a_guest_list_and_counters_lose_only_them(self):
        for who, obj in ((self.first, self.char1), (self.second, self.char2)):
            assistant.note_guest(self.script_of_mara, who, obj.id)
        assistant.count(self.script_of_mara, "turns")
        self.forget()
        self.assertEqual(assistant.guests(self.script_of_mara), {self.second: self.char2.id})
        self.assertEqual(assistant.counters(self.script_of_mara)["turns"], 1)

    def test_everything_that_was_noted_goes_and_the_mind_stays(self):
        assistant.note_guest(self.script_of_mara, self.first, self.char1.id)
        forgetting.empty(self.script_of_mara)
        forgetting.empty(None)
        self.assertEqual(assistant.guests(self.script_of_mara), {})
        self.assertEqual(self.script_of_mara.assistant_key, identity.identity_of(self.mara))


class TargetTests(MindTestCase):
    def test_a_person_is_all_their_characters(self):
        alt = create_object(DefaultObject, key="Alt", location=self.room1)
        self.account.characters.add(alt)
        target = forgetting.person(self.mara, self.char1)
        self.assertEqual(target.identities, {self.first, identity.identity_of(alt)})
        self.assertEqual(target.account_id, self.account.id)

    def test_behind_a_mask_they_are_who_they_are_taken_for_as_well(self):
        self.configure(IDENTIFY="tests.agent.test_forgotten_here.masked")
        target = forgetting.person(self.mara, self.char1)
        self.assertEqual(target.identities, {self.first, f"mask-of-{self.char1.id}"})

    def test_one_whom_nobody_plays_has_no_account(self):
        self.assertEqual(forgetting.person(self.mara, self.obj1).account_id, 0)

    def test_all_bodies_that_remember_are_found(self):
        journal.add_entry(self.mara, "It rains.")
        skull = create_object(DefaultObject, key="skull", location=self.room1)
        working_memory.start_conversation(skull, self.first, "salt")
        self.assertEqual(forgetting.bodies(), sorted([self.mara.id, skull.id]))


def masked(npc, obj):
    """Stand behind the door IDENTIFY: everybody wears a mask."""
    return f"mask-of-{obj.id}"
