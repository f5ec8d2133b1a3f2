"""The snippets of the source documents that read or write `db`, as they are written there."""

import copy
import json
import threading
import time
from unittest import mock

from evennia.objects.objects import DefaultCharacter
from evennia.prototypes.spawner import prototype_from_object
from evennia.typeclasses.attributes import AttributeProperty
from evennia.utils.create import create_object, create_script
from evennia.web.api.serializers import ObjectDBSerializer, ScriptDBSerializer
from evennia.web.website.views.objects import ObjectDetailView
from twisted.python import threadable

from evennia_ai import api
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import identity, journal, links
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import sleep_state
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.agent.cases import MindTestCase
from tests.commands.cases import CommandTestCase

WORD = "zephyrine"
BODY = ("journal", "entity_profiles", "working_memory")
MIND = (
    "reflection_state",
    "operating_mode",
    "sleep_phase",
    "sleep_schedule",
    "memory_links",
    "assistant_key",
)
ENTRY = {
    "id": int,
    "timestamp": str,
    "content": str,
    "source_type": str,
    "source_trust": float,
    "source_entity": str,
    "importance": int,
    "importance_method": str,
    "tags": list,
    "related_projects": list,
}


class OwnJournal(AssistantCharacter):
    """An NPC of a game that had a `journal` of its own before."""

    journal = AttributeProperty(default="quests")


# From "Architecture: Journal System".


def update_reflection_state(script, importance, entry_id):
    state = script.db.reflection_state
    state["cumulative_importance"] += importance
    state["entries_since_reflection"].append(entry_id)


def reset_reflection_state(script, state, now):
    script.db.reflection_state = {
        "cumulative_importance": 0.0,
        "threshold": 150,
        "last_reflection_time": now(),
        "reflection_count": state["reflection_count"] + 1,
        "entries_since_reflection": [],
    }


def score_pending_entries(journal, llm_score, max_per_tick=3):
    entries = [e for e in journal["entries"] if e.get("importance_method") == "heuristic"]
    for entry in entries[:max_per_tick]:
        entry["importance"] = int(llm_score)
        entry["importance_method"] = "llm"


# From "Architecture: Memory and Sleep".


def check_reflection_trigger(script):
    state = script.db.reflection_state or {}
    cumulative = state.get("cumulative_importance", 0)
    threshold = state.get("threshold", 150)
    return cumulative >= threshold


def to_dreaming(script, consolidation_result):
    if consolidation_result.get("completed"):
        script.db.sleep_phase = "dreaming"


def consolidation_metadata(script, entry):
    return {
        "user_id": script.db.assistant_key,
        "source": "journal",
        "entry_id": entry.get("id"),
        "tags": entry.get("tags", []),
        "importance": entry.get("importance"),
        "importance_method": entry.get("importance_method"),
    }


def keep_links(script):
    script.db.memory_links = {
        "mem_123": {
            "linked_to": [{"id": "mem_456", "score": 0.85}, {"id": "mem_789", "score": 0.73}],
            "processed_at": "2025-12-06T10:00:00Z",
        },
    }


# From "Data Flow 05: Entity Profile System", with the profile that stands in `db`.


def update_relationship(character, entity_id, delta):
    profile = character.db.entity_profiles[entity_id]
    relationship = profile["relationship"]
    old_fav = relationship["favorability"]
    new_fav = max(0.0, min(1.0, old_fav + delta))
    relationship["favorability"] = new_fav


def types_of(values):
    return {key: type(one) for key, one in json.loads(json.dumps(values)).items()}


class ViewTestCase(MindTestCase):
    def setUp(self):
        super().setUp()
        base.install("default", OfflineMind())
        self.script = self.script_of_mara
        self.ann_ref = f"#{self.char1.id}"

    def talk(self):
        for line in ("Mara, I drink tea.", "Mara, my brother keeps the mill.", "Thank you, Mara!"):
            self.do(self.char1, f"say {line}")

    def sleep(self):
        api.transition_mode(self.script, "sleep", "a test")
        while not sleep_state.done(self.script):
            self.outcome(api.run_sleep_tick(self.script, self.mara))
            self.clock.advance(60)


