from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object
from twisted.internet.defer import Deferred

from evennia_ai.llm.base import Completion
from evennia_ai.memory import persona
from evennia_ai.memory.state import active_assistants
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.commands.cases import CommandTestCase


class CreateTests(CommandTestCase):
    def created(self, text, *, by=None):
        self.types(text, by=by)
        return AssistantCharacter.objects.all().order_by("-id").first()

    def test_a_new_assistant_stands_here_and_its_mind_is_on(self):
        before = AssistantCharacter.objects.count()
        said = self.types("@assistant/create Mara")
        [mara] = AssistantCharacter.objects.all()
        self.assertEqual((before, said), (0, f"You create Mara(#{mara.id}), whose mind is on."))
        self.assertEqual((mara.location, mara.home), (self.room1, self.room1))
        self.assertIsNotNone(mara.assistant)

    def test_it_gets_its_aliases_and_persona(self):
        mara = self.created("@ai/create Mara the Bold; innkeeper;host = A gruff woman = host.")
        self.assertEqual(mara.key, "Mara the Bold")
        self.assertEqual(sorted(mara.aliases.all()), ["host", "innkeeper"])
        self.assertEqual(persona.load_persona(mara)["description"], "A gruff woman = host.")

    def test_it_answers_in_the_room(self):
        self.types("@assistant/create Mara")
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 2)
        spoken = [text for kind, text in self.read[self.char1] if text.startswith("Mara says")]
        self.assertEqual(len(spoken), 1)

    def test_whoever_made_it_controls_it(self):
        builder = self.as_staff("Builder")
        mara = self.created("@assistant/create Mara", by=builder)
        self.assertTrue(mara.access(builder, "control"))
        said = self.types("@assistant/stop Mara", by=builder)
        self.assertEqual(said, f"The mind of Mara(#{mara.id}) is off now.")

    def test_another_builder_does_not_control_it(self):
        mara = self.created("@assistant/create Mara")
        self.assertFalse(mara.access(self.as_staff("Builder"), "control"))

    def test_without_a_name_nothing_is_made(self):
        usage = "Usage: @assistant/create [<name>[;alias…] [= <who it is>]]"
        for text in (" = A woman without a name", " ;alias", " " + "x" * 81):
            with self.subTest(text):
                self.assertEqual(self.types(f"@assistant/create{text}"), usage)
        self.assertEqual(AssistantCharacter.objects.count(), 0)

    def test_nowhere_is_no_place_for_it(self):
        self.char1.location = None
        said = self.types("@assistant/create Mara")
        self.assertEqual(said, "You are nowhere; an assistant needs a place to be in.")
        self.assertEqual(AssistantCharacter.objects.count(), 0)

    def test_markup_in_a_name_is_not_carried_out(self):
        mara = self.created("@assistant/create {Mara} $You() = {braces} and $You()")
        self.assertEqual(mara.key, "{Mara} $You()")
        self.assertEqual(persona.load_persona(mara)["description"], "{braces} and $You()")


class AttachTests(CommandTestCase):
    def test_a_thing_of_any_kind_gets_a_mind(self):
        mirror = create_object(DefaultObject, key="mirror", location=self.room1)
        said = self.types("@assistant/attach mirror")
        self.assertEqual(said, f"mirror(#{mirror.id}) has a mind now, and it is on.")
        self.assertIsNotNone(active_assistants.script_of(mirror))

    def test_a_mind_that_is_there_is_left_as_it_is(self):
        mara = self.mara()
        scripts.find(mara).disable()
        said = self.types("@assistant/attach Mara")
        expected = f"Mara(#{mara.id}) has a mind already; @assistant/start switches it on."
        self.assertEqual(said, expected)
        self.assertEqual(len(mara.scripts.all()), 1)
        self.assertIsNone(mara.assistant)

    def test_a_room_gets_none(self):
        said = self.types("@assistant/attach here")
        self.assertEqual(said, "Room(#1) is nowhere; an assistant needs a place to be in.")
        self.assertEqual(list(self.room1.scripts.all()), [])

    def test_somebody_who_is_played_gets_none(self):
        said = self.types("@assistant/attach me")
        self.assertEqual(said, "Char(#6) is being played by somebody, and has a mind of their own.")
        self.assertIsNone(scripts.find(self.char1))

    def test_it_wants_a_name(self):
        self.assertEqual(self.types("@assistant/attach"), "Usage: @assistant/attach <npc>")

    def test_nothing_of_that_name_is_said_by_evennia(self):
        self.assertEqual(self.types("@assistant/attach ghost"), "Could not find 'ghost'.")


