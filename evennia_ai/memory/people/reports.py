"""Reports of players about NPCs: kept for staff beyond a restart, capped, forgotten by identity."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field

from evennia.objects.models import ObjectDB

from evennia_ai import scheduling
from evennia_ai.models import Report

# Reports that are kept: of one player, or of all guests together, while staff have not dealt with them, and in all.
OF_ONE = 5
IN_ALL = 500


@dataclass(frozen=True)
class Reported:
    """What one player reports; `moment` tells the last line that they heard from all others.

    `concerned` are the identities of those whose words may be in `trace`.
    """

    npc_id: int
    npc_name: str
    account_id: int
    reporter: str
    reporter_identity: str
    moment: str
    said: str
    trace: str = ""
    note: str = ""
    concerned: list[str] = field(default_factory=list)


def is_full_for(account_id: int) -> bool:
    """Return whether a player, or all guests together, have as many reports waiting as they may."""
    waiting: int = Report.objects.filter(account_id=account_id, dealt=None).count()
    return waiting >= OF_ONE


def find(reported: Reported) -> Report | None:
    """Return the report that a player has made of the same line."""
    found: Report | None = Report.objects.filter(
        reporter_identity=reported.reporter_identity,
        npc_id=reported.npc_id,
        moment=reported.moment,
    ).first()
    return found


def add(reported: Reported) -> Report:
    """Keep a report; beyond the limit one that was dealt with goes, else one of whoever made most."""
    report: Report = Report.objects.create(created=scheduling.now(), **asdict(reported))
    _make_room(but=report.id)
    return report


def write_note(report: Report, note: str) -> None:
    """Put a player's words in the place of what they wrote before."""
    report.note = note
    report.save(update_fields=["note"])


def get(number: int) -> Report | None:
    """Return a report by its number."""
    found: Report | None = Report.objects.filter(id=number).first()
    return found


def listed(*, dealt: bool) -> list[Report]:
    """Return the reports that were dealt with, or those that were not, newest first."""
    found = Report.objects.filter(dealt__isnull=not dealt)
    return list(found.order_by("-id"))


def deal_with(report: Report, *, by: str) -> None:
    """Note that staff have dealt with a report."""
    report.dealt, report.dealt_by = scheduling.now(), by
    report.save(update_fields=["dealt", "dealt_by"])


def npc_ids() -> set[int]:
    """Return the ids of the NPCs of whom something was reported."""
    return set(Report.objects.order_by().values_list("npc_id", flat=True).distinct())


def forget(npc_id: int, *, account_id: int, identities: frozenset[str]) -> int:
    """Let go of what somebody reported, and of what the NPC said that has to do with them; return how often.

    That something was reported stays, and so does what another player wrote.
    """
    rows = Report.objects.filter(npc_id=npc_id)
    return sum(_let_go(row, account_id, identities) for row in rows)


def forget_of_gone(*, account_id: int, identities: frozenset[str]) -> int:
    """Let go of what somebody has to do with in reports of NPCs that are gone; return how often."""
    rows = Report.objects.exclude(npc_id__in=ObjectDB.objects.values("id"))
    # Nobody can tell any more what it made its words of.
    return sum(_let_go(row, account_id, identities, is_gone=True) for row in rows)


def clear(npc_id: int) -> int:
    """Let go of why an NPC said what was reported; return of how many."""
    cleared: int = Report.objects.filter(npc_id=npc_id).exclude(trace="").update(trace="")
    return cleared


def _is_theirs(row: Report, account_id: int, identities: frozenset[str]) -> bool:
    # Of guests, who have one account together, each has an identity.
    return row.reporter_identity in identities or row.account_id == account_id > 0


def _let_go(
    row: Report, account_id: int, identities: frozenset[str], *, is_gone: bool = False
) -> bool:
    """Empty what is somebody's in a report; return whether anything was."""
    emptied: dict[str, object] = {}
    is_theirs = _is_theirs(row, account_id, identities)
    if is_theirs:
        emptied |= {"account_id": 0, "reporter": "", "reporter_identity": "", "note": ""}
    if is_theirs or identities & {*row.concerned}:
        emptied["trace"] = ""
    if (is_gone and is_theirs) or identities & {*row.concerned}:
        emptied["said"] = ""
    emptied["concerned"] = [who for who in row.concerned if who not in identities]
    changed = {name: value for name, value in emptied.items() if getattr(row, name) != value}
    if changed:
        Report.objects.filter(id=row.id).update(**changed)
    return bool(changed)


def _make_room(*, but: int) -> None:
    surplus = Report.objects.count() - IN_ALL
    while surplus > 0:
        rows = Report.objects.exclude(id=but).order_by("id")
        dealt = rows.exclude(dealt=None).first()
        if dealt is None:
            made = Counter(rows.values_list("account_id", flat=True))
            [(greatest, _)] = made.most_common(1)
            dealt = rows.filter(account_id=greatest).first()
        dealt.delete()
        surplus -= 1
