"""The mind as a script: on, off, started by commands, ticked, found again after a crash."""

import sys

from django.core.exceptions import PermissionDenied
from evennia.scripts.models import ScriptDB
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.utils import logger
from evennia.utils.create import create_object, create_script

from evennia_ai.agent.hearing import presence
from evennia_ai.memory import identity, persona
from evennia_ai.memory.state import active_assistants, assistant, npc_settings
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.scripts import AssistantScript
from tests.agent.cases import MindTestCase, words
from tests.commands.cases import CommandTestCase


def subscribed():
    """Return the intervals that something is subscribed to."""
    return [interval for interval, subscriptions in TICKER_HANDLER.all().items() if subscriptions]


class ScriptTests(MindTestCase):
    def test_evennias_normal_call_starts_a_mind_that_knows_whose_it_is(self):
        npc = create_object("evennia.objects.objects.DefaultCharacter", key="Bob")
        npc.db.ai_persona = {"description": "A guard."}
        script = create_script("evennia_ai.typeclasses.scripts.AssistantScript", obj=npc)
        self.assertEqual(scripts.find(npc), script)
        self.assertTrue(script.enabled)
        self.assertTrue(script.is_active)
        self.assertEqual(persona.load_persona(npc)["description"], "A guard.")
        self.assertFalse(npc.attributes.has("ai_persona"))
        self.assertEqual(
            (script.key, script.persistent, script.operating_mode),
            ("assistant", True, "awake"),
        )
        self.assertEqual(script.assistant_key, identity.identity_of(npc))
        self.assertEqual(active_assistants.script_id_of(npc.id), script.id)

    def test_made_without_autostart_it_is_off_until_it_is_started(self):
        npc = create_object("evennia.objects.objects.DefaultCharacter", key="Bob")
        npc.db.ai_persona = {"description": "A guard."}
        script = create_script(AssistantScript, obj=npc, autostart=False)
        self.assertFalse(script.enabled)
        scripts.attach(npc)
        self.assertTrue(script.enabled)
        self.assertEqual(persona.load_persona(npc)["description"], "A guard.")

    def test_a_second_one_says_why_it_is_off(self):
        heard = minds.listen(self.char1)
        mind, npc = self.script_of_mara, self.mara
        second = create_script(AssistantScript, obj=npc, report_to=self.char1)
        self.assertFalse(second.enabled or second.is_active)
        why = (
            f"cript #{second.id} stays off: Mara(#{npc.id}) has a mind already, script #{mind.id}."
        )
        self.assertEqual(words(heard, ""), [f"S{why}"])
        self.assertEqual(self.log, [f"evennia_ai: s{why}"])

    def test_without_a_body_it_says_why_it_is_off(self):
        script = create_script(AssistantScript, key="loose")
        self.assertFalse(script.enabled)
        self.assertEqual(self.log, [f"evennia_ai: script #{script.id} stays off: it has no body."])

    def test_added_by_the_games_handler_it_is_started(self):
        npc = create_object("evennia.objects.objects.DefaultCharacter", key="Bob")
        npc.scripts.add(AssistantScript)
        self.assertTrue(scripts.find(npc).enabled)

    def test_it_looks_around_when_it_is_switched_on_and_not_at_the_first_tick(self):
        self.assertEqual(presence.look_around(self.mara), [])
        npc = minds.make_assistant("Bob", location=self.room1)
        self.char2.location = self.room2
        self.assertEqual(
            [(change.kind, change.name) for change in presence.look_around(npc)],
            [("leave", "Char2")],
        )

    def test_whoever_leaves_before_the_first_tick_is_followed(self):
        assistant.follow(self.script_of_mara, self.char1.id)
        way = create_object("evennia.objects.objects.DefaultExit", key="north", nohome=True)
        way.location, way.destination = self.room1, self.room2
        self.char1.move_to(self.room2)
        self.wait(0.2)
        self.assertEqual(self.mara.location, self.room2)

    def test_after_a_reload_it_looks_around_at_once(self):
        minds.forget_all()
        self.script_of_mara.at_server_start()
        self.char1.location = self.room2
        [left] = presence.look_around(self.mara)
        self.assertEqual((left.kind, left.name), ("leave", "Char"))

    def test_it_has_no_timer_of_its_own(self):
        self.assertEqual(self.script_of_mara.interval, -1)

    def test_attach_switches_it_on_once(self):
        self.assertTrue(self.script_of_mara.enabled)
        self.assertTrue(self.script_of_mara.is_active)
        self.assertEqual(scripts.attach(self.mara), self.script_of_mara)
        self.assertEqual(len(self.mara.scripts.all()), 1)
        self.assertEqual(active_assistants.all_ids(), [self.script_of_mara.id])

    def test_of_two_minds_on_one_body_the_first_counts(self):
        self.mara.scripts.add(AssistantScript)
        self.assertEqual(len(self.mara.scripts.all()), 2)
        self.assertEqual(scripts.find(self.mara), self.script_of_mara)
        self.assertEqual(active_assistants.all_ids(), [self.script_of_mara.id])
        self.assertIn("Mara(#", self.log[0])

    def test_a_body_without_a_mind_has_none(self):
        self.assertIsNone(scripts.find(self.char1))
        self.assertFalse(scripts.detach(self.char1))

    def test_switched_off_and_on_again_it_hears_and_answers(self):
        self.script_of_mara.disable()
        self.assertFalse(self.script_of_mara.enabled or self.script_of_mara.is_active)
        self.do(self.char1, "say Mara, hello")
        self.assertEqual((self.remembered(), active_assistants.count()), ([], 0))
        self.script_of_mara.enable()
        self.assertTrue(self.script_of_mara.is_active)
        minds.script_llm("Hello.")
        self.do(self.char1, "say Mara, hello")
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Hello."')

    def test_detached_it_is_gone(self):
        scripts.detach(self.mara)
        self.assertIsNone(scripts.find(self.mara))
        self.assertEqual((active_assistants.count(), active_assistants.rates()), (0, set()))

    def test_a_body_that_is_deleted_takes_it_along(self):
        number = self.script_of_mara.id
        self.assertTrue(self.mara.delete())
        self.assertFalse(ScriptDB.objects.filter(id=number).exists())

    def test_a_second_mind_that_is_deleted_leaves_the_first_one_listening(self):
        second = self.mara.scripts.add(AssistantScript)
        heard = self.mara.at_msg_receive
        self.assertTrue(second.delete())
        self.assertEqual(self.mara.at_msg_receive, heard)

    def test_what_it_remembers_outlives_the_mind(self):
        minds.script_llm("Hello.")
        self.do(self.char1, "say Mara, hello")
        scripts.detach(self.mara)
        self.assertEqual(self.remembered(), [(False, "Mara, hello"), (True, "Hello.")])
        mind = minds.script_llm("Welcome back.")
        scripts.attach(self.mara)
        self.do(self.char1, "say Mara, here I am")
        self.assertIn("Mara, hello", f"{mind.requests[0].messages}")

    def test_switched_off_it_is_active_no_more_nor_has_its_ticker(self):
        self.script_of_mara.disable()
        self.assertEqual((active_assistants.count(), subscribed()), (0, []))

    def test_who_is_on_is_read_from_the_database_after_a_crash(self):
        minds.forget_all()
        self.assertEqual(active_assistants.script_id_of(self.mara.id), self.script_of_mara.id)
        self.assertEqual(active_assistants.rates(), {5})

    def test_a_server_start_takes_up_only_those_that_are_on(self):
        tom = minds.make_assistant("Tom", location=self.room1)
        scripts.find(tom).disable()
        TICKER_HANDLER.clear()
        minds.forget_all()
        ScriptDB.objects.update_scripts_after_server_start()
        self.assertEqual(active_assistants.all_ids(), [self.script_of_mara.id])
        self.assertEqual(subscribed(), [5])

    def test_a_rate_that_a_builder_changed_counts_from_the_next_tick(self):
        npc_settings.choose_for_mind(self.script_of_mara, tick_rate=30)
        self.script_of_mara.at_tick()
        self.assertEqual(active_assistants.members(30), [self.script_of_mara.id])
        self.assertEqual(subscribed(), [30])

    def test_a_rate_that_makes_no_sense_counts_as_not_set(self):
        for rate in (0, -5, "often", None):
            with self.subTest(rate):
                npc_settings.choose_for_mind(self.script_of_mara, tick_rate=rate)
                self.script_of_mara.at_tick()
                self.assertEqual(active_assistants.rates(), {5})

    def test_a_mind_without_a_body_is_let_be(self):
        script = self.script_of_mara
        scripts.detach(self.mara)
        self.assertIsNone(script.pk)
        orphan = AssistantScript.create("orphan")[0]
        orphan.at_server_start()
        self.assertEqual((orphan.assistant_key, active_assistants.count()), ("", 0))

    def test_its_counters_count(self):
        self.assertEqual(assistant.count(self.script_of_mara, "failures"), 1)
        self.assertEqual(assistant.count(self.script_of_mara, "failures"), 2)
        self.assertEqual(assistant.counters(self.script_of_mara), {"failures": 2})


