"""Long-term memories as a search returns them, for tests of what is made of them."""

from evennia_ai.domain.memories.long_term import Memory


def hit(id, text="", *, audience="public", cosine=0.0, score=0.0, **metadata):
    """Return a memory that a search has found; `metadata` is what it knows beside its words."""
    return Memory(
        id=id,
        text=text,
        audience=audience,
        created="2030-01-01T00:00:00.000Z",
        metadata=metadata,
        score=score,
        cosine=cosine,
    )
