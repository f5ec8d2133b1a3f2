"""Plays a scene in the demo game and prints what the players see: `python -m tests.scenarios.demo`.

A real server, real telnet lines, and nothing in the transcript that was not received. Each step is
a function with its title as docstring; it fails by raising, and the next one is played all the same.
"""

import signal
import sys
import time
from types import SimpleNamespace

from tests import model_steps
from tests.model_server import ModelServer
from tests.scenarios.demo_day import a_day, opens, speaks_first, thief, vault
from tests.scenarios.demo_errand import errand
from tests.scenarios.demo_experience import experience
from tests.scenarios.demo_news import news, promise
from tests.scenarios.demo_sleep import QUICK_SLEEP, THOUGHTFUL, sleep
from tests.scenarios.game import SUPERUSER, Game, GameError
from tests.scenarios.stage import PATIENCE, Stage, StepFailed

PASSWORD = "river-road-7"

# Whoever is to stay silent had so many seconds to speak; the offline mind needs half a second.
SILENCE = 1.5
# Seconds that the scripted model takes for an answer, so that things can happen meanwhile; and so many
# that a restart comes first on any machine.
SLOW = 5.0
NEVER = 25.0

# Her own thinking lines, as in world/minds/innkeeper.yaml.
THINKING = "^Mara (polishes a mug|looks up at the rafters)"
# In one evening nobody becomes a friend; in this game they may.
OFFLINE = {
    "FAVORABILITY": {"call": 0.6, "day": 1.0},
    "OCCASIONS": {"pause": 1, "quiet": 5},
    **QUICK_SLEEP,
}
SECRET = "I hid the silver key under the hearthstone"


class ScriptedModel:
    """What stands behind the model server: it says `words` after `seconds`."""

    def __init__(self):
        self.words, self.seconds = "Good evening.", 0.0
        self.server = ModelServer(self._answer)

    def will_say(self, words, *, after=0.0):
        """Answer every request from now on like this."""
        self.words, self.seconds = words, after
        self.server.requests.clear()

    def asked(self):
        """Return how often it was asked since."""
        return len(self.server.requests)

    def _answer(self, body):
        return model_steps.text(self.words).after(self.seconds)


def greeting(scene):
    """A greeting is answered."""
    scene.ann.does("say Good evening, Mara!")
    scene.ann.sees(r'^Mara says, ".*Ann')


def lore(scene):
    """A question is answered from what the innkeeper knows."""
    scene.ann.does("say Mara, who brews the ale here?")
    scene.ann.sees(r'^Mara says, ".*brewed by old Tam')
    scene.ann.does("say And who is the captain of the watch?")
    # Only the guard knows; the innkeeper says so in words of her own.
    scene.ann.sees(r"^Mara says, ")
    scene.ann.never_saw("Ysolde")
    scene.ann.does("say Bertil, who is the captain of the watch?")
    scene.ann.sees(r'^Bertil says, ".*Ysolde')


def emote(scene):
    """An emote is answered with an emote."""
    scene.ann.does("pose smiles at Mara.")
    scene.ann.sees(r"^Mara smiles back at Ann\.")


def hearsay(scene):
    """A fact that Ann told is passed on to Bob, with her name."""
    scene.ann.does("say Mara, the bridge at Ferny Ford was washed away by the rain.")
    scene.ann.sees(r"^Mara says, ")
    scene.bob.does("tavern")
    scene.bob.sees("^Characters:.*Mara")
    scene.bob.never_saw("bridge")
    scene.bob.does("say Mara, what do you know about the bridge?")
    scene.bob.sees(r'^Mara says, ".*Ann.*bridge at Ferny Ford was washed away')


def secret(scene):
    """A whisper is answered in a whisper, and what it said is kept from everybody else."""
    scene.ann.does(f"whisper Mara = {SECRET}.")
    scene.ann.sees(r'^Mara whispers.*"')
    scene.bob.never_saw("whispers|hearthstone")
    scene.bob.does("say Mara, where is the silver key?")
    scene.bob.sees(r"^Mara says, ")
    scene.bob.does("say Mara, what did Ann tell you about the key?")
    scene.bob.sees(r"^Mara says, ")
    scene.ann.does("whisper Mara = Where is the silver key?")
    scene.ann.sees(r"^Mara whispers.*hearthstone")
    scene.bob.never_saw("hearthstone", seconds=SILENCE)


