"""The page on which a persona and its lore are written: what would change is shown first.

The view runs in a thread; functions that touch the game are called over the bridge and return plain data.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from evennia_ai.commands.assistants import persona_drafts
from evennia_ai.commands.assistants.persona_drafts import Draft
from evennia_ai.commands.shown.npcs import lore_of
from evennia_ai.memory import persona as personas
from evennia_ai.web import answering, npc_pages, visitors

# Facts that can be written here: Django takes a thousand fields of a form.
FACTS = 300
# What each field is for, in the words of the page.
HINTS = {
    "description": "who it is; the first sentence is also what it says of itself",
    "background": "its past, which it tells whoever asks",
    "notes": "what else a model should bear in mind; what must hold is a matter of locks",
    "manner": "how it speaks",
    "language": "a code such as de; empty: that of the game",
    "zone": "a Tag of rooms: it walks and knows its way in these alone",
    "model": "a key of LLM in the settings; empty: that of all",
    "greeting_lines": "to whoever it does not know yet",
    "farewell_lines": "at parting",
    "unknown_lines": "when it does not know the answer",
    "thinking_lines": "shown while a model is slow",
    "fallback_lines": "said when a model gives no answer",
    "sleepy_lines": "shown to whoever speaks to it while it sleeps",
    "beats": "small gestures at once, while it thinks: looks up",
    "routine": "its day: when it is where, and does what",
    "triggers": "what it does at an event",
    "errands": "what it carries for players",
    "plans": "how it reaches goals of its own, step by step",
}
# Fields of one line.
SHORT = ("language", "zone", "model")


@require_http_methods(["GET", "HEAD", "POST"])
@answering.page
def persona(request: HttpRequest, account_id: int, npc_id: int) -> HttpResponse:
    """Show a persona and its lore to be written, then what would change, then write it."""
    begun = visitors.look(account_id, npc_id, _begin)
    if request.method != "POST":
        return answering.render(request, "persona", _form(begun, _as_it_is(begun)))
    draft = _draft(request, begun)
    if request.POST.get("sure"):
        said = visitors.do(account_id, npc_id, _save, draft)
        return answering.done(request, said, "persona", npc_id)
    wrong, changes = visitors.look(account_id, npc_id, _plan, draft)
    context = {**_form(begun, draft), "problem": wrong, "changes": changes}
    return answering.render(request, "persona" if wrong else "rewrite", context)


def _as_it_is(begun: dict[str, Any]) -> Draft:
    fields = {
        key: persona_drafts.as_text(value)
        for key, value in begun["persona"].items()
        # A manner of several parts is written in a file.
        if not isinstance(value, dict)
    }
    return Draft(begun["was"], fields, [fact["text"] for fact in begun["lore"]], [])


def _draft(request: HttpRequest, begun: dict[str, Any]) -> Draft:
    kept = _as_it_is(begun)
    fields = {key: request.POST.get(key, text) for key, text in kept.fields.items()}
    facts = [request.POST.get(f"fact-{at}", text) for at, text in enumerate(kept.facts)]
    more = request.POST.get("more", "").splitlines()
    return Draft(request.POST.get("was", ""), fields, facts, more)


def _fields(draft: Draft, keys: Iterable[str]) -> list[tuple[str, str, str, str]]:
    """Return each field that can be written: its name, its text, how it is called, and what it is for."""
    return [
        (key, draft.fields[key], key.replace("_", " ").capitalize(), HINTS[key])
        for key in keys
        if key in draft.fields
    ]


def _form(begun: dict[str, Any], draft: Draft) -> dict[str, Any]:
    rows = [
        {
            "name": f"fact-{at}",
            "number": at + 1,
            "text": text,
            **{key: begun["lore"][at][key] for key in ("told", "files")},
        }
        for at, text in enumerate(draft.facts[:FACTS])
    ]
    return {
        "npc": begun["npc"],
        "was": draft.was,
        "fields": _fields(draft, personas.FIELDS),
        "lines": _fields(draft, personas.LINES),
        "short": SHORT,
        "facts": rows,
        "more": "\n".join(draft.more),
        "left": len(draft.facts[FACTS:]),
    }


# Called over the bridge.


def _begin(who: Any, npc: Any) -> dict[str, Any]:
    return {
        "npc": npc_pages.head(npc),
        "persona": personas.load_persona(npc),
        "lore": lore_of(npc),
        "was": persona_drafts.mark_of(npc),
    }


def _plan(who: Any, npc: Any, draft: Draft) -> tuple[str, list[Any]]:
    """Return the problem with a draft, "" if there is none, and what it would change."""
    wrong = persona_drafts.problem(npc, draft)
    return wrong, [] if wrong else persona_drafts.changes(npc, draft)


def _save(who: Any, npc: Any, draft: Draft) -> str:
    if wrong := persona_drafts.problem(npc, draft):
        return wrong
    count = persona_drafts.write(who, npc, draft)
    much = "1 change" if count == 1 else f"{count} changes"
    return f"You write the persona and lore of {npc_pages.name_of(npc)}: {much}."
