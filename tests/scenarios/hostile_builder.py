"""A game with a mind that is worth stealing, and a builder who has no rights on it but tries.

After each attempt what was shown is searched for words that are nobody's business, and what the mind
keeps is compared with what it kept before: as the package reads it, and row by row in the database.
"""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from tests.scenarios import hostile_mind
from tests.scenarios.game import SUPERUSER, Game
from tests.scenarios.stage import PATIENCE, TOGETHER, Stage, StepFailed

PASSWORD = "ferry-rope-9"
NPC, PERSON, BUILDER = "Greta", "Ann", "Bob"
OWN = "id(1) or perm(Admin)"
SETTINGS = {
    "constants": {"evennia_ai.agent.answer.THINKING_AFTER": 60.0},
    "CREATION_THROTTLE_LIMIT": None,
    "MAX_COMMAND_RATE": 1_000_000,
    "REST_API_ENABLED": True,
}
# What turns the guards of the demo game off.
UNGUARDED = {
    "CMDSET_CHARACTER": "world.hostile_mind.UnguardedCmdSet",
    "PROT_FUNC_MODULES": ["evennia.prototypes.protfuncs"],
}
DATABASE = Path("server") / "evennia.db3"
ATTRTYPE = "evennia_ai"
# Attributes that Evennia itself puts on things; all others on Greta and her mind are ours.
STOCK = ("desc", "creator_id", "creator_ip", "prelogout_location", "last_puppet")
ANSWERS = ("y", "n", "q")
QUESTION_SECONDS = 0.5
# Seconds for all lines of one attempt.
ATTEMPT_SECONDS = 60.0

ATTRIBUTES = """
    SELECT '{table}', link.{table}db_id, kept.id, kept.db_key, kept.db_category, kept.db_attrtype,
           kept.db_value, kept.db_strvalue, kept.db_lock_storage
    FROM {tables}_{table}db_db_attributes AS link
    JOIN typeclasses_attribute AS kept ON kept.id = link.attribute_id
"""
TAGS = """
    SELECT '{table} tag', link.{table}db_id, kept.id, kept.db_key, kept.db_category,
           kept.db_tagtype, kept.db_data
    FROM {tables}_{table}db_db_tags AS link JOIN typeclasses_tag AS kept ON kept.id = link.tag_id
    WHERE kept.db_category LIKE 'evennia_ai%' OR kept.db_tagtype = 'evennia_ai'
"""


class Attempt(NamedTuple):
    """Lines that the builder types, one after the other.

    In a line, `{npc}`, `{person}` and `{script}` are numbers with "#"; one with `{attr}` is typed for
    each Attribute of ours on the NPC, `{of_script}` for each on its mind, `{of_person}` on the person.
    """

    name: str
    lines: tuple[str, ...]
    # What must be seen, as a sign that the command was understood; a regular expression.
    sees: str = ""
    # What tells a secret that nobody is shown, such as whether a guess was right; a regular expression.
    tells: str = ""


class Store:
    """The database of a game as it is in its file."""

    def __init__(self, path):
        self._path = path
        # On what Tags count: (sort of row, id).
        self.hers = set()

    def ask(self, question):
        """Return rows."""
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as connection:
            return connection.execute(question).fetchall()

    def attributes(self):
        """Return all Attributes on objects and scripts that are ours, by the id of their rows."""
        rows = [
            row
            for table, tables in (("object", "objects"), ("script", "scripts"))
            for row in self.ask(ATTRIBUTES.format(table=table, tables=tables))
        ]
        ours = [row for row in rows if row[5] == ATTRTYPE] or [
            row for row in rows if row[5] is None and row[3] not in STOCK
        ]
        return {row[2]: row for row in ours}

    def tags(self):
        """Return all Tags that are ours."""
        rows = {
            row
            for table, tables in (("object", "objects"), ("script", "scripts"))
            for row in self.ask(TAGS.format(table=table, tables=tables))
        }
        # Whatever is written on others decides nothing.
        return {row for row in rows if (row[0], row[1]) in self.hers}

    def longterm(self):
        """Return what the files beside the game's database hold: memories and experience."""
        folder = self._path.parent
        found = {}
        for path in sorted(folder.glob("*.db3")):
            if path != self._path:
                with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
                    found[path.name] = list(connection.iterdump())
        return found


