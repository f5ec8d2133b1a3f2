"""The table of docs/trust.md of who can see and change what: each command, typed by each of them."""

import re

from evennia.utils.create import create_object

from evennia_ai.agent import speech
from evennia_ai.commands.cmdsets import COMMANDS
from evennia_ai.memory.state import active_assistants
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.commands.test_memory_files import SEED, FilesTestCase
from tests.test_trust import PAGE

# What stands after a command so that it could be done; "" for what needs nothing.
ARGUMENTS = {
    "@assistant/persona": "Mara/manner = Short.",
    "@assistant/lore": "Mara = The ale is sour.",
    "@assistant/lore/audience": "Mara/1 = nobody",
    "@assistant/set": "Mara/gossip = never",
    "@assistant/goal": "Mara = Sell an ale",
    "@assistant/routine": "Mara",
    "@assistant/say": "Mara = Hello.",
    "@assistant/attach": "anvil",
    "@aimemory/profile": "Mara = Char",
    "@aimemory/search": "Mara = ale",
    "@aimemory/pin": "Mara = 1",
    "@aimemory/edit": "Mara = 1 The ale is good.",
    "@aimemory/narrow": "Mara = 1 nobody",
    "@aimemory/correct": "Mara = Char2 | ale | water",
    "@aimemory/forget": "Mara = all",
    "@aimemory/seed": "mara.yaml = dry",
    "@aimemory/export": "Mara = mara",
    "@aimemory/import": "Mara = mara",
    "@aiadmin/reports": "",
    "@aiadmin/cost": "",
    "@aiadmin/budget": "",
    "@aiadmin/tools": "",
    "@aiadmin/halt": "",
    "@aiadmin/resume": "",
    "@aiadmin/doctor": "",
    "@aiadmin/jobs": "",
}
REFUSED = re.compile(r"is not available|You may not change|you may not change|There is no switch")
# Asked by whoever is neither: nothing of an NPC that is there is shown or changed by these.
OF_NOBODY = {
    "@assistant": "it lists names, as `who` does players",
    "@assistant/create": "it makes an NPC of one's own",
    "@assistant/copy": "it makes one of one's own, by persona and lore alone",
    "@assistant/channel": "where it listens; asked below as all that changes an NPC",
    "@aimemory": "it lists the switches",
    "@aiadmin": "it lists the switches",
}
STAFF = ("assistant", "aimemory", "aiadmin")


def table():
    """Return (roles, [(commands, {role: whether they may})]) of the page."""
    lines = re.findall(r"^\|(.+)\|$", PAGE.read_text("utf-8"), re.M)
    head, _, *rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return head[1:], [
        (re.findall(r"`([^`]+)`", first), dict(zip(head[1:], rest, strict=True)))
        for first, *rest in rows
    ]


class RightsTests(FilesTestCase):
    """Mara is somebody else's; char2 is each of them in turn."""

    def setUp(self):
        super().setUp()
        self.write("mara.yaml", SEED)
        self.anvil = create_object("evennia.objects.objects.DefaultObject", key="anvil")
        self.anvil.location = self.room1
        speech.trace.note_uttered(self.npc.id, "say", "Hello.", [self.char2])
        self.heard = minds.listen(self.char2)

    def become(self, role):
        """Let char2 be somebody with the rights of a role."""
        self.account2.permissions.clear()
        self.account2.is_superuser = role == "superuser"
        self.account2.save()
        for obj in (self.npc, self.anvil):
            obj.locks.add(f"control:id({self.char2.id if role == 'keeper' else 0})")
            obj.locks.add("edit:false()")
        permission = {"builder": "Builder", "keeper": "Builder", "admin": "Admin"}.get(role)
        if permission:
            self.account2.permissions.add(permission)
        self.account2.locks.cache_lock_bypass(self.account2)
        self.char2.locks.cache_lock_bypass(self.char2)

    def may(self, command):
        """Return whether char2 may use a command."""
        self.make_ready(command)
        self.heard.clear()
        argument = ARGUMENTS.get(command, "Mara")
        self.types(f"{command} {argument}".strip(), by=self.char2)
        said = "\n".join(text for _, text in self.heard)
        if "[y/N]" in said:
            self.types("n", by=self.char2)
        return not REFUSED.search(said)

    def make_ready(self, command):
        active_assistants.halt(halted=command == "@aiadmin/resume")
        mind = scripts.find(self.npc)
        if mind is not None:
            (mind.disable if command == "@assistant/start" else mind.enable)()
        scripts.detach(self.anvil)

    def test_each_row_of_the_table_holds(self):
        roles, rows = table()
        self.assertEqual(roles, ["player", "builder", "keeper", "admin", "superuser"])
        self.assertEqual(len(rows), 14)
        for role in roles:
            self.become(role)
            for commands, expected in rows:
                for command in commands:
                    with self.subTest(role=role, command=command):
                        self.assertEqual(self.may(command), expected[role] == "yes")

    def test_no_switch_is_missing_from_the_table(self):
        named = {command for commands, _ in table()[1] for command in commands}
        made = [COMMANDS[name]() for name in STAFF]
        every = {
            f"{one.key}/{switch}" if switch else one.key
            for one in made
            for switch in one.switch_methods()
        }
        self.assertEqual(every - named, set(OF_NOBODY))

    def test_where_it_listens_only_its_keeper_changes(self):
        for role, expected in (("builder", False), ("keeper", True)):
            self.become(role)
            self.assertEqual(self.may("@assistant/channel"), expected)
