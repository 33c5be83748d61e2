"""The public name of `pyw2v.vectors.compact`."""

from pyw2v.vectors.compact import (
    CompactVectors,
)

__all__ = [
    "CompactVectors",
]
