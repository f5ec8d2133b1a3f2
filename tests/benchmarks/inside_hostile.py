"""Inside the Server: players who type lines that are made to take long."""

from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultRoom
from evennia.utils.create import create_object
from twisted.internet import reactor
from twisted.internet.defer import inlineCallbacks
from twisted.internet.task import deferLater

from evennia_ai import scheduling
from evennia_ai.agent.revising import forgetting
from evennia_ai.memory import identity, working_memory
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.benchmarks.inside_watch import INTERVAL, Watch
from tests.benchmarks.inside_world import make_speaker

NPCS = 5
# What Evennia takes of a line from a client.
LINE = 6000
# Shapes that were found to hold a game up, among others of their sort.
PLAIN = "Good evening to you all. "
SHAPES = ("|", "|lc", "ä", "a1", "„", "(", " ,", ", ", "\\", "$f(", "Mara ", "1.", "haha")


def build():
    """Build a room in which five minds listen to Ann, and one where nobody listens to Carl."""
    room = create_object(DefaultRoom, key="Room of minds")
    for number in range(NPCS):
        body = create_object(AssistantCharacter, key=f"Npc{number}", location=room, home=room)
        scripts.attach(body)
    make_speaker("Ann", room)
    make_speaker("Carl", create_object(DefaultRoom, key="Room of nobody"))


@inlineCallbacks
def play(command):
    """Type a line of each shape; return how long the reactor was held at most, and by which.

    A plain line as long comes first: what the first line of a Server costs is told apart.
    """
    held, speaker = {}, _found("Carl" if command == "stock" else "Ann")
    for shape in (PLAIN, *SHAPES) if command != "forget" else ("all of them",):
        watch = Watch()
        if command == "forget":
            # A player answers yes; the question is none of what is measured.
            yield forgetting.ask(speaker)
        else:
            line = (shape * LINE)[:LINE]
            verb = f"tell Npc0 = {line}" if command == "tell" else f"say {line}"
            speaker.execute_cmd(verb)
        yield _settled()
        held[shape] = max(watch.stop())
    first = held.pop(PLAIN, 0.0)
    ann = identity.identity_of(_found("Ann"))
    shape = max(held, key=held.get)
    return {
        "first_ms": first,
        "worst_ms": held[shape],
        "shape": shape,
        "held": held,
        "remembered": sum(line.said_by == ann for line in working_memory.all_lines(_found("Npc1"))),
    }


@inlineCallbacks
def _settled():
    yield deferLater(reactor, 0.2, lambda: None)
    while scheduling.waiting():
        yield deferLater(reactor, INTERVAL, lambda: None)


def _found(key):
    return ObjectDB.objects.get(db_key=key)
