"""What `@aiadmin/doctor` and `evennia check` find of a game, and of a model that is measured."""

import unittest
from datetime import datetime, timedelta, timezone
from unittest.mock import patch

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings
from evennia.commands.cmdset import CmdSet
from evennia.commands.command import Command
from evennia.commands.default.cmdset_character import CharacterCmdSet
from evennia.prototypes import prototypes
from evennia.utils.funcparser import FuncParser
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import deferLater

from evennia_ai import checks, scheduling
from evennia_ai.checks import installed, live_checks
from evennia_ai.commands.base import all_minds
from evennia_ai.commands.cmdsets import AssistantCmdSet, AssistantGuardCmdSet
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm import measure
from evennia_ai.llm.base import Completion
from evennia_ai.models import LedgerEntry
from tests.commands.cases import CommandTestCase

STOCK = "evennia.commands.default.cmdset_character.CharacterCmdSet"
HERE = "tests.commands.test_doctor"


RIGHT = (
    '{"who_hid_the_key": "Ann", "who_paid_for_nothing_on_wednesday": "Joan",'
    ' "what_joan_was_given_on_tuesday": "Nothing", "what_three_mugs_of_ale_cost_in_coppers": 6}'
)


class Model:
    """A model on a slow machine: 300 tokens of a prompt in 10 s, or 1 s for those that it keeps; 10 written in 1 s."""

    is_model = True

    def __init__(self, kind="ready", model="village-talk", keeps=1, **about):
        self.kind, self.name, self.keeps, self._about = kind, model, keeps, about
        self.known = []

    def about(self):
        return succeed(self._about)

    def complete(self, request):
        if self.kind == "silent":
            return Deferred()
        if self.kind == "dead":
            return fail(LLMUnavailable("village-talk cannot be reached"))
        head, text = request.messages[0]["content"], "Ready."
        seconds = 0.1 if head in self.known[-self.keeps :] else 10.0
        self.known.append(head)
        if request.schema:
            text = RIGHT if self.kind == "ready" else RIGHT.replace('"Ann"', '"You"')
            text = text if self.kind != "wordy" else "Ann, Joan, nothing, six."
        written = 40 if request.schema else 1
        answer = Completion(text, prompt_tokens=300, completion_tokens=written)
        return deferLater(scheduling.clock(), seconds + written / 10, lambda: answer)


class CmdOwnTell(Command):
    """A game's own."""

    key = "tell"


class OwnTellCmdSet(CmdSet):
    """A set in which the game's own command comes last."""

    def at_cmdset_creation(self):
        self.add(AssistantCmdSet)
        self.add(AssistantGuardCmdSet)
        self.add(CmdOwnTell)


class StockLastCmdSet(CmdSet):
    """A set to which one of a contrib is added last, which has all of Evennia's."""

    def at_cmdset_creation(self):
        self.add(AssistantCmdSet)
        self.add(CharacterCmdSet)
        self.add(AssistantGuardCmdSet)


class UnguardedCmdSet(CmdSet):
    """A set of an owner who has not added our guards."""

    def at_cmdset_creation(self):
        self.add(CharacterCmdSet)
        self.add(AssistantCmdSet)


def broken_clock():
    """Return what is no time of day."""
    return "noon"


class ClockTests(CommandTestCase):
    def test_one_that_fails_is_named(self):
        told = "GAME_CLOCK fails, so that no time passes for NPCs: too many values to unpack"
        with self.settings_ai(GAME_CLOCK=f"{HERE}.broken_clock"):
            self.assertIn(told, self.types("@aiadmin/doctor"))


