"""Text of `@assistant/why`: one turn as lines, from the words heard to the words said."""

from __future__ import annotations

from typing import Any, Iterable, Iterator

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.shown.turns import left_out
from evennia_ai.commands.shown.words import ago, count, labelled, money, shortened

# Characters of a line that somebody said, of a memory, and of what a tool was given or gave back.
WORDS_LENGTH = 160
MEMORY_LENGTH = 100
TOOL_LENGTH = 120


def why(data: dict[str, Any]) -> str:
    """Return why an assistant said what it said in one turn; see `shown.turns.account_of`."""
    parts = (
        ("heard", map(_heard, data["heard"])),
        ("listening", [", ".join(map(escaped, data["listening"])) or "nobody else"]),
        ("said", _said(data)),
        ("refused", _refused(data["refused"])),
        ("may know", [f"{escaped(data['known_to'])} may know what went into it"]),
        ("memories", _memories(data["recalled"], data["in_prompt"])),
        ("prompt", _prompt(data)),
        ("tools", map(_call, data["calls"])),
        ("model", _model(data)),
        ("notes", map(escaped, data["notes"])),
    )
    lines = [_title(data)]
    for label, shown in parts:
        lines.extend(labelled(label, shown))
    return "\n".join([*lines, *ignored(data["passed"])])


def ignored(passed: Iterable[dict[str, Any]]) -> list[str]:
    """Return a line for each thing that was heard and not answered: see `shown.turns.passed_by`."""
    shown = [f"{ago(one['ago'])} ago, {_words(one)} |w({one['reason']})|n" for one in passed]
    return list(labelled("let pass", shown))


def _title(data: dict[str, Any]) -> str:
    which = "the last turn" if data["number"] == 1 else f"turn {data['number']} from the last"
    took = "it still thinks" if data["took"] is None else f"took {data['took']:.1f} s"
    kept = f"{data['kept']} {'is' if data['kept'] == 1 else 'are'} kept"
    return f"|c{data['name']}|n, {which} ({kept}), {ago(data['ago'])} ago, {took}"


def _words(event: dict[str, Any]) -> str:
    who, text = escaped(event["who"]) or "something", shortened(event["text"], WORDS_LENGTH)
    if event.get("by_itself"):
        return f"by itself: {event['by_itself']}, {who}{f': {text}' if text else ''}"
    where = f" on {escaped(event['channel'])}" if event["channel"] else ""
    return f"{who}{where}, {event['kind']}: {text}"


def _heard(event: dict[str, Any]) -> str:
    rule = f"{event['rule']}: {event['class']}, " if event["rule"] else ""
    return f"{_words(event)} |w({rule}priority {event['priority']})|n"


def _said(data: dict[str, Any]) -> Iterator[str]:
    for kind, words, to in data["said"]:
        yield f"{kind}{f' to {escaped(to)}' if to else ''}: {shortened(words, WORDS_LENGTH)}"
    if data["whispered"]:
        yield f"|wwhispered, because {data['whispered']}|n"
    if not data["said"]:
        yield "nothing" if data["took"] is not None else "nothing yet"


def _refused(refused: Iterable[tuple[str, str]]) -> Iterator[str]:
    for words, why in refused:
        yield f"{shortened(words, WORDS_LENGTH)} |w({escaped(why)})|n"


def _memories(recalled: dict[str, Any] | None, in_prompt: int) -> Iterator[str]:
    if recalled is None:
        yield "none were looked for: no word told what for"
        return
    yield (
        f"{len(recalled['items'])} of {recalled['considered']} looked at, "
        f"for: {shortened(recalled['query'], WORDS_LENGTH)}"
    )
    for index, item in enumerate(recalled["items"]):
        by = f" from {escaped(item['by'])}" if item["by"] else ""
        cut = ", cut from the prompt" if index >= in_prompt else ""
        yield (
            f"  {item['score']:.2f} {item['kind']}{by}: {shortened(item['text'], MEMORY_LENGTH)} "
            f"|w(for {escaped(item['known_to'])}{cut})|n"
        )
    yield from (f"  {number} {what}" for number, what in left_out(recalled))


def _prompt(data: dict[str, Any]) -> Iterator[str]:
    if not data["sections"]:
        yield "none was written"
        return
    size = sum(tokens for _, tokens, _ in data["sections"]) + data["tool_tokens"]
    yield f"about {size} tokens of {data['limit']}"
    parts = [f"{name} {tokens}" for name, tokens, _ in data["sections"]]
    yield ", ".join([*parts, f"{data['tools']} tools {data['tool_tokens']}"])


def _call(call: dict[str, Any]) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in call["arguments"].items())
    result = "no result" if call["result"] is None else shortened(call["result"], TOOL_LENGTH)
    use = f"{call['name']}({given})"
    return f"{shortened(use, TOOL_LENGTH)} → {result}"


def _model(data: dict[str, Any]) -> Iterator[str]:
    steps = count(data["steps"], "step")
    if not data["attempts"]:
        free = "none was asked, and this costs nothing"
        yield f"{data['mind']}, {steps}; of models, {free}"
        return
    yield f"{data['mind']}, {steps}"
    for row in data["attempts"]:
        tokens = f"{_tokens(row['prompt_tokens'])} + {_tokens(row['completion_tokens'])} tokens"
        failed = "" if row["outcome"] == "ok" else f", |r{row['outcome']}|n"
        error = f": {shortened(row['error'], TOOL_LENGTH)}" if row["error"] else ""
        yield (
            f"  {escaped(row['model'])} ({row['alias']}): {row['latency_ms']} ms, {tokens}, "
            f"{money(row['money'])}{failed}{error}"
        )


def _tokens(tokens: int | None) -> str:
    return "?" if tokens is None else str(tokens)