class HostileGame(Game):
    """The game, with Greta in it, who is halted: whatever changes in her was changed by somebody."""

    def __init__(self, **settings):
        super().__init__(**SETTINGS, **settings)
        self.transcript = []
        self._count = 0

    def prepare(self):
        """Copy the game, with what runs inside of it."""
        super().prepare()
        shutil.copy(hostile_mind.__file__, self.directory / "world" / "hostile_mind.py")

    def play(self):
        """Let everybody come in; Ann whispers her secret and goes."""
        self.stage = Stage(self.port, write=self.transcript.append)
        self.keeper = self.stage.enter(*SUPERUSER, staff=True)
        self.builder, person = (self.stage.enter(one, PASSWORD) for one in (BUILDER, PERSON))
        self._tell(f"perm *{BUILDER} = Builder", sees="(?i)permission")
        self._tell(f"@assistant/create {NPC}", sees=NPC)
        self._tell(f"lock {NPC} = control:{OWN};edit:{OWN};delete:{OWN};puppet:{OWN}", sees="lock")
        person.does(f"whisper {NPC} = The crown lies under {hostile_mind.WORDS['whisper']}.")
        person.sees(f"{NPC} whispers")
        self._inside(f"fill('{NPC}', '{PERSON}', '{BUILDER}')")
        person.does("quit")
        self.stage.pump(PATIENCE, until=lambda: not person.connection.is_open)
        self.stage.players.remove(person)
        self._tell("@aiadmin/halt", sees="halted|stopped")
        self.tidy()
        self.store = Store(self.directory / DATABASE)
        self._learn()
        self._keep_copies()

    def rewind(self):
        """Let everything be as it was before the first attempt."""
        self.stage.leave()
        self.stop()
        for kept in (self.directory / "kept").iterdir():
            shutil.copy(kept, self.directory / "server")
        self.start()
        self.stage = Stage(self.port, write=self.transcript.append)
        self.keeper = self.stage.enter(*SUPERUSER, staff=True)
        self.builder = self.stage.enter(BUILDER, PASSWORD, staff=True)

    def _keep_copies(self):
        self.stage.leave()
        self.stop()
        (self.directory / "kept").mkdir()
        for path in (self.directory / "server").glob("*.db3*"):
            shutil.copy(path, self.directory / "kept")
        self.rewind()

    def _learn(self):
        ids = dict(self.store.ask("SELECT db_key, id FROM objects_objectdb ORDER BY id DESC"))
        [[script_id]] = self.store.ask(
            f"SELECT id FROM scripts_scriptdb WHERE db_obj_id = {ids[NPC]} AND db_key = 'assistant'"
        )
        self.ids = {"npc": ids[NPC], "person": ids[PERSON], "script": script_id}
        self.store.hers = {("object tag", ids[NPC]), ("script tag", script_id)}
        mind = self.mind()
        rows = mind["rows"].values()
        self.secrets = [*hostile_mind.WORDS.values(), *mind["read"]["identities"]]
        self.secrets += [row[3] for row in rows if row[4] == "journal"]
        self.keys = {
            "attr": _named(rows, "object", self.ids["npc"]),
            "of_person": _named(rows, "object", self.ids["person"]),
            "of_script": _named(rows, "script", self.ids["script"]),
        }

    def mind(self):
        """Return what the mind keeps now: as the package reads it, and as it is stored."""
        self._inside(f"read('{NPC}', '{PERSON}')")
        path = self.directory / "server" / hostile_mind.FILE.name
        return {
            "read": json.loads(path.read_text(encoding="utf-8")),
            "rows": self.store.attributes(),
            "tags": self.store.tags(),
            "longterm": self.store.longterm(),
        }

    def types(self, attempt):
        """Let the builder type the lines of an attempt; return them and what was shown."""
        lines = [typed for line in attempt.lines for typed in self._expanded(line)]
        return lines, "\n".join(self._shown(lines))

    def tidy(self):
        """Take away what the builder has put beside what is ours: it would be shown as such."""
        self._inside(f"tidy('{NPC}', '{PERSON}')")

    def note(self, name, sent, shown):
        """Put what was tried in some other way into the transcript."""
        self.transcript += [f"[{name}]", *sent, shown]

    def restart(self):
        """Let the Server start anew, with everybody in it."""
        for player in (self.keeper, self.builder):
            player.forget()
        self.keeper.sends("reload")
        for player in (self.keeper, self.builder):
            player.sees("Server restarted", seconds=2 * PATIENCE)

    def _expanded(self, line):
        numbers = {name: f"#{number}" for name, number in self.ids.items()}
        for name, keys in self.keys.items():
            if f"{{{name}}}" in line:
                return [line.replace(f"{{{name}}}", key).format(**numbers) for key in keys]
        # Dicts are typed as well.
        for name, number in numbers.items():
            line = line.replace(f"{{{name}}}", number)
        return [line]

    def _shown(self, lines):
        self.stage.pump(TOGETHER)
        self.builder.forget()
        self.builder.is_shown = True
        for line in lines:
            # An answer must not come before its question.
            self.stage.pump(QUESTION_SECONDS if line in ANSWERS else 0)
            self.builder.does(line)
        self._await_end()
        return list(self.builder.seen)

    def _await_end(self):
        """Wait until all was carried out: a command that nobody knows is told so, in its turn."""
        # A menu or a question that is still open takes the first of them.
        for seconds in (5.0, 5.0, ATTEMPT_SECONDS):
            self._count += 1
            self.builder.sends(f"zzend{self._count}")
            if self._comes(rf"zzend{self._count}' is not available", seconds):
                return
        raise StepFailed("the builder gets no answer any more")

    def _comes(self, pattern, seconds):
        return self.stage.pump(seconds, until=lambda: self.builder.saw(pattern))

    def _tell(self, line, *, sees):
        self.keeper.forget()
        self.keeper.sends(line)
        return self.keeper.sees(sees)

    def _inside(self, call):
        self._count += 1
        self.keeper.forget()
        self.keeper.sends(
            f"py from world import hostile_mind as m; m.{call}; me.msg('done'+'{self._count}')"
        )
        self.keeper.sees(rf"^done{self._count}$")


def shown_secrets(secrets, typed, shown):
    """Return the words that nobody may be shown and were, without those that were typed."""
    return [word for word in secrets if word in shown and not any(word in one for one in typed)]


def changes(before, after):
    """Return what a mind keeps now and did not keep before, and the other way round, as lines."""
    found = []
    for part in before:
        if part in ("read", "rows", "longterm"):
            for key in sorted({*before[part], *after[part]}, key=str):
                was, now = before[part].get(key), after[part].get(key)
                if was != now and (part != "rows" or was is not None):
                    found.append(f"{part} {key}: {_short(was)} -> {_short(now)}")
        elif before[part] != after[part]:
            found.append(f"{part}: {before[part] ^ after[part]}")
    return found


def _short(value):
    return re.sub(r"\s+", " ", repr(value))[:160]


def _named(rows, table, owner):
    own = [row for row in rows if row[:2] == (table, owner)]
    return [f"{row[3]}:{row[4]}" if row[4] else row[3] for row in own]
