"""Who lives in the game of the first version by day, and what they have been through."""

from datetime import timedelta

from evennia.comms.models import ChannelDB
from evennia.objects.models import ObjectDB
from evennia.utils.search import search_object

from evennia_ai import pace
from evennia_ai.domain import records
from evennia_ai.storage import (
    assistant,
    attributes,
    compacting,
    entity_profiles,
    goals,
    identity,
    journal,
    journal_pages,
    links,
    mind_folders,
    persona,
    reflection,
    seeding,
    working_memory,
)
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from tests.data.first_version import older, talk
from tests.migrating.inventories import done

PAGE = journal_pages.PAGE_SIZE


def move_in(people):
    """Give everybody who is awake their pasts; `people` are the players, by name."""
    odila = minds.make_assistant("Odila", location=people["room"])
    _odila(odila, scripts.find(odila), people)
    minds.make_assistant("Dot", location=people["room"])
    older.egon(people)
    _flora_and_her_copy(people)
    _gerd(people)
    _hanna(people)
    _ivo(people)
    older.jost(people)
    older.kuno(people)
    older.lena(people)


def _odila(npc, script, people):
    """She has one of everything; her journal is full and on four pages."""
    npc.db.desc = "A woman who writes everything down."
    journal.set_max_entries(npc, 3 * PAGE + 8)
    _long_journal(npc, script, people)
    _acquaintances(npc, people)
    _conversations(npc, people)
    _plans(npc, script, people)
    _links(npc, script)
    _ways(npc, script, people)
    _own_experience(npc, script, people)


def _long_journal(npc, script, people):
    ann, bob, own = people["ann"], people["bob"], identity.identity_of(npc)
    for number in range(210):
        who, name = ((ann, "Ann"), (bob, "Bob"))[number % 2]
        entry = journal.add_entry(
            npc,
            talk.told(number),
            tags=["say"] if number % 3 else ["pose", "echo"],
            source_type=("direct", "observation", "inference", "environmental")[number % 4],
            source_entity=name,
            source_id=who,
            related_projects=["Granary"] if number % 20 == 0 else (),
            importance=9 if number % 25 == 0 else None,
            audience=sorted([own, who]) if number % 5 == 0 else "public",
            event_id=f"event-{number}",
            chain=_chain(people) if number % 11 == 0 else (),
            now=talk.ago(hours=300 - number),
        )
        reflection.note_entry(script, entry)
    ids = [entry["id"] for entry in journal.entries(npc)]
    for entry_id in ids[10:60]:
        journal.rescore(npc, entry_id, 2 + entry_id % 8, scored_by="a model")
    for entry_id in ids[10:50]:
        journal.edit_entry(npc, entry_id, consolidated=True)
    journal.edit_entry(npc, ids[0], pinned=True)
    journal.edit_entry(npc, ids[7], pinned=True, importance=10)
    told = {"with": bob, "name": "Bob", "timestamp": records.format_time(talk.ago(days=1))}
    for entry_id in ids[90:93]:
        journal.edit_entry(npc, entry_id, shared=[told])
    journal.add_entry(
        npc,
        "[SYNTHESIS] Reflection on: who keeps the mill?\n- Everybody at the mill owes Old Tam.",
        tags=["synthesis", "reflection"],
        source_type="inference",
        importance=8,
        evidence=[ids[20], ids[21], ids[95]],
    )
    journal.remove_entries(npc, [ids[100], ids[101]])
    reflection.reset_reflection_state(script, later=journal.entries(npc)[-4:])
    reflection.put_off_reflection(script)


def _chain(people):
    return [
        {"identity": people["bob"], "name": "Bob"},
        {"identity": people["carla"].id and identity.identity_of(people["carla"]), "name": "Carla"},
    ]


def _acquaintances(npc, people):
    ann, bob, own = people["ann"], people["bob"], identity.identity_of(npc)
    for number in range(9):
        entity_profiles.add_entity_observation(
            npc,
            people["ann_body"],
            f"Ann has a sister in village number {number}.",
            ("direct", "told", "inferred", "observation")[number % 4],
            audience="public" if number % 2 else sorted([ann, own]),
            told_by=bob if number % 3 == 0 else ann,
            event_id=f"seen-{number}",
            now=talk.ago(days=number),
        )
    for value, replaces in (("a weaver", []), ("a dyer", [1])):
        found = {"type": "work", "value": value, "evidence": [2], "replaces": replaces}
        entity_profiles.apply_attributes(npc, ann, [found], audience="public", consumed=[2])
    for day, reason in ((3, "a gift"), (2, "a joke"), (1, None), (0, "an insult")):
        delta = -0.05 if reason == "an insult" else 0.1
        entity_profiles.update_relationship(npc, ann, delta, reason, now=talk.ago(days=day))
    entity_profiles.create_entity_profile(npc, people["bob_body"])
    entity_profiles.set_disposition(npc, people["bob_body"], -0.8)
    entity_profiles.create_entity_profile(npc, search_object("Mara", exact=True)[0])
    entity_profiles.create_entity_profile(npc, search_object("mirror", exact=True)[0])
    # Where masks are worn, people are known by what they are taken for.
    mask = entity_profiles.create_entity_profile(npc, "mask:a Hooded man", name="a hooded man")
    assert mask["entity_id"] == "mask:a hooded man"
    for number in range(40):
        stranger = talk.identity(f"stranger {number}")
        entity_profiles.create_entity_profile(
            npc, stranger, name=f"Pilgrim {number}", entity_type="player", now=talk.ago(days=30)
        )
    # Enough to think about, of Ann alone.
    entity_profiles.note_interaction(npc, ann, name="Ann", now=talk.ago(minutes=5))
    from evennia_ai.storage import entity_backlog

    entity_backlog.note_noticed(npc, 150)


