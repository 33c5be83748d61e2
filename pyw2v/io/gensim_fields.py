"""What the attributes in gensim's files must be, before anything is made of them.

A file can say anything: every attribute that vectors, models and phrases are made of is checked
here, its type, its range, and that sizes agree with the arrays that the file holds. So no value
that a file makes large, or costly to print or to compare, goes further.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pyw2v.io.pickle_calls import check_keys
from pyw2v.io.pickle_values import Saved

_MAX_INT = 2**62
_MAX_UNITS = 2**24  # columns of a matrix, characters of an n-gram
# Buckets of n-grams that have no rows in files before gensim 3.8, each a number in memory.
_MAX_BARE_BUCKETS = 2**26
_MAX_EVENT_TEXT = 10**7
# Characters of words that a file has once and phrases many times, on the average.
_MAX_SHARED_WORD = 64

_KEYS = ("index_to_key", "index2word", "index2entity")
_MATRICES = (
    *("vectors", "syn0", "vectors_vocab", "syn0_vocab", "vectors_ngrams", "syn0_ngrams"),
    *("syn1", "syn1neg"),
)
_FACTORS = ("vectors_lockf", "vectors_vocab_lockf", "vectors_ngrams_lockf", "syn0_lockf")
_INTEGERS = (
    *("vector_size", "size", "layer1_size", "window", "min_count", "max_vocab_size", "seed"),
    *("workers", "negative", "epochs", "iter", "batch_words", "max_final_vocab", "word_ngrams"),
    *("min_n", "max_n", "bucket", "corpus_count", "corpus_total_words", "train_count"),
    *("next_index", "progress_per", "min_reduce", "corpus_word_count"),
)
# Of gensim's flags, some are truth values and some numbers.
_NUMBERS = (
    *("alpha", "min_alpha", "sample", "ns_exponent", "sg", "hs", "cbow_mean", "null_word"),
    *("sorted_vocab", "compute_loss", "shrink_windows", "total_train_time"),
    *("running_training_loss", "min_alpha_yet_reached", "effective_min_count", "threshold"),
    *("compatible_hash",),
)
_TEXTS = ("comment",)


def check_vectors(attributes: Mapping[str, Any], with_subwords: bool) -> None:
    """Check the attributes of vectors, and those of a model that go with them."""
    _check_each(attributes)
    keys: Any = next((attributes[name] for name in _KEYS if attributes.get(name) is not None), None)
    is_array = isinstance(keys, np.ndarray) and keys.ndim == 1
    if not is_array and not isinstance(keys, (list, tuple)):
        raise ValueError(f"the keys must be a list, got {_kind(keys)}")
    check_keys(keys)
    filled = [key for key in keys if key is not None]
    for key in filled:
        if type(key) not in (str, int) and not isinstance(key, np.integer):
            raise ValueError(f"the keys must be text or integers, got {_kind(key)}")
    if len(set(filled)) != len(filled):
        raise ValueError("the keys must be unique")
    if attributes.get("index_to_key") is not None:
        _check_expandos(attributes.get("expandos"))
    else:
        _check_vocab(attributes.get("vocab"), keys)
    names = ("vectors_vocab", "syn0_vocab") if with_subwords else ("vectors", "syn0")
    rows = _first(attributes, *names)
    if len(rows) != len(keys):
        raise ValueError(
            f"{names[0]} must have a row for each of {len(keys)} keys, has {len(rows)}"
        )
    size = attributes.get("vector_size")
    if size is not None and size != rows.shape[1]:
        raise ValueError(f"vector_size must be {rows.shape[1]}, as {names[0]} has it, got {size}")
    if with_subwords:
        _check_subwords(attributes, rows.shape[1])


def shape(attributes: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many vectors there are, and of how many numbers; they were checked."""
    n_words, size = _first(attributes, "vectors_vocab", "syn0_vocab", "vectors", "syn0").shape
    return n_words, size


