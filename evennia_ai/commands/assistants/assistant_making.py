"""The switches that create an assistant: at once, or step by step in a menu."""

from __future__ import annotations

from typing import Any, Generator

from evennia.utils import ansi
from evennia.utils.create import create_object
from evennia.utils.evmenu import EvMenu

from evennia_ai import conf
from evennia_ai.agent.speech import escaped
from evennia_ai.commands import base
from evennia_ai.commands.screen import Screen
from evennia_ai.memory import persona
from evennia_ai.memory.state import npc_settings
from evennia_ai.typeclasses import scripts

# Characters of a new name; Evennia's column takes 255.
NAME_LENGTH = 80
# Others of the same name that are listed.
NAMESAKES = 5

SDESC = "How do those see it who do not know its name? A short description: |wa gruff innkeeper|n"
LEAVE = "Type |wq|n to leave."
NO_COMMAND = f"That looks like a command, and no answer. {LEAVE}"
# An answer that is none of the options.
ASK_AGAIN = {"key": "_default", "goto": lambda caller: None}
NOWHERE = "You are nowhere; an assistant needs a place to be in."
# How much an assistant talks, as `talkative` has it, and what that means.
TALKATIVE = {
    "addressed": "when somebody speaks to it",
    "chatty": "also when nobody spoke to it: it greets, and takes up what is said",
    "never": "never; it only hears and remembers",
}


class CreateSwitch(base.AssistantCommand):
    """How `@assistant` makes somebody new."""

    @base.switch("create", lock="perm(Builder)")
    def create(self) -> Generator[str, str, None]:
        """@assistant/create [<name>[;alias…] [= <who it is>]]"""
        if self.args and not is_name(self.lhs):
            self.say_usage()
        elif self.caller.location is None:
            self.msg(NOWHERE)
        elif not self.args:
            ask_for(self.caller, self.session, self.screen)
        else:
            sdesc = ""
            if has_sdesc():
                sdesc = (yield f"{SDESC} ").strip()
            if self.caller.location is None:
                self.msg(NOWHERE)
                return
            written = {"description": self.rhs} if self.rhs else {}
            npc = make(self.caller, self.lhs, written, sdesc=sdesc)
            self.msg(f"You create {self.name_of(npc)}, whose mind is on.{_namesakes(npc)}")


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


class Wizard(EvMenu):
    """The menu, which takes no command for an answer."""

    def parse_input(self, raw_string: str) -> None:
        """See `EvMenu.parse_input`."""
        if raw_string.strip().startswith("@"):
            self.msg(NO_COMMAND)
        else:
            super().parse_input(raw_string)


def ask_for(caller: Any, session: Any, screen: Screen) -> None:
    """Ask somebody, step by step, for what a new assistant should be."""
    nodes = {
        "name": _name,
        "sdesc": _sdesc,
        "description": _description,
        "background": _background,
        "talkative": _talkative,
        "confirm": _confirm,
        "make": _make,
    }
    Wizard(
        caller,
        nodes,
        startnode="name",
        session=session,
        cmd_on_exit=_on_exit,
        node_border_char="" if screen.is_read_aloud else EvMenu.node_border_char,
        draft={"names": "", "sdesc": "", "persona": {}, "talkative": "addressed", "is_made": False},
    )


def _draft(caller: Any) -> dict[str, Any]:
    return caller.ndb._evmenu.draft


def _name(caller: Any, raw_string: str) -> tuple[Any, Any]:
    text = "What is it called? Other names may follow, each after a semicolon: |wMara;innkeeper|n"
    return f"{text}\n{LEAVE}", {"key": "_default", "goto": _take_name}


def _take_name(caller: Any, raw_string: str) -> str | None:
    if not is_name(raw_string.strip()):
        caller.msg(f"A name has 1 to {NAME_LENGTH} characters.")
        return None
    _draft(caller)["names"] = raw_string.strip()
    return "sdesc" if has_sdesc() else "description"


def _sdesc(caller: Any, raw_string: str) -> tuple[Any, Any]:
    return f"{SDESC}\n{LEAVE}", {"key": "_default", "goto": _take_sdesc}


