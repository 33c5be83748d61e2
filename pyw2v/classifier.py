"""`TextClassifier`: fastText's supervised model in the manner of scikit-learn."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pyw2v import _classifier_file, _classifier_quantize, _labelled, _weights
from pyw2v._buckets import BucketRows
from pyw2v._checks import check_float, check_int, resolve_workers
from pyw2v._classifier_settings import ClassifierSettings
from pyw2v._classifier_state import ClassifierState, pretrained_rows
from pyw2v._core.classifier import ClassifierTrainer
from pyw2v._core.lines import Lines
from pyw2v._core.matrix import SpreadRows
from pyw2v._epochs import run_epoch
from pyw2v._labelled import LabelKind, Vocabulary
from pyw2v.fasttext_data import FastTextArgs, FastTextData
from pyw2v.progress import Progress, open_progress

logger = logging.getLogger(__name__)

_BATCH_LINES = 16384  # asked at a time, between two looks at Ctrl-C


class TextClassifier(ClassifierSettings):
    """A text is the mean of the rows of its words and n-grams; a linear layer gives its label.

        model = TextClassifier(word_ngrams=2).fit(texts, labels)
        model.predict(["what is this about?"])

    `fit` takes texts (strings or lists of tokens) and a label, or list of labels, for each; or the
    path of a file in fastText's form, whose lines hold their labels behind `label_prefix`.

    loss
        "softmax"; "hs" (a Huffman tree, for very many labels); "ns" (negative sampling); "ova"
        (one-vs-all: every label for itself, for texts that have several).
    class_weight
        Factors on the learning rate by label, or "balanced"; None is 1 for all.
    pretrained_vectors
        `KeyedVectors`, or the path of a `.vec` or `.bin` file: first values of the words' rows.
    bucket
        Rows for n-grams; those that the training text does not use are zero and take no memory.
    shuffle
        Read the lines in a random order: rows sorted by label teach little otherwise.
    workers
        Threads, 0 or less: one a core. One worker and one seed give the same model, bit for bit.

    After fitting: `classes_` (sorted), `loss_history_` (mean loss of each epoch, before weights),
    `data` (all of it, as a fastText file holds it).
    """

    _state: ClassifierState | None = None

    # -- training --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train from nothing on rows X and labels y, or on a file (its path, and no y)."""
        self._check()
        with open_progress(self.progress) as progress:
            kind = LabelKind()
            lines = self._encoded(X, y, kind, progress)
            vocabulary = _labelled.count(lines, self.min_count, self.min_count_label)
            rows = None
            if self.pretrained_vectors is not None:
                words, rows = pretrained_rows(self.pretrained_vectors, self.dim)
                vocabulary = _labelled.with_words(lines, vocabulary, words)
            _check_vocabulary(vocabulary, self.min_count)
            progress.tell(
                tokens=lines.n_tokens, words=len(vocabulary.words), labels=len(vocabulary.labels)
            )
            state = self._new_state(lines, vocabulary, bool(kind.integers))
            state = self._covering(state, lines, vocabulary)
            if rows is not None:
                state.set_word_rows(words, rows)
            self.loss_history_ = []
            self._train(state, lines, vocabulary, sample_weight, progress)
        _ = self._fitted.predictor  # made now, not while the first text waits for its answer
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Train on, with words and labels that are new added; without a model yet, as `fit`.

        `classes` names labels that may come later. The learning rate starts at `lr` again. Row and
        label numbers that there are stay, and what was learnt with them.
        """
        if self._state is None and classes is None:
            return self.fit(X, y, sample_weight)
        self._check()
        with open_progress(self.progress) as progress:
            old = self._state
            kind = LabelKind(old.integer_labels if old is not None and old.labels_given else None)
            lines = self._encoded(X, y, kind, progress)
            found = _labelled.count(lines, self.min_count, self.min_count_label)
            if classes is not None:
                found = _labelled.with_labels(found, classes, self.label_prefix, kind)
            if old is None:
                _check_vocabulary(found, self.min_count)
                state, vocabulary = self._new_state(lines, found, bool(kind.integers)), found
            else:
                old.check_trainable()
                vocabulary = _labelled.grown(lines, old.vocabulary, found)
                state = old.grown(vocabulary, lines.n_tokens, self.seed)
                state.integer_labels = bool(kind.integers)
            state = self._covering(state, lines, vocabulary)
            self._train(state, lines, vocabulary, sample_weight, progress)
        return self

    def retrain(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on with the words and labels that there are, of a pruned model too."""
        self._check()
        state = self._fitted
        with open_progress(self.progress) as progress:
            lines = self._encoded(X, y, LabelKind(state.integer_labels), progress)
            vocabulary = _labelled.entered(lines, state.vocabulary)
            state = self._covering(state.copied(), lines, vocabulary)
            self._train(state, lines, vocabulary, sample_weight, progress)
        return self

    def _encoded(self, X: Any, y: Any, kind: LabelKind, progress: Progress) -> Lines:
        def report(done: int, total: int) -> None:
            progress(done, total, "bytes")

        lines = _labelled.encode(X, y, self.label_prefix, kind, report)
        progress.close()
        return lines

    def _new_state(self, lines: Lines, vocabulary: Vocabulary, integers: bool) -> ClassifierState:
        args = FastTextArgs(
            dim=self.dim,
            epoch=self.epochs,
            min_count=self.min_count,
            neg=self.negative,
            word_ngrams=self.word_ngrams,
            loss=self.loss,
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
        return ClassifierState(data, self.label_prefix, integers)

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
    ) -> None:
        data = state.data
        if self.epochs == 0:  # the first weights, or pretrained vectors, as they are
            self._state = state
            return
        order = None
        if self.shuffle:
            order = np.random.default_rng(self.seed).permutation(lines.n_lines).astype(np.int64)
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
                line_weights=_line_weights(sample_weight, lines.n_lines),
                order=order,
                lr=float(self.lr),
                epochs=self.epochs,
                seed=self.seed,
                workers=resolve_workers(self.workers),
            )
            progress.begin("train", self.epochs * lines.n_lines, "lines")
            for epoch in range(self.epochs):
                self._epoch(trainer, epoch, lines.n_lines, progress)
        state.forget_answers()
        self._state = state

    def _epoch(
        self, trainer: ClassifierTrainer, epoch: int, n_lines: int, progress: Progress
    ) -> None:
        note = f"epoch {epoch + 1}/{self.epochs}"
        if self.loss_history_:
            note += f", loss {self.loss_history_[-1]:.4f}"
        try:
            result = run_epoch(
                trainer,
                epoch,
                lambda: progress.update(epoch * n_lines + trainer.lines_done, note),
            )
        except FloatingPointError as error:
            raise FloatingPointError(f"{error}; try a smaller lr (now {self.lr:g})") from error
        if result.examples == 0:
            raise ValueError("no line has both a label and a word that was kept")
        self.loss_history_.append(float(result.loss) / result.examples)
        progress.tell(loss=self.loss_history_[-1])
        progress.update((epoch + 1) * n_lines, note)  # short epochs end between two looks
        logger.info("epoch %d: loss %.4f", epoch, self.loss_history_[-1])

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

    # -- answers ---------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a model; for scikit-learn."""
        return self._state is not None

    @property
    def _fitted(self) -> ClassifierState:
        if self._state is None:
            raise ValueError("this TextClassifier is not fitted yet: call fit first")
        return self._state

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, sorted: the columns of `predict_proba`."""
        return self._fitted.classes

    def top(
        self,
        X: Any,
        k: int = 5,
        threshold: float = 0.0,
    ) -> list[list[tuple[Any, float]]]:
        """Return up to k labels of each text with their probabilities, the likeliest first."""
        state = self._fitted
        labels, probabilities, n_found = self._answers(X, check_int("k", k, minimum=1), threshold)
        names = state.labels
        return [
            [(names[label], p) for label, p in zip(ids[:n], some[:n], strict=True)]
            for ids, some, n in zip(
                labels.tolist(), probabilities.tolist(), n_found.tolist(), strict=True
            )
        ]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the likeliest label of each text; of one without features, the most frequent."""
        state = self._fitted
        labels, _, n_found = self._answers(X, 1, 0.0)
        chosen = np.where(n_found > 0, labels[:, 0], int(np.argmax(state.data.label_counts)))
        found: npt.NDArray[Any] = state.classes[state.columns[chosen]]
        return found

    def predict_proba(self, X: Any) -> npt.NDArray[np.float32]:
        """Return the probability of every label for each text, in the order of `classes_`.

        Rows sum to 1 with the losses "softmax" and "hs"; with "ova" and "ns" every label is judged
        for itself. A text without features has zeros.
        """
        state = self._fitted
        n_labels = len(state.labels)
        labels, probabilities, n_found = self._answers(X, n_labels, 0.0)
        out = np.zeros((len(labels), n_labels), np.float32)
        known = np.flatnonzero(n_found)
        out[known[:, np.newaxis], state.columns[labels[known]]] = probabilities[known]
        return out

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of texts whose likeliest label is one of theirs (precision at 1).

        X may be the path of a file with labels inside; its lines without any do not count.
        """
        if _labelled.is_path(X):
            if y is not None:
                raise ValueError("a file has its labels inside: y must be None with a path")
            X, y = self._fitted.read_labelled(X)
        elif y is None:
            raise ValueError("score needs y, the labels of the texts")
        truth = [_labelled.labels_of(value) for value in y]
        found = self.predict(X).tolist()
        if len(found) != len(truth):
            raise ValueError(f"X and y must be of one length, got {len(found)} and {len(truth)}")
        if not found:
            raise ValueError("score needs at least one labelled text, got none")
        right = [label in labels for label, labels in zip(found, truth, strict=True)]
        weights = _line_weights(sample_weight, len(right))
        return float(np.average(right, weights=weights))

    def _answers(self, X: Any, k: int, threshold: float) -> Any:
        threshold = check_float("threshold", threshold)
        texts = [_labelled.row_bytes(row) + b"\n" for row in _labelled.rows_of(X)]
        workers = resolve_workers(self.workers)
        predictor = self._fitted.predictor
        parts = [
            predictor.predict(texts[at : at + _BATCH_LINES], k, threshold, workers=workers)
            for at in range(0, max(len(texts), 1), _BATCH_LINES)
        ]
        return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))

    def text_vectors(self, X: Any) -> npt.NDArray[np.float32]:
        """Return the mean of the feature rows of each text: what its label is predicted from."""
        texts = [_labelled.row_bytes(row) + b"\n" for row in _labelled.rows_of(X)]
        return self._fitted.predictor.hidden(texts, resolve_workers(self.workers))

    # -- files -----------------------------------------------------------------------------------

    @property
    def data(self) -> FastTextData:
        """Everything a fastText file holds of this model; arrays are shared, not copied."""
        return self._fitted.data

    @classmethod
    def from_data(
        cls, data: FastTextData, label_prefix: str = "__label__", **settings: Any
    ) -> Self:
        """Return a classifier made of what a fastText file holds; arrays are shared.

        `settings` are further arguments of the constructor, such as lr or workers.
        """
        if data.args.model != "supervised":
            raise ValueError(f"a classifier needs a supervised model, got {data.args.model!r}")
        args = data.args
        kept: dict[str, Any] = {
            "dim": args.dim,
            "epochs": max(args.epoch, 0),
            "loss": args.loss,
            "word_ngrams": max(args.word_ngrams, 1),
            "min_count": max(args.min_count, 0),
            "min_n": max(args.minn, 0),
            "max_n": max(args.maxn, 0),
            "bucket": args.bucket,
            "negative": max(args.neg, 1),
            "label_prefix": label_prefix,
        }
        model = cls(**{**kept, **settings})
        model._check()
        model._state = ClassifierState(data, label_prefix, integer_labels=False)
        return model

    def quantize(
        self,
        *,
        cutoff: int = 0,
        retrain: bool = False,
        X: Any = None,
        y: Any = None,
        **options: Any,
    ) -> Self:
        """Return the same classifier in a fraction of the bytes; it cannot be trained on.

        `cutoff` above 0 keeps only so many rows of words and n-grams, those of largest norm, and
        `retrain` trains these on X and y before they are quantised. Options: `qnorm=False` (lengths
        of rows apart), `qout=False` (rows of labels too), `dsub=2` (numbers a byte stands for).
        """
        if retrain and X is None:
            raise ValueError("retrain needs X, the text to train on")

        def trained(pruned: FastTextData) -> FastTextData:
            own = pruned.replace(output=np.array(pruned.output))  # this model keeps its rows
            return self._of(own).retrain(X, y).data

        again = trained if retrain else None
        return self._of(
            _classifier_quantize.quantize(
                self.data, cutoff=cutoff, retrain=again, workers=self.workers, **options
            )
        )

    def _of(self, data: FastTextData) -> Self:
        """Return a classifier with these settings and other data."""
        model = type(self)(**self.get_params())
        model._state = ClassifierState(data, self.label_prefix, self._fitted.integer_labels)
        return model

    def save(self, path: Any) -> None:
        """Write one file in the safetensors format; an older file stays intact on error."""
        settings = {
            name: value
            for name, value in self.get_params().items()
            if name not in ("pretrained_vectors", "class_weight")
        }
        settings["loss_history"] = self.loss_history_
        _classifier_file.save(path, self._fitted, settings)

    @classmethod
    def load(cls, path: Any) -> Self:
        """Read a model that `save` wrote. Class weights and pretrained vectors are not kept."""
        state, settings = _classifier_file.load(cls, path)
        history = settings.pop("loss_history")
        model = cls(**settings)
        model.loss_history_ = [float(loss) for loss in history]
        model._state = state
        return model


def _check_vocabulary(vocabulary: Vocabulary, min_count: int) -> None:
    if not vocabulary.labels:
        raise ValueError("there are no labels: give y, or lines that hold labels")
    if not vocabulary.words:
        raise ValueError(f"no word occurs min_count = {min_count} times or more")


def _line_weights(weights: Any, n_lines: int) -> npt.NDArray[np.float32] | None:
    if weights is None:
        return None
    values = np.ascontiguousarray(weights, np.float32)
    if values.shape != (n_lines,):
        raise ValueError(f"sample_weight must hold {n_lines} numbers, got shape {values.shape}")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("sample_weight must be finite and not negative")
    return values
