"""``pyw2v fasttext``: the commands of fastText's own program, with its flags and its output.

Exit codes are its own too: 0 done, 1 for wrong usage and for files at fault.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pyw2v import fasttext
from pyw2v.cli import _fasttext_print as printing
from pyw2v.cli._common import Subparsers, UsageError
from pyw2v.cli._fasttext_train import quantize, train
from pyw2v.io import fasttext_format
from pyw2v.io.streams import text_lines
from pyw2v.io.temporary import temporary_file

_ERRORS = "surrogateescape"  # words need not be UTF-8
_BATCH_LINES = 10_000  # predicted at once
_LABEL_SCORES = {"F1-Score": "f1score", "Precision": "precision", "Recall": "recall"}


def add_parser(subparsers: Subparsers) -> None:
    """Name the command among the others; its arguments are read by `main`."""
    subparsers.add_parser(
        "fasttext",
        help="the commands of the fastText program: supervised, predict, nn, ...",
        description="The commands of the fastText program. `pyw2v fasttext` lists them.",
    )


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    name, *args = argv or ("",)
    command = COMMANDS.get(name)
    if command is None:
        print(_usage(), file=sys.stderr)
        return 1
    try:
        command.run(args)
    except UsageError as error:
        print(error, file=sys.stderr)
        return 1
    except RuntimeError as error:  # numbers that diverged, autotune without a model
        print(f"pyw2v: error: {error}", file=sys.stderr)
        return 1
    return 0


_PLACES = {
    "<model>": "model filename",
    "<test-data>": "test data filename (if -, read from stdin)",
    "<k>": "(optional; 1 by default) predict top k labels",
    "<th>": "(optional; 0.0 by default) probability threshold",
    "<word>": "word to print",
    "<option>": "option from args,dict,input,output",
}
_NEIGHBOURS = "(optional; 10 by default) number of neighbors"


class Command:
    """A command with positional arguments: a model, then the query."""

    def __init__(self, help_text: str, places: str, run: Callable[..., None]) -> None:
        self.help = help_text
        self.places = places.split()
        self._run = run

    def run(self, args: list[str]) -> None:
        """Call the command if the number of arguments is right."""
        n_needed = sum(not place.startswith("[") for place in self.places)
        if not n_needed <= len(args) <= len(self.places) or args[:1] == ["-h"]:
            raise UsageError(self._usage())
        self._run(*args)

    def _usage(self) -> str:
        name = next(name for name, command in COMMANDS.items() if command is self)
        lines = [f"usage: pyw2v fasttext {name} {' '.join(self.places)}", ""]
        meanings = _PLACES | ({"<k>": _NEIGHBOURS} if len(self.places) == 2 else {})
        places = [place.strip("[]") for place in self.places]
        lines += [f"  {place:<12} {meanings[place]}" for place in places]
        return "\n".join([*lines, ""])


class TrainingCommand:
    """A command with flags."""

    def __init__(self, help_text: str, run: Callable[[str, list[str]], None], name: str) -> None:
        self.help = help_text
        self._run = run
        self._name = name

    def run(self, args: list[str]) -> None:
        """Call the command."""
        self._run(self._name, args)


def _usage() -> str:
    lines = ["usage: pyw2v fasttext <command> <args>", "", "The commands supported are:", ""]
    lines += [f"  {name:<23} {command.help}" for name, command in COMMANDS.items()]
    return "\n".join([*lines, ""])


def _whole(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{what} must be a whole number, got {text!r}") from None


def _threshold(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"th must be a number, got {text!r}") from None


def _test(model_path: str, data: str, k: str = "1", th: str = "0.0") -> None:
    model, n_best = fasttext.load_model(model_path), _whole(k, "k")
    with _on_disk(data) as path:
        results = model.test(path, n_best, _threshold(th))
    _print_totals(results, n_best, "{:.3g}")


def _test_label(model_path: str, data: str, k: str = "1", th: str = "0.0") -> None:
    model, n_best, threshold = fasttext.load_model(model_path), _whole(k, "k"), _threshold(th)
    with _on_disk(data) as path:
        scores = model.test_label(path, n_best, threshold)
        results = model.test(path, n_best, threshold)
    for label in model.get_labels(on_unicode_error=_ERRORS):
        found = scores.get(label, {})
        line = ""
        for title, name in _LABEL_SCORES.items():
            value = found.get(name, math.nan)
            line += f"{title} : {f'{value:.6f}' if math.isfinite(value) else '--------'}  "
        printing.write(f"{line} {label}\n")
    _print_totals(results, n_best, "{:.3f}")


def _print_totals(results: tuple[int, float, float], k: int, form: str) -> None:
    n_lines, precision, recall = results
    printing.write(f"N\t{n_lines}\nP@{k}\t{form.format(precision)}\nR@{k}\t{form.format(recall)}\n")


class _on_disk:  # noqa: N801 (a context manager)
    """The path of a file; "-" is standard input, kept in a file meanwhile."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> str:
        if self._path != "-":
            return self._path
        file, path = self._stack.enter_context(temporary_file())
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        return path

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def _predict(model_path: str, data: str, k: str = "1", th: str = "0.0") -> None:
    _print_predictions(model_path, data, k, th, with_probabilities=False)


