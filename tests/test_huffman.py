"""Huffman codes: as short as any can be, and a tree."""

import itertools

import numpy as np
import pytest
import reference

from pyw2v._core.huffman import fasttext_huffman, huffman

COUNTS = {
    "falling": np.arange(20, 0, -1),
    "equal": np.full(33, 4),
    "fibonacci": np.array([1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]),
    "zeros": np.array([0, 0, 5, 0, 1]),
    "two": np.array([1, 1]),
    "large": np.array([2**60, 2**60, 1, 1]),
}


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
@pytest.mark.parametrize("make", [huffman, fasttext_huffman])
def test_huffman_code_is_optimal_and_no_code_begins_another(make, counts):
    if make is fasttext_huffman:
        if counts.max() > 10**15:
            pytest.skip("fastText takes 10^15 for more than any count")
        counts = np.sort(counts)[::-1]
    offsets, codes, points = make(counts.astype(np.int64))
    paths = [slice(*pair) for pair in itertools.pairwise(offsets)]
    cost = sum(int(c) * (p.stop - p.start) for c, p in zip(counts, paths, strict=True))
    assert cost == reference.huffman_cost(counts)
    branches = [tuple(codes[path]) for path in paths]
    prefixes = {branch[:n] for branch in branches for n in range(len(branch))}
    assert len(set(branches)) == len(counts)
    assert not prefixes & set(branches)
    # A node is where the branches before it lead, the same node for every word that passes.
    nodes = {}
    for branch, path in zip(branches, paths, strict=True):
        for depth, node in enumerate(points[path]):
            assert nodes.setdefault(branch[:depth], node) == node
    assert sorted(nodes.values()) == list(range(len(counts) - 1))
    assert nodes[()] == len(counts) - 2  # the root, as in word2vec.c


def test_huffman_of_one_word_or_none_is_empty():
    for n in (0, 1):
        offsets, codes, points = huffman(np.ones(n, np.int64))
        assert offsets.tolist() == [0] * (n + 1)
        assert len(codes) == len(points) == 0
