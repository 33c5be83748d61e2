"""Training of a `TextClassifier`: from texts and labels to a fitted model."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pyw2v import _classifier_schedule, _indicator, _labelled, _weights
from pyw2v._buckets import BucketRows
from pyw2v._checks import check_float, check_floats, resolve_workers
from pyw2v._classifier_schedule import Schedule
from pyw2v._classifier_settings import ClassifierSettings
from pyw2v._classifier_state import ClassifierState, pretrained_rows
from pyw2v._core.classifier import ClassifierTrainer
from pyw2v._core.lines import Lines
from pyw2v._core.matrix import SpreadRows
from pyw2v._epochs import run_epoch
from pyw2v._indicator import Indicator
from pyw2v._interrupt import hand_over
from pyw2v._labelled import LabelKind, Vocabulary
from pyw2v.fasttext_data import FastTextArgs, FastTextData
from pyw2v.progress import Progress, open_progress

logger = logging.getLogger(__name__)


class ClassifierTraining(ClassifierSettings):
    """`fit` and its kin. After them: `lr_` and `epochs_`, given or chosen, and `loss_history_`."""

    lr_: float
    epochs_: int
    _state: ClassifierState | None = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train from nothing on rows X and labels y, or on a file (its path, and no y)."""
        self._check()
        targets = _indicator.read_targets(y)
        loss = self.loss or _default_loss(targets)
        _indicator.check_rows(targets, loss)
        with open_progress(self.progress) as progress:
            kind = LabelKind()
            lines = self._encoded(X, targets, kind, progress)
            vocabulary = self._counted(lines, targets, kind)
            rows = None
            if self.pretrained_vectors is not None:
                words, rows = pretrained_rows(self.pretrained_vectors, self.dim)
                vocabulary = _labelled.with_words(lines, vocabulary, words)
            _check_vocabulary(vocabulary, self.min_count)
            progress.tell(
                tokens=lines.n_tokens, words=len(vocabulary.words), labels=len(vocabulary.labels)
            )
            state = self._new_state(lines, vocabulary, loss, kind, targets)
            state = self._covering(state, lines, vocabulary)
            if rows is not None:
                state.set_word_rows(words, rows)
            n_examples = self._train(state, lines, vocabulary, sample_weight, progress, [])
        _ = state.predictor  # made now, not while the first text waits for its answer
        guess = _classifier_schedule.loss_of_guessing(
            loss, vocabulary.label_counts, n_examples, self.negative
        )
        used = Schedule(self.lr_, self.epochs_)
        _classifier_schedule.warn_if_little_was_learnt(self.loss_history_, guess, used)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Train on, with words and labels that are new added; without a model yet, as `fit`.

        `classes` names labels that may come later. The learning rate starts at `lr` again; where it
        is left open, it and the epochs shrink with all the text that the model was trained on. Row
        and label numbers that there are stay, and what was learnt with them.
        """
        if self._state is None and classes is None:
            return self.fit(X, y, sample_weight)
        self._check()
        old = self._state
        targets = _indicator.read_targets(y)
        loss = self.loss or _default_loss(targets)
        if old is not None:
            loss = old.data.args.loss
            _indicator.check_form(targets, len(old.labels) if old.indicator else None)
        _indicator.check_rows(targets, loss)
        _indicator.check_classes(targets, classes)
        with open_progress(self.progress) as progress:
            kind = LabelKind(old.integer_labels if old is not None and old.labels_given else None)
            lines = self._encoded(X, targets, kind, progress)
            found = self._counted(lines, targets, kind)
            if classes is not None:
                found = _labelled.with_labels(found, classes, self.label_prefix, kind)
            if old is None:
                _check_vocabulary(found, self.min_count)
                state, vocabulary = self._new_state(lines, found, loss, kind, targets), found
            else:
                old.check_trainable()
                vocabulary = _labelled.grown(lines, old.vocabulary, found)
                state = old.grown(vocabulary, lines.n_tokens, self.seed)
                state.integer_labels = bool(kind.integers)
            state = self._covering(state, lines, vocabulary)
            self._train(state, lines, vocabulary, sample_weight, progress, self.loss_history_)
        return self

    def retrain(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on with the words and labels that there are, of a pruned model too."""
        self._check()
        state = self._fitted
        targets = _indicator.read_targets(y)
        _indicator.check_form(targets, len(state.labels) if state.indicator else None)
        _indicator.check_rows(targets, state.data.args.loss)
        with open_progress(self.progress) as progress:
            lines = self._encoded(X, targets, LabelKind(state.integer_labels), progress)
            vocabulary = _labelled.entered(lines, state.vocabulary)
            state = self._covering(state.copied(), lines, vocabulary)
            self._train(state, lines, vocabulary, sample_weight, progress, self.loss_history_)
        return self

    @property
    def _fitted(self) -> ClassifierState:
        if self._state is None:
            raise ValueError("this TextClassifier is not fitted yet: call fit first")
        return self._state

    def _encoded(self, X: Any, y: Any, kind: LabelKind, progress: Progress) -> Lines:
        def report(done: int, total: int) -> None:
            progress(done, total, "bytes")

        lines = _labelled.encode(X, y, self.label_prefix, kind, report)
        if not lines.n_lines:
            raise ValueError("X must hold at least one text, got none")
        progress.close()
        return lines

    def _counted(self, lines: Lines, targets: Any, kind: LabelKind) -> Vocabulary:
        """Return the words and labels of these lines; of a matrix all columns, used or not."""
        if not isinstance(targets, Indicator):
            return _labelled.count(lines, self.min_count, self.min_count_label)
        found = _labelled.count(lines, self.min_count, 0)
        if not found.labels:
            return found
        return _labelled.with_labels(found, range(targets.n_columns), self.label_prefix, kind)

    def _new_state(
        self, lines: Lines, vocabulary: Vocabulary, loss: str, kind: LabelKind, targets: Any
    ) -> ClassifierState:
        args = FastTextArgs(
            dim=self.dim,
            epoch=0,  # `_train` knows
            min_count=self.min_count,
            neg=self.negative,
            word_ngrams=self.word_ngrams,
            loss=loss,
            model="supervised",
            bucket=self._n_buckets,
            minn=self.min_n,
            maxn=self.max_n,
        )
        data = FastTextData(
            args=args,
            words=vocabulary.words,
            word_counts=vocabulary.word_counts,
            labels=vocabulary.labels,
            label_counts=vocabulary.label_counts,
            n_tokens=lines.n_tokens,
            input=BucketRows.none(self._n_buckets, self.dim),  # `_covering` makes the rows
            output=_weights.zeros(len(vocabulary.labels), self.dim),
        )
        matrix = isinstance(targets, Indicator)
        return ClassifierState(data, self.label_prefix, bool(kind.integers), matrix)

    def _covering(
        self, state: ClassifierState, lines: Lines, vocabulary: Vocabulary
    ) -> ClassifierState:
        """Return the model with rows for all that the lines hold."""
        workers = resolve_workers(self.workers)
        return state.covering(lines, vocabulary.entries, self.seed, workers)

    def _train(
        self,
        state: ClassifierState,
        lines: Lines,
        vocabulary: Vocabulary,
        sample_weight: Any,
        progress: Progress,
        losses: list[float],
    ) -> int:
        """Train `state`, and take it when that is done; return of how many lines it learns.

        `losses` are those of epochs before.
        """
        data, losses = state.data, list(losses)
        # All that the model has seen, of which these lines may be a part; none without a label.
        n_texts = lines.n_lines * max(data.n_tokens / max(lines.n_tokens, 1), 1.0)
        n_texts = min(n_texts, float(data.label_counts.sum()))
        schedule = _classifier_schedule.choose(
            self.lr, self.epochs, n_texts, data.label_counts, data.args.word_ngrams
        )
        data.args = replace(data.args, epoch=schedule.epochs)
        if schedule.epochs == 0:  # the first weights, or pretrained vectors, as they are
            self._take(state, schedule, losses)
            return 0
        order = None
        if self.shuffle:
            order = np.random.default_rng(self.seed).permutation(lines.n_lines).astype(np.int64)
        n_examples = 0
        try:
            with SpreadRows() as layout:
                state.spread(layout)
                trainer = ClassifierTrainer(
                    lines=lines,
                    rules=state.rules,
                    entries=vocabulary.entries,
                    input=state.input_rows,
                    output=data.output,
                    loss=data.args.loss,
                    label_counts=np.maximum(data.label_counts, 1),
                    huffman=state.huffman,
                    negative=self.negative,
                    class_weights=self._class_weights(state),
                    line_weights=line_weights(sample_weight, lines.n_lines),
                    order=order,
                    unlabelled=state.indicator and data.args.loss == "ova",
                    lr=schedule.lr,
                    epochs=schedule.epochs,
                    seed=self.seed,
                    workers=resolve_workers(self.workers),
                )
                n_examples = _run(trainer, schedule, lines.n_lines, progress, losses)
        except KeyboardInterrupt as stop:
            # What was fitted before is not lost to a try that somebody thought better of.
            kept = self if self._state is None else copy.copy(self)
            kept._take(state, schedule, losses)
            hand_over(stop, kept)
            raise
        self._take(state, schedule, losses)
        return n_examples

    def _take(self, state: ClassifierState, schedule: Schedule, losses: list[float]) -> None:
        state.forget_answers()
        self.lr_, self.epochs_ = schedule.lr, schedule.epochs
        self._state, self.loss_history_ = state, losses

    def _class_weights(self, state: ClassifierState) -> npt.NDArray[np.float32] | None:
        weights = np.ones(len(state.labels), np.float32)
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, str):
            if self.class_weight != "balanced":
                raise ValueError(
                    f"class_weight must be None, 'balanced' or a dict, got {self.class_weight!r}"
                )
            counts = np.maximum(state.data.label_counts, 1)
            weights[:] = counts.sum() / (len(counts) * counts)
            return weights
        if not isinstance(self.class_weight, Mapping):
            raise TypeError(
                f"class_weight must be None, 'balanced' or a dict, got {self.class_weight!r}"
            )
        places = {label: i for i, label in enumerate(state.labels)}
        for label, weight in self.class_weight.items():
            if label not in places:
                raise ValueError(f"class_weight names {label!r}, which no row has")
            weights[places[label]] = check_float(f"class_weight[{label!r}]", weight, minimum=0.0)
        return weights


