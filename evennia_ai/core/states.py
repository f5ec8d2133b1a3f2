"""The plain records of bookkeeping: how a mind, its journal and its sleep stand. They tell nothing.

What tells something is a `core.records.Record`, and says who may know it.
"""

from __future__ import annotations

import enum
from typing import Literal

import msgspec


class Able(enum.Enum):
    """What CAN_ACT may answer beside yes and no: that an NPC may do so much, and no more.

    It counts as no for whoever asks only whether it can act.
    """

    ONLY_SPEAK = "only_speak"

    def __bool__(self) -> Literal[False]:
        return False


class Waiting(msgspec.Struct, frozen=True):
    """That a body is only the place where a mind waits, and whether it is on in its next body."""

    was_on: bool = False


class Switches(msgspec.Struct, frozen=True):
    """Whether a mind is switched on."""

    enabled: bool = False


class Grants(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a builder lets an NPC do: commands, and the group with which it shares experience."""

    allowed_commands: tuple[str, ...] = ()
    experience_scope: str = ""


class Post(msgspec.Struct, frozen=True):
    """The room that an NPC was led away from, and when somebody led it last."""

    room_id: int
    since: str


class NewsTold(msgspec.Struct, frozen=True):
    """How many things a mind has passed on of itself on a day of the game's clock."""

    day: int
    count: int


class ErrandsAsked(msgspec.Struct, frozen=True):
    """How many errands a mind took on, on a day of the game's clock, by the account that asked."""

    day: int
    counts: dict[str, int]


class Round(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far an NPC is with the part of its day that began on `day`; `slot` is a number for that part.

    `state` is "going", "there", "blocked" (no way leads there) or "moved" (somebody else moved it);
    `since` the moment of the game's clock from which it has not been where it should; `told` whether
    staff were told so.
    """

    day: int
    slot: int
    state: str = "going"
    since: float = 0.0
    told: bool = False


class PasserBy(msgspec.Struct, frozen=True):
    """Somebody with whom hardly a word was exchanged, or the mask of an object, and how many lines."""

    body_id: int
    lines: int = 1
    is_masked: bool = False


class JournalHead(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a journal without reading it: `pages` counts what is on each page.

    `version` is a number that every change of the journal changes; `evicted` are the entries that had
    to go, `lost` those of them that have no copy elsewhere.
    """

    entry_count: int = 0
    max_entries: int
    last_reflection: str = ""
    size: int = 0
    pages: str = ""
    version: int
    evicted: int = 0
    lost: int = 0


class RecentDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn did, until it is known what came of it; it has nobody's words.

    `id` is that in the store of experience, `given` what the game added, `reward` what came of it
    before anybody rated it.
    """

    id: str
    turn: str
    actor: str
    at: str
    action: str
    title: str
    favorability: float
    goal_progress: float
    given: float = 0.0
    rating: int | None = None
    reward: float = 0.0
    settled: bool = False


class ReflectionState(msgspec.Struct, frozen=True, kw_only=True):
    """What has happened since a mind last reflected, and by how much it mattered.

    After a reflection that failed, none is tried before `retry_at`.
    """

    cumulative_importance: float = 0.0
    threshold: float = 150
    last_reflection_time: str | None = None
    reflection_count: int = 0
    entries_since_reflection: tuple[int, ...] = ()
    failures: int = 0
    retry_at: str = ""


class SleepWish(msgspec.Struct, frozen=True, kw_only=True):
    """That an assistant asked to sleep: how fast, for how many hours, why, and when it asked."""

    depth: str
    hours: float
    reason: str
    at: str


class Sleep(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    rename={
        "mode": "operating_mode",
        "phase": "sleep_phase",
        "depth": "sleep_depth",
        "started_at": "sleep_started_at",
        "wake_at": "sleep_wake_at",
        "reason": "sleep_reason",
        "is_nap": "sleep_is_nap",
        "is_degraded": "sleep_degraded",
        "is_done": "sleep_work_done",
        "ticks": "sleep_ticks",
        "stalled_ticks": "sleep_stalled_ticks",
        "failed_ticks": "sleep_failed_ticks",
        "tokens": "sleep_tokens",
        "requested": "sleep_requested",
        "is_schedule_suspended": "schedule_suspended_by_tool",
        "cooldown_until": "sleep_cooldown_until",
        "activity": "activity_counter",
    },
):
    """What a mind keeps of its sleep; of the last four fields it keeps something by day, too."""

    mode: str = "awake"
    phase: str | None = None
    depth: str = "light"
    started_at: str | None = None
    wake_at: str | None = None
    reason: str = ""
    is_nap: bool = False
    is_degraded: bool = False
    is_done: bool = False
    ticks: int = 0
    stalled_ticks: int = 0
    failed_ticks: int = 0
    tokens: int = 0
    requested: SleepWish | None = None
    is_schedule_suspended: bool = False
    last_transition: str | None = None
    cooldown_until: str | None = None
    activity: int = 0
    last_compaction: str | None = None


class LinksProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a mind has gone through its memories: to look for links, and to cut what leads nowhere.

    `offset` counts the memories that were gone past, `rests` says that none was left; `page` is the
    last page of links that was looked through.
    """

    offset: int = 0
    rests: bool = False
    page: str = ""
