"""`@assistant/set`: what a builder chooses for one NPC, and what comes of it."""

import yaml

from evennia_ai import conf
from evennia_ai.agent.hearing import presence
from evennia_ai.commands.assistants import settings
from evennia_ai.domain.memories import gossip as levels
from evennia_ai.experience.base import experience_of, group_of
from evennia_ai.lifecycle import waiting
from evennia_ai.memory import journal
from evennia_ai.memory.state import active_assistants, npc_settings
from evennia_ai.sleep import sleep_cycle, summaries
from evennia_ai.testing import minds
from evennia_ai.tools import commands_tool
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase

# A setting, what is typed, and how it is shown then.
FITTING = (
    ("talkative", "chatty", "chatty"),
    ("gossip", "Never", "never"),
    ("allowed_commands", "look, get", "look, get"),
    ("allowed_commands", "[smell]", "smell"),
    ("experience_scope", "Guards", "guards"),
    ("tick_rate", "30", "30"),
    ("tick_rate", "2.5", "2.5"),
    (
        "sleep_schedule",
        "{enabled: true, sleep_start_hour: 22}",
        "{'enabled': True, 'sleep_start_hour': 22}",
    ),
    ("compact_enabled", "false", "False"),
    ("compact_preserve_window", "5", "5"),
    ("compact_model", "default", "default"),
    ("compact_prompt", "Be short: two lines", "Be short: two lines"),
    ("journal_size", "50", "50"),
    ("mind_key", "Old-Mara_2", "old-mara_2"),
)
NONSENSE = (
    ("talkative", "always", "talkative is one of addressed, chatty, never."),
    ("gossip", "loudly", "gossip is one of never, friends, freely."),
    ("allowed_commands", "{a: 1}", "allowed_commands is a list of words, with commas in between."),
    ("allowed_commands", "[1, 2]", "allowed_commands is a list of words, with commas in between."),
    ("allowed_commands", "look at", "allowed_commands is a list of words, with commas in between."),
    ("allowed_commands", "look,,", "allowed_commands is a list of words, with commas in between."),
    ("tick_rate", "0", "tick_rate is a number of seconds, from 1 to 86400."),
    ("tick_rate", "often", "tick_rate is a number of seconds, from 1 to 86400."),
    ("tick_rate", "true", "tick_rate is a number of seconds, from 1 to 86400."),
    ("tick_rate", ".nan", "tick_rate is a number of seconds, from 1 to 86400."),
    ("tick_rate", ".inf", "tick_rate is a number of seconds, from 1 to 86400."),
    (
        "sleep_schedule",
        "at night",
        "sleep_schedule is written as {enabled: true, sleep_start_hour: 22}.",
    ),
    ("sleep_schedule", "{sleep_start_hour: 25}", "sleep_start_hour is 25; it must be 0 to 23."),
    (
        "sleep_schedule",
        "{hour: 3}",
        "a schedule has no hour: it has enabled, sleep_start_hour, sleep_duration_hours, "
        "tick_rate_sleep, min_awake_ticks, clock.",
    ),
    (
        "sleep_schedule",
        "{enabled: ",
        "sleep_schedule cannot be read: is a bracket or a quote missing?",
    ),
    ("compact_enabled", "maybe", "compact_enabled is true or false."),
    ("compact_enabled", "1", "compact_enabled is true or false."),
    ("compact_preserve_window", "-1", "compact_preserve_window is a whole number of lines."),
    ("compact_preserve_window", "2.5", "compact_preserve_window is a whole number of lines."),
    ("compact_model", "huge", "compact_model is a key of the setting LLM: default."),
    ("compact_prompt", "x" * 4001, "compact_prompt has at most 4000 characters."),
    ("journal_size", "0", "journal_size is a whole number of entries."),
    ("journal_size", "much", "journal_size is a whole number of entries."),
    ("mind_key", "mara!", "a mind_key is at most 64 letters, digits, - and _."),
    ("mind_key", "m" * 65, "a mind_key is at most 64 letters, digits, - and _."),
)


class SetTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.name = f"Mara(#{self.npc.id})"

    def create_cast(self):
        self.npc = self.mara()
        self.mind = scripts.find(self.npc)

    def set(self, setting, text, **options):
        """Return what is said to whoever sets something."""
        return self.types(f"@assistant/set Mara/{setting} = {text}".rstrip(), **options)

    def shown(self):
        """Return how all settings are shown."""
        return {name: settings.shown(self.npc, name) for name in settings.NAMES}


class ShowingTests(SetTestCase):
    def test_what_is_set_anew_is_shown_as_it_was(self):
        self.types("@assistant/set Mara/allowed_commands = look, get")
        said = self.types("@assistant/set Mara/allowed_commands = smell")
        self.assertTrue(said.endswith(": smell\nIt was: look, get"), said)
        said = self.types("@assistant/set Mara/allowed_commands = smell")
        self.assertNotIn("It was", said)

    def test_without_a_setting_all_are_listed(self):
        self.set("gossip", "never")
        lines = self.types("@assistant/set Mara").splitlines()
        self.assertEqual(lines[0], f"What is set for {self.name}:")
        self.assertEqual([line.split(":")[0].strip() for line in lines[1:]], list(settings.NAMES))
        self.assertIn("  gossip: never", lines)
        self.assertIn("  tick_rate: not set", lines)
        self.assertIn(f"  journal_size: {conf.get('JOURNAL_MAX_ENTRIES')}", lines)

    def test_without_a_value_one_is_shown(self):
        self.assertEqual(
            self.types("@assistant/set Mara/talkative"), f"talkative of {self.name}: addressed"
        )
        self.assertEqual(
            self.types("@assistant/set Mara/Mind_Key"), f"mind_key of {self.name}: not set"
        )

    def test_an_unknown_setting_lists_the_known_ones(self):
        said = self.types("@assistant/set Mara/mood = sad")
        self.assertEqual(said, f"There is no setting 'mood'; there is {', '.join(settings.NAMES)}.")

    def test_it_wants_a_name(self):
        usage = "Usage: @assistant/set <npc>[/<setting>] [= <value>]"
        for text in ("", " = never"):
            with self.subTest(text):
                self.assertEqual(self.types(f"@assistant/set{text}"), usage)

    def test_markup_is_shown_as_it_was_typed(self):
        said = self.set("compact_prompt", "Be |rred|n.")
        self.assertEqual(said, f"compact_prompt of {self.name}: Be |rred|n.")


