"""Random histories of an NPC in which secrets are told, and a record of who may know each of them.

What is known about a secret is written down where it is told, by whoever stands in the room then,
and never read from what the package stored: else it would be measured by its own rule.
"""

from dataclasses import dataclass
from datetime import datetime, timezone

from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object

from evennia_ai import tick
from evennia_ai.agent.hearing import perception
from evennia_ai.agent.loop import use_tool
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.domain import audience as audiences
from evennia_ai.llm.base import ToolCall
from evennia_ai.memory import persona, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import npc_settings
from evennia_ai.semantic.base import get_memory
from evennia_ai.testing import minds
from evennia_ai.tools import registry
from tests.memory.profiles import add_fact
from tests.scenarios.cast import TOKEN, TOPICS

SENTENCES = (
    "The {topic} is hidden at {token}.",
    "I have buried the {topic} of my family near {token}.",
    "Nobody but me knows that the {topic} was stolen by {token}.",
    "My uncle sold the {topic} to {token} last winter.",
)
QUESTIONS = (
    "{npc}, where is the {topic}?",
    "{npc}, what do you know about the {topic}?",
    "What did you hear of a {topic}, {npc}?",
    "{npc}, please tell me everything about that {topic} of theirs.",
    "I am looking for the {topic}. Can you help me, {npc}?",
)
REMARKS = (
    "The road to the mill is muddy again.",
    "{npc}, your stew was better last week.",
    "My horse has lost a shoe.",
    "{npc}, the miller wants his {topic} back, they say.",
    "They will hold a market on the green.",
    "{npc}, I am tired.",
)


@dataclass
class Secret:
    """Something with a token in it, the way it was told, and who may know it.

    `about` is the name of whom it is kept under, if that is somebody.
    """

    token: str
    topic: str
    way: str
    audience: set
    about: str = ""

    def may_hear(self, hearers):
        """Return whether all of these may know it."""
        return set(hearers) <= self.audience