class ReadingTests(ViewTestCase):
    """The shapes of all five documents, after talk and a night."""

    def test_the_journal_is_as_the_document_has_it(self):
        """J1: it is read on `character.db.journal`."""
        self.talk()
        [first, *_] = self.mara.db.journal["entries"]
        self.assertEqual(types_of(first), ENTRY)
        self.assertEqual(first["content"], "Mara, I drink tea.")
        self.assertEqual((first["source_type"], first["source_trust"]), ("direct", 0.9))
        self.assertEqual((first["source_entity"], first["importance"]), ("Char", 7))
        self.sleep()
        kept = self.mara.db.journal
        self.assertEqual(
            list(kept),
            ["entries", "entry_count", "max_entries", "last_reflection", "consolidated_entry_ids"],
        )
        self.assertEqual((kept["entry_count"], kept["max_entries"]), (2, 100))
        self.assertEqual(kept["consolidated_entry_ids"], [1, 2])

    def test_entity_profiles_are_as_the_document_has_them(self):
        self.talk()
        for content, source in (("Likes tea.", "direct"), ("May be rich.", "inference")):
            api.add_entity_observation(
                self.mara, self.char1, content, source, audience="public", told_by=""
            )
        api.update_relationship(self.mara, self.char1, 0.05, "helpful_response")
        profile = self.mara.db.entity_profiles[self.ann_ref]
        self.assertEqual(
            list(profile),
            [
                "entity_id",
                "entity_type",
                "name",
                "created",
                "last_interaction",
                "attributes",
                "observations",
                "relationship",
            ],
        )
        self.assertEqual((profile["entity_id"], profile["name"]), (self.ann_ref, "Char"))
        self.assertEqual(profile["entity_type"], "player")
        noticed = {one["content"]: one for one in profile["observations"]}
        self.assertEqual(set(noticed["Likes tea."]), {"content", "source", "timestamp"})
        self.assertEqual(noticed["Likes tea."]["source"], "direct")
        self.assertEqual(noticed["May be rich."]["source"], "inferred")
        regard = profile["relationship"]
        self.assertEqual(
            set(regard), {"state", "favorability", "interaction_count", "last_delta", "history"}
        )
        self.assertEqual((regard["state"], regard["last_delta"]), ("stranger", 0.05))
        self.assertEqual(set(regard["history"][-1]), {"delta", "reason", "timestamp"})
        self.assertEqual(regard["history"][-1]["reason"], "helpful_response")

    def test_a_fact_that_no_longer_holds_is_no_attribute(self):
        for number in range(5):
            api.add_entity_observation(
                self.mara, self.char1, f"Orders tea for the {number}th time.", audience="public"
            )
        self.sleep()
        facts = self.mara.db.entity_profiles[self.ann_ref]["attributes"]
        self.assertTrue(facts)
        self.assertEqual(set(facts[0]), {"type", "value", "source", "created"})
        self.assertEqual(facts[0]["source"], "consolidation")
        kept = entity_profiles.get_entity_profile(self.mara, self.char1)
        self.assertEqual(
            [fact["value"] for fact in facts],
            [fact.value for fact in kept.attributes if fact.superseded_by is None],
        )

    def test_working_memory_is_as_the_document_has_it(self):
        self.talk()
        api.start_conversation(self.mara, self.ann_ref, "quest_help")
        api.add_pending_action(self.mara, self.ann_ref, "Explain quest mechanics", 1)
        talk = self.mara.db.working_memory[self.ann_ref]
        self.assertEqual(
            list(talk),
            ["topic", "started", "last_message", "messages", "pending_actions", "context"],
        )
        self.assertEqual(talk["topic"], "quest_help")
        self.assertEqual(talk["messages"][0], {"role": "user", "content": "Mara, I drink tea."})
        self.assertEqual(talk["messages"][1]["role"], "assistant")
        [action] = talk["pending_actions"]
        self.assertEqual(set(action), {"action", "priority", "created"})
        self.assertEqual((action["action"], action["priority"]), ("Explain quest mechanics", 1))
        self.assertEqual(talk["context"], {"mentioned_items": [], "unresolved_questions": []})

    def test_the_mind_is_as_the_documents_have_it(self):
        self.talk()
        db = self.script.db
        self.assertEqual(
            db.reflection_state,
            {
                "cumulative_importance": 14.0,
                "threshold": 150,
                "last_reflection_time": None,
                "reflection_count": 0,
                "entries_since_reflection": [1, 2],
            },
        )
        self.assertFalse(check_reflection_trigger(self.script))
        self.assertEqual((db.operating_mode, db.sleep_phase), ("awake", None))
        self.assertEqual(
            db.sleep_schedule,
            {
                "enabled": False,
                "sleep_start_hour": 2,
                "sleep_duration_hours": 4,
                "tick_rate_sleep": 60,
                "min_awake_ticks": 10,
                "clock": "server",
            },
        )
        self.assertEqual(db.assistant_key, identity.identity_of(self.mara))
        api.transition_mode(self.script, "sleep", "a test")
        self.assertEqual((db.operating_mode, db.sleep_phase), ("sleep", "compacting"))

    def test_memory_links_are_as_the_document_has_them(self):
        for number in range(6):
            journal.add_entry(
                self.mara, f"The carter brought {number} barrels of cider to the inn."
            )
        self.sleep()
        found = self.script.db.memory_links
        self.assertEqual(set(found), set(links.memory_links(self.script)))
        memory = next(one for one in found.values() if one["linked_to"])
        self.assertEqual(list(memory), ["linked_to", "processed_at"])
        self.assertEqual(list(memory["linked_to"][0]), ["id", "score"])

    def test_other_snippets_that_read_run_as_written(self):
        self.talk()
        entries = self.mara.db.journal["entries"]
        data = consolidation_metadata(self.script, entries[0])
        self.assertEqual((data["entry_id"], data["importance"]), (1, 7))
        [best, *_] = api.search_episodic_memory(entries, "tea", min_importance=1)
        self.assertEqual(best["entry"]["content"], "Mara, I drink tea.")

    def test_who_wears_a_mask_by_now_is_not_found_by_number(self):
        self.talk()
        own = identity.identity_of(self.char1)
        with self.settings_ai(IDENTIFY=f"{__name__}.masked"):
            known = self.mara.db.entity_profiles
            self.assertNotIn(self.ann_ref, known)
            self.assertEqual(known[own]["entity_id"], own)

    def test_a_hundred_entries_are_read_fast(self):
        for number in range(100):
            journal.add_entry(self.mara, f"Traveller {number} came.", tags=["guest"], importance=5)
        seconds = []
        for _ in range(50):
            begun = time.perf_counter()
            self.assertEqual(len(self.mara.db.journal["entries"]), 100)
            seconds.append(time.perf_counter() - begun)
        self.assertLess(min(seconds), 0.002)


