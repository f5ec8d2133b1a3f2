"""Errands of an NPC: whose it runs, what it was given to carry, how often it was asked, and where it would look for people."""

from __future__ import annotations

from functools import lru_cache

from evennia.objects.objects import DefaultCharacter
from evennia.typeclasses.models import TypedObject

from evennia_ai.core.records import Goal
from evennia_ai.core.states import ErrandsAsked
from evennia_ai.domain import errand_rules
from evennia_ai.domain.choices import step_rules
from evennia_ai.domain.errand_rules import Errands
from evennia_ai.memory import identity, kinds, lookup, repository, routine
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import active_assistants, assistant, kept_goals

# How deep things may lie in one another.
DEPTH = 3
# Things that one player gave it of which it knows from whom: what others give takes none of these away.
ENTRUSTED_LIMIT = 20
# So many times as much as for one player is taken on for all of them in a day.
PLAYERS_A_DAY = 5
# Errands that it has at a time: one that it runs, and things and reports that wait for whoever sent it.
LIMIT = 10


def errands_of(npc: TypedObject) -> Errands:
    """Return what an NPC does for others, nothing if its builder wrote nothing that can be read."""
    written = (repository.load(npc, kinds.PERSONA) or {}).get("errands")
    return _read(tuple(map(str, written))) if isinstance(written, list) else errand_rules.NONE


def problem_of_line(line: str) -> str:
    """Return what is wrong with a line of errands, "" if nothing is."""
    try:
        key, value = errand_rules.read_line(line)
    except ValueError as error:
        return str(error)
    return routine.lock_problem(value) if key == "if" else ""


def is_time(npc: TypedObject) -> bool:
    """Return whether it does errands in the part of its day that is now."""
    found = errands_of(npc)
    if not found.not_during:
        return True
    now = routine.present(npc)
    return found.is_during(now.slot if now is not None else None)


def is_listed(npc: TypedObject, thing: TypedObject, *, depth: int = 0) -> bool:
    """Return whether its builder lets an NPC carry a thing: it is called or tagged so, and all in it is."""
    listed = errands_of(npc).things
    if depth > DEPTH or not any(is_thing(thing, one) for one in listed):
        return False
    return all(is_listed(npc, inner, depth=depth + 1) for inner in thing.contents)


def is_thing(thing: TypedObject, name: str) -> bool:
    """Return whether a thing is called or tagged so; "a sealed letter" is a letter."""
    names = [str(one).casefold() for one in (thing.key, *thing.aliases.all())]
    tags = {key for key, _ in thing.tags.all(return_key_and_category=True)}
    said = name.casefold()
    return said in tags or any(one == said or one.endswith(f" {said}") for one in names)


def may_name(npc: TypedObject, thing: str) -> bool:
    """Return whether what an NPC calls a thing is on the list of its builder."""
    said = thing.casefold()
    listed = (one.casefold() for one in errands_of(npc).things)
    return any(said == one or said.endswith(f" {one}") for one in listed)


def take_charge(npc: TypedObject, thing: TypedObject, giver: TypedObject) -> bool:
    """Note from whom an NPC has what it would carry for them; return whether it has waited for that."""
    script = lookup.mind_of(npc)
    if script is None or not accounts.payer_of(giver) or not is_listed(npc, thing):
        return False
    entrust(script, thing, identity.perceived(npc, giver))
    return is_awaited(script, thing)


def receiver(npc: TypedObject, name: str) -> TypedObject | None:
    """Return who is meant by a name that its builder lists: the one who had it when the list was written.

    "#12" is somebody by their number. A name that nobody had then belongs to the first who is found under it.
    Nobody else gets the NPC's letters by taking a listed name.
    """
    wanted = _listed_name(npc, name)
    if not wanted or _number(wanted):
        return somebody(wanted) if wanted else None
    bind_names(npc)
    bound = (repository.load(npc, kinds.BOUND) or {}).get(wanted.casefold())
    called = [one for one in _called(wanted) if identity.has_own(one)]
    return next((one for one in called if identity.identity_of(one) == bound), None)


def bind_names(npc: TypedObject) -> None:
    """Keep who has each listed name now, except for names that are kept already; names off the list go."""
    names = [one.casefold() for one in errands_of(npc).to if not _number(one)]
    kept = repository.load(npc, kinds.BOUND) or {}
    called = {name: somebody(name) for name in names if name not in kept}
    fresh = {name: identity.identity_of(one) for name, one in called.items() if one is not None}
    bound = {name: who for name, who in kept.items() if name in names} | fresh
    if bound != kept:
        repository.save(npc, kinds.BOUND, bound)


def somebody(name: str) -> TypedObject | None:
    """Return who is called so in the game: the oldest mind, or character; "#12" is somebody by their number."""
    if number := _number(name):
        return lookup.object_by_id(number)
    return next(iter(_called(name)), None)


def _called(name: str) -> list[TypedObject]:
    """Return the bodies of minds with a name or alias, then the characters with the name, oldest first."""
    minds = map(lookup.script_by_id, active_assistants.all_ids())
    bodies = [script.obj for script in minds if script is not None and script.obj is not None]
    called = sorted((one for one in bodies if _is_called(one, name)), key=lambda one: one.id)
    found = DefaultCharacter.objects.filter_family(db_key__iexact=name).order_by("id")
    return [*called, *(one for one in found if one not in called)]


def _number(name: str) -> int:
    """Return the id in "#12", 0 for a name."""
    return int(name[1:]) if name.startswith("#") and name[1:].isdecimal() else 0


