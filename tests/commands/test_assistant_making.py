"""`@assistant/create` without a name: questions ask for what a new assistant should be."""

from evennia_ai.commands.assistants import making
from evennia_ai.memory import persona
from evennia_ai.memory.state import npc_settings
from evennia_ai.testing import minds
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.commands.cases import CommandTestCase


class WizardTests(CommandTestCase):
    def answers(self, *lines):
        """Open the menu and type answers; return what was read after the last."""
        said = self.types("@assistant/create")
        for line in lines:
            said = self.types(line)
        return said

    def made(self):
        """Return the assistant that was made, or None."""
        return AssistantCharacter.objects.all().first()

    def test_it_makes_what_was_asked_for(self):
        said = self.answers("Mara;innkeeper", "A gruff = woman.", "Born at sea.", "2", "yes")
        mara = self.made()
        self.assertIn(f"You create Mara(#{mara.id}), whose mind is on.", said)
        self.assertEqual((mara.key, mara.aliases.all()), ("Mara", ["innkeeper"]))
        self.assertEqual((mara.location, mara.home), (self.room1, self.room1))
        written = persona.load_persona(mara)
        self.assertEqual(
            (written["description"], written["background"]), ("A gruff = woman.", "Born at sea.")
        )
        self.assertEqual(npc_settings.talkative(mara), "chatty")
        self.assertIsNotNone(mara.assistant)
        self.assertTrue(mara.access(self.char1, "control"))

    def test_the_words_that_it_shows_are_taken(self):
        for how in ("addressed", "Chatty", "never"):
            with self.subTest(how):
                said = self.answers("Mara", "A host.", "", how)
                self.assertIn("Make it?", said)
                self.types("no")

    def test_in_a_game_of_short_descriptions_it_asks_how_strangers_see_it(self):
        with self.settings_ai(TYPECLASS="evennia_ai.contrib.rpcharacters.AssistantRPCharacter"):
            asked = self.answers("Mara")
            self.assertIn("How do those see it who do not know its name?", asked)
            for line in ("a gruff innkeeper", "A host.", "", "1", "yes"):
                self.types(line)
            mara = self.char1.location.contents[-1]
            self.assertEqual((mara.key, mara.sdesc.get()), ("Mara", "a gruff innkeeper"))
            self.types("@assistant/create Tam = A brewer.")
            self.types("a |rthin|n man")
            tam = self.char1.location.contents[-1]
            self.assertEqual((tam.key, tam.sdesc.get()), ("Tam", "a thin man"))

    def test_afterwards_commands_are_commands_again(self):
        self.answers("Mara", "A host.", "", "1", "y")
        self.assertIn("Room", self.types("look"))
        self.assertEqual(npc_settings.talkative(self.made()), "addressed")

    def test_before_it_is_made_it_is_shown(self):
        said = self.answers("Mara", "A host.", "", "3")
        for line in ("Mara", "description: A host.", "It speaks never;", "Make it?"):
            self.assertIn(line, said)
        self.assertIsNone(self.made())

    def test_no_makes_nothing(self):
        said = self.answers("Mara", "A host.", "", "1", "no")
        self.assertIn("Nothing was made.", said)
        self.assertIsNone(self.made())

    def test_who_leaves_makes_nothing(self):
        for lines in (["quit"], ["Mara", "quit"], ["Mara", "A host.", "", "1", "q"]):
            with self.subTest(lines):
                self.assertIn("Nothing was made.", self.answers(*lines))
                self.assertIsNone(self.made())

    def test_each_step_shows_how_to_leave(self):
        said = [self.types("@assistant/create")]
        said += [self.types(line) for line in ("Mara", "A host.", "", "1")]
        for shown in said:
            self.assertIn("Type q to leave.", shown)
        self.assertNotIn("Type q to leave.", self.types("yes"))

    def test_a_command_is_no_answer(self):
        for lines in ([], ["Mara"], ["Mara", "A host."], ["Mara", "A host.", ""]):
            with self.subTest(lines):
                said = self.answers(*lines, "@assistant/why Mara")
                self.assertEqual(said, "That looks like a command, and no answer. Type q to leave.")
                self.types("q")
        self.answers("Mara", "@tel here", "A host.", "", "1", "yes")
        self.assertEqual(persona.load_persona(self.made())["description"], "A host.")

    def test_what_is_no_option_is_asked_for_again(self):
        asked = self.answers("Mara", "A host.", "")
        self.assertEqual(self.types("sometimes"), asked)
        self.assertIn("Type q to leave.", asked)
        asked = self.types("1")
        self.assertEqual(self.types("perhaps"), asked)
        self.types("q")

    def test_again_begins_again(self):
        self.answers("Mara", "A host.", "", "2", "again", "Tam", "A brewer.", "", "1", "yes")
        tam = self.made()
        self.assertEqual((tam.key, npc_settings.talkative(tam)), ("Tam", "addressed"))
        self.assertEqual(persona.load_persona(tam)["description"], "A brewer.")

    def test_a_name_that_cannot_be_is_asked_for_again(self):
        for name in (";innkeeper", "x" * 81):
            with self.subTest(name):
                said = self.answers(name)
                self.assertIn("A name has 1 to 80 characters.", said)
                self.types("quit")
        self.assertIsNone(self.made())

    def test_nowhere_is_no_place_for_it(self):
        self.char1.location = None
        self.assertEqual(
            self.types("@assistant/create"), "You are nowhere; an assistant needs a place to be in."
        )
        self.assertIsNone(self.char1.ndb._getinput)

    def test_who_is_nowhere_by_the_end_makes_nothing(self):
        self.answers("Mara", "A host.", "", "1")
        self.char1.location = None
        self.assertIn("You are nowhere", self.types("yes"))
        self.assertIsNone(self.made())

    def test_it_leaves_a_line_for_staff(self):
        self.answers("Mara", "A host.", "", "1")
        lines = self.logged("yes")
        self.assertEqual(
            lines, [f"evennia_ai: Char(#6) created the assistant Mara(#{self.made().id})."]
        )

    def test_what_is_typed_is_shown_as_it_is(self):
        said = self.answers("Mara", "A |rred|n $You() woman.", "", "1")
        self.assertIn("$You() woman.", said)
        self.types("no")


class NamesakeTests(CommandTestCase):
    def test_of_a_second_one_of_a_name_it_is_said_that_there_is_another(self):
        self.assertNotIn("another", self.types("@assistant/create Mara"))
        [first] = AssistantCharacter.objects.all()
        told = (
            f"There is another of that name with a mind (#{first.id}): call them by their numbers."
        )
        self.assertIn(told, self.types("@assistant/create mara = A cook."))
        for line in ("@assistant/create", "MARA", "A host.", "", "1"):
            self.types(line)
        self.assertIn("There is another of that name", self.types("yes"))


class NameTests(CommandTestCase):
    def test_a_name_has_one_to_eighty_characters(self):
        for text, expected in {
            "Mara;host": True,
            "": False,
            ";host": False,
            "x" * 80: True,
        }.items():
            with self.subTest(text[:9]):
                self.assertEqual(making.is_name(text), expected)
        self.assertFalse(making.is_name("x" * 81))

    def test_in_one_line_nobody_is_asked_anything(self):
        self.types("@assistant/create Mara")
        self.assertIsNone(self.char1.ndb._getinput)
        minds.pass_time(self.clock, 0.1)
