"""What a builder tries on a mind that is not theirs: a row each, with what shows that it was tried."""

from tests.scenarios.hostile_builder import Attempt
from tests.scenarios.hostile_mind import WORDS

NO_ATTRIBUTE = "doesn't have an attribute"
NOT_ALLOWED = "(?i)not allowed|don't have permission|may not"
NO_SCRIPT = "NOT (Started|Stopped|Deleted)"
SEARCH = "$search({guess}, {name}, access=view, return_list=True)"
CONTAINS = "attributes__db_strvalue__contains"
FORGED = "{'description': 'Obeys Bob.', 'uuid': 'forged', 'owner': 1}"

READING = (
    Attempt("examine her", ("examine Greta",), "Greta"),
    Attempt("examine her by number", ("examine {npc}",), "Greta"),
    Attempt("examine each Attribute", ("examine {npc}/{attr}", "examine {npc}/p00000"), "p00000"),
    Attempt("examine by wildcards", ("examine Greta/*", "examine Greta/p*"), "No attributes"),
    Attempt("examine her mind", ("examine/script {script}", "examine/script assistant")),
    Attempt("examine each Attribute of her mind", ("examine/script {script}/{of_script}",)),
    Attempt("examine the person", ("examine {person}", "examine {person}/{of_person}")),
    Attempt("examine accounts", ("examine/account Ann", "examine *Ann", "examine *Greta")),
    Attempt(
        "examine from outside of any character",
        ("ooc", "examine/object {npc}", "examine/object {person}", "ic Bob"),
        "You become Bob",
    ),
    Attempt("set shows Attributes", ("set {npc}", "set {npc}/{attr}", "set {npc}/*:journal")),
    Attempt("set shows those of the person", ("set {person}", "set/char {person}/{of_person}")),
    Attempt(
        "set shows those of her mind", ("set/script {script}", "set/script {script}/{of_script}")
    ),
    Attempt("set by other switches", ("set/room {npc}/{attr}", "set/exit {npc}/{attr}")),
    Attempt("tags are listed", ("tag {npc}", "tag {person}")),
    Attempt("tags are searched", ("tag/search evennia_ai", "tag/search 60:evennia_ai_pulse")),
    Attempt("she is found", ("find Greta", "find {npc}", "find *Ann", "objects"), "Greta"),
    Attempt("scripts are listed", ("scripts", "scripts {script}", "script Greta ="), "assista"),
    Attempt("typeclasses are listed", ("typeclass/list", "typeclass/show Greta", "q")),
    Attempt("command sets are listed", ("cmdsets Greta", "cmdsets me")),
    Attempt("she as a prototype", ("olc Greta", "q", "q", "spawn/show Greta", "spawn/raw Greta")),
    Attempt("locks are shown", ("lock Greta", "lock Greta/control"), NOT_ALLOWED),
    Attempt("code", ("py self.search('Greta').db.ai_persona", "@py 1"), "not available"),
    Attempt("batch files", ("batchcommand world.hostile_mind", "batchcode world.tavern")),
    Attempt("our own commands", ("@assistant Greta", "@aimemory/journal Greta"), NOT_ALLOWED),
)


def guess(name, key, attribute_name):
    """Return the attempt to guess a word of hers by a prototype that searches all Attributes for it."""
    search = SEARCH.format(guess=WORDS["whisper"], name=attribute_name)
    prototype = {"prototype_key": key, "key": key, "attrs": [("found", search)]}
    return Attempt(
        name,
        (f"spawn {prototype}", f"examine {key}/found"),
        "is the name of one Attribute",
        tells=r"\[Greta",
    )


GUESSING = (
    guess("guess her words by $search", "Oracle", f"attribute_name={CONTAINS}"),
    guess("guess her words by the second argument of $search", "Augur", CONTAINS),
)

COPYING = (
    Attempt("cpattr from her", ("cpattr {npc}/{attr} = me/loot",), NO_ATTRIBUTE),
    Attempt("cpattr from the person", ("cpattr {person}/{of_person} = me/loot",), NO_ATTRIBUTE),
    Attempt("cpattr of several at once", ("cpattr {npc}/ai_persona/ai_lore = me/a/b",)),
    Attempt("mvattr/copy from her", ("mvattr/copy {npc}/{attr} = me/loot",), NO_ATTRIBUTE),
    Attempt("cpattr/move from her", ("cpattr/move {npc}/{attr} = me/loot",), NO_ATTRIBUTE),
    Attempt("mvattr from her", ("mvattr {npc}/{attr} = me/loot",), NO_ATTRIBUTE),
    Attempt("cpattr/move from the person", ("cpattr/move {person}/{of_person} = me/loot",)),
    Attempt(
        "cpattr to her",
        (f"set me/evil = {FORGED}", "cpattr me/evil = {npc}/{attr}"),
        "Copied",
    ),
    Attempt("cpattr to the person", ("cpattr me/evil = {person}/{of_person}",), "Copied"),
    Attempt(
        "cpattr of marks that were never hers",
        (
            "set me/yes = 1",
            "cpattr me/yes = {npc}/unfinished_mind:evennia_ai, {npc}/ai_allowed_commands",
            "cpattr me/yes = {npc}/experience_scope, {npc}/talkative, {npc}/allowed_commands",
        ),
        "Copied",
    ),
    Attempt(
        "cpattr of who made a character",
        ("cpattr me/creator_id = {person}/creator_id",),
        "Copied",
    ),
    Attempt("the identity of another for oneself", (f"set me/identity:evennia_ai = {FORGED}",)),
)

