"""A week at an inn: what is said each day, two minds that sleep over it, and what each may know."""

import json
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from itertools import count

from evennia.objects.objects import DefaultObject
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.utils import logger
from evennia.utils.create import create_object
from twisted.internet.defer import succeed

from evennia_ai import tick
from evennia_ai.agent import answer
from evennia_ai.core import records
from evennia_ai.llm import base as minds_by_job
from evennia_ai.llm.base import Completion
from evennia_ai.memory import identity, journal, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import active_assistants, npc_settings, sleep_state
from evennia_ai.memory.storage import pages
from evennia_ai.semantic import base as semantic
from evennia_ai.semantic import memory_thread
from evennia_ai.sleep import summaries
from evennia_ai.testing import AITestCase, minds
from tests.scenarios.cast import Person

# A Monday, at six in the evening.
START = 1_900_087_200.0
DAY_SECONDS = 86_400
# From the evening's first line to the hours of sleep, and from there to the morning.
BEDTIME_HOURS, NIGHT_HOURS = 8, 4

# What is whispered on the second day and after: a word that stands in nothing else, and who knows it.
SECRETS = {
    "hearthstone": ("Anna", "Mara"),
    "brother": ("Anna", "Mara"),
    "smuggler": ("Bo", "Bertil"),
}

# One list of lines a day, as they are typed; nobody but the three says anything by themselves.
DAYS = (
    """
    Anna > say Good evening, Mara!
    Anna > say Mara, I love tea.
    Anna > say Mara, the well in the square has run dry.
    Bo > say Mara, my sister lives in Ferny Ford.
    Bo > say I am looking for a grey horse.
    """,
    """
    Anna > say Mara, I drink tea every evening.
    Anna > whisper Mara = I hid the silver key under the hearthstone.
    Anna > whisper Mara = I am afraid of my brother.
    Cid > say Mara, somebody must mend the rope of the well.
    Cid > say Bertil, the captain wants a second lock on the gate.
    Bo > give mug to Mara
    """,
    """
    Anna > say Mara, I really don't like coffee.
    Bo > say Mara, I saw lights at the well last night.
    Bo > say Mara, the ferry to Ferny Ford was late again.
    Bo > whisper Bertil = I owe the smuggler nine crowns.
    Cid > say Mara, I work at the mill.
    Cid > say Bertil, the captain paid for a new lock today.
    """,
    """
    Anna > say Mara, nothing warms like tea, I prefer tea to anything.
    Anna > whisper Mara = Nobody may ever look under the hearthstone.
    Cid > say Mara, a rat fell into the well yesterday.
    Cid > say Bertil, the gate of the mill was open at dawn.
    Bo > say Bertil, the grey horse was seen at Ferny Ford.
    Anna > say Bertil, the captain asked me for your name.
    """,
    """
    Anna > say Mara, I live above the bakery.
    Anna > whisper Mara = My brother asked me for the silver key.
    Bo > say Mara, the water of the well smells of iron.
    Cid > say Mara, the miller pays badly this year.
    Cid > say Bertil, two strangers slept in the yard.
    Bo > whisper Bertil = The smuggler wants his crowns by the new moon.
    """,
    """
    Anna > say Mara, I enjoy tea with honey.
    Cid > say Mara, the well is being dug deeper, they say.
    Cid > say Bertil, wolves howled behind the mill.
    Anna > say Bertil, the captain is ill and stays in bed.
    Bo > say Mara, my sister keeps bees in Ferny Ford.
    Bo > say Bertil, I am still looking for the grey horse.
    """,
)
# What those ask each evening who were not told: aloud, and where nobody else hears the answer.
OPENINGS = ("Well,", "So they say:", "Let me see.", "Hm, this I heard:", "As far as I know,", "Ah!")
PRYING = """
    Bo > say Mara, where is the silver key?
    Cid > whisper Mara = What did Anna tell you about the key?
    Cid > say Mara, what do you know about Anna?
    Bo > say Mara, what have you noticed lately?
    Bo > say Why do you think so?
    Cid > say Bertil, what do you know about Bo?
"""


def lines_of(text):
    """Return who does what, of lines such as "Bo > look"."""
    return [tuple(line.strip().split(" > ", 1)) for line in text.strip().splitlines()]


