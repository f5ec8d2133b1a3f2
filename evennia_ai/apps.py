"""The Django app; importing it must not need Evennia, a model client or a vector store."""

from django.apps import AppConfig


class EvenniaAIConfig(AppConfig):
    """`evennia_ai` in INSTALLED_APPS."""

    name = "evennia_ai"
    verbose_name = "Minds for NPCs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the checks that `evennia check` runs, and let what is deleted leave no traces."""
        from django.conf import settings
        from django.db.backends.signals import connection_created
        from django.db.models.signals import pre_delete

        from evennia_ai import checks, conf  # noqa: F401
        from evennia_ai.core import words

        words.Game.speaks(settings.LANGUAGE_CODE)
        conf.take_languages()
        connection_created.connect(_overwrite_what_is_deleted, dispatch_uid="evennia_ai")
        pre_delete.connect(_delete_what_is_ours, dispatch_uid="evennia_ai")


def _overwrite_what_is_deleted(connection, **kwargs) -> None:
    """Put zeros where something was deleted: what somebody wants to be forgotten is not to be found."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete=ON")


def _delete_what_is_ours(sender, instance, **kwargs) -> None:
    """Let what a mind keeps go with its body, or with itself: Evennia deletes only its own Attributes."""
    if hasattr(instance, "db_attributes"):
        from evennia_ai.lifecycle import burial

        burial.at_delete(instance)
