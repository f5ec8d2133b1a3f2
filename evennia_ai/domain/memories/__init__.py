"""What is remembered: how it ranks, who makes room for whom, what goes when somebody is forgotten."""
