"""The command with which builders make assistants, switch them and look at them."""

from __future__ import annotations

from typing import Any, Generator

from django.core.exceptions import ImproperlyConfigured
from evennia.comms.models import ChannelDB
from evennia.utils.evmore import EvMore

from evennia_ai import conf, markup, scheduling
from evennia_ai.agent import own_model, turns
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.revising import making_room
from evennia_ai.agent.speech import escaped
from evennia_ai.commands import formatting
from evennia_ai.commands.assistants.assistant_detach import ALL, Detaching
from evennia_ai.commands.assistants.assistant_goal import GoalSwitch
from evennia_ai.commands.assistants.assistant_lore import LoreSwitch
from evennia_ai.commands.assistants.assistant_making import CreateSwitch
from evennia_ai.commands.assistants.assistant_model import ModelSwitch
from evennia_ai.commands.assistants.assistant_persona import PersonaSwitch
from evennia_ai.commands.assistants.assistant_prompt import PromptSwitch
from evennia_ai.commands.assistants.assistant_routine import RoutineSwitch
from evennia_ai.commands.assistants.assistant_say import SaySwitch
from evennia_ai.commands.assistants.assistant_set import SetSwitch
from evennia_ai.commands.assistants.assistant_test import TestSwitch
from evennia_ai.commands.base import all_minds, quoted, switch
from evennia_ai.core import records
from evennia_ai.lifecycle import waiting
from evennia_ai.llm import base
from evennia_ai.llm.wrappers import breaker, budget
from evennia_ai.memory import identity, working_memory
from evennia_ai.memory.state import active_assistants, assistant, channels, sleep_state
from evennia_ai.sleep import modes
from evennia_ai.typeclasses import scripts

# Rows of the list; each costs some questions to the database, and nobody reads more.
LIST_LENGTH = 100
# What a budget that runs out means for what it says.
BUDGET_PROBLEMS = {
    "low": "is nearly spent",
    "cheaper": "is nearly spent: a cheaper mind answers",
    "spent": "is spent: it answers with lines of its own",
}