class DetachTests(CommandTestCase):
    def test_yes_takes_the_mind_away_and_leaves_the_body(self):
        mara = self.mara()
        question = self.types("@assistant/detach Mara")
        self.assertEqual(question, f"Take the mind from Mara(#{mara.id}) for good? [y/N]")
        self.assertIsNotNone(scripts.find(mara))
        said = self.types("yes")
        expected = "has no mind any more. What it remembers stays with its body."
        self.assertEqual(said, f"Mara(#{mara.id}) {expected}")
        self.assertIsNone(scripts.find(mara))
        self.assertEqual(mara.location, self.room1)

    def test_any_other_answer_takes_nothing(self):
        mara = self.mara()
        for answer in ("n", "no", "yesterday", "look"):
            with self.subTest(answer):
                self.types("@assistant/detach Mara")
                self.assertEqual(self.types(answer), "Nothing was done.")
                self.assertIsNotNone(scripts.find(mara))

    def test_what_is_gone_by_the_time_of_the_answer_is_no_error(self):
        mara = self.mara()
        self.types("@assistant/detach Mara")
        mara.delete()
        self.assertEqual(self.types("y"), "Nothing was done.")

    def test_a_mind_that_was_taken_meanwhile_is_not_taken_twice(self):
        mara = self.mara()
        self.types("@assistant/detach Mara")
        scripts.detach(mara)
        self.assertEqual(self.logged("y"), [])

    def test_all_minds_that_somebody_controls_go_at_once(self):
        builder, mara = self.as_staff("Builder"), self.mara()
        tom = minds.make_assistant("Tom", location=self.room2)
        mara.locks.add(f"control:id({builder.id})")
        question = self.types("@assistant/detach all", by=builder)
        self.assertEqual(question, "Take the minds from all 1 NPCs that you control? [yes/N]")
        self.assertEqual(self.types("y", by=builder), "Nothing was done.")
        self.types("@assistant/detach all", by=builder)
        said = self.types("yes", by=builder)
        self.assertEqual(
            said, "1 have no mind any more. What they remember stays with their bodies."
        )
        self.assertIsNone(scripts.find(mara))
        self.assertIsNotNone(scripts.find(tom))
        said = self.types("@assistant/detach all", by=builder)
        self.assertEqual(said, "There is no NPC with a mind that you control.")

    def test_without_a_mind_nothing_is_asked(self):
        bob = self.mindless()
        said = self.types("@assistant/detach Bob")
        self.assertEqual(said, f"Bob(#{bob.id}) has no mind; @assistant/attach gives it one.")

    def test_it_wants_a_name(self):
        self.assertEqual(self.types("@assistant/detach"), "Usage: @assistant/detach <npc>")


class StartAndStopTests(CommandTestCase):
    def test_a_mind_is_switched_off_and_on_again(self):
        mara = self.mara()
        self.assertEqual(
            self.types("@assistant/stop Mara"), f"The mind of Mara(#{mara.id}) is off now."
        )
        self.assertIsNone(mara.assistant)
        self.assertEqual(
            self.types("@assistant/start Mara"), f"The mind of Mara(#{mara.id}) is on now."
        )
        self.assertIsNotNone(mara.assistant)

    def test_doing_it_again_is_said_and_not_logged(self):
        mara = self.mara()
        self.assertEqual(self.logged("@assistant/start Mara"), [])
        said = self.types("@assistant/start Mara")
        self.assertEqual(said, f"The mind of Mara(#{mara.id}) is on already.")
        self.types("@assistant/stop Mara")
        said = self.types("@assistant/stop Mara")
        self.assertEqual(said, f"The mind of Mara(#{mara.id}) is off already.")

    def test_stopped_in_the_middle_of_a_thought_it_says_nothing(self):
        thinking = Deferred()
        minds.script_llm(thinking)
        self.mara()
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 1)
        self.types("@assistant/stop Mara")
        thinking.callback(Completion("Too late."))
        minds.pass_time(self.clock, 1)
        self.assertFalse([text for _, text in self.read[self.char1] if "Too late" in text])

    def test_one_in_another_room_is_found_by_name(self):
        mara = minds.make_assistant("Mara", location=self.room2)
        said = self.types("@assistant/stop mara")
        self.assertEqual(said, f"The mind of Mara(#{mara.id}) is off now.")

    def test_one_is_found_by_its_dbref(self):
        mara = minds.make_assistant("Mara", location=self.room2)
        said = self.types(f"@assistant/stop #{mara.id}")
        self.assertEqual(said, f"The mind of Mara(#{mara.id}) is off now.")

    def test_a_player_who_bears_its_name_is_not_meant(self):
        mara = minds.make_assistant("Mara", location=self.room1)
        self.char2.key = "Mara"
        self.assertEqual(
            self.types("@assistant/stop Mara"), f"The mind of Mara(#{mara.id}) is off now."
        )

    def test_two_of_a_name_are_listed_and_left_alone(self):
        for place in ((self.room1, self.room1), (self.room2, self.room2)):
            with self.subTest(place[0].key):
                twins = [minds.make_assistant("Twin", location=room) for room in place]
                said = self.types("@assistant/stop Twin")
                self.assertIn("Twin-1", said)
                self.assertIn("Twin-2", said)
                self.assertTrue(all(twin.assistant for twin in twins))
                for twin in twins:
                    twin.delete()

    def test_they_want_a_name_and_a_mind(self):
        bob = self.mindless()
        for word in ("start", "stop", "show"):
            with self.subTest(word):
                self.assertEqual(
                    self.types(f"@assistant/{word}"), f"Usage: @assistant/{word} <npc>"
                )
                self.assertEqual(
                    self.types(f"@assistant/{word} Bob"),
                    f"Bob(#{bob.id}) has no mind; @assistant/attach gives it one.",
                )
                self.assertEqual(self.types(f"@assistant/{word} ghost"), "Could not find 'ghost'.")


