"""The tests of evennia_ai."""

import os

import typeguard
from hypothesis import HealthCheck, settings

# How fast a machine makes its examples says nothing about what is tested.
settings.register_profile(
    "any machine",
    max_examples=int(os.environ.get("EXAMPLES", "25")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any machine")

# Evennia makes plurals with inflect, which at each start has its own source written anew so that types
# are checked: three quarters of the time that Evennia takes to load.
typeguard.typechecked = lambda function: function
