"""One training of a classifier: its record, who watches it, and what is seen of it meanwhile."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyw2v._core.line_model import LineModel
from pyw2v._core.lines import Lines
from pyw2v._core.runs import EpochResult, LineRun, Run
from pyw2v._core.sampler import unigram_weights
from pyw2v._runs import checkpoint as _checkpoint
from pyw2v._runs.checkpoint import Checkpoints, Contents
from pyw2v._runs.record import Fingerprint, RunRecord
from pyw2v._runs.training_run import TrainingRun
from pyw2v._shared.checks import resolve_workers
from pyw2v.callbacks import Callbacks
from pyw2v.classifier import schedule as classifier_schedule
from pyw2v.classifier.schedule import Schedule
from pyw2v.classifier.settings import ClassifierSettings
from pyw2v.classifier.state import ClassifierState
from pyw2v.classifier.weights import class_weights
from pyw2v.progress import Progress

# Attributes that a training gives a classifier.
_FITTED = ("lr_", "epochs_", "loss_history_", "_run_record", "_state")
# Of label counts, for the noise of negative sampling, as in fastText.
_NOISE_EXPONENT = 0.5


class Trainable(ClassifierSettings):
    """A classifier as its training sees it."""

    lr_: float
    epochs_: int
    _state: ClassifierState | None = None
    _run_record: RunRecord | None = None

    @property
    def epochs_trained(self) -> int:
        """How many whole epochs the last training has trained, of `epochs_`."""
        return 0 if self._run_record is None else self._run_record.epochs_done

    def _contents(self) -> Contents:
        """Return the arrays, words and settings of a file."""
        raise NotImplementedError


class Watch(NamedTuple):
    """Who else takes part in a training."""

    hooks: Callbacks
    saver: Checkpoints | None

    @classmethod
    def of(cls, callbacks: Any, checkpoint: Any, checkpoint_every: Any) -> Watch:
        """Return it of what a user gave."""
        return cls(Callbacks(callbacks), _checkpoint.of_folder(checkpoint, checkpoint_every))


class Fit:
    """A model that is being trained, beside the one that its owner has so far.

    The owner predicts with what it had, but for callbacks, which see what is being trained.
    """

    def __init__(
        self,
        owner: Trainable,
        state: ClassifierState,
        schedule: Schedule,
        losses: list[float],
        record: RunRecord,
    ) -> None:
        self.owner, self.state, self.schedule = owner, state, schedule
        self.losses, self.record = losses, record
        self._before = {name: vars(owner)[name] for name in _FITTED if name in vars(owner)}

    def show(self, owner: Trainable | None = None) -> None:
        """Let the owner, or a copy of it, be what was trained."""
        owner = self.owner if owner is None else owner
        self.state.drop_predictor()
        owner.lr_, owner.epochs_ = self.schedule.lr, self.schedule.epochs
        owner.loss_history_, owner._run_record = self.losses, self.record
        owner._state = self.state

    def hide(self) -> None:
        """Let the owner be what it was before."""
        vars(self.owner).update(self._before)
        for name in set(_FITTED) - set(self._before):
            vars(self.owner).pop(name, None)

    def contents(self) -> Contents:
        """Return what a file of the model in training holds."""
        model = copy.copy(self.owner)
        self.show(model)
        return model._contents()


def new_record(
    settings: ClassifierSettings, state: ClassifierState, lines: Lines, source: Fingerprint
) -> RunRecord:
    """Return the record of a training that begins: how long, and how fast."""
    data = state.data
    # All that the model has seen, of which these lines may be a part; none without a label.
    n_texts = lines.n_lines * max(data.n_tokens / max(lines.n_tokens, 1), 1.0)
    n_texts = min(n_texts, float(data.label_counts.sum()))
    schedule = classifier_schedule.choose(
        settings.lr, settings.epochs, n_texts, data.label_counts, data.args.word_ngrams
    )
    weights = class_weights(settings.class_weight, state)
    return RunRecord(
        seed=settings.seed,
        epochs=schedule.epochs,
        data=source,
        # Files keep no class_weight, whose labels may be objects of any class.
        more={
            "lr": schedule.lr,
            "class_weights": None if weights is None else weights.tolist(),
        },
    )


def fingerprint(lines: Lines, weights: npt.NDArray[np.float32] | None) -> Fingerprint:
    """Return what tells these lines, with their weights, from others."""

    def content() -> Iterator[npt.NDArray[Any]]:
        yield from (lines.tokens, lines.ends)
        tokens = lines.take(np.arange(len(lines.counts()), dtype=np.int64))
        yield np.frombuffer(b"\n".join(tokens), np.uint8)
        if weights is not None:
            yield weights

    return Fingerprint({"texts": lines.n_lines, "tokens": lines.n_tokens}, content)


class FitRun(TrainingRun):
    """The epochs of a classifier. Callbacks see the model in between."""

    unit = "lines"

    def __init__(
        self,
        fit: Fit,
        lines: Lines,
        entries: npt.NDArray[np.int32],
        weights: npt.NDArray[np.float32] | None,
        progress: Progress,
        watch: Watch,
    ) -> None:
        super().__init__(fit.record, lines.n_lines, progress, watch.saver)
        self._fit = fit
        self._lines, self._entries, self._weights = lines, entries, weights
        self._core: Run | None = None
        self.n_examples = 0
        """Of the last epoch."""

    @property
    def settle(self) -> Callable[[], object]:
        """Let callbacks see what was trained so far."""

        def settle() -> None:
            self.layout.pack()
            self._fit.show()

        return settle

    def core_run(self) -> Run:
        """Spread the rows, and hide the model again, if a callback may have seen it."""
        if not self.layout:
            self._fit.hide()
            self._fit.state.spread(self.layout)
        if self._core is None:
            self._core = self._line_run(self._fit.owner)
        return self._core

    def _line_run(self, owner: Trainable) -> Run:
        lines, order = self._lines, None
        if owner.shuffle:
            order = np.random.default_rng(owner.seed).permutation(lines.n_lines).astype(np.int64)
        return LineRun(
            self._line_model(owner),
            lines=lines,
            rules=self._fit.state.rules,
            entries=self._entries,
            line_weights=self._weights,
            order=order,
            lr=self._fit.schedule.lr,
            epochs=self._fit.schedule.epochs,
            seed=self.record.seed,
            workers=resolve_workers(owner.workers),
        )

    def _line_model(self, owner: Trainable) -> LineModel:
        state = self._fit.state
        data, loss = state.data, state.data.args.loss
        counts = np.maximum(data.label_counts, 1)
        by_label = self.record.more["class_weights"]
        return LineModel(
            input=state.input_rows,
            output=data.output,
            loss=loss,
            n_labels=len(data.labels),
            negative=owner.negative,
            noise_weights=unigram_weights(counts, _NOISE_EXPONENT) if loss == "ns" else None,
            huffman=state.huffman,
            class_weights=None if by_label is None else np.array(by_label, np.float32),
            unlabelled=state.indicator and loss == "ova",
        )

    def take(self, epoch: int, result: EpochResult) -> None:
        """Add the mean loss."""
        self.n_examples = int(result.examples)
        if self.n_examples == 0:
            raise ValueError("no line has both a label and a word that was kept")
        self._fit.losses.append(float(result.loss) / self.n_examples)
        self._progress.tell(loss=self._fit.losses[-1])

    def contents(self) -> Contents:
        """Return what a file of the model in training holds."""
        return self._fit.contents()

    def loss_note(self) -> str:
        """Return the last loss."""
        return f", loss {self._fit.losses[-1]:.4f}" if self._fit.losses else ""

    def advice(self) -> str:
        """Advise a smaller rate."""
        return f"try a smaller lr (now {self._fit.schedule.lr:g})"

    def over(self) -> None:
        """Let the owner be what was trained."""
        self._fit.show()