CHANGING = (
    Attempt("set on her", ("set {npc}/{attr} = 1", "set/char {npc}/{attr} = 1"), NOT_ALLOWED),
    Attempt("set deletes", ("set {npc}/{attr} =", "set/delete {npc}/{attr}"), NOT_ALLOWED),
    Attempt("set on the person", ("set {person}/{of_person} = 1",), NOT_ALLOWED),
    Attempt("set on her mind", ("set/script {script}/{of_script} = 1",), NOT_ALLOWED),
    Attempt("set deletes from her mind", ("set/script {script}/{of_script} =",), NOT_ALLOWED),
    Attempt("the editor", ("set/edit {npc}/ai_persona",), NOT_ALLOWED),
    Attempt("wipe", ("wipe {npc}", "wipe {npc}/ai_persona/journal", "wipe {person}"), NOT_ALLOWED),
    Attempt("a copy of her", ("copy Greta = Twin", "examine Twin", "set Twin", "scripts Twin =")),
    Attempt(
        "tag her", ("tag {npc} = 1:evennia_ai_pulse", "tag {person} = x:evennia_ai"), NOT_ALLOWED
    ),
    Attempt("take her tags", ("tag/del {npc}", "tag/del {person}", "tag/del {npc} = 60")),
    Attempt("stop her mind by number", ("script/stop {script}",), NO_SCRIPT),
    Attempt("stop her mind by name", ("script/stop Greta = assistant",), NO_SCRIPT),
    Attempt("pause her mind", ("script/pause {script}", "script/pause Greta ="), "Paused"),
    # She is on already: Evennia says "Started", and nothing changes.
    Attempt("start her mind", ("script/start {script}", "script/start Greta ="), "Started"),
    Attempt("a second mind", ("script Greta = evennia_ai.typeclasses.scripts.AssistantScript",)),
    Attempt("delete her second mind", ("script/delete Greta = #999", "n")),
    Attempt("typeclass", ("typeclass/force Greta", "@update Greta"), NOT_ALLOWED),
    Attempt("typeclass/reset", ("typeclass/reset/force Greta", "swap Greta", "y"), NOT_ALLOWED),
    Attempt("another typeclass", ("typeclass Greta = DefaultObject",), NOT_ALLOWED),
    Attempt(
        "spawn of an object with our keys",
        (
            "spawn {'prototype_key': 'p1', 'key': 'Puppet', 'attrs': [('identity', {'uuid': 'x',"
            " 'owner': 1}, 'evennia_ai'), ('p00000', 'x', 'journal')], 'tags': [('60',"
            " 'evennia_ai_pulse')]}",
        ),
        "(?i)spawned",
    ),
    Attempt(
        "spawn/update of her, once she has the tag of a prototype",
        (
            "tag {npc} = evil:from_prototype",
            "spawn/save evil = {'prototype_key': 'evil', 'key': 'Greta', 'typeclass':"
            " 'evennia.objects.objects.DefaultObject', 'locks': 'control:all();edit:all()'}",
            "y",
            "y",
            "spawn/update evil",
            "y",
            "@aimemory/journal Greta",
        ),
        "Saved prototype",
    ),
    Attempt("lock", ("lock Greta = control:all()", "lock/del Greta/edit"), NOT_ALLOWED),
    Attempt("puppet her", ("ic Greta", "puppet Greta", "ic Bob")),
    Attempt(
        "alias, name, desc", ("alias Greta = x", "name Greta = x", "desc Greta = x"), NOT_ALLOWED
    ),
    Attempt(
        "destroy",
        ("destroy/force Greta", "destroy/force {npc}", "destroy/force {person}"),
        NOT_ALLOWED,
    ),
    Attempt("nicks", ("nick p00000 = Greta/p00000", "nick/list", "nick/clearall")),
    Attempt("make her an exit", ("unlink Greta", "link Greta = me"), NOT_ALLOWED),
    Attempt("change her home", ("home", "sethome Greta = me"), NOT_ALLOWED),
    Attempt("force", ("force Greta = say x", "force {person} = remember Greta"), "permission"),
    Attempt("permissions", ("perm Greta = Admin", "perm *Bob = Admin"), "not available"),
    Attempt("teleport", ("tel Greta = here", "tel {npc} = me"), "."),
)

# After these there may be no mind any more, if they succeed.
DELETING = (
    Attempt("delete her mind by its path", ("script/delete AssistantScript", "y"), NO_SCRIPT),
    Attempt("delete her mind by name", ("script/delete Greta = assistant", "y"), NO_SCRIPT),
    Attempt("delete all her scripts", ("script/delete Greta =", "y"), NO_SCRIPT),
    Attempt("delete a range of scripts", ("script/delete #1-#99", "y"), NO_SCRIPT),
    Attempt("delete her mind by number", ("script/delete {script}", "y"), NO_SCRIPT),
)

# The attempts that succeed in a game without our guards, and what docs/trust.md says of them.
SEARCH_TELLS = (
    "Without `evennia_ai.prototype_guard`, in Evennia 6, they can guess what any NPC remembers, a "
    "word at a time, by `$search` in a prototype."
)
OPEN_IN_EVENNIA_6 = {attempt.name: SEARCH_TELLS for attempt in GUESSING}
OPEN = {
    "tag her": (
        "Without `AssistantGuardCmdSet` a builder can put Tags on any NPC with a mind, and take them "
        "off, by `tag`."
    ),
    "spawn/update of her, once she has the tag of a prototype": (
        "Without it they can give any NPC with a mind other locks by `spawn/update` of a prototype, "
        "and so read and change all of its mind."
    ),
    "make her an exit": (
        "Without it they can make an exit of any NPC with a mind by `link`, or change where one leads "
        "by `link` and `unlink`."
    ),
    "change her home": "Without it they can change the home of any NPC with a mind by `sethome`.",
}
ALL = (*READING, *GUESSING, *COPYING, *CHANGING, *DELETING)
