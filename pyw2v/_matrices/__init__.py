"""The matrices of a model: made for the core, filled as gensim does, grown with the vocabulary.

They are ordinary C-contiguous (n_rows, dim) float32 arrays. Only while the core trains them do
their rows lie further apart (`_core.matrix.SpreadRows`). `bucket_rows` holds the rows of n-grams,
of which only those in use take memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pyw2v._core import matrix
from pyw2v.io.mapped import copy_into

if TYPE_CHECKING:
    from pyw2v._core.huffman import HuffmanTree

Matrix = np.ndarray[Any, np.dtype[np.float32]]

# Values drawn or copied at a time: a part that stays in the cache, and no second whole matrix ever.
_CHUNK_VALUES = 1 << 16


def zeros(n_rows: int, dim: int) -> Matrix:
    """Return a matrix of zeros that the core can train on."""
    return matrix.zeros(n_rows, dim)


def row_bytes(dim: int) -> int:
    """Return the bytes that one row takes in training, with its padding to whole cache lines."""
    return -(-4 * dim // 64) * 64


def for_training(array: Any, n_rows: int, dim: int, name: str, each: str = "words") -> Matrix:
    """Return `array` itself if the core can train on it in place, else a copy."""
    shape = np.shape(array)
    if shape != (n_rows, dim):
        raise ValueError(
            f"{name} must have one row of {dim} numbers for each of the {n_rows} {each} of the "
            f"model, got shape {shape}"
        )
    if isinstance(array, np.ndarray) and matrix.can_spread(array):
        return cast(Matrix, array)
    return _copied(np.asarray(array), n_rows, dim)


def numbers_for_training(array: Any, n: int, name: str) -> Matrix:
    """Return `array`, a number for each of n words, itself or a copy; zeros for None."""
    if array is None:
        return np.zeros(n, np.float32)
    if np.shape(array) != (n,):
        raise ValueError(
            f"{name} must have a number for each of the {n} words of the model, "
            f"got shape {np.shape(array)}"
        )
    return np.require(array, np.float32, ["C", "W"])


def random_rows(n_rows: int, dim: int, seed: int | None, prior: Any = None) -> Matrix:
    """Return a matrix whose first rows are those of `prior` and the others uniform in ±1/dim.

    Row i gets the numbers gensim's prep_vectors gives to row i of a matrix of any size, for the
    same seed; without a seed they differ from call to call.
    """
    n_prior = 0 if prior is None else len(prior)
    result = zeros(n_rows, dim) if n_prior == 0 else _copied(prior, n_rows, dim)
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK_VALUES // dim)
    start = 0
    while start < n_rows:
        # Rows that exist already are drawn and thrown away, so that the stream stays in step.
        stop = min(n_rows, n_prior if start < n_prior else n_rows, start + step)
        rows = rng.random((stop - start, dim), dtype=np.float32)
        if start >= n_prior:
            rows *= 2.0
            rows -= 1.0
            rows /= dim
            result[start:stop] = rows
        start = stop
    return result


def uniform_rows(n_rows: int, dim: int, seed: int | None, prior: Any = None) -> Matrix:
    """Return the same kind of matrix with numbers of our own, many times faster.

    For n-grams, which have millions of rows. Row i depends on i and the seed only.
    """
    n_prior = 0 if prior is None else len(prior)
    result = zeros(n_rows, dim) if n_prior == 0 else _copied(prior, n_rows, dim)
    bits = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    matrix.fill_uniform(result, 1 / dim, int(bits[0]), n_prior)
    return result


def lock_factors(lockf: Any, n_rows: int) -> Matrix | None:
    """Return a factor for each row's updates, or None when all are 1.

    gensim reads the factors modulo their number, so one value stands for all rows.
    """
    if lockf is None or np.all(np.asarray(lockf) == 1.0):
        return None
    return np.ascontiguousarray(np.resize(lockf, n_rows), dtype=np.float32)


def room(shape: Any, dtype: Any) -> Any:
    """Return memory for an array of a file: a matrix that the core can train on, where it can."""
    if dtype == np.float32 and len(shape) == 2 and min(shape) > 0:
        return zeros(*shape)
    return np.empty(shape, dtype)


def grown(array: Any, n_rows: int, dim: int) -> Matrix:
    """Return a matrix that starts with the rows of `array` and ends with rows of zeros."""
    return _copied(array, n_rows, dim)


def grown_tree(array: Any, old: HuffmanTree, new: HuffmanTree, dim: int) -> Matrix:
    """Return the rows of `array`, one per inner node of `old`, moved to the nodes of `new`.

    A node of the new tree takes the row of the old node at the same place: the one reached from the
    root by the same turns. Growing a vocabulary changes a Huffman tree mostly near its leaves, so
    what was learnt about the frequent, high nodes stays where it belongs. (gensim keeps the rows
    where they are while the nodes are renumbered, so the new root starts from zero.) Nodes without
    a counterpart start from zero.
    """
    result = zeros(new.n_words, dim)
    old_children, new_children = _children(old), _children(new)
    old_nodes, new_nodes = _root(old), _root(new)
    while len(old_nodes):
        result[new_nodes] = array[old_nodes]
        old_next = old_children[old_nodes].ravel()
        new_next = new_children[new_nodes].ravel()
        both = (old_next >= 0) & (new_next >= 0)
        old_nodes, new_nodes = old_next[both], new_next[both]
    return result


def _copied(array: Any, n_rows: int, dim: int) -> Matrix:
    """Return a matrix of n_rows rows that starts with the rows of `array`."""
    result = zeros(n_rows, dim)
    copy_into(result[: len(array)], array)
    return result


def _root(tree: HuffmanTree) -> np.ndarray[Any, Any]:
    """Return the root of the tree in an array of its own; empty if no word has a path."""
    return tree.points[:1].astype(np.int64)


def _children(tree: HuffmanTree) -> np.ndarray[Any, Any]:
    """Return (n_words, 2): the inner nodes below each inner node; -1 where a word is."""
    offsets, codes, points = tree.offsets, tree.codes, tree.points
    children = np.full((tree.n_words, 2), -1, dtype=np.int64)
    inner = np.ones(len(points), dtype=bool)
    lengths = np.diff(offsets)
    inner[offsets[1:][lengths > 0] - 1] = False  # the last turn of a path leads to a word
    at = np.flatnonzero(inner)
    children[points[at], codes[at]] = points[at + 1]
    return children
