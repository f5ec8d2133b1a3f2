"""From a line that reaches an NPC to an event that it answers, remembers or lets go.

`hear` decides in microseconds whether a line matters; what is kept of it happens in slices.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from functools import partial
from typing import Any

from msgspec import structs

from evennia_ai import conf, markup, movement, scheduling
from evennia_ai.agent import following, ingest, own_model, speech, trace
from evennia_ai.agent.hearing import addressing, presence
from evennia_ai.agent.hearing.addressing import Addressee, Scene
from evennia_ai.agent.hearing.presence import Change
from evennia_ai.core import languages, records, talk
from evennia_ai.domain import classification
from evennia_ai.domain.classification import NAMED, OTHER, ROOM_TALK, Situation
from evennia_ai.domain.memories import conversation, gossip
from evennia_ai.domain.memories.gossip import Hearsay
from evennia_ai.domain.memories.profile import HEARSAY_TRUST
from evennia_ai.domain.model_text import reply
from evennia_ai.memory import errands, identity, lookup, repository, routine, working_memory
from evennia_ai.memory.people import accounts, entity_profiles
from evennia_ai.memory.state import active_assistants, assistant, npc_settings, sleep_state
from evennia_ai.memory.storage import readahead

# Message types that become events, beside SPEECH_TYPES; everything else passes by an NPC.
PERCEIVE_TYPES = ("say", "whisper", "pose", "move", "traverse", "teleport")
# Types of message that only tell that somebody walks; the room itself tells who.
MOVEMENT = ("move", "traverse", "teleport")

# Classifications of a game's own event, as the sources call them, that wake a light sleeper.
PRESSING = ("urgent", "direct_message")


@dataclass
class Percept:
    """One line on its way to becoming an event."""

    npc: Any
    kind: str
    # What the game calls its kind.
    type: str
    text: str
    from_obj: Any
    scene: Scene
    words: str | None
    said: speech.Utterance


def hear(npc: Any, text: Any, from_obj: Any = None) -> None:
    """Take in one message of the game; from `at_msg_receive`, which must not be held up."""
    if isinstance(from_obj, (list, tuple)):
        from_obj = from_obj[0] if from_obj else None
    own = speech.current(npc) if from_obj == npc else None
    if own:
        # Also of one whose mind is off, and who is given its words.
        own.heard = True
    if active_assistants.script_id_of(npc.id) is None or text is None or from_obj == npc:
        return
    # Evennia sends words, (words, options) or (words, arguments, options).
    message, options = (text[0], text[-1]) if text and isinstance(text, tuple) else (text, {})
    kind = options.get("type") if isinstance(options, dict) else None
    if not _is_perceived(kind) or not hasattr(from_obj, "location"):
        return
    if kind in MOVEMENT:
        scheduling.call_soon(notice_presence, npc)
    else:
        said, scene = speech.uttered_by(from_obj), addressing.scene_of(npc, from_obj)
        presence.note_spoken(scene.location_id)
        if npc.id in said.known_to:
            return
        # Where the game shows a bystander less than the words, it must not get them here either.
        is_shown = said.words and speech.escaped(said.words) in str(message)
        words = said.words if is_shown else None
        heard_as = "say" if kind in conf.get("SPEECH_TYPES") else kind
        line = speech.bounded(str(message))
        scheduling.call_soon(
            _take_in, Percept(npc, heard_as, kind, line, from_obj, scene, words, said)
        )


def receive(npc: Any, obj: Any, giver: Any, *, move_type: str) -> None:
    """Take in that something was given to an NPC."""
    if move_type != "give" or giver is None:
        return
    # Also while the mind is off, or the thing would belong to nobody.
    is_awaited = errands.take_charge(npc, obj, giver)
    if active_assistants.script_id_of(npc.id) is not None:
        # Evennia's "an apple" is English; another language calls it as the game does.
        is_english = languages.written() == languages.DEFAULT
        called = obj.get_numbered_name(1, npc, return_string=True) if is_english else obj.key
        text = languages.text("reports", "gives").replace("{thing}", markup.plain(called))
        # Thanks between assistants would have no end.
        answered = npc_settings.talkative(npc) != "never" and not presence.is_mind(giver)
        # What it waits for to carry it is no gift.
        answered = answered and not is_awaited
        fields = {"addressed": answered, "payer": accounts.payer_of(giver)}
        scheduling.call_soon(partial(perceive, **fields), npc, "give", text, giver)


def told(npc: Any, text: str, from_obj: Any) -> None:
    """Take in a `tell`: words for this NPC alone, wherever it is."""
    scene, words = addressing.scene_of(npc, from_obj), markup.plain(speech.bounded(text))
    said = speech.uttered_by(from_obj)
    scheduling.call_soon(_take_in, Percept(npc, "tell", "tell", text, from_obj, scene, words, said))


def perceive(
    npc: Any,
    kind: str,
    text: str,
    actor: Any = None,
    /,
    *,
    hearsay: Hearsay | None = None,
    **fields: Any,
) -> None:
    """Take in an event of the game's own (a quest done, an attack) or one without a line.

    Of `hearsay` the bare words are kept. `fields` are those of `records.Event`; the assistant answers unless `addressed` is False. How much
    it presses may also be said by `classification`, or by `metadata` with "classification", "priority"
    and "urgent", of which nothing else is kept.
    """
    script = active_assistants.script_of(npc)
    if script is None:
        return
    addressed = fields.setdefault("addressed", True)
    fields = _marked(fields)
    fields.setdefault("priority", classification.PRIORITIES["direct_addressing"])
    event = _event(
        npc, kind, _cut(markup.plain(speech.bounded(text))), actor, hearsay=hearsay, **fields
    )
    readahead.read_ahead(npc, script, event.said_by)
    with repository.together(npc, script):
        if not event.is_nobodys:
            ingest.keep(npc, script, event, hearsay=hearsay)
        wanted = addressed and _keep_pending(script, event)
    if kind not in ("arrive", "leave"):
        script.at_happening(kind, event.actor_id, event.audience)
    if wanted:
        script.at_event(event)
    elif not addressed:
        trace.note_ignored(npc.id, event, event.rule)


def _marked(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an event, with what its metadata say of how much it presses."""
    given = dict(fields)
    metadata = {**(given.pop("metadata", None) or {})}
    kind = given.pop("classification", None) or metadata.get("classification")
    if kind in PRESSING or metadata.get("urgent"):
        given.setdefault("urgent", True)
    if "priority" in metadata:
        given.setdefault("priority", metadata["priority"])
    return given


