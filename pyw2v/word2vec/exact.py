"""The engine "word2vec.c", and vocabulary and corpus by its rules for the command line, too.

Files are read as bytes, as the C program reads them; words then become str, bytes that are no UTF-8
as surrogates, so that they can be written as they were. Other sources are taken as if each sentence
were a line.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pyw2v import _matrices, corpus
from pyw2v._core.matrix import SpreadRows
from pyw2v._core.runs import ExactRun, Run
from pyw2v._core.word2vec_c import Encoder, WordCounter, fill_initial
from pyw2v._runs.record import RunRecord
from pyw2v.corpus import EncodedCorpus, vocab
from pyw2v.io.atomic import atomic_write
from pyw2v.io.streams import StrPath, is_compressed, open_binary
from pyw2v.progress import Progress, open_progress
from pyw2v.word2vec.state import ModelState

if TYPE_CHECKING:
    from pyw2v.word2vec.build import VocabModel

SENTENCE_END = "</s>"

_PIECE_BYTES = 1 << 22
_ERRORS = "surrogateescape"

# Settings that the C program does not have, and the only value that it could be said to use.
_FIXED: dict[str, Any] = {
    "objective": None,
    "ns_exponent": 0.75,
    "cbow_mean": 1,
    "cbow_grad": "sum",
    "shrink_windows": True,
    "null_word": 0,
    "sorted_vocab": 1,
    "max_vocab_size": None,
    "max_final_vocab": None,
}


@dataclass
class Vocabulary:
    """Words and their counts. The first ends sentences; the others go by falling count."""

    words: list[Any]
    counts: npt.NDArray[np.int64]

    def as_bytes(self) -> list[bytes]:
        """The words as they stand in files."""
        return [str(word).encode("utf-8", _ERRORS) for word in self.words]


class ExactEngine:
    """Trains as word2vec.c does with one thread, bit for bit. See `engines.Engine`."""

    name = "word2vec.c"
    has_loss = False

    def check(self, model: ModelState) -> None:
        """Raise a ValueError for settings that the C program does not have."""
        for name, value in _FIXED.items():
            if getattr(model, name) != value:
                raise ValueError(
                    f'{name} must be {value!r} with engine="{self.name}", which has no such '
                    f"setting; got {getattr(model, name)!r}"
                )

    def need(self, feature: str) -> None:
        """Raise a ValueError: the C program has nothing of this kind."""
        raise ValueError(f'{feature} cannot be used with engine="{self.name}"')

    def build(
        self,
        model: VocabModel,
        source: Any,
        *,
        update: bool,
        keep_raw_vocab: bool,
        trim_rule: Any,
        min_count: int | None,
        sample: float | None,
        dry_run: bool,
        write: ExitStack,
    ) -> None:
        """Count as the C program does."""
        if update or trim_rule is not None or dry_run:
            self.need("update, trim_rule and dry_run")
        model.min_count = model.min_count if min_count is None else min_count
        model.sample = model.sample if sample is None else sample
        with open_progress(model.progress) as progress:
            build(model, source, progress)

    def build_and_encode(
        self, model: VocabModel, source: Any, trim_rule: Any, progress: Progress
    ) -> EncodedCorpus:
        """Read what is no file once only."""
        if trim_rule is not None:
            self.need("trim_rule")
        if isinstance(source, Path):
            build(model, source, progress)
            return self.encode(model, source, progress)
        scan = corpus.scan(source, workers=1, max_memory=model.max_memory, progress=progress)
        _adopt_scan(model, scan)
        return _with_breaks(scan.remap(corpus.ids_in(model.wv.key_to_index, scan.words)))

    def encode(self, model: VocabModel, source: Any, progress: Progress) -> EncodedCorpus:
        """Encode with the ends of sentences as tokens."""
        if isinstance(source, Path):
            words = Vocabulary(model.wv.index_to_key, np.empty(0, np.int64))
            report = _reporter(source, progress)
            return encode_file(
                source,
                words,
                exact=True,
                max_memory=model.max_memory,
                report=lambda n_bytes: report(n_bytes, 0),
            )
        encoded = corpus.encode(
            source,
            model.wv.key_to_index,
            workers=1,
            max_memory=model.max_memory,
            progress=progress,
        )
        return _with_breaks(encoded)

    def make_inputs(self, model: VocabModel, keep: bool) -> None:
        """Draw rows as the C program does."""
        model.wv.vectors = _matrices.zeros(len(model.wv), model.vector_size)
        fill_initial(model.wv.vectors)

    def spread(self, model: VocabModel, arrays: list[Any], layout: SpreadRows) -> None:
        """Leave the rows packed, as the C program has them."""

    def core_run(self, model: VocabModel, corpus: EncodedCorpus, record: RunRecord) -> Run:
        """Return a run of the model as its settings are now."""
        return ExactRun(
            tokens=corpus.tokens,
            counts=np.ascontiguousarray(model.wv.expandos["count"], dtype=np.int64),
            syn0=model.wv.vectors,
            syn1=model.syn1 if model.hs else None,
            syn1neg=model.syn1neg if model.negative else None,
            cbow=not model.sg,
            negative=model.negative,
            window=model.window,
            epochs=model.epochs,
            alpha=float(model.alpha),
            sample=float(model.sample),
        )


def count_file(
    path: StrPath,
    *,
    with_last_line: bool = False,
    report: Callable[[int, int], object] | None = None,
) -> Vocabulary:
    """Count the words of a file, in order of first sight behind "</s>".

    `report` is called with the bytes and words read so far.
    """
    counter = WordCounter()
    _read(path, counter, lambda n_bytes: report and report(n_bytes, counter.n_tokens))
    if with_last_line:
        counter.finish_last_line()
    words, counts = counter.result()
    return Vocabulary([word.decode("utf-8", _ERRORS) for word in words], counts)


def arrange(raw: Vocabulary, min_count: int) -> Vocabulary:
    """Drop rare words, except the first, and sort the others; equals stay in their order."""
    rest = np.flatnonzero(raw.counts[1:] >= min_count) + 1
    order = np.append(0, rest[np.argsort(-raw.counts[rest], kind="stable")])
    return Vocabulary([raw.words[i] for i in order.tolist()], raw.counts[order])


def read_vocab(path: StrPath) -> Vocabulary:
    """Read a vocabulary file, a word and its count a line, as it stands."""
    words, counts = [], []
    with open_binary(path) as file:
        for number, line in enumerate(file, 1):
            parts = line.replace(b"\r", b"").replace(b"\t", b" ").strip(b" \n").split(b" ")
            if parts == [b""]:
                continue
            # More digits may be more than 64 bits hold.
            if len(parts) != 2 or not parts[1].isdigit() or len(parts[1]) > 18:
                raise ValueError(
                    f"{os.fspath(path)}, line {number}: a vocabulary file has a word and its count "
                    f"a line, got {line.rstrip().decode('utf-8', 'backslashreplace')!r}"
                )
            words.append(parts[0].decode("utf-8", _ERRORS))
            counts.append(int(parts[1]))
    if not words:
        raise ValueError(f"{os.fspath(path)} holds no words")
    return Vocabulary(words, np.array(counts, np.int64))


def save_vocab(path: StrPath, vocabulary: Vocabulary) -> None:
    """Write a vocabulary file."""
    with atomic_write(path) as file:
        for word, count in zip(vocabulary.as_bytes(), vocabulary.counts.tolist(), strict=True):
            file.write(b"%b %d\n" % (word, count))


def encode_file(
    path: StrPath,
    vocabulary: Vocabulary,
    *,
    exact: bool,
    max_memory: int | None = None,
    report: Callable[[int], object] | None = None,
) -> EncodedCorpus:
    """Encode a file. Only the exact engine wants sentence ends as tokens, and lost last lines."""
    encoder = Encoder(
        vocabulary.as_bytes(),
        keep_breaks=exact,
        max_memory=corpus.default_budget() if max_memory is None else max_memory,
        folder=tempfile.gettempdir(),
    )
    _read(path, encoder, report)
    tokens, ends = encoder.finish(with_last_line=not exact)
    return EncodedCorpus(
        corpus.view(tokens, np.dtype(np.int32)),
        corpus.view(ends, np.dtype(np.int64)),
        n_raw_words=encoder.n_words,
        n_raw_sentences=encoder.n_sentences,
        _memory=tokens,
    )


def _read(path: StrPath, reader: Any, report: Callable[[int], object] | None) -> None:
    done = 0
    with open_binary(path) as file:
        while piece := file.read(_PIECE_BYTES):
            reader.add(piece)
            done += len(piece)
            if report is not None:
                report(done)


def adopt(model: ModelState, vocabulary: Vocabulary) -> None:
    """Give a model a vocabulary."""
    words, counts = vocabulary.words, vocabulary.counts
    model.wv.index_to_key = words
    # The first of equal words, which a vocabulary file may hold, is the one that is found.
    model.wv.key_to_index = {word: len(words) - 1 - i for i, word in enumerate(reversed(words))}
    thresholds = vocab.keep_thresholds(counts, model.sample)
    model.wv.expandos = {"count": counts, "sample_int": thresholds}
    model.effective_min_count = model.min_count


def build(model: ModelState, source: Any, progress: Progress | None) -> None:
    """Count a corpus and give the model the vocabulary that word2vec.c makes of it."""
    if not isinstance(source, Path):
        scan = corpus.scan(source, workers=1, progress=progress, keep_tokens=False)
        _adopt_scan(model, scan)
        return
    found = count_file(source, report=_reporter(source, progress))
    model.corpus_total_words = int(found.counts[1:].sum())
    model.corpus_count = int(found.counts[0])
    adopt(model, arrange(found, model.min_count))


def _adopt_scan(model: ModelState, scan: corpus.Scan) -> None:
    model.corpus_total_words = scan.corpus.n_raw_words
    model.corpus_count = scan.corpus.n_raw_sentences
    found = with_sentence_end(list(scan.words), scan.counts, model.corpus_count)
    adopt(model, arrange(found, model.min_count))


def with_sentence_end(
    words: list[Any], counts: npt.NDArray[np.int64], n_sentences: int
) -> Vocabulary:
    """Put "</s>" before all words; it may be among them already."""
    keys = [SENTENCE_END, *words]
    numbers = np.append(n_sentences, counts).astype(np.int64)
    if SENTENCE_END in words:
        at = words.index(SENTENCE_END) + 1
        numbers[0] += numbers[at]
        del keys[at]
        numbers = np.delete(numbers, at)
    return Vocabulary(keys, numbers)


def _with_breaks(encoded: EncodedCorpus) -> EncodedCorpus:
    """Put word 0 at the end of every sentence."""
    encoded.tokens = np.insert(encoded.tokens, encoded.ends, np.int32(0))
    encoded.ends = encoded.ends + np.arange(1, len(encoded.ends) + 1)
    return encoded


def _reporter(path: Path, progress: Progress | None) -> Callable[[int, int], None]:
    total = None if is_compressed(path) else os.path.getsize(path)

    def report(n_bytes: int, _: int) -> None:
        if progress is not None:
            progress(n_bytes, total, "B")

    return report
