"""The pages as JSON, under `api/`: each address of a page, by the same view, with the same rights.

What a page shows is an object; what a change leads to is `{"said": …}`. Drawings are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import URLPattern, path
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.views import APIView


class IsSomebody(BasePermission):
    """Whoever is logged in; what they may beyond that, each view asks of their own characters."""

    def has_permission(self, request: Any, view: Any) -> bool:
        """Return whether an account is logged in."""
        return bool(request.user and request.user.is_authenticated)


class AsJSON(APIView):
    """A page as JSON, for whoever is logged in on the website."""

    # No passwords: Evennia does not slow down who guesses them here.
    authentication_classes = (SessionAuthentication,)
    permission_classes = (IsSomebody,)
    http_method_names = ("get", "head", "post")
    page: Callable[..., HttpResponse] | None = None

    def get(self, request: Any, **places: Any) -> HttpResponse:
        """Return what the page shows."""
        return self._answer(request._request, places)

    def post(self, request: Any, **places: Any) -> HttpResponse:
        """Return what the page does, of a form or of an object with the same names."""
        given: HttpRequest = request._request
        if given.content_type == "application/json":
            given.POST = _form(request.data)
        return self._answer(given, places)

    def _answer(self, request: HttpRequest, places: Mapping[str, Any]) -> HttpResponse:
        request.as_json = True
        # The session's token was checked by its authentication.
        request._dont_enforce_csrf_checks = True
        assert self.page is not None
        return self.page(request, **places)


def addresses(pages: list[URLPattern]) -> list[URLPattern]:
    """Return the addresses at which pages are JSON."""
    return [
        path(
            f"api/{one.pattern}",
            AsJSON.as_view(page=staticmethod(one.callback)),
            one.default_args,
            name=f"api_{one.name}",
        )
        for one in pages
    ]


def _form(data: Any) -> QueryDict:
    form = QueryDict(mutable=True)
    if isinstance(data, Mapping):
        for name, value in data.items():
            form.setlist(name, list(map(str, value if isinstance(value, list) else [value])))
    return form
