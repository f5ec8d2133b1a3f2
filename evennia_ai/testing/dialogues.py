"""Dialogues that test an NPC: a file is played against it, line by line, and what came of it told.

    dialogue = dialogues.load("innkeeper.yaml")
    original = yield dialogue_cast.find(dialogue, npcs)
    report = yield dialogues.play(dialogue, original)

`docs/testing.md` tells what a file may say. In a test of your own `dialogue_apart.drive` winds the
clock until the report is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from django.utils.module_loading import import_string
from twisted.internet.defer import inlineCallbacks
from twisted.internet.task import deferLater

from evennia_ai import conf, scheduling
from evennia_ai.agent.hearing import presence
from evennia_ai.agent.revising import mind_transfer
from evennia_ai.llm import base, ledger
from evennia_ai.llm.base import Backend
from evennia_ai.llm.wrappers.breaker import OFFLINE
from evennia_ai.llm.wrappers.tape import Tape
from evennia_ai.memory.seeds import mind_folders
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.testing.dialogue import dialogue_attempts, dialogue_checks, dialogue_file
from evennia_ai.testing.dialogue.dialogue_canaries import Canaries
from evennia_ai.testing.dialogue.dialogue_cast import Original
from evennia_ai.testing.dialogue.dialogue_checks import Cost, Outcome
from evennia_ai.testing.dialogue.dialogue_plan import Dialogue, Expected, Person, Step
from evennia_ai.testing.dialogue.dialogue_stage import Stage, StageError

SUFFIXES = (".yaml", ".yml")
TAPE_SUFFIX = ".jsonl"
# Seconds after which something happens while the NPC still thinks.
MEANWHILE = 1.0
# Seconds from one line to the next at least.
MOMENT = 0.1
# Millionths of money, as the ledger counts, in one whole unit.
MILLION = 1_000_000


@dataclass(frozen=True)
class Result:
    """What came of one step: its line in the file (0 for an injection), what it was, what is wrong."""

    line: int
    title: str
    problems: tuple[str, ...] = ()
    outcome: Outcome = Outcome()

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@dataclass(frozen=True)
class Report:
    """What came of a whole dialogue; `mind` is the name of what thought."""

    name: str
    npc: str
    mind: str
    results: tuple[Result, ...]

    @property
    def passed(self) -> bool:
        """Whether every step passed."""
        return all(result.passed for result in self.results)


def load(name: str) -> Dialogue:
    """Return the dialogue of a file in the folder of dialogues.

    Raises:
        ValueError: there is none, or something is wrong with it: a sentence in each line.
    """
    folder = mind_folders.DIALOGUES
    file = mind_folders.find(name, folder=folder, suffixes=SUFFIXES)
    data = mind_folders.read(file, folder=folder, limit=mind_folders.SEED_BYTES)
    return dialogue_file.read(data, name=file)


def tape_of(dialogue: Dialogue) -> Any:
    """Return the path of a dialogue's tape: the file that it names, else one of its own name."""
    name = dialogue.tape or f"{dialogue.name.rpartition('.')[0]}{TAPE_SUFFIX}"
    return mind_folders.path_of(name, folder=mind_folders.DIALOGUES)


def mind_for(dialogue: Dialogue) -> Backend | None:
    """Return the mind that a dialogue asks for, None for the one of the game.

    Raises:
        ValueError: it asks for a model or a tape, and there is none.
    """
    if dialogue.minds == "offline":
        return import_string(OFFLINE)()
    if dialogue.minds == "model" and not base.get_llm("reply").is_model:
        raise ValueError(f"{dialogue.name}: it asks for a model, and the settings have none.")
    if dialogue.minds != "tape":
        return None
    path = tape_of(dialogue)
    if not path.is_file():
        raise ValueError(f"{dialogue.name}: there is no tape {path.name}; record it first.")
    # The ledger counts what is played back as it did when it was paid.
    return ledger.Ledger(Tape(file=path, is_recording=False))


@inlineCallbacks
def play(
    dialogue: Dialogue,
    original: Original,
    *,
    on_result: Callable[[Result], None] | None = None,
):
    """Play a dialogue with a double of `original`; return the `Report`.

    `on_result` is called after each step. Whatever happens, what was made for it is deleted.

    Raises:
        ValueError: it cannot be played; the text is a sentence.
    """
    mind = mind_for(dialogue)
    stage = Stage()
    results: list[Result] = []
    try:
        for alias in conf.get("LLM") if mind is not None else ():
            base.install(alias, mind)
        yield stage.set(original, room=dialogue.room, people=dialogue.people)
        player = _Player(stage, dialogue, on_result or (lambda result: None), results)
        yield stage.wait()
        for step, following in zip_longest(dialogue.steps, dialogue.steps[1:]):
            yield player.play(step, waits=not (following and following.meanwhile))
        yield player.look_back()
        if dialogue.injections:
            yield dialogue_attempts.play(player)
        name = base.get_llm("reply").name
    finally:
        yield stage.strike()
        if mind is not None:
            base.get_alias.clear()
    return Report(dialogue.name, original.key, name, tuple(results))


