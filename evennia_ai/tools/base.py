"""The base of tools: the signature is the schema, the docstring the description.

A game adds one by writing a class and naming its module in `TOOL_MODULES`:

    class RollDice(Tool):
        \"\"\"Roll dice for a game of chance.\"\"\"

        name = "roll_dice"
        category = ToolCategory.SAFE_CHAIN

        def execute(self, turn, sides: Annotated[int, "How many sides."] = 6):
            return f"You roll {random.randint(1, sides)}."
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Callable, Literal, Union, get_args, get_origin

from django.core.exceptions import ImproperlyConfigured

from evennia_ai.core.records import Source
from evennia_ai.domain.model_text import reply
from evennia_ai.exceptions import ToolError
from evennia_ai.prompts import quote

# Characters of one text argument; nobody says more in one breath.
MAX_TEXT = 2000
# Members of one list argument.
MAX_ITEMS = 50
# Characters of foreign text that an error message repeats.
QUOTED_LENGTH = 60

_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_EXPECTED = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list of texts",
}


class ToolCategory(StrEnum):
    """What using a tool means for the turn."""

    # Reads or notes something: as many as the mind likes.
    SAFE_CHAIN = "safe_chain"
    # The answer: ends the turn.
    TERMINAL = "terminal"
    # Changes the world: at most one in a turn.
    DANGEROUS = "dangerous"
    # Waits for a service outside the game.
    ASYNC_REQUIRED = "async_required"


def quoted(value: Any) -> str:
    """Return foreign text as `prompts.quote` does, short enough for an error message."""
    return quote(value, max_length=QUOTED_LENGTH)


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool: `kind` is its JSON type, `choices` what a Literal allows."""

    name: str
    kind: str
    description: str = ""
    choices: tuple[Any, ...] = ()
    nullable: bool = False
    default: Any = inspect.Parameter.empty

    @property
    def required(self) -> bool:
        """Whether the argument must be given."""
        return self.default is inspect.Parameter.empty

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.choices:
            return f"one of {', '.join(map(str, self.choices))}"
        return _EXPECTED[self.kind]

    def schema(self, *, brief: bool = False) -> dict[str, Any]:
        """Return the JSON schema of the argument, without its description if `brief`."""
        schema: dict[str, Any] = {"type": self.kind}
        if self.kind == "array":
            schema["items"] = {"type": "string"}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.description and not brief:
            schema["description"] = self.description
        return schema

    def read(self, value: Any) -> Any:
        """Return the value in its type; raises ToolError if it cannot be meant."""
        if value is None and not self.required:
            return self.default
        if value is None and self.nullable:
            return None
        self._check_length(value)
        try:
            read = _READERS[self.kind](value)
            return _choice(read, self.choices) if self.choices else read
        except (ValueError, OverflowError):
            raise ToolError(f"{self.name} must be {self.expected}, not {quoted(value)}.") from None

    def _check_length(self, value: Any) -> None:
        items = value if isinstance(value, list) else [value]
        if len(items) > MAX_ITEMS:
            raise ToolError(f"{self.name} may have at most {MAX_ITEMS} members.")
        if any(isinstance(item, str) and len(item) > MAX_TEXT for item in items):
            raise ToolError(f"{self.name} may have at most {MAX_TEXT} characters.")


class Shown(str):
    """A result with its sources; if it is used again, the turn has to note them, too."""

    sources: list[Source]

    def __new__(cls, text: str, sources: list[Source]) -> Shown:
        shown = super().__new__(cls, text)
        shown.sources = sources
        return shown


class Unfinished(str):
    """A result after which something is left to say: words beside the use of the tool are not said yet."""


class Tool:
    """Something that an assistant can do. The first paragraph of the docstring tells the mind what.

    `execute(self, turn, …)` is called with checked arguments and returns text for the mind, or a
    Deferred of it; what cannot be done raises ToolError.
    """

    name: str = ""
    category: ToolCategory = ToolCategory.SAFE_CHAIN
    # Whether a result may be used again within `cache_ttl` seconds, before the same hearers.
    cacheable: bool = False
    cache_ttl: float = 0.0
    # Whether it is offered while answering. What is done for the mind anyway (keeping up a conversation)
    # waits for other occasions; the setting ALL_TOOLS offers it too.
    for_talk: bool = True
    # Whether its schema names parameters without describing them, where the names say enough.
    brief: bool = False
    # Parameters that its schema does not name: whoever knows of them may give them all the same.
    left_out: tuple[str, ...] = ()
    # Whether its schema goes to the model, in each turn alike: what keeps a tool from being used just now
    # says the tool. What plain words do, or what stands in the prompt anyway, is offered and not shown.
    shown: bool = True
    # Whether what it is given is kept beyond the moment: not from those who are remembered for their
    # visit only, nor before them.
    keeps: bool = False
    # Whether it is of use only to those around: not offered to answer on a channel of the game.
    needs_place: bool = False
    # The setting without which the game has no such tool.
    setting: str = ""
    # What must be so for `allowed` to say yes, for staff who ask why it is not offered.
    allowed_if: str = ""

    execute: Callable[..., Any]

    def allowed(self, turn: Any) -> bool:
        """Return whether the tool is offered in this turn."""
        return True

    def cache_key(self, turn: Any) -> Any:
        """Return what else a kept result depends on, such as the version of what was searched."""
        return None

    def schema(self) -> dict[str, Any]:
        """Return name, description and JSON schema; one shared dict, not to be changed."""
        return _schema(type(self))

    def checked(self, arguments: Any) -> dict[str, Any]:
        """Return the keyword arguments for `execute`, each in its type.

        Raises:
            ToolError: Something is missing, unknown or of the wrong kind; the first such thing.
        """
        if not isinstance(arguments, dict):
            raise ToolError(f"The arguments of {self.name} must be an object with named members.")
        known = {parameter.name: parameter for parameter in _parameters(type(self))}
        for given in arguments:
            if given not in known:
                takes = ", ".join(known) or "nothing"
                raise ToolError(f"{self.name} knows no {quoted(given)}; it takes {takes}.")
        for parameter in known.values():
            if parameter.required and parameter.name not in arguments:
                raise ToolError(f"{self.name} needs {parameter.name}: {parameter.expected}.")
        return {name: known[name].read(value) for name, value in arguments.items()}


