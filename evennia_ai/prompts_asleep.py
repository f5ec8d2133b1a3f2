"""The prompts of sleep, each a function of what it needs; what was said goes in as words within one line.

The instructions are the same for all characters, so that a server that keeps the beginning of a prompt
reads them once. The form of an answer is held to by its schema (`sleep/answers.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evennia_ai.domain.memories import memory_ranking
from evennia_ai.domain.model_text.quotation import label, plain
from evennia_ai.domain.sleeping.reflection_rules import TAKEN_BACK_TAG

Messages = list[dict[str, Any]]

# One line a request, and a word: a small model that is asked to rate several gives one number to all.
RATING_PROMPT = """
How much does this matter to the character who noted it?
trivial: greetings, orders, jokes, weather
ordinary: what anybody may know, such as ways and prices
personal: what somebody is, likes, has or lost
important: promises, debts, plans, danger, illness, violence
secret: crimes, what nobody else may know, what changes a life
Answer with JSON: {"worth": "trivial"}
"""


def rating(*, name: str, entry: dict[str, Any], persona: str = "") -> Messages:
    """Ask how much an event matters; `persona` is who the character is, as its builder says."""
    source, tags = entry["source_entity"], entry["tags"]
    how = memory_ranking.how_known(entry["source_type"], tags, entry["audience"], by=source)
    done, marks = how in memory_ranking.WITNESSED, [how] if how else []
    if asked := entry.get("asked"):
        marks.append(f"asked - {plain(asked)}")
    if TAKEN_BACK_TAG in tags:
        marks.append("holds no more" if done else "taken back")
    who = f"Noted by {label(name)}{f' ({persona})' if persona else ''}:"
    return _asked(
        RATING_PROMPT, f"{who}\n{_line('', '' if done else source, marks, entry['content'])}"
    )


# Each job that writes is shown one answer, as a turn: what becomes of "I" and "you" small models learn by it alone.
EXAMPLE_TALK = """
The character is Ulla. A talk with Odo:
Odo: Hello Ulla! I hid your ring in the chimney. My sister Liv wants it, dont tell her
Ulla: She shall hear nothing from me.
Odo: i owe you 3 coins for my bed, I'll pay on Friday
"""
SUMMARY_PROMPT = """
Retell the talk in the third person and the past tense: a sentence for each line that matters, which begins with the
name of who said it, in the language of the talk. Keep names, numbers, places, secrets, promises and open questions;
leave out greetings. Add nothing, and never write "I", "you", "my", "your", "today" or "tomorrow".
"""
SUMMARY_EXAMPLE = """
{"summary": ["Odo told Ulla that he had hidden her ring in the chimney.", "Odo said that his sister Liv wanted the
ring and should not be told.", "Ulla promised that Liv should hear nothing.", "Odo owed Ulla 3 coins for his bed and
would pay on Friday."]}
"""
EXTRACTION_PROMPT = """
Note what others told the character that is worth remembering: a sentence for each fact, which begins with the name
of who told it, in the language of the talk. Keep names, numbers and places; leave out small talk and lines marked as
noted. NEVER extract what the character is or did. Add nothing, and never write "I", "you", "my", "your", "today" or
"tomorrow".
"""
EXTRACTION_EXAMPLE = """
{"facts": ["Odo said that he hid Ulla's ring in the chimney.", "Odo said that his sister Liv wants the ring and
should not be told.", "Odo said that he owes Ulla 3 coins for his bed and will pay on Friday."]}
"""


def summary(*, name: str, person: str, words: int, lines: Iterable[str], own: str = "") -> Messages:
    """Ask for what was said with somebody, in short; `own` are a builder's words for it."""
    asked = f"{own or SUMMARY_PROMPT.strip()} At most {words} words."
    return _asked(asked, _talk(name, person, lines), EXAMPLE_TALK, SUMMARY_EXAMPLE)


def pre_compaction(*, name: str, person: str, lines: Iterable[str]) -> Messages:
    """Ask for one last look at old lines: what of them belongs into the journal."""
    return _asked(EXTRACTION_PROMPT, _talk(name, person, lines), EXAMPLE_TALK, EXTRACTION_EXAMPLE)


def facts(*, name: str, lines: Iterable[str]) -> Messages:
    """Ask for the facts in new lines, of several people."""
    shown = "\n".join([f"The character is {label(name)}. Lines that others said:", *lines])
    return _asked(EXTRACTION_PROMPT, shown, EXAMPLE_TALK, EXTRACTION_EXAMPLE)


def said(
    *,
    name: str,
    text: str,
    kind: str,
    npc: str,
    mine: bool = False,
    overheard: bool = False,
) -> str:
    """Show one line of old talk, in which each line begins with who spoke."""
    if kind == "summary":
        return f"(Earlier: {plain(text)})"
    # Whoever bears the assistant's name is somebody else all the same.
    who = (
        f"Another {label(name)}" if not mine and name.casefold() == npc.casefold() else label(name)
    )
    how = {"whisper": "whispers", "thought": "thinks", "pose": "acts"}.get(kind, "")
    how = "overheard" if overheard else how
    return f"{who}{f' ({how})' if how else ''}: {plain(text)}"


def _talk(name: str, person: str, lines: Iterable[str]) -> str:
    return "\n".join([f"The character is {label(name)}. A talk with {label(person)}:", *lines])


CONSOLIDATION_PROMPT = """
What will still be true of this person next month: family, home, work, likes, fears, wishes, skills, belongings? Join
lines that belong together, with their numbers as evidence. A value goes on after the person's name, in the language
of the lines; it begins with "Reportedly" if only others say so. Add nothing, and nothing that is known already; if
that holds no more, name its number under "replaces". Never write "I", "you", "today" or "tomorrow".
"""
CONSOLIDATION_NOTICED = """
Noticed about Odo:
1. Says: Hello! I keep bees at Ustead with my sister Liv.
2. Says: i cannot stand cats, and I am tired today
3. Says: my honey is 3 coins, want some?
"""
CONSOLIDATION_EXAMPLE = """
{"attributes": [{"evidence": [1, 3], "value": "keeps bees at Ustead and sells honey", "type": "occupation"},
{"evidence": [2], "value": "cannot stand cats", "type": "preference"}]}
"""


def consolidation(
    *,
    name: str,
    observations: Iterable[dict[str, Any]],
    known: Iterable[dict[str, Any]],
    background: Iterable[dict[str, Any]],
    in_confidence: bool = False,
) -> Messages:
    """Ask what observations of one person come to; those `in_confidence` were for one pair of ears."""
    lines = [f"Noticed about {label(name)}{', told in confidence' if in_confidence else ''}:"]
    for one in observations:
        marks = ["only others say so"] if one["is_hearsay"] else []
        lines.append(_line(one["id"], "", marks, one["content"]))
    for title, facts in (("Known so far", known), ("Known as well", background)):
        shown = [
            f"{fact.get('id', '-')}. {label(fact['type'])}: {plain(fact['value'])}"
            for fact in facts
        ]
        lines += [f"{title}:", *shown] if shown else []
    return _asked(
        CONSOLIDATION_PROMPT, "\n".join(lines), CONSOLIDATION_NOTICED, CONSOLIDATION_EXAMPLE
    )


# Asks for what the last days raise; {count} is filled in.
REFLECTION_QUESTIONS_PROMPT = """
Ask the {count} most telling high-level questions that these notes can answer, in their language: about the state of
the world, patterns in how people behave, and what follows from what happened. Name the people, places and things
that a question is about. Never write "I" or "you".
"""
REFLECTION_NOTES = """
Noted by Ulla, the oldest first:
(yesterday)
- Odo: The new toll at Ustead is 3 coins, so I stay at home.
- Liv: its raining
- Liv: I do not go to the market any more, it got too dear
"""
REFLECTION_QUESTIONS_EXAMPLE = """
{"questions": ["How has the new toll at Ustead changed who goes to the market?", "Why do Odo and Liv stay at home?",
"Who gains by the toll?"]}
"""

# Asks for what the evidence adds up to; the constraints are those of source 003.
REFLECTION_INSIGHTS_PROMPT = """
Draw up to {count} insights from the numbered notes, as answers to the questions: what two or more notes say together.
- Focus on WORLD STATE and PATTERNS, not assistant behavior
- Do NOT generate insights about your own identity, capabilities, or behavior
- Do NOT use first-person ("I should...", "I noticed...")
- Frame insights as objective observations about the world
Each is one sentence in words of your own, which names whom it is about, in the language of the notes. Add nothing, and
never write "you", "today" or "tomorrow".
"""
REFLECTION_EVIDENCE = """
Questions:
- How has the new toll at Ustead changed who goes to the market?
Notes of Ulla, the oldest first:
(yesterday)
1. Odo: The new toll at Ustead is 3 coins, so I stay at home.
2. Liv: its raining
3. Liv: I do not go to the market any more, it got too dear
"""
REFLECTION_INSIGHTS_EXAMPLE = """
{"insights": [{"evidence": [1, 3], "insight": "Since the new toll at Ustead, Odo and Liv stay away from the
market."}]}
"""

# Said only where something was concluded before about the same people.
REFLECTION_BEFORE = (
    "Concluded before, with numbers of their own. Do not repeat it; give as `outdated` what the notes show to "
    "hold no more, as what was owed and is paid, with the notes that show it:"
)


def reflection_questions(*, name: str, items: Iterable[dict[str, Any]], count: int) -> Messages:
    """Ask what there is to ask about the last days."""
    noted = "\n".join(_dated(items, numbered=False))
    return _asked(
        REFLECTION_QUESTIONS_PROMPT.format(count=count),
        f"Noted by {label(name)}, the oldest first:\n{noted}",
        REFLECTION_NOTES,
        REFLECTION_QUESTIONS_EXAMPLE,
    )


def reflection_insights(
    *,
    name: str,
    questions: Iterable[str],
    items: Iterable[dict[str, Any]],
    count: int,
    before: Iterable[str] = (),
) -> Messages:
    """Ask what the evidence adds up to, and what of that which was concluded `before` no longer holds."""
    lines = ["Questions:", *(f"- {plain(question)}" for question in questions)]
    lines += [f"Notes of {label(name)}, the oldest first:", *_dated(items, numbered=True)]
    if known := [f"{number}. {plain(one)}" for number, one in enumerate(before, 1)]:
        lines += [REFLECTION_BEFORE, *known]
    return _asked(
        REFLECTION_INSIGHTS_PROMPT.format(count=count),
        "\n".join(lines),
        REFLECTION_EVIDENCE,
        REFLECTION_INSIGHTS_EXAMPLE,
    )


def _asked(instructions: str, data: str, shown: str = "", answer: str = "") -> Messages:
    """Return the messages of a request, with one example of what is shown and answered where there is one."""
    example = [
        {"role": "user", "content": shown.strip()},
        {"role": "assistant", "content": " ".join(answer.split())},
    ]
    return [
        {"role": "system", "content": instructions.strip()},
        *(example if answer else []),
        {"role": "user", "content": data},
    ]


def _dated(items: Iterable[dict[str, Any]], *, numbered: bool) -> list[str]:
    """Return memories as lines, above each how long ago they are from."""
    lines, before = [], ""
    for item in items:
        if item["when"] != before:
            before = item["when"]
            lines.append(f"({before or 'at some time'})")
        seen = item["how"] in memory_ranking.WITNESSED
        marks = [item["how"]] if item["how"] and (seen or item["by"]) else []
        if item.get("asked") and item["by"] and not seen:
            marks.append(f"asked - {plain(item['asked'])}")
        by = "" if seen else item["by"]
        lines.append(_line(item["number"] if numbered else "", by, marks, item["text"]))
    return lines


def _line(number: Any, by: str, marks: list[str], text: str) -> str:
    """Return one line of ours: its number, whom it is from, what there is to know about it, the words."""
    head = " ".join([*([label(by)] if by else []), *([f"({', '.join(marks)})"] if marks else [])])
    return f"{f'{number}.' if number != '' else '-'} {f'{head}: ' if head else ''}{plain(text)}"
