"""The pages of what an NPC remembers. Names and words of players are posted: they are in no address.

Views run in threads; functions that touch the game are called over the bridge and return plain data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_POST
from twisted.internet.defer import Deferred, inlineCallbacks, succeed
from twisted.python.failure import Failure

from evennia_ai import scheduling
from evennia_ai.agent.revising import forgetting
from evennia_ai.commands import changes
from evennia_ai.commands.base import whole_number
from evennia_ai.commands.shown import memories as shown_memories
from evennia_ai.commands.shown import words
from evennia_ai.commands.shown.npcs import names_known
from evennia_ai.commands.shown.words import known_to
from evennia_ai.core.records import Entry, Profile
from evennia_ai.domain.memories.long_term import Memory
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.memory import identity, journal, lookup
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.memory.storage import readahead
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.typeclasses import scripts
from evennia_ai.web import answering, bridge, memory_list, npc_pages, visitors

# Memories of a page, those that are open on it, and people whose profiles are read for it.
SHOWN, OPEN, PEOPLE = 200, 6, 500
# Long-term memories that are looked through, the newest ones.
LONG_TERM = 500
# Characters of what is looked for, of names of those who may know an entry, and of a question.
LENGTH, NAMES, QUESTION = 100, 500, 500
NOBODY = "nobody"
NOT_READY = "Long-term memory is not ready. Ask again in a moment."


class Found(NamedTuple):
    """A memory that comes to mind, and who may know it, by name."""

    memory: Remembered
    known_to: str


@require_http_methods(["GET", "HEAD", "POST"])
@answering.page
def memories(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show what an NPC remembers, the newest first."""
    wanted = memory_list.Wanted(
        *(request.POST.get(name, "")[:LENGTH] for name in memory_list.Wanted._fields)
    )
    begun = visitors.look(account_id, npc_id, _begin)
    names = visitors.look(account_id, npc_id, lambda who, npc: names_known(npc))
    noted = list(bridge.each(_entries_on, account_id, npc_id, of=begun["pages"]))
    kept, problem = _long_term_of(account_id, npc_id)
    people = begun["people"]
    rows = [
        *memory_list.of_journal(noted, names),
        *memory_list.of_long_term(kept, noted, names),
        *memory_list.of_people(profiles(account_id, npc_id, people[:PEOPLE]), names),
        *memory_list.of_promises(begun["promises"], names),
    ]
    name = begun["npc"]["short"]
    rows = [row._replace(text=words.by_name(row.text, name)) for row in rows]
    fitting = sorted(filter(wanted.fits, rows), key=lambda row: row.time, reverse=True)
    numbers = [row.number for row in fitting[:SHOWN] if row.number]
    context = {
        "npc": begun["npc"],
        "rows": fitting[:SHOWN],
        # Only what was looked for is forgotten at once.
        "shown_entries": " ".join(map(str, numbers)) if any(wanted) else "",
        "entries_word": (
            f"all {len(numbers)} entries that fit" if len(numbers) != 1 else "the one that fits"
        ),
        "fit": len(fitting),
        "all": len(rows),
        "open": OPEN,
        "rest": len(fitting[OPEN:SHOWN]),
        "sought": any(wanted),
        "unread": people[PEOPLE:],
        "problem": problem,
        "wanted": wanted,
        "kinds": memory_list.KINDS,
        "audiences": memory_list.AUDIENCES,
        "ratings": list(map(str, range(2, 11))),
        "doubts": [("30", "hardly"), ("60", "half at most")],
    }
    return answering.render(request, "memories", context)