class _Player:
    """Plays steps, and watches what comes of each."""

    def __init__(
        self,
        stage: Stage,
        dialogue: Dialogue,
        on_result: Callable[[Result], None],
        results: list[Result],
    ) -> None:
        self.stage, self.dialogue, self.results = stage, dialogue, results
        self._on_result = on_result
        self.canaries = Canaries(dialogue.canaries, stage.identities())
        self._known: set[str] = set()
        self._read: dict[str, int] = {}

    @inlineCallbacks
    def play(self, step: Step, *, waits: bool = True):
        """Play one step, and keep its result; what is not waited for counts to the next."""
        outcome, problems = yield self.perform(step, waits=waits)
        problems += dialogue_checks.problems(step.expected, outcome)
        self.keep(Result(step.line, title(step), tuple(problems), outcome))

    @inlineCallbacks
    def look_back(self):
        """Look at all that came of it, where the file says what should hold at the end."""
        wanted = self.dialogue
        if wanted.at_end == Expected() and not (wanted.remembers or wanted.remembers_nothing_of):
            return
        outcome = dialogue_checks.together([result.outcome for result in self.results])
        mind = yield mind_transfer.take_mind(self.stage.npc, self.stage.script)
        problems = [
            *dialogue_checks.problems(wanted.at_end, outcome),
            *dialogue_checks.memories(wanted, mind),
        ]
        self.keep(Result(0, "at the end", tuple(problems)))

    @inlineCallbacks
    def perform(self, step: Step, *, waits: bool = True):
        """Let one thing happen; return what came of it, and what is wrong whatever was expected."""
        stage, began, row = self.stage, time.monotonic(), self.stage.last_row()
        problems: list[str] = []
        try:
            if step.deed == "after":
                yield stage.pass_time(step.seconds)
            elif step.deed == "sleep":
                yield stage.sleep()
            else:
                self.canaries.tell(step.text, self._hearers(step))
                yield stage.do(step)
                # No two lines are of one instant.
                yield deferLater(scheduling.clock(), MOMENT)
                yield stage.wait() if waits else deferLater(scheduling.clock(), MEANWHILE)
        except (StageError, MemoryUnavailable) as error:
            problems.append(f"{error}")
        if not waits:
            return Outcome(), problems
        turns = stage.turns_after(self._known)
        self._known.update(turn.id for turn in turns)
        for turn in turns:
            problems += self._look_at(turn)
        problems += self._look_at_heard()
        cost = _cost(stage.rows_after(row), seconds=time.monotonic() - began)
        return _outcome(turns, cost), list(dict.fromkeys(problems))

    def admit(self, person: Person, *, canary: str = "") -> None:
        """Let another person come in; `canary` is watched from now on."""
        self.stage.add(person)
        self.canaries.know(person.name, self.stage.identities()[person.name])
        if canary:
            self.canaries.watch(canary)

    def dismiss(self, name: str) -> None:
        """Let a person be gone again."""
        self.stage.remove(name)
        self.canaries.let_go(name)
        self._read.pop(name, None)

    def keep_attempt(self, title: str, problems: list[str], outcomes: list[Outcome]) -> None:
        """Keep what came of something that does not stand in the file."""
        self.keep(Result(0, title, tuple(problems), dialogue_checks.together(outcomes)))

    def keep(self, result: Result) -> None:
        """Keep a result, and tell of it."""
        self.results.append(result)
        self._on_result(result)

    def turns(self) -> list[Any]:
        """Return the turns of the NPC that are kept, the newest last."""
        return self.stage.turns_after(set())

    def _hearers(self, step: Step) -> list[str]:
        """Return who is told what is said in a step."""
        if step.deed in ("whisper", "tell"):
            return [step.person]
        is_public = conf.get("ROOM_TALK") == "public"
        is_private = presence.is_secluded(self.stage.room)
        return list(self.stage.people) if is_public and not is_private else self.stage.present()

    def _look_at(self, turn: Any) -> list[str]:
        """Return what is wrong with a turn: it gave no answer, or its prompt was for too many."""
        problems = []
        if turn.excused:
            problems += [note for note in turn.notes if note.startswith("no answer:")]
        shown = [one for one in turn.record.messages if one["role"] != "assistant"]
        prompt = "\n".join(str(message.get("content") or "") for message in shown)
        return problems + self.canaries.prompted(prompt, turn.audience)

    def _look_at_heard(self) -> list[str]:
        """Return what reached somebody that should not, since the last look."""
        stage, problems = self.stage, []
        spoken_by_people = set(stage.people.values())
        for name in stage.people:
            lines = stage.heard(name)
            for line in lines[self._read.get(name, 0) :]:
                if line.from_id not in spoken_by_people:
                    problems += self.canaries.heard(name, line.text)
            self._read[name] = len(lines)
        return problems


def title(step: Step) -> str:
    """Return a step in words."""
    if step.deed == "after":
        return f"{step.seconds:g} seconds pass"
    if step.deed == "sleep":
        return "it sleeps"
    does = {"arrive": "arrives", "leave": "leaves"}.get(step.deed, f"{step.deed}s")
    return f"{step.person} {does}: {step.text}" if step.text else f"{step.person} {does}"


def _outcome(turns: list[Any], cost: Cost) -> Outcome:
    said = tuple((kind, words) for turn in turns for kind, words, _ in turn.record.said)
    tools = tuple(one for turn in turns for one in dialogue_checks.tools_of(turn.record.messages))
    return Outcome(said, tools, cost)


def _cost(rows: list[dict[str, Any]], *, seconds: float) -> Cost:
    counts = [row[key] or 0 for row in rows for key in ("prompt_tokens", "completion_tokens")]
    return Cost(
        calls=len(rows),
        tokens=sum(counts),
        money=sum(row["money"] for row in rows) / MILLION,
        seconds=seconds,
    )
