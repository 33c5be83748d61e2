"""The settings that make an objective, besides `hs`, `negative` and `ns_exponent`.

What a value may be depends on the others: `pyw2v.objectives.make` checks them together.
"""

from __future__ import annotations

from typing import Any

from pyw2v._shared.settings import Setting

_SETTINGS = (
    Setting(
        "objective",
        "str | None",
        None,
        "The output layer: None trains what `hs` and `negative` say; otherwise one of "
        '"ns", "nce", "sampled_logistic" and "sampled_softmax" (with k = `negative` drawn words), '
        '"logistic", "softmax", "class_softmax", "dsoftmax" and "hs", see `pyw2v.objectives`.',
    ),
    Setting(
        "sampler",
        "Sampler | None",
        None,
        "By which law words are drawn, see `pyw2v.samplers`; None is `Unigram(ns_exponent)`.",
    ),
    Setting(
        "output_bias",
        "bool | None",
        None,
        "Learn a number for each word that is added to its scores, in `syn1bias`. None does so for "
        '"logistic" only, which needs it to train at the usual rates.',
    ),
    Setting(
        "self_norm",
        "float",
        0.0,
        '"softmax" adds this times log(Z)^2 to its loss, so that Z comes near 1.',
    ),
    Setting(
        "nce_z",
        "float | str",
        1.0,
        'The Z of "nce": a number, or "learned".',
    ),
    Setting(
        "classes",
        "Any",
        None,
        'Of "class_softmax": how many classes (None: the square root of the vocabulary), or the '
        "class of each word, as a dict or in the order of the vocabulary.",
    ),
    Setting(
        "class_depth",
        "int",
        2,
        'Of "class_softmax": how many decisions lead to a word.',
    ),
    Setting(
        "bands",
        "Any",
        None,
        'Of "dsoftmax": pairs (number of words, width of their output rows) from the first word of '
        "the vocabulary on, widths falling.",
    ),
    Setting(
        "remove_accidental_hits",
        "bool | None",
        None,
        "Whether a drawn word that is the centre counts for nothing; None: so it is, except with "
        '"nce".',
    ),
    Setting(
        "noise_per",
        "str",
        "window",
        'What k words are drawn for: "window" draws them once for all inputs of a centre (or of '
        'two neighbours, see docs/objectives.md), "pair" for each input.',
    ),
)

SETTINGS = tuple(setting._replace(keyword=True, since="0.1.0") for setting in _SETTINGS)

DEFAULTS: dict[str, Any] = {setting.name: setting.default for setting in SETTINGS}
