"""Training of a `TextClassifier`: from texts and labels to a fitted model."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

from pyw2v import _matrices
from pyw2v._core.lines import Lines
from pyw2v._matrices.bucket_rows import BucketRows
from pyw2v._runs.checkpoint import EVERY
from pyw2v._runs.interrupt import hand_over
from pyw2v._runs.record import RunRecord
from pyw2v._shared.checks import resolve_workers
from pyw2v.classifier import indicator, labelled
from pyw2v.classifier import schedule as classifier_schedule
from pyw2v.classifier.indicator import Indicator
from pyw2v.classifier.labelled import LabelKind, Vocabulary
from pyw2v.classifier.run import Fit, FitRun, Trainable, Watch, fingerprint, new_record
from pyw2v.classifier.schedule import Schedule
from pyw2v.classifier.state import ClassifierState, pretrained_rows
from pyw2v.classifier.weights import line_weights
from pyw2v.io.fasttext_data import FastTextArgs, FastTextData
from pyw2v.progress import Progress, open_progress


class ClassifierTraining(Trainable):
    """`fit` and its kin. After them: `lr_` and `epochs_`, given or chosen, and `loss_history_`."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        callbacks: Iterable[Any] = (),
        checkpoint: Any = None,
        checkpoint_every: str | int = EVERY,
        resume: bool = False,
    ) -> Self:
        """Train from nothing on texts and labels.

        Parameters
        ----------
        X : iterable, str or os.PathLike
            Texts, strings or lists of tokens; or a file whose lines hold their labels.
        y : iterable, optional
            A label or a list of labels for each text, or an indicator matrix; None for a file.
        sample_weight : array_like, optional
            Factors on the learning rate, one a text.
        callbacks : iterable, default ()
            See `pyw2v.callbacks`; inside them the classifier is what it has learnt so far.
        checkpoint : str or os.PathLike, optional
            A folder for checkpoints, which `resume` goes on from.
        checkpoint_every : str or int, default "10m"
            Their distance: a time ("30s", "10m", "2h") or a number of epochs.
        resume : bool, default False
            Whether to finish the call that a callback or Ctrl-C ended early, or that was running
            when a callback saved the classifier, on the same texts and labels.

        Returns
        -------
        TextClassifier
            This classifier.

        Raises
        ------
        ValueError
            If a setting is out of range, labels are missing, or no word or label is left.
        FloatingPointError
            If training diverges.
        """
        self._check()
        watch = Watch.of(callbacks, checkpoint, checkpoint_every)
        if resume:
            return self._go_on(self._fitted.copied(), X, y, sample_weight, watch)
        targets = indicator.read_targets(y)
        loss = self.loss or _default_loss(targets)
        indicator.check_rows(targets, loss)
        with open_progress(self.progress) as progress:
            kind = LabelKind()
            lines = self._encoded(X, targets, kind, progress)
            vocabulary = self._counted(lines, targets, kind)
            rows = None
            if self.pretrained_vectors is not None:
                words, rows = pretrained_rows(self.pretrained_vectors, self.dim)
                vocabulary = labelled.with_words(lines, vocabulary, words)
            _check_vocabulary(vocabulary, self.min_count)
            progress.tell(
                tokens=lines.n_tokens, words=len(vocabulary.words), labels=len(vocabulary.labels)
            )
            state = self._new_state(lines, vocabulary, loss, kind, targets)
            state = self._covering(state, lines, vocabulary)
            if rows is not None:
                state.set_word_rows(words, rows)
            n_examples = self._train(state, lines, vocabulary, sample_weight, progress, [], watch)
        _ = state.predictor  # made now, not while the first text waits for its answer
        guess = classifier_schedule.loss_of_guessing(
            loss, vocabulary.label_counts, n_examples, self.negative
        )
        used = Schedule(self.lr_, self.epochs_)
        classifier_schedule.warn_if_little_was_learnt(self.loss_history_, guess, used)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        callbacks: Iterable[Any] = (),
        checkpoint: Any = None,
        checkpoint_every: str | int = EVERY,
    ) -> Self:
        """Train on, with words and labels that are new added; without a model yet, as `fit`.

        The numbers of rows and labels stay, and what was learnt with them. The learning rate starts
        at `lr` again; where `lr` is None, it and the epochs shrink with all the text that the model
        was trained on.

        Parameters
        ----------
        X : iterable, str or os.PathLike
            Texts, or a file whose lines hold their labels.
        y : iterable, optional
            Their labels.
        classes : iterable, optional
            Labels that may come later.
        sample_weight : array_like, optional
            Factors on the learning rate, one a text.
        callbacks : iterable, default ()
            See `pyw2v.callbacks`.
        checkpoint : str or os.PathLike, optional
            A folder for checkpoints.
        checkpoint_every : str or int, default "10m"
            Their distance: a time or a number of epochs.

        Returns
        -------
        TextClassifier
            This classifier.

        Raises
        ------
        ValueError
            If a setting is out of range, labels are missing, or the model is quantised or pruned.
        FloatingPointError
            If training diverges.
        """
        if self._state is None and classes is None:
            return self.fit(
                X,
                y,
                sample_weight,
                callbacks=callbacks,
                checkpoint=checkpoint,
                checkpoint_every=checkpoint_every,
            )
        self._check()
        watch = Watch.of(callbacks, checkpoint, checkpoint_every)
        old = self._state
        targets = indicator.read_targets(y)
        loss = self.loss or _default_loss(targets)
        if old is not None:
            loss = old.data.args.loss
            indicator.check_form(targets, len(old.labels) if old.indicator else None)
        indicator.check_rows(targets, loss)
        indicator.check_classes(targets, classes)
        with open_progress(self.progress) as progress:
            kind = LabelKind(old.integer_labels if old is not None and old.labels_given else None)
            lines = self._encoded(X, targets, kind, progress)
            found = self._counted(lines, targets, kind)
            if classes is not None:
                found = labelled.with_labels(found, classes, self.label_prefix, kind)
            if old is None:
                _check_vocabulary(found, self.min_count)
                state, vocabulary = self._new_state(lines, found, loss, kind, targets), found
            else:
                old.check_trainable()
                vocabulary = labelled.grown(lines, old.vocabulary, found)
                state = old.grown(vocabulary, lines.n_tokens, self.seed)
                state.integer_labels = bool(kind.integers)
            state = self._covering(state, lines, vocabulary)
            losses = self.loss_history_
            self._train(state, lines, vocabulary, sample_weight, progress, losses, watch)
        return self

    def retrain(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        callbacks: Iterable[Any] = (),
        checkpoint: Any = None,
        checkpoint_every: str | int = EVERY,
    ) -> Self:
        """Train on with the words and labels that there are, of a pruned model too.

        Parameters
        ----------
        X : iterable, str or os.PathLike
            Texts, or a file whose lines hold their labels.
        y : iterable, optional
            Their labels.
        sample_weight : array_like, optional
            Factors on the learning rate, one a text.
        callbacks : iterable, default ()
            See `pyw2v.callbacks`.
        checkpoint : str or os.PathLike, optional
            A folder for checkpoints.
        checkpoint_every : str or int, default "10m"
            Their distance: a time or a number of epochs.

        Returns
        -------
        TextClassifier
            This classifier.

        Raises
        ------
        ValueError
            If labels are missing, or the model is quantised.
        FloatingPointError
            If training diverges.
        """
        self._check()
        watch = Watch.of(callbacks, checkpoint, checkpoint_every)
        state = self._fitted
        targets = indicator.read_targets(y)
        indicator.check_form(targets, len(state.labels) if state.indicator else None)
        indicator.check_rows(targets, state.data.args.loss)
        with open_progress(self.progress) as progress:
            lines = self._encoded(X, targets, LabelKind(state.integer_labels), progress)
            vocabulary = labelled.entered(lines, state.vocabulary)
            state = self._covering(state.copied(), lines, vocabulary)
            losses = self.loss_history_
            self._train(state, lines, vocabulary, sample_weight, progress, losses, watch)
        return self

    def _go_on(
        self, state: ClassifierState, X: Any, y: Any, sample_weight: Any, watch: Watch
    ) -> Self:
        """Finish the run that `state` is in the middle of."""
        record = copy.copy(self._run_record)
        if record is None or not record.unfinished:
            raise ValueError("there is no unfinished call of fit() to resume")
        targets = indicator.read_targets(y)
        indicator.check_form(targets, len(state.labels) if state.indicator else None)
        with open_progress(self.progress) as progress:
            lines = self._encoded(X, targets, LabelKind(state.integer_labels), progress)
            vocabulary = labelled.entered(lines, state.vocabulary)
            losses = self.loss_history_
            self._train(state, lines, vocabulary, sample_weight, progress, losses, watch, record)
        return self

    @property
    def _fitted(self) -> ClassifierState:
        if self._state is None:
            raise ValueError("this TextClassifier is not fitted yet: call fit first")
        return self._state

    def _encoded(self, X: Any, y: Any, kind: LabelKind, progress: Progress) -> Lines:
        def report(done: int, total: int) -> None:
            progress(done, total, "bytes")

        lines = labelled.encode(X, y, self.label_prefix, kind, report)
        if not lines.n_lines:
            raise ValueError("X must hold at least one text, got none")
        progress.close()
        return lines

    def _counted(self, lines: Lines, targets: Any, kind: LabelKind) -> Vocabulary:
        """Return the words and labels of these lines; of a matrix all columns, used or not."""
        if not isinstance(targets, Indicator):
            return labelled.count(lines, self.min_count, self.min_count_label)
        found = labelled.count(lines, self.min_count, 0)
        if not found.labels:
            return found
        return labelled.with_labels(found, range(targets.n_columns), self.label_prefix, kind)

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
            output=_matrices.zeros(len(vocabulary.labels), self.dim),
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
        watch: Watch,
        record: RunRecord | None = None,
    ) -> int:
        """Train `state`, and take it when that is done; return of how many lines it learns.

        `losses` are those of epochs before; a `record` is of a run that goes on.
        """
        data, losses = state.data, list(losses)
        weights = line_weights(sample_weight, lines.n_lines)
        source = fingerprint(lines, weights)
        if record is None:
            record = new_record(self, state, lines, source)
        else:
            record.data.check(source)
            record.data, record.over = source, False
        schedule = Schedule(float(record.more["lr"]), record.epochs)
        data.args = replace(data.args, epoch=schedule.epochs)
        fit = Fit(self, state, schedule, losses, record)
        if schedule.epochs == 0:  # the first weights, or pretrained vectors, as they are
            fit.show()
            return 0
        run = FitRun(fit, lines, vocabulary.entries, weights, progress, watch)
        try:
            run.train(self, watch.hooks)
        except KeyboardInterrupt as stop:
            # What was fitted before is not lost to a try that somebody thought better of.
            fit.hide()
            kept = self if self._state is None else copy.copy(self)
            fit.show(kept)
            hand_over(stop, kept)
            raise
        except BaseException:
            fit.hide()
            raise
        return run.n_examples


def _default_loss(targets: Any) -> str:
    """One label for a text, or, of a matrix, any number of them."""
    return "ova" if isinstance(targets, Indicator) else "softmax"


def _check_vocabulary(vocabulary: Vocabulary, min_count: int) -> None:
    if not vocabulary.labels:
        raise ValueError("there are no labels: give y, or lines that hold labels")
    if not vocabulary.words:
        raise ValueError(f"no word occurs min_count = {min_count} times or more")
