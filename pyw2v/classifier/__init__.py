"""`TextClassifier`: fastText's supervised model in the manner of scikit-learn.

Texts and labels become numbers in `labelled` and `indicator`, what was learnt is in `state`, and
`training` runs the epochs. `quantize` makes a model small, `autotune` searches for good settings,
`meters` measures precision and recall, and `file` stores a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pyw2v._runs import checkpoint as _checkpoint
from pyw2v._runs.checkpoint import Contents
from pyw2v._shared.checks import check_float, check_int, resolve_workers
from pyw2v._shared.settings import also_known_as
from pyw2v.callbacks import Callbacks
from pyw2v.classifier import file as classifier_file
from pyw2v.classifier import indicator, labelled
from pyw2v.classifier import quantize as classifier_quantize
from pyw2v.classifier.run import Watch
from pyw2v.classifier.settings import CLASSIFIER
from pyw2v.classifier.state import ClassifierState
from pyw2v.classifier.training import ClassifierTraining
from pyw2v.classifier.weights import line_weights
from pyw2v.io import fields, native
from pyw2v.io.fasttext_data import FastTextData
from pyw2v.progress import Progress

_BATCH_LINES = 16384  # predicted at a time, between two checks for Ctrl-C
_LIKELY = 0.5  # labels above it are predicted, where a text may have any number of them
# What files keep beside the settings.
_FITTED: fields.Rules = {
    "lr_": fields.default(None, fields.real(0.0)),
    "epochs_": fields.default(None, fields.integer()),
    "loss_history": fields.listed(fields.measured),
}


class TextClassifier(ClassifierTraining):
    """A text is the mean of the rows of its words and n-grams; a linear layer gives its label.

    `fit` takes texts (strings or lists of tokens) and a label, or list of labels, for each; or the
    path of a file in fastText's form, whose lines hold their labels behind `label_prefix`.

    Labels may also be scikit-learn's indicator matrix: 0 and 1 in a row for each text and a column
    for each label, as an array, a data frame or a sparse matrix. Labels are then the numbers of the
    columns, `predict` gives a matrix, too, and `score` the share of rows that are wholly right. A
    row without any 1 is a text that has none of the labels. One column is one label for each text,
    and a matrix of strings a list of labels for each.

    `fit(..., callbacks=[...])` calls hooks between epochs, such as `pyw2v.callbacks.EarlyStopping`,
    and `fit(..., checkpoint="folder")` writes checkpoints, which `TextClassifier.resume` goes on
    from.

    Ctrl-C ends training at once. The `KeyboardInterrupt` has a classifier, as far as it was
    trained, as its attribute `model`: this one, or if this one was fitted before and so stays as it
    was, another.

    Parameters
    ----------
    dim : int, default 100
        Numbers per row of a word or n-gram. Also: `vector_size`.
    lr : float, optional
        The learning rate at the start, which falls to 0. None chooses it by the number of texts and
        labels: until 5,000 * labels = lr * epochs * texts (twice that with n-grams of words), `lr`
        first, from 0.1 to 1, then `epochs`, from 5 to 100. Also: `learning_rate`.
    epochs : int, optional
        How often all texts are read; None chooses, see `lr`.
    loss : str, optional
        "softmax"; "hs" (a Huffman tree, for very many labels); "ns" (negative sampling); "ova"
        (one-vs-all: every label for itself, for texts that have several). None is "ova" for an
        indicator matrix, else "softmax".
    word_ngrams : int, default 1
        The largest number of words of an n-gram of words.
    min_count : int, default 1
        Rarer words are ignored.
    min_count_label : int, default 0
        Rarer labels are ignored.
    min_n : int, default 0
        The least number of characters of an n-gram of characters.
    max_n : int, default 0
        The largest number; 0 for no n-grams of characters.
    bucket : int, default 2_000_000
        Rows for n-grams; those that the training text does not use are zero and take no memory.
    negative : int, default 5
        Labels drawn for the loss "ns".
    label_prefix : str, default "__label__"
        How tokens of a file that are labels begin.
    pretrained_vectors : object, optional
        `KeyedVectors`, or the path of a `.vec` or `.bin` file: first values of the words' rows.
    class_weight : mapping or str, optional
        Factors on the learning rate by label, or "balanced"; None is 1 for all.
    shuffle : bool, default True
        Read the lines in a random order: rows sorted by label teach little otherwise.
    workers : int, default -1
        Threads; 0 or less stands for every core.
    seed : int, default 0
        One worker and one seed give the same model, bit for bit.
    progress : bool or Progress or None, default False
        True shows a progress bar (tqdm if it is installed), None only on a terminal. A
        `pyw2v.progress.Progress` is called instead.

    Raises
    ------
    TypeError
        An argument that there is not. In the manner of scikit-learn, values are checked when
        training starts.

    See Also
    --------
    pyw2v.autotune.autotune : Find good settings by trying them on validation text.
    pyw2v.fasttext.train_supervised : The same model with fastText's arguments and defaults.

    Notes
    -----
    After fitting there are `classes_` (sorted), `lr_` and `epochs_` (given or chosen),
    `epochs_trained` of these, `loss_history` (mean loss of each epoch, before weights; also
    `loss_history_`) and `data` (all of it, as a fastText file holds it).

    Examples
    --------
    >>> from pyw2v import TextClassifier
    >>> texts = ["good fine day", "bad poor night", "fine and good", "poor and bad"] * 10
    >>> labels = ["up", "down", "up", "down"] * 10
    >>> model = TextClassifier(dim=10, workers=1).fit(texts, labels)
    >>> model.predict(["a good day"]).tolist()
    ['up']
    """

    @also_known_as(CLASSIFIER.aliases)
    def __init__(
        self,
        *,
        dim: int = 100,
        lr: float | None = None,
        epochs: int | None = None,
        loss: str | None = None,
        word_ngrams: int = 1,
        min_count: int = 1,
        min_count_label: int = 0,
        min_n: int = 0,
        max_n: int = 0,
        bucket: int = 2_000_000,
        negative: int = 5,
        label_prefix: str = "__label__",
        pretrained_vectors: Any = None,
        class_weight: Mapping[Any, float] | str | None = None,
        shuffle: bool = True,
        workers: int = -1,
        seed: int = 0,
        progress: bool | Progress | None = False,
    ) -> None:
        self._settings.take(self, locals())
        self.loss_history_ = []

    # -- predictions -----------------------------------------------------------------------------

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
        """Return the likeliest labels of each text.

        Parameters
        ----------
        X : iterable of str or of list of str
            The texts.
        k : int, default 5
            At most so many labels a text.
        threshold : float, default 0.0
            Leave out labels that are less probable.

        Returns
        -------
        list of list of tuple
            (label, probability), likeliest first; empty for a text without features.

        Raises
        ------
        ValueError
            If the classifier is not fitted, or k is below 1.
        """
        state = self._fitted
        k = check_int("k", k, minimum=1)
        labels, probabilities, n_found = self._predict_top(state, X, k, threshold)
        names = state.labels
        return [
            [(names[label], p) for label, p in zip(ids[:n], some[:n], strict=True)]
            for ids, some, n in zip(
                labels.tolist(), probabilities.tolist(), n_found.tolist(), strict=True
            )
        ]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the likeliest label of each text.

        Parameters
        ----------
        X : iterable of str or of list of str
            The texts.

        Returns
        -------
        ndarray of shape (n_texts,) or (n_texts, n_labels)
            The labels; the most frequent one for a text without features. After fitting with an
            indicator matrix: such a matrix, with the labels that are likelier than 0.5, or with the
            loss "softmax" or "hs" the likeliest.

        Raises
        ------
        ValueError
            If the classifier is not fitted.

        Examples
        --------
        >>> from pyw2v import TextClassifier
        >>> texts, labels = ["good film", "bad film"] * 20, ["+", "-"] * 20
        >>> model = TextClassifier(dim=4, lr=1.0, epochs=10, workers=1).fit(texts, labels)
        >>> model.predict(["good", "bad"]).tolist()
        ['+', '-']
        """
        return self._predicted(self._fitted, X)

    def _predicted(self, state: ClassifierState, X: Any) -> npt.NDArray[Any]:
        if state.indicator and state.data.args.loss in ("ova", "ns"):
            return (self._probabilities(state, X) > _LIKELY).astype(np.int64)
        labels, _, n_found = self._predict_top(state, X, 1, 0.0)
        chosen = np.where(n_found > 0, labels[:, 0], int(np.argmax(state.data.label_counts)))
        columns = state.columns[chosen]
        if state.indicator:
            one = np.zeros((len(columns), len(state.labels)), np.int64)
            one[np.arange(len(columns)), columns] = 1
            return one
        found: npt.NDArray[Any] = state.classes[columns]
        return found

    def predict_proba(self, X: Any) -> npt.NDArray[np.float32]:
        """Return the probability of every label for each text.

        Parameters
        ----------
        X : iterable of str or of list of str
            The texts.

        Returns
        -------
        ndarray of float32, shape (n_texts, n_labels)
            Columns are in the order of `classes_`. Rows sum to 1 with the losses "softmax" and
            "hs"; with "ova" and "ns" every label is judged by itself. A text without features has
            zeros.

        Raises
        ------
        ValueError
            If the classifier is not fitted.
        """
        return self._probabilities(self._fitted, X)

    def _probabilities(self, state: ClassifierState, X: Any) -> npt.NDArray[np.float32]:
        n_labels = len(state.labels)
        labels, probabilities, n_found = self._predict_top(state, X, n_labels, 0.0)
        out = np.zeros((len(labels), n_labels), np.float32)
        known = np.flatnonzero(n_found)
        out[known[:, np.newaxis], state.columns[labels[known]]] = probabilities[known]
        return out

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of texts whose likeliest label is one of theirs (precision at 1).

        Parameters
        ----------
        X : iterable, str or os.PathLike
            The texts, or a file with labels in it; its lines without any do not count.
        y : iterable, optional
            The labels of the texts; after fitting with an indicator matrix such a matrix, and rows
            count that are wholly right.
        sample_weight : array_like, optional
            Weights of the texts.

        Returns
        -------
        float
            From 0 to 1.

        Raises
        ------
        ValueError
            If labels are missing, there is no text, or lengths differ.
        """
        state = self._fitted
        in_file = labelled.is_path(X)
        if in_file:
            if y is not None:
                raise ValueError("a file has its labels inside: y must be None with a path")
            X, y = state.read_labelled(X)
        elif y is None:
            raise ValueError("score needs y, the labels of the texts")
        targets = labelled.targets_of(indicator.read_targets(y))
        indicator.check_form(targets, len(state.labels) if state.indicator else None)
        # In a file, a label may be empty: fit reads it so, as fastText does.
        truth = y if in_file else [labelled.labels_of(value) for value in targets]
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

    def _predict_top(self, state: ClassifierState, X: Any, k: int, threshold: float) -> Any:
        threshold = check_float("threshold", threshold)
        texts = [labelled.row_bytes(row) + b"\n" for row in labelled.rows_of(X)]
        workers = resolve_workers(self.workers)
        predictor = state.predictor
        parts = [
            predictor.predict(texts[at : at + _BATCH_LINES], k, threshold, workers=workers)
            for at in range(0, max(len(texts), 1), _BATCH_LINES)
        ]
        return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))

    def text_vectors(self, X: Any) -> npt.NDArray[np.float32]:
        """Return the mean of the feature rows of each text: what its label is predicted from.

        Parameters
        ----------
        X : iterable of str or of list of str
            The texts.

        Returns
        -------
        ndarray of float32, shape (n_texts, dim)
            The vectors.
        """
        texts = [labelled.row_bytes(row) + b"\n" for row in labelled.rows_of(X)]
        return self._fitted.predictor.hidden(texts, resolve_workers(self.workers))

    # -- files -----------------------------------------------------------------------------------

    def _learnt(self) -> list[Any]:
        """Return all arrays that training changes."""
        return [self._fitted.input_rows, self._fitted.data.output]

    def _inputs_changed(self) -> None:
        self._fitted.drop_predictor()

    @property
    def data(self) -> FastTextData:
        """Everything a fastText file holds of this model; arrays are shared, not copied."""
        return self._fitted.data

    @classmethod
    def from_data(
        cls, data: FastTextData, label_prefix: str = "__label__", **settings: Any
    ) -> Self:
        """Return a classifier made of what a fastText file holds; arrays are shared.

        Parameters
        ----------
        data : FastTextData
            The content of a file.
        label_prefix : str, default "__label__"
            What labels begin with.
        **settings : object
            Further arguments of the constructor, such as `lr` or `workers`.

        Returns
        -------
        TextClassifier
            The classifier.

        Raises
        ------
        ValueError
            If the data are not of a supervised model.
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
        model = cls(**{**kept, **CLASSIFIER.renamed(settings)})
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
        """Return the same classifier in a fraction of the bytes; it cannot be trained further.

        Parameters
        ----------
        cutoff : int, default 0
            Above 0: keep only so many rows of words and n-grams, those of largest norm.
        retrain : bool, default False
            Whether to train the kept rows on X and y before they are quantised.
        X : iterable, str or os.PathLike, optional
            The texts to retrain on.
        y : iterable, optional
            Their labels.
        **options : int or bool
            `qnorm` (False): lengths of rows apart; `qout` (False): rows of labels too; `dsub` (2):
            numbers that a byte stands for.

        Returns
        -------
        TextClassifier
            The small classifier.

        Raises
        ------
        ValueError
            If `retrain` is set without X, or there are too few rows to quantise.
        """
        if retrain and X is None:
            raise ValueError("retrain needs X, the text to train on")

        state = self._fitted

        def trained(pruned: FastTextData) -> FastTextData:
            own = pruned.replace(output=np.array(pruned.output))  # this model keeps its rows
            return self._with_state(state.with_data(own)).retrain(X, y).data

        again = trained if retrain else None
        small = classifier_quantize.quantize(
            state.data, cutoff=cutoff, retrain=again, workers=self.workers, **options
        )
        return self._with_state(state.with_data(small))

    def _with_state(self, state: ClassifierState) -> Self:
        """Return a classifier with these settings and another model."""
        model = type(self)(**self.get_params())
        model._state = state
        vars(model).update({name: vars(self)[name] for name in _FITTED if name in vars(self)})
        return model

    def save(self, path: Any) -> None:
        """Write one file in the safetensors format; an older file stays intact if anything fails.

        Parameters
        ----------
        path : str, os.PathLike or binary file
            Where to write.
        """
        native.save(path, *self._contents())

    def _contents(self) -> Contents:
        settings = {
            name: value
            for name, value in self.get_params().items()
            if name not in CLASSIFIER or CLASSIFIER[name].stored is not False
        }
        settings["loss_history"] = self.loss_history_
        settings |= {name: vars(self)[name] for name in _FITTED if name in vars(self)}
        return classifier_file.contents(self._fitted, settings, self._run_record)

    @classmethod
    def load(cls, path: Any, verify: bool = False) -> Self:
        """Read a model that `save` wrote. Class weights and pretrained vectors are not kept.

        Parameters
        ----------
        path : str or os.PathLike
            What to read.
        verify : bool, default False
            Compare the file with the checksum in it.

        Returns
        -------
        TextClassifier
            The classifier.

        Raises
        ------
        ValueError
            If the content is damaged, the file holds an object of another kind, or the checksum
            differs or is missing.
        """
        state, settings, record = classifier_file.load(cls, path, verify)
        with fields.sound(path, "TextClassifier"):
            fitted = fields.checked(settings, _FITTED)
            fitted = {name: value for name, value in fitted.items() if value is not None}
            given = {name: value for name, value in settings.items() if name not in _FITTED}
            unknown = sorted(given.keys() - set(cls._names()))
            if unknown:  # of a newer version, perhaps
                raise ValueError(f"it has settings unknown to {cls.__name__}: {', '.join(unknown)}")
            # Those that are not in the table are a user's own, of a class made of this one.
            checked = CLASSIFIER.from_file(given)
            model = cls(**{name: checked.get(name, value) for name, value in given.items()})
            model._check()
            model.loss_history_ = fitted.pop("loss_history")
            vars(model).update(fitted)
        model._state, model._run_record = state, record
        return model

    @classmethod
    def resume(
        cls,
        checkpoint: Any,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        callbacks: Iterable[Any] = (),
        workers: int | None = None,
        progress: bool | None = None,
        checkpoint_every: str | int | None = None,
    ) -> Self:
        """Go on from the newest checkpoint in a folder, to the end.

        With one worker the classifier ends with the same bits as one that nothing had stopped.

        Parameters
        ----------
        checkpoint : str or os.PathLike
            The folder.
        X : iterable, str or os.PathLike, optional
            The texts that the run began with, given again; a finished run needs none.
        y : iterable, optional
            Their labels.
        sample_weight : array_like, optional
            Their weights.
        callbacks : iterable, default ()
            See `pyw2v.callbacks`.
        workers : int, optional
            Threads; as before by default.
        progress : bool, optional
            Whether to show progress; as before by default.
        checkpoint_every : str or int, optional
            Distance of checkpoints; as before by default.

        Returns
        -------
        TextClassifier
            The trained classifier.

        Raises
        ------
        FileNotFoundError
            If the folder has no checkpoint.
        TypeError
            If the run is not over and no texts are given.
        ValueError
            If the texts are others.
        """
        hooks = Callbacks(callbacks)
        model, saver = _checkpoint.reopened(checkpoint, cls.load, checkpoint_every)
        if saver is None:
            return model
        if X is None:
            raise TypeError(
                f"the run in {checkpoint} is not over: resume needs its texts and labels, got none"
            )
        model.workers = model.workers if workers is None else workers
        model.progress = model.progress if progress is None else progress
        return model._go_on(model._fitted, X, y, sample_weight, Watch(hooks, saver))
