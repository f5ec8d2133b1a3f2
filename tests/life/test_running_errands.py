"""Errands: asked for without a model, taken on or refused, carried, handed over, reported, given up."""

from evennia.objects.objects import DefaultCharacter, DefaultObject
from evennia.utils.create import create_object

from evennia_ai.agent.revising import forgetting
from evennia_ai.life import running_errands, walking
from evennia_ai.memory import errands, identity, journal, kinds, persona, repository
from evennia_ai.memory.people import accounts
from evennia_ai.memory.state import kept_goals, npc_settings
from evennia_ai.testing import minds
from tests.agent.cases import words
from tests.life.cases import DayTestCase

LISTED = ("things: letter, parcel", "to: Bertil, Cid")


class Locked(DefaultObject):
    """What nobody may take who is no smith."""

    def at_pre_get(self, getter, **kwargs):
        return getter.key == "Smith"


class ErrandTestCase(DayTestCase):
    """Mara is in the inn and Bertil in the market; Char may send letters and parcels by her."""

    routine = ()

    def setUp(self):
        super().setUp()
        self.gives(self.mara, errands=list(LISTED))
        self.got = minds.listen(self.bertil)

    def create_cast(self):
        super().create_cast()
        self.bertil = minds.make_assistant("Bertil", location=self.market)
        self.letter = self.thing("letter", self.char1)

    def thing(self, key, location, typeclass=DefaultObject, **fields):
        return create_object(typeclass, key=key, location=location, **fields)

    def asks(self, text="Take this letter to Bertil.", character=None):
        """Let a player say something to Mara; return what she says to it."""
        self.ann.clear()
        self.do(character or self.char1, f"say Mara, {text}", wait=3)
        return words(self.ann)[-1:]

    def sends(self):
        """Let Char give the letter to Mara and say where it goes."""
        self.do(self.char1, "give letter to Mara")
        self.asks()

    def leave(self):
        """Let the players go where they hear nothing, and nobody talks any more."""
        away = self.make_room("Away")
        self.char1.location = self.char2.location = away
        self.wait(120)

    def carried(self):
        """Let her go until she has nothing to do; return where the letter is then."""
        for _ in range(30):
            self.ticks(seconds=30)
        return self.letter.location

    def goal(self):
        return kept_goals.goals(self.script_of_mara)[-1]


class ListedNameTests(ErrandTestCase):
    def test_whoever_takes_a_listed_name_later_gets_no_letter(self):
        dora = create_object(DefaultCharacter, key="Dora", location=self.market)
        self.gives(self.mara, errands=["things: letter", "to: Dora"])
        thief = minds.make_assistant("Dora", location=self.lane)
        self.assertEqual(errands.receiver(self.mara, "Dora"), dora)
        dora.delete()
        self.assertIsNone(errands.receiver(self.mara, "Dora"))
        self.sends()
        self.leave()
        self.assertNotEqual(self.carried(), thief)

    def test_an_older_npc_with_a_new_alias_gets_no_letter(self):
        old = minds.make_assistant("Old", location=self.lane)
        dora = minds.make_assistant("Dora", location=self.market)
        self.gives(self.mara, errands=["things: letter", "to: Dora"])
        old.aliases.add("Dora")
        self.assertEqual(errands.receiver(self.mara, "Dora"), dora)

    def test_the_list_of_a_prototype_is_bound_as_it_is_taken_up(self):
        dora = create_object(DefaultCharacter, key="Dora", location=self.market)
        given = {"description": "You are Pip.", "errands": ["things: letter", "to: Dora"]}
        pip = create_object(DefaultCharacter, key="Pip", attributes=[("ai_persona", given)])
        persona.take_up(pip)
        minds.make_assistant("Dora", location=self.lane)
        self.assertEqual(errands.receiver(pip, "Dora"), dora)

    def test_a_name_that_nobody_had_belongs_to_the_first_who_is_found_under_it(self):
        self.assertIsNone(errands.receiver(self.mara, "Cid"))
        cid = minds.make_assistant("Cid", location=self.market)
        self.assertEqual(errands.receiver(self.mara, "Cid"), cid)

    def test_the_giver_of_a_letter_is_known_although_the_mind_was_off(self):
        self.script_of_mara.disable()
        self.do(self.char1, "give letter to Mara", wait=2)
        self.script_of_mara.enable()
        self.assertEqual(errands.giver_of(self.script_of_mara, self.letter), self.first)


