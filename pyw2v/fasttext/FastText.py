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

from pyw2v._runs.interrupt import hand_over
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
from pyw2v.io.fasttext_data import FastTextData

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
    """Precision and recall of a model on a file, by threshold.

    Parameters
    ----------
    fasttext_model : _FastText
        The model.
    meter : Meter
        Its predictions on the file.
    """

    def __init__(self, fasttext_model: _FastText, meter: Meter) -> None:
        self.f = fasttext_model
        self.m = meter

    def score_vs_true(self, label: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return scores and the truth (1.0 or 0.0) of each sample for a label.

        Parameters
        ----------
        label : str
            The label.

        Returns
        -------
        scores : ndarray of float64
            In ascending order.
        truth : ndarray of float64
            1.0 where the label is right.
        """
        return _columns(self.m.scoreVsTrue(self.f.get_label_id(label)))

    def precision_recall_curve(
        self, label: str | None = None
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return precision and recall at every threshold.

        Parameters
        ----------
        label : str, optional
            The label; all labels by default.

        Returns
        -------
        precisions : ndarray of float64
            The precision at each threshold.
        recalls : ndarray of float64
            The recall at each threshold.
        """
        if label:
            return _columns(self.m.precisionRecallCurveLabel(self.f.get_label_id(label)))
        return _columns(self.m.precisionRecallCurve())

    def precision_at_recall(self, recall: float, label: str | None = None) -> float:
        """Return the best precision with at least this recall.

        Parameters
        ----------
        recall : float
            From 0 to 1.
        label : str, optional
            The label; all labels by default.

        Returns
        -------
        float
            0 if there is none.
        """
        if label:
            return self.m.precisionAtRecallLabel(self.f.get_label_id(label), recall)
        return self.m.precisionAtRecall(recall)

    def recall_at_precision(self, precision: float, label: str | None = None) -> float:
        """Return the best recall with at least this precision.

        Parameters
        ----------
        precision : float
            From 0 to 1.
        label : str, optional
            The label; all labels by default.

        Returns
        -------
        float
            0 if there is none.
        """
        if label:
            return self.m.recallAtPrecisionLabel(self.f.get_label_id(label), precision)
        return self.m.recallAtPrecision(precision)


def _columns(pairs: Sequence[tuple[float, float]]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    table = np.array(pairs, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


class _FastText:
    """A model; made by `load_model`, `train_supervised` and `train_unsupervised`.

    It can be pickled and copied. After training it also has the settings as attributes.

    Parameters
    ----------
    model_path : str or os.PathLike, optional
        A `.bin` or `.ftz` file to load.
    args : Arguments, optional
        The settings.
    """

    def __init__(self, model_path: StrPath | None = None, args: Arguments | None = None) -> None:
        self.f = fasttext()
        if model_path is not None:
            self.f.loadModel(model_path)
        self._words: list[str] | None = None
        self._labels: list[str] | None = None
        self.set_args(args)

    def set_args(self, args: Arguments | None = None) -> None:
        """Copy settings into attributes.

        Parameters
        ----------
        args : Arguments, optional
            The settings.
        """
        if args:
            for name in ATTRIBUTES:
                setattr(self, name, getattr(args, name))

    def is_quantized(self) -> bool:
        """Return whether the input matrix is quantised.

        Returns
        -------
        bool
            True for a `.ftz` file.
        """
        return self.f.isQuant()

    def get_dimension(self) -> int:
        """Return the length of the vectors.

        Returns
        -------
        int
            The length.
        """
        return self.f.getArgs().dim

    def get_word_vector(self, word: str) -> Floats:
        """Return the vector of any word.

        Parameters
        ----------
        word : str
            The word.

        Returns
        -------
        ndarray of float32
            Zeros if neither the word nor any n-gram of it has a row.
        """
        return self.f.word_vector(encode(word))

    def get_sentence_vector(self, text: str) -> Floats:
        """Return the vector of one line of text.

        Parameters
        ----------
        text : str
            The line.

        Returns
        -------
        ndarray of float32
            The vector.

        Raises
        ------
        ValueError
            If the text has a line break in it.
        """
        vector = np.empty(self.get_dimension(), np.float32)
        self.f.getSentenceVector(vector, one_line(text))
        return vector

    def get_nearest_neighbors(
        self, word: str, k: int = 10, on_unicode_error: str = "strict"
    ) -> list[tuple[float, str]]:
        """Return the words nearest to a word.

        Parameters
        ----------
        word : str
            The word.
        k : int, default 10
            How many to return.
        on_unicode_error : str, default "strict"
            What to do with words that are not UTF-8, as in `bytes.decode`.

        Returns
        -------
        list of tuple
            (cosine similarity, word), nearest first.
        """
        return self.f.getNN(word, k, on_unicode_error)

    def get_analogies(
        self,
        wordA: str,
        wordB: str,
        wordC: str,
        k: int = 10,
        on_unicode_error: str = "strict",
    ) -> list[tuple[float, str]]:
        """Return the words nearest to A - B + C.

        Parameters
        ----------
        wordA : str
            A word, added.
        wordB : str
            A word, subtracted.
        wordC : str
            A word, added.
        k : int, default 10
            How many to return.
        on_unicode_error : str, default "strict"
            What to do with words that are not UTF-8, as in `bytes.decode`.

        Returns
        -------
        list of tuple
            (cosine similarity, word), nearest first.
        """
        return self.f.getAnalogies(wordA, wordB, wordC, k, on_unicode_error)

    def get_word_id(self, word: str) -> int:
        """Return the number of a word in the dictionary.

        Parameters
        ----------
        word : str
            The word.

        Returns
        -------
        int
            -1 if it is not there.
        """
        return self.f.getWordId(word)

    def get_label_id(self, label: str) -> int:
        """Return the number of a label.

        Parameters
        ----------
        label : str
            The label, with its prefix.

        Returns
        -------
        int
            -1 if there is no such label.
        """
        return self.f.getLabelId(label)

    def get_subword_id(self, subword: str) -> int:
        """Return the row of the input matrix that a subword has.

        Parameters
        ----------
        subword : str
            The n-gram.

        Returns
        -------
        int
            The row.
        """
        return self.f.getSubwordId(subword)

    def get_subwords(
        self, word: str, on_unicode_error: str = "strict"
    ) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Return the subwords of a word and their rows.

        Parameters
        ----------
        word : str
            The word.
        on_unicode_error : str, default "strict"
            What to do with n-grams that are not UTF-8, as in `bytes.decode`.

        Returns
        -------
        subwords : list of str
            The word itself first, if it is known.
        rows : ndarray of int64
            Rows of the input matrix.
        """
        texts, rows = self.f.getSubwords(word, on_unicode_error)
        return texts, np.array(rows, np.int64)

    def get_input_vector(self, ind: int) -> Floats:
        """Return a row of the input matrix.

        Parameters
        ----------
        ind : int
            Number of the row.

        Returns
        -------
        ndarray of float32
            The row.

        Raises
        ------
        ValueError
            If there is no such row.
        """
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
        """Return the k best labels of a text and their probabilities.

        Parameters
        ----------
        text : str or list of str
            A line, or several.
        k : int, default 1
            How many labels; -1 for all.
        threshold : float, default 0.0
            Leave out labels that are less probable.
        on_unicode_error : str, default "strict"
            What to do with labels that are not UTF-8, as in `bytes.decode`.
        strict : bool, default True
            Whether a line break in a text is an error; False reads it as a blank.

        Returns
        -------
        labels : tuple of str, or list of list of str
            The labels, likeliest first.
        probabilities : ndarray, or list of ndarray
            Their probabilities.

        Raises
        ------
        ValueError
            If a text has a line break in it, k is 0, or the model is not supervised.
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
        """Return a copy of the input matrix.

        Returns
        -------
        ndarray of float32
            The matrix.

        Raises
        ------
        ValueError
            If it is quantised.
        """
        if self.f.isQuant():
            raise ValueError("Can't get quantized Matrix")
        return np.array(self.f.getInputMatrix())

    def get_output_matrix(self) -> Floats:
        """Return a copy of the output matrix.

        Returns
        -------
        ndarray of float32
            The matrix.

        Raises
        ------
        ValueError
            If the model is quantised.
        """
        if self.f.isQuant():
            raise ValueError("Can't get quantized Matrix")
        return np.array(self.f.getOutputMatrix())

    def get_words(self, include_freq: bool = False, on_unicode_error: str = "strict") -> Any:
        """Return the words of the dictionary.

        Parameters
        ----------
        include_freq : bool, default False
            Whether to return a tuple of the words and how often each was seen.
        on_unicode_error : str, default "strict"
            What to do with words that are not UTF-8, as in `bytes.decode`.

        Returns
        -------
        list of str, or tuple of list and ndarray
            The words.
        """
        words, counts = self.f.getVocab(on_unicode_error)
        return (words, np.array(counts, np.int64)) if include_freq else words

    def get_labels(self, include_freq: bool = False, on_unicode_error: str = "strict") -> Any:
        """Return the labels; those of an unsupervised model are its words.

        Parameters
        ----------
        include_freq : bool, default False
            Whether to return a tuple of the labels and how often each was seen.
        on_unicode_error : str, default "strict"
            What to do with labels that are not UTF-8, as in `bytes.decode`.

        Returns
        -------
        list of str, or tuple of list and ndarray
            The labels.
        """
        if self.f.getArgs().model != "supervised":
            return self.get_words(include_freq, on_unicode_error)
        labels, counts = self.f.getLabels(on_unicode_error)
        return (labels, np.array(counts, np.int64)) if include_freq else labels

    def get_line(self, text: str | list[str], on_unicode_error: str = "strict") -> Any:
        """Return the words and labels of a line, or of each line of a list.

        Parameters
        ----------
        text : str or list of str
            A line, or several.
        on_unicode_error : str, default "strict"
            What to do with words that are not UTF-8, as in `bytes.decode`.

        Returns
        -------
        words : list of str, or list of list of str
            The words.
        labels : list of str, or list of list of str
            The labels.

        Raises
        ------
        ValueError
            If a text has a line break in it.
        """
        if isinstance(text, list):
            lines = [one_line(line, "get_line") for line in text]
            return self.f.multilineGetLine(lines, on_unicode_error)
        return self.f.getLine(one_line(text, "get_line"), on_unicode_error)

    def save_model(self, path: StrPath) -> None:
        """Write a file that fastText reads as well.

        Parameters
        ----------
        path : str or os.PathLike
            Where to write.

        Raises
        ------
        ValueError
            If the file cannot be opened.
        """
        self.f.saveModel(path)

    def test(self, path: StrPath, k: int = 1, threshold: float = 0.0) -> tuple[int, float, float]:
        """Evaluate on a file.

        Parameters
        ----------
        path : str or os.PathLike
            A file whose lines hold their labels.
        k : int, default 1
            Labels predicted for each line.
        threshold : float, default 0.0
            Leave out labels that are less probable.

        Returns
        -------
        n_lines : int
            Lines with a label.
        precision : float
            Share of the predicted labels that are right.
        recall : float
            Share of the true labels that were predicted.

        Raises
        ------
        ValueError
            If the file cannot be opened, or the model is not supervised.
        """
        return self.f.test(path, k, threshold)

    def test_label(
        self, path: StrPath, k: int = 1, threshold: float = 0.0
    ) -> dict[str, dict[str, float]]:
        """Evaluate each label on a file.

        Parameters
        ----------
        path : str or os.PathLike
            A file whose lines hold their labels.
        k : int, default 1
            Labels predicted for each line.
        threshold : float, default 0.0
            Leave out labels that are less probable.

        Returns
        -------
        dict of str to dict
            `precision`, `recall` and `f1score` of each label, NaN where undefined.
        """
        return self.f.testLabel(path, k, threshold)

    def get_meter(self, path: StrPath, k: int = -1) -> _Meter:
        """Evaluate on a file, for curves of precision and recall.

        Parameters
        ----------
        path : str or os.PathLike
            A file whose lines hold their labels.
        k : int, default -1
            Labels predicted for each line; -1 for all.

        Returns
        -------
        _Meter
            The evaluation.
        """
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

        Parameters
        ----------
        input : str or os.PathLike, optional
            A file to retrain on.
        qout : bool, default False
            Whether to quantise the output rows too.
        cutoff : int, default 0
            Above 0: keep only so many input rows, the longest.
        retrain : bool, default False
            Whether to train the kept rows again on `input`.
        epoch : int, optional
            Epochs of that training; as before by default.
        lr : float, optional
            Its learning rate; as before by default.
        thread : int, optional
            Its threads; as before by default.
        verbose : int, optional
            How much to print; nothing by default.
        dsub : int, default 2
            Numbers that one byte stands for.
        qnorm : bool, default False
            Whether to quantise the lengths of the rows apart from their directions.

        Raises
        ------
        ValueError
            If `retrain` is set without `input`.
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
        """Replace both matrices by copies of these, as float32.

        Parameters
        ----------
        input_matrix : array_like
            Rows of words and n-grams.
        output_matrix : array_like
            Rows of labels, or of words.

        Raises
        ------
        ValueError
            If the matrices do not fit the model.
        """
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
        return self.f.has_word(word)


def _joined(text: str) -> str:
    return text.replace("\n", " ")


def tokenize(text: str) -> list[str]:
    """Cut a text at blanks; a line break becomes `</s>`.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    list of str
        The tokens.

    Examples
    --------
    >>> from pyw2v import fasttext
    >>> fasttext.tokenize("two words")
    ['two', 'words']
    """
    return [token.decode("utf-8", "surrogateescape") for token in tokens_of(encode(text))]


def load_model(path: StrPath) -> _FastText:
    """Load a `.bin` or `.ftz` file; matrices of those above 64 MB are mapped, not read.

    Parameters
    ----------
    path : str or os.PathLike
        The file.

    Returns
    -------
    _FastText
        The model.

    Raises
    ------
    ValueError
        If the file cannot be opened or is damaged.
    """
    return _FastText(model_path=path)


def train_supervised(*kargs: Any, **kwargs: Any) -> _FastText:
    """Train a classifier: ``train_supervised(input, lr=0.1, dim=100, ...)``.

    With `autotuneValidationFile`, arguments that are not given are searched for. fastText's log is
    shown on a terminal, and elsewhere if `verbose` is given.

    Parameters
    ----------
    *kargs : object
        fastText's arguments in its order. The first, `input`, is the path of a file whose lines
        hold their labels, an iterable of such lines, or a pair of texts and labels.
    **kwargs : object
        The same by name.

    Returns
    -------
    _FastText
        The model.

    Raises
    ------
    TypeError
        If an argument is unknown.
    ValueError
        If an argument is out of range, or the file has no labels.

    Examples
    --------
    >>> from pyw2v import fasttext
    >>> lines = ["__label__good a fine film", "__label__bad a dull film"] * 20
    >>> model = fasttext.train_supervised(lines, dim=4, lr=1.0, epoch=10, thread=1)
    >>> model.predict("fine")[0]
    ('__label__good',)
    """
    args, given = read_arguments(kargs, kwargs, supervised=True)
    with _handing_over(args):
        if args.autotuneValidationFile:
            return _trained(*autotuned(args, given, log_of(args, "verbose" in given, AutotuneLog)))
        return _trained(_training.train_supervised(args, log_of(args, "verbose" in given)), args)


def train_unsupervised(*kargs: Any, **kwargs: Any) -> _FastText:
    """Train word vectors: ``train_unsupervised(input, model="skipgram", lr=0.05, dim=100, ...)``.

    fastText's log is shown on a terminal, and elsewhere if `verbose` is given.

    Parameters
    ----------
    *kargs : object
        fastText's arguments in its order. The first, `input`, is the path of a file or an iterable
        of lines.
    **kwargs : object
        The same by name; there is a `seed` too.

    Returns
    -------
    _FastText
        The model.

    Raises
    ------
    TypeError
        If an argument is unknown.
    ValueError
        If an argument is out of range.
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
    """Raise an error: a name of the unofficial module of old.

    Parameters
    ----------
    *kargs : object
        Ignored.
    **kwargs : object
        Ignored.
    """
    raise Exception(_MOVED.format("cbow", "train_unsupervised` with model=`cbow"))


def skipgram(*kargs: Any, **kwargs: Any) -> None:
    """Raise an error: a name of the unofficial module of old.

    Parameters
    ----------
    *kargs : object
        Ignored.
    **kwargs : object
        Ignored.
    """
    raise Exception(_MOVED.format("skipgram", "train_unsupervised` with model=`skipgram"))


def supervised(*kargs: Any, **kwargs: Any) -> None:
    """Raise an error: a name of the unofficial module of old.

    Parameters
    ----------
    *kargs : object
        Ignored.
    **kwargs : object
        Ignored.
    """
    raise Exception(_MOVED.format("supervised", "train_supervised"))
