"""Tools for the body: speak, look, go, follow, give, run a command.

Everything is done with the assistant's own locks and permissions, never with those of whoever
asked for it.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Annotated, Any

from evennia.objects.objects import DefaultCharacter
from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks

from evennia_ai import markup, movement, permission, prompts
from evennia_ai.exceptions import ToolError
from evennia_ai.memory import errands, identity, routine
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.prompts import quote
from evennia_ai.tools import commands_tool, handing_over
from evennia_ai.tools.base import Tool, ToolCategory, quoted

# Characters of what looking at something tells; more would crowd out the rest of a prompt.
LOOK_LENGTH = 2000
# Names that one result lists.
HELD = 40
# Since when nobody led it, of one that is told to go home.
LONG_AGO = datetime.fromtimestamp(0, tz=timezone.utc)

DAY_MINUTES = 1440
# The hour (0–23) from which a part of the day lasts, latest first.
_PARTS_OF_DAY = {22: "night", 18: "evening", 12: "afternoon", 6: "morning", 0: "night"}


def body_of(turn: Any) -> Any:
    """Return the assistant's object; raises ToolError if it is gone."""
    character = turn.character
    if character is None or turn.script is None:
        raise ToolError("You are no longer there.")
    return character


def acting(turn: Any) -> Any:
    """Return the assistant's object if it may act now, else raise ToolError."""
    character = body_of(turn)
    if character.has_account or not routine.can_act(character):
        raise ToolError("You cannot act now.")
    if character.location is None:
        raise ToolError("You are nowhere.")
    return character


def plain(text: Any) -> str:
    """Return what the game shows as bare text: no colours, links or dbrefs, of bounded length."""
    bare = markup.plain(str(text))
    return bare if len(bare) <= LOOK_LENGTH else f"{bare[: LOOK_LENGTH - 1]}…"


def part_of_day(hour: int) -> str:
    """Return the word for an hour (0–23)."""
    return next(part for start, part in _PARTS_OF_DAY.items() if hour >= start)


