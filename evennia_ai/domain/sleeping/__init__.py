"""What the night makes of the day: rating, reflection, lasting knowledge, summaries, pruning."""
