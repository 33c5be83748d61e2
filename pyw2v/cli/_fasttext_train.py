"""The commands of fastText's program that make models: supervised, skipgram, cbow, quantize."""

from __future__ import annotations

from typing import Any

from pyw2v import fasttext
from pyw2v.cli._common import UsageError, check_writable, not_written_if_interrupted
from pyw2v.cli._fasttext_flags import FLAGS, QUANTIZE_ARGUMENTS, read_flags
from pyw2v.cli._fasttext_print import write_rows
from pyw2v.io.fasttext_data import FastTextData

_LOSSES = {"ns": "ns", "hs": "hs", "softmax": "softmax", "one-vs-all": "ova", "ova": "ova"}


def train(command: str, argv: list[str]) -> None:
    """Train a model; write `<output>.bin` (or `.ftz`), `<output>.vec`, on demand `.output`."""
    given = read_flags(command, argv)
    output, save_output = given.pop("output"), given.pop("saveOutput", False)
    for name in QUANTIZE_ARGUMENTS:
        given.pop(name, None)
    if "loss" in given:
        if given["loss"] not in _LOSSES:
            raise UsageError(f"Unknown loss: {given['loss']}")
        given["loss"] = _LOSSES[given["loss"]]
    settings: dict[str, Any] = {name: FLAGS[name].default for name in ("thread", "verbose")} | given
    suffix = ".ftz" if settings.get("autotuneModelSize") else ".bin"
    check_writable(output + suffix)
    with not_written_if_interrupted(output + suffix):
        if command == "supervised":
            model = fasttext.train_supervised(**settings)
        else:
            settings = {k: v for k, v in settings.items() if not k.startswith("autotune")}
            model = fasttext.train_unsupervised(model=command, **settings)
        model.save_model(output + suffix)
    data = model.f.data
    write_rows(output + ".vec", data.words, map(model.f.word_vector, data.words), data.args.dim)
    if save_output:
        _save_output(output + ".output", data)


def quantize(command: str, argv: list[str]) -> None:
    """Read `<output>.bin`, write `<output>.ftz`."""
    given = read_flags(command, argv)
    output = given["output"]
    model = fasttext.load_model(output + ".bin")
    options = {
        name: given.get(name, FLAGS[name].default)
        for name in (*QUANTIZE_ARGUMENTS, "input", "epoch", "lr", "thread", "verbose")
    }
    with not_written_if_interrupted(output + ".ftz"):
        model.quantize(**options)
        model.save_model(output + ".ftz")


def _save_output(path: str, data: FastTextData) -> None:
    """Write the output rows with the labels, or words, that they belong to."""
    names = data.labels if data.args.model == "supervised" else data.words
    rows = data.output
    if data.is_quantized:
        raise ValueError("Option -saveOutput is not supported for quantized models.")
    write_rows(path, names, rows, data.args.dim)
