"""The public name of `pyw2v.glove.cooccurrence`."""

from pyw2v.glove.cooccurrence import (
    MAX_WINDOW,
    CooccurrenceMatrix,
    as_matrix,
)

__all__ = [
    "MAX_WINDOW",
    "CooccurrenceMatrix",
    "as_matrix",
]
