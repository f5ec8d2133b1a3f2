"""A sentence model (MiniLM and its like) by onnxruntime, from a local folder; nothing is downloaded.

The folder holds `model.onnx` and `tokenizer.json`. The graph takes `input_ids`, `attention_mask` and
perhaps `token_type_ids`, and gives one vector a text, or one a token, of which the mean is taken.
"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured

if TYPE_CHECKING:
    import numpy

FILES = ("model.onnx", "tokenizer.json")
PACKAGES = ("numpy", "onnxruntime", "tokenizers")
# Texts that go through the model at once; more only take more memory.
BATCH = 16
# Tokens of a text that are read.
MAX_TOKENS = 256
# Measured with MiniLM (int8) on talks, names left out: three of four lines that answer a question are
# more like it than 0.2, and nine of ten others are less.
# Of pairs of lines in tests/data/linked_lines.json 14 of 15 are rightly told apart at 0.45.
SCALE = {"relevant": 0.2, "alike": 0.45}


class OnnxEmbedder:
    """Embeds by the model in `folder`.

    Raises:
        ImproperlyConfigured: a package or a file is missing.
    """

    def __init__(self, *, folder: str, scale: dict[str, float] | None = None) -> None:
        missing = [package for package in PACKAGES if find_spec(package) is None]
        if missing:
            raise ImproperlyConfigured(
                f"the embedder needs {', '.join(missing)}: pip install 'evennia-ai[minilm]'"
            )
        paths = [Path(folder) / name for name in FILES]
        absent = [path.name for path in paths if not path.is_file()]
        if absent:
            raise ImproperlyConfigured(f"the embedder's folder {folder} lacks {', '.join(absent)}.")
        import onnxruntime
        from tokenizers import Tokenizer

        self.scale = {**SCALE, **(scale or {})}
        self._tokenizer = Tokenizer.from_file(str(paths[1]))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        # More threads are no faster for one line, and take the game's.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(paths[0]), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {given.name for given in self._session.get_inputs()}
        # Another model in the same place is another embedder.
        self.name = f"onnx:{hashlib.sha256(paths[0].read_bytes()).hexdigest()[:16]}"
        self.dimensions = self.embed(["a"]).shape[1]

    def embed(self, texts: list[str]) -> numpy.ndarray:
        """Return a row of length 1 for each text."""
        import numpy as np

        # Texts of one length together: each batch is padded to its longest.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        rows: list[Any] = [None] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            vectors = self._run([texts[index] for index in batch])
            for index, vector in zip(batch, vectors, strict=True):
                rows[index] = vector
        if not rows:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack(rows)

    def embed_query(self, text: str) -> numpy.ndarray:
        return self.embed([text])[0]

    def _run(self, texts: list[str]) -> numpy.ndarray:
        import numpy as np

        encoded = self._tokenizer.encode_batch(texts)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        given = {
            "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        output = self._session.run(
            None, {name: given[name] for name in given if name in self._inputs}
        )[0]
        if output.ndim == 3:
            weights = mask[:, :, None].astype(np.float32)
            output = (output * weights).sum(1) / np.maximum(weights.sum(1), 1e-9)
        lengths = np.linalg.norm(output, axis=1, keepdims=True)
        return (output / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
