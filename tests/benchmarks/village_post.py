"""The letters of the village: one each morning from every third who lives there to another, and what became of them."""

# At which hour somebody comes round with letters, to how many, and how far off the receiver lives.
HOUR, EVERY, FURTHER = 9, 3, 7


def listed(number, npcs):
    """Return what the persona of a villager says of errands."""
    return ["things: letter", f"to: Villager {(number + FURTHER) % npcs}", "a_day: 100"]


class Post:
    """Somebody who comes with letters, and is gone before anybody sees them."""

    def __init__(self, village, road):
        from evennia.utils.create import create_account

        from tests.scenarios.cast import Person, create_object

        self.village, self.road, self.sent = village, road, []
        self.sender = create_object(Person, key="Postman", location=road, home=road)
        self.sender.account = create_account("Postman", None, "a word of the post", typeclass=None)
        self.refused = 0

    def come(self, day):
        """Let some be given a letter, and asked to bring it."""
        for number in range(day % EVERY, len(self.village), EVERY):
            self._send(self.village[number], f"Villager {(number + FURTHER) % len(self.village)}")
        self.sender.location = self.road

    def figures(self):
        """Return how many were brought, given up with a reason, lost, and are there twice."""
        from evennia.objects.objects import DefaultObject

        from evennia_ai.memory.state import kept_goals

        letters = list(DefaultObject.objects.filter_family(db_key__startswith="letter "))
        goals = [goal for script in self.village for goal in kept_goals.goals(script)]
        given_up = [one for goal in goals for one in goal.milestones if "gave up" in one]
        brought = sum(letter.location == whom for letter, whom in self.sent)
        return {
            "errands": len(self.sent),
            "errands_refused": self.refused,
            "errands_done": round(brought / max(1, len(self.sent)), 4),
            "errands_given_up": len(given_up),
            "things_lost": sum(letter.location is None for letter, _ in self.sent),
            "things_doubled": len(letters) - len(self.sent) - self.refused,
        }

    def _send(self, script, name):
        from evennia.objects.objects import DefaultObject
        from evennia.utils.create import create_object
        from twisted.internet.defer import maybeDeferred

        from evennia_ai import scheduling
        from evennia_ai.agent.loop import use_tool
        from evennia_ai.agent.turn import Turn
        from evennia_ai.core import records
        from evennia_ai.llm.base import ToolCall
        from evennia_ai.memory import errands, identity, lookup

        npc, sender = script.obj, self.sender
        sender.location = npc.location
        letter = create_object(
            DefaultObject, key=f"letter {script.id} {len(self.sent)}", location=sender
        )
        letter.tags.add("letter")
        errands.take_charge(npc, letter, sender)
        letter.move_to(npc, quiet=True, move_type="get")
        event = records.new_event(
            "say",
            "Take this letter, please.",
            event_id=f"letter {letter.id}",
            now=scheduling.now(),
            said_by=identity.perceived(npc, sender),
            actor_id=sender.id,
            actor_name=sender.key,
            location_id=npc.location.id,
        )
        asked = {"thing": "letter", "to": name}
        done = []
        turn = Turn(script, [event])
        maybeDeferred(use_tool, turn, ToolCall("1", "take_errand", asked)).addCallback(done.append)
        if done and str(done[0]).startswith("Error"):
            self.refused += 1
        else:
            whom = errands.receiver(npc, name)
            self.sent.append((letter, lookup.object_by_id(whom.id)))
