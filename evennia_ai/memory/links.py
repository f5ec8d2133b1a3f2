"""The links between memories of one mind, on its script: `memory_links[id] = {"linked_to": [{"id",
"score"}], "processed_at"}`, spread over pages.

One Attribute with the links of all of them would be written anew for each.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from evennia.typeclasses.models import TypedObject
from msgspec import structs

from evennia_ai import scheduling
from evennia_ai.core.records import Link, Linked, format_time
from evennia_ai.core.states import LinksProgress
from evennia_ai.domain.sleeping import link_rules
from evennia_ai.memory import kinds, repository

# Pages: five hundred memories, as many as have links (`sleep.dreaming`), make thirty on each. A night writes
# all of them, and each is a row of the database.
PAGES = 16
# So many pages stay in memory when they were read: they will be used again soon.
FEW_PAGES = 8

Page = dict[str, Linked]


def memory_links(script: TypedObject) -> dict[str, Linked]:
    """Return all links of a mind, by the id of the memory; detached."""
    return read_pages(repository.load_all(script, kinds.LINKS))


def read_pages(pages: dict[str, Page]) -> dict[str, Linked]:
    return {memory: kept for page in pages.values() for memory, kept in page.items()}


def linked(script: TypedObject, ids: Iterable[str]) -> dict[str, list[Link]]:
    """Return the links of these memories; one that was not looked at yet is left out."""
    by_page: dict[str, list[str]] = {}
    for memory in ids:
        by_page.setdefault(_key(memory), []).append(memory)
    found: dict[str, list[Link]] = {}
    pages = _load_several(script, by_page)
    for key, memories in by_page.items():
        page = pages[key]
        found.update({one: page[one].linked_to for one in memories if one in page})
    return found


def divided(found: dict[str, list[Link]]) -> list[dict[str, list[Link]]]:
    """Return the links of memories in parts, each of which is written on one page."""
    parts: dict[str, dict[str, list[Link]]] = {}
    for memory, links_of_it in found.items():
        parts.setdefault(_key(memory), {})[memory] = links_of_it
    return list(parts.values())


def save_links(
    script: TypedObject, found: dict[str, list[Link]], *, back: Iterable[tuple[str, Link]] = ()
) -> None:
    """Keep the links of memories that were looked at, all in one.

    `back` are links (from which memory, link) the other way: they are added to memories that were
    looked at before; the others will find them by themselves.
    """
    now = format_time(scheduling.now())
    pages: dict[str, Page] = {}
    changed = set(map(_key, found))
    returning = list(back)
    _warm(script, map(_key, [*found, *(memory for memory, _ in returning)]))
    for memory, links_of_it in found.items():
        page = _opened(script, pages, memory)
        page[memory] = Linked(linked_to=list(links_of_it), processed_at=now)
    for memory, link in returning:
        page = _opened(script, pages, memory)
        if memory in page:
            linked_to = link_rules.with_link(page[memory].linked_to, link)
            page[memory] = structs.replace(page[memory], linked_to=linked_to)
            changed.add(_key(memory))
    # The page of a neighbour that was not looked at yet is not written, and need not be there.
    repository.save_all(script, {(kinds.LINKS, key): pages[key] for key in sorted(changed)})


def next_pages(script: TypedObject, *, memories: int) -> tuple[list[str], dict[str, list[str]]]:
    """Return the keys of the pages whose turn it is, and the links on them as {id: [ids]}.

    They are as many pages as it takes for so many memories; after the last page comes the first.
    """
    keys = repository.keys(script, kinds.LINKS)
    last = progress(script).page
    turn: list[str] = []
    kept: dict[str, list[str]] = {}
    ordered = [*(key for key in keys if key > last), *(key for key in keys if key <= last)]
    # No page is empty, so that more are not needed.
    for key, page in _load_several(script, ordered[:memories]).items():
        if len(kept) >= memories:
            break
        turn.append(key)
        for memory, one in page.items():
            kept[memory] = [link.id for link in one.linked_to]
    return turn, kept


def remove_links(
    script: TypedObject, keys: Iterable[str], gone: set[str], *, aged: Iterable[str] = ()
) -> int:
    """Remove what is gone from these pages, as a memory and as what one leads to; return how many.

    Of what is `aged` its own links go, and those that lead to it stay.
    """
    over = {*gone, *aged}
    values: dict[repository.Place, object] = {}
    emptied: list[repository.Place] = []
    count = 0
    for key in keys:
        page = _load(script, key)
        left = {
            memory: structs.replace(kept, linked_to=link_rules.without(kept.linked_to, gone))
            for memory, kept in page.items()
            if memory not in over
        }
        count += len(page) - len(left)
        count += sum(len(page[one].linked_to) - len(left[one].linked_to) for one in left)
        if not left:
            emptied.append((kinds.LINKS, key))
        elif left != page:
            values[(kinds.LINKS, key)] = left
    repository.save_all(script, values, removed=emptied)
    return count


def progress(script: TypedObject) -> LinksProgress:
    """Return how far a mind has gone through its memories."""
    return repository.load(script, kinds.LINKS_PROGRESS) or LinksProgress()


def note_progress(script: TypedObject, **changes: int | bool | str) -> None:
    """Note how far a mind has gone; `changes` are fields of its progress."""
    before = progress(script)
    after = structs.replace(before, **changes)
    if after != before:
        repository.save(script, kinds.LINKS_PROGRESS, after)


def _opened(script: TypedObject, pages: dict[str, Page], memory: str) -> Page:
    """Return the page of a memory, from those that are open or as it is stored."""
    key = _key(memory)
    if key not in pages:
        pages[key] = _load(script, key)
    return pages[key]


def _load_several(script: TypedObject, keys: Iterable[str]) -> dict[str, Page]:
    """Return pages by key; where they are many, by one question to the database."""
    wanted = list(keys)
    if len(wanted) <= FEW_PAGES:
        _warm(script, wanted)
        return {key: _load(script, key) for key in wanted}
    kept = repository.load_all(script, kinds.LINKS, only=wanted)
    return {key: kept.get(key, {}) for key in wanted}


def _warm(script: TypedObject, keys: Iterable[str]) -> None:
    repository.warm(script, [(kinds.LINKS, key) for key in keys])


def _load(script: TypedObject, key: str) -> Page:
    return repository.load(script, kinds.LINKS, key) or {}


def _key(memory: str) -> str:
    return f"{zlib.crc32(memory.encode('utf-8')) % PAGES:x}"
