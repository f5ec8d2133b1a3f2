"""What the pages cost a large game: `python -m tests.benchmarks.web`, one JSON line.

NPCS minds with ENTRIES entries and as many long-term memories each, 100,000 together; they all know Keeper, who is asked for
what they know of him, and seven others. Each page is asked for again and again, then TABS look at it at the same time, each
every few seconds, while the lateness of the reactor's calls is watched, and how long its thread works in one go
(`held_ms`); last the Server is reloaded under their eyes, too. Beside them stands a page of Evennia's own website (`stock`), and
what the reactor does with nobody at the website (`idle`). Only the list of NPCs (`town`) and `turns` are looked at again by a
script of theirs; TABS of any other page are as many people who ask for it at the same moment. `--pages me,town` measures some of them, and with them what is
asked for (`--requests`) and watched (`--watched`) for how long.
"""

import argparse
import json
import random
import re
import statistics
import sys
import threading
import time
from urllib.error import URLError

from tests.benchmarks.link import MeasuredGame, progress, run
from tests.benchmarks.stall import percentile
from tests.scenarios.browser import Browser
from tests.scenarios.game import SUPERUSER
from tests.scenarios.stage import Stage

NPCS, ENTRIES = 500, 100
PER_ROOM = 5
TURNS = 50
REQUESTS = 40
TABS, EVERY, WATCHED = 5, 5.0, 30.0
SETTLE_SECONDS = 10
# Reloads in a row with tabs open, and without.
RELOADS, BETWEEN_RELOADS = 3, 5.0
STOCK = "/help/"
# What staff want to know who knows it: one memory of 120 tells it.
KNOWN = "my brother works at the mill"
SETTINGS = {
    "SEMANTIC": {
        "default": {
            "BACKEND": "evennia_ai.semantic.stored.StoredMemory",
            "OPTIONS": {"embedder": "evennia_ai.semantic.embedders.builtin.BuiltinEmbedder"},
        }
    }
}


PAGES = (
    *("town", "turns", "memories", "search", "knows", "people", "person", "experience", "persona"),
    *("cost", "me", "stock"),
)


def measure(npcs=NPCS, entries=ENTRIES, requests=REQUESTS, watched=WATCHED, chosen=PAGES):
    """Return all figures, of some pages."""
    with MeasuredGame(EVENNIA_AI=SETTINGS) as game:
        progress(f"web: {npcs} NPCs with {2 * entries} memories each")
        ids = game.call("inside_web.build", count=npcs, per_room=PER_ROOM)
        who = game.call("inside_web.remember", ids=ids, entries=entries)
        game.fresh_server()
        leave = _talk(game)
        game.call("inside_stall.idle", seconds=SETTLE_SECONDS)
        browser, chance = Browser(game), random.Random(7)
        pages = {
            "town": lambda one: one.opens("/ai/"),
            "turns": lambda one: one.opens(f"/ai/npc/{ids[0]}/turns/"),
            "memories": lambda one: one.opens(f"/ai/npc/{chance.choice(ids)}/memories/"),
            "search": lambda one: _search(one, chance.choice(ids)),
            "knows": lambda one: one.sends("/ai/knows/", one.opens("/ai/knows/"), words=KNOWN),
            "people": lambda one: one.opens(f"/ai/npc/{chance.choice(ids)}/people/"),
            "person": lambda one: _person(one, chance.choice(ids), who),
            "experience": lambda one: one.opens(f"/ai/npc/{ids[0]}/experience/"),
            "persona": lambda one: one.opens(f"/ai/npc/{chance.choice(ids)}/persona/"),
            "cost": lambda one: one.opens("/ai/cost/"),
            "me": lambda one: one.opens("/ai/me/"),
            "stock": lambda one: one.opens(STOCK),
        }
        pages = {name: pages[name] for name in chosen}
        alone = {name: _asked_for(browser, page, requests) for name, page in pages.items()}
        progress(f"web: {json.dumps(alone)}")
        gaps = {"idle": _late(game, watched)}
        for name, page in pages.items():
            progress(f"web: {TABS} tabs of {name}")
            with Tabs(game, page):
                gaps[name] = _late(game, watched)
        progress(f"web: {json.dumps(gaps)}")
        leave()
        reloads = {"without_s": _reloads(game)}
        for name, every in (("with_tabs_s", EVERY), ("with_tabs_twice_a_second_s", 0.5)):
            with Tabs(game, next(iter(pages.values())), every=every):
                reloads[name] = _reloads(game)
        tracebacks = len(game.tracebacks())
    return {
        "benchmark": "web",
        "npcs": npcs,
        "memories": npcs * entries * 2,
        "requests": requests,
        "page_ms": alone,
        "tabs": TABS,
        "tabs_look_every_s": EVERY,
        "watched_s": watched,
        "late": gaps,
        "reload": reloads,
        "tracebacks": tracebacks,
    }


