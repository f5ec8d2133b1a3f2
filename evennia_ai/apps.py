"""The Django app; importing it must not need Evennia, a model client or a vector store."""

from django.apps import AppConfig


class EvenniaAIConfig(AppConfig):
    """`evennia_ai` in INSTALLED_APPS."""

    name = "evennia_ai"
    verbose_name = "Minds for NPCs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the checks that `evennia check` runs, and delete minds with their bodies."""
        from django.conf import settings
        from django.db.models.signals import pre_delete

        from evennia_ai import checks, conf  # noqa: F401
        from evennia_ai.core import words

        words.Game.speaks(settings.LANGUAGE_CODE)
        conf.take_languages()
        pre_delete.connect(_delete_what_is_ours, dispatch_uid="evennia_ai")


def _delete_what_is_ours(sender, instance, **kwargs) -> None:
    """Let what a mind keeps go with its body, or with itself: Evennia deletes only its own Attributes."""
    if hasattr(instance, "db_attributes"):
        from evennia_ai.lifecycle import burial

        burial.at_delete(instance)
