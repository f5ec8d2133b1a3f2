"""Settings of the test suite: the demo game's, with fast passwords and no way to a model."""

from server.conf.settings import *

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
TEST_RUNNER = "evennia_ai.testing.runner.CountingRunner"
EVENNIA_AI = {
    "ALLOW_MODEL_REQUESTS": False,
    "SEMANTIC": {"default": {"BACKEND": "evennia_ai.testing.semantic.MemoryDouble"}},
    "EXPERIENCE": {"PATH": ":memory:"},
}
