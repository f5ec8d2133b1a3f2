"""Meetings of the village without the rest of its days: by twos, each time somewhere else, with something new to tell and to keep."""

import random

# News and confidences that are heard before each round, and rounds a day: `life.news.A_DAY` is for two of them.
EACH, A_DAY = 3, 2
DAY = 86_400.0
SEED = 11


class Meetings:
    """Lets those who live there meet; `hands` shows what the clock of the game does."""

    def __init__(self, village, hands, time_of_ours):
        from evennia_ai.sleep import sleep_cycle

        self.village, self.hands, self.time = village, hands, time_of_ours
        self.rooms = [way.destination for way in village[0].obj.location.exits[0].destination.exits]
        self.chance, self.round = random.Random(SEED), 0
        for script in village:
            sleep_cycle.transition_mode(script, "awake", "to meet others")

    def come(self):
        """Let each meet one other, and tell what it may; return how many meetings that were."""
        from evennia_ai.life import news

        self.round += 1
        self.hands.moment += DAY / A_DAY
        self._hear()
        order = self.chance.sample(self.village, len(self.village))
        pairs = list(zip(order[::2], order[1::2], strict=False))
        for number, pair in enumerate(pairs):
            room = self._room(number)
            for script in pair:
                script.obj.location = room
            for script in pair:
                news.meet(script, script.obj)
        self.time.pump([0.1] * 5)
        self.time.advance(DAY / A_DAY)
        return len(pairs)

    def passed_on(self):
        """Return how often one told another something, of what the journals still hold."""
        from evennia_ai.memory import journal

        return sum(
            len(entry.shared) for script in self.village for entry in journal.entries(script.obj)
        )

    def _room(self, number):
        # Whoever meets again where they met has not met anew.
        return self.rooms[(number + self.round * 7) % len(self.rooms)]

    def _hear(self):
        from evennia_ai.agent import ingest
        from evennia_ai.memory import identity

        for script in self.chance.sample(self.village, EACH):
            ingest.add_entry(
                script.obj,
                f"A wolf with {self.round} cubs was seen at ford {script.id}.",
                source_type="observation",
                audience="public",
                importance=self.chance.randint(6, 9),
            )
        for script in self.chance.sample(self.village, EACH):
            between = sorted(["ann", identity.identity_of(script.obj)])
            is_free = self.village.index(script) % 2
            ingest.add_entry(
                script.obj,
                f"The coins of house {script.id} were moved to barn {self.round} of Thornwick.",
                audience=between,
                tags=["whisper", "secret"] if is_free else ["whisper"],
                source_type="direct",
                source_entity="Ann",
                source_id="ann",
                importance=self.chance.randint(6, 10),
            )
