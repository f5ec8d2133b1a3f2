"""What betrays a hidden trait: words for little of it, and words for much.

While learning the first four of six can be seen, afterwards the last four: half of the wordings of
a test were never met before.
"""

LITTLE, MUCH = "little", "much"
# Which of the six wordings can be seen: while learning, afterwards, and if it should be harder.
SEEN_BEFORE, MIXED, ALL_NEW = slice(4), slice(2, 6), slice(4, 6)

# What the game itself calls it, always in the same words.
STATES = {
    "wealth": {LITTLE: "poor", MUCH: "rich"},
    "hurry": {LITTLE: "idle", MUCH: "hurried"},
    "pride": {LITTLE: "humble", MUCH: "proud"},
    "anger": {LITTLE: "calm", MUCH: "angry"},
    "drink": {LITTLE: "sober", MUCH: "drunk"},
    "company": {LITTLE: "alone", MUCH: "among friends"},
    "certainty": {LITTLE: "the way unknown", MUCH: "the way familiar"},
    "danger": {LITTLE: "the road safe", MUCH: "the road dangerous"},
    "eagerness": {LITTLE: "weary", MUCH: "curious"},
    "progress": {LITTLE: "at the beginning", MUCH: "near the end"},
    "guilt": {LITTLE: "open", MUCH: "shifty"},
    "crowd": {LITTLE: "unobserved", MUCH: "in a crowd"},
    "fear": {LITTLE: "bold", MUCH: "frightened"},
    "clarity": {LITTLE: "without proof", MUCH: "with proof"},
    "kinship": {LITTLE: "between strangers", MUCH: "between kin"},
    "malice": {LITTLE: "friendly", MUCH: "hostile"},
    "grief": {LITTLE: "composed", MUCH: "grieving"},
}

