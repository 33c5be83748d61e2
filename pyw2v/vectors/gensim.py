"""gensim's vectors to ours and back: from a file's `Saved` objects, live ones, or a pickle's state.

Only attributes are read, so these are alike. In gensim 3, the words had one object each.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from pyw2v._shared import kinds
from pyw2v.io import gensim_fields
from pyw2v.io.gensim_format import Saved

Vectors = TypeVar("Vectors")

LOCKS = ("vectors_lockf", "vectors_vocab_lockf", "vectors_ngrams_lockf")
SUBWORD_SIZES = ("min_n", "max_n", "bucket")
# What only gensim has; the rest follows from other attributes, or is passed on to training.
_GENSIMS = frozenset(
    (
        *("callbacks", "hash2index", "model_trimmed_post_training", "ngrams", "ngrams_word"),
        *("vectors_ngrams_norm", "vectors_vocab_norm"),
    )
)
# What gensim's `save` notes on an object about its files; programs that inspect vars() expect it.
FILE_NOTES = ("__numpys", "__scipys", "__ignoreds", "__recursive_saveloads")


def vectors_of(cls: type[Vectors], source: Any) -> Vectors:
    """Return vectors of ours made of gensim's, or of those of a model."""
    if isinstance(source, Saved):
        gensim_fields.check_parts(vars(source), "wv")
    wv = vars(source).get("wv", source)
    kv = cls.__new__(cls)
    attributes = attributes_of(wv)
    if isinstance(source, Saved):
        gensim_fields.check_vectors(attributes, has_subwords(cls))
    _make(kv, attributes)
    note_source(kv, wv)
    return kv


def take_state(kv: Any, state: Mapping[str, Any]) -> None:
    """Make new vectors of ours of what a pickle of gensim's holds."""
    check_whole(kv, state)
    _make(kv, state)
    keep_others(kv, state)


def _make(kv: Any, attributes: Mapping[str, Any]) -> None:
    base: Any = kinds.base_of(type(kv))  # a user's constructor may want other arguments
    size = attributes.get("vector_size") or _first(attributes, "vectors", "syn0").shape[1]
    sizes = SUBWORD_SIZES if has_subwords(base) else ()
    base.__init__(kv, size, *(attributes[name] for name in sizes))
    fill_vectors(kv, attributes)


def has_subwords(cls: type) -> bool:
    """Whether models or vectors of a class are made of n-grams."""
    return "bucket" in inspect.signature(kinds.base_of(cls)).parameters


def attributes_of(source: Any) -> dict[str, Any]:
    """Return the attributes of an object of gensim's; the arrays of a live one are copied."""
    if isinstance(source, Saved):
        return vars(source)
    return {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in vars(source).items()
    }


def fill_vectors(kv: Any, attributes: Mapping[str, Any]) -> None:
    """Give `kv` the keys, attributes and rows that gensim's vectors have among theirs."""
    keys, expandos = _words(attributes)
    kv._set_keys(keys)
    kv.next_index = attributes.get("next_index", len(keys))
    kv.expandos = expandos
    if hasattr(kv, "bucket"):
        _fill_subwords(kv, attributes)
    else:
        rows = _first(attributes, "vectors", "syn0")
        kv.vectors = _rows(rows, len(keys), kv.vector_size, "vectors")
    take_locks(kv, attributes)
    kv.allocate_vecattrs()


def note_source(kv: Any, source: Any) -> None:
    """Give vectors made of `source` what gensim notes on those that it loads from a file."""
    if isinstance(source, Saved):
        note_files(kv)
        if "mapfile_path" not in vars(source):  # before gensim 4.1
            vars(kv).pop("mapfile_path", None)


def note_files(kv: Any) -> None:
    """Give vectors that come from a file the notes that gensim's have then: all of it is here."""
    vars(kv).update({name: [] for name in FILE_NOTES})


def take_locks(kv: Any, attributes: Mapping[str, Any]) -> None:
    """Give `kv` the factors on training updates; in gensim 3 a part of the model had them."""
    for name in LOCKS:
        factors = attributes.get(name)
        if factors is not None and np.ndim(factors) == 1 and hasattr(kv, name):
            setattr(kv, name, np.array(factors, np.float32))