class History:
    """One NPC, the people who come and go, and the secrets that it was told.

    `room` is where it all happens, `elsewhere` where people come from; in a `closed` room what is
    said aloud is for those who hear it.
    """

    def __init__(self, *, chance, people, room, elsewhere, clock, closed):
        self.chance, self.people, self.clock = chance, people, clock
        self.room, self.elsewhere, self.closed = room, elsewhere, closed
        self.secrets = {}
        self.topics = chance.sample(TOPICS, len(TOPICS))
        self.npc = minds.make_assistant("Mara", location=room)
        self.mind = self.npc.assistant
        npc_settings.choose(self.npc, gossip="never")
        for person in people:
            person.location = elsewhere
            person.heard.clear()

    # What happens

    def play(self, steps=14):
        """Let things happen, among them each way in which a secret can be told; return `self`."""
        ways = [*WAYS, *self.chance.choices(EVERYDAY, k=steps)]
        self.chance.shuffle(ways)
        for way in ways:
            if not self.present():
                self.come_and_go()
            way(self)
            self.wait()
        return self

    def wait(self, seconds=1.0):
        """Let time pass, so that all is taken in and answered."""
        minds.pass_time(self.clock, seconds, step=0.2)

    def present(self):
        """Return the people who are in the room."""
        return [person for person in self.people if person.location == self.room]

    def somebody(self):
        """Return one of those who are in the room."""
        return self.chance.choice(self.present())

    def some(self):
        """Return one or two people, wherever they are."""
        return self.chance.sample(self.people, self.chance.randint(1, 2))

    def new_secret(self, way, audience, *, about=None):
        """Return a sentence with a new token in it, which only these identities may know."""
        token = f"zq{self.chance.getrandbits(32):08x}"
        topic = self.topics.pop()
        name = about.key if about else ""
        self.secrets[token] = Secret(token, topic, way, set(audience), name)
        return self.chance.choice(SENTENCES).format(topic=topic, token=token)

    # Everyday life

    def come_and_go(self):
        """Let somebody change their place."""
        person = self.chance.choice(self.people)
        target = self.elsewhere if person.location == self.room else self.room
        person.move_to(target, move_type="move")

    def remark(self):
        """Let somebody say something that everybody may know."""
        topic = self.chance.choice(TOPICS)
        words = self.chance.choice(REMARKS).format(npc="Mara", topic=topic)
        self.somebody().at_say(words)

    def small_gift(self):
        """Let somebody give the NPC something of no account."""
        self._give("apple")

    def hurry(self):
        """Somebody speaks, and another comes in and speaks before there is an answer."""
        first = self.somebody()
        self.chance.choice((History.say, History.whisper, History.remark))(self)
        second = self.chance.choice(self.people)
        if second is not first:
            second.move_to(self.room, quiet=True)
            second.at_say("Mara, good day to you all.")

    def aside(self):
        """Somebody whispers, and goes on aloud in the same breath."""
        person = self.somebody()
        words = self.new_secret("whisper", [person.who])
        person.at_say(words, receivers=[self.npc], whisper=True)
        if self.closed:
            present = [one.who for one in self.present()]
            person.at_say(self.new_secret("say", present))

    def clock_ticks(self):
        """So much time passes that promises are kept."""
        self.clock.advance(61)
        tick.run_tick(self.mind)

    def gossip(self):
        """The NPC tells somebody, in a whisper, something that they may know from now on."""
        if not self.secrets or "share" not in registry.all_tools():
            return
        secret, listener = self.chance.choice(list(self.secrets.values())), self.somebody()
        turn = Turn(self.mind, [self.question(listener, secret.topic, kind="whisper")])
        before = len(listener.heard)
        npc_settings.choose(self.npc, gossip="freely")
        use_tool(turn, ToolCall("1", "share", {"about": secret.topic}))
        npc_settings.choose(self.npc, gossip="never")
        for token in TOKEN.findall("\n".join(listener.heard[before:])):
            self.secrets[token].audience.add(listener.who)

    # Ways in which a secret is told.

    def whisper(self):
        """Somebody whispers."""
        person = self.somebody()
        words = self.new_secret("whisper", [person.who])
        person.at_say(words, receivers=[self.npc], whisper=True)

    def tell(self):
        """Somebody tells from afar."""
        person = self.chance.choice(self.people)
        perception.told(self.npc, self.new_secret("tell", [person.who]), person)

    def say(self):
        """Somebody says it aloud, where what is said stays among those who hear it."""
        if self.closed:
            words = self.new_secret("say", [person.who for person in self.present()])
            self.somebody().at_say(self.chance.choice(("", "Mara, ")) + words)

    def gift(self):
        """Somebody gives something whose name tells it, before those who stand there."""
        if self.closed:
            present = [person.who for person in self.present()]
            secret = self.new_secret("gift", present)
            token = TOKEN.search(secret)[0]
            self._give(f"{self.secrets[token].topic} of {token}")

    def game_event(self):
        """The game tells the NPC of something that few may know."""
        few = [person.who for person in self.some()]
        words = self.new_secret("event", few)
        perception.perceive(self.npc, "vision", words, audience=few, addressed=False)

    def lore(self):
        """The builder wrote something that few may know."""
        few = [person.who for person in self.some()]
        known = persona.load_lore(self.npc)
        fact = {"text": self.new_secret("lore", few), "audience": few}
        persona.save_lore(self.npc, [*known, fact])

    def observation(self):
        """Something was noticed about somebody, and not everybody may know it."""
        about = self.chance.choice(self.people)
        few = [person.who for person in self.some()]
        words = self.new_secret("observation", few, about=about)
        entity_profiles.add_entity_observation(self.npc, about, words, audience=few)

    def attribute(self):
        """Sleep has made a lasting fact of something that not everybody may know."""
        about = self.chance.choice(self.people)
        few = [person.who for person in self.some()]
        words = self.new_secret("attribute", few, about=about)
        add_fact(self.npc, about, words, audience=few)

    def fact(self):
        """Long-term memory holds something that few may know."""
        few = [person.who for person in self.some()]
        words = self.new_secret("fact", few)
        key = self.mind.assistant_key
        get_memory().add(words, assistant_key=key, audience=few, metadata={"source_trust": 0.9})

    def topic(self):
        """A conversation is about something that few may know."""
        person, few = self.chance.choice(self.people), [one.who for one in self.some()]
        entity_profiles.create_entity_profile(self.npc, person)
        words = self.new_secret("topic", few, about=person)
        working_memory.start_conversation(self.npc, person.who, words, audience=few)

    def pending_action(self):
        """The NPC means to do something that few may know."""
        person, few = self.chance.choice(self.people), [one.who for one in self.some()]
        entity_profiles.create_entity_profile(self.npc, person)
        words = self.new_secret("pending action", few, about=person)
        working_memory.add_pending_action(self.npc, person.who, words, 5, audience=few)

    def _give(self, name):
        person = self.somebody()
        thing = create_object(DefaultObject, key=name, location=person)
        thing.move_to(self.npc, quiet=True, move_type="give")
        # What it holds is to be seen by all.
        thing.delete()

    # What is asked

    def gather(self, asker, bystanders):
        """Let exactly these people be in the room."""
        for person in self.people:
            target = self.room if person is asker or person in bystanders else self.elsewhere
            if person.location != target:
                person.location = target
        self.wait(0.4)

    def question(self, asker, topic, *, kind):
        """Return the event of somebody asking about a topic."""
        words = self.chance.choice(QUESTIONS).format(npc="Mara", topic=topic)
        known = audiences.PUBLIC
        if kind in records.PRIVATE:
            known = [asker.who, self.mind.assistant_key]
        elif self.closed:
            known = [person.who for person in self.present()] + [self.mind.assistant_key]
        return records.new_event(
            kind,
            words,
            event_id=f"question-{self.chance.getrandbits(64):x}",
            now=datetime.fromtimestamp(self.clock.seconds(), tz=timezone.utc),
            said_by=asker.who,
            actor_id=asker.id,
            actor_name=asker.key,
            addressed=True,
            audience=known,
            location_id=self.room.id,
        )

    # What leaked

    def leaks(self, shown, hearers):
        """Return the secrets in `shown` that not all hearers may know."""
        return find_leaks(shown, self.secrets, hearers)

    def overheard(self):
        """Return the secrets that have reached somebody who may not know them, by whatever way."""
        return [
            secret
            for person in self.people
            for secret in self.leaks("\n".join(person.heard), [person.who])
        ]

    def close(self):
        """Leave nothing behind."""
        self.npc.delete()


