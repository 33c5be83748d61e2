"""FastText, with gensim's constructor, methods and attributes: words learn from their spelling.

It is Word2Vec with composed input rows: what differs is in `FastTextKeyedVectors` and in the few
methods here. The functions below the class are gensim's, for files of the fastText program.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pyw2v import _matrices
from pyw2v._core.huffman import HuffmanTree
from pyw2v._shared.old_names import renamed, warn
from pyw2v._shared.settings import also_known_as
from pyw2v.corpus import vocab
from pyw2v.fasttext_model import facebook
from pyw2v.fasttext_model.table import FASTTEXT
from pyw2v.io import fasttext_format, fields
from pyw2v.io.streams import StrPath
from pyw2v.objectives.samplers import Sampler
from pyw2v.vectors.fasttext import FastTextKeyedVectors
from pyw2v.vectors.ngrams import (
    compute_ngrams,
    compute_ngrams_bytes,
    ft_hash_bytes,
    ft_ngram_hashes,
)
from pyw2v.word2vec import Word2Vec
from pyw2v.word2vec.build import TrimRule
from pyw2v.word2vec.table import WORD2VEC

__all__ = [
    "FastText",
    "FastTextKeyedVectors",
    "compute_ngrams",
    "compute_ngrams_bytes",
    "ft_hash_bytes",
    "ft_ngram_hashes",
    "load_facebook_model",
    "load_facebook_vectors",
    "save_facebook_model",
]


class FastText(Word2Vec):
    """A fastText model: `model.wv` has a vector for every word, also for words never seen.

    The vector of a word is made of a row of its own and of rows of its n-grams (see
    `FastTextKeyedVectors`); all of them are trained. All else is as in `Word2Vec`.

    Order and defaults are gensim's, up to `shrink_windows`; what follows is our own, and given by
    name. For the settings of the fastText program instead: `alpha=0.05, sample=1e-4,
    ns_exponent=0.5`.

    Parameters
    ----------
    sentences : object, optional
        What to train on: lists of tokens, a `pathlib.Path`, arrays, data frames: see
        `pyw2v.corpus.scan`. It is read once, so that one-shot generators work. None makes a model
        without words, to be trained later.
    corpus_file : str or os.PathLike, optional
        The path of a text in place of `sentences`: one sentence per line, tokens separated by white
        space.
    sg : int, default 0
        1 trains skip-gram, 0 CBOW.
    hs : int, default 0
        1 trains hierarchical softmax.
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
    word_ngrams : int, default 1
        Must be 1: n-grams of words are for classifiers.
    sample : float, default 0.001
        Frequent words are dropped at random above this share of the corpus (a count if at least 1);
        0 keeps all.
    seed : int or None, default 1
        With one worker a run repeats bit for bit; None draws a new seed each time.
    workers : int, default 3
        Threads; 0 or less stands for every core.
    min_alpha : float, default 0.0001
        The learning rate at the end. Also: `min_learning_rate`.
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
    min_n : int, default 3
        The least number of characters of an n-gram, `<` and `>` around the word included.
    max_n : int, default 6
        The largest number; if it is below `min_n`, words have no n-grams.
    sorted_vocab : int, default 1
        1 sorts the vocabulary by falling count, 0 leaves it in the order of first sight.
    bucket : int, default 2_000_000
        Rows for n-grams, which share them by hash value. Only those that words of the vocabulary
        have n-grams in take memory; all others are zero, as nothing is known of them.
    trim_rule : callable, optional
        `trim_rule(word, count, min_count)` decides word by word which ones are kept.
    batch_words : int, default 10_000
        Accepted, without effect.
    callbacks : iterable, default ()
        Objects whose hooks are called between epochs, see `pyw2v.callbacks`.
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
    NotImplementedError
        `word_ngrams` is not 1.
    FloatingPointError
        The numbers have overflowed: the learning rate was too high.

    See Also
    --------
    Word2Vec : The same without n-grams; its methods are those of this class, too.
    TextClassifier : The supervised model of fastText.
    load_facebook_model : Read a `.bin` file of the fastText program.

    Examples
    --------
    >>> from pyw2v import FastText
    >>> sentences = [["the", "king", "rules"], ["the", "queen", "rules"]] * 20
    >>> model = FastText(sentences, vector_size=16, min_count=1, sample=0, workers=1, bucket=1000)
    >>> "kings" in model.wv.key_to_index
    False
    >>> model.wv["kings"].shape
    (16,)
    """

    _settings = FASTTEXT
    wv: FastTextKeyedVectors

    # Settings: written by tools/write_settings.py.
    word_ngrams: int = 1
    min_n: int = 3
    max_n: int = 6
    bucket: int = 2_000_000
    # End of the settings.

    @renamed(size="vector_size", iter="epochs")
    @also_known_as(FASTTEXT.aliases)
    def __init__(
        self,
        sentences: Any = None,
        corpus_file: StrPath | None = None,
        sg: int = 0,
        hs: int = 0,
        vector_size: int = 100,
        alpha: float = 0.025,
        window: int = 5,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        word_ngrams: int = 1,
        sample: float = 0.001,
        seed: int | None = 1,
        workers: int = 3,
        min_alpha: float = 0.0001,
        negative: int = 5,
        ns_exponent: float = 0.75,
        cbow_mean: int = 1,
        hashfxn: Callable[[Any], int] = hash,
        epochs: int = 5,
        null_word: int = 0,
        min_n: int = 3,
        max_n: int = 6,
        sorted_vocab: int = 1,
        bucket: int = 2_000_000,
        trim_rule: TrimRule | None = None,
        batch_words: int = 10_000,
        callbacks: Iterable[Any] = (),
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
        checkpoint: StrPath | None = None,
        checkpoint_every: str | int = "10m",
    ) -> None:
        if word_ngrams != 1:
            raise NotImplementedError(
                f"FastText learns no n-grams of words, word_ngrams must be 1, got {word_ngrams!r}; "
                "they are for classifiers"
            )
        min_n, max_n = FASTTEXT.check("min_n", min_n), FASTTEXT.check("max_n", max_n)
        bucket = _useful_buckets(min_n, max_n, bucket)
        self._settings.take(self, locals())
        super().__init__(**WORD2VEC.given(locals()))

    @staticmethod
    def _make_tree(counts: np.ndarray[Any, np.dtype[np.int64]]) -> HuffmanTree:
        """Return the tree that fastText makes, so that its files fit to the last tie."""
        return HuffmanTree.fasttext(counts)

    def _new_vectors(self) -> FastTextKeyedVectors:
        return FastTextKeyedVectors(self.vector_size, self.min_n, self.max_n, self.bucket)

    def _make_inputs(self, keep: bool) -> None:
        if not keep:
            self.wv.vectors_vocab = self.wv.vectors_vocab[:0]
            self.wv._ngrams = None
        self.wv.resize_vectors(seed=self.seed)

    def _align_inputs(self) -> list[_matrices.Matrix]:
        wv, dim = self.wv, self.vector_size
        wv.vectors_vocab = _matrices.for_training(
            wv.vectors_vocab, len(wv), dim, "wv.vectors_vocab"
        )
        if self.bucket == 0:
            return [wv.vectors_vocab]
        wv._grow_ngrams(self.seed)  # for n-grams that a user gave the words
        ngrams = wv._ngram_rows()
        n_rows = self.bucket if ngrams.buckets is None else len(ngrams.values)
        wv._ngrams = ngrams.with_values(
            _matrices.for_training(ngrams.values, n_rows, dim, "wv.vectors_ngrams", "buckets")
        )
        return [wv.vectors_vocab, wv._ngrams.values]

    def _holders(self) -> list[object]:
        return [*super()._holders(), *([self.wv._ngrams] if self.bucket else [])]

    def _trainer_inputs(self) -> dict[str, Any]:
        wv = self.wv
        words = {
            "input": wv.vectors_vocab,
            "input_lock": _matrices.lock_factors(wv.vectors_vocab_lockf, len(wv)),
        }
        if self.bucket == 0:
            return words
        offsets, ids = wv._ngram_table()
        lock = _matrices.lock_factors(wv.vectors_ngrams_lockf, self.bucket)
        return words | {
            "subwords": (offsets, wv._ngrams.at(ids)),
            "input_ngrams": wv._ngrams.values,
            "ngrams_lock": wv._ngrams.by_row(lock),
        }

    def _row_counts(self, words: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
        if self.bucket == 0:
            return super()._row_counts(words)
        offsets, ids = self.wv._ngram_table()[0], np.asarray(words)
        return np.asarray(offsets[ids + 1] - offsets[ids] + 1)

    def _inputs_changed(self) -> None:
        self.wv.adjust_vectors()

    @classmethod
    def load_fasttext_format(cls, model_file: StrPath, encoding: str = "utf8") -> FastText:
        """Read a fastText `.bin` file: old name of `load_facebook_model`.

        Parameters
        ----------
        model_file : str or os.PathLike
            The file.
        encoding : str, default "utf8"
            Encoding of the words.

        Returns
        -------
        FastText
            The model.
        """
        warn("load_fasttext_format", "load_facebook_model")
        return load_facebook_model(model_file, encoding)

    def load_binary_data(self, encoding: str = "utf8") -> None:
        """Become the model of the `.bin` file that the attribute `file_name` names.

        Parameters
        ----------
        encoding : str, default "utf8"
            Encoding of the words.

        Raises
        ------
        AttributeError
            If there is no `file_name`.
        """
        warn("load_binary_data", "load_facebook_model")
        path: StrPath | None = getattr(self, "file_name", None)
        if path is None:
            raise AttributeError("load_binary_data reads the file that model.file_name names")
        self.__dict__.update(load_facebook_model(path, encoding).__dict__)

    def estimate_memory(
        self, vocab_size: int | None = None, report: dict[str, int] | None = None
    ) -> dict[str, int]:
        """Return about how many bytes each part of the model takes, and their total.

        Parameters
        ----------
        vocab_size : int, optional
            Number of words; that of the vocabulary by default.
        report : dict of str to int, optional
            Further parts to add.

        Returns
        -------
        dict of str to int
            Bytes by part.
        """
        row_bytes = _matrices.row_bytes(self.vector_size)
        n_words = vocab_size or len(self.wv)
        report = dict(report or {})
        report["syn0_vocab"] = n_words * row_bytes
        report["syn0_ngrams"] = len(self.wv._ngram_rows().values) * row_bytes
        report["buckets_word"] = sum(array.nbytes for array in self.wv._ngram_table())
        return super().estimate_memory(vocab_size, report)


def _useful_buckets(min_n: int, max_n: int, bucket: int) -> int:
    """Return 0 where no word has n-grams of these lengths."""
    return bucket if max_n >= max(min_n, 1) else 0


def load_facebook_model(path: StrPath, encoding: str = "utf-8") -> FastText:
    """Return the model of a fastText `.bin` file, to query and to train further.

    Training goes on with the settings of the file, at fastText's exponent of 0.5 for negative
    samples; the learning rate is not in a file.

    Parameters
    ----------
    path : str or os.PathLike
        The file, plain or compressed.
    encoding : str, default "utf-8"
        Encoding of the words. Words that it cannot decode are kept with their bytes escaped.

    Returns
    -------
    FastText
        The model.

    Raises
    ------
    NotImplementedError
        If the file holds a classifier or is quantised.
    ValueError
        If the file is damaged.

    See Also
    --------
    load_facebook_vectors : The vectors alone.
    pyw2v.fasttext.load_model : Any fastText file, classifiers too.
    """
    codecs.lookup(encoding)  # an error of the caller's, not of the file
    data = facebook.read(path)
    with fields.sound(path, "a fastText model"):
        model = FastText(**facebook.settings_of(data.args))
        model.corpus_total_words = data.n_tokens
        model.raw_vocab = {}
        facebook.take_vectors(model.wv, data, encoding)
        counts = model.wv.expandos["count"]
        model.wv.expandos["sample_int"] = vocab.keep_thresholds(counts, model.sample)
        facebook.take_output(model, data)
    model.add_lifecycle_event("load_facebook_model", path=str(path))
    return model


def load_facebook_vectors(path: StrPath, encoding: str = "utf-8") -> FastTextKeyedVectors:
    """Return the vectors of a fastText `.bin` file; its output matrix is not read.

    Parameters
    ----------
    path : str or os.PathLike
        The file, plain or compressed.
    encoding : str, default "utf-8"
        Encoding of the words.

    Returns
    -------
    FastTextKeyedVectors
        The vectors.

    Raises
    ------
    NotImplementedError
        If the file holds a classifier or is quantised.
    ValueError
        If the file is damaged.
    """
    codecs.lookup(encoding)
    data = facebook.read(path)
    args = data.args
    with fields.sound(path, "a fastText model"):
        bucket = _useful_buckets(args.minn, args.maxn, args.bucket)
        wv = FastTextKeyedVectors(args.dim, args.minn, args.maxn, bucket)
        facebook.take_vectors(wv, data, encoding)
    return wv


def save_facebook_model(
    model: FastText,
    path: StrPath,
    encoding: str = "utf-8",
    lr_update_rate: int = 100,
    word_ngrams: int = 1,
) -> None:
    """Write a `.bin` file that fastText reads.

    Parameters
    ----------
    model : FastText
        The model.
    path : str or os.PathLike
        Where to write.
    encoding : str, default "utf-8"
        Encoding of the words.
    lr_update_rate : int, default 100
        A setting that the file holds.
    word_ngrams : int, default 1
        A setting that the file holds.
    """
    data = facebook.data_of(model, model.wv, encoding, lr_update_rate, word_ngrams)
    fasttext_format.write(data, path)