def time_in_words() -> str:
    """Return the time by GAME_CLOCK, of whose days each has 24 hours, such as "evening, 19:30"."""
    minutes = int(since_midnight() // 60)
    hour, minute = divmod(minutes, 60)
    return f"{part_of_day(hour)}, {hour:02}:{minute:02}"


def since_midnight() -> float:
    """Return the seconds of today by GAME_CLOCK, of whose days each has 24 hours."""
    _, seconds, length = routine.now()
    return seconds / length * DAY_MINUTES * 60


def in_game(seconds: float) -> float:
    """Return how long something lasts by the game's clock, which may run faster than ours."""
    return seconds * routine.speed()


def _seen(turn: Any, name: str) -> Any:
    """Return what the assistant sees under a name; nothing, or "here", is where it stands."""
    character = body_of(turn)
    if name.strip().lower() in ("", "here", "around"):
        seen = character.location
        if seen is None:
            raise ToolError("You are nowhere.")
    else:
        seen = turn.find(name)
    if not seen.access(character, "view"):
        raise ToolError(f"You cannot make out {quote(turn.name_of(seen))}.")
    return seen


def _somebody_near(turn: Any, name: str, doing: str) -> Any:
    """Return whoever stands beside the assistant under a name; `doing` completes the refusal."""
    character, somebody = body_of(turn), turn.find(name)
    if somebody == character:
        raise ToolError(f"You cannot {doing} yourself.")
    if somebody.location != character.location or somebody.destination:
        name = quote(turn.name_of(somebody))
        raise ToolError(f"You cannot {doing} {name}: that is nobody beside you.")
    return somebody


def _check_lead(turn: Any) -> None:
    """Raise a ToolError if whoever speaks with the assistant may not lead it away.

    What happens of itself, such as an event of the game, it may go after as it likes.
    """
    character, speaker = body_of(turn), turn.speaker
    if speaker is not None and not may_lead(character, speaker):
        raise ToolError(f"You do not go anywhere because {quote(turn.name_of(speaker))} wants it.")


def may_lead(character: Any, somebody: Any) -> bool:
    """Return whether somebody may lead an NPC about: by its lock `lead`, where it has one.

    Else it goes with those who may edit it, and with an ally.
    """
    if character.locks.get("lead"):
        return bool(character.access(somebody, "lead"))
    if accounts.may_change(somebody, character):
        return True
    return entity_profiles.comes_first(character, identity.perceived(character, somebody))


def _is_character(obj: Any) -> bool:
    return isinstance(obj, DefaultCharacter) or bool(obj.has_account)


class Say(Tool):
    """Say something aloud, so that everybody in the room hears it. This is how you answer."""

    name = "say"
    shown = False
    category = ToolCategory.TERMINAL

    def execute(self, turn, words: Annotated[str, "Only the words, without quotation marks."]):
        words = words.strip()
        if not words:
            raise ToolError("There is nothing to say: the words are empty.")
        # A refusal is not an error: it would only make the mind try again what cannot be said now.
        said = turn.speak("say", words)
        return said.addCallback(lambda done: "Done." if done else "You did not get to say that.")


class Look(Tool):
    """Look around, or at somebody or something."""

    name = "look"
    brief = True
    category = ToolCategory.SAFE_CHAIN
    needs_place = True

    def execute(
        self, turn, target: Annotated[str, "Whom or what; leave it out to look around."] = ""
    ):
        seen, character = _seen(turn, target), body_of(turn)
        # As the game shows it, which a game may have changed: names and descriptions in one.
        shown = plain(character.at_look(seen))
        lines = [quote(shown) if shown else "You see nothing special."]
        inside = seen.contents if seen != character.location else ()
        if held := [quote(turn.name_of(obj)) for obj in seen.filter_visible(inside, character)]:
            lines.append(f"There you see: {', '.join(held[:HELD])}.")
        return "\n".join(lines)


class Move(Tool):
    """Leave the room through one of its exits."""

    name = "move"
    brief = True
    category = ToolCategory.DANGEROUS
    needs_place = True

    def execute(self, turn, exit: Annotated[str, "The exit, by the name that you see."]):
        if exit.strip().casefold() == "home":
            return self._go_home(turn)
        character, way = acting(turn), turn.find(exit)
        _check_lead(turn)
        if turn.speaker is not None:
            movement.note_led(turn.script, character)
        start, name = character.location, quote(turn.name_of(way))
        if way.destination is None or way.location != start:
            raise ToolError(f"{name} is not a way out of here.")
        if not movement.may_pass(character, way):
            why = plain(way.db.err_traverse or "You cannot go there.")
            raise ToolError(f"You may not go through {name}: {quote(why)}")
        turn.dangerous_used = True
        movement.go_through(character, way)
        if (place := character.location) == start:
            raise ToolError(f"You are still here: {name} did not let you through.")
        return f"You are now in: {quote(turn.name_of(place)) if place else 'nowhere'}."

    def _go_home(self, turn):
        """Take the first step home; the ticks that follow take the others."""
        character = acting(turn)
        _check_lead(turn)
        if movement.home_of(turn.script, character) in (None, character.location):
            raise ToolError("You are at home.")
        turn.dangerous_used = True
        assistant.follow(turn.script, None)
        assistant.keep_post(turn.script, movement.home_of(turn.script, character).id, now=LONG_AGO)
        if not movement.step_home(turn.script, character):
            raise ToolError("You find no way home from here.")
        return "You are on your way home."


class Follow(Tool):
    """Follow somebody wherever they go; without a name, stop."""

    name = "follow"
    brief = True
    category = ToolCategory.DANGEROUS
    needs_place = True

    def execute(self, turn, target: Annotated[str, "Whom; leave it out to stop."] = ""):
        character = acting(turn)
        if not target.strip():
            if turn.speaker is None or turn.speaker.id != assistant.following(turn.script):
                _check_lead(turn)
            assistant.follow(turn.script, None)
            turn.note_done(prompts.followed(whom=""))
            return "You follow nobody."
        name = quote(turn.name_of(leader := _somebody_near(turn, target, "follow")))
        if not _is_character(leader):
            raise ToolError(f"You cannot follow {name}: it goes nowhere.")
        if not leader.access(character, "follow", default=True):
            raise ToolError(f"{name} does not let you follow.")
        _check_lead(turn)
        movement.note_led(turn.script, character)
        assistant.follow(turn.script, leader.id)
        turn.note_done(prompts.followed(whom=turn.name_of(leader)))
        return f"You follow {name} from now on."


class Give(Tool):
    """Hand over something that you carry."""

    name = "give"
    brief = True
    category = ToolCategory.DANGEROUS
    needs_place = True

    def execute(
        self,
        turn,
        item: Annotated[str, "What, by the name that you see."],
        target: Annotated[str, "To whom, by the name that you see."],
    ):
        character, thing = acting(turn), turn.find(item)
        name = quote(called := turn.name_of(thing))
        if thing.location != character or not handing_over.is_thing(thing):
            raise ToolError(f"You do not carry {name}.")
        to = turn.name_of(getter := _somebody_near(turn, target, "give anything to"))
        if errands.is_for_others(turn.script, thing, getter, asked_by=turn.speaker):
            raise ToolError(f"You cannot give {name} to {quote(to)}: you have it from another.")
        noted = handing_over.noted(character, thing, name=turn.name, to=to)
        if not handing_over.hand_over(character, thing, getter):
            raise ToolError(f"You cannot give {name} to {quote(to)}.")
        turn.note_done(prompts.given(what=called, to=to), gift=noted)
        return f"You gave {name} to {quote(to)}."


class ExecuteCommand(Tool):
    """Do something else by a command of the game.

    Off by default: both the setting ALLOWED_COMMANDS and the builder's list on the NPC,
    `db.allowed_commands`, must name the command's key.
    """

    name = "execute_command"
    category = ToolCategory.DANGEROUS
    needs_place = True
    setting = "ALLOWED_COMMANDS"
    allowed_if = "ALLOWED_COMMANDS and its own allowed_commands share one"

    def allowed(self, turn):
        return turn.character is not None and bool(commands_tool.permitted(turn.character))

    def execute(self, turn, command: Annotated[str, "The command with what it needs, as typed."]):
        acting(turn)
        commands_tool.check_openness(turn)
        return self._run(turn, command)

    @inlineCallbacks
    def _run(self, turn, command):
        # Any command may speak.
        permit = yield permission.ask(acting(turn), command, turn.listeners())
        if permit.words != command:
            raise ToolError("You cannot do that: other words would have to be said.")
        found = yield commands_tool.find_command(acting(turn), command)
        # A command may pause or ask something back: the turn does not wait for its end.
        acting(turn)
        running = turn.run_command(command)
        running.addErrback(lambda failure: logger.log_err(failure.getTraceback()))
        turn.note_command(found.key, command)
        return f"You did: {quoted(command)}"
