"""The embeddings of a model server, by its `/v1/embeddings`: what minds remember is sent there.

For a server of your own; it is asked on the thread of long-term memory, and a recall that takes longer than
a second is done without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

# Texts in one request, and seconds that an answer may take.
BATCH, SECONDS = 64, 30.0


class ServerEmbedder:
    """Embeds by a server; `scale` is measured by whoever chooses the model."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimensions: int,
        api_key: str = "",
        scale: dict[str, float] | None = None,
    ) -> None:
        self.name, self.dimensions = f"server:{model}", dimensions
        self.scale = scale or {"relevant": 0.3}
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}

    def embed(self, texts: Sequence[str]) -> numpy.ndarray:
        """Return one row of length 1 for each text, float32."""
        import numpy as np

        rows: list[Any] = []
        for start in range(0, len(texts), BATCH):
            rows += self._asked(list(texts[start : start + BATCH]))
        found = np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return found / np.where(lengths > 0, lengths, 1.0)

    def embed_query(self, text: str) -> numpy.ndarray:
        return self.embed([text])[0]

    def _asked(self, texts: list[str]) -> list[Any]:
        import httpx2

        # A text must not be empty there.
        body = {"model": self.name[len("server:") :], "input": [text or " " for text in texts]}
        answer = httpx2.post(self._url, json=body, headers=self._headers, timeout=SECONDS)
        answer.raise_for_status()
        data = sorted(answer.json()["data"], key=lambda one: one["index"])
        return [one["embedding"] for one in data]
