"""`TextClassifier`: fastText's supervised model in the manner of scikit-learn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pyw2v import _classifier_file, _classifier_quantize, _indicator, _labelled
from pyw2v._checks import check_float, check_int, resolve_workers
from pyw2v._classifier_state import ClassifierState
from pyw2v._classifier_training import ClassifierTraining, line_weights
from pyw2v.fasttext_data import FastTextData

_BATCH_LINES = 16384  # asked at a time, between two looks at Ctrl-C
_LIKELY = 0.5  # labels above it are predicted, where a text may have any number of them
_FITTED = ("lr_", "epochs_")  # what files keep beside settings and loss_history_


class TextClassifier(ClassifierTraining):
    """A text is the mean of the rows of its words and n-grams; a linear layer gives its label.

        model = TextClassifier(word_ngrams=2).fit(texts, labels)
        model.predict(["what is this about?"])

    `fit` takes texts (strings or lists of tokens) and a label, or list of labels, for each; or the
    path of a file in fastText's form, whose lines hold their labels behind `label_prefix`.

    Labels may also be scikit-learn's indicator matrix: 0 and 1 in a row for each text and a column
    for each label, as an array, a data frame or a sparse matrix. Labels are then the numbers of the
    columns, `predict` gives a matrix, too, and `score` the share of rows that are wholly right. A
    row without any 1 is a text that has none of the labels. One column is one label for each text,
    and a matrix of strings a list of labels for each.

    lr, epochs
        The first learning rate, which falls to 0, and how often all texts are read. None chooses by
        the number of texts and labels: until 5,000 * labels = lr * epochs * texts (twice that with
        word n-grams), lr first, from 0.1 to 1, then epochs, from 5 to 100.
    loss
        "softmax"; "hs" (a Huffman tree, for very many labels); "ns" (negative sampling); "ova"
        (one-vs-all: every label for itself, for texts that have several). None is "ova" for an
        indicator matrix, else "softmax".
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

    After fitting: `classes_` (sorted), `lr_` and `epochs_` (given or chosen), `loss_history_` (mean
    loss of each epoch, before weights), `data` (all of it, as a fastText file holds it).

    Ctrl-C ends training at once. The `KeyboardInterrupt` has a classifier, as far as it was
    trained, as its attribute `model`: this one, or if this one was fitted before and so stays as it
    was, another.
    """

    # -- answers ---------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a model; for scikit-learn."""
        return self._state is not None

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
        """Return the likeliest label of each text; of one without features, the most frequent.

        After fitting with an indicator matrix: such a matrix, with the labels that are likelier
        than 0.5, or with the loss "softmax" or "hs" the likeliest.
        """
        state = self._fitted
        if state.indicator and state.data.args.loss in ("ova", "ns"):
            return (self.predict_proba(X) > _LIKELY).astype(np.int64)
        labels, _, n_found = self._answers(X, 1, 0.0)
        chosen = np.where(n_found > 0, labels[:, 0], int(np.argmax(state.data.label_counts)))
        columns = state.columns[chosen]
        if state.indicator:
            one = np.zeros((len(columns), len(state.labels)), np.int64)
            one[np.arange(len(columns)), columns] = 1
            return one
        found: npt.NDArray[Any] = state.classes[columns]
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

        X may be the path of a file with labels inside; its lines without any do not count. After
        fitting with an indicator matrix y is one, too, and rows count that are wholly right.
        """
        state = self._fitted
        if _labelled.is_path(X):
            if y is not None:
                raise ValueError("a file has its labels inside: y must be None with a path")
            X, y = state.read_labelled(X)
        elif y is None:
            raise ValueError("score needs y, the labels of the texts")
        targets = _labelled.targets_of(_indicator.read_targets(y))
        _indicator.check_form(targets, len(state.labels) if state.indicator else None)
        truth = [_labelled.labels_of(value) for value in targets]
        found = self.predict(X)
        if len(found) != len(truth):
            raise ValueError(f"X and y must be of one length, got {len(found)} and {len(truth)}")
        if not len(found):
            raise ValueError("score needs at least one labelled text, got none")
        if state.indicator:
            right = (found == targets.to_dense()).all(axis=1).tolist()
        else:
            right = [label in labels for label, labels in zip(found.tolist(), truth, strict=True)]
        weights = line_weights(sample_weight, len(right))
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
        model._state = self._fitted.of(data)
        vars(model).update({name: vars(self)[name] for name in _FITTED if name in vars(self)})
        return model

    def save(self, path: Any) -> None:
        """Write one file in the safetensors format; an older file stays intact on error."""
        settings = {
            name: value
            for name, value in self.get_params().items()
            if name not in ("pretrained_vectors", "class_weight")
        }
        settings["loss_history"] = self.loss_history_
        settings |= {name: vars(self)[name] for name in _FITTED if name in vars(self)}
        _classifier_file.save(path, self._fitted, settings)

    @classmethod
    def load(cls, path: Any) -> Self:
        """Read a model that `save` wrote. Class weights and pretrained vectors are not kept."""
        state, settings = _classifier_file.load(cls, path)
        history = settings.pop("loss_history")
        fitted = {name: settings.pop(name) for name in _FITTED if name in settings}
        unknown = sorted(set(settings) - set(cls._names()))
        if unknown:  # of a newer version, perhaps
            raise ValueError(f"{path} has settings unknown to {cls.__name__}: {', '.join(unknown)}")
        model = cls(**settings)
        vars(model).update(fitted)
        model.loss_history_ = [float(loss) for loss in history]
        model._state = state
        return model
