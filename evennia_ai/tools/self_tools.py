"""Tools for the assistant itself: stay silent, be reminded, call for staff."""

from __future__ import annotations

import math
import re
from datetime import timedelta
from typing import Annotated, Any

from django.conf import settings
from evennia.comms.models import ChannelDB
from evennia.utils import logger

from evennia_ai import scheduling
from evennia_ai.core.records import Reminder, format_time
from evennia_ai.core.states import SleepWish
from evennia_ai.domain import audience
from evennia_ai.domain.memories import promises
from evennia_ai.domain.model_text import reply
from evennia_ai.exceptions import ToolError
from evennia_ai.memory import routine
from evennia_ai.memory.state import assistant, sleep_state
from evennia_ai.tools import world
from evennia_ai.tools.base import Tool, ToolCategory

# The shortest sleep that can be asked for, in minutes; NAP_HOURS say what the longest is.
MIN_SLEEP = 10
# Seconds for which an assistant that called for staff does not call again.
ESCALATION_COOLDOWN = 300
# Characters of a reason that staff are shown.
REASON_LENGTH = 300

# `$name(` would be run as a function where the game parses outgoing text.
_FUNCTION_CALL = re.compile(r"(?<!\$)\$+(?=[A-Za-z_]\w*\()")


class Noop(Tool):
    """Stay silent, where nobody speaks to you."""

    name = "noop"
    brief = True
    category = ToolCategory.TERMINAL

    def execute(self, turn):
        turn.notes.append("chose to stay silent")
        return "You stay silent."


class SetReminder(Tool):
    """Have yourself reminded of something in some minutes, at most a week."""

    name = "set_reminder"
    # `add_pending_action` does it as well.
    shown = False
    keeps = True
    category = ToolCategory.SAFE_CHAIN

    def execute(
        self,
        turn,
        minutes: Annotated[int, "In how many minutes, 1 to 10080 (a week)."],
        text: Annotated[str, "What to remember then."],
    ):
        if not text.strip():
            raise ToolError("text must say what to remember.")
        remind(turn, minutes, text)
        return f"You will be reminded in {minutes} minutes."


def remind(turn: Any, minutes: int, text: str) -> None:
    """Have the assistant reminded of something after some minutes of the game's clock, the only one that it sees.

    Raises ToolError if that is no time.
    """
    if not 1 <= minutes <= promises.REMINDER_MINUTES:
        raise ToolError(f"minutes must be between 1 and {promises.REMINDER_MINUTES}.")
    wait = timedelta(minutes=minutes) / routine.speed()
    reminder = Reminder(
        due=format_time(scheduling.now() + wait),
        text=text.strip(),
        said_by=turn.event.said_by,
        actor_id=turn.event.actor_id,
        actor_name=turn.event.actor_name,
        payer=turn.event.payer,
        audience=audience.PUBLIC,
        sources=turn.origins(),
    )
    try:
        assistant.add_reminder(turn.script, reminder)
    except ValueError as error:
        raise ToolError(str(error)) from None


class GoToSleep(Tool):
    """Fall fast asleep for a while, to think over what happened. Nobody but staff can wake you then.

    Only a wish: the clockwork carries it out as soon as nobody talks with the assistant any more,
    and drops it if that takes too long.
    """

    name = "go_to_sleep"
    keeps = True
    category = ToolCategory.SAFE_CHAIN
    # Whoever talks with it would talk it into sleeping.
    for_talk = False

    def execute(
        self,
        turn,
        minutes: Annotated[int, "How long to sleep, 10 or more."],
        reason: Annotated[str, "Why, in a few words."] = "",
    ):
        longest = round(2 * 60 * sleep_state.NAP_HOURS)
        if not MIN_SLEEP <= minutes <= longest:
            raise ToolError(f"minutes must be between {MIN_SLEEP} and {longest}.")
        until = sleep_state.cooldown_until(turn.script)
        if until is not None and scheduling.now() < until:
            left = math.ceil((until - scheduling.now()).total_seconds() / 60)
            raise ToolError(f"You woke not long ago; you can sleep again in {left} minutes.")
        sleep_state.request(
            turn.script,
            SleepWish(
                depth=sleep_state.DEEP,
                hours=minutes / 60,
                reason=harmless(reason),
                at=format_time(scheduling.now()),
            ),
        )
        return "You will fall asleep as soon as nobody talks with you."


class EscalateToStaff(Tool):
    """Call the game's staff: abuse, a broken game, real distress."""

    name = "escalate_to_staff"
    brief = True
    category = ToolCategory.SAFE_CHAIN

    def execute(self, turn, reason: Annotated[str, "What happened, in one or two sentences."]):
        character, script = world.body_of(turn), turn.script
        now = scheduling.clock().seconds()
        before = script.ndb.escalated_at
        if before is not None and now - before < ESCALATION_COOLDOWN:
            return "Staff have been told a moment ago; they will come when they can."
        script.ndb.escalated_at = now
        line = f"{for_staff(character)} calls for staff"
        if turn.speaker:
            line += f", talking with {for_staff(turn.speaker)}"
        if character.location:
            line += f", in {for_staff(character.location)}"
        line += f": {harmless(reason)}"
        logger.log_warn(f"[evennia_ai] {line}")
        tell_staff(line)
        return "Staff have been told."


def for_staff(obj: Any) -> str:
    """Return what an object is called in a line for staff."""
    return f"{harmless(obj.key)}(#{obj.id})"


def harmless(text: str) -> str:
    """Return text as data for a log and a channel: one line, nothing in it is carried out."""
    line = " ".join(_FUNCTION_CALL.sub("", text).split())
    return reply.unlinked(line[:REASON_LENGTH]).replace("|", "||")


def tell_staff(line: str) -> None:
    """Leave a line on the channel of staff."""
    # A game may have switched the channel off, or deleted it.
    described = settings.CHANNEL_MUDINFO
    channel = described and ChannelDB.objects.get_channel(described["key"])
    if channel:
        channel.msg(line)