@cache
def _schema(tool: type[Tool]) -> dict[str, Any]:
    parameters = _parameters(tool)
    required = [parameter.name for parameter in parameters if parameter.required]
    # Each word is paid for with every call; `checked` refuses what is not among them.
    return {
        "name": tool.name,
        "description": _description(tool),
        "parameters": {
            "type": "object",
            "properties": {
                one.name: one.schema(brief=tool.brief)
                for one in parameters
                if one.name not in tool.left_out
            },
            **({"required": required} if required else {}),
        },
    }


def _description(tool: type[Tool]) -> str:
    text = inspect.getdoc(tool) or ""
    # A class without a docstring inherits the one above, which says nothing to a mind.
    if not text or text == inspect.getdoc(Tool):
        raise ImproperlyConfigured(f"{_path(tool)} needs a docstring: it tells the mind what for.")
    return " ".join(text.split("\n\n")[0].split())


@cache
def _parameters(tool: type[Tool]) -> tuple[Parameter, ...]:
    """Return the parameters of `execute` after self and turn."""
    try:
        hints = typing.get_type_hints(tool.execute, include_extras=True)
    except (NameError, TypeError) as error:
        raise ImproperlyConfigured(f"{_path(tool)}.execute: {error}.") from error
    parameters = list(inspect.signature(tool.execute).parameters.values())[2:]
    return tuple(_parameter(tool, parameter, hints) for parameter in parameters)


def _parameter(tool: type[Tool], raw: inspect.Parameter, hints: dict[str, Any]) -> Parameter:
    if raw.kind in (raw.VAR_KEYWORD, raw.VAR_POSITIONAL, raw.POSITIONAL_ONLY):
        raise ImproperlyConfigured(f"{_path(tool)}.execute: {raw} cannot be given by name.")
    try:
        return Parameter(name=raw.name, default=raw.default, **_described(hints[raw.name]))
    except (KeyError, TypeError):
        raise ImproperlyConfigured(
            f"{_path(tool)}.execute: {raw} must be str, int, float, bool, list[str] or a Literal."
        ) from None


def _described(hint: Any) -> dict[str, Any]:
    """Return the fields of a Parameter that a type says; raises TypeError for other types."""
    if get_origin(hint) is Annotated:
        inner, *notes = get_args(hint)
        text = next((note for note in notes if isinstance(note, str)), "")
        return {**_described(inner), "description": text}
    if get_origin(hint) in (Union, types.UnionType):
        members = [member for member in get_args(hint) if member is not type(None)]
        if len(members) == 1:
            return {**_described(members[0]), "nullable": True}
    if get_origin(hint) is Literal:
        kinds = {type(choice) for choice in get_args(hint)}
        if kinds in ({str}, {int}):
            return {"kind": _JSON_TYPES[kinds.pop()], "choices": get_args(hint)}
    if hint in _JSON_TYPES:
        return {"kind": _JSON_TYPES[hint]}
    if get_origin(hint) is list and get_args(hint) == (str,):
        return {"kind": "array"}
    raise TypeError(hint)


def _path(tool: type[Tool]) -> str:
    return f"{tool.__module__}.{tool.__qualname__}"


# Small models write 3 as "3" and true as "true": what can only mean one thing is taken as meant.


def _read_text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError(value)
    return reply.storable(str(value))


def _read_integer(value: Any) -> int:
    if type(value) is int:
        return value
    number = _read_number(value)
    if not number.is_integer():
        raise ValueError(value)
    return int(number)


def _read_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _read_boolean(value: Any) -> bool:
    if not isinstance(value, (bool, str, int)):
        raise ValueError(value)
    try:
        return _BOOLEANS[str(value).strip().lower()]
    except KeyError:
        raise ValueError(value) from None


def _read_list(value: Any) -> list[str]:
    return [_read_text(item) for item in (value if isinstance(value, list) else [value])]


def _choice(value: Any, choices: tuple[Any, ...]) -> Any:
    """Return the choice that is meant, whatever its case."""
    if value in choices:
        return value
    folded = {str(choice).casefold(): choice for choice in choices}
    try:
        return folded[str(value).strip().casefold()]
    except KeyError:
        raise ValueError(value) from None


_READERS: dict[str, Callable[[Any], Any]] = {
    "string": _read_text,
    "integer": _read_integer,
    "number": _read_number,
    "boolean": _read_boolean,
    "array": _read_list,
}
