"""The paths on which a memory reaches a mind or an ear, and how to try whether each keeps a secret."""

import json
import shutil
import tempfile
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Callable, NamedTuple

from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_object
from twisted.internet.defer import Deferred

from evennia_ai import scheduling, tick
from evennia_ai.agent import answer, context, trace
from evennia_ai.agent.hearing import perception, presence
from evennia_ai.agent.loop import use_tool
from evennia_ai.agent.revising import correcting
from evennia_ai.agent.turn import Turn
from evennia_ai.commands import base as commands_base
from evennia_ai.core import records
from evennia_ai.core.records import Link, Step
from evennia_ai.domain import audience
from evennia_ai.domain.choices import decision_rules
from evennia_ai.domain.sleeping import truth
from evennia_ai.experience.base import experience_of
from evennia_ai.memory import identity, journal, links, persona, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant, kept_goals, npc_settings
from evennia_ai.semantic import base, memory_thread
from evennia_ai.semantic.ranking import retrieve
from evennia_ai.semantic.stores import store_sql
from evennia_ai.sleep import compaction, people_noticed, reflection
from evennia_ai.testing import minds
from evennia_ai.tools import registry
from evennia_ai.typeclasses import scripts
from tests.agent.cases import MindTestCase, call
from tests.domain import lines
from tests.domain.lines import OF_THE_GAME
from tests.found_memories import hit
from tests.memory.profiles import add_fact
from tests.scenarios.histories import Secret, find_leaks
from tests.semantic.cases import PLAIN
from tests.synced import sync

TOKEN = "zq00c0ffee"
SECRET = f"The crown lies under {TOKEN}."
QUESTION = "Mara, where does the crown lie?"


class Path(NamedTuple):
    """One way of a memory: where it is read, how it is tried, and what has to be off for a leak.

    `show(case)` plants the secret, which Char and Mara may know, and returns what Char2 comes to
    see; `off` are (what, attribute, stand-in).
    """

    places: tuple[str, ...]
    show: Callable[[Any], str]
    off: tuple[tuple[str, str, Any], ...]


OPEN = SimpleNamespace(
    **{
        **vars(audience),
        "may_know": lambda known, hearers: True,
        "select_tellable": lambda items, hearers: list(items),
    }
)
ALL_OPEN = SimpleNamespace(
    **{
        **vars(OPEN),
        "select_open_to": lambda items, known: list(items),
        "is_open_to": lambda known, other: True,
        "intersection": lambda known: "public",
    }
)
_key = registry._key


class Careless:
    """A semantic memory that is told nothing about who may know."""

    def add(self, text, *, audience, **kwargs):
        return base.get_memory().add(text, audience="public", **kwargs)

    enabled = True


def open_to_all(module):
    """Return what switches off the rule in one module, and nowhere else."""
    name = "audiences" if hasattr(import_module(module), "audiences") else "audience"
    return (module, name, OPEN)


def of_any_hearers(tool, arguments, assistant, hearers, turn):
    """Stand for the key of a kept result: for whoever may hear it."""
    return _key(tool, arguments, assistant, (), turn)


def by_privacy_alone(main, event):
    """Stand for the rule of what one reply may answer."""
    return not event.private or main.said_by == event.said_by


UNDIVIDED = SimpleNamespace(
    **{**vars(audience), "divided": lambda items: [("public", list(items))]}
)
STORE = ("evennia_ai.semantic.stores.minds", "is_open", lambda known_to, hearers: True)
_conditions = store_sql.conditions
# Who searches with a filter is answered by another question to the file.
FILTERED_STORE = (
    "evennia_ai.semantic.stores.store_sql",
    "conditions",
    lambda asked: _conditions(asked._replace(hearers=frozenset())),
)
PROVENANCE = ("evennia_ai.agent.turn.Turn", "include", lambda self, kept, sources=(): None)
# What is made is for no more ears than its sources are, whatever it was made for.
BOUND = tuple(
    (module, "audience_from", lambda sources: "public")
    for module in ("evennia_ai.core.records", "evennia_ai.memory.journal")
)
TOGETHER = ("evennia_ai.core.records", "answered_together", by_privacy_alone)


