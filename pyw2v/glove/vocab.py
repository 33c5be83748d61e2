"""Which words GloVe knows, in the order of its own vocabulary files."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core.words import Words

# The C program compares signed characters, on most machines.
_SIGNED = bytes((value + 128) % 256 for value in range(256))


def choose(
    words: Words, counts: npt.NDArray[np.int64], min_count: int, max_final_vocab: int | None
) -> tuple[list[Any], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the words to keep, their counts, and the new id of every word, -1 if it is dropped.

    The most frequent come first, equals in the order of their bytes; at most `max_final_vocab` of
    them stay.
    """
    kept = np.flatnonzero(counts >= min_count)
    found = words.take(kept)
    order = sorted(range(len(found)), key=lambda i: (-int(counts[kept[i]]), _bytes_of(found[i])))
    places = kept[np.array(order[:max_final_vocab], np.int64)]
    new_ids = np.full(len(counts), -1, np.int32)
    new_ids[places] = np.arange(len(places), dtype=np.int32)
    return [found[i] for i in order[:max_final_vocab]], counts[places], new_ids


def _bytes_of(word: Any) -> bytes:
    """A word as bytes that compare as the C program's strings do, whose end is a zero."""
    return (str(word).encode("utf-8", "surrogatepass") + b"\0").translate(_SIGNED)
