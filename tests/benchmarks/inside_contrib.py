"""Inside the Server: the command that talks to an NPC of `evennia.contrib.rpg.llm`."""

from evennia.commands.cmdset import CmdSet
from evennia.contrib.rpg.llm.llm_npc import CmdLLMTalk


class TalkCmdSet(CmdSet):
    """What its documentation tells a game to add."""

    key = "BenchmarkTalk"

    def at_cmdset_creation(self):
        """Add `talk`."""
        self.add(CmdLLMTalk)
