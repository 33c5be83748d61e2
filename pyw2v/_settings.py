"""The settings of a Word2Vec model: each one's type and range, checked before every use.

They are plain attributes, as in gensim, and users change them between calls; so the same check runs
in the constructor and again when training starts.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from pyw2v import objectives, samplers
from pyw2v._checks import check_float, check_int
from pyw2v._state import ModelState
from pyw2v._word2vec_c import check_engine

logger = logging.getLogger(__name__)

_MAX_INT = 2**30  # the core counts in 32 bits, and needs room for sums

CBOW_GRADS = ("sum", "mean")

# What a saved model is restored from, besides its vocabulary and matrices: the settings, then what
# happened to the model so far. Callbacks, hashfxn and trim_rule are code, and are not stored.
_STORED = (
    *("vector_size", "alpha", "window", "min_count", "max_vocab_size", "sample", "seed"),
    *("workers", "min_alpha", "sg", "hs", "negative", "ns_exponent", "cbow_mean", "epochs"),
    *("null_word", "sorted_vocab", "batch_words", "compute_loss", "comment", "max_final_vocab"),
    *("shrink_windows", "cbow_grad", "progress", "max_memory", "track_loss", "engine"),
    *("layer1_size", "corpus_count", "corpus_total_words", "effective_min_count"),
    *("train_count", "total_train_time", "running_training_loss", "min_alpha_yet_reached"),
    *("loss_history", "lifecycle_events", "_entropy", "_n_seeds"),
)


def stored(model: ModelState) -> dict[str, Any]:
    """Return what a file of this kind of model holds, besides its vocabulary and matrices."""
    names = [*_STORED, *(name for name, _ in model._more_settings), *objectives.DEFAULTS]
    settings = {name: getattr(model, name) for name in names}
    sampler = model.sampler
    if model.class_of is not None and not isinstance(model.classes, int | None):
        settings["classes"] = model.class_of.tolist()  # the user's names are theirs
    return settings | {
        "sampler": None if sampler is None else sampler.describe(),
        "log_z": float(model._log_z[0]),
    }


def restore(model: ModelState, settings: dict[str, Any]) -> None:
    """Give `model` the attributes that a file holds; one from before objectives has none."""
    settings = {"engine": model.engine, **settings}  # older files do not tell
    for name in (*_STORED, *(name for name, _ in model._more_settings)):
        setattr(model, name, settings[name])
    for name, default in objectives.DEFAULTS.items():
        setattr(model, name, settings.get(name, default))
    if model.sampler is not None:
        model.sampler = samplers.described(settings["sampler"])
    model._log_z = np.array([settings.get("log_z", 0.0)], np.float32)


def check_settings(model: ModelState) -> None:
    """Raise an error that names the first setting of `model` that is out of range."""
    limits = (("vector_size", 1), ("window", 1), ("epochs", 1), ("negative", 0))
    for name, minimum in (*limits, *model._more_settings):
        setattr(model, name, check_int(name, getattr(model, name), minimum, _MAX_INT))
    model.batch_words = check_int("batch_words", model.batch_words, minimum=1)
    model.min_count = check_int("min_count", model.min_count, minimum=0)
    for name in ("max_vocab_size", "max_final_vocab"):
        _check_optional(model, name, minimum=1)
    _check_optional(model, "max_memory", minimum=0)
    # NumPy's RandomState, which gensim exposes as model.random, takes no larger seed.
    _check_optional(model, "seed", minimum=0, maximum=2**32 - 1)
    model.workers = check_int("workers", model.workers)
    model.alpha = check_float("alpha", model.alpha, minimum=0.0, exclusive=True)
    model.min_alpha = check_float("min_alpha", model.min_alpha, minimum=0.0)
    model.sample = check_float("sample", model.sample, minimum=0.0)
    model.ns_exponent = check_float("ns_exponent", model.ns_exponent)
    for name in ("sg", "hs", "cbow_mean", "null_word", "sorted_vocab"):
        setattr(model, name, _flag(name, getattr(model, name)))
    if model.cbow_grad not in CBOW_GRADS:
        raise ValueError(f'cbow_grad must be "sum" or "mean", got {model.cbow_grad!r}')
    check_engine(model)
    if model.progress not in (False, True, None):
        raise ValueError(f"progress must be True, False or None, got {model.progress!r}")
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


def _check_optional(model: ModelState, name: str, minimum: int, maximum: int | None = None) -> None:
    value = getattr(model, name)
    if value is not None:
        setattr(model, name, check_int(name, value, minimum=minimum, maximum=maximum))


def _flag(name: str, value: Any) -> int:
    if isinstance(value, np.ndarray) or value not in (0, 1):
        raise ValueError(f"{name} must be 0 or 1, got {value!r}")
    return int(value)
