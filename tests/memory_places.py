"""Finds, in the source, each place where something reads what an assistant remembers."""

import ast
import re

# Rooms in which what is read may get into a prompt, a tool's result or another memory.
ROOMS = ("tools", "agent", "semantic", "sleep", "experience", "life", "tick", "lifecycle")
# What reads memory, by module.
READERS = {
    "memory.journal": {
        "entries",
        "entries_with",
        "newest_first",
        "oldest_first",
        "entries_on",
        "get_entry",
        "get_entries",
        "syntheses_beyond",
        "journal",
    },
    "memory.people.entity_profiles": {
        "find_profile",
        "find_profiles",
        "profiles_by_each",
        "get_entity_profile",
        "create_entity_profile",
        "all_profiles",
        "known_identities",
        "find_by_name",
        "find_mentioned",
        "known_names",
    },
    # As plain data, for the public names.
    "memory.people.plain_profiles": {"get_entity_profile", "create_entity_profile"},
    "memory.working_memory": {
        "all_lines",
        "lines_with",
        "conversations",
        "get_conversation_context",
        "tellable_context",
        "answered_question",
        "start_conversation",
    },
    "memory.sharing": {"note_told"},
    "memory.episodic": {"question_of", "asked_of"},
    "memory.people.promised": {"expected", "settled", "break_overdue", "brought_late"},
    "memory.persona": {"load_lore"},
    "memory.state.assistant": {"pending_events", "reminders", "take_due_reminders"},
    "memory.repository": {"load", "load_all", "load_of_all", "edit"},
    "memory.state.kept_goals": {
        "goals",
        "open_goals",
        "update_goal",
        "planned",
        "keep_plan",
    },
    "memory.errands": {"current"},
    "agent.prompting.recall": {"recall"},
    "agent.prompting.said_here": {"all_here", "lines"},
    "semantic.ranking.retrieve": {"retrieve_relevant_memories"},
}
# What reads of experience, whatever holds it but experience itself, which has tests of its own.
OF_EXPERIENCE = {
    "lessons",
    "retrieve_similar",
    "build_few_shot_prompt",
    "retrieve_similar_trajectories",
    "retrieve_feedback",
}
# What reads of a semantic memory, and of the kept results of tools.
OF_MEMORY = {"search", "get", "get_all"}
_A_MEMORY = re.compile(r"(?:\w+\.)*get_memory\([^()]*\)")
# Public functions of the same modules that return nothing of what was said: they write or count.
OTHERS = {
    "memory.journal": {
        "as_entry",
        "add_entry",
        "heuristic_importance",
        "edit_entry",
        "summary",
        "rescore",
        "mark_consolidated",
        "remove_entries",
        "let_go",
        "page_numbers",
        "count",
        "version",
        "size",
        "lost",
        "excess",
        "select_to_keep",
        "wants_sleep",
        "journal_size",
        "set_max_entries",
        "note_reflection",
    },
    "memory.people.entity_profiles": {
        "add_entity_observation",
        "apply_attributes",
        "update_relationship",
        "set_disposition",
        "forget_entity",
        "drop_stranger",
        "rewrite",
        # Yes or no.
        "comes_first",
    },
    "memory.people.plain_profiles": {"add_entity_observation"},
    "memory.working_memory": {
        "add_line",
        "add_conversation_message",
        "add_pending_action",
        "finish_pending_action",
        "still_pending",
        "own_line",
        "remove_conversation",
        "replace_lines",
        "mark_extracted",
        "reword",
        "take_grown",
    },
    "memory.state.kept_goals": {"progress", "add_goal", "set_plan"},
    "memory.sharing": {"of_entry", "hearsay", "worded", "level", "regard"},
    "memory.errands": {
        "bind_names",
        "entrust",
        "is_for_others",
        "giver_of",
        "let_go",
        "is_enough",
        "note_asked",
        "forget_asked",
        "is_awaited",
        "errands_of",
        "problem_of_line",
        "is_time",
        "is_listed",
        "is_thing",
        "may_name",
        "take_charge",
        "receiver",
        "somebody",
        "rooms_of",
    },
    # A persona is what its builder shows to everybody.
    "memory.persona": {
        "load_persona",
        "language_of",
        "model_of",
        "model_problem",
        "allowed_models",
        "save_persona",
        "save_lore",
        "take_up",
    },
    "memory.repository": {
        "rewrites",
        "note_rewrite",
        "save",
        "save_all",
        "remove",
        "together",
        "warm",
        "warm_all",
        "keys",
        "clear",
        "has_any",
        "move_all",
        "delete_all",
        "owners",
    },
    "memory.state.assistant": {
        "enable",
        "is_enabled",
        "is_new",
        "key_of",
        "add_pending",
        "remove_pending",
        "add_reminder",
        "drop_reminders",
        "following",
        "post",
        "keep_post",
        "leave_post",
        "is_quiet_for",
        "be_quiet_for",
        "forget_account",
        "said_by_itself",
        "note_said_by_itself",
        "news_told",
        "note_news_told",
        "trigger_done",
        "note_trigger_done",
        "thought_alone",
        "note_thought_alone",
        "round_of",
        "keep_round",
        "follow",
        "followed_channels",
        "save_followed_channels",
        "count",
        "counters",
        "guests",
        "note_guest",
        "may_keep",
        "forget_guest",
    },
}
# Modules of storage that keep nothing of what was said, or only for those above.
SILENT = {
    "",
    # What players reported to staff: no mind reads it.
    "reports",
    # Who plays whom, and who controls whom.
    "accounts",
    # Which memories there are and which are alike, and whom something is known of: no words.
    "links",
    "entity_backlog",
    "knowers",
    # Writes on their way.
    "batch",
    # What goes along with a copy stays where it is read again.
    "copying",
    # A copy of all that there is, for a night elsewhere: what is read of it, is read by the same ways.
    "detached",
    "whole_minds",
    # Beside the readers that stand above, it ranks entries that somebody has read.
    "episodic",
    "identity",
    "journal_pages",
    # How things are kept, below those who read them.
    "kinds",
    "own_attributes",
    "attribute_queries",
    "pages",
    "lookup",
    # Files, and what a builder writes.
    "routine",
    "plans",
    "mind_folders",
    "heard",
    "seed_yaml",
    "seeding",
    "npc_settings",
    "sleep_state",
    # It only sees to it that others need not ask the database.
    "readahead",
    "reflection_state",
    "active_assistants",
    "channels",
}