def _default_loss(targets: Any) -> str:
    """One label for a text, or, of a matrix, any number of them."""
    return "ova" if isinstance(targets, Indicator) else "softmax"


def _check_vocabulary(vocabulary: Vocabulary, min_count: int) -> None:
    if not vocabulary.labels:
        raise ValueError("there are no labels: give y, or lines that hold labels")
    if not vocabulary.words:
        raise ValueError(f"no word occurs min_count = {min_count} times or more")


def _run(
    trainer: ClassifierTrainer,
    schedule: Schedule,
    n_lines: int,
    progress: Progress,
    losses: list[float],
) -> int:
    """Train all epochs and add their mean losses to `losses`; return the examples of the last."""
    progress.begin("train", schedule.epochs * n_lines, "lines")
    n_examples = 0
    for epoch in range(schedule.epochs):
        done = epoch * n_lines
        note = f"epoch {epoch + 1}/{schedule.epochs}"
        if losses:
            note += f", loss {losses[-1]:.4f}"

        def show(done: int = done, note: str = note) -> None:
            progress.update(done + trainer.lines_done, note)

        try:
            result = run_epoch(trainer, epoch, show)
        except FloatingPointError as error:
            raise FloatingPointError(f"{error}; try a smaller lr (now {schedule.lr:g})") from error
        n_examples = int(result.examples)
        if n_examples == 0:
            raise ValueError("no line has both a label and a word that was kept")
        losses.append(float(result.loss) / n_examples)
        progress.tell(loss=losses[-1])
        progress.update(done + n_lines, note)  # short epochs end between two looks
        logger.info("epoch %d: loss %.4f", epoch, losses[-1])
    return n_examples


def line_weights(weights: Any, n_lines: int) -> npt.NDArray[np.float32] | None:
    if weights is None:
        return None
    values = np.ascontiguousarray(check_floats("sample_weight", weights, np.float32))
    if values.shape != (n_lines,):
        raise ValueError(f"sample_weight must hold {n_lines} numbers, got shape {values.shape}")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("sample_weight must be finite and not negative")
    return values
