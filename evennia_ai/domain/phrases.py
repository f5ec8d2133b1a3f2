"""What a mind without a model can say, as a table by language: add a language by adding a table.

In a line {name} is who is spoken to, {npc} the speaker, {text} and {by} what the line is about;
they are filled in one pass, so words of players are never read as slots. A phrase has
several lines where it is heard often; one of them is picked.
"""

from __future__ import annotations

from evennia_ai.domain import phrases_swedish

DEFAULT_LANGUAGE = "en"

ENGLISH = {
    # What somebody without a name is called, and the words that join things.
    "friend": ("friend",),
    "somebody": ("somebody",),
    "and": ("and",),
    "hello": ("Hello, {name}.", "Well met, {name}."),
    "hello_bare": ("Hello.", "Well met."),
    "greet_stranger": (
        "Well met, {name}. I don't believe we have spoken before.",
        "Hello, {name}. A new face is always welcome. What brings you here?",
        "Greetings, {name}. Make yourself at home.",
    ),
    "greet_known": (
        "Good to see you again, {name}.",
        "Ah, {name}, back again. What can I do for you?",
        "Hello again, {name}. I was wondering when you would turn up.",
    ),
    "greet_friend": (
        "There you are again, {name}! Come, sit with me.",
        "{name}, my friend, it is good to have you back!",
        "Back at last, {name}! I have missed your company.",
    ),
    "farewell": (
        "Farewell, {name}. Mind the road.",
        "Until next time, {name}.",
        "Take care of yourself, {name}.",
    ),
    "thanks": (
        "You are welcome, {name}.",
        "Don't mention it, {name}.",
        "Glad I could be of use.",
    ),
    "sorry": ("No harm done, {name}.", "Think nothing of it, {name}."),
    "condole": ("Thank you, {name}. That is kind of you.", "Kind words, {name}. Thank you."),
    "gift": ("For me? Thank you, {name}.", "That is kind of you, {name}. Thank you."),
    "how": (
        "Well enough, {name}. And how are you faring?",
        "I can't complain, {name}. Nobody listens when I do. And you?",
        "Better for some company, {name}.",
    ),
    "introduction": (
        "I will remember that name, {name}.",
        "A pleasure. I won't forget it, {name}.",
    ),
    "laugh": ("Ha! It does one good to hear laughter, {name}.", "I am glad one of us is merry."),
    "yes": ("Good. Then we agree, {name}.", "I thought as much, {name}.", "Just so."),
    "no": ("As you like, {name}.", "No? Then not."),
    "well": ("I am glad to hear it, {name}.", "Good. Long may it last, {name}."),
    "help": (
        "I can tell you what I know, {name}, and lend a hand. What do you need?",
        "Ask me about something, {name}, or tell me what to do.",
    ),
    "insult": (
        "There is no call for that, {name}.",
        "I have been called worse, {name}, by better people.",
    ),
    "praise": ("You flatter me, {name}.", "That is kind of you to say, {name}."),
    "vague": (
        "How do you mean, {name}?",
        "I am not sure what you are asking, {name}.",
        "Say it in other words, {name}?",
    ),
    "statement": (
        "I see, {name}. I'll keep that in mind.",
        "Is that so? I will remember it, {name}.",
        "Thank you for telling me, {name}.",
        "Well, well. One learns something every day.",
    ),
    "statement_echo": (
        "{text}, you say? I will remember that, {name}.",
        "{text}? I'll keep that in mind, {name}.",
        "{text}... I had not heard that, {name}.",
    ),
    "shrug": (
        "Strange words, {name}. I can make nothing of them.",
        "That means nothing to me, {name}.",
        "You have lost me there, {name}. Try plain speech.",
    ),
    "empty": ("Hm? Did you say something, {name}?", "You have my ear, {name}.", "Yes, {name}?"),
    "unknown": (
        "I know nothing of that, {name}.",
        "I couldn't tell you, {name}. I have not heard of it.",
        "There you ask more than I know, {name}.",
        "I wish I could help, {name}, but that is news to me.",
    ),
    "unknown_by": (
        "Nothing that I could pass on to you, {name}.",
        "There is nothing from {by} that I could tell you, {name}.",
    ),
    "lore": ("{text}", "That I know. {text}", "Listen, {name}. {text}"),
    "journal": ("I remember this: {text}", "I remember it well. {text}"),
    "insight": (
        "If you ask me, {name}: {text}",
        "I have given it some thought, {name}. {text}",
        "This is what I make of it: {text}",
    ),
    "because": ("Because {text}",),
    "told": ('{by} told me: "{text}"', 'I have it from {by}: "{text}"'),
    "overheard": ('I only heard {by} say: "{text}"', '{by} said, but not to me: "{text}"'),
    "overheard_self": ('I heard you say: "{text}"',),
    "rumour": ('It is only a rumour, from {by}: "{text}"',),
    "told_self": ('You told me: "{text}"', 'You told me so yourself, {name}: "{text}"'),
    "again": (
        "As I said, {name}: {text}",
        "I can only say it again. {text}",
        "Once more, then, {name}. {text}",
    ),
    "more_none": ("That is all I know, {name}.", "There is no more to tell, {name}."),
    "news_none": ("Nothing new that I have heard, {name}.", "It has been quiet here, {name}."),
    "self": ("I am {text}.",),
    "my_name": ("You are {name}, unless I am much mistaken.",),
    "remember_yes": ("Of course, {name}. I remember you.",),
    "remember_no": ("I don't think that we have spoken before, {name}.",),
    "me_nothing": (
        "Not much yet, {name}. Tell me something of yourself.",
        "Little more than your name, {name}.",
    ),
    "place": ("This is {text}, {name}.",),
    "place_unknown": ("You are here with me, {name}. More than that I can't tell you.",),
    "here": ("Besides you and me I see {text}.", "I see {text}, and the two of us, {name}."),
    "here_none": ("Only the two of us, {name}.", "Nobody but you and me, {name}."),
    "right_here": ("{text} is right here, {name}.", "Look around, {name}: {text} is here."),
    "just_said": ('You said: "{text}"', 'Your words were: "{text}"'),
    "just_said_none": ("You have told me nothing yet, {name}.",),
    "own_said": ('I said: "{text}"', 'My words were: "{text}"'),
    "own_said_none": ("I have not said anything yet, {name}.",),
    "time": ("It is {text}, {name}.",),
    "time_unknown": ("I have lost track of the hours, {name}.",),
    "follow": ("Lead on, {name}.", "I am right behind you, {name}."),
    "follow_no": ("I can't come along, {name}.", "My place is here, {name}."),
    "stay": ("As you wish. I'll stay here, {name}.", "I am not going anywhere, {name}."),
    "give": ("Here you are, {name}.", "There you go, {name}. Take good care of it."),
    "give_no": (
        "I have nothing of the kind to give, {name}.",
        "That I can't give you, {name}.",
    ),
    "look": ("I see this: {text}",),
    "look_no": ("I see nothing of the kind here, {name}.",),
    "remind": ("I'll remind you, {name}.", "Good. I'll see that you don't forget, {name}."),
    "remind_when": ("When shall I remind you, {name}? In how many minutes?",),
    "remind_no": ("Better not count on me for that, {name}.",),
    "reminder": ("{name}, you asked me to remind you: {text}",),
    "staff": ("I have sent word to those who look after this place, {name}.",),
    "staff_no": ("I could not reach anybody just now, {name}.",),
    "quiet": ("As you like, {name}.",),
    "go": ("Here I am.",),
    "go_no": ("I am staying where I am, {name}.",),
    "refuse": (
        "That is not for me, {name}.",
        "I'd rather not, {name}.",
        "You'll have to ask somebody else for that, {name}.",
    ),
    "react": ("Yes, {name}?", "I see you, {name}.", "What is it, {name}?"),
    # Poses, written to stand after the name of who makes them.
    "pose": (
        "looks at {name} with interest.",
        "nods to {name}.",
        "raises an eyebrow at {name}.",
    ),
    "pose_wave": ("waves back at {name}.",),
    "pose_smile": ("smiles back at {name}.",),
    "pose_bow": ("bows to {name}.",),
    "pose_nod": ("nods back at {name}.",),
    "pose_laugh": ("laughs along with {name}.",),
    "pose_hug": ("pats {name} on the back.",),
    "pose_hit": ("takes a step back and glares at {name}.",),
    "pose_cry": ("looks at {name} with concern.",),
    "pose_drink": ("raises a cup to {name}.",),
    "pose_dance": ("taps a foot and watches {name} dance.",),
    # Gestures that somebody asked for.
    "do_dance": ("dances a few steps.",),
    "do_sing": ("hums a few bars of an old song.",),
    "do_smile": ("smiles at {name}.",),
    "do_bow": ("bows to {name}.",),
    "do_nod": ("nods.",),
    "do_wave": ("waves at {name}.",),
    "do_laugh": ("laughs.",),
    "do_jump": ("gives a small hop, for {name}'s sake.",),
    "do_sit": ("sits down for a moment.",),
    "do_clap": ("claps.",),
    "ask": ("Ask away, {name}.", "Of course, {name}. What is it?"),
    "doubt": ("I tell it as I know it, {name}.", "As sure as I can be, {name}."),
    "lost": (
        "Then I put it badly, {name}. Ask me in other words.",
        "Let us begin again, {name}. What is it you want to know?",
    ),
    "wonder": ("So it is, {name}.", "You may well say so, {name}."),
    "busy": (
        "The same as every day, {name}. There is always work.",
        "I can't complain, {name}. The work never ends.",
    ),
    "work": (
        "Nothing just now, {name}, but thank you for asking.",
        "I have no work for you today, {name}.",
    ),
    "seem": ("Do I, {name}? It has been a long day.", "If you say so, {name}."),
    "trade": ("Then let us talk trade, {name}. What will you pay?", "We can trade, {name}."),
    "trade_what": ("What is it that you want, {name}?", "Trade? For what, {name}?"),
    "buy_none": ("I am not buying, {name}.", "You'll have to find another buyer, {name}."),
    "trade_none": ("I have nothing of the kind to sell, {name}.",),
    "yes_self": ("That I am, {name}.", "The very same, {name}."),
    "no_self": ("No, {name}. I am {text}.",),
    "way": ("{text}, {name}: that is the way to {by}.", "{text} takes you to {by}, {name}."),
    "way_dark": ("{text}, {name}. Where it ends I can't tell you.",),
    "way_to": ("{text}, to {by}",),
    "ways": ("From here you can go: {text}.",),
    "ways_none": ("I know of no way out of here, {name}.",),
    "carried": ("I have {text} with me, {name}.",),
    "carried_none": ("Nothing to speak of, {name}.",),
    "gave": ("You gave me {text}, {name}.",),
    "gave_none": ("Nothing that I recall, {name}. I have not had a thing from you.",),
    "seen_before": ("{by} was here {text}, {name}, but is gone now.",),
    "seen_not": ("I have not seen {by}, {name}.",),
    "seen_today": ("Besides you I have seen {text} here today, {name}.",),
    "seen_today_none": ("Nobody but you today, {name}.",),
    "ago": ("a moment ago", "earlier today", "yesterday", "some days ago"),
    "date": ("It is {text}, as far as I know, {name}.",),
    "date_unknown": ("I keep no count of the days and years, {name}.",),
    "corrected": (
        "Then it is so, {name}. I'll remember it right.",
        "I see. I have put that right, {name}.",
        "Ah, good to know, {name}. I had it wrong.",
    ),
    "regard_ally": ("You are one of the best friends that I have, {name}.",),
    "regard_friend": ("I think of you as a friend, {name}.",),
    "regard_acquaintance": ("I like what I have seen of you so far, {name}.",),
    "regard_stranger": ("I hardly know you yet, {name}. You seem decent company.",),
    "regard_bad": ("I can't say that I think well of you, {name}.",),
}

LANGUAGES = {"en": ENGLISH, "sv": phrases_swedish.SWEDISH}

# Times of day as the game gives them, in other languages.
TIMES = {
    "sv": {
        "dawn": "gryning",
        "morning": "morgon",
        "noon": "mitt på dagen",
        "day": "dag",
        "afternoon": "eftermiddag",
        "evening": "kväll",
        "dusk": "skymning",
        "night": "natt",
        "midnight": "midnatt",
    }
}
