"""`autotuneValidationFile`: search for the settings that do best on a file, and keep that model."""

from __future__ import annotations

import os
from dataclasses import replace

from pyw2v.classifier.autotune import autotune, parse_size
from pyw2v.fasttext._arguments import Arguments, loss_name
from pyw2v.fasttext._training import classifier, labelled_input
from pyw2v.io.fasttext_data import FastTextData
from pyw2v.progress import Progress

# Our names of the settings that are varied, and fastText's.
_NAMES = {
    "lr": "lr",
    "epochs": "epoch",
    "dim": "dim",
    "word_ngrams": "wordNgrams",
    "min_n": "minn",
    "max_n": "maxn",
    "bucket": "bucket",
    "loss": "loss",
}


def autotuned(args: Arguments, given: set[str], show: Progress) -> tuple[FastTextData, Arguments]:
    """Return the best model found within ``autotuneDuration`` seconds, and its settings.

    Arguments in ``given`` keep their values. With ``autotuneModelSize`` models are quantised to it
    before they are judged. Ctrl-C ends the search with the best so far.
    """
    if args.autotuneDuration <= 0:  # fastText, too, finds out when its time is up
        raise RuntimeError(f"autotune has no time: autotuneDuration is {args.autotuneDuration}")
    validation = args.autotuneValidationFile
    if isinstance(validation, str | os.PathLike) and not os.access(validation, os.R_OK):
        raise ValueError("Validation file cannot be opened!")
    size = args.autotuneModelSize
    varied = {name for name, theirs in _NAMES.items() if theirs not in given}
    settings = classifier(args).get_params()
    outcome = autotune(
        *labelled_input(args.input),
        validation,
        metric=args.autotuneMetric,
        k=args.autotunePredictions,
        seconds=args.autotuneDuration,
        model_size=parse_size(size, "autotuneModelSize") if size else None,
        progress=show,
        **{name: value for name, value in settings.items() if name not in {*varied, "progress"}},
    )
    chosen = {theirs: outcome.settings[name] for name, theirs in _NAMES.items()}
    data = outcome.model.data
    chosen["loss"] = loss_name[chosen["loss"]]
    # A model without n-grams has no buckets, whatever the setting was.
    found = replace(args, **chosen | {"bucket": data.args.bucket})
    return data.replace(args=found.to_file()), found
