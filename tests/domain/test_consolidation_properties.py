"""What holds of audiences, of lasting knowledge and of links, whatever they are made of."""

import unittest
from datetime import datetime, timezone

from hypothesis import given
from hypothesis import strategies as some
from msgspec import structs

from evennia_ai.core.records import Link
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.memories import profile
from evennia_ai.domain.sleeping import consolidation_rules, link_rules
from tests.found_memories import hit

NOW = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)
LATER = datetime(2025, 3, 1, 12, tzinfo=timezone.utc)
TRUST = {"direct": 0.9, "observation": 0.8, "inference": 0.6, "environmental": 0.3}
PEOPLE = ["ann", "bo", "cy", "mara"]
AUDIENCES = some.just("public") | some.lists(some.sampled_from(PEOPLE), max_size=4)
ITEMS = some.lists(some.fixed_dictionaries({"audience": AUDIENCES}), max_size=12)


def ears(audience):
    """Return everybody who may know something, of all that there are; a stranger stands for more."""
    everybody = {*PEOPLE, "stranger"}
    return everybody if audience == "public" else everybody & set(audience)


class AudienceTests(unittest.TestCase):
    @given(some.lists(AUDIENCES, max_size=5))
    def test_what_is_derived_is_for_those_who_may_know_all_of_it(self, known):
        everybody = {*PEOPLE, "stranger"}
        for one in known:
            everybody &= ears(one)
        self.assertEqual(ears(audiences.intersection(known)), everybody)
        self.assertEqual(audiences.intersection(known), audiences.intersection(known[::-1]))

    @given(ITEMS)
    def test_a_division_loses_and_doubles_nothing_and_no_ear_hears_more(self, items):
        groups = audiences.divided(items)
        divided = [id(item) for _, group in groups for item in group]
        self.assertEqual(sorted(divided), sorted(map(id, items)))
        for known, group in groups:
            for item in group:
                self.assertEqual(ears(known), ears(item["audience"]))
        told = [tuple(known) for known, _ in groups]
        self.assertEqual(len(told), len(set(told)))

    @given(ITEMS, AUDIENCES)
    def test_what_is_open_to_an_audience_may_be_known_by_each_of_it(self, items, known):
        found = audiences.select_open_to(items, known)
        for item in found:
            self.assertLessEqual(ears(known), ears(item["audience"]))
        kept = {id(item) for item in found}
        for item in items:
            is_open = ears(known) <= ears(item["audience"])
            self.assertTrue(is_open or id(item) not in kept)
            # Nobody is a hearer of what nobody may know: there the rule is of no account.
            if is_open and known and (known != "public" or item["audience"] == "public"):
                self.assertIn(id(item), kept)


VALUES = [
    "Likes tea",
    "likes tea.",
    "Hates ale",
    "Lives at court",
    "Lives in the mill",
    "雪",
    "|r{x",
]
KINDS = ["preference", "home", "trait", "name"]
FOUND = some.fixed_dictionaries(
    {
        "type": some.sampled_from(KINDS),
        "value": some.sampled_from(VALUES),
        "evidence": some.sampled_from([list(range(10)), [-1, 1], [2, 3, 4], []]),
        "replaces": some.lists(some.integers(-1, 5), max_size=2),
    }
)
NOTICED = some.lists(some.tuples(AUDIENCES, some.sampled_from(["", "ann", "bo"])), max_size=8)


def known_of(noticed):
    """Return Ann's profile with an observation for each (audience, told_by)."""
    known = structs.replace(profile.new("ann", now=NOW), name="Ann")
    for number, (audience, told_by) in enumerate(noticed, 1):
        one = profile.observation(
            f"Likes thing {number}.",
            about="ann",
            audience=audience,
            told_by=told_by,
            trust=TRUST,
            now=NOW,
        )
        known, _ = profile.with_observation(known, one)
    return known


def apply(known, found, group, *, now=NOW):
    """Do with a mind's answer to one group what a night does."""
    return consolidation_rules.merged(
        known,
        consolidation_rules.checked(found, group, by_rules=True),
        audience=group["audience"],
        consumed=[one["id"] for one in group["observations"]],
        now=now,
    )


