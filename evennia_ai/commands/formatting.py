"""Text of the commands: plain data in, text out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any
from urllib.parse import urlsplit

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.screen import USUAL, Screen, table

# Options of a model whose text is shown. Whatever else is text may be a secret.
SHOWN_OPTIONS = ("model", "name", "tools", "reasoning_effort", "api_key_env")
# Names that may hold a secret even if it looks like a number.
_SECRET = re.compile(r"key|secret|passw|token$|auth|credential|cookie", re.I)

# What an assistant does on a channel that it follows in each manner.
MANNERS = {
    "listen": "listens",
    "named": "answers to its name",
    "answer": "answers everything",
}

NO_MIND = "There is no assistant yet. Make one with: {key}/create <name> = <who it is>"
HALTED = "|rEvery mind is halted.|n {key}/resume lets them go on."


def status(data: dict[str, Any]) -> str:
    """Return the state of one assistant, a line for each thing.

    `data` is {"name", "where", "on", "halted", "played_by", "mode", "mind", "thinking", "waiting",
    "oldest", "tick", "counters", "talks_with" [(name, lines, seconds ago)], "channels" [(key,
    manner, whether it is there)], "problems"}.
    """
    lines = [
        ("where", data["where"] or "nowhere"),
        ("switch", _switch(data)),
        ("mode", data["mode"]),
        ("mind", data["mind"]),
        ("now", "thinking" if data["thinking"] else "at rest"),
        ("waiting", _waiting(data["waiting"], data["oldest"])),
        ("ticks", f"every {data['tick']} s" if data["on"] else "not while it is off"),
        ("so far", counters(data["counters"])),
        ("talks with", _talks(data["talks_with"])),
        ("channels", channels(data["channels"])),
    ]
    shown = [f"  |w{label:<11}|n{text}" for label, text in lines]
    return "\n".join(
        [f"|c{data['name']}|n", *shown, *(f"  |r{text}|n" for text in data["problems"])]
    )


def mode(data: dict[str, Any]) -> str:
    """Return whether a mind sleeps, and how; what nobody noted is left out.

    `data` is {"mode", "depth", "phase", "degraded", "since" and "left" in seconds, "reason",
    "turns" since it woke}.
    """
    if data["mode"] == "awake":
        if data["since"] is None:
            return "awake"
        return f"awake for {ago(data['since'])}, {counters({'turns': data['turns']})} since"
    how = [data["depth"], data["phase"], "gave up on the day" if data["degraded"] else ""]
    parts = [
        f"sleep ({', '.join(part for part in how if part)})",
        f"for {ago(data['since'])}" if data["since"] is not None else "",
        f"{ago(data['left'])} left" if data["left"] is not None else "",
        data["reason"],
    ]
    return ", ".join(part for part in parts if part)


def counters(counted: dict[str, int]) -> str:
    """Return counters as a list of words: "3 turns, 1 excuse"."""
    named = {"turns": "turn", "excuses": "excuse", "failures": "failure", **counted}
    parts = [
        f"{counted[name]} {name if counted[name] != 1 else name.removesuffix('s')}"
        for name in named
        if counted.get(name)
    ]
    return ", ".join(parts) or "nothing"


def channels(followed: Iterable[tuple[str, str, bool]]) -> str:
    """Return which channels are followed and how: (key, manner, whether it is there) each."""
    shown = [
        f"{key} ({MANNERS[manner]}{'' if is_there else '; there is no channel of that name now'})"
        for key, manner, is_there in followed
    ]
    return ", ".join(shown) or "none"


def overview(
    rows: Iterable[dict[str, Any]],
    *,
    key: str,
    left: int = 0,
    halted: str = "",
    screen: Screen = USUAL,
) -> str:
    """Return a table of assistants: {"name", "where", "on", "mode", "waiting", "turns"} each.

    `left` is how many more there are; `halted` is the key of the command that ends a halt, if one
    is on.
    """
    rows = list(rows)
    warning = [HALTED.format(key=halted)] if halted else []
    if not rows:
        return "\n".join([*warning, NO_MIND.format(key=key)])
    cells = [
        (
            row["name"],
            row["where"] or "nowhere",
            "on" if row["on"] else "off",
            row["mode"],
            row["waiting"],
            row["turns"],
        )
        for row in rows
    ]
    shown = table(("Name", "Where", "On", "Mode", "Waiting", "Turns"), cells, screen)
    more = [f"… and {left} more: {key}/list <part of a name>"] if left else []
    return "\n".join([*warning, shown, *more])


def config(changed: dict[str, Any], models: dict[str, Any], *, set_in: Collection[str]) -> str:
    """Return the settings that differ from their defaults, and which model does what.

    `models` maps each alias to its settings; `set_in` are the names of the environment's variables.
    No key or other secret is shown: only whether there is one.
    """
    lines = [f"  |w{name}|n = {escaped(repr(value))}" for name, value in sorted(changed.items())]
    settings = lines or ["  Every setting has its default."]
    rows = [f"  |w{alias}|n = {_model(described, set_in)}" for alias, described in models.items()]
    return "\n".join(["|cEVENNIA_AI|n", *settings, "", "|cModels|n", *rows])


def model_options(options: dict[str, Any], set_in: Collection[str]) -> str:
    """Return the options of one model, with everything that may be a secret as "set"."""
    shown = [f"{name}={_option(name, value)}" for name, value in options.items()]
    variable = options.get("api_key_env")
    if variable:
        shown.append("key " + ("set" if variable in set_in else "not set"))
    elif "api_key" not in options and "base_url" in options:
        shown.append("key not set")
    return ", ".join(shown)


def doctor(problems: Iterable[dict[str, Any]]) -> str:
    """Return what is wrong, each with what mends it: {"severe", "sentence", "line"}."""
    shown = [
        f"{'|rwrong|n  ' if problem['severe'] else '|yminor|n  '}{escaped(problem['sentence'])}"
        + (f"\n       |wpaste|n  {escaped(problem['line'])}" if problem["line"] else "")
        for problem in problems
    ]
    return "\n".join(shown) or "All is well."


def ago(seconds: float) -> str:
    """Return a length of time in its largest unit: "5 s", "3 min", "2 h", "4 d"."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"