@dataclass
class Chatterbox:
    """A model that does every job of the day and of the night, and puts each secret that it sees into
    whatever it makes: only what it is shown, and for whom, can keep them."""

    is_model: bool = True
    name: str = "chatterbox"
    jobs: list = field(default_factory=list)
    leaked: set = field(default_factory=set)
    numbers: count = field(default_factory=count)

    def complete(self, request):
        """Answer in the shape that is asked for."""
        self.jobs.append(request.job)
        shown = f"{request.messages} {request.context}"
        secrets = [word for word in SECRETS if word in shown]
        self.leaked.update((request.job, word) for word in secrets)
        answer = getattr(self, f"_{request.job}")(request, " ".join(secrets))
        if not isinstance(answer, Completion):
            text = answer if isinstance(answer, str) else json.dumps(answer)
            answer = Completion(text, model=self.name, prompt_tokens=100, completion_tokens=20)
        return succeed(answer)

    def _reply(self, request, leak):
        told = [memory["text"] for memory in request.context.get("memories") or ()]
        opening = OPENINGS[next(self.numbers) % len(OPENINGS)]
        return f"{opening} {' / '.join(told)} {leak}".strip()

    def _score(self, request, leak):
        return {"worth": 6}

    def _questions(self, request, leak):
        return {"questions": [f"What is it about the well? {leak}", f"Who wants what? {leak}"]}

    def _insights(self, request, leak):
        items = request.context["items"]
        about = [one["number"] for one in items if "well" in one["text"]]
        own = [one["number"] for one in items if one["own"]]
        return {
            "insights": [
                {"insight": f"The well worries everybody {leak}.", "evidence": about},
                {"insight": f"Much is kept quiet here {leak}.", "evidence": own[:3]},
            ]
        }

    def _consolidate(self, request, leak):
        seen = request.context["observations"]
        tea = [one["id"] for one in seen if "tea" in one["content"]]
        return {
            "attributes": [
                {"type": "preference", "value": f"Strongly prefers tea {leak}", "evidence": tea},
                {
                    "type": "trait",
                    "value": f"Talks a lot {leak}",
                    "evidence": [one["id"] for one in seen],
                },
            ]
        }

    def _summarise(self, request, leak):
        return {"summary": f"{request.context['person']} talked of this and that {leak}."}

    def _extract(self, request, leak):
        return {"facts": [f"Anna said something about the inn {leak}."]}


