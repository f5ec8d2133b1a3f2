"""A life in this process: a room, an NPC, people who talk, days and nights on a clock of the benchmark.

Shared by `life` and `year`. What is said goes the way that it goes in a game: it is heard in the room,
noted, slept on. Only the model is a script, which answers each job in its form and knows nothing.
"""

import json
import os
import random
import sys
from collections import Counter

from tests import database_file
from tests.benchmarks.secrets import result_of

DAY = 86_400
# A day begins at six in the evening, UTC: people talk, and at two the NPC falls asleep.
FIRST_DAY = 1_900_087_200
BEDTIME, MORNING = 8 * 3600, 12 * 3600
SLEEP = {"enabled": True, "sleep_start_hour": 2, "sleep_duration_hours": 4}
# Minutes of ticks before and after the hour of sleep.
BEFORE_BED, NIGHT, AFTER = 20, 45, 2
SECONDS_A_LINE = 2
SECONDS_A_QUESTION = 120
UNLIMITED = {"tokens": 10**9, "money": None}
WHOSE = ("server", "assistant", "player")
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()


class Model:
    """Answers every job in the form that it asks for; keeps the last request for a reply."""

    name, is_model = "script", True

    def __init__(self, *, insights=1):
        self.jobs = Counter()
        self.messages, self.tools = None, ()
        self._insights = insights

    def complete(self, request):
        """Answer a request."""
        from twisted.internet.defer import succeed

        from evennia_ai.llm.base import Completion

        self.jobs[request.job] += 1
        if request.job == "reply":
            self.messages, self.tools = request.messages, request.tools
            words = " ".join(random.Random(self.jobs["reply"]).sample(WORDS, 6))
            return succeed(Completion(f"Hm {self.jobs['reply']} {words}", model=self.name))
        text = json.dumps(self._answer(request.job, request.context))
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        return succeed(Completion(text, model=self.name, **usage))

    def _answer(self, job, context):
        number = self.jobs[job]
        if job == "score":
            return {"worth": 5}
        if job == "extract":
            return {"facts": []}
        if job == "questions":
            return {"questions": ["What matters to them?"]}
        if job == "insights":
            numbers = [item["number"] for item in context["items"]]
            return {
                "insights": [
                    {
                        "insight": f"They share a lot about {WORDS[(number + one) % 12]}, {number}-{one}.",
                        "evidence": numbers[one : one + 2] or numbers[:1],
                    }
                    for one in range(self._insights)
                ]
            }
        if job == "consolidate":
            return {"attributes": []}
        if job == "summarise":
            return {"summary": f"{context['person']} talked of this and that."}
        return {}


def start_evennia(folder, *, sections, **options):
    """Make Evennia, an empty database and a semantic memory in `folder` usable in this process.

    `sections` are those of a prompt, `options` those of the memory.
    """
    os.environ.update(TEST_DB_PATH=":memory:", DJANGO_SETTINGS_MODULE="server.conf.test_settings")
    import django
    from django.conf import settings

    settings.EVENNIA_AI = {
        "ALLOW_MODEL_REQUESTS": False,
        "BUDGET": dict.fromkeys(WHOSE, UNLIMITED),
        "RATE": dict.fromkeys(WHOSE, 10**6),
        "CONTEXT_SECTIONS": sections,
        "SEMANTIC": {
            "default": {
                "BACKEND": "evennia_ai.semantic.mem0.Mem0Memory",
                "OPTIONS": {"path": str(folder / "memory.db3"), **options},
            }
        },
    }
    django.setup()
    import evennia

    evennia._init()
    database_file.make_tables()


