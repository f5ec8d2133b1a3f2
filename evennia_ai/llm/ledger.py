"""The ledger: every attempt at a call of a model is one row, written in batches.

Stands directly around a backend, so that each attempt of a retry counts. Rows wait in memory for
a second at most: `hooks` calls `flush` at server stop, a kill -9 loses what was written last.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from typing import Any

from django.db import Error as DatabaseError
from django.db import transaction
from django.db.models.functions import TruncDate
from evennia.utils import logger
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.python.failure import Failure

from evennia_ai import conf, models, scheduling
from evennia_ai.core import volatile
from evennia_ai.domain.model_text import spending, tokens
from evennia_ai.exceptions import AssistantError
from evennia_ai.llm import daily_costs
from evennia_ai.llm.base import Completion, Request, Wrapper

# Rows are written after this many seconds, so many in one go: 50 would hold the game for 20 ms.
FLUSH_SECONDS = 1.0
FLUSH_ROWS = 8
# Seconds between two of these when more rows wait.
FLUSH_PAUSE = 0.02
# Seconds until a write that failed is tried again.
FAILED_SECONDS = 30.0
# Rows kept while the database cannot be written; beyond it the oldest are lost.
BUFFER_ROWS = 5000
ERROR_LENGTH = 300

# What `totals` can be asked for, and the columns that it then groups by.
GROUPS = {
    "assistant": ("assistant_id", "assistant_key"),
    "player": ("player_id",),
    "alias": ("alias",),
    "job": ("job",),
}


class Ledger(Wrapper):
    """Writes down each call of the backend that it holds."""

    def complete(self, request: Request) -> Deferred[Completion]:
        """Answer `request` by the backend, and note how it went; the answer has the tokens that are noted."""
        clock = self._clock or scheduling.clock()
        answering = maybeDeferred(self.inner.complete, request)
        return answering.addBoth(self._note, request, clock, clock.seconds())

    def _note(self, result: Any, request: Request, clock: Any, started: float) -> Any:
        entry = _entry_for(request, alias=self.alias, created=started)
        entry.latency_ms = max(0, round((clock.seconds() - started) * 1000))
        # Not the name that the answer gives, which is the server's to choose.
        entry.model = _clean(configured_model(self.alias) or self.name)[:200]
        if isinstance(result, Failure):
            entry.outcome = result.type.__name__[:64]
            # Texts of other errors are not of our own words.
            if result.check(AssistantError):
                entry.error = self._without_key(_clean(result.getErrorMessage()))[:ERROR_LENGTH]
            if conf.get("LEDGER_PROMPTS"):
                entry.answer = self._without_key(_clean(getattr(result.value, "words", "")))
        else:
            result = believed(request, result)
            self._note_answer(entry, result)
        _buffer.add(entry, clock)
        return result

    def _note_answer(self, entry: models.LedgerEntry, completion: Completion) -> None:
        entry.outcome = "ok"
        entry.prompt_tokens = completion.prompt_tokens
        entry.completion_tokens = completion.completion_tokens
        entry.cached_tokens = completion.cached_tokens
        entry.money = cost(completion, alias=self.alias, name=self.name)
        if conf.get("LEDGER_PROMPTS"):
            entry.answer = _clean(json.dumps(completion.message(), ensure_ascii=False, default=str))

    def _without_key(self, text: str) -> str:
        """Some servers quote the key that they refuse; the ledger must not."""
        options = _options(self.alias)
        secrets = (options.get("api_key"), os.environ.get(options.get("api_key_env") or ""))
        for secret in filter(None, secrets):
            text = text.replace(secret, "(key)")
        return text


def believed(request: Request, completion: Completion) -> Completion:
    """Return an answer with the tokens that it counts for: those that the server tells, within reason.

    Where it tells none, what was set aside for the call counts.
    """
    if not completion.is_model:
        return completion
    read = tokens.estimate_messages(request.messages, request.tools)
    written = tokens.estimate_messages([completion.message()])
    written += tokens.estimate(completion.thinking)
    prompt = spending.believed(
        completion.prompt_tokens, estimate=read, largest=spending.SHORTEST_PROMPT, unsaid=read
    )
    most = request.max_tokens
    return replace(
        completion,
        prompt_tokens=prompt,
        # There may be thinking that is not shown.
        completion_tokens=spending.believed(
            completion.completion_tokens, estimate=written, largest=most, unsaid=most
        ),
        cached_tokens=max(0, min(completion.cached_tokens, prompt)),
    )


def cost(completion: Completion, *, alias: str, name: str) -> int:
    """Return what an answer costs by the tokens in it, in millionths."""
    read, written = completion.prompt_tokens or 0, completion.completion_tokens or 0
    return spending.cost(read, written, price=price(alias, completion.model, name))


def configured_model(alias: str) -> str:
    """Return the model that the settings name for an alias, "" if they name none."""
    return _options(alias).get("model", "")


def price(alias: str, *names: str) -> spending.Price:
    """Return the price for an alias: of its configured model, else of the first of `names`."""
    # The configured name first: servers answer with dated names that no price list has.
    return spending.price_for(conf.get("PRICES"), (configured_model(alias), *names))


def flush() -> bool:
    """Write all rows that wait; return whether none is left."""
    return _buffer.flush()


def be_worker() -> None:
    """Let no row wait from now on: a worker may be killed at any time, and tells of all that it asked."""
    _buffer.patience = 0.0


def pending() -> int:
    """Return how many rows wait to be written."""
    return len(_buffer.rows)


def finish() -> None:
    """Write what waits before the server stops, and say so if that is lost."""
    flush()
    if pending():
        logger.log_err(
            f"evennia_ai: {pending()} rows of the ledger are lost; it cannot be written."
        )


def prune(*, now: datetime | None = None) -> Iterator[None]:
    """Delete rows older than LEDGER_DAYS, budgets too, some at each step.

    What they cost stays, summed up by the day.
    """
    now = now or datetime.now(timezone.utc)
    yield from daily_costs.prune(now=now)
    oldest = now - timedelta(days=conf.get("LEDGER_DAYS"))
    yield from daily_costs.delete(models.Budget.objects.filter(day__lt=oldest.date()))
    yield from daily_costs.delete(models.LedgerEntry.objects.filter(created__lt=oldest))


def forget_words(assistant_id: int) -> int:
    """Empty the prompts, answers and errors of an assistant's calls; return how many. What they cost stays."""
    flush()
    kept = models.LedgerEntry.objects.filter(assistant_id=assistant_id)
    return kept.exclude(prompt="", answer="", error="").update(prompt="", answer="", error="")


