"""Steps of the scripted model server that answer badly, or not at all."""

from tests.model_steps import Step, data, text

# Seconds that nobody waits for.
FOREVER = 3600.0


def html():
    """Answer with a page, as a wrong address does."""
    page = b"<html><body>Welcome!</body></html>"
    return Step(body=page, headers=(("content-type", "text/html"),))


def empty():
    """Answer with nothing."""
    return Step(body=b"")


def error_in_200(error="the upstream model failed"):
    """Answer with an error as if all were well."""
    return data({"error": {"code": 502, "message": error}})


def no_choices():
    """Answer with `choices: null`."""
    return data({"choices": None})


def huge(size=10_000_000):
    """Answer with this many bytes of words."""
    return text("x" * size)


def hang():
    """Never answer."""
    return Step(latency=FOREVER)


def drip(words="x" * 200, *, interval=1.0):
    """Answer byte by byte."""
    return Step(text=words, interval=interval)


def drop():
    """Cut the connection."""
    return Step(drop=True)
