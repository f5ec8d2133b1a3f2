"""What a mind without a model understands and says."""
