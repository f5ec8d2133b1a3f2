"""Questions about the NPC's family: told by what is written of its own, and by nobody else's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evennia_ai.core import languages, synonyms
from evennia_ai.domain.memories import retrieval
from evennia_ai.domain.offline import knowledge, matching, referents, self_knowledge, telling
from evennia_ai.domain.offline.matching import Fact
from evennia_ai.domain.offline.questions import Question
from evennia_ai.domain.offline.voice import Scene

# Facts that one answer tells, and words that may stand between "my" and "sister".
TOLD, BETWEEN = 2, 2

_KINDS = {
    kind: languages.Pattern(f"family.{kind}", of_words=True)
    for kind in "spouse children mother father siblings others".split()
}
# A family, whoever it is of; how somebody is whom they married.
_WHOLE = languages.Pattern("family.whole", of_words=True)
_WED = languages.Pattern("family.wed", of_words=True)
# What asks for somebody of one's own, and says that one has somebody.
_ASKS = languages.Pattern("family.asks")
_OWN = languages.Pattern("family.own")
_AM = languages.Pattern("family.am")
# What is asked of them beside whether there is somebody: if they live, and who they are.
_LIVING = languages.Pattern("family.living", of_words=True)
_KIN = languages.Pattern("persons.kin", of_words=True)
_SEEN = languages.Pattern("knowledge.any_sign")


def answer(scene: Scene, question: Question) -> str:
    """Return what the NPC says of its family; "" if it is not asked just that."""
    kinds = _asked(question)
    if not kinds:
        return ""
    known = [
        *(knowledge.owned(one) for one in knowledge.lore(scene)),
        *self_knowledge.of_itself(scene),
    ]
    own = [one for kind in kinds for one in known if _is_own(scene, one, kind)]
    own = list(dict.fromkeys(own))
    fresh = [one for one in own if not scene.has_said(telling.worded(scene, one).rstrip("."))]
    many = TOLD if len(kinds) > 1 else 1
    return telling.tell(scene, (fresh or own)[:many]) or scene.line(
        "unknown_family", own="unknown_lines"
    )


def unknown_kin(scene: Scene, text: str, facts: Sequence[Fact]) -> referents.Person | None:
    """Return of whose kin a question asks of whom nothing is told: "Where does your daughter work?"."""
    for one in referents.mentions(scene, text, mine=referents.SPEAKER, yours=referents.NPC):
        is_kin = (
            _KIN.fullmatch(one.noun.casefold())
            and one.whose in (referents.NPC, referents.SPEAKER)
            and not one.names
        )
        by = [fact for fact in facts if bool(fact.by) == (one.whose == referents.SPEAKER)]
        told = (retrieval.terms(fact.text, language=scene.language) for fact in by)
        known = (synonyms.answers(one.roles[0], said, scene.language) for said in told)
        if is_kin and not any(known):
            return one
    return None


def _asked(question: Question) -> Sequence[str]:
    """Return of what kinds of kin the NPC is asked whether it has any; none if it is asked something else."""
    if question.whose != "npc" or _SEEN.match(question.text):
        return ()
    if _after(_AM, _WED, question.text, between=0):
        return ("spouse",)
    if question.want not in ("", "person", "count", "age", "name"):
        return ()
    kinds = [kind for kind, called in _KINDS.items() if _after(_ASKS, called, question.text)]
    if _after(_ASKS, _WHOLE, question.text):
        kinds = [*_KINDS]
    said = (_LIVING, _WHOLE, *_KINDS.values())
    words = re.findall(r"[^\W\d_]+", question.text)
    others = (one for one in words if not any(pattern.fullmatch(one) for pattern in said))
    rest = retrieval.terms(" ".join(others), language=question.language)
    is_bare = not any(one in question.terms and not matching.is_light(one) for one in rest)
    return kinds if is_bare else ()


def _is_own(scene: Scene, fact: Fact, kind: str) -> bool:
    """Return whether a fact tells of the NPC's kin of a kind."""
    text = telling.worded(scene, fact)
    return (
        _after(_OWN, _KINDS[kind], text) or kind == "spouse" and _after(_AM, _WED, text, between=0)
    )


def _after(
    before: languages.Pattern, called: languages.Pattern, text: str, *, between: int = BETWEEN
) -> bool:
    """Return whether a word stands in a text behind another, with few between."""
    few = rf"(?: [\w'’-]+){{0,{between}}}? "
    return bool(re.search(f"{before.source()}{few}{called.source()}", text, re.I))