def check_model(attributes: Mapping[str, Any], n_words: int, size: int) -> None:
    """Check the attributes of a model, which has so many vectors of `size` numbers."""
    _check_each(attributes)
    for name in ("vector_size", "layer1_size"):
        if attributes.get(name) not in (None, size):
            raise ValueError(f"{name} must be {size}, as the vectors have it")
    for name in ("syn1", "syn1neg"):
        rows = attributes.get(name)
        if rows is not None and rows.shape[1] != size:
            raise ValueError(f"{name} must have rows of {size} numbers, has {rows.shape[1]}")
        # Vectors may have been added to those that were trained.
        if rows is not None and len(rows) > n_words:
            raise ValueError(f"{name} must have at most {n_words} rows, has {len(rows)}")
    n_rows = {
        len(attributes[name]) for name in ("syn1", "syn1neg") if attributes.get(name) is not None
    }
    if len(n_rows) > 1:
        raise ValueError(f"syn1 and syn1neg must have as many rows, have {sorted(n_rows)}")
    _check_events(attributes.get("lifecycle_events"))
    counts = attributes.get("raw_vocab")
    if counts is not None:
        _check_dict("raw_vocab", counts, (str, bytes, int, float, tuple))
        _check_numbers("raw_vocab", counts.values())


def check_parts(attributes: Mapping[str, Any], *names: str) -> None:
    """Check that parts of a model that are there are objects."""
    for name in names:
        if attributes.get(name) is not None and not isinstance(attributes[name], Saved):
            raise ValueError(f"{name} must be an object, got {_kind(attributes[name])}")


def check_phrases(attributes: Mapping[str, Any], entries: str) -> None:
    """Check the attributes of phrases, whose words or phrases are in `entries`."""
    _check_each(attributes, but=("min_count",))  # a float in some
    for name in ("min_count", "threshold"):
        _check_present(name, [attributes.get(name)])
    delimiter = attributes.get("delimiter")
    if type(delimiter) not in (str, bytes) or not delimiter:
        raise ValueError(f"delimiter must be text, got {_kind(delimiter)}")
    if not isinstance(attributes.get("scoring"), str | None):
        raise ValueError(f"scoring must be a name, got {_kind(attributes['scoring'])}")
    for name in ("connector_words", "common_terms"):
        words = attributes.get(name, frozenset())
        if not isinstance(words, (list, tuple, set, frozenset)):
            raise ValueError(f"{name} must be a set, got {_kind(words)}")
        if not all(type(word) in (str, bytes) for word in words):
            raise ValueError(f"{name} must be words")
    _check_events(attributes.get("lifecycle_events"))
    counts: Any = attributes.get(entries)
    _check_dict(entries, counts, (str, bytes, tuple))
    _check_joined(entries, counts, delimiter)
    values = counts.values() if counts else ()  # before gensim 3.8, phrases had (count, score)
    for value in values:
        pair = value if type(value) is tuple and len(value) == 2 else (value,)
        _check_present(entries, pair)


def _check_each(attributes: Mapping[str, Any], but: tuple[str, ...] = ()) -> None:
    for name in _INTEGERS:
        value = attributes.get(name)
        if value is None or name in but:
            continue
        if not isinstance(value, (int, np.integer)):
            raise ValueError(f"{name} must be an integer, got {_kind(value)}")
        if not -_MAX_INT < value < _MAX_INT:
            raise ValueError(f"{name} must have at most 62 bits")
    for name in ("vector_size", "size", "min_n", "max_n"):
        if (attributes.get(name) or 0) > _MAX_UNITS or (attributes.get(name) or 0) < 0:
            raise ValueError(f"{name} must be 0 to {_MAX_UNITS}, got {attributes[name]}")
    for name in _NUMBERS:
        _check_numbers(name, [attributes.get(name)])
    for name in _TEXTS:
        if not isinstance(attributes.get(name), str | None):
            raise ValueError(f"{name} must be text, got {_kind(attributes[name])}")
    for name in _MATRICES:
        rows = attributes.get(name)
        if rows is None:
            continue
        if not isinstance(rows, np.ndarray) or rows.ndim != 2 or not _is_real(rows):
            raise ValueError(f"{name} must be a matrix of floats, got {_kind(rows)}")
    for name in _FACTORS:
        value = attributes.get(name)
        if isinstance(value, np.ndarray) and _is_real(value):
            continue
        _check_numbers(name, [value])


def _check_present(name: str, values: Sequence[Any]) -> None:
    if None in values:
        raise ValueError(f"{name} must be a number, got None")
    _check_numbers(name, values)


def _check_numbers(name: str, values: Iterable[Any]) -> None:
    """Check that the values are numbers, or None."""
    for value in values:
        if value is None or type(value) is float or isinstance(value, np.number | np.bool_):
            continue
        if not isinstance(value, int) or not -_MAX_INT < value < _MAX_INT:
            raise ValueError(f"{name} must be a number, got {_kind(value)}")


