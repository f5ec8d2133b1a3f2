"""The pages of what an NPC remembers. Names and words of players are posted: they are in no address."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_POST

from evennia_ai.commands.base import whole_number
from evennia_ai.core.records import Profile
from evennia_ai.web import answering, bridge, memories_shown, memory_list, visitors

# Memories of a page, and people whose profiles are read for it.
SHOWN = 200
PEOPLE = 500
# Profiles that are read in one go: some milliseconds of the game's time.
AT_ONCE = 20
# Characters of what is looked for.
LENGTH = 100


@require_http_methods(["GET", "HEAD", "POST"])
@answering.page
def memories(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show what an NPC remembers, the newest first."""
    wanted = memory_list.Wanted(
        *(request.POST.get(name, "")[:LENGTH] for name in memory_list.Wanted._fields)
    )
    begun = bridge.call(memories_shown.begin, account_id, npc_id)
    kept, problem = _long_term(account_id, npc_id)
    names, people = begun["names"], begun["people"]
    rows = [
        *memory_list.of_journal(begun["entries"], names),
        *memory_list.of_long_term(kept, begun["entries"], names),
        *memory_list.of_people(_profiles(account_id, npc_id, people[:PEOPLE]), names),
        *memory_list.of_promises(begun["promises"], names),
    ]
    fitting = sorted(filter(wanted.fits, rows), key=lambda row: row.time, reverse=True)
    context = {
        "npc": begun["npc"],
        "rows": fitting[:SHOWN],
        "fit": len(fitting),
        "all": len(rows),
        "unread": people[PEOPLE:],
        "problem": problem,
        "wanted": wanted,
        "kinds": memory_list.KINDS,
        "audiences": memory_list.AUDIENCES,
    }
    return answering.render(request, "memories", context)


@require_POST
@answering.page
def forget(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Ask whether an entry shall be forgotten; with `sure`, let it be."""
    entry_id = whole_number(request.POST.get("entry", ""))
    if entry_id is None:
        raise visitors.NotFound("That is no number.")
    if not request.POST.get("sure"):
        context: dict[str, Any] = bridge.call(memories_shown.entry, account_id, npc_id, entry_id)
        return answering.render(request, "forget", context)
    words = bridge.call(memories_shown.forget, account_id, npc_id, entry_id)
    return answering.done(request, words, "memories", npc_id)


def _long_term(account_id: int, npc_id: int) -> tuple[list[dict[str, Any]], str]:
    try:
        found: tuple[list[dict[str, Any]], str] = bridge.call(
            memories_shown.long_term, account_id, npc_id
        )
    except bridge.StillGoing:
        # It loads, or is busy; the rest can be shown.
        return [], "Long-term memory is not ready. Look again in a moment."
    return found


def _profiles(account_id: int, npc_id: int, people: list[str]) -> list[Profile]:
    found: list[Profile] = []
    for at in range(0, len(people), AT_ONCE):
        some = people[at : at + AT_ONCE]
        found.extend(bridge.call(memories_shown.profiles, account_id, npc_id, some))
    return found
