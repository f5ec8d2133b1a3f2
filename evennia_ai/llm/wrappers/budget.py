"""Keep the day's tokens and money within their caps, for the server, each assistant and player.

What an attempt may use is reserved before it is made and settled when its answer is known, both by
single UPDATEs of the database, so that processes that share it stay within the cap together. A
server killed in between leaves its reservations standing, which errs towards spending less; they
end with the day (UTC), as every row does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timezone
from typing import Any, Collection, Container, Generator, Iterable, Mapping, NamedTuple

from django.db import Error as DatabaseError
from django.db import connection
from evennia.utils import logger
from twisted.internet.defer import CancelledError, Deferred, inlineCallbacks

from evennia_ai import conf, models, scheduling
from evennia_ai.domain.model_text import spending, tokens
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.llm import base, caps, ledger
from evennia_ai.llm.base import Caller, Completion, Request, Wrapper
from evennia_ai.llm.caps import Amount

# The alias that answers when a budget runs low.
CHEAPER_ALIAS = "cheaper"
# More than any row will ever have.
_UNCAPPED = 2**62
_ANYTHING = Amount(_UNCAPPED, _UNCAPPED)
# The rows are locked in one order, whoever asks: another order could lock both up.
_ADD = (
    "UPDATE {table} SET tokens = CASE WHEN tokens + %s < 0 THEN 0 ELSE tokens + %s END, "
    "money = CASE WHEN money + %s < 0 THEN 0 ELSE money + %s END "
    "WHERE id IN (WITH fit AS (SELECT id FROM {table} WHERE day = %s AND ({rows}) ORDER BY id{lock}) "
    "SELECT id FROM fit WHERE (SELECT count(*) FROM fit) >= %s)"
)
_ROW = "(scope = %s AND tokens <= %s AND money <= %s)"
_ROWS = "SELECT scope, tokens, money, warned FROM {table} WHERE day = %s AND scope IN ({scopes})"
LOW_PERCENT, SPENT_PERCENT = round(spending.CHEAPER_SHARE * 100), 100


class Spent(NamedTuple):
    """What a scope has spent on a day, reservations included, and of what percentage of it staff were told."""

    scope: str
    tokens: int = 0
    money: int = 0
    warned: int = 0


@dataclass(frozen=True)
class Reservation:
    """What was set aside for one call, and in which rows."""

    day: date
    scopes: tuple[str, ...]
    amount: Amount


class Budget(Wrapper):
    """Refuses attempts that the day's budget of their caller does not cover, and counts the others."""

    @inlineCallbacks
    def complete(self, request: Request) -> Generator[Deferred[Any], Any, Completion]:
        """Answer `request`, or fail with BudgetExceeded when a cap of its caller is reached."""
        asked = estimate(request, alias=self.alias, name=self.name)
        reservation = reserve(caps_for(request.caller), asked, day=today(self._clock))
        try:
            completion = yield self.inner.complete(request)
        except (LLMUnavailable, CancelledError) as error:
            # Whoever was asked may bill it, answer or none: what it wrote by then nobody knows.
            if not getattr(error, "is_billed", True):
                settle(reservation, Amount(0, 0))
            raise
        settle(reservation, self._used(ledger.believed(request, completion)))
        return completion

    def _used(self, completion: Completion) -> Amount:
        if not completion.is_model:
            return Amount(0, 0)
        used = (completion.prompt_tokens or 0) + (completion.completion_tokens or 0)
        return Amount(used, ledger.cost(completion, alias=self.alias, name=self.name))


def today(clock: Any = None) -> date:
    """Return the day on which something that is spent now counts."""
    return datetime.fromtimestamp((clock or scheduling.clock()).seconds(), tz=timezone.utc).date()


def estimate(request: Request, *, alias: str, name: str) -> Amount:
    """Return what a request to a model may use at most."""
    prompt = tokens.estimate_messages(request.messages, request.tools)
    money = spending.cost(prompt, request.max_tokens, price=ledger.price(alias, name))
    return Amount(prompt + request.max_tokens, money)


