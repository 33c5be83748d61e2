"""Files of the original GloVe tools, and counting and training written out plainly."""

import lzma
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np

from pyw2v.io import glove_format, word2vec_format

FOLDER = Path(__file__).parents[1] / "data" / "glove"
COSTS = (0.073655, 0.062994, 0.060898)


def vocabulary():
    return word2vec_format.load_vocab(FOLDER / "vocab.txt")


def records(name):
    return np.frombuffer(lzma.decompress((FOLDER / f"{name}.xz").read_bytes()), glove_format.RECORD)


def count_plainly(sentences, window, symmetric, distance_weighting):
    """Counts of (word, context) as exact fractions."""
    counts = defaultdict(Fraction)
    for sentence in sentences:
        for right, word in enumerate(sentence):
            for left in range(max(0, right - window), right):
                weight = Fraction(1, right - left) if distance_weighting else Fraction(1)
                counts[sentence[left], word] += weight
                if symmetric:
                    counts[word, sentence[left]] += weight
    return counts


def train_plainly(values, squares, entries, *, x_max, exponent, lr, bias_lr, clip):
    """One pass over (word, context, count) in NumPy; changes `values` and `squares` in place."""
    n_words, cost = len(values) // 2, 0.0
    for word, context, count in entries:
        w, c = values[word], values[n_words + context]
        diff = w[:-1] @ c[:-1] + w[-1] + c[-1] - np.log(count)
        weighted = min(1.0, (count / x_max) ** exponent) * diff
        cost += 0.5 * weighted * diff
        gradients = [
            np.append(np.clip(weighted * other[:-1], -clip, clip) * lr, weighted * bias_lr)
            for other in (c, w)
        ]
        for place, gradient in zip((word, n_words + context), gradients, strict=True):
            values[place] -= gradient / np.sqrt(squares[place])
            squares[place] += gradient**2
    return cost / len(entries)
