"""The switch `set` of `@assistant`: what a builder chooses for one NPC, or for a room."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import yaml

from evennia_ai import conf
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import AssistantCommand, all_minds, quoted, switch
from evennia_ai.lifecycle import waiting
from evennia_ai.llm.base import aliases_for_one
from evennia_ai.memory import journal
from evennia_ai.memory.state import npc_settings
from evennia_ai.sleep import sleep_cycle
from evennia_ai.typeclasses import scripts

MANNERS = ("talkative", "gossip")
GRANTS = ("allowed_commands", "experience_scope")
JOURNAL_SIZE = "journal_size"
MIND_KEY = "mind_key"
NAMES = (*MANNERS, *GRANTS, *npc_settings.MIND_CHOICES, JOURNAL_SIZE, MIND_KEY)
# Of a room: whether what is said in it stays with those who hear it.
PRIVATE = "private"
NOT_SET = "not set"
# Values that take some typing: one that is written over is shown.
LONG = ("allowed_commands", npc_settings.SCHEDULE, "compact_prompt")
ANSWERS = {"": None, "yes": True, "no": False}
# A day, and numbers that nobody means.
LONGEST_TICK, LARGEST = 86_400, 1_000_000
LONGEST_PROMPT = 4_000
A_LIST = "allowed_commands is a list of words, with commas in between."


class SetSwitch(AssistantCommand):
    """How `@assistant` sets choices for one NPC."""

    @switch("set", lock="perm(Builder)")
    def set_setting(self) -> None:
        """@assistant/set <npc>[/<setting>] [= <value>]

        See or choose what holds for this NPC alone: `talkative` (addressed, chatty, never),
        `gossip` (never, friends, freely), `allowed_commands`, `experience_scope`, `tick_rate`,
        `sleep_schedule`, `journal_size`, `compact_…`, and `mind_key`: with a key the mind
        outlives its body, and waits for the next one that is spawned with that key. Nothing
        after the `=` takes a choice back. Of a room there is `private`: yes or no, whether what
        is said in it stays with those who hear it.
        """
        name, _, setting = self.lhs.rpartition("/")
        wanted = setting.strip().lower()
        if name and wanted == PRIVATE:
            self._seclude(name.strip())
            return
        npc, setting = self.find_part()
        wanted = setting.lower()
        if npc is None:
            return
        if not wanted:
            lines = [f"  {one}: {shown(npc, one)}" for one in NAMES]
            self.msg("\n".join([f"What is set for {self.name_of(npc)}:", *lines]))
        elif wanted not in NAMES:
            self.msg(f"There is no setting {quoted(wanted)}; there is {', '.join(NAMES)}.")
        elif self.rhs is None:
            self.msg(f"{wanted} of {self.name_of(npc)}: {shown(npc, wanted)}")
        else:
            self._choose(npc, wanted, self.rhs)

    def _seclude(self, name: str) -> None:
        """See or choose whether what is said in a room stays there."""
        room = self.find_object(name)
        if room is None:
            return
        word = (self.rhs or "").strip().lower()
        if word not in ANSWERS:
            self.msg(f"{PRIVATE} is {' or '.join(filter(None, ANSWERS))}. Nothing was done.")
            return
        if self.rhs is not None:
            presence.seclude(room, ANSWERS[word])
            self.log_change(f"set {PRIVATE} of", room)
        stays = "stays with those who hear it" if presence.is_secluded(room) else "may be repeated"
        self.msg(f"What is said in {self.name_of(room)} {stays}.")

    def _choose(self, npc: Any, setting: str, text: str) -> None:
        before = shown(npc, setting)
        try:
            value = read(setting, text)
            if setting == "experience_scope":
                self._check_group(npc, value)
            choose(npc, setting, value)
        except ValueError as error:
            self.msg(escaped(f"Nothing was done: {error}"))
            return
        self.log_change(f"set {setting} of", npc)
        now = shown(npc, setting)
        is_lost = setting in LONG and before not in (now, NOT_SET)
        was = f"\nIt was: {before}" if is_lost else ""
        self.msg(f"{setting} of {self.name_of(npc)}: {now}{was}")

    def _check_group(self, npc: Any, group: str) -> None:
        """Raise a ValueError if a group that an NPC is to learn with has one of somebody else's."""
        for other in [mind.obj for mind in all_minds()] if group else ():
            is_member = npc_settings.experience_scope(other) == group
            if is_member and other != npc and not self.may_change(other):
                raise ValueError(
                    f"{other.key}(#{other.id}) learns in {group}, and is not yours to change."
                )


