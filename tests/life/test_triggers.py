"""What an NPC does at an event of the game, by rules or with words of its own, as its builder wrote it."""

from evennia_ai import api, tick
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.revising import forgetting
from evennia_ai.domain.memories import news_rules
from evennia_ai.life import triggers
from evennia_ai.memory import identity, journal, persona, routine, working_memory
from evennia_ai.memory.state import kept_goals, npc_settings, sleep_state
from evennia_ai.sleep import sleep_cycle
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, seen_by, words
from tests.life.cases import DayTestCase


class TriggerTestCase(MindTestCase):
    triggers = (
        "bell_rung [if tag(thief)] [every 10m]: say Stop, {name}! Thief!",
        "arrive: emote looks up from the dough.",
        "quake: occasion The ground shook.",
    )

    def setUp(self):
        super().setUp()
        self.mind = minds.script_llm("What was that?", repeat=True)
        self.give(*self.triggers)
        self.is_active(self.session, self.session2)

    def is_active(self, *sessions, ago=0):
        for session in sessions:
            session.cmd_last_visible = self.clock.seconds() - ago

    def give(self, *lines):
        persona.save_persona(self.mara, {"description": "A baker.", "triggers": list(lines)})

    def rings(self, by=None, **fields):
        """Let somebody ring the bell; return what is said aloud."""
        self.ann.clear()
        self.wait(20)
        by = by or self.char2
        self.mara.assistant.perceive("bell_rung", "rings the bell", by, addressed=False, **fields)
        self.wait(1)
        return words(self.ann)


class TriggerTests(TriggerTestCase):
    def test_a_thief_is_shouted_at_and_nobody_else(self):
        self.assertEqual(self.rings(), [])
        self.char2.tags.add("thief")
        self.assertEqual(self.rings(), ['Mara says, "Stop, Char2! Thief!"'])
        self.assertEqual(self.mind.requests, [])

    def test_who_is_shouted_at_answers_without_her_name_and_is_heard(self):
        self.char2.tags.add("thief")
        self.rings()
        self.ann.clear()
        self.do(self.char2, "say It was not me!", wait=3)
        self.assertEqual(words(self.ann)[-1:], ['Mara says, "What was that?"'])

    def test_once_in_so_many_minutes(self):
        self.char2.tags.add("thief")
        self.assertEqual(len(self.rings()), 1)
        self.assertEqual(self.rings(), [])
        self.wait(600)
        self.is_active(self.session)
        self.assertEqual(len(self.rings()), 1)

    def test_once_in_a_day_is_once_in_a_day_also_over_a_restart(self):
        self.give("bell_rung [every 1d]: say Good day!")
        self.assertEqual(len(self.rings()), 1)
        triggers._done.clear()
        self.assertEqual(self.rings(), [])
        self.wait(24 * 3600)
        self.is_active(self.session)
        self.assertEqual(len(self.rings()), 1)

    def test_a_superuser_passes_no_lock_that_they_do_not_pass(self):
        self.char1.permissions.add("Developer")
        self.assertEqual(self.rings(self.char1), [])

    def test_what_nobody_caused_passes_no_lock(self):
        self.ann.clear()
        self.mara.assistant.perceive("bell_rung", "the bell rings", addressed=False)
        self.wait(1)
        self.assertEqual(words(self.ann), [])

    def test_whoever_comes_in_is_looked_at_though_a_stranger(self):
        self.char2.location = None
        tick.run_tick(self.script_of_mara)
        self.ann.clear()
        self.char2.location = self.room1
        tick.run_tick(self.script_of_mara)
        self.wait(1)
        self.assertEqual(words(self.ann, "pose"), ["Mara looks up from the dough."])

    def test_an_occasion_lets_the_mind_find_words_on_nobodys_account(self):
        tick.run_tick(self.script_of_mara)
        self.ann.clear()
        self.wait(20)
        self.session2.cmd_last_visible = self.clock.seconds()
        self.mara.assistant.perceive("quake", "the ground shakes", self.char2, addressed=False)
        self.wait(3)
        self.assertEqual(words(self.ann), ['Mara says, "What was that?"'])
        [request] = self.mind.requests
        self.assertEqual(request.caller.player_id, 0)
        self.assertIn("say something to it: The ground shook.)", request.messages[-1]["content"])

    def test_nothing_is_asked_and_nothing_done_where_nobody_watches(self):
        self.give("bell_rung [every 10m]: say Stop!")
        self.is_active(self.session, self.session2, ago=5000)
        self.assertEqual(self.rings(), [])
        self.is_active(self.session)
        self.assertEqual(self.rings(), ['Mara says, "Stop!"'])

    def test_one_who_is_hidden_is_not_given_away(self):
        self.give("bell_rung: say Stop, {name}!")
        self.char2.locks.add("view:false()")
        self.assertEqual(self.rings(), [])

    def test_an_occasion_keeps_to_what_players_and_builders_turned_off(self):
        self.give("bell_rung [every 1s]: occasion The ground shook.")
        self.do(self.char2, "remember/quiet Mara")
        self.rings()
        self.wait(5)
        self.assertEqual(self.mind.requests, [])
        self.do(self.char2, "remember/talk Mara")
        npc_settings.choose(self.mara, talkative="never")
        self.rings()
        self.wait(5)
        self.assertEqual(self.mind.requests, [])

    def test_what_it_says_itself_is_no_silence(self):
        presence.silence(self.room1.id)
        self.give("bell_rung: say Stop!")
        self.rings()
        self.assertLess(presence.silence(self.room1.id), 5)

    def test_metadata_of_the_game_say_how_much_an_event_presses(self):
        api.find(self.mara).perceive(
            "alarm", "calls", self.char2, metadata={"urgent": True, "priority": 9}
        )
        self.assertEqual((self.last_event().urgent, self.last_event().priority), (True, 9))

    def test_a_name_that_looks_like_markup_or_a_slot_is_a_name(self):
        self.char2.key = "|rX{name}"
        self.char2.tags.add("thief")
        [said] = self.rings()
        self.assertEqual(said.count("{name}"), 1)

    def test_asleep_or_played_it_does_nothing(self):
        self.char2.tags.add("thief")
        self.puppet(self.mara, self.account2, self.session2)
        self.assertEqual(self.rings(), [])