def forget_words_of(player_id: int) -> int:
    """Empty the prompts, answers and errors of all calls on a player's account; return how many."""
    flush()
    kept = models.LedgerEntry.objects.filter(player_id=player_id).exclude(player_id=0)
    return kept.exclude(prompt="", answer="", error="").update(prompt="", answer="", error="")


def of_turns(turn_ids: Iterable[str], *, assistant_id: int) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of some turns as plain dicts, oldest first, by turn; none where no model was asked."""
    flush()
    found: dict[str, list[dict[str, Any]]] = {one: [] for one in turn_ids}
    # With the assistant, for which there is an index; for turns alone there is none.
    rows = models.LedgerEntry.objects.filter(assistant_id=assistant_id, turn_id__in=list(found))
    for row in rows.order_by("created", "id").values():
        found[row["turn_id"]].append(row)
    return found


def totals(*, day: date | None = None, by: str = "assistant") -> list[dict[str, Any]]:
    """Return sums of one day (UTC; today if None) for each assistant, player, alias or job.

    Plain dicts of the grouping columns and calls, failures, prompt_tokens, cached_tokens,
    completion_tokens, money (millionths) and latency_ms (the average); what cost most comes first.
    """
    flush()
    return written_totals(day=day, by=by)


def written_totals(
    *, day: date | None = None, days: int = 1, by: str = "assistant"
) -> list[dict[str, Any]]:
    """Return what `totals` does, without what was not written down yet; any thread may ask.

    Of some days up to `day`, if that is said.
    """
    day = day or datetime.now(timezone.utc).date()
    rows = daily_costs.summed(daily_costs.calls_of(day, days=days).values(*GROUPS[by]))
    ordered = rows.order_by("-spent", "-prompt", "-calls", *GROUPS[by])
    return [_total(row, GROUPS[by]) for row in ordered]


def failing() -> dict[str, dict[str, Any]]:
    """Return the aliases of which half or more of the last hour's calls failed.

    For each {"calls", "failures", "error"}, the last of them; no words of prompts.
    """
    flush()
    since = datetime.now(timezone.utc) - timedelta(hours=1)
    rows = models.LedgerEntry.objects.filter(created__gte=since)
    found = {}
    for row in daily_costs.summed(rows.values("alias")).order_by("alias"):
        if row["failures"] and row["failures"] * 2 >= row["calls"]:
            failed = (
                rows.filter(alias=row["alias"]).exclude(outcome="ok").order_by("-created").first()
            )
            error = f"{failed.outcome} {failed.error}".strip().rstrip(".")
            found[row["alias"]] = {
                "calls": row["calls"],
                "failures": row["failures"],
                "error": error,
            }
    return found


def daily(*, by: str, value: int | str) -> list[dict[str, Any]]:
    """Return the sums of each day (UTC) for one assistant, player or alias, the newest day first.

    `value` is of the first column of the group; the sums are those of `totals`, with the `day`.
    """
    flush()
    own = models.LedgerEntry.objects.filter(**{GROUPS[by][0]: value})
    rows = daily_costs.summed(
        own.annotate(day=TruncDate("created", tzinfo=timezone.utc)).values("day")
    )
    return [_total(row, ("day",)) for row in rows.order_by("-day")]


def _total(row: dict[str, Any], columns: tuple[str, ...]) -> dict[str, Any]:
    return {
        **{column: row[column] for column in columns},
        "calls": row["calls"],
        "failures": row["failures"],
        "prompt_tokens": row["prompt"],
        "cached_tokens": row["cached"],
        "completion_tokens": row["completion"],
        "money": row["spent"],
        "latency_ms": round(row["latency"]),
    }


def _options(alias: str) -> dict[str, Any]:
    return conf.get("LLM").get(alias, {}).get("OPTIONS", {})


def _clean(text: str) -> str:
    """Return text that every database takes: Postgres refuses NUL."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _entry_for(request: Request, *, alias: str, created: float) -> models.LedgerEntry:
    caller = request.caller
    entry = models.LedgerEntry(
        created=datetime.fromtimestamp(created, tz=timezone.utc),
        alias=alias[:64],
        job=request.job[:32],
        assistant_id=caller.assistant_id,
        assistant_key=_clean(caller.assistant_key)[:255],
        player_id=caller.player_id,
        turn_id=caller.turn_id[:64],
    )
    if conf.get("LEDGER_PROMPTS"):
        entry.prompt = _clean(json.dumps(request.messages, ensure_ascii=False, default=str))
    return entry