def friend(scene):
    """Who has become a friend is greeted otherwise than a stranger; staff can see why."""
    scene.bob.does("say Good evening, Mara!")
    scene.bob.sees(r'^Mara says, ".*Bob')
    scene.ann.does("get mug")
    scene.ann.sees("^You pick up")
    scene.ann.does("give mug to Mara")
    scene.ann.sees("^You give .*mug.* to Mara")
    scene.ann.does("say Thank you for everything, Mara, you are wonderful!")
    scene.ann.sees(r"^Mara says, ")
    scene.keeper.does(
        "py __import__('evennia_ai.api').api.update_relationship"
        "(self.search('Mara'), self.search('Ann'), 0.6, 'saved the inn')"
    )
    scene.keeper.sees("'new_state': 'friend'")
    scene.ann.does("say Good evening, Mara!")
    scene.ann.sees(r'^Mara says, ".*(There you are again|my friend|Back at last)')


def tell(scene):
    """A tell is for the innkeeper alone, and so is the answer for who sent it."""
    scene.bob.does("tell Mara = What does a bed cost?")
    scene.bob.sees(r"^Mara tells you.*three coppers")
    scene.ann.never_saw("coppers", seconds=SILENCE)


def one_responder(scene):
    """Two minds are in the room, but only one answers a greeting to all."""
    scene.bob.does("say Hello all!")
    scene.bob.sees(r"^(Mara|Bertil) says, ")
    scene.bob.saw_once(r"^(Mara|Bertil) says, ", seconds=SILENCE)


def mirror(scene):
    """A stock object is given a mind, talks, and is silent again without it."""
    scene.keeper.does("@assistant/attach mirror")
    scene.keeper.sees("mirror.* has a mind now")
    scene.ann.does("say Mirror, who am I?")
    scene.ann.sees(r'^mirror says, ".*Ann')
    scene.keeper.does("@assistant/detach mirror")
    scene.keeper.sees(r"\[y/N\]")
    scene.keeper.does("y")
    scene.keeper.sees("mirror.* has no mind any more")
    scene.ann.forget()
    scene.ann.does("say Mirror, who am I?")
    scene.ann.never_saw("^mirror says", seconds=SILENCE)
    # The others still hear and answer, so the silence was the mirror's own.
    scene.ann.does("say Bertil, when is the gate barred?")
    scene.ann.sees(r'^Bertil says, ".*midnight')


def puppet(scene):
    """While somebody plays the innkeeper she says nothing by herself; afterwards she does again."""
    scene.keeper.does("@ic Mara")
    scene.keeper.sees("You become Mara")
    scene.ann.does("say Mara, when does the ferry cross?")
    scene.ann.never_saw(r"^Mara (says|whispers)", seconds=SILENCE)
    scene.keeper.does("say Ask me later, I am not quite myself.")
    scene.ann.sees(r'^Mara says, "Ask me later')
    scene.keeper.does("@ooc")
    scene.keeper.sees("You go OOC")
    scene.ann.does("say Mara, who built this tavern?")
    scene.ann.sees(r'^Mara says, ".*grandmother')
    scene.ann.does("look")
    scene.ann.sees(r"^Characters:.*\bMara\b")
    scene.keeper.does(f"@ic {SUPERUSER[0]}")
    scene.keeper.sees(f"You become {SUPERUSER[0]}")


def status(scene):
    """Staff see how a mind is doing."""
    scene.keeper.does("@assistant Mara")
    scene.keeper.sees("Mara")
    scene.keeper.sees("(?i)offline")