class WrittenTests(MindTestCase):
    def test_a_line_that_is_wrong_is_named_and_nothing_is_written(self):
        self.char1.permissions.add("Developer")
        for line, expected in (
            ("bell rung: say x", "is written otherwise than"),
            (
                "bell: dance x",
                "'dance' cannot be done; there is say, emote, occasion, thought, memory, goal.",
            ),
            ("bell [every day]: say x", "every 'day' is no time, such as 10m."),
            ("bell [if thief(1)]: say x", "'thief(1)' is no lock string"),
            ("time: say x", "time has an [at 13:00], and nothing else has one."),
            ("bell [at 13:00]: say x", "time has an [at 13:00], and nothing else has one."),
            ("time [at 1pm]: say x", "at '1pm' is no time of day, such as 13:00."),
            ("time [at 26:00]: say x", "a day of this game has no such time."),
            ("hour [if tag(thief)]: say x", "nobody causes hour: there is nobody to ask an if of."),
            ("hour: say Stop, {name}!", "nobody causes hour: there is nobody to think of"),
            ("hour: thought It is late.", "nobody causes hour: there is nobody to think of"),
            ("bell: goal Catch {name}", "a goal is not of whoever caused it"),
        ):
            with self.subTest(line):
                self.ann.clear()
                self.do(self.char1, f"@assistant/persona Mara/triggers = {line}")
                self.assertIn(expected, "".join(text for _, text in self.ann))
                self.assertEqual(persona.load_persona(self.mara)["triggers"], [])