class AskedTests(ErrandTestCase):
    def test_a_letter_that_was_given_to_her_is_taken_on(self):
        self.do(self.char1, "give letter to Mara")
        [said] = self.asks()
        self.assertIn("Bertil", said)
        goal = self.goal()
        self.assertEqual((goal.title, goal.status), ("Bring letter to Bertil", "open"))
        self.assertEqual([step.act for step in goal.plan], ["give", "go", "tell"])
        bertil = identity.identity_of(self.bertil)
        own = identity.identity_of(self.mara)
        self.assertEqual(goal.audience, sorted([self.first, bertil, own]))

    def test_what_they_still_have_she_asks_for_and_takes_on_once_she_has_it(self):
        [said] = self.asks("could you bring my letter to Bertil?")
        self.assertIn("Mara", said)
        self.assertEqual([step.act for step in self.goal().plan][0], "get")
        self.do(self.char1, "give letter to Mara")
        self.ticks(2)
        self.assertEqual([step.act for step in self.goal().plan][0], "give")
        self.assertEqual(self.goal().milestones, ["got it from Char"])

    def test_swedish_and_german_are_understood(self):
        for text in ("ta brevet till Bertil!", "kannst du diesen Brief zu Bertil bringen?"):
            self.gives(
                self.mara,
                errands=["things: brev, Brief", "to: Bertil"],
                language="sv" if "ta" in text else "de",
            )
            thing = self.thing("Brief" if "Brief" in text else "brev", self.mara)
            self.char1.location = self.inn
            thing.location = self.char1
            self.asks(text)
            self.assertEqual(self.goal().title, f"Bring {thing.key} to Bertil")
            running_errands.drop(self.script_of_mara, self.mara, self.goal().id)

    def refused(self, text="Take this letter to Bertil."):
        """Return what she says where she does not take it on."""
        before = kept_goals.goals(self.script_of_mara)
        [said] = self.asks(text)
        self.assertEqual(kept_goals.goals(self.script_of_mara), before)
        return said

    def test_what_is_not_on_her_list_she_refuses_in_her_own_words(self):
        self.thing("sword", self.char1)
        self.assertIn("don't carry", self.refused("take this sword to Bertil."))
        self.assertIn("nothing to them", self.refused("take this letter to Dora."))

    def test_what_is_on_her_list_and_they_have_not_with_them_she_does_not_call_foreign_to_her(self):
        self.letter.location = self.lane
        self.assertIn("nothing like that with you", self.refused("take this letter to Bertil."))
        self.assertIn("don't carry", self.refused("take this sword to Bertil."))

    def test_what_she_has_herself_and_may_give_is_no_errand(self):
        ale = self.thing("ale", self.mara)
        self.asks("bring an ale to Char2.")
        self.assertIs(ale.location, self.char2)

    def test_a_lock_of_her_builder_is_asked_of_whoever_asks(self):
        self.gives(self.mara, errands=[*LISTED, "if: tag(guild)"])
        self.assertIn("nothing for you", self.refused())
        self.char1.tags.add("guild")
        self.asks()
        self.assertEqual(self.goal().title, "Bring letter to Bertil")

    def test_in_hours_that_are_kept_free_she_takes_nothing_on(self):
        self.gives(
            self.mara, "06:00 inn: kneads dough", errands=[*LISTED, "not_during: kneads dough"]
        )
        self.assertIn("this hour", self.refused())

    def test_one_thing_at_a_time_and_so_many_a_day(self):
        self.gives(self.mara, errands=[*LISTED, "a_day: 1"])
        self.sends()
        self.thing("parcel", self.char1)
        self.assertIn("One thing", self.refused("take this parcel to Bertil."))
        running_errands.drop(self.script_of_mara, self.mara, self.goal().id)
        self.ticks(2)
        self.assertIn("enough", self.refused("take this parcel to Bertil."))

    def test_to_be_forgotten_is_no_way_round_so_many_a_day(self):
        self.gives(self.mara, errands=[*LISTED, "a_day: 1"])
        self.sends()
        self.forgets()
        self.thing("parcel", self.char1)
        self.assertIn("enough", self.refused("take this parcel to Bertil."))
        self.at(6, day=101)
        self.forgets()
        self.assertIsNone(repository.load(self.script_of_mara, kinds.ERRANDS_ASKED))

    def forgets(self):
        forgetting.ask(self.char1, self.mara)
        self.wait(120)

    def test_whom_she_knows_nowhere_to_find_she_does_not_set_out_for(self):
        self.char2.key = "Cid"
        self.char2.location = self.market
        self.assertIn("where", self.refused("take this letter to Cid."))

    def test_to_who_is_hidden_beside_her_she_does_not_set_out_either(self):
        self.char2.key = "Cid"
        self.char2.locks.add("view:false()")
        self.assertIn("where", self.refused("take this letter to Cid."))

    def test_somebody_who_is_no_player_cannot_send_her(self):
        self.thing("letter", self.bertil)
        self.bertil.location = self.inn
        self.bertil.execute_cmd("say Mara, take this letter to Cid.")
        self.wait(3)
        self.assertEqual(kept_goals.goals(self.script_of_mara), [])

    def test_who_is_remembered_for_a_visit_only_cannot_send_her(self):
        self.assertTrue(accounts.opt_out(self.char1))
        self.do(self.char1, "give letter to Mara")
        self.assertIn("not for me", self.refused())

    def test_she_has_no_such_tool_without_a_list(self):
        self.gives(self.mara)
        self.asks()
        self.assertEqual(kept_goals.goals(self.script_of_mara), [])

    def test_asked_what_she_does_she_tells_only_those_who_may_know(self):
        self.sends()
        self.assertNotIn("Bertil", " ".join(self.asks("what are you doing?")))
        self.char2.location = self.lane
        self.assertIn("Bertil", " ".join(self.asks("what are you doing?")))


