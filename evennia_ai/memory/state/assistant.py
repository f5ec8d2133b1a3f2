"""State of a mind: whether it is on, events that wait, reminders, whom it follows."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from datetime import datetime

from evennia.typeclasses.models import TypedObject

from evennia_ai.core.records import Event, Reminder, format_time, parse_time
from evennia_ai.core.states import NewsTold, Post, Round, Switches
from evennia_ai.domain.memories import fair_share
from evennia_ai.domain.model_text.quotation import quote
from evennia_ai.memory import identity, kinds, lookup, repository
from evennia_ai.memory.people import accounts

# Events that may wait for one assistant.
PENDING_EVENTS = 50
# Reminders that one assistant keeps, and those of them that it promised to one player.
REMINDER_LIMIT = 60
REMINDERS_OF_ONE = 3
# Lines that it said to nobody's question of which it is known that it did.
UNPROMPTED_LIMIT = 200


def is_enabled(script: TypedObject) -> bool:
    switches = repository.load(script, kinds.SWITCHES)
    return switches is not None and switches.enabled


def is_new(script: TypedObject) -> bool:
    """Whether nobody has switched a mind on or off yet."""
    return repository.load(script, kinds.SWITCHES) is None


def enable(script: TypedObject, *, enabled: bool = True) -> None:
    """Note that a mind is switched on, or off."""
    repository.save(script, kinds.SWITCHES, Switches(enabled))


def key_of(script: TypedObject) -> str:
    """Return under which identity long-term memory and experience of a mind are kept."""
    return identity.identity_of(script.obj) if script.obj else ""


def pending_events(script: TypedObject) -> list[Event]:
    """Return what still wants an answer, oldest first."""
    return repository.load(script, kinds.PENDING) or []


def add_pending(script: TypedObject, event: Event, *, limit: int = PENDING_EVENTS) -> None:
    """Keep an event until it is answered; beyond `limit` whoever asked most loses the least pressing."""
    with repository.edit(script, kinds.PENDING, default=list) as events:
        events.append(event)
        for surplus in fair_share.least_of_the_greatest(
            events,
            len(events) - limit,
            by=lambda kept: kept.said_by,
            worth=lambda kept: kept.priority,
        ):
            events.remove(surplus)


def remove_pending(script: TypedObject, event_ids: Iterable[str]) -> None:
    """Note that events have been dealt with."""
    done = set(event_ids)
    events = pending_events(script)
    left = [event for event in events if event.id not in done]
    if len(left) != len(events):
        repository.save(script, kinds.PENDING, left)


def add_reminder(script: TypedObject, reminder: Reminder) -> None:
    """Keep a reminder.

    Raises:
        ValueError: There are too many, in all or for that player.
    """
    with repository.edit(script, kinds.REMINDERS, default=list) as kept:
        asker = _asker(reminder)
        if len(kept) >= REMINDER_LIMIT:
            raise ValueError(f"You already have {REMINDER_LIMIT} reminders.")
        if asker and sum(_asker(other) == asker for other in kept) >= REMINDERS_OF_ONE:
            whom = quote(reminder.actor_name) if reminder.actor_name else "them"
            raise ValueError(f"You already have {REMINDERS_OF_ONE} reminders for {whom}.")
        kept.append(reminder)


def _asker(reminder: Reminder) -> str:
    """Return who asked: a player, whatever character or mask they wear; "" for nobody."""
    obj = lookup.object_by_id(reminder.actor_id) if reminder.actor_id else None
    account = identity.account_of(obj) if obj is not None else None
    return reminder.said_by if account is None else f"account {account.id}"


def reminders(script: TypedObject) -> list[Reminder]:
    """Return what the assistant will be reminded of, in the order of asking."""
    return repository.load(script, kinds.REMINDERS) or []


def drop_reminders(script: TypedObject, who: str, text: str) -> None:
    """Keep no reminder any longer of what there is no more to do for somebody, by identity."""
    kept = reminders(script)
    left = [one for one in kept if (one.said_by, one.text) != (who, text)]
    if len(left) < len(kept):
        repository.save(script, kinds.REMINDERS, left)


def take_due_reminders(script: TypedObject, *, now: datetime | str) -> list[Reminder]:
    """Return the reminders whose time has come; they are not kept any longer."""
    kept = reminders(script)
    due = [reminder for reminder in kept if parse_time(reminder.due) <= parse_time(now)]
    if due:
        left = [reminder for reminder in kept if reminder not in due]
        repository.save(script, kinds.REMINDERS, left)
    return due


def following(script: TypedObject) -> int | None:
    return repository.load(script, kinds.FOLLOWING)


def follow(script: TypedObject, leader_id: int | None) -> None:
    if leader_id is None:
        repository.remove(script, kinds.FOLLOWING)
    else:
        repository.save(script, kinds.FOLLOWING, leader_id)


def post(script: TypedObject) -> Post | None:
    """Return from where the assistant was led away, and when it was led last; None if it was not."""
    return repository.load(script, kinds.POST)


def keep_post(script: TypedObject, room_id: int, *, now: datetime) -> None:
    """Note from where the assistant was led away, and that it is led now."""
    repository.save(script, kinds.POST, Post(room_id, format_time(now)))


def leave_post(script: TypedObject) -> None:
    """Note that the assistant was led away from nowhere."""
    repository.remove(script, kinds.POST)


def round_of(script: TypedObject) -> Round | None:
    """Return how far the assistant is with its day; None if it has not begun one."""
    return repository.load(script, kinds.ROUND)


def keep_round(script: TypedObject, kept: Round) -> None:
    """Note how far the assistant is with its day."""
    repository.save(script, kinds.ROUND, kept)


def news_told(script: TypedObject, day: int) -> int:
    """Return how many things the assistant has passed on of itself on a day of the game's clock."""
    kept = repository.load(script, kinds.NEWS_TOLD)
    return kept.count if kept is not None and kept.day == day else 0


