"""Inside the Server: does what a benchmark asks for over one line on loopback.

Named in AT_SERVER_STARTSTOP_MODULE, so nothing is imported early.
"""


def at_server_start():
    """Call the benchmark, which listens on BENCHMARK_PORT."""
    import json
    import os

    from django.conf import settings
    from django.utils.module_loading import import_string
    from twisted.internet import reactor
    from twisted.internet.defer import maybeDeferred
    from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
    from twisted.protocols.basic import LineOnlyReceiver
    from twisted.python import log

    class Link(LineOnlyReceiver):
        delimiter = b"\n"

        def connectionMade(self):  # noqa: N802 - Twisted's name
            self.send({"pid": os.getpid()})

        def lineReceived(self, line):  # noqa: N802
            asked = json.loads(line)
            function = import_string(asked["function"])
            called = maybeDeferred(function, **asked["arguments"])
            called.addCallbacks(
                lambda result: self.send({"result": result}),
                lambda failure: self.send({"error": failure.getTraceback()}),
            )

        def send(self, data):
            self.sendLine(json.dumps(data).encode())

    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", settings.BENCHMARK_PORT)
    # The first Server of a new game is replaced at once, and its call need not be taken.
    connectProtocol(endpoint, Link()).addErrback(log.err, "the benchmark does not listen")
