"""Tapes of scenes that were answered by hand: who did what, what was asked and answered, what was said.

A tape is a file of JSON lines. The first holds the scene as it was written; then come, for each step,
what was done, each request with its answer, and what the NPC said. An answer is found by its job and
by its place among those of that job; at night, where people come in no order, by what it quotes. Of the
prompt only the kind counts, so that its words may change: the results of which tools it goes on from,
and that the tools of the answer are offered.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evennia_ai.domain.model_text.quotation import plain
from tests import model_steps
from tests.by_hand import requests
from tests.by_hand import server as by_hand
from tests.model_server import ModelServer
from tests.model_steps import Step

Line = dict[str, Any]

# The job of whose requests the order is the players', and the other that uses tools.
TALK, ALONE = "reply", "reflect"
# One that does not end is read to the end, and only once.
_QUOTE = re.compile(r'"(?:[^"\\]|\\.)+(?:"|\\?\Z)')


class BadTape(ValueError):
    """A file is no tape; the text is a sentence."""


@dataclass(frozen=True)
class Tape:
    """A tape: the scene that it is of, as YAML, and its lines."""

    name: str
    scene: str
    lines: list[Line] = field(default_factory=list)

    @property
    def asked(self) -> list[Line]:
        """The requests, each with its answer."""
        return [line for line in self.lines if "answer" in line]

    @property
    def said(self) -> list[Line]:
        """What came of each step."""
        return [line for line in self.lines if "said" in line]


def read(path: Path) -> Tape:
    """Return the tape of a file.

    Raises:
        BadTape: it is none.
    """
    try:
        first, *lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return Tape(first["name"], first["scene"], lines)
    except OSError as error:
        raise BadTape(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError) as error:
        raise BadTape(f"{path} is no tape: {error}.") from None


def write(path: Path, tape: Tape) -> None:
    """Write a tape."""
    lines = [{"name": tape.name, "scene": tape.scene}, *tape.lines]
    path.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines), "utf-8")


def asked_line(number: int, body: dict[str, Any], answer: dict[str, Any]) -> Line:
    """Return the line for a request and its answer."""
    job = requests.job_of(body)
    known = {"asked": number, "job": job, "after": results_in(body), "digest": by_hand.digest(body)}
    quoted = {} if job == TALK else {"quotes": sorted(quotes_in(body))}
    return {**known, **quoted, "answer": answer}


def results_in(body: dict[str, Any]) -> list[str]:
    """Return the names of the tools whose results a request ends with, whatever was said meanwhile."""
    names = {
        call["id"]: call["function"]["name"]
        for message in body["messages"]
        for call in message.get("tool_calls") or ()
    }
    found: list[str] = []
    for message in reversed(body["messages"]):
        if message["role"] == "user" and not found:
            continue
        if message["role"] != "tool":
            break
        found.insert(0, names.get(message["tool_call_id"], ""))
    return found


def quotes_in(body: dict[str, Any]) -> set[str]:
    """Return the words of people in what a request shows last, each as a JSON string."""
    told = str(body["messages"][-1]["content"])
    lines = (line.partition(": ")[2] for line in told.splitlines())
    return {*_QUOTE.findall(told), *(json.dumps(one, ensure_ascii=False) for one in lines if one)}


def lost_rounds(lines: Iterable[Line]) -> list[str]:
    """Return a sentence for each answer of which no tool was used: that round was thrown away."""
    every = list(lines)
    used = [name for line in every for name in line.get("used", ())]
    lost = []
    for line in every:
        calls = line["answer"]["tool_calls"] if line.get("job") in (TALK, ALONE) else []
        names = [call["name"] for call in calls]
        if names and used[:1] != names[:1]:
            lost.append(f"the tools of request {line['asked']} were not used: {', '.join(names)}.")
        # Behind a tool that ends the turn, the others are left.
        while names and used[:1] == names[:1]:
            del used[0], names[0]
    return lost


class Earlier:
    """The answers of a tape for a scene that is recorded anew: those of a step, as far as they fit.

    `step` says how many steps are over. Where the prompts of a step are of another kind now, or more,
    somebody has to answer.
    """

    def __init__(self, tape: Tape, step: Callable[[], int]) -> None:
        self._step = step
        self._steps: list[deque[Line]] = []
        for line in tape.lines:
            if "did" in line:
                self._steps.append(deque())
            elif "answer" in line:
                self._steps[-1].append(line)

    def answer(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return what was answered, None where nothing fits."""
        left = self._steps[self._step()] if self._step() < len(self._steps) else deque()
        job = requests.job_of(body)
        of_job = [line for line in left if line["job"] == job]
        found = _most_alike(of_job, body) if of_job else None
        if found is None or (job == TALK and found is not left[0]) or misfit(found, body):
            left.clear()
            return None
        left.remove(found)
        return found["answer"]


def _most_alike(lines: Sequence[Line], body: dict[str, Any]) -> Line:
    """Return the line for a request: the first of its job, or at night the one most alike."""
    shown = str(body["messages"][-1]["content"])

    def alike(line: Line) -> int:
        known = line.get("quotes", ())
        return sum(one in shown or plain(json.loads(one)) in shown for one in known)

    return max(lines, key=alike)


def misfit(line: Line, body: dict[str, Any]) -> str:
    """Return why an answer of a tape does not fit a request of its job, "" if it does."""
    after = results_in(body)
    if line["after"] != after:
        before, now = (", ".join(names) or "no tool" for names in (line["after"], after))
        return f"comes after {now}, and on the tape after {before}"
    wanted = {call["name"] for call in line["answer"]["tool_calls"]}
    gone = sorted(wanted - requests.tools_of(body).keys())
    return f"does not offer {', '.join(gone)}, which the tape uses" if gone else ""


class ReplayServer(ModelServer):
    """Answers from a tape; `problems` are the requests that the tape does not have."""

    def __init__(self, tape: Tape, *, port: int = 0) -> None:
        super().__init__(self._step, port=port)
        self.problems: list[str] = []
        self._name = tape.name
        self._left: defaultdict[str, deque[Line]] = defaultdict(deque)
        for line in tape.asked:
            self._left[line["job"]].append(line)
        self._served: defaultdict[str, int] = defaultdict(int)

    def left_over(self) -> list[str]:
        """Return a sentence for each job that was asked for less often than on the tape."""
        return [
            f"the tape {self._name} has {len(left)} more of the job {job}."
            for job, left in self._left.items()
            if left
        ]

    def _step(self, body: dict[str, Any]) -> Step:
        problem = self._problem(body)
        if problem:
            self.problems.append(problem)
            return model_steps.status(409, problem)
        line = self._next(body)
        self._left[line["job"]].remove(line)
        return by_hand.step_of(line["answer"], body, number=line["asked"])

    def _problem(self, body: dict[str, Any]) -> str:
        job = requests.job_of(body)
        self._served[job] += 1
        which = f"request {self._served[job]} of the job {job}"
        if not self._left[job]:
            return f"the tape {self._name} has no {which}."
        problem = misfit(self._next(body), body)
        return f"{self._name}: {which} {problem}." if problem else ""

    def _next(self, body: dict[str, Any]) -> Line:
        return _most_alike(self._left[requests.job_of(body)], body)