class CmdAssistant(
    CreateSwitch,
    PersonaSwitch,
    LoreSwitch,
    SetSwitch,
    SaySwitch,
    GoalSwitch,
    ModelSwitch,
    RoutineSwitch,
    PromptSwitch,
    TestSwitch,
    Detaching,
):
    """
    Give NPCs a mind, switch it on and off, and see how it does.

    Usage:
      @assistant                 - all assistants
      @assistant <npc>           - how one of them does
      @assistant/create [<name>[;alias…] [= <who it is>]]
      @assistant/persona <npc>[/<field>] [= <text>]
      @assistant/lore <npc>[/<number>] [= <fact>]
      @assistant/lore/audience <npc>/<number> = <all, nobody or names>
      @assistant/lore/if <npc>/<number> = <lock string>
      @assistant/set <npc>[/<setting>] [= <value>]
      @assistant/copy <npc> = <name>
      @assistant/goal <npc>[/<number>] [= <goal, or how it goes>]
      @assistant/routine <npc> [= go]
      @assistant/model <npc> [= <key>]
      @assistant/attach <npc>
      @assistant/detach <npc>
      @assistant/start <npc>
      @assistant/stop <npc>
      @assistant/status <npc>
      @assistant/why [<npc>] [= <which, from the last>]
      @assistant/why/prompt [<npc>] [= <which, from the last>]
      @assistant/test <file>
      @assistant/say <npc> = <words>
      @assistant/channel <npc> [= <channel> [listen/named/answer/off]]
      @assistant/list [<part of a name>]

    Switches:
      create - make a new character here, with a mind that is on; without a
               name you are asked for all that it should be
      persona - write who it is, in an editor or in one line: its `description`
               unless you name another field. In a list there is a semicolon
               between two lines
      lore   - what it knows from you, one fact each: see them, add one, or
               write one anew by its number. Nothing after the `=` takes it
               away
      lore/audience - who may know a fact: `all`, `nobody` (it never comes up),
               or names with commas between them
      lore/if - tell a fact to those alone who pass a lock, as `perm(Builder)`
      set    - see or choose what holds for this NPC alone: `talkative`
               (addressed, chatty, never), `gossip` (never, friends, freely),
               `allowed_commands`, `experience_scope`, `tick_rate`,
               `sleep_schedule`, `compact_enabled`, `compact_preserve_window`,
               `compact_model`, `compact_prompt`, `journal_size`, and
               `mind_key`: with a key the mind outlives its body, and waits for
               the next one that is spawned with that key. Nothing after the
               `=` takes a choice back. Of a room there is `private`: yes or no,
               whether what is said in it stays with those who hear it
      copy   - make another of this NPC here: with its persona, lore and
               manners, and no memory
      goal   - see or set what it strives for. How a goal goes is a number for
               percent, a step that was taken, `done` or `abandoned`; what is
               over becomes experience
      routine - what it does by itself at which hour, and how far it is with
               that; `go` sends it on its way, whatever keeps it
      model  - with which model it answers, of those that the admin allows
               (NPC_MODELS); `default` is that of the game
      attach - give a mind to an NPC of any kind, and switch it on; one of
               Evennia's contrib.rpg.llm keeps its prompt and its talk
      detach - take the mind away for good; what the body remembers stays. For
               `all`, from all NPCs that you control
      start  - let it perceive and answer
      stop   - let it perceive and answer nothing, until it is started again
      status - what it does, what waits for it, how it has done so far
      why    - why it said what it said in its last turn, or in one before:
               what it heard, who listened, what came to mind, what was left
               out and why, what it used and what that cost
      why/prompt - what the model was asked in that turn, word for word
      test   - play a dialogue against a double of an NPC, and see whether it
               says what it should; the NPC itself does not notice. The files
               are in world/dialogues
      say    - let it say your words, or do them if they begin with a colon
      channel - let it hear a channel of the game: `listen` only remembers what
               is said there, `named` (what it does unless you say otherwise)
               also answers to its name, `answer` answers everything, `off`
               hears it no more
      list   - all assistants

    You may change the NPCs that you control; admins may change all.

    Examples:
      @assistant/create Mara;innkeeper = A gruff innkeeper who has seen it all.
      @assistant/persona Mara/greeting_lines = Well met!; Come in, come in.
    """

    key = "@assistant"
    default_key = "@assistant"
    aliases = ("@ai",)
    locks = "cmd:perm(Builder)"
    help_category = "Building"

    @switch("")
    def show(self) -> None:
        """@assistant [<npc>]"""
        if self.args:
            self.show_status()
        else:
            self.show_list()

    @switch("attach", lock="perm(Builder)")
    def attach(self) -> None:
        """@assistant/attach <npc>"""
        npc = self.find_object(self.args)
        if npc is None:
            return
        name = self.name_of(npc)
        if scripts.find(npc):
            self.msg(f"{name} has a mind already; {self.key}/start switches it on.")
        elif npc.location is None:
            self.msg(f"{name} is nowhere; an assistant needs a place to be in.")
        elif presence.is_puppeted(npc):
            self.msg(f"{name} is being played by somebody, and has a mind of their own.")
        elif not waiting.may_call(self.caller, key := waiting.named_by(npc, seed=True)):
            self.msg(f"{waiting.REFUSED.format(name=name)} Nothing was done.")
        else:
            taken = [words for path in conf.get("CONVERTERS") if (words := conf.load(path)(npc))]
            scripts.attach(npc, mind_key=key)
            self.log_change("attached a mind to", npc)
            before = f" It has from before: {'; '.join(taken)}." if taken else ""
            self.msg(f"{name} has a mind now, and it is on.{before}")

    @switch("detach", lock="perm(Builder)")
    def detach(self) -> Generator[str, str, None]:
        """@assistant/detach <npc>"""
        return self.detach_all() if self.args.lower() == ALL else self.detach_one()

    @switch("start", lock="perm(Builder)")
    def start(self) -> None:
        """@assistant/start <npc>"""
        self._turn(on=True)

    @switch("stop", lock="perm(Builder)")
    def stop(self) -> None:
        """@assistant/stop <npc>"""
        self._turn(on=False)

    @switch("status", lock="perm(Builder)")
    def show_status(self) -> None:
        """@assistant/status <npc>"""
        npc = self.find_assistant(self.args)
        if npc is not None:
            self.msg(formatting.status(status_of(npc, self.caller)))

    @switch("channel", lock="perm(Builder)")
    def follow_channel(self) -> None:
        """@assistant/channel <npc> [= <channel> [listen/named/answer/off]]"""
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        if not self.rhs:
            self.msg(f"{self.name_of(npc)} follows: {formatting.channels(_channels_of(npc))}.")
            return
        name, manner = _split_manner(self.rhs)
        if manner == "off":
            self._unfollow(npc, name)
        else:
            self._follow(npc, name, manner)

    @switch("list", lock="perm(Builder)")
    def show_list(self) -> None:
        """@assistant/list [<part of a name>]"""
        wanted = self.args.casefold()
        minds = [mind for mind in all_minds() if wanted in mind.obj.key.casefold()]
        if wanted and not minds:
            self.msg(f"No assistant has {quoted(self.args)} in its name.")
            return
        text = formatting.overview(
            [row_of(mind, self.caller) for mind in minds[:LIST_LENGTH]],
            key=self.key,
            left=len(minds[LIST_LENGTH:]),
            halted=conf.get("COMMAND_KEYS")["aiadmin"] if active_assistants.is_halted() else "",
            screen=self.screen,
        )
        EvMore(self.caller, text, session=self.session)

    def _follow(self, npc: Any, name: str, manner: str) -> None:
        channel = self._find_channel(name)
        if channel is None:
            self.msg(f"There is no channel {quoted(name)} that you may listen to.")
            return
        try:
            scripts.follow_channel(npc, channel, manner=manner)
        except ValueError as error:
            self.msg(str(error))
            return
        self.log_change(f"let the channel {channel.key!r} be followed ({manner}) by", npc)
        self.msg(f"{self.name_of(npc)} {formatting.MANNERS[manner]} on {channel.key} now.")

    def _unfollow(self, npc: Any, name: str) -> None:
        channel = self._find_channel(name)
        # What is gone from the game can still stand on the assistant's list.
        if not (channel and scripts.unfollow_channel(npc, channel)) and (
            not scripts.unfollow_channel(npc, name)
        ):
            self.msg(f"{self.name_of(npc)} does not follow {quoted(name)}.")
            return
        self.log_change(f"let the channel {name!r} be left by", npc)
        self.msg(f"{self.name_of(npc)} does not hear {escaped(name)} any more.")

    def _find_channel(self, name: str) -> Any:
        """Return the channel of that name or alias, if the caller may listen to it."""
        found = ChannelDB.objects.search_channel(name) if name else ()
        return next((one for one in found if one.access(self.caller, "listen")), None)

    def _turn(self, *, on: bool) -> None:
        npc = self.find_assistant(self.args)
        if npc is None:
            return
        mind, word = scripts.find(npc), "on" if on else "off"
        if assistant.is_enabled(mind) == on:
            self.msg(f"The mind of {self.name_of(npc)} is {word} already.")
            return
        if on:
            mind.enable()
        else:
            mind.disable()
        self.log_change(f"switched {word} the mind of", npc)
        self.msg(f"The mind of {self.name_of(npc)} is {word} now.")