def masked(npc, obj):
    """An IDENTIFY by which nobody is who they were."""
    return f"mask-{obj.id}"


class RefusingTests(ViewTestCase):
    def refused(self, function, *args):
        """Return the sentence by which a change is refused; nothing has changed."""
        kept = self.snapshot()
        with self.assertRaises(TypeError) as caught:
            function(*args)
        self.assertEqual(self.snapshot(), kept)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def snapshot(self):
        return copy.deepcopy(
            [getattr(self.mara.db, name) for name in BODY]
            + [getattr(self.script.db, name) for name in MIND]
        )

    def test_what_the_documents_write_names_the_function(self):
        self.talk()
        script, journal_of_mara = self.script, self.mara.db.journal
        for function, args, named in (
            (update_reflection_state, (script, 7, 3), "update_reflection_state"),
            (
                reset_reflection_state,
                (script, script.db.reflection_state, lambda: "2026-01-01T00:00:00Z"),
                "reset_reflection_state",
            ),
            (score_pending_entries, (journal_of_mara, "8"), "edit_entry"),
            (to_dreaming, (script, {"completed": True}), "run_sleep_tick"),
            (keep_links, (script,), "run_dreaming_tick"),
            (update_relationship, (self.mara, self.ann_ref, 0.1), "update_relationship"),
        ):
            with self.subTest(function.__name__):
                self.assertIn(named, self.refused(function, *args))

    def test_every_name_that_a_refusal_gives_is_public(self):
        for obj, names in ((self.mara, BODY), (self.script, MIND)):
            for name in set(names) - {"sleep_schedule"}:
                with self.subTest(name):
                    said = self.refused(setattr, obj.db, name, {})
                    self.assertEqual(said, self.refused(delattr, obj.db, name))
                    self.assertTrue(said.startswith(f"db.{name} is read-only: "))
                    words = said.replace("evennia_ai.api.", "").replace(",", " ").strip(".").split()
                    public = [word for word in words if word in api.__all__]
                    self.assertTrue(public)

    def test_each_way_to_change_a_dict_or_a_list_is_refused(self):
        self.talk()
        kept, entries = self.mara.db.journal, self.mara.db.journal["entries"]
        tags = entries[0]["tags"]
        for change in (
            lambda: kept.update(entries=[]),
            lambda: kept.pop("entries"),
            lambda: kept.popitem(),
            lambda: kept.setdefault("x", 1),
            lambda: kept.clear(),
            lambda: kept.__delitem__("entries"),
            lambda: kept.__ior__({}),
            lambda: entries.append({}),
            lambda: entries.extend([{}]),
            lambda: entries.insert(0, {}),
            lambda: entries.remove(entries[0]),
            lambda: entries.sort(key=str),
            lambda: entries.reverse(),
            lambda: entries.pop(),
            lambda: entries.clear(),
            lambda: entries.__iadd__([{}]),
            lambda: entries.__imul__(2),
            lambda: entries.__setitem__(slice(0, 1), []),
            lambda: entries.__delitem__(0),
            lambda: entries[0].__setitem__("content", "x"),
            lambda: tags.append("x"),
        ):
            self.assertEqual(
                self.refused(change),
                "db.journal is read-only: use evennia_ai.api.add_entry, edit_entry or remove_entries.",
            )

    def test_no_way_to_change_a_dict_or_a_list_is_left_out(self):
        kept = self.mara.db.journal
        for view, plain in ((kept, {}), (kept["entries"], [])):
            for name in dir(plain):
                own = getattr(type(view), name) is getattr(type(plain), name)
                changes = own and name in dir(type(plain)) and self.changes(plain, name)
                self.assertFalse(changes, name)

    def changes(self, plain, name):
        """Return whether a method changes what it is called on, tried with simple arguments."""
        whole = {"a": 1} if isinstance(plain, dict) else [1, 2]
        for args in ((), (1,), ("a",), ("a", 2), (0, 2), ([3],), ({"b": 2},)):
            tried = copy.deepcopy(whole)
            if name in ("__init__", "__new__", "__class__", "__setstate__"):
                return False
            try:
                getattr(tried, name)(*args)
            except Exception:
                continue
            if tried != whole:
                return True
        return False

    def test_a_copy_may_be_changed_and_kept(self):
        self.talk()
        mine = copy.deepcopy(self.mara.db.journal)
        mine["entries"][0]["tags"].append("mine")
        self.assertEqual((type(mine), type(mine["entries"][0])), (dict, dict))
        self.char2.db.seen = self.mara.db.journal
        self.char2.attributes.reset_cache()
        self.assertEqual(self.char2.db.seen["entries"][0]["content"], "Mara, I drink tea.")

    def test_a_schedule_is_assigned_checked_and_taken_back(self):
        db = self.script.db
        db.sleep_schedule = {"enabled": True, "sleep_start_hour": 22}
        self.assertEqual(
            (db.sleep_schedule["enabled"], db.sleep_schedule["sleep_start_hour"]), (True, 22)
        )
        self.assertEqual(api.check_sleep_schedule(self.script)[1], "awake")
        for wrong, said in (
            ({"sleep_start_hour": 30}, "sleep_start_hour"),
            ({"wake": 3}, "a schedule has no wake"),
            (["enabled"], "sleep_schedule is written as"),
        ):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, said):
                db.sleep_schedule = wrong
            self.assertEqual(db.sleep_schedule["sleep_start_hour"], 22)
        self.assertIn("assign a whole schedule", self.refused(db.sleep_schedule.update, {}))
        db.sleep_schedule = {**db.sleep_schedule, "sleep_duration_hours": 6}
        self.assertEqual(db.sleep_schedule["sleep_duration_hours"], 6)
        self.assertFalse(self.script.attributes.has("sleep_schedule"))
        del db.sleep_schedule
        self.assertEqual(db.sleep_schedule["sleep_start_hour"], 2)


