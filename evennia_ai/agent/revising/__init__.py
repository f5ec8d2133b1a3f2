"""Later changes to a mind: corrections, forgetting, the move to another body."""