class Life:
    """One NPC, the people around it, and their time."""

    def __init__(self, names, model, *, name="Mara"):
        from evennia.objects.objects import DefaultRoom
        from evennia.utils.create import create_object
        from twisted.internet.task import Clock

        from evennia_ai import scheduling
        from evennia_ai.memory import identity
        from evennia_ai.testing import minds
        from tests.scenarios.cast import Person

        self.clock, self.model, self.prompt = Clock(), model, ""
        self.clock.advance(FIRST_DAY)
        scheduling.set_clock(self.clock)
        minds.forget_all()
        minds.base.install("default", model)
        self.room = create_object(DefaultRoom, key="inn", nohome=True)
        self.npc = minds.make_assistant(name, location=self.room)
        self.npc.assistant.db.sleep_schedule = SLEEP
        self.key = identity.identity_of(self.npc)
        self.people = {
            name: create_object(Person, key=name, location=self.room, home=self.room)
            for name in names
        }

    def close(self):
        """Let everybody go, so that another life begins with nobody."""
        for obj in (*self.people.values(), self.npc, self.room):
            obj.delete()

    def begin(self, day):
        """Go to the evening of a day."""
        self._until(day, 0)

    def say(self, name, text):
        """Let somebody say something in the room."""
        self.people[name].at_say(" ".join(text.split()).replace("|", "||"))
        self._pass(SECONDS_A_LINE)

    def sleep(self, day):
        """Let the NPC fall asleep, sleep and wake up."""
        self._until(day, BEDTIME - BEFORE_BED * 60)
        self._tick(BEFORE_BED + NIGHT)
        self._until(day, MORNING)
        self._tick(AFTER)
        for person in self.people.values():
            person.heard.clear()

    def wait(self, seconds=SECONDS_A_LINE):
        """Let time pass."""
        self._pass(seconds)

    def move(self, name, *, away):
        """Let somebody leave the room, or come back."""
        from evennia.objects.objects import DefaultRoom
        from evennia.utils.create import create_object

        elsewhere = create_object(DefaultRoom, key="road", nohome=True)
        self.people[name].move_to(elsewhere if away else self.room)
        self._pass(SECONDS_A_LINE)

    def ask(self, name, question):
        """Ask the NPC; return the lines of memories that stood in the prompt, best first.

        `prompt` is all of it then: what is still talked of stands among the lines of the conversation.
        """
        self.clock.advance(SECONDS_A_QUESTION)
        from evennia_ai.agent import trace

        self.model.messages = None
        self.say(name, f"Mara, {question}")
        self.prompt = "\n".join(one["content"] for one in self.model.messages or ())
        written = trace.turns(self.npc.id)[0].record.sections["memories"]
        return [line for line in written if line in self.prompt]

    def found(self, name, question, limit):
        """Return the texts that the store alone finds for somebody, best first."""
        from evennia_ai.memory import identity
        from evennia_ai.semantic import base

        hits = result_of(
            base.get_memory().search(
                question,
                assistant_key=self.key,
                hearers=frozenset({identity.identity_of(self.people[name])}),
                limit=limit,
                names=["Mara", name],
            )
        )
        return [hit.text for hit in hits]

    def kept(self):
        """Return all texts that are remembered word for word: (journal, long-term memory)."""
        from evennia_ai.memory import journal
        from evennia_ai.semantic import base

        stored = result_of(base.get_memory().get_all(assistant_key=self.key, limit=10**6))
        return list(journal.entries(self.npc)), [one.text for one in stored]

    def _until(self, day, seconds):
        moment = FIRST_DAY + day * DAY + seconds
        # What is due meanwhile is done on the way there.
        self.clock.advance(max(0, moment - self.clock.seconds()))

    def _pass(self, seconds, step=0.25):
        from evennia_ai.testing import minds

        minds.pass_time(self.clock, seconds, step=step)

    def _tick(self, minutes):
        from evennia_ai import tick
        from evennia_ai.memory.state import active_assistants

        for _ in range(minutes):
            for rate in sorted(active_assistants.rates()):
                tick.pulse(rate)
            self._pass(60, step=10)


def quiet():
    """Keep what Evennia logs out of the way of the one line of JSON; errors go to stderr."""
    from evennia.utils import logger

    logger.log_info = logger.log_warn = lambda *_, **__: None
    logger.log_err = logger.log_trace = lambda text="", **__: print(text, file=sys.stderr)