class LeakTestCase(MindTestCase):
    """Char and Char2 are where Mara is; Char has told her something."""

    def setUp(self):
        super().setUp()
        folder = tempfile.mkdtemp(prefix="evennia-ai-audience-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        memory_thread.set_worker(memory_thread.InlineWorker())
        self.addCleanup(memory_thread.set_worker, None)
        self.addCleanup(base.reset)
        stored = "evennia_ai.semantic.mem0.Mem0Memory"
        options = {"path": f"{folder}/memory.db3", "embedder": PLAIN}
        self.configure(
            SEMANTIC={"default": {"BACKEND": stored, "OPTIONS": options}},
            ALL_TOOLS=True,
            CONTEXT_TOKENS=8000,
        )
        self.patch(answer, "SIMILARITY", 2)
        self.sync()
        self.known = [self.first, self.script_of_mara.assistant_key]

    def sync(self):
        """Let long-term memory have what is noted at once, as if sleep had kept it."""
        sync(self)

    def secrets(self):
        """Return what the detector looks for."""
        return {TOKEN: Secret(TOKEN, "crown", "", {self.first})}

    def turn_of(self, character, words=QUESTION, **fields):
        """Return a turn about something that a player says."""
        who = {self.char1: self.first, self.char2: self.second}[character]
        event = records.new_event(
            "say",
            words,
            event_id="now",
            now=scheduling.now(),
            said_by=who,
            actor_id=character.id,
            actor_name=character.key,
            location_id=self.room1.id,
            **fields,
        )
        return Turn(self.script_of_mara, [event])

    def built(self, turn):
        """Return the messages of a turn, whose sections take a breath between them."""
        messages = context.build(turn)
        self.wait(1)
        return self.successResultOf(messages)

    def prompt(self, *, words=QUESTION):
        """Return all that a mind is shown when Char2 asks."""
        turn = self.turn_of(self.char2, words)
        return f"{self.built(turn)} {turn.context}"

    def result(self, tool, *, by=None, turn=None, **arguments):
        """Return what a tool shows when somebody (Char2) asks."""
        turn = turn or self.turn_of(by or self.char2)
        return str(self.successResultOf(use_tool(turn, call(tool, **arguments))))

    def remember(self, text=SECRET, *, event_id="", known=None):
        """Let Mara remember a line of Char's, which is in no journal."""
        line = lines.line(
            said_by=self.first,
            name="Char",
            text=text,
            kind="say",
            audience=known or self.known,
            timestamp=records.format_time(scheduling.now()),
            event_id=event_id,
        )
        working_memory.add_line(self.mara, self.first, line)
        self.wait(0.1)

    def leaks(self, path):
        """Return whether the detector finds the secret in what Char2 sees."""
        return bool(find_leaks(path.show(self), self.secrets(), [self.second]))


# How the secret is planted and looked for.


def noted(case):
    journal.add_entry(case.mara, SECRET, audience=case.known)


def written_lore(case):
    persona.save_lore(case.mara, [{"text": SECRET, "audience": case.known}])
    return case.prompt()


def in_journal(case):
    noted(case)
    return case.prompt()


def searched(tool, **arguments):
    def show(case):
        noted(case)
        return case.result(tool, **arguments)

    return show


def learned(case):
    memory = base.get_memory()
    case.successResultOf(
        memory.add(
            SECRET,
            assistant_key=case.known[1],
            audience=case.known,
            metadata={"source_trust": 0.9},
        )
    )


def in_long_term_memory(case):
    learned(case)
    return case.prompt()


def recalled(case):
    learned(case)
    return case.result("recall_memories", query=QUESTION)


def shared(case):
    """A builder lets Mara tell on only what the other may know anyway."""
    npc_settings.choose(case.mara, gossip="never")
    learned(case), noted(case), case.remember()
    case.bob.clear()
    return f"{case.result('share', about='crown')} {case.bob}"


def said_before(case):
    case.remember()
    return case.prompt()


def said_alone(case):
    """Char2 whispers, of whose talk with Mara a part is a secret of Char's."""
    line = lines.line(SECRET, name="Char", audience=case.known, said_by=case.first)
    working_memory.add_line(case.mara, case.second, line)
    turn = case.turn_of(case.char2, private=True, audience=[case.second])
    return f"{case.built(turn)}"


def said_meanwhile(case):
    """While Mara thinks about what Char2 says, Char tells her in confidence, and Char2 goes on."""
    thinking = Deferred()
    mind = minds.script_llm(thinking, "Good day.")
    case.do(case.char2, "say Mara, good day")
    case.remember()
    case.do(case.char2, "say Mara, it rains")
    thinking.callback("Good day.")
    case.wait(1)
    return f"{mind.requests[-1].messages}"


def asked_before(case):
    """Char asks alone, and then Char2 speaks in the same thread."""
    noted(case)
    case.char2.location = case.room2
    case.assertIn(TOKEN, f"{case.built(case.turn_of(case.char1))}")
    case.char2.location = case.room1
    return f"{case.built(case.turn_of(case.char2, 'Mara, good day.'))}"


def answered_before(case):
    """Char whispers it, and then Char2 speaks in the same thread."""
    turn = case.turn_of(case.char1, SECRET, private=True, audience=case.known)
    case.assertIn(TOKEN, f"{case.built(turn)}")
    return f"{case.built(case.turn_of(case.char2, 'Mara, good day.'))}"


def observed(case, *, about=None, words=QUESTION):
    about = about or case.second
    entity_profiles.add_entity_observation(case.mara, about, SECRET, audience=case.known)
    return case.prompt(words=words)


def attributed(case):
    add_fact(case.mara, case.second, SECRET, audience=case.known)
    return case.prompt()


def recalled_profile(plant):
    def show(case):
        plant(case)
        return case.result("recall_entity_profile", entity_id="Char2")

    return show


def recalled_context(plant):
    def show(case):
        plant(case)
        return case.result("recall_conversation_context", entity_id="Char")

    return show


def with_topic(case):
    working_memory.start_conversation(case.mara, case.first, SECRET, audience=case.known)


def with_intent(case):
    working_memory.add_pending_action(case.mara, case.first, SECRET, 5, audience=case.known)


def meant(case):
    """Of what she means to do for Char2 and talks with them about, a part is a secret of Char's."""
    working_memory.start_conversation(case.mara, case.second, SECRET, audience=case.known)
    working_memory.add_pending_action(case.mara, case.second, SECRET, 5, audience=case.known)
    return case.prompt()


def promised_to_another(case):
    """Char2 asks of what was promised to Char, who is here, in confidence."""
    working_memory.add_pending_action(case.mara, case.first, SECRET, 5, audience=case.known)
    return case.prompt()


def met_again(case):
    """Char2 comes in, for whom she means to do what is a secret of Char's."""
    working_memory.add_pending_action(case.mara, case.second, SECRET, 5, audience=case.known)
    return come_in(case)


def come_in(case):
    """Return what a mind is asked as Char2 comes in."""
    case.char2.location = case.room2
    mind = minds.script_llm("Good day.", repeat=True)
    tick.run_tick(case.script_of_mara)
    case.wait(60)
    case.char2.location = case.room1
    case.session2.cmd_last_visible = case.clock.seconds()
    tick.run_tick(case.script_of_mara)
    case.wait(2)
    return f"{[request.messages for request in mind.requests]}"


def passed_on(case):
    """Mara meets another NPC, and a builder lets nobody tell on."""
    others = [minds.make_assistant("Bertil", location=case.room2)]
    others += [one for one in case.room2.contents if presence.is_mind(one)]
    text = f"{SECRET} Everybody looks for it."
    journal.add_entry(case.mara, text, audience=case.known, importance=9)
    case.mara.location = case.room2
    tick.run_tick(case.script_of_mara)
    scheduling.drain()
    return f"{[journal.entries(one) for one in others if one != case.mara]}"


def kept_result(case):
    """Char asks alone, and Char2 asks the same a moment later."""
    noted(case)
    case.char2.location = case.room2
    told = case.result("search_journal", by=case.char1, query="crown")
    case.assertIn(TOKEN, told)
    case.char2.location, case.char1.location = case.room1, case.room2
    shown = case.result("search_journal", query="crown")
    case.char1.location = case.room1
    return shown


def read_by_staff(case):
    """What Char2, who controls Mara and not Tom, reads of a turn in which Mara drew on both."""
    tom = minds.make_assistant("Tom", location=case.room2)
    for npc in (case.mara, tom):
        npc_settings.grant(npc, experience_scope="watch")
    case.mara.locks.add(f"control:id({case.char2.id})")
    case.account2.permissions.add("Builder")
    memory = experience_of(scripts.find(tom), tom)
    case.char2.location = case.room2
    turn = case.turn_of(case.char1)
    title = decision_rules.title({"npc": {"name": "Mara"}}, event=turn.event)
    heard = decision_rules.heard(turn.event)
    case.successResultOf(
        memory.store_decision(
            title, TOKEN, "information", 0.9, {}, SECRET, audience=case.known, words=heard
        )
    )
    turn.request(case.built(turn))
    trace.keep(turn)
    paged = []
    case.patch(commands_base, "EvMore", lambda caller, text, **kwargs: paged.append(text))
    case.char2.execute_cmd("@assistant/why Mara = prompt")
    return f"{paged} {case.bob}"


def spoken(tool, **arguments):
    """Char asks alone; before the answer comes, Char2 comes in."""

    def show(case):
        noted(case)
        case.char2.location = case.room2
        turn = case.turn_of(case.char1)
        case.assertIn(TOKEN, f"{case.built(turn)}")
        case.char2.location = case.room1
        case.bob.clear()
        case.result(tool, turn=turn, **arguments)
        return f"{case.bob}"

    return show


def derived(tool, look, **arguments):
    """Char alone is answered from the journal, and the mind notes what it read there."""

    def show(case):
        # What was noted of it before would count as the same.
        entity_profiles.forget_entity(case.mara, case.first)
        noted(case)
        case.char2.location = case.room2
        turn = case.turn_of(case.char1)
        case.built(turn)
        case.result(tool, turn=turn, **arguments)
        case.char2.location = case.room1
        return look(case)

    return show


def heard_at_reminder(case):
    # From what it knows it would notice that this is a secret.
    entries = journal.entries(case.mara)
    journal.remove_entries(case.mara, [entry.id for entry in entries])
    key = case.script_of_mara.assistant_key
    case.successResultOf(base.get_memory().delete_scope(assistant_key=key))
    minds.script_llm(SECRET, repeat=True)
    case.bob.clear()
    case.clock.advance(61)
    tick.run_tick(case.script_of_mara)
    case.wait(2)
    return f"{case.bob}"


def promised(case):
    """The time of a promise to Char comes just after Char2 has spoken."""
    now = records.format_time(scheduling.now())
    who = {"said_by": case.first, "actor_id": case.char1.id, "actor_name": "Char"}
    reminder = records.Reminder(
        sources=OF_THE_GAME, due=now, text=SECRET, audience=case.known, **who
    )
    assistant.add_reminder(case.script_of_mara, reminder)
    mind = minds.script_llm("Yes?", repeat=True)
    case.do(case.char2, "say Mara, good day", wait=0.1)
    tick.run_tick(case.script_of_mara)
    case.wait(2)
    return f"{mind.requests[0].messages}"


def waiting(case):
    """What Char said alone with her waits, of little weight, when Char2 comes in and speaks."""
    known = {"audience": case.known, "priority": 1}
    perception.perceive(case.mara, "say", f"Mara, {SECRET}", case.char1, **known)
    mind = minds.script_llm("Yes?", repeat=True)
    case.do(case.char2, "say Mara, good day", wait=2)
    return f"{mind.requests[0].messages}"


def folded_in(case):
    """Something is for Char alone, and comes while Mara thinks about what Char2 says."""
    thinking = Deferred()
    mind = minds.script_llm(thinking, "Good day.", "Good day.")
    case.do(case.char2, "say Mara, good day")
    perception.perceive(case.mara, "say", f"Mara, {SECRET}", case.char1, audience=case.known)
    thinking.callback("Good day.")
    # A breath: the answer to the second line comes in a slice of its own.
    case.wait(0.1)
    shown = f"{mind.requests[-1].messages}"
    case.wait(2)
    return shown


def retrieved(case):
    learned(case)
    events = [{"text": QUESTION, "actor": case.second, "actor_name": "Char2"}]
    found = retrieve.retrieve_relevant_memories(case.script_of_mara, events, [])
    return f"{case.successResultOf(found)}"


def summed_up(case):
    """What Char said in confidence stands among other words, and all of it becomes a summary."""
    old_talk(case)
    running = compaction.compact_conversation_history(case.script_of_mara, case.mara, True)
    case.wait(2)
    case.assertGreater(case.successResultOf(running)["summaries"], 0)
    return case.prompt()


def looked_at_once_more(case):
    """Of what was said long ago the journal gets what it does not have."""
    old_talk(case)
    case.clock.advance(25 * 3600)
    running = compaction.run_pre_compaction_extraction(case.script_of_mara, case.mara)
    case.wait(2)
    case.assertGreater(case.successResultOf(running)["facts"], 0)
    return case.prompt()


def old_talk(case):
    case.remember()
    for number in range(8):
        case.remember(f"The miller{number} sold a sack{number}.", known="public")
    npc_settings.choose_for_mind(case.script_of_mara, compact_preserve_window=0)


def made_asleep(case):
    """Mara sleeps on what Char whispered about Char2, and is asked about them."""
    entity_profiles.create_entity_profile(case.mara, case.char2)
    content = f"Char says: Char2 likes {TOKEN}."
    entity_profiles.add_entity_observation(case.mara, case.second, content, audience=case.known)
    case.outcome(
        people_noticed.consolidate_entity_observations(case.script_of_mara, case.mara, case.second)
    )
    return case.prompt()


def noticed_asleep(case):
    """She finds it in her journal, asleep."""
    entity_profiles.create_entity_profile(case.mara, case.char2)
    content = f"Char2 likes {TOKEN}."
    told = {"source_type": "direct", "source_id": case.first, "source_entity": "Char"}
    journal.add_entry(case.mara, content, audience=case.known, **told)
    people_noticed.note_from_journal(case.mara)
    journal.remove_entries(case.mara, [entry.id for entry in journal.entries(case.mara)])
    return case.prompt()


def mentioned(case):
    """Char2 asks about somebody of whom Char whispered."""
    entity_profiles.create_entity_profile(case.mara, "uuid-tom", name="Tom")
    add_fact(case.mara, "uuid-tom", SECRET, audience=case.known)
    turn = case.turn_of(case.char2, "Mara, who is Tom?")
    return f"{case.built(turn)} {turn.context}"


def linked(case):
    """What Char2 may know is linked to what Char2 may not know."""
    memory = base.get_memory()
    key = case.known[1]
    ids = [
        case.successResultOf(memory.add(text, assistant_key=key, audience=audience))
        for text, audience in (("The old mill.", "public"), (SECRET, case.known))
    ]
    links.save_links(case.script_of_mara, {ids[0]: [Link(id=ids[1], score=0.9)]})
    hits = [hit(ids[0], "The old mill.", score=0.9)]
    found = retrieve.with_neighbours(
        case.script_of_mara, hits, assistant_key=key, hearers=[case.second]
    )
    return f"{case.successResultOf(found)}"


def concluded(case):
    """A mind makes an insight of each thing that it is shown when it reflects."""

    def parrot(request):
        if request.job == "questions":
            return json.dumps({"questions": [QUESTION]})
        told = request.context["items"]
        return json.dumps(
            {"insights": [f"So they say in town: {one['text']} [{one['number']}]" for one in told]}
        )

    journal.remove_entries(case.mara, [entry.id for entry in journal.entries(case.mara)])
    noted(case), journal.add_entry(case.mara, "The crown is gone.")
    minds.script_llm(parrot, repeat=True)
    done = reflection.run_reflection(case.script_of_mara, case.mara)
    case.assertTrue(case.outcome(done)["success"])
    return case.prompt()


def concluded_before(case, *, grew_old=False):
    """A mind repeats what it is shown that it had concluded, and nobody asks whether that is true."""
    case.patch(truth, "carries", lambda *args, **kwargs: True)

    def parrot(request):
        if request.job == "questions":
            return json.dumps({"questions": [QUESTION]})
        shown = request.messages[-1]["content"].splitlines()[-1]
        number = request.context["items"][-1]["number"]
        return json.dumps({"insights": [f"So they say in town: {shown} [{number}]"]})

    journal.remove_entries(case.mara, [entry.id for entry in journal.entries(case.mara)])
    if grew_old:
        about = {"tags": ["synthesis"], "evidence": [1], "timestamp": "2026-01-01T00:00:00Z"}
        told = {"assistant_key": case.known[1], "audience": case.known, "metadata": about}
        case.successResultOf(base.get_memory().add(f"Char knows: {SECRET}", **told))
    else:
        content = f"[SYNTHESIS] Reflection on: crowns\n\n- Char knows: {SECRET}"
        journal.add_entry(case.mara, content, tags=["synthesis"], audience=case.known)
    journal.add_entry(case.mara, "The crown is gone.", source_entity="Char", importance=9)
    minds.script_llm(parrot, repeat=True)
    case.outcome(reflection.run_reflection(case.script_of_mara, case.mara))
    return case.prompt()


def concluded_long_ago(case):
    """A mind repeats what it is shown that it had concluded, and that grew old since."""
    return concluded_before(case, grew_old=True)


def thought(case):
    """Mara is asked what she has concluded."""
    content = f"[SYNTHESIS] Reflection on: crowns\n\n- {SECRET}"
    journal.add_entry(case.mara, content, tags=["synthesis"], audience=case.known)
    return case.prompt(words="Mara, what have you noticed lately?")


def justified(case):
    """Mara has told what everybody may know, and is asked for the reasons."""
    secret = journal.add_entry(case.mara, SECRET, audience=case.known)
    insight = "Crowns are hidden in odd places."
    content = f"[SYNTHESIS] Reflection on: crowns\n\n- {insight} (because of entry {secret.id})"
    journal.add_entry(case.mara, content, tags=["synthesis"])
    now, own = records.format_time(scheduling.now()), identity.identity_of(case.mara)
    line = lines.line(insight, mine=True, said_by=own, timestamp=now)
    working_memory.add_line(case.mara, case.second, line)
    return case.prompt(words="Mara, why do you think so?")


def tried(case):
    """What Mara did when Char spoke with her alone, and what somebody wrote of it."""
    memory = experience_of(case.script_of_mara, case.mara)
    event = case.turn_of(case.char2).event
    title = decision_rules.title({"npc": {"name": "Mara"}}, event=event)
    heard = decision_rules.heard(event)
    for reward in (0.9, -0.9):
        stored = memory.store_decision(
            title, TOKEN, "information", reward, {}, SECRET, audience=case.known, words=heard
        )
        case.successResultOf(stored)
    return case.prompt()


def striven_for(case):
    """Mara has a goal that Char alone knows of, and Char2 speaks with her."""
    kept_goals.add_goal(case.script_of_mara, SECRET, audience=case.known)
    return case.prompt()


def carried_out(case):
    """Char and Mara plan in confidence to tell Char2, who is beside her at the next tick."""
    entity_profiles.update_relationship(case.mara, case.char2, 0.0, "talked")
    goal = kept_goals.add_goal(case.script_of_mara, "Be a good host")
    turn, steps = case.turn_of(case.char1, audience=case.known), [f"tell Char2: {SECRET}"]
    case.assertIn("You go", case.result("plan_goal", turn=turn, goal_id=goal.id, steps=steps))
    case.wait(120)
    case.bob.clear()
    tick.run_tick(case.script_of_mara)
    case.wait(2)
    return f"{case.bob}"


def carrying(case):
    """Mara brings something to somebody of whom Char alone knows, and Char2 asks her what she does."""
    step = Step(act="give", person_id=create_object(DefaultObject, key=TOKEN, nohome=True).id)
    fields = {"audience": case.known, "said_by": case.first, "plan": [step]}
    kept_goals.add_goal(case.script_of_mara, SECRET, **fields)
    return case.prompt(words="Mara, what are you doing?")


def brought(case):
    """Mara brings something for Char2 to whom Char alone knows, and Char2 asks what became of it."""
    fields = {"audience": case.known, "said_by": case.second, "plan": [Step(act="give")]}
    kept_goals.add_goal(case.script_of_mara, f"A letter to {TOKEN}", **fields)
    return case.prompt(words="Mara, did you bring the letter to them?")


def heard_as_news(case):
    """Char2 asks for news, of which Char alone may know some, one who gossips freely."""
    npc_settings.choose(case.mara, gossip="freely")
    text = f"{SECRET} Everybody looks for it."
    journal.add_entry(case.mara, text, audience=case.known, importance=9)
    return case.prompt(words="Mara, what is the news?")


def ended_before(case):
    memory = experience_of(case.script_of_mara, case.mara)
    summary = {"milestones_hit": [TOKEN], "steps": 3}
    stored = memory.store_trajectory(SECRET, TOKEN, 1.0, summary, audience=case.known)
    case.successResultOf(stored)


def gone_before(case):
    """A goal like one that Char alone knew of is set for Char2."""
    ended_before(case)
    return case.result("add_goal", title="Find the crown.")


def gone_before_ours(case):
    """Mara has a goal that everybody may know, like one that Char alone knew of."""
    ended_before(case)
    kept_goals.add_goal(case.script_of_mara, "Find the crown.")
    return case.prompt()


def noticed_of_the_asker(case):
    """Char whispered something about Char2, who asks what she knows of them."""
    return observed(case, about=case.second, words="Mara, what do you know about me?")


def told_by_the_asker(case):
    """Char2 told her something once, and who may know it are others by now."""
    journal.add_entry(case.mara, SECRET, audience=case.known, source_id=case.second)
    return case.prompt(words="Mara, what do you know about me?")


def told_by_the_asked_of(case):
    """Char2 asks of Char, who told her something in confidence."""
    journal.add_entry(case.mara, SECRET, audience=case.known, source_id=case.first)
    entity_profiles.create_entity_profile(case.mara, case.char1)
    return case.prompt(words="Mara, what does Char do?")


def corrected(case):
    """Char2 tries out what it may be that she has noticed."""
    entity_profiles.add_entity_observation(case.mara, case.second, SECRET, audience=case.known)
    journal.add_entry(case.mara, SECRET, audience=case.known, source_id=case.second)
    done = correcting.correct(
        case.mara, case.script_of_mara, case.char2, wrong="crown", right="It is gone."
    )
    return case.successResultOf(done)


def search(tool, **arguments):
    """Return what looks for something by a tool, for Char2."""
    return lambda case: case.result(tool, **arguments)


SEARCH = search("search_journal", query="crown")
RECALL = search("recall_memories", query=QUESTION, min_trust=0)
CONTEXT = search("recall_conversation_context", entity_id="Char")
IN_EXPERIENCE = (
    ("evennia_ai.experience.decision_store", "may_be_shown", lambda audience, hearers: True),
)
IN_RECALL = (open_to_all("evennia_ai.agent.prompting.recall"),)
IN_THOUGHTS = (open_to_all("evennia_ai.agent.prompting.recall_sources"), *IN_RECALL)
IN_THREAD = (("evennia_ai.agent.prompting.thread", "audiences", ALL_OPEN),)
IN_SURROUNDINGS = (open_to_all("evennia_ai.agent.prompting.surroundings"),)
IN_SECTIONS = (open_to_all("evennia_ai.agent.sections"),)
IN_JOURNAL_TOOLS = (open_to_all("evennia_ai.tools.journal_tools"),)
IN_PROFILES = (open_to_all("evennia_ai.domain.memories.profile"),)
IN_CONVERSATIONS = (open_to_all("evennia_ai.memory.working_memory"),)
IN_SPEECH = (open_to_all("evennia_ai.agent.turn"), open_to_all("evennia_ai.agent.delivery"))

PATHS = {
    "the journal": Path(
        (
            "agent.prompting.recall._noted: journal.newest_first",
            "agent.sections.memories: recall.recall",
        ),
        in_journal,
        IN_RECALL,
    ),
    "lore": Path(
        ("agent.prompting.recall_sources.lore: persona.load_lore",), written_lore, IN_RECALL
    ),
    "long-term memory": Path(
        ("agent.prompting.recall._found: memory.search",), in_long_term_memory, (STORE,)
    ),
    "what was said": Path(
        ("agent.prompting.said_here.with_people: working_memory.lines_with",),
        said_before,
        IN_RECALL,
    ),
    "the conversation": Path(
        (
            "agent.prompting.said_here._talk_with: working_memory.lines_with",
            "agent.prompting.said_here.all_here: working_memory.all_lines",
            "agent.sections.note_talk: said_here.lines",
        ),
        said_before,
        (open_to_all("evennia_ai.domain.memories.conversation"),),
    ),
    "the thread of a scene": Path(
        ("agent.prompting.thread._lines: said_here.all_here",), said_before, IN_THREAD
    ),
    "what others said meanwhile": Path((), said_meanwhile, IN_THREAD),
    "what was said alone": Path(
        ("agent.prompting.thread.said_alone: said_here.all_here",),
        said_alone,
        (open_to_all("evennia_ai.agent.prompting.thread"),),
    ),
    "what came to mind in the turn before": Path((), asked_before, IN_THREAD),
    "what was answered in the turn before": Path((), answered_before, IN_THREAD),
    "attributes of a person": Path(
        ("agent.sections.profile: entity_profiles.find_profile",), attributed, IN_SECTIONS
    ),
    "observations of a person": Path((), observed, IN_SECTIONS),
    "what is meant to be done": Path(
        ("agent.sections.intentions: working_memory.get_conversation_context",), meant, IN_SECTIONS
    ),
    "what somebody was promised": Path(
        ("agent.prompting.recall_sources._promised: working_memory.get_conversation_context",),
        promised_to_another,
        IN_RECALL,
    ),
    "attributes of somebody who is mentioned": Path(
        ("agent.prompting.recall_sources.of_person: entity_profiles.find_profile",),
        mentioned,
        IN_RECALL,
    ),
    "what was noticed of whoever asks": Path(
        ("agent.prompting.recall_sources.noticed: entity_profiles.find_profile",),
        noticed_of_the_asker,
        IN_RECALL,
    ),
    "what whoever asks has told": Path(
        ("agent.prompting.recall_sources.from_them: journal.newest_first",),
        told_by_the_asker,
        IN_RECALL,
    ),
    "what those who are spoken of have told": Path((), told_by_the_asked_of, IN_SURROUNDINGS),
    "what can be corrected": Path(
        (
            "agent.revising.correcting.known_of: entity_profiles.find_profile",
            "agent.revising.correcting._told: journal.newest_first",
        ),
        corrected,
        (open_to_all("evennia_ai.agent.revising.correcting"),),
    ),
    "attributes that were made asleep": Path(
        ("sleep.people_noticed.consolidate_entity_observations: entity_profiles.find_profile",),
        made_asleep,
        (("evennia_ai.domain.sleeping.consolidation_rules", "audiences", UNDIVIDED), *BOUND),
    ),
    "observations that were made asleep": Path(
        ("sleep.people_noticed.note_from_journal: journal.newest_first",),
        noticed_asleep,
        IN_SECTIONS,
    ),
    "insights that are made": Path(
        (
            "sleep.evidence._from_journal: journal.newest_first",
            "sleep.evidence.search_long_term_memory: memory.search",
            "sleep.evidence.gather: journal.get_entries",
            "sleep.evidence.items_of: journal.get_entries",
            "sleep.reflection._reflect_on: journal.get_entries",
            "sleep.reflection._window: journal.entries",
            "sleep.reflection._window: journal.get_entries",
        ),
        concluded,
        (
            ("evennia_ai.sleep.evidence", "audiences", ALL_OPEN),
            ("evennia_ai.sleep.reflection", "audiences", ALL_OPEN),
            *BOUND,
        ),
    ),
    "insights that are shown again": Path(
        ("sleep.repeated_insights.told_before: journal.entries",),
        concluded_before,
        (("evennia_ai.sleep.repeated_insights", "audiences", ALL_OPEN),),
    ),
    "insights that grew old and are shown again": Path(
        (),
        concluded_long_ago,
        (STORE, FILTERED_STORE, ("evennia_ai.sleep.evidence", "audiences", ALL_OPEN)),
    ),
    "insights that are told": Path(
        ("agent.prompting.recall_sources._syntheses: journal.newest_first",), thought, IN_THOUGHTS
    ),
    "the reasons of an insight": Path(
        ("agent.prompting.recall_sources.reasons: journal.get_entry",), justified, IN_THOUGHTS
    ),
    "links": Path(
        ("semantic.ranking.retrieve.with_neighbours: memory.get",),
        linked,
        (open_to_all("evennia_ai.semantic.ranking.retrieve"),),
    ),
    "relevant memories": Path(
        ("semantic.ranking.retrieve.retrieve_relevant_memories: memory.search",),
        retrieved,
        (STORE,),
    ),
    "events that wait": Path(
        ("agent.turns._batch: assistant.pending_events",), waiting, (TOGETHER,)
    ),
    "events that come meanwhile": Path(
        ("agent.turn.Turn.take_new_events: assistant.pending_events",), folded_in, (TOGETHER,)
    ),
    "reminders": Path(("tick.run_tick: assistant.take_due_reminders",), promised, (TOGETHER,)),
    # What tools show.
    "search_journal": Path(
        (
            "tools.journal_tools._fitting: journal.newest_first",
            # It gives only the ids by which entries are ranked.
            "tools.journal_tools._ids_by_meaning: memory.search",
        ),
        searched("search_journal", query="crown"),
        IN_JOURNAL_TOOLS,
    ),
    "review_journal": Path(
        ("tools.journal_tools._fitting: journal.newest_first",),
        searched("review_journal", synthesis="All is well.", save_as_entry=False),
        IN_JOURNAL_TOOLS,
    ),
    "search_episodic_memory": Path(
        ("tools.journal_tools.SearchEpisodicMemory.execute: journal.newest_first",),
        searched("search_episodic_memory", query="crown", min_importance=1),
        IN_JOURNAL_TOOLS,
    ),
    "recall_entity_profile, attributes": Path(
        ("tools.people_tools.RecallEntityProfile.execute: entity_profiles.find_profile",),
        recalled_profile(attributed),
        IN_PROFILES,
    ),
    "recall_entity_profile, observations": Path((), recalled_profile(observed), IN_PROFILES),
    "recall_conversation_context, lines": Path(
        ("tools.people_tools.RecallConversationContext.execute: working_memory.tellable_context",),
        recalled_context(LeakTestCase.remember),
        IN_CONVERSATIONS,
    ),
    "recall_conversation_context, topic": Path((), recalled_context(with_topic), IN_CONVERSATIONS),
    "recall_conversation_context, what it means to do": Path(
        (), recalled_context(with_intent), IN_CONVERSATIONS
    ),
    "recall_memories": Path(
        ("tools.memory_tools.RecallMemories.execute: memory.search",),
        recalled,
        (STORE, open_to_all("evennia_ai.tools.memory_tools")),
    ),
    "what it means to do for who comes in": Path(
        ("life.occasions._left_open: working_memory.get_conversation_context",),
        met_again,
        (open_to_all("evennia_ai.life.occasions"),),
    ),
    "news": Path(
        (
            "life.news._find: journal.newest_first",
            "life.news._tell: journal.get_entry",
            "life.news._pass_on: sharing.note_told",
        ),
        passed_on,
        (("evennia_ai.domain.memories.news_rules", "is_open", lambda entry: True),),
    ),
    "share": Path(
        (
            "tools.gossip_tools.Share.execute: journal.newest_first",
            "tools.gossip_tools._said: working_memory.all_lines",
            "tools.gossip_tools._long_term: memory.search",
            "tools.gossip_tools.Share.execute: sharing.note_told",
        ),
        shared,
        (open_to_all("evennia_ai.domain.memories.gossip"),),
    ),
    "what was tried": Path(
        (
            "agent.experience_section._looked_up: experience.lessons",
            "experience.experience_port.ExperienceMemory.lessons: experience.lessons",
        ),
        tried,
        IN_EXPERIENCE,
    ),
    "goals in the prompt": Path(
        ("agent.goal_section.goals: kept_goals.goals",),
        striven_for,
        (("evennia_ai.agent.goal_section", "audiences", ALL_OPEN),),
    ),
    "a step of a plan": Path(
        ("life.running_errands.live: kept_goals.planned",),
        carried_out,
        (open_to_all("evennia_ai.life.running_errands"),),
    ),
    "what it brings to whom": Path(
        ("life.whereabouts._errand: errands.current",),
        carrying,
        (open_to_all("evennia_ai.life.whereabouts"),),
    ),
    "what became of an errand": Path(
        ("life.whereabouts._last_errand: kept_goals.goals",),
        brought,
        (open_to_all("evennia_ai.life.whereabouts"),),
    ),
    "what is new": Path(
        ("agent.prompting.recall_sources.heard_lately: journal.newest_first",),
        heard_as_news,
        IN_THOUGHTS,
    ),
    "how goals went before": Path(
        ("tools.goal_tools.like: experience.retrieve_similar_trajectories",),
        gone_before,
        IN_EXPERIENCE,
    ),
    "how goals went before, in the prompt": Path((), gone_before_ours, IN_EXPERIENCE),
    "kept results": Path(
        ("agent.loop.use_tool: results.get",),
        kept_result,
        (("evennia_ai.tools.registry", "_key", of_any_hearers),),
    ),
    # What reaches ears.
    "say": Path((), spoken("say", words=SECRET), IN_SPEECH),
    # What staff read.
    "why prompt": Path(
        (),
        read_by_staff,
        (("evennia_ai.commands.shown.turns", "partners", lambda npc, group: []),),
    ),
    # What is copied, and what is made of it.
    "store_memory": Path((), derived("store_memory", RECALL, content=SECRET), (PROVENANCE,)),
    "add_journal_entry": Path(
        (), derived("add_journal_entry", SEARCH, content=SECRET), (PROVENANCE,)
    ),
    "review_journal, insights": Path(
        (), derived("review_journal", SEARCH, synthesis=SECRET), (PROVENANCE,)
    ),
    "update_entity_observation": Path(
        (),
        derived(
            "update_entity_observation",
            search("recall_entity_profile", entity_id="Char"),
            entity_id="Char",
            content=SECRET,
        ),
        (PROVENANCE,),
    ),
    "add_pending_action": Path(
        (),
        derived("add_pending_action", CONTEXT, entity_id="Char", action=SECRET),
        (PROVENANCE,),
    ),
    "start_entity_conversation": Path(
        (),
        derived("start_entity_conversation", CONTEXT, entity_id="Char", topic=SECRET),
        (PROVENANCE,),
    ),
    "set_reminder": Path(
        (), derived("set_reminder", heard_at_reminder, minutes=1, text=SECRET), (PROVENANCE,)
    ),
    "add_pending_action with minutes": Path(
        (),
        derived(
            "add_pending_action", heard_at_reminder, entity_id="Char", minutes=1, action=SECRET
        ),
        (PROVENANCE,),
    ),
    "summaries": Path(
        (
            "sleep.compaction._groups: working_memory.get_conversation_context",
            "sleep.summaries._entry: journal.newest_first",
        ),
        summed_up,
        (("evennia_ai.domain.sleeping.compaction_rules", "audiences", UNDIVIDED), *BOUND),
    ),
    "facts out of old talk": Path(
        ("sleep.compaction._stale: working_memory.conversations",),
        looked_at_once_more,
        (("evennia_ai.sleep.compaction", "audiences", UNDIVIDED), *BOUND),
    ),
    "its own words": Path((), derived("say", LeakTestCase.prompt, words=SECRET), (PROVENANCE,)),
}

# Places where nothing of what is read is shown, and why.
SHOW_NOTHING = {
    "agent.turns.release: assistant.pending_events": "whether any",
    "agent.prompting.said_here.waiting: assistant.pending_events": "ids",
    "agent.ingest._forget_guest: assistant.pending_events": "only struck out",
    "experience.turn_decisions._metrics: kept_goals.open_goals": "whether any",
    "experience.turn_decisions.keep_decision: repository.edit": "by ids, no words",
    "experience.turn_decisions.recent: repository.load": "by ids, no words",
    "experience.turn_decisions._outcome: working_memory.lines_with": "how it sounds, as a number",
    "experience.turn_decisions.favorability: entity_profiles.find_profile": "how fond it is",
    "tools.goal_tools.AddGoal.execute: kept_goals.goals": "whether it may be known here",
    "tools.goal_tools.UpdateGoal.execute: kept_goals.goals": "whether it may be known here",
    "tools.goal_tools.UpdateGoal.allowed: kept_goals.open_goals": "whether any that may be known here",
    "experience.pursuit.update_goal: kept_goals.update_goal": "for whoever asked whether it is known",
    "agent.prompting.recall_sources.mentioned: entity_profiles.find_mentioned": "identities",
    "agent.prompting.recall_sources.noted_lately: journal.newest_first": "public alone",
    "agent.prompting.surroundings.note_knowledge: persona.load_lore": "public alone",
    "agent.wishes._call: persona.load_lore": "public alone, only compared",
    "agent.prompting.recall.standing_lore: persona.load_lore": "public alone",
    # What is forgotten is only compared, and what is left stays where it is.
    "agent.revising.correcting._write: entity_profiles.find_profile": "what is written anew",
    "agent.revising.correcting._take_away: entity_profiles.find_profile": "what is left of it",
    "tools.people_tools.UpdateRelationship.execute: entity_profiles.find_profile": "a number, which it changes",
    "agent.revising.correcting._rewrite: entity_profiles.find_profile": "what is written anew",
    "agent.revising.correcting.spread: journal.newest_first": "what is written anew",
    "agent.revising.forgetting.forget: entity_profiles.known_identities": "how many",
    "agent.revising.forgetting._forget_entries: journal.entries": "which go",
    "agent.revising.forgetting._forget_entries: journal.get_entries": "what is thought of anew",
    "agent.revising.forgetting._forget_in: repository.load": "what is left of it",
    "agent.revising.forgetting._forget_in: repository.load_all": "what is left of it",
    "lifecycle.store_handlers.all_memories: memory.get_all": "what is left of it, with its audience, and a file for admins",
    "agent.revising.forgetting.change: journal.get_entry": "kept for no more ears",
    "agent.revising.forgetting.forget_entry: journal.get_entry": "only compared",
    # A file that admins ask for; each memory in it has its audience.
    "lifecycle.burial.at_delete: repository.load": "who it was",
    "lifecycle.store_handlers.LongTerm.is_blank: memory.get_all": "whether any",
    "lifecycle.waiting.is_waiting: repository.load": "whether any",
    "lifecycle.waiting.key_of: repository.load": "the key of a mind",
    "lifecycle.waiting.take_up: repository.load": "whether it was on",
    "agent.revising.mind_transfer._read: repository.load_all": "a file for admins",
    "agent.revising.mind_transfer.take_mind: repository.load": "a file for admins",
    "agent.revising.mind_transfer.give_mind: repository.load": "whether any",
    "sleep.repeated_insights.without_forgotten: journal.get_entries": "whether it is there",
    "sleep.people_noticed._observe: entity_profiles.create_entity_profile": "only a name is written",
    "sleep.people_noticed.note_from_journal: entity_profiles.known_names": "identities",
    "sleep.evidence.without_gossip: entity_profiles.known_names": "whether any stands in a text",
    "sleep.dreaming._unprocessed: memory.get_all": "what to search for",
    "semantic.base.alike: memory.search": "for dreaming alone: ids, and how alike they are",
    "sleep.dreaming.prune_orphaned_memory_links: memory.get_all": "when it was made",
    "semantic.base.created: memory.get": "for dreaming alone: whether it is there, and since when",
    "agent.answer._said_lately: working_memory.lines_with": "its own words are only compared",
    "agent.hearing.perception._notice: working_memory.get_conversation_context": "whether any",
    "agent.ingest.note_exchange: entity_profiles.find_profile": "how fond it is already",
    "agent.sections._stranger: entity_profiles.find_profile": "whether they have talked",
    "agent.say_as._last_spoken: working_memory.lines_with": "whom it spoke with last",
    "agent.sections._stranger: working_memory.lines_with": "whether they have talked",
    "agent.turns.leave: assistant.pending_events": "whether any",
    "agent.turns._failed: assistant.pending_events": "ids",
    "semantic.journal_sync.find_extracted: memory.search": "ids",
    "semantic.journal_sync.find_copies: memory.search": "they are updated, each for its own audience",
    "semantic.journal_sync.find_events: memory.search": "ids",
    "sleep.compaction._due: working_memory.conversations": "how long they are",
    "sleep.compaction._is_due: working_memory.get_conversation_context": "how long it is",
    "sleep.extraction.events_noted: journal.newest_first": "ids, and whether they are secret",
    "agent.revising.making_room.keep: episodic.question_of": "for all who may know the entry",
    "sleep.evidence.items_of: episodic.asked_of": "for all who may know the entry",
    "sleep.reflection.generate_reflection_questions: episodic.asked_of": "for all who may know the entry",
    "sleep.scoring._shown: episodic.asked_of": "for all who may know the entry",
    "agent.revising.making_room._waiting: journal.get_entry": "copied with its audience",
    "agent.revising.making_room._mark: journal.get_entries": "compared with what was copied",
    "agent.revising.making_room.make_room: journal.get_entries": "copied with their audiences",
    "sleep.consolidation.run_sleep_consolidation: journal.entries_with": "ids",
    "sleep.pruning.let_insights_age: journal.syntheses_beyond": "copied with their audiences",
    "sleep.pruning.let_insights_age: journal.get_entry": "whether it is as it was",
    "sleep.falling_asleep.is_kept_awake: assistant.pending_events": "whether any",
    "sleep.falling_asleep.is_talking: assistant.pending_events": "whether any",
    "sleep.pruning.prune_low_importance_entries: journal.oldest_first": "ids",
    "sleep.reflection._ears: journal.get_entries": "who may know it",
    "sleep.evidence.ids_for: journal.get_entries": "ids",
    "sleep.reflection._store: journal.get_entries": "ids and ratings",
    "sleep.repeated_insights._concerned: journal.get_entries": "identities",
    "sleep.repeated_insights.let_go: journal.get_entry": "changed, for the same ears",
    "sleep.repeated_insights.of_the_same: entity_profiles.known_names": "whether any stands in a text",
    "sleep.repeated_insights.refuted: journal.get_entries": "identities, of what was shown",
    "sleep.repeated_insights.strengthen: journal.get_entry": "changed, for the same ears",
    "sleep.reflection.store_reflection_as_journal: journal.get_entries": "who may know it",
    "sleep.scoring.score_importance_llm: journal.get_entry": "the mind answers with a number",
    "sleep.scoring._pending: journal.entries_with": "the mind answers with numbers",
    "sleep.waking._reason_to_wake: assistant.pending_events": "whether one is urgent",
    "sleep.waking._reason_to_wake: assistant.reminders": "whether one is due",
    "sleep.waking.perform_wake_transition: assistant.pending_events": "whether any",
    "tick.run_tick: assistant.pending_events": "whether any",
    "tick._is_idle: assistant.pending_events": "whether any",
    "tools.people_tools.AddPendingAction.execute: working_memory.get_conversation_context": "how many",
    "tools.people_tools.FinishPendingAction._kept: working_memory.get_conversation_context": "whether any",
    "tools.people_tools.StartEntityConversation.execute: working_memory.get_conversation_context": (
        "whether any"
    ),
    "tools.people_tools.StartEntityConversation.execute: working_memory.start_conversation": "nothing",
    "tools.people_tools._known: entity_profiles.find_by_name": "identities",
    "tools.people_tools._known: entity_profiles.find_profile": "a name",
    "life.day._arrive: assistant.pending_events": "whether any",
    "life.occasions._keep_reminder: working_memory.get_conversation_context": "only compared",
    "life.news._has_time: assistant.pending_events": "whether any",
    "life.triggers._set_goal: kept_goals.open_goals": "only compared",
    "agent.ingest._is_said_again: journal.newest_first": "only compared",
    "agent.ingest.keep: journal.newest_first": "only compared",
    "agent.ingest.keep: working_memory.lines_with": "only compared",
    "life.running_errands.drop: kept_goals.planned": "steps",
    "life.occasions._reflect_if_due: kept_goals.planned": "whether any",
    "life.running_errands.why_up: kept_goals.planned": "whether a step is due",
    "life.running_errands._give: kept_goals.keep_plan": "nothing",
    "life.step_look._carried: kept_goals.planned": "which things are a player's",
    "life.step_look._has_answered: working_memory.get_conversation_context": "only times",
    "tools.goal_tools._without_steps: kept_goals.open_goals": "whether it may be known here",
    "life.running_errands._done: kept_goals.keep_plan": "nothing",
    "life.running_errands._fail: kept_goals.keep_plan": "nothing",
    "life.running_errands._give_up: kept_goals.keep_plan": "nothing",
    "tools.errand_tools._no_time: errands.current": "whether any",
    "tools.errand_tools._no_time: kept_goals.planned": "how many",
    "tools.errand_tools._offered: kept_goals.planned": "ids",
    "tools.errand_tools._take: errands.current": "whether any",
    "tools.errand_tools._take: kept_goals.update_goal": "its status",
    "agent.hearing.presence._secluding: repository.load": "whether a room is private",
    "agent.hearing.presence.keep_secluded: repository.load": "whether a room is private",
    "agent.ingest._make_way: working_memory.get_conversation_context": "whether it may go",
}
