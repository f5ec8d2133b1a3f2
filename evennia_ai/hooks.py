"""Start and stop of the server: name this module in AT_SERVER_STARTSTOP_MODULE.

It imports nothing at module level: Evennia swallows an ImportError here, and the hooks with it.
"""


def at_server_start():
    """Say which mind thinks, load what it needs, and clear out what is too old to keep."""
    from evennia.utils import logger
    from twisted.internet.defer import maybeDeferred
    from twisted.python import log

    from evennia_ai.llm import base
    from evennia_ai.workers import database

    # What fails is told by whoever needs it, and harms no start.
    maybeDeferred(_load).addErrback(log.err, "evennia_ai: not all could be loaded before the start")
    database.guard()
    logger.log_info(f"evennia_ai: {base.describe()}")
    for step in (
        _resume,
        _look_at_tables,
        warm_up,
        _listen,
        _take_back,
        _bury,
        _forget,
    ):
        # Not here and now: Evennia has not finished starting, and does not if anything fails here. Players are
        # there by then, and one step is a slice.
        _soon(step)


def _soon(step):
    """Take a step in a second; if the database is away then, a second after that, until it is back."""
    from evennia_ai import scheduling

    scheduling.clock().callLater(1, scheduling.call_soon, _take, step)


def _take(step):
    from twisted.internet.defer import maybeDeferred

    maybeDeferred(step).addErrback(_fail, step)


def _fail(failure, step):
    """Take a step again that fails because the database is away; say of others that they failed."""
    from django.db import InterfaceError, OperationalError
    from twisted.python import log

    from evennia_ai.workers import database

    if failure.check(InterfaceError, OperationalError) and database.mend():
        _soon(step)
        return
    log.err(
        failure,
        f"evennia_ai: a step of the start of the server failed: {step.__doc__}",
    )


def _load():
    """Import and read in one go what is used from the first minute on: no player is served yet."""
    from django.db import connection
    from twisted.internet.defer import maybeDeferred

    from evennia_ai.agent.revising import forgetting, mind_transfer  # noqa: F401
    from evennia_ai.core import languages, words
    from evennia_ai.lifecycle import burial  # noqa: F401
    from evennia_ai.memory.storage import whole_minds
    from evennia_ai.semantic import base as semantic
    from evennia_ai.typeclasses import listener  # noqa: F401
    from evennia_ai.workers import executors, job_control, payload, worker  # noqa: F401

    def find_workers():
        if executors.executor_for(payload.NIGHT) is not None:
            whole_minds.warm_up(connection)

    def read_words():
        # The first word of all takes 20 ms, for the stemmer.
        words.stem("words", languages.DEFAULT)

    each = (languages.read_whole, read_words, semantic.get_memory, find_workers)
    for read in each:
        # What fails is told by `warm_up`, and harms no start.
        maybeDeferred(read).addErrback(lambda _: None)


def _resume():
    """Have minds ticked, though the database may have gone away while Evennia read its tickers."""
    from evennia_ai import tick

    tick.resume()


def _look_at_tables():
    """Delete what is too old, and call the workers, if the database has tables for it."""
    from evennia.utils import logger

    from evennia_ai import scheduling
    from evennia_ai.checks import installed

    if lacking := installed.missing_tables():
        logger.log_err(
            f"evennia_ai: the database lacks tables of ours ({', '.join(lacking)}), so that nothing is "
            "counted or reported. Run `evennia migrate`, then `evennia reload`."
        )
        return
    for step in (_prune, _call_workers):
        scheduling.call_soon(_take, step)


def _prune():
    """Delete what is too old."""
    from evennia_ai import scheduling
    from evennia_ai.llm import ledger

    return scheduling.step_by_step(ledger.prune())


def _call_workers():
    """Let workers start anew with this server, whose settings and code may be others."""
    from evennia_ai.workers import executors, job_control, worker

    if executors.chosen() != executors.THREAD:
        worker.note_start()
        job_control.leave_behind()


def _listen():
    """Hear the channels that assistants follow."""
    from evennia_ai.typeclasses import listener

    listener.at_server_start()


def _bury():
    """Let go of what deleted NPCs remembered, if a crash came in between."""
    from evennia_ai.lifecycle import burial

    return burial.finish()


def _forget():
    """Do what players asked to have forgotten, if the server stopped before it was."""
    from evennia_ai.agent.revising import forgetting

    return forgetting.resume()


def _take_back():
    """Take back what a crash left of minds that were being imported."""
    from evennia_ai.agent.revising import mind_transfer

    return mind_transfer.take_back_halves()


def warm_up():
    """Load what the mind needs, so that nobody has to wait for it who only wants to talk; return a Deferred."""
    from evennia_ai import scheduling
    from evennia_ai.agent import turns
    from evennia_ai.core import languages

    loading = scheduling.step_by_step(languages.warm_up())
    loading.addErrback(_warn).addCallback(lambda _: warm_up_nights())
    return loading.addCallback(lambda _: turns.learn_profiles()).addErrback(_warn)


def warm_up_nights():
    """Load what thinks and what keeps memories, which is all that a worker needs; return a Deferred."""
    from twisted.internet.defer import maybeDeferred

    from evennia_ai.llm import base
    from evennia_ai.semantic import base as semantic

    loading = maybeDeferred(base.warm_up).addErrback(_warn)
    return loading.addCallback(lambda _: semantic.warm_up()).addErrback(_warn)


def _warn(failure):
    from evennia_ai.semantic import memory_thread

    memory_thread.warn("not all could be loaded", failure.value)


def at_server_stop():
    """Finish what is only in memory, and leave no thread or socket behind.

    Nothing surfaces: Evennia would not go on with the stop, and this server stay, with minds that do nothing more.
    """
    from twisted.internet.defer import maybeDeferred
    from twisted.python import log

    from evennia_ai import scheduling
    from evennia_ai.experience import base as experience
    from evennia_ai.llm import ledger, loop_thread
    from evennia_ai.memory.state import active_assistants
    from evennia_ai.semantic import base as semantic
    from evennia_ai.workers import executors

    active_assistants.close()
    ends = (
        scheduling.drain,
        ledger.finish,
        executors.stop,
        loop_thread.stop,
        experience.close,
        semantic.close,
    )
    for end in ends:
        maybeDeferred(end).addErrback(
            log.err, "evennia_ai: not all of the stop of the server was done"
        )