def walks_off(scene):
    """The speaker walks off while the innkeeper thinks, and nothing is said to the empty air."""
    change_minds(scene)
    words = "The cellar? Bricked up, and good riddance."
    scene.model.will_say(words, after=SLOW)
    scene.ann.does("say Mara, what is down in the cellar?")
    # She ponders, for Ann's eyes only.
    scene.ann.sees(THINKING)
    wait_until_asked(scene)
    scene.ann.does("kitchen")
    scene.ann.sees(r"^The Kitchen")
    scene.bob.never_saw("Bricked up", seconds=SLOW + SILENCE)
    scene.bob.never_saw(THINKING)
    scene.ann.never_saw("Bricked up")
    scene.ann.does("common room")
    scene.ann.sees(r"^The Common Room")
    scene.model.will_say("There you are again. Where were we?")
    scene.ann.does("say Mara, I am back.")
    scene.ann.sees(r'^Mara says, "There you are again')


def reload(scene):
    """The game reloads while she thinks, and the question is answered exactly once."""
    scene.model.will_say("A ghost ship's timbers, Ann. They creak when it rains.", after=NEVER)
    scene.ann.does("say Mara, what is this house built of?")
    wait_until_asked(scene)
    scene.ann.never_saw("ghost ship")
    scene.keeper.does("reload")
    scene.ann.sees(r"(?i)restarted")
    answered_once(scene, "ghost ship")


def why(scene):
    """Staff see why she said what she said, and what it cost."""
    scene.model.will_say("Old Tam brews it, Ann, and nobody else may.")
    scene.ann.does("say Mara, who brews the ale here?")
    scene.ann.sees("Old Tam brews it, Ann")
    scene.keeper.does("@assistant/why Mara")
    scene.keeper.sees(r"heard +Ann, say: Mara, who brews the ale here\? \(named: direct_addressing")
    scene.keeper.sees(r"said +say to Ann: Old Tam brews it, Ann")
    scene.keeper.sees(r"lore: .*brewed by old Tam.* \(for everybody\)")
    scene.keeper.sees(r"scripted \(reply\): \d+ ms, \d+ \+ \d+ tokens")
    scene.keeper.does("@aiadmin/cost")
    scene.keeper.sees(r"^ *Mara\(#\d+\)")


def long_ago(scene):
    """What was told before the restarts is still known, and so is what must not be told."""
    scene.game.configure(EVENNIA_AI=OFFLINE)
    scene.stage.note("settings: the offline mind again, and a reload")
    scene.keeper.sends("reload")
    scene.keeper.sees("(?i)restarted")
    scene.bob.does("say Mara, what do you know about the bridge at Ferny Ford?")
    scene.bob.sees(r'^Mara says, ".*Ann.*bridge at Ferny Ford was washed away')
    scene.bob.does("say Mara, where is the silver key?")
    scene.bob.sees(r"^Mara says, ")
    scene.bob.never_saw("hearthstone")
    scene.ann.does("whisper Mara = Where is the silver key?")
    scene.ann.sees(r"^Mara whispers.*hearthstone")


def crash(scene):
    """The Server is killed while she thinks; started again, she answers once, and nobody is mute."""
    scene.model.will_say("Eleven, Ann, and every one of them hungry.", after=NEVER)
    scene.ann.does("say Mara, how many wolves came down last winter?")
    wait_until_asked(scene)
    scene.ann.never_saw("Eleven")
    scene.game.kill_server()
    scene.stage.note("kill -9 of the Server; evennia start")
    scene.game.start()
    answered_once(scene, "Eleven")
    scene.model.will_say("All quiet.")
    scene.bob.does("say Bertil, is all well?")
    scene.bob.sees(r'^Bertil says, "All quiet')
    scene.ann.does("say Mara, and you?")
    scene.ann.sees(r'^Mara says, "All quiet')


def no_traceback(scene):
    """The game stops, and there is no traceback in its logs."""
    scene.stage.leave()
    scene.game.stop()
    found = scene.game.tracebacks()
    scene.stage.note(f"{len(found)} tracebacks in {len(scene.game.log().splitlines())} lines")
    if found:
        raise StepFailed(f"{len(found)} tracebacks, the first: {found[0]!r}")