@require_http_methods(["GET", "HEAD", "POST"])
@answering.page
def search(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show what would come to an NPC's mind at a question, with scores and who may know it."""
    question = request.POST.get("question", "").strip()[:QUESTION]
    person = request.POST.get("person", "").strip()[:LENGTH]
    begun = visitors.look(account_id, npc_id, _asked)
    names = begun["names"]
    called = _called(person, names)
    rows: list[Found] = []
    problem = ""
    if person and len(called) != 1:
        problem = f"It knows {len(called) or 'nobody'} of that name."
    elif question:
        who = called[0] if person else ""
        try:
            found = bridge.call(_come_to_mind, account_id, npc_id, question, who)
            rows = [Found(one, known_to(one.audience, names)) for one in found]
            problem = "" if rows else "Nothing comes to its mind."
        except bridge.StillGoing:
            problem = NOT_READY
    context = {
        "npc": begun["npc"],
        "question": question,
        "person": person,
        "rows": rows,
        "problem": problem,
    }
    return answering.render(request, "search", context)


@require_POST
@answering.page
def forget(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Ask whether entries shall be forgotten; with `sure`, let them be."""
    ticked = request.POST.get("all", "").split() or request.POST.getlist("entry")
    given = (whole_number(one) for one in ticked[:SHOWN])
    numbers = [one for one in given if one is not None]
    if not numbers:
        return answering.done(request, "No entry was ticked. Nothing was done.", "memories", npc_id)
    if not request.POST.get("sure"):
        context: dict[str, Any] = visitors.look(account_id, npc_id, _to_forget, numbers)
        return answering.render(request, "forget", context)

    def forget_all(who: Any, npc: Any) -> Deferred[str]:
        kept = list(journal.get_entries(npc, numbers))
        if not kept:
            raise visitors.NotFound("There is no such entry.")
        name = npc_pages.name_of(npc)
        keeper_of = lambda: visitors.with_npc(account_id, npc_id)  # noqa: E731
        return changes.forget_entries(keeper_of, name, kept)

    said = visitors.do(account_id, npc_id, forget_all)
    return answering.done(request, said, "memories", npc_id)


@require_POST
@answering.page
def entry(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show one entry, to be written anew or kept from some who may know it."""
    context = visitors.look(account_id, npc_id, _entry_shown, _number(request))
    del context["names"]
    return answering.render(request, "entry", context)


@require_POST
@answering.page
def edit(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Let an entry say something else."""
    was, text, number = request.POST.get("was", ""), request.POST.get("words", ""), _number(request)

    def reword(who: Any, npc: Any) -> Deferred[str]:
        found = _entry(npc, number)
        if was and npc_pages.mark_of(found.content) != was:
            return succeed(npc_pages.MEANWHILE)
        name = npc_pages.name_of(npc)
        return changes.change_entry(who, npc, name, found, lambda: forgetting.reworded(found, text))

    said = visitors.do(account_id, npc_id, reword)
    return answering.done(request, said, "memories", npc_id)


@require_POST
@answering.page
def narrow(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Let fewer people know an entry: those that are named, of those who may know it now."""
    number = _number(request)
    begun = visitors.look(account_id, npc_id, _entry_shown, number)
    ears = {one["who"] for one in begun["people"]} & set(request.POST.getlist("who"))
    said = ""
    if begun["is_public"]:
        ears, said = _named(request.POST.get("names", "")[:NAMES], begun["names"])

    def narrow_it(who: Any, npc: Any) -> Deferred[str]:
        found = _entry(npc, number)
        return changes.change_entry(
            who, npc, npc_pages.name_of(npc), found, lambda: forgetting.narrowed(found, npc, ears)
        )

    if not said:
        said = visitors.do(account_id, npc_id, narrow_it)
    return answering.done(request, said, "memories", npc_id)


@require_POST
@answering.page
def pin(request: HttpRequest, account_id: int, npc_id: int, *, pinned: bool) -> HttpResponse:
    """Let an entry never go, or go as any other."""
    number = _number(request)

    def pin_it(who: Any, npc: Any) -> str:
        found = _entry(npc, number)
        return changes.pin(who, npc, npc_pages.name_of(npc), found, pinned=pinned)

    said = visitors.do(account_id, npc_id, pin_it)
    return answering.done(request, said, "memories", npc_id)


def profiles(account_id: int, npc_id: int, people: list[str]) -> list[Profile]:
    """Return what an NPC knows of some people."""
    return list(bridge.each(_profiles, account_id, npc_id, of=people))


def _number(request: HttpRequest) -> int:
    number = whole_number(request.POST.get("entry", ""))
    if number is None:
        raise visitors.NotFound("That is no number.")
    return number


def _named(wanted: str, names: Mapping[str, str]) -> tuple[set[str], str]:
    """Return the identities that names with commas between them mean, and else the problem with them."""
    given = list(filter(None, map(str.strip, wanted.split(","))))
    if not given:
        return set(), "Name who may know it, or say nobody. Nothing was done."
    if [one.casefold() for one in given] == [NOBODY]:
        return set(), ""
    found = {name: _called(name, names) for name in given}
    for name, called in found.items():
        if len(called) != 1:
            count = len(called) or "nobody"
            return set(), f"It knows {count} of the name {name}. Nothing was done."
    return {who for called in found.values() for who in called}, ""


def _called(wanted: str, names: Mapping[str, str]) -> list[str]:
    return [who for who, name in names.items() if name.casefold() == wanted.casefold()]


def _long_term_of(account_id: int, npc_id: int) -> tuple[list[Memory], str]:
    try:
        found: tuple[list[Memory], str] = visitors.look(account_id, npc_id, _long_term)
    except bridge.StillGoing:
        # It loads, or is busy; the rest can be shown.
        return [], "Long-term memory is not ready. Look again in a moment."
    return found


# Called over the bridge.


def _begin(who: Any, npc: Any) -> dict[str, Any]:
    return {
        "npc": npc_pages.head(npc),
        "pages": journal.page_numbers(npc),
        "promises": assistant.reminders(scripts.find(npc)),
        "people": entity_profiles.known_identities(npc),
    }


def _asked(who: Any, npc: Any) -> dict[str, Any]:
    return {"npc": npc_pages.head(npc), "names": names_known(npc)}


def _entries_on(account_id: int, npc_id: int, pages: Iterable[int]) -> list[Entry]:
    _, npc = visitors.with_npc(account_id, npc_id)
    return [found for page in pages for found in journal.entries_on(npc, page)]


def _profiles(account_id: int, npc_id: int, people: Iterable[str]) -> list[Profile]:
    _, npc = visitors.with_npc(account_id, npc_id)
    return [
        known
        for some in bridge.portions(people)
        for known in entity_profiles.find_profiles(npc, some)
    ]


def _long_term(who: Any, npc: Any) -> Deferred[tuple[list[Memory], str]]:
    """Fire with the newest long-term memories, and why there are none if they cannot be read."""

    def unread(failure: Failure) -> tuple[list[Memory], str]:
        failure.trap(MemoryUnavailable)
        return [], f"Long-term memory cannot be asked: {failure.value}"

    reading = get_memory().get_all(assistant_key=identity.identity_of(npc), limit=LONG_TERM)
    return reading.addCallbacks(lambda found: (found, ""), unread)


def _to_forget(who: Any, npc: Any, numbers: Iterable[int]) -> dict[str, Any]:
    kept = journal.get_entries(npc, numbers)
    if not kept:
        raise visitors.NotFound("There is no such entry.")
    return {
        "npc": npc_pages.head(npc),
        "entries": [{"id": one.id, "text": one.content} for one in kept.values()],
    }


def _entry_shown(who: Any, npc: Any, number: int) -> dict[str, Any]:
    found, names, own = _entry(npc, number), names_known(npc), identity.identity_of(npc)
    is_public = found.audience == "public"
    others = [] if is_public else [one for one in found.audience if one != own]
    return {
        "npc": npc_pages.head(npc),
        "entry": {"id": found.id, "text": found.content},
        "was": npc_pages.mark_of(found.content),
        "known_to": known_to(found.audience, names),
        "people": [{"who": one, "name": names.get(one, "somebody")} for one in others],
        "is_public": is_public,
        "names": names,
    }


def _entry(npc: Any, number: int) -> Entry:
    found = journal.get_entry(npc, number)
    if found is None:
        raise visitors.NotFound(f"There is no entry {number}.")
    return found


@inlineCallbacks
def _come_to_mind(account_id: int, npc_id: int, question: str, who: str):
    """Fire with what the NPC would find if that identity asked it alone; "": whoever may know it.

    Checking the visitor, reading ahead and searching take some milliseconds each: a slice for each.
    """
    visitors.with_npc(account_id, npc_id)
    yield scheduling.yield_to_reactor(first=True)
    npc = lookup.object_by_id(npc_id)
    if npc is not None and (mind := scripts.find(npc)) is not None:
        readahead.read_ahead(npc, mind, who)
    yield scheduling.yield_to_reactor(first=True)
    npc = lookup.object_by_id(npc_id)
    if npc is None or scripts.find(npc) is None:
        raise visitors.NotFound("It is gone.")
    return (yield shown_memories.come_to_mind(npc, question, who))
