"""The pages as JSON, under `api/`: each address of a page, by the same view, with the same rights.

What a page shows is an object; what a change leads to is `{"said": …}`. Drawings are left out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import URLPattern, path

from evennia_ai.exceptions import AssistantError

# What of a page stands in its forms alone.
IN_FORMS = frozenset({"cap_words", "short", "open", "rest", "sought"})


class Unreadable(AssistantError):
    """What was sent is not what a form sends."""


View = Callable[..., HttpResponse]
# What may be posted: the fields of a form.
Value = str | int | bool
Fields = dict[str, Value | list[Value]]


def addresses(pages: Iterable[URLPattern]) -> list[URLPattern]:
    return [
        path(
            f"api/{one.pattern}",
            _as_json(one.callback),
            one.default_args,
            name=f"api_{one.name}",
        )
        for one in pages
    ]


def is_asked_for(request: HttpRequest) -> bool:
    return bool(getattr(request, "as_json", False))


def check_read(request: HttpRequest) -> None:
    """Raise Unreadable if what was sent could not be read."""
    if getattr(request, "unreadable", False):
        raise Unreadable("no object of fields")


def of_page(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a page shows, without what only its forms need."""
    return {name: _plain(value) for name, value in context.items() if name not in IN_FORMS}


def _as_json(view: View) -> View:
    @functools.wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        request.as_json = True
        if request.method == "POST" and request.content_type == "application/json":
            try:
                request.POST = _form(msgspec.json.decode(request.body, type=Fields))
            except (msgspec.DecodeError, UnicodeDecodeError):
                request.unreadable = True
        return view(request, *args, **kwargs)

    return shown


def _form(fields: Fields) -> QueryDict:
    form = QueryDict(mutable=True)
    for name, value in fields.items():
        form.setlist(name, [_typed(one) for one in (value if isinstance(value, list) else [value])])
    return form


def _typed(value: Value) -> str:
    """Return a value as a form has it, where no is nothing."""
    return ("yes" if value else "") if isinstance(value, bool) else str(value)


def _plain(value: Any) -> Any:
    """Return a value with records as objects."""
    if isinstance(value, msgspec.Struct):
        return _plain(msgspec.structs.asdict(value))
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return value
