"""`CompactVectors`: keys and vectors in few bytes, with the queries of `KeyedVectors`.

Made by `KeyedVectors.quantize`; cannot be changed.
"""

from __future__ import annotations

import os
from typing import IO, Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from pyw2v._shared import kinds
from pyw2v._shared.checks import check_int
from pyw2v._shared.lengths import unit
from pyw2v.io import fields, handles, native
from pyw2v.vectors.compact_ngrams import CompactNgrams
from pyw2v.vectors.compact_rows import METHODS, CompactRows, encode
from pyw2v.vectors.keys import Key, check_attributes
from pyw2v.vectors.ngrams import is_spelt
from pyw2v.vectors.queries import Queries

__all__ = ["CompactVectors"]

StrPath = str | os.PathLike[str]

_ATTRIBUTE = "attribute."  # before the name of an attribute in a native file
_PART = "compact."  # before the name of an array of the vectors
_NGRAM_PART = "ngrams."  # and of one of the n-grams
_SETTINGS: fields.Rules = {
    "method": fields.one_of(*METHODS),
    "vector_size": fields.integer(),
    "report": fields.default({}, fields.mapping),
    "ngrams": fields.default(None, fields.mapping),
}


class CompactVectors(Queries):
    """Keys and compact vectors: lookups and every query, decoded in blocks; read-only.

    Made by `KeyedVectors.quantize`. Those made of `FastTextKeyedVectors` have vectors of unknown
    words too.

    Parameters
    ----------
    keys : list
        The keys.
    method : {"pq", "float16", "int8"}
        How the vectors are stored.
    rows : CompactRows
        The stored vectors.

    Attributes
    ----------
    report : dict
        What the method saved and cost: `bytes` and `bytes_before`, and `recall_at_10`, the share of
        the true 10 nearest keys that are still found.

    Examples
    --------
    >>> import numpy as np
    >>> from pyw2v import KeyedVectors
    >>> kv = KeyedVectors(4)
    >>> kv.add_vectors(range(300), np.random.default_rng(1).normal(size=(300, 4)))
    >>> small = kv.quantize("int8")
    >>> small.report["bytes"] < small.report["bytes_before"]
    True
    >>> small.report["recall_at_10"] > 0.9
    True
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
        """Return the compact form of other vectors; see `KeyedVectors.quantize`.

        Parameters
        ----------
        source : KeyedVectors
            The vectors.
        method : {"pq", "float16", "int8"}
            How to store them.
        sample : int
            Keys whose neighbours are searched before and after.
        seed : int
            Seed of the quantiser and of the sample.
        **options : int or bool
            Options of the method.

        Returns
        -------
        CompactVectors
            The compact vectors.

        Raises
        ------
        ValueError
            If the method is unknown, or the vectors do not suit it.
        """
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
        """Return the vector of a key; with n-grams, of any word.

        Parameters
        ----------
        key : str or int
            The key.
        norm : bool, default False
            Whether to scale it to unit length.

        Returns
        -------
        ndarray of shape (vector_size,)
            The decoded vector.

        Raises
        ------
        KeyError
            If the key is unknown and there are no n-grams.
        """
        if self.ngrams is None or not is_spelt(key) or self.has_index_for(key):
            return super().get_vector(key, norm)
        vector = self.ngrams.vector(key)
        return unit(vector) if norm else vector

    def _makes_vectors(self) -> bool:
        return self.ngrams is not None

    def add_ngrams(self, ngrams: CompactNgrams, bytes_before: int) -> None:
        """Add rows of n-grams, of which vectors of unknown words are composed.

        Parameters
        ----------
        ngrams : CompactNgrams
            The rows.
        bytes_before : int
            The bytes they took before, for the report.
        """
        self.ngrams = ngrams
        self.report["bytes"] += ngrams.nbytes
        self.report["bytes_before"] += bytes_before

    def save(self, fname_or_handle: StrPath | IO[bytes]) -> None:
        """Write one file in the safetensors format.

        Parameters
        ----------
        fname_or_handle : str, os.PathLike or binary file
            Where to write.
        """
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
    def load(
        cls, fname: StrPath | IO[bytes], mmap: bool | str | None = None, verify: bool = False
    ) -> Self:
        """Read what `save` wrote.

        Parameters
        ----------
        fname : str, os.PathLike or binary file
            What to read.
        mmap : bool or str, optional
            Whether the bytes stay in the file.
        verify : bool, default False
            Compare the file with the checksum in it.

        Returns
        -------
        CompactVectors
            The vectors.

        Raises
        ------
        ValueError
            If the content is damaged, or the checksum differs or is missing.
        """
        with handles.as_path(fname) as path:
            file = native.load(path, mmap=bool(mmap) and path is fname, verify=verify)
            return cls._from_file(file, fname)

    @classmethod
    def _from_file(cls, file: native.NativeFile, source: Any) -> Self:
        kind = kinds.class_of(cls, file.settings.get("type"), (), source)
        with fields.sound(source, kind.__name__):
            return kind._restored(file)

    @classmethod
    def _restored(cls, file: native.NativeFile) -> Self:
        settings, keys = fields.checked(file.settings, _SETTINGS), file.words["index_to_key"]
        fields.unique("the keys", keys)
        shape = (len(keys), settings["vector_size"])
        rows = METHODS[settings["method"]](_without(_PART, file.tensors), shape)
        compact = cls(keys, settings["method"], rows)
        if settings["ngrams"] is not None:
            arrays = _without(_NGRAM_PART, file.tensors)
            compact.ngrams = CompactNgrams.restore(
                compact.method, arrays, settings["ngrams"], shape[1]
            )
        compact.report = settings["report"]
        compact.expandos.update(_without(_ATTRIBUTE, file.tensors))
        check_attributes(compact.expandos, len(keys))
        return compact

    def add_vectors(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise TypeError: compact vectors cannot be changed.

        The centroids and scales fit the vectors that were there.

        Parameters
        ----------
        *args : object
            Ignored.
        **kwargs : object
            Ignored.

        Raises
        ------
        TypeError
            Always.
        """
        raise TypeError("compact vectors cannot be changed; change the original and quantize again")

    add_vector = resize_vectors = sort_by_descending_frequency = add_vectors
    unit_normalize_all = __setitem__ = add_vectors


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