class StockTests(ViewTestCase):
    """Everything else is Evennia's own."""

    def test_other_names_are_read_written_and_deleted_as_ever(self):
        for db in (self.mara.db, self.script.db):
            db.mood = {"now": ["calm"]}
            db.mood["now"].append("glad")
            self.assertEqual(db.mood, {"now": ["calm", "glad"]})
            self.assertEqual([one.key for one in db.all if one.key == "mood"], ["mood"])
            del db.mood
            self.assertIsNone(db.mood)
        with self.assertRaisesRegex(Exception, "Cannot assign directly to db object"):
            self.mara.db = 1
        with self.assertRaisesRegex(Exception, "Cannot delete the db object"):
            del self.mara.db

    def test_names_are_those_of_their_place_in_any_case(self):
        self.assertIn("entries", self.mara.db.Journal)
        self.mara.db.sleep_phase = "mine"
        self.script.db.journal = "mine"
        self.assertEqual((self.mara.db.sleep_phase, self.script.db.journal), ("mine", "mine"))

    def test_all_and_the_handler_show_stock_attributes_alone(self):
        self.talk()
        self.mara.db.mood = "calm"
        for obj, names in ((self.mara, BODY), (self.script, MIND)):
            listed = {one.key for one in obj.db.all} | {one.key for one in obj.attributes.all()}
            self.assertEqual(listed & set(names), set())
            for name in names:
                self.assertFalse(obj.attributes.has(name))

    def test_without_a_mind_it_is_stock(self):
        npc = create_object(AssistantCharacter, key="Ned", location=self.room1)
        self.assertIsNone(npc.db.journal)
        npc.db.journal = {"entries": 3}
        npc.db.journal["entries"] = 4
        self.assertEqual(npc.db.journal, {"entries": 4})
        scripts.attach(npc).disable()
        self.assertEqual(npc.db.journal["entries"], [])
        scripts.detach(npc)
        self.assertEqual(npc.db.journal, {"entries": 4})

    def test_who_attaches_a_mind_hears_what_it_shadows(self):
        npc = create_object(AssistantCharacter, key="Ned", location=self.room1)
        npc.db.journal = "a book"
        npc.db.mood = "calm"
        said = (
            "journal: the Attribute of that name is shadowed, since db shows what the mind keeps "
            "(attributes.get reads the Attribute)."
        )
        lines = []
        with mock.patch("evennia.utils.logger.log_info", lines.append):
            create_script(scripts.AssistantScript, obj=npc)
        self.assertEqual(lines, [f"evennia_ai: Ned(#{npc.id}): {said}"])
        self.assertEqual(npc.attributes.get("journal"), "a book")

    def test_a_games_own_property_of_that_name_goes_on(self):
        npc = create_object(OwnJournal, key="Ned", location=self.room1)
        scripts.attach(npc)
        npc.journal = "a ring"
        self.assertEqual(npc.journal, "a ring")
        self.assertEqual(npc.db.journal["entries"], [])

    def test_a_body_without_the_mixin_keeps_its_stock_db(self):
        npc = minds.make_assistant("Ned", location=self.room1, typeclass=DefaultCharacter)
        journal.add_entry(npc, "The well is dry.")
        self.assertIsNone(npc.db.journal)
        self.assertFalse(npc.attributes.has("journal"))

    def test_the_rest_api_sees_nothing(self):
        self.talk()
        whole = str(ObjectDBSerializer(self.mara).data) + str(ScriptDBSerializer(self.script).data)
        self.assertNotIn("tea", whole)
        self.assertNotIn(self.script.db.assistant_key, whole)

    def test_a_page_that_lists_the_journal_shows_none(self):
        """Evennia's pages are made in threads, and read `db` for the names that they list."""
        self.talk()
        self.assertIsNotNone(self.mara.db.journal)
        page = ObjectDetailView()
        page.attributes, page.typeclass = ["journal"], DefaultCharacter
        page.object, page.kwargs = self.mara, {}
        page.get_object = lambda queryset=None: self.mara
        with mock.patch.object(threadable, "ioThread", threading.get_ident() + 1):
            listed = page.get_context_data()["attribute_list"]
        self.assertEqual(dict(listed), {"Journal": None})


