"""What a prompt holds in a small window and in a large one, after fifty lines of talk."""

from evennia_ai.domain.model_text import tokens
from evennia_ai.memory import persona
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase

DESCRIPTION = "Mara keeps the Crooked Lantern, an inn by the ford."
LINES = 50
# Tokens of an answer, which the window has to hold as well.
REPLY = 300


class WindowTests(MindTestCase):
    lore = ("A bed costs three pence.", "The ale is brewed by old Tam.")

    def create_cast(self):
        super().create_cast()
        persona.save_persona(self.mara, {"description": DESCRIPTION})
        minds.script_llm("Aye.", repeat=True)
        for number in range(LINES):
            self.do((self.char1, self.char2)[number % 2], f"say Mara, {story(number)}", wait=1)

    def asked(self, window):
        """Return the request of the next turn in a model's window of so many tokens."""
        self.configure(CONTEXT_TOKENS=window - REPLY)
        mind = minds.script_llm(f"{window} stories.", repeat=True)
        mind.profile = "plain"
        self.do(self.char1, "say Mara, what was told of the mill?")
        request = mind.requests[0]
        used = tokens.estimate_messages(request.messages, request.tools)
        self.assertLessEqual(used, window - REPLY)
        return "\n".join(one["content"] for one in request.messages)

    def told(self, prompt):
        """Return the numbers of the stories in a prompt."""
        return [number for number in range(LINES) if story(number) in prompt]

    def test_the_newest_of_them_are_told_in_every_window(self):
        large, usual = (self.told(self.asked(window)) for window in (32_000, 4096))
        self.assertEqual((large[-10:], usual[-10:]), (list(range(40, 50)), list(range(40, 50))))
        prompt = self.asked(2048)
        for kept in (DESCRIPTION, *self.lore, "You play one character"):
            self.assertIn(kept, prompt)
        self.assertEqual(self.told(prompt)[-10:], list(range(40, 50)))


def story(number):
    """Return what is told of the mill, the same and yet another each time."""
    thing = ("wheel", "roof", "miller", "flour", "pond")[number % 5]
    return (
        f"the {thing} of the mill was the talk of day {number}, and nobody knew why it was so loud."
    )
