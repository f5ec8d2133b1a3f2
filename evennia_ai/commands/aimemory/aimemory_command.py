"""The command with which builders see to what assistants remember, and to the sleep that it needs."""

from __future__ import annotations

from evennia_ai.commands.aimemory.memory_changes import MemoryChanges
from evennia_ai.commands.aimemory.memory_files import MemoryFiles
from evennia_ai.commands.aimemory.memory_views import MemoryViews
from evennia_ai.commands.aimemory.rumours import RumourViews
from evennia_ai.commands.assistants import switching
from evennia_ai.commands.base import AssistantCommand, switch
from evennia_ai.memory.state import sleep_state


class CmdAIMemory(MemoryChanges, MemoryViews, RumourViews, MemoryFiles, AssistantCommand):
    """
    See to what assistants remember.

    Usage:
      @aimemory/journal <npc> [= <filter>, …]
      @aimemory/profile <npc> = <who> [hostile/open]
      @aimemory/search <npc> = <question> [/as <who>]
      @aimemory/links <npc> [= <memory>]
      @aimemory/rumour <some words of it>
      @aimemory/pin <npc> = <number of an entry>
      @aimemory/unpin <npc> = <number of an entry>
      @aimemory/edit <npc> = <number of an entry> <words>
      @aimemory/narrow <npc> = <number of an entry> nobody/<who>, …
      @aimemory/correct <npc> = <who> | <what is wrong> | <what is right>/nothing
      @aimemory/forget <npc> = <number of an entry>/<who>/experience/all
      @aimemory/seed <file> [= dry]
      @aimemory/export <npc> [= <file>]
      @aimemory/import <npc> = <file>
      @aimemory/sleep <npc> [= light/deep]
      @aimemory/wake <npc>

    Switches:
      journal - what it noted, newest first. A filter is some words, tag=…,
              who=…, importance>=… or days=…
      profile - what it knows of somebody, and how it regards them; `hostile`
              lets it dislike them, whatever they do, until you say `open`
      search - what comes to its mind at a question, with scores: if that
              person asked it alone, or, without /as, whoever may know it
      links - which memories it has linked in its sleep
      rumour - who of your NPCs knows something, since when and through whom, the
              first first: what has each of your words, in whatever form
      pin   - never let this entry of its journal go
      unpin - let it go like any other, when the journal is full
      edit  - let an entry say something else. What was made of the old words is
              forgotten: copies, the line in which they were said, conclusions
      narrow - let fewer people know an entry than may now, or nobody; what was
              made of it is forgotten as by `edit`
      correct - let it know something else of somebody, or `nothing` of that; some
              words of what is wrong are enough. What was said of it stays in
              the journal
      forget - let it forget an entry and what rests on it; a person, all
              their characters, and all that they told it; its experience,
              which is what it tried, how that went and what people said of
              it; or everything
      seed  - write the persona and lore that a file of the game says; shows
              first what would change, and with `dry` does no more
      export - write its whole mind into a file of the game (admins)
      import - put such a mind into an NPC that remembers nothing (admins)
      sleep - let it fall asleep now and do what it does in its sleep: rate
              the day, keep what matters for good, reflect. It wakes when that
              is done; from `light` sleep (what you get unless you say
              otherwise) also when somebody wants something of it
      wake  - wake it, however fast asleep. Within the hours of its schedule
              it falls asleep again when nobody talks with it

    You may see to the NPCs that you control; admins may see to all.

    Examples:
      @aimemory/journal Mara = who=Ann, importance>=7
      @aimemory/search Mara = where does the crown lie? /as Ann
      @aimemory/forget Mara = 12
      @aimemory/edit Mara = 13 The ferry sails at noon.
      @aimemory/narrow Mara = 14 Ann, Bob
      @aimemory/correct Mara = Ann | has a brother | has a sister
    """

    key = "@aimemory"
    default_key = "@aimemory"
    locks = "cmd:perm(Builder)"
    help_category = "Building"

    @switch("sleep", lock="perm(Builder)")
    def put_to_sleep(self) -> None:
        """@aimemory/sleep <npc> [= light/deep]"""
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        depth = (self.rhs or sleep_state.LIGHT).lower()
        if depth not in (sleep_state.LIGHT, sleep_state.DEEP):
            self.say_usage()
        else:
            self.msg(switching.put_to_sleep(self.caller, npc, self.name_of(npc), depth=depth))

    @switch("wake", lock="perm(Builder)")
    def wake(self) -> None:
        """@aimemory/wake <npc>"""
        npc = self.find_assistant(self.lhs)
        if npc is not None:
            self.msg(switching.wake(self.caller, npc, self.name_of(npc)))
