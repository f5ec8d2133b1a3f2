"""Work of the night: rating, reflection, lasting knowledge, summaries, pruning."""