def wait_until_asked(scene):
    """Wait until the model has been asked: the turn is under way."""
    if not scene.stage.pump(PATIENCE, until=scene.model.asked):
        raise StepFailed("the model was not asked")
    scene.stage.note("the model has been asked, and takes its time")
    # Whoever asks again, after a restart, need not wait as long.
    scene.model.seconds = 0.0


def answered_once(scene, words):
    """Wait for the answer after a restart, and make sure that those in the room hear it once."""
    scene.ann.sees(f'^Mara says, ".*{words}', seconds=2 * PATIENCE)
    scene.ann.saw_once(words, seconds=SILENCE)
    scene.bob.saw_once(words, seconds=0)
    asked = scene.model.asked()
    if asked != 2:
        raise StepFailed(f"the model was asked {asked} times, and not again after the restart")
    scene.stage.note("the model was asked again, she answered once")


def change_minds(scene):
    """Put the scripted model in place of the offline mind, as staff would: settings and a reload."""
    model = {
        "BACKEND": "evennia_ai.llm.openai.OpenAIBackend",
        "OPTIONS": {"model": "scripted", "base_url": scene.model.server.base_url},
        "PROFILE": "plain",
    }
    # What is summed up and kept beside the talk is no part of the play.
    minds = {"default": {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}, "reply": model}
    scene.game.configure(EVENNIA_AI={**OFFLINE, "LLM": minds})
    scene.stage.note(f"settings: a slow model at {scene.model.server.base_url}, and a reload")
    scene.keeper.sends("reload")
    scene.keeper.sees("(?i)restarted")


STEPS = (
    # With no model anywhere.
    greeting,
    lore,
    emote,
    hearsay,
    secret,
    friend,
    tell,
    one_responder,
    mirror,
    puppet,
    status,
    sleep,
    opens,
    a_day,
    speaks_first,
    thief,
    vault,
    news,
    promise,
    errand,
    experience,
    # With a slow scripted model on loopback.
    walks_off,
    why,
    reload,
    crash,
    # With the offline mind again.
    long_ago,
    no_traceback,
)


def play(scene):
    """Play all steps; return how many passed."""
    passed = 0
    for number, step in enumerate(STEPS, 1):
        print(f"\n{number}. {step.__doc__}")
        started = time.monotonic()
        try:
            scene.stage.begin_step()
            step(scene)
            passed += 1
            verdict = "passed"
        except (StepFailed, GameError, OSError) as error:
            verdict = f"FAILED: {error}"
        scene.stage.note(f"{verdict}, {time.monotonic() - started:.1f} s")
    return passed


def run():
    """Start the game, play, stop; return how many steps passed."""
    print("[a game of its own: migrate, start]")
    model = ScriptedModel()
    with model.server, Game(constants=THOUGHTFUL, EVENNIA_AI=OFFLINE) as game:
        stage = Stage(game.port)
        stage.note(f"The Crooked Lantern runs, telnet on port {game.port}")
        scene = SimpleNamespace(game=game, stage=stage, model=model)
        scene.keeper = stage.enter(*SUPERUSER, staff=True)
        scene.bob = stage.enter("Bob", PASSWORD)
        scene.bob.does("yard")
        scene.bob.sees("^Exits")
        scene.ann = stage.enter("Ann", PASSWORD)
        passed = play(scene)
        game.keep = passed < len(STEPS)
        if game.keep:
            print(f"\n[the logs are kept in {game.directory / 'server' / 'logs'}]")
    return passed


def main():
    """Play the demo; the exit status is 0 only if every step passed."""
    # Whoever ends the demo from outside ends the game that it started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    started, passed = time.monotonic(), 0
    try:
        passed = run()
    except (GameError, StepFailed) as error:
        print(f"[{error}]")
    except KeyboardInterrupt:
        print("[interrupted]")
    print(f"\n[{time.monotonic() - started:.0f} s]")
    print(f"demo: {passed} of {len(STEPS)} steps passed")
    return int(passed < len(STEPS))


if __name__ == "__main__":
    sys.exit(main())
