"""The scenes of our guides: `python -m tests.scenarios.guided` writes what is seen in them now.

Only what differs from the page is written, with what changes from time to time left open. Read the
difference before you commit it: a guide that shows a fault is a fault.
"""

import contextlib
import json
import sys
from types import SimpleNamespace

from tests import model_steps
from tests.model_server import ModelServer
from tests.scenarios import guide
from tests.scenarios.demo_sleep import QUICK_SLEEP, THOUGHTFUL, sleep_through
from tests.scenarios.game import ROOT, SUPERUSER, Game
from tests.scenarios.stage import PATIENCE, Stage

PASSWORD = "ferry-rope-9"
BUILDER, GUESTS = "Edda", ("Ann", "Bob")

# Nobody reads along; and little is enough to think about.
CONSTANTS = {
    **THOUGHTFUL,
    # Whether somebody has to wait for two seconds depends on the machine.
    "evennia_ai.agent.answer.THINKING_AFTER": 60.0,
    # On no machine is a model tried once more before the page is over.
    "evennia_ai.llm.wrappers.breaker.FAILURES": 2,
    "evennia_ai.llm.wrappers.breaker.SECONDS": 3600,
    "evennia_ai.llm.wrappers.retry.ATTEMPTS": 1,
}
# What the model of the admins' guide says to which word, and has used each time.
ANSWERS = {
    "brews": "Old Tam, Ann, in the mill below the ford.",
    "bed": "Three coppers, and one more for breakfast.",
}
OTHERWISE = "That is more than I know, Ann."
USED = {
    "prompt_tokens": 2450,
    "completion_tokens": 38,
    "prompt_tokens_details": {"cached_tokens": 2000},
}
PRICED = {"PRICES": {"village-talk": (0.40, 1.60)}}


@contextlib.contextmanager
def scene(text):
    """Start a game with the files that a page tells to write; yield it with who plays in it."""
    # Evennia lets one address make two accounts in ten minutes.
    with Game(constants=CONSTANTS, EVENNIA_AI=QUICK_SLEEP, CREATION_THROTTLE_LIMIT=None) as game:
        for path, content in guide.files(text):
            (game.directory / path).write_text(content, encoding="utf-8")
        stage = Stage(game.port, write=lambda line: None)
        keeper = stage.enter(*SUPERUSER, staff=True)
        builder, *guests = (stage.enter(name, PASSWORD) for name in (BUILDER, *GUESTS))
        keeper.sends(f"perm *{BUILDER} = Builder")
        builder.sees("(?i)permission")
        players = {player.name: player for player in (keeper, builder, *guests)}
        yield SimpleNamespace(game=game, stage=stage, keeper=keeper, players=players)
        stage.leave()


def builders(scene, stack):
    """Return what happens at the notes of docs/builders.md."""
    return {"she sleeps on it": lambda: sleep_through(scene, "Greta")}


def admins(scene, stack):
    """Return what happens at the notes of docs/admins.md."""
    switched_on = stack.enter_context(contextlib.ExitStack())
    model = switched_on.enter_context(ModelServer(_answer))

    def described():
        options = {"model": "village-talk", "base_url": model.base_url}
        backend = "evennia_ai.llm.openai.OpenAIBackend"
        alias = {"BACKEND": backend, "OPTIONS": options, "PROFILE": "tools"}
        return {**PRICED, "LLM": {"default": alias}}

    return {
        "a model with prices in the settings, and a reload": lambda: _settings(
            scene, **described()
        ),
        "the server of the model is switched off": switched_on.close,
        'the word "mill" in FORBIDDEN_WORDS, and a reload': lambda: _settings(
            scene, FORBIDDEN_WORDS={"words": ["mill"]}
        ),
        "a slip of the pen in the settings, and a reload": lambda: _settings(
            scene, TURN_DEADLIN=20
        ),
        "the settings as they were, and a reload": lambda: _settings(scene),
        "the Server is killed (kill -9) and started": lambda: _crash(scene),
    }


# The pages with transcripts, and what happens at their notes.
PAGES = {"docs/builders.md": builders, "docs/admins.md": admins}


def play(page):
    """Play a page; StepFailed says where it shows what is not so."""
    text = (ROOT / page).read_text(encoding="utf-8")
    with contextlib.ExitStack() as stack, scene(text) as played:
        notes = PAGES[page](played, stack)
        guide.play(page, text, players=played.players, notes=notes)
        return played.game.tracebacks()


def write(page):
    """Play a page, and write what is seen where it shows something else."""
    text = (ROOT / page).read_text(encoding="utf-8")
    with contextlib.ExitStack() as stack, scene(text) as played:
        notes = PAGES[page](played, stack)
        seen = guide.record(text, players=played.players, notes=notes)
    (ROOT / page).write_text(seen, encoding="utf-8")


def _settings(scene, **changed):
    scene.game.configure(EVENNIA_AI={**QUICK_SLEEP, **changed})
    with _restarting(scene):
        scene.keeper.sends("reload")


def _crash(scene):
    with _restarting(scene):
        scene.game.kill_server()
        scene.game.start()


@contextlib.contextmanager
def _restarting(scene):
    """Wait until everybody has been told that what is done in the block is over."""
    for player in scene.players.values():
        player.forget()
    yield
    for player in scene.players.values():
        player.sees("Server restarted", seconds=2 * PATIENCE)


def _answer(body):
    """Answer the last thing that was said, and say what it cost."""
    asked = body["messages"][-1]["content"].splitlines()[-1]
    words = next((said for word, said in ANSWERS.items() if word in asked), OTHERWISE)
    answer = {**model_steps.completion({"content": words}), "usage": USED, "model": body["model"]}
    return model_steps.Step(body=json.dumps(answer).encode())


if __name__ == "__main__":
    for name in sys.argv[1:] or PAGES:
        write(name)
