"""Settings of the test suite: the demo game's, with fast passwords and no way to a model."""

# This makes Evennia load faster.
import tests  # noqa: F401
from server.conf.settings import *

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Tables are made from the models, at once, instead of by a hundred migrations one after the other;
# that both make the same is a test of its own.
DATABASES["default"]["TEST"] = {"MIGRATE": False}
TEST_RUNNER = "tests.runner.SuiteRunner"
EVENNIA_AI = {
    "ALLOW_MODEL_REQUESTS": False,
    "SEMANTIC": {"default": {"BACKEND": "tests.memory_double.MemoryDouble"}},
    "EXPERIENCE": {"PATH": ":memory:"},
}
