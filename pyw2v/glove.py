"""`GloVe`: word vectors from the counts of words that stand near each other."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pyw2v import _glove_file, _glove_records, corpus
from pyw2v._checks import check_int, resolve_workers
from pyw2v._core.glove import GloveTrainer
from pyw2v._core.matrix import SpreadRows
from pyw2v._epochs import call_last_hook, run_epoch, run_epochs
from pyw2v._glove_records import RecordRules, TrainingRecords
from pyw2v._glove_settings import GloveSettings
from pyw2v._glove_state import GloveParameters
from pyw2v._interrupt import handing_over
from pyw2v._vocab_model import StrPath, one_source
from pyw2v.callbacks import Callbacks
from pyw2v.cooccurrence import CooccurrenceMatrix, as_matrix
from pyw2v.io import glove_format
from pyw2v.progress import Progress, open_progress
from pyw2v.vectors import KeyedVectors

__all__ = ["GloVe"]

logger = logging.getLogger(__name__)


class GloVe(GloveSettings):
    """GloVe (Pennington, Socher, Manning 2014): vectors whose products are the logs of counts.

        model = GloVe(corpus_file="corpus.txt", vector_size=100, x_max=10)
        model.wv.most_similar("king")

    Given `sentences` or `corpus_file` the constructor trains; otherwise call `fit`, or make a model
    of counts with `GloVe.from_cooccurrence`.

    - `sentences`, `corpus_file`: as those of `Word2Vec`; read once.
    - `vector_size`; `window`, `symmetric`, `distance_weighting`, `min_count`, `max_vocab`: which
      pairs count and how much, see `CooccurrenceMatrix.from_corpus`.
    - `x_max`, `weighting_exponent`: a pair counted x times weighs (x / x_max) ** exponent, at most
      1. For corpora of some million words, 10 does better than 100.
    - `learning_rate`: of AdaGrad, the same in all `epochs`; `grad_clip`: no gradient is larger.
    - `workers`: threads, 0 or less: every core; `seed`: one worker and one seed give the same
      vectors, bit for bit.
    - `memory`: bytes for counts and records; more goes to nameless temporary files. None: half of
      what is free.
    - `bias_learning_rate`: that of biases. The C program lets theirs be 1; its paper has them
      learn like the vectors.
    - `dtype`: "float32" trains in vector code on tiles of records; "float64" does what the C
      program does, number for number, and is many times slower.
    - `vectors`: what `wv` holds: the "sum" of both vectors of a word, as the paper advises, or the
      "word" or "context" one.
    - `init_vectors`: `KeyedVectors` to start from, for the words that they have.
    - `callbacks`: see `pyw2v.callbacks`; `progress`: True shows a bar, None only on a terminal.

    `loss_history` has the mean cost of every epoch so far; `cooccurrence` the counts, which `train`
    goes on with (set it to None to free them). Ctrl-C ends training at once: the
    `KeyboardInterrupt` has the model, as far as it was trained, as its attribute `model`.
    """

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
        max_vocab: int | None = None,
        memory: int | None = None,
        *,
        bias_learning_rate: float = 1.0,
        dtype: str = "float32",
        vectors: str = "sum",
        init_vectors: KeyedVectors | None = None,
        callbacks: Iterable[Any] = (),
        progress: bool | Progress | None = False,
    ) -> None:
        self.vector_size, self.window = vector_size, window
        self.symmetric, self.distance_weighting = symmetric, distance_weighting
        self.x_max, self.weighting_exponent = x_max, weighting_exponent
        self.learning_rate, self.epochs = learning_rate, epochs
        self.workers, self.seed, self.grad_clip = workers, seed, grad_clip
        self.min_count, self.max_vocab, self.memory = min_count, max_vocab, memory
        self.bias_learning_rate, self.dtype, self.vectors = bias_learning_rate, dtype, vectors
        self.progress = progress
        self._check_settings()
        self.init_vectors = init_vectors
        self.words: list[Any] = []
        self.word_counts: npt.NDArray[np.int64] | None = None
        self.cooccurrence: CooccurrenceMatrix | None = None
        self.loss_history: list[float] = []
        self.epochs_trained = 0
        self._parameters: GloveParameters | None = None
        self._wv: KeyedVectors | None = None
        if sentences is not None or corpus_file is not None:
            self.fit(sentences, corpus_file, callbacks=callbacks)

    # -- training --------------------------------------------------------------------------------

    def fit(
        self,
        sentences: Any = None,
        corpus_file: StrPath | None = None,
        *,
        callbacks: Iterable[Any] = (),
    ) -> Self:
        """Count a corpus and train from nothing (or from `init_vectors`)."""
        hooks = Callbacks(callbacks)
        with open_progress(self.progress) as progress:
            counts = self._count(one_source(sentences, corpus_file), None, progress)
            self._fit_counts(counts, hooks, progress)
        return self

    @classmethod
    def from_cooccurrence(
        cls,
        counts: Any,
        words: Sequence[Any] | None = None,
        *,
        callbacks: Iterable[Any] = (),
        **settings: Any,
    ) -> Self:
        """Train a model on counts that there are already.

        `counts` is a `CooccurrenceMatrix`, any of SciPy's square sparse matrices, or three arrays
        (rows, columns, values); `words` names the rows of the last two, otherwise their numbers do.
        """
        model = cls(**settings)
        hooks = Callbacks(callbacks)
        with open_progress(model.progress) as progress:
            model._fit_counts(as_matrix(counts, words), hooks, progress)
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
    ) -> float:
        """Train on, with the vocabulary that there is; return the mean cost of the last epoch.

        Without counts and corpus, on the counts of `fit`. Counts are those of
        `from_cooccurrence`, their rows and columns the words of this model in their order.
        `shuffle=False` trains on three arrays in the order of their entries.
        """
        parameters = self.parameters
        n_epochs = self.epochs if epochs is None else check_int("epochs", epochs, 1)
        hooks = Callbacks(callbacks)
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
            records = self._records(counts, shuffle)
            self._run(parameters, records, n_epochs, hooks, progress)
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
            max_vocab=self.max_vocab,
            words=words,
            workers=self.workers,
            memory=self.memory,
            progress=progress,
        )

    def _fit_counts(self, counts: CooccurrenceMatrix, hooks: Callbacks, progress: Progress) -> None:
        if not len(counts):
            raise ValueError(
                f"there is nothing to train on: no two of {len(counts.words)} words stand near "
                f"each other (min_count is {self.min_count})"
            )
        self.cooccurrence = counts
        self.set_vocabulary(counts.words, counts.word_counts)
        records = self._records(counts, shuffle=True)
        self._run(self.parameters, records, self.epochs, hooks, progress)

    def set_vocabulary(self, words: Sequence[Any], counts: npt.ArrayLike | None = None) -> None:
        """Start afresh with these words: random parameters, or `init_vectors` where it has them."""
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

    def _records(self, counts: Any, shuffle: bool) -> TrainingRecords:
        budget = corpus.default_budget() if self.memory is None else self.memory
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
            return _glove_records.in_given_order(words, contexts, values, dtype, rules)
        matrix = as_matrix(counts, self.words)
        if len(matrix.words) != len(self.words):
            raise ValueError(
                f"counts must be of the {len(self.words)} words of this model, got "
                f"{len(matrix.words)}"
            )
        if not len(matrix):
            raise ValueError("there is nothing to train on: the counts have no entries")
        if self.dtype == "float64":
            return _glove_records.in_random_order(matrix, rules)
        return _glove_records.in_tiles(matrix, rules)

    def _run(
        self,
        parameters: GloveParameters,
        records: TrainingRecords,
        n_epochs: int,
        hooks: Callbacks,
        progress: Progress,
    ) -> None:
        with handing_over(self), SpreadRows() as layout:
            parameters.spread(layout)
            trainer = GloveTrainer(
                values=parameters.values,
                squares=parameters.squares,
                records=records.records,
                ends=records.ends,
                n_bands=records.n_bands,
                lr=self.learning_rate,
                bias_lr=self.bias_learning_rate,
                grad_clip=self.grad_clip,
                seed=self.seed,
                workers=resolve_workers(self.workers),
            )

            def run_one(epoch: int) -> None:
                if not layout:  # a callback has seen the model
                    parameters.spread(layout)
                done, note = epoch * len(records), f"epoch {epoch + 1}/{n_epochs}"
                cost = f", cost {self.loss_history[-1]:.6f}" if self.loss_history else ""
                try:
                    result = run_epoch(
                        trainer,
                        self.epochs_trained,
                        lambda: progress.update(done + trainer.records_done, note + cost),
                    )
                except FloatingPointError as error:
                    raise FloatingPointError(
                        f"{error}; the parameters are spoilt, train anew with a smaller "
                        f"learning_rate (now {self.learning_rate:g})"
                    ) from error
                finally:
                    self._wv = None
                self.epochs_trained += 1
                self.loss_history.append(float(result.loss) / len(records))
                progress.update(done + len(records), f"{note}, cost {self.loss_history[-1]:.6f}")
                logger.info("epoch %d: cost %.6f", self.epochs_trained, self.loss_history[-1])

            progress.begin("train", n_epochs * len(records), "records")
            try:
                run_epochs(self, n_epochs, run_one, hooks, layout.pack)
            finally:
                progress.close()
        call_last_hook(self, hooks)

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

    @property
    def wv(self) -> KeyedVectors:
        """The vectors of the words, of the kind that `vectors` says: a copy, made when needed."""
        if self._wv is None:
            self._wv = self.keyed_vectors(self.vectors)
        return self._wv

    def keyed_vectors(self, kind: str) -> KeyedVectors:
        """Return a copy of the "word" or "context" vectors, or of their "sum"."""
        vectors = self.parameters.vectors(kind).astype(np.float32, copy=False)
        found = KeyedVectors._of(list(self.words), vectors)
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
        """Save the model, with its sums of squares but without counts, to one native file."""
        _glove_file.save(self, path)

    @classmethod
    def load(cls, path: StrPath) -> Self:
        """Load a model that `save` wrote; `train` goes on where it was, given counts."""
        return _glove_file.load(cls, path)

    def save_glove_format(
        self, path: StrPath, *, header: bool = False, kind: str | None = None, unknown: bool = True
    ) -> None:
        """Write vectors as the C program writes them as text: six decimals, a last row "<unk>".

        `kind` is one of "sum", "word", "context", None that of `wv`. A header makes it a file in
        word2vec's text format.
        """
        rows = self.parameters.vectors(self.vectors if kind is None else kind)
        glove_format.save_text(path, self.words, rows, header=header, unknown=unknown)

    def save_parameters(self, path: StrPath, squares_path: StrPath | None = None) -> None:
        """Write all parameters, and the sums of squares, as the C program's raw doubles."""
        glove_format.save_parameters(path, self.parameters.values)
        if squares_path is not None:
            glove_format.save_parameters(squares_path, self.parameters.squares)

    def load_parameters(self, path: StrPath, squares_path: StrPath | None = None) -> None:
        """Take parameters, and sums of squares (otherwise 1), of the C program's raw doubles.

        They must be of the vocabulary and vector size of this model: see `set_vocabulary`.
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
