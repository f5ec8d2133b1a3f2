"""All that reads text in the package, found by walking it: expressions, and functions of text."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from contextlib import suppress
from datetime import datetime, timezone
from functools import cache, partial

import evennia_ai
from tests.house.rules import read_modules

# What an expression can be asked; the first two look at the beginning of a line alone.
ANCHORED = {"match", "fullmatch"}
ASKED = {*ANCHORED, "search", "findall", "finditer", "sub", "subn", "split"}
# In which functions read text and do nothing else.
ROOMS = {
    "domain",
    "prompts",
    "prompts_asleep",
    "prompts_life",
    "markup",
    "core",
    "agent",
    "contrib",
}
# What a parameter holds that is no player's text, by what its name ends with; `own` is a setting.
NOT_TEXT = (
    "name",
    "names",
    "npc",
    "person",
    "listener",
    "by",
    "kind",
    "language",
    "key",
    "where",
    "own",
)
# What keeps words rather than reads them, or asks for a whole scene.
KEEPERS = {"is_babble", "apply_correction", "correct_known"}
# What is inserted into expressions that are made as they are used, and for names of people.
NAME = "Mara"
WORDS = "Ann went to the mill."


def modules():
    """Return all modules of the package, by dotted name."""
    found = {}
    for info in pkgutil.walk_packages(evennia_ai.__path__, "evennia_ai."):
        if ".migrations" not in info.name and ".management" not in info.name:
            found[info.name] = importlib.import_module(info.name)
    return found


@cache
def expressions():
    """Return (where, pattern, readings) of those that modules hold, and of those that calls make."""
    return list(_expressions(modules(), read_modules("evennia_ai")))


def _expressions(known, sources):
    trees = {source.path: source.tree for source in sources}
    asked = _asked(sources, trees)
    for name, module in known.items():
        for key, value in vars(module).items():
            # A private name is its own module's; others are used by any.
            holders = [name] if key.startswith("_") else known
            uses = set().union(*(asked[holder, key] for holder in holders))
            for pattern in _patterns(value):
                yield f"{name}.{key}", pattern, _readings(pattern, uses)
    for source in sources:
        module = importlib.import_module(f"evennia_ai.{source.name}".rstrip("."))
        for node in _calls(trees[source.path]):
            written = _written(node.args[0], vars(module))
            if written is not None:
                flags = re.I if "re.I" in ast.unparse(node) else 0
                pattern = re.compile(written, flags)
                yield source.place(node), pattern, _readings(pattern, {node.func.attr})


@cache
def functions():
    """Return (where, reading) of the public functions that need nothing but text, names and numbers."""
    return list(_functions())


def _functions():
    for name, module in modules().items():
        for key, value in vars(module).items():
            # What keeps its results has to read what it was not given before.
            function = inspect.unwrap(value) if callable(value) else None
            is_public = name.split(".")[1] in ROOMS and not key.startswith("_")
            is_public = is_public and key not in KEEPERS
            if is_public and _is_plain(function) and function.__module__ == name:
                reading = partial(_read, function, inspect.signature(function))
                if _is_reader(reading):
                    yield f"{name}.{key}", reading


def literals(pattern):
    """Return the words of an expression, each as a unit that a line may be made of."""
    words = set(re.findall(r"(?<![\\?<])\b[^\W\d_]{2,}\b", pattern.pattern))
    return sorted(f"{word} " for word in words)


class Said(dict):
    """Something that was said, whatever record it is read as."""

    __getattr__ = dict.get


def _said(text):
    when = "2026-01-10T00:00:00.000Z"
    who = {"actor": "ann", "name": NAME, "actor_name": NAME, "said_by": "ann", "told_by": "ann"}
    kind = {
        "kind": "say",
        "role": "user",
        "mine": False,
        "source": "direct",
        "source_type": "direct",
    }
    known = {"audience": "public", "timestamp": when, "event_id": "1", "id": 1, "importance": 5}
    lists = {"tags": [], "evidence": [], "chain": [], "derived_from": []}
    return Said(text=text, content=text, **who, **kind, **known, **lists, source_trust=0.9)


def _is_plain(function):
    """Return whether it is a function that waits for nothing."""
    return inspect.isfunction(function) and not inspect.isgeneratorfunction(function)


def _is_reader(reading):
    """Return whether it takes what it is given, text among it."""
    _, signature = reading.args
    if not any(WORDS in str(_value(one, WORDS)) for one in signature.parameters.values()):
        return False
    try:
        reading(WORDS)
    except Exception:
        return False
    return True


def _read(function, signature, text):
    given = {}
    for one in signature.parameters.values():
        if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            value = _value(one, text)
            if value is not one.empty:
                given[one.name] = value
    positional = [
        given.pop(one.name)
        for one in signature.parameters.values()
        if one.kind is one.POSITIONAL_ONLY
    ]
    with suppress(ValueError, LookupError):
        return function(*positional, **given)


def _value(parameter, text):
    """Return what is given for a parameter: the text wherever that fits."""
    said = str(parameter.annotation)
    holds = NAME if parameter.name.endswith(NOT_TEXT) else text
    if said in ("str", "str | None"):
        return holds
    if said.endswith("[str]") or said == "tuple[str, ...]":
        return [holds]
    if parameter.default is not parameter.empty:
        return parameter.empty
    plain = {"int": 5, "float": 0.5, "bool": False, "datetime": datetime.now(timezone.utc)}
    if said in plain or said == "Any":
        return plain.get(said)
    many = said.startswith(("list", "Sequence", "Iterable", "Collection"))
    return [_said(text)] if many else _said(text)


def _patterns(value, depth=0):
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif depth < 4 and isinstance(value, dict):
        for item in value.items():
            yield from _patterns(item, depth + 1)
    elif depth < 4 and isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _patterns(item, depth + 1)


def _asked(sources, trees):
    """Return by (module, name) what is asked of it there, or of the items over which a loop goes."""
    found = defaultdict(set)
    for source in sources:
        module = f"evennia_ai.{source.name}".rstrip(".")
        loops = defaultdict(set)
        for node in ast.walk(trees[source.path]):
            if isinstance(node, (ast.For, ast.comprehension)):
                for name in _names(node.target):
                    loops[name] |= _names(node.iter)
        for node in ast.walk(trees[source.path]):
            if isinstance(node, ast.Attribute) and node.attr in ASKED:
                for name in _names(node.value):
                    for asked in {name, *loops[name]}:
                        found[module, asked].add(node.attr)
    return found


def _names(node):
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return names | {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


def _readings(pattern, asked):
    """Return what must take little time: what is asked of it, else that it is searched for."""
    if asked and asked <= ANCHORED:
        return [getattr(pattern, method) for method in sorted(asked)]
    return [lambda text: [None for _ in pattern.finditer(text)]]


def _calls(tree):
    """Yield the calls of `re` that say what is looked for, but for what modules hold."""
    assigned = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    held = {id(node) for value in assigned for node in _held(value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_ours = getattr(node.func.value, "id", "") == "re" and id(node) not in held
            if is_ours and node.func.attr in {*ASKED, "compile"}:
                yield node


def _held(node):
    """Yield a value, and what it holds if it is a container."""
    yield node
    for one in getattr(node, "values", getattr(node, "elts", ())):
        yield from _held(one)


def _written(node, names):
    """Return an expression as it stands in the source, with a name for what is not known there."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.JoinedStr):
        return None
    parts = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(part.value)
        else:
            known = names.get(getattr(part.value, "id", ""))
            parts.append(known if isinstance(known, str) else NAME)
    return "".join(parts)
