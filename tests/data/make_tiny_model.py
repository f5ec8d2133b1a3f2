"""Makes tests/data/tiny_model: a sentence model of a few words, to test the ONNX embedder with.

Needs the package `onnx`, which nothing else does: python -m tests.data.make_tiny_model
"""

from pathlib import Path

FOLDER = Path(__file__).parent / "tiny_model"
# Words of one row mean the same to the model.
MEANINGS = (("[PAD]",), ("[UNK]",), ("dog", "hound"), ("cat",), ("sleeps", "rests"), ("runs",))


def main():
    """Write model.onnx and tokenizer.json."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    words = [word for row in MEANINGS for word in row]
    table = np.zeros((len(words), len(MEANINGS)), dtype=np.float32)
    for column, row in enumerate(MEANINGS):
        for word in row:
            table[words.index(word), column] = 2.0
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ],
        [
            helper.make_tensor_value_info(
                "last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", len(MEANINGS)]
            )
        ],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    FOLDER.mkdir(exist_ok=True)
    save(model, str(FOLDER / "model.onnx"))
    vocabulary = {word: index for index, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(FOLDER / "tokenizer.json"))


if __name__ == "__main__":
    main()
