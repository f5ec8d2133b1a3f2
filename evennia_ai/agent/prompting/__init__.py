"""What a prompt is made of: what comes to mind, and what is so around the assistant."""