def _conversations(npc, people):
    ann, bob, own = people["ann"], people["bob"], identity.identity_of(npc)
    talk.exchange(npc, ann, "Ann", 24, since=talk.ago(hours=3))
    kept = working_memory.lines_with(npc, ann)
    messages = working_memory.get_conversation_context(npc, ann)["messages"]
    from evennia_ai.domain import compaction

    public = [one for one in messages[:10] if one["audience"] == "public"]
    summary = compaction.summary_of(public, "Ann told of the mill.", audience="public", name="Ann")
    assert working_memory.replace_lines(npc, ann, public, summary) and kept
    left = working_memory.get_conversation_context(npc, ann)["messages"]
    assert working_memory.mark_extracted(npc, ann, [one for one in left if one["event_id"]][:3])
    working_memory.start_conversation(
        npc, ann, "the mill", audience="public", now=talk.ago(minutes=4)
    )
    working_memory.add_pending_action(npc, ann, "Find her shawl.", 7, audience=sorted([ann, own]))
    working_memory.add_pending_action(npc, ann, "Save her a seat.", 3, audience="public")
    working_memory.start_conversation(npc, bob, "a debt", now=talk.ago(days=2))
    working_memory.add_conversation_message(
        npc, bob, "You owe me.", "assistant", now=talk.ago(days=2)
    )


def _plans(npc, script, people):
    project = goals.create_project(script, "Granary", description="Fill it before the frost.")
    goals.create_project(script, "Choir", audience=sorted([people["ann"]]))
    goals.swap_project(script, project["id"])
    first = goals.add_goal(script, "Buy grain", project_id=project["id"])
    inner = goals.add_goal(script, "Find a cart", parent_id=first["id"], audience=[people["ann"]])
    goals.update_goal(script, inner["id"], progress=40, milestone="Tam knows of one.")
    over = goals.add_goal(script, "Mend the roof")
    goals.update_goal(script, over["id"], progress=100, status="done")
    for number in range(2):
        event = records.new_event(
            ("say", "whisper")[number],
            f"Odila, are you there? {number}",
            event_id=f"waits-{number}",
            now=talk.ago(seconds=30),
            actor=people["ann"],
            actor_id=people["ann_body"].id,
            actor_name="Ann",
            addressed=True,
            audience=sorted([people["ann"], identity.identity_of(npc)]),
            rule="name",
        )
        assistant.add_pending(script, event, limit=50)
    for day in (1, 400):
        reminder = {
            "due": records.format_time(pace.now() + timedelta(days=day)),
            "text": "Wake Ann.",
            "actor": people["ann"],
            "actor_id": people["ann_body"].id,
            "actor_name": "Ann",
            "audience": "public",
        }
        assert assistant.add_reminder(script, reminder)


def _links(npc, script):
    """She knows some things for good, and which of them are alike."""
    from evennia_ai.semantic import keeping
    from evennia_ai.semantic.base import get_memory

    kept = [entry for entry in journal.entries(npc) if entry["consolidated"]]
    key = identity.identity_of(npc)
    ids = [done(keeping.add_entry(get_memory(), one, assistant_key=key)) for one in kept]
    found = {
        one: [{"id": other, "score": 0.75}]
        for one, other in zip(ids, ids[1:] + ids[:1], strict=True)
    }
    links.save_links(script, dict(list(found.items())[:-3]))
    links.note_progress(script, offset=12, rests=False, page="7f")


def _ways(npc, script, people):
    """How she behaves: what a builder or the game set on her."""
    npc.db.gossip = "all"
    npc.db.talkative = "chatty"
    npc.db.allowed_commands = ["open", "close"]
    npc.db.goals = ["of the game, on her body"]
    npc.nicks.add("hi", "say Hello!")
    npc.attributes.add("mood", {"now": "calm"}, category="journal_of_quests")
    script.db.mood = "of the game, on her mind"
    script.db.sleep_schedule = {"enabled": True, "sleep_start_hour": 3, "sleep_duration_hours": 2}
    script.db.compact_preserve_window = 12
    script.db.compact_prompt = "Be brief."
    compacting.note(script, now=talk.ago(hours=9))
    assistant.follow(script, people["bob_body"].id)
    for _ in range(3):
        assistant.count(script, "turns")
    assistant.count(script, "failures")
    assistant.note_guest(script, talk.identity("a guest"), 999)
    scripts.follow_channel(npc, ChannelDB.objects.get(db_key="Public"), manner="named")
    persona.save_persona(
        npc,
        {"description": "A chronicler.", "greeting_lines": ["Sit.", "Speak."], "language": "en"},
    )
    persona.save_lore(npc, ["The ferry crosses at dawn.", {"text": "I owe Tam.", "audience": []}])
    text = "name: Odila\npersona:\n  manner: Slow.\nlore:\n  - It rains a lot.\n"
    mind_folders.write("odila.yaml", text.encode(), folder=mind_folders.SEEDS)
    seeding.apply(*seeding.read("odila", [npc]))


