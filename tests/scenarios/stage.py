"""A stage for scenarios: players in a running game, and a transcript of what each of them sees."""

import re
import select
import textwrap
import time

from tests.scenarios.telnet import Connection

# Seconds after which what should be seen will not come any more; a busy machine is slow.
PATIENCE = 60.0
# Lines that come in within so many seconds are told together: who sees the same, sees it at once.
TOGETHER = 0.05
# The form of the transcript.
NAMES_WIDTH = 14
WIDTH = 104

_ASKED_BACK = re.compile(r"^Echo returns: \D*(\d+)\D*$")


class StepFailed(AssertionError):
    """What a step shows did not happen; the text says what was awaited."""


class Stage:
    """The players of one game; `write` gets each line of the transcript."""

    def __init__(self, port, *, write=print):
        self.port = port
        self.players = []
        # Every line that somebody typed.
        self.typed = []
        self._write = write

    def enter(self, name, password, *, staff=False):
        """Let a player come in by telnet; staff have an account, the others create one."""
        player = Player(name, Connection(self.port), self, staff=staff)
        self.players.append(player)
        player.sees(r"connect <name> <password>")
        if not staff:
            player.sends(f"create {name} {password}")
            player.sees(r"\[Y\]/N")
            player.sends("y")
            player.sees(r"new account .* was created")
        player.sends(f"connect {name} {password}")
        player.sees(rf"You become {name}")
        player.sees(r"^(Exits|Characters|You see):")
        player.catches_up()
        player.is_shown = not staff
        self.note(f"{name} comes in by telnet")
        return player

    def leave(self):
        """Hang up for everybody."""
        for player in self.players:
            player.connection.close()

    def begin_step(self):
        """Forget what was seen so far."""
        for player in self.players:
            player.catches_up()
        for player in self.players:
            player.forget()
            player.is_shown = not player.is_staff

    def note(self, text):
        """Tell what the players do not see."""
        self.tell("", f"[{text}]")

    def tell(self, who, text, *, sign=" "):
        """Write one line of the transcript."""
        head = f"{who:>{NAMES_WIDTH}} {sign} "
        self._write(
            textwrap.fill(
                text,
                WIDTH,
                initial_indent=head,
                subsequent_indent=" " * len(head),
                break_long_words=False,
            )
        )

    def pump(self, seconds, *, until=None):
        """Let time pass and take in what the players see, until `until()` holds; return it."""
        end = time.monotonic() + seconds
        while not (until and until()):
            left = end - time.monotonic()
            if left <= 0:
                return False
            self._take_in(min(left, 0.25))
        return True

    def _take_in(self, seconds):
        if not self._readable(seconds):
            return
        time.sleep(TOGETHER)
        # line → who sees it, in the order in which it came
        shown = {}
        for player in self._readable(0):
            for line in filter(None, player.connection.receive()):
                if asked_back := _ASKED_BACK.match(line):
                    player.asked_back = int(asked_back[1])
                    continue
                player.seen.append(line)
                if player.is_shown:
                    shown.setdefault(line, []).append(player.name)
        for line, names in shown.items():
            self.tell(", ".join(names), line, sign="|")

    def _readable(self, seconds):
        there = {player.connection: player for player in self.players if player.connection.is_open}
        ready, _, _ = select.select(list(there), [], [], seconds)
        return [there[connection] for connection in ready]


class Player:
    """Somebody at the other end of a telnet line.

    What staff see is in the transcript only in the steps in which they do something.
    """

    def __init__(self, name, connection, stage, *, staff=False):
        self.name = name
        self.connection = connection
        self.stage = stage
        self.is_staff = staff
        self.is_shown = False
        # What was seen in this step, and how much of it was already awaited.
        self.seen = []
        self.mark = 0
        # How often the game was asked for a line, and which of these lines came last.
        self.asked = self.asked_back = 0

    def catches_up(self):
        """Take in all that the game has sent so far.

        What it sends arrives in its order, so it is all here when a line is that is asked for now,
        however long that takes. No time to wait would be enough on every machine.
        """
        self.asked += 1
        self.connection.ask_back(self.asked)
        if not self.stage.pump(PATIENCE, until=lambda: self.asked_back == self.asked):
            raise StepFailed(f"the game said nothing to {self.name} within {PATIENCE:g} s")

    def forget(self):
        """Await and count from here on only what is yet to come."""
        self.seen.clear()
        self.mark = 0

    def sends(self, line):
        """Type a line that the transcript does not show."""
        self.connection.send(line)

    def does(self, line):
        """Type a line."""
        self.is_shown = True
        self.stage.typed.append(line)
        self.stage.tell(self.name, line, sign=">")
        self.sends(line)

    def sees(self, pattern, *, seconds=PATIENCE):
        """Wait for the next line that fits `pattern`; return the match."""
        found = []

        def has_come():
            while self.mark < len(self.seen) and not found:
                found.extend(filter(None, [re.search(pattern, self.seen[self.mark])]))
                self.mark += 1
            return found

        if not self.stage.pump(seconds, until=has_come):
            raise StepFailed(f"{self.name} did not see {pattern!r} within {seconds:g} s")
        return found[0]

    def saw(self, pattern):
        """Return the lines of this step, so far, that fit `pattern`."""
        return [line for line in self.seen if re.search(pattern, line)]

    def never_saw(self, pattern, *, seconds=0.0):
        """Make sure that no line of this step fits `pattern`, nor one of the next `seconds`."""
        self.stage.pump(seconds)
        self.catches_up()
        lines = self.saw(pattern)
        if lines:
            raise StepFailed(f"{self.name} saw what should not be seen: {lines[0]!r}")

    def saw_once(self, pattern, *, seconds):
        """Make sure that one line fits `pattern`, and that no second comes within `seconds`."""
        self.stage.pump(seconds)
        self.catches_up()
        lines = self.saw(pattern)
        if len(lines) != 1:
            raise StepFailed(f"{self.name} saw {pattern!r} {len(lines)} times instead of once")
