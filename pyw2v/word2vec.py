"""Word2Vec, with gensim's constructor, methods and attributes: sentences in, word vectors out.

What the methods do is told in the modules they call: _settings (checks), _vocab_model and
_vocabulary (which words), _weights (the matrices), _training (the epochs), _prediction,
_probabilities and _model_file. _state lists all attributes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np

from pyw2v import (
    _gensim_models,
    _kinds,
    _model_file,
    _outputs,
    _prediction,
    _settings,
    _training,
    _vocabulary,
    _word2vec_c,
    corpus,
)
from pyw2v._checks import check_int, check_object
from pyw2v._interrupt import handing_over
from pyw2v._old_names import renamed, warn
from pyw2v._probabilities import Probabilities
from pyw2v._vocab_model import StrPath, TrimRule, VocabModel, one_source
from pyw2v._vocabulary import EmptyVocabularyError, RawCounts
from pyw2v.callbacks import Callbacks
from pyw2v.corpus import EncodedCorpus
from pyw2v.progress import Progress, open_progress
from pyw2v.samplers import Sampler
from pyw2v.vectors import pseudorandom_weak_vector

__all__ = ["MAX_WORDS_IN_BATCH", "EmptyVocabularyError", "Word2Vec"]

logger = logging.getLogger(__name__)

MAX_WORDS_IN_BATCH = 10000


class Word2Vec(Probabilities, VocabModel):
    """A word2vec model: `model.wv` holds the vectors of the words, and answers queries.

    Given `sentences` or `corpus_file`, the constructor reads them once, builds the vocabulary and
    trains; otherwise call `build_vocab` and `train`. Since one pass is enough, one-shot generators
    work with any number of epochs. Ctrl-C ends training at once: the `KeyboardInterrupt` has the
    model, as far as it was trained, as its attribute `model`.

    Parameters, in gensim's order and with its defaults:

    - `sentences`: what to train on: lists of tokens, a `pathlib.Path`, arrays... (see
      `pyw2v.corpus.scan`); `corpus_file`: a path, one sentence a line, tokens separated by blanks.
    - `vector_size`: numbers per vector; `window`: the farthest context word;
      `shrink_windows=True`: each window's size is drawn from 1..window.
    - `min_count`: rarer words are ignored; `max_final_vocab`: raise min_count until at most so many
      are left; `max_vocab_size`: the same, but words as frequent as the last one stay, too;
      `trim_rule(word, count, min_count)`: decide word by word.
    - `sample`: frequent words are dropped at random above this share of the corpus (a count if at
      least 1; 0 keeps all).
    - `alpha`, `min_alpha`: the learning rate falls linearly from one to the other over `epochs`.
    - `sg`: 1 skip-gram, 0 CBOW; `hs`: 1 hierarchical softmax; `negative`: negative samples, 0 none;
      drawn by count ** `ns_exponent`; `cbow_mean`: 1 mean, 0 sum of the context vectors.
    - `workers`: threads, -1 for all cores; `seed`: with one worker a run repeats bit for bit; None
      for a new one each time.
    - `callbacks`: see `pyw2v.callbacks`; `compute_loss`: kept for gensim's sake, see below.
    - `hashfxn`, `batch_words`: accepted, without effect; `null_word`, `sorted_vocab`, `comment`.

    And our own:

    - `cbow_grad`: "sum" is the historical gradient (each context word gets the whole error), "mean"
      the corrected one, divided by their number.
    - `objective`: None trains what `hs` and `negative` say; a name, one of those in
      `pyw2v.objectives`: "ns", "nce", "sampled_logistic", "sampled_softmax" (with k = `negative`
      drawn words), "logistic", "softmax", "class_softmax", "dsoftmax" or "hs".
    - `sampler`: by which law words are drawn, see `pyw2v.samplers`; `Unigram(ns_exponent)` if None;
      `noise_per`: "window" draws k words for all inputs of a centre (or of two neighbours, see
      docs/objectives.md), "pair" for each input;
      `remove_accidental_hits`: whether a drawn word that is the centre counts for nothing: by
      default so, except with "nce"; `nce_z`: the Z of "nce", a number or "learned".
    - `output_bias`: learn a number for each word that is added to its scores, in `syn1bias`. None
      does so for "logistic" only, which needs it to train at the usual rates.
    - `self_norm`: "softmax" adds this times log(Z)^2 to its loss, so that Z comes near 1.
    - `classes`, `class_depth`: of "class_softmax": how many classes (the square root of the
      vocabulary by default), or the class of each word, as a dict or in the order of the
      vocabulary; and how many decisions lead to a word.
    - `bands`: of "dsoftmax": pairs (number of words, width of their output rows) from the first
      word of the vocabulary on, widths falling.
    - `progress`: True shows a bar (tqdm if installed), None only on a terminal.
    - `max_memory`: bytes of encoded corpus to hold in memory; more goes to a temporary file.
    - `track_loss`: False leaves out the loss. It costs next to nothing, so it is on whatever
      `compute_loss` says: `loss_history` has the exact mean loss per example of every epoch this
      model ever trained (NaN for one that sub-sampling left without any), and
      `get_latest_training_loss()` the sum over the last call.
    - `engine`: "word2vec.c" gives the vectors of the C program run with one thread, bit for bit and
      as slowly, its faults included: of several epochs it trains only the first. Its vocabulary
      starts with "</s>", and a `corpus_file` is read as it reads files. `workers`, `seed`,
      `min_alpha` and losses have no part in it; mind that its CBOW starts at `alpha=0.05`.
    """

    @renamed(size="vector_size", iter="epochs")
    def __init__(
        self,
        sentences: Any = None,
        corpus_file: StrPath | None = None,
        vector_size: int = 100,
        alpha: float = 0.025,
        window: int = 5,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        sample: float = 1e-3,
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
        batch_words: int = MAX_WORDS_IN_BATCH,
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
    ) -> None:
        self.vector_size = self.layer1_size = vector_size
        self.alpha, self.min_alpha = alpha, min_alpha
        self.min_alpha_yet_reached = alpha
        self.window, self.shrink_windows = window, bool(shrink_windows)
        self.min_count, self.max_vocab_size = min_count, max_vocab_size
        self.max_final_vocab, self.sample = max_final_vocab, sample
        self.seed, self.workers, self.epochs = seed, workers, epochs
        self.sg, self.hs, self.negative = sg, hs, negative
        self.ns_exponent = ns_exponent
        self.cbow_mean, self.cbow_grad = cbow_mean, cbow_grad
        self.objective, self.sampler = objective, sampler
        self.output_bias, self.self_norm, self.nce_z = output_bias, self_norm, nce_z
        self.classes, self.class_depth, self.bands = classes, class_depth, bands
        self.remove_accidental_hits, self.noise_per = remove_accidental_hits, noise_per
        self.hashfxn, self.null_word, self.sorted_vocab = hashfxn, null_word, sorted_vocab
        self.batch_words, self.comment = batch_words, comment
        self.compute_loss, self.track_loss = bool(compute_loss), bool(track_loss)
        self.progress, self.max_memory = progress, max_memory
        self.engine = engine
        _settings.check_settings(self)

        self.corpus_count = self.corpus_total_words = self.train_count = 0
        self.effective_min_count = min_count
        self.total_train_time = self.running_training_loss = 0.0
        self.loss_history = []
        self.lifecycle_events = []
        self.raw_vocab = None
        self.syn1 = self.syn1neg = self.syn1bias = None
        self._log_z = np.zeros(1, np.float32)
        for name in _outputs.STORED:
            setattr(self, name, None)
        self.wv = self._new_vectors()
        self._init_random()
        self._forget_tables()

        if sentences is not None or corpus_file is not None:
            self._fit(one_source(sentences, corpus_file), trim_rule, Callbacks(callbacks))
        elif trim_rule is not None or callbacks:
            logger.warning(
                "trim_rule and callbacks are used only while building or training, and not kept: "
                "without sentences they are ignored; give them to build_vocab() and train()"
            )
        self.add_lifecycle_event("created", params=str(self))

    def _fit(self, source: Any, trim_rule: TrimRule | None, callbacks: Callbacks) -> None:
        """Build the vocabulary and train, reading the source once."""
        with open_progress(self.progress) as progress:
            encoded = self._choose_and_encode(source, trim_rule, progress)
            self.raw_vocab = {}
            try:
                self.init_weights()
                self.add_lifecycle_event("build_vocab", update=False, trim_rule=str(trim_rule))
                with handing_over(self):
                    self._train_encoded(encoded, self.corpus_count, None, callbacks, progress)
            finally:
                encoded.close()

    def _choose_and_encode(
        self, source: Any, trim_rule: TrimRule | None, progress: Progress
    ) -> EncodedCorpus:
        """Build the vocabulary; return the corpus, encoded in the same pass.

        The words that were dropped are forgotten on return, before the weights need the memory.
        """
        if _word2vec_c.is_exact(self):
            if trim_rule is not None:
                _word2vec_c.refuse("trim_rule")
            return _word2vec_c.build_and_encode(self, source, progress)
        scan = corpus.scan(
            source, workers=self.workers, max_memory=self.max_memory, progress=progress
        )
        try:
            self.corpus_count = scan.corpus.n_raw_sentences
            self.corpus_total_words = scan.corpus.n_raw_words
            raw = RawCounts(scan.words, scan.counts)
            chosen = _vocabulary.plan(raw, self, trim_rule, self.min_count, self.sample)
            return scan.remap(self._apply_plan(raw, chosen))
        except BaseException:
            scan.corpus.close()
            raise

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
    ) -> tuple[int, int]:
        """Train on a corpus; return how many words were trained on and how many were read.

        The corpus is read once, whatever `epochs` is; words outside the vocabulary are left out.
        `total_examples` (sentences) or `total_words` says how large an epoch is for the learning
        rate, which falls from `start_alpha` to `end_alpha` (the model's own `alpha` and
        `min_alpha` if not given) over `epochs`; for the corpus of `build_vocab` they are
        `model.corpus_count` and `model.corpus_total_words`. The given values become the model's
        own. `word_count`, `queue_factor` and `report_delay` are accepted, without effect.
        """
        if not len(self.wv):
            raise EmptyVocabularyError("there is no vocabulary yet: call build_vocab() first")
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
        source = one_source(corpus_iterable, corpus_file)
        before = (self.epochs, self.alpha, self.min_alpha)
        self.epochs = epochs
        self.alpha = start_alpha or self.alpha
        self.min_alpha = end_alpha or self.min_alpha
        try:
            _settings.check_settings(self)
        except (TypeError, ValueError):
            self.epochs, self.alpha, self.min_alpha = before
            raise
        self.compute_loss = bool(compute_loss)
        with handing_over(self), open_progress(self.progress) as progress:
            encoded = self._encode(source, progress)
            try:
                return self._train_encoded(encoded, total_examples, total_words, hooks, progress)
            finally:
                encoded.close()

    def _encode(self, source: Any, progress: Progress) -> EncodedCorpus:
        if _word2vec_c.is_exact(self):
            return _word2vec_c.encode(self, source, progress)
        return corpus.encode(
            source,
            self.wv.key_to_index,
            workers=self.workers,
            max_memory=self.max_memory,
            progress=progress,
        )

    def _train_encoded(
        self,
        encoded: EncodedCorpus,
        total_examples: int | None,
        total_words: int | None,
        callbacks: Callbacks,
        progress: Progress,
    ) -> tuple[int, int]:
        if not encoded.n_raw_words:
            raise ValueError(
                "the corpus is empty; a generator can be read only once, so one that build_vocab() "
                "has used up has nothing left for train(): give it to the constructor instead"
            )
        if not len(encoded.tokens):
            raise ValueError(
                f"none of the {encoded.n_raw_words} words of the corpus is in the vocabulary"
            )
        _settings.warn_about_settings(self)
        self.running_training_loss = 0.0
        per_epoch = _training.tokens_per_epoch(encoded, total_examples, total_words)
        self.add_lifecycle_event(
            "train",
            msg=(
                f"training with {self.workers} workers on {len(self.wv)} words and "
                f"{self.vector_size} features, sg={self.sg} hs={self.hs} sample={self.sample} "
                f"negative={self.negative} objective={self.objective} window={self.window} "
                f"shrink_windows={self.shrink_windows}"
            ),
        )
        trained, read = _training.train_epochs(self, encoded, per_epoch, callbacks, progress)
        self.add_lifecycle_event("train", msg=f"trained on {trained} of {read} raw words")
        return trained, read

    def get_latest_training_loss(self) -> float:
        """Return the loss summed over all examples of the last call of train() (or this one)."""
        return self.running_training_loss

    def score(
        self,
        sentences: Iterable[Iterable[Any]],
        total_sentences: int = 1_000_000,
        chunksize: int = 100,
        queue_factor: int = 2,
        report_delay: float = 1,
    ) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the log probability of each sentence, of at most `total_sentences`.

        Needs hierarchical softmax (hs=1), where probabilities are exact. The other arguments are
        accepted, without effect.
        """
        if not len(self.wv):
            raise RuntimeError("there is no vocabulary yet: call build_vocab() first")
        if not self.hs or self.syn1 is None:
            raise RuntimeError("score needs a model trained with hierarchical softmax (hs=1)")
        return _prediction.sentence_scores(self, sentences, total_sentences)

    def save(
        self,
        fname_or_handle: Any,
        separately: Any = None,
        sep_limit: int = 10 * 1024**2,
        ignore: Iterable[str] = frozenset(),
        pickle_protocol: int = 4,
    ) -> None:
        """Save the whole model to a path or a binary file, to load and train on later.

        One file in the safetensors format; `trim_rule`, `callbacks` and `hashfxn` are not part of
        it. The arguments after the first are gensim's, without effect.
        """
        self.add_lifecycle_event("saving", fname_or_handle=str(fname_or_handle))
        _model_file.save(self, fname_or_handle)

    @_model_file.class_only
    def load(cls, fname: Any, mmap: Any = None, rethrow: bool = False) -> Word2Vec:  # noqa: N805 (class_only makes it a classmethod)
        """Load a model that `save` wrote, from a path or a binary file, or that gensim saved.

        gensim's pickles are read as data: no code in them is run.

        With `mmap="r"` (or True) the matrices stay in the file, shared between processes, until the
        model is trained on. `rethrow` is accepted, without effect.
        """
        model: Word2Vec = _model_file.load(cls, fname, mmap)
        model.add_lifecycle_event("loaded", fname=str(fname))
        return model

    @classmethod
    def from_gensim(cls, model: Any) -> Self:
        """Return a copy of gensim's model, to ask and to train further."""
        check_object("model", model, "a model of gensim")
        kind = _kinds.class_of(cls, _kinds.kind_of(type(model)), _kinds.MODELS, f"{model}")
        return _gensim_models.model_of(kind, model)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle, of ours or, under pyw2v.compat, of gensim's."""
        if "_entropy" in state:  # always there in ours, never in gensim's
            self.__dict__.update(state)
        else:
            _gensim_models.take_state(self, state)

    def to_gensim(self) -> Any:
        """Return a copy as gensim's model; needs gensim."""
        return _gensim_models.gensim_model(self)

    def init_sims(self, replace: bool = False) -> None:
        """Normalise the vectors for good with `replace=True` (deprecated in gensim 4)."""
        self.wv.init_sims(replace=replace)

    def seeded_vector(
        self, seed_string: str, vector_size: int
    ) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return a small random vector that depends on `seed_string` only (deprecated)."""
        warn("seeded_vector", "pyw2v.vectors.pseudorandom_weak_vector")
        return pseudorandom_weak_vector(vector_size, seed_string, self.hashfxn)

    def __str__(self) -> str:
        return (
            f"{type(self).__name__}<vocab={len(self.wv)}, vector_size={self.wv.vector_size}, "
            f"alpha={self.alpha}>"
        )
