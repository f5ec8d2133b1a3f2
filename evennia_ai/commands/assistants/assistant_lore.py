"""The switches `lore` and `lore/audience` of `@assistant`: what an NPC knows from its builder."""

from __future__ import annotations

from typing import Any, Generator

from evennia_ai.agent.speech import escaped
from evennia_ai.commands.aimemory import memory_format
from evennia_ai.commands.assistants.naming import identity_named, names_known
from evennia_ai.commands.base import AssistantCommand, quoted, replaced, switch, whole_number
from evennia_ai.core.records import Audience, Lore
from evennia_ai.domain.audience import PUBLIC, as_kept
from evennia_ai.domain.files import seed_files as rules
from evennia_ai.memory import identity, lookup, persona, routine
from evennia_ai.memory.seeds import seeding

# Words for an audience that is no list of names.
EVERYBODY, NOBODY = ("all", "everybody"), ("none", "nobody")


class LoreSwitch(AssistantCommand):
    """How `@assistant` writes what an NPC knows."""

    @switch("lore", lock="perm(Builder)")
    def write_lore(self) -> Generator[str, str, None]:
        """@assistant/lore <npc>[/<number>] [= <fact>]"""
        found = self._chosen_fact()
        if found is None:
            return
        npc, at = found
        if self.rhs is None:
            self._show_lore(npc)
        elif self.rhs:
            self._write_fact(npc, at, self.rhs)
        elif at is None:
            self.say_usage()
        else:
            yield from self._take_fact(npc, at)

    @switch("lore/audience", lock="perm(Builder)")
    def choose_audience(self) -> None:
        """@assistant/lore/audience <npc>/<number> = <all, nobody or names>"""
        found = self._chosen_fact()
        if found is None:
            return
        npc, at = found
        ears = self._audience_of(npc, self.rhs or "") if at is not None else None
        if at is None or not self.rhs:
            self.say_usage()
        elif ears is not None:
            facts = persona.load_lore(npc)
            self._put_fact(npc, at, Lore(text=facts[at].text, audience=ears))
            self.log_change(f"chose who may know fact {at + 1} of", npc)
            lock = facts[at].only_if
            gone = f" Its condition is gone: {escaped(lock)}" if lock else ""
            self.msg(f"Fact {at + 1} of {self.name_of(npc)} is {_shown(npc, ears)} now.{gone}")

    @switch("lore/if", lock="perm(Builder)")
    def choose_condition(self) -> None:
        """@assistant/lore/if <npc>/<number> = <lock string>"""
        found = self._chosen_fact()
        if found is None:
            return
        npc, at = found
        if at is None or self.rhs is None:
            self.say_usage()
            return
        lock, facts = self.rhs.strip(), persona.load_lore(npc)
        wrong = routine.lock_problem(lock) if lock else ""
        if len(lock) > rules.FACT_LENGTH:
            wrong = f"a lock string has at most {rules.FACT_LENGTH} characters."
        if wrong:
            self.msg(f"{escaped(wrong)} Nothing was done.")
            return
        if not lock and not facts[at].only_if:
            self.msg(f"Fact {at + 1} of {self.name_of(npc)} has no condition.")
            return
        # Whom it was for is in the lock, or nobody: taking that away tells it to no one more.
        fact = Lore(text=facts[at].text, audience=[], only_if=lock)
        self._put_fact(npc, at, fact)
        self.log_change(f"chose the condition of fact {at + 1} of", npc)
        told = (
            f"is told {escaped(_told_to(npc, fact))}" if lock else "has no condition any more, and"
        )
        rest = " now." if lock else f" is known to nobody; {self.key}/lore/audience says to whom."
        was = replaced(facts[at].only_if, lock)
        self.msg(f"Fact {at + 1} of {self.name_of(npc)} {told}{rest}{was}")

    def _chosen_fact(self) -> tuple[Any, int | None] | None:
        """Return the NPC and the place of the fact that is meant, if one is; None after saying why not."""
        name, slash, number = self.lhs.rpartition("/")
        npc = self.find_assistant(name.strip() if slash else self.lhs)
        if npc is None or not slash:
            return npc and (npc, None)
        at = whole_number(number.strip())
        if at is None or not 1 <= at <= len(persona.load_lore(npc)):
            self.msg(
                f"{quoted(number.strip())} is none of its facts; {self.key}/lore {npc.key} lists them."
            )
            return None
        return npc, at - 1

    def _show_lore(self, npc: Any) -> None:
        facts = persona.load_lore(npc)
        if not facts:
            self.msg(
                f"{self.name_of(npc)} has no lore; {self.key}/lore {npc.key} = <fact> adds some."
            )
            return
        lines = [f"What {self.name_of(npc)} knows from its builder:"]
        for number, fact in enumerate(facts, 1):
            ears = _told_to(npc, fact)
            files = "".join(f", from {file}" for file in seeding.files_of(npc, fact))
            lines.append(f"  {number}. {escaped(fact.text)} ({escaped(ears)}{escaped(files)})")
        self.msg("\n".join(lines))

    def _write_fact(self, npc: Any, at: int | None, text: str) -> None:
        facts = persona.load_lore(npc)
        if len(text) > rules.FACT_LENGTH:
            self.msg(f"A fact has at most {rules.FACT_LENGTH} characters. Nothing was done.")
        elif at is None and len(facts) >= rules.ITEMS:
            self.msg(f"{self.name_of(npc)} has {len(facts)} facts, and no room for more.")
        else:
            ears: Audience = PUBLIC if at is None else facts[at].audience
            lock = "" if at is None else facts[at].only_if
            fact = Lore(text=text, audience=ears, only_if=lock)
            self._put_fact(npc, at, fact)
            number = len(facts) + 1 if at is None else at + 1
            self.log_change(f"wrote fact {number} of", npc)
            told = escaped(_told_to(npc, fact))
            was = "" if at is None else replaced(facts[at].text, text)
            self.msg(f"Fact {number} of {self.name_of(npc)} ({told}): {escaped(text)}{was}")

    def _take_fact(self, npc: Any, at: int) -> Generator[str, str, None]:
        npc_id, fact = npc.id, persona.load_lore(npc)[at]
        answer = yield f"Take this from {self.name_of(npc)}: {escaped(fact.text)} [y/N]"
        # It may have gone while the question stood, or its lore be another.
        npc = lookup.object_by_id(npc_id)
        facts = persona.load_lore(npc) if npc else []
        is_there = at < len(facts) and facts[at] == fact
        if answer.strip().lower() not in ("y", "yes") or not is_there or not self.may_change(npc):
            self.msg("Nothing was done.")
            return
        self._put_fact(npc, at, None)
        self.log_change(f"took fact {at + 1} from", npc)
        self.msg(f"{self.name_of(npc)} does not know that any more.")

    def _put_fact(self, npc: Any, at: int | None, fact: Lore | None) -> None:
        """Put a fact into its place, or behind the last; none takes the one there away."""
        facts = persona.load_lore(npc)
        end = len(facts)
        start, stop = (end, end) if at is None else (at, at + 1)
        before = facts[start:stop]
        facts[start:stop] = [fact] if fact else []
        persona.save_lore(npc, facts)
        for file in seeding.files_of(npc, before[0]) if before else ():
            self.msg(f"It was from {escaped(file)}, which writes it anew when it is next read.")

    def _audience_of(self, npc: Any, names: str) -> Audience | None:
        """Return who is meant by names with commas between them; None after having said why not."""
        if names.strip().lower() in EVERYBODY:
            return PUBLIC
        if names.strip().lower() in NOBODY:
            return []
        ears = [identity_named(self, npc, name.strip()) for name in names.split(",")]
        if any(who is None for who in ears):
            return None
        return as_kept([identity.identity_of(npc), *ears])


def _told_to(npc: Any, fact: Lore) -> str:
    return f"if {fact.only_if}" if fact.only_if else _shown(npc, fact.audience)


def _shown(npc: Any, ears: Audience) -> str:
    return memory_format.audience(ears, names_known(npc))
