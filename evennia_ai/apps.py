"""The Django app; importing it must not need Evennia, a model client or a vector store."""

from django.apps import AppConfig


class EvenniaAIConfig(AppConfig):
    """`evennia_ai` in INSTALLED_APPS."""

    name = "evennia_ai"
    verbose_name = "Minds for NPCs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the checks that `evennia check` runs."""
        from evennia_ai import checks  # noqa: F401