def nights(known, answers):
    """Let minds answer one group after another with whatever they want to."""
    for found in answers:
        groups = consolidation_rules.plan_groups(known, listener="Mara", limit=1)
        if groups:
            known = apply(known, found, groups[0])
    return known


class KnowledgeTests(unittest.TestCase):
    @given(NOTICED, some.lists(some.lists(FOUND, max_size=4), max_size=5))
    def test_no_attribute_is_for_more_ears_than_what_it_rests_on(self, noticed, answers):
        """Whatever numbers a mind cites: those of another audience are not taken."""
        known = nights(known_of(noticed), answers)
        heard = {one.id: one.audience for one in known.observations}
        for fact in known.attributes:
            self.assertTrue(fact.derived_from, fact)
            for number in fact.derived_from:
                self.assertEqual(ears(fact.audience), ears(heard[number]), fact)

    @given(NOTICED, some.lists(some.lists(FOUND, max_size=4), max_size=5))
    def test_what_one_audience_is_told_hides_nothing_from_another(self, noticed, answers):
        known = nights(known_of(noticed), answers)
        by_id = {fact.id: fact for fact in known.attributes}
        self.assertEqual(len(by_id), len(known.attributes))
        for fact in known.attributes:
            if fact.superseded_by is not None:
                newer = by_id[fact.superseded_by]
                self.assertEqual(ears(newer.audience), ears(fact.audience))
                self.assertNotEqual(newer.id, fact.id)

    @given(NOTICED, some.lists(some.lists(FOUND, max_size=4), max_size=5))
    def test_for_the_same_ears_there_is_one_home_and_nothing_twice(self, noticed, answers):
        known = nights(known_of(noticed), answers)
        holding = [fact for fact in known.attributes if fact.superseded_by is None]
        single = [
            (fact.type, str(fact.audience))
            for fact in holding
            if fact.type in consolidation_rules.SINGLE
        ]
        self.assertEqual(len(single), len(set(single)), holding)
        said = [
            (fact.type, fact.value.casefold().strip("."), str(fact.audience)) for fact in holding
        ]
        self.assertEqual(len(said), len(set(said)), holding)

    @given(NOTICED, some.lists(FOUND.map(lambda one: {**one, "type": "trait"}), max_size=4))
    def test_applied_twice_is_applied_once(self, noticed, found):
        """As where the server was killed before it knew that it had written."""
        known = known_of(noticed)
        for group in consolidation_rules.plan_groups(known, listener="Mara", limit=9):
            added = [{**one, "replaces": []} for one in found]
            once = apply(known, added, group)
            self.assertEqual(apply(once, added, group, now=LATER), once)
            known = once

    @given(NOTICED, some.lists(some.lists(FOUND, max_size=4), max_size=5))
    def test_nothing_is_taken_away_and_the_input_is_left_alone(self, noticed, answers):
        known = known_of(noticed)
        before = str(known)
        after = nights(known, answers)
        self.assertEqual(str(known), before)
        self.assertEqual(
            [one.content for one in after.observations],
            [one.content for one in known.observations],
        )

    @given(NOTICED)
    def test_each_observation_is_shown_in_one_group_and_then_never_again(self, noticed):
        known = known_of(noticed)
        groups = consolidation_rules.plan_groups(known, listener="Mara", limit=99)
        shown = [one["id"] for group in groups for one in group["observations"]]
        self.assertEqual(sorted(shown), list(range(1, len(noticed) + 1)))
        for group in groups:
            known = apply(known, [], group)
        self.assertEqual(consolidation_rules.waiting(known), [])

    @given(NOTICED, some.lists(some.lists(FOUND, max_size=4), min_size=1, max_size=5))
    def test_a_group_is_shown_nothing_that_its_ears_may_not_know(self, noticed, answers):
        known = nights(known_of(noticed), answers)
        secret = {(fact.type, fact.value): fact.audience for fact in known.attributes}
        for group in consolidation_rules.plan_groups(known, listener="Mara", limit=99):
            for fact in group["known"] + group["background"]:
                open_to = [
                    ears(one.audience)
                    for one in known.attributes
                    if (one.type, one.value) == (fact["type"], fact["value"])
                ]
                self.assertTrue(any(ears(group["audience"]) <= heard for heard in open_to), secret)

    def test_old_attributes_make_room_and_numbers_are_not_used_again(self):
        known = known_of([("public", "")])
        for number in range(200):
            [found] = consolidation_rules.checked(
                [{"type": "home", "value": f"Lives in house {number}", "evidence": [1]}],
                {
                    "observations": [{"id": 1, "content": "", "is_hearsay": False}],
                    "known": [],
                    "background": [],
                    "audience": "public",
                    "name": "Ann",
                    "listener": "Mara",
                },
                by_rules=True,
            )
            known = consolidation_rules.merged(
                known, [found], audience="public", consumed=[1], now=NOW
            )
        kept = known.attributes
        self.assertEqual(len(kept), 1 + consolidation_rules.SUPERSEDED)
        self.assertEqual([fact.id for fact in kept], list(range(180, 201)))
        self.assertEqual(kept[-1].value, "Lives in house 199")


