"""`@assistant/persona` and `@assistant/say`: who an NPC is, and words that staff give it."""

from evennia.utils import ansi, logger

from evennia_ai.commands.assistants import writing
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import identity, kinds, persona, repository, working_memory
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.commands.cases import CommandTestCase


class PersonaTestCase(CommandTestCase):
    def setUp(self):
        super().setUp()
        self.name = f"Mara(#{self.npc.id})"

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def written(self, field="description"):
        """Return what stands in a field of Mara's persona."""
        return persona.load_persona(self.npc)[field]


class OneLineTests(PersonaTestCase):
    def test_without_a_field_it_is_the_description(self):
        said = self.types("@assistant/persona Mara = A gruff = woman.")
        self.assertEqual(said, f"You write the description of {self.name}.")
        self.assertEqual(self.written(), "A gruff = woman.")

    def test_a_field_is_written_and_the_others_stay(self):
        persona.save_persona(self.npc, {"description": "A host.", "notes": "Owes Tam."})
        said = self.types("@assistant/persona Mara/Background = Born at sea.")
        self.assertEqual(said, f"You write the background of {self.name}.")
        self.assertEqual(
            [self.written(field) for field in ("description", "background", "notes")],
            ["A host.", "Born at sea.", "Owes Tam."],
        )

    def test_a_list_has_a_semicolon_between_its_lines(self):
        self.types("@assistant/persona Mara/greeting_lines = Well met!; Come in, come in. ;")
        self.assertEqual(self.written("greeting_lines"), ["Well met!", "Come in, come in."])

    def test_what_is_written_over_is_shown_as_it_can_be_typed_again(self):
        self.types("@assistant/persona Mara = A gruff = woman.")
        said = self.types("@assistant/persona Mara = A smith.")
        self.assertEqual(
            said, f"You write the description of {self.name}.\nIt was: A gruff = woman."
        )

    def test_a_line_is_added_to_a_list_and_the_others_stay(self):
        self.types("@assistant/persona Mara/triggers = dawn: say Up!; dusk: say |rTo bed!")
        self.assertEqual(
            self.types("@assistant/persona Mara/triggers = noon: say Soup!").splitlines(),
            [
                f"The triggers of {self.name}, with + what is new:",
                "  1. dawn: say Up!",
                "  2. dusk: say |rTo bed!",
                "+ 3. noon: say Soup!",
            ],
        )
        self.assertEqual(len(self.written("triggers")), 3)

    def test_a_line_of_a_list_is_written_anew_or_taken_away_by_its_number(self):
        self.types("@assistant/persona Mara/beats = nods.; looks up.; sighs.")
        said = self.types("@assistant/persona Mara/beats/2 = looks down.")
        self.assertTrue(said.endswith("+ 2. looks down.\n  3. sighs.\nIt was: looks up."), said)
        said = self.types("@assistant/persona Mara/beats/1 =")
        self.assertTrue(said.endswith("\n  2. sighs.\nIt was: nods."), said)
        self.assertEqual(self.written("beats"), ["looks down.", "sighs."])
        self.assertEqual(
            self.types("@assistant/persona Mara/beats/3 ="),
            "There is no line 3 in its beats; @assistant/show Mara lists them.",
        )

    def test_all_that_is_written_of_it_is_shown(self):
        self.types("@assistant/persona Mara = A host.")
        self.types("@assistant/persona Mara/triggers = dawn: say Up!")
        self.types("@assistant/lore Mara = The well is dry. /for nobody")
        self.types("@assistant/set Mara/gossip = never")
        shown = self.types("@assistant/show Mara")
        for line in (
            "  description\n    A host.\n",
            "  triggers\n    1. dawn: say Up!\n",
            "  lore\n    1. The well is dry. (for nobody)\n",
            "    gossip: never\n",
            "  Not written: background, notes, ",
        ):
            self.assertIn(line, shown)

    def test_what_is_emptied_is_shown(self):
        self.types("@assistant/persona Mara/notes = Owes Tam.")
        self.types("@assistant/persona Mara/notes =")
        self.assertEqual(self.types("y"), f"You empty the notes of {self.name}.\nIt was: Owes Tam.")

    def test_an_unknown_field_lists_the_known_ones_and_writes_nothing(self):
        said = self.types("@assistant/persona Mara/mood = sad")
        self.assertEqual(
            said,
            "A persona has no 'mood'; it has description, background, notes, manner, language, "
            "zone, model, greeting_lines, farewell_lines, unknown_lines, thinking_lines, fallback_lines, "
            "sleepy_lines, beats, routine, triggers, errands, plans.",
        )
        self.assertIsNone(repository.load(self.npc, kinds.PERSONA))

    def test_a_language_that_nobody_speaks_here_is_warned_of(self):
        base.install("default", OfflineMind())
        for wanted in ("fr", "French"):
            with self.subTest(wanted):
                persona.save_persona(self.npc, {})
                self.assertEqual(
                    self.types(f"@assistant/persona Mara/language = {wanted}"),
                    f"You write the language of {self.name}.\nWithout a model NPCs speak 'de', "
                    "'en' and 'sv' and no French: it will speak English.",
                )
        for wanted in ("sv", "Swedish", "en"):
            with self.subTest(wanted):
                persona.save_persona(self.npc, {})
                said = self.types(f"@assistant/persona Mara/language = {wanted}")
                self.assertEqual(said, f"You write the language of {self.name}.")

    def test_a_model_speaks_any_language(self):
        minds.script_llm("Oui.")
        said = self.types("@assistant/persona Mara/language = fr")
        self.assertEqual(said, f"You write the language of {self.name}.")

    def test_to_empty_a_field_is_asked_about(self):
        persona.save_persona(self.npc, {"description": "A host.", "notes": "Owes Tam."})
        for answer, left in (("no", "Owes Tam."), ("yes", "")):
            with self.subTest(answer):
                question = self.types("@assistant/persona Mara/notes =")
                self.assertEqual(question, f"Empty the notes of {self.name}? [y/N]")
                self.types(answer)
                self.assertEqual(self.written("notes"), left)
        self.assertEqual(self.written(), "A host.")

    def test_what_is_empty_stays_so_without_a_question(self):
        self.assertEqual(self.types("@assistant/persona Mara/notes ="), "Nothing was done.")

    def test_manners_for_each_relationship_are_not_written_over(self):
        manner = {"stranger": "Be short.", "friend": "Be warm."}
        persona.save_persona(self.npc, {"manner": manner})
        said = self.types("@assistant/persona Mara/manner = Be kind.")
        self.assertIn("written for each kind of relationship", said)
        self.assertEqual(self.written("manner"), manner)

    def test_it_wants_a_name(self):
        usage = "Usage: @assistant/persona <npc>[/<field>[/<line>]] [= <text>]"
        for text in ("", " = A woman.", "/notes"):
            with self.subTest(text):
                self.assertIn("persona", self.types(f"@assistant/persona {text}".rstrip()))
        self.assertEqual(self.types("@assistant/persona"), usage)

    def test_who_does_not_control_it_writes_nothing(self):
        builder = self.as_staff("Builder")
        self.types("@assistant/persona Mara = A fool.", by=builder)
        self.assertEqual(self.written(), "")

    def test_it_leaves_a_line_for_staff(self):
        self.assertEqual(
            self.logged("@assistant/persona Mara = A host."),
            [f"evennia_ai: Char(#6) wrote the description of {self.name}."],
        )