def rooms_of(npc: TypedObject, person: TypedObject) -> list[TypedObject]:
    """Return where an NPC would look for somebody, [] if it does not know.

    It knows who is beside it and not hidden, where the day of others leads them, and where those stand who have none.
    Where players are it does not know.
    """
    is_beside = person.location is not None and person.location == npc.location
    if is_beside and person.access(npc, "view"):
        return [person.location]
    script = active_assistants.script_of(person)
    if script is None:
        return []
    now = routine.present(person)
    if now is not None and now.slot.place:
        ids = sorted(routine.room_ids(now.slot.place, now.slot.zone))
        return [room for one in ids if (room := lookup.object_by_id(one)) is not None]
    post = assistant.post(script)
    if person.sessions.count() or post is not None:
        known = lookup.object_by_id(post.room_id) if post is not None else person.home
    else:
        known = person.location
    return [known] if known is not None else []


def _listed_name(npc: TypedObject, name: str) -> str:
    """Return the name of the list that is meant, "" if none is."""
    said = name.casefold().strip(" .,!?\"'")
    listed = errands_of(npc).to
    found = [one for one in listed if one.casefold() == said]
    found = found or [one for one in listed if said and said in one.casefold().split()]
    if found:
        return found[0]
    for one in filter(_number, listed):
        person = lookup.object_by_id(_number(one))
        if person is not None and _is_called(person, said):
            return one
    return ""


def _is_called(person: TypedObject, name: str) -> bool:
    names = (person.key, *person.aliases.all())
    return name.casefold() in (str(one).casefold() for one in names)


@lru_cache(maxsize=2000)
def _read(lines: tuple[str, ...]) -> Errands:
    try:
        return errand_rules.read(lines)
    except ValueError:
        return errand_rules.NONE


def entrust(script: TypedObject, thing: TypedObject, giver: str) -> None:
    """Note from whom the NPC was given a thing that it would carry for them."""
    with repository.edit(script, kinds.ENTRUSTED, default=dict) as kept:
        kept[identity.identity_of(thing)] = giver
        if len(kept) > ENTRUSTED_LIMIT:
            held = {
                identity.identity_of(one)
                for one in (thing, *script.obj.contents)
                if identity.has_own(one)
            }
            theirs = [one for one in kept if kept[one] == giver and one in held]
            for gone in (kept.keys() - held) | {*theirs[:-ENTRUSTED_LIMIT]}:
                del kept[gone]


def giver_of(script: TypedObject, thing: TypedObject) -> str:
    """Return who gave the NPC a thing, "" if that is not known."""
    kept = repository.load(script, kinds.ENTRUSTED) or {}
    return kept.get(identity.identity_of(thing), "") if kept and identity.has_own(thing) else ""


def is_for_others(
    script: TypedObject, thing: TypedObject, getter: TypedObject, *, asked_by: TypedObject | None
) -> bool:
    """Return whether a thing was handed over for somebody else than the getter, and whoever asks is not who gave it."""
    sent = [goal for goal in kept_goals.planned(script) if step_rules.is_sent(goal)]
    on_way = [
        (goal.said_by, step.person)
        for goal in sent
        for step in goal.plan
        if step.act == "give" and step.thing_id == thing.id
    ]
    senders = {giver_of(script, thing), *(sender for sender, _ in on_way)} - {""}
    may_have = senders | {receiver for _, receiver in on_way}
    if not senders or identity.perceived(script.obj, getter) in may_have:
        return False
    return asked_by is None or identity.perceived(script.obj, asked_by) not in senders


def let_go(script: TypedObject, thing: str) -> None:
    """Note that the NPC has a thing no more."""
    if thing in (repository.load(script, kinds.ENTRUSTED) or {}):
        with repository.edit(script, kinds.ENTRUSTED, default=dict) as kept:
            kept.pop(thing, None)


def is_enough(script: TypedObject, account: int, day: int, *, a_day: int) -> bool:
    """Return whether so much was taken on for an account, or for all, that it is enough for a day."""
    kept = repository.load(script, kinds.ERRANDS_ASKED)
    if kept is None or kept.day != day:
        return False
    of_all = sum(kept.counts.values())
    return kept.counts.get(str(account), 0) >= a_day or of_all >= a_day * PLAYERS_A_DAY


def note_asked(script: TypedObject, account: int, day: int) -> None:
    """Note that one more was taken on."""
    kept = repository.load(script, kinds.ERRANDS_ASKED)
    counts = kept.counts if kept is not None and kept.day == day else {}
    more = {**counts, str(account): counts.get(str(account), 0) + 1}
    repository.save(script, kinds.ERRANDS_ASKED, ErrandsAsked(day, more))


def forget_asked(script: TypedObject, day: int) -> None:
    """Forget who asked on another day. The numbers of this one stay: to be forgotten is no way round a limit."""
    kept = repository.load(script, kinds.ERRANDS_ASKED)
    if kept is not None and kept.day != day:
        repository.remove(script, kinds.ERRANDS_ASKED)


def current(script: TypedObject) -> Goal | None:
    """Return the errand that the NPC runs now, None if it runs none."""
    return next((goal for goal in kept_goals.planned(script) if step_rules.is_busy(goal)), None)


def is_awaited(script: TypedObject, thing: TypedObject) -> bool:
    """Return whether the NPC waits for a thing to be handed to it."""
    first = [goal.plan[0] for goal in kept_goals.planned(script)]
    return any(step.act == "get" and step.thing_id == thing.id for step in first)