def note_news_told(script: TypedObject, day: int) -> None:
    repository.save(script, kinds.NEWS_TOLD, NewsTold(day, news_told(script, day) + 1))


def is_quiet_for(npc: TypedObject, somebody: TypedObject) -> bool:
    """Return whether whoever plays somebody wants an NPC never to speak to them first."""
    kept = repository.load(npc, kinds.QUIET_FOR)
    if not kept:
        return False
    return identity.identity_of(somebody) in kept or _account_mark(somebody) in kept


def be_quiet_for(npc: TypedObject, somebody: TypedObject, *, quiet: bool = True) -> None:
    """Let an NPC speak first to whoever plays somebody no more, or again: as any of their characters."""
    kept = {*(repository.load(npc, kinds.QUIET_FOR) or ())}
    who = {*accounts.identities_of(somebody), _account_mark(somebody)} - {""}
    changed = kept | who if quiet else kept - who
    if changed != kept:
        repository.save(npc, kinds.QUIET_FOR, sorted(changed))


def forget_account(npc: TypedObject, account_id: int) -> None:
    """Forget that an account wanted not to be spoken to first."""
    kept = repository.load(npc, kinds.QUIET_FOR) or []
    left = [one for one in kept if one != _mark_of_account(account_id)]
    if left != kept:
        repository.save(npc, kinds.QUIET_FOR, left)


def _account_mark(somebody: TypedObject) -> str:
    """Return what stands for the account that plays somebody; "" for guests, who share theirs."""
    account = identity.account_of(somebody)
    if account is None or identity.is_guest_account(account):
        return ""
    return _mark_of_account(account.id)


def _mark_of_account(account_id: int) -> str:
    return f"account {account_id}"


def said_by_itself(script: TypedObject, words: str) -> bool:
    """Return whether the assistant has said these words to nobody's question before."""
    return _mark(words) in (repository.load(script, kinds.UNPROMPTED) or ())


