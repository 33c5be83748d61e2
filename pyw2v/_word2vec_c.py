"""Vocabulary and corpus by the rules of word2vec.c, for `engine="word2vec.c"` and its command line.

Files are read as bytes, as the C program reads them; words then become str, bytes that are no UTF-8
as surrogates, so that they can be written as they were. Other sources are taken as if each sentence
were a line.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v import corpus, vocab
from pyw2v._core.word2vec_c import Encoder, WordCounter
from pyw2v._readers import Progress
from pyw2v._state import ModelState
from pyw2v.corpus import EncodedCorpus
from pyw2v.io.atomic import atomic_write
from pyw2v.io.streams import StrPath, is_compressed, open_binary

ENGINE = "word2vec.c"
ENGINES = ("fast", ENGINE)
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


def is_exact(model: ModelState) -> bool:
    """Whether a model is trained as word2vec.c does."""
    return model.engine == ENGINE


def check_engine(model: ModelState) -> None:
    """Raise ValueError for an unknown engine, or settings that it does not have."""
    if model.engine not in ENGINES:
        raise ValueError(f'engine must be "fast" or "{ENGINE}", got {model.engine!r}')
    if not is_exact(model):
        return
    for name, value in _FIXED.items():
        if getattr(model, name) != value:
            raise ValueError(
                f'{name} must be {value!r} with engine="{ENGINE}", which has no such setting; got '
                f"{getattr(model, name)!r}"
            )


def refuse(what: str) -> None:
    """Raise ValueError: the C program has nothing of this kind."""
    raise ValueError(f'{what} cannot be used with engine="{ENGINE}"')


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
            if len(parts) != 2 or not parts[1].isdigit():
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


def build_and_encode(model: ModelState, source: Any, progress: Progress | None) -> EncodedCorpus:
    """Do as `build` and `encode`, but read what is no file once only."""
    if isinstance(source, Path):
        build(model, source, progress)
        return encode(model, source, progress)
    scan = corpus.scan(source, workers=1, max_memory=model.max_memory, progress=progress)
    _adopt_scan(model, scan)
    return _with_breaks(scan.remap(corpus.ids_in(model.wv.key_to_index, scan.words)))


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


def encode(model: ModelState, source: Any, progress: Progress | None) -> EncodedCorpus:
    """Encode a corpus for the exact engine."""
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
