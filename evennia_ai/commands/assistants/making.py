"""The switches of `@assistant` that give minds and take them: `create`, `attach`, `detach`."""

from __future__ import annotations

from typing import Any, Generator

from evennia.utils import ansi
from evennia.utils.create import create_object

from evennia_ai import conf
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.speech import escaped
from evennia_ai.commands import base
from evennia_ai.lifecycle import waiting
from evennia_ai.memory import lookup, persona
from evennia_ai.memory.state import npc_settings
from evennia_ai.typeclasses import db_views, scripts

# What makes an assistant of an NPC of the contrib `rpg.llm`; it says what it took over, "" for any other.
CONVERTER = "evennia_ai.contrib.llm_npc.convert"
# Characters of a new name; Evennia's column takes 255.
NAME_LENGTH = 80
# Others of the same name that are listed.
NAMESAKES = 5

SDESC = "How do those see it who do not know its name? A short description: |wa gruff innkeeper|n"
LEAVE = "Type |wq|n to leave."
QUIT = ("q", "quit", "exit")
NO_COMMAND = f"That looks like a command, and no answer. {LEAVE}"
NAME = "What is it called? Other names may follow, each after a semicolon: |wMara;innkeeper|n"
DESCRIPTION = "Who is it? One or two sentences: |wA gruff innkeeper who has seen it all.|n"
BACKGROUND = "Where does it come from, and what does it want? Press return to leave that open."
NO_NAME = f"A name has 1 to {NAME_LENGTH} characters."
NOWHERE = "You are nowhere; an assistant needs a place to be in."
# How much an assistant talks, as `talkative` has it, and what that means.
TALKATIVE = {
    "addressed": "when somebody speaks to it",
    "chatty": "also when nobody spoke to it: it greets, and takes up what is said",
    "never": "never; it only hears and remembers",
}


ALL = "all"


# Answers to the last question, and what they do.
CONFIRM = {"yes": "make it here", "again": "begin again", "no": "make nothing"}


class _Left(Exception):
    """Somebody leaves the questions."""


