"""NPCs of Evennia's own contrib.rpg.llm become assistants, and can go back."""

from evennia.contrib.rpg.llm import LLMNPC
from evennia.utils.create import create_object

from evennia_ai.contrib import llm_npc
from evennia_ai.contrib.llm_character import TalkingAssistant, TalkingMixin
from evennia_ai.memory import identity, kinds, persona, repository, working_memory
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase, seen_by, words
from tests.commands.cases import CommandTestCase

TALK = ["Char: Where does the ferry land?", "Brug: By the red stone: at noon."]


class Gruff(LLMNPC):
    """A game's own NPC of the contrib, with a prompt for all of its kind."""

    prompt_prefix = "You are {name}, gruff, in {location}. {character} talks with you."

    def at_talked_to(self, speech, character):
        """Note what the contrib would have answered."""
        self.ndb.asked = (speech, character)


class GruffAssistant(TalkingMixin, Gruff):
    """The same, as our documentation tells its game to write it."""


def make(room, who, *, typeclass=LLMNPC, key="Brug"):
    """Return an NPC of the contrib that has talked with somebody."""
    npc = create_object(typeclass, key=key, location=room, home=room)
    npc.db.desc = "A ferryman with one ear."
    npc.chat_memory = {who: list(TALK)}
    return npc


class ConvertTests(MindTestCase):
    def test_what_is_not_of_the_contrib_is_left_alone(self):
        self.assertEqual(llm_npc.convert(self.char2), "")
        self.assertIsNone(repository.load(self.char2, kinds.CONVERTED))

    def test_what_it_has_is_taken_over(self):
        npc = make(self.room1, self.char1)
        npc.db.prompt_prefix = "You are {name}, {desc} {character} is wet. {0.x}"
        npc.thinking_messages = ["{name} scratches the other ear."]
        said = llm_npc.convert(npc)
        self.assertEqual(
            said, "its description, its notes, its thinking lines, its talk with 1 person"
        )
        written = persona.load_persona(npc)
        self.assertEqual(written["description"], "A ferryman with one ear.")
        self.assertEqual(
            written["notes"],
            "You are Brug, A ferryman with one ear. whoever talks with you is wet. {0.x}",
        )
        self.assertEqual(written["thinking_lines"], ["{name} scratches the other ear."])

    def test_the_talk_becomes_conversation_that_only_the_two_may_know(self):
        npc = make(self.room1, self.char1)
        llm_npc.convert(npc)
        both = sorted([self.first, identity.identity_of(npc)])
        lines = working_memory.lines_with(npc, self.first)
        self.assertEqual(
            [(line.mine, line.name, line.text, line.audience) for line in lines],
            [
                (False, "Char", "Where does the ferry land?", both),
                (True, "Brug", "By the red stone: at noon.", both),
            ],
        )
        self.assertLess(lines[0].timestamp, lines[1].timestamp)

    def test_whoever_was_deleted_and_broken_memory_are_left_out(self):
        npc = make(self.room1, self.char1)
        gone = create_object(LLMNPC, key="Gone")
        npc.chat_memory = {gone: ["Gone: hi"], self.char2: []}
        gone.delete()
        self.assertEqual(llm_npc.convert(npc), "its description")
        other = make(self.room1, self.char1, key="Other")
        other.db.chat_memory = "nonsense"
        self.assertEqual(llm_npc.convert(other), "its description")

    def test_what_a_builder_wrote_for_us_is_kept(self):
        npc = make(self.room1, self.char1)
        persona.save_persona(npc, {"description": "By hand."})
        llm_npc.convert(npc)
        self.assertEqual(persona.load_persona(npc)["description"], "By hand.")

    def test_it_is_taken_over_once(self):
        npc = make(self.room1, self.char1)
        llm_npc.convert(npc)
        self.assertEqual(llm_npc.convert(npc), "what was taken over before")
        self.assertEqual(len(working_memory.lines_with(npc, self.first)), 2)

    def test_a_class_of_the_game_keeps_its_class_and_gives_its_prompt(self):
        npc = make(self.room1, self.char1, typeclass=Gruff)
        llm_npc.convert(npc)
        self.assertIs(type(npc), Gruff)
        self.assertEqual(
            persona.load_persona(npc)["notes"],
            "You are Brug, gruff, in Room. whoever talks with you talks with you.",
        )


class TalkTests(MindTestCase):
    def test_it_remembers_and_answers_by_talk_and_by_say(self):
        npc = make(self.room1, self.char1)
        llm_npc.convert(npc)
        scripts.attach(npc)
        mind = minds.script_llm("At the red stone.", "As I said.")
        npc.at_talked_to("Where was that again?", self.char1)
        self.wait(2)
        self.assertEqual(words(self.bob)[-1], 'Brug says, "At the red stone."')
        # Who else had heard it is not known: it comes up again when nobody else is there.
        self.assertNotIn("By the red stone: at noon.", seen_by(mind))
        self.char2.location = self.mara.location = None
        self.do(self.char1, "say Brug, really?", wait=2)
        self.assertEqual(words(self.ann)[-1], 'Brug says, "As I said."')
        self.assertIn("By the red stone: at noon.", seen_by(mind))

    def test_switched_off_or_detached_it_is_what_it_was(self):
        npc = make(self.room1, self.char1, typeclass=GruffAssistant)
        llm_npc.convert(npc)
        scripts.attach(npc)
        minds.script_llm("Aye.")
        npc.at_talked_to("Hello?", self.char1)
        self.wait(2)
        self.assertIsNone(npc.ndb.asked)
        scripts.find(npc).disable()
        npc.at_talked_to("Hello?", self.char1)
        self.assertEqual(npc.ndb.asked, ("Hello?", self.char1))
        scripts.detach(npc)
        npc.ndb.asked = None
        npc.at_talked_to("And now?", self.char1)
        self.assertEqual(npc.ndb.asked, ("And now?", self.char1))
        self.assertEqual(list(npc.chat_memory[self.char1]), TALK)


class AttachTests(CommandTestCase):
    def test_attach_takes_it_over_and_detach_gives_it_back(self):
        npc = make(self.room1, self.char1)
        said = self.types("@assistant/attach Brug")
        self.assertEqual(
            said,
            f"Brug(#{npc.id}) has a mind now, and it is on. It has from before: its description, "
            "its talk with 1 person.",
        )
        self.assertIs(type(npc), TalkingAssistant)
        self.assertIsInstance(npc, LLMNPC)
        self.types("@assistant/detach Brug")
        self.types("y")
        self.assertIsNone(scripts.find(npc))
        self.assertEqual(list(npc.chat_memory[self.char1]), TALK)

    def test_anybody_else_is_attached_as_ever(self):
        bob = self.mindless("Bob")
        said = self.types("@assistant/attach Bob")
        self.assertEqual(said, f"Bob(#{bob.id}) has a mind now, and it is on.")
