"""Requests of players to be forgotten, kept until they are done: over failures, restarts and a kill.

A request stands in Evennia's ServerConfig before anything of it is done, by identity and name: the
character may be gone when its turn comes.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from evennia.server.models import ServerConfig
from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from evennia_ai import rate_limits, scheduling
from evennia_ai.agent.revising import forget_people
from evennia_ai.memory import lookup
from evennia_ai.rate_limits import Limit

# {id of a request: what is to be forgotten, and by whom}
KEY = "evennia_ai_to_forget"
# Seconds until what could not be done is tried again.
RETRY_SECONDS = 60.0

Plain = dict[str, Any]


# Each request is dealt with once at a time, and they are tried again together.
DOING, TRYING_AGAIN = "forgetting", "forgetting again"


@inlineCallbacks
def ask(obj: Any, npc: Any = None):
    """Let an NPC, or all, forget whoever plays an object; return "" when that is done.

    Else the request stays on the list, and the reason is returned. While an NPC forgets it answers
    nobody: so whoever asks for the same again waits a while.
    """
    known, npcs = _same(obj, npc), [npc.id] if npc is not None else forget_people.bodies()
    whom = {str(one): _plain(forget_people.person(lookup.object_by_id(one), obj)) for one in npcs}
    request = {"by": obj.id, "npcs": whom, "everywhere": None, "mark": uuid.uuid4().hex}
    if npc is None:
        request["everywhere"] = _plain(forget_people.player(obj))
    number = known or uuid.uuid4().hex
    _write({**waiting(), number: request})
    asked = Limit(("forget", obj.id, npc.id if npc is not None else 0), seconds=RETRY_SECONDS)
    if scheduling.is_under_way(DOING, number) or not rate_limits.take(asked):
        _again()
        return "waits: it was asked for a moment ago."
    return (yield _do(number))


def waiting() -> Mapping[str, Plain]:
    """Return the requests that are not done yet, by their ids."""
    return ServerConfig.objects.conf(KEY, default=None) or {}


@inlineCallbacks
def resume():
    """Do what waits; what cannot be done yet is tried again later."""
    for number in list(waiting()):
        if not scheduling.is_under_way(DOING, number):
            reason = yield _do(number)
            logger.log_info(f"evennia_ai: a request to be forgotten {reason or 'was done'}.")


@inlineCallbacks
def _do(number: str):
    scheduling.begin(DOING, number)
    try:
        begun = waiting()[number]
        for npc_id, whom in begun["npcs"].items():
            npc = lookup.object_by_id(int(npc_id))
            if npc is not None:
                yield forget_people.forget(npc, lookup.mind_of(npc), _target(whom))
            if waiting()[number].get("mark") == begun.get("mark"):
                _change(number, without=npc_id)
            if waiting()[number]["npcs"]:
                yield scheduling.yield_to_reactor()
        everywhere = waiting()[number]["everywhere"]
        if everywhere is not None:
            yield forget_people.forget_in_stores(_target(everywhere))
        if waiting()[number]["npcs"]:
            _again()
            return "waits: it was asked for again meanwhile."
        _write({one: kept for one, kept in waiting().items() if one != number})
        return ""
    except forget_people.NOT_YET as error:
        _again()
        return f"waits: {error}"
    finally:
        scheduling.end(DOING, number)


def _same(obj: Any, npc: Any) -> str:
    """Return the request by which somebody asked for the same already, "" if there is none."""
    for number, request in waiting().items():
        is_everywhere = request["everywhere"] is not None
        is_same = is_everywhere if npc is None else not is_everywhere
        if request["by"] == obj.id and is_same and (npc is None or str(npc.id) in request["npcs"]):
            return number
    return ""


def _change(number: str, *, without: str) -> None:
    request = waiting()[number]
    left = {npc_id: whom for npc_id, whom in request["npcs"].items() if npc_id != without}
    _write({**waiting(), number: {**request, "npcs": left}})


def _again() -> None:
    if scheduling.begin(TRYING_AGAIN):
        scheduling.clock().callLater(RETRY_SECONDS, _resume)


def _resume() -> Deferred[Any]:
    scheduling.end(TRYING_AGAIN)
    done: Deferred[Any] = resume()
    return done.addErrback(
        lambda failure: logger.log_err(f"evennia_ai: forgetting failed: {failure.type.__name__}")
    )


def _plain(target: forget_people.Target) -> Plain:
    return {
        "identities": sorted(target.identities),
        "names": list(target.names),
        "account_id": target.account_id,
    }


def _target(whom: Plain) -> forget_people.Target:
    return forget_people.Target(
        frozenset(whom["identities"]), tuple(whom["names"]), whom["account_id"]
    )


def _write(requests: Mapping[str, Plain]) -> None:
    ServerConfig.objects.conf(KEY, dict(requests) or None, delete=not requests)
