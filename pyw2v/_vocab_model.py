"""A model before training: its settings, its vocabulary, and the weights that go with it.

Everything gensim's Word2Vec does up to train() and after it with the vocabulary: building, growing,
estimating, sharing. `pyw2v.word2vec` adds the constructor, the training and the files.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pyw2v import _outputs, _vocabulary, _weights, _word2vec_c, corpus, objectives
from pyw2v._checks import check_int
from pyw2v._core import memory
from pyw2v._core.word2vec_c import fill_initial
from pyw2v._old_names import renamed
from pyw2v._state import ModelState
from pyw2v._vocabulary import RawCounts
from pyw2v.objectives import SampledObjective
from pyw2v.progress import open_progress

TrimRule = Callable[[Any, int, int], int]
StrPath = str | os.PathLike[str]

# Python objects of one word: the str, its places in list and dict, count, threshold.
_BYTES_PER_WORD = 200
# One node of a Huffman path takes 5 bytes, and 20 nodes are common.
_BYTES_PER_PATH = 100


class VocabModel(ModelState):
    """The vocabulary half of Word2Vec."""

    @renamed(sentences="corpus_iterable")
    def build_vocab(
        self,
        corpus_iterable: Any = None,
        corpus_file: StrPath | None = None,
        update: bool = False,
        progress_per: int = 10000,
        keep_raw_vocab: bool = False,
        trim_rule: TrimRule | None = None,
        **kwargs: Any,
    ) -> None:
        """Count the words of a corpus, choose the vocabulary and set up the weights.

        `update=True` adds the new words to the vocabulary and keeps what was learnt. Further
        keywords go to `prepare_vocab`. Only counts are kept of the corpus, so a generator used up
        here is empty for `train`; give it to the constructor instead, which reads it once.
        """
        self._check_update(update)
        self._count_and_choose(
            one_source(corpus_iterable, corpus_file), update, keep_raw_vocab, trim_rule, **kwargs
        )
        self.prepare_weights(update=update)
        self.add_lifecycle_event("build_vocab", update=update, trim_rule=str(trim_rule))

    def _count_and_choose(
        self,
        source: Any,
        update: bool,
        keep_raw_vocab: bool,
        trim_rule: TrimRule | None,
        min_count: int | None = None,
        sample: float | None = None,
        dry_run: bool = False,
    ) -> None:
        """Do as scan_vocab and prepare_vocab, but make no dict of all words unless it is kept."""
        if _word2vec_c.is_exact(self):
            if update or trim_rule is not None or dry_run:
                _word2vec_c.refuse("update, trim_rule and dry_run")
            self.min_count = self.min_count if min_count is None else min_count
            self.sample = self.sample if sample is None else sample
            with open_progress(self.progress) as progress:
                _word2vec_c.build(self, source, progress)
            return
        scan = self._count(source)
        self.corpus_total_words = scan.corpus.n_raw_words
        self.corpus_count = scan.corpus.n_raw_sentences
        raw = RawCounts(scan.words, scan.counts)
        self.raw_vocab = raw.to_dict() if keep_raw_vocab or dry_run else {}
        self._choose(raw, update, trim_rule, min_count, sample, dry_run)

    def build_vocab_from_freq(
        self,
        word_freq: Mapping[Any, int] | Iterable[tuple[Any, int]],
        keep_raw_vocab: bool = False,
        corpus_count: int | None = None,
        trim_rule: TrimRule | None = None,
        update: bool = False,
    ) -> None:
        """Build the vocabulary from a mapping of words to how often they occur, or such pairs."""
        self._check_update(update)
        frequencies = RawCounts.from_dict(word_freq).to_dict()
        self.corpus_count = corpus_count or 0
        self.raw_vocab = frequencies
        self.prepare_vocab(update, keep_raw_vocab, trim_rule)
        self.corpus_total_words = sum(frequencies.values())
        self.prepare_weights(update=update)

    @renamed(sentences="corpus_iterable")
    def scan_vocab(
        self,
        corpus_iterable: Any = None,
        corpus_file: StrPath | None = None,
        progress_per: int = 10000,
        workers: int | None = None,
        trim_rule: TrimRule | None = None,
    ) -> tuple[int, int]:
        """Count the words of a corpus into `raw_vocab`; return its (words, sentences).

        Words are dropped later, by `prepare_vocab`; `trim_rule` has no effect here.
        """
        scan = self._count(one_source(corpus_iterable, corpus_file), workers)
        self.raw_vocab = RawCounts(scan.words, scan.counts).to_dict()
        return scan.corpus.n_raw_words, scan.corpus.n_raw_sentences

    def _count(self, source: Any, workers: int | None = None) -> corpus.Scan:
        with open_progress(self.progress) as progress:
            return corpus.scan(
                source,
                workers=self.workers if workers is None else workers,
                max_memory=self.max_memory,
                progress=progress,
                keep_tokens=False,
            )

    def prepare_vocab(
        self,
        update: bool = False,
        keep_raw_vocab: bool = False,
        trim_rule: TrimRule | None = None,
        min_count: int | None = None,
        sample: float | None = None,
        dry_run: bool = False,
    ) -> dict[str, int]:
        """Choose the vocabulary from `raw_vocab`; return how much of the corpus that keeps.

        `dry_run=True` only reports. As in gensim, 0 or None for `min_count` and `sample` mean the
        model's own, and other values replace those.
        """
        if self.raw_vocab is None:
            raise RuntimeError("there are no word counts yet: call scan_vocab() or build_vocab()")
        raw = RawCounts.from_dict(self.raw_vocab)
        report = self._choose(raw, update, trim_rule, min_count, sample, dry_run)
        if not dry_run and not keep_raw_vocab:
            self.raw_vocab = {}
        return report

    def _choose(
        self,
        raw: RawCounts,
        update: bool,
        trim_rule: TrimRule | None,
        min_count: int | None,
        sample: float | None,
        dry_run: bool,
    ) -> dict[str, int]:
        if _word2vec_c.is_exact(self):
            _word2vec_c.refuse("a vocabulary from given counts")
        chosen = _vocabulary.plan(
            raw, self, trim_rule, min_count or self.min_count, sample or self.sample
        )
        if not dry_run:
            self._apply_plan(raw, chosen, update)
        return chosen.report

    def _apply_plan(
        self, raw: RawCounts, chosen: _vocabulary.Plan, update: bool = False
    ) -> np.ndarray[Any, np.dtype[np.int32]]:
        """Make the planned vocabulary the model's; return the id of every raw word, -1 if none."""
        if update:
            if self._has_tree:
                self._huffman_tree()  # of the old counts: update_weights() moves its rows
            new_ids = _vocabulary.grow(self, raw, chosen)
        else:
            new_ids = _vocabulary.create(self, raw, chosen)
            self.min_count, self.sample = chosen.min_count, chosen.sample
        self.effective_min_count = chosen.effective_min_count
        report = chosen.report
        self.add_lifecycle_event(
            "prepare_vocab",
            msg=(
                f"effective_min_count={chosen.effective_min_count} retains "
                f"{report['num_retained_words']} unique words, drops {report['drop_unique']}, and "
                f"leaves a corpus of {report['retain_total']} words, of which about "
                f"{report['downsample_total']} remain after sampling"
            ),
            update=update,
        )
        return new_ids

    def add_null_word(self) -> None:
        """Add the word '\\0', which pads windows in some uses of gensim; it needs new weights."""
        if _vocabulary.NULL_WORD not in self.wv.key_to_index:
            self.wv.key_to_index[_vocabulary.NULL_WORD] = len(self.wv)
            self.wv.index_to_key.append(_vocabulary.NULL_WORD)
            self.wv.set_vecattr(_vocabulary.NULL_WORD, "count", 1)

    def prepare_weights(self, update: bool = False) -> None:
        """Set up the matrices for the vocabulary, new or grown."""
        if update:
            self.update_weights()
        else:
            self.init_weights()

    def init_weights(self) -> None:
        """Start all weights afresh: inputs uniform in ±1/vector_size, outputs zero."""
        n_words, dim = len(self.wv), self.vector_size
        self._forget_tables()
        memory.release_free_memory()  # of the dropped words, say, before the matrices need it
        self._make_inputs(keep=False)
        self.wv.norms = None
        self._check_noise()
        self.syn1 = _weights.zeros(n_words, dim) if self._has_tree else None
        self.syn1neg = _weights.zeros(n_words, dim) if self._has_word_rows else None
        self.syn1bias = np.zeros(n_words, np.float32) if self._has_bias else None
        self._log_z = np.zeros(1, np.float32)
        _outputs.start(self)

    def update_weights(self) -> None:
        """Keep the weights of the words there were, and start those of the new words.

        The inner nodes of the Huffman tree are no words: see `_weights.grown_tree` for how their
        rows move to the new tree.
        """
        n_old, n_words, dim = len(self.wv.vectors), len(self.wv), self.vector_size
        self._check_update(True)
        old_tree = self._huffman
        self._forget_tables()
        if n_words > n_old:
            self._make_inputs(keep=True)
            if self.syn1neg is not None:
                self.syn1neg = _weights.grown(self.syn1neg, n_words, dim)
            if self.syn1bias is not None:
                self.syn1bias = np.append(self.syn1bias, np.zeros(n_words - n_old, np.float32))
            _outputs.grow(self, n_old)
        self._check_noise()
        if self.syn1 is not None and self._has_tree and old_tree is not None:
            self.syn1 = _weights.grown_tree(self.syn1, old_tree, self._huffman_tree(), dim)
        self.wv.norms = None

    def _check_noise(self) -> None:
        """Raise a ValueError where the sampler does not fit the vocabulary."""
        objective = self._objective()
        if isinstance(objective, SampledObjective) and len(self.wv):
            objectives.check_words(objective, self.wv.expandos["count"], self.wv.index_to_key)

    def _make_inputs(self, keep: bool) -> None:
        """Give every word an input row, a random one to new words; `keep` the rows there are."""
        if _word2vec_c.is_exact(self):
            self.wv.vectors = _weights.zeros(len(self.wv), self.vector_size)
            fill_initial(self.wv.vectors)
            return
        prior = self.wv.vectors if keep else None
        self.wv.vectors = _weights.random_rows(len(self.wv), self.vector_size, self.seed, prior)

    def estimate_memory(
        self, vocab_size: int | None = None, report: dict[str, int] | None = None
    ) -> dict[str, int]:
        """Return about how many bytes each part of the model takes, and their total."""
        vocab_size = check_int("vocab_size", vocab_size or len(self.wv), minimum=0)
        report = dict(report or {})
        path_bytes = _BYTES_PER_PATH if self._has_tree else 0
        report["vocab"] = vocab_size * (_BYTES_PER_WORD + path_bytes)
        matrix_bytes = vocab_size * _weights.row_bytes(self.vector_size)
        report["vectors"] = matrix_bytes
        if self._has_tree:
            report["syn1"] = matrix_bytes
        if self._has_word_rows:
            report["syn1neg"] = matrix_bytes
        if self._has_bias:
            report["syn1bias"] = 4 * vocab_size
        report["total"] = sum(report.values())
        return report

    def reset_from(self, other_model: VocabModel) -> None:
        """Take the vocabulary of `other_model`, shared rather than copied, and fresh weights."""
        if not isinstance(other_model, VocabModel):
            raise TypeError(f"other_model must be a Word2Vec or FastText, got {other_model!r:.80}")
        self.wv = self._new_vectors()
        self.wv.index_to_key = other_model.wv.index_to_key
        self.wv.key_to_index = other_model.wv.key_to_index
        self.wv.expandos = dict(other_model.wv.expandos)
        self.corpus_count = other_model.corpus_count
        self.corpus_total_words = other_model.corpus_total_words
        self.effective_min_count = other_model.effective_min_count
        self.init_weights()

    def _check_update(self, update: bool) -> None:
        if update and not len(self.wv.vectors):
            raise RuntimeError(
                "there is no vocabulary to update yet: build one with update=False first"
            )


class NoCorpusFileError(FileNotFoundError, TypeError):
    """`corpus_file` names no file. (gensim reports this as a TypeError.)"""


def one_source(corpus_iterable: Any, corpus_file: StrPath | None) -> Any:
    """Return the one corpus given."""
    if (corpus_iterable is None) == (corpus_file is None):
        given = "neither" if corpus_file is None else "both"
        raise TypeError(f"give either an iterable of sentences or corpus_file, got {given}")
    if corpus_file is None:
        return corpus_iterable
    if not isinstance(corpus_file, str | os.PathLike):
        raise TypeError(f"corpus_file must be the path of a file, got {corpus_file!r}")
    path = Path(corpus_file)
    if not path.exists():
        raise NoCorpusFileError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    return path