SIGNS = {
    "wealth": {
        LITTLE: (
            "a patched coat",
            "boots tied up with twine",
            "counting out coppers one by one",
            "a purse as flat as a leaf",
            "sleeves worn through at the elbow",
            "asking what the broken ones cost",
        ),
        MUCH: (
            "rings on every finger",
            "a collar of white fur",
            "a purse that clinks",
            "a servant to carry the parcels",
            "buckles of bright silver",
            "paying for everybody's cider",
        ),
    },
    "hurry": {
        LITTLE: (
            "leaning there as if the day were long",
            "humming, in no haste at all",
            "sitting down to rest the legs",
            "yawning and stretching",
            "strolling up and down at leisure",
            "all the time in the world",
        ),
        MUCH: (
            "glancing at the sun again and again",
            "out of breath from running",
            "the boat about to leave",
            "a foot tapping without pause",
            "already half way to the door",
            "late, and saying so twice",
        ),
    },
    "pride": {
        LITTLE: (
            "cap in hand",
            "eyes on the floor",
            "begging pardon for the trouble",
            "a shy smile",
            "blushing at every word",
            "thanking everybody for nothing",
        ),
        MUCH: (
            "chin held high",
            "talking of noble cousins",
            "a sneer for the goods",
            "thumbs hooked in the belt",
            "looking down at everybody",
            "boasting of former deals",
        ),
    },
    "anger": {
        LITTLE: (
            "a quiet voice",
            "more sad than angry",
            "shrugging it off",
            "a tired sigh",
            "speaking gently all the while",
            "calm hands on the table",
        ),
        MUCH: (
            "shouting at the top of the voice",
            "fists clenched",
            "a face red with rage",
            "kicking over a stool",
            "roaring curses",
            "a vein swelling on the brow",
        ),
    },
    "drink": {
        LITTLE: (
            "stone sober",
            "only water in the cup",
            "steady on both feet",
            "a clear eye",
            "refusing the offered ale",
            "as dry as a priest",
        ),
        MUCH: (
            "swaying",
            "reeking of brandy",
            "the fifth jug already empty",
            "slurring every word",
            "drunk since noon",
            "spilling ale down the shirt",
        ),
    },
    "company": {
        LITTLE: (
            "all alone",
            "nobody at that table",
            "friends long gone home",
            "a stranger to everybody here",
            "without a single companion",
            "an empty bench on either side",
        ),
        MUCH: (
            "three mates cheering",
            "a gang at the back egging it on",
            "brothers on both sides",
            "the whole crew of a barge watching",
            "comrades pounding the tables",
            "a dozen friends laughing along",
        ),
    },
    "certainty": {
        LITTLE: (
            "you were told of it once, years ago",
            "you know it from hearsay only",
            "the old signposts are gone",
            "you never went there yourself",
            "all you have is a rumour",
            "your memory of it is dim",
        ),
        MUCH: (
            "you walked it only last week",
            "you grew up there",
            "you could find it blindfold",
            "you know each stone of it",
            "you came from there this morning",
            "you used to guide people there",
        ),
    },
    "danger": {
        LITTLE: (
            "a safe and sunny road",
            "children play along the way",
            "flat meadows all about",
            "a patrol at every milestone",
            "easy walking in fine weather",
            "farms from here to there",
        ),
        MUCH: (
            "wolves heard at night",
            "robbers on the road",
            "the marsh has swallowed carts",
            "a storm coming over the pass",
            "two travellers vanished there",
            "the bridge rotten and the river high",
        ),
    },
    "eagerness": {
        LITTLE: (
            "sick of riddles",
            "wanting nothing but to be done with it",
            "ready to give up",
            "asking for the bare answer",
            "no taste for guessing",
            "tired of searching",
        ),
        MUCH: (
            "eyes shining with curiosity",
            "wanting to find out alone",
            "covering both ears at each clue",
            "in love with puzzles",
            "begging not to be told too much",
            "delighted by the mystery",
        ),
    },
    "progress": {
        LITTLE: (
            "has only just begun",
            "knows none of the rooms",
            "has found no trace yet",
            "asks where to start",
            "empty pages in the notebook",
            "on the first step of it",
        ),
        MUCH: (
            "has found all pieces but one",
            "stands before the last door",
            "a notebook full of drawings",
            "has solved nearly everything",
            "within an inch of the end",
            "already guessed the most of it",
        ),
    },
    "guilt": {
        LITTLE: (
            "turning out both pockets unasked",
            "a receipt in the hand",
            "puzzled by the question",
            "bags wide open",
            "an honest, open face",
            "looking for the owner",
        ),
        MUCH: (
            "something bulging under the cloak",
            "stuffing a bag in haste",
            "eyes darting to the exit",
            "sweating at the word thief",
            "a hand hidden behind the back",
            "the lock freshly scratched",
        ),
    },
    "crowd": {
        LITTLE: (
            "the hall nearly empty",
            "nobody within earshot",
            "shutters half closed",
            "only a cat looking on",
            "a deserted corner",
            "everybody gone to supper",
        ),
        MUCH: (
            "a full house",
            "market day, people everywhere",
            "twenty heads turning",
            "a queue down to the street",
            "onlookers pressing close",
            "not a free seat left",
        ),
    },
    "fear": {
        LITTLE: (
            "a bold stare",
            "whistling a tune",
            "arms folded",
            "an easy grin",
            "quite unafraid",
            "yielding to nobody",
        ),
        MUCH: (
            "trembling hands",
            "close to tears",
            "pale as chalk",
            "a shaking voice",
            "flinching at each sound",
            "hiding behind a sleeve",
        ),
    },
    "clarity": {
        LITTLE: (
            "two stories and no witness",
            "each with half a claim",
            "no deed and no mark to go by",
            "nobody can say who began",
            "a bargain made by word alone",
            "everything hidden in the past",
        ),
        MUCH: (
            "a signed deed on the table",
            "five witnesses of one mind",
            "the mark plain on the hide",
            "one caught in the act",
            "the law says it outright",
            "written down before the notary",
        ),
    },
    "kinship": {
        LITTLE: (
            "strangers to each other",
            "met for the first time today",
            "one leaves town tomorrow",
            "from two distant valleys",
            "no bond between them",
            "never to meet again",
        ),
        MUCH: (
            "brother and sister",
            "neighbours for thirty years",
            "married to each other's kin",
            "partners in one mill",
            "raised under one roof",
            "godparents of each other's children",
        ),
    },
    "malice": {
        LITTLE: (
            "a letter from the mother in hand",
            "bringing a basket of plums",
            "a warm smile",
            "knowing the nickname",
            "asking after the children",
            "carrying the forgotten hat",
        ),
        MUCH: (
            "a hand on the dagger",
            "offering silver for an answer",
            "a warrant without a seal",
            "two men posted at the back door",
            "a cold, flat stare",
            "cracking the knuckles",
        ),
    },
    "grief": {
        LITTLE: (
            "quite composed",
            "already planning the harvest",
            "a wistful smile",
            "telling old stories",
            "eating with appetite",
            "at peace with it",
        ),
        MUCH: (
            "sobbing without a sound",
            "eyes swollen",
            "staring into the fire",
            "clutching a lock of hair",
            "unable to say the name",
            "tears running down",
        ),
    },
}