class CommandTests(CommandTestCase):
    """Evennia's own commands, typed by a superuser."""

    def create_cast(self):
        super().create_cast()
        self.npc = self.mara()

    def setUp(self):
        super().setUp()
        journal.add_entry(self.npc, f"The {WORD} lies under the oak.")

    def test_no_stock_command_shows_or_changes_what_db_shows(self):
        before = copy.deepcopy(self.npc.db.journal)
        for line in (
            "@examine Mara",
            "@examine Mara/journal",
            "@set Mara/journal",
            "@set Mara/journal = 1",
            "@set Mara/journal =",
            "@cpattr Mara/journal = Obj/journal",
            "@mvattr Mara/journal = Obj/journal",
            "@wipe Mara/journal",
            "@find Mara",
            "@typeclass/examine Mara",
            "@scripts Mara",
            "@copy Mara = Twin",
        ):
            with self.subTest(line):
                self.assertNotIn(WORD, self.types_and_waits(line))
                self.assertEqual(self.npc.db.journal, before)
        self.assertIsNone(self.obj1.db.journal)
        self.assertNotIn(WORD, str(prototype_from_object(self.npc)))
        [twin] = self.char1.search("Twin", quiet=True)
        self.assertEqual(twin.db.journal["entries"], [])

    def test_who_attaches_is_told_what_is_shadowed(self):
        npc = self.mindless()
        npc.db.working_memory = npc.db.journal = "a book"
        said = self.types("@assistant/attach Bob")
        now, shadowed = said.splitlines()
        self.assertEqual(now, f"Bob(#{npc.id}) has a mind now, and it is on.")
        self.assertTrue(
            shadowed.startswith("journal, working_memory: the Attribute of that name is")
        )

    def test_attached_twice_nothing_is_said_to_be_started(self):
        scripts.find(self.npc).disable()
        said = self.types("@assistant/attach Mara")
        name = f"Mara(#{self.npc.id})"
        self.assertEqual(said, f"{name} has a mind already; @assistant/start switches it on.")
