"""The addresses of the pages: `path("ai/", include("evennia_ai.web.urls"))` in a game's own."""

from __future__ import annotations

from django.urls import path

from evennia_ai.web import (
    cost_page,
    json_api,
    me_page,
    memory_pages,
    npc_pages,
    people_pages,
    persona_page,
)

app_name = "evennia_ai"
pages = [
    path("", npc_pages.town, name="town"),
    path("halt/", npc_pages.halt, {"halted": True}, name="halt"),
    path("resume/", npc_pages.halt, {"halted": False}, name="resume"),
    path("me/", me_page.me, name="me"),
    path("me/forget/", me_page.forget, name="forget_me"),
    path("me/correct/", me_page.correct, name="correct_me"),
    path("me/<slug:what>/", me_page.remember, name="remember_me"),
    path("cost/", cost_page.cost, name="cost"),
    path("cost/cap/", cost_page.cap, name="cap"),
    path("npc/<int:npc_id>/turns/", npc_pages.turns, name="turns"),
    path("npc/<int:npc_id>/prompt/", npc_pages.prompt, name="prompt"),
    path("npc/<int:npc_id>/experience/", npc_pages.experience, name="experience"),
    path("npc/<int:npc_id>/say/", npc_pages.say, name="say"),
    path("npc/<int:npc_id>/memories/", memory_pages.memories, name="memories"),
    path("npc/<int:npc_id>/search/", memory_pages.search, name="search"),
    path("npc/<int:npc_id>/persona/", persona_page.persona, name="persona"),
    path("npc/<int:npc_id>/people/", people_pages.people, name="people"),
    path("npc/<int:npc_id>/people/one/", people_pages.person, name="person"),
    path("npc/<int:npc_id>/people/fact/", people_pages.fact, name="fact"),
    path("npc/<int:npc_id>/people/forget/", people_pages.forget, name="forget_person"),
    path("npc/<int:npc_id>/people/disposition/", people_pages.dispose, name="dispose"),
    path("npc/<int:npc_id>/entry/", memory_pages.entry, name="entry"),
    path("npc/<int:npc_id>/edit/", memory_pages.edit, name="edit"),
    path("npc/<int:npc_id>/narrow/", memory_pages.narrow, name="narrow"),
    path("npc/<int:npc_id>/pin/", memory_pages.pin, {"pinned": True}, name="pin"),
    path("npc/<int:npc_id>/unpin/", memory_pages.pin, {"pinned": False}, name="unpin"),
    path("npc/<int:npc_id>/forget/", memory_pages.forget, name="forget"),
    path("npc/<int:npc_id>/<slug:what>/", npc_pages.change, name="change"),
]
urlpatterns = [*pages, *json_api.addresses(pages)]
