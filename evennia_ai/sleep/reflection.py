"""Reflection (Park et al. 2023): from what happened to questions, from questions to evidence, and
from evidence to insights that cite it.

Each group of memories with the same audience is reflected on by itself, so that an insight is for
just those ears: the mind that drew it has seen nothing that they may not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import inlineCallbacks

from evennia_ai import prompts_asleep, scheduling
from evennia_ai.agent import speech
from evennia_ai.core.records import Audience, Entry
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.model_text import reply
from evennia_ai.domain.sleeping import insights, offline_reflection, reflection_rules, truth
from evennia_ai.exceptions import BudgetExceeded, LLMUnavailable
from evennia_ai.memory import episodic, journal, lookup, repository
from evennia_ai.memory.state import reflection_state as states
from evennia_ai.sleep import answers
from evennia_ai.sleep import evidence as evidences
from evennia_ai.sleep import repeated_insights
from evennia_ai.sleep.sleep_llm import ask

# Questions of one reflection, memories that are looked up for each, and insights.
QUESTIONS = 3
EVIDENCE = 10
INSIGHTS = 5
# Groups of private memories that one run reflects on; the others wait for the next.
PRIVATE_GROUPS = 2
# Private notes up to which no mind is asked what they ask.
FEW = 3
# One thing that was told in confidence says by itself all that it says.
SEVERAL = 2
# How a synthesis is marked (decision C-14), and what it is worth.
TAGS = ("synthesis", "meta_learning", "reflection")
IMPORTANCE = 8
TRUST = 0.7
SOURCE = "self_reflection"
# Characters of a question.
QUESTION_LENGTH = 200
# Share of the telling words of an insight that its evidence must have: it is in words of its own.
INSIGHT_SHARE = 0.2

# {"content", "evidence_ids"}.
Insight = dict[str, Any]


@inlineCallbacks
def generate_reflection_questions(
    script: Any, recent_entries: Iterable[Entry | Mapping[str, Any]], num_questions: int = 3
):
    """Return questions about the world that these entries of the journal raise.

    The entries should be for the same ears: a question may give away what they say.

    Raises:
        LLMUnavailable, BudgetExceeded: No mind could ask.
    """
    entries = map(journal.as_entry, recent_entries)
    items = [
        evidences.item(number, entry, asked=episodic.asked_of(script.obj, entry))
        for number, entry in enumerate(entries, 1)
    ]
    names = _own_names(script)
    if not items:
        return []
    answer = yield ask(
        script.id,
        "questions",
        messages=prompts_asleep.reflection_questions(
            name=names[0], items=items, count=num_questions
        ),
        context={"items": items, "count": num_questions, "own_names": names},
        answer=answers.shapes().Questions,
        schema=answers.questions(num_questions),
    )
    asked = (reply.printable(text, max_length=QUESTION_LENGTH) for text in answer.questions)
    told = [f"{item['by']} {item['text']}" for item in items]
    true = [
        one for one in asked if answer.by_rules or truth.carries(told, one, names=names, share=0)
    ]
    return list(dict.fromkeys(true))[:num_questions]


@inlineCallbacks
def generate_insights(
    script: Any,
    questions: Sequence[str],
    evidence_per_question: Mapping[str, Sequence[evidences.Evidence]],
    num_insights: int = 5,
    *,
    audience: Audience = audiences.PUBLIC,
    own_ids: Iterable[str] | None = None,
    before: Sequence[repeated_insights.Told] = (),
    outdated: list[repeated_insights.Told] | None = None,
):
    """Return what the evidence adds up to: [{"content", "evidence_ids"}].

    What cites nothing, and what only repeats a piece of evidence, is left out. With `own_ids` an
    insight must cite one of these at least; the other evidence is background. Of what was concluded
    `before`, that which no longer holds is added to `outdated`.

    Raises:
        LLMUnavailable, BudgetExceeded: No mind could conclude.
    """
    ranked = [one for found in evidence_per_question.values() for one in found]
    evidence = evidences.in_order(ranked)
    if not evidence:
        return []
    ids = [str(one["id"]) for one in evidence]
    own = set(ids if own_ids is None else own_ids)
    items = evidences.items_of(script.obj, evidence, own, audience)
    names, script_id = _own_names(script), script.id
    fresh = {number: one for number, one in enumerate(ids, 1) if one in own}
    known = repeated_insights.of_the_same(script.obj, before, items)
    yield scheduling.yield_to_reactor()
    answer = yield ask(
        script_id,
        "insights",
        messages=prompts_asleep.reflection_insights(
            name=names[0],
            questions=questions,
            items=items,
            count=num_insights,
            before=[one.content for one in known],
        ),
        context={"items": items, "count": num_insights, "own_names": names},
        answer=answers.shapes().Insights,
        schema=answers.insights(num_insights, len(items), len(known)),
    )
    yield scheduling.yield_to_reactor()
    if outdated is not None:
        npc = _living(script_id).obj
        outdated += repeated_insights.refuted(npc, known, answer.outdated, fresh)
    given = map(answers.citation, answer.insights)
    texts = [item["text"] for item in items]
    people = [item["by"] for item in items]
    told = {one: f"{item['by']} {item['text']}" for one, item in zip(ids, items, strict=True)}
    found = [
        one
        for one in insights.cited(given, ids, limit=num_insights)
        if own & set(one["evidence_ids"])
        and not insights.repeats(one["content"], texts)
        and (
            answer.by_rules
            or truth.carries(
                [told[cited] for cited in one["evidence_ids"]],
                one["content"],
                names=people,
                share=INSIGHT_SHARE,
            )
        )
    ]
    found = evidences.best_first(found, ids, ranked)
    tellers = {number: (item["text"], item["by"]) for number, item in zip(ids, items, strict=True)}
    return evidences.without_gossip(_living(script_id).obj, found, tellers)


def filter_self_referential_insights(
    found: Iterable[Insight], *, names: Iterable[str] = ()
) -> list[Insight]:
    """Return the insights that are about the world; that there were others is logged.

    Without their words: a log keeps them when whoever they are from has been forgotten.
    """
    called = list(names)
    kept = []
    for one in found:
        if not insights.is_self_referential(one["content"], names=called):
            kept.append(one)
            continue
        logger.log_info("evennia_ai: an insight about the assistant itself was dropped")
    return kept


def store_reflection_as_journal(
    character: Any,
    questions: Iterable[str],
    found: Iterable[Insight],
    *,
    audience: Audience = audiences.PUBLIC,
) -> Entry:
    """Keep insights as one entry of the journal and return it; it is `derived_from` the entries cited.

    Who may know it is who may know all that it cites, as that stands now.
    """
    cited = {one["content"]: evidences.entry_ids(one["evidence_ids"]) for one in found}
    ids = list(dict.fromkeys(entry_id for own in cited.values() for entry_id in own))
    entries = journal.get_entries(character, ids).values()
    return journal.add_entry(
        character,
        insights.written(questions, cited.items()),
        tags=TAGS,
        source_type="inference",
        source_trust=TRUST,
        source_entity=SOURCE,
        importance=IMPORTANCE,
        audience=audiences.intersection([audience, *(entry.audience for entry in entries)]),
        evidence=ids,
    )


@inlineCallbacks
def run_reflection(script: Any, character: Any):
    """Reflect on what happened since the last time, and keep what it adds up to.

    Returns {"success", "questions", "insights", "entries_reflected", "stored_entries", "error"}. If
    no mind answered or nothing was concluded, all that happened is kept for another attempt, after
    an hour at first and then ever later; `error` says why in a sentence.
    """
    script_id = script.id
    state = states.reflection_state(script)
    wait = reflection_rules.waits_until(state, now=scheduling.now())
    if wait:
        return _result(error=f"the last attempt failed, and the next is not before {wait}")
    known = state.entries_since_reflection
    window = _window(character, known)
    planned = [
        (audience, [entry.id for entry in entries])
        for audience, entries in reflection_rules.plan_groups(window, private=PRIVATE_GROUPS)
    ]
    # What came before and is not in the window has had its chance.
    waiting = {entry.id for entry in window}
    seen = {*known, *waiting}
    done, error = yield _reflect_on_all(script_id, planned)
    script = lookup.script_by_id(script_id)
    if script is None or script.obj is None:
        return _result(error="the mind that reflected is gone")
    done = [_without_forgotten(script.obj, made) for made in done]
    reflected = {entry_id for made in done for entry_id in made["entry_ids"]}
    if not any(made["insights"] for made in done):
        _strengthen(script.obj, done)
        states.put_off_reflection(script)
        return _result(done, error=error or "there was nothing to conclude")
    stored = _store(script, done, gone=seen - (waiting - reflected), failed=error is not None)
    return _result(done, reflected=len(reflected), stored=stored, error=error)


def _window(character: Any, known: Iterable[int]) -> list[Entry]:
    """Return what to reflect on; the whole journal is read only if nothing of it is left."""
    there = list(journal.get_entries(character, sorted(known)).values())
    if any(map(reflection_rules.is_evidence, there)):
        return reflection_rules.select_window(there, known)
    return reflection_rules.select_window(journal.entries(character), known)


@inlineCallbacks
def _reflect_on_all(script_id: int, planned: list[tuple[Audience, list[int]]]):
    """Return what was made of each group, as far as minds answered, and why not of all."""
    done, error = [], None
    for audience, entry_ids in planned:
        try:
            made = yield _reflect_on(script_id, audience, entry_ids)
        except BudgetExceeded as stop:
            return done, str(stop)
        except LLMUnavailable as failure:
            error = str(failure) or type(failure).__name__
            continue
        done.append({"audience": audience, "entry_ids": entry_ids, **made})
        yield scheduling.yield_to_reactor()
    return done, error


@inlineCallbacks
def _reflect_on(script_id: int, audience: Audience, entry_ids: list[int]):
    """Return {"questions", "insights", "again", "outdated"} of one group of entries."""
    script = _living(script_id)
    names = _own_names(script)
    entries = list(journal.get_entries(script.obj, sorted(entry_ids)).values())
    happened = "\n".join(f"{entry.source_entity} {entry.content}" for entry in entries)
    if audience != audiences.PUBLIC and len(entries) <= FEW:
        questions = _plain_questions(script, entries, QUESTIONS)
    else:
        questions = yield generate_reflection_questions(script, entries, QUESTIONS)
    yield scheduling.yield_to_reactor()
    evidence = yield evidences.gather(
        _living(script_id), questions, entry_ids, EVIDENCE, audience=audience
    )
    # What everybody knows anyway is concluded with the public group.
    shown = [one["id"] for pieces in evidence.values() for one in pieces]
    if audience != audiences.PUBLIC and len(set(map(str, shown))) < SEVERAL:
        return {"questions": questions, "insights": [], "again": [], "outdated": []}
    npc = _living(script_id).obj
    own = None if audience == audiences.PUBLIC else evidences.ids_for(npc, audience, shown)
    outdated: list[repeated_insights.Told] = []
    aged = yield repeated_insights.aged_before(npc, happened, audience)
    npc = _living(script_id).obj
    found = yield generate_insights(
        _living(script_id),
        questions,
        evidence,
        INSIGHTS,
        audience=audience,
        own_ids=own,
        before=[*aged, *repeated_insights.told_before(npc, audience)],
        outdated=outdated,
    )
    npc = _living(script_id).obj
    ears = _ears(npc, {"audience": audience, "entry_ids": entry_ids})
    yield repeated_insights.let_go_aged(npc, outdated, audience=ears)
    yield scheduling.yield_to_reactor()
    found = filter_self_referential_insights(found, names=names)
    told = repeated_insights.told_before(_living(script_id).obj, audience)
    new, again = repeated_insights.parted(found, told)
    return {"questions": questions, "insights": new, "again": again, "outdated": outdated}


def _plain_questions(script: Any, entries: Sequence[Entry], count: int) -> list[str]:
    """Return what a few private notes ask: rules can say it, and the mind is asked only what follows."""
    items = [evidences.item(number, entry) for number, entry in enumerate(entries, 1)]
    context = {"items": items, "count": count, "own_names": _own_names(script)}
    return offline_reflection.ask(context)["questions"]


def _without_forgotten(character: Any, made: dict[str, Any]) -> dict[str, Any]:
    """Return what was made of a group without the insights whose evidence was forgotten meanwhile."""
    kept, again = repeated_insights.without_forgotten(character, made)
    return {
        **made,
        "insights": kept,
        "again": again,
        "questions": made["questions"] if kept else [],
    }


def _store(script: Any, done: list[dict[str, Any]], *, gone: set[int], failed: bool) -> list[int]:
    """Store the insights and begin anew, both or neither; return the ids of the new entries.

    What is not in `gone` waits for the next time: what this one did not get to, and what came while
    the mind was thinking.
    """
    character = script.obj
    with repository.together(character, script):
        stored = [
            store_reflection_as_journal(
                character, made["questions"], made["insights"], audience=_ears(character, made)
            ).id
            for made in done
            if made["insights"]
        ]
        _strengthen(character, done)
        waiting = set(states.reflection_state(script).entries_since_reflection) - gone
        later = list(journal.get_entries(character, sorted(waiting)).values())
        states.reset_reflection_state(script, later=later)
        if failed:
            states.put_off_reflection(script)
    return stored


def _strengthen(character: Any, done: Iterable[dict[str, Any]]) -> None:
    """Let what was concluded before, and now again, stand on what it was concluded from now.

    What no longer holds goes.
    """
    for made in done:
        ears = _ears(character, made)
        repeated_insights.let_go(character, made["outdated"], audience=ears)
        repeated_insights.strengthen(character, made["again"], audience=ears)


def _ears(character: Any, made: dict[str, Any]) -> Audience:
    """Return who may know what was asked of a group, as its entries stand now."""
    entries = journal.get_entries(character, made["entry_ids"]).values()
    return audiences.intersection([made["audience"], *(entry.audience for entry in entries)])


def _result(
    done: Iterable[dict[str, Any]] = (),
    *,
    reflected: int = 0,
    stored: Sequence[int] = (),
    error: str | None = None,
) -> dict[str, Any]:
    made = list(done)
    return {
        "success": bool(stored),
        "questions": [question for one in made for question in one["questions"]],
        "insights": [insight for one in made for insight in one["insights"]] if stored else [],
        "entries_reflected": reflected,
        "stored_entries": list(stored),
        "error": error,
    }


def _living(script_id: int) -> Any:
    """Return a mind that has a body; who lost it has nothing to reflect with."""
    script = lookup.script_by_id(script_id)
    if script is None or script.obj is None:
        raise BudgetExceeded("the mind that reflected is gone")
    return script


def _own_names(script: Any) -> list[str]:
    """Return what the assistant is called: the whole name, and the first word of it."""
    name = speech.name_of(script.obj, script.obj)
    return list(dict.fromkeys([name, *name.split()[:1]]))