class ChoosingTests(SetTestCase):
    def test_each_is_set_and_shown(self):
        for setting, text, shown in FITTING:
            with self.subTest(setting, text=text):
                said = self.set(setting, text)
                self.assertEqual(said.splitlines()[0], f"{setting} of {self.name}: {shown}")

    def test_nothing_after_the_sign_takes_it_back(self):
        blank = self.shown()
        for setting, text, _ in FITTING:
            with self.subTest(setting):
                self.set(setting, text)
                self.assertNotEqual(self.shown()[setting], blank[setting])
                self.set(setting, "")
                self.assertEqual(self.shown(), blank)

    def test_nonsense_is_refused_in_one_sentence_and_changes_nothing(self):
        for setting, text, _ in FITTING:
            self.set(setting, text)
        before = self.shown()
        for setting, text, reason in NONSENSE:
            with self.subTest(setting, text=text[:20]):
                self.assertEqual(self.set(setting, text), f"Nothing was done: {reason}")
                self.assertEqual(self.shown(), before)

    def test_what_python_would_build_is_not_built(self):
        said = self.set("sleep_schedule", "!!python/object/apply:os.system [true]")
        self.assertTrue(said.startswith("Nothing was done:"), said)
        with self.assertRaises(ValueError):
            settings.read("tick_rate", "[" * 1000)
        self.assertTrue(issubclass(yaml.YAMLError, Exception))

    def test_the_key_of_another_mind_is_refused(self):
        other = minds.make_assistant("Bob", location=self.room1)
        waiting.give_key(other, "bob")
        said = self.set("mind_key", "bob")
        self.assertEqual(said, f"Nothing was done: Bob(#{other.id}) has the mind bob.")
        self.assertEqual(waiting.key_of(self.npc), "")

    def test_who_does_not_control_it_sets_nothing(self):
        builder = self.as_staff("Builder")
        before = self.shown()
        for setting, text, _ in FITTING:
            with self.subTest(setting):
                said = self.set(setting, text, by=builder)
                self.assertIn("You may not change the mind of Mara", said)
        self.types("@assistant/set Mara", by=builder)
        self.assertEqual(self.shown(), before)

    def test_a_player_has_no_such_command(self):
        self.set("gossip", "freely", by=self.char2)
        self.assertEqual(npc_settings.gossip(self.npc), "")

    def test_it_leaves_a_line_for_staff(self):
        self.assertEqual(
            self.logged("@assistant/set Mara/gossip = never"),
            [f"evennia_ai: Char(#6) set gossip of {self.name}."],
        )
        for text in ("@assistant/set Mara/gossip = loudly", "@assistant/set Mara/gossip"):
            with self.subTest(text):
                self.assertEqual(self.logged(text), [])

    def test_it_is_kept_over_a_restart(self):
        self.set("tick_rate", "30")
        minds.forget_all()
        self.mind.at_server_start()
        self.assertEqual(active_assistants.rate_of(self.mind), 30)


class BehaviourTests(SetTestCase):
    def test_who_is_never_talkative_does_not_answer(self):
        minds.script_llm("Aye.", repeat=True)
        self.set("talkative", "never")
        self.types("say Mara, hello")
        minds.pass_time(self.clock, 3)
        self.assertNotIn("Aye.", str(self.read[self.char1]))
        self.set("talkative", "")
        self.types("say Mara, hello again")
        minds.pass_time(self.clock, 3)
        self.assertIn("Aye.", str(self.read[self.char1]))

    def test_gossip_decides_for_this_npc_alone(self):
        self.set("gossip", "freely")
        self.assertEqual(npc_settings.gossip(self.npc), levels.FREELY)
        self.assertEqual(npc_settings.gossip(minds.make_assistant("Bob")), "")

    def test_it_is_ticked_as_often_as_was_set(self):
        self.set("tick_rate", "30")
        self.mind.at_tick()
        self.assertEqual(active_assistants.rate_of(self.mind), 30)
        self.set("tick_rate", "")
        self.mind.at_tick()
        self.assertEqual(active_assistants.rate_of(self.mind), conf.get("TICK_RATE"))

    def test_it_sleeps_by_its_own_schedule(self):
        self.set("sleep_schedule", "{enabled: true, sleep_start_hour: 22, clock: game}")
        plan = sleep_cycle.schedule_of(self.mind)
        self.assertEqual((plan.enabled, plan.sleep_start_hour, plan.clock), (True, 22, "game"))
        self.assertEqual(
            plan.sleep_duration_hours, conf.get("SLEEP_SCHEDULE")["sleep_duration_hours"]
        )

    def test_its_journal_has_the_size_that_was_set(self):
        self.set("journal_size", "3")
        for number in range(6):
            journal.add_entry(self.npc, f"Ship {number} came in.")
        self.assertEqual(len(journal.entries(self.npc)), 3)
        self.set("journal_size", "")
        self.assertEqual(journal.journal_size(self.npc), conf.get("JOURNAL_MAX_ENTRIES"))

    def test_it_may_use_the_commands_that_the_game_allows_too(self):
        self.set("allowed_commands", "look, dance")
        with self.settings_ai(ALLOWED_COMMANDS=["look", "get"]):
            self.assertEqual(sorted(commands_tool.permitted(self.npc)), ["look"])

    def test_it_learns_with_its_group(self):
        self.set("experience_scope", "guards")
        self.assertEqual(group_of(self.npc), "guards")
        self.assertEqual(experience_of(self.mind, self.npc).scope, "group:guards")

    def test_it_sums_up_as_was_set(self):
        for setting, text in (
            ("compact_enabled", "false"),
            ("compact_preserve_window", "5"),
            ("compact_model", "default"),
            ("compact_prompt", "Be short: two lines"),
        ):
            self.set(setting, text)
        chosen = summaries.settings(self.mind)
        self.assertEqual(
            [chosen[key] for key in ("enabled", "preserve_window", "model", "prompt")],
            [False, 5, "default", "Be short: two lines"],
        )

    def test_its_mind_outlives_its_body(self):
        self.set("mind_key", "mara")
        self.npc.delete()
        self.assertTrue(waiting.is_waiting(waiting.body_of("mara")))

    def test_manners_go_along_with_a_copy_and_grants_do_not(self):
        self.set("gossip", "never")
        self.set("allowed_commands", "look")
        self.set("mind_key", "mara")
        copy = self.npc.copy(new_key="Twin")
        self.assertEqual(npc_settings.gossip(copy), "never")
        self.assertEqual(npc_settings.allowed_commands(copy), [])
        self.assertEqual(waiting.key_of(copy), "")