def read(setting: str, text: str) -> Any:
    """Return what somebody typed as a value; None for nothing.

    Raises:
        ValueError: It makes no sense for this setting; the text is a sentence.
    """
    if setting in (*MANNERS, "experience_scope", MIND_KEY):
        return text.strip().strip("\"'").lower()
    value: Any = text.strip() or None
    if value is not None and setting not in ("compact_model", "compact_prompt"):
        try:
            value = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise ValueError(
                f"{setting} cannot be read: is a bracket or a quote missing?"
            ) from error
    if setting == "allowed_commands":
        return _command_names(value)
    if value is not None and setting == npc_settings.SCHEDULE:
        sleep_cycle.check_schedule(value)
    elif value is not None:
        fits, meaning = _RULES[setting]
        if not fits(value):
            raise ValueError(meaning.format(models=", ".join(aliases_for_one())))
    return value


def _command_names(value: Any) -> list[str]:
    """Return a list of words that was typed as one, or with commas in between."""
    listed = value.split(",") if isinstance(value, str) else value or []
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise ValueError(A_LIST)
    names = [name.strip() for name in listed]
    if not all(len(name.split()) == 1 for name in names):
        raise ValueError(A_LIST)
    return names


def _is_number(value: Any, low: float, high: float, *, whole: bool = False) -> bool:
    is_right = type(value) is int or (not whole and type(value) is float)
    return is_right and low <= value <= high


# Whether a value makes sense, and what is said if not.
_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    npc_settings.TICK_RATE: (
        partial(_is_number, low=1, high=LONGEST_TICK),
        f"tick_rate is a number of seconds, from 1 to {LONGEST_TICK}.",
    ),
    "compact_enabled": (
        lambda value: isinstance(value, bool),
        "compact_enabled is true or false.",
    ),
    "compact_preserve_window": (
        partial(_is_number, low=0, high=LARGEST, whole=True),
        "compact_preserve_window is a whole number of lines.",
    ),
    **dict.fromkeys(
        npc_settings.THRESHOLDS,
        (
            lambda value: _is_number(value, 0, 1) and value > 0,
            "how full a conversation may be is a number above 0, up to 1.",
        ),
    ),
    "compact_model": (
        lambda value: value in aliases_for_one(),
        "compact_model is a key of the setting LLM: {models}.",
    ),
    "compact_prompt": (
        lambda value: len(value) <= LONGEST_PROMPT,
        f"compact_prompt has at most {LONGEST_PROMPT} characters.",
    ),
    JOURNAL_SIZE: (
        partial(_is_number, low=1, high=LARGEST, whole=True),
        "journal_size is a whole number of entries.",
    ),
}


def choose(npc: Any, setting: str, value: Any) -> None:
    """Set something for an NPC.

    Raises:
        ValueError: The value makes no sense; the text is a sentence.
    """
    if setting in MANNERS:
        npc_settings.choose(npc, **{setting: value})
    elif setting in GRANTS:
        npc_settings.grant(npc, **{setting: value})
    elif setting == MIND_KEY:
        waiting.give_key(npc, value)
    elif setting == JOURNAL_SIZE:
        default = conf.get("JOURNAL_MAX_ENTRIES")
        journal.set_max_entries(npc, default if value is None else value)
    else:
        npc_settings.choose_for_mind(scripts.find(npc), **{setting: value})


def shown(npc: Any, setting: str) -> str:
    """Return a choice as it is shown."""
    if setting in (*MANNERS, *GRANTS):
        value = getattr(npc_settings, setting)(npc)
    elif setting == JOURNAL_SIZE:
        value = journal.journal_size(npc)
    elif setting == MIND_KEY:
        value = waiting.key_of(npc)
    else:
        value = npc_settings.of_mind(scripts.find(npc)).get(setting)
    if value in (None, "", []):
        return NOT_SET
    return escaped(", ".join(value) if isinstance(value, list) else str(value))
