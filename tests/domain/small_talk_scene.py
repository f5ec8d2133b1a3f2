"""The scene in which the tests of the mind without a model talk: an inn, its keeper, its lore."""

from evennia_ai.domain.offline import mind

TOOLS = "say emote look move follow give get_time noop set_reminder escalate_to_staff".split()

LANTERN = {
    "text": "The Last Lantern was built by Bree's grandmother, sixty years ago. "
    "Its cellar is said to be haunted by a drowned sailor.",
    "by": "",
    "kind": "lore",
    "timestamp": "2024-01-01T00:00:00Z",
}
MILL = {
    "text": "The old mill by the river burned down last winter.",
    "by": "",
    "kind": "lore",
    "timestamp": "2024-01-01T00:00:00Z",
}
KEY = {
    "text": "I hid the mill key under the third stone.",
    "by": "Bob",
    "kind": "said",
    "timestamp": "2025-01-02T00:00:00Z",
}
SISTER = {
    "text": "My sister is called Mabel.",
    "by": "Ann",
    "kind": "said",
    "timestamp": "2025-01-03T00:00:00Z",
}
# What somebody asked is remembered too, and is no answer.
ASKED = {
    "text": "what do you know about the mill?",
    "by": "Bob",
    "kind": "said",
    "timestamp": "2025-01-04T00:00:00Z",
}

BREE = {
    "name": "Bree",
    "persona": "You are Bree, the stout innkeeper of the Last Lantern. You hate goblins.",
    "greeting_lines": ["Welcome to the Last Lantern, {name}! Sit by the fire."],
}


def theirs(text, name="Ann"):
    """Return one line of the conversation that somebody else said."""
    return {"name": name, "text": text, "mine": False}


def own(text):
    """Return one line of the conversation that Bree said."""
    return {"name": "Bree", "text": text, "mine": True}


def scene(text, kind="say", **changes):
    """Return the context of a turn in which Ann says or does something at the inn."""
    event = {"kind": kind, "text": text, "actor": "u1", "actor_name": "Ann", "addressed": True}
    return {
        "npc": BREE,
        "event": event,
        "events": [event],
        "speaker": {"name": "Ann", "identity": "u1", "state": "stranger"},
        "place": "The Last Lantern",
        "time": "evening",
        "present": [
            {"name": "Ann", "identity": "u1", "kind": "player"},
            {"name": "Bree", "identity": "u2", "kind": "npc"},
            {"name": "Bob", "identity": "u3", "kind": "player"},
            {"name": "Grim the guard", "identity": "u4", "kind": "npc"},
            {"name": "chair", "identity": "", "kind": "object"},
            {"name": "kitchen", "identity": "", "kind": "exit"},
        ],
        "memories": [LANTERN, MILL, KEY, SISTER, ASKED],
        "conversation": [],
        **changes,
    }


def answer(text, kind="say", *, tools=TOOLS, **changes):
    """Return what Bree does about it: her words, or (tool, arguments)."""
    action = mind.respond(scene(text, kind, **changes), tools=tools)
    return (action.tool, action.arguments) if action.tool else action.text
