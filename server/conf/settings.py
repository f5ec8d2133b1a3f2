"""Settings of the demo game: Evennia's own, minus the modules that this small game does not ship."""

from evennia.settings_default import *

SERVERNAME = "The Crooked Lantern"
GAME_SLOGAN = "a small tavern with a good memory"

# Loopback only: this is a demo, not a public server.
ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
TELNET_INTERFACES = ["127.0.0.1"]
WEBSERVER_INTERFACES = ["127.0.0.1"]
WEBSOCKET_CLIENT_INTERFACE = "127.0.0.1"
AMP_INTERFACE = "127.0.0.1"

# Typeclasses: Evennia's own are enough.
BASE_ACCOUNT_TYPECLASS = "evennia.accounts.accounts.DefaultAccount"
BASE_GUEST_TYPECLASS = "evennia.accounts.accounts.DefaultGuest"
BASE_OBJECT_TYPECLASS = "evennia.objects.objects.DefaultObject"
BASE_CHARACTER_TYPECLASS = "evennia.objects.objects.DefaultCharacter"
BASE_ROOM_TYPECLASS = "evennia.objects.objects.DefaultRoom"
BASE_EXIT_TYPECLASS = "evennia.objects.objects.DefaultExit"
BASE_CHANNEL_TYPECLASS = "evennia.comms.comms.DefaultChannel"
BASE_SCRIPT_TYPECLASS = "evennia.scripts.scripts.DefaultScript"
TYPECLASS_PATHS = ["evennia_ai.typeclasses", "evennia_ai"] + TYPECLASS_PATHS[1:]

CMDSET_UNLOGGEDIN = "evennia.commands.default.cmdset_unloggedin.UnloggedinCmdSet"
CMDSET_SESSION = "evennia.commands.default.cmdset_session.SessionCmdSet"
CMDSET_ACCOUNT = "world.cmdsets.AccountCmdSet"
CMDSET_CHARACTER = "world.cmdsets.CharacterCmdSet"
CMDSET_PATHS = ["world"] + CMDSET_PATHS[1:]


def _shipped(modules):
    """Return the modules that are not files of a full game directory."""
    return [module for module in modules if not module.startswith("server.conf.")]


LOCK_FUNC_MODULES = tuple(_shipped(LOCK_FUNC_MODULES))
INPUT_FUNC_MODULES = _shipped(INPUT_FUNC_MODULES)
FUNCPARSER_OUTGOING_MESSAGES_MODULES = _shipped(FUNCPARSER_OUTGOING_MESSAGES_MODULES)
FUNCPARSER_PROTOTYPE_PARSING_MODULES = _shipped(FUNCPARSER_PROTOTYPE_PARSING_MODULES)
SERVER_SERVICES_PLUGIN_MODULES = []
PORTAL_SERVICES_PLUGIN_MODULES = []
FILE_HELP_ENTRY_MODULES = []
WEB_PLUGINS_MODULE = None
MSSP_META_MODULE = None
STATICFILES_DIRS = []
ROOT_URLCONF = "server.conf.urls"
CONNECTION_SCREEN_MODULE = "server.conf.connection_screens"
AT_INITIAL_SETUP_HOOK_MODULE = "server.conf.at_initial_setup"

# The four lines that a game adds to have minds, and to guard them against builders.
INSTALLED_APPS = INSTALLED_APPS + ["evennia_ai"]
AT_SERVER_STARTSTOP_MODULE = ["evennia_ai.hooks"]
# SQLite overwrites in its file what players had forgotten.
DATABASES["default"]["OPTIONS"] = {"init_command": "PRAGMA secure_delete=ON"}
PROT_FUNC_MODULES = PROT_FUNC_MODULES + ["evennia_ai.prototype_guard"]
# What its NPCs know to do from the first day, by their trade.
EVENNIA_AI = {"EXPERIENCE": {"HYDRATE": os.path.join(GAME_DIR, "world/experience/*.json")}}

# Whoever tries the demo with a model of their own: make play LLM=http://127.0.0.1:11434/v1 MODEL=llama3.1
if os.environ.get("DEMO_LLM"):
    EVENNIA_AI["LLM"] = {
        "default": {
            "BACKEND": "evennia_ai.llm.openai.OpenAIBackend",
            "OPTIONS": {
                "base_url": os.environ["DEMO_LLM"],
                "model": os.environ.get("DEMO_MODEL") or "default",
                "api_key_env": "DEMO_KEY" if os.environ.get("DEMO_KEY") else "",
            },
        }
    }

try:
    from server.conf.secret_settings import *
except ImportError:
    pass
