"""Lists of words as arrays, the form in which a native file holds them.

A list ``name`` of strings becomes ``words/name/utf8``, all words one after the other, and
``words/name/ends``, where each one ends. A list of 64-bit integers becomes ``words/name/ids``. In a
mixed list the integers are written as text, and ``words/name/is_int`` tells which they are.
"""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core.word2vec_format import split_words

PREFIX = "words/"

Array = npt.NDArray[Any]


def pack_words(name: str, words: Sequence[str | int]) -> dict[str, Array]:
    """The arrays that stand for ``words``. Lone surrogates of undecodable input are kept."""
    start = f"{PREFIX}{name}/"
    is_int = np.fromiter((not isinstance(word, str) for word in words), np.bool_, len(words))
    if len(words) and is_int.all():
        numbers = [_as_int(word) for word in words]
        if min(numbers) >= -(2**63) and max(numbers) < 2**63:
            return {start + "ids": np.array(numbers, np.int64)}
    encoded = [
        (word if isinstance(word, str) else str(_as_int(word))).encode("utf-8", "surrogatepass")
        for word in words
    ]
    ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), dtype=np.int64)
    arrays: dict[str, Array] = {
        start + "utf8": np.frombuffer(b"".join(encoded), np.uint8),
        start + "ends": ends,
    }
    if is_int.any():
        arrays[start + "is_int"] = is_int
    return arrays


def unpack_words(tensors: dict[str, Array]) -> dict[str, list[str | int]]:
    """Take the word arrays out of ``tensors`` and turn them back; ValueError if they do not fit."""
    parts: dict[str, dict[str, Array]] = {}
    for key in [key for key in tensors if key.startswith(PREFIX)]:
        name, _, part = key.removeprefix(PREFIX).rpartition("/")
        parts.setdefault(name, {})[part] = tensors.pop(key)
    return {name: _unpack(name, arrays) for name, arrays in parts.items()}


def _unpack(name: str, arrays: dict[str, Array]) -> list[str | int]:
    if set(arrays) == {"ids"}:
        _check(name, "ids", arrays["ids"], np.int64)
        ids: list[str | int] = arrays["ids"].tolist()
        return ids
    if set(arrays) not in ({"utf8", "ends"}, {"utf8", "ends", "is_int"}):
        raise ValueError(f"words {name!r} have the unknown parts {sorted(arrays)}")
    data, ends = arrays["utf8"], arrays["ends"]
    _check(name, "utf8", data, np.uint8)
    _check(name, "ends", ends, np.int64)
    n_bytes = int(ends[-1]) if len(ends) else 0
    # Compared, not subtracted: a difference of 64-bit numbers may overflow and seem to rise.
    if n_bytes != len(data) or (ends < 0).any() or (ends[1:] < ends[:-1]).any():
        raise ValueError(f"the ends of words {name!r} do not divide their {len(data)} bytes")
    words: list[str | int] = list(split_words(data, np.require(ends, np.int64, "A")))
    if "is_int" in arrays:
        _check(name, "is_int", arrays["is_int"], np.bool_)
        if len(arrays["is_int"]) != len(words):
            raise ValueError(f"words {name!r} and their is_int differ in length")
        for i in np.flatnonzero(arrays["is_int"]).tolist():
            words[i] = int(words[i])
    return words


def _check(name: str, part: str, array: Array, dtype: npt.DTypeLike) -> None:
    if array.dtype != dtype or array.ndim != 1:
        raise ValueError(
            f"part {part!r} of words {name!r} must be a list of {np.dtype(dtype)}, "
            f"got {array.dtype} of shape {array.shape}"
        )


def _as_int(word: object) -> int:
    if isinstance(word, bool | np.bool_) or not hasattr(word, "__index__"):
        raise TypeError(f"words must be str or int, got {word!r} of type {type(word).__name__}")
    return operator.index(word)