def caps_for(caller: Caller) -> dict[str, Amount]:
    """Return the caps of each scope that a call counts for, the server's first."""
    scopes = spending.scopes_of(
        assistant=caller.assistant_key or str(caller.assistant_id or ""), player=caller.player_id
    )
    return {scope[:255]: caps.cap_of(kind, scope[:255]) for kind, scope in scopes.items()}


def look(limits: Mapping[str, Amount], asked: Amount, *, day: date) -> str:
    """Return the worst verdict of some caps on a call, and tell staff what is new about them."""
    verdicts = []
    for row in _rows(limits, day=day):
        cap = limits[row.scope]
        verdict = _verdict(row, asked, cap)
        if verdict == spending.CHEAPER and row.warned < LOW_PERCENT:
            _tell_low(row.scope, day)
        elif verdict == spending.REFUSE and row.warned < SPENT_PERCENT:
            _tell_spent(row.scope, cap, asked, day)
        verdicts.append(verdict)
    return spending.worst(verdicts)


def rung_of(scope: str, cap: Amount, *, day: date) -> dict[str, Any]:
    """Return how far a scope is on a day: {"scope", "tokens", "money", "cap", "rung"}.

    The rung is "full", "low" (nearly spent, and no cheaper model is there to answer), "cheaper" or
    "spent" (assistants answer with a line of their own).
    """
    row = _spent([scope], day=day).get(scope) or Spent(scope)
    verdict = _verdict(row, Amount(1, 0), cap)
    has_cheaper = CHEAPER_ALIAS in conf.get("LLM")
    if row.warned >= SPENT_PERCENT and (verdict == spending.GO or not has_cheaper):
        # It has refused a call already, one that was larger than what is left.
        verdict = spending.REFUSE
    return {
        "scope": scope,
        "tokens": row.tokens,
        "money": row.money,
        "cap": cap,
        "rung": _rung(verdict),
    }


def _rung(verdict: str) -> str:
    if verdict == spending.GO:
        return "full"
    has_cheaper = CHEAPER_ALIAS in conf.get("LLM")
    if verdict == spending.CHEAPER:
        return "cheaper" if has_cheaper else "low"
    # What costs nothing answers also when nothing is left.
    is_free = has_cheaper and not base.get_alias(CHEAPER_ALIAS).is_model
    return "cheaper" if is_free else "spent"


def _verdict(row: Spent, asked: Amount, cap: Amount) -> str:
    return spending.worst(
        (
            spending.check_cap(row.tokens, asked.tokens, cap=cap.tokens),
            spending.check_cap(row.money, asked.money, cap=cap.money),
        )
    )


def reserve(limits: Mapping[str, Amount], asked: Amount, *, day: date) -> Reservation:
    """Set aside what a call may use in every scope, or in none: then BudgetExceeded is raised."""
    most = {scope: _room(cap, asked) for scope, cap in limits.items()}
    if _add(most, day, asked, at_least=len(most)) == len(most):
        return Reservation(day, tuple(limits), asked)
    if _made(limits, _spent(limits, day=day), day=day):
        return reserve(limits, asked, day=day)
    scope = _refusing(most, day)
    raise BudgetExceeded(_tell_spent(scope, limits[scope], asked, day))


def settle(reservation: Reservation, used: Amount) -> None:
    """Replace what was set aside by what was used.

    A database that fails here must not cost the answer: it is logged, the reservation stands.
    """
    more_tokens = used.tokens - reservation.amount.tokens
    more_money = used.money - reservation.amount.money
    if not more_tokens and not more_money:
        return
    try:
        most = dict.fromkeys(reservation.scopes, _ANYTHING)
        _add(most, reservation.day, Amount(more_tokens, more_money))
    except DatabaseError as error:
        logger.log_warn(f"evennia_ai: a call could not be settled in the budget ({error}).")


def _rows(scopes: Collection[str], *, day: date) -> Iterable[Spent]:
    """Return the rows of some scopes on a day; those that it did not have it has now."""
    known = _spent(scopes, day=day)
    return (*known.values(), *map(Spent, _made(scopes, known, day=day)))


