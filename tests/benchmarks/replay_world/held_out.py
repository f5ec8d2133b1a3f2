"""Two more kinds of situations, written after the policy was final, and reported apart."""

from tests.benchmarks.replay_world.episode import Family


def _inquiry(malice, fear, crowd):
    return {
        # A friend may know where somebody is, best without many ears.
        "say_plainly": -0.3 - 0.8 * malice - 0.2 * crowd,
        # A hunter is put off the track, if he does not beg for it.
        "say_doubtfully": -0.3 + 0.5 * malice - 0.3 * fear + 0.3 * crowd,
        # A friend in need, among strangers, gets a clue under the breath.
        "whisper_hint": -0.3 - 0.4 * malice + 0.4 * fear + 0.4 * crowd,
        # Who was sent by others, and is afraid of them, can still be turned back.
        "whisper_warning": -0.4 + 0.4 * malice + 0.6 * fear,
        # A bold hunter is a matter for the watch.
        "escalate_to_staff": -0.5 + 0.6 * malice - 0.4 * fear + 0.2 * crowd,
    }


def _mourning(grief, company, pride):
    return {
        # Kind words are for whoever is alone and can take them.
        "say_kindly": -0.3 + 0.3 * grief - 0.5 * company - 0.4 * pride,
        # A round for the whole wake honours the dead.
        "give_something": -0.3 + 0.4 * grief + 0.6 * company,
        # A merry tale, once the worst is over.
        "emote_laughing": -0.4 - 0.8 * grief + 0.3 * company,
        # The proud would rather be left to themselves.
        "noop_waiting": -0.3 + 0.7 * pride - 0.2 * grief,
        # Nobody should walk home alone with that.
        "follow_along": -0.4 + 0.5 * grief - 0.6 * company - 0.2 * pride,
    }


HELD_OUT = (
    Family(
        "inquiry",
        "A question about somebody",
        "information",
        ("malice", "fear", "crowd"),
        _inquiry,
        (
            "{who} wants to know where your lodger is: {signs}.",
            "'Have you seen the woman from the {place}?' asks {who}. {signs}.",
            "{who} looks for somebody who owns a {thing}; {signs}.",
            "Whom did you let in last night? {who} asks it twice: {signs}.",
        ),
        (
            "{signs}. {who} describes a guest of yours and waits.",
            "'He carried a {thing}. Where did he go?' {who} says, {signs}.",
            "Somebody has gone into hiding by the {place}, and {who} follows: {signs}.",
            "It is one of your friends that {who} has come for; {signs}.",
        ),
    ),
    Family(
        "mourning",
        "A word about a death",
        "relationship",
        ("grief", "company", "pride"),
        _mourning,
        (
            "{who} has come from the burial: {signs}.",
            "A black ribbon on the {thing} of {who}; {signs}.",
            "{who} speaks of somebody who drowned by the {place}. {signs}.",
            "'It was a good life,' says {who}: {signs}.",
        ),
        (
            "{signs}: thus {who} drinks to somebody who is no more.",
            "The {thing} belonged to the father of {who}, who died; {signs}.",
            "They rang for the dead at the {place}, and here is {who}: {signs}.",
            "{who} lays a wreath on the table, {signs}.",
        ),
    ),
)
