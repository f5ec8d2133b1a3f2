"""The switch `model` of `@assistant`: which model one NPC answers with, of those that the admin allows."""

from __future__ import annotations

from evennia_ai.agent import own_model
from evennia_ai.agent.speech import escaped
from evennia_ai.commands.base import AssistantCommand, quoted, switch
from evennia_ai.memory import persona

# The one of the game, as if nothing were chosen.
OF_THE_GAME = ("", "default")


class ModelSwitch(AssistantCommand):
    """How `@assistant` chooses the model of an NPC."""

    @switch("model", lock="perm(Builder)")
    def choose_model(self) -> None:
        """@assistant/model <npc> [= <key>]"""
        npc = self.find_assistant(self.lhs)
        if npc is None:
            return
        if self.rhs is not None:
            alias = "" if self.rhs.strip() in OF_THE_GAME else self.rhs.strip()
            if wrong := persona.model_problem(alias):
                self.msg(f"{escaped(wrong)} Nothing was done.")
                return
            written = {**persona.load_persona(npc), "model": alias}
            persona.save_persona(npc, {key: part for key, part in written.items() if part})
            self.log_change(f"chose the model {quoted(alias or 'default')} for", npc)
        kept = str(persona.load_persona(npc)["model"])
        is_void = kept and not persona.model_of(npc)
        void = f" {quoted(kept)} is written, and not allowed any more." if is_void else ""
        choice = ", ".join(["default", *persona.allowed_models()])
        self.msg(
            f"{self.name_of(npc)} answers with {escaped(own_model.alias_of(npc))}.{void} "
            f"There is {escaped(choice)}."
        )
