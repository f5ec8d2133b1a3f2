"""The pages lead where they say, and name only settings and commands that there are."""

import ast
import re
import textwrap
import unittest
from functools import cache
from pathlib import Path

from evennia_ai import api, conf
from evennia_ai.checks import second_settings
from evennia_ai.commands.cmdsets import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PAGES = (
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").glob("*.md")),
)

# Names in capitals that are no keys of EVENNIA_AI: Django's, Evennia's, Python's, of the environment.
NOT_OURS = {
    "EVENNIA_AI",
    "CHANNEL_MUDINFO",
    "PROT_FUNC_MODULES",
    "SILENCED_SYSTEM_CHECKS",
    "MAX_CHAR_LIMIT",
    "INSTALLED_APPS",
    "LANGUAGE_CODE",
    "TIME_UNITS",
    "PGPASSWORD",
    "VACUUM",
    "RULES",
    "SQLITE3_PRAGMAS",
    "WAL",
    "REFLECTION_QUESTIONS_PROMPT",
}
# Keys of the dicts that stand under an alias of LLM and SEMANTIC.
OF_AN_ALIAS = {"BACKEND", "OPTIONS"}

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
INDENTED = re.compile(r"(?:^    .*\n+)+", re.M)
SPAN = re.compile(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.M)
CAPITALS = re.compile(r"([A-Z][A-Z_]{2,})(?:(?:\[| =).*)?", re.S)


def prose(text):
    """Return a page without its blocks of code."""
    return INDENTED.sub("\n", FENCED.sub("", text))


def anchors(text):
    """Return what links to the headings of a page are called, as GitHub makes them."""
    titles = [re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in _headings(text)]
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


def _headings(text):
    return HEADING.findall(FENCED.sub("", text))


def broken_links(path, text):
    """Yield the links of a page that lead nowhere."""
    for target in LINK.findall(prose(text)):
        file, _, anchor = target.partition("#")
        if re.match(r"\w+:", target):
            continue
        place = (path.parent / file).resolve() if file else path
        there = text if place == path else place.read_text("utf-8") if place.is_file() else ""
        if not place.exists() or (anchor and anchor not in anchors(there)):
            yield target


def unknown_settings(text):
    """Yield the keys of EVENNIA_AI that a page names and that do not exist."""
    nested = {*conf.DEFAULTS["EXPERIENCE"], *OF_AN_ALIAS}
    known = {*conf.DEFAULTS, *nested, *api.__all__, *api.ToolCategory.__members__, *NOT_OURS}
    for span in SPAN.findall(prose(text)):
        name = CAPITALS.fullmatch(span)
        if name and name[1] not in known:
            yield name[1]
    for code in code_of(text):
        yield from (name for name in settings_in(code) if name not in conf.DEFAULTS)


def code_of(text):
    """Yield the blocks of code of a page that are Python."""
    blocks = [code for language, code in FENCED.findall(text) if language == "python"]
    blocks += [textwrap.dedent(code) for code in INDENTED.findall(FENCED.sub("", text))]
    for code in blocks:
        try:
            yield ast.parse(code)
        except SyntaxError:
            continue


def settings_in(tree):
    """Yield the keys of EVENNIA_AI that are set, by a dict of that name or each by a line of its own."""
    for node in lines_of_settings(tree):
        target = node.targets[0]
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Dict):
            # What stands behind ** has no key.
            yield from (key.value for key in node.value.keys if key is not None)
        while isinstance(target, ast.Subscript):
            key, target = target.slice, target.value
            if isinstance(target, ast.Name):
                yield key.value


def lines_of_settings(tree):
    """Yield the statements of a block of code that set EVENNIA_AI, or a part of it."""
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(re.match(r"EVENNIA_AI\b", ast.unparse(target)) for target in targets):
            yield node


def unknown_switches(text):
    """Yield the switches of our commands that a page names and that they do not have."""
    keys = "|".join(sorted(switches()))
    for command, switch in re.findall(rf"(?<![\w/])({keys})/([a-z]+)", text):
        if switch not in switches()[command]:
            yield f"{command}/{switch}"


@cache
def switches():
    """Return {key: switches} of our commands."""
    found = {}
    for command in COMMANDS.values():
        if hasattr(command, "switch_methods"):
            found[command.default_key] = set(command().switch_methods())
    return found


