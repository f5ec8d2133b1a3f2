"""Errors, grouped by who must act on them."""

from __future__ import annotations

from typing import Self

# Characters of what was said instead of an answer that are kept.
WORDS_LENGTH = 2000


class AssistantError(Exception):
    """Base of all errors that this package raises on purpose."""


# The model must act: it reads the message and tries something else.


class ToolError(AssistantError):
    """A tool cannot do what was asked; the message is one sentence for the model."""


# The turn ends in character: nothing that the model could do would help.


class TurnEnded(AssistantError):
    """The turn cannot go on; the assistant says a line of its own instead."""


class StepLimitExceeded(TurnEnded):
    """The model used up its steps without answering."""


class BudgetExceeded(TurnEnded):
    """The tokens or the money of the day are spent, or calls come too fast."""


class WordsRefused(TurnEnded):
    """The game does not let these words be said."""


class PermissionUnclear(WordsRefused):
    """Whether they may be said could not be found out, so they are not."""


class LLMUnavailable(TurnEnded):
    """The model did not answer: connection, timeout, server error or rate limit.

    Its text is of our own words: what a model or its server said may repeat what players said, and
    texts of errors stand in logs that nobody can be forgotten in.
    """

    # Seconds after which the server says that it will answer again, or None.
    retry_after: float | None = None
    # Whether asking again at once may help.
    transient = True
    # Whether the server was asked and did not say no: then it may bill what it did.
    is_billed = False
    # What was said instead of an answer: for the ledger, where LEDGER_PROMPTS says so, and for nobody else.
    words = ""

    @classmethod
    def about(cls, problem: str, words: str) -> Self:
        """Return the error for words that are a problem: how many they are is told, and not which."""
        error = cls(f"{problem} ({len(words)} characters)")
        error.words = words[:WORDS_LENGTH]
        return error


class LLMTimeout(LLMUnavailable):
    """The model had not answered when its time was up."""

    is_billed = True


class LLMBadReply(LLMUnavailable):
    """The model answered with something that is not an answer."""

    is_billed = True


class LLMRefused(LLMUnavailable):
    """The server refuses the request as it stands: the admin must change the settings."""

    transient = False


class LLMAuthError(LLMRefused):
    """The server does not accept the API key."""


class LLMContextOverflow(LLMRefused):
    """The prompt is larger than the model's window."""

    # Tokens that the model can take, when the server said so.
    window: int | None = None


class StillBusy(AssistantError):
    """An assistant thinks for so long that something else has to wait; to be done again."""


# The admin must act, at `evennia check`: django.core.exceptions.ImproperlyConfigured is raised.


class NewerData(AssistantError):
    """What is kept was written by a later version of this package, and is not changed."""
