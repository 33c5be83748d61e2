"""A GloVe model to and from one native file: parameters, sums of squares, words, settings."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from pyw2v import _matrices
from pyw2v._runs.record import MAX_EPOCHS, RunRecord
from pyw2v._shared import kinds
from pyw2v.glove.settings import GLOVE, GloveSettings
from pyw2v.glove.state import GloveParameters
from pyw2v.io import fields, native

Model = TypeVar("Model", bound=GloveSettings)

_RUN = {"first_epoch": int, "shuffle": bool}  # what the record of a run has beside the usual


def save(model: Any, path: Any) -> None:
    """Write everything but the counts."""
    native.save(path, *contents(model))


def contents(model: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the arrays, words and settings of a file; the arrays are the model's own."""
    parameters = model.parameters
    tensors = {"values": parameters.values, "squares": parameters.squares}
    if model.word_counts is not None:
        tensors["word_counts"] = model.word_counts
    settings = model._settings.to_file(model) | {
        "type": "GloVe",
        "progress": model.progress if isinstance(model.progress, bool) else None,
        "loss_history": list(model.loss_history),
        "epochs_trained": model.epochs_trained,
        "run": None if model._run_record is None else model._run_record.describe(),
    }
    return tensors, {"index_to_key": model.words}, settings


_HISTORY: fields.Rules = {
    "loss_history": fields.listed(fields.measured),
    "epochs_trained": fields.integer(0, MAX_EPOCHS),
}


def load(cls: type[Model], path: Any, verify: bool = False) -> Model:
    """Return the model in a file that `save` wrote."""
    file = native.load(path, make=_matrices.room, verify=verify)
    settings = dict(file.settings)
    cls = kinds.class_of(cls, settings.pop("type", None), (), path)
    with fields.sound(path, "GloVe"):
        history = fields.checked(settings, _HISTORY)
        run = settings.pop("run", None)  # older files have none
        settings = {name: value for name, value in settings.items() if name not in history}
        unknown = GLOVE.unknown(settings)
        if unknown:
            raise ValueError(f"it has settings unknown to GloVe: {', '.join(unknown)}")
        model: Any = cls(**GLOVE.from_file(settings))
        model._run_record = None if run is None else RunRecord.described(run, _RUN)
        vars(model).update(history)
        words = list(file.words["index_to_key"])
        fields.unique("the words", words)
        # Checked before memory is allocated.
        matrix = fields.array(model.dtype, 2 * len(words), model.vector_size + 1)
        rules = {
            "values": matrix,
            "squares": matrix,
            "word_counts": fields.default(None, fields.counts(len(words))),
        }
        arrays = fields.checked(file.tensors, rules)
        model.words, counts = words, arrays["word_counts"]
        model.word_counts = None if counts is None else np.array(counts, np.int64)
        model.parameters = GloveParameters(len(words), model.vector_size, model.dtype)
        model.parameters.values, model.parameters.squares = arrays["values"], arrays["squares"]
    return model  # type: ignore[no-any-return]  # made by its class