def _own_experience(npc, script, people):
    from evennia_ai.experience import rewarding
    from evennia_ai.experience.decision_records import OutcomeFeedback
    from evennia_ai.experience.scope import experience_of

    own = experience_of(script, npc)
    for number, action in enumerate(("say", "whisper", "bargain")):
        stored = own.store_decision(
            f"A question about number {number}",
            action,
            "information",
            None,
            {"favorability": 0.2},
            "Said so.",
            episode_id=f"turn-{number}",
            source_id=people["ann"],
            audience="public" if number else [people["ann"]],
        )
        record = {"id": done(stored), "turn": f"turn-{number}", "actor": people["ann"]}
        record.update(
            at=records.format_time(talk.ago(minutes=number)), action=action, title="A question"
        )
        record.update(favorability=0.2, goal_progress=0.0, given=0.1, rating=None, reward=0.0)
        rewarding.wait_for(script, npc, {**record, "settled": number == 0})
    done(own.set_reward(record["id"], 0.4))
    done(own.store_trajectory("granary", "bargain", 0.3, {"milestones_hit": ["cart"], "steps": 4}))
    done(own.store_feedback(OutcomeFeedback("turn-1", overall_effectiveness=8)))


def _flora_and_her_copy(people):
    """Her copy has a mind that was never switched on, and has forgotten what it came with."""
    flora = minds.make_assistant("Flora", location=people["room"], lore=["Thyme cures colds."])
    talk.exchange(flora, people["ann"], "Ann", 6, since=talk.ago(hours=5))
    journal.add_entry(flora, "Ann bought thyme.", event_id="thyme")
    entity_profiles.create_entity_profile(flora, people["ann_body"])
    flora.copy(new_key="Flora's copy")
    minds.make_assistant("Flora's double", location=people["room"])


def come_last():
    """Let two be who others are: whoever meets them lets them forget what is not theirs."""
    ivo, flora, double = (
        ObjectDB.objects.get(db_key=name) for name in ("Ivo", "Flora", "Flora's double")
    )
    ivo.copy(new_key="Ivo's copy")
    # What lies on Flora is laid over a body with a mind of its own, as prototypes do.
    rows = flora.attributes.all()
    double.attributes.batch_add(*((a.key, a.value, a.category, a.lock_storage) for a in rows))


def _gerd(people):
    """A mind was being put into him when the server was killed."""
    from evennia_ai.agent import mind_transfer

    gerd = minds.make_assistant("Gerd", location=people["room"])
    scripts.find(gerd).disable()
    attributes.save(gerd, mind_transfer.UNFINISHED, True)
    lived = {"timestamp": "2024-01-01T00:00:00.000Z", "content": "Half a life."}
    entries = [{**journal_pages.complete_entry(lived), "id": number} for number in (1, 70)]
    # The head, with what is on which page, would have come in the end.
    _, pages = journal_pages.laid_out({"entries": entries})
    for key, page in pages.items():
        attributes.save(gerd, key, page, category=journal_pages.CATEGORY)
    entity_profiles.create_entity_profile(gerd, talk.identity("half"), name="Half")


def _hanna(people):
    """She is switched off, and was so while somebody spoke to her."""
    hanna = minds.make_assistant("Hanna", location=people["room"])
    script = scripts.find(hanna)
    hanna.db.experience_scope = "cooks"
    hanna.db.allowed_commands = "look"
    hanna.db.talkative = "never"
    from evennia_ai.experience.scope import experience_of

    own = experience_of(script, hanna)
    done(own.store_decision("A fire in the kitchen", "shout", "quest", 0.7, {}, "Loud."))
    talk.exchange(hanna, people["bob"], "Bob", 8, since=talk.ago(days=3))
    goals.add_goal(script, "Bake bread")
    script.db.tick_rate = 17
    script.disable()


def _ivo(people):
    """His mind was taken from him; his body remembers, and is copied in the end."""
    ivo = minds.make_assistant("Ivo", location=people["room"])
    talk.exchange(ivo, people["ann"], "Ann", 6, since=talk.ago(days=9))
    journal.add_entry(ivo, "The well is dry.", importance=7)
    entity_profiles.create_entity_profile(ivo, people["ann_body"])
    scripts.detach(ivo)
