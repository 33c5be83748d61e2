"""Phrase models to and from files: our own, and those that gensim saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pyw2v._phrase_scoring import SCORERS, Scorer, scorer_name, scorer_named
from pyw2v.io import gensim_format, handles, native

_SETTINGS = ("min_count", "threshold", "delimiter")
_COUNTED = ("max_vocab_size", "progress_per", "min_reduce", "corpus_word_count")


def save(model: Any, target: Any) -> None:
    """Write a `Phrases` or `FrozenPhrases` to a path or an open binary file."""
    frozen = hasattr(model, "phrasegrams")
    entries: Mapping[str, float] = model.phrasegrams if frozen else model.vocab
    dtype = np.float64 if frozen else np.int64
    values = np.fromiter(entries.values(), dtype, len(entries))
    names = _SETTINGS if frozen else (*_SETTINGS, *_COUNTED)
    settings = {name: getattr(model, name) for name in names}
    settings |= {
        "type": "FrozenPhrases" if frozen else "Phrases",
        "scoring": scorer_name(model.scoring),
        "lifecycle_events": getattr(model, "lifecycle_events", None),
    }
    words = {"entries": list(entries), "connector_words": sorted(model.connector_words)}
    handles.save(target, {"values": values}, words, settings)


def load(model: Any, source: Any, scoring: Scorer | None) -> None:
    """Fill an empty model of the same kind with what a file holds."""
    with handles.as_path(source) as path:
        if gensim_format.is_pickle(path):
            _fill(model, source, *_of_gensim(gensim_format.read(path)), scoring)
            return
        file = native.load(path)
    kind = str(file.settings.get("type"))
    try:
        values = dict(zip(file.words["entries"], file.tensors["values"].tolist(), strict=True))
        settings = file.settings | {"connector_words": frozenset(file.words["connector_words"])}
        _fill(model, source, kind, settings, values, scoring)
    except KeyError as error:
        raise ValueError(f"{source} is no sound file of phrases: {error} is missing") from error


def _fill(
    model: Any,
    source: Any,
    kind: str,
    settings: Mapping[str, Any],
    entries: Mapping[Any, float],
    scoring: Scorer | None,
) -> None:
    wanted = "FrozenPhrases" if _is_frozen(model) else "Phrases"
    if kind != wanted:
        raise ValueError(f"{source} holds {kind}, not {wanted}")
    names = _SETTINGS if _is_frozen(model) else (*_SETTINGS, *_COUNTED)
    for name in (*names, "connector_words"):
        setattr(model, name, settings[name])
    model.lifecycle_events = settings.get("lifecycle_events")
    model.scoring = scoring or scorer_named(settings["scoring"])
    if _is_frozen(model):
        model.phrasegrams = dict(entries)
    else:
        model.vocab = entries


def _is_frozen(model: Any) -> bool:
    return not hasattr(type(model), "add_vocab")


def _of_gensim(saved: gensim_format.Saved) -> tuple[str, dict[str, Any], dict[Any, float]]:
    """Return kind, settings and entries of a model that gensim 3 or 4 saved."""
    attributes = dict(saved.__dict__)
    kind = saved.name.rpartition(".")[2]
    settings: dict[str, Any] = {
        "connector_words": frozenset(),
        "scoring": "original_scorer",
        "corpus_word_count": 0,
        "min_reduce": 1,
        "max_vocab_size": 40_000_000,
        "progress_per": 10000,
        "lifecycle_events": [],
    } | attributes
    if "common_terms" in attributes:
        settings["connector_words"] = attributes["common_terms"]
    settings["connector_words"] = frozenset(map(_text, settings["connector_words"]))
    settings["delimiter"] = delimiter = _text(settings["delimiter"])
    scoring = str(settings["scoring"]).removesuffix("_scorer")
    settings["scoring"] = "default" if scoring == "original" else scoring
    if settings["scoring"] not in SCORERS:
        raise ValueError(f"the scoring must be one of {', '.join(SCORERS)}, got {scoring!r}")
    if kind == "Phrases":
        return kind, settings, {_text(key): n for key, n in attributes["vocab"].items()}
    scores = {
        # gensim 3 had tuples of bytes for keys, and before 3.8 (count, score) for values.
        delimiter.join(map(_text, key)) if isinstance(key, tuple) else _text(key): (
            score[1] if isinstance(score, tuple) else score
        )
        for key, score in attributes["phrasegrams"].items()
    }
    return "FrozenPhrases", settings, scores


def _text(value: Any) -> str:
    return value.decode("utf8") if isinstance(value, bytes) else str(value)