class EditorTests(PersonaTestCase):
    def test_it_opens_with_what_is_written_and_saves_what_is_left(self):
        persona.save_persona(self.npc, {"description": "A host.", "notes": "Owes Tam."})
        opened = self.types("@assistant/persona Mara")
        self.assertIn("description of Mara", opened)
        self.assertIn("A host.", opened)
        self.types("She has seen it all.")
        self.assertEqual(
            self.types(":w").splitlines()[-1], f"You write the description of {self.name}."
        )
        self.assertEqual(self.written(), "A host.\nShe has seen it all.")
        self.assertEqual(self.written("notes"), "Owes Tam.")
        self.assertIn("You leave the description of Mara.", self.types(":q"))
        self.assertIn("Room", self.types("look"))

    def test_a_list_is_edited_line_by_line(self):
        persona.save_persona(self.npc, {"beats": ["nods.", "looks up."]})
        self.assertIn("looks up.", self.types("@assistant/persona Mara/beats"))
        self.types("wipes a mug.")
        self.types(":wq")
        self.assertEqual(self.written("beats"), ["nods.", "looks up.", "wipes a mug."])

    def test_to_leave_without_saving_changes_nothing(self):
        self.types("@assistant/persona Mara")
        self.types("A fool.")
        self.types(":q!")
        self.assertEqual(self.written(), "")

    def test_it_outlives_a_reload(self):
        self.types("@assistant/persona Mara")
        self.types("A host.")
        del self.char1.ndb._eveditor
        self.types(":wq")
        self.assertEqual(self.written(), "A host.")

    def test_what_is_gone_when_it_is_saved_is_not_written(self):
        self.types("@assistant/persona Mara")
        self.types("A host.")
        self.npc.delete()
        said = self.types(":w")
        self.assertIn("It is gone, or not yours to change any more. Nothing was done.", said)

    def test_who_has_lost_control_meanwhile_cannot_save(self):
        builder = self.as_staff("Builder")
        self.npc.locks.add(f"control:id({builder.id})")
        self.types("@assistant/persona Mara", by=builder)
        self.types("A fool.", by=builder)
        self.npc.locks.add("control:false();edit:false()")
        self.types(":w", by=builder)
        self.assertEqual(self.written(), "")

    def test_saving_leaves_a_line_for_staff(self):
        self.types("@assistant/persona Mara/notes")
        self.types("Owes Tam.")
        lines = self.logged(":wq")
        self.assertIn(f"evennia_ai: Char(#6) wrote the notes of {self.name}.", lines)