class LockTests(CommandTestCase):
    def test_a_player_has_no_such_command(self):
        self.mara()
        for text in ("@assistant", "@ai Mara", "@assistant/stop Mara", "@assistant/create Bob"):
            with self.subTest(text):
                self.assertIn(
                    f"Command '{text}' is not available.", self.types(text, by=self.char2)
                )
        self.assertEqual(AssistantCharacter.objects.count(), 1)

    def test_a_builder_changes_nothing_that_they_do_not_control(self):
        builder, mara = self.as_staff("Builder"), self.mara()
        bob = self.mindless()
        for text, npc in {
            "@assistant/stop Mara": mara,
            "@assistant/start Mara": mara,
            "@assistant/show Mara": mara,
            "@assistant/detach Mara": mara,
            "@assistant/attach Bob": bob,
        }.items():
            with self.subTest(text):
                said = self.types(text, by=builder)
                expected = f"You may not change the mind of {npc.key}(#{npc.id})"
                self.assertEqual(said, f"{expected}: you do not control it.")
        self.assertTrue(mara.assistant)
        self.assertIsNone(scripts.find(bob))

    def test_control_or_edit_is_enough_for_a_builder(self):
        builder, mara = self.as_staff("Builder"), self.mara()
        for access in ("control", "edit"):
            with self.subTest(access):
                mara.locks.add(f"control:false();edit:false();{access}:id({builder.id})")
                said = self.types("@assistant Mara", by=builder)
                self.assertTrue(said.startswith(f"Mara(#{mara.id})"), said)

    def test_an_admin_changes_all(self):
        admin = self.as_staff("Admin")
        mara = self.mara()
        mara.locks.add("control:false();edit:false()")
        said = self.types("@assistant/stop Mara", by=admin)
        self.assertEqual(said, f"The mind of Mara(#{mara.id}) is off now.")


class LogTests(CommandTestCase):
    def test_each_change_is_one_line_that_tells_who_did_what_to_whom(self):
        [created] = self.logged("@assistant/create Mara")
        mara = AssistantCharacter.objects.get()
        whom = f"Mara(#{mara.id})"
        self.assertEqual(created, f"evennia_ai: Char(#6) created the assistant {whom}.")
        for text, what in {
            "@assistant/stop Mara": "switched off the mind of",
            "@assistant/start Mara": "switched on the mind of",
        }.items():
            with self.subTest(text):
                self.assertEqual(self.logged(text), [f"evennia_ai: Char(#6) {what} {whom}."])
        self.types("@assistant/detach Mara")
        self.assertEqual(self.logged("y"), [f"evennia_ai: Char(#6) detached the mind from {whom}."])
        self.assertEqual(
            self.logged("@assistant/attach Mara"),
            [f"evennia_ai: Char(#6) attached a mind to {whom}."],
        )

    def test_looking_leaves_none(self):
        self.mara()
        for text in ("@assistant", "@assistant Mara", "@assistant/nonsense Mara"):
            with self.subTest(text):
                self.assertEqual(self.logged(text), [])


class MisuseTests(CommandTestCase):
    def test_a_wrong_switch_lists_the_right_ones_and_changes_nothing(self):
        mara = self.mara()
        for text, problem in {
            "@assistant/destroy Mara": "There is no switch /destroy",
            "@assistant/st Mara": "/st may be /start or /stop",
            "@assistant/stop/force Mara": "One switch at a time",
            "@assistant /stop /start Mara": "One switch at a time",
            "@assistant/ Mara": "There is no switch /",
        }.items():
            with self.subTest(text):
                said = self.types(text)
                self.assertTrue(said.startswith(f"{problem}: @assistant has /"), said)
                self.assertIn("/show, /start, /stop, /why. Nothing was done.", said)
                self.assertIsNotNone(mara.assistant)

    def test_a_slip_and_a_guess_are_told_what_is_meant(self):
        self.mara()
        for text, said in {
            "@assistant/perosna Mara": "There is no switch /perosna; did you mean /persona?",
            "@assistant/status Mara": "There is no switch /status; did you mean @assistant <npc>?",
            "@assistant/triggers/add Mara = dawn: say Up!": (
                "There is no switch /triggers/add; "
                "did you mean @assistant/persona <npc>/triggers = <line>?"
            ),
            "@assistant/lore/audiense Mara/1 = all": (
                "There is no switch /lore/audiense; did you mean /lore/audience?"
            ),
        }.items():
            with self.subTest(text):
                self.assertEqual(self.types(text), f"{said} Nothing was done.")

    def test_a_switch_may_be_shortened_and_shouted(self):
        mara = self.mara()
        self.types("@ai/STO Mara")
        self.assertIsNone(mara.assistant)
