"""What a fastText `.bin` or `.ftz` file holds, as plain arrays.

It is the interchange type of the fastText modules: the file format writes and reads it, models are
made of it and turn into it; nothing here computes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v.quantize import QuantizedMatrix

# A float32 array, a QuantizedMatrix, or, as input, a matrix of which few rows exist
# (`_matrices.bucket_rows`); all of them have a shape, and rows(ids) unless they are arrays.
Matrix = Any


@dataclass
class FastTextArgs:
    """The settings a file keeps, under fastText's names; the defaults are its unsupervised ones.

    Parameters
    ----------
    dim : int, default 100
        Length of the vectors.
    ws : int, default 5
        Window: distance of the farthest context word.
    epoch : int, default 5
        Number of epochs.
    min_count : int, default 5
        Rarer words are dropped.
    neg : int, default 5
        Number of negative samples.
    word_ngrams : int, default 1
        Longest n-grams of words.
    loss : {"hs", "ns", "softmax", "ova"}, default "ns"
        The loss.
    model : {"cbow", "skipgram", "supervised"}, default "skipgram"
        Kind of the model.
    bucket : int, default 2000000
        Number of hash values of n-grams.
    minn : int, default 3
        Characters of the shortest n-grams.
    maxn : int, default 6
        Characters of the longest ones.
    lr_update_rate : int, default 100
        How often fastText updates the learning rate.
    t : float, default 1e-4
        Threshold of sub-sampling.
    """

    dim: int = 100
    ws: int = 5
    epoch: int = 5
    min_count: int = 5
    neg: int = 5
    word_ngrams: int = 1
    loss: str = "ns"  # "hs", "ns", "softmax" or "ova"
    model: str = "skipgram"  # "cbow", "skipgram" or "supervised"
    bucket: int = 2_000_000
    minn: int = 3
    maxn: int = 6
    lr_update_rate: int = 100
    t: float = 1e-4


def _no_counts() -> npt.NDArray[np.int64]:
    return np.empty(0, np.int64)


@dataclass
class FastTextData:
    """Everything a file holds.

    Words and labels are bytes, since a corpus need not be UTF-8. Matrices read from a file may be
    read-only.

    Parameters
    ----------
    args : FastTextArgs
        The settings.
    words : list of bytes
        The words, in the order of their rows.
    word_counts : ndarray of int64
        How often each occurs.
    input : ndarray or QuantizedMatrix
        A row for each word, then one for each bucket, or for each kept bucket where `pruned` says
        which.
    output : ndarray or QuantizedMatrix
        A row for each label of a classifier, else for each word.
    labels : list of bytes, optional
        The labels of a classifier, in the order of their rows.
    label_counts : ndarray of int64, optional
        How often each occurs.
    n_tokens : int, default 0
        Tokens of the training text.
    pruned : ndarray of int32, shape (n, 2), optional
        Pairs (old bucket, new row) of a pruned model.
    """

    args: FastTextArgs
    words: list[bytes]
    word_counts: npt.NDArray[np.int64]
    input: Matrix
    output: Matrix
    labels: list[bytes] = field(default_factory=list)
    label_counts: npt.NDArray[np.int64] = field(default_factory=_no_counts)
    n_tokens: int = 0
    pruned: npt.NDArray[np.int32] | None = None

    @property
    def is_quantized(self) -> bool:
        """Whether the input rows are codes, as in a `.ftz` file."""
        return isinstance(self.input, QuantizedMatrix)

    def replace(self, **changes: Any) -> FastTextData:
        """Return the same data but for what is given; arrays are shared, not copied.

        Parameters
        ----------
        **changes : object
            New values by name.

        Returns
        -------
        FastTextData
            The changed data.
        """
        return FastTextData(**{**self.__dict__, **changes})