def describe_mind(npc: Any = None) -> str:
    """Return which mind thinks, as words: the offline mind, a model, or what stands in for one."""
    # What it answers with; other jobs may have other models.
    alias = "reply" if "reply" in conf.get("LLM") else "default"
    alias = alias if npc is None else own_model.alias_of(npc)
    try:
        backend = base.get_alias(alias)
    except (ImproperlyConfigured, TypeError) as error:
        return f"none: {error}"
    if not backend.is_model:
        return "offline: answers from memory, does not converse freely"
    state = breaker.states().get(alias, {"state": "closed"})
    if state["state"] == "closed":
        return f"model {backend.name}"
    return f"degraded: model {backend.name} fails, the offline mind answers"


def status_of(npc: Any, looker: Any) -> dict[str, Any]:
    """Return what there is to know of an assistant, as `formatting.status` wants it."""
    mind = scripts.find(npc)
    waiting = assistant.pending_events(mind)
    ages = [records.age_seconds(event.timestamp, now=scheduling.now()) for event in waiting]
    accounts = [session.account for session in npc.sessions.all() if session.account]
    return {
        **row_of(mind, looker),
        "mode": formatting.mode(night_of(mind)),
        "halted": active_assistants.is_halted(),
        "played_by": ", ".join(account.key for account in accounts),
        "mind": describe_mind(npc),
        "thinking": turns.is_running(mind.id),
        "oldest": max(ages, default=None),
        "tick": modes.tick_rate(mind),
        "counters": assistant.counters(mind),
        "talks_with": _partners(npc, looker),
        "channels": _channels_of(npc),
        "problems": _problems(npc, mind),
    }


