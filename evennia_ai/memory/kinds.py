"""The kinds of things that a mind keeps, each declared once.

Copying an NPC, reading ahead for a turn, exporting, importing and forgetting go through `all_kinds()`
and have no lists of their own. A game adds a kind by one line in the setting KINDS.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, get_origin

from django.core.exceptions import ImproperlyConfigured

from evennia_ai import conf
from evennia_ai.core.records import (
    Entry,
    Event,
    Goal,
    Identity,
    Linked,
    Lore,
    Profile,
    Reminder,
)
from evennia_ai.core.states import (
    ErrandsAsked,
    Grants,
    JournalHead,
    LinksProgress,
    NewsTold,
    PasserBy,
    Post,
    RecentDecision,
    ReflectionState,
    Round,
    Sleep,
    Switches,
    Waiting,
)
from evennia_ai.core.talk import Conversation

# What a kind keeps; a kind of entries is a kind of objects, too.
T_co = TypeVar("T_co", covariant=True)

BODY: Literal["body"] = "body"
MIND: Literal["mind"] = "mind"

Plain = dict[str, object]


@dataclass(frozen=True, eq=False)
class Kind(Generic[T_co]):
    """One kind of thing that is kept, and what is done with it.

    `on` is where it lies: on the NPC's body, or on the script that is its mind. `value` is its type;
    of a list each item has a line of its own in the database. `role` is "memory" (what it was told,
    saw or concluded), "state" (bookkeeping without words of others) or "builder" (what the game's
    builders wrote, which forgetting leaves alone).

    `keyed` has one Attribute for each key, such as a person or a page; else there is one in all.
    `ahead` is read before a turn: "turn" in any case, "person" for whoever speaks, "pages" under the
    letters of `pages`. `copied` goes
    along when an NPC is copied. `file` is its name in the file of a whole mind: that of the kind for
    memory, "" keeps it out. `derived` is worked out of other kinds, and made anew from them.
    """

    name: str
    on: Literal["body", "mind"]
    value: type[T_co]
    role: Literal["memory", "state", "builder"] = "memory"
    keyed: bool = False
    ahead: Literal["", "turn", "person", "pages"] = ""
    pages: str = ""
    copied: bool = False
    file: str | None = None
    derived: bool = False

    @property
    def is_list(self) -> bool:
        """Whether each item has a line of its own."""
        return get_origin(self.value) is list

    @property
    def file_name(self) -> str:
        """Under what it stands in the file of a whole mind, "" if it stays where it is."""
        if self.file is not None:
            return self.file
        return self.name if self.role == "memory" and not self.derived else ""

    @property
    def may_be_empty(self) -> bool:
        """Whether there is a value that says nothing: an empty list or dict."""
        return (get_origin(self.value) or self.value) in (list, dict)

    def empty(self) -> T_co | None:
        """Return the value that says nothing, None if there is none such."""
        return (get_origin(self.value) or self.value)() if self.may_be_empty else None

    def key(self, key: str = "") -> str:
        """Return the key of the Attribute in which the value of a key lies."""
        if not key and not self.keyed:
            return self.name
        if self.keyed != bool(key):
            raise KeyError(f"{self.name} is kept {'by' if self.keyed else 'without'} keys.")
        # Evennia strips and lower-cases the keys of Attributes.
        return key.strip().lower() or self.name


@dataclass(frozen=True, eq=False)
class StoreKind:
    """One kind of thing that does not lie in Attributes, and the class that keeps it.

    `path` is the dotted path of a `lifecycle.store_handlers.StoreHandler`. `file` is its name in the file of a
    whole mind, "" keeps it out.
    """

    name: str
    path: str
    file: str = ""

    @property
    def file_name(self) -> str:
        """Under what it stands in the file of a whole mind, "" if it stays where it is."""
        return self.file

    def handler(self):  # type: ignore[no-untyped-def]
        """Return its handler."""
        return conf.load(self.path)()


# On the body: who it is, what its builder wrote, what it remembers.
IDENTITY = Kind("identity", BODY, Identity, role="builder", ahead="turn")
# On whoever wears them: as whom else NPCs know them.
MASKS = Kind("masks", BODY, list[str], role="state")
MIND_KEY = Kind("mind_key", BODY, str, role="builder")
WAITING = Kind("waiting", BODY, Waiting, role="builder")
PERSONA = Kind("persona", BODY, Plain, role="builder", ahead="turn", copied=True, file="persona")
# Identities of those whom its builder listed by name, by the name.
BOUND = Kind("bound_names", BODY, dict[str, str], role="builder", copied=True)
LORE = Kind("lore", BODY, list[Lore], role="builder", ahead="turn", copied=True, file="lore")
SETTINGS = Kind("settings", BODY, Plain, role="builder", ahead="turn", copied=True, file="settings")
GRANTS = Kind("grants", BODY, Grants, role="builder", ahead="turn")
SEEDED = Kind("seeded", BODY, dict[str, dict[str, list[str]]], role="builder")
CONVERTED = Kind("converted", BODY, dict[str, str], role="builder")
UNFINISHED = Kind("unfinished_mind", BODY, bool, role="state")

JOURNAL = Kind("journal", BODY, list[Entry], keyed=True, file="")
JOURNAL_HEAD = Kind("journal_head", BODY, JournalHead, ahead="turn", derived=True)
PROFILES = Kind("profiles", BODY, Profile, keyed=True, ahead="person")
NAMES = Kind(
    "names", BODY, dict[str, str], keyed=True, ahead="pages", pages="0123456789abcdef", derived=True
)
BACKLOG = Kind("backlog", BODY, int, keyed=True, ahead="person", derived=True)
CONVERSATIONS = Kind("conversations", BODY, Conversation, keyed=True, ahead="person")
OTHER_MINDS = Kind("other_minds", BODY, list[str], role="state", ahead="turn")

# On a room: whether what is said there stays there.
SECLUDED = Kind("secluded", BODY, bool, role="builder")

# On the mind: whether it is on, what waits, what it wants, how it sleeps.
SWITCHES = Kind("switches", MIND, Switches, role="builder", ahead="turn")
PULSE = Kind("pulse", MIND, int, role="builder", ahead="turn")
CHOICES = Kind("choices", MIND, Plain, role="builder", ahead="turn")
PENDING = Kind("pending_events", MIND, list[Event], ahead="turn", file="")
REMINDERS = Kind("reminders", MIND, list[Reminder], ahead="turn")
GOALS = Kind("goals", MIND, list[Goal], ahead="turn")
REFLECTION = Kind("reflection", MIND, ReflectionState, ahead="turn")
DECISIONS = Kind("recent_decisions", MIND, list[RecentDecision], ahead="turn", file="")
PASSERS_BY = Kind("passers_by", MIND, dict[str, PasserBy], ahead="turn", file="")
GUESTS = Kind("guests", MIND, dict[str, int], ahead="turn", file="")
LINKS = Kind("memory_links", MIND, dict[str, Linked], keyed=True, file="")
LINKS_PROGRESS = Kind("memory_links_progress", MIND, LinksProgress, file="")
SLEEP = Kind("sleep", MIND, Sleep, role="state", ahead="turn")
COUNTERS = Kind("counters", MIND, dict[str, int], role="state", ahead="turn")
CHANNELS = Kind("followed_channels", MIND, dict[str, str], role="state")
FOLLOWING = Kind("following", MIND, int, role="state", ahead="turn")
UNPROMPTED = Kind("unprompted", MIND, list[int], role="state")
TRIGGERS_DONE = Kind("triggers_done", MIND, dict[str, str], role="state")
# It costs money: another mind on the same body begins no new day.
THOUGHT_ALONE = Kind("thought_alone", BODY, str, role="state")
QUIET_FOR = Kind("quiet_for", BODY, list[str], role="state")
POST = Kind("post", MIND, Post, role="state", ahead="turn")
ROUND = Kind("round", MIND, Round, role="state", ahead="turn")
ERRANDS_ASKED = Kind("errands_asked", MIND, ErrandsAsked, role="state")
# Things that it was given to carry, by identity, and from whom.
ENTRUSTED = Kind("entrusted", MIND, dict[str, str], file="")
NEWS_TOLD = Kind("news_told", MIND, NewsTold, role="state")

# Lines that could not be read, as they stood, by kind and key.
SET_ASIDE = Kind("set_aside", BODY, list[str], keyed=True, file="")
SET_ASIDE_OF_MIND = Kind("set_aside", MIND, list[str], keyed=True, file="")

KINDS: tuple[Kind[object], ...] = tuple(
    kind for kind in list(globals().values()) if isinstance(kind, Kind)
)


def name_page(identity: str) -> str:
    """Return the page of NAMES on which the name of an identity stands."""
    letter = identity[0]
    # Most are UUIDs; a game may have others.
    return letter if letter in NAMES.pages else NAMES.pages[ord(letter) % len(NAMES.pages)]


# In stores and tables of their own.
STORES: tuple[StoreKind, ...] = (
    # First: what a worker is at goes on to write to the others.
    StoreKind("jobs", "evennia_ai.lifecycle.store_handlers.Jobs"),
    StoreKind("long_term", "evennia_ai.lifecycle.store_handlers.LongTerm", file="memories"),
    StoreKind("experience", "evennia_ai.lifecycle.store_handlers.Experience", file="experience"),
    StoreKind("ledger", "evennia_ai.lifecycle.store_handlers.Ledger"),
    StoreKind("reports", "evennia_ai.lifecycle.store_handlers.Reports"),
)

IN_FILES = {
    "identity",
    "journal",
    "noticed_until",
    "schedule",
    "memories",
    "links",
    "experience",
    "more",
}


def all_kinds() -> tuple[Kind[object], ...]:
    """Return every kind of this game that lies in Attributes: ours, and those of the setting KINDS."""
    return (*KINDS, *(kind for kind in _of_the_game() if isinstance(kind, Kind)))


def all_store_kinds() -> tuple[StoreKind, ...]:
    """Return every kind of this game that lies elsewhere: ours, and those of the setting KINDS."""
    return (*STORES, *(kind for kind in _of_the_game() if isinstance(kind, StoreKind)))


def on(place: Literal["body", "mind"]) -> Iterator[Kind[object]]:
    """Yield the kinds that lie on the body, or on the mind."""
    return (kind for kind in all_kinds() if kind.on == place)


def _of_the_game() -> Iterator[Kind[object] | StoreKind]:
    if not conf.get("KINDS"):
        return
    taken = {*map(_place, KINDS), *map(_place, STORES)}
    in_files = {kind.file_name for kind in KINDS} | IN_FILES
    for path in conf.get("KINDS"):
        kind = conf.load(path)
        if not isinstance(kind, (Kind, StoreKind)):
            raise ImproperlyConfigured(f"EVENNIA_AI['KINDS']: {path} is no memory.kinds.Kind.")
        if _place(kind) in taken:
            raise ImproperlyConfigured(
                f"EVENNIA_AI['KINDS']: there is a kind {kind.name!r} already."
            )
        if kind.file_name and kind.file_name in in_files:
            raise ImproperlyConfigured(
                f"EVENNIA_AI['KINDS']: the file of a mind has {kind.file_name!r} already."
            )
        taken.add(_place(kind))
        in_files.add(kind.file_name)
        yield kind


def _place(kind: Kind[object] | StoreKind) -> tuple[str, str]:
    return (kind.on if isinstance(kind, Kind) else "store", kind.name)