def note_said_by_itself(script: TypedObject, words: str) -> None:
    """Note that it said these words to nobody's question."""
    with repository.edit(script, kinds.UNPROMPTED, default=list) as marks:
        marks[:] = [*marks, _mark(words)][-UNPROMPTED_LIMIT:]


def trigger_done(script: TypedObject, line: str) -> datetime | None:
    """Return when what a line of triggers says was done last, None if that is not kept."""
    done = (repository.load(script, kinds.TRIGGERS_DONE) or {}).get(str(_mark(line)))
    return parse_time(done) if done else None


def note_trigger_done(
    script: TypedObject, line: str, *, now: datetime, lines: Iterable[str]
) -> None:
    """Note that what a line says was done; only of `lines` is it kept."""
    marks = {str(_mark(one)) for one in lines}
    with repository.edit(script, kinds.TRIGGERS_DONE, default=dict) as done:
        for mark in done.keys() - marks:
            del done[mark]
        done[str(_mark(line))] = format_time(now)


def thought_alone(npc: TypedObject) -> datetime | None:
    """Return when an NPC thought by itself last, None if it never did."""
    moment = repository.load(npc, kinds.THOUGHT_ALONE)
    return parse_time(moment) if moment else None


def note_thought_alone(npc: TypedObject, *, now: datetime) -> None:
    repository.save(npc, kinds.THOUGHT_ALONE, format_time(now))


def _mark(words: str) -> int:
    return zlib.crc32(" ".join(words.casefold().split()).encode())


def followed_channels(script: TypedObject) -> dict[str, str]:
    """Return how it follows which channels: {key in lower case: "listen", "named" or "answer"}."""
    return repository.load(script, kinds.CHANNELS) or {}


def save_followed_channels(script: TypedObject, followed: dict[str, str]) -> None:
    """Follow these channels from now on; `memory.state.channels` must know, so it is what calls this."""
    if followed:
        repository.save(script, kinds.CHANNELS, followed)
    else:
        repository.remove(script, kinds.CHANNELS)


def count(script: TypedObject, counter: str) -> int:
    """Add one to a counter of an assistant and return it; `turns`, `failures` and `excuses` exist."""
    with repository.edit(script, kinds.COUNTERS, default=dict) as counters:
        counters[counter] = counters.get(counter, 0) + 1
        return counters[counter]


def counters(script: TypedObject) -> dict[str, int]:
    return repository.load(script, kinds.COUNTERS) or {}


def guests(script: TypedObject) -> dict[str, int]:
    """Return the guests who are remembered for their visit: identity → id of their character."""
    return repository.load(script, kinds.GUESTS) or {}


def note_guest(script: TypedObject, who: str, object_id: int) -> None:
    """Note that somebody is a guest, to be forgotten when they leave the game."""
    if guests(script).get(who) != object_id:
        with repository.edit(script, kinds.GUESTS, default=dict) as noted:
            noted[who] = object_id


def forget_guest(script: TypedObject, who: str) -> None:
    """Note that a guest has been forgotten."""
    with repository.edit(script, kinds.GUESTS, default=dict) as noted:
        noted.pop(who, None)


def may_keep(npc: TypedObject, script: TypedObject, actor_ids: Iterable[int]) -> bool:
    """Return whether what comes of the words of these objects, said before those here, may be kept.

    Who is remembered for a visit only is heard and answered; what a mind makes of a prompt in which their
    words stand has no other place to be told from, so nothing of it is kept.
    """
    heard = {one for one in guests(script).values() if _is_here(npc, one)}
    people = filter(None, map(lookup.object_by_id, heard.union(actor_ids)))
    return not any(map(accounts.is_passing, people))


def _is_here(npc: TypedObject, object_id: int) -> bool:
    guest = lookup.object_by_id(object_id)
    return guest is not None and guest.location == npc.location
