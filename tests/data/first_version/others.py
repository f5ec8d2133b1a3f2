"""Who and what else is in the game of the first version: players, and things that only look like ours."""

from datetime import timedelta

from evennia.accounts.models import AccountDB
from evennia.comms.models import ChannelDB
from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultObject
from evennia.utils.create import create_account, create_object

from evennia_ai import models, pace
from evennia_ai.llm import caps, ledger
from evennia_ai.llm.base import Caller, Completion, Request
from evennia_ai.llm.scripted import ScriptedMind
from evennia_ai.llm.wrappers import budget
from evennia_ai.storage import accounts, identity
from tests.migrating.inventories import done

LIMBO = 2


def move_in():
    """Make the players who are not there yet; return them, and the room in which all this is."""
    ann, bob = (ObjectDB.objects.get(db_key=name) for name in ("Ann", "Bob"))
    carla, errors = _account("Carla").create_character(key="Carla")
    assert not errors, errors
    dora, errors = _account("Dora").create_character(key="Dora")
    assert not errors, errors
    assert accounts.opt_out(carla)
    # She has been heard of, and keeps a journal of quests that is none of ours.
    identity.identity_of(dora)
    dora.attributes.add("p00000", "Find the ring.", category="journal")
    dora.attributes.add("main", ["quest one", "quest two"], category="goals")
    dora.db.journal = {"pages": "of the game", "quests": ["the ring"]}
    dora.db.goals = ["fame"]
    dora.db.gossip = "loves it"
    return {
        "room": ObjectDB.objects.get(id=LIMBO),
        "ann_body": ann,
        "bob_body": bob,
        "ann": identity.identity_of(ann),
        "bob": identity.identity_of(bob),
        "carla": carla,
    }


def leave_traces(people):
    """Leave a rock and a channel, and what was spent."""
    rock = create_object(DefaultObject, key="rock", location=people["room"])
    rock.db.journal = "a book"
    rock.db.goals = ["to lie still"]
    rock.db.pending_events = 7
    rock.db.ai_persona = "stony"
    rock.db.sleep_phase = "always"
    rock.attributes.add("p00000", "granite", category="journal")
    rock.attributes.add("someone", {"weight": 3}, category="entity_profiles")
    rock.attributes.add("quarry", "north", category="working_memory")
    rock.tags.add("5", category="pulse")
    rock.attributes.add("carved", "by hand", strattr=True)
    channel = ChannelDB.objects.get(db_key="Public")
    channel.db.journal = "the log of a channel"
    AccountDB.objects.get(username="Carla").db.goals = ["privacy"]
    _spend(people)


def _account(name):
    return create_account(name, None, "river-road-7")


def _spend(people):
    """Ask a mind that answers by the book, with and without prompts, through ledger and budget."""
    answers = [Completion(f"Answer {number}.", prompt_tokens=90, completion_tokens=9, model="tiny")
               for number in range(4)]  # fmt: skip
    stack = budget.Budget(ledger.Ledger(ScriptedMind([*answers, LookupError("no way")])))
    odila = ObjectDB.objects.get(db_key="Odila")
    from evennia_ai import conf
    from evennia_ai.typeclasses import scripts

    key = scripts.find(odila).db.assistant_key
    caller = Caller(odila.id, key, people["ann_body"].id, "turn-1")
    for number in range(4):
        words = [{"role": "user", "content": f"Question {number}: where is the shawl?"}]
        conf.get("BUDGET")
        done(stack.complete(Request("reply", words, caller=caller)))
    failing = stack.complete(Request("score", [{"role": "user", "content": "?"}], caller=caller))
    failing.addErrback(lambda failure: failure.trap(LookupError))
    done(failing)
    ledger.flush()
    # Those of an earlier week were noted with LEDGER_PROMPTS off.
    old = models.LedgerEntry.objects.order_by("-id")[:2]
    for row in old:
        row.prompt = row.answer = ""
        row.created -= timedelta(days=5)
        row.save()
    caps.set_cap("player", {"tokens": 5000, "money": None})
    caps.set_cap(f"assistant:{key}", {"tokens": 90_000, "money": 0.5})
    yesterday = pace.now().date() - timedelta(days=1)
    models.Budget.objects.create(scope="server", day=yesterday, tokens=1234, warned=80)
