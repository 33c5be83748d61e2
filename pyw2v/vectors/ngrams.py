"""n-grams of words as gensim's fastText users know them, and the vectors made of them.

A table of n-grams is a pair (offsets, ids): word w has the buckets ids[offsets[w]:offsets[w + 1]].
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pyw2v._core import compose as _compose
from pyw2v._core.ngrams import NgramHasher
from pyw2v._shared.checks import resolve_workers
from pyw2v.vectors.keys import Key

Table: TypeAlias = tuple[NDArray[np.int64], NDArray[np.uint32]]

EOS = "</s>"  # fastText's end of a sentence: a word, but none that is spelt

# Rows added up that are worth a thread's start.
_THREAD_ROWS = 20_000


def ft_hash_bytes(bytez: bytes) -> int:
    """Return the hash of an n-gram: 32 bits of FNV-1a, with bytes widened as signed ones.

    Parameters
    ----------
    bytez : bytes
        The n-gram.

    Returns
    -------
    int
        fastText's hash.
    """
    return NgramHasher.hash(bytez)


def compute_ngrams_bytes(word: str, min_n: int, max_n: int) -> list[bytes]:
    """Return the n-grams of `<word>` in UTF-8, in fastText's order: by start, then by length.

    The brackets alone are no n-grams.

    Parameters
    ----------
    word : str
        The word.
    min_n : int
        Characters of the shortest n-grams.
    max_n : int
        Characters of the longest ones.

    Returns
    -------
    list of bytes
        The n-grams.
    """
    return NgramHasher(min_n, max_n, 0).ngrams(spelling(word))


def compute_ngrams(word: str, min_n: int, max_n: int) -> list[str]:
    """Return the n-grams of `<word>` in gensim's order: by length, then by start, brackets too.

    Parameters
    ----------
    word : str
        The word.
    min_n : int
        Characters of the shortest n-grams.
    max_n : int
        Characters of the longest ones.

    Returns
    -------
    list of str
        The n-grams.

    Examples
    --------
    >>> from pyw2v.fasttext_model import compute_ngrams
    >>> compute_ngrams("cat", 3, 4)
    ['<ca', 'cat', 'at>', '<cat', 'cat>']
    """
    extended = f"<{word}>"
    return [
        extended[start : start + length]
        for length in range(min_n, min(len(extended), max_n) + 1)
        for start in range(len(extended) - length + 1)
    ]


def ft_ngram_hashes(word: str, minn: int, maxn: int, num_buckets: int) -> list[int]:
    """Return the hash buckets of the n-grams of a word, in fastText's order.

    Parameters
    ----------
    word : str
        The word.
    minn : int
        Characters of the shortest n-grams.
    maxn : int
        Characters of the longest ones.
    num_buckets : int
        Number of buckets.

    Returns
    -------
    list of int
        One bucket an n-gram, by start and then by length.
    """
    return NgramHasher(minn, maxn, num_buckets).buckets(spelling(word))


def is_spelt(word: Any) -> bool:
    """Whether n-grams can be made of a word: missing values and the like have no letters."""
    return isinstance(word, str | bytes | int | np.integer) and not isinstance(word, bool)


def spelling(word: Key) -> bytes:
    """The bytes whose n-grams a word has; a number is spelt in digits."""
    if isinstance(word, bytes):
        return word
    return str(word).encode("utf-8", "surrogatepass")


def ngram_table(words: Iterable[Key], hasher: NgramHasher) -> Table:
    """The buckets of many words; an end of sentence and an empty slot, None, have none."""
    spelt = list(words)
    offsets, ids = hasher.table(map(spelling, spelt))
    silent = [i for i, word in enumerate(spelt) if word in (None, EOS, EOS.encode())]
    if not silent:
        return offsets, ids
    lengths = np.diff(offsets)
    kept = np.ones(len(spelt), bool)
    kept[silent] = False
    return _offsets(lengths * kept), ids[np.repeat(kept, lengths)]


def table_of(buckets: Iterable[Any]) -> Table:
    """The table of one array of buckets a word."""
    arrays = [np.asarray(ids, np.uint32) for ids in buckets]
    lengths = np.array([len(ids) for ids in arrays], np.int64)
    return _offsets(lengths), np.concatenate([np.empty(0, np.uint32), *arrays])


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def compose(own: Any, parts: Any, table: Table, out: NDArray[Any]) -> None:
    """Write to `out` the mean of each word's own row, unless `own` is None, and its parts."""
    offsets, ids = table
    if all(_plain(matrix) for matrix in (own, parts, out)):
        workers = min(resolve_workers(-1), 1 + (len(ids) + len(out)) // _THREAD_ROWS)
        _compose.mean_rows(own, parts, offsets, ids, out, workers)
        return
    # Other precisions, and matrices that only give rows, such as compressed ones.
    for word in range(len(out)):
        places = ids[offsets[word] : offsets[word + 1]]
        if isinstance(parts, np.ndarray):
            rows = parts[places]
        else:
            rows = np.zeros((len(places), out.shape[1]), np.float32)
            for i, place in enumerate(places.tolist()):
                rows[i] = parts[place]
        total = rows.sum(axis=0) if own is None else rows.sum(axis=0) + own[word]
        out[word] = total / max(1, len(rows) + (own is not None))


def _plain(matrix: Any) -> bool:
    """Whether the core reads this matrix as it is."""
    return matrix is None or (
        isinstance(matrix, np.ndarray)
        and matrix.dtype == np.float32
        and matrix.ndim == 2
        and (matrix.shape[1] < 2 or matrix.strides[1] == 4)
    )
