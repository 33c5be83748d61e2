"""The engine of this package: every objective, on all cores, in vector code."""

from __future__ import annotations

import math
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from pyw2v import _matrices, corpus, objectives
from pyw2v._core.matrix import SpreadRows
from pyw2v._core.runs import Run, WordRun
from pyw2v._core.sampler import unigram_weights
from pyw2v._core.word_model import SampledNoise, WordModel
from pyw2v._runs.record import RunRecord
from pyw2v._shared.checks import resolve_workers
from pyw2v.corpus import EncodedCorpus
from pyw2v.objectives import SampledObjective
from pyw2v.progress import Progress
from pyw2v.word2vec import outputs, vocabulary
from pyw2v.word2vec.state import ModelState
from pyw2v.word2vec.vocabulary import RawCounts

if TYPE_CHECKING:
    from pyw2v.word2vec.build import VocabModel


class FastEngine:
    """See `engines.Engine`."""

    name = "fast"
    has_loss = True

    def check(self, model: ModelState) -> None:
        """Allow all settings."""

    def need(self, feature: str) -> None:
        """Allow all features."""

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
        """Do as scan_vocab and prepare_vocab, but make no dict of all words unless it is kept."""
        scan = model._count(source)
        model.corpus_total_words = scan.corpus.n_raw_words
        model.corpus_count = scan.corpus.n_raw_sentences
        raw = RawCounts.from_scan(scan, source)
        model.raw_vocab = raw.to_dict() if keep_raw_vocab or dry_run else {}
        model._choose(raw, update, trim_rule, min_count, sample, dry_run, write)

    def build_and_encode(
        self, model: VocabModel, source: Any, trim_rule: Any, progress: Progress
    ) -> EncodedCorpus:
        """Read the source once.

        The words that were dropped are forgotten on return, before the weights need the memory.
        """
        scan = corpus.scan(
            source, workers=model.workers, max_memory=model.max_memory, progress=progress
        )
        try:
            model.corpus_count = scan.corpus.n_raw_sentences
            model.corpus_total_words = scan.corpus.n_raw_words
            raw = RawCounts.from_scan(scan, source)
            chosen = vocabulary.plan(raw, model, trim_rule, model.min_count, model.sample)
            return scan.remap(model._apply_plan(raw, chosen))
        except BaseException:
            scan.corpus.close()
            raise

    def encode(self, model: VocabModel, source: Any, progress: Progress) -> EncodedCorpus:
        """Encode by the model's vocabulary."""
        return corpus.encode(
            source,
            model.wv.key_to_index,
            workers=model.workers,
            max_memory=model.max_memory,
            progress=progress,
        )

    def make_inputs(self, model: VocabModel, keep: bool) -> None:
        """Draw rows as gensim does."""
        prior = model.wv.vectors if keep else None
        shape = (len(model.wv), model.vector_size)
        model.wv.vectors = _matrices.random_rows(*shape, model.seed, prior)

    def spread(self, model: VocabModel, arrays: list[Any], layout: SpreadRows) -> None:
        """Lay matrices on cache lines."""
        matrices = [array for array in arrays if array.ndim == 2]
        layout.spread(matrices, model._holders(), guard=model.wv._guard)

    def core_run(self, model: VocabModel, corpus: EncodedCorpus, record: RunRecord) -> Run:
        """Return a run of the model as its settings are now."""
        inputs = model._trainer_inputs()
        # A skip-gram step moves a locked row and puts it back: other threads would see it moved.
        moves_locked_rows = bool(model.sg) and inputs["input_lock"] is not None
        full = outputs.full_output(model)
        words = model._has_word_rows and full is None
        made = WordModel(
            **inputs,
            keep=model._keep_thresholds(),
            output_ns=model.syn1neg if words else None,
            negative=model.negative,
            **_noise(model),
            output_hs=model.syn1 if model._has_tree else None,
            huffman=model._huffman_tree() if model._has_tree else None,
            full=full,
            track_loss=bool(model.track_loss),
            **windows(model),
        )
        return WordRun(
            made,
            tokens=corpus.tokens,
            ends=corpus.ends,
            # gensim's max(min_alpha, rate): a smaller alpha is lifted, not turned into a rise.
            lr_start=max(model.alpha, model.min_alpha),
            lr_end=model.min_alpha,
            epochs=model.epochs,
            total_tokens=float(record.more["total_tokens"]),
            seed=record.seed,
            workers=1 if moves_locked_rows else resolve_workers(model.workers),
        )


def windows(model: ModelState) -> dict[str, Any]:
    """Return those arguments of a WordModel that say which words meet, and how they are summed."""
    return {
        "sg": bool(model.sg),
        "window": model.window,
        "shrink_windows": bool(model.shrink_windows),
        "average_context": bool(model.cbow_mean),
        # Without the mean, the error itself is shared out (word2vec.c does neither; gensim does).
        "average_gradient": model.cbow_grad == "mean" or not model.cbow_mean,
    }


def _noise(model: ModelState) -> dict[str, Any]:
    """Return those arguments of a WordModel that say which words are drawn, and what for."""
    objective = model._objective()
    counts, words = model.wv.expandos["count"], model.wv.index_to_key
    if not isinstance(objective, SampledObjective):
        if not model.negative:
            return {}
        whole = np.ascontiguousarray(counts, dtype=np.int64)
        return {"noise_weights": unigram_weights(whole, float(model.ns_exponent))}
    objectives.check_words(objective, counts, words)
    sampler = objective.sampler
    weights = sampler.weights(counts, words)
    if objective.classic:
        return {"noise_weights": weights}
    shift = None
    if objective.corrected:
        log_z = 0.0 if objective.z is None else math.log(objective.z)
        shift = np.log(sampler.expected_counts(counts, objective.k, words)) + log_z
    return {
        "noise_weights": weights,
        "sampled": SampledNoise(
            unique=bool(sampler.unique),
            shift=None if shift is None else shift.astype(np.float32),
            bias=model.syn1bias if objective.output_bias else None,
            log_z=model._log_z if objective.learns_z else None,
            softmax=objective.softmax,
            remove_hits=objective.remove_accidental_hits,
            per_pair=objective.noise_per == "pair",
        ),
    }
