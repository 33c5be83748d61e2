"""Huffman codes: as short as any can be, and a tree."""

import copy
import gc
import itertools
import pickle

import numpy as np
import pytest
import reference
import word2vec_c_twin
from numpy.testing import assert_array_equal

from pyw2v._core.huffman import HuffmanTree

COUNTS = {
    "falling": np.arange(20, 0, -1),
    "equal": np.full(33, 4),
    "fibonacci": np.array([1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]),
    "zeros": np.array([0, 0, 5, 0, 1]),
    "two": np.array([1, 1]),
    "large": np.array([2**60, 2**60, 1, 1]),
}


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
@pytest.mark.parametrize("make", [HuffmanTree, HuffmanTree.fasttext])
def test_huffman_code_is_optimal_and_no_code_begins_another(make, counts):
    if make is not HuffmanTree:
        if counts.max() > 10**15:
            pytest.skip("fastText takes 10^15 for more than any count")
        counts = np.sort(counts)[::-1]
    tree = make(counts.astype(np.int64))
    offsets, codes, points = tree.offsets, tree.codes, tree.points
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
        tree = HuffmanTree(np.ones(n, np.int64))
        assert tree.offsets.tolist() == [0] * (n + 1)
        assert len(tree.codes) == len(tree.points) == 0
        assert (tree.n_words, tree.max_length) == (n, 0)
    assert HuffmanTree.fasttext(np.ones(1, np.int64)).n_words == 1
    with pytest.raises(ValueError, match="at least one label"):
        HuffmanTree.fasttext(np.empty(0, np.int64))


@pytest.mark.parametrize("n", [1, 2, 3, 31, 32, 33, 500])
def test_fasttext_tree_is_that_of_word2vec_c(rng, n):
    counts = np.sort(rng.integers(1, 9, n))[::-1].astype(np.int64)  # many ties
    tree = HuffmanTree.fasttext(counts)
    for word, path in enumerate(word2vec_c_twin.huffman(counts.tolist())):
        codes, points = tree.path(word)
        assert list(zip(points.tolist(), codes.tolist(), strict=True)) == path


def test_tree_tells_paths_and_their_longest():
    tree = HuffmanTree(COUNTS["fibonacci"])
    lengths = [len(tree.path(word)[0]) for word in range(tree.n_words)]
    assert lengths == np.diff(tree.offsets).tolist()
    assert tree.max_length == max(lengths) == 10
    assert repr(tree) == "HuffmanTree(n_words=11, max_length=10)"
    codes, points = tree.path(3)
    assert codes.tolist() == tree.codes[tree.offsets[3] : tree.offsets[4]].tolist()
    assert points.tolist() == tree.points[tree.offsets[3] : tree.offsets[4]].tolist()
    for word in (-1, 11):
        with pytest.raises(IndexError, match="there are 11"):
            tree.path(word)


def test_arrays_are_read_only_and_outlive_their_tree():
    tree = HuffmanTree(COUNTS["falling"])
    arrays = (tree.offsets, tree.codes, tree.points)
    expected = [array.copy() for array in arrays]
    del tree
    gc.collect()
    others = [HuffmanTree(COUNTS["equal"]) for _ in range(10)]  # may take freed memory
    for array, copied in zip(arrays, expected, strict=True):
        assert_array_equal(array, copied)
        assert not array.flags.writeable
        with pytest.raises(ValueError, match=r"read-only|WRITEABLE"):
            array.flags.writeable = True
    assert len(others) == 10


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
@pytest.mark.parametrize("n", [0, 1, 2, 33])
def test_trees_are_copied_and_pickled(way, n):
    tree = HuffmanTree(np.arange(n, dtype=np.int64))
    again = way(tree)
    for name in ("offsets", "codes", "points"):
        assert_array_equal(getattr(again, name), getattr(tree, name))
        assert getattr(again, name).dtype == getattr(tree, name).dtype
    assert again.max_length == tree.max_length


def paths(**changed):
    """The arrays of a tree of three words, some of them changed."""
    made = {"offsets": [0, 1, 3, 5], "codes": [0, 1, 0, 1, 1], "points": [1, 1, 0, 1, 0]} | changed
    types = {"offsets": np.int64, "codes": np.uint8, "points": np.int32}
    return {name: np.array(values, types[name]) for name, values in made.items()}


def test_paths_from_elsewhere_are_taken_as_they_are():
    tree = HuffmanTree.from_paths(**paths())
    assert (tree.n_words, tree.max_length) == (3, 2)
    assert [part.tolist() for part in tree.path(2)] == [[1, 1], [1, 0]]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"offsets": []}, "offsets of paths must rise from 0 to 5"),
        ({"offsets": [1, 1, 3, 5]}, "offsets of paths must rise from 0 to 5"),
        ({"offsets": [-5, 1, 3, 5]}, "offsets of paths must rise from 0 to 5"),
        ({"offsets": [0, 3, 1, 5]}, "offsets of paths must rise from 0 to 5"),
        ({"offsets": [0, 1, 3, 4]}, "offsets of paths must rise from 0 to 5"),
        ({"codes": [0, 1, 0, 1]}, "as many points as codes, got 5 and 4"),
        ({"codes": [0, 1, 0, 2, 1]}, "codes of paths must be 0 or 1, got 2"),
        ({"points": [1, 1, 0, 1, -1]}, "points of paths must be below 2.*, got -1"),
        ({"points": [1, 1, 0, 1, 2]}, "points of paths must be below 2.*, got 2"),
    ],
    ids=str,
)
def test_arrays_that_are_no_paths_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        HuffmanTree.from_paths(**paths(**changed))