def notice_presence(npc: Any) -> None:
    """Look who came and left; a chatty assistant greets, each remembers it of whom it talked with.

    Of strangers it would only push what was said out of memory. Of a crowd it notices in one slice so many
    as fit, the others in the next.
    """
    if active_assistants.script_of(npc) is None or not npc.pk:
        return
    began = time.perf_counter()
    changes = presence.look_around(npc)
    if changes:
        readahead.read_conversations(npc, [change.identity for change in changes])
        _notice_some(npc.id, npc.location.id, changes, presence.audience_here(npc), began)


def _notice_some(
    npc_id: int,
    room_id: int,
    changes: list[Change],
    known: records.Audience,
    began: float | None = None,
) -> None:
    """Notice who came and left until SLICE_MS have passed since it `began`, then go on in another slice.

    What has not been noticed when the NPC is in another room it is too late for.
    """
    until = (began or time.perf_counter()) + scheduling.SLICE_MS / 1000
    for number, change in enumerate(changes):
        npc = lookup.object_by_id(npc_id)
        if npc is None or npc.location is None or npc.location.id != room_id:
            return
        script = active_assistants.script_of(npc)
        if script is None:
            return
        if number and time.perf_counter() >= until:
            scheduling.call_soon(_notice_some, npc_id, room_id, changes[number:], known)
            return
        _notice(script, npc, change, known)