class PageTests(unittest.TestCase):
    def check(self, wrong_in):
        for path in PAGES:
            with self.subTest(path.name):
                self.assertEqual(sorted(set(wrong_in(path, path.read_text("utf-8")))), [])

    def test_every_link_leads_somewhere(self):
        self.check(broken_links)

    def test_every_setting_that_is_named_exists(self):
        self.check(lambda path, text: unknown_settings(text))

    def test_all_examples_of_settings_can_be_pasted_one_after_another(self):
        """In the order of the pages, below the lines of the README that define the dict."""
        first, *rest = [
            node
            for path in PAGES
            for code in code_of(path.read_text("utf-8"))
            for node in lines_of_settings(code)
        ]
        self.assertEqual(ast.unparse(first), "EVENNIA_AI = {}")
        # Installing says the lines of the README once more.
        pasted = [first, *(node for node in rest if ast.dump(node) != ast.dump(first))]
        self.assertEqual(len(rest) - len(pasted), 0)
        file = ast.Module(pasted, type_ignores=[])
        self.assertEqual(list(second_settings.find_lost(file, "settings.py")), [])
        made = {}
        exec(compile(file, "settings.py", "exec"), made)
        named = {key for node in pasted for key in settings_in(node)}
        self.assertEqual(set(made["EVENNIA_AI"]), named)
        self.assertLess({"LLM", "SEMANTIC", "MAY_SAY", "IDENTIFY", "PRICES"}, named)

    def test_every_switch_that_is_named_exists(self):
        self.check(lambda path, text: unknown_switches(text))

    def test_every_page_is_reached_from_the_readme(self):
        reached, ahead = set(), [ROOT / "README.md"]
        while ahead:
            path = ahead.pop()
            if path not in reached and path.suffix == ".md" and path.exists():
                reached.add(path)
                targets = LINK.findall(prose(path.read_text("utf-8")))
                ahead += [(path.parent / target.partition("#")[0]).resolve() for target in targets]
        self.assertEqual({path.name for path in PAGES} - {path.name for path in reached}, set())

    def test_what_the_sources_refer_to_is_found_here_by_its_name(self):
        """J76: three pages of the sources; where they lead is held by the test of links."""
        rows = (ROOT / "docs" / "memory.md").read_text("utf-8").splitlines()
        for page in (
            "Architecture: Self-Management",
            "Architecture: Memory and Sleep",
            "Data Flow 03: Memory Consolidation",
        ):
            [row] = [row for row in rows if row.startswith(f"| page *{page}* | [")]
            self.assertGreaterEqual(row.count("](#"), 2)

    def test_where_the_names_of_the_sources_are_there_is_something(self):
        """J75 M1 M2 D43: each module of the table is there."""
        page = (ROOT / "docs" / "memory.md").read_text("utf-8")
        table = page.partition("## Where the names of the sources are")[2]
        here = "".join(row.split("|")[2] for row in table.splitlines() if row.startswith("| "))
        modules = [name.removeprefix("evennia_ai/") for name in re.findall(r"`([\w/]+\.py)`", here)]
        gone = [name for name in modules if not (ROOT / "evennia_ai" / name).is_file()]
        self.assertEqual((gone, len(modules) > 30), ([], True))

    def test_the_names_that_are_left_out_are_named_somewhere(self):
        texts = "".join(path.read_text("utf-8") for path in PAGES)
        self.assertEqual([name for name in sorted(NOT_OURS) if name not in texts], [])
        self.assertEqual(NOT_OURS & set(conf.DEFAULTS), set())


class CheckTests(unittest.TestCase):
    """What the pages are held against can fail."""

    HERE = ROOT / "docs" / "faq.md"

    def test_links_and_anchors_that_lead_nowhere_are_found(self):
        page = (
            "# A `page` of *ours*\n[a](memory.md) [b](none.md) [c](#a-page-of-ours) [d](#none)\n"
            "[e](memory.md#sleep) [f](memory.md#slept) [g](https://example.org/x)\n"
            "```python\n# A comment\n[h](none.md)\n```\n"
        )
        self.assertEqual(
            list(broken_links(self.HERE, page)), ["none.md", "#none", "memory.md#slept"]
        )

    def test_settings_in_words_and_in_code_are_found(self):
        page = (
            '`RATE` `RAT` `EXPERIENCE["PATH"]` `PATH` `COST = 3` `MAX_STEPS = 3`, `GET /x`, `Ann`\n'
            '```python\nEVENNIA_AI = {"RATE": {}, "RATES": {}}\n```\n'
            '\n    EVENNIA_AI = {"TELL_RANGE": "room",\n        "TELLING": 1}\n\n`NO SUCH`\n'
            '```python\nEVENNIA_AI["GOSSIPS"] = {}\nEVENNIA_AI["RATS"]["GOSSIP"] = 1\n```\n'
        )
        self.assertEqual(
            list(unknown_settings(page)), ["RAT", "COST", "RATES", "GOSSIPS", "RATS", "TELLING"]
        )

    def test_switches_are_found_wherever_they_stand(self):
        page = (
            "`@aimemory/pin` @aimemory/pim\n    remember/optout\n    remember/optback\nworld/minds"
        )
        self.assertEqual(list(unknown_switches(page)), ["@aimemory/pim", "remember/optback"])

    def test_each_command_of_ours_is_looked_at(self):
        self.assertEqual(
            sorted(switches()),
            ["@aiadmin", "@aimemory", "@assistant", "rate", "remember", "report", "tell"],
        )
        self.assertIn("persona", switches()["@assistant"])
