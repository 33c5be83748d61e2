"""A GloVe model to and from one native file: parameters, sums of squares, words, settings."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from pyw2v import _kinds
from pyw2v._glove_settings import GloveSettings
from pyw2v._glove_state import GloveParameters
from pyw2v.io import native

Model = TypeVar("Model", bound=GloveSettings)


def save(model: Any, path: Any) -> None:
    """Write everything but the counts."""
    parameters = model.parameters
    tensors = {"values": parameters.values, "squares": parameters.squares}
    if model.word_counts is not None:
        tensors["word_counts"] = model.word_counts
    settings = model.settings() | {
        "type": "GloVe",
        "progress": model.progress if isinstance(model.progress, bool) else None,
        "loss_history": list(model.loss_history),
        "epochs_trained": model.epochs_trained,
    }
    native.save(path, tensors, {"index_to_key": model.words}, settings)


def load(cls: type[Model], path: Any) -> Model:
    """Return the model in a file that `save` wrote."""
    file = native.load(path, mmap=True)
    settings = dict(file.settings)
    cls = _kinds.class_of(cls, settings.pop("type", None), (), path)
    try:
        history = [float(loss) for loss in settings.pop("loss_history")]
        epochs_trained = int(settings.pop("epochs_trained"))
        model: Any = cls(**settings)
        model.loss_history, model.epochs_trained = history, epochs_trained
        model.words = list(file.words["index_to_key"])
        model.parameters = _restored(file.tensors, len(model.words), model)
        counts = file.tensors.get("word_counts")
        model.word_counts = None if counts is None else np.array(counts, np.int64)
        if counts is not None and len(counts) != len(model.words):
            raise ValueError(f"{len(counts)} counts for {len(model.words)} words")
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a sound GloVe file: {error}") from error
    return model  # type: ignore[no-any-return]  # made by its class


def _restored(tensors: dict[str, Any], n_words: int, model: GloveSettings) -> GloveParameters:
    parameters = GloveParameters(n_words, model.vector_size, model.dtype)
    for name, target in (("values", parameters.values), ("squares", parameters.squares)):
        array = tensors[name]
        if array.shape != target.shape or array.dtype != target.dtype:
            raise ValueError(
                f"{name} must be {target.dtype} of shape {target.shape}, got {array.dtype} of "
                f"shape {array.shape}"
            )
        target[:] = array
    return parameters