class SplitFieldTests(CommandTestCase):
    def test_the_last_slash_counts(self):
        for text, expected in {
            "Mara": ("Mara", "description", None),
            "Mara/Notes": ("Mara", "notes", None),
            "n/a guard / beats": ("n/a guard", "beats", None),
            "Mara/beats/2": ("Mara", "beats", 2),
            "n/a guard/2": ("n/a guard", "2", None),
        }.items():
            with self.subTest(text):
                self.assertEqual(writing.split_field(text), expected)


class SayTests(PersonaTestCase):
    def heard(self):
        """Return what char1 has read of Mara."""
        return [ansi.parse_ansi(text) for _, text in self.read[self.char1] if text[:4] == "Mara"]

    def test_it_says_the_words_aloud_as_they_are(self):
        self.types("@assistant/say Mara = The ale is {free} tonight.")
        self.assertEqual(self.heard(), ['Mara says, "The ale is {free} tonight."'])
        self.assertEqual(self.read[self.char1][-1][1], f"You let {self.name} say it.")

    def test_a_colon_makes_it_a_pose(self):
        self.types("@assistant/say Mara = :wipes a mug.")
        self.assertEqual(self.heard(), ["Mara wipes a mug."])

    def test_it_remembers_what_it_said_as_said_to_whoever_it_talks_with(self):
        minds.script_llm("Good evening.")
        self.types("say Hello Mara")
        minds.pass_time(self.clock, 2)
        self.types("@assistant/say Mara = The ale is free.")
        lines = working_memory.lines_with(self.npc, identity.identity_of(self.char1))
        self.assertEqual(
            [(line.text, line.mine, line.audience) for line in lines[-1:]],
            [("The ale is free.", True, "public")],
        )

    def test_in_a_secluded_room_only_those_present_may_know_it(self):
        self.room1.tags.add("private")
        self.types("@assistant/say Mara = The ale is free.")
        [line] = working_memory.lines_with(self.npc, identity.identity_of(self.char1))
        both = sorted([identity.identity_of(self.char1), identity.identity_of(self.npc)])
        self.assertEqual(line.audience, both)

    def test_it_goes_through_the_hook_of_the_game(self):
        with self.settings_ai(SPEAK="tests.commands.test_assistant_persona.speak_into"):
            said_through.clear()
            self.types("@assistant/say Mara = Aye.")
            spoken = [*said_through]
        self.assertEqual(spoken, [("Mara", "say", "Aye.", None)])

    def test_a_mind_that_is_off_can_be_given_words_too(self):
        scripts.find(self.npc).disable()
        warned = []
        self.patch(logger, "log_warn", warned.append)
        self.types("@assistant/say Mara = Aye.")
        self.assertEqual(self.heard(), ['Mara says, "Aye."'])
        self.assertEqual(warned, [])

    def test_it_says_nothing_while_somebody_plays_it(self):
        self.npc.locks.add("puppet:all()")
        self.account2.puppet_object(self.session, self.npc)
        # The session of the test has gone over to Mara.
        said = []
        self.patch(self.char2, "msg", lambda text=None, **_: said.append(text))
        self.as_staff("Admin")
        self.char2.execute_cmd("@assistant/say Mara = Aye.")
        self.assertIn("says nothing: somebody is playing it.", str(said))

    def test_where_the_body_cannot_act_it_says_nothing(self):
        with self.settings_ai(CAN_ACT="tests.commands.test_assistant_persona.never"):
            said = self.types("@assistant/say Mara = Aye.")
        self.assertEqual(said, f"{self.name} says nothing: it cannot act.")

    def test_words_of_which_nothing_is_left_are_not_said(self):
        self.assertEqual(
            self.types("@assistant/say Mara = :::"),
            f"{self.name} says nothing: the words are empty.",
        )

    def test_it_wants_a_name_and_words(self):
        for text in ("", "Mara", "Mara =", "= Aye."):
            with self.subTest(text):
                said = self.types(f"@assistant/say {text}")
                self.assertEqual(said, "Usage: @assistant/say <npc> = <words>")

    def test_it_leaves_a_line_for_staff(self):
        self.assertEqual(
            self.logged("@assistant/say Mara = Aye."),
            [f"evennia_ai: Char(#6) gave words of their own ('Aye.') to {self.name}."],
        )


said_through = []


def speak_into(npc, kind, words, target):
    """Stand for the SPEAK of a game."""
    said_through.append((npc.key, kind, words, target))


def never(npc):
    """Stand for a CAN_ACT of a game that says no."""
    return False
