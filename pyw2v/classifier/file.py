"""A text classifier to and from one native file: matrices, counts, words, labels, settings."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v import _matrices
from pyw2v._matrices.bucket_rows import BucketRows
from pyw2v._runs.record import RunRecord
from pyw2v._shared import kinds
from pyw2v.classifier.state import ClassifierState
from pyw2v.io import fields, native
from pyw2v.io.fasttext_data import FastTextArgs, FastTextData
from pyw2v.quantize import QuantizedMatrix

_KIND = "TextClassifier"
_RUN = {"lr": float, "class_weights": list | None}  # what the record of a run has, too
_BUCKETS = "input.buckets"  # those that have rows behind the words', where not all have
_CODES = ("codes", "centroids", "norm_codes", "norm_centroids")


def contents(
    state: ClassifierState, settings: dict[str, Any], record: RunRecord | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the arrays, words and settings of a file; the arrays are the model's own."""
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
        "run": None if record is None else record.describe(),
    }
    return tensors, words, about


_INT32 = 2**31 - 1  # what a fastText file has room for
_COUNT = fields.integer(0, _INT32)
_ARGS: fields.Rules = {
    "dim": fields.integer(1, _INT32),
    "ws": fields.integer(-_INT32, _INT32),
    "epoch": fields.integer(-_INT32, _INT32),
    "min_count": fields.integer(-_INT32, _INT32),
    "neg": fields.integer(-_INT32, _INT32),
    "word_ngrams": fields.integer(-_INT32, _INT32),
    "loss": fields.one_of("hs", "ns", "softmax", "ova"),
    "model": fields.one_of("supervised"),
    "bucket": _COUNT,
    "minn": _COUNT,
    "maxn": _COUNT,
    "lr_update_rate": fields.integer(-_INT32, _INT32),
    "t": fields.real(),
}
_ABOUT: fields.Rules = {
    "settings": fields.mapping,
    "args": lambda name, value: FastTextArgs(**fields.checked(value, _ARGS, name)),
    "n_tokens": fields.integer(),
    "integer_labels": fields.flag,
    "indicator": fields.default(False, fields.flag),
    "dsub": fields.default({}, fields.mapping),
    "run": fields.default(None, fields.optional(fields.mapping)),
}


def load(
    cls: type, path: Any, verify: bool = False
) -> tuple[ClassifierState, dict[str, Any], RunRecord | None]:
    """Return the classifier in a file, for a `cls`, the settings saved with it, and its run."""
    file = native.load(path, make=_matrices.room, verify=verify)
    kinds.class_of(cls, file.settings.get("type"), (), path)
    with fields.sound(path, _KIND):
        about = fields.checked(file.settings, _ABOUT)
        args: FastTextArgs = about["args"]
        words, labels = (_tokens(file, name) for name in ("words", "labels"))
        fields.unique("words and labels", words + labels)
        counts = fields.checked(
            file.tensors,
            {"word_counts": fields.counts(len(words)), "label_counts": fields.counts(len(labels))},
        )
        pruned = _pruned(file, args.bucket)
        data = FastTextData(
            args=args,
            words=words,
            word_counts=np.array(counts["word_counts"]),
            labels=labels,
            label_counts=np.array(counts["label_counts"]),
            n_tokens=about["n_tokens"],
            pruned=pruned,
            input=_input(file, len(words), args, about["dsub"], pruned),
            output=_matrix(file, "output", args.dim, about["dsub"], len(labels)),
        )
        state = ClassifierState(
            data,
            fields.text("label_prefix", about["settings"]["label_prefix"]),
            bool(about["integer_labels"]),
            bool(about["indicator"]),
        )
        fields.unique("labels", state.labels)
        run = about["run"]
        record = None if run is None else RunRecord.described(run, _RUN)
    return state, dict(about["settings"]), record


def _tokens(file: native.NativeFile, name: str) -> list[bytes]:
    tokens = [str(text).encode("utf-8", "surrogateescape") for text in file.words[name]]
    if b"" in tokens:
        raise ValueError(f"{name} must not be empty, got '' at row {tokens.index(b'')}")
    return tokens


def _pruned(file: native.NativeFile, n_buckets: int) -> npt.NDArray[np.int32] | None:
    """Return which buckets have which rows, where only some have rows."""
    if "pruned" not in file.tensors:
        return None
    pairs = np.array(fields.array("i4", None, 2)("pruned", file.tensors["pruned"]))
    if len(pairs) and (pairs.min() < 0 or (pairs.max(axis=0) >= (n_buckets, len(pairs))).any()):
        raise ValueError(f"pruned must name some of {n_buckets} buckets and {len(pairs)} rows")
    fields.unique("the buckets of pruned", pairs[:, 0].tolist())
    return pairs


def _matrix(
    file: native.NativeFile, name: str, dim: int, dsub: dict[str, Any], n_rows: int | None
) -> Any:
    """Return a matrix: dense ones ready to be trained on."""
    if name in file.tensors:
        return fields.array("f4", n_rows, dim)(name, file.tensors[name])
    rules: fields.Rules = {
        "codes": fields.array("u1", n_rows, None),
        "centroids": fields.array("f4", None),
        "norm_codes": fields.default(None, fields.array("u1", n_rows)),
        "norm_centroids": fields.default(None, fields.array("f4", None)),
    }
    start = f"{name}."
    parts = {key.removeprefix(start): a for key, a in file.tensors.items() if key.startswith(start)}
    # None only for the norms, which may be missing.
    return QuantizedMatrix(dim=dim, dsub=dsub[name], **fields.checked(parts, rules, name))


def _input(
    file: native.NativeFile, n_words: int, args: FastTextArgs, dsub: dict[str, Any], pruned: Any
) -> Any:
    """Return the input matrix; older files hold the rows of all buckets."""
    if _BUCKETS not in file.tensors:
        n_buckets = args.bucket if pruned is None else len(pruned)
        return _matrix(file, "input", args.dim, dsub, n_words + n_buckets)
    if pruned is not None:
        raise ValueError(f"there are both pruned and {_BUCKETS}")
    buckets = np.array(fields.array("u4", None)(_BUCKETS, file.tensors[_BUCKETS]))
    fields.unique(_BUCKETS, buckets.tolist())
    values = _matrix(file, "input", args.dim, dsub, n_words + 1 + len(buckets))
    if not isinstance(values, np.ndarray):
        raise ValueError("only some buckets have rows, which must not be quantised")
    return BucketRows(values, n_words, args.bucket, buckets)
