"""Phrase models to and from files: our own, and those that gensim saved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from pyw2v._shared import kinds
from pyw2v.io import fields, gensim_fields, gensim_format, handles, native
from pyw2v.phrases.scoring import (
    SCORERS,
    Scorer,
    npmi_scorer,
    original_scorer,
    scorer_name,
    scorer_named,
)

_SETTINGS = ("min_count", "threshold", "delimiter")
_COUNTED = ("max_vocab_size", "progress_per", "min_reduce", "corpus_word_count")
# What gensim did not keep at all times.
_DEFAULTS: dict[str, Any] = {
    "connector_words": frozenset(),
    "scoring": "default",
    "corpus_word_count": 0,
    "min_reduce": 1,
    "max_vocab_size": 40_000_000,
    "progress_per": 10000,
    "lifecycle_events": None,
}
# By all names that gensim has given them.
_SCORERS = SCORERS | {"original_scorer": original_scorer, "npmi_scorer": npmi_scorer}

_RULES: fields.Rules = {
    "min_count": fields.real(0.0),
    "threshold": fields.real(),
    "delimiter": fields.text,
    "scoring": fields.text,
    "lifecycle_events": fields.optional(fields.listed(fields.mapping)),
}
_COUNTED_RULES: fields.Rules = {
    "max_vocab_size": fields.integer(1),
    "progress_per": lambda _, value: value,  # has no effect
    "min_reduce": fields.integer(),
    "corpus_word_count": fields.integer(),
}

Model = TypeVar("Model")


def save(model: Any, target: Any) -> None:
    """Write a `Phrases` or `FrozenPhrases` to a path or an open binary file."""
    frozen = _is_frozen(model)
    entries: Mapping[str, float] = getattr(model, _entries(model))
    dtype = np.float64 if frozen else np.int64
    values = np.fromiter(entries.values(), dtype, len(entries))
    names = _SETTINGS if frozen else (*_SETTINGS, *_COUNTED)
    settings = {name: getattr(model, name) for name in names}
    settings |= {
        "type": "FrozenPhrases" if frozen else "Phrases",
        "scoring": scorer_name(model.scoring),
        "lifecycle_events": json.loads(
            json.dumps(getattr(model, "lifecycle_events", None), default=str)
        ),
    }
    words = {"entries": list(entries), "connector_words": sorted(model.connector_words)}
    handles.save(target, {"values": values}, words, settings)


def load(cls: type[Model], source: Any, scoring: Scorer | None, verify: bool = False) -> Model:
    """Return the model in a path or an open binary file: a `cls`, or what else was saved."""
    with handles.as_path(source) as path:
        is_gensims = gensim_format.is_pickle(path)
        if is_gensims and verify:
            native.no_checksum(source)
        content: Any = gensim_format.read(path) if is_gensims else native.load(path, verify=verify)
    name = content.name.rpartition(".")[2] if is_gensims else content.settings.get("type")
    kind = kinds.class_of(cls, name, kinds.PHRASES, source)
    model = kind.__new__(kind)
    with gensim_format.sound(source) if is_gensims else fields.sound(source, name):
        if is_gensims:
            attributes = vars(content)
            gensim_fields.check_phrases(attributes, _entries(model))
        else:
            attributes = _attributes(content, model)
        chosen = scoring or _scorer(attributes.get("scoring", "default"), is_gensims)
        fill(model, attributes | {"scoring": chosen})
    return model


def _attributes(file: native.NativeFile, model: Any) -> dict[str, Any]:
    phrases, frozen = file.words["entries"], _is_frozen(model)
    fields.unique("entries", phrases)
    rules = _RULES if frozen else {**_RULES, **_COUNTED_RULES}
    values = fields.array("f8", len(phrases)) if frozen else fields.counts(len(phrases))
    return fields.checked(file.settings, rules) | {
        _entries(model): dict(
            zip(phrases, values("values", file.tensors["values"]).tolist(), strict=True)
        ),
        "connector_words": file.words["connector_words"],
    }


def _scorer(name: Any, is_gensims: bool) -> Scorer:
    """Return the function that a file names; in gensim's files, only gensim's own are found."""
    if not is_gensims:
        return scorer_named(name)
    if name not in _SCORERS:
        raise ValueError(f"the scoring must be one of {', '.join(_SCORERS)}, got {name!r}")
    return _SCORERS[name]


def fill(model: Any, attributes: Mapping[str, Any]) -> None:
    """Give an empty model the attributes of another: of ours, or of one of gensim 3 or 4."""
    given = _DEFAULTS | {name: value for name, value in attributes.items() if value is not None}
    names = _SETTINGS if _is_frozen(model) else (*_SETTINGS, *_COUNTED)
    for name in (*names, "lifecycle_events"):
        setattr(model, name, given[name])
    model.delimiter = _text(given["delimiter"])
    if not model.delimiter:
        raise ValueError("delimiter must be a text that is not empty, got ''")
    words = given.get("common_terms", given["connector_words"])  # gensim 3's name
    model.connector_words = frozenset(map(_text, words))
    model.scoring = _SCORERS.get(given["scoring"], given["scoring"])
    entries = {
        # gensim 3 had bytes, of phrases in tuples, for keys, and before 3.8 (count, score) for
        # values.
        model.delimiter.join(map(_text, key)) if isinstance(key, tuple) else _text(key): (
            value[1] if isinstance(value, tuple) else value
        )
        for key, value in given[_entries(model)].items()
    }
    setattr(model, _entries(model), entries)


def _is_frozen(model: Any) -> bool:
    return not hasattr(type(model), "add_vocab")


def _entries(model: Any) -> str:
    """Return the name of the attribute that holds phrases, or words and phrases."""
    return "phrasegrams" if _is_frozen(model) else "vocab"


def _text(value: Any) -> str:
    return value.decode("utf8") if isinstance(value, bytes) else str(value)
