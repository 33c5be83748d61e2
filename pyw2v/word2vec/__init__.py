"""Word2Vec, with gensim's constructor, methods and attributes: sentences in, word vectors out.

What the methods do is told in the modules they call: `settings` (checks), `build` and `vocabulary`
(which words), `outputs` (the output matrices), `training` (the epochs), `engines` (`fast`, and
`exact`: word2vec.c bit for bit), `prediction` and `probabilities`, and `file`. `table` declares the
settings, `state` lists all attributes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np

from pyw2v._runs import checkpoint as _checkpoint
from pyw2v._runs.checkpoint import Checkpoints
from pyw2v._runs.interrupt import handing_over
from pyw2v._runs.record import RunRecord
from pyw2v._shared import kinds
from pyw2v._shared.checks import check_int, check_object
from pyw2v._shared.old_names import renamed, warn
from pyw2v._shared.settings import also_known_as
from pyw2v.callbacks import Callbacks
from pyw2v.corpus import EncodedCorpus
from pyw2v.corpus.readers import one_source
from pyw2v.io.streams import StrPath
from pyw2v.objectives.samplers import Sampler
from pyw2v.progress import Progress, open_progress
from pyw2v.vectors import pseudorandom_weak_vector
from pyw2v.word2vec import file as model_file
from pyw2v.word2vec import gensim as gensim_models
from pyw2v.word2vec import outputs, prediction, settings, training
from pyw2v.word2vec.build import TrimRule, VocabModel
from pyw2v.word2vec.probabilities import Probabilities
from pyw2v.word2vec.table import MAX_WORDS_IN_BATCH, WORD2VEC
from pyw2v.word2vec.vocabulary import EmptyVocabularyError

__all__ = ["MAX_WORDS_IN_BATCH", "EmptyVocabularyError", "Word2Vec"]

logger = logging.getLogger(__name__)


class Word2Vec(Probabilities, VocabModel):
    """A word2vec model: `model.wv` holds the vectors of the words, and finds similar ones.

    Given `sentences` or `corpus_file`, the constructor reads them once, builds the vocabulary and
    trains; otherwise call `build_vocab` and `train`. Ctrl-C ends training at once: the
    `KeyboardInterrupt` has the model, as far as it was trained, as its attribute `model`.

    Order and defaults are gensim's, up to `shrink_windows`; what follows is our own, and given by
    name. Every setting is an attribute, too, which may be changed between two calls of `train`.

    Parameters
    ----------
    sentences : object, optional
        What to train on: lists of tokens, a `pathlib.Path`, arrays, data frames: see
        `pyw2v.corpus.scan`. It is read once, so that one-shot generators work. None makes a model
        without words, to be trained later.
    corpus_file : str or os.PathLike, optional
        The path of a text in place of `sentences`: one sentence per line, tokens separated by white
        space.
    vector_size : int, default 100
        Numbers per vector.
    alpha : float, default 0.025
        The learning rate, which falls linearly to `min_alpha` over all epochs. Also:
        `learning_rate`.
    window : int, default 5
        The farthest context word, to each side.
    min_count : int, default 5
        Rarer words are ignored.
    max_vocab_size : int, optional
        Raise `min_count` until about so many words are left: words as frequent as the last one
        stay, too.
    sample : float, default 0.001
        Frequent words are dropped at random above this share of the corpus (a count if at least 1);
        0 keeps all.
    seed : int or None, default 1
        With one worker a run repeats bit for bit; None draws a new seed each time.
    workers : int, default 3
        Threads; 0 or less stands for every core.
    min_alpha : float, default 0.0001
        The learning rate at the end. Also: `min_learning_rate`.
    sg : int, default 0
        1 trains skip-gram, 0 CBOW.
    hs : int, default 0
        1 trains hierarchical softmax.
    negative : int, default 5
        Negative samples, 0 for none.
    ns_exponent : float, default 0.75
        Negative samples are drawn in proportion to count ** `ns_exponent`.
    cbow_mean : int, default 1
        CBOW trains the mean of the context vectors with 1, their sum with 0.
    hashfxn : callable, default hash
        Accepted, without effect.
    epochs : int, default 5
        Passes over the corpus.
    null_word : int, default 0
        1 gives the vocabulary gensim's padding word, which stands for no word.
    trim_rule : callable, optional
        `trim_rule(word, count, min_count)` decides word by word which ones are kept.
    sorted_vocab : int, default 1
        1 sorts the vocabulary by falling count, 0 leaves it in the order of first sight.
    batch_words : int, default 10_000
        Accepted, without effect.
    compute_loss : bool, default False
        Accepted, without effect: `track_loss` says whether there is a loss.
    callbacks : iterable, default ()
        Objects whose hooks are called between epochs, see `pyw2v.callbacks`.
    comment : str, optional
        A note, which is saved with the model.
    max_final_vocab : int, optional
        Raise `min_count` until at most so many words are left.
    shrink_windows : bool, default True
        Draw the size of each window from 1..`window`; False always takes all of it.
    cbow_grad : str, default "sum"
        "sum" is the historical gradient of CBOW (each context word gets the whole error), "mean"
        the corrected one, divided by their number.
    objective : str, optional
        The output layer: None trains what `hs` and `negative` say; otherwise one of "ns", "nce",
        "sampled_logistic" and "sampled_softmax" (with k = `negative` drawn words), "logistic",
        "softmax", "class_softmax", "dsoftmax" and "hs", see `pyw2v.objectives`.
    sampler : Sampler, optional
        By which law words are drawn, see `pyw2v.samplers`; None is `Unigram(ns_exponent)`.
    output_bias : bool, optional
        Learn a number for each word that is added to its scores, in `syn1bias`. None does so for
        "logistic" only, which needs it to train at the usual rates.
    self_norm : float, default 0.0
        "softmax" adds this times log(Z)^2 to its loss, so that Z comes near 1.
    nce_z : float or str, default 1.0
        The Z of "nce": a number, or "learned".
    classes : object, optional
        Of "class_softmax": how many classes (None: the square root of the vocabulary), or the class
        of each word, as a dict or in the order of the vocabulary.
    class_depth : int, default 2
        Of "class_softmax": how many decisions lead to a word.
    bands : object, optional
        Of "dsoftmax": pairs (number of words, width of their output rows) from the first word of
        the vocabulary on, widths falling.
    remove_accidental_hits : bool, optional
        Whether a drawn word that is the centre counts for nothing; None: so it is, except with
        "nce".
    noise_per : str, default "window"
        What k words are drawn for: "window" draws them once for all inputs of a centre (or of two
        neighbours, see docs/objectives.md), "pair" for each input.
    progress : bool or None, default False
        True shows a progress bar (tqdm if it is installed), None only on a terminal.
    max_memory : int, optional
        Bytes of encoded corpus to hold in memory; more goes to a temporary file.
    track_loss : bool, default True
        Sum up the loss, which costs next to nothing: `loss_history` has the exact mean loss per
        example of every epoch that this model ever trained (NaN for one that sub-sampling left
        without any), `get_latest_training_loss()` the sum over the last call.
    engine : str, default "fast"
        "word2vec.c" gives the vectors of the C program run with one thread, bit for bit and as
        slowly, its faults included: of several epochs it trains only the first. Its vocabulary
        starts with "</s>", and a `corpus_file` is read as it reads files. `workers`, `seed`,
        `min_alpha` and losses have no part in it; mind that its CBOW starts at `alpha=0.05`.
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
        A setting out of its range, or that has no effect with the others; an empty corpus. The
        message names the setting, the rule and the value.
    FloatingPointError
        The numbers have overflowed: the learning rate was too high.

    See Also
    --------
    FastText : Vectors for words that were never seen, too.
    GloVe : Vectors from counts of words that stand near each other.
    KeyedVectors : What `wv` is, with all queries.

    Examples
    --------
    >>> from pyw2v import Word2Vec
    >>> sentences = [["the", "king", "rules"], ["the", "queen", "rules"]] * 20
    >>> model = Word2Vec(sentences, vector_size=16, min_count=1, sample=0, workers=1)
    >>> model.wv["king"].shape
    (16,)
    >>> len(model.loss_history) == model.epochs
    True
    """

    @renamed(size="vector_size", iter="epochs")
    @also_known_as(WORD2VEC.aliases)
    def __init__(
        self,
        sentences: Any = None,
        corpus_file: StrPath | None = None,
        vector_size: int = 100,
        alpha: float = 0.025,
        window: int = 5,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        sample: float = 0.001,
        seed: int | None = 1,
        workers: int = 3,
        min_alpha: float = 0.0001,
        sg: int = 0,
        hs: int = 0,
        negative: int = 5,
        ns_exponent: float = 0.75,
        cbow_mean: int = 1,
        hashfxn: Callable[[Any], int] = hash,
        epochs: int = 5,
        null_word: int = 0,
        trim_rule: TrimRule | None = None,
        sorted_vocab: int = 1,
        batch_words: int = 10_000,
        compute_loss: bool = False,
        callbacks: Iterable[Any] = (),
        comment: str | None = None,
        max_final_vocab: int | None = None,
        shrink_windows: bool = True,
        *,
        cbow_grad: str = "sum",
        objective: str | None = None,
        sampler: Sampler | None = None,
        output_bias: bool | None = None,
        self_norm: float = 0.0,
        nce_z: float | str = 1.0,
        classes: Any = None,
        class_depth: int = 2,
        bands: Any = None,
        remove_accidental_hits: bool | None = None,
        noise_per: str = "window",
        progress: bool | None = False,
        max_memory: int | None = None,
        track_loss: bool = True,
        engine: str = "fast",
        checkpoint: StrPath | None = None,
        checkpoint_every: str | int = "10m",
    ) -> None:
        self._settings.take(self, locals())
        settings.check_settings(self)
        self._begin()
        if sentences is not None or corpus_file is not None:
            saver = self._checkpoints(checkpoint, checkpoint_every)
            self._fit(one_source(sentences, corpus_file), trim_rule, Callbacks(callbacks), saver)
        elif trim_rule is not None or callbacks or checkpoint is not None:
            logger.warning(
                "trim_rule, callbacks and checkpoint are used only while building or training, and "
                "not kept: without sentences they are ignored; give them to build_vocab() and "
                "train()"
            )
        self.add_lifecycle_event("created", params=str(self))

    def _begin(self) -> None:
        """Be a model without words, to which nothing has happened yet."""
        self.layer1_size = self.vector_size
        self.min_alpha_yet_reached = self.alpha
        self.effective_min_count = self.min_count
        self.corpus_count = self.corpus_total_words = self.train_count = 0
        self.total_train_time = self.running_training_loss = 0.0
        self.loss_history = []
        self.lifecycle_events = []
        self.raw_vocab = None
        self.syn1 = self.syn1neg = self.syn1bias = None
        self._log_z = np.zeros(1, np.float32)
        for name in outputs.STORED:
            setattr(self, name, None)
        self.wv = self._new_vectors()
        self._init_random()
        self._forget_tables()

    def _checkpoints(self, folder: StrPath | None, every: str | int) -> Checkpoints | None:
        if folder is not None:
            self._engine.need("checkpoint")
        return _checkpoint.of_folder(folder, every)

    def _fit(
        self,
        source: Any,
        trim_rule: TrimRule | None,
        callbacks: Callbacks,
        saver: Checkpoints | None,
    ) -> None:
        """Build the vocabulary and train, reading the source once."""
        with open_progress(self.progress) as progress:
            encoded = self._engine.build_and_encode(self, source, trim_rule, progress)
            self.raw_vocab = {}
            try:
                self.init_weights()
                self.add_lifecycle_event("build_vocab", update=False, trim_rule=str(trim_rule))
                with handing_over(self):
                    record = self._new_run(encoded, self.corpus_count, None)
                    self._train_encoded(encoded, record, callbacks, progress, saver)
            finally:
                encoded.close()

    @renamed(sentences="corpus_iterable")
    def train(
        self,
        corpus_iterable: Any = None,
        corpus_file: StrPath | None = None,
        total_examples: int | None = None,
        total_words: int | None = None,
        epochs: int | None = None,
        start_alpha: float | None = None,
        end_alpha: float | None = None,
        word_count: int = 0,
        queue_factor: int = 2,
        report_delay: float = 1.0,
        compute_loss: bool = False,
        callbacks: Iterable[Any] = (),
        *,
        checkpoint: StrPath | None = None,
        checkpoint_every: str | int = _checkpoint.EVERY,
        resume: bool = False,
    ) -> tuple[int, int]:
        """Train on a corpus, with the vocabulary that there is.

        The corpus is read once, whatever `epochs` is; words outside the vocabulary are left out.
        For the corpus of `build_vocab` the sizes are `model.corpus_count` and
        `model.corpus_total_words`.

        Parameters
        ----------
        corpus_iterable : object, optional
            What to train on, as `sentences` of the constructor.
        corpus_file : str or os.PathLike, optional
            A file instead, one sentence a line.
        total_examples : int, optional
            Sentences of an epoch; this or `total_words` plans the learning rate.
        total_words : int, optional
            Words of an epoch.
        epochs : int, optional
            Number of epochs; must be given unless `resume` is set. Becomes the model's own.
        start_alpha : float, optional
            First learning rate; the model's `alpha` by default, and becomes it.
        end_alpha : float, optional
            Last learning rate; the model's `min_alpha` by default, and becomes it.
        word_count : int, default 0
            Accepted for gensim, as are the next two; has no effect.
        queue_factor : int, default 2
            Has no effect.
        report_delay : float, default 1.0
            Has no effect.
        compute_loss : bool, default False
            Kept as the model's attribute; the loss is computed anyway, see `track_loss`.
        callbacks : iterable, default ()
            See `pyw2v.callbacks`.
        checkpoint : str or os.PathLike, optional
            A folder for checkpoints, which `resume` goes on from.
        checkpoint_every : str or int, default "10m"
            Their distance: a time ("30s", "10m", "2h") or a number of epochs.
        resume : bool, default False
            Whether to finish the call that a callback or Ctrl-C ended early, or that was running
            when a callback saved the model, on the same corpus. With one worker, five epochs of ten
            and then the other five are ten in one go, bit for bit. Sizes, epochs and rates are then
            left out.

        Returns
        -------
        trained : int
            Words that were trained on.
        read : int
            Words that were read.

        Raises
        ------
        RuntimeError
            If there is no vocabulary, or it has no counts.
        ValueError
            If sizes or epochs are missing or out of range, or the corpus has no known word.
        FloatingPointError
            If training diverges.

        Examples
        --------
        >>> from pyw2v import Word2Vec
        >>> sentences = [["the", "cat", "sat"], ["the", "dog", "ran"]] * 50
        >>> model = Word2Vec(vector_size=8, min_count=1, workers=1)
        >>> model.build_vocab(sentences)
        >>> trained, read = model.train(sentences, total_examples=model.corpus_count, epochs=2)
        >>> read
        600
        """
        if not len(self.wv):
            raise EmptyVocabularyError("there is no vocabulary yet: call build_vocab() first")
        if "count" not in self.wv.expandos:
            raise RuntimeError("the words have no counts, which training needs: call build_vocab()")
        if resume:
            given = (total_examples, total_words, epochs, start_alpha, end_alpha)
            if any(value is not None for value in given):
                raise ValueError(
                    "resume=True goes on as the run began: total_examples, total_words, epochs, "
                    f"start_alpha and end_alpha must be left out, got {given}"
                )
            hooks = Callbacks(callbacks)
            saver = self._checkpoints(checkpoint, checkpoint_every)
            return self._go_on(one_source(corpus_iterable, corpus_file), hooks, saver)
        if total_examples is None and total_words is None:
            raise ValueError(
                "total_examples or total_words must be given, to plan the learning rate; for the "
                "corpus the vocabulary was built from: total_examples=model.corpus_count"
            )
        if epochs is None:
            raise ValueError("epochs must be given; the usual value is epochs=model.epochs")
        if total_examples is not None:
            total_examples = check_int("total_examples", total_examples, minimum=0)
        if total_words is not None:
            total_words = check_int("total_words", total_words, minimum=0)
        hooks = Callbacks(callbacks)
        saver = self._checkpoints(checkpoint, checkpoint_every)
        source = one_source(corpus_iterable, corpus_file)
        before = (self.epochs, self.alpha, self.min_alpha)
        self.epochs = epochs
        self.alpha = start_alpha or self.alpha
        self.min_alpha = end_alpha or self.min_alpha
        try:
            settings.check_settings(self)
        except (TypeError, ValueError):
            self.epochs, self.alpha, self.min_alpha = before
            raise
        self.compute_loss = bool(compute_loss)
        with handing_over(self), open_progress(self.progress) as progress:
            encoded = self._engine.encode(self, source, progress)
            try:
                record = self._new_run(encoded, total_examples, total_words)
                return self._train_encoded(encoded, record, hooks, progress, saver)
            finally:
                encoded.close()

    @model_file.class_only
    def resume(
        cls,  # noqa: N805 (class_only makes it a classmethod)
        checkpoint: StrPath,
        sentences: Any = None,
        corpus_file: StrPath | None = None,
        *,
        callbacks: Iterable[Any] = (),
        workers: int | None = None,
        progress: bool | None = None,
        checkpoint_every: str | int | None = None,
    ) -> Word2Vec:
        """Go on from the newest checkpoint in a folder, to the end.

        It goes on in the middle of an epoch, with the rate, the order and the random draws that the
        run would have had: with one worker it ends with the same bits as a run that nothing had
        stopped. Checkpoints are written as before, into the same folder.

        Parameters
        ----------
        checkpoint : str or os.PathLike
            The folder.
        sentences : object, optional
            The corpus that the run began with, given again; a generator that a killed process had
            half used up must be made anew. A finished run needs none.
        corpus_file : str or os.PathLike, optional
            A file instead.
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
        Word2Vec
            The trained model; a finished run as it is.

        Raises
        ------
        FileNotFoundError
            If the folder has no checkpoint.
        TypeError
            If the run is not over and no corpus is given.
        ValueError
            If the corpus is another one.
        """
        hooks = Callbacks(callbacks)
        model, saver = _checkpoint.reopened(checkpoint, cls.load, checkpoint_every)
        if saver is None:
            return model
        if sentences is None and corpus_file is None:
            raise TypeError(
                f"the run in {checkpoint} is not over: resume needs its corpus, sentences or "
                "corpus_file, got neither"
            )
        model.workers = model.workers if workers is None else workers
        model.progress = model.progress if progress is None else progress
        model._go_on(one_source(sentences, corpus_file), hooks, saver)
        return model

    def _go_on(
        self, source: Any, callbacks: Callbacks, saver: Checkpoints | None
    ) -> tuple[int, int]:
        """Finish the run that the model is in the middle of."""
        self._engine.need("resume")
        record = self._run_record
        if record is None or not record.unfinished:
            raise ValueError("there is no unfinished call of train() to resume")
        self.epochs = record.epochs
        settings.check_settings(self)
        with handing_over(self), open_progress(self.progress) as progress:
            encoded = self._engine.encode(self, source, progress)
            try:
                data = training.fingerprint(encoded)
                record.data.check(data)
                self.train_count -= record.over  # it is the same call
                record.data, record.over = data, False
                return self._train_encoded(encoded, record, callbacks, progress, saver)
            finally:
                encoded.close()

    def _new_run(
        self, encoded: EncodedCorpus, total_examples: int | None, total_words: int | None
    ) -> RunRecord:
        if not encoded.n_raw_words:
            raise ValueError(
                "the corpus is empty; a generator can be read only once, so one that build_vocab() "
                "has used up has nothing left for train(): give it to the constructor instead"
            )
        if not len(encoded.tokens):
            raise ValueError(
                f"none of the {encoded.n_raw_words} words of the corpus is in the vocabulary"
            )
        settings.warn_about_settings(self)
        self.running_training_loss = 0.0
        per_epoch = training.tokens_per_epoch(encoded, total_examples, total_words)
        return training.new_record(self, encoded, per_epoch)

    def _train_encoded(
        self,
        encoded: EncodedCorpus,
        record: RunRecord,
        callbacks: Callbacks,
        progress: Progress,
        saver: Checkpoints | None = None,
    ) -> tuple[int, int]:
        self.add_lifecycle_event(
            "train",
            msg=(
                f"training with {self.workers} workers on {len(self.wv)} words and "
                f"{self.vector_size} features, sg={self.sg} hs={self.hs} sample={self.sample} "
                f"negative={self.negative} objective={self.objective} window={self.window} "
                f"shrink_windows={self.shrink_windows}, from epoch {record.epochs_done} on"
            ),
        )
        trained, read = training.train_epochs(self, encoded, record, callbacks, progress, saver)
        self.add_lifecycle_event("train", msg=f"trained on {trained} of {read} raw words")
        return trained, read

    def _learnt(self) -> list[Any]:
        """Return all arrays that training changes."""
        return [*outputs.align(self), *self._align_weights(), self._log_z]

    def get_latest_training_loss(self) -> float:
        """Return the loss summed over all examples of the last, or current, call of `train`.

        Returns
        -------
        float
            The sum, in nats.
        """
        return self.running_training_loss

    def score(
        self,
        sentences: Iterable[Iterable[Any]],
        total_sentences: int = 1_000_000,
        chunksize: int = 100,
        queue_factor: int = 2,
        report_delay: float = 1,
    ) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the log probability of each sentence; needs hierarchical softmax.

        Parameters
        ----------
        sentences : iterable of iterable of str
            The sentences.
        total_sentences : int, default 1000000
            Score at most so many.
        chunksize : int, default 100
            Accepted for gensim, as are the next two; has no effect.
        queue_factor : int, default 2
            Has no effect.
        report_delay : float, default 1
            Has no effect.

        Returns
        -------
        ndarray of float32
            One number a sentence, in nats.

        Raises
        ------
        RuntimeError
            If there is no vocabulary, or the model has not ``hs=1``.
        """
        if not len(self.wv):
            raise RuntimeError("there is no vocabulary yet: call build_vocab() first")
        if not self.hs or self.syn1 is None:
            raise RuntimeError("score needs a model trained with hierarchical softmax (hs=1)")
        return prediction.sentence_scores(self, sentences, total_sentences)

    def save(
        self,
        fname_or_handle: Any,
        separately: Any = None,
        sep_limit: int = 10 * 1024**2,
        ignore: Iterable[str] = frozenset(),
        pickle_protocol: int = 4,
    ) -> None:
        """Save the whole model, to load and train on later.

        One file in the safetensors format; `trim_rule`, `callbacks` and `hashfxn` are not part of
        it. An older file stays intact if anything fails.

        Parameters
        ----------
        fname_or_handle : str, os.PathLike or binary file
            Where to write.
        separately : object, optional
            Accepted for gensim, as are the next three; has no effect.
        sep_limit : int, optional
            Has no effect.
        ignore : iterable of str, optional
            Has no effect.
        pickle_protocol : int, optional
            Has no effect.
        """
        self.add_lifecycle_event("saving", fname_or_handle=str(fname_or_handle))
        model_file.save(self, fname_or_handle)

    @model_file.class_only
    def load(
        cls,  # noqa: N805 (class_only makes it a classmethod)
        fname: Any,
        mmap: Any = None,
        rethrow: bool = False,
        verify: bool = False,
    ) -> Word2Vec:
        """Load a model that `save` wrote, or that gensim saved.

        gensim's pickles are read as data: no code in them is run.

        Parameters
        ----------
        fname : str, os.PathLike or binary file
            What to read.
        mmap : bool or str, optional
            True, or gensim's "r": leave the matrices in the file, shared between processes, until
            the model is trained. Nobody may write into that file.
        rethrow : bool, default False
            Accepted for gensim; has no effect.
        verify : bool, default False
            Compare the file with the checksum in it.

        Returns
        -------
        Word2Vec
            The model, of the class that was saved.

        Raises
        ------
        ValueError
            If the content is damaged, the file holds an object of another kind, or the checksum
            differs or is missing.
        """
        model: Word2Vec = model_file.load(cls, fname, mmap, verify)
        model.add_lifecycle_event("loaded", fname=str(fname))
        return model

    @classmethod
    def from_gensim(cls, model: Any) -> Self:
        """Return a copy of a gensim model, to query and to train further.

        Parameters
        ----------
        model : gensim Word2Vec or FastText
            The model.

        Returns
        -------
        Word2Vec
            A `FastText` where gensim's is one.

        Raises
        ------
        TypeError, ValueError
            If `model` is something else.
        """
        check_object("model", model, "a model of gensim")
        kind = kinds.class_of(cls, kinds.kind_of(type(model)), kinds.MODELS, f"{model}")
        return gensim_models.model_of(kind, model)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle, of ours or, under pyw2v.compat, of gensim's."""
        if "_entropy" in state:  # always there in ours, never in gensim's
            self.__dict__.update(state)
        else:
            gensim_models.take_state(self, state)

    def to_gensim(self) -> Any:
        """Return a copy as gensim's model; needs gensim.

        Returns
        -------
        gensim.models.Word2Vec
            `gensim.models.FastText` for a fastText model.

        Raises
        ------
        ImportError
            If gensim is not installed.
        """
        return gensim_models.gensim_model(self)

    def init_sims(self, replace: bool = False) -> None:
        """Compute norms, or scale vectors for good (deprecated in gensim 4).

        Parameters
        ----------
        replace : bool, default False
            Whether to scale all vectors to unit length in place.
        """
        self.wv.init_sims(replace=replace)

    def seeded_vector(
        self, seed_string: str, vector_size: int
    ) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return a small random vector that depends on `seed_string` only (deprecated).

        Parameters
        ----------
        seed_string : str
            The seed.
        vector_size : int
            Length of the vector.

        Returns
        -------
        ndarray of float32, shape (vector_size,)
            The vector.
        """
        warn("seeded_vector", "pyw2v.vectors.pseudorandom_weak_vector")
        return pseudorandom_weak_vector(vector_size, seed_string, self.hashfxn)

    def __str__(self) -> str:
        return (
            f"{type(self).__name__}<vocab={len(self.wv)}, vector_size={self.wv.vector_size}, "
            f"alpha={self.alpha}>"
        )
