"""A game of the first version, whose database was written before what minds keep had a type of its own.

`tests/data/first_version/README.md` says what is in it. `FirstVersionGame` is that game in a directory of its
own, with the package as it is now; `unpack` is its files alone.
"""

import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

from evennia_ai.core import records
from tests.migrating.old_names import CATEGORIES, IDENTITY, ON_A_BODY, ON_A_MIND, OUR_TYPE, STAYING
from tests.scenarios.game import LEAVE_OUT, PARTS, ROOT, Game, GameError

FOLDER = ROOT / "tests" / "data" / "first_version"
DATABASE = "evennia.db3"
# What holds Attributes, and in which tables.
HOLDERS = {
    "object": ("objects", "objectdb"),
    "script": ("scripts", "scriptdb"),
    "account": ("accounts", "accountdb"),
    "channel": ("comms", "channeldb"),
}
# What differs between two runs of the launcher, whatever they do.
VOLATILE = ("django_session",)
# What personas of today have, and none of the first version had.
NEW_IN_PERSONAS = {
    "routine": [],
    "triggers": [],
    "errands": [],
    "plans": [],
    "zone": "",
    "model": "",
}


def unpack(folder):
    """Put its files into a game's directory: databases, and minds that were exported."""
    server = folder / "server"
    server.mkdir(parents=True, exist_ok=True)
    for packed in FOLDER.glob("*.sqlite.gz"):
        path = (server / packed.stem).with_suffix(".db3")
        with gzip.open(packed) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target)
    shutil.copytree(FOLDER / "minds", server / "minds", dirs_exist_ok=True)
    shutil.copy(FOLDER / "card.json", server / "minds" / "card.json")


def inventory():
    """Return what all of it said when it was written; see `inventories.read_inventory`."""
    return json.loads((FOLDER / "inventory.json").read_text("utf-8"))


class FirstVersionGame(Game):
    """The game; as a context manager it is there, migrated by Django, and not started."""

    def __enter__(self):
        try:
            self.prepare()
        except BaseException as error:
            self.close(keep=isinstance(error, Exception))
            raise
        return self

    def prepare(self):
        """Copy the game, and put its databases where `evennia migrate` finds them."""
        for part in PARTS:
            shutil.copytree(ROOT / part, self.directory / part, ignore=LEAVE_OUT)
        self.configure()
        unpack(self.directory)
        self.run("migrate")

    def copy_to(self, folder):
        """Copy the databases, as they are now, to another directory."""
        copy_databases(self.directory, folder)

    def read(self):
        """Return what all of it says, read in a process of its own from a copy."""
        with self.aside() as aside:
            target = aside / "inventory.json"
            run_inside(aside, "tests.migrating.inventories", str(target))
            return json.loads(target.read_text("utf-8"))

    def aside(self):
        """Return a context of a directory with a copy of the game, for what changes it."""
        return _Aside(self.directory)


class _Aside:
    """A copy of a game's directory that is deleted afterwards."""

    def __init__(self, directory):
        self._from = directory
        self._copy = directory.with_name(f"{directory.name}-aside")

    def __enter__(self):
        shutil.copytree(self._from, self._copy)
        return self._copy

    def __exit__(self, *details):
        shutil.rmtree(self._copy, ignore_errors=True)


def copy_databases(source, target):
    """Copy the databases of a game that is down, with what SQLite keeps beside them."""
    (target / "server").mkdir(parents=True)
    for path in (source / "server").glob("*.db3*"):
        shutil.copy(path, target / "server" / path.name)


def run_inside(directory, module, *arguments):
    """Run a module of the tests in a game's directory; its package is that of the game."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise GameError(f"{module} failed:\n{done.stdout}")
    return done.stdout


def tables(directory):
    """Return every row of every table of a game's database, by table, to be compared."""
    path = Path(directory) / "server" / DATABASE
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {
            name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)
            for [name] in names.fetchall()
            if name not in VOLATILE
        }


def left_behind(directory):
    """Return what of the minds still lies in ordinary Attributes, as "object #18 journal/p00000"."""
    expected = inventory()
    bodies = {one.removeprefix("#") for one in expected["bodies"]}
    minds = {str(one["id"]) for one in [*expected["minds"].values(), *_spare(expected)]}
    identities = {one.removeprefix("#") for one in expected["identities"]}
    found = []
    for kind, number, row in _rows(directory):
        category, key = row["db_category"], row["db_key"]
        if row["db_attrtype"] is not None or kind not in ("object", "script"):
            continue
        holders, names = (bodies, ON_A_BODY) if kind == "object" else (minds, ON_A_MIND)
        is_named = category is None and key in names and key not in STAYING
        # A game's own `db.journal` stays.
        owned = expected["bodies"].get(f"#{number}", {}).get("journal_of_the_game")
        is_named = is_named and not (kind == "object" and key == "journal" and owned)
        is_ours = number in holders and (category in CATEGORIES or is_named)
        is_ours = is_ours or (
            kind == "object" and number in identities and (category, key) == IDENTITY
        )
        if is_ours:
            found.append(f"{kind} #{number} {category}/{key}")
    return sorted(found)


