"""A bridge beside which nobody may touch an object of the game without being seen."""

from contextlib import contextmanager
from unittest.mock import patch

from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.typeclasses.attributes import AttributeHandler
from evennia.typeclasses.models import TypedObject

from evennia_ai.web import bridge
from tests.web.cases import call_here


class Watched:
    """Notes what is done to objects and scripts while nothing is called over the bridge."""

    def __init__(self, case):
        self.inside, self.touched = False, []
        case.patch(bridge, "call", self.call)

    def call(self, function, /, *args, **kwargs):
        self.inside = True
        try:
            return call_here(function, *args, **kwargs)
        finally:
            self.inside = False

    @contextmanager
    def watching(self):
        """Note what is touched in the block."""
        fetched = TypedObject.get_cached_instance.__func__
        access, read = TypedObject.access, AttributeHandler.get

        def fetch(kind, number):
            self._note("fetch", kind)
            return fetched(kind, number)

        def asked(obj, *args, **kwargs):
            self._note("access", type(obj))
            return access(obj, *args, **kwargs)

        def get(handler, *args, **kwargs):
            self._note("read", type(handler.obj))
            return read(handler, *args, **kwargs)

        with (
            patch.object(TypedObject, "get_cached_instance", classmethod(fetch)),
            patch.object(TypedObject, "access", asked),
            patch.object(AttributeHandler, "get", get),
        ):
            yield

    def _note(self, what, kind):
        if not self.inside and issubclass(kind, (ObjectDB, ScriptDB)):
            self.touched.append(what)
