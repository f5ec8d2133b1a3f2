"""What comes to mind of months of talk: `python -m tests.benchmarks.life FILE.json`, one JSON line.

The file has the form that `recall` reads, each memory with the number of its `session` (else a day
is one). Its lines are spoken in a room with an NPC that nobody addresses, a session each evening,
with a night after it. Then one of the speakers asks it every question. Counted is the share of the
evidence, word for word, in the prompt, as memories or as what is still talked of; beside it what the store alone finds in the
same life. Answers of a model are no part of it.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from tests.benchmarks import make_recall_data
from tests.benchmarks.link import progress, run
from tests.benchmarks.recall import EMBEDDERS, answerable, percentile

STORE_LIMITS = (10, 20)


class Figures:
    """Counts of one arm, by category and by how many lines answer a question."""

    def __init__(self):
        self._shares = defaultdict(list)

    def add(self, question, found):
        """Note which ids of lines were found for a question."""
        evidence = set(question["evidence"])
        share = len(evidence & found) / len(evidence)
        several = "multi" if len(evidence) > 1 else "single"
        for name in ("all", several, f"of {question.get('category', '')}"):
            self._shares[name].append(share)

    def share(self, name="all"):
        """Return the mean share of evidence found, None if nothing was asked."""
        shares = self._shares.get(name)
        return round(statistics.fmean(shares), 4) if shares else None

    def spread(self):
        """Return half the width of the interval of 95 % around the mean over questions."""
        shares = self._shares["all"]
        if len(shares) < 2:
            return None
        return round(1.96 * statistics.stdev(shares) / len(shares) ** 0.5, 4)

    def by_category(self):
        """Return shares by the category of questions."""
        return {
            name[3:]: self.share(name) for name in sorted(self._shares) if name.startswith("of ")
        }

    def __len__(self):
        return len(self._shares["all"])


def measure(conversations, *, embedder="sentences", model="", questions=0):
    """Return the figures for conversations in the form of the file."""
    from tests.benchmarks import lived

    options = {"folder": str(Path(model).resolve())} if embedder == "minilm" else {}
    prompt, stores = Figures(), {limit: Figures() for limit in STORE_LIMITS}
    tokens, kept, kept_evidence, asking = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        lived.start_evennia(
            Path(folder),
            sections=[...],
            embedder=EMBEDDERS[embedder],
            embedder_options=options,
        )
        lived.quiet()
        from evennia_ai.semantic import memory_thread

        memory_thread.set_worker(memory_thread.InlineWorker())
        for number, conversation in enumerate(conversations, start=1):
            life, ids = _live(conversation, lived)
            asked = conversation["questions"][: questions or None]
            answers = {id for question in conversation["questions"] for id in question["evidence"]}
            kept.append(kept_share(life, ids))
            kept_evidence.append(kept_share(life, ids, among=answers))
            progress(
                f"life: conversation {number} of {len(conversations)}, kept {kept[-1]},"
                f" of the evidence {kept_evidence[-1]}"
            )
            _ask(life, ids, asked, prompt, stores, tokens, asking)
            progress(f"life: {len(prompt)} questions, in the prompt {prompt.share()}")
            life.close()
    return {
        "benchmark": "life",
        "embedder": embedder,
        "lines": sum(len(one["memories"]) for one in conversations),
        "questions": len(prompt),
        "kept": round(statistics.fmean(kept), 4),
        "kept_evidence": round(statistics.fmean(kept_evidence), 4),
        "in_prompt_recall": prompt.share(),
        "half_interval": prompt.spread(),
        "single": prompt.share("single"),
        "multi": prompt.share("multi"),
        "by_category": prompt.by_category(),
        **{f"store_recall@{limit}": store.share() for limit, store in stores.items()},
        "tokens": {"mean": round(statistics.fmean(tokens)), "max": max(tokens)},
        "turn_ms": {"p50": percentile(asking, 50), "p95": percentile(asking, 95)},
    }


def _live(conversation, lived):
    """Speak all lines, with a night after each session; return (the life, ids by what was said)."""
    lines = conversation["memories"]
    life = lived.Life(sorted({line["speaker"] for line in lines}), lived.Model())
    ids = defaultdict(list)
    for day, session in enumerate(_sessions(lines)):
        life.begin(day)
        for line in session:
            said = _spoken(line)
            life.say(line["speaker"], said)
            ids[_plain(said)].append(line["id"])
        life.sleep(day)
    return life, ids


def _sessions(lines):
    """Return the lines session by session, in their order."""
    sessions = defaultdict(list)
    for line in lines:
        number = line.get("session")
        sessions[line["timestamp"][:10] if number is None else str(number)].append(line)
    return sessions.values()


def _spoken(line):
    """Return what was said, without the name of whoever said it before it."""
    return line["text"].removeprefix(f"{line['speaker']}: ")


def kept_share(life, ids, *, among=None):
    """Return the share of the lines that are kept word for word; `among` are the ids of those that count."""
    entries, stored = life.kept()
    known = {_plain(entry.content) for entry in entries} | set(map(_plain, stored))
    counted = [text for text, of in ids.items() if among is None or among.intersection(of)]
    lost = [text for text in counted if text not in known]
    if among is not None:
        for text in lost:
            progress(f"life: lost: {text}")
    return round(1 - len(lost) / len(counted), 4) if counted else 1.0


def _ask(life, ids, questions, prompt, stores, tokens, asking):
    from evennia_ai.domain.model_text import tokens as counting

    asker = next(iter(life.people))
    for question in questions:
        began = time.perf_counter()
        shown = "\n".join(life.ask(asker, question["text"]))
        asking.append(time.perf_counter() - began)
        tokens.append(counting.estimate(shown))
        prompt.add(question, _ids_in(life.prompt, ids))
        found = life.found(asker, question["text"], max(stores))
        for limit, store in stores.items():
            store.add(question, {id for text in found[:limit] for id in ids.get(_plain(text), ())})


def _ids_in(shown, ids):
    """Return the ids of the lines that stand in a prompt, each as a whole."""
    from evennia_ai import prompts

    said = {_plain(line.removesuffix(")")).rpartition(": ")[2] for line in shown.splitlines()}
    return {
        id
        for text, of in ids.items()
        if _plain(prompts.plain(text)).removesuffix(")") in said
        for id in of
    }


def _plain(text):
    return " ".join(text.casefold().split())


def main(arguments):
    """Read the arguments and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path, nargs="?", help="by default talks of our own")
    parser.add_argument("--embedder", choices=sorted(EMBEDDERS), default="sentences")
    parser.add_argument("--model", default="", help="folder of model.onnx and tokenizer.json")
    parser.add_argument("--questions", type=int, default=0, help="of each conversation (0: all)")
    given = parser.parse_args(arguments)
    if given.embedder == "minilm" and not given.model:
        parser.error("--embedder minilm needs --model FOLDER")
    conversations = make_recall_data.make("report")
    if given.file:
        conversations = json.loads(given.file.read_text(encoding="utf-8"))
    if isinstance(conversations, dict):
        conversations = [conversations]
    return run(
        lambda: measure(
            [answerable(one) for one in conversations],
            embedder=given.embedder,
            model=given.model,
            questions=given.questions,
        )
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
