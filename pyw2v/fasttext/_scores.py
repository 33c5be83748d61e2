"""Probabilities of labels as fastText reports them: its table of sigmoids, and 1e-5 on top."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pyw2v.fasttext_data import FastTextData

Floats = npt.NDArray[np.float32]

_EPSILON = 1e-5
_TABLE_SIZE = 512
_MAX_SIGMOID = 8
_NO_COUNT = 10**15


class Scorer:
    """The output layer of a classifier: the mean of a line's rows in, the best labels out."""

    def __init__(self, data: FastTextData) -> None:
        output = data.output
        self._output: Floats = output if isinstance(output, np.ndarray) else output.to_dense()
        self._loss = data.args.loss
        self._children = _tree(data.label_counts.tolist()) if self._loss == "hs" else []

    def best(self, hidden: Floats, k: int, threshold: float) -> list[tuple[float, int]]:
        """Pairs (probability, label), best first, of at least ``threshold``."""
        if self._loss == "hs":
            found = self._walk(hidden, threshold)
        else:
            probabilities = self._flat(hidden)
            labels = np.flatnonzero(probabilities >= threshold).tolist()
            found = [(float(np.log(probabilities[i] + _EPSILON)), i) for i in labels]
        found.sort(reverse=True)  # of equal ones the last label, as a heap of one would have it
        return [(float(np.exp(np.float32(score))), label) for score, label in found[:k]]

    def _flat(self, hidden: Floats) -> Floats:
        scores = self._output @ hidden
        if self._loss == "softmax":
            powers = np.exp(scores - scores.max())
            return powers / powers.sum()  # type: ignore[no-any-return]
        step = np.clip(scores + _MAX_SIGMOID, 0, 2 * _MAX_SIGMOID) * _TABLE_SIZE
        at = np.trunc(step / _MAX_SIGMOID / 2) * (2 * _MAX_SIGMOID) / _TABLE_SIZE - _MAX_SIGMOID
        table = 1 / (1 + np.exp(-at))
        table[scores < -_MAX_SIGMOID] = 0
        table[scores > _MAX_SIGMOID] = 1
        return table.astype(np.float32)  # type: ignore[no-any-return]

    def _walk(self, hidden: Floats, threshold: float) -> list[tuple[float, int]]:
        """Log-probabilities of the leaves, without branches that fall below the threshold."""
        right = 1 / (1 + np.exp(-(self._output @ hidden).astype(np.float64)))
        least = np.log(threshold + _EPSILON)
        n_labels = len(self._output)
        found = []
        waiting = [(0.0, 2 * n_labels - 2)]
        while waiting:
            score, node = waiting.pop()
            if score < least:
                continue
            if node < n_labels:
                found.append((score, node))
                continue
            branches = self._children[node - n_labels]
            p = right[node - n_labels]
            for child, share in zip(branches, (1 - p, p), strict=True):
                waiting.append((score + float(np.log(share + _EPSILON)), child))
        return found


def _tree(counts: Sequence[int]) -> list[tuple[int, int]]:
    """Children of every inner node of the Huffman tree; counts fall. The second has bit 1."""
    n = len(counts)
    weights = [*counts, *([_NO_COUNT] * (n - 1))]
    leaf, node = n - 1, n
    children = []
    for new in range(n, 2 * n - 1):
        pair = []
        for _ in range(2):
            if leaf >= 0 and weights[leaf] < weights[node]:
                pair.append(leaf)
                leaf -= 1
            else:
                pair.append(node)
                node += 1
        weights[new] = weights[pair[0]] + weights[pair[1]]
        children.append((pair[0], pair[1]))
    return children