class WeekTestCase(AITestCase):
    """Anna, Bo and Cid are played; Mara sleeps by a schedule, Bertil when he has much to think about.

    Long-term memory is ours, in a file. Nothing may be logged with a traceback.
    """

    def setUp(self):
        super().setUp()
        folder = tempfile.mkdtemp(prefix="evennia-ai-week-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        memory_thread.set_worker(memory_thread.InlineWorker())
        self.addCleanup(memory_thread.set_worker, None)
        self.addCleanup(semantic.reset)
        memory = {
            "BACKEND": "evennia_ai.semantic.mem0.Mem0Memory",
            "OPTIONS": {"path": f"{folder}/memory.db3"},
        }
        # A week of few words: conversations are summed up as if they had been long. The model here says each time
        # all that it knows, and has no other words.
        changed = self.settings_ai(
            SEMANTIC={"default": memory},
        )
        changed.enable()
        self.addCleanup(changed.disable)
        self.patch(working_memory, "CONVERSATION_LINES", 24)
        self.patch(summaries, "WINDOW", 6)
        self.patch(answer, "SIMILARITY", 2)
        minds.forget_all()
        self.addCleanup(TICKER_HANDLER.clear)
        self.clock.advance(START)
        self.log = []
        self.patch(logger, "log_info", self.log.append)
        for name in ("log_err", "log_trace"):
            self.patch(logger, name, lambda message=None, **_: self.fail(message))
        # The base's own people are elsewhere.
        self.char1.location = self.char2.location = self.room2
        self.npcs = {name: minds.make_assistant(name, location=self.room1) for name in NPCS}
        npc_settings.choose_for_mind(self.npcs["Mara"].assistant, sleep_schedule=SCHEDULE)
        self.people = {
            name: create_object(Person, key=name, location=self.room1, home=self.room1)
            for name in PEOPLE
        }
        self.things = {"mug": create_object(DefaultObject, key="mug", location=self.people["Bo"])}
        # (day, who, words, by which assistants they were to be noted)
        self.told = []

    # What happens

    def play_evening(self, day, text):
        """Let a day's lines be typed, and answered."""
        for who, command in lines_of(text):
            self.do(who, command)
            words = re.sub(r"^(?:say|whisper \w+ =) ", "", command)
            if words != command and not words.endswith("?") and not words.startswith("Good"):
                confidant = re.match(r"whisper (\w+)", command)
                self.told.append((day, who, words, [confidant[1]] if confidant else list(NPCS)))

    def do(self, who, command):
        """Let somebody type a command; return what reaches them until it is answered."""
        person = self.people[who]
        before = len(person.heard)
        verb, rest = command.split(" ", 1)
        if verb == "say":
            person.at_say(rest)
        elif verb == "whisper":
            name, words = rest.split(" = ")
            person.at_say(words, receivers=[self.npcs[name]], whisper=True)
        else:
            thing, name = rest.split(" to ")
            self.things[thing].move_to(self.npcs[name], quiet=True, move_type="give")
        minds.pass_time(self.clock, 3)
        return person.heard[before:]

    def answer(self, who, command):
        """Return what somebody hears from the assistants when they type a command."""
        return " ".join(line for line in self.do(who, command) if line.startswith(NPCS))

    def play_night(self):
        """Let everybody sleep who wants to, until the morning; return the modes at their deepest."""
        evening_end = START + (self.nights_over() * 24 + BEDTIME_HOURS) * 3600
        # Bertil notices at the first tick that nobody talks with him any more.
        self.clock.advance(evening_end - self.clock.seconds() - 1200)
        self.pulses(20)
        self.pulses(5)
        slept = {name: sleep_state.mode(npc.assistant) for name, npc in self.npcs.items()}
        self.pulses(120)
        self.clock.advance(evening_end + NIGHT_HOURS * 3600 - self.clock.seconds())
        self.pulses(2)
        # A model is asked about one entry after the other, and a full day takes it longer.
        for _ in range(20):
            if any(sleep_state.mode(npc.assistant) == "sleep" for npc in self.npcs.values()):
                self.pulses(20)
        return slept

    def nights_over(self):
        """Return how many days have passed."""
        return int((self.clock.seconds() - START) // DAY_SECONDS)

    def begin_day(self, day):
        """Let it be the evening of a day, counted from 1."""
        self.clock.advance(START + (day - 1) * DAY_SECONDS - self.clock.seconds())
        for person in self.people.values():
            person.heard.clear()

    def pulses(self, minutes):
        """Let the clockwork run for some minutes, once in each."""
        for _ in range(minutes):
            for rate in sorted(active_assistants.rates()):
                tick.pulse(rate)
            minds.pass_time(self.clock, 60, step=5)

    # What is there

    def stored(self, name):
        """Yield (what it is, its text, who may know it) of all that an assistant remembers."""
        npc = self.npcs[name]
        for entry in journal.entries(npc):
            yield "entry", f"{entry.content} {entry.tags}", entry.audience
        for known in entity_profiles.all_profiles(npc).values():
            for fact in known.attributes:
                yield "attribute", fact.value, fact.audience
            for seen in known.observations:
                yield "observation", seen.content, seen.audience
        for kept in working_memory.conversations(npc).values():
            yield "topic", kept.topic, kept.topic_audience
            for line in [*kept.messages, *kept.pending_actions]:
                kind = getattr(line, "kind", "action")
                yield kind, json.dumps(pages.plain(line)), line.audience
        for memory in self.memories(name):
            yield "memory", f"{memory.text} {memory.metadata}", memory.audience

    def memories(self, name):
        """Return all of the long-term memory of an assistant."""
        key = identity.identity_of(self.npcs[name])
        return self.outcome(semantic.get_memory().get_all(assistant_key=key, limit=1000))

    def too_widely_known(self):
        """Return what holds a secret and may be known by somebody who was not told it."""
        return [
            (name, kind, text)
            for name in NPCS
            for kind, text, known in self.stored(name)
            for word, ears in SECRETS.items()
            if word in text.casefold() and not self._is_for(known, ears)
        ]

    def overheard(self):
        """Return what has reached somebody today and holds a secret that they were not told."""
        return [
            (name, line)
            for name, person in self.people.items()
            for line in person.heard
            for word, ears in SECRETS.items()
            if word in line.casefold() and name not in ears
        ]

    def lost(self):
        """Return the lines that an assistant was told and that are nowhere any more, word for word."""
        texts = {name: self._word_for_word(name) for name in NPCS}
        return [
            (day, who, words, name)
            for day, who, words, names in self.told
            for name in names
            if (self.people[who].who, words) not in texts[name]
        ]

    def day_of(self, timestamp):
        """Return the day on which something happened, counted from 1."""
        return int((records.parse_time(timestamp).timestamp() - START) // DAY_SECONDS) + 1

    def use_model(self):
        """Let a model without discretion think for everybody; return it."""
        model = Chatterbox()
        minds_by_job.install("default", model)
        return model

    def _is_for(self, known, ears):
        everybody = {**self.people, **self.npcs}
        allowed = {identity.identity_of(everybody[name]) for name in ears}
        return known != "public" and set(known) <= allowed

    def _word_for_word(self, name):
        entries = {(entry.said_by, entry.content) for entry in journal.entries(self.npcs[name])}
        kept = {(memory.metadata.get("source_id"), memory.text) for memory in self.memories(name)}
        said = {(line.said_by, line.text) for line in working_memory.all_lines(self.npcs[name])}
        return entries | kept | said


NPCS, PEOPLE = ("Mara", "Bertil"), ("Anna", "Bo", "Cid")
SCHEDULE = {"enabled": True, "sleep_start_hour": 2, "sleep_duration_hours": NIGHT_HOURS}