def _notice(script: Any, npc: Any, change: Change, known: records.Audience) -> None:
    script.at_happening(change.kind, change.obj_id, known)
    verb = "arrives" if change.kind == "arrive" else "leaves"
    talked = working_memory.get_conversation_context(npc, change.identity)
    greets = change.kind == "arrive" and _greets(script, npc, change.obj_id, talked)
    fields = {"said_by": change.identity, "actor_id": change.obj_id, "actor_name": change.name}
    fields.update(addressed=greets, priority=classification.PRIORITIES["everybody"])
    if greets:
        # Nobody pays who only came in.
        fields["payer"] = 0
    if greets or talked:
        perceive(npc, change.kind, verb, None, **fields)
    leads = change.kind == "leave" and change.obj_id == assistant.following(script)
    if leads and not sleep_state.is_asleep(script):
        movement.note_led(script, npc)
        following.go_after(npc, change.obj_id)


def _greets(script: Any, npc: Any, who: int, talked: Any) -> bool:
    """Return whether a chatty assistant greets a player who came in; who did not answer has no other greeting."""
    if npc_settings.talkative(npc) != "chatty" or active_assistants.script_id_of(who) is not None:
        return False
    # Who sleeps or cannot act leaves it to another.
    if sleep_state.is_asleep(script) or presence.is_puppeted(npc) or not routine.can_act(npc):
        return False
    player = lookup.object_by_id(who)
    is_ignored = bool(talked) and conversation.was_ignored(talked.messages)
    return player is not None and not is_ignored and presence.greets_newcomer(npc, player)


def _is_perceived(kind: Any) -> bool:
    # What is no text is a slip of the game, which must not keep its line from anybody.
    known = (*PERCEIVE_TYPES, *conf.get("SPEECH_TYPES"))
    return isinstance(kind, str) and kind in known


def _words_of(percept: Percept) -> str:
    """Return the words in a line; a game's own type of lines has a hook of its own that finds them."""
    if percept.words is not None:
        return _cut(percept.words)
    own = conf.get("SPEECH_TYPES").get(percept.type)
    hook = conf.load(own) if own else conf.hook("PARSE_SPEECH")
    return _cut(hook(percept.npc, percept.text, percept.type, percept.from_obj))


def _take_in(percept: Percept) -> None:
    npc = percept.npc
    script = npc.pk and active_assistants.script_of(npc)
    if not script or not percept.from_obj.pk or not (words := _words_of(percept)):
        return
    if presence.is_unnoticed(npc, percept.from_obj):
        # Who logged in came without a line: that they came stands before what they say.
        readahead.read_ahead(npc, script, identity.perceived(npc, percept.from_obj))
        notice_presence(npc)
    with repository.together(npc, script):
        event = _understood(script, percept, words)
    if event is not None:
        script.at_event(event)


def _understood(script: Any, percept: Percept, words: str) -> records.Event | None:
    """Make an event of what was said, and remember it; return it if it is to be answered."""
    npc, from_obj = percept.npc, percept.from_obj
    situation = _situation(script, percept, words)
    verdict, rule = classification.classify(situation)
    if verdict == classification.IGNORE:
        return None
    readahead.read_ahead(npc, script, identity.perceived(npc, from_obj))
    is_told = percept.said.to == npc.id and percept.kind in records.SPOKEN
    event = _event(
        npc,
        percept.kind,
        words,
        from_obj,
        addressed=verdict in classification.ANSWERED,
        priority=classification.PRIORITIES[verdict] + _attention(npc, from_obj, verdict),
        hops=percept.said.hops,
        payer=percept.said.payer,
        rule=rule,
        audience=presence.audience_of(npc, percept.kind, from_obj, percept.scene.listening, words),
        hearsay=percept.said.hearsay,
        sources=list(percept.said.sources),
        **({"source_type": "direct"} if is_told else {}),
    )
    # Of words that the game changed on their way, only what is left of them was heard.
    noted = event
    if _is_speech(percept, event):
        source = "direct" if event.addressed else talk.OVERHEARD
        trust = records.SOURCE_TRUST[source]
        noted = structs.replace(event, kind="say", source_type=source, source_trust=trust)
    ingest.keep(npc, script, noted, hearsay=percept.said.hearsay if percept.words else None)
    if not event.addressed:
        trace.note_ignored(npc.id, event, rule)
        return None
    if percept.kind in records.PRIVATE:
        addressing.answered(npc, from_obj.id, aloud=False)
    return event if _keep_pending(script, event) else None


