"""Makes the table of word senses: `python -m tests.benchmarks.make_word_senses MODEL_FOLDER`.

Each of the commonest English words is embedded alone by all-MiniLM-L6-v2 (Apache License 2.0; a
folder with `model.onnx` and `tokenizer.json`), the vectors are cut to their main directions and
to 4 bits a number. Words are those of the tokenizer, which lists them by how common they are.
"""

import json
import sys
from pathlib import Path

import numpy as np

from evennia_ai.semantic import word_senses

WORDS = 16_000
# The strongest directions tell how common a word is, not what it means.
DROPPED = 2
BATCH = 64


def main(folder):
    words, vectors = _embed(Path(folder))
    # The directions are those of all words, also of the rare ones that are left out.
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    kept = directions[:, ::-1][:, DROPPED : DROPPED + word_senses.SENSES]
    reduced = centred[:WORDS] @ kept
    reduced /= np.linalg.norm(reduced, axis=1, keepdims=True)
    step = 2.5 * reduced.std() / word_senses.LEVELS
    levels = (
        np.clip(np.round(reduced / step), -word_senses.LEVELS, word_senses.LEVELS)
        + word_senses.LEVELS
    )
    levels = levels.astype(np.uint8)
    np.savez_compressed(
        word_senses.TABLE,
        words=np.frombuffer("\n".join(words[:WORDS]).encode(), dtype=np.uint8),
        senses=levels[:, ::2] << 4 | levels[:, 1::2],
    )
    print(f"{word_senses.TABLE}: {WORDS} words, {word_senses.TABLE.stat().st_size // 1024} kB")


def _embed(folder):
    import onnxruntime
    from tokenizers import Tokenizer

    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    words = sorted(vocabulary, key=vocabulary.get)
    words = [word for word in words if word.isalpha() and word.isascii() and len(word) > 1]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    session = onnxruntime.InferenceSession(folder / "model.onnx")
    vectors = []
    for start in range(0, len(words), BATCH):
        encoded = tokenizer.encode_batch(words[start : start + BATCH])
        ids = np.array([one.ids for one in encoded], dtype=np.int64)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        vectors.append(session.run(None, inputs)[0])
    return words, np.concatenate(vectors).astype(np.float64)


if __name__ == "__main__":
    main(*sys.argv[1:])