class _Buffer:
    """Rows that wait to be written, and the timer that writes them."""

    def __init__(self) -> None:
        self.rows: list[models.LedgerEntry] = []
        self.patience = FLUSH_SECONDS
        self._clock: Any = None
        self._timer: Any = None
        self._failed = False

    def add(self, entry: models.LedgerEntry, clock: Any) -> None:
        self.rows.append(entry)
        if len(self.rows) > BUFFER_ROWS:
            del self.rows[0]
        self._arm(clock, self.patience)

    def flush(self) -> bool:
        while self.rows and self._write():
            pass
        if not self.rows:
            self.end()
        return not self.rows

    def _write(self) -> bool:
        """Write one batch; keep it, and say so once, when the database does not take it."""
        batch = self.rows[:FLUSH_ROWS]
        try:
            with transaction.atomic():
                models.LedgerEntry.objects.bulk_create(batch)
        except DatabaseError as error:
            if not self._failed:
                logger.log_warn(
                    f"evennia_ai: the ledger cannot be written ({error}); "
                    f"up to {BUFFER_ROWS} rows are kept and tried again."
                )
            self._failed = True
            return False
        del self.rows[: len(batch)]
        self._failed = False
        return True

    def _arm(self, clock: Any, delay: float) -> None:
        if not self.rows:
            self.end()
        # A timer on a clock that nobody winds any more (a test's) would never fire.
        elif self._timer is None or self._clock is not clock:
            self.end()
            self._clock = clock
            # Each try may block for the whole of the database's own timeout.
            delay = FAILED_SECONDS if self._failed else delay
            self._timer = clock.callLater(delay, self._on_time)

    def end(self) -> None:
        """Write no more by the timer."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _on_time(self) -> None:
        self._timer = None
        if self._write() and not self.rows:
            daily_costs.close_next(
                now=datetime.fromtimestamp(self._clock.seconds(), tz=timezone.utc)
            )
        self._arm(self._clock, FLUSH_PAUSE)


_buffer = volatile.keep(_Buffer)
