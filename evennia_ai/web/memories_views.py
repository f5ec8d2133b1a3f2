"""The pages of what an NPC remembers. Names and words of players are posted: they are in no address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_POST

from evennia_ai.commands.aimemory import memory_format, rumours
from evennia_ai.commands.aimemory.memory_changes import NOBODY
from evennia_ai.commands.base import whole_number
from evennia_ai.core.records import Profile
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.web import (
    answering,
    bridge,
    memories_shown,
    memory_list,
    npcs_shown,
    views,
    visitors,
)

# Memories of a page, and people whose profiles are read for it.
SHOWN = 200
PEOPLE = 500
# Characters of what is looked for.
LENGTH = 100
# Characters of the names of those who may know an entry.
NAMES = 500
# Characters of a question, and of what is looked for in all NPCs.
QUESTION, WORDS = 500, 200
# NPCs that are asked in one go for what they know.
ASKED_AT_ONCE = 25


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
    begun = bridge.call(memories_shown.begin, account_id, npc_id)
    names = bridge.call(memories_shown.names, account_id, npc_id)
    noted = list(bridge.each(memories_shown.noted, account_id, npc_id, of=begun["pages"]))
    kept, problem = _long_term(account_id, npc_id)
    people = begun["people"]
    rows = [
        *memory_list.of_journal(noted, names),
        *memory_list.of_long_term(kept, noted, names),
        *memory_list.of_people(profiles(account_id, npc_id, people[:PEOPLE]), names),
        *memory_list.of_promises(begun["promises"], names),
    ]
    fitting = sorted(filter(wanted.fits, rows), key=lambda row: row.time, reverse=True)
    shown = [row.number for row in fitting[:SHOWN] if row.number]
    is_sought = any(wanted)
    context = {
        "npc": begun["npc"],
        "rows": fitting[:SHOWN],
        # Only what was looked for is forgotten at once.
        "shown_entries": " ".join(map(str, shown)) if is_sought else "",
        "entries_word": (
            f"all {len(shown)} entries that fit" if len(shown) != 1 else "the one that fits"
        ),
        "fit": len(fitting),
        "all": len(rows),
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
    begun = bridge.call(memories_shown.asked_by, account_id, npc_id)
    names = begun["names"]
    called = _called(person, names)
    rows: list[Found] = []
    problem = ""
    if person and len(called) != 1:
        problem = f"It knows {len(called) or 'nobody'} of that name."
    elif question:
        rows, problem = _found(account_id, npc_id, question, called[0] if person else "", names)
    context = {
        "npc": begun["npc"],
        "question": question,
        "person": person,
        "rows": rows,
        "problem": problem,
    }
    return answering.render(request, "search", context)


@require_http_methods(["GET", "HEAD", "POST"])
@answering.page
def knows(request: HttpRequest, account_id: int) -> HttpResponse:
    """Show which NPCs know something, since when, through whom, and who else may."""
    words = request.POST.get("words", "").strip()[:WORDS]
    bridge.call(memories_shown.check_staff, account_id)
    mine: list[int] = []
    found: list[rumours.Known] = []
    problem = ""
    if retrieval.terms(words):
        named = bridge.each(npcs_shown.named, account_id, of=sorted(views.minds().values()))
        mine = [npc_id for _, npc_id, _ in named]
        found, problem = _known(account_id, mine, words)
    elif words:
        problem = "Name a word that tells more than these."
    context = {
        "words": words,
        "rows": found[:SHOWN],
        "left": len(found[SHOWN:]),
        "asked": len(mine),
        "problem": problem,
    }
    return answering.render(request, "knows", context)


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
        context: dict[str, Any] = bridge.call(memories_shown.entries, account_id, npc_id, numbers)
        return answering.render(request, "forget", context)
    words = bridge.call(memories_shown.forget, account_id, npc_id, numbers)
    return answering.done(request, words, "memories", npc_id)


@require_POST
@answering.page
def entry(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show one entry, to be written anew or kept from some who may know it."""
    context = bridge.call(memories_shown.entry, account_id, npc_id, _number(request))
    del context["names"]
    return answering.render(request, "entry", context)


