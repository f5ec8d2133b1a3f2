"""Command sets of the demo game: Evennia's, and ours."""

from evennia.commands.default.cmdset_account import AccountCmdSet as EvenniaAccountCmdSet
from evennia.commands.default.cmdset_character import CharacterCmdSet as EvenniaCharacterCmdSet

from evennia_ai.commands.cmdsets import (
    AssistantAccountCmdSet,
    AssistantCmdSet,
    AssistantGuardCmdSet,
)


class CharacterCmdSet(EvenniaCharacterCmdSet):
    """What a character can do."""

    def at_cmdset_creation(self):
        """Add the commands of the assistants, and their guards against builders."""
        super().at_cmdset_creation()
        self.add(AssistantCmdSet)
        self.add(AssistantGuardCmdSet)


class AccountCmdSet(EvenniaAccountCmdSet):
    """What a player can do, whoever they play."""

    def at_cmdset_creation(self):
        """Let examining show no memories, also to whoever plays nobody."""
        super().at_cmdset_creation()
        self.add(AssistantAccountCmdSet)
