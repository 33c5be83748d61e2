"""Sentences of every kind, counted and turned into numbers in one pass.

In: a file, or Python objects that hold sentences. Out: the distinct words in the order they were
first seen, their counts, and the corpus as int32 word ids with the ends of its sentences. Training
reads nothing else, so a one-shot generator is as good as a list. `sentences` has the classes for
files, `readers` what can be read, `vocab` which words are kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core.corpus import FileScanner, remap
from pyw2v._core.memory import Memory
from pyw2v._core.sentences import SentenceEncoder, positions
from pyw2v._core.words import Words
from pyw2v._shared.checks import check_int, resolve_workers
from pyw2v.corpus.readers import Progress, read_files, read_objects, text_files
from pyw2v.corpus.sentences import BrownCorpus, LineSentence, PathLineSentences, Text8Corpus

__all__ = [
    "BrownCorpus",
    "EncodedCorpus",
    "LineSentence",
    "PathLineSentences",
    "Scan",
    "Text8Corpus",
    "encode",
    "scan",
]


@dataclass
class EncodedCorpus:
    """A corpus as numbers.

    Parameters
    ----------
    tokens : ndarray of int32
        Word ids, one sentence after the other; in memory or in a mapped temporary file.
    ends : ndarray of int64
        Where each sentence ends in `tokens`. Sentences may be empty.
    n_raw_words : int
        Tokens read, before unknown words were dropped.
    n_raw_sentences : int
        Sentences read.
    """

    tokens: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    n_raw_words: int
    n_raw_sentences: int
    _memory: Memory | None = field(default=None, repr=False, compare=False)

    @property
    def spilled(self) -> bool:
        """Whether `tokens` lives in a temporary file."""
        return self._memory is not None and self._memory.spilled

    def close(self) -> None:
        """Let go of the arrays; memory and file are freed once nothing else refers to them."""
        self.tokens = np.empty(0, np.int32)
        self.ends = np.empty(0, np.int64)
        self._memory = None


@dataclass
class Scan:
    """What one pass over a corpus found.

    Parameters
    ----------
    words : sequence
        Distinct words, str or int, in the order they were first seen. Each is made when it is read.
    counts : ndarray of int64
        How often each occurs.
    corpus : EncodedCorpus
        The corpus; its ids are positions in `words`. Without tokens if they were not kept.
    """

    words: Words
    counts: npt.NDArray[np.int64]
    corpus: EncodedCorpus
    _workers: int = field(default=1, repr=False)
    _remapped: bool = field(default=False, repr=False)

    def remap(self, new_ids: npt.NDArray[np.int32]) -> EncodedCorpus:
        """Give each word a new id, or drop it, in place.

        Afterwards the ids are no longer positions in `words`, so this can be done once.

        Parameters
        ----------
        new_ids : ndarray of int32
            The new id of each word; -1 drops the word.

        Returns
        -------
        EncodedCorpus
            The corpus with the new ids.

        Raises
        ------
        RuntimeError
            If it was done before.
        ValueError
            If there is not one id for each word.
        """
        if self._remapped:
            raise RuntimeError("the corpus of this scan has already been remapped")
        ids = np.ascontiguousarray(new_ids, np.int32)
        if ids.shape != (len(self.words),):
            raise ValueError(
                f"new_ids must have one id for each of {len(self.words)} words, got shape "
                f"{ids.shape}"
            )
        self._remapped = True
        corpus = self.corpus
        n_tokens = remap(corpus.tokens, corpus.ends, ids, self._workers)
        corpus.tokens = corpus.tokens[:n_tokens]
        if corpus._memory is not None:
            corpus._memory.truncate(n_tokens * corpus.tokens.itemsize)
        return corpus


def scan(
    source: Any,
    *,
    workers: int = -1,
    max_memory: int | None = None,
    progress: Progress | None = None,
    keep_tokens: bool = True,
) -> Scan:
    """Count and encode a corpus in one pass.

    Parameters
    ----------
    source : object
        One of:

        - a `pathlib.Path`: a file with one sentence a line, plain or .gz, .bz2, .xz, .zst;
        - `LineSentence`, `PathLineSentences`, `Text8Corpus`;
        - any iterable of lists of words (str or int), also one that can be read only once;
        - a two-dimensional integer array, or a pair (values, offsets) of arrays: sentence i is
          ``values[offsets[i]:offsets[i + 1]]``;
        - a pandas, Arrow or polars column of lists.
    workers : int, default -1
        Threads that read plain files; 0 or less for all cores.
    max_memory : int, optional
        Bytes of encoded tokens to hold in memory; a larger corpus goes to a temporary file in the
        folder of `tempfile.gettempdir`. None is half of the memory that is available now.
    progress : callable, optional
        Called now and then with how much is done, how much there is (or None) and the unit.
    keep_tokens : bool, default True
        Whether to keep the corpus; False only counts.

    Returns
    -------
    Scan
        Words, counts and the encoded corpus.

    Raises
    ------
    TypeError
        If `source` is none of these; a plain str would be read letter by letter.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> from pyw2v.corpus import scan
    >>> found = scan([["a", "b", "a"], ["c"]])
    >>> list(found.words), found.counts.tolist()
    (['a', 'b', 'c'], [2, 1, 1])
    >>> found.corpus.tokens.tolist(), found.corpus.ends.tolist()
    ([0, 1, 0, 2], [3, 4])
    """
    workers = resolve_workers(workers)
    if isinstance(source, (str, bytes, bytearray)):
        raise TypeError(
            f"sentences must be an iterable of lists of words, got a plain {type(source).__name__}"
            "; for a file pass pathlib.Path(name) or LineSentence(name)"
        )
    budget = default_budget() if max_memory is None else check_int("max_memory", max_memory, 0)
    folder = tempfile.gettempdir()
    files = text_files(source)
    reader: FileScanner | SentenceEncoder
    if files is not None:
        reader = FileScanner(
            workers=workers, max_memory=budget, folder=folder, keep_tokens=keep_tokens
        )
        read_files(reader, files, progress)
    else:
        reader = SentenceEncoder(max_memory=budget, folder=folder, keep_tokens=keep_tokens)
        read_objects(reader, source, progress)
    words, counts, tokens, ends = reader.finish()
    corpus = EncodedCorpus(
        view(tokens, np.dtype(np.int32)),
        view(ends, np.dtype(np.int64)),
        n_raw_words=reader.n_words,
        n_raw_sentences=reader.n_sentences,
        _memory=tokens,
    )
    return Scan(words, np.frombuffer(counts, np.int64), corpus, workers)


def encode(
    source: Any,
    key_to_index: Mapping[Any, int],
    *,
    workers: int = -1,
    max_memory: int | None = None,
    progress: Progress | None = None,
) -> EncodedCorpus:
    """Encode a corpus with a known vocabulary; other words are dropped.

    Parameters
    ----------
    source : object
        What `scan` reads.
    key_to_index : mapping
        The id of each word.
    workers : int, default -1
        Threads; 0 or less for all cores.
    max_memory : int, optional
        Bytes of encoded tokens to hold in memory, as in `scan`.
    progress : callable, optional
        Called now and then, as by `scan`.

    Returns
    -------
    EncodedCorpus
        The corpus in the given ids.
    """
    found = scan(source, workers=workers, max_memory=max_memory, progress=progress)
    return found.remap(ids_in(key_to_index, found.words))


def ids_in(key_to_index: Mapping[Any, int], words: Words) -> npt.NDArray[np.int32]:
    """The id of each word, -1 where it has none."""
    # Lookups in a dict need a str of each word and miss the cache again and again. Building and
    # querying a table of the vocabulary takes a third of that time, unless the words are few.
    if len(words) * 2 > len(key_to_index):
        at = positions(words, list(key_to_index))
        if at is not None:
            ids = np.fromiter(key_to_index.values(), np.int32, len(key_to_index))
            return np.append(ids, np.int32(-1))[np.frombuffer(at, np.int32)]
    return np.fromiter((key_to_index.get(word, -1) for word in words), np.int32, len(words))


def view(memory: Memory, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """The bytes of `memory` as an array, which keeps it alive."""
    exporter: Any = memory  # no type for the buffer protocol before Python 3.12
    return np.frombuffer(exporter, dtype) if len(memory) else np.empty(0, dtype)


def default_budget() -> int:
    """Half of the memory that is free, or no limit where the system does not tell."""
    free = [2**63 - 1]
    try:
        meminfo = dict(line.split(":") for line in _lines("/proc/meminfo"))
        free.append(int(meminfo["MemAvailable"].split()[0]) * 1024)
    except (OSError, KeyError, ValueError):
        pass
    try:  # in a container; "max" when it has no limit
        group = "/sys/fs/cgroup/memory"
        free.append(int(_lines(f"{group}.max")[0]) - int(_lines(f"{group}.current")[0]))
    except (OSError, IndexError, ValueError):
        pass
    return max(0, min(free)) // 2


def _lines(path: str) -> list[str]:
    with open(path, encoding="ascii") as file:
        return file.read().splitlines()
