"""The switches of `@assistant` that look at NPCs: how they do, who they are, and why they said something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evennia_ai import conf
from evennia_ai.agent import trace
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.assistants import formatting_why
from evennia_ai.commands.assistants.settings import NAMES, NOT_SET, shown
from evennia_ai.commands.base import (
    AssistantCommand,
    all_minds,
    quoted,
    switch,
    whole_number,
)
from evennia_ai.commands.screen import table
from evennia_ai.commands.shown import npcs, turns, words
from evennia_ai.memory import lookup, persona
from evennia_ai.memory.state import active_assistants

# Rows of the list; each costs some questions to the database, and nobody reads more.
LIST_LENGTH = 100
MANNERS = {
    "listen": "listens",
    "named": "answers to its name",
    "answer": "answers everything",
}
NO_MIND = "There is no assistant yet. Make one with: {key}/create <name> = <who it is>"
HALTED = "|rEvery mind is halted.|n {key}/resume lets them go on."
NOTHING_KEPT = (
    "Nothing is kept of what {name} thought: it has had no turn since the server started or was "
    "reloaded."
)
PROMPT = "prompt"


class AskingSwitches(AssistantCommand):
    """How `@assistant` looks at minds."""

    @switch("")
    def look(self) -> None:
        """@assistant [<npc>, or <part of a name>*]

        All assistants, those with a part of a name, or how one of them does: what it is at, what
        waits for it, with whom it talks, and what is wrong.
        """
        if not self.args or self.args.endswith("*"):
            self._show_list(self.args.rstrip("*").strip())
            return
        npc = self.find_assistant(self.args)
        if npc is not None:
            self.msg("\n".join(status_lines(npcs.status_of(npc, self.caller))))

    def _show_list(self, part: str) -> None:
        wanted = part.casefold()
        minds = [mind for mind in all_minds() if wanted in mind.obj.key.casefold()]
        if wanted and not minds:
            self.msg(f"No assistant has {quoted(part)} in its name.")
            return
        key = conf.get("COMMAND_KEYS")["aiadmin"]
        lines = [HALTED.format(key=key)] if active_assistants.is_halted() else []
        if not minds:
            self.msg("\n".join([*lines, NO_MIND.format(key=self.key)]))
            return
        cells = [
            (
                row["name"],
                row["where"] or "nowhere",
                "on" if row["on"] else "off",
                *(row[name] for name in ("mode", "waiting", "turns")),
            )
            for row in (npcs.row_of(mind, self.caller) for mind in minds[:LIST_LENGTH])
        ]
        heads = ("Name", "Where", "On", "Mode", "Waiting", "Turns")
        lines.append(table(heads, cells, self.screen))
        if left := len(minds[LIST_LENGTH:]):
            lines.append(f"… and {left} more: {self.key} <part of a name>*")
        self.show("\n".join(lines))

    @switch("show", lock="perm(Builder)")
    def show_persona(self) -> None:
        """@assistant/show <npc>

        All that is written of it: its persona with the numbers of the lines, its lore with who
        may know each fact, its goals, and what is set for it.
        """
        npc = self.find_assistant(self.args)
        if npc is not None:
            self.show("\n".join(_persona_lines(self.name_of(npc), npc)))

    @switch("why", lock="perm(Builder)")
    def explain(self) -> None:
        """@assistant/why [<npc>] [= <which, from the last> [prompt]]

        Why it said what it said in its last turn, or in one before: what it heard, who listened,
        what came to mind, what was left out and why, what it used and what that cost. With
        `prompt`, what the model was asked in that turn, word for word.
        """
        typed = (self.rhs if self.rhs is not None else "1").lower().split()
        with_prompt = PROMPT in typed[-1:]
        which = typed[:-1] if with_prompt else typed
        number = (
            whole_number(which[0]) if len(which) == 1 else 1 if with_prompt and not which else None
        )
        if not number:
            self.say_usage()
            return
        npc = self.find_assistant(self.lhs) if self.lhs else self._last_thinker()
        if npc is None:
            return
        kept = trace.turns(npc.id)
        if not kept:
            said = NOTHING_KEPT.format(name=self.name_of(npc))
            self.msg("\n".join([said, *formatting_why.ignored(turns.passed_by(npc))]))
        elif number > len(kept):
            are = "turn is" if len(kept) == 1 else "turns are"
            self.msg(f"Only {len(kept)} {are} kept of {self.name_of(npc)}.")
        elif with_prompt:
            self._show_prompt(npc, kept[number - 1], number)
        else:
            self.show(formatting_why.why(turns.account_of(npc, kept, number)))

    def _show_prompt(self, npc: Any, turn: Any, number: int) -> None:
        if problem := turns.why_no_prompt(npc, turn, self.may_change, self.name_of):
            self.msg(problem)
            return
        which = "the last turn" if number == 1 else f"turn {number} from the last"
        asked = turn.record.requests
        request = f"request {asked} of {asked}" if asked > 1 else "its request"
        unread = "" if turn.llm.is_model else f"\n{turns.UNREAD}"
        title = f"|c{npc.key}(#{npc.id})|n, {which}, {request}{unread}"
        self.show(f"{title}\n\n{escaped(turns.prompt_of(turn))}")

    def _last_thinker(self) -> Any:
        """Return the NPC that had the last turn, of those that the caller may ask for."""
        for npc_id in trace.thinkers():
            npc = lookup.object_by_id(npc_id)
            if npc is not None and self.may_change(npc):
                return npc
        self.msg("No assistant of yours has had a turn since the server started or was reloaded.")
        return None


def status_lines(data: dict[str, Any]) -> Iterator[str]:
    """How one NPC does, as `npcs.status_of` tells it."""
    waiting = "nothing"
    if data["waiting"] and data["oldest"] is not None:
        waiting = (
            f"{words.count(data['waiting'], 'event')}, the oldest for {words.ago(data['oldest'])}"
        )
    talks = [
        f"{name} ({words.count(lines, 'line')}, the last {words.ago(seconds)} ago)"
        for name, lines, seconds in data["talks_with"]
    ]
    yield f"|c{data['name']}|n"
    for label, text in (
        ("where", data["where"] or "nowhere"),
        ("switch", _switch(data)),
        ("mode", data["mode"]),
        ("mind", data["mind"]),
        ("now", "thinking" if data["thinking"] else "at rest"),
        ("waiting", waiting),
        ("ticks", f"every {data['tick']} s" if data["on"] else "not while it is off"),
        ("so far", npcs.counted(data["counters"])),
        ("talks with", ", ".join(talks) or "nobody here"),
        ("channels", channels_text(data["channels"])),
    ):
        yield from words.labelled(label, [text])
    yield from (f"  |r{text}|n" for text in data["problems"])


def channels_text(followed: list[tuple[str, str, bool]]) -> str:
    """The channels that an NPC follows and how, as `npcs.channels_of` tells them."""
    gone = "; there is no channel of that name now"
    shown_channels = [
        f"{key} ({MANNERS[manner]}{'' if is_there else gone})" for key, manner, is_there in followed
    ]
    return ", ".join(shown_channels) or "none"


def _switch(data: dict[str, Any]) -> str:
    text = "on" if data["on"] else "off"
    if data["halted"]:
        return f"{text}, but every mind is halted"
    if data["on"] and data["played_by"]:
        return f"{text}, but silent while {data['played_by']} plays it"
    return text


def _persona_lines(name: str, npc: Any) -> Iterator[str]:
    told = npcs.persona_of(npc)
    yield f"|c{name}|n"
    for field, written in told["fields"].items():
        if isinstance(written, dict):
            lines = [f"{regard}: {text}" for regard, text in written.items()]
        elif field in persona.LINES:
            lines = [f"{number}. {line}" for number, line in enumerate(written, 1)]
        else:
            lines = written.splitlines()
        if lines:
            yield f"  |w{field}|n"
            yield from (f"    {escaped(line)}" for line in lines)
    yield "  |wlore|n"
    yield from (f"  {words.fact(fact)}" for fact in told["lore"] or ())
    if not told["lore"]:
        yield "    none"
    if told["goals"]:
        yield "  |wgoals|n"
        yield from (f"    {escaped(goal)}" for goal in told["goals"])
    chosen = [f"{one}: {value}" for one in NAMES if (value := shown(npc, one)) != NOT_SET]
    yield "  |wset for it|n"
    yield from (f"    {line}" for line in chosen)
    empty = [field for field, written in told["fields"].items() if not written]
    if empty:
        yield f"  Not written: {', '.join(empty)}"
