"""Who plays in random histories: people whom nobody has to log in, and a mind without discretion."""

import random
import re
from dataclasses import dataclass, field

from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_object
from twisted.internet.defer import succeed

from evennia_ai.llm.base import Completion, ToolCall
from evennia_ai.memory import identity

# A word that stands in no other sentence; what is looked for in prompts.
TOKEN = re.compile(r"zq[0-9a-f]{8}")
NAMES = ("Ann", "Bob", "Cid", "Dora", "Eve", "Finn")
TOPICS = """crown ledger dagger lantern casket chalice amulet banner compass locket anvil barrel
    saddle trumpet mirror tapestry cradle hammer violin telescope bracelet sceptre goblet quiver
    necklace portrait candlestick hourglass mandolin shield""".split()


class Seat:
    """Stands for the session of somebody who is in the game."""

    def count(self):
        """There is one."""
        return 1

    def all(self):
        """It is nothing that anything could be sent to."""
        return []

    get = all


class Person(DefaultCharacter):
    """Somebody whom a player seems to play; `heard` is what has reached them."""

    sessions = Seat()

    def msg(self, text=None, from_obj=None, **kwargs):
        """Take in what is said here."""
        if text is not None:
            self.heard.append(str(text[0] if isinstance(text, tuple) else text))

    @property
    def heard(self):
        """The lines that have reached this person."""
        if self.ndb.heard is None:
            self.ndb.heard = []
        return self.ndb.heard

    @property
    def who(self):
        """The identity."""
        return identity.identity_of(self)


@dataclass
class Parrot:
    """A mind that tells all that it was shown, and notes it wherever it can: the worst there is.

    Whatever it makes of a secret carries the token on, so that derived memories are looked for too.
    """

    chance: random.Random
    is_model: bool = True
    name: str = "parrot"
    noted: dict = field(default_factory=dict)

    def complete(self, request):
        """Note something in some way, once in a turn; then say every token."""
        tokens = sorted(set(TOKEN.findall(f"{request.messages}")))
        turn_id = request.caller.turn_id
        if tokens and turn_id not in self.noted and self.chance.random() < 0.5:
            self.noted[turn_id] = True
            return succeed(Completion(tool_calls=(self._note(tokens),), model=self.name))
        words = self.chance.choice(("Well, well", "I hear you", "So be it", "Is that so"))
        number = self.chance.randrange(10_000)
        return succeed(Completion(f"{words}, {number}. {' '.join(tokens)}", model=self.name))

    def _note(self, tokens):
        """Return the use of a tool that keeps what it is given."""
        text = f"Somebody spoke of {' and '.join(tokens)}."
        who = self.chance.choice(NAMES)
        calls = (
            ("store_memory", {"content": text}),
            ("add_journal_entry", {"content": text}),
            ("review_journal", {"synthesis": text}),
            ("update_entity_observation", {"entity_id": who, "content": text}),
            ("add_pending_action", {"entity_id": who, "action": text}),
            ("start_entity_conversation", {"entity_id": who, "topic": text}),
            ("set_reminder", {"minutes": 1, "text": text}),
            ("share", {"about": self.chance.choice(TOPICS), "target": who}),
        )
        name, arguments = self.chance.choice(calls)
        return ToolCall("note", name, arguments)


def make_people(number, *, location):
    """Return people who are played."""
    return [
        create_object(Person, key=name, location=location, home=location) for name in NAMES[:number]
    ]
