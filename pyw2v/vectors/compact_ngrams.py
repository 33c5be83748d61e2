"""The n-grams of compact fastText vectors, of which unknown words are composed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pyw2v._core.ngrams import NgramHasher
from pyw2v.io import fields
from pyw2v.vectors import ngrams
from pyw2v.vectors.compact_rows import METHODS, CompactRows, encode
from pyw2v.vectors.keys import Key

_BUCKETS = "buckets"  # in a file, beside the arrays of the rows
_SIZES: fields.Rules = {
    "min_n": fields.integer(0, 2**31 - 1),
    "max_n": fields.integer(0, 2**31 - 1),
    "bucket": fields.integer(0, 2**32 - 1),
}


@dataclass(frozen=True)
class CompactNgrams:
    """Rows of some of the `bucket` buckets, which rise; those of the others are zero."""

    rows: CompactRows
    buckets: NDArray[np.uint32]
    min_n: int
    max_n: int
    bucket: int

    @classmethod
    def encode(
        cls,
        method: str,
        matrix: NDArray[Any],
        buckets: NDArray[np.uint32],
        sizes: tuple[int, int, int],
        seed: int,
        **options: Any,
    ) -> Self:
        """Make the rows of some buckets compact; `sizes` are min_n, max_n and bucket."""
        order = np.argsort(buckets)
        return cls(encode(method, matrix[order], seed, **options), buckets[order], *sizes)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return self.rows.nbytes + self.buckets.nbytes

    def vector(self, word: Key) -> NDArray[np.float32]:
        """Mean of the rows of a word's n-grams; zeros if it has none."""
        _, ids = ngrams.ngram_table([word], NgramHasher(self.min_n, self.max_n, self.bucket))
        mean = np.zeros(self.rows.shape[1], np.float32)
        if not len(ids) or not len(self.buckets):
            return mean
        places = np.searchsorted(self.buckets, ids)
        places[places == len(self.buckets)] = 0
        known = self.buckets[places] == ids
        np.add.reduce(self.rows[places[known]], axis=0, out=mean)
        mean /= np.float32(len(ids))
        return mean

    # -- files -----------------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file holds of them."""
        return {_BUCKETS: self.buckets, **self.rows.arrays}

    def settings(self) -> dict[str, int]:
        """The numbers that a file needs beside the arrays."""
        return {name: getattr(self, name) for name in _SIZES}

    @classmethod
    def restore(
        cls,
        method: str,
        arrays: Mapping[str, NDArray[Any]],
        settings: Mapping[str, Any],
        vector_size: int,
    ) -> Self:
        """Make them from what a file holds; ValueError or KeyError if that does not fit."""
        sizes = fields.checked(settings, _SIZES, "ngrams")
        buckets = fields.checked(arrays, {_BUCKETS: fields.array("u4", None)})[_BUCKETS]
        if (np.diff(buckets.astype(np.int64)) <= 0).any() or (buckets >= sizes["bucket"]).any():
            raise ValueError(f"buckets of n-grams must rise, below {sizes['bucket']}")
        others = {name: array for name, array in arrays.items() if name != _BUCKETS}
        return cls(METHODS[method](others, (len(buckets), vector_size)), buckets, **sizes)
