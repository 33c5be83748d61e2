"""The commands of GloVe that train: `glove` on records, `train` on a text."""

from __future__ import annotations

import secrets
import sys
import time
from typing import Any

import numpy as np

from pyw2v.cli._common import UsageError, not_written_if_interrupted
from pyw2v.cli._glove_flags import flags_help, read_flags
from pyw2v.cli.train import corpus_of, require_folder
from pyw2v.glove import GloVe
from pyw2v.glove.cooccurrence import as_matrix
from pyw2v.io import glove_format, word2vec_format

GIGABYTE = 1 << 30
_MODELS = (0, 1, 2, 3)


def glove(argv: list[str]) -> None:
    """Train on a file of shuffled records; write vectors."""
    flags = read_flags("glove", argv)
    _check(flags)
    vocabulary = word2vec_format.load_vocab(flags["vocab_file"])
    records = glove_format.load_records(flags["input_file"], len(vocabulary))
    if not len(records):
        raise ValueError(f"{flags['input_file']} has no records")
    model = _model(flags)
    say(flags, f"TRAINING MODEL\nRead {len(records)} lines.")
    model.set_vocabulary(list(vocabulary), np.fromiter(vocabulary.values(), np.int64))
    if flags["load_init_param"]:
        squares = flags["init_gradsq_file"] if flags["load_init_gradsq"] else None
        model.load_parameters(flags["init_param_file"], squares)
    _describe(model, flags)
    if flags["save_init_param"]:
        _save(model, flags, ".000")
    words, contexts = records["word"] - 1, records["context"] - 1
    counts: Any = (words, contexts, records["count"])
    if not flags["exact"]:
        counts = as_matrix(counts, model.words)
    with not_written_if_interrupted(flags["save_file"]):
        model.train(counts, shuffle=not flags["exact"], callbacks=[_Report(flags)])
        _save(model, flags)


def train(argv: list[str]) -> None:
    """Count a text and train on it, all in one process; write vectors."""
    if not argv or (argv[0] != "-" and argv[0].startswith("-")):
        raise UsageError(flags_help("train"))
    flags = read_flags("train", argv[1:])
    _check(flags)
    model = _model(
        flags,
        window=flags["window"],
        symmetric=bool(flags["symmetric"]),
        distance_weighting=bool(flags["distance_weighting"]),
        min_count=flags["min_count"],
        max_final_vocab=flags["max_vocab"] or None,
        max_memory=int(flags["memory"] * GIGABYTE) or None,
        progress=None if flags["verbose"] else False,
    )
    if flags["vocab_file"]:
        require_folder(flags["vocab_file"])
    with not_written_if_interrupted(flags["save_file"]):
        model.fit(corpus_of([argv[0]]), callbacks=[_Report(flags)])
        if flags["vocab_file"] and model.word_counts is not None:
            word2vec_format.save_vocab(flags["vocab_file"], model.words, model.word_counts)
        _save(model, flags)


def _model(flags: dict[str, Any], **more: Any) -> GloVe:
    return GloVe(
        vector_size=flags["vector_size"],
        x_max=flags["x_max"],
        weighting_exponent=flags["alpha"],
        learning_rate=flags["eta"],
        epochs=flags["iter"],
        workers=flags["threads"],
        seed=flags["seed"] or secrets.randbits(32),
        grad_clip=flags["grad_clip"],
        dtype="float64" if flags["exact"] else "float32",
        **more,
    )


def _check(flags: dict[str, Any]) -> None:
    """Fail before hours of training rather than after them."""
    if flags["model"] not in _MODELS:
        raise UsageError(f"-model must be 0, 1, 2 or 3, got {flags['model']}")
    if flags["binary"] not in (0, 1, 2):
        raise UsageError(f"-binary must be 0, 1 or 2, got {flags['binary']}")
    flags["save_gradsq"] = flags["save_gradsq"] or bool(flags["gradsq_file"])
    flags["gradsq_file"] = flags["gradsq_file"] or "gradsq"
    require_folder(flags["save_file"])
    if flags["save_gradsq"]:
        require_folder(flags["gradsq_file"])


def say(flags: dict[str, Any], text: str) -> None:
    """Print to stderr, unless that is off."""
    if flags["verbose"] > 0:
        print(text, file=sys.stderr, flush=True)


def _describe(model: GloVe, flags: dict[str, Any]) -> None:
    say(flags, f"vector size: {model.vector_size}\nvocab size: {len(model.words)}")
    say(flags, f"x_max: {model.x_max:f}\nalpha: {model.weighting_exponent:f}")


class _Report:
    """Prints the cost of each iteration, and saves checkpoints."""

    def __init__(self, flags: dict[str, Any]) -> None:
        self._flags = flags

    def on_train_begin(self, model: GloVe) -> None:
        """Refuse words that the text could not hold before they are trained, not after."""
        if self._flags["binary"] != 1:
            glove_format.check_words(map(str, model.words), self._flags["save_file"], unknown=True)

    def on_epoch_end(self, model: GloVe) -> None:
        now = time.strftime("%x - %I:%M.%S%p")
        done = model.epochs_trained
        say(self._flags, f"{now}, iter: {done:03d}, cost: {model.loss_history[-1]:f}")
        every = self._flags["checkpoint_every"]
        if every > 0 and done % every == 0:
            _save(model, self._flags, f".{done:03d}")


def _save(model: GloVe, flags: dict[str, Any], number: str = "") -> None:
    """Write the files that the flags name; `number` goes between name and extension."""
    name, squares = flags["save_file"] + number, flags["gradsq_file"] + number
    parameters = model.parameters
    if flags["binary"] > 0:
        glove_format.save_parameters(f"{name}.bin", parameters.values)
        if flags["save_gradsq"]:
            glove_format.save_parameters(f"{squares}.bin", parameters.squares)
    if flags["binary"] == 1:
        return
    header = bool(flags["write_header"])
    glove_format.save_text(f"{name}.txt", model.words, _rows(model, flags["model"]), header=header)
    if flags["save_gradsq"]:
        rows = np.hstack(np.split(parameters.squares, 2))
        glove_format.save_text(f"{squares}.txt", model.words, rows, unknown=False)


def _rows(model: GloVe, kind: int) -> Any:
    """What the text has of each word: see the flag -model."""
    parameters = model.parameters
    if kind == 0:
        return np.hstack(np.split(parameters.values, 2))
    if kind == 3:
        return np.hstack([parameters.vectors("word"), parameters.vectors("context")])
    return parameters.vectors("word" if kind == 1 else "sum")