class MakingSwitches(base.AssistantCommand):
    """How `@assistant` gives minds and takes them."""

    @base.switch("create", lock="perm(Builder)")
    def create(self) -> Generator[str, str, None]:
        """@assistant/create [<name>[;alias…] [= <who it is>]]

        Make a new character here, with a mind that is on; without a name you are asked, step by
        step, for all that it should be (`q` leaves).
        """
        if self.args and not is_name(self.lhs):
            self.say_usage()
            return
        if self.caller.location is None:
            self.msg(NOWHERE)
            return
        try:
            draft = (yield from self._describe()) if self.args else (yield from self._ask_all())
        except _Left:
            self.msg("Nothing was made.")
            return
        if self.caller.location is None:
            self.msg(NOWHERE)
            return
        npc = make(self.caller, **draft)
        self.msg(f"You create {self.name_of(npc)}, whose mind is on.{_namesakes(npc)}")

    def _describe(self) -> Generator[str, str, dict[str, Any]]:
        """Return what was typed in one line."""
        sdesc = (yield f"{SDESC} ").strip() if has_sdesc() else ""
        written = {"description": self.rhs} if self.rhs else {}
        return {"names": self.lhs, "written": written, "sdesc": sdesc}

    def _ask_all(self) -> Generator[str, str, dict[str, Any]]:
        """Ask, step by step, for all that it should be."""
        while True:
            question = f"{NAME}\n{LEAVE}"
            names = yield from self._ask(question)
            while not is_name(names):
                names = yield from self._ask(f"{NO_NAME}\n{question}")
            sdesc = (yield from self._ask(f"{SDESC}\n{LEAVE}")) if has_sdesc() else ""
            texts = {
                "description": (yield from self._ask(f"{DESCRIPTION}\n{LEAVE}")),
                "background": (yield from self._ask(f"{BACKGROUND}\n{LEAVE}")),
            }
            written = {field: text for field, text in texts.items() if text}
            how = yield from self._choose_one(
                f"When does it speak? {LEAVE}", TALKATIVE, numbered=True
            )
            lines = [f"|c{escaped(names)}|n"]
            lines += [f"seen as: {escaped(sdesc)}"] if sdesc else []
            lines += [f"|w{field}|n: {escaped(text)}" for field, text in written.items()]
            lines += [f"It speaks {TALKATIVE[how]}.", "", f"Make it? {LEAVE}"]
            answer = yield from self._choose_one("\n".join(lines), CONFIRM)
            if answer == "no":
                raise _Left
            if answer == "yes":
                return {"names": names, "written": written, "talkative": how, "sdesc": sdesc}

    def _ask(self, question: str) -> Generator[str, str, str]:
        """Return an answer; a command is none."""
        answer = (yield question).strip()
        while answer.startswith("@"):
            answer = (yield NO_COMMAND).strip()
        if answer.lower() in QUIT:
            raise _Left
        return answer

    def _choose_one(
        self, question: str, options: dict[str, str], *, numbered: bool = False
    ) -> Generator[str, str, str]:
        """Return one of some words, which is typed as it is shown: by its number, or its beginning."""
        words = list(options)
        lines = [question]
        for number, (word, meaning) in enumerate(options.items(), 1):
            mark = f"{number}: {word}" if numbered else word
            lines.append(f" |w{mark}|n: {meaning.removeprefix(f'{word}; ')}")
        while True:
            answer = (yield from self._ask("\n".join(lines))).lower()
            if numbered and answer.isdecimal() and 1 <= int(answer) <= len(words):
                return words[int(answer) - 1]
            fits = [word for word in words if answer and word.startswith(answer)]
            if len(fits) == 1:
                return fits[0]

    @base.switch("attach", lock="perm(Builder)")
    def attach(self) -> None:
        """@assistant/attach <npc>

        Give a mind to an NPC of any kind, and switch it on; one of Evennia's contrib.rpg.llm
        keeps its prompt and its talk.
        """
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
            taken = conf.load(CONVERTER)(npc)
            scripts.attach(npc, mind_key=key)
            self.log_change("attached a mind to", npc)
            before = f" It has from before: {taken}." if taken else ""
            self.msg(f"{name} has a mind now, and it is on.{before}")
            if shadowed := db_views.shadowed(npc):
                self.msg(shadowed)

    @base.switch("detach", lock="perm(Builder)")
    def detach(self) -> Generator[str, str, None]:
        """@assistant/detach <npc>

        Take the mind away for good; what the body remembers stays. For `all`, from all NPCs that
        you control.
        """
        if self.args.lower() == ALL:
            yield from self._detach_all()
            return
        npc = self.find_assistant(self.args)
        if npc is None:
            return
        name = self.name_of(npc)
        npc = yield from self.confirm(npc, f"Take the mind from {name} for good?")
        if npc is not None and self._take_mind(npc):
            self.msg(f"{name} has no mind any more. What it remembers stays with its body.")

    def _detach_all(self) -> Generator[str, str, None]:
        mine = [mind.obj.id for mind in base.all_minds() if self.may_change(mind.obj)]
        if not mine:
            self.msg("There is no NPC with a mind that you control.")
            return
        answer = yield f"Take the minds from all {len(mine)} NPCs that you control? [yes/N]"
        if answer.strip().lower() != "yes":
            self.msg("Nothing was done.")
            return
        found = [npc for npc_id in mine if (npc := lookup.object_by_id(npc_id))]
        # Locks may have changed while the question stood.
        taken = sum(self._take_mind(npc) for npc in found if self.may_change(npc))
        self.msg(f"{taken} have no mind any more. What they remember stays with their bodies.")

    def _take_mind(self, npc: Any) -> bool:
        if not scripts.detach(npc):
            return False
        self.log_change("detached the mind from", npc)
        return True


def has_sdesc() -> bool:
    """Return whether new assistants have a short description, as in contrib.rpg.rpsystem."""
    return hasattr(conf.hook("TYPECLASS"), "sdesc")


def make(
    caller: Any, names: str, written: dict[str, str], *, talkative: str = "", sdesc: str = ""
) -> Any:
    """Return a new character where the caller is, with a mind that is on.

    `names` is its name and aliases with ";" between them, `written` its persona.
    """
    name, *aliases = split_names(names)
    own = f"id({caller.id}) or perm(Admin)"
    npc = create_object(
        conf.get("TYPECLASS"),
        key=name,
        location=caller.location,
        home=caller.location,
        aliases=[alias for alias in aliases if alias],
        locks=f"control:{own};edit:{own};delete:{own};teleport:{own}",
    )
    if sdesc and has_sdesc():
        npc.sdesc.add(ansi.strip_ansi(sdesc)[:NAME_LENGTH])
    if written:
        persona.save_persona(npc, written)
    if talkative and talkative != "addressed":
        npc_settings.choose(npc, talkative=talkative)
    scripts.attach(npc)
    base.log_change(caller, "created the assistant", npc)
    return npc


def split_names(text: str) -> list[str]:
    """Return the name and the aliases that stand in `name;alias;alias`."""
    return [part.strip() for part in text.split(";")]


def is_name(text: str) -> bool:
    """Return whether an assistant can be called so."""
    return 0 < len(split_names(text)[0]) <= NAME_LENGTH


def _namesakes(npc: Any) -> str:
    """Return a sentence about others with a mind that have the name of a new one, "" where there are none."""
    name = npc.key.casefold()
    same = [mind.obj.id for mind in base.all_minds() if mind.obj.key.casefold() == name]
    others = [f"#{one}" for one in same if one != npc.id]
    if not others:
        return ""
    listed = ", ".join(others[:NAMESAKES]) + (" …" if len(others) > NAMESAKES else "")
    return f" There is another of that name with a mind ({listed}): call them by their numbers."
