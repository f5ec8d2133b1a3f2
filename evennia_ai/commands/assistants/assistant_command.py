"""The command with which builders make assistants, switch them and look at them."""

from __future__ import annotations

from typing import Any, Generator

from evennia.comms.models import ChannelDB
from evennia.utils.evmore import EvMore

from evennia_ai import conf
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.speech import escaped
from evennia_ai.commands import formatting
from evennia_ai.commands.assistants import switching
from evennia_ai.commands.assistants.assistant_detach import ALL, Detaching
from evennia_ai.commands.assistants.assistant_errands import ErrandsSwitch
from evennia_ai.commands.assistants.assistant_experience import ExperienceSwitch
from evennia_ai.commands.assistants.assistant_goal import GoalSwitch
from evennia_ai.commands.assistants.assistant_lore import LoreSwitch
from evennia_ai.commands.assistants.assistant_making import CreateSwitch
from evennia_ai.commands.assistants.assistant_model import ModelSwitch
from evennia_ai.commands.assistants.assistant_persona import PersonaSwitch
from evennia_ai.commands.assistants.assistant_prompt import PromptSwitch
from evennia_ai.commands.assistants.assistant_routine import RoutineSwitch
from evennia_ai.commands.assistants.assistant_say import SaySwitch
from evennia_ai.commands.assistants.assistant_set import SetSwitch
from evennia_ai.commands.assistants.assistant_status import channels_of, row_of, status_of
from evennia_ai.commands.assistants.assistant_test import TestSwitch
from evennia_ai.commands.base import all_minds, quoted, switch
from evennia_ai.lifecycle import waiting
from evennia_ai.memory.state import active_assistants, channels
from evennia_ai.typeclasses import db_views, scripts

# Rows of the list; each costs some questions to the database, and nobody reads more.
LIST_LENGTH = 100


class CmdAssistant(
    CreateSwitch,
    PersonaSwitch,
    LoreSwitch,
    SetSwitch,
    SaySwitch,
    GoalSwitch,
    ExperienceSwitch,
    ModelSwitch,
    RoutineSwitch,
    ErrandsSwitch,
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
      @assistant/experience <npc>
      @assistant/rate <npc>[/<number>] = <0-10> [better:… worse:… hours:…] [note]
      @assistant/routine <npc> [= go]
      @assistant/errands <npc>[/<number> = drop]
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
      experience - what it learned by doing: what it tries when, how that goes,
               and what it did last
      rate   - say how well it did what it did last, or before (1 is the last):
               from 0 to 10, then what became better and worse and how many
               hours it took, and a note, as in `= 7 better:peace worse:trade
               hours:2 They left.`
      routine - what it does by itself at which hour, and how far it is with
               that; `go` sends it on its way, whatever keeps it
      errands - what it carries for players by its persona, and how far it
               is; `drop` lets it give one up, and give back what it has
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
            if shadowed := db_views.shadowed(npc):
                self.msg(shadowed)

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
            self.msg(f"{self.name_of(npc)} follows: {formatting.channels(channels_of(npc))}.")
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
        if npc is not None:
            self.msg(switching.turn(self.caller, npc, self.name_of(npc), on=on))


def _split_manner(text: str) -> tuple[str, str]:
    """Return the name of a channel and how to follow it; the last word may say how."""
    name, _, last = text.rpartition(" ")
    if name and last.lower() in (*channels.MANNERS, "off"):
        return name.strip(), last.lower()
    return text, "named"
