"""Promises made to the village: two each morning, of which one is kept on the next day and the other is not."""

HOUR = 10


class Word:
    """Somebody who promises things, and is gone before anybody sees them."""

    def __init__(self, village, road):
        from evennia.utils.create import create_account

        from tests.scenarios.cast import Person, create_object

        self.village, self.road = village, road
        self.who = create_object(Person, key="Wat", location=road, home=road)
        self.who.account = create_account("Wat", None, "a word of Wat's", typeclass=None)
        # (day on which it was made, who was promised something, what, whether it is to be kept)
        self.made = []
        self.spoken = self.due = self.kept = self.broken = 0

    def come(self, day):
        """Make the promises of a day, keep one of the day before, and greet whom one was broken to."""
        for was, npc, thing, is_kept in list(self.made):
            if is_kept and was == day - 1:
                self._bring(npc, thing)
            elif not is_kept and was == day - 2:
                self._says(npc, "Good day to you.")
        for number in (0, 1):
            npc = self.village[(3 * day + number) % len(self.village)].obj
            thing = f"spade {day} {number}"
            self._says(npc, f"I will bring you the {thing} tomorrow.")
            self.made.append((day, npc, thing, number == 0))
        self.who.location = self.road

    def look(self):
        """Count, an hour after, what of today the village took as what it was."""
        from evennia_ai.domain.memories import promises
        from evennia_ai.memory import identity
        from evennia_ai.memory.people import promised

        today = self.made[-1][0] if self.made else 0
        for was, npc, thing, is_kept in self.made:
            if was != (today - 1 if is_kept else today - 2):
                continue
            how = promises.THEIRS_KEPT if is_kept else promises.THEIRS_BROKEN
            found = promised.settled(npc, identity.perceived(npc, self.who))
            is_right = any(thing in one.action and one.ended == how for one in found)
            self.due += 1
            self.kept += is_kept and is_right
            self.broken += is_right and not is_kept

    def figures(self):
        """Return how many promises came due, how many of them were taken as kept, and how many as broken."""
        return {
            "promises_due": self.due,
            "promises_kept": self.kept,
            "promises_broken": self.broken,
        }

    def _says(self, npc, words):
        from evennia_ai.agent.hearing import perception

        self.spoken += 1
        self.who.location = npc.location
        perception.told(npc, words, self.who)

    def _bring(self, npc, thing):
        from evennia.objects.objects import DefaultObject
        from evennia.utils.create import create_object

        self.who.location = npc.location
        brought = create_object(DefaultObject, key=thing, location=self.who)
        brought.move_to(npc, quiet=True, move_type="give")