class InnerTests(TriggerTestCase):
    """What nobody sees is done whether or not anybody watches."""

    def entries(self):
        return [
            (one.content, one.audience)
            for one in journal.entries(self.mara)
            if news_rules.TRIGGER_TAG in one.tags
        ]

    def goals(self):
        return [(one.title, one.audience) for one in kept_goals.goals(self.script_of_mara)]

    def test_it_notes_who_it_was_also_where_nobody_watches(self):
        self.give("bell_rung: memory {name} rang the bell at night.")
        self.is_active(self.session, self.session2, ago=5000)
        self.assertEqual(self.rings(), [])
        self.assertEqual(self.entries(), [("Char2 rang the bell at night.", "public")])
        self.assertEqual(self.mind.requests, [])

    def test_what_hangs_on_a_lock_is_for_whoever_passed_it(self):
        self.char2.tags.add("initiate")
        self.give("bell_rung [if tag(initiate)]: memory The vault is open.")
        self.rings()
        [(_, known)] = self.entries()
        self.assertEqual(set(known), {self.second, identity.identity_of(self.mara)})

    def test_and_for_nobody_else_who_looks_like_them(self):
        """Both wear the same mask."""
        self.configure(IDENTIFY="tests.life.test_triggers.masked")
        self.char2.tags.add("initiate")
        self.give("bell_rung [if tag(initiate)] [every 1s]: memory The vault is open.")
        self.rings()
        self.assertEqual(self.entries()[0][1], [identity.identity_of(self.mara)])
        self.char1.tags.add("initiate")
        self.rings()
        self.assertIn("mask", self.entries()[-1][1])

    def test_in_a_private_room_it_is_for_those_who_were_there(self):
        self.room1.tags.add("private")
        self.give("bell_rung: memory {name} rang the bell.", "bell_rung: goal Mend the bell")
        self.rings()
        self.assertNotEqual(self.entries()[0][1], "public")
        self.assertNotEqual(self.goals()[0][1], "public")

    def test_of_one_who_is_remembered_for_a_visit_nothing_is_noted(self):
        self.account2.permissions.clear()
        self.account2.permissions.add("Guest")
        self.give("bell_rung: memory {name} rang the bell.", "bell_rung: thought {name} is loud.")
        self.rings()
        self.assertEqual(self.entries(), [])
        self.assertEqual(
            [one for one in working_memory.all_lines(self.mara) if one.kind == "thought"], []
        )

    def test_it_sets_out_once_to_do_something(self):
        self.give("bell_rung [every 1s]: goal Find out who rings")
        self.rings()
        self.rings()
        self.assertEqual(self.goals(), [("Find out who rings", "public")])

    def test_what_it_thinks_of_somebody_comes_to_mind_as_it_talks_with_them(self):
        self.give("bell_rung: thought {name} wants to be heard.")
        self.rings()
        self.do(self.char2, "say Mara, good evening.", wait=3)
        self.assertIn("Char2 wants to be heard.", seen_by(self.mind))
        self.assertEqual([text for text in words(self.ann) if "wants to be heard" in text], [])

    def test_who_is_forgotten_is_in_nothing_of_it(self):
        self.give("bell_rung: memory {name} rang the bell.", "bell_rung: thought {name} is loud.")
        self.rings()
        self.assertEqual(len(self.entries()), 1)
        forgetting.ask(self.char2)
        self.wait(5)
        self.assertEqual(self.entries(), [])
        said = [one.text for one in working_memory.all_lines(self.mara)]
        self.assertEqual([text for text in said if "loud" in text], [])

    def test_attacked_it_notes_by_whom_though_it_can_do_nothing(self):
        self.configure(CAN_ACT="tests.life.test_triggers.bound")
        self.give("attacked: memory {name} attacked me.", "attacked: say Help!")
        self.ann.clear()
        api.perceive(self.mara, "attacked", by=self.char2)
        self.wait(1)
        self.assertEqual(self.entries(), [("Char2 attacked me.", "public")])
        self.assertEqual(words(self.ann), [])

    def test_attacked_where_it_may_only_speak_it_cries_and_begins_no_talk(self):
        self.configure(CAN_ACT="tests.life.test_triggers.fighting")
        self.give("attacked: say Help!", "attacked: emote bleeds.", "attacked: occasion You bleed.")
        self.ann.clear()
        api.perceive(self.mara, "attacked", by=self.char2)
        self.wait(5)
        self.assertEqual(words(self.ann), ['Mara says, "Help!"'])
        self.assertEqual(words(self.ann, "pose"), ["Mara bleeds."])
        self.assertEqual(self.mind.requests, [])

    def test_asleep_it_cries_nothing(self):
        self.configure(CAN_ACT="tests.life.test_triggers.fighting")
        self.give("bell_rung: say Help!")
        sleep_cycle.transition_mode(self.script_of_mara, sleep_state.ASLEEP, "test")
        self.ann.clear()
        self.rings()
        self.assertEqual(words(self.ann), [])

    def test_may_only_speak_counts_as_no_for_whoever_asks_whether_it_can_act(self):
        self.configure(CAN_ACT="tests.life.test_triggers.fighting")
        self.assertFalse(api.Able.ONLY_SPEAK)
        self.assertFalse(routine.can_act(self.mara))
        self.assertTrue(routine.can_cry(self.mara))

    def test_attacked_it_cries_where_it_can(self):
        self.give("attacked: say Help! {name}!")
        self.ann.clear()
        api.perceive(self.mara, "attacked", by=self.char2, addressed=False)
        self.wait(1)
        self.assertEqual(words(self.ann), ['Mara says, "Help! Char2!"'])

    def test_of_an_npc_without_a_mind_nothing_comes(self):
        api.perceive(self.char1, "attacked", by=self.char2)
        self.assertEqual(self.mind.requests, [])


