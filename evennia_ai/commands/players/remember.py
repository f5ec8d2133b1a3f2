"""Commands of players on what NPCs remember of them: see it, correct it, have it forgotten."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any

from django.utils.translation import gettext as _
from twisted.internet.defer import Deferred
from twisted.python import log
from twisted.python.failure import Failure

from evennia_ai.agent.prompting import recall_sources
from evennia_ai.agent.revising import correcting, forgetting
from evennia_ai.commands.base import YES, log_change, quoted, switch
from evennia_ai.commands.changes import EVERYTHING
from evennia_ai.commands.players.player import ListenerCommand
from evennia_ai.commands.shown import words
from evennia_ai.core.records import Entry
from evennia_ai.core.talk import TOLD
from evennia_ai.domain import audience
from evennia_ai.domain.memories import relationship
from evennia_ai.memory import identity, journal, lookup, working_memory
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.typeclasses import scripts

# Things that were corrected which are named.
NAMED = 3
# What of somebody an NPC knows anything by.
KNOWN = ("facts", "noticed", "told", "heard", "lines", "entries")


class CmdRemember(ListenerCommand):
    """
    See what NPCs remember of you, put it right, or have it forgotten.

    {switches}

    An NPC also tells you what it knows of you, if you ask it.

    Example:
      remember/correct Mara = has a brother | Ann has a sister.
    """

    key = "remember"
    default_key = "remember"
    locks = "cmd:all()"
    help_category = "General"

    @switch("")
    def show_known(self) -> None:
        """remember <npc>

        What it knows of you.
        """
        npc = self._named_npc(self.args)
        if npc is not None:
            self.show("\n".join(_known_lines(what_is_known(npc, self.caller))))

    @switch("correct")
    def correct(self) -> None:
        """remember/correct <npc> = <what is wrong> | <what is right>

        What an NPC knows of you, or has from you, becomes what you say; some words of what is
        wrong are enough.
        """
        wrong, bar, right = (part.strip() for part in (self.rhs or "").partition("|"))
        if not (self.lhs and wrong and bar and right):
            self.say_usage()
            return
        npc = self.find_listener(self.lhs)
        if npc is None:
            return
        if len(right) > correcting.LENGTH:
            self.msg(_("Say it in {count} letters.").format(count=correcting.LENGTH))
            return
        done = let_correct(self.caller, npc, wrong, right).addCallback(self.msg)
        done.addErrback(log.err, "evennia_ai: a correction failed")

    @switch("forget")
    def forget(self) -> Generator[str, str, None]:
        """remember/forget <npc> or all

        An NPC, or all of them, forget you and what you told them: all your characters, and for
        good.
        """
        everywhere = self.args.lower() == EVERYTHING
        npc = None if everywhere else self._named_npc(self.args)
        if npc is None and not everywhere:
            return
        who = _("everybody") if everywhere else npc.get_display_name(self.caller)
        npc_id = npc.id if npc else 0
        asked = _("Shall {who} forget you and all that you told them, for good? [y/N]")
        answer = yield asked.format(who=who)
        # It may have gone while the question stood.
        npc = lookup.object_by_id(npc_id)
        if answer.strip().lower() not in YES or (npc is None and not everywhere):
            self.msg(_("Nothing was done."))
            return
        let_forget(self.caller, npc, who).addCallback(self.msg)

    @switch("quiet")
    def be_quiet(self) -> None:
        """remember/quiet <npc>

        It does not speak to you first any more, only if you speak to it.
        """
        self._let_speak(_("{who} does not speak to you first any more."), quiet=True)

    @switch("talk")
    def talk(self) -> None:
        """remember/talk <npc>

        It may speak to you first again.
        """
        self._let_speak(_("{who} may speak to you first again."), quiet=False)

    def _let_speak(self, done: str, *, quiet: bool) -> None:
        npc = self._named_npc(self.args)
        if npc is not None:
            assistant.be_quiet_for(npc, self.caller, quiet=quiet)
            self.log_change(
                f"wants to be spoken to first {'no more' if quiet else 'again'} by", npc
            )
            self.msg(done.format(who=npc.get_display_name(self.caller)))

    @switch("optout")
    def opt_out(self) -> None:
        """remember/optout

        From now on nobody remembers you for longer than you are in the game, whichever character
        you play; an NPC that meets you then forgets, when you leave, also who you were to it and
        your talk of before. What it noted until now stays.
        """
        if self._is_nobody():
            return
        hint = _("{key}/forget all, or {key}/optin, changes that.").format(key=self.key)
        self.msg(f"{let_remember(self.caller, remembered=False)} {hint}")

    @switch("optin")
    def opt_in(self) -> None:
        """remember/optin

        From now on you are remembered as everybody else.
        """
        if self._is_nobody():
            return
        self.msg(let_remember(self.caller, remembered=True))

    def _is_nobody(self) -> bool:
        """Return whether there is no account to which it could apply, after having said so."""
        if self.caller.account is None:
            self.msg(_("Only somebody who plays a character can say so."))
        elif identity.is_guest(self.caller):
            self.msg(_("You are a guest, and are forgotten when you leave anyway."))
        else:
            return False
        return True

    def _named_npc(self, name: str) -> Any:
        if not name:
            self.say_usage()
            return None
        return self.find_listener(name)


def _known_lines(data: dict[str, Any]) -> Iterator[str]:
    name = data["name"]
    yield f"{name} {relationship.of(data['state']).shown}"
    for title, kept in (
        (f"{name} knows of you:", data["facts"]),
        (f"{name} has noticed:", data["noticed"]),
        (f"You told {name}, lately:", data["told"]),
        (f"{name} heard you say, lately:", data["heard"]),
    ):
        if kept:
            yield from (title, *(f"  {words.cut(one)}" for one in kept))
    lines, entries = words.count(data["lines"], "line"), words.count(data["entries"], "thing")
    yield f"{name} remembers {lines} of your talk, and {entries} that you said."
    if data["opted_out"]:
        yield (
            "You asked not to be remembered: this goes when you leave the game, but for what was noted before."
        )


def let_correct(character: Any, npc: Any, wrong: str, right: str) -> Deferred[str]:
    """Put right what an NPC knows of a character; fires with what came of it, in words."""
    npc_id, name = npc.id, npc.get_display_name(character)

    def told(changed: list[str]) -> str:
        if changed:
            npc = lookup.object_by_id(npc_id)
            log_change(character, "corrected what is known of them by", npc)
        return _corrected(changed, name=name, wrong=wrong)

    def refused(failure: Failure) -> str:
        failure.trap(ValueError)
        return str(failure.value)

    done = correcting.correct_all(npc, scripts.find(npc), character, wrong=wrong, right=right)
    return done.addCallbacks(told, refused)


def let_forget(character: Any, npc: Any, who: str) -> Deferred[str]:
    """Let an NPC (None: all), called `who`, forget the player of a character; fires with what came of it, in words."""
    log_change(character, f"asked to be forgotten by{'' if npc else ' everybody'}", npc)

    def told(why_not: str) -> str:
        if why_not:
            return _(
                "Not everything is forgotten yet. Your request is kept, and done as soon as it can be."
            )
        return _("You are forgotten: {who} will know you no more.").format(who=who)

    def failed(failure: Failure) -> str:
        log.err(failure, "evennia_ai: forgetting failed")
        return _("Something went wrong. Your request is kept, and tried again at the next start.")

    return forgetting.ask(character, npc).addCallbacks(told, failed)


def let_remember(character: Any, *, remembered: bool) -> str:
    """Say whether the player of a character is remembered; return what came of it, in words."""
    change = accounts.opt_in if remembered else accounts.opt_out
    if change(character):
        what = "wants to be remembered again" if remembered else "does not want to be remembered"
        log_change(character, what)
    elif remembered:
        return _("You are remembered as everybody else already.")
    else:
        return _("You are not remembered already.")
    if remembered:
        return _("You will be remembered as everybody else.")
    return _(
        "Nobody will remember you for longer than you are in the game. An NPC that meets you from now on "
        "forgets, when you leave, also who you were to it and your talk of before. What it noted of your "
        "words until now stays, until you have it forgotten."
    )


def _corrected(changed: list[str], *, name: str, wrong: str) -> str:
    """Return what to say of a correction: `changed` is all that an NPC knows better now."""
    if not changed:
        text = _("{name} knows nothing like {wrong} of you or from you.")
    elif len(changed) == 1:
        text = _("{name} knows better now.")
    else:
        text = _("{name} knows better now of {count} things: {things}")
    things = ", ".join(map(quoted, changed[:NAMED])) + (", …" if changed[NAMED:] else ".")
    return text.format(name=name, wrong=quoted(wrong), count=len(changed), things=things)


def is_anything_known(npc: Any, character: Any) -> bool:
    """Return whether `what_is_known` has anything of a character, which is soon said of most."""
    who = identity.perceived(npc, character)
    if working_memory.lines_with(npc, who):
        return True
    if any(map(_is_told_by(who), journal.newest_first(npc))):
        return True
    told = what_is_known(npc, character)
    return any(told[what] for what in KNOWN)


def what_is_known(npc: Any, character: Any) -> dict[str, Any]:
    """Return what an NPC knows of a character, for the command and the page.

    Only what whoever plays the character may know; the reasons of a regard are nobody's business.
    """
    who = identity.perceived(npc, character)
    known = entity_profiles.find_profile(npc, who)
    name = npc.get_display_name(character)
    kept = {
        key: [words.by_name(one.text, name) for one in audience.select_tellable(found, [who])]
        for key, found in (
            ("facts", recall_sources.of_person(npc, who)),
            ("noticed", [*recall_sources.noticed(npc, who), *recall_sources.seen(npc, who)]),
            ("told", recall_sources.told(npc, who, overheard=False)),
            ("heard", recall_sources.told(npc, who, overheard=True)),
        )
    }
    return {
        **kept,
        "name": name,
        "state": known.relationship.state if known else relationship.STRANGER,
        "lines": len(working_memory.lines_with(npc, who)),
        "entries": sum(map(_is_told_by(who), journal.newest_first(npc))),
        "opted_out": accounts.is_opted_out(character),
    }


def _is_told_by(who: str) -> Callable[[Entry], bool]:
    return lambda one: one.said_by == who and one.source_type in TOLD
