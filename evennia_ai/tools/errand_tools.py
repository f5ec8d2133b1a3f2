"""Carrying things for players: what an assistant takes on when it is asked to bring somebody something.

Whether it does is said by its builder's list and by the game's locks, whatever a model finds.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from twisted.internet.defer import inlineCallbacks

from evennia_ai import scheduling
from evennia_ai.core.records import Goal, known_to
from evennia_ai.domain.choices import step_rules
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.model_text import reply
from evennia_ai.exceptions import ToolError
from evennia_ai.memory import errands, identity, persona, routine
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import kept_goals
from evennia_ai.prompts import quote
from evennia_ai.tools import goal_tools, handing_over, world
from evennia_ai.tools.base import Tool, ToolCategory, Unfinished
from evennia_ai.tools.goal_tools import TITLE_LENGTH

# Things that one NPC carries for a player in a day of the game, where its `errands` do not say how many.
A_DAY = 3
# Why an errand is refused, as a mind reads it; by the same words one that answers by rules finds its line.
REFUSED = {
    "locked": "You carry nothing for them.",
    "not_now": "You run no errands at this hour.",
    "thing": "You carry nothing like that.",
    "not_here": "They have nothing like that with them. They have to get it first.",
    "whom": "You carry nothing to them.",
    "busy": "You carry something for somebody already: one thing at a time.",
    "enough": "They asked you often enough today.",
    "lost": "You do not know where to find them.",
}
TAKEN, ASKED_FOR = "taken", "asked_for"


class _Asked(NamedTuple):
    """An errand that may be run: with what, to whom, and whether the thing is here already."""

    thing: Any
    receiver: Any
    is_here: bool


class TakeErrand(Tool):
    """Carry a thing to somebody else for whoever asks for that."""

    name = "take_errand"
    brief = True
    category = ToolCategory.DANGEROUS
    needs_place = True
    keeps = True
    allowed_if = "its persona lists errands"

    def allowed(self, turn):
        return turn.character is not None and bool(errands.errands_of(turn.character).to)

    @inlineCallbacks
    def execute(
        self,
        turn,
        thing: Annotated[str, "What, as they call it."],
        to: Annotated[str, "To whom, as they call them."],
    ):
        npc, sender = world.acting(turn), turn.speaker
        if sender is None or sender.location != npc.location:
            raise ToolError("There is nobody beside you who asks for that.")
        asked = _read(turn, npc, sender, thing, to)
        turn.context["errand"] = asked if isinstance(asked, str) else TAKEN
        if isinstance(asked, str):
            raise ToolError(REFUSED[asked])
        goal = _take(turn, npc, sender, asked)
        called, whom = turn.name_of(asked.thing), turn.name_of(asked.receiver)
        turn.context["errand"] = TAKEN if asked.is_here else ASKED_FOR
        turn.context["errand_to"] = whom
        before, lines = yield goal_tools.before(turn, goal.title, is_same=True)
        turn.context["errand_failed"] = bool(before) and before[0]["reward"] <= 0
        if asked.is_here:
            done = f"You will take {quote(called)} to {quote(whom)}, and tell them how it went."
        else:
            done = f"You will take it to {quote(whom)} once they give {quote(called)} to you: ask them to."
        return (str if asked.is_here else Unfinished)("\n".join([done, *lines]))


def _read(turn: Any, npc: Any, sender: Any, thing: str, to: str) -> _Asked | str:
    """Return the errand that is asked for, or why it is refused."""
    script, listed = turn.script, errands.errands_of(npc)
    account = accounts.payer_of(sender)
    is_locked = listed.only_if and not routine.passes(npc, sender, listed.only_if)
    # Who is nobody's character cannot be told how it went.
    if is_locked or not account:
        return "locked"
    if not errands.is_time(npc):
        return "not_now"
    found = _find(turn, npc, sender, thing)
    if found is None:
        return "not_here" if errands.may_name(npc, thing) else "thing"
    receiver = errands.receiver(npc, to)
    if receiver is None or receiver in (npc, sender):
        return "whom"
    if why := _no_time(npc, script, sender, account):
        return why
    if not errands.rooms_of(npc, receiver):
        return "lost"
    return _Asked(found, receiver, found.location == npc)


def _no_time(npc: Any, script: Any, sender: Any, account: int) -> str:
    """Return why it takes on nothing more, "" if it does."""
    now = errands.current(script)
    who = identity.perceived(npc, sender)
    is_theirs = now is not None and now.said_by == who and now.plan[0].act == "get"
    if now is not None and not is_theirs:
        return "busy"
    if len(kept_goals.planned(script)) >= errands.LIMIT:
        return "busy"
    a_day = errands.errands_of(npc).a_day or A_DAY
    is_enough = errands.is_enough(script, account, routine.now()[0], a_day=a_day)
    return "enough" if is_enough else ""


def _take(turn: Any, npc: Any, sender: Any, asked: _Asked) -> Goal:
    """Set out: the goal, its steps, and whose account it counts for."""
    script, who = turn.script, identity.perceived(npc, sender)
    whom = identity.perceived(npc, asked.receiver)
    now = errands.current(script)
    if now is not None:
        # They changed their mind before they handed anything over.
        kept_goals.update_goal(script, now.id, status="abandoned")
    title = f"Bring {turn.name_of(asked.thing)} to {turn.name_of(asked.receiver)}"
    errands.note_asked(script, accounts.payer_of(sender), routine.now()[0])
    # To whom it is brought is told who sent it.
    known = sorted({who, whom, identity.identity_of(npc)})
    return kept_goals.add_goal(
        script,
        reply.printable(title, max_length=TITLE_LENGTH),
        audience=known,
        said_by=who,
        about=[whom],
        sources=known_to(known, turn.origins()),
        plan=step_rules.errand(
            thing=(identity.identity_of(asked.thing), asked.thing.id),
            sender=(who, sender.id),
            receiver=(whom, asked.receiver.id),
            back_to=0 if routine.slots_of(npc) else npc.location.id,
            is_here=asked.is_here,
            now=scheduling.now(),
        ),
    )


def _offered(npc: Any, script: Any, sender: Any) -> list[Any]:
    """Return what may be carried for somebody: what they gave it for that, and what they have."""
    who = identity.perceived(npc, sender)
    on_way = {goal.plan[0].thing_id for goal in kept_goals.planned(script)}
    held = [
        one for one in npc.contents if one.id not in on_way and errands.giver_of(script, one) == who
    ]
    theirs = [one for one in sender.contents if one.access(npc, "view")]
    return [
        one
        for one in (*reversed(held), *theirs)
        if handing_over.may_carry(npc, one) and errands.is_listed(npc, one)
    ]


def _find(turn: Any, npc: Any, sender: Any, words: str) -> Any:
    """Return the thing that somebody wants carried, None without one.

    What they gave it comes first. Where they have but one, "this" and "it" will do.
    """
    language, _ = persona.language_of(str(persona.load_persona(npc)["language"]))
    offered = _offered(npc, turn.script, sender)
    said = set(retrieval.terms(words, language=language))
    if not said:
        return offered[0] if offered else None
    fit = [len(said & set(_called(turn, one, language))) for one in offered]
    return offered[fit.index(max(fit))] if any(fit) else None


def _called(turn: Any, thing: Any, language: str) -> list[str]:
    """Return the stems of all that a thing is called."""
    tags = (key for key, _ in thing.tags.all(return_key_and_category=True))
    names = [turn.name_of(thing), thing.key, *map(str, thing.aliases.all()), *tags]
    return retrieval.terms(" ".join(names), language=language)