def _take_sdesc(caller: Any, raw_string: str) -> str:
    _draft(caller)["sdesc"] = raw_string.strip()
    return "description"


def _description(caller: Any, raw_string: str) -> tuple[Any, Any]:
    text = "Who is it? One or two sentences: |wA gruff innkeeper who has seen it all.|n"
    return f"{text}\n{LEAVE}", {"key": "_default", "goto": (_take_text, {"field": "description"})}


def _background(caller: Any, raw_string: str) -> tuple[Any, Any]:
    text = "Where does it come from, and what does it want? Press return to leave that open."
    return f"{text}\n{LEAVE}", {"key": "_default", "goto": (_take_text, {"field": "background"})}


def _take_text(caller: Any, raw_string: str, **kwargs: Any) -> str:
    field, text = kwargs["field"], raw_string.strip()
    if text:
        _draft(caller)["persona"][field] = text
    return "background" if field == "description" else "talkative"


def _talkative(caller: Any, raw_string: str) -> tuple[Any, Any]:
    # What is shown can be typed: the number, or the word behind it.
    options = [
        {
            "key": (str(number), how),
            "desc": f"{how}: {meaning.removeprefix(f'{how}; ')}",
            "goto": (_take_talkative, {"how": how}),
        }
        for number, (how, meaning) in enumerate(TALKATIVE.items(), 1)
    ]
    return f"When does it speak? {LEAVE}", [*options, ASK_AGAIN]


def _take_talkative(caller: Any, raw_string: str, **kwargs: Any) -> str:
    _draft(caller)["talkative"] = kwargs["how"]
    return "confirm"


def _confirm(caller: Any, raw_string: str) -> tuple[Any, Any]:
    draft = _draft(caller)
    lines = [f"seen as: {escaped(draft['sdesc'])}"] if draft["sdesc"] else []
    lines += [f"|w{field}|n: {escaped(text)}" for field, text in draft["persona"].items()]
    how = f"It speaks {TALKATIVE[draft['talkative']]}."
    text = "\n".join([f"|c{escaped(draft['names'])}|n", *lines, how, "", f"Make it? {LEAVE}"])
    return text, [
        {"key": ("yes", "y"), "desc": "make it here", "goto": "make"},
        {"key": ("again", "a"), "desc": "begin again", "goto": _begin_again},
        {"key": ("no", "n"), "desc": "make nothing", "goto": _make_nothing},
        ASK_AGAIN,
    ]


def _begin_again(caller: Any, raw_string: str) -> str:
    _draft(caller).update(names="", sdesc="", persona={}, talkative="addressed")
    return "name"


def _make_nothing(caller: Any, raw_string: str) -> str:
    _draft(caller)["names"] = ""
    return "make"


def _make(caller: Any, raw_string: str) -> tuple[Any, Any]:
    draft = _draft(caller)
    if not draft["names"]:
        return "", None
    if caller.location is None:
        return NOWHERE, None
    chosen = {"talkative": draft["talkative"], "sdesc": draft["sdesc"]}
    npc = make(caller, draft["names"], draft["persona"], **chosen)
    draft["is_made"] = True
    created = f"You create {npc.get_display_name(caller)}(#{npc.id}), whose mind is on."
    return f"{created}{_namesakes(npc)}", None


def _namesakes(npc: Any) -> str:
    """Return a sentence about others with a mind that have the name of a new one, "" where there are none."""
    name = npc.key.casefold()
    same = [mind.obj.id for mind in base.all_minds() if mind.obj.key.casefold() == name]
    others = [f"#{one}" for one in same if one != npc.id]
    if not others:
        return ""
    listed = ", ".join(others[:NAMESAKES]) + (" …" if len(others) > NAMESAKES else "")
    return f" There is another of that name with a mind ({listed}): call them by their numbers."


def _on_exit(caller: Any, menu: EvMenu) -> None:
    if not menu.draft["is_made"]:
        caller.msg("Nothing was made.")
