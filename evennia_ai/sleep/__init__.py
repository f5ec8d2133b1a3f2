"""Sleep of assistants: they rate, keep, link, reflect and tidy up the day."""
