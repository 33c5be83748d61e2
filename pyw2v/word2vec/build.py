"""A model before training: its settings, its vocabulary, and the weights that go with it.

Everything gensim's Word2Vec does up to train() and after it with the vocabulary: building, growing,
estimating, sharing. `pyw2v.word2vec` adds the constructor, the training and the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np

from pyw2v import _matrices, corpus, objectives
from pyw2v._core import memory
from pyw2v._shared.checks import check_int
from pyw2v._shared.old_names import renamed
from pyw2v.corpus.readers import one_source
from pyw2v.io.streams import StrPath
from pyw2v.objectives import SampledObjective
from pyw2v.progress import open_progress
from pyw2v.word2vec import outputs, vocabulary
from pyw2v.word2vec.engines import Engine, engine_named
from pyw2v.word2vec.state import ModelState
from pyw2v.word2vec.vocabulary import RawCounts

TrimRule = Callable[[Any, int, int], int]

# Python objects of one word: the str, its places in list and dict, count, threshold.
_BYTES_PER_WORD = 200
# One node of a Huffman path takes 5 bytes, and 20 nodes are common.
_BYTES_PER_PATH = 100


class VocabModel(ModelState):
    """The vocabulary half of Word2Vec."""

    @property
    def _engine(self) -> Engine:
        """Who builds, encodes and trains."""
        return engine_named(self.engine)

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

        Only counts are kept of the corpus, so a generator used up here is empty for `train`; give
        it to the constructor instead, which reads it once.

        Parameters
        ----------
        corpus_iterable : object, optional
            The corpus, as `sentences` of the constructor.
        corpus_file : str or os.PathLike, optional
            A file instead, one sentence a line.
        update : bool, default False
            Whether to add the new words to the vocabulary and keep what was learnt.
        progress_per : int, default 10000
            Accepted for gensim; has no effect.
        keep_raw_vocab : bool, default False
            Whether to keep the counts of all words in `raw_vocab`.
        trim_rule : callable, optional
            Decides word by word, see `pyw2v.vocab.keep_word`.
        **kwargs : object
            `min_count`, `sample` and `dry_run` of `prepare_vocab`.

        Raises
        ------
        RuntimeError
            If `update` is set and there is no vocabulary, or no word is left.
        TypeError
            If there is not one corpus.
        """
        self._check_update(update)
        source = one_source(corpus_iterable, corpus_file)
        with ExitStack() as write:  # so that queries see the words and their rows at once
            self._count_and_choose(source, update, keep_raw_vocab, trim_rule, write=write, **kwargs)
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
        *,
        write: ExitStack,
    ) -> None:
        self._engine.build(
            self,
            source,
            update=update,
            keep_raw_vocab=keep_raw_vocab,
            trim_rule=trim_rule,
            min_count=min_count,
            sample=sample,
            dry_run=dry_run,
            write=write,
        )

    def build_vocab_from_freq(
        self,
        word_freq: Mapping[Any, int] | Iterable[tuple[Any, int]],
        keep_raw_vocab: bool = False,
        corpus_count: int | None = None,
        trim_rule: TrimRule | None = None,
        update: bool = False,
    ) -> None:
        """Build the vocabulary from given counts.

        Parameters
        ----------
        word_freq : mapping or iterable of tuple
            The count of each word.
        keep_raw_vocab : bool, default False
            Whether to keep the counts in `raw_vocab`.
        corpus_count : int, optional
            Number of sentences, for `train`.
        trim_rule : callable, optional
            Decides word by word, see `pyw2v.vocab.keep_word`.
        update : bool, default False
            Whether to add the new words to the vocabulary and keep what was learnt.

        Raises
        ------
        RuntimeError
            If `update` is set and there is no vocabulary, or no word is left.
        """
        self._check_update(update)
        frequencies = RawCounts.from_dict(word_freq).to_dict()
        self.corpus_count = corpus_count or 0
        self.raw_vocab = frequencies
        with self.wv._guard:
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
        """Count the words of a corpus into `raw_vocab`.

        Parameters
        ----------
        corpus_iterable : object, optional
            The corpus, as `sentences` of the constructor.
        corpus_file : str or os.PathLike, optional
            A file instead, one sentence a line.
        progress_per : int, default 10000
            Accepted for gensim; has no effect.
        workers : int, optional
            Threads; the model's own by default.
        trim_rule : callable, optional
            Has no effect here: words are dropped by `prepare_vocab`.

        Returns
        -------
        words : int
            Words of the corpus.
        sentences : int
            Sentences of the corpus.
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
        """Choose the vocabulary from `raw_vocab`.

        Parameters
        ----------
        update : bool, default False
            Whether to add the new words to the vocabulary.
        keep_raw_vocab : bool, default False
            Whether to keep the counts of all words in `raw_vocab`.
        trim_rule : callable, optional
            Decides word by word, see `pyw2v.vocab.keep_word`.
        min_count : int, optional
            Replaces the model's own; 0 or None keeps it, as in gensim.
        sample : float, optional
            Replaces the model's own; 0 or None keeps it, as in gensim.
        dry_run : bool, default False
            Whether to report only.

        Returns
        -------
        dict of str to int
            How many words are kept and dropped, and how much of the corpus that leaves.

        Raises
        ------
        RuntimeError
            If no words have been counted, or no word is left.
        """
        self._engine.need("a vocabulary from given counts")
        if self.raw_vocab is None:
            raise RuntimeError("there are no word counts yet: call scan_vocab() or build_vocab()")
        raw = RawCounts.from_dict(self.raw_vocab)
        with ExitStack() as write:
            report = self._choose(raw, update, trim_rule, min_count, sample, dry_run, write)
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
        write: ExitStack,
    ) -> dict[str, int]:
        chosen = vocabulary.plan(
            raw, self, trim_rule, min_count or self.min_count, sample or self.sample
        )
        if not dry_run:
            write.enter_context(self.wv._guard)
            self._apply_plan(raw, chosen, update)
        return chosen.report

    def _apply_plan(
        self, raw: RawCounts, chosen: vocabulary.Plan, update: bool = False
    ) -> np.ndarray[Any, np.dtype[np.int32]]:
        """Make the planned vocabulary the model's; return the id of every raw word, -1 if none."""
        if update:
            if self._has_tree:
                self._huffman_tree()  # of the old counts: update_weights() moves its rows
            new_ids = vocabulary.grow(self, raw, chosen)
        else:
            new_ids = vocabulary.create(self, raw, chosen)
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
        r"""Add the word ``"\0"``, which pads windows in some uses of gensim.

        The weights must be made anew afterwards.
        """
        if vocabulary.NULL_WORD not in self.wv.key_to_index:
            with self.wv._guard:
                self.wv.key_to_index[vocabulary.NULL_WORD] = len(self.wv)
                self.wv.index_to_key.append(vocabulary.NULL_WORD)
                self.wv.set_vecattr(vocabulary.NULL_WORD, "count", 1)

    def prepare_weights(self, update: bool = False) -> None:
        """Set up the matrices for the vocabulary, new or grown.

        Parameters
        ----------
        update : bool, default False
            Whether to keep the weights of the words there were.
        """
        if update:
            self.update_weights()
        else:
            self.init_weights()

    def init_weights(self) -> None:
        """Start all weights afresh: inputs uniform in ±1/vector_size, outputs zero."""
        n_words, dim = len(self.wv), self.vector_size
        self._run_record = None
        self._forget_tables()
        memory.release_free_memory()  # of the dropped words, say, before the matrices need it
        self._make_inputs(keep=False)
        self.wv._rows_moved()
        self._check_noise()
        self.syn1 = _matrices.zeros(n_words, dim) if self._has_tree else None
        self.syn1neg = _matrices.zeros(n_words, dim) if self._has_word_rows else None
        self.syn1bias = np.zeros(n_words, np.float32) if self._has_bias else None
        self._log_z = np.zeros(1, np.float32)
        outputs.start(self)

    def update_weights(self) -> None:
        """Keep the weights of the words there were, and start those of the new words.

        The inner nodes of the Huffman tree are no words: see `_matrices.grown_tree` for how their
        rows move to the new tree.

        Raises
        ------
        RuntimeError
            If there are no weights yet.
        """
        n_old, n_words, dim = len(self.wv.vectors), len(self.wv), self.vector_size
        self._check_update(True)
        old_tree = self._huffman
        self._run_record = None
        self._forget_tables()
        if n_words > n_old:
            self._make_inputs(keep=True)
            if self.syn1neg is not None:
                self.syn1neg = _matrices.grown(self.syn1neg, n_words, dim)
            if self.syn1bias is not None:
                self.syn1bias = np.append(self.syn1bias, np.zeros(n_words - n_old, np.float32))
            outputs.grow(self, n_old)
        self._check_noise()
        if self.syn1 is not None and self._has_tree and old_tree is not None:
            self.syn1 = _matrices.grown_tree(self.syn1, old_tree, self._huffman_tree(), dim)
        self.wv._rows_moved()

    def _check_noise(self) -> None:
        """Raise a ValueError where the sampler does not fit the vocabulary."""
        objective = self._objective()
        if isinstance(objective, SampledObjective) and len(self.wv):
            objectives.check_words(objective, self.wv.expandos["count"], self.wv.index_to_key)

    def _make_inputs(self, keep: bool) -> None:
        """Give every word an input row, a random one to new words; `keep` the rows there are."""
        self._engine.make_inputs(self, keep)

    def estimate_memory(
        self, vocab_size: int | None = None, report: dict[str, int] | None = None
    ) -> dict[str, int]:
        """Return about how many bytes each part of the model takes, and their total.

        Parameters
        ----------
        vocab_size : int, optional
            Number of words; that of the vocabulary by default.
        report : dict of str to int, optional
            Further parts to add.

        Returns
        -------
        dict of str to int
            Bytes by part.
        """
        vocab_size = check_int("vocab_size", vocab_size or len(self.wv), minimum=0)
        report = dict(report or {})
        path_bytes = _BYTES_PER_PATH if self._has_tree else 0
        report["vocab"] = vocab_size * (_BYTES_PER_WORD + path_bytes)
        matrix_bytes = vocab_size * _matrices.row_bytes(self.vector_size)
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
        """Take the vocabulary of another model, shared rather than copied, and fresh weights.

        Parameters
        ----------
        other_model : Word2Vec
            The other model.

        Raises
        ------
        TypeError
            If it is no model.
        """
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
