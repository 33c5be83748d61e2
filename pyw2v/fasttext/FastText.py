"""`fasttext.FastText`: the model class and the functions that make models.

Same names, arguments, defaults, results and error types as the module of the same name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._interrupt import hand_over
from pyw2v.classifier import TextClassifier
from pyw2v.fasttext import _training
from pyw2v.fasttext._arguments import (
    ATTRIBUTES,
    Arguments,
    loss_name,
    model_name,
    read_arguments,
)
from pyw2v.fasttext._autotune import autotuned
from pyw2v.fasttext._log import AutotuneLog, log_of
from pyw2v.fasttext._meter import Meter
from pyw2v.fasttext._model import fasttext
from pyw2v.fasttext._text import BOW, EOS, EOW, encode, one_line, tokens_of
from pyw2v.fasttext._vectors import Floats
from pyw2v.fasttext_data import FastTextData

__all__ = [
    "BOW",
    "EOS",
    "EOW",
    "cbow",
    "load_model",
    "loss_name",
    "model_name",
    "skipgram",
    "supervised",
    "tokenize",
    "train_supervised",
    "train_unsupervised",
]

StrPath = str | os.PathLike[str]
Counts = npt.NDArray[np.int64]


class _Meter:
    """Precision and recall of a model on a file, by threshold."""

    def __init__(self, fasttext_model: _FastText, meter: Meter) -> None:
        self.f = fasttext_model
        self.m = meter

    def score_vs_true(self, label: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Scores and the truth (1.0 or 0.0) of each sample for a label, by ascending score."""
        return _columns(self.m.scoreVsTrue(self.f.get_label_id(label)))

    def precision_recall_curve(
        self, label: str | None = None
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Precisions and recalls at every threshold, of all labels or of one."""
        if label:
            return _columns(self.m.precisionRecallCurveLabel(self.f.get_label_id(label)))
        return _columns(self.m.precisionRecallCurve())

    def precision_at_recall(self, recall: float, label: str | None = None) -> float:
        """Best precision with at least this recall; 0 if there is none."""
        if label:
            return self.m.precisionAtRecallLabel(self.f.get_label_id(label), recall)
        return self.m.precisionAtRecall(recall)

    def recall_at_precision(self, precision: float, label: str | None = None) -> float:
        """Best recall with at least this precision; 0 if there is none."""
        if label:
            return self.m.recallAtPrecisionLabel(self.f.get_label_id(label), precision)
        return self.m.recallAtPrecision(precision)


def _columns(pairs: Sequence[tuple[float, float]]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    table = np.array(pairs, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


class _FastText:
    """A model; made by `load_model`, `train_supervised` and `train_unsupervised`.

    It can be pickled and copied. After training it also has the settings as attributes.
    """

    def __init__(self, model_path: StrPath | None = None, args: Arguments | None = None) -> None:
        self.f = fasttext()
        if model_path is not None:
            self.f.loadModel(model_path)
        self._words: list[str] | None = None
        self._labels: list[str] | None = None
        self.set_args(args)

    def set_args(self, args: Arguments | None = None) -> None:
        """Copy settings into attributes."""
        if args:
            for name in ATTRIBUTES:
                setattr(self, name, getattr(args, name))

    def is_quantized(self) -> bool:
        """Whether the input matrix is quantised."""
        return self.f.isQuant()

    def get_dimension(self) -> int:
        """Length of the vectors."""
        return self.f.getArgs().dim

    def get_word_vector(self, word: str) -> Floats:
        """Vector of any word; zeros if neither it nor any n-gram of it has a row."""
        return self.f.word_vector(encode(word))

    def get_sentence_vector(self, text: str) -> Floats:
        """Vector of one line of text."""
        vector = np.empty(self.get_dimension(), np.float32)
        self.f.getSentenceVector(vector, one_line(text))
        return vector

    def get_nearest_neighbors(
        self, word: str, k: int = 10, on_unicode_error: str = "strict"
    ) -> list[tuple[float, str]]:
        """Pairs (cosine similarity, word), nearest first."""
        return self.f.getNN(word, k, on_unicode_error)

    def get_analogies(
        self,
        wordA: str,
        wordB: str,
        wordC: str,
        k: int = 10,
        on_unicode_error: str = "strict",
    ) -> list[tuple[float, str]]:
        """Pairs (cosine similarity, word) nearest to A - B + C."""
        return self.f.getAnalogies(wordA, wordB, wordC, k, on_unicode_error)

    def get_word_id(self, word: str) -> int:
        """Number of a word in the dictionary; -1 if it is not there."""
        return self.f.getWordId(word)

    def get_label_id(self, label: str) -> int:
        """Number of a label; -1 if there is no such label."""
        return self.f.getLabelId(label)

    def get_subword_id(self, subword: str) -> int:
        """Row of the input matrix that a subword has."""
        return self.f.getSubwordId(subword)

    def get_subwords(
        self, word: str, on_unicode_error: str = "strict"
    ) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Subwords of a word, itself first if it is known, and their rows."""
        texts, rows = self.f.getSubwords(word, on_unicode_error)
        return texts, np.array(rows, np.int64)

    def get_input_vector(self, ind: int) -> Floats:
        """A row of the input matrix."""
        vector = np.empty(self.get_dimension(), np.float32)
        self.f.getInputVector(vector, ind)
        return vector

    def predict(
        self,
        text: str | list[str],
        k: int = 1,
        threshold: float = 0.0,
        on_unicode_error: str = "strict",
        strict: bool = True,
    ) -> Any:
        """Find the k best labels of at least ``threshold``, and their probabilities.

        Of a str: a tuple of labels and an array; of a list: a list of each. A line break in a text
        is a ValueError, or, with ``strict=False``, a blank like any other; k=-1 means all labels.
        """
        if not strict:
            text = [_joined(line) for line in text] if isinstance(text, list) else _joined(text)
        if isinstance(text, list):
            lines = [one_line(line) for line in text]
            return self.f.multilinePredict(lines, k, threshold, on_unicode_error)
        predictions = self.f.predict(one_line(text), k, threshold, on_unicode_error)
        labels = tuple(label for _, label in predictions)
        return labels, np.array([score for score, _ in predictions], np.float64)

    def get_input_matrix(self) -> Floats:
        """Copy of the input matrix; ValueError if it is quantised."""
        if self.f.isQuant():
            raise ValueError("Can't get quantized Matrix")
        return np.array(self.f.getInputMatrix())

    def get_output_matrix(self) -> Floats:
        """Copy of the output matrix; ValueError if the model is quantised."""
        if self.f.isQuant():
            raise ValueError("Can't get quantized Matrix")
        return np.array(self.f.getOutputMatrix())

    def get_words(self, include_freq: bool = False, on_unicode_error: str = "strict") -> Any:
        """Words of the dictionary; with ``include_freq`` also how often each was seen."""
        words, _ = self.f.getVocab(on_unicode_error)
        return (words, np.array(self.f.data.word_counts)) if include_freq else words

    def get_labels(self, include_freq: bool = False, on_unicode_error: str = "strict") -> Any:
        """Labels; those of an unsupervised model are its words."""
        if self.f.getArgs().model != "supervised":
            return self.get_words(include_freq, on_unicode_error)
        labels, _ = self.f.getLabels(on_unicode_error)
        return (labels, np.array(self.f.data.label_counts)) if include_freq else labels

    def get_line(self, text: str | list[str], on_unicode_error: str = "strict") -> Any:
        """Words and labels of a line, or of each line of a list."""
        if isinstance(text, list):
            lines = [one_line(line, "get_line") for line in text]
            return self.f.multilineGetLine(lines, on_unicode_error)
        return self.f.getLine(one_line(text, "get_line"), on_unicode_error)

    def save_model(self, path: StrPath) -> None:
        """Write a file that fastText reads as well."""
        self.f.saveModel(path)

    def test(self, path: StrPath, k: int = 1, threshold: float = 0.0) -> tuple[int, float, float]:
        """Evaluate on a file: its number of lines, precision and recall."""
        return self.f.test(path, k, threshold)

    def test_label(
        self, path: StrPath, k: int = 1, threshold: float = 0.0
    ) -> dict[str, dict[str, float]]:
        """Evaluate each label: precision, recall and f1score, NaN where undefined."""
        return self.f.testLabel(path, k, threshold)

    def get_meter(self, path: StrPath, k: int = -1) -> _Meter:
        """Evaluate on a file, for curves of precision and recall."""
        return _Meter(self, self.f.getMeter(path, k))

    def quantize(
        self,
        input: Any = None,
        qout: bool = False,
        cutoff: int = 0,
        retrain: bool = False,
        epoch: int | None = None,
        lr: float | None = None,
        thread: int | None = None,
        verbose: int | None = None,
        dsub: int = 2,
        qnorm: bool = False,
    ) -> None:
        """Make the model small, in place.

        The input rows, and with ``qout`` the output rows, become codes of one byte for ``dsub``
        numbers; ``qnorm`` keeps their lengths apart. ``cutoff`` keeps only so many input rows, the
        longest; with ``retrain`` they are trained again on ``input``.
        """
        args = self.f.getArgs()
        if retrain and not input:
            raise ValueError("Need input file path if retraining")
        self.f.quantize(
            input,
            qout,
            cutoff,
            retrain,
            epoch or args.epoch,
            lr or args.lr,
            thread or args.thread,
            verbose or 0,
            dsub,
            qnorm,
        )

    def set_matrices(self, input_matrix: npt.ArrayLike, output_matrix: npt.ArrayLike) -> None:
        """Replace both matrices by copies of these, as float32."""
        self.f.setMatrices(input_matrix, output_matrix)

    @property
    def words(self) -> list[str]:
        """Words of the dictionary."""
        if self._words is None:
            self._words = self.get_words()
        return self._words

    @property
    def labels(self) -> list[str]:
        """Labels, or words of an unsupervised model."""
        if self._labels is None:
            self._labels = self.get_labels()
        return self._labels

    def __getitem__(self, word: str) -> Floats:
        return self.get_word_vector(word)

    def __contains__(self, word: str) -> bool:
        return 0 <= self.f.getWordId(word) < len(self.f.data.words)


def _joined(text: str) -> str:
    return text.replace("\n", " ")


def tokenize(text: str) -> list[str]:
    """Cut a text at blanks; a line break becomes `</s>`."""
    return [token.decode("utf-8", "surrogateescape") for token in tokens_of(encode(text))]


def load_model(path: StrPath) -> _FastText:
    """Load a `.bin` or `.ftz` file; its matrices are mapped, not read."""
    return _FastText(model_path=path)


def train_supervised(*kargs: Any, **kwargs: Any) -> _FastText:
    """Train a classifier: ``train_supervised(input, lr=0.1, dim=100, ...)``.

    ``input`` is the path of a file whose lines hold their labels, an iterable of such lines, or a
    pair of texts and labels. The arguments and their order are fastText's. With
    ``autotuneValidationFile`` those that are not given are searched for. fastText's log is shown on
    a terminal, and elsewhere if ``verbose`` is given.
    """
    args, given = read_arguments(kargs, kwargs, supervised=True)
    with _handing_over(args):
        if args.autotuneValidationFile:
            return _trained(*autotuned(args, given, log_of(args, "verbose" in given, AutotuneLog)))
        return _trained(_training.train_supervised(args, log_of(args, "verbose" in given)), args)


def train_unsupervised(*kargs: Any, **kwargs: Any) -> _FastText:
    """Train word vectors: ``train_unsupervised(input, model="skipgram", lr=0.05, dim=100, ...)``.

    ``input`` is the path of a file or an iterable of lines. The arguments and their order are
    fastText's; there is a ``seed`` too. The log is shown as by ``train_supervised``.
    """
    args, given = read_arguments(kargs, kwargs, supervised=False)
    supervised = args.model == "supervised"
    train = _training.train_supervised if supervised else _training.train_unsupervised
    with _handing_over(args):
        return _trained(train(args, log_of(args, "verbose" in given)), args)


@contextmanager
def _handing_over(args: Arguments) -> Iterator[None]:
    """Make what an interrupt carries, if it came after training had begun, a model of this kind."""
    try:
        yield
    except KeyboardInterrupt as stop:
        found = getattr(stop, "model", None)
        if found is not None:
            data = found.data if isinstance(found, TextClassifier) else found
            hand_over(stop, _trained(data.replace(args=args.to_file()), args))
        raise


def _trained(data: FastTextData, args: Arguments) -> _FastText:
    model = _FastText(args=args)
    model.f.use(data, args)
    return model


_MOVED = (
    "`{}` is not supported any more. Please use `{}`. For more information please refer to "
    "https://fasttext.cc/blog/2019/06/25/blog-post.html#2-you-were-using-the-unofficial-fasttext-module"
)


def cbow(*kargs: Any, **kwargs: Any) -> None:
    """Raise an error: a name of the unofficial module of old."""
    raise Exception(_MOVED.format("cbow", "train_unsupervised` with model=`cbow"))


def skipgram(*kargs: Any, **kwargs: Any) -> None:
    """Raise an error: a name of the unofficial module of old."""
    raise Exception(_MOVED.format("skipgram", "train_unsupervised` with model=`skipgram"))


def supervised(*kargs: Any, **kwargs: Any) -> None:
    """Raise an error: a name of the unofficial module of old."""
    raise Exception(_MOVED.format("supervised", "train_supervised"))
