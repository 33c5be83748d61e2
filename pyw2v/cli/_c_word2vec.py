"""``pyw2v word2vec``: the flags, files and messages of word2vec.c, fast or to the last bit."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyw2v._core.word2vec_c import classes, fill_initial
from pyw2v.callbacks import Callbacks
from pyw2v.cli._c_flags import Flag, Program
from pyw2v.cli._common import UsageError, check_writable, not_written_if_interrupted
from pyw2v.io.atomic import atomic_write
from pyw2v.progress import Progress
from pyw2v.word2vec import Word2Vec
from pyw2v.word2vec import exact as c

_ALPHAS = {False: 0.025, True: 0.05}  # of skip-gram and of CBOW
_LINE_SECONDS = 0.1  # between two lines of progress

PROGRAM = Program(
    "pyw2v word2vec: the word vectors of word2vec.c, with its flags and files",
    (
        Flag("train", str, "text to train on, words separated by blanks, a sentence a line", ""),
        Flag("output", str, "where the word vectors, or classes, go", ""),
        Flag("size", int, "numbers per vector; default 100", 100),
        Flag("window", int, "farthest word of a context; default 5", 5),
        Flag("sample", float, "thin out words more frequent than this share; default 1e-3", 1e-3),
        Flag("hs", int, "1: hierarchical softmax; default 0", 0),
        Flag("negative", int, "negative samples, 0 for none; default 5", 5),
        Flag("threads", int, "threads; default 12, or 1 with --exact", None),
        Flag("iter", int, "passes over the text; default 5", 5),
        Flag("min-count", int, "rarer words are dropped; default 5", 5),
        Flag("alpha", float, "first learning rate; default 0.025 for skip-gram, 0.05 for CBOW"),
        Flag("classes", int, "write so many word classes instead of vectors; default 0", 0),
        Flag("debug", int, "how much to tell; default 2, 0 is least", 2),
        Flag("binary", int, "1: write vectors as binary numbers; default 0, text", 0),
        Flag("save-vocab", str, "write the vocabulary to this file", ""),
        Flag("read-vocab", str, "take the vocabulary from this file instead of the text", ""),
        Flag("cbow", int, "1: CBOW, 0: skip-gram; default 1", 1),
    ),
    "pyw2v word2vec -train data.txt -output vec.txt -size 200 -window 5 -sample 1e-4 -negative 5 "
    "-hs 0 -binary 0 -cbow 1 -iter 3",
    {
        "--exact": "the vectors of word2vec.c with one thread, bit for bit: slower, and of several "
        "passes it trains only the first"
    },
)


def main(argv: Sequence[str]) -> int:
    """Run the program and return its exit code."""
    if not argv:
        print(PROGRAM.usage())
        return 0
    flags = PROGRAM.read(argv)
    exact, debug = flags["--exact"], flags["debug"]
    _check(flags)
    print(f"Starting training using file {flags['train']}", flush=True)
    vocabulary = _vocabulary(flags)
    if debug > 0:
        print(f"Vocab size: {len(vocabulary.words)}")
        print(f"Words in train file: {int(vocabulary.counts.sum())}", flush=True)
    if flags["save-vocab"]:
        c.save_vocab(flags["save-vocab"], vocabulary)
    if not flags["output"]:
        return 0
    check_writable(flags["output"])
    model = _new_model(flags)
    c.adopt(model, vocabulary)
    model.init_weights()
    fill_initial(model.wv.vectors)
    if not exact:
        # Sentence ends are no words of a context here, so they should be no negative samples.
        model.wv.expandos["count"] = np.append(0, vocabulary.counts[1:])
    output = flags["output"]
    with not_written_if_interrupted(output):
        _train(model, flags, vocabulary)
        if flags["classes"] > 0:
            _save_classes(output, vocabulary, classes(model.wv.vectors, flags["classes"]))
        else:
            _save_vectors(output, vocabulary, model.wv.vectors, binary=bool(flags["binary"]))
    return 0


def _check(flags: dict[str, Any]) -> None:
    if not flags["train"]:
        raise UsageError("-train must name the text to train on")
    if flags["threads"] is None:
        flags["threads"] = 1 if flags["--exact"] else 12
    if flags["threads"] < 1:
        raise UsageError(f"-threads must be at least 1, got {flags['threads']}")
    if flags["--exact"] and flags["threads"] != 1:
        raise UsageError(
            f"--exact trains with one thread, since only then word2vec.c gives the same result "
            f"twice: -threads must be 1, got {flags['threads']}"
        )
    if flags["--exact"] and flags["iter"] > 1:
        print(
            f"pyw2v: note: of -iter {flags['iter']} only the first pass trains, as in word2vec.c "
            "with one thread; without --exact all do",
            file=sys.stderr,
        )
    if flags["classes"] < 0:
        raise UsageError(f"-classes must be at least 0, got {flags['classes']}")


def _new_model(flags: dict[str, Any]) -> Word2Vec:
    """Return a model without words, its settings checked."""
    alpha = _ALPHAS[bool(flags["cbow"])] if flags["alpha"] is None else flags["alpha"]
    return Word2Vec(
        vector_size=flags["size"],
        alpha=alpha,
        min_alpha=alpha * 0.0001,
        window=flags["window"],
        min_count=flags["min-count"],
        sample=max(0.0, flags["sample"]),
        sg=int(not flags["cbow"]),
        hs=int(bool(flags["hs"])),
        negative=max(0, flags["negative"]),
        epochs=flags["iter"],
        workers=flags["threads"],
        track_loss=False,
        engine=c.ExactEngine.name if flags["--exact"] else "fast",
    )


def _vocabulary(flags: dict[str, Any]) -> c.Vocabulary:
    exact = flags["--exact"]
    if flags["read-vocab"]:
        raw = c.read_vocab(flags["read-vocab"])
        # word2vec.c takes the first word of the file for the end of sentences, whatever it is.
        if not exact and raw.words[0] != c.SENTENCE_END:
            raw = c.with_sentence_end(raw.words, raw.counts, 0)
    else:
        report = _report_words if flags["debug"] > 1 else None
        raw = c.count_file(flags["train"], with_last_line=not exact, report=report)
    return c.arrange(raw, flags["min-count"])


def _report_words(_: int, n_words: int) -> None:
    if n_words >= 100_000:
        print(f"{n_words // 100_000 * 100}K", end="\r", flush=True)


def _train(model: Word2Vec, flags: dict[str, Any], vocabulary: c.Vocabulary) -> None:
    encoded = c.encode_file(flags["train"], vocabulary, exact=flags["--exact"])
    model.corpus_count = encoded.n_raw_sentences
    model.corpus_total_words = encoded.n_raw_words
    progress = AlphaLine(model) if flags["debug"] > 1 else Progress()
    try:
        record = model._new_run(encoded, encoded.n_raw_sentences, None)
        model._train_encoded(encoded, record, Callbacks(()), progress)
    finally:
        encoded.close()


class AlphaLine(Progress):
    """The line that word2vec.c shows while it trains."""

    def __init__(self, model: Word2Vec) -> None:
        self._model = model
        self._started = self._shown = time.monotonic()
        self._total = 1

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Start the clock."""
        self._started = time.monotonic()
        self._shown = self._started - _LINE_SECONDS
        self._total = total or 1

    def update(self, done: int, note: str = "") -> None:
        """Show the line, unless it was shown a moment ago."""
        now = time.monotonic()
        if now - self._shown < _LINE_SECONDS and done < self._total:
            return
        self._shown = now
        share = done / (self._total + 1)
        alpha = max(self._model.alpha * (1 - share), self._model.min_alpha)
        rate = done / max(now - self._started, 1e-6) / self._model.workers / 1000
        print(
            f"\rAlpha: {alpha:f}  Progress: {share * 100:.2f}%  Words/thread/sec: {rate:.2f}k  ",
            end="",
            flush=True,
        )


def _save_vectors(path: str, vocabulary: c.Vocabulary, rows: Any, *, binary: bool) -> None:
    n_rows, dim = rows.shape
    text = "%f " * dim
    with atomic_write(path) as file:
        file.write(b"%d %d\n" % (n_rows, dim))
        for word, row in zip(vocabulary.as_bytes(), rows, strict=True):
            values = (
                row.astype("<f4").tobytes() if binary else (text % tuple(row.tolist())).encode()
            )
            file.write(word + b" " + values + b"\n")


def _save_classes(path: str, vocabulary: c.Vocabulary, found: Any) -> None:
    with atomic_write(path) as file:
        for word, number in zip(vocabulary.as_bytes(), found.tolist(), strict=True):
            file.write(b"%b %d\n" % (word, number))
