"""The public name of `pyw2v.io.fasttext_data`."""

from pyw2v.io.fasttext_data import (
    FastTextArgs,
    FastTextData,
)

__all__ = [
    "FastTextArgs",
    "FastTextData",
]