class ModelTests(CommandTestCase):
    def examined(self, *models, **settings):
        """Return what the doctor says in a game with these models; the first is the default."""
        aliases = ("default", "score")
        models = {
            alias: {"BACKEND": f"{HERE}.Model", "OPTIONS": options}
            for alias, options in zip(aliases, models, strict=False)
        }
        with self.settings_ai(LLM=models, **settings):
            said = [self.types("@aiadmin/doctor")]
            self.clock.pump([0.1] * 600 + [1] * 200)
            return "\n".join([*said, *(text for _, text in self.read[self.char1])])

    def test_how_fast_it_is_and_what_a_turn_takes_is_said(self):
        said = self.examined({"keeps": 2, "window": 8192})
        self.assertIn(
            "The model 'default' (village-talk) reads 30 tokens a second and writes 10. A first answer takes "
            "about 20.8 s, each next one 5.6 s. Its window is 8,192 tokens. "
            "It uses tools. Of 4 questions about a text it answered 4 rightly: good.",
            said,
        )
        self.assertIn("All is well.", said)

    def test_one_that_fails_says_why_and_the_others_are_measured(self):
        said = self.examined({"kind": "dead"}, {"model": "other"})
        self.assertIn(
            "The model 'default' did not answer (0.0 s): LLMUnavailable village-talk cannot be reached",
            said,
        )
        self.assertIn("The model 'score' (other) reads 30 tokens", said)

    def test_one_that_is_silent_is_not_waited_for(self):
        self.assertIn(
            "The model 'default' did not answer (240.0 s)", self.examined({"kind": "silent"})
        )

    def test_who_waits_reads_that_it_is_measured(self):
        models = {"default": {"BACKEND": f"{HERE}.Model", "OPTIONS": {"kind": "silent"}}}
        with self.settings_ai(LLM=models):
            self.assertEqual(
                self.types("@aiadmin/doctor"), "Measuring each model, which may take a minute …"
            )
            self.clock.advance(250)

    def test_a_deadline_that_is_too_short_is_named_with_the_one_that_fits(self):
        said = self.examined({"keeps": 2}, TURN_DEADLINE=10.0)
        self.assertIn("An answer of 'default' takes 21 s, and TURN_DEADLINE is 10 s.", said)
        self.assertIn('EVENNIA_AI["TURN_DEADLINE"] = 40.0', said)

    def test_a_window_that_is_too_small_is_named_with_the_prompt_that_fits(self):
        said = self.examined({"keeps": 2, "window": 2048}, REPLY_TOKENS=300)
        self.assertIn('EVENNIA_AI["CONTEXT_TOKENS"] = 1748', said)

    def test_a_server_that_forgets_one_npc_for_another_is_named_with_its_flag(self):
        said = self.examined({"keeps": 1, "server": "llama.cpp", "slots": 1})
        self.assertIn(
            "The server of 'default' reads the whole prompt anew whenever an NPC speaks after another.",
            said,
        )
        self.assertIn("--cache-ram 2048", said)

    def test_a_model_that_takes_itself_for_whoever_spoke_to_it_is_weak(self):
        model = {"kind": "confused", "keeps": 2}
        self.assertIn("it answered 3 rightly: weak.", self.examined(model))
        self.assertEqual(measure.verdict_of(Model(**model)), "weak")
        self.assertEqual(measure.verdict_of(Model(model="another")), "")

    def test_a_model_without_json_is_weak(self):
        said = self.examined({"kind": "wordy", "keeps": 2})
        self.assertIn("it gave no valid JSON: weak.", said)
        self.assertIn("'default' is too weak to sum up what happened.", said)

    def test_without_a_model_nobody_is_asked(self):
        self.assertEqual(self.types("@aiadmin/doctor"), "All is well.")


class LastHourTests(CommandTestCase):
    def found(self):
        """Return what is wrong with the running server in a game with a model."""
        with self.settings_ai(LLM={"default": {"BACKEND": f"{HERE}.Model"}}):
            return [one.sentence for one in live_checks.live_problems(all_minds())]

    def called(self, outcome, *, ago=60, count=1):
        for _ in range(count):
            LedgerEntry.objects.create(
                created=scheduling.now() - timedelta(seconds=ago),
                alias="default",
                job="reply",
                outcome=outcome,
                error="" if outcome == "ok" else "no answer in 30 s.",
            )

    def setUp(self):
        super().setUp()
        # The ledger counts by the hours of the world.
        self.clock.advance(datetime.now(timezone.utc).timestamp() - self.clock.seconds())

    def test_an_hour_in_which_half_failed_is_named(self):
        self.called("ok", count=2)
        self.called("LLMTimeout", count=2)
        self.assertIn(
            "Of the 4 calls of the model 'default' in the last hour 2 failed, the last with "
            "LLMTimeout no answer in 30 s.",
            self.found(),
        )

    def test_of_a_model_that_is_gone_nothing_is_said(self):
        self.called("LLMTimeout", count=2)
        self.assertEqual(self.types("@aiadmin/doctor"), "All is well.")

    def test_a_slip_and_an_old_failure_are_not(self):
        self.called("ok", count=3)
        self.called("LLMTimeout")
        self.called("LLMTimeout", ago=4000, count=9)
        self.assertEqual(self.found(), [])


