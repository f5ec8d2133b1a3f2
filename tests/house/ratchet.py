"""The ratchet: the package, its language files and its tests only shrink. `python -m tests.house.ratchet`, part of `make lint`.

`ratchet.toml` holds the sizes that landed last. With `--lower` it takes over those that fell since; it never raises one.
A room under construction stands in that file with the issue that ends it, and is not counted; there is one at a time.
"""

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LANDED = Path(__file__).with_name("ratchet.toml")
PACKAGE, TESTS = "evennia_ai", "tests"
YAML = {".yaml", ".yml"}


def count_sizes(root, room=None):
    """{name: number} of the sources below `root`, without those of the `room` under construction."""
    excluded = root / room if room else None

    def files_in(folder, endings):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in endings and excluded not in (path, *path.parents):
                yield path.read_text("utf-8")

    package = list(files_in(PACKAGE, {".py"}))
    nodes = (node for text in package for node in ast.walk(ast.parse(text)))
    return {
        "package_lines": sum(text.count("\n") for text in package),
        "package_statements": sum(isinstance(node, ast.stmt) for node in nodes),
        "language_lines": sum(text.count("\n") for text in files_in(PACKAGE, YAML)),
        "test_lines": sum(text.count("\n") for text in files_in(TESTS, {".py"})),
    }


def read_landed(text):
    """The (sizes, room under construction or None) of a ratchet file; ValueError for a room without its issue."""
    content = tomllib.loads(text)
    construction = content.get("under_construction")
    if construction is None:
        return content["landed"], None
    if not isinstance(construction, dict) or set(construction) != {"room", "issue"}:
        raise ValueError("[under_construction] names one room and the issue that ends it.")
    return content["landed"], construction["room"]


def find_excess(landed, sizes):
    """One sentence for each size that is larger than the one that landed."""
    return [
        f"{name}: {size:,}, {size - landed[name]:,} more than the {landed[name]:,} that landed"
        for name, size in sizes.items()
        if size > landed[name]
    ]


def lower_landed(text, sizes):
    """The text of a ratchet file with each size that fell; comments stay, and no size rises."""

    def lower(match):
        name, landed = match[1], int(match[2])
        return f"{name} = {min(landed, sizes.get(name, landed))}"

    return re.sub(r"(?m)^(\w+) = (\d+)$", lower, text)


def main(arguments):
    """Print what grew and return 1, or return 0."""
    from tests.house import path

    text = LANDED.read_text("utf-8")
    landed, room = read_landed(text)
    sizes = count_sizes(ROOT, room)
    files, functions = path.measure()
    sizes.update(talk_files=files, talk_functions=functions)
    excess = find_excess(landed, sizes)
    if excess:
        print("The house grew (tests/house/ratchet.toml):", *excess, sep="\n  ")
        return 1
    if "--lower" in arguments:
        LANDED.write_text(lower_landed(text, sizes), "utf-8")
    elif any(size < landed[name] for name, size in sizes.items()):
        print("The house is smaller than what landed: `make ratchet` takes the numbers over.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