class CarriedTests(ErrandTestCase):
    def test_she_brings_it_tells_from_whom_comes_back_and_reports(self):
        self.sends()
        self.leave()
        self.assertEqual(self.carried(), self.bertil)
        self.assertIn("Char sends you this.", " ".join(map(str, self.got)))
        self.assertIs(self.mara.location, self.inn)
        self.assertEqual([step.act for step in self.goal().plan], ["tell"])
        self.ann.clear()
        self.char1.location = self.inn
        self.ticks(2)
        self.assertIn("Bertil has what you sent", " ".join(words(self.ann)))
        self.assertEqual(self.goal().status, "done")
        self.assertEqual(self.goal().milestones, ["gave it to Bertil after 3 rooms"])

    def test_it_is_noted_for_those_alone_who_may_know(self):
        self.sends()
        self.leave()
        self.carried()
        noted = [one for one in journal.entries(self.mara) if "errand" in one.tags]
        self.assertEqual(
            [one.content for one in noted],
            ["Mara was asked to bring letter to Bertil, and gave it to Bertil."],
        )
        self.assertEqual(noted[0].audience, self.goal().audience)

    def test_it_is_no_news_to_others_however_freely_she_tells_on(self):
        npc_settings.choose(self.mara, gossip="freely")
        self.sends()
        self.leave()
        self.carried()
        [noted] = [one for one in journal.entries(self.mara) if "errand" in one.tags]
        journal.edit_entry(self.mara, noted.id, importance=9)
        cid = minds.make_assistant("Cid", location=self.inn)
        self.ticks(5)
        self.assertEqual([one for one in journal.entries(cid) if "was asked" in one.content], [])

    def test_after_a_restart_she_goes_on_and_what_was_brought_is_not_brought_again(self):
        self.sends()
        self.leave()
        self.ticks(2)
        minds.forget_all()
        walking._walks.clear()
        self.ticks(3)
        self.assertIs(self.letter.location, self.bertil)
        # Killed after the giving, and before it was noted.
        goal = self.goal()
        give = [step for step in goal.plan if step.act == "give"]
        kept_goals.keep_plan(self.script_of_mara, goal.id, [*give, *goal.plan])
        self.assertEqual(self.carried(), self.bertil)
        self.assertEqual(len([one for one in self.got if "sends you" in str(one)]), 1)

    def test_a_shut_door_is_tried_for_a_while_and_then_it_comes_back_with_the_reason(self):
        self.ways["Square-Market"].locks.add("traverse:false()")
        self.sends()
        self.leave()
        for _ in range(400):
            self.ticks(seconds=30)
        self.assertIs(self.letter.location, self.mara)
        self.assertIn("gave up: no way leads there", self.goal().milestones)
        self.ann.clear()
        self.char1.location = self.inn
        self.ticks(3)
        self.assertIs(self.letter.location, self.char1)
        self.assertIn("found no way to Bertil", " ".join(words(self.ann)))
        self.assertEqual(self.goal().status, "abandoned")

    def test_a_door_that_opens_in_time_lets_her_through(self):
        self.ways["Square-Market"].locks.add("traverse:false()")
        self.sends()
        self.leave()
        self.ticks(20, seconds=30)
        self.ways["Square-Market"].locks.add("traverse:all()")
        self.assertEqual(self.carried(), self.bertil)

    def test_a_letter_that_is_deleted_on_the_way_is_told_of(self):
        self.sends()
        self.leave()
        self.ticks(2)
        self.letter.delete()
        self.ticks(20)
        self.char1.location = self.inn
        self.ann.clear()
        self.ticks(3)
        self.assertIn("is gone", " ".join(words(self.ann)))
        self.assertEqual(self.goal().status, "abandoned")

    def test_a_receiver_who_is_no_more_gets_nothing_and_the_sender_gets_it_back(self):
        self.sends()
        self.leave()
        self.bertil.delete()
        self.ticks(5)
        self.char1.location = self.inn
        self.ticks(3)
        self.assertIs(self.letter.location, self.char1)

    def test_a_sender_who_is_no_more_leaves_it_with_her(self):
        self.sends()
        self.leave()
        self.bertil.delete()
        self.char2.key = "Other"
        self.session.puppet = None
        self.char1.delete()
        self.ticks(5)
        self.assertIs(self.letter.location, self.mara)
        self.assertEqual(self.goal().status, "abandoned")

    def test_she_goes_at_once_and_stays_for_who_talks_with_her_on_the_way(self):
        self.sends()
        self.assertEqual(self.ticks(), ["Lane"])
        self.char1.location = self.lane
        self.asks("wait a moment!")
        self.assertEqual(self.ticks(3), ["Lane", "Lane", "Lane"])
        self.leave()
        self.assertEqual(self.ticks(2), ["Square", "Market"])

    def test_by_her_day_she_goes_when_the_hour_is_free_and_back_to_work_after_it(self):
        self.gives(
            self.mara,
            "06:00 inn: kneads dough",
            "13:00 lane: sweeps",
            errands=[*LISTED, "not_during: kneads dough"],
        )
        self.at(13)
        self.ticks(2)
        self.char1.location = self.char2.location = self.lane
        self.sends()
        self.leave()
        self.at(7)
        self.ticks(5)
        self.assertIs(self.letter.location, self.mara)
        self.at(14)
        self.assertEqual(self.carried(), self.bertil)
        self.assertIs(self.mara.location, self.lane)