class RoomTests(CommandTestCase):
    """`private` of a room, for those who control it."""

    def test_it_is_chosen_shown_and_taken_back(self):
        name = f"Room(#{self.room1.id})"
        for typed, stays in (
            ("", False),
            (" = yes", True),
            ("", True),
            (" = no", False),
            (" = ", False),
        ):
            said = self.types(f"@assistant/set here/private{typed}")
            word = "stays with those who hear it" if stays else "may be repeated"
            self.assertEqual(said, f"What is said in {name} {word}.")
        self.types("@assistant/set here/private = yes")
        self.assertTrue(presence.is_secluded(self.room1))
        said = self.types("@assistant/set here/private = maybe")
        self.assertEqual(said, "private is yes or no. Nothing was done.")

    def test_a_passer_by_does_not_choose(self):
        builder = self.as_staff("Builder")
        builder.location = self.room1
        said = self.types("@assistant/set here/private = no", by=builder)
        self.assertIn("you do not control it", said)
        presence.seclude(self.room1, True)
        self.types("tag here = private", by=builder)
        self.types("tag/del here = private", by=builder)
        self.assertTrue(presence.is_secluded(self.room1))

    def test_it_is_logged(self):
        [line] = self.logged("@assistant/set here/private = yes")
        self.assertIn(f"set private of Room(#{self.room1.id})", line)


class GroupTests(CommandTestCase):
    """Whoever joins a group shares what it learned: that is for those who control all of it."""

    def setUp(self):
        super().setUp()
        self.npc = self.mara()
        self.npc.locks.add("control:id(999);edit:id(999)")
        npc_settings.grant(self.npc, experience_scope="innkeepers")
        self.builder = self.as_staff("Builder")
        self.rat = minds.make_assistant("Rat", location=self.room1)
        self.rat.locks.add(f"control:id({self.builder.id})")

    def join(self, group="innkeepers", **by):
        return self.types(f"@assistant/set Rat/experience_scope = {group}", **by)

    def test_a_builder_does_not_join_the_group_of_somebody_else(self):
        self.assertEqual(
            self.join(by=self.builder),
            f"Nothing was done: Mara(#{self.npc.id}) learns in innkeepers, and is not yours to "
            "change.",
        )
        self.assertEqual(npc_settings.experience_scope(self.rat), "")

    def test_a_group_of_their_own_or_none_is_theirs_to_choose(self):
        self.join("rats", by=self.builder)
        self.assertEqual(npc_settings.experience_scope(self.rat), "rats")
        self.join("", by=self.builder)
        self.assertEqual(npc_settings.experience_scope(self.rat), "")

    def test_an_admin_may(self):
        self.join()
        self.assertEqual(npc_settings.experience_scope(self.rat), "innkeepers")
