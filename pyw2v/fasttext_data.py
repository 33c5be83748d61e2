"""What a fastText `.bin` or `.ftz` file holds, as plain arrays: the coin of the fastText modules.

The file format writes and reads it, models are made of it and turn into it; nothing here computes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v.quantize import QuantizedMatrix

# A float32 array, a QuantizedMatrix, or, as input, a matrix of which few rows exist
# (pyw2v._buckets.BucketRows); all of them have a shape, and rows(ids) unless they are arrays.
Matrix = Any


@dataclass
class FastTextArgs:
    """The settings a file keeps, under fastText's names; the defaults are its unsupervised ones."""

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

    Words and labels are bytes, in the order of their rows; a corpus need not be UTF-8. ``input``
    has a row for each word, then one for each bucket, or for each kept bucket when ``pruned`` says
    which: rows (old bucket, new row). ``output`` has a row for each label of a classifier, else for
    each word. Matrices read from a file may be read-only.
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
        """The same data but for what is given; arrays are shared, not copied."""
        return FastTextData(**{**self.__dict__, **changes})
