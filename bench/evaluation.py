"""How good vectors are: the same four tests, by the same code, whoever trained them."""

import math
from pathlib import Path
from typing import Any

import pyw2v

# Short name, file. Analogies are accuracies in %, the others Spearman correlations.
ANALOGIES = "analogies"
_PAIRS = {
    "ws353": "EN-WS-353-ALL.txt",
    "men": "EN-MEN-TR-3k.txt",
    "rw": "EN-RW-STANFORD.txt",
}
TESTS = (ANALOGIES, *_PAIRS)
# How far below gensim's mean the mean of pyw2v may lie: 1 point of accuracy, 0.01 of correlation.
TOLERANCE = {ANALOGIES: 1.0, **dict.fromkeys(_PAIRS, 0.01)}

Quality = dict[str, float | None]


def evaluate(words: list[str], vectors: Any, folder: str, restrict_vocab: int | None) -> Quality:
    """Return the result of each test; None where the vocabulary has none of its words.

    Analogies are solved among the `restrict_vocab` most frequent words (None: all).
    """
    kv = pyw2v.KeyedVectors(vectors.shape[1])
    kv.add_vectors(words, vectors)
    files = Path(folder)
    accuracy, sections = kv.evaluate_word_analogies(
        files / "questions-words.txt", restrict_vocab=restrict_vocab
    )
    known = bool(sections[-1]["correct"] or sections[-1]["incorrect"])
    result: Quality = {ANALOGIES: 100 * accuracy if known else None}
    for name, file in _PAIRS.items():
        try:
            spearman = kv.evaluate_word_pairs(files / file, delimiter=None, restrict_vocab=None)[1]
        except ValueError:  # no pair is known
            result[name] = None
        else:
            value = float(spearman[0])
            result[name] = None if math.isnan(value) else value
    return result