class AsScriptTests(CommandTestCase):
    """Evennia's `scripts` asks no lock, so a mind takes no orders as a script, whoever gives them."""

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()
        self.script = scripts.find(self.npc)

    def refused(self, switch, what):
        """Return the errors that the command logs."""
        errors = []
        self.patch(logger, "log_trace", lambda: errors.append(f"{sys.exc_info()[1]}"))
        self.types(f"@scripts/{switch} {what}")
        return errors

    def test_no_command_of_evennia_stops_or_deletes_it(self):
        number = f"#{self.script.id}"
        for switch, way, code in (
            ("stop", "stop", "disable()"),
            ("delete", "detach", "evennia_ai.api.detach"),
        ):
            for what in (number, "Mara =", f"Mara = {number}", "AssistantScript"):
                with self.subTest(switch=switch, what=what):
                    self.assertEqual(
                        self.refused(switch, what),
                        [
                            f"Script {number} is the mind of Mara: use `@assistant/{way} Mara`, "
                            f"or {code} in code."
                        ],
                    )
                    self.assertIn("NOT", f"{self.read[self.char1]}")
        self.types(f"@scripts/pause {number}")
        self.assertTrue(self.script.pk and self.script.enabled and self.script.is_active)

    def test_one_that_was_switched_off_stays_off(self):
        self.types("@assistant/stop Mara")
        self.assertEqual(len(self.refused("start", f"#{self.script.id}")), 1)
        self.assertFalse(self.script.enabled)

    def test_code_that_deletes_it_reads_what_to_use(self):
        for delete in (self.script.delete, self.npc.scripts.delete):
            with self.assertRaisesRegex(PermissionDenied, "use `@assistant/detach Mara`"):
                delete()
        self.assertEqual(scripts.find(self.npc), self.script)

    def test_those_who_control_the_npc_detach_it(self):
        self.types("@assistant/detach Mara")
        self.types("y")
        self.assertIsNone(scripts.find(self.npc))

    def test_other_scripts_are_as_ever(self):
        self.char2.scripts.add("evennia.scripts.scripts.DefaultScript", key="own")
        self.assertIn("Stopped", self.types("@scripts/stop Char2 = own"))
