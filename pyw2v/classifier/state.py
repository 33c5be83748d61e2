"""What a fitted classifier is: the contents of a fastText file, and what is derived from them."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v import _matrices
from pyw2v._core.huffman import HuffmanTree
from pyw2v._core.lines import DROPPED, Lines, Rules
from pyw2v._core.matrix import SpreadRows, spread_copy
from pyw2v._core.ngrams import NgramHasher
from pyw2v._core.predictor import Predictor
from pyw2v._matrices.bucket_rows import BucketRows, Places
from pyw2v.classifier.labelled import Vocabulary
from pyw2v.io import fasttext_format
from pyw2v.io.fasttext_data import FastTextData
from pyw2v.io.streams import text_lines
from pyw2v.vectors import KeyedVectors

_MAGIC = b"\xba\x16\x4f\x2f"  # the first bytes of a fastText file


class ClassifierState:
    """A model: its data, and what is made from them when it is first needed.

    `indicator` says that labels come and go as a matrix of 0 and 1: they are its columns.
    """

    indicator = False  # for pickles that were made without it

    def __init__(
        self, data: FastTextData, label_prefix: str, integer_labels: bool, indicator: bool = False
    ) -> None:
        self.data = data
        self.label_prefix = label_prefix
        self.integer_labels = integer_labels
        self.indicator = indicator

    def __getstate__(self) -> dict[str, Any]:
        """What is made from the data is made again, not stored."""
        names = ("data", "label_prefix", "integer_labels", "indicator")
        return {name: getattr(self, name) for name in names}

    @property
    def labels_given(self) -> bool:
        """Whether there are labels, whose kind later ones must be of."""
        return bool(self.data.labels)

    @cached_property
    def rules(self) -> Rules:
        """How text becomes rows."""
        pruned, rows = self.data.pruned, self.data.input
        if pruned is not None:
            buckets, kept = pruned.astype(np.uint32).T
            return _rules(self.data, Places(buckets, kept, self.data.args.bucket, DROPPED))
        return _rules(self.data, rows.places if isinstance(rows, BucketRows) else None)

    @property
    def input_rows(self) -> Any:
        """The rows that text is made of by the rules."""
        rows = self.data.input
        return rows.values if isinstance(rows, BucketRows) else rows

    def spread(self, layout: SpreadRows) -> None:
        """Lay the matrices out for the core's training."""
        rows = self.data.input
        holders = [self.data, rows] if isinstance(rows, BucketRows) else [self.data]
        layout.spread([self.input_rows, self.data.output], holders)

    @cached_property
    def huffman(self) -> HuffmanTree | None:
        """The tree over the labels, for the loss "hs"."""
        if self.data.args.loss != "hs":
            return None
        return HuffmanTree.fasttext(np.ascontiguousarray(self.data.label_counts, np.int64))

    @cached_property
    def labels(self) -> list[str | int]:
        """The labels in the order of their rows, without the prefix."""
        prefix = self.label_prefix.encode()
        texts = [
            label.removeprefix(prefix).decode("utf-8", "surrogateescape")
            for label in self.data.labels
        ]
        return [int(text) for text in texts] if self.integer_labels else list(texts)

    @cached_property
    def columns(self) -> npt.NDArray[np.int64]:
        """The place of each label among the sorted ones."""
        ranked = sorted(range(len(self.labels)), key=self.labels.__getitem__)
        columns = np.empty(len(ranked), np.int64)
        columns[ranked] = np.arange(len(ranked))
        return columns

    @cached_property
    def classes(self) -> npt.NDArray[Any]:
        """The labels, sorted."""
        return np.array(sorted(self.labels), dtype=None if self.integer_labels else object)

    @cached_property
    def predictor(self) -> Predictor:
        """What predicts labels of text."""
        data = self.data
        output = data.output if isinstance(data.output, np.ndarray) else data.output.to_dense()
        return Predictor(
            rules=self.rules,
            label_prefix=self.label_prefix.encode(),
            words=data.words,
            labels=data.labels,
            input=self.input_rows,
            output=spread_copy(output),
            loss=data.args.loss,
            huffman=self.huffman,
        )

    def drop_predictor(self) -> None:
        """Have the predictor made anew when next needed: the matrices have changed."""
        self.__dict__.pop("predictor", None)

    @property
    def vocabulary(self) -> Vocabulary:
        """Words and labels with their counts."""
        data = self.data
        none = np.empty(0, np.int32)
        return Vocabulary(data.words, data.word_counts, data.labels, data.label_counts, none)

    def check_trainable(self) -> None:
        """Raise unless training can go on from here."""
        if self.data.is_quantized or self.data.pruned is not None:
            raise ValueError("a quantised or pruned model cannot be trained on")

    def copied(self) -> ClassifierState:
        """Return the same model on matrices of its own, to train while this one predicts."""
        data, dim = self.data, self.data.args.dim
        if data.is_quantized or not isinstance(data.output, np.ndarray):
            raise ValueError("a quantised model cannot be trained on")
        return self._with(
            input=_copied(data.input), output=_matrices.grown(data.output, len(data.output), dim)
        )

    def covering(
        self, lines: Lines, entries: npt.NDArray[np.int32], seed: int, workers: int
    ) -> ClassifierState:
        """Return a model with a row for each word and for all n-grams of these lines."""
        rows = self.data.input
        if not isinstance(rows, BucketRows):
            return self
        used = lines.used_buckets(_rules(self.data, None), entries, workers)
        return self._with(input=rows.grown(len(self.data.words), used, seed))

    def _with(self, **matrices: Any) -> ClassifierState:
        return self.with_data(self.data.replace(**matrices))

    def with_data(self, data: FastTextData) -> ClassifierState:
        """Return a model of other data whose labels are of the same kind."""
        return ClassifierState(data, self.label_prefix, self.integer_labels, self.indicator)

    def grown(self, vocabulary: Vocabulary, n_tokens: int, seed: int) -> ClassifierState:
        """Return a model with these words and labels, which start with those that there are."""
        old, args = self.data, self.data.args
        data = old.replace(
            words=vocabulary.words,
            word_counts=vocabulary.word_counts,
            labels=vocabulary.labels,
            label_counts=vocabulary.label_counts,
            n_tokens=old.n_tokens + n_tokens,
            input=_grown_input(old, len(vocabulary.words), seed),
        )
        state = self.with_data(data)
        if self.huffman is not None and state.huffman is not None:
            data.output = _matrices.grown_tree(old.output, self.huffman, state.huffman, args.dim)
        else:
            data.output = _matrices.grown(old.output, len(vocabulary.labels), args.dim)
        return state

    def set_word_rows(self, words: list[bytes], rows: npt.NDArray[np.float32]) -> None:
        """Give these words these rows; all of them are in the vocabulary."""
        ids = {word: i for i, word in enumerate(self.data.words)}
        self.input_rows[[ids[word] for word in words]] = rows

    def read_labelled(self, path: Any) -> tuple[list[bytes], list[list[str | int]]]:
        """Return the lines of a file that have labels, and these."""
        prefix = self.label_prefix.encode()
        texts: list[bytes] = []
        labels: list[list[str | int]] = []
        with open(path, "rb") as file:
            for number, line in enumerate(text_lines(file), 1):
                found = [token for token in line.split() if token.startswith(prefix)]
                if found:
                    names = [
                        t.removeprefix(prefix).decode("utf-8", "surrogateescape") for t in found
                    ]
                    try:
                        labels.append([int(n) if self.integer_labels else n for n in names])
                    except ValueError:
                        raise ValueError(
                            f"{path}, line {number}: labels must be integers, as those that the "
                            f"classifier knows, got {names}"
                        ) from None
                    texts.append(line)
        return texts, labels