def night_of(mind: Any) -> dict[str, Any]:
    """Return how a mind sleeps, or since when it is awake, as `formatting.mode` wants it."""
    now, wake_at, since = (
        scheduling.now(),
        sleep_state.wake_at(mind),
        sleep_state.last_transition(mind),
    )
    return {
        "mode": sleep_state.mode(mind),
        "depth": sleep_state.depth(mind),
        "phase": sleep_state.phase(mind),
        "degraded": sleep_state.is_degraded(mind),
        "since": since and (now - since).total_seconds(),
        "left": wake_at and max(0.0, (wake_at - now).total_seconds()),
        "reason": sleep_state.reason(mind),
        "turns": sleep_state.activity(mind),
    }


def row_of(mind: Any, looker: Any) -> dict[str, Any]:
    """Return the line of a mind in the list, as `formatting.overview` wants it."""
    npc = mind.obj
    return {
        "name": f"{npc.key}(#{npc.id})",
        "where": npc.location.get_display_name(looker) if npc.location else "",
        "on": assistant.is_enabled(mind),
        "mode": sleep_state.mode(mind),
        "waiting": len(assistant.pending_events(mind)),
        "turns": assistant.counters(mind).get("turns", 0),
    }


def _partners(npc: Any, looker: Any) -> list[tuple[str, int, float]]:
    """Return with whom of those who are here it has exchanged words: name, lines, seconds ago."""
    found = []
    for obj in presence.listeners(npc):
        lines = working_memory.lines_with(npc, identity.perceived(npc, obj))
        if lines:
            last = records.age_seconds(lines[-1].timestamp, now=scheduling.now())
            # Players choose how they are called, and staff read it here.
            shown = escaped(markup.plain(obj.get_display_name(looker)))
            found.append((shown, len(lines), last))
    return sorted(found, key=lambda partner: partner[2])


def _channels_of(npc: Any) -> list[tuple[str, str, bool]]:
    """Return which channels it follows: key, manner, whether there is such a channel."""
    followed = assistant.followed_channels(scripts.find(npc))
    there = {key: channels.find(key) for key in followed}
    return [
        (there[key].key if there[key] else key, manner, there[key] is not None)
        for key, manner in followed.items()
    ]


def _split_manner(text: str) -> tuple[str, str]:
    """Return the name of a channel and how to follow it; the last word may say how."""
    name, _, last = text.rpartition(" ")
    if name and last.lower() in (*channels.MANNERS, "off"):
        return name.strip(), last.lower()
    return text, "named"


def _problems(npc: Any, mind: Any) -> list[str]:
    found = []
    today, caller = scheduling.now().date(), base.Caller(npc.id, identity.identity_of(npc))
    for scope, cap in budget.caps_for(caller).items():
        rung = budget.rung_of(scope, cap, day=today)["rung"]
        if rung in BUDGET_PROBLEMS:
            whose = "The server's budget" if scope == "server" else "Its budget"
            found.append(f"{whose} of today {BUDGET_PROBLEMS[rung]}.")
    if lost := making_room.describe_lost(npc):
        found.append(lost)
    return found
