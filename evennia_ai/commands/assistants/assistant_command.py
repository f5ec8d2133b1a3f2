"""The command with which builders make assistants, switch them and look at them."""

from __future__ import annotations

from evennia_ai.commands.assistants.asking import AskingSwitches
from evennia_ai.commands.assistants.living import LivingSwitches
from evennia_ai.commands.assistants.making import MakingSwitches
from evennia_ai.commands.assistants.settings import SetSwitch
from evennia_ai.commands.assistants.writing import WritingSwitches


class CmdAssistant(MakingSwitches, WritingSwitches, AskingSwitches, LivingSwitches, SetSwitch):
    """
    Give NPCs a mind, switch it on and off, and see how it does.

    {switches}

    You may change the NPCs that you control; admins may change all.

    Examples:
      @assistant/create Mara;innkeeper = A gruff innkeeper who has seen it all.
      @assistant/persona Mara/greeting_lines = Well met!; Come in, come in.
      @assistant/lore Mara = The cellar has a second door. /for nobody
    """

    first = ("create", "persona", "lore", "show", "why")
    instead = {
        "status": "@assistant <npc>",
        "list": "@assistant",
        "triggers": "@assistant/persona <npc>/triggers = <line>",
        "model": "@assistant/persona <npc>/model = <key>",
        "rate": "@assistant/experience <npc> = <0-10>",
        "secret": "@assistant/lore <npc> = <fact> /for nobody",
        "lore/if": "@assistant/lore/audience <npc>/<number> = if <lock>",
        "why/prompt": "@assistant/why <npc> = prompt",
    }
    key = "@assistant"
    default_key = "@assistant"
    aliases = ("@ai",)
    locks = "cmd:perm(Builder)"
    help_category = "Building"