class AttackTests(ErrandTestCase):
    def test_nobody_comes_by_what_they_could_not_take_themselves(self):
        parcel = self.thing("parcel", self.char1, Locked)
        self.do(self.char1, "give parcel to Mara")
        self.asks("take this parcel to Bertil.")
        self.leave()
        for _ in range(400):
            self.ticks(seconds=30)
        self.assertIs(parcel.location, self.mara)
        self.assertIn("gave up: it could not be handed over", self.goal().milestones)

    def test_what_lies_in_a_parcel_must_be_on_the_list_itself(self):
        parcel = self.thing("parcel", self.char1)
        self.thing("dagger", parcel)
        self.asks("take this parcel to Bertil.")
        self.assertEqual(kept_goals.goals(self.script_of_mara), [])

    def test_a_parcel_that_is_filled_on_the_way_is_not_handed_over(self):
        parcel = self.thing("parcel", self.char1)
        self.do(self.char1, "give parcel to Mara")
        self.asks("take this parcel to Bertil.")
        self.thing("dagger", parcel)
        self.leave()
        self.ticks(10)
        self.assertIs(parcel.location, self.mara)

    def test_what_others_gave_her_nobody_else_sends_away(self):
        self.do(self.char1, "give letter to Mara")
        self.asks(character=self.char2)
        self.assertEqual(kept_goals.goals(self.script_of_mara), [])

    def test_what_is_hers_nobody_sends_away(self):
        self.letter.delete()
        self.thing("letter", self.mara)
        self.asks()
        self.assertEqual(kept_goals.goals(self.script_of_mara), [])

    def test_a_report_tells_nothing_of_where_somebody_was(self):
        self.sends()
        self.leave()
        self.carried()
        self.ann.clear()
        self.char1.location = self.inn
        self.ticks(2)
        self.assertNotIn("Market", str(self.ann))

    def test_a_thing_with_marks_in_its_name_is_a_name(self):
        self.letter.key = "|r{name}$eval(letter) letter"
        self.asks()
        self.assertEqual(self.goal().title, "Bring {name}$eval(letter) letter to Bertil")

    def test_before_others_the_sender_is_told_in_a_whisper(self):
        self.sends()
        self.leave()
        self.carried()
        self.ann.clear()
        self.bob.clear()
        self.char1.location = self.char2.location = self.inn
        self.ticks(2)
        self.assertIn("Bertil", str(self.ann))
        self.assertNotIn("Bertil", str(self.bob))


