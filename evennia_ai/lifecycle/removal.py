"""Removal of the package from a game: everything of ours in its database and its folder.

It is done with the server down, and past the hooks of scripts and objects: these would subscribe
tickers anew, in a process that has not read those of the game.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import QuerySet
from evennia.accounts.models import AccountDB
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.server.models import ServerConfig
from evennia.typeclasses.attributes import Attribute
from evennia.typeclasses.tags import Tag
from evennia.utils.dbserialize import dbserialize, dbunserialize

from evennia_ai import conf
from evennia_ai.experience import experience_port as experience
from evennia_ai.lifecycle import waiting
from evennia_ai.memory.seeds import mind_folders
from evennia_ai.memory.storage import attribute_queries
from evennia_ai.semantic import mem0

APP = "evennia_ai"
TICKERS = "ticker_storage"
# Where mem0 keeps what it wants to write for itself.
MEM0_FOLDER = ".mem0"


def found() -> dict[str, int]:
    """Return how much of what there is; what is none is not listed."""
    counts = {
        "scripts: minds, and what ticks them": _scripts().count(),
        "bodies of deleted NPCs, in which minds wait": _waiting().count(),
        "NPCs of our typeclasses, which become ordinary characters": _bodies().count(),
        "accounts: the listener of channels": _accounts().count(),
        "Attributes": _attributes().count(),
        "Tags": _tags().count(),
        "tickers": len(_stored_tickers()[1]),
        "rows of ServerConfig": _settings().count(),
        "tables": len(_tables()),
        "files and folders": len(files()),
    }
    return {name: count for name, count in counts.items() if count}


def files() -> list[Path]:
    """Return the files and folders that we wrote: memory, experience, exported minds.

    Seeds and dialogues are not among them: people wrote these.
    """
    server = Path(settings.GAME_DIR) / "server"
    bases = [server / mem0.FILE_NAME, server / experience.FILE_NAME, server / MEM0_FOLDER]
    chosen = [conf.get("EXPERIENCE")["PATH"], *(one.get("path") for one in _long_term().values())]
    bases.extend(Path(path) for path in chosen if path)
    # SQLite has files beside its own.
    written = [path for base in bases for path in base.parent.glob(f"{base.name}*")]
    minds = mind_folders.path_of("any", folder=mind_folders.MINDS).parent
    return sorted({path.resolve() for path in (*written, minds) if path.exists()})


def elsewhere() -> list[str]:
    """Return the aliases of long-term memory that lie in a database of their own."""
    return [alias for alias, options in _long_term().items() if {"dsn", "url"} & options.keys()]


def users() -> list[str]:
    """Return the typeclasses of the game's own that are made of ours: they fail without us."""
    paths = ObjectDB.objects.exclude(db_typeclass_path__startswith=f"{APP}.")
    named = paths.values_list("db_typeclass_path", flat=True).distinct()
    return sorted(path for path in named if _is_made_of_ours(path))


def remove_all() -> None:
    """Take everything away."""
    with transaction.atomic():
        _remove_tickers()
        _attributes().delete()
        for owned in (_scripts(), _waiting(), _accounts()):
            _delete(owned)
        _bodies().update(db_typeclass_path=settings.BASE_CHARACTER_TYPECLASS)
        _tags().delete()
        _settings().delete()
    if _tables():
        call_command("migrate", APP, "zero", verbosity=0, interactive=False)
    ContentType.objects.filter(app_label=APP).delete()
    for path in files():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _scripts() -> QuerySet[ScriptDB]:
    return ScriptDB.objects.filter(db_typeclass_path__startswith=f"{APP}.")


def _waiting() -> QuerySet[ObjectDB]:
    return ObjectDB.objects.filter(db_typeclass_path=waiting.BODY)


def _bodies() -> QuerySet[ObjectDB]:
    ours = ObjectDB.objects.filter(db_typeclass_path__startswith=f"{APP}.")
    return ours.exclude(db_typeclass_path=waiting.BODY)


def _accounts() -> QuerySet[AccountDB]:
    return AccountDB.objects.filter(db_typeclass_path__startswith=f"{APP}.")


def _attributes() -> QuerySet[Attribute]:
    return Attribute.objects.filter(db_attrtype=attribute_queries.TYPE)


def _tags() -> QuerySet[Tag]:
    return Tag.objects.filter(db_tagtype=APP) | Tag.objects.filter(db_category__startswith=APP)


def _settings() -> QuerySet[ServerConfig]:
    return ServerConfig.objects.filter(db_key__startswith=APP)


def _tables() -> list[str]:
    ours = {model._meta.db_table for model in apps.get_app_config(APP).get_models()}
    return sorted(ours & set(connection.introspection.table_names()))


def _delete(owned: QuerySet[Any]) -> None:
    for one in owned:
        Attribute.objects.filter(pk__in=one.db_attributes.values("pk")).delete()
    owned.delete()


def _stored_tickers() -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return what Evennia reads at the next start: the tickers of the game, and ours."""
    kept = ServerConfig.objects.conf(TICKERS)
    tickers = dbunserialize(kept) if kept else {}
    ours = {key: value for key, value in tickers.items() if key[4] == APP}
    return {key: value for key, value in tickers.items() if key not in ours}, ours


def _remove_tickers() -> None:
    others, ours = _stored_tickers()
    if ours:
        value = dbserialize(others)
        ServerConfig.objects.conf(TICKERS, value=value, delete=not others)


def _long_term() -> dict[str, dict[str, Any]]:
    """Return the options of each alias that is not switched off."""
    return {alias: one.get("OPTIONS", {}) for alias, one in conf.get("SEMANTIC").items() if one}


def _is_made_of_ours(path: str) -> bool:
    try:
        typeclass = conf.load(path)
    except ImproperlyConfigured:
        return False
    return bool(getattr(typeclass, "listens_for_its_mind", False))
