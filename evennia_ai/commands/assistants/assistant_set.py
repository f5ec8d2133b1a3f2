"""The switch `set` of `@assistant`: what a builder chooses for one NPC."""

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
from evennia_ai.memory.storage import copying
from evennia_ai.sleep import sleep_cycle
from evennia_ai.typeclasses import scripts

MANNERS = ("talkative", "gossip")
GRANTS = ("allowed_commands", "experience_scope")
JOURNAL_SIZE = "journal_size"
MIND_KEY = "mind_key"
# Of a room: whether what is said in it stays with those who hear it.
PRIVATE = "private"
NOT_SET = "not set"
# Values that take some typing: one that is written over is shown.
LONG = ("allowed_commands", npc_settings.SCHEDULE, "compact_prompt")
ANSWERS = {"": None, "yes": True, "no": False}
# What is taken as it is typed.
TEXTS = ("compact_model", "compact_prompt")
# A day, and numbers that nobody means.
LONGEST_TICK = 86_400
LARGEST = 1_000_000
LONGEST_PROMPT = 4_000
NAMES = (*MANNERS, *GRANTS, *npc_settings.MIND_CHOICES, JOURNAL_SIZE, MIND_KEY)


class SetSwitch(AssistantCommand):
    """How `@assistant` sets what holds for one NPC."""

    @switch("set", lock="perm(Builder)")
    def set_setting(self) -> None:
        """@assistant/set <npc>[/<setting>] [= <value>]"""
        name, slash, setting = self.lhs.rpartition("/")
        if setting.strip().lower() == PRIVATE:
            self._seclude(name.strip())
            return
        npc = self.find_assistant(name.strip() if slash else self.lhs)
        if npc is None:
            return
        wanted = setting.strip().lower() if slash else ""
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

    @switch("copy", lock="perm(Builder)")
    def copy_npc(self) -> None:
        """@assistant/copy <npc> = <name>"""
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        if not self.rhs or not self.is_name(self.rhs):
            self.say_usage()
            return
        twin = npc.copy(new_key=self.rhs)
        # An NPC without the mixin has no hook for it.
        copying.carry(npc, twin)
        scripts.attach(twin, mind_key="")
        self.log_change(f"copied {npc.key}(#{npc.id}) to", twin)
        self.msg(f"{self.name_of(twin)} is who {npc.key} is, and remembers nothing.")

    def _choose(self, npc: Any, setting: str, text: str) -> None:
        before = shown(npc, setting)
        try:
            if setting == "experience_scope":
                self._check_group(npc, read(setting, text))
            choose(npc, setting, read(setting, text))
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
        for other in [mind.obj for mind in all_minds()]:
            is_member = bool(group) and npc_settings.experience_scope(other) == group
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
    if setting in TEXTS:
        value: Any = text.strip() or None
    else:
        value = _parsed(setting, text)
    if setting == "allowed_commands":
        return _words(value)
    if value is not None:
        _CHECKS[setting](value)
    return value


def _parsed(setting: str, text: str) -> Any:
    try:
        return yaml.safe_load(text) if text else None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(f"{setting} cannot be read: is a bracket or a quote missing?") from error


def _words(value: Any) -> list[str]:
    """Return a list of words that was typed as one, or with commas in between."""
    listed = value.split(",") if isinstance(value, str) else value or []
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise ValueError("allowed_commands is a list of words, with commas in between.")
    found = [one.strip() for one in listed]
    if not all(one and len(one.split()) == 1 for one in found):
        raise ValueError("allowed_commands is a list of words, with commas in between.")
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _check_tick_rate(value: Any) -> None:
    if not _is_number(value) or not 1 <= value <= LONGEST_TICK:
        raise ValueError(f"tick_rate is a number of seconds, from 1 to {LONGEST_TICK}.")


def _check_enabled(value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError("compact_enabled is true or false.")


def _check_window(value: Any) -> None:
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise ValueError("compact_preserve_window is a whole number of lines.")


def _check_share(value: Any) -> None:
    if not _is_number(value) or not 0 < value <= 1:
        raise ValueError("how full a conversation may be is a number above 0, up to 1.")


def _check_model(value: Any) -> None:
    known = aliases_for_one()
    if value not in known:
        raise ValueError(f"compact_model is a key of the setting LLM: {', '.join(known)}.")


def _check_prompt(value: Any) -> None:
    if len(value) > LONGEST_PROMPT:
        raise ValueError(f"compact_prompt has at most {LONGEST_PROMPT} characters.")


def _check_size(value: Any) -> None:
    if type(value) is not int or not 1 <= value <= LARGEST:
        raise ValueError("journal_size is a whole number of entries.")


# What a value must be like; it raises a ValueError.
_CHECKS: dict[str, Callable[[Any], None]] = {
    npc_settings.TICK_RATE: _check_tick_rate,
    npc_settings.SCHEDULE: sleep_cycle.check_schedule,
    "compact_enabled": _check_enabled,
    "compact_preserve_window": _check_window,
    **dict.fromkeys(npc_settings.THRESHOLDS, _check_share),
    "compact_model": _check_model,
    "compact_prompt": _check_prompt,
    JOURNAL_SIZE: _check_size,
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
    """Return what is set, as it is shown."""
    ways: dict[str, Callable[[], Any]] = {
        **{name: partial(getattr(npc_settings, name), npc) for name in (*MANNERS, *GRANTS)},
        JOURNAL_SIZE: lambda: journal.journal_size(npc),
        MIND_KEY: lambda: waiting.key_of(npc),
    }
    chosen = npc_settings.of_mind(scripts.find(npc))
    value = ways[setting]() if setting in ways else chosen.get(setting)
    if value in (None, "", []):
        return NOT_SET
    return escaped(", ".join(value) if isinstance(value, list) else str(value))