def _predict_prob(model_path: str, data: str, k: str = "1", th: str = "0.0") -> None:
    _print_predictions(model_path, data, k, th, with_probabilities=True)


def _print_predictions(
    model_path: str, data: str, k: str, th: str, *, with_probabilities: bool
) -> None:
    model, n_best, threshold = fasttext.load_model(model_path), _whole(k, "k"), _threshold(th)
    if data == "-":
        lines = text_lines(sys.stdin.buffer)
        _answer_lines(model, lines, n_best, threshold, with_probabilities, 1)
        return
    with open(data, "rb") as file:
        _answer_lines(model, text_lines(file), n_best, threshold, with_probabilities, _BATCH_LINES)


def _answer_lines(
    model: Any,
    file: Iterable[bytes],
    k: int,
    threshold: float,
    with_probabilities: bool,
    batch: int,
) -> None:
    lines: list[str] = []

    def predict() -> None:
        labels, scores = model.f.multilinePredict(lines, k, threshold, _ERRORS)
        for names, values in zip(labels, scores, strict=True):
            parts = list(names)
            if with_probabilities:
                pairs = zip(names, values, strict=True)
                parts = [f"{name} {printing.number(float(value))}" for name, value in pairs]
            printing.write(" ".join(parts) + "\n")
        lines.clear()

    for line in printing.input_lines(file):
        lines.append(line)
        if len(lines) >= batch:
            predict()
    if lines:
        predict()


def _print_word_vectors(model_path: str) -> None:
    model = fasttext.load_model(model_path)
    for word in printing.input_words(sys.stdin.buffer):
        printing.write(f"{word} {printing.vector(model.get_word_vector(word))}\n")


def _print_sentence_vectors(model_path: str) -> None:
    model = fasttext.load_model(model_path)
    vector = np.empty(model.get_dimension(), np.float32)
    for line in sys.stdin.buffer:
        model.f.getSentenceVector(vector, line)  # of a last line without an end, without `</s>`
        printing.write(f"{printing.vector(vector)}\n")


def _print_ngrams(model_path: str, word: str) -> None:
    model = fasttext.load_model(model_path)
    names, rows = model.get_subwords(word, on_unicode_error=_ERRORS)
    for name, row in zip(names, rows, strict=True):
        printing.write(f"{name} {printing.vector(model.get_input_vector(int(row)))}\n")


def _nn(model_path: str, k: str = "10") -> None:
    model, n_best = fasttext.load_model(model_path), _whole(k, "k")

    def query(words: list[str]) -> list[tuple[float, str]]:
        return model.get_nearest_neighbors(words[0], n_best, _ERRORS)

    _converse("Query word? ", 1, query)


def _analogies(model_path: str, k: str = "10") -> None:
    n_best = _whole(k, "k")
    printing.write(f"Loading model {model_path}\n")
    model = fasttext.load_model(model_path)

    def query(words: list[str]) -> list[tuple[float, str]]:
        return model.get_analogies(words[0], words[1], words[2], n_best, _ERRORS)

    _converse("Query triplet (A - B + C)? ", 3, query)


def _converse(prompt: str, n_words: int, query: Callable[[list[str]], Any]) -> None:
    """Run a query for each `n_words` words of standard input, until its end."""
    printing.write(prompt)
    words: list[str] = []
    for word in printing.input_words(sys.stdin.buffer):
        words.append(word)
        if len(words) == n_words:
            for similarity, name in query(words):
                printing.write(f"{name} {printing.number(similarity)}\n")
            printing.write(prompt)
            words = []


def _dump(model_path: str, what: str) -> None:
    if what not in ("args", "dict", "input", "output"):
        raise UsageError("usage: pyw2v fasttext dump <model> args|dict|input|output")
    printing.dump(fasttext_format.read(model_path), what)


COMMANDS: dict[str, Command | TrainingCommand] = {
    "supervised": TrainingCommand("train a supervised classifier", train, "supervised"),
    "quantize": TrainingCommand(
        "quantize a model to reduce the memory usage", quantize, "quantize"
    ),
    "skipgram": TrainingCommand("train a skipgram model", train, "skipgram"),
    "cbow": TrainingCommand("train a cbow model", train, "cbow"),
    "test": Command("evaluate a supervised classifier", "<model> <test-data> [<k>] [<th>]", _test),
    "test-label": Command(
        "print labels with precision and recall scores",
        "<model> <test-data> [<k>] [<th>]",
        _test_label,
    ),
    "predict": Command("predict most likely labels", "<model> <test-data> [<k>] [<th>]", _predict),
    "predict-prob": Command(
        "predict most likely labels with probabilities",
        "<model> <test-data> [<k>] [<th>]",
        _predict_prob,
    ),
    "print-word-vectors": Command(
        "print word vectors given a trained model", "<model>", _print_word_vectors
    ),
    "print-sentence-vectors": Command(
        "print sentence vectors given a trained model", "<model>", _print_sentence_vectors
    ),
    "print-ngrams": Command(
        "print ngrams given a trained model and word", "<model> <word>", _print_ngrams
    ),
    "nn": Command("query for nearest neighbors", "<model> [<k>]", _nn),
    "analogies": Command("query for analogies", "<model> [<k>]", _analogies),
    "dump": Command("dump arguments,dictionary,input/output vectors", "<model> <option>", _dump),
}
