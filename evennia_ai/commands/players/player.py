"""Commands of players beside `say` and `whisper`: words for one NPC alone."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from evennia_ai import conf, markup
from evennia_ai.agent.hearing import perception, presence
from evennia_ai.agent.speech import LONGEST_LINE, escaped
from evennia_ai.commands.base import AssistantCommand, quoted, switch
from evennia_ai.memory import lookup
from evennia_ai.memory.state import active_assistants
from evennia_ai.typeclasses import scripts


class ListenerCommand(AssistantCommand):
    """A command that is about an NPC which listens, in reach or as far as `tell` goes."""

    def parse(self) -> None:
        """Cut what was typed to what an NPC would perceive of it, before anything reads it."""
        self.args = self.args[:LONGEST_LINE]
        super().parse()

    def find_listener(self, name: str) -> Any:
        """Return the NPC that is meant, if it listens; else None after having said why not."""
        if not self.is_name(name):
            return None
        near = [obj for obj in self._in_reach() if _listens(obj)]
        found = self.caller.search(name, candidates=near, quiet=True) if near else []
        if not found and conf.get("TELL_RANGE") == "anywhere":
            far = [obj for obj in _all_listeners() if _listens(obj)]
            near = [obj for obj in far if obj.access(self.caller, "view")]
            found = self.caller.search(name, candidates=near, quiet=True) if near else []
        if len(found) > 1:
            # Evennia says which there are, and how to tell them apart.
            return self.caller.search(name, candidates=near)
        # "me" and dbrefs find more than was to choose from.
        if found and found[0] in near:
            return found[0]
        self._say_nobody(name)
        return None

    def _say_nobody(self, name: str) -> None:
        found = self.caller.search(name, candidates=self._in_reach(), quiet=True)
        if found and scripts.find(found[0]) is None:
            name = found[0].get_display_name(self.caller)
            self.msg(_("{name} has no mind that could hear you.").format(name=name))
        elif found:
            name = found[0].get_display_name(self.caller)
            self.msg(_("{name} does not listen to what it is told.").format(name=name))
        else:
            self.msg(_("There is no {name} here who would listen.").format(name=quoted(name)))

    def _in_reach(self) -> list[Any]:
        location = self.caller.location
        return [*(location.contents if location else ()), *self.caller.contents]


class CmdTell(ListenerCommand):
    """
    Tell something to an NPC, for nobody else to hear.

    Usage:
      tell <npc> = <words>

    To reach another player, use page or whisper.

    Example:
      tell Mara = Is the back door open tonight?
    """

    key = "tell"
    default_key = "tell"
    locks = "cmd:all()"
    help_category = "General"

    @switch("")
    def tell(self) -> None:
        """tell <npc> = <words>"""
        if not self.lhs or not self.rhs:
            self.say_usage()
            return
        npc = self.find_listener(self.lhs)
        if npc is None:
            return
        name = npc.get_display_name(self.caller)
        self.msg(_('You tell {name}: "{words}"').format(name=name, words=escaped(self.rhs)))
        if presence.is_puppeted(npc):
            # Whoever plays the NPC now answers for it.
            told = _('{name} tells you: "{words}"')
            name = markup.capital(self.caller.get_display_name(npc))
            text = told.format(name=name, words=escaped(self.rhs))
            npc.msg(text=(text, {"type": "tell"}), from_obj=self.caller)
        perception.told(npc, self.rhs, self.caller)


def _listens(obj: Any) -> bool:
    return active_assistants.script_id_of(obj.id) is not None


def _all_listeners() -> list[Any]:
    minds = [lookup.script_by_id(script_id) for script_id in active_assistants.all_ids()]
    return [mind.obj for mind in minds if mind and mind.obj]
