"""The epochs of one training call: an encoded corpus and a model in, updated matrices out.

The core's threads do the work. This, the calling thread, only polls: it shows progress, runs the
callbacks between epochs, and stops the threads when something is raised here, be it by Ctrl-C, a
callback or the core.
"""

from __future__ import annotations

import logging
import math
import time
from typing import Any

import numpy as np

from pyw2v import _outputs, objectives
from pyw2v._checks import resolve_workers
from pyw2v._core.matrix import SpreadRows
from pyw2v._core.trainer import SampledNoise, Trainer
from pyw2v._core.word2vec_c import ExactTrainer
from pyw2v._epochs import call_last_hook, run_epoch, run_epochs
from pyw2v._examples import TrainedOn, mean_loss, warn_of_few
from pyw2v._state import ModelState
from pyw2v._word2vec_c import is_exact
from pyw2v.callbacks import Callbacks
from pyw2v.corpus import EncodedCorpus
from pyw2v.objectives import SampledObjective
from pyw2v.progress import Progress

logger = logging.getLogger(__name__)


def tokens_per_epoch(
    corpus: EncodedCorpus, total_examples: int | None, total_words: int | None
) -> float:
    """Return after how many encoded tokens an epoch is over for the learning rate.

    As in gensim the caller states the size of an epoch, in sentences or else in words before any
    are dropped; when that is not what the corpus holds, the rate falls faster or slower.
    """
    if total_examples:
        share = total_examples / max(corpus.n_raw_sentences, 1)
    else:
        share = (total_words or 0) / max(corpus.n_raw_words, 1)
    return max(1.0, float(len(corpus.tokens)) * share)


def train_epochs(
    model: ModelState,
    corpus: EncodedCorpus,
    total_tokens: float,
    callbacks: Callbacks,
    progress: Progress,
) -> tuple[int, int]:
    """Train `model.epochs` epochs; return how many words were trained on, and read."""
    run = _Run(model, corpus, total_tokens, progress)
    progress.begin("train", model.epochs * len(corpus.tokens), "words")
    try:
        run_epochs(model, model.epochs, run.epoch, callbacks, run.layout.pack)
    finally:
        progress.close()
    model.train_count += 1
    call_last_hook(model, callbacks)
    if not is_exact(model):  # which counts no examples
        warn_of_few(model, run.trained_on)
    return run.words_trained, run.words_read


