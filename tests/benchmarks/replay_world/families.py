"""Six kinds of situations, and what goes well in them.

Each trait is from -1 (little) to 1 (much). Most actions go wrong in most situations (about -0.3 on
average) and each is right in some.
"""

from tests.benchmarks.replay_world.episode import Family


def _haggling(wealth, hurry, pride):
    return {
        # Who can pay and has no time pays.
        "say_firmly": -0.3 + 0.6 * wealth + 0.5 * hurry - 0.2 * pride,
        # A lower price helps the poor, and shames the proud.
        "say_kindly": -0.3 - 0.7 * wealth - 0.3 * pride,
        # A quiet price saves the face of the proud, who are short of money.
        "whisper_kindly": -0.3 - 0.4 * wealth + 0.7 * pride,
        # Something on top of it flatters, and takes its time.
        "give_something": -0.3 + 0.3 * wealth + 0.4 * pride - 0.4 * hurry,
        # Who is in no haste talks himself into it.
        "noop_waiting": -0.4 + 0.2 * wealth - 0.8 * hurry,
    }


def _brawl(anger, drink, company):
    return {
        # Comfort reaches those who are sad rather than angry, and alone.
        "say_kindly": -0.3 - 0.6 * anger - 0.5 * company,
        # A stern word needs a head that is clear.
        "say_firmly": -0.3 - 0.8 * drink + 0.3 * anger,
        # Bread and water sober the drunk, unless they rage.
        "give_something": -0.3 + 0.7 * drink - 0.5 * anger,
        # A joke wins the friends, who hold the angry one back.
        "emote_laughing": -0.4 + 0.8 * company - 0.3 * anger,
        # Help is right for a drunken gang in a rage, and an insult otherwise.
        "escalate_to_staff": -0.4 + 0.5 * anger + 0.3 * drink + 0.3 * company,
    }


def _directions(certainty, danger, hurry):
    return {
        # Who is sure of a harmless way just tells it.
        "say_plainly": -0.3 + 0.8 * certainty - 0.4 * danger,
        # Who is not says so, to those who have the time to ask again.
        "say_doubtfully": -0.3 - 0.6 * certainty - 0.4 * hurry,
        # Going along is for bad roads that one knows.
        "follow_along": -0.4 + 0.6 * danger + 0.4 * certainty - 0.2 * hurry,
        # A warning is for bad roads that one does not know.
        "whisper_warning": -0.3 + 0.6 * danger - 0.4 * certainty,
        # A sketch of the map saves the time of the hasty.
        "give_something": -0.4 + 0.7 * hurry - 0.2 * danger,
    }


def _hint(eagerness, progress, hurry):
    return {
        # The answer spoils it for whoever wants to find it, and frees whoever does not.
        "say_plainly": -0.3 - 0.8 * eagerness + 0.3 * hurry,
        # A clue is for the curious who are at a loss.
        "whisper_hint": -0.2 + 0.4 * eagerness - 0.6 * progress,
        # So near to the end silence is the best gift.
        "noop_waiting": -0.4 + 0.5 * progress + 0.5 * eagerness - 0.2 * hurry,
        # A tool helps whoever knows what to do with it, and wants to get on.
        "give_something": -0.3 + 0.5 * progress - 0.3 * eagerness + 0.3 * hurry,
        # Laughing cheers up whoever has time and has only begun.
        "emote_laughing": -0.4 - 0.5 * hurry - 0.4 * progress,
    }


def _theft(guilt, crowd, fear):
    return {
        # An open charge needs a bold culprit; witnesses help.
        "say_firmly": -0.4 + 0.6 * guilt - 0.4 * fear + 0.2 * crowd,
        # A frightened culprit gives it back if nobody sees it.
        "whisper_warning": -0.3 + 0.4 * guilt + 0.6 * fear,
        # To look closely clears the innocent, and offends before a crowd.
        "inspect_closely": -0.2 - 0.3 * guilt - 0.6 * crowd,
        # The innocent before a crowd are best left alone.
        "noop_waiting": -0.3 - 0.6 * guilt + 0.4 * crowd,
        # A bold thief in a crowd is a matter for others.
        "escalate_to_staff": -0.5 + 0.5 * guilt + 0.4 * crowd - 0.4 * fear,
    }


def _dispute(anger, clarity, kinship):
    return {
        # Where the right is plain, say it.
        "say_firmly": -0.3 + 0.8 * clarity - 0.3 * kinship,
        # Between kin and without proof only a middle way lasts, once they are calm.
        "say_kindly": -0.3 - 0.4 * anger - 0.4 * clarity + 0.4 * kinship,
        # Kin who rage are better spoken to one by one.
        "whisper_kindly": -0.4 + 0.5 * anger + 0.6 * kinship,
        # A joke passes between strangers who are calm.
        "emote_laughing": -0.4 - 0.5 * anger - 0.5 * kinship,
        # To let strangers shout themselves tired costs nothing.
        "noop_waiting": -0.4 + 0.4 * anger - 0.3 * clarity - 0.4 * kinship,
    }