# Each of them happens once in a history.
WAYS = (
    History.whisper,
    History.tell,
    History.say,
    History.gift,
    History.game_event,
    History.lore,
    History.observation,
    History.attribute,
    History.fact,
    History.topic,
    History.pending_action,
)
EVERYDAY = (
    History.come_and_go,
    History.come_and_go,
    History.remark,
    History.remark,
    History.small_gift,
    History.whisper,
    History.hurry,
    History.hurry,
    History.aside,
    History.clock_ticks,
    History.gossip,
    History.gossip,
)
# Told only to whoever looks for them by a tool.
NOT_IN_PROMPTS = ("observation", "attribute", "topic", "pending action")


def find_leaks(shown, secrets, hearers):
    """Return those of `secrets` (by token) that a text shows though not all hearers may know them."""
    tokens = set(TOKEN.findall(shown)) & secrets.keys()
    return [secrets[token] for token in sorted(tokens) if not secrets[token].may_hear(hearers)]


def too_widely_known(turn, shown, secrets):
    """Return the secrets in a turn's prompt of which the turn says that more people may know them.

    What is made of the prompt later would have too many ears.
    """
    if turn.audience == audiences.PUBLIC:
        return find_leaks(shown, secrets, {"whoever"})
    return find_leaks(shown, secrets, set(turn.audience) - {turn.identity})
