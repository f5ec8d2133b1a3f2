"""What was logged for staff, as lines."""


def lines(captured):
    """Return our lines among events that `twisted.logger.capturedLogs` has caught."""
    found = [event.get("line", "") for event in captured]
    return [line for line in found if line.startswith("evennia_ai: ")]