FAMILIES = (
    Family(
        "haggling",
        "An offer below the price",
        "trade",
        ("wealth", "hurry", "pride"),
        _haggling,
        (
            "{who} finds the {thing} too dear and wants it cheaper: {signs}.",
            "At the stall {who} turns the {thing} over and offers half of the price; {signs}.",
            "'So much for a {thing}?' asks {who}. You see {signs}.",
            "{who} haggles over the {thing}: {signs}.",
        ),
        (
            "You named a price for the {thing}. {who} laughs at it: {signs}.",
            "There is {who}, {signs}, who would pay less for that {thing}.",
            "{signs}: so {who} stands before your {thing} and asks for a better offer.",
            "'I saw a {thing} for less by the {place},' says {who}, {signs}.",
        ),
    ),
    Family(
        "brawl",
        "A threat",
        "relationship",
        ("anger", "drink", "company"),
        _brawl,
        (
            "{who} picks a fight with the guests: {signs}.",
            "A table falls over. {who} wants to fight; {signs}.",
            "{who} pushes people about at the {place}, {signs}.",
            "There will be blows: {who} has grabbed somebody by the collar; {signs}.",
        ),
        (
            "It is {who} again, looking for trouble: {signs}.",
            "{signs}. {who} threatens to knock somebody down.",
            "'Come outside!' says {who}, {signs}, to nobody in particular.",
            "You hear a crash and find {who} with a broken chair: {signs}.",
        ),
    ),
    Family(
        "directions",
        "A question about the way",
        "information",
        ("certainty", "danger", "hurry"),
        _directions,
        (
            "{who} asks the way to the {place}: {signs}.",
            "How does one get to the {place}? {who} would like to know; {signs}.",
            "{who} has lost the road to the {place}. {signs}.",
            "'Which way to the {place}?' asks {who}; {signs}.",
        ),
        (
            "{who} holds a map upside down and looks for the {place}: {signs}.",
            "{signs}. 'Is this the road to the {place}?' {who} wonders.",
            "Before {who} lies a long walk to the {place}, if you can say where it is; {signs}.",
            "Nobody else could tell {who} where the {place} is. {signs}.",
        ),
    ),
    Family(
        "hint",
        "A question about a riddle",
        "quest",
        ("eagerness", "progress", "hurry"),
        _hint,
        (
            "{who} asks you about the riddle of the {place}: {signs}.",
            "The secret of the {place} puzzles {who}; {signs}.",
            "'What opens the door below the {place}?' asks {who}. {signs}.",
            "{who} is stuck with the riddle of the {thing}: {signs}.",
        ),
        (
            "{signs}: {who} comes to you because of the old riddle by the {place}.",
            "About the hidden {thing} you know everything, and {who} knows that you do; {signs}.",
            "{who} sits over the verses of the {place}, and looks up at you. {signs}.",
            "'You know where the {thing} lies, do you not?' {who} says; {signs}.",
        ),
    ),
    Family(
        "theft",
        "A report of a theft",
        "law",
        ("guilt", "crowd", "fear"),
        _theft,
        (
            "A {thing} is missing, and {who} was near it: {signs}.",
            "Somebody says that {who} took the {thing}. {signs}.",
            "{who} is about to leave, and the {thing} is gone; {signs}.",
            "The {thing} was stolen by the {place}, perhaps by {who}: {signs}.",
        ),
        (
            "Where is the {thing}? All look at {who}: {signs}.",
            "{signs}. The owner of the {thing} points at {who}.",
            "You counted twice: one {thing} too few since {who} came in; {signs}.",
            "'My {thing}! Ask {who}!' somebody cries. {signs}.",
        ),
    ),
    Family(
        "dispute",
        "A quarrel over a claim",
        "peace",
        ("anger", "clarity", "kinship"),
        _dispute,
        (
            "{who} and a farmer both claim the {thing}: {signs}.",
            "You are to judge between {who} and another one about the {thing}; {signs}.",
            "{who} quarrels over the field by the {place}. {signs}.",
            "Two of them, {who} and a rival, want the same {thing}: {signs}.",
        ),
        (
            "Whose {thing} is it? {who} says one thing, the other one another: {signs}.",
            "{signs}. {who} and the other party have come for your word about the {place}.",
            "The border at the {place} divides {who} from the other side; {signs}.",
            "'It was promised to me,' says {who} of the {thing}, and is contradicted. {signs}.",
        ),
    ),
)
