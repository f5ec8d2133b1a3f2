"""The base of all pages: who is logged in, what a page may load, and what is said when it fails."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.middleware.csrf import get_token
from django.template import loader
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect

from evennia_ai.web import bridge, json_api, visitors

# What went wrong: the status, and what is said of it.
PROBLEMS = {
    visitors.Refused: (
        403,
        "These pages are for builders who play a character of their own, some for admins.",
    ),
    visitors.Banned: (403, "You are banned from this game."),
    visitors.NotFound: (404, "There is no such thing here, or it is not yours to see."),
    visitors.TooFast: (429, "That is more than a person can do in a minute. Wait a little."),
    json_api.Unreadable: (400, "What was sent is no object with the names of a form."),
    bridge.GameBusy: (503, "The game is busy. Nothing was done. Try again in a moment."),
    bridge.StillGoing: (503, "The game has begun and still works on it. Look again in a moment."),
}

# The pages of one NPC, and how the links to them are called.
OF_NPC = (
    ("turns", "What it said"),
    ("memories", "Memories"),
    ("people", "People"),
    ("experience", "Experience"),
    ("search", "Ask its memory"),
    ("persona", "Persona and lore"),
)

View = Callable[..., HttpResponse]


def page(view: View) -> View:
    """Make a view of a function of the request, the id of the account and the rest of the address."""

    @csrf_protect
    @functools.wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return _guarded(_who_are_you(request))
        address = request.META.get("REMOTE_ADDR", "")
        try:
            with bridge.making():
                request.roles = bridge.call(visitors.admit, request.user.pk, address)
                if not request.roles.staff:
                    bridge.stand_in_line()
                json_api.check_read(request)
                answer = view(request, request.user.pk, *args, **kwargs)
        except tuple(PROBLEMS) as error:
            status, words = PROBLEMS[type(error)]
            answer = render(request, "problem", {"words": words}, status=status)
        return _guarded(answer)

    return shown


def render(
    request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """Return a page of ours.

    Context processors of the game are not asked: they may touch objects of the game, in this thread.
    """
    if json_api.is_asked_for(request):
        return JsonResponse(json_api.of_page(context), status=status)
    whole = {
        **context,
        "csrf_token": get_token(request),
        "messages": messages.get_messages(request),
        "game": settings.SERVERNAME,
        "here": request.resolver_match.url_name if request.resolver_match else "",
        "of_npc": OF_NPC,
        # Of who is banned there are none.
        "roles": getattr(request, "roles", visitors.Roles()),
    }
    text = loader.render_to_string(f"evennia_ai/{name}.html", whole)
    return HttpResponse(text, status=status)


def _who_are_you(request: HttpRequest) -> HttpResponse:
    if json_api.is_asked_for(request):
        return JsonResponse({"words": "Log in on the website first."}, status=403)
    return redirect_to_login(_looked_at(request))


def done(request: HttpRequest, words: str, name: str, *args: Any) -> HttpResponse:
    """Return to a page, with what is to be said there."""
    if json_api.is_asked_for(request):
        return JsonResponse({"said": words})
    messages.info(request, words)
    return HttpResponseRedirect(reverse(f"evennia_ai:{name}", args=args))


def _looked_at(request: HttpRequest) -> str:
    """Return where to go after the login: a form that was sent meanwhile is no page to look at."""
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    mine = reverse("evennia_ai:me")
    return mine if request.path.startswith(mine) else reverse("evennia_ai:town")


def _guarded(answer: HttpResponse) -> HttpResponse:
    """Let a page load our style and script and nothing else, and nobody keep or frame it."""
    theirs = urlsplit(settings.STATIC_URL)
    own = f"'self' {theirs.scheme}://{theirs.netloc}" if theirs.netloc else "'self'"
    answer["Content-Security-Policy"] = (
        f"default-src 'none'; style-src {own}; script-src {own}; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    answer["Cache-Control"] = "no-store"
    answer["Referrer-Policy"] = "same-origin"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