def _rules(data: FastTextData, places: Places | None) -> Rules:
    args = data.args
    return Rules(
        n_words=len(data.words),
        hasher=NgramHasher(args.minn, args.maxn, args.bucket, args.word_ngrams),
        bucket_rows=None if places is None else places.table,
        kept=None if places is None else places.kept,
        absent=0 if places is None else places.absent,
    )


def _copied(rows: Any) -> Any:
    """Return the input rows in memory of their own, which can be trained."""
    if isinstance(rows, BucketRows):
        return rows.with_values(_copied(rows.values))
    return _matrices.grown(rows, *rows.shape)


def _grown_input(old: FastTextData, n_words: int, seed: int) -> Any:
    """Return the input rows with room for new words between the old ones and the buckets."""
    n_old, dim = len(old.words), old.args.dim
    if isinstance(old.input, BucketRows):
        grown = old.input.grown(n_words, np.empty(0, np.uint32), seed)
        return _copied(grown) if grown is old.input else grown
    if n_words == n_old:
        return _copied(old.input)
    rows = _matrices.uniform_rows(n_words + old.args.bucket, dim, seed)
    rows[:n_old] = old.input[:n_old]
    rows[n_words:] = old.input[n_old:]
    return rows


def pretrained_rows(source: Any, dim: int) -> tuple[list[bytes], npt.NDArray[np.float32]]:
    """Return words and vectors of KeyedVectors, or of a `.vec` or `.bin` file."""
    if isinstance(source, str | os.PathLike):
        words, rows = _read_vectors(source)
    elif isinstance(source, KeyedVectors):
        words = [str(key).encode("utf-8", "surrogateescape") for key in source.index_to_key]
        rows = source.vectors
    else:
        raise TypeError(
            "pretrained_vectors must be KeyedVectors or the path of a .vec or .bin file, got "
            f"{type(source).__name__}"
        )
    if rows.shape[1] != dim:
        raise ValueError(f"pretrained_vectors are {rows.shape[1]} numbers wide, dim is {dim}")
    first = list({word: i for i, word in reversed(list(enumerate(words)))}.items())
    keep = sorted(i for _, i in first)
    return [words[i] for i in keep], rows[keep]


def _read_vectors(path: Any) -> tuple[list[bytes], npt.NDArray[np.float32]]:
    with open(path, "rb") as file:
        magic = file.read(4)
    if magic != _MAGIC:
        kv = KeyedVectors.load_word2vec_format(path, binary=None, unicode_errors="surrogateescape")
        return [str(key).encode("utf-8", "surrogateescape") for key in kv.index_to_key], kv.vectors
    data = fasttext_format.read(path)
    if data.is_quantized:
        data = data.replace(input=data.input.to_dense())
    return data.words, _composed(data)


def _composed(data: FastTextData) -> npt.NDArray[np.float32]:
    """Return the vectors of the words: means of their own rows and their n-grams'."""
    args, n_words = data.args, len(data.words)
    if args.maxn <= 0 or args.bucket == 0 or data.pruned is not None:
        return np.array(data.input[:n_words])
    offsets, ids = NgramHasher(args.minn, args.maxn, args.bucket).table(data.words)
    rows = np.array(data.input[:n_words])
    for word in range(n_words):
        grams = ids[offsets[word] : offsets[word + 1]]
        if len(grams) and data.words[word] != b"</s>":
            rows[word] += data.input[n_words + grams.astype(np.int64)].sum(axis=0)
            rows[word] /= len(grams) + 1
    return rows
