"""From fastText's settings to a trained model: the classifier's engine, or that of words.

Unsupervised training follows fastText's laws: `</s>` is a word that ends every line, noise words
are drawn by the square root of their counts, words are dropped by their share of all tokens, and
the learning rate falls to 0. Rare words count as part of an epoch, but not as read: so fastText
goes through the text more often than `epoch` says, and so does this.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v import _matrices
from pyw2v._core.corpus import remap
from pyw2v._core.full_output import FullOutput
from pyw2v._core.huffman import HuffmanTree
from pyw2v._core.matrix import SpreadRows
from pyw2v._core.ngrams import NgramHasher
from pyw2v._core.runs import WordRun
from pyw2v._core.sampler import unigram_weights
from pyw2v._core.word_model import WordModel
from pyw2v._matrices.bucket_rows import BucketRows
from pyw2v._runs.epochs import run_epoch
from pyw2v._runs.examples import mean_loss
from pyw2v._runs.interrupt import handing_over
from pyw2v._shared.checks import check_float, check_int
from pyw2v.classifier import TextClassifier, labelled, schedule
from pyw2v.classifier.labelled import LabelKind, Vocabulary
from pyw2v.classifier.state import pretrained_rows
from pyw2v.fasttext._arguments import Arguments, loss_name
from pyw2v.io.fasttext_data import FastTextData
from pyw2v.progress import Progress
from pyw2v.vectors import ngrams as _subwords

_NS_EXPONENT = 0.5
_MAX_LINE = 1025  # tokens after which fastText starts a new line
_KEEP_ALL = 2**32 - 1
_NO_WORDS = "Empty vocabulary. Try a smaller -minCount value."


def train_supervised(args: Arguments, show: Progress) -> FastTextData:
    """Train a classifier on a file, on lines with their labels inside, or on a pair (X, y)."""
    X, y = labelled_input(args.input)
    model = classifier(args, progress=show)
    try:
        with schedule.no_warning():  # fastText has none: its log tells the loss
            model.fit(X, y)
    except FloatingPointError as error:
        raise RuntimeError(f"Encountered NaN. ({error})") from error
    return model.data.replace(args=args.to_file())


def classifier(args: Arguments, **settings: Any) -> TextClassifier:
    """Return an untrained classifier with these settings."""
    return TextClassifier(
        dim=args.dim,
        lr=args.lr,
        epochs=args.epoch,
        loss=args.loss.name,
        word_ngrams=max(args.wordNgrams, 1),
        min_count=max(args.minCount, 0),
        min_count_label=max(args.minCountLabel, 0),
        min_n=max(args.minn, 0),
        max_n=max(args.maxn, 0),
        bucket=args.bucket,
        negative=args.neg,
        label_prefix=args.label,
        pretrained_vectors=_checked_vectors(args.pretrainedVectors) or None,
        workers=args.thread,
        seed=args.seed,
        **settings,
    )


def train_unsupervised(args: Arguments, show: Progress) -> FastTextData:
    """Train word vectors on a file or on lines."""
    _check(args)
    with show as progress:
        lines = labelled.encode(
            _checked_path(args.input),
            None,
            args.label,
            LabelKind(),
            lambda done, total: progress(done, total, "bytes"),
        )
        progress.close()
        vocabulary = labelled.count(lines, args.minCount, args.minCountLabel)
        words: list[bytes] = []
        rows = np.empty((0, args.dim), np.float32)
        if args.pretrainedVectors:
            words, rows = pretrained_rows(_checked_vectors(args.pretrainedVectors), args.dim)
            vocabulary = labelled.with_words(lines, vocabulary, words)
        if not vocabulary.words:
            raise ValueError(_NO_WORDS)
        counted = {"words": len(vocabulary.words), "labels": len(vocabulary.labels)}
        progress.tell(tokens=lines.n_tokens, **counted)
        data, subwords = _untrained(args, vocabulary, lines.n_tokens)
        if words:
            ids = {word: i for i, word in enumerate(data.words)}
            data.input.values[[ids[word] for word in words]] = rows
        tokens, ends = np.array(lines.tokens), np.array(lines.ends)
        n_left = remap(tokens, ends, np.maximum(vocabulary.entries, -1), args.thread)
        with handing_over(data), SpreadRows() as layout:
            layout.spread([data.input.values, data.output], [data, data.input])
            _train_words(args, data, subwords, tokens[:n_left], _short_lines(ends), progress)
    return data


def _check(args: Arguments) -> None:
    for name in ("dim", "ws"):
        check_int(name, getattr(args, name), minimum=1)
    for name in ("epoch", "bucket"):
        check_int(name, getattr(args, name), minimum=0)
    check_float("lr", args.lr, minimum=0.0)
    if args.loss == loss_name.ns:
        check_int("neg", args.neg, minimum=1)
    if args.maxn > 0 and args.bucket == 0:
        raise ValueError("n-grams need buckets: bucket must be at least 1, got 0")


def _checked_path(source: Any) -> Any:
    """Return the source; of a file that cannot be read, raise as fastText does."""
    if isinstance(source, str | os.PathLike):
        if source == "-":
            raise ValueError("Cannot use stdin for training!")
        if not os.access(source, os.R_OK) or os.path.isdir(source):
            raise ValueError(f"{os.fsdecode(source)} cannot be opened for training!")
    return source


def _checked_vectors(source: Any) -> Any:
    """Return the vectors, or the path of them; that of no file raises as fastText does."""
    if isinstance(source, str | os.PathLike) and source and not os.access(source, os.R_OK):
        raise ValueError(f"{os.fsdecode(source)} cannot be opened for loading!")
    return source


def labelled_input(source: Any) -> tuple[Any, Any]:
    """A pair is texts and labels, anything else texts with the labels inside."""
    if isinstance(source, tuple) and len(source) == 2 and not isinstance(source[0], str | bytes):
        return source
    return _checked_path(source), None


def _untrained(
    args: Arguments, vocabulary: Vocabulary, n_tokens: int
) -> tuple[FastTextData, _subwords.Table]:
    """Return the model to be trained, and the rows of its words' n-grams."""
    words, n_words = vocabulary.words, len(vocabulary.words)
    offsets, ids = _subwords.ngram_table(words, NgramHasher(args.minn, args.maxn, args.bucket))
    rows = BucketRows.none(args.bucket, args.dim).grown(n_words, ids, args.seed)
    data = FastTextData(
        args=args.to_file(),
        words=vocabulary.words,
        word_counts=vocabulary.word_counts,
        labels=vocabulary.labels,
        label_counts=vocabulary.label_counts,
        n_tokens=n_tokens,
        input=rows,
        output=_matrices.zeros(n_words, args.dim),
    )
    return data, (offsets, rows.at(ids))


