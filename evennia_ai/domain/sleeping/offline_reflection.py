"""Looking back without a model: what to ask about the last days, and what they add up to.

Nothing is made up: each conclusion counts or compares what was said, cites it, and puts it into
words of its own.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evennia_ai.core import languages
from evennia_ai.domain.memories import subjects
from evennia_ai.domain.offline.scene import QUOTE_LENGTH
from evennia_ai.domain.sleeping import insight_rules, insights
from evennia_ai.domain.sleeping.insight_rules import Thought

# Pieces of evidence that one conclusion names at most.
CITED = 6


def ask(context: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return {"questions"} that the remarks in `context["items"]` raise, the most telling first.

    An item is {"number", "text", "by", "timestamp", "tags"}; `count` is how many questions are
    wanted, `own_names` how the one who asks itself is called.
    """
    remarks = subjects.read_remarks(context.get("items") or ())
    found = subjects.find(remarks, own_names=context.get("own_names") or ())
    raised = [_question(subject) for subject in found if len(subject.remarks) > 1]
    raised += [_question_of(name) for name in insight_rules.tellers(remarks)]
    raised += [_question(subject) for subject in found if len(subject.remarks) == 1]
    count = int(context.get("count") or 0)
    return {
        "questions": list(dict.fromkeys([*raised, *languages.lines("wonders", "general")]))[:count]
    }


def conclude(context: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return {"insights"} of {"insight", "evidence"} that the remarks allow, the best first.

    Items are as in `ask`, and may say whether they are `own`: where some are not, each conclusion
    rests on one at least that is. A sentence shares no four words in a row with any of them.
    """
    items = list(context.get("items") or ())
    remarks = subjects.read_remarks(items)
    own = {int(item["number"]) for item in items if item.get("own", True)}
    names = context.get("own_names") or ()
    thoughts = insight_rules.thoughts(remarks, own_names=names)
    grounded = [thought for thought in thoughts if own & set(thought.numbers)]
    texts = [remark.text for remark in remarks]
    said = [
        (text, numbers)
        for text, numbers in _said(grounded, texts, int(context.get("count") or 0))
        # Somebody else may be called as it is.
        if not insights.is_self_referential(text, names=names)
    ]
    return {
        "insights": [
            # Its own first: a conclusion that cites none of them would count for nothing.
            {"insight": text, "evidence": sorted(numbers, key=lambda one: one not in own)[:CITED]}
            for text, numbers in said
        ]
    }


def _question(subject: subjects.Subject) -> str:
    one = subject.tellers[0] if len(subject.tellers) == 1 else ""
    shared = languages.lines("wonders", "shared")
    if one and len(subject.remarks) > 1:
        line = _turned(languages.lines("wonders", "one"), subject.label)[0]
        return line.format(subject=subject.label_beside(one), name=one)
    line = _turned(shared if len(subject.tellers) > 1 else shared[1:2], subject.label)[0]
    return line.format(subject=subject.label, name=one)


def _question_of(name: str) -> str:
    return _turned(languages.lines("wonders", "person"), name)[0].format(name=name)


def _said(
    thoughts: Sequence[Thought], texts: Sequence[str], count: int
) -> list[tuple[str, list[int]]]:
    """Put the best thoughts into words: of each kind and subject one first, then what is left."""
    said: list[tuple[str, list[int]]] = []
    touched: set[str] = set()
    used: set[str] = set()
    best = sorted(thoughts, key=lambda thought: (-thought.weight, thought.about))
    fresh, rest = [], []
    for thought in best:
        news = touched.isdisjoint({thought.kind, *thought.about})
        touched |= {thought.kind, *thought.about} if news else set()
        (fresh if news else rest).append(thought)
    concluded: list[frozenset[str]] = []
    for thought in [*fresh, *rest]:
        about = frozenset(thought.about)
        if len(said) == count:
            break
        worded = next(_wordings(thought, texts, used), None)
        if worded and about not in concluded:
            template, text = worded
            used.add(template)
            concluded.append(about)
            said.append((text, list(dict.fromkeys(thought.numbers))))
    return said


def _wordings(thought: Thought, texts: Sequence[str], used: set[str]) -> Iterable[tuple[str, str]]:
    """Yield (template, sentence): those that were not used yet first, none in borrowed words."""
    turned = _turned(languages.lines("thoughts", thought.kind), " ".join(thought.about))
    for template in sorted(turned, key=lambda one: one in used):
        text = template.format(**thought.slots)
        text = text[0].upper() + text[1:]
        if len(text) <= QUOTE_LENGTH and not insights.shares_a_run(text, texts):
            yield template, text


def _turned(lines: Sequence[str], seed: str) -> list[str]:
    """Return the lines, beginning with one that depends on what they are about."""
    start = zlib.crc32(seed.encode("utf-8", "replace")) % len(lines)
    return [*lines[start:], *lines[:start]]