class SentenceTests(unittest.TestCase):
    @given(some.text(max_size=20), some.text(max_size=40))
    def test_any_value_becomes_a_sentence(self, name, value):
        told = consolidation_rules.sentence(name, value)
        self.assertTrue(told.endswith("."), told)
        self.assertIn(value.strip().rstrip(".")[1:].casefold(), told.casefold())


IDS = some.sampled_from("abcdefgh")
LINKS = some.lists(
    some.builds(Link, id=IDS, score=some.floats(0, 1)),
    max_size=5,
    unique_by=lambda link: link.id,
)
COSINES = some.floats(-1, 1.0000001)

HITS = some.lists(
    some.builds(hit, IDS, audience=AUDIENCES, cosine=COSINES),
    max_size=8,
    unique_by=lambda one: one.id,
)


class LinkTests(unittest.TestCase):
    @given(AUDIENCES, HITS, some.floats(0, 1))
    def test_a_link_leads_nobody_to_what_they_may_not_know(self, audience, hits, threshold):
        memory = hit("a", audience=audience)
        heard = {one.id: one.audience for one in hits}
        chosen = link_rules.select_links(memory, hits, threshold=threshold)
        self.assertLessEqual(len(chosen), 5)
        for link in chosen:
            self.assertNotEqual(link.id, "a")
            self.assertEqual(ears(link.audience), ears(audience))
            self.assertLessEqual(ears(audience), ears(heard[link.id]))
            self.assertTrue(0 <= link.score <= 1)
        for source, link in link_rules.back_links(memory, hits, chosen):
            self.assertEqual(link.id, "a")
            self.assertEqual(ears(link.audience), ears(heard[source]))
            self.assertIn(source, [one.id for one in chosen])
            self.assertLessEqual(ears(heard[source]), ears(audience))

    @given(LINKS, some.builds(Link, id=IDS, score=some.floats(0, 1)))
    def test_a_link_is_there_once_and_the_strongest_stay(self, before, link):
        after = link_rules.with_link(before, link)
        self.assertEqual(link_rules.with_link(after, link), after)
        ids = [one.id for one in after]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertLessEqual(len(ids), 5)
        left = [one.score for one in [*before, link] if one not in after and one.id not in ids]
        self.assertTrue(not left or max(left) <= min(one.score for one in after))

    @given(
        some.dictionaries(IDS, some.floats(0, 1), max_size=4),
        some.dictionaries(IDS, LINKS, max_size=6),
        some.integers(0, 4),
    )
    def test_a_neighbour_is_worth_less_than_what_led_to_it(self, scores, lead_to, limit):
        hits = [hit(one, score=score) for one, score in scores.items()]
        found = link_rules.neighbours(hits, lead_to, limit=limit)
        self.assertLessEqual(len(found), limit)
        self.assertEqual(len({one for one, _ in found}), len(found))
        for one, score in found:
            self.assertNotIn(one, scores)
            sources = [source for source in scores if one in str(lead_to.get(source, ""))]
            self.assertLessEqual(score, 0.8 * max(scores[source] for source in sources) + 1e-6)
        self.assertEqual(found, link_rules.neighbours(hits[::-1], lead_to, limit=limit))