def places(module):
    """Return the places of a module where memory is read, as `agent.prompting.recall_sources.lore: persona.load_lore`."""
    if module.room not in ROOMS:
        return set()
    modules, functions = _imported(module.tree)
    return set(_found(module.tree, module.name, modules, functions, _memories(module.tree)))


def public_functions(module):
    """Return the names of the functions that a module shows."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = {node.name for node in module.tree.body if isinstance(node, defined)}
    return {name for name in names if not name.startswith("_")}


def _imported(tree):
    """Return what the names of a module stand for: {name: module}, {name: (module, function)}."""
    modules, functions = {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name.removeprefix("evennia_ai.")
                modules[alias.asname or alias.name] = name
        elif isinstance(node, ast.ImportFrom):
            origin = (node.module or "").removeprefix("evennia_ai").lstrip(".")
            for alias in node.names:
                name = alias.asname or alias.name
                modules[name] = f"{origin}.{alias.name}".lstrip(".")
                if alias.name in READERS.get(origin, ()):
                    functions[name] = (origin, alias.name)
    return modules, functions


def _memories(tree):
    """Return the names that stand for a semantic memory somewhere in a module."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _A_MEMORY.fullmatch(ast.unparse(node.value)):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.arg) and node.annotation is not None:
            names |= {node.arg} & {"memory"} if "Memory" in ast.unparse(node.annotation) else set()
    return names


def _found(node, where, modules, functions, memories):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        where = f"{where}.{node.name}"
    elif isinstance(node, ast.Attribute):
        holder = ast.unparse(node.value)
        origin = modules.get(holder, "")
        if node.attr in READERS.get(origin, ()):
            yield f"{where}: {origin.rpartition('.')[2]}.{node.attr}"
        elif node.attr in OF_MEMORY and (_A_MEMORY.fullmatch(holder) or holder in memories):
            yield f"{where}: memory.{node.attr}"
        elif node.attr == "get" and holder.rpartition(".")[2] == "results()":
            yield f"{where}: results.get"
        elif node.attr in OF_EXPERIENCE and holder != "self":
            yield f"{where}: experience.{node.attr}"
    elif isinstance(node, ast.Name) and node.id in functions:
        origin, function = functions[node.id]
        yield f"{where}: {origin.rpartition('.')[2]}.{function}"
    for child in ast.iter_child_nodes(node):
        yield from _found(child, where, modules, functions, memories)
