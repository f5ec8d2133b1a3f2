"""Web addresses of the demo game: Evennia's own, with the admin pages and those of minds."""

from django.urls import include, path
from evennia.web.urls import urlpatterns as evennia_urls

urlpatterns = [
    path("admin/", include("evennia.web.admin.urls")),
    path("ai/", include("evennia_ai.web.urls")),
    *evennia_urls,
]