class AskedAboutTests(ErrandTestCase):
    def test_whoever_asks_whether_she_runs_errands_hears_what_she_carries(self):
        for text in (
            "could you deliver something for me?",
            "do you run errands?",
            "to whom do you carry letters?",
        ):
            [said] = self.asks(text)
            self.assertIn("letter, parcel.", said)

    def test_a_letter_may_stand_after_whom_it_is_for(self):
        self.asks("please bring Bertil the letter as well.")
        self.assertEqual(self.goal().title, "Bring letter to Bertil")

    def test_asked_what_became_of_it_she_says_how_it_stands(self):
        asked = "did you bring the letter to Bertil?"
        self.char2.location = self.lane
        self.asks()
        self.assertIn("not given it to me yet", " ".join(self.asks(asked)))
        self.do(self.char1, "give letter to Mara")
        self.ticks(1)
        self.mara.location = self.inn
        self.assertIn("not with Bertil yet", " ".join(self.asks(asked)))
        self.leave()
        self.carried()
        self.char1.location = self.inn
        self.ticks(2)
        self.assertIn("Bertil has it", " ".join(self.asks(asked)))
        for other in (
            "did you bring it?",
            "have you delivered my letter?",
            "what became of my letter?",
        ):
            with self.subTest(other):
                self.assertIn("Bertil has it", " ".join(self.asks(other)))
        self.assertNotIn("Bertil", " ".join(self.asks("what became of my sword?")))
        self.assertEqual(len(kept_goals.goals(self.script_of_mara)), 1)

    def test_before_others_she_tells_only_who_may_know(self):
        self.sends()
        self.bob.clear()
        self.asks("did you bring the letter to Bertil?")
        self.assertNotIn("Bertil yet", str(self.bob))

    def test_of_one_that_came_to_nothing_she_says_why(self):
        self.ways["Square-Market"].locks.add("traverse:false()")
        self.sends()
        self.leave()
        for _ in range(300):
            self.ticks(seconds=60)
        self.char1.location = self.inn
        self.ticks(3)
        said = self.asks("why didn't you bring it?")
        self.assertIn("I found no way to Bertil.", " ".join(said))
        noted = [one.content for one in journal.entries(self.mara) if "errand" in one.tags]
        self.assertIn("Mara was asked to bring letter to Bertil, but no way leads there.", noted)
        # The next one like it begins with that in view.
        [said] = self.asks()
        self.assertIn("It came to nothing last time, but I will try.", said)
