"""What was lost, and what was done twice, in a night with crashes: plain data in, sentences out.

What there was and is are dicts as `crash_world.look_at` returns them.
"""

import re
from collections import Counter

import msgspec

from evennia_ai.core.records import age_seconds, parse_time
from evennia_ai.core.talk import Line
from evennia_ai.domain.memories import conversation
from evennia_ai.domain.sleeping import compaction_rules, insights

# What may be forgotten of a journal, as `sleep/pruning.py` has it.
FORGETTABLE, FORGET_DAYS = 3, 30


def lost(before, after, *, now):
    """Return what there was and is not there any more, nor what should stand in its place."""
    return [*_lost_entries(before, after, now), *_lost_lines(before, after), *_lost(before, after)]


def doubled(before, after):
    """Return what the night made twice."""
    last = max(entry["id"] for entry in before["entries"])
    new = [entry for entry in after["entries"] if entry["id"] > last]
    found = {
        "copy of entry": [memory["metadata"].get("entry_id") for memory in after["memories"]],
        "memory": [(memory["text"], _ears(memory)) for memory in after["memories"]],
        "entry": [(entry["content"], entry["source_id"], _ears(entry)) for entry in new],
        "insight": [
            (words, _ears(one)) for one in new for words, _ in insights.read(one["content"])
        ],
        "summary": [(entry["source_id"], _ears(entry)) for entry in new if _is_summary(entry)],
        "message": [
            (who, _heard(one) if conversation.is_summary(one) else compaction_rules.key_of(one))
            for who, lines in _talks(after).items()
            for one in lines
        ],
        "link": [
            (memory, link["id"])
            for memory, kept in after["links"].items()
            for link in kept["linked_to"]
        ],
        "observation": [
            (who, one["event_id"], one["content"])
            for who, known in after["profiles"].items()
            for one in known["observations"]
        ],
        "attribute": [
            (who, one["type"], one["value"].casefold(), _ears(one))
            for who, known in after["profiles"].items()
            for one in known["attributes"]
            if one["superseded_by"] is None
        ],
    }
    return [
        f"{what} {thing}: {count} times"
        for what, things in found.items()
        for thing, count in Counter(things).items()
        if count > 1 and thing is not None
    ]


def unfinished(after):
    """Return what of the work is left though the night has ended, and what contradicts itself."""
    night, left = after["night"], []
    if (night["phase"], night["done"], night["degraded"]) != ("dreaming", True, False):
        left.append(f"the night ended as {night}")
    if after["head"] != after["counted"]:
        left.append(f"the journal counts {after['head']} and has {after['counted']}")
    memories = {memory["id"] for memory in after["memories"]}
    left += [f"memory {id} was not looked at" for id in sorted(memories - after["links"].keys())]
    left += [f"memory {id} is gone and linked" for id in sorted(after["links"].keys() - memories)]
    left += [f"of {who} enough is known to think about" for who in after["ripe"]]
    return left


def _lost_entries(before, after, now):
    """An entry is in the journal and in long-term memory as it is now, or only there if it may be."""
    there = {entry["id"]: entry for entry in after["entries"]}
    copies = {memory["metadata"].get("entry_id"): memory for memory in after["memories"]}
    for old in before["entries"]:
        entry, copy = there.get(old["id"]), copies.get(old["id"])
        if copy is None:
            yield f"entry {old['id']} has no copy"
        elif entry is None:
            age = age_seconds(old["timestamp"], now=parse_time(now))
            if old["importance"] > FORGETTABLE or age < FORGET_DAYS * 86_400:
                yield f"entry {old['id']} was forgotten"
        elif not entry["consolidated"]:
            yield f"entry {old['id']} waits"
        elif (copy["text"], _ears(copy)) != (entry["content"], _ears(entry)):
            yield f"entry {old['id']} is another one than its copy"


def _lost_lines(before, after):
    """A line is in its talk, or something was noted of it, and it was summed up or its talk ended."""
    noted = {entry["event_id"] for entry in after["entries"]}
    words = {
        (number, _ears(entry))
        for entry in after["entries"]
        for number in re.findall(r"\d+", entry["content"])
    }
    summed_up = {
        (entry["source_id"], _ears(entry)) for entry in after["entries"] if _is_summary(entry)
    }
    there = _talks(after)
    for who, lines in _talks(before).items():
        left = {compaction_rules.key_of(one) for one in there.get(who, ())}
        for line in lines:
            if compaction_rules.key_of(line) in left:
                continue
            if not compaction_rules.is_safe(line, noted=noted):
                [number] = re.findall(r"\d+", line.text)
                if (number, _heard(line)) not in words:
                    yield f"nothing of a line is left: {line.text}"
            if who in there and (who, _heard(line)) not in summed_up:
                yield f"a line was not summed up: {line.text}"


def _lost(before, after):
    for who, known in before["profiles"].items():
        left = {one["event_id"] for one in after["profiles"][who]["observations"]}
        for one in known["observations"]:
            if one["event_id"] not in left:
                yield f"an observation is gone: {one['event_id']}"


def _is_summary(entry):
    return set(compaction_rules.TAGS) <= set(entry["tags"])


def _talks(there):
    return msgspec.convert(there["talks"], dict[str, list[Line]])


def _heard(line):
    return _ears({"audience": line.audience})


def _ears(one):
    known = one["audience"]
    return known if isinstance(known, str) else tuple(sorted(known))