def check_whole(made: Any, state: Mapping[str, Any]) -> None:
    """Refuse a pickle that `save` wrote, with arrays in files beside it that pickle cannot know."""
    missing = [name for name in state.get("__numpys", ()) if state.get(name) is None]
    if missing:
        kind = kinds.kind_of(type(made))
        raise ValueError(
            f"gensim's save put {', '.join(missing)} in files beside this pickle: "
            f"read it by {kind}.load, which finds them"
        )


def keep_others(made: Any, state: Mapping[str, Any]) -> None:
    """Give an object what a user put into the state of gensim's: what neither of us knows."""
    ours = kinds.base_of(type(made))
    for name in state.keys() - vars(made).keys() - _GENSIMS - made._old_names.keys():
        if not name.startswith("__") and not hasattr(ours, name):
            setattr(made, name, state[name])


def _fill_subwords(kv: Any, attributes: Mapping[str, Any]) -> None:
    if not attributes.get("compatible_hash"):
        raise TypeError(
            "this fastText model is from gensim before 3.7, whose n-grams were hashed otherwise: "
            "load it in gensim 3.8.3 and save it again"
        )
    own = _first(attributes, "vectors_vocab", "syn0_vocab")
    kv.vectors_vocab = _rows(own, len(kv), kv.vector_size, "vectors_vocab")
    ngrams = _first(attributes, "vectors_ngrams", "syn0_ngrams")
    used = attributes.get("hash2index")
    if used and len(ngrams) != kv.bucket:  # before 3.8, buckets without n-grams had no rows
        kv._set_some_ngrams(list(used.keys()), ngrams[list(used.values())])
    else:
        kv.vectors_ngrams = _rows(ngrams, kv.bucket, kv.vector_size, "vectors_ngrams")
    kv.adjust_vectors()


def _rows(rows: Any, n_rows: int, dim: int, name: str) -> Any:
    if np.shape(rows) != (n_rows, dim):
        raise ValueError(f"{name} must have shape {(n_rows, dim)}, got {np.shape(rows)}")
    return rows


def _words(attributes: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the keys in order, and the arrays of what is known of each."""
    if "index_to_key" in attributes:
        expandos = {name: np.array(values) for name, values in attributes["expandos"].items()}
        return list(attributes["index_to_key"]), expandos
    keys = list(_first(attributes, "index2word", "index2entity"))
    items = [vars(attributes["vocab"][key]) for key in keys]
    counts = np.array([item.get("count", 0) for item in items], np.int64)
    expandos = {"count": counts}
    if items and all("sample_int" in item for item in items):
        expandos["sample_int"] = np.array([item["sample_int"] for item in items]).astype(np.uint32)
    return keys, expandos


def _first(attributes: Mapping[str, Any], *names: str) -> Any:
    for name in names:
        if attributes.get(name) is not None:
            return attributes[name]
    raise ValueError(f"the object has none of {', '.join(names)}")


# -- to gensim -----------------------------------------------------------------------------------


def gensim_models() -> Any:
    """Return the real gensim.models, also while pyw2v.compat stands in for it."""
    for finder in sys.meta_path:
        if getattr(finder, "name", None) == "gensim" and hasattr(finder, "real_module"):
            return finder.real_module("gensim.models")
    return importlib.import_module("gensim.models")


def gensim_vectors(kv: Any) -> Any:
    """Return gensim's KeyedVectors, or FastTextKeyedVectors, with a copy of ours."""
    if hasattr(kv, "bucket"):
        kind = gensim_models().fasttext.FastTextKeyedVectors
        other = kind(kv.vector_size, kv.min_n, kv.max_n, kv.bucket)
    else:
        other = gensim_models().KeyedVectors(kv.vector_size, dtype=kv.vectors.dtype)
    fill_gensim_vectors(other, kv)
    return other


def fill_gensim_vectors(other: Any, kv: Any) -> None:
    """Give gensim's vectors a copy of what ours hold."""
    other.index_to_key = list(kv.index_to_key)
    other.key_to_index = dict(kv.key_to_index)
    other.next_index = len(kv)
    other.expandos = {name: np.array(values) for name, values in kv.expandos.items()}
    for name in ("vectors", "vectors_vocab", "vectors_ngrams", *LOCKS):
        if getattr(kv, name, None) is not None:
            setattr(other, name, np.array(getattr(kv, name), order="C"))
    other.norms = None
    if hasattr(kv, "bucket"):
        other.recalc_char_ngram_buckets()
