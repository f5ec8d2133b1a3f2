"""The night of the demo: what the innkeeper makes of a day, in words that nobody has said to her."""

from evennia_ai.domain.sleeping import insights
from tests.scenarios.game import ROOT
from tests.scenarios.stage import StepFailed

# A night within one scene: little is enough to think about, and the work of sleep does not begin by
# itself, so that nobody wakes while a busy machine is still about what happens before.
TICK = 3600
QUICK_SLEEP = {"SLEEP_SCHEDULE": {"tick_rate_sleep": TICK}}
THOUGHTFUL = {"evennia_ai.memory.state.reflection_state.THRESHOLD": 30}
# How often the work of sleep goes on, and the seconds in between; a busy machine skips some.
TICKS, BETWEEN = 240, 0.5
# Her own sleepy lines, as in world/minds/innkeeper.yaml.
ASLEEP = "^Mara (murmurs something about barrels|snores, very softly)"
AWAKE_AGAIN = r"\(#\d+\) wakes: the work of sleep is done"


def sleep(scene):
    """The innkeeper sleeps on it, wakes by herself, and tells what nobody told her, and why."""
    scene.bob.does("say Mara, over that bridge I walked home to my mother.")
    scene.bob.sees(r"^Mara says, ")
    scene.ann.sees(r"^Mara says, ")
    scene.ann.does("say Mara, nobody comes to mend the bridge.")
    scene.ann.sees(r"^Mara says, ")
    scene.keeper.does("@aimemory/sleep Mara = deep")
    scene.keeper.sees(r"Mara\S* falls asleep \(deep\)")
    scene.bob.does("say Mara, are you awake?")
    scene.bob.sees(ASLEEP)
    scene.keeper.does("@assistant Mara")
    scene.keeper.sees(r"sleep \(deep, (compacting|dreaming)\)")
    sleep_through(scene, "Mara")
    scene.stage.note("Mara has rated the day, kept it, reflected on it, and wakes by herself")
    scene.keeper.does("@aimemory/wake Mara")
    scene.keeper.sees(r"Mara\S* is awake")
    scene.bob.does("say Mara, what do you make of the bridge?")
    told = scene.bob.sees(r'^Mara says, "(.*\bbridge\b.*)"$')[1]
    check_own_words(scene, told)
    scene.bob.does("say Mara, why do you think so?")
    scene.bob.sees(r'^Mara says, "Because .*Ann told me: "[^"]*bridge')
    scene.bob.never_saw("hearthstone")


def sleep_through(scene, name):
    """Let the work of sleep go on, until somebody has done all of it and wakes by herself."""
    scene.keeper.is_shown = False
    for _ in range(TICKS):
        scene.keeper.sends(f"py __import__('evennia_ai.tick').tick.pulse({TICK})")
        if scene.stage.pump(BETWEEN, until=lambda: scene.game.said(name + AWAKE_AGAIN)):
            return
    raise StepFailed(f"{name} did not wake within {TICKS * BETWEEN:g} s")


def check_own_words(scene, told):
    """Make sure that no four words in a row were typed by anybody or written by her builder."""
    written = [path.read_text("utf-8") for path in (ROOT / "world" / "minds").glob("*.yaml")]
    if insights.shares_a_run(told, [*scene.stage.typed, *written]):
        raise StepFailed(f"that was said or written before: {told!r}")
    texts = f"{len(scene.stage.typed)} lines that were typed, nor in {len(written)} files of minds"
    scene.stage.note(f"no four words in a row of that stand in any of {texts}")
