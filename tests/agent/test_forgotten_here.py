"""What goes from the Attributes of a body and a mind when somebody is forgotten."""

from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object
from msgspec import structs

from evennia_ai.agent.revising import forget_people, forgotten_here
from evennia_ai.core.states import SleepWish
from evennia_ai.domain.memories.forgetting_rules import Traces
from evennia_ai.memory import identity, journal, lookup, repository, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant, npc_settings, sleep_state
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase

SAID = "I hid the marzipan under the stair"


class ForgottenHereTests(MindTestCase):
    def theirs(self):
        return Traces(identities=[self.first], names=["Char"], said=[SAID])

    def test_a_mind_is_found_on_or_off(self):
        self.assertEqual(lookup.mind_of(self.mara), self.script_of_mara)
        self.script_of_mara.disable()
        self.assertEqual(lookup.mind_of(self.mara), self.script_of_mara)
        self.assertIsNone(lookup.mind_of(self.char1))

    def test_talk_with_others_loses_what_the_assistant_said_of_them_or_has_from_them(self):
        for role, words in (
            ("user", "Char is a thief."),
            ("user", "I hid marzipan, too."),
            ("assistant", "Char, I think, is honest."),
            ("assistant", "Somebody hid marzipan."),
            ("assistant", "It rains."),
        ):
            working_memory.add_conversation_message(self.mara, self.second, words, role)
        working_memory.start_conversation(self.mara, self.second, "what Char did")
        working_memory.add_pending_action(self.mara, self.second, "tell Char", 5)
        working_memory.add_pending_action(self.mara, self.second, "fetch ale", 5)
        forgotten_here.in_conversations(self.mara, self.theirs())
        kept = working_memory.get_conversation_context(self.mara, self.second)
        self.assertEqual(
            [line.text for line in kept.messages],
            ["Char is a thief.", "I hid marzipan, too.", "It rains."],
        )
        self.assertEqual(kept.topic, "")
        self.assertEqual([one.action for one in kept.pending_actions], ["fetch ale"])

    def test_reasons_of_a_regard_lose_their_words_and_count_on(self):
        entity_profiles.update_relationship(self.mara, self.char2, 0.1, "spoke of Char")
        forgotten_here.in_profiles(self.mara, self.theirs())
        regard = entity_profiles.find_profile(self.mara, self.second).relationship
        self.assertEqual([one.reason for one in regard.history], [None])
        self.assertEqual(regard.favorability, 0.1)

    def test_a_profile_that_holds_nothing_of_them_is_not_written(self):
        entity_profiles.create_entity_profile(self.mara, self.char2)
        self.patch(repository, "save", lambda *args, **kwargs: self.fail("written"))
        forgotten_here.in_profiles(self.mara, self.theirs())

    def test_what_a_builder_wrote_stays(self):
        npc_settings.choose_for_mind(self.script_of_mara, compact_prompt="Say what Char did.")
        npc_settings.choose_for_mind(self.script_of_mara, sleep_schedule="Char")
        wish = SleepWish(depth="deep", hours=1, reason="Char tires me", at="")
        sleep_state.request(self.script_of_mara, wish)
        forgotten_here.on(self.script_of_mara, self.theirs())
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
        forgotten_here.on(self.script_of_mara, self.theirs())
        self.assertEqual(assistant.guests(self.script_of_mara), {self.second: self.char2.id})
        self.assertEqual(assistant.counters(self.script_of_mara)["turns"], 1)

    def test_everything_that_was_noted_goes_and_the_mind_stays(self):
        assistant.note_guest(self.script_of_mara, self.first, self.char1.id)
        forgotten_here.empty(self.script_of_mara)
        forgotten_here.empty(None)
        self.assertEqual(assistant.guests(self.script_of_mara), {})
        self.assertEqual(self.script_of_mara.assistant_key, identity.identity_of(self.mara))


class TargetTests(MindTestCase):
    def test_a_person_is_all_their_characters(self):
        alt = create_object(DefaultObject, key="Alt", location=self.room1)
        self.account.characters.add(alt)
        target = forget_people.person(self.mara, self.char1)
        self.assertEqual(target.identities, {self.first, identity.identity_of(alt)})
        self.assertEqual(target.account_id, self.account.id)
        self.assertIn("Alt", target.names)

    def test_behind_a_mask_they_are_who_they_are_taken_for_as_well(self):
        self.configure(IDENTIFY="tests.agent.test_forgotten_here.masked")
        target = forget_people.person(self.mara, self.char1)
        self.assertEqual(target.identities, {self.first, f"mask-of-{self.char1.id}"})

    def test_one_whom_nobody_plays_has_no_account(self):
        self.assertEqual(forget_people.person(self.mara, self.obj1).account_id, 0)

    def test_all_bodies_that_remember_are_found(self):
        journal.add_entry(self.mara, "It rains.")
        skull = create_object(DefaultObject, key="skull", location=self.room1)
        working_memory.start_conversation(skull, self.first, "salt")
        self.assertEqual(forget_people.bodies(), sorted([self.mara.id, skull.id]))

    def test_a_name_that_somebody_else_bears_is_no_trace(self):
        entity_profiles.create_entity_profile(self.mara, self.char1)
        entity_profiles.create_entity_profile(self.mara, "uuid-other", name="Char")
        journal.add_entry(self.mara, "Char, the smith, is dead.", source_id=self.second)
        done = forget_people.forget(
            self.mara, scripts.find(self.mara), forget_people.person(self.mara, self.char1)
        )
        self.wait(1)
        self.successResultOf(done)
        self.assertEqual(
            [entry.content for entry in journal.entries(self.mara)],
            ["Char, the smith, is dead."],
        )

    def test_the_assistants_own_name_is_no_trace(self):
        self.char1.key = "Mara"
        journal.add_entry(self.mara, "Mara is an innkeeper.", source_id=self.second)
        done = forget_people.forget(
            self.mara, scripts.find(self.mara), forget_people.person(self.mara, self.char1)
        )
        self.wait(1)
        self.successResultOf(done)
        self.assertEqual(len(journal.entries(self.mara)), 1)


def masked(npc, obj):
    """Stand behind the door IDENTIFY: everybody wears a mask."""
    return f"mask-of-{obj.id}"
