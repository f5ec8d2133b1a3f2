"""Scenes that are answered by hand: played to be recorded on a tape, and played again from it.

A scene is a dialogue file. Its NPC thinks by our real client, over loopback. The game's time stands
still while an answer is written, and `THINKING` seconds of it pass for each.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any
from unittest import mock

from twisted.internet.defer import Deferred

from evennia_ai import scheduling
from evennia_ai.llm import loop_thread
from evennia_ai.testing import dialogues
from evennia_ai.testing.dialogue import dialogue_apart, dialogue_cast, dialogue_file
from evennia_ai.testing.dialogue.dialogue_plan import Dialogue
from evennia_ai.testing.dialogues import TAPE_SUFFIX, Report, Result
from tests.by_hand import tape as by_hand_tape
from tests.by_hand.server import ByHandServer
from tests.by_hand.tape import Earlier, ReplayServer, Tape

# Seconds of the game's time that an answer takes.
THINKING = 2.0
# Seconds for what is measured by the clock on the wall: a person may take all day.
DAY = 86_400.0
MODEL = "evennia_ai.llm.openai.OpenAIBackend"


class PatientRunner(loop_thread.InlineRunner):
    """Answers after `THINKING` seconds of the game's time, however long it really takes."""

    def run(self, make_coroutine: Any, *, timeout: float, what: str = "The model") -> Deferred[Any]:
        """See `Runner.run`; what happens meanwhile happens before the answer."""

        def answer() -> None:
            inner = super(PatientRunner, self).run(make_coroutine, timeout=DAY, what=what)
            inner.addCallbacks(result.callback, result.errback)

        call = scheduling.clock().callLater(THINKING, answer)
        result: Deferred[Any] = Deferred(lambda _: call.active() and call.cancel())
        return result


def settings_for(base_url: str) -> dict[str, Any]:
    """Return the settings of EVENNIA_AI under which NPCs think by a server whose answers take long."""
    options = {"model": "by hand", "base_url": base_url, "concurrency": 1}
    return {
        "ALLOW_MODEL_REQUESTS": True,
        "LLM": {"default": {"BACKEND": MODEL, "OPTIONS": options, "PROFILE": "tools"}},
    }


def load(path: Path) -> tuple[Dialogue, str]:
    """Return the scene of a file, and its text.

    Raises:
        ValueError: it cannot be read, or what is wrong with it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    return dialogue_file.read(data, name=path.name), data.decode("utf-8-sig")


def play(dialogue: Dialogue, base_url: str, *, on_result: Callable[[Result], None]) -> Report:
    """Play a scene with the model at `base_url`; return what came of it.

    Raises:
        ValueError: it cannot be played; the text is a sentence.
    """
    with (
        tempfile.TemporaryDirectory(prefix="evennia-ai-by-hand-") as folder,
        dialogue_apart.own_memory(folder, **{**dialogue.settings, **settings_for(base_url)}),
        dialogue_apart.own_time() as clock,
        mock.patch("evennia_ai.sleep.sleep_llm.DEADLINE", DAY),
        mock.patch("evennia_ai.llm.wrappers.retry.ATTEMPTS", 1),
    ):
        runner = PatientRunner()
        loop_thread.set_runner(runner)
        try:
            original = dialogue_apart.drive(dialogue_cast.find(dialogue, []), clock)
            playing = dialogues.play(replace(dialogue, minds=""), original, on_result=on_result)
            return dialogue_apart.drive(playing, clock)
        finally:
            runner.stop()


def record(
    scene: Path,
    folder: Path,
    *,
    timeout: float = 0.0,
    tell: Callable[[str], None] = print,
    on_result: Callable[[Result], None] = lambda result: None,
) -> tuple[Report, Tape]:
    """Play a scene and wait for each answer in a folder; return what came of it, and its tape.

    What is answered there already is not asked again, as long as the request is the same. Of a tape
    the scene is recorded anew, and asked is only what its answers do not fit any more.
    """
    recorder, earlier = _Recorder(), None
    if scene.suffix == TAPE_SUFFIX:
        before = by_hand_tape.read(scene)
        name, text = before.name, before.scene
        dialogue = dialogue_file.read(text.encode(), name=name)
        earlier = Earlier(before, lambda: len(recorder.said)).answer
    else:
        name = scene.name
        dialogue, text = load(scene)

    def note(result: Result) -> None:
        recorder.note(result)
        on_result(result)

    with ByHandServer(
        folder,
        timeout=timeout,
        known=earlier,
        tell=tell,
        on_answer=recorder.answered,
    ) as server:
        tell(f"The model is at {server.base_url}; its answers are written in {folder}.")
        report = play(dialogue, server.base_url, on_result=note)
    return report, Tape(name, text, recorder.lines)


def replay(tape: Tape) -> list[str]:
    """Play a scene with the answers of its tape; return in sentences what is not as it was."""
    dialogue = dialogue_file.read(tape.scene.encode(), name=tape.name)
    recorder = _Recorder()
    with ReplayServer(tape) as server:
        report = play(dialogue, server.base_url, on_result=recorder.note)
        wrong = [*server.problems, *server.left_over()]
    for result in report.results:
        wrong += [f"{tape.name}, line {result.line}: {problem}" for problem in result.problems]
    for before, now in zip_longest(tape.said, recorder.said):
        if before != now:
            wrong.append(f"{tape.name}: on the tape {before}, and now {now}.")
    return [*wrong, *by_hand_tape.lost_rounds(tape.lines)]


class _Recorder:
    """Takes down what happens in the order in which it does."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self._asked: list[dict[str, Any]] = []

    @property
    def said(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if "said" in line]

    def answered(self, number: int, body: dict[str, Any], answer: dict[str, Any]) -> None:
        self._asked.append(by_hand_tape.asked_line(number, body, answer))

    def note(self, result: Result) -> None:
        self.lines.append({"did": result.title, "line": result.line})
        self.lines += self._asked
        self._asked = []
        said = [list(one) for one in result.outcome.said]
        used = [name for name, _ in result.outcome.tools]
        self.lines.append({"said": said, "used": used})
