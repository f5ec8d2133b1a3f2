"""Understanding and speaking without a model."""