def _short_lines(ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the ends with further ones where lines are longer than fastText's."""
    lengths = np.diff(ends, prepend=0)
    if lengths.max(initial=0) <= _MAX_LINE:
        return ends
    parts = [
        np.arange(end - length, end, _MAX_LINE)[1:]
        for end, length in zip(ends, lengths, strict=True)
        if length > _MAX_LINE
    ]
    return np.sort(np.concatenate([ends, *parts]))


def _train_words(
    args: Arguments,
    data: FastTextData,
    subwords: _subwords.Table,
    tokens: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int64],
    progress: Progress,
) -> None:
    """Train the words of `data`, whose matrices are spread."""
    if args.epoch == 0 or not len(tokens):
        return
    n_read = len(tokens) + int(np.sum(data.label_counts))  # in one pass, by fastText's count
    n_all = args.epoch * data.n_tokens * len(tokens) // n_read
    model = _word_model(args, data, subwords, progress)
    run_on = functools.partial(
        WordRun,
        model,
        lr_start=float(args.lr),
        lr_end=0.0,
        epochs=n_all / len(tokens),
        total_tokens=float(len(tokens)),
        seed=args.seed,
        workers=args.thread,
    )
    progress.begin("train", n_all, "words")

    def show(done: int) -> None:
        epoch = min(int(args.epoch * done / n_all) + 1, args.epoch)
        progress.update(done, f"epoch {epoch}/{args.epoch}")

    def poll() -> None:
        show(epoch * len(tokens) + run.n_done)

    for epochs, part in _passes(n_all, ends):
        run = run_on(tokens=tokens[: part[-1]], ends=part)
        for epoch in epochs:
            try:
                result = run_epoch(run, epoch, poll)
            except FloatingPointError as error:
                raise RuntimeError(f"Encountered NaN. ({error})") from error
            progress.tell(loss=mean_loss(result.loss, result.examples))
            show(epoch * len(tokens) + int(part[-1]))


