"""Matrices in fewer bytes: half precision, bytes with a scale for each row, product quantiser.

Rows are decoded when they are read; a whole matrix of floats is never made.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pyw2v._shared.arrays import blocks
from pyw2v.io import fields
from pyw2v.quantize import N_CENTROIDS, QuantizedMatrix

_LARGEST_BYTE = 127


class CompactRows(ABC):
    """A read-only float32 matrix, indexed as an array is by its rows."""

    dtype = np.dtype(np.float32)

    def __init__(self, arrays: Mapping[str, NDArray[Any]], shape: tuple[int, int]) -> None:
        self.arrays = arrays  # what a file holds of the matrix
        self.shape = shape

    @abstractmethod
    def decode(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Rows as they are stored."""

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, which: Any) -> NDArray[np.float32]:
        if isinstance(which, slice):
            return self.decode(np.arange(*which.indices(len(self))))
        if isinstance(which, int | np.integer):
            row: NDArray[np.float32] = self.decode(np.array([which]))[0]
            return row
        return self.decode(np.asarray(which, np.int64))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """All rows, decoded."""
        if copy is False:
            raise ValueError("compact rows cannot become an array without a copy")
        return self[:].astype(dtype or self.dtype, copy=False)


class HalfRows(CompactRows):
    """Half precision: half the bytes, hardly any loss."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], shape: tuple[int, int]) -> None:
        super().__init__(arrays, shape)
        fields.checked(arrays, {"halves": fields.array("f2", *shape)})

    @classmethod
    def encode(cls, matrix: NDArray[Any]) -> Self:
        """Round to half precision; ValueError if a number is too large for it."""
        with np.errstate(over="ignore"):
            halves = np.asarray(matrix, np.float16)
        if not np.isfinite(halves).all():
            raise ValueError("vectors must be finite and below 65520 for method 'float16'")
        return cls({"halves": halves}, (len(matrix), matrix.shape[1]))

    def decode(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Rows in single precision."""
        rows: NDArray[np.float32] = self.arrays["halves"][ids].astype(np.float32)
        return rows


class ByteRows(CompactRows):
    """Signed bytes and a scale for each row, so that its largest number is 127 or -127."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], shape: tuple[int, int]) -> None:
        super().__init__(arrays, shape)
        rules = {"bytes": fields.array("i1", *shape), "scales": fields.array("f4", shape[0])}
        fields.checked(arrays, rules)

    @classmethod
    def encode(cls, matrix: NDArray[Any]) -> Self:
        """Round to 255 steps of each row's own size."""
        n_rows, dim = matrix.shape
        codes, scales = np.empty((n_rows, dim), np.int8), np.empty(n_rows, np.float32)
        for block in blocks(n_rows):
            rows = np.asarray(matrix[block], np.float32)
            largest = np.abs(rows).max(axis=1, initial=0)
            if not np.isfinite(largest).all():
                raise ValueError("vectors must be finite for method 'int8'")
            scales[block] = largest / _LARGEST_BYTE
            steps = np.where(largest > 0, scales[block], 1)[:, np.newaxis]
            codes[block] = np.clip(np.rint(rows / steps), -_LARGEST_BYTE, _LARGEST_BYTE)
        return cls({"bytes": codes, "scales": scales}, (n_rows, dim))

    def decode(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Bytes times scales."""
        rows: NDArray[np.float32] = self.arrays["bytes"][ids].astype(np.float32)
        rows *= self.arrays["scales"][ids][:, np.newaxis]
        return rows


class CodeRows(CompactRows):
    """Product quantiser: one byte for a few numbers."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], shape: tuple[int, int]) -> None:
        super().__init__(arrays, shape)
        found = fields.checked(
            arrays,
            {
                "codes": fields.array("u1", shape[0], None),
                "centroids": fields.array("f4", N_CENTROIDS * shape[1]),
                "dsub": fields.array("i8", 1),
                "norm_codes": fields.default(None, fields.array("u1", shape[0])),
                "norm_centroids": fields.default(None, fields.array("f4", N_CENTROIDS)),
            },
        )
        dsub = int(found.pop("dsub")[0])
        self._matrix = QuantizedMatrix(dim=shape[1], dsub=dsub, **found)

    @classmethod
    def encode(cls, matrix: NDArray[Any], **options: Any) -> Self:
        """Quantise by `QuantizedMatrix.train` with its options."""
        quantized = QuantizedMatrix.train(matrix, **options)
        arrays: dict[str, NDArray[Any]] = {
            "codes": quantized.codes,
            "centroids": quantized.centroids,
            "dsub": np.array([quantized.dsub]),
        }
        if quantized.norm_codes is not None and quantized.norm_centroids is not None:
            arrays["norm_codes"] = quantized.norm_codes
            arrays["norm_centroids"] = quantized.norm_centroids
        return cls(arrays, quantized.shape)

    def decode(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Centroids that the codes name."""
        return self._matrix.rows(ids)


METHODS: dict[str, Any] = {"pq": CodeRows, "float16": HalfRows, "int8": ByteRows}


def encode(method: str, matrix: NDArray[Any], seed: int, **options: Any) -> CompactRows:
    """Make a matrix compact by one of the METHODS; only the product quantiser draws numbers."""
    known = inspect.signature(QuantizedMatrix.train).parameters if method == "pq" else {}
    for name in options:
        if name not in known or name in ("matrix", "seed"):
            raise TypeError(f"method {method!r} has no option {name!r}")
    if method == "pq":
        options["seed"] = seed
    rows: CompactRows = METHODS[method].encode(matrix, **options)
    return rows
