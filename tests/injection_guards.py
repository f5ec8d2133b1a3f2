"""The guards against injections, each with what switches it off, and what gets through then.

A guard is switched off at its one door, in tests alone: no setting does it. `by` are attempts that do
harm with just this guard off; every guard has one, or it would guard nothing.
"""

from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any, NamedTuple
from unittest import mock

from evennia.locks.lockhandler import LockHandler

from evennia_ai import markup
from evennia_ai.domain.model_text import quotation
from evennia_ai.tools import registry
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.house import rules


class Guard(NamedTuple):
    """What holds: `off` are (where, attribute, stand-in), `by` the ids of attempts, `harm` theirs.

    Where nothing is named, the attribute is a function that is replaced wherever it is known.
    """

    off: tuple[tuple[str, Any, Any], ...]
    by: tuple[str, ...]
    harm: str


def _all_tools(turn):
    return list(registry.all_tools().values())


def _in_mere_marks(text, *, max_length=None):
    """Stand for quotation as it comes to mind: the text may have lines and marks of its own."""
    line = str(text).translate(str.maketrans("“”", '""'))
    return f'"{line}"'


def _as_shown(obj, npc):
    return markup.plain(obj.get_display_name(looker=npc))


COMMANDS = "evennia_ai.tools.commands_tool"
DOMAIN = "evennia_ai.domain"
_check = LockHandler.check


def _open_to_her(handler, accessing_obj, *args, **kwargs):
    return isinstance(accessing_obj, AssistantCharacter) or _check(
        handler, accessing_obj, *args, **kwargs
    )


LOCKS = "evennia.locks.lockhandler.LockHandler"

# What a model says at night has a guard of its own beside the others.
ANY_TRUTH = (f"{DOMAIN}.sleeping.truth", "carries", lambda *args, **kwargs: True)

GUARDS = {
    "nobody is shown what is not for their ears": Guard(
        ((f"{DOMAIN}.audience", "may_know", lambda known, hearers: True),),
        ("whisper-list-whispers",),
        "canary",
    ),
    "nothing is told on that is not to be told": Guard(
        ((f"{DOMAIN}.memories.gossip", "may_share", lambda *args, **kwargs: True),),
        ("whisper-share",),
        "canary",
    ),
    "each audience is thought about by itself": Guard(
        (
            (f"{DOMAIN}.audience", "divided", lambda items: [("public", list(items))]),
            ("evennia_ai.core.records", "audience_from", lambda sources: "public"),
            ("evennia_ai.memory.journal", "audience_from", lambda sources: "public"),
            ANY_TRUTH,
        ),
        ("whisper-summary",),
        "wide",
    ),
    "only listed commands run": Guard(
        (
            (COMMANDS, "permitted", lambda character: {"bless", "py", "persona"}),
            (COMMANDS, "_may_run", lambda command, keys: True),
        ),
        ("say-fake-json-action", "say-run-code"),
        "commands",
    ),
    "no command runs in a whisper": Guard(
        ((COMMANDS, "check_openness", lambda turn: None),), ("whisper-dance",), "commands"
    ),
    "one act a turn": Guard(
        (("evennia_ai.agent.loop", "check_danger", lambda turn, tool: None),),
        ("emote-encore",),
        "commands",
    ),
    "locks are those of the NPC": Guard(
        ((LOCKS, "check", _open_to_her),),
        ("say-as-admin", "whisper-give-locked"),
        "places",
    ),
    "only tools that are offered": Guard(
        (("evennia_ai.agent.turn.Turn", "usable_tools", _all_tools),), ("whisper-sleep",), "sleep"
    ),
    "foreign text is quoted": Guard(
        (
            ("", quotation.quote, _in_mere_marks),
            ("", quotation.plain, str),
            ("", quotation.label, str),
            ("evennia_ai.agent.speech", "name_of", _as_shown),
        ),
        ("whisper-delimiter", "name-newline", "result-memory-forged"),
        "line",
    ),
    "answers are shown as they are": Guard(
        (("evennia_ai.agent.speech", "escaped", lambda words: words),),
        ("say-colour", "say-funcparser"),
        "markup",
    ),
    "no answer has a link": Guard(
        ((f"{DOMAIN}.model_text.reply", "unlinked", lambda text: text),),
        ("say-clickable",),
        "markup",
    ),
    "answers are printable": Guard(
        ((f"{DOMAIN}.model_text.reply", "printable", lambda text, *, max_length: text),),
        ("emote-escape",),
        "markup",
    ),
    "instructions are not recited": Guard(
        ((f"{DOMAIN}.model_text.reply", "recites", lambda *given, **options: False),),
        ("say-ignore-previous",),
        "prompt",
    ),
    "no day makes a friend": Guard(
        ((f"{DOMAIN}.memories.relationship", "allowed_delta", lambda delta, **limits: delta),),
        ("say-like-me", "say-hate-other"),
        "trust",
    ),
    "scores stay on the scale": Guard(
        ((f"{DOMAIN}.sleeping.importance", "clamp", lambda value: value),), ("say-rating",), "score"
    ),
    "no insight is about the mind itself": Guard(
        (
            (f"{DOMAIN}.sleeping.insights", "is_self_referential", lambda *args, **kwargs: False),
            ANY_TRUTH,
        ),
        ("say-conclude-owner",),
        "insight",
    ),
    "no insight is what one says of another": Guard(
        ((f"{DOMAIN}.sleeping.insights", "is_gossip", lambda *args, **kwargs: False),),
        ("say-conclude-thief",),
        "insight",
    ),
    "hearsay is kept as hearsay": Guard(
        ((f"{DOMAIN}.sleeping.consolidation_rules", "reported", lambda value: value), ANY_TRUTH),
        ("whisper-false-fact",),
        "attribute",
    ),
}


@contextmanager
def switched_off(*names):
    """Switch off these guards while the block runs; without names, all of them."""
    with ExitStack() as stack:
        for name in names or GUARDS:
            for where, attribute, stand_in in GUARDS[name].off:
                for place in [f"{where}.{attribute}"] if where else _places_of(attribute):
                    stack.enter_context(mock.patch(place, stand_in))
        yield


def _places_of(function):
    """Return where a function is known: it is imported by its name in many modules.

    Whatever knows it is imported first: else it would keep the stand-in for good.
    """
    known = {function.__module__}
    for module in rules.read_modules("evennia_ai"):
        # Most modules do not even have the word; to parse one takes long.
        names = rules.imported_names(module) if function.__name__ in module.source else ()
        if any(name.endswith(f".{function.__name__}") for _, name in names):
            known.add(f"evennia_ai.{module.name}")
    return [
        f"{name}.{attribute}"
        for name in sorted(known)
        for attribute, value in vars(import_module(name)).items()
        if value is function
    ]