class InstalledTests(CommandTestCase):
    def found(self):
        return [(one.id, one.msg) for one in checks.check_settings(None)]

    def test_a_database_that_was_not_migrated_is_named(self):
        MigrationRecorder(connection).record_unapplied("evennia_ai", "0001_initial")
        sentence = "The database lacks tables of ours (0001_initial)."
        self.assertIn(("evennia_ai.W101", sentence), self.found())
        self.assertIn(sentence, self.types("@aiadmin/doctor"))

    @unittest.skipUnless(connection.vendor == "sqlite", "other databases clear away by themselves")
    def test_a_game_whose_file_keeps_deleted_words_is_told_the_line_that_overwrites_them(self):
        self.addCleanup(connection.cursor().execute, "PRAGMA secure_delete=ON")
        sentence = (
            "SQLite does not overwrite what is deleted from the game's database, so forgotten words can still "
            "be read in its file."
        )
        for mode in ("OFF", "FAST"):
            connection.cursor().execute(f"PRAGMA secure_delete={mode}")
            self.assertEqual(self.found(), [("evennia_ai.W116", sentence)])
            self.assertIn(sentence, self.types("@aiadmin/doctor"))
        given = {"DATABASES": {"default": {}}}
        exec(installed.OVERWRITE, given)  # noqa: S102
        options = given["DATABASES"]["default"]["OPTIONS"]
        self.assertEqual(options, {"init_command": "pragma secure_delete=on"})
        # The demo game has that line.
        self.assertEqual(
            connection.settings_dict["OPTIONS"]["init_command"].lower(), options["init_command"]
        )

    def test_a_command_set_without_ours_is_named(self):
        with override_settings(CMDSET_CHARACTER=STOCK):
            [(number, sentence)] = self.found()
        self.assertEqual(number, "evennia_ai.W110")
        self.assertIn(f"{STOCK} has none of our commands: `self.add(AssistantCmdSet)`", sentence)

    def test_a_command_of_the_game_in_the_place_of_ours_is_named(self):
        with override_settings(CMDSET_CHARACTER=f"{HERE}.OwnTellCmdSet"):
            self.assertEqual(
                self.found(),
                [
                    (
                        "evennia_ai.W111",
                        f"The game's own command 'tell' ({HERE}.CmdOwnTell) takes the place of ours.",
                    )
                ],
            )

    def test_what_is_to_be_pasted_for_two_commands_holds_for_both(self):
        own = override_settings(CMDSET_CHARACTER=f"{HERE}.OwnTellCmdSet")
        with own, self.settings_ai(COMMAND_KEYS={"report": "tell"}):
            pasted = [one.hint for one in checks.check_settings(None)]
        given = {"EVENNIA_AI": {}}
        for line in pasted:
            exec(line, given)  # noqa: S102
        self.assertEqual(
            given["EVENNIA_AI"], {"COMMAND_KEYS": {"tell": "aitell", "report": "aitell"}}
        )

    def test_evennias_commands_that_a_later_set_brings_back_are_named_once_with_the_order(self):
        with override_settings(CMDSET_CHARACTER=f"{HERE}.StockLastCmdSet"):
            [(number, sentence)] = self.found()
            said = self.types("@aiadmin/doctor")
        self.assertEqual(number, "evennia_ai.W111")
        self.assertIn("Evennia's own @examine take the place of ours", sentence)
        self.assertIn("ours has to be the last line", sentence)
        self.assertIn("self.add(AssistantCmdSet)", said)

    def test_stock_commands_that_ask_no_lock_are_named_with_the_line_that_adds_guards(self):
        with override_settings(CMDSET_CHARACTER=f"{HERE}.UnguardedCmdSet"):
            [(number, sentence)] = self.found()
            said = self.types("@aiadmin/doctor")
        self.assertEqual(number, "evennia_ai.I116")
        self.assertEqual(
            sentence,
            "Any builder can change any NPC with a mind by @link, @sethome, @spawn, @tag, unlink, "
            "since our guards are not the last line in the at_cmdset_creation of CharacterCmdSet.",
        )
        self.assertIn("self.add(AssistantGuardCmdSet)", said)

    def test_a_search_in_prototypes_without_guard_is_named_with_the_line_that_adds_it(self):
        with patch.object(prototypes, "FUNC_PARSER", FuncParser(["evennia.prototypes.protfuncs"])):
            self.assertEqual(
                self.found(),
                [
                    (
                        "evennia_ai.I117",
                        "Any builder can guess what NPCs remember, a word at a time, by $search, "
                        "$obj, $objlist, $dbref in a prototype.",
                    )
                ],
            )
            said = self.types("@aiadmin/doctor")
            line = 'PROT_FUNC_MODULES = PROT_FUNC_MODULES + ["evennia_ai.prototype_guard"]'
            self.assertIn(line, said)

    def test_an_owner_who_does_without_a_guard_is_told_no_more(self):
        unguarded = override_settings(
            CMDSET_CHARACTER=f"{HERE}.UnguardedCmdSet", SILENCED_SYSTEM_CHECKS=["evennia_ai.I116"]
        )
        with unguarded:
            self.assertEqual(self.types("@aiadmin/doctor"), "All is well.")

    def test_a_website_without_our_pages_is_named_with_the_line_that_adds_them(self):
        self.assertEqual(self.types("@aiadmin/doctor"), "All is well.")
        with override_settings(ROOT_URLCONF="evennia.web.urls"):
            said = self.types("@aiadmin/doctor")
        self.assertIn("The game's website has no pages for minds", said)
        self.assertIn('[path("ai/", include("evennia_ai.web.urls")), *urlpatterns]', said)

    def test_a_command_set_that_cannot_be_made_is_for_evennia_to_tell(self):
        with override_settings(CMDSET_CHARACTER="no.such.Set", CMDSET_ACCOUNT="nor.this"):
            self.assertEqual(self.found(), [])