@require_POST
@answering.page
def edit(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Let an entry say something else."""
    was, words = (request.POST.get(name, "") for name in ("was", "words"))
    said = bridge.call(memories_shown.edit, account_id, npc_id, _number(request), was, words)
    return answering.done(request, said, "memories", npc_id)


@require_POST
@answering.page
def narrow(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Let fewer people know an entry: those that are named, of those who may know it now."""
    number = _number(request)
    begun = bridge.call(memories_shown.entry, account_id, npc_id, number)
    who = {one["who"] for one in begun["people"]} & set(request.POST.getlist("who"))
    said = ""
    if begun["is_public"]:
        who, said = _named(request.POST.get("names", "")[:NAMES], begun["names"])
    if not said:
        said = bridge.call(memories_shown.narrow, account_id, npc_id, number, who)
    return answering.done(request, said, "memories", npc_id)


@require_POST
@answering.page
def pin(request: HttpRequest, account_id: int, npc_id: int, *, pinned: bool) -> HttpResponse:
    """Let an entry never go, or go as any other."""
    words = bridge.call(memories_shown.pin, account_id, npc_id, _number(request), pinned=pinned)
    return answering.done(request, words, "memories", npc_id)


def _number(request: HttpRequest) -> int:
    number = whole_number(request.POST.get("entry", ""))
    if number is None:
        raise visitors.NotFound("That is no number.")
    return number


def _named(wanted: str, names: Mapping[str, str]) -> tuple[set[str], str]:
    """Return whom names with commas between them mean, and else what is wrong with them."""
    given = list(filter(None, map(str.strip, wanted.split(","))))
    if not given:
        return set(), "Name who may know it, or say nobody. Nothing was done."
    if [one.casefold() for one in given] == [NOBODY]:
        return set(), ""
    found = {name: _called(name, names) for name in given}
    for name, called in found.items():
        if len(called) != 1:
            return (
                set(),
                f"It knows {len(called) or 'nobody'} of the name {name}. Nothing was done.",
            )
    return {who for called in found.values() for who in called}, ""


def _called(wanted: str, names: Mapping[str, str]) -> list[str]:
    return [who for who, name in names.items() if name.casefold() == wanted.casefold()]


def _found(
    account_id: int, npc_id: int, question: str, who: str, names: Mapping[str, str]
) -> tuple[list[Found], str]:
    try:
        found = bridge.call(memories_shown.come_to_mind, account_id, npc_id, question, who)
    except bridge.StillGoing:
        return [], "Long-term memory is not ready. Ask again in a moment."
    return [Found(one, memory_format.known_to(one.audience, names)) for one in found], (
        "" if found else "Nothing comes to its mind."
    )


def _long_term(account_id: int, npc_id: int) -> tuple[list[dict[str, Any]], str]:
    try:
        found: tuple[list[dict[str, Any]], str] = bridge.call(
            memories_shown.long_term, account_id, npc_id
        )
    except bridge.StillGoing:
        # It loads, or is busy; the rest can be shown.
        return [], "Long-term memory is not ready. Look again in a moment."
    return found


def profiles(account_id: int, npc_id: int, people: list[str]) -> list[Profile]:
    """Return what an NPC knows of some people."""
    return list(bridge.each(memories_shown.profiles, account_id, npc_id, of=people))


def _known(account_id: int, mine: list[int], words: str) -> tuple[list[rumours.Known], str]:
    found: list[rumours.Known] = []
    problem, left = "", mine
    # The journals' texts are looked through in this thread.
    *_, noted = rumours.who_noted(mine, words)
    likely = bridge.call(rumours.who_keeps, noted)
    while left and len(found) < rumours.SHOWN:
        some_npcs, left = left[:ASKED_AT_ONCE], left[ASKED_AT_ONCE:]
        try:
            asked = bridge.call(memories_shown.who_knows, account_id, some_npcs, words, likely)
        except bridge.StillGoing:
            left = some_npcs + left
            break
        found += asked[0]
        problem = problem or asked[1]
    if left:
        problem = (
            f"{len(left)} of them were not asked, as this takes long. Name a word that tells more."
        )
    return sorted(found, key=lambda one: one.since), problem
