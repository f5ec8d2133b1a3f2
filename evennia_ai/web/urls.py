"""The addresses of the pages: `path("ai/", include("evennia_ai.web.urls"))` in a game's own."""

from __future__ import annotations

from django.urls import path

from evennia_ai.web import (
    cost_views,
    json_api,
    me_views,
    memories_views,
    people_views,
    persona_views,
    views,
)

app_name = "evennia_ai"
pages = [
    path("", views.town, name="town"),
    path("halt/", views.halt, {"halted": True}, name="halt"),
    path("resume/", views.halt, {"halted": False}, name="resume"),
    path("knows/", memories_views.knows, name="knows"),
    path("me/", me_views.me, name="me"),
    path("me/forget/", me_views.forget, name="forget_me"),
    path("me/correct/", me_views.correct, name="correct_me"),
    path("me/<slug:what>/", me_views.remember, name="remember_me"),
    path("cost/", cost_views.cost, name="cost"),
    path("cost/cap/", cost_views.cap, name="cap"),
    path("npc/<int:npc_id>/turns/", views.turns, name="turns"),
    path("npc/<int:npc_id>/prompt/", views.prompt, name="prompt"),
    path("npc/<int:npc_id>/experience/", views.experience, name="experience"),
    path("npc/<int:npc_id>/say/", views.say, name="say"),
    path("npc/<int:npc_id>/memories/", memories_views.memories, name="memories"),
    path("npc/<int:npc_id>/search/", memories_views.search, name="search"),
    path("npc/<int:npc_id>/persona/", persona_views.persona, name="persona"),
    path("npc/<int:npc_id>/people/", people_views.people, name="people"),
    path("npc/<int:npc_id>/people/one/", people_views.person, name="person"),
    path("npc/<int:npc_id>/people/fact/", people_views.fact, name="fact"),
    path("npc/<int:npc_id>/people/forget/", people_views.forget, name="forget_person"),
    path("npc/<int:npc_id>/people/disposition/", people_views.dispose, name="dispose"),
    path("npc/<int:npc_id>/entry/", memories_views.entry, name="entry"),
    path("npc/<int:npc_id>/edit/", memories_views.edit, name="edit"),
    path("npc/<int:npc_id>/narrow/", memories_views.narrow, name="narrow"),
    path("npc/<int:npc_id>/pin/", memories_views.pin, {"pinned": True}, name="pin"),
    path("npc/<int:npc_id>/unpin/", memories_views.pin, {"pinned": False}, name="unpin"),
    path("npc/<int:npc_id>/forget/", memories_views.forget, name="forget"),
    path("npc/<int:npc_id>/<slug:what>/", views.change, name="change"),
]
urlpatterns = [*pages, *json_api.addresses(pages)]
