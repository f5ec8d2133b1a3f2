"""How long a search of long-term memory takes: `python -m tests.benchmarks.store`.

Once with all memories in one head, once with them spread over many. The lines are those of
`make_recall_data`, with other numbers in each copy. One JSON line.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from evennia_ai.domain.memories.long_term import NewMemory
from evennia_ai.semantic.facts import Search
from tests.benchmarks import make_recall_data, recall
from tests.benchmarks.link import progress

# (memories, assistants) of each round.
ROUNDS = ((10_000, 1), (50_000, 100), (50_000, 500))
SEARCHES, ADDS = 200, 100
# How many searches of an assistant come before the one that is timed, so that its rows are read.
WARM_UPS = 1


def measure(memories, assistants, *, embedder):
    """Return the figures of one store of that many memories, evenly spread."""
    from evennia_ai.semantic.stores.store import Store

    chance, talks = random.Random(7), make_recall_data.make("develop")
    lines = [line for talk in talks for line in talk["memories"]]
    questions = [question["text"] for talk in talks for question in talk["questions"]]
    names = sorted({line["speaker"] for line in lines})
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "memory.db3", embedder)
        progress(f"store: {memories} memories of {assistants}")
        for owner in range(assistants):
            numbers = range(owner, memories, assistants)
            store.add_all(
                (_item(lines[one // assistants % len(lines)], one, owner) for one in numbers),
                assistant_key=f"npc{owner}",
            )
        figures = {"memories": memories, "assistants": assistants}
        figures["cold_search_ms"] = _timed(store, questions, names, ["npc0"], count=1)["p50"]
        keys = [f"npc{chance.randrange(assistants)}" for _ in range(SEARCHES)]
        for key in dict.fromkeys(keys):
            _timed(store, questions, names, [key], count=WARM_UPS)
        figures["search_ms"] = _timed(store, questions, names, keys, count=SEARCHES)
        figures["add_ms"], figures["search_after_add_ms"] = _adding(store, lines, questions, names)
        store.close()
    return figures


def _item(line, number, owner):
    said = f"{line['text']} That was number {number}."
    metadata = {"speaker": line["speaker"], "timestamp": _time(number), "source_trust": 0.9}
    # Each tenth line is for some ears only.
    audience = ["listener", f"npc{owner}"] if number % 10 == 0 else "public"
    return NewMemory(text=said, audience=audience, metadata=metadata)


def _time(number):
    moment = time.gmtime(1_700_000_000 + 30 * number)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", moment)


def _timed(store, questions, names, keys, *, count):
    seconds = []
    for number in range(count):
        began = time.perf_counter()
        found = store.search(
            Search.of(
                questions[number % len(questions)],
                assistant_key=keys[number % len(keys)],
                hearers=["listener"],
                names=names,
            )
        )
        seconds.append(time.perf_counter() - began)
        assert found
    return {f"p{share}": recall.percentile(seconds, share) for share in (50, 95)}


def _adding(store, lines, questions, names):
    """Return how long adding takes, and a search straight after it."""
    added, searched = [], []
    for number in range(ADDS):
        item = _item(lines[number % len(lines)], 10_000_000 + number, 0)
        began = time.perf_counter()
        store.add_all([item], assistant_key="npc0")
        added.append(time.perf_counter() - began)
        searched.append(_timed(store, questions[number:], names, ["npc0"], count=1)["p50"] / 1000)
    return (
        {f"p{share}": recall.percentile(seconds, share) for share in (50, 95)}
        for seconds in (added, searched)
    )


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--embedder", choices=sorted(recall.EMBEDDERS), default="builtin")
    parser.add_argument("--model", default="", help="folder of model.onnx and tokenizer.json")
    parser.add_argument("--small", action="store_true", help="a hundredth of the memories")
    given = parser.parse_args(arguments)
    embedder = recall.standalone_embedder(given.embedder, given.model)
    share = 100 if given.small else 1
    rounds = [(memories // share, max(1, npcs // share)) for memories, npcs in ROUNDS]
    figures = [measure(*one, embedder=embedder) for one in rounds]
    print(json.dumps({"benchmark": "store", "embedder": given.embedder, "rounds": figures}))


if __name__ == "__main__":
    main(sys.argv[1:])