def games_own(directory):
    """Return the rows of Attributes of whatever has no mind, but those of identities."""
    expected = inventory()
    minds = {f"#{one['id']}" for one in [*expected["minds"].values(), *_spare(expected)]}
    ours = {"object": expected["bodies"].keys(), "script": minds}
    return [
        (kind, number, tuple(row))
        for kind, number, row in _rows(directory)
        if f"#{number}" not in ours.get(kind, ())
        and (row["db_category"], row["db_key"]) != IDENTITY
        and not (row["db_attrtype"] or "").startswith(OUR_TYPE)
    ]


def _spare(expected):
    return expected["spare_minds"].values()


def _rows(directory):
    """Yield every Attribute of a game with what it is on: kind, number, row."""
    path = Path(directory) / "server" / DATABASE
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        for kind, (app, model) in HOLDERS.items():
            yield from [
                (kind, str(row["holder"]), row)
                for row in connection.execute(
                    f"SELECT own.{model}_id AS holder, row.* FROM {app}_{model}_db_attributes AS own"
                    " JOIN typeclasses_attribute AS row ON row.id = own.attribute_id ORDER BY row.id"
                )
            ]


def as_of_today(expected):
    """Return an inventory as what is kept today says it: what the first version said otherwise.

    Whoever carried the identity of somebody else has none and remembers nothing; what a game kept
    as `db.journal` stays where it was; what was not chosen is not kept.
    """
    copies = {who for who, whose in expected["identities"].items() if whose == "copied"}
    identities = {who: one for who, one in expected["identities"].items() if who not in copies}
    bodies = {}
    for who, body in expected["bodies"].items():
        if who in copies and who not in expected["minds"]:
            continue
        chosen = {key: value for key, value in body["settings"].items() if value is not None}
        identity = None if who in copies else body["identity"]
        bodies[who] = {**body, "settings": chosen, "identity": identity}
        bodies[who]["persona"] = {**NEW_IN_PERSONAS, **body["persona"]}
        bodies[who]["conversations"] = _with_speakers(body["conversations"], identity)
        bodies[who]["profiles"] = {
            whom: _counted_from(known) for whom, known in body["profiles"].items()
        }
        del bodies[who]["journal_of_the_game"]
        concluded = [one for one in body["journal"]["entries"] if "synthesis" in one["tags"]]
        bodies[who]["journal_kinds"] = {**body["journal_kinds"], "syntheses": len(concluded)}
    minds = {who: _as_kept(mind) for who, mind in expected["minds"].items()}
    for who in copies & minds.keys():
        # It gets one of its own when it is first asked.
        minds[who]["assistant_key"] = _READ_AT
    spare = {who: _as_kept(mind) for who, mind in expected["spare_minds"].items()}
    found = {"identities": identities, "bodies": bodies, "minds": minds, "spare_minds": spare}
    return {**expected, **found}


def _counted_from(known):
    """Return a profile whose day is that of its first reader, if nobody wrote when it began."""
    if known["created"] != _READ_AT:
        return known
    return {**known, "today": {**known["today"], "date": _READ_AT}}


def _as_kept(mind):
    night = mind["night"]
    return {**mind, **reflecting(mind), "night": {**night, "stalled": night["stalled"] or 0}}


def reflecting(mind):
    """Return the state of reflection, which now says of each mind whether the last one failed."""
    return {"reflection": {"failures": 0, "retry_at": "", **mind["reflection"]}}


def _with_speakers(conversations, own):
    """Return conversations of which each line says whom it is from."""
    return {
        who: {
            **kept,
            "messages": [
                {**line, "said_by": own if line["role"] == "assistant" else who}
                for line in kept["messages"]
            ],
        }
        for who, kept in conversations.items()
    }


_READ_AT = records.format_time(datetime.fromtimestamp(inventory()["moment"], tz=timezone.utc))


def differences(expected, found, *, where=""):
    """Return in sentences where two inventories are not the same."""
    if isinstance(expected, dict) and isinstance(found, dict):
        lost = [f"{where}/{key} is lost" for key in expected.keys() - found.keys()]
        new = [f"{where}/{key} is new: {_short(found[key])}" for key in found.keys() - expected]
        both = expected.keys() & found.keys()
        inner = [differences(expected[key], found[key], where=f"{where}/{key}") for key in both]
        return sorted([*lost, *new, *(one for some in inner for one in some)])
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        inner = [differences(*pair, where=f"{where}/{place}") for place, pair in pairs]
        return [one for some in inner for one in some]
    # What had no time got that of whoever read it first.
    if expected in (found, _READ_AT):
        return []
    return [f"{where} was {_short(expected)} and is {_short(found)}"]


def _short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:117]}… ({len(text)} characters)"