class ClockTests(DayTestCase):
    routine = ()

    def setUp(self):
        super().setUp()
        self.char1.location = self.inn
        self.session.cmd_last_visible = self.clock.seconds() + 9000

    def hears(self):
        """Let a tick pass; return what is said then."""
        self.ann.clear()
        self.ticks()
        return words(self.ann)

    def test_at_its_time_each_day_it_is_done_once(self):
        self.gives(self.mara, triggers=["time [at 22:00]: say Last orders!"])
        self.at(21)
        self.assertEqual(self.hears(), [])
        self.at(22.01)
        self.assertEqual(self.hears(), ['Mara says, "Last orders!"'])
        self.at(22.5)
        self.assertEqual(self.hears(), [])
        self.at(21.9, day=101)
        self.hears()
        self.wait(60)
        self.at(22.1, day=101)
        self.assertEqual(self.hears(), ['Mara says, "Last orders!"'])

    def test_each_full_hour(self):
        self.gives(self.mara, triggers=["hour: emote turns the hourglass."])
        shown = []
        for hour in (21.8, 21.9, 22.1, 22.2, 23.1):
            self.at(hour)
            self.ann.clear()
            self.ticks()
            self.wait(60)
            shown.append("Mara turns the hourglass." in [text for _, text in self.ann])
        self.assertEqual(shown, [False, False, True, False, True])

    def test_a_clock_that_jumps_does_nothing_that_is_past(self):
        self.gives(self.mara, triggers=["time [at 22:00]: say Last orders!"])
        self.at(21)
        self.hears()
        self.at(23, day=107)
        self.assertEqual(self.hears(), [])
        self.at(21, day=90)
        self.assertEqual(self.hears(), [])
        minds.forget_all()
        self.at(22.5, day=90)
        self.assertEqual(self.hears(), [])

    def test_asleep_it_does_not_and_does_not_make_up_for_it(self):
        self.gives(self.mara, triggers=["time [at 22:00]: say Last orders!"])
        self.at(21)
        self.hears()
        sleep_cycle.transition_mode(self.script_of_mara, sleep_state.ASLEEP, "test")
        self.at(22.1)
        self.hears()
        sleep_cycle.transition_mode(self.script_of_mara, sleep_state.AWAKE, "test")
        self.at(22.2)
        self.assertEqual(self.hears(), [])


def fighting(npc):
    """A CAN_ACT of a fight in which one may cry out."""
    return api.Able.ONLY_SPEAK


def bound(npc):
    """A CAN_ACT of a fight."""
    return False


def masked(npc, obj):
    """What IDENTIFY is where everybody wears the same mask."""
    return "mask"
