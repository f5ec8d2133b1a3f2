"""The model of one NPC: what it says is from that one, where its builder chose it and the admin allows it."""

from __future__ import annotations

from typing import Any

from evennia_ai import conf
from evennia_ai.llm import base, model_facts
from evennia_ai.memory import persona

# What it answers for: its nights, and what it thinks by itself, have the models of their jobs.
JOB = "reply"


def alias_of(npc: Any) -> str:
    """Return the key of LLM by which an NPC answers."""
    own = persona.model_of(npc)
    return own or (JOB if JOB in conf.get("LLM") else "default")


def llm_of(npc: Any, job: str = JOB) -> base.Backend:
    own = persona.model_of(npc) if job == JOB else ""
    return base.get_llm(job, alias=own)


def converses(npc: Any) -> bool:
    """True if an NPC answers other NPCs, with whom a weak model would only chatter."""
    llm = llm_of(npc)
    return llm.is_model and not model_facts.is_weak(llm)
