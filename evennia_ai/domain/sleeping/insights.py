"""Insights: what a mind concludes, what it concludes it from, and which conclusions are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from evennia_ai.domain.memories import retrieval, self_reference
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.sleeping import reflection_rules

# What speaks of the assistant itself (decision C-12: the lists of the sources, as whole words). A
# mind that reads of itself what it wrote of itself drifts away from its persona.
SELF_REFERENCE_PATTERNS = (
    r"^I\s+(should|am|tend|need|must|will|have|was|can|could)\b",
    r"(?i)\b(the assistant|my behavior|my approach|myself|my identity)\b",
    r"(?i)\b(i learned|i realized|i discovered|i noticed|i found)\b",
    r"(?i)\b(i will|i need to|i should|i must)\b",
)

# How a synthesis begins; its insights follow, each a line that begins with a dash.
HEADING = "Reflection on:"
# Characters of an insight, and of the questions in the heading.
MAX_LENGTH = 300
HEADING_LENGTH = 300
# From this share of words in common an insight only repeats what it was made of.
SAME_WORDS = 0.9
# So many words in a row that stand in a memory are quoted, and not concluded.
RUN = 4
# Share of an insight's own words that must have been said for it to have been told.
TOLD_SHARE = 0.6

Insight = dict[str, Any]

_CITED = re.compile(
    r"[(\[]\s*(?:because of|based on|from|see)?\s*(?:the\s+)?"
    r"(?:evidence|entry|entries|memory|memories|statements?)?\s*"
    r"(?P<numbers>#?\d{1,9}(?:\s*(?:,|;|&|and|och|-|–)+\s*#?\d{1,9})*)\s*[)\]]\s*(?P<stop>[.!?…]*)\s*\Z",
    re.I,
)
_BULLET = re.compile(r"\A\s*(?:[-*•–]|\(?\d{1,2}[.):])\s+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def parse_insight(text: str) -> tuple[str, list[int]]:
    """Return an insight without its citation, and the numbers that it cites.

    >>> parse_insight("2. People fear the mill (because of evidence 1, 5, 3)")
    ('People fear the mill', [1, 5, 3])
    """
    plain = " ".join(_BULLET.sub("", text).split())
    match = _CITED.search(plain)
    if match is None:
        return plain, []
    return plain[: match.start()].rstrip() + match["stop"], _numbers(match["numbers"])


def cited(
    given: Iterable[tuple[str, Iterable[int]]], ids: Sequence[str], *, limit: int
) -> list[Insight]:
    """Return {"content", "evidence_ids"} for what a mind answered, in its order.

    `given` are texts with the numbers that were cited beside them; a text may cite more at its end.
    Numbers count from 1 and stand for `ids`; one that stands for nothing is passed over, and an
    insight that cites nothing has nothing to stand on, and is left out.
    """
    found: list[Insight] = []
    for text, beside in given:
        content, inside = parse_insight(text)
        content = reply.printable(content, max_length=MAX_LENGTH)
        numbers = dict.fromkeys([*beside, *inside])
        evidence = [ids[number - 1] for number in numbers if 0 < number <= len(ids)]
        if content and evidence and not _is_known(content, [one["content"] for one in found]):
            found.append({"content": content, "evidence_ids": list(dict.fromkeys(evidence))})
    return found[:limit]


def is_self_referential(content: str, *, names: Iterable[str] = ()) -> bool:
    """Return whether an insight is about the assistant, which may be called by its `names`.

    What somebody said, in quotation marks, does not count.
    """
    bare = self_reference.QUOTED.sub(" ", content).strip()
    if any(pattern.search(bare) for pattern in _patterns()):
        return True
    return self_reference.is_about(content, names=names)


def repeats(content: str, texts: Iterable[str]) -> bool:
    """Return whether an insight says nothing but one of these texts over again."""
    plain = _plain(content)
    for text in texts:
        other = _plain(text)
        is_part = bool(plain) and f" {plain} " in f" {other} "
        if is_part or reply.similarity(content, text) >= SAME_WORDS:
            return True
    return False


def shares_a_run(content: str, texts: Iterable[str]) -> bool:
    """Return whether four words in a row stand in one of these texts just so."""
    words = _plain(content).split()
    runs = [" ".join(words[start : start + RUN]) for start in range(len(words) - RUN + 1)]
    said = [f" {_plain(text)} " for text in texts] if runs else []
    return any(f" {run} " in text for text in said for run in runs)


def is_gossip(content: str, evidence: Iterable[tuple[str, str]], *, names: Iterable[str]) -> bool:
    """Return whether an insight is about somebody of these names, and one other alone says so.

    `evidence` is (text, by whom it was told); what the assistant saw itself nobody told ("").
    Evidence that does not name them bears no witness to them, however much of it is cited.
    """
    told = f" {_plain(content)} "
    cited = [(f" {_plain(text)} ", _plain(teller)) for text, teller in evidence]
    for name in {f" {_plain(name)} " for name in names} - {"  "}:
        about = {teller for text, teller in cited if name in text} or {by for _, by in cited}
        if name in told and len(about) == 1:
            [teller] = about
            if teller and f" {teller} " != name and f" {teller} " not in told:
                return True
    return False


def written(questions: Iterable[str], insights: Iterable[tuple[str, Sequence[int]]]) -> str:
    """Return a synthesis as it stands in the journal: insights with the entries that they are from."""
    summary = reply.shorten(" ".join(" ".join(questions).split()), HEADING_LENGTH)
    lines = [f"- {' '.join(content.split())}{_citation(ids)}" for content, ids in insights]
    return "\n".join([f"{reflection_rules.SYNTHESIS_MARK} {HEADING} {summary}", "", *lines])


def read(content: str) -> list[tuple[str, list[int]]]:
    """Return the insights of a synthesis, each with the ids of its entries; [] if it lists none."""
    return [parse_insight(line) for line in content.splitlines() if _BULLET.match(line)]


def with_evidence(content: str, insight: str, ids: Iterable[int]) -> str:
    """Return a synthesis in which an insight cites these entries, too."""
    more = list(ids)
    lines = []
    for line in content.splitlines():
        text, own = parse_insight(line) if _BULLET.match(line) else ("", [])
        if text == insight:
            line = f"- {text}{_citation(list(dict.fromkeys([*own, *more])))}"
        lines.append(line)
    return "\n".join(lines)


def without(content: str, insight: str) -> str:
    lines = content.splitlines()
    kept = [one for one in lines if not (_BULLET.match(one) and parse_insight(one)[0] == insight)]
    return "\n".join(kept)


def unmarked(content: str) -> str:
    """Return the text of an entry without the mark of a synthesis."""
    return content.removeprefix(reflection_rules.SYNTHESIS_MARK).strip()


def was_told(content: str, said: str) -> bool:
    """Return whether somebody who said this has told an insight, maybe in words of their own."""
    if f" {_plain(content)} " in f" {_plain(said)} ":
        return True
    own, others = set(retrieval.terms(content)), set(retrieval.terms(said))
    return bool(own) and len(own & others) / len(own) >= TOLD_SHARE


def _citation(ids: Sequence[int]) -> str:
    if not ids:
        return ""
    return f" (because of {'entries' if len(ids) > 1 else 'entry'} {', '.join(map(str, ids))})"


def _is_known(content: str, known: Iterable[str]) -> bool:
    plain = _plain(content)
    return any(_plain(other) == plain for other in known)


def _numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for first, last in re.findall(r"#?(\d+)(?:\s*[-–]\s*#?(\d+))?", text):
        start, end = int(first), int(last or first)
        # No mind has been shown a thousand pieces of evidence.
        numbers += range(start, min(end, start + 1000) + 1)
    return list(dict.fromkeys(numbers))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


@lru_cache(maxsize=1)
def _patterns() -> list[re.Pattern[str]]:
    return [re.compile(pattern) for pattern in SELF_REFERENCE_PATTERNS]
