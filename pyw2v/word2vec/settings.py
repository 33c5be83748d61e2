"""The settings of a model: checked before every use, to a file and back.

They are plain attributes, as in gensim, and users change them between calls; so the same check runs
in the constructor and again when training starts. What each may be says the table of the class:
`pyw2v.word2vec.table`, and for FastText `pyw2v.fasttext_model.table`.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from pyw2v._runs.record import RunRecord
from pyw2v.io import fields
from pyw2v.objectives import samplers
from pyw2v.word2vec.engines import engine_named
from pyw2v.word2vec.state import ModelState

logger = logging.getLogger(__name__)

# What happened to a model, which a file holds besides its settings, vocabulary and matrices.
_HISTORY: fields.Rules = {
    "layer1_size": fields.integer(),
    "corpus_count": fields.optional(fields.integer()),
    "corpus_total_words": fields.optional(fields.integer()),
    "effective_min_count": fields.integer(),
    "train_count": fields.integer(),
    "total_train_time": fields.real(0.0),
    "running_training_loss": fields.measured,
    "min_alpha_yet_reached": fields.real(),
    "loss_history": fields.listed(fields.measured),
    "lifecycle_events": fields.optional(fields.listed(fields.mapping)),
    "_entropy": fields.integer(0, 2**128 - 1),
    "_n_seeds": fields.integer(0, 2**32 - 1),
}


def stored(model: ModelState) -> dict[str, Any]:
    """Return what a file of this kind of model holds, besides its vocabulary and matrices."""
    settings = model._settings.to_file(model)
    settings |= {name: getattr(model, name) for name in _HISTORY}
    sampler = model.sampler
    if model.class_of is not None and not isinstance(model.classes, int | None):
        settings["classes"] = model.class_of.tolist()  # the user's names are theirs
    return settings | {
        "sampler": None if sampler is None else sampler.describe(),
        "log_z": float(model._log_z[0]),
        "run": None if model._run_record is None else model._run_record.describe(),
    }


def restore(model: ModelState, settings: dict[str, Any]) -> None:
    """Give `model` the attributes that a file holds."""
    other = {
        "log_z": fields.default(0.0, fields.real(-1e6, 1e6)),
        "run": fields.default(None, fields.optional(fields.mapping)),
    }
    found = fields.checked(settings, {**_HISTORY, **other})
    model._log_z = np.array([found.pop("log_z")], np.float32)
    run = found.pop("run")
    model._run_record = None if run is None else RunRecord.described(run, {"total_tokens": float})
    vars(model).update(found)
    vars(model).update(model._settings.from_file(settings, whole=True))
    if model.sampler is not None:
        model.sampler = samplers.described(settings["sampler"])
    check_settings(model)
    if not isinstance(model.classes, int | list | None):
        raise ValueError(f"classes must be a number or a list, got {model.classes!r:.80}")


def check_settings(model: ModelState) -> None:
    """Raise an error that names the first setting of `model` that is out of range."""
    vars(model).update(model._settings.checked(model))
    engine_named(model.engine).check(model)
    objective = model._objective()
    if objective is None and not model.hs and not model.negative:
        raise ValueError(
            "nothing to train with hs=0 and negative=0: set hs=1 for hierarchical softmax, or "
            "negative to the number of negative samples"
        )


def warn_about_settings(model: ModelState) -> None:
    """Log what is allowed but probably not meant, in gensim's words."""
    if model.hs and model.negative:
        logger.warning(
            "Both hierarchical softmax and negative sampling are activated. This is rarely meant: "
            "set hs=0 or negative=0"
        )
    if model.alpha < model.min_alpha:
        logger.warning(
            "alpha=%g is below min_alpha=%g: training at a constant rate of min_alpha",
            model.alpha,
            model.min_alpha,
        )
    elif model.alpha > model.min_alpha_yet_reached:
        logger.warning("Effective 'alpha' higher than previous training cycles: %g", model.alpha)