def _is_speech(percept: Percept, event: records.Event) -> bool:
    """Return whether the words are what somebody said in a pose: the line has their name, and the words do not."""
    name, line = event.actor_name.casefold(), markup.plain(percept.text).casefold()
    # What a mind does comes as its words, without its name.
    is_posed = percept.kind == "pose" and percept.words is None and bool(name)
    return is_posed and name in line and name not in event.text.casefold()


def _attention(npc: Any, speaker: Any, verdict: str) -> int:
    """Return how much sooner somebody is answered than others: an ally comes first."""
    if verdict not in classification.ANSWERED:
        return 0
    return int(entity_profiles.comes_first(npc, identity.perceived(npc, speaker)))


def _situation(script: Any, percept: Percept, words: str) -> Situation:
    npc, speaker, kind = percept.npc, percept.from_obj, percept.kind
    from_assistant = presence.is_mind(speaker)
    far = kind == "say" and speaker.location != npc.location
    found = Addressee() if far else addressing.addressee(percept.scene, kind, words, speaker)
    to_other = OTHER if found.how in (NAMED, OTHER) else ROOM_TALK
    to_it = found.npc_id == npc.id or kind in records.PRIVATE
    return Situation(
        kind=kind,
        addressed=found.how if found.npc_id == npc.id else to_other,
        enabled=assistant.is_enabled(script),
        own=speaker is npc,
        far=far,
        from_assistant=from_assistant,
        by_rules=from_assistant and to_it and not own_model.converses(npc),
        exchange_allowed=not (from_assistant and to_it)
        or addressing.may_exchange(
            npc, speaker, hops=percept.said.hops, watched=presence.is_watched(npc.location)
        ),
        talkative=npc_settings.talkative(npc),
    )


def _event(
    npc: Any, kind: str, text: str, actor: Any, /, *, hearsay: Hearsay | None = None, **fields: Any
) -> records.Event:
    if actor is not None:
        fields.setdefault("said_by", identity.perceived(npc, actor))
        fields.setdefault("actor_id", actor.id)
        fields.setdefault("actor_name", speech.name_of(actor, npc))
    cause = actor or lookup.object_by_id(fields.get("actor_id"))
    fields.setdefault("payer", accounts.payer_of(cause))
    # What was whispered to it, it was told, whether or not it answers.
    direct = kind in records.PRIVATE or (kind in records.SPOKEN and fields.get("addressed"))
    source = "direct" if direct else "environmental" if kind in records.SPOKEN else "observation"
    fields.setdefault("source_type", source)
    trust = records.SOURCE_TRUST[fields["source_type"]]
    trust = min(HEARSAY_TRUST, trust) if kind == talk.POSE else trust
    fields.setdefault("source_trust", gossip.believed(trust, hearsay))
    if "audience" not in fields:
        fields["audience"] = presence.audience_of(npc, kind, actor, presence.listeners(npc))
    fields.setdefault("location_id", npc.location.id if npc.location else 0)
    return records.new_event(kind, text, event_id=uuid.uuid4().hex, now=scheduling.now(), **fields)


def _keep_pending(script: Any, event: records.Event) -> bool:
    """Keep an event until it is answered; False if nobody is to answer it."""
    if active_assistants.is_halted() or presence.is_puppeted(script.obj):
        # Whoever plays it answers for it; when they leave, the moment has passed.
        reason = (
            "every mind was halted" if active_assistants.is_halted() else "somebody was playing it"
        )
        trace.note_ignored(script.obj.id, event, reason)
        return False
    assistant.add_pending(script, event)
    return True


def _cut(text: str) -> str:
    return reply.printable(text, max_length=speech.LONGEST_LINE)
