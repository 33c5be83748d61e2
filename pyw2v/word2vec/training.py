"""The epochs of one training call: an encoded corpus and a model in, updated matrices out."""

from __future__ import annotations

import math

from pyw2v._core.runs import EpochResult, Run
from pyw2v._runs.checkpoint import Checkpoints, Contents
from pyw2v._runs.examples import TrainedOn, mean_loss, warn_of_few
from pyw2v._runs.record import Fingerprint, RunRecord
from pyw2v._runs.training_run import TrainingRun
from pyw2v.callbacks import Callbacks
from pyw2v.corpus import EncodedCorpus
from pyw2v.progress import Progress
from pyw2v.word2vec import file as model_file
from pyw2v.word2vec import outputs
from pyw2v.word2vec.build import VocabModel
from pyw2v.word2vec.state import ModelState


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


def new_record(model: ModelState, corpus: EncodedCorpus, total_tokens: float) -> RunRecord:
    """Return the record of a call that begins: `model.epochs` epochs, with a seed of its own."""
    return RunRecord(
        seed=model._next_seed(),
        epochs=model.epochs,
        data=fingerprint(corpus),
        more={"total_tokens": total_tokens},
    )


def fingerprint(corpus: EncodedCorpus) -> Fingerprint:
    """Return what tells this corpus, as encoded for the model, from others."""
    sizes = {
        "words": corpus.n_raw_words,
        "known words": len(corpus.tokens),
        "sentences": len(corpus.ends),
    }
    return Fingerprint(sizes, lambda: (corpus.tokens, corpus.ends))


def train_epochs(
    model: VocabModel,
    corpus: EncodedCorpus,
    record: RunRecord,
    callbacks: Callbacks,
    progress: Progress,
    saver: Checkpoints | None = None,
) -> tuple[int, int]:
    """Train the epochs of `record` that are left; return how many words it trained on, and read."""
    run = _CorpusRun(model, corpus, record, progress, saver)
    model._run_record = record
    run.train(model, callbacks)
    if model._engine.has_loss:
        warn_of_few(model, run.trained_on)
    return record.words_trained, record.epochs_done * corpus.n_raw_words


class _CorpusRun(TrainingRun):
    """One call of train() on an encoded corpus."""

    def __init__(
        self,
        model: VocabModel,
        corpus: EncodedCorpus,
        record: RunRecord,
        progress: Progress,
        saver: Checkpoints | None,
    ) -> None:
        super().__init__(record, len(corpus.tokens), progress, saver)
        self._model = model
        self._corpus = corpus
        self._core: Run | None = None
        self._made_of: tuple[object, ...] = ()

    @property
    def trained_on(self) -> TrainedOn:
        """What there was to learn from."""
        corpus, record = self._corpus, self.record
        known = len(corpus.tokens)
        return TrainedOn(
            record.epochs_done, record.examples, record.words_trained, known, corpus.n_raw_words
        )

    def core_run(self) -> Run:
        """Return the core's run, made anew when a callback changed what it was made of."""
        if self._core is not None and self.layout:
            return self._core  # nobody has seen the model since
        model = self._model
        arrays = [*outputs.align(model), *model._align_weights()]
        made_of = (*arrays, model.alpha, model.min_alpha)
        same = len(self._made_of) == len(made_of) and all(
            a is b for a, b in zip(self._made_of, made_of, strict=True)
        )
        model._engine.spread(model, arrays, self.layout)
        if self._core is None or not same:
            self._core = model._engine.core_run(model, self._corpus, self.record)
            self._made_of = made_of
        return self._core

    def rows_changed(self, seconds: float) -> None:
        """Forget what followed from the rows."""
        self._model.total_train_time += seconds
        self._model._inputs_changed()

    def take(self, epoch: int, result: EpochResult) -> None:
        """Add the loss, and note the rate that was reached."""
        model = self._model
        reached = min(1.0, len(self._corpus.tokens) / float(self.record.more["total_tokens"]))
        lr_start = max(model.alpha, model.min_alpha)
        model.min_alpha_yet_reached = lr_start - (lr_start - model.min_alpha) * min(
            1.0, (epoch + reached) / model.epochs
        )
        if model.track_loss and model._engine.has_loss:
            model.loss_history.append(mean_loss(result.loss, result.examples))
            model.running_training_loss += float(result.loss)

    def contents(self) -> Contents:
        """Return what a file of the model holds."""
        return model_file.contents(self._model)

    def loss_note(self) -> str:
        """Return the last loss."""
        history = self._model.loss_history
        if not history:
            return ""
        return ", no examples" if math.isnan(history[-1]) else f", loss {history[-1]:.4f}"

    def advice(self) -> str:
        """Say what to do about weights that have left the finite numbers."""
        model = self._model
        ways = [f"a smaller alpha (now {model.alpha:g})"]
        if not model.sg and not model.cbow_mean:
            ways.append("cbow_mean=1")
        elif not model.sg and model.cbow_grad == "sum":
            ways.append('cbow_grad="mean"')
        if model.objective == "logistic" and not model._has_bias:
            ways.append("output_bias=True")
        return f"the weights are no longer usable, build the model again with {' or '.join(ways)}"

    def over(self) -> None:
        """Count the call."""
        self._model.train_count += 1