def _check_dict(name: str, value: Any, key_types: tuple[type, ...]) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a dict, got {_kind(value)}")
    for key in value:
        if not isinstance(key, key_types):
            raise ValueError(f"a key in {name} is {_kind(key)}")
        if type(key) is tuple and not all(type(part) in (str, bytes) for part in key):
            raise ValueError(f"a key in {name} is {_kind(key)}")


def _check_joined(name: str, keys: Iterable[Any], delimiter: str | bytes) -> None:
    """Check that phrases in tuples, which will be joined, are not much larger than their words."""
    parts = [part for key in keys if type(key) is tuple for part in key]
    held = sum(map(len, {id(part): part for part in parts}.values()))
    joined = sum(map(len, parts)) + len(parts) * len(delimiter)
    if joined > 2 * held + _MAX_SHARED_WORD * len(parts):
        raise ValueError(f"the phrases in {name} are larger than the file, by shared words")


def _check_expandos(expandos: Any) -> None:
    _check_dict("expandos", expandos, (str,))
    for name, values in expandos.items():
        if not isinstance(values, np.ndarray) or values.ndim != 1:
            raise ValueError(f"{name} in expandos must be an array, got {_kind(values)}")
        if name in ("count", "sample_int"):
            _check_counts(f"{name} in expandos", values)


def _check_counts(name: str, values: Any) -> None:
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers, got {values.dtype}")
    if len(values) and not values.min() >= 0:  # nor NaN
        raise ValueError(f"{name} must be at least 0, got {values.min()}")


def _check_vocab(vocab: Any, keys: Iterable[Any]) -> None:
    if not isinstance(vocab, dict):
        raise ValueError(f"vocab must be a dict, got {_kind(vocab)}")
    for key in keys:
        item = vocab.get(key)
        if not isinstance(item, Saved):
            raise ValueError(f"vocab must have an object for each key, got {_kind(item)}")
        about = vars(item)
        for name in ("count", "sample_int"):
            value = about.get(name, 0)
            if type(value) is not int:
                _check_present(name, [value])
            if not 0 <= value < _MAX_INT:  # nor NaN
                raise ValueError(f"{name} must be at least 0 and have at most 62 bits")


def _check_subwords(attributes: Mapping[str, Any], size: int) -> None:
    for name in ("bucket", "min_n", "max_n"):
        if attributes.get(name) is None or attributes[name] < 0:
            raise ValueError(f"{name} must be at least 0, got {_kind(attributes.get(name))}")
    bucket: int = attributes["bucket"]
    rows = _first(attributes, "vectors_ngrams", "syn0_ngrams")
    used = attributes.get("hash2index")
    if rows.shape[1] != size:
        raise ValueError(f"vectors_ngrams must have rows of {size} numbers, has {rows.shape[1]}")
    if len(rows) == bucket or not attributes.get("compatible_hash"):
        return
    if not isinstance(used, dict) or bucket > _MAX_BARE_BUCKETS:
        raise ValueError(f"vectors_ngrams must have a row for each of {bucket} buckets")
    for name, numbers, end in (("keys", used, bucket), ("values", used.values(), len(rows))):
        if not all(isinstance(i, (int, np.integer)) and 0 <= i < end for i in numbers):
            raise ValueError(f"the {name} of hash2index must be numbers below {end}")


def _check_events(events: Any) -> None:
    """Check that events are lists and dicts of text, and not much of it."""
    if events is None:
        return
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise ValueError(f"lifecycle_events must be a list of dicts, got {_kind(events)}")
    left = _MAX_EVENT_TEXT
    pending: list[Any] = [events]
    while pending:
        value = pending.pop()
        left -= 1 + (len(value) if isinstance(value, (str, bytes)) else 0)
        if left < 0:
            raise ValueError(f"lifecycle_events must have at most {_MAX_EVENT_TEXT} characters")
        if isinstance(value, dict):
            if not all(isinstance(key, str | int | float | None) for key in value):
                raise ValueError("lifecycle_events must have texts or numbers for keys")
            pending.extend(value.keys())
            pending.extend(value.values())
        elif isinstance(value, (list, tuple, set, frozenset)):
            pending.extend(value)


def _is_real(array: Any) -> bool:
    return bool(array.dtype.kind == "f" and array.dtype.itemsize <= 8)


def _first(attributes: Mapping[str, Any], *names: str) -> Any:
    for name in names:
        if attributes.get(name) is not None:
            return attributes[name]
    raise ValueError(f"the object has none of {', '.join(names)}")


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return f"{value}" if type(value) in (int, bool, type(None)) else f"a {type(value).__name__}"
