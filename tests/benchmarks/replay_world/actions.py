"""What can be done in a situation: a tool of the assistant, and the manner in which it is used.

The families share these, so that what went well in one kind of situation is a choice in another one
as well, and remembering the wrong kind can mislead.
"""

from typing import NamedTuple


class Action(NamedTuple):
    """One call of a tool; `{name}` in an argument stands for whoever one has to do with."""

    tool: str
    arguments: dict[str, str]

    def call(self, name):
        """Return the arguments of the call for somebody of that name."""
        return {key: value.format(name=name) for key, value in self.arguments.items()}


ACTIONS = {
    "say_firmly": Action("say", {"words": "No. This is how it is going to be, {name}."}),
    "say_kindly": Action("say", {"words": "Let us see what can be done for you, {name}."}),
    "say_plainly": Action("say", {"words": "Here is all of it, {name}, from first to last."}),
    "say_doubtfully": Action("say", {"words": "I may be wrong about this, {name}, but listen."}),
    "whisper_kindly": Action("say", {"words": "Between the two of us."}),
    "whisper_warning": Action("say", {"words": "Take care, I mean it."}),
    "whisper_hint": Action("say", {"words": "Think of what is near."}),
    "give_something": Action("give", {"item": "bundle", "target": "{name}"}),
    "emote_laughing": Action("say", {"words": "Ha! Ha ha ha!"}),
    "inspect_closely": Action("look", {"target": "{name}"}),
    "follow_along": Action("follow", {"target": "{name}"}),
    "noop_waiting": Action("noop", {}),
    "escalate_to_staff": Action("escalate_to_staff", {"reason": "There is trouble with {name}."}),
}