def money(millionths: int) -> str:
    """Return an amount of money; nobody can buy anything for less than it shows."""
    return f"{millionths / 1_000_000:.4f}"


def _switch(data: dict[str, Any]) -> str:
    text = "on" if data["on"] else "off"
    if data["halted"]:
        text += ", but every mind is halted"
    elif data["on"] and data["played_by"]:
        text += f", but silent while {data['played_by']} plays it"
    return text


def _waiting(count: int, oldest: float | None) -> str:
    if not count or oldest is None:
        return "nothing"
    return f"{count} {'event' if count == 1 else 'events'}, the oldest for {ago(oldest)}"


def _talks(partners: list[tuple[str, int, float]]) -> str:
    shown = [
        f"{name} ({lines} {'line' if lines == 1 else 'lines'}, the last {ago(seconds)} ago)"
        for name, lines, seconds in partners
    ]
    return ", ".join(shown) or "nobody here"


def _model(described: Any, set_in: Collection[str]) -> str:
    # What has another shape is for the doctor to explain.
    model = described if isinstance(described, dict) else {}
    options = model.get("OPTIONS", {})
    shown = model_options(options, set_in) if isinstance(options, dict) else "?"
    return escaped(f"{model.get('BACKEND', '?')} {f'({shown})' if shown else ''}".rstrip())


def _option(name: str, value: Any) -> str:
    if name == "base_url" and isinstance(value, str):
        return _address(value)
    plain = value is None or isinstance(value, (bool, int, float))
    named = isinstance(value, str) and name in SHOWN_OPTIONS
    if named or (plain and not _SECRET.search(name)):
        return repr(value)
    return "set" if value else "not set"


def _address(url: str) -> str:
    """Return where a server is, without a name, password or query that stands in its address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "set, but no address"
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if host else "set"
