r"""`model.f`: what fastText's compiled module offers, under its names; all state is here.

Names and argument orders are those of fastText's binding, since programs call it past the Python
class, for example `model.f.predict(text + "\n", k, threshold, "strict")`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core.predictor import Predictor
from pyw2v._shared.checks import resolve_workers
from pyw2v.classifier import meters
from pyw2v.classifier.quantize import quantize
from pyw2v.classifier.state import ClassifierState
from pyw2v.fasttext._arguments import Arguments
from pyw2v.fasttext._dictionary import Dictionary
from pyw2v.fasttext._log import log_of
from pyw2v.fasttext._meter import Meter
from pyw2v.fasttext._text import EOS, decode_all, encode, first_line, lines_of, tokens_of
from pyw2v.fasttext._training import retrained
from pyw2v.fasttext._vectors import Floats, Vectors, normalised
from pyw2v.io import fasttext_format
from pyw2v.io.fasttext_data import FastTextData
from pyw2v.io.mapped import check_unchanged
from pyw2v.io.streams import text_lines
from pyw2v.quantize import QuantizedMatrix

Text = str | bytes  # bytes are UTF-8
Predictions = list[tuple[float, str]]

_BATCH_PREDICTIONS = 1 << 20  # made at a time, between two checks for Ctrl-C


class Content:
    """What a file holds, how text is read, and what is made of both when needed.

    A model is changed by giving it another one, so that a query which has taken this one goes on
    with it.
    """

    def __init__(self, data: FastTextData, args: Arguments) -> None:
        self.data = data
        self.args = args

    @cached_property
    def dictionary(self) -> Dictionary:
        """From tokens to rows."""
        return Dictionary(self.data, self.args.label)

    def check_file(self) -> None:
        """Raise a ValueError if this is mapped from a file that has changed since."""
        check_unchanged(self.data.input, self.data.output)

    @cached_property
    def vectors(self) -> Vectors:
        """From words to vectors."""
        self.check_file()
        return Vectors(self.data, self.dictionary)

    @cached_property
    def predictor(self) -> Predictor:
        """From lines to labels."""
        data = self.data
        if data.args.model != "supervised":
            raise ValueError("Model needs to be supervised for prediction!")
        self.check_file()
        if isinstance(data.input, np.ndarray):  # mapped from any byte of the file
            data = data.replace(input=fasttext_format.aligned(data.input))
            self.data = data
        return ClassifierState(data, self.args.label, False).predictor

    def n_wanted(self, k: int) -> int:
        """How many labels are wanted; -1 stands for all."""
        if k == -1:
            return self.predictor.n_labels
        if k < 1:
            raise ValueError("k needs to be 1 or higher!")
        return k

    def predictions(
        self, texts: list[bytes], k: int, threshold: float, workers: int
    ) -> Iterator[tuple[list[int], Floats]]:
        """Labels and probabilities of one line after the other."""
        predictor = self.predictor
        self.check_file()
        k = self.n_wanted(k)
        step = max(1, _BATCH_PREDICTIONS // min(k, predictor.n_labels))
        for first in range(0, len(texts), step):
            some = texts[first : first + step]
            labels, scores, n_found = predictor.predict(some, k, threshold, True, workers)
            # Lists, because arrays of one or two numbers take longer to index.
            for ids, row, n in zip(labels.tolist(), scores, n_found.tolist(), strict=True):
                yield ids[:n], row[:n]

    def names(self, ids: list[int], errors: str) -> list[str]:
        """Spellings of labels."""
        labels = self.data.labels
        return [labels[i].decode("utf-8", errors) for i in ids]

    def nearest(self, query: Floats, k: int, banned: list[bytes], errors: str) -> Predictions:
        """Pairs (cosine, word), nearest first."""
        found = self.vectors.nearest(query, k, banned)
        return [(score, word.decode("utf-8", errors)) for score, word in found]


class fasttext:
    """One model. Every method takes its content once: threads may share it."""

    def __init__(self) -> None:
        self._content: Content | None = None
        self._args = Arguments()

    def __getstate__(self) -> dict[str, Any]:
        """What is made when needed is made again, not stored."""
        content = self._content
        return {"_data": None if content is None else content.data, "_args": self._args}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._args, self._content = state["_args"], None
        if state["_data"] is not None:
            self._content = Content(state["_data"], self._args)

    @property
    def content(self) -> Content:
        """What there is now; RuntimeError for a model that was never trained or loaded."""
        if self._content is None:
            raise RuntimeError("Model never trained")
        return self._content

    @property
    def data(self) -> FastTextData:
        """All that a file holds."""
        return self.content.data

    def use(self, data: FastTextData, args: Arguments | None = None) -> None:
        """Become the model with this content."""
        self._args = Arguments.of_file(data.args) if args is None else args
        self._content = Content(data, self._args)

    # ---- files and settings

    def loadModel(self, path: str | os.PathLike[str]) -> None:
        """Read a `.bin` or `.ftz` file; ValueError, as in fastText, also when there is none."""
        try:
            data = fasttext_format.read(path, aligned=False)
        except OSError as error:
            raise ValueError(f"{os.fsdecode(path)} cannot be opened for loading!") from error
        except ValueError as error:
            if "wrong file format" not in str(error):
                raise
            raise ValueError(f"{os.fsdecode(path)} has wrong file format! ({error})") from error
        self.use(data)

    def saveModel(self, path: str | os.PathLike[str]) -> None:
        """Write a `.bin` or `.ftz` file; ValueError, as in fastText, when that cannot be."""
        data = self.data
        try:
            fasttext_format.write(data, path)
        except OSError as error:
            raise ValueError(f"{os.fsdecode(path)} cannot be opened for saving!") from error

    def getArgs(self) -> Arguments:
        """The settings, as attributes."""
        return self._args

    def isQuant(self) -> bool:
        """Whether the input matrix is quantised."""
        return self._content is not None and self._content.data.is_quantized

    def getInputMatrix(self) -> Floats:
        """The matrix, when the model is not quantised; of a trained model made for this call.

        Rows of buckets that were never seen are zero.
        """
        return _dense(self.data.input)

    def getOutputMatrix(self) -> Floats:
        """Read-only view, when the matrix is not quantised."""
        return _dense(self.data.output)

    def setMatrices(self, input: npt.ArrayLike, output: npt.ArrayLike) -> None:
        """Replace both matrices by copies; the number of columns becomes the dimension."""
        data = self.data
        new = [np.array(matrix, np.float32) for matrix in (input, output)]
        rows = (len(data.words) + data.args.bucket, len(data.output))
        for name, matrix, n_rows in zip(("input", "output"), new, rows, strict=True):
            if matrix.ndim != 2 or matrix.shape != (n_rows, new[0].shape[1]):
                raise ValueError(
                    f"the {name} matrix must have {n_rows} rows and both as many columns, "
                    f"got shape {matrix.shape}"
                )
        args = replace(data.args, dim=new[0].shape[1])
        self._args.dim = args.dim
        self.use(data.replace(args=args, input=new[0], output=new[1], pruned=None), self._args)

    # ---- words

    def getVocab(self, on_unicode_error: str) -> tuple[list[str], list[int]]:
        """Words and how often each was seen."""
        data = self.data
        words, counts = data.words, data.word_counts
        return [word.decode("utf-8", on_unicode_error) for word in words], counts.tolist()

    def getLabels(self, on_unicode_error: str) -> tuple[list[str], list[int]]:
        """Labels and how often each was seen."""
        data = self.data
        labels, counts = data.labels, data.label_counts
        return [label.decode("utf-8", on_unicode_error) for label in labels], counts.tolist()

    def getWordId(self, word: Text) -> int:
        """Number of a word (or label, after those of the words); -1 if there is none."""
        return self.content.dictionary.id_of(encode(word))

    def getLabelId(self, label: Text) -> int:
        """Number of a label; -1 if there is none."""
        dictionary = self.content.dictionary
        number = dictionary.id_of(encode(label))
        return -1 if number < 0 else number - dictionary.n_words

    def has_word(self, word: Text) -> bool:
        """Whether a word is in the vocabulary."""
        content = self.content
        return 0 <= content.dictionary.id_of(encode(word)) < len(content.data.words)

    def getSubwordId(self, subword: Text) -> int:
        """Row of an n-gram, whether or not a pruned model still has it."""
        return self.content.dictionary.bucket_of(encode(subword))

    def getSubwords(self, word: Text, on_unicode_error: str) -> tuple[list[str], list[int]]:
        """The word, if it is known, and its n-grams; and their rows."""
        texts, rows = self.content.dictionary.subwords(encode(word))
        return [text.decode("utf-8", on_unicode_error) for text in texts], rows

    # ---- vectors

    def word_vector(self, word: bytes) -> Floats:
        """Mean of the rows of the word and its n-grams; zeros if there are none."""
        return self.content.vectors.word(word)

    def getWordVector(self, vector: Any, word: Text) -> None:
        """Fill ``vector``."""
        vector[:] = self.word_vector(encode(word))

    def getInputVector(self, vector: Any, index: int) -> None:
        """Fill ``vector`` with a row of the input matrix."""
        content = self.content
        n_rows = content.data.input.shape[0]
        if not 0 <= index < n_rows:
            raise ValueError(f"the input matrix has rows 0 to {n_rows - 1}, not {index}")
        vector[:] = content.vectors.rows(np.array([index]))[0]

    def getSentenceVector(self, vector: Any, text: Text) -> None:
        """Fill ``vector``: of a classifier the mean of the line's rows, else of its words' vectors.

        Those are divided by their length first, and words without a vector are left out.
        """
        line, content = encode(text), self.content
        if content.data.args.model == "supervised":
            vector[:] = content.predictor.hidden([line])[0]
            return
        vector[:] = content.vectors.sentence(line.partition(b"\n")[0].split())

    def getNN(self, word: Text, k: int, on_unicode_error: str) -> Predictions:
        """Pairs (cosine, word), nearest first."""
        key, content = encode(word), self.content
        content.check_file()
        return content.nearest(content.vectors.word(key), k, [key], on_unicode_error)

    def getAnalogies(
        self, word_a: str, word_b: str, word_c: str, k: int, on_unicode_error: str
    ) -> Predictions:
        """Pairs (cosine, word) nearest to A - B + C."""
        keys = [encode(word) for word in (word_a, word_b, word_c)]
        content = self.content
        content.check_file()
        a, b, c = (normalised(content.vectors.word(key)) for key in keys)
        return content.nearest(a - b + c, k, keys, on_unicode_error)

    # ---- lines

    def tokenize(self, text: Text) -> list[str]:
        """Words of a text; line breaks become `</s>`."""
        return [token.decode() for token in tokens_of(encode(text))]

    def getLine(self, text: Text, on_unicode_error: str) -> tuple[list[str], list[str]]:
        """Words and known labels of the first line."""
        words, labels = self.content.dictionary.words_and_labels(first_line(encode(text)))
        return decode_all(words, on_unicode_error), decode_all(labels, on_unicode_error)

    def multilineGetLine(
        self, lines: Iterable[Text], on_unicode_error: str
    ) -> tuple[list[list[str]], list[list[str]]]:
        """The same for many lines."""
        pairs = [self.getLine(line, on_unicode_error) for line in lines]
        return [words for words, _ in pairs], [labels for _, labels in pairs]

    def predict(self, text: Text, k: int, threshold: float, on_unicode_error: str) -> Predictions:
        """Pairs (probability, label) of the first line, best first."""
        line, content = encode(text), self.content
        ids, scores = content.predictor.predict_line(line, content.n_wanted(k), threshold, True)
        return list(zip(scores, content.names(ids, on_unicode_error), strict=True))

    def multilinePredict(
        self, lines: Sequence[Text], k: int, threshold: float, on_unicode_error: str
    ) -> tuple[list[list[str]], list[Floats]]:
        """Labels and probabilities for each of many lines, by all cores."""
        texts, content = [encode(line) for line in lines], self.content
        predictions = list(content.predictions(texts, k, threshold, resolve_workers(-1)))
        labels = [content.names(ids, on_unicode_error) for ids, _ in predictions]
        return labels, [scores for _, scores in predictions]

    # ---- evaluation

    def getMeter(self, path: str | os.PathLike[str], k: int, threshold: float = 0.0) -> Meter:
        """Predict every line of a file that has labels, and count what is right."""
        content = self.content
        predictor, dictionary = content.predictor, content.dictionary
        n_words = dictionary.n_words
        has_end = 0 <= dictionary.id_of(EOS.encode()) < n_words  # so that no line is without a row
        texts, true = [], []
        for text, tokens in _file_lines(path):
            labels = dictionary.known_labels(tokens)
            if labels and ((has_end and tokens[-1] == EOS.encode()) or predictor.line(text)[0]):
                texts.append(text)
                true.append([dictionary.id_of(label) - n_words for label in labels])
        predictions = list(content.predictions(texts, k, threshold, resolve_workers(-1)))
        found, scores = [ids for ids, _ in predictions], [values for _, values in predictions]
        return Meter(meters.Meter(true, found, scores, predictor.n_labels))

    def test(
        self, path: str | os.PathLike[str], k: int, threshold: float
    ) -> tuple[int, float, float]:
        """Lines, precision and recall."""
        meter = self.getMeter(path, k, threshold)
        return meter.nexamples(), meter.precision(), meter.recall()

    def testLabel(
        self, path: str | os.PathLike[str], k: int, threshold: float
    ) -> dict[str, dict[str, float]]:
        """Precision, recall and F1 of every label; NaN where there is nothing to divide by."""
        meter = self.getMeter(path, k, threshold)
        return {
            name: {
                "precision": meter.precision(i),
                "recall": meter.recall(i),
                "f1score": meter.f1Score(i),
            }
            for i, name in enumerate(self.getLabels("strict")[0])
        }

    # ---- size

    def quantize(
        self,
        input: Any,
        qout: bool,
        cutoff: int,
        retrain: bool,
        epoch: int,
        lr: float,
        thread: int,
        verbose: int,
        dsub: int,
        qnorm: bool,
    ) -> None:
        """Quantise the matrices, in place; ``cutoff`` keeps so many input rows.

        ``verbose`` 0 is that of the training before, shown on a terminal only.
        """
        args = replace(self._args, input=input, epoch=epoch, lr=lr, thread=thread)
        args.verbose = verbose or args.verbose

        def train(data: FastTextData) -> FastTextData:
            return retrained(data, args, log_of(args, verbose > 0))

        data = quantize(
            self.data,
            cutoff=cutoff,
            qnorm=qnorm,
            qout=qout,
            dsub=dsub,
            workers=thread,
            retrain=train if retrain else None,
        )
        self.use(data, self._args)


def _dense(matrix: Any) -> Floats:
    if isinstance(matrix, QuantizedMatrix):
        raise RuntimeError("Can't export quantized matrix")
    return np.asarray(matrix)


def _file_lines(path: str | os.PathLike[str]) -> Iterator[tuple[bytes, list[bytes]]]:
    """Lines as text and as tokens."""
    try:
        file = open(path, "rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise ValueError(f"Test file cannot be opened! {os.fsdecode(path)}") from error
    with file:
        for line in text_lines(file):
            if EOS.encode() not in line:
                yield line, tokens_of(line)
                continue
            for tokens in lines_of([line]):  # a word `</s>` ends a line, too
                yield b" ".join(tokens), tokens
