"""A text classifier to and from one native file: matrices, counts, words, labels, settings."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v import _kinds, _weights
from pyw2v._buckets import BucketRows
from pyw2v._classifier_state import ClassifierState
from pyw2v.fasttext_data import FastTextArgs, FastTextData
from pyw2v.io import native
from pyw2v.quantize import QuantizedMatrix

_KIND = "TextClassifier"
_BUCKETS = "input.buckets"  # those that have rows behind the words', where not all have
_CODES = ("codes", "centroids", "norm_codes", "norm_centroids")


def save(path: Any, state: ClassifierState, settings: dict[str, Any]) -> None:
    """Write a classifier."""
    data = state.data
    tensors: dict[str, npt.NDArray[Any]] = {
        "word_counts": np.asarray(data.word_counts, np.int64),
        "label_counts": np.asarray(data.label_counts, np.int64),
    }
    if data.pruned is not None:
        tensors["pruned"] = np.asarray(data.pruned, np.int32)
    dsub = {}
    for name in ("input", "output"):
        matrix = getattr(data, name)
        if isinstance(matrix, BucketRows):
            if matrix.buckets is not None:
                tensors[_BUCKETS] = matrix.buckets
            matrix = matrix.values
        if isinstance(matrix, np.ndarray):
            tensors[name] = matrix
            continue
        dsub[name] = matrix.dsub
        for part in _CODES:
            if getattr(matrix, part) is not None:
                tensors[f"{name}.{part}"] = getattr(matrix, part)
    words = {
        name: [token.decode("utf-8", "surrogateescape") for token in getattr(data, name)]
        for name in ("words", "labels")
    }
    about = {
        "type": _KIND,
        "settings": settings,
        "args": asdict(data.args),
        "n_tokens": data.n_tokens,
        "integer_labels": state.integer_labels,
        "indicator": state.indicator,
        "dsub": dsub,
    }
    native.save(path, tensors, words, about)


def load(cls: type, path: Any) -> tuple[ClassifierState, dict[str, Any]]:
    """Return the classifier in a file, for a `cls`, and the settings that were saved with it."""
    file = native.load(path, mmap=True)
    _kinds.class_of(cls, file.settings.get("type"), (), path)
    try:
        about = file.settings
        data = FastTextData(
            args=FastTextArgs(**about["args"]),
            words=_tokens(file.words["words"]),
            word_counts=np.array(file.tensors["word_counts"]),
            labels=_tokens(file.words["labels"]),
            label_counts=np.array(file.tensors["label_counts"]),
            n_tokens=int(about["n_tokens"]),
            pruned=np.array(file.tensors["pruned"]) if "pruned" in file.tensors else None,
            input=_input(file, len(file.words["words"]), int(about["args"]["bucket"])),
            output=_matrix(file, "output"),
        )
        _check(data)
        settings = dict(about["settings"])
        state = ClassifierState(
            data,
            settings["label_prefix"],
            bool(about["integer_labels"]),
            bool(about.get("indicator", False)),  # older files have none
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a sound {_KIND} file: {error}") from error
    return state, settings


def _tokens(texts: list[str | int]) -> list[bytes]:
    return [str(text).encode("utf-8", "surrogateescape") for text in texts]


def _matrix(file: native.NativeFile, name: str) -> Any:
    """Return a matrix: dense ones ready to be trained on, not views of the file."""
    if name not in file.tensors:
        parts = {part: file.tensors.get(f"{name}.{part}") for part in _CODES}
        dsub, n_centroids = int(file.settings["dsub"][name]), len(file.tensors[f"{name}.centroids"])
        copies = {k: None if v is None else np.array(v) for k, v in parts.items()}
        # None only for the norms, which may lack.
        return QuantizedMatrix(dim=n_centroids // 256, dsub=dsub, **copies)  # type: ignore[arg-type]
    values = file.tensors[name]
    if values.ndim != 2 or values.dtype != np.float32:
        raise ValueError(f"{name} must be a float32 matrix, got {values.dtype} {values.shape}")
    return _weights.grown(values, *values.shape)


def _input(file: native.NativeFile, n_words: int, n_buckets: int) -> Any:
    """Return the input matrix; older files hold the rows of all buckets."""
    matrix = _matrix(file, "input")
    if _BUCKETS not in file.tensors:
        return matrix
    return BucketRows(matrix, n_words, n_buckets, np.array(file.tensors[_BUCKETS], np.uint32))


def _check(data: FastTextData) -> None:
    for name, tokens, counts in (
        ("words", data.words, data.word_counts),
        ("labels", data.labels, data.label_counts),
    ):
        if counts.shape != (len(tokens),):
            raise ValueError(f"there are {len(tokens)} {name} but {len(counts)} counts of them")
    if data.output.shape != (len(data.labels), data.args.dim):
        raise ValueError(f"output has shape {data.output.shape} for {len(data.labels)} labels")
    if data.input.shape[1] != data.args.dim:
        raise ValueError(f"input has {data.input.shape[1]} columns, not {data.args.dim}")
