"""Labels as scikit-learn's indicator matrices: a row of 0 and 1 for each text, a column a label.

In comes what callers give as y; out go the columns that each row marks. Arrays, data frames and
sparse matrices are known by what they can do: none of their libraries is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt


class Indicator:
    """A matrix of 0 and 1; iterated, it gives the columns of each row that hold a 1."""

    def __init__(
        self, n_columns: int, columns: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> None:
        self.n_columns = n_columns
        self._columns = columns  # those of the first row, rising, then of the second, ...
        self._ends = ends  # of the rows in `columns`

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[list[int]]:
        begin = 0
        for end in self._ends.tolist():
            yield self._columns[begin:end].tolist()
            begin = end

    @property
    def n_marks(self) -> npt.NDArray[np.int64]:
        """How many labels each row has."""
        return np.diff(self._ends, prepend=0)

    def to_dense(self) -> npt.NDArray[np.int64]:
        """Return the matrix, as `predict` gives it."""
        dense = np.zeros((len(self), self.n_columns), np.int64)
        dense[np.repeat(np.arange(len(self)), self.n_marks), self._columns] = 1
        return dense


def read_targets(y: Any) -> Any:
    """Return y as an `Indicator` if it is a matrix of numbers, else as something to iterate over.

    A matrix of one column is one label for each text, as scikit-learn takes it, and one of texts
    is a list of labels for each. Lists are no matrices, whatever is in them.
    """
    if isinstance(y, Indicator):
        return y
    shape = getattr(y, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2:
        return y
    if hasattr(y, "tocsr"):
        return _column(y.toarray()) if shape[1] == 1 else _of_sparse(y)
    values = np.asarray(y)
    if values.shape[1] == 1:
        return _column(values)
    if values.dtype.kind == "O" and all(
        isinstance(value, bool | int | float | np.number | np.bool_) for value in values.flat
    ):
        values = values.astype(np.float64)  # columns of several types make a matrix of objects
    return _of_dense(values) if values.dtype.kind in "biuf" else values


def check_rows(targets: Any, loss: str) -> None:
    """Raise if rows of a matrix have more labels, or fewer, than the loss can learn."""
    if not isinstance(targets, Indicator) or loss == "ova":
        return
    if loss != "ns" and (several := int((targets.n_marks > 1).sum())):
        raise ValueError(
            f"y marks several labels in {several} of {len(targets)} rows, and loss={loss!r} finds "
            "one for each text: use loss='ova'"
        )
    if none := int((targets.n_marks == 0).sum()):
        raise ValueError(
            f"y marks no label in {none} of {len(targets)} rows, from which loss={loss!r} learns "
            "nothing: use loss='ova', or leave these rows out"
        )


def check_form(targets: Any, n_columns: int | None) -> None:
    """Raise unless y is a matrix of so many columns, or none for a model fitted with labels."""
    if n_columns is None:
        if isinstance(targets, Indicator):
            raise ValueError(
                "this classifier was fitted with labels: y must hold labels, got an indicator "
                f"matrix of {targets.n_columns} columns"
            )
    elif not isinstance(targets, Indicator):
        raise ValueError(
            f"this classifier was fitted with an indicator matrix: y must be one of {n_columns} "
            f"columns, got {type(targets).__name__}"
        )
    elif targets.n_columns != n_columns:
        raise ValueError(
            f"this classifier was fitted with an indicator matrix of {n_columns} columns, got one "
            f"of {targets.n_columns}"
        )


def check_classes(targets: Any, classes: Any) -> None:
    """Raise if classes are given that are not the columns of the matrix."""
    if classes is None or not isinstance(targets, Indicator):
        return
    if list(classes) != list(range(targets.n_columns)):
        raise ValueError(
            f"the classes of an indicator matrix are its columns, 0 to {targets.n_columns - 1}, "
            f"got {list(classes)!r}"
        )


def _column(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values[:, 0]


def _of_dense(values: npt.NDArray[Any]) -> Indicator:
    marked = values == 1
    wrong = ~marked & (values != 0)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise _not_0_or_1(values[row, column], row, column)
    return Indicator(
        values.shape[1], np.nonzero(marked)[1], np.cumsum(marked.sum(axis=1), dtype=np.int64)
    )


def _of_sparse(matrix: Any) -> Indicator:
    rows = matrix.tocsr().copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    wrong = np.flatnonzero(rows.data != 1)
    if len(wrong):
        row = int(np.searchsorted(rows.indptr, wrong[0], side="right")) - 1
        raise _not_0_or_1(rows.data[wrong[0]], row, int(rows.indices[wrong[0]]))
    columns = np.asarray(rows.indices, np.int64)
    return Indicator(int(matrix.shape[1]), columns, np.asarray(rows.indptr[1:], np.int64))


def _not_0_or_1(value: Any, row: int, column: int) -> ValueError:
    return ValueError(
        f"a matrix as y must hold 0 and 1 only, a column for each label, got {value} in row {row}, "
        f"column {column}; numbers of labels go into a list of lists"
    )
