"""Daily costs of models by NPC and job; kept longer than the ledger keeps single calls.

A day (UTC) is summed up once it is over. Of who paid for it nothing is kept here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, timezone
from typing import Any

from django.db.models import Avg, Count, Max, Min, Q, QuerySet, Sum

from evennia_ai import models
from evennia_ai.core import volatile

# A call that began yesterday may end, and be written down, in the new day.
LATE = timedelta(hours=1)
DAYS_KEPT = 400
# Rows that one statement deletes: two milliseconds.
DELETED_AT_ONCE = 200
COUNTED = ("calls", "failures", "prompt_tokens", "completion_tokens", "money")

DAY = timedelta(days=1)


def summed(rows: QuerySet) -> QuerySet:
    """Return groups of calls with their sums, and the `latency` of one."""
    return rows.annotate(
        calls=Count("id"),
        failures=Count("id", filter=~Q(outcome="ok")),
        # Named apart from the columns, as Django wants.
        prompt=Sum("prompt_tokens", default=0),
        cached=Sum("cached_tokens", default=0),
        completion=Sum("completion_tokens", default=0),
        spent=Sum("money", default=0),
        latency=Avg("latency_ms"),
    )


def calls_of(day: date, *, days: int = 1) -> QuerySet:
    """Return the calls of one day, or of some days up to it."""
    first = max(date.min.toordinal(), day.toordinal() - (days - 1))
    return models.LedgerEntry.objects.filter(
        # Not until the next day: of the last one there is none.
        created__range=(
            _start(date.fromordinal(first)),
            datetime.combine(day, time.max, tzinfo=timezone.utc),
        )
    )


def close_next(*, now: datetime) -> bool:
    """Sum up the oldest day that is over and was not summed up; return whether there was one.

    Some milliseconds for a day of some thousand calls.
    """
    over = (now - LATE).date()
    if _closed() >= over - DAY:
        return False
    since = _start(_closed() + DAY)
    calls = models.LedgerEntry.objects.filter(created__gte=since, created__lt=_start(over))
    day = _first_day(calls)
    if day is None:
        _closed.put(over - DAY)
        return False
    groups = summed(calls_of(day).values("assistant_id", "job"))
    rows = [
        models.DailyCost(
            day=day,
            assistant_id=one["assistant_id"],
            job=one["job"],
            calls=one["calls"],
            failures=one["failures"],
            prompt_tokens=one["prompt"],
            completion_tokens=one["completion"],
            money=one["spent"],
        )
        for one in groups
    ]
    # Another process of the game may have done it just now.
    models.DailyCost.objects.bulk_create(rows, ignore_conflicts=True, batch_size=100)
    _closed.put(day)
    return True


@volatile.once
def _closed() -> date:
    """Return the day up to which all are summed up."""
    return _last_day() or date.min


def prune(*, now: datetime) -> Iterator[None]:
    """Sum up all days that are over, and delete those that nobody looks at any more; some of it at each step."""
    while close_next(now=now):
        yield
    yield from delete(models.DailyCost.objects.filter(day__lt=now.date() - DAYS_KEPT * DAY))


def delete(rows: QuerySet) -> Iterator[None]:
    """Delete rows by which nothing else hangs, so many at each step that the game does not wait.

    Django would read all of them first, with all that stands in them: Evennia asks to be told of each.
    """
    while some := list(rows.values_list("pk", flat=True)[:DELETED_AT_ONCE]):
        rows.model.objects.filter(pk__in=some)._raw_delete(rows.db)
        yield


def by_day(*, until: date, days: int, assistant_id: int | None = None) -> list[dict[str, Any]]:
    """Return {"day", COUNTED} for each of some days up to one, the oldest first; any thread may ask.

    Of one NPC, if that is said.
    """
    first = until - (days - 1) * DAY
    wanted: dict[str, Any] = {} if assistant_id is None else {"assistant_id": assistant_id}
    kept = models.DailyCost.objects.filter(day__gte=first, day__lte=until, **wanted)
    sums = kept.values("day").annotate(**{f"{name}_sum": Sum(name) for name in COUNTED})
    found = {row["day"]: {name: row[f"{name}_sum"] for name in COUNTED} for row in sums}
    # What was not summed up yet is read as it stands.
    begun = max(first, (_last_day() or date.min) + DAY)
    calls = models.LedgerEntry.objects.filter(created__gte=_start(begun), **wanted)
    day = _first_day(calls) or until + DAY
    while day <= until:
        found[day] = _sum_of(calls_of(day).filter(**wanted))
        day += DAY
    none = dict.fromkeys(COUNTED, 0)
    every = (first + at * DAY for at in range(days))
    return [{"day": one, **found.get(one, none)} for one in every]


def _sum_of(calls: QuerySet) -> dict[str, int]:
    groups = list(summed(calls.values("job")))
    columns = ("calls", "failures", "prompt", "completion", "spent")
    return {
        name: sum(one[key] for one in groups) for name, key in zip(COUNTED, columns, strict=True)
    }


def _first_day(calls: QuerySet) -> date | None:
    first = calls.aggregate(first=Min("created"))["first"]
    return None if first is None else first.astimezone(timezone.utc).date()


def _last_day() -> date | None:
    last: date | None = models.DailyCost.objects.aggregate(last=Max("day"))["last"]
    return last


def _start(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=timezone.utc)
