"""`CompactVectors`: keys and vectors in few bytes, with the queries of `KeyedVectors`.

Made by `KeyedVectors.quantize`; cannot be changed.
"""

from __future__ import annotations

import os
from typing import IO, Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from pyw2v import _kinds
from pyw2v._checks import check_int
from pyw2v._compact_ngrams import CompactNgrams
from pyw2v._compact_rows import METHODS, CompactRows, encode
from pyw2v._keys import Key
from pyw2v._queries import Queries
from pyw2v._subwords import is_spelt
from pyw2v.io import handles, native

__all__ = ["CompactVectors"]

StrPath = str | os.PathLike[str]

_ATTRIBUTE = "attribute."  # before the name of an attribute in a native file
_PART = "compact."  # before the name of an array of the vectors
_NGRAM_PART = "ngrams."  # and of one of the n-grams


class CompactVectors(Queries):
    """Keys and compact vectors: lookups and every query, decoded in blocks.

    `method` is "pq" (product quantiser), "float16" or "int8"; `report` tells what it saved and
    cost: bytes before and after, and the share of the true 10 nearest keys that are still found.
    Those of `FastTextKeyedVectors` have vectors of unknown words too, by `ngrams`.
    """

    ngrams: CompactNgrams | None = None

    def __init__(self, keys: list[Key], method: str, rows: CompactRows) -> None:
        super().__init__(rows.shape[1])
        self.index_to_key = keys
        self.key_to_index = {key: index for index, key in enumerate(keys)}
        self.next_index = len(keys)
        self.method = method
        self.vectors: Any = rows
        self.report: dict[str, Any] = {}

    @classmethod
    def of(cls, source: Queries, method: str, sample: int, seed: int, **options: Any) -> Self:
        """Compact form of other vectors; see `KeyedVectors.quantize`."""
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
        filled = [i for i, key in enumerate(source.index_to_key) if key is not None]
        some: Any = slice(None) if len(filled) == len(source) else filled
        rows = encode(method, source.vectors[some], seed, **options)
        compact = cls([source.index_to_key[i] for i in filled], method, rows)
        numbers = {name: a[some] for name, a in source.expandos.items() if a.dtype != object}
        compact.expandos.update(numbers)
        compact.report = {
            "method": method,
            "bytes": rows.nbytes,
            "bytes_before": source.vectors.nbytes,
            **_recall(source, compact, sample, seed),
        }
        return compact

    def __contains__(self, key: Key) -> bool:
        has_ngrams = self.ngrams is not None and is_spelt(key)
        return has_ngrams or super().__contains__(key)

    def get_vector(self, key: Key, norm: bool = False) -> NDArray[Any]:
        """Vector of a key, with `norm` of unit length; with n-grams, of any word."""
        if self.ngrams is None or not is_spelt(key) or self.has_index_for(key):
            return super().get_vector(key, norm)
        vector = self.ngrams.vector(key)
        return vector / np.float32(np.linalg.norm(vector) or 1) if norm else vector

    def _makes_vectors(self) -> bool:
        return self.ngrams is not None

    def add_ngrams(self, ngrams: CompactNgrams, bytes_before: int) -> None:
        """Give unknown words vectors, by rows that took so many bytes before."""
        self.ngrams = ngrams
        self.report["bytes"] += ngrams.nbytes
        self.report["bytes_before"] += bytes_before

    def save(self, fname_or_handle: StrPath | IO[bytes]) -> None:
        """Write one file in the safetensors format, to a path or an open binary file."""
        tensors = {_PART + name: array for name, array in self.vectors.arrays.items()}
        tensors |= {_ATTRIBUTE + name: array for name, array in self.expandos.items()}
        settings = {
            "type": "CompactVectors",
            "method": self.method,
            "vector_size": self.vector_size,
            "report": self.report,
        }
        if self.ngrams is not None:
            tensors |= {_NGRAM_PART + name: a for name, a in self.ngrams.arrays().items()}
            settings["ngrams"] = self.ngrams.settings()
        handles.save(fname_or_handle, tensors, {"index_to_key": self.index_to_key}, settings)

    @classmethod
    def load(cls, fname: StrPath | IO[bytes], mmap: bool | str | None = None) -> Self:
        """Read what `save` wrote; with `mmap` the bytes stay in the file."""
        with handles.as_path(fname) as path:
            return cls._from_file(native.load(path, mmap=bool(mmap) and path is fname), fname)

    @classmethod
    def _from_file(cls, file: native.NativeFile, source: Any) -> Self:
        kind = _kinds.class_of(cls, file.settings.get("type"), (), source)
        try:
            return kind._restored(file)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"{source} does not hold {kind.__name__}: {error}") from error

    @classmethod
    def _restored(cls, file: native.NativeFile) -> Self:
        settings, keys = file.settings, file.words["index_to_key"]
        shape = (len(keys), int(settings["vector_size"]))
        rows = METHODS[settings["method"]](_without(_PART, file.tensors), shape)
        compact = cls(keys, settings["method"], rows)
        if "ngrams" in settings:
            arrays = _without(_NGRAM_PART, file.tensors)
            compact.ngrams = CompactNgrams.restore(
                compact.method, arrays, settings["ngrams"], shape[1]
            )
        compact.report = settings.get("report", {})
        for name, values in _without(_ATTRIBUTE, file.tensors).items():
            if len(values) != len(keys):
                raise ValueError(f"attribute {name!r} needs one value a key, {len(keys)}")
            compact.expandos[name] = values
        return compact

    def add_vectors(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not possible: the centroids and scales fit the vectors that were there."""
        raise TypeError("compact vectors cannot be changed; change the original and quantize again")

    add_vector = resize_vectors = sort_by_descending_frequency = add_vectors
    unit_normalize_all = add_vectors


def _without(prefix: str, arrays: dict[str, Any]) -> dict[str, Any]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _recall(source: Queries, compact: Queries, sample: int, seed: int) -> dict[str, Any]:
    """Share of the 10 nearest keys of some words that the compact vectors find too."""
    n_sampled = min(check_int("sample", sample, minimum=0), len(compact))
    if n_sampled == 0 or len(compact) < 2:
        return {"recall_at_10": None, "n_sampled": 0}
    ids = np.random.default_rng(seed).choice(len(compact), n_sampled, replace=False)
    keys = [compact.index_to_key[i] for i in ids]
    shares = []
    for exact, found in zip(
        source.most_similar_batch(keys), compact.most_similar_batch(keys), strict=True
    ):
        true = {key for key, _ in exact}
        shares.append(len(true & {key for key, _ in found}) / len(true))
    return {"recall_at_10": float(np.mean(shares)), "n_sampled": n_sampled}
