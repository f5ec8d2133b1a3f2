"""Inside the Server: a street, and an NPC who carries letters from one end of it to the other."""

from evennia.objects.objects import DefaultExit, DefaultObject, DefaultRoom
from evennia.utils.create import create_object

from evennia_ai import scheduling
from evennia_ai.domain.choices import step_rules
from evennia_ai.memory import identity, persona
from evennia_ai.memory.state import kept_goals
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter

CARRIER, RECEIVER, SENDER = "Mara", "Bertil", "Ann"


def build(rooms):
    """Build the street with the carrier and a sender at its first room, and the receiver at the last."""
    street = [create_object(DefaultRoom, key=f"Step {number}") for number in range(rooms)]
    for here, there in zip(street, street[1:], strict=False):
        create_object(DefaultExit, key="on", location=here, destination=there)
        create_object(DefaultExit, key="back", location=there, destination=here)
    for name, room in ((CARRIER, street[0]), (RECEIVER, street[-1]), (SENDER, street[0])):
        npc = create_object(AssistantCharacter, key=name, location=room, home=room)
        listed = ["things: letter", f"to: {RECEIVER}"] if name == CARRIER else []
        persona.save_persona(npc, {"description": "One of the street.", "errands": listed})
        scripts.attach(npc)


def send(number):
    """Let the carrier set out with a letter."""
    npc, receiver, sender = map(_named, (CARRIER, RECEIVER, SENDER))
    letter = create_object(DefaultObject, key=f"letter {number}", location=npc)
    letter.tags.add("letter")
    who, whom = identity.perceived(npc, sender), identity.perceived(npc, receiver)
    kept_goals.add_goal(
        scripts.find(npc),
        f"Bring {letter.key} to {RECEIVER}",
        audience=sorted({who, whom, identity.identity_of(npc)}),
        said_by=who,
        about=[whom],
        plan=step_rules.errand(
            thing=(identity.identity_of(letter), letter.id),
            sender=(who, sender.id),
            receiver=(whom, receiver.id),
            back_to=npc.location.id,
            is_here=True,
            now=scheduling.now(),
        ),
    )


def look():
    """Return who has which letter, where the carrier is, and how each errand stands."""
    letters = DefaultObject.objects.filter_family(db_key__startswith="letter ")
    holders = sorted((one.key, one.location.key if one.location else "") for one in letters)
    npc = _named(CARRIER)
    goals = [
        (goal.title, goal.status, [step.act for step in goal.plan], goal.milestones)
        for goal in kept_goals.goals(scripts.find(npc))
    ]
    return holders, npc.location.key, goals


def _named(name):
    [found] = AssistantCharacter.objects.filter(db_key=name)
    return found