def _word_model(
    args: Arguments, data: FastTextData, subwords: Any, progress: Progress
) -> WordModel:
    """Return what the core trains of `data`."""
    n_words = len(data.words)
    hierarchical = args.loss == loss_name.hs
    # One matrix, as in the file: the rows of words, then those of buckets.
    rows = data.input.values
    ngrams: dict[str, Any] = {}
    if len(subwords[1]):
        ngrams = {"subwords": subwords, "input_ngrams": rows[n_words:]}
    drawn = args.loss == loss_name.ns
    counts = np.maximum(data.word_counts, 1)
    return WordModel(
        keep=_keep(data),
        input=rows[:n_words],
        output_ns=data.output if drawn else None,
        negative=args.neg if drawn else 0,
        noise_weights=unigram_weights(counts, _NS_EXPONENT) if drawn else None,
        output_hs=data.output if hierarchical else None,
        huffman=_huffman(data.word_counts) if hierarchical else None,
        full=_over_all_words(args, data),
        sg=args.model == "skipgram",
        window=args.ws,
        shrink_windows=True,
        average_context=True,
        average_gradient=False,
        track_loss=type(progress) is not Progress,  # it takes time, and nobody else sees it
        **ngrams,
    )


def _passes(
    n_tokens: int, ends: npt.NDArray[np.int64]
) -> Iterator[tuple[range, npt.NDArray[np.int64]]]:
    """So many tokens: whole passes through the lines, told by their ends, then the first lines."""
    whole, rest = divmod(n_tokens, int(ends[-1]))
    yield range(whole), ends
    if rest:
        yield range(whole, whole + 1), ends[: int(np.searchsorted(ends, rest)) + 1]


def _over_all_words(args: Arguments, data: FastTextData) -> FullOutput | None:
    """Return the output of a loss over every word: softmax, or one against all others.

    fastText's "ova" takes all words of the line for right, wherever they stand; this one takes
    those of the window, one at a time, as the other losses do.
    """
    if args.loss == loss_name.softmax:
        return FullOutput("softmax", data.output)
    if args.loss != loss_name.ova:
        return None
    # Biases that know how rare words are, as Word2Vec has: without them the errors of all words
    # add up, and training diverges. A file has no place for them, and vectors need none.
    share = np.maximum(data.word_counts, 1) / max(data.word_counts.sum(), 1)
    bias = np.log(share / np.maximum(1 - share, 1e-6)).astype(np.float32)
    return FullOutput("logistic", data.output, word_bias=bias)


def _keep(data: FastTextData) -> npt.NDArray[np.uint32] | None:
    """Return how likely each word is kept, sqrt(t/f) + t/f of its share f, as 32-bit thresholds."""
    share = data.args.t * data.n_tokens / np.maximum(data.word_counts, 1)
    likely = np.minimum(np.sqrt(share) + share, 1.0)
    return (likely * _KEEP_ALL).astype(np.uint32)


def _huffman(counts: npt.NDArray[np.int64]) -> HuffmanTree:
    """Return fastText's tree for an engine in which bit 0, not bit 1, means yes."""
    tree = HuffmanTree.fasttext(np.ascontiguousarray(counts, np.int64))
    return HuffmanTree.from_paths(tree.offsets, (1 - tree.codes).astype(np.uint8), tree.points)


def retrained(data: FastTextData, args: Arguments, show: Progress) -> FastTextData:
    """Train the rows that pruning left, on ``args.input``; `data` stays as it is."""
    model = TextClassifier.from_data(
        data,
        args.label,
        lr=args.lr,
        epochs=args.epoch,
        workers=args.thread,
        seed=args.seed,
        progress=show,
    )
    try:
        return model.retrain(*labelled_input(args.input)).data
    except FloatingPointError as error:
        raise RuntimeError(f"Encountered NaN. ({error})") from error