class Tabs:
    """Browsers that look at a page again and again, from threads of their own, until the end of the block."""

    def __init__(self, game, page, *, every=EVERY):
        self._page, self._every, self._end = page, every, threading.Event()
        browsers = [Browser(game) for _ in range(TABS)]
        self._threads = [
            threading.Thread(target=self._look, args=(one, number), daemon=True)
            for number, one in enumerate(browsers)
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *details):
        self._end.set()
        for thread in self._threads:
            thread.join()

    def _look(self, browser, number):
        # All begin at once, as after a reload of the browser.
        while not self._end.wait(0):
            try:
                self._page(browser)
            except (URLError, OSError):
                # The Server is away for a moment.
                time.sleep(0.1)
            self._end.wait(self._every)


def _search(browser, number):
    """Open the form and ask: two requests."""
    address = f"/ai/npc/{number}/search/"
    return browser.sends(address, browser.opens(address), question="Who brews the ale?")


def _person(browser, number, who):
    """Open the list of people and look at one: two requests."""
    address = f"/ai/npc/{number}/people/"
    return browser.sends(f"{address}one/", browser.opens(address), who=who)


def _asked_for(browser, page, requests):
    page(browser)
    taken, size = [], 0
    for _ in range(requests):
        begun = time.perf_counter()
        size = len(page(browser))
        taken.append((time.perf_counter() - begun) * 1000)
    return {
        "p50": round(statistics.median(taken), 1),
        "p95": round(percentile(taken, 95), 1),
        "max": round(max(taken), 1),
        "kb": round(size / 1024, 1),
    }


def _late(game, seconds):
    return game.call("inside_idle.late", seconds=seconds)


def _reloads(game):
    """Return after how many seconds the old Server was gone and the new one there, in each of some reloads."""
    found = []
    for _ in range(RELOADS):
        time.sleep(BETWEEN_RELOADS)
        found.append(game.reload())
    return {"gone": [gone for gone, _ in found], "back": [back for _, back in found]}


def _talk(game):
    """Let Keeper talk with the first of them, so that it has turns to show; return what lets him go."""
    stage = Stage(game.port, write=lambda line: None)
    keeper = stage.enter(*SUPERUSER, staff=True)
    for number in range(TURNS):
        keeper.sends(f"say Npc0, what do you know of room {number}?")
        keeper.sees(re.compile(r"^Npc0 says"))
    return stage.leave


def main():
    """Read which pages are measured; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--npcs", type=int, default=NPCS)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--watched", type=float, default=WATCHED, help="seconds a page")
    parser.add_argument("--pages", default=",".join(PAGES), help="with commas between them")
    given = parser.parse_args()
    chosen = given.pages.split(",")
    if unknown := set(chosen) - set(PAGES):
        parser.error(f"no such page: {', '.join(sorted(unknown))}; there are {', '.join(PAGES)}")
    return run(
        lambda: measure(given.npcs, requests=given.requests, watched=given.watched, chosen=chosen)
    )


if __name__ == "__main__":
    sys.exit(main())