class _Run:
    """One call of train(): owns the Trainer and the sums over its epochs.

    The matrices are spread from the first epoch on, and packed for all who may look at them:
    callbacks, and who called train().
    """

    def __init__(
        self, model: ModelState, corpus: EncodedCorpus, total_tokens: float, progress: Progress
    ) -> None:
        self.words_trained = 0
        self.words_read = 0
        self._epochs = self._examples = 0
        self._model = model
        self._corpus = corpus
        self._total_tokens = total_tokens
        self._progress = progress
        self._seed = model._next_seed()
        self._trainer: Trainer | ExactTrainer | None = None
        self._built_for: tuple[object, ...] = ()
        self.layout = SpreadRows()

    @property
    def trained_on(self) -> TrainedOn:
        """What there was to learn from."""
        corpus = self._corpus
        known = len(corpus.tokens)
        return TrainedOn(
            self._epochs, self._examples, self.words_trained, known, corpus.n_raw_words
        )

    def epoch(self, epoch: int) -> None:
        """Train one epoch and add its results to the model."""
        model = self._model
        trainer = self._current_trainer()
        done = epoch * len(self._corpus.tokens)
        note = f"epoch {epoch + 1}/{model.epochs}{self._loss_note()}"
        started = time.perf_counter()
        try:
            result = run_epoch(
                trainer, epoch, lambda: self._progress.update(done + trainer.words_done, note)
            )
        except FloatingPointError as error:
            raise FloatingPointError(f"{error}; {_advice(model)}") from error
        finally:
            seconds = time.perf_counter() - started
            model.total_train_time += seconds
            model._inputs_changed()
        self._record(epoch, result.loss, result.examples, result.words_trained)
        self._progress.update(
            done + len(self._corpus.tokens),
            f"epoch {epoch + 1}/{model.epochs}{self._loss_note()}",
        )
        logger.info(
            "epoch %d: %d raw words (%d effective) took %.1f s, %.0f effective words/s",
            epoch,
            self._corpus.n_raw_words,
            result.words_trained,
            seconds,
            result.words_trained / max(seconds, 1e-9),
        )

    def _record(self, epoch: int, loss: float, examples: int, words_trained: int) -> None:
        model = self._model
        self._epochs += 1
        self._examples += int(examples)
        self.words_trained += int(words_trained)
        self.words_read += self._corpus.n_raw_words
        reached = min(1.0, len(self._corpus.tokens) / self._total_tokens)
        lr_start = max(model.alpha, model.min_alpha)
        model.min_alpha_yet_reached = lr_start - (lr_start - model.min_alpha) * min(
            1.0, (epoch + reached) / model.epochs
        )
        if model.track_loss and not is_exact(model):
            model.loss_history.append(mean_loss(loss, examples))
            model.running_training_loss += float(loss)

    def _loss_note(self) -> str:
        history = self._model.loss_history
        if not history:
            return ""
        return ", no examples" if math.isnan(history[-1]) else f", loss {history[-1]:.4f}"

    def _current_trainer(self) -> Trainer | ExactTrainer:
        """Return the Trainer, made anew when a callback changed what it was made of."""
        if self._trainer is not None and self.layout:
            return self._trainer  # nobody has looked at the model since
        model = self._model
        arrays = (*_outputs.align(model), *model._align_weights())
        built_for = (*arrays, model.alpha, model.min_alpha)
        same = len(self._built_for) == len(built_for) and all(
            a is b for a, b in zip(self._built_for, built_for, strict=True)
        )
        if not is_exact(model):
            matrices = [array for array in arrays if array.ndim == 2]
            self.layout.spread(matrices, model._holders())
        if self._trainer is None or not same:
            make = self._make_exact_trainer if is_exact(model) else self._make_trainer
            self._trainer = make()
            self._built_for = built_for
        return self._trainer

    def _make_trainer(self) -> Trainer:
        model = self._model
        inputs = model._trainer_inputs()
        # A skip-gram step moves a locked row and puts it back: other threads would see it moved.
        moves_locked_rows = bool(model.sg) and inputs["input_lock"] is not None
        full = _outputs.full_output(model)
        return Trainer(
            tokens=self._corpus.tokens,
            ends=self._corpus.ends,
            keep=model._keep_thresholds(),
            counts=np.ascontiguousarray(model.wv.expandos["count"], dtype=np.int64),
            **inputs,
            output_ns=model.syn1neg if model._has_word_rows and full is None else None,
            output_hs=model.syn1 if model._has_tree else None,
            huffman=model._huffman_tree() if model._has_tree else None,
            **_noise(model),
            full=full,
            sg=bool(model.sg),
            negative=model.negative,
            ns_exponent=float(model.ns_exponent),
            window=model.window,
            shrink_windows=bool(model.shrink_windows),
            cbow_mean=bool(model.cbow_mean),
            cbow_grad=model.cbow_grad,
            # gensim's max(min_alpha, rate): a smaller alpha is lifted, not turned into a rise.
            lr_start=max(model.alpha, model.min_alpha),
            lr_end=model.min_alpha,
            epochs=model.epochs,
            total_tokens=self._total_tokens,
            seed=self._seed,
            workers=1 if moves_locked_rows else resolve_workers(model.workers),
            compute_loss=bool(model.track_loss),
        )

    def _make_exact_trainer(self) -> ExactTrainer:
        model = self._model
        return ExactTrainer(
            tokens=self._corpus.tokens,
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


def _noise(model: ModelState) -> dict[str, Any]:
    """Return those arguments of the Trainer that make up a sampled objective."""
    objective = model._objective()
    if not isinstance(objective, SampledObjective):
        return {}
    counts, words = model.wv.expandos["count"], model.wv.index_to_key
    objectives.check_words(objective, counts, words)
    sampler = objective.sampler
    weights = sampler.weights(counts, words)
    if objective.familiar:
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


def _advice(model: ModelState) -> str:
    """Say what to do about weights that have left the finite numbers."""
    ways = [f"a smaller alpha (now {model.alpha:g})"]
    if not model.sg and not model.cbow_mean:
        ways.append("cbow_mean=1")
    elif not model.sg and model.cbow_grad == "sum":
        ways.append('cbow_grad="mean"')
    if model.objective == "logistic" and not model._has_bias:
        ways.append("output_bias=True")
    return f"the weights of this model are spoilt, build it again with {' or '.join(ways)}"
