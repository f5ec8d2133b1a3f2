"""What an NPC does at an event of the game, by rules or with words of its own, as its builder wrote it."""

from evennia_ai import api, tick
from evennia_ai.agent.hearing import scenes
from evennia_ai.life import triggers
from evennia_ai.memory import persona
from evennia_ai.memory.state import npc_settings
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, words


class TriggerTests(MindTestCase):
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
        triggers.forget()
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
        self.assertIn('"The ground shook."', request.messages[-1]["content"])

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
        scenes.silence(self.room1.id)
        self.give("bell_rung: say Stop!")
        self.rings()
        self.assertLess(scenes.silence(self.room1.id), 5)

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
            ("bell: dance x", "'dance' cannot be done; there is say, emote, occasion."),
            ("bell [every day]: say x", "every 'day' is no time, such as 10m."),
            ("bell [if thief(1)]: say x", "'thief(1)' is no lock string"),
        ):
            with self.subTest(line):
                self.ann.clear()
                self.do(self.char1, f"@assistant/persona Mara/triggers = {line}")
                self.assertIn(expected, "".join(text for _, text in self.ann))
                self.assertEqual(persona.load_persona(self.mara)["triggers"], [])