def _made(scopes: Iterable[str], known: Container[str], *, day: date) -> list[str]:
    """Make the rows that are not known; return whose they are."""
    missing = [scope for scope in scopes if scope not in known]
    if missing:
        made = [models.Budget(scope=scope, day=day) for scope in missing]
        # Another process may have made them since.
        models.Budget.objects.bulk_create(made, ignore_conflicts=True)
    return missing


def _spent(scopes: Collection[str], *, day: date) -> dict[str, Spent]:
    """Return the rows that there are of some scopes on a day. Written as SQL, as `_add`."""
    if not scopes:
        return {}
    statement = _ROWS.format(table=_table(), scopes=", ".join(["%s"] * len(scopes)))
    with connection.cursor() as cursor:
        cursor.execute(statement, [_stored(day), *scopes])
        return {row[0]: Spent(*row) for row in cursor.fetchall()}


def _table() -> str:
    return connection.ops.quote_name(models.Budget._meta.db_table)


def _stored(day: date) -> Any:
    return models.Budget._meta.get_field("day").get_db_prep_value(day, connection)


def _room(cap: Amount, asked: Amount) -> Amount:
    """Return how much may be spent already, so that what is asked for still fits."""
    most_tokens = _UNCAPPED if cap.tokens is None else cap.tokens - asked.tokens
    most_money = _UNCAPPED if cap.money is None else cap.money - asked.money
    return Amount(most_tokens, most_money)


def _refusing(most: Mapping[str, Amount], day: date) -> str:
    """Return the first scope that has too little left, or no row."""
    rows = _spent(most, day=day)
    for scope, room in most.items():
        row = rows.get(scope)
        if row is None or row.tokens > room.tokens or row.money > room.money:
            return scope
    return next(iter(most))


def _add(most: Mapping[str, Amount], day: date, more: Amount, *, at_least: int = 0) -> int:
    """Add to the rows of scopes that have at most `most` each; return how many these were.

    To none, where they are fewer than `at_least`. It is one statement, and no transaction around it: the rows are
    locked for as long as the database takes, however slow whoever asks is (a worker steps back). Nothing goes below 0: staff may have cleared a row in the meantime. Written as SQL, since to
    compose these statements by the ORM took a fifth of the time of a whole turn.
    """
    if not most:
        return 0
    statement = _ADD.format(
        table=_table(),
        rows=" OR ".join([_ROW] * len(most)),
        lock=" FOR UPDATE" if connection.features.has_select_for_update else "",
    )
    values: list[Any] = [more.tokens, more.tokens, more.money, more.money, _stored(day)]
    for scope, room in most.items():
        values += [scope, room.tokens, room.money]
    values.append(at_least)
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.rowcount


def _tell_low(scope: str, day: date) -> None:
    if _mark_warned(scope, day, LOW_PERCENT):
        has_cheaper = CHEAPER_ALIAS in conf.get("LLM")
        then = (
            f"the alias '{CHEAPER_ALIAS}' answers now" if has_cheaper else "the rest is still used"
        )
        logger.log_warn(
            f"evennia_ai: {LOW_PERCENT} % of the budget of {scope} on {day} (UTC) are spent; {then}."
        )


def _tell_spent(scope: str, cap: Amount, asked: Amount, day: date) -> str:
    """Tell staff that a scope is spent, once a day; return the sentence."""
    sentence = _describe(scope, cap, asked, day)
    if _mark_warned(scope, day, SPENT_PERCENT):
        logger.log_warn(f"evennia_ai: {sentence}")
    return sentence


def _mark_warned(scope: str, day: date, percent: int) -> bool:
    """Return whether this is the first warning of the day, whichever process asks."""
    rows = models.Budget.objects.filter(scope=scope, day=day, warned__lt=percent)
    return bool(rows.update(warned=percent))


def _describe(scope: str, cap: Amount, asked: Amount, day: date) -> str:
    row = _spent([scope], day=day)[scope]
    parts = []
    if cap.tokens is not None:
        parts.append(f"{row.tokens} of {cap.tokens} tokens")
    if cap.money is not None:
        parts.append(f"{row.money / 1e6:.4f} of {cap.money / 1e6:.4f} in money")
    return (
        f"The budget of {scope} does not cover a call of {asked.tokens} tokens: "
        f"{' and '.join(parts)} spent on {day} (UTC)."
    )
