"""`GloVe`: word vectors from the counts of words that stand near each other.

`cooccurrence` counts and weights pairs of words, `records` puts the counts in the order of
training, `run` trains on them, `state` has the parameters, and `file` stores a model.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pyw2v import corpus
from pyw2v._runs import checkpoint as _checkpoint
from pyw2v._runs.checkpoint import EVERY, Checkpoints
from pyw2v._runs.interrupt import handing_over
from pyw2v._runs.record import Fingerprint, RunRecord
from pyw2v._shared.checks import check_int, resolve_workers
from pyw2v._shared.settings import also_known_as
from pyw2v.callbacks import Callbacks
from pyw2v.corpus.readers import one_source
from pyw2v.glove import file as glove_file
from pyw2v.glove import records as glove_records
from pyw2v.glove.cooccurrence import CooccurrenceMatrix, as_matrix
from pyw2v.glove.records import RecordRules, TrainingRecords
from pyw2v.glove.run import RecordRun
from pyw2v.glove.settings import GLOVE, GloveSettings
from pyw2v.glove.state import GloveParameters
from pyw2v.io import glove_format
from pyw2v.io.streams import StrPath
from pyw2v.progress import Progress, open_progress
from pyw2v.vectors import KeyedVectors

__all__ = ["GloVe"]

logger = logging.getLogger(__name__)


class GloVe(GloveSettings):
    """GloVe (Pennington, Socher, Manning 2014): vectors whose products are the logs of counts.

    Given `sentences` or `corpus_file` the constructor trains; otherwise call `fit`, or make a model
    of counts with `GloVe.from_cooccurrence`.

    Afterwards `wv` has the vectors, `loss_history` the mean cost of every epoch so far, and
    `cooccurrence` the counts, which `train` goes on with (set it to None to free them). Ctrl-C ends
    training at once: the `KeyboardInterrupt` has the model, as far as it was trained, as its
    attribute `model`.

    Parameters
    ----------
    sentences : object, optional
        What to train on: lists of tokens, a `pathlib.Path`, arrays, data frames: see
        `pyw2v.corpus.scan`. It is read once, so that one-shot generators work. None makes a model
        without words, to be trained later.
    corpus_file : str or os.PathLike, optional
        The path of a text in place of `sentences`: one sentence per line, tokens separated by white
        space.
    vector_size : int, default 50
        Numbers per vector.
    window : int, default 15
        The farthest context word, see `CooccurrenceMatrix.from_corpus`.
    symmetric : bool, default True
        Context words stand to both sides of a word; False: to its left.
    distance_weighting : bool, default True
        A context word that is d words away counts 1/d; False: 1.
    x_max : float, default 100.0
        A pair counted x times weighs (x / x_max) ** `weighting_exponent`, at most 1. For corpora of
        some million words, 10 does better than 100.
    weighting_exponent : float, default 0.75
        The exponent of these weights, which GloVe's paper calls alpha.
    learning_rate : float, default 0.05
        The learning rate of AdaGrad, the same in all epochs.
    epochs : int, default 25
        Passes over the counts.
    workers : int, default -1
        Threads; 0 or less stands for every core.
    seed : int, default 1
        One worker and one seed give the same vectors, bit for bit.
    grad_clip : float, default 100.0
        No gradient is larger.
    min_count : int, default 5
        Rarer words are ignored.
    max_final_vocab : int, optional
        Keep at most so many words, the most frequent ones. Also: `max_vocab`.
    max_memory : int, optional
        Bytes for counts and records; more goes to nameless temporary files. None: half of what is
        free. Also: `memory`.
    bias_learning_rate : float, default 1.0
        The learning rate of biases. The C program lets theirs be 1; its paper has them learn like
        the vectors.
    dtype : str, default "float32"
        "float32" trains in vector code on tiles of records; "float64" does what the C program does,
        number for number, and is many times slower.
    vectors : str, default "sum"
        What `wv` holds: the "sum" of both vectors of a word, as the paper advises, or the "word" or
        "context" one.
    init_vectors : KeyedVectors, optional
        Vectors to start from, for the words that they have.
    callbacks : iterable, default ()
        Objects whose hooks are called between epochs, see `pyw2v.callbacks`.
    progress : bool or Progress or None, default False
        True shows a progress bar (tqdm if it is installed), None only on a terminal. A
        `pyw2v.progress.Progress` is called instead.
    checkpoint : str or os.PathLike, optional
        A folder for checkpoints, of which the last two stay; `resume` goes on from them after a
        crash or a kill. They take the memory of the matrices once more.
    checkpoint_every : str or int, default "10m"
        The distance between checkpoints: a time ("30s", "10m", "2h") or a number of epochs.

    Raises
    ------
    TypeError
        A setting of a wrong type.
    ValueError
        A setting out of its range, or an empty corpus.
    FloatingPointError
        The numbers have overflowed: the learning rate was too high.

    See Also
    --------
    CooccurrenceMatrix : The counts, as a matrix of their own.
    Word2Vec : Vectors from words in their contexts, one after the other.

    Examples
    --------
    >>> from pyw2v import GloVe
    >>> sentences = [["the", "king", "rules"], ["the", "queen", "rules"]] * 20
    >>> model = GloVe(sentences, vector_size=8, x_max=10, workers=1)
    >>> model.wv["king"].shape
    (8,)
    >>> len(model.loss_history)
    25
    """

    _run_record: RunRecord | None = None

    @also_known_as(GLOVE.aliases)
    def __init__(
        self,
        sentences: Any = None,
        corpus_file: StrPath | None = None,
        vector_size: int = 50,
        window: int = 15,
        symmetric: bool = True,
        distance_weighting: bool = True,
        x_max: float = 100.0,
        weighting_exponent: float = 0.75,
        learning_rate: float = 0.05,
        epochs: int = 25,
        workers: int = -1,
        seed: int = 1,
        grad_clip: float = 100.0,
        min_count: int = 5,
        max_final_vocab: int | None = None,
        max_memory: int | None = None,
        *,
        bias_learning_rate: float = 1.0,
        dtype: str = "float32",
        vectors: str = "sum",
        init_vectors: KeyedVectors | None = None,
        callbacks: Iterable[Any] = (),
        progress: bool | Progress | None = False,
        checkpoint: StrPath | None = None,
        checkpoint_every: str | int = "10m",
    ) -> None:
        self._settings.take(self, locals())
        vars(self).update(self._settings.checked(self))
        self.init_vectors = init_vectors
        self.words: list[Any] = []
        self.word_counts: npt.NDArray[np.int64] | None = None
        self.cooccurrence: CooccurrenceMatrix | None = None
        self.loss_history: list[float] = []
        self.epochs_trained = 0
        self._parameters: GloveParameters | None = None
        self._wv: KeyedVectors | None = None
        if sentences is not None or corpus_file is not None:
            self.fit(
                sentences,
                corpus_file,
                callbacks=callbacks,
                checkpoint=checkpoint,
                checkpoint_every=checkpoint_every,
            )

    # -- training --------------------------------------------------------------------------------

    def fit(
        self,
        sentences: Any = None,
        corpus_file: StrPath | None = None,
        *,
        callbacks: Iterable[Any] = (),
        checkpoint: StrPath | None = None,
        checkpoint_every: str | int = EVERY,
    ) -> Self:
        """Count a corpus and train from nothing, or from `init_vectors`.

        Parameters
        ----------
        sentences : object, optional
            The corpus, as `sentences` of the constructor.
        corpus_file : str or os.PathLike, optional
            A file instead, one sentence a line.
        callbacks : iterable, default ()
            See `pyw2v.callbacks`.
        checkpoint : str or os.PathLike, optional
            A folder for checkpoints, which `resume` goes on from.
        checkpoint_every : str or int, default "10m"
            Their distance: a time ("30s", "10m", "2h") or a number of epochs.

        Returns
        -------
        GloVe
            This model.

        Raises
        ------
        ValueError
            If no two known words stand near each other.
        FloatingPointError
            If training diverges.

        Examples
        --------
        >>> from pyw2v import GloVe
        >>> sentences = [["the", "cat", "sat"], ["the", "dog", "ran"]] * 20
        >>> model = GloVe(vector_size=4, min_count=1, epochs=3, workers=1).fit(sentences)
        >>> len(model.loss_history), "cat" in model.wv
        (3, True)
        """
        hooks = Callbacks(callbacks)
        saver = _checkpoint.of_folder(checkpoint, checkpoint_every)
        with open_progress(self.progress) as progress:
            counts = self._count(one_source(sentences, corpus_file), None, progress)
            self._fit_counts(counts, hooks, progress, saver)
        return self

    @classmethod
    def from_cooccurrence(
        cls,
        counts: Any,
        words: Sequence[Any] | None = None,
        *,
        callbacks: Iterable[Any] = (),
        checkpoint: StrPath | None = None,
        checkpoint_every: str | int = EVERY,
        **settings: Any,
    ) -> Self:
        """Train a model on counts that there are already.

        Parameters
        ----------
        counts : CooccurrenceMatrix, scipy.sparse matrix or tuple of three arrays
            The counts; the arrays are rows, columns and values.
        words : sequence, optional
            The words of the rows of the last two; otherwise their numbers.
        callbacks : iterable, default ()
            See `pyw2v.callbacks`.
        checkpoint : str or os.PathLike, optional
            A folder for checkpoints.
        checkpoint_every : str or int, default "10m"
            Their distance: a time or a number of epochs.
        **settings : object
            Arguments of the constructor.

        Returns
        -------
        GloVe
            The trained model.

        Raises
        ------
        TypeError
            If `counts` is something else.
        ValueError
            If there are no counts.
        """
        model = cls(**settings)
        hooks = Callbacks(callbacks)
        saver = _checkpoint.of_folder(checkpoint, checkpoint_every)
        with open_progress(model.progress) as progress:
            model._fit_counts(as_matrix(counts, words), hooks, progress, saver)
        return model

    @classmethod
    def resume(
        cls,
        checkpoint: StrPath,
        sentences: Any = None,
        corpus_file: StrPath | None = None,
        *,
        counts: Any = None,
        callbacks: Iterable[Any] = (),
        workers: int | None = None,
        progress: bool | Progress | None = None,
        checkpoint_every: str | int | None = None,
    ) -> Self:
        """Go on from the newest checkpoint in a folder, to the end.

        With one worker the model ends with the same bits as one that nothing had stopped.

        Parameters
        ----------
        checkpoint : str or os.PathLike
            The folder.
        sentences : object, optional
            The corpus that the run began with, given again; it is counted anew.
        corpus_file : str or os.PathLike, optional
            A file instead.
        counts : object, optional
            The counts that the run began with, instead of a corpus.
        callbacks : iterable, default ()
            See `pyw2v.callbacks`.
        workers : int, optional
            Threads; as before by default.
        progress : bool or Progress, optional
            Whether to show progress; as before by default.
        checkpoint_every : str or int, optional
            Distance of checkpoints; as before by default.

        Returns
        -------
        GloVe
            The trained model. A finished run is returned as it is, and needs neither corpus nor
            counts.

        Raises
        ------
        FileNotFoundError
            If the folder has no checkpoint.
        ValueError
            If the corpus or the counts are others, or missing.
        """
        model, saver = _checkpoint.reopened(checkpoint, cls.load, checkpoint_every)
        if saver is None:
            return model
        model.workers = model.workers if workers is None else workers
        model.progress = model.progress if progress is None else progress
        model._train(counts, sentences, corpus_file, None, Callbacks(callbacks), saver)
        return model

    def train(
        self,
        counts: Any = None,
        *,
        sentences: Any = None,
        corpus_file: StrPath | None = None,
        epochs: int | None = None,
        shuffle: bool = True,
        callbacks: Iterable[Any] = (),
        checkpoint: StrPath | None = None,
        checkpoint_every: str | int = EVERY,
        resume: bool = False,
    ) -> float:
        """Train on, with the vocabulary that there is.

        Parameters
        ----------
        counts : object, optional
            Counts as for `from_cooccurrence`, of the words of this model in their order; by default
            those of `fit`.
        sentences : object, optional
            A corpus to count instead.
        corpus_file : str or os.PathLike, optional
            A file to count instead.
        epochs : int, optional
            Number of epochs; the model's own by default.
        shuffle : bool, default True
            Whether to shuffle; False trains on three arrays in the order of their entries.
        callbacks : iterable, default ()
            See `pyw2v.callbacks`.
        checkpoint : str or os.PathLike, optional
            A folder for checkpoints.
        checkpoint_every : str or int, default "10m"
            Their distance: a time or a number of epochs.
        resume : bool, default False
            Whether to finish the call of `fit` or `train` that a callback or Ctrl-C ended early, or
            that was running when a callback saved the model, on the same counts or corpus.

        Returns
        -------
        float
            The mean cost of the last epoch.

        Raises
        ------
        ValueError
            If the model is not trained yet, or there are no counts.
        TypeError
            If both counts and a corpus are given.
        FloatingPointError
            If training diverges.
        """
        if resume and (epochs is not None or not shuffle):
            raise ValueError("resume=True goes on as the run began: leave epochs and shuffle out")
        plan = None
        if not resume:
            n_epochs = self.epochs if epochs is None else check_int("epochs", epochs, 1)
            plan = (n_epochs, shuffle)
        hooks = Callbacks(callbacks)
        saver = _checkpoint.of_folder(checkpoint, checkpoint_every)
        return self._train(counts, sentences, corpus_file, plan, hooks, saver)

    def _train(
        self,
        counts: Any,
        sentences: Any,
        corpus_file: StrPath | None,
        plan: tuple[int, bool] | None,
        hooks: Callbacks,
        saver: Checkpoints | None,
    ) -> float:
        """Train so many epochs, shuffled or not; without a plan, those that are left."""
        parameters, record = self.parameters, self._run_record
        if plan is None and (record is None or not record.unfinished):
            raise ValueError("there is no unfinished call of fit() or train() to resume")
        with open_progress(self.progress) as progress:
            if sentences is not None or corpus_file is not None:
                if counts is not None:
                    raise TypeError("give either counts or a corpus, got both")
                source = one_source(sentences, corpus_file)
                counts = self._count(source, self.words, progress)
            elif counts is None:
                counts = self.cooccurrence
            if counts is None:
                raise ValueError("there are no counts to train on: give counts or a corpus")
            if plan is None:
                assert record is not None
                records = self._records(counts, bool(record.more["shuffle"]))
                data = _fingerprint(records)
                record.data.check(data)
                record.data, record.over = data, False
                if self.cooccurrence is None and isinstance(counts, CooccurrenceMatrix):
                    self.cooccurrence = counts
            else:
                records = self._records(counts, plan[1])
                record = self._new_record(records, *plan)
            self._run(parameters, records, record, hooks, progress, saver)
        return self.loss_history[-1] if self.loss_history else float("nan")

    def _count(
        self, source: Any, words: Sequence[Any] | None, progress: Progress
    ) -> CooccurrenceMatrix:
        return CooccurrenceMatrix.from_corpus(
            source,
            window=self.window,
            symmetric=self.symmetric,
            distance_weighting=self.distance_weighting,
            min_count=self.min_count,
            max_final_vocab=self.max_final_vocab,
            words=words,
            workers=self.workers,
            max_memory=self.max_memory,
            progress=progress,
        )

    def _new_record(self, records: TrainingRecords, n_epochs: int, shuffle: bool) -> RunRecord:
        more = {"first_epoch": self.epochs_trained, "shuffle": shuffle}
        return RunRecord(self.seed, n_epochs, _fingerprint(records), more=more)

    def _fit_counts(
        self,
        counts: CooccurrenceMatrix,
        hooks: Callbacks,
        progress: Progress,
        saver: Checkpoints | None,
    ) -> None:
        if not len(counts):
            raise ValueError(
                f"there is nothing to train on: no two of {len(counts.words)} words stand near "
                f"each other (min_count is {self.min_count})"
            )
        self.cooccurrence = counts
        self.set_vocabulary(counts.words, counts.word_counts)
        records = self._records(counts, shuffle=True)
        record = self._new_record(records, self.epochs, shuffle=True)
        self._run(self.parameters, records, record, hooks, progress, saver)

    def set_vocabulary(self, words: Sequence[Any], counts: npt.ArrayLike | None = None) -> None:
        """Start afresh with these words: random parameters, or `init_vectors` where it has them.

        Parameters
        ----------
        words : sequence
            The words.
        counts : array_like of int, optional
            How often each occurs.

        Raises
        ------
        ValueError
            If there are no words.
        """
        if not len(words):
            raise ValueError("the vocabulary must hold at least one word, got none")
        self.words = list(words)
        self.word_counts = None if counts is None else np.asarray(counts, np.int64)
        parameters = GloveParameters(len(self.words), self.vector_size, self.dtype)
        parameters.randomize(self.seed)
        if self.init_vectors is not None:
            places = {word: i for i, word in enumerate(self.words)}
            n_known = parameters.start_from(places, self.init_vectors, self.vectors)
            logger.info("%d of %d words start from init_vectors", n_known, len(self.words))
        self.parameters = parameters
        self.loss_history = []
        self.epochs_trained = 0
        self._run_record = None

    def _records(self, counts: Any, shuffle: bool) -> TrainingRecords:
        budget = corpus.default_budget() if self.max_memory is None else self.max_memory
        rules = RecordRules(
            x_max=self.x_max,
            exponent=self.weighting_exponent,
            dim=self.vector_size,
            seed=self.seed,
            workers=resolve_workers(self.workers),
            memory=budget // 2,
        )
        if not shuffle:
            words, contexts, values = counts
            if not len(values):
                raise ValueError("there is nothing to train on: the counts have no entries")
            dtype = np.dtype(self.dtype)
            return glove_records.in_given_order(words, contexts, values, dtype, rules)
        matrix = as_matrix(counts, self.words)
        if len(matrix.words) != len(self.words):
            raise ValueError(
                f"counts must be of the {len(self.words)} words of this model, got "
                f"{len(matrix.words)}"
            )
        if not len(matrix):
            raise ValueError("there is nothing to train on: the counts have no entries")
        if self.dtype == "float64":
            return glove_records.in_random_order(matrix, rules)
        return glove_records.in_tiles(matrix, rules)

    def _run(
        self,
        parameters: GloveParameters,
        records: TrainingRecords,
        record: RunRecord,
        hooks: Callbacks,
        progress: Progress,
        saver: Checkpoints | None,
    ) -> None:
        self._run_record = record
        with handing_over(self):
            RecordRun(self, parameters, records, record, progress, saver).train(self, hooks)

    # -- what was learnt -------------------------------------------------------------------------

    @property
    def parameters(self) -> GloveParameters:
        """All numbers of the model; `values` and `squares` may be read and changed."""
        if self._parameters is None:
            raise ValueError("this GloVe model is not trained yet: call fit first")
        return self._parameters

    @parameters.setter
    def parameters(self, parameters: GloveParameters) -> None:
        self._parameters = parameters
        self._wv = None

    def _learnt(self) -> list[Any]:
        """Return all arrays that training changes."""
        return [self.parameters.values, self.parameters.squares]

    def _inputs_changed(self) -> None:
        self._wv = None

    @property
    def wv(self) -> KeyedVectors:
        """The vectors of the words, of the kind that `vectors` says: a copy, made when needed."""
        if self._wv is None:
            self._wv = self.keyed_vectors(self.vectors)
        return self._wv

    def keyed_vectors(self, kind: str) -> KeyedVectors:
        """Return a copy of the vectors of one kind.

        Parameters
        ----------
        kind : {"sum", "word", "context"}
            Which vectors.

        Returns
        -------
        KeyedVectors
            The vectors.

        Raises
        ------
        ValueError
            If the kind is unknown, or the model is not trained yet.
        """
        vectors = self.parameters.vectors(kind).astype(np.float32, copy=False)
        found = KeyedVectors._from_rows(list(self.words), vectors)
        if self.word_counts is not None:
            found.expandos["count"] = self.word_counts.copy()
        return found

    @property
    def biases(self) -> npt.NDArray[Any]:
        """The biases of words, then of contexts, of shape (2, number of words): a read-only copy.

        They are the last column of `parameters.values`, where they can be changed.
        """
        biases = np.array(self.parameters.values[:, -1]).reshape(2, -1)
        biases.setflags(write=False)
        return biases

    # -- files -----------------------------------------------------------------------------------

    def save(self, path: StrPath) -> None:
        """Save the model, with its sums of squares but without counts, to one native file.

        Parameters
        ----------
        path : str or os.PathLike
            Where to write.
        """
        glove_file.save(self, path)

    @classmethod
    def load(cls, path: StrPath, verify: bool = False) -> Self:
        """Load a model that `save` wrote; `train` goes on where it was, given counts.

        Parameters
        ----------
        path : str or os.PathLike
            What to read.
        verify : bool, default False
            Compare the file with the checksum in it.

        Returns
        -------
        GloVe
            The model.

        Raises
        ------
        ValueError
            If the content is damaged, the file holds an object of another kind, or the checksum
            differs or is missing.
        """
        return glove_file.load(cls, path, verify)

    def save_glove_format(
        self, path: StrPath, *, header: bool = False, kind: str | None = None, unknown: bool = True
    ) -> None:
        """Write vectors as the C program writes them as text: six decimals, a last row "<unk>".

        Parameters
        ----------
        path : str or os.PathLike
            Where to write.
        header : bool, default False
            Whether to begin with a line of the two sizes, which makes it word2vec's text format.
        kind : {"sum", "word", "context"}, optional
            Which vectors; those of `wv` by default.
        unknown : bool, default True
            Whether to write the row "<unk>".

        Raises
        ------
        ValueError
            If a word has a space in it, or the kind is unknown.
        """
        rows = self.parameters.vectors(self.vectors if kind is None else kind)
        glove_format.save_text(path, self.words, rows, header=header, unknown=unknown)

    def save_parameters(self, path: StrPath, squares_path: StrPath | None = None) -> None:
        """Write all parameters as the C program's raw doubles.

        Parameters
        ----------
        path : str or os.PathLike
            Where to write the parameters.
        squares_path : str or os.PathLike, optional
            Where to write the sums of squared gradients.
        """
        glove_format.save_parameters(path, self.parameters.values)
        if squares_path is not None:
            glove_format.save_parameters(squares_path, self.parameters.squares)

    def load_parameters(self, path: StrPath, squares_path: StrPath | None = None) -> None:
        """Take parameters of the C program's raw doubles.

        They must be of the vocabulary and vector size of this model: see `set_vocabulary`.

        Parameters
        ----------
        path : str or os.PathLike
            The parameters.
        squares_path : str or os.PathLike, optional
            The sums of squared gradients; 1 by default.

        Raises
        ------
        ValueError
            If a file has another size.
        """
        fresh = GloveParameters(len(self.words), self.vector_size, self.dtype)
        for name, target in ((path, fresh.values), (squares_path, fresh.squares)):
            if name is None:
                continue
            rows = glove_format.load_parameters(name, len(self.words))
            if rows.shape != target.shape:
                raise ValueError(
                    f"{name} has vectors of {rows.shape[1] - 1} numbers, but vector_size is "
                    f"{self.vector_size}"
                )
            target[:] = rows
        self.parameters = fresh


def _fingerprint(records: TrainingRecords) -> Fingerprint:
    """Return what tells these records from others."""
    return Fingerprint({"records": len(records)}, lambda: (records.records, records.ends))
