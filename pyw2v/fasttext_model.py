"""FastText, with gensim's constructor, methods and attributes: words learn from their spelling.

It is Word2Vec with composed input rows: what differs is in `FastTextKeyedVectors` and in the few
methods here. The functions below the class are gensim's, for files of the fastText program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pyw2v import _facebook, _weights, vocab
from pyw2v._checks import check_int
from pyw2v._core.huffman import fasttext_huffman
from pyw2v._fasttext_vectors import FastTextKeyedVectors
from pyw2v._old_names import renamed, warn
from pyw2v._subwords import (
    compute_ngrams,
    compute_ngrams_bytes,
    ft_hash_bytes,
    ft_ngram_hashes,
)
from pyw2v._vocab_model import StrPath, TrimRule
from pyw2v.io import fasttext_format
from pyw2v.samplers import Sampler
from pyw2v.word2vec import MAX_WORDS_IN_BATCH, Word2Vec

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
    `FastTextKeyedVectors`); all of them are trained.

    Parameters are in gensim's order and with its defaults; those that `Word2Vec` has, too, are told
    there. The others:

    - `min_n`, `max_n`: the n-grams have so many characters, `<` and `>` around the word included;
      `max_n < min_n` trains words only.
    - `bucket`: rows for n-grams, which share them by hash value. Only those that words of the
      vocabulary have n-grams in take memory; all others are zero, as nothing is known of them.
    - `word_ngrams`: 1, as gensim's.

    For the settings of the fastText program instead: `alpha=0.05, sample=1e-4, ns_exponent=0.5`.
    """

    _more_settings = (("word_ngrams", 1), ("min_n", 0), ("max_n", 0), ("bucket", 0))
    wv: FastTextKeyedVectors

    @renamed(size="vector_size", iter="epochs")
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
        sample: float = 1e-3,
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
        batch_words: int = MAX_WORDS_IN_BATCH,
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
    ) -> None:
        if word_ngrams != 1:
            raise NotImplementedError(
                f"FastText learns no n-grams of words, word_ngrams must be 1, got {word_ngrams!r}; "
                "they are for classifiers"
            )
        self.word_ngrams = word_ngrams
        self.min_n = check_int("min_n", min_n, minimum=0)
        self.max_n = check_int("max_n", max_n, minimum=0)
        self.bucket = _useful_buckets(min_n, max_n, bucket)
        super().__init__(
            sentences,
            corpus_file,
            vector_size=vector_size,
            alpha=alpha,
            window=window,
            min_count=min_count,
            max_vocab_size=max_vocab_size,
            sample=sample,
            seed=seed,
            workers=workers,
            min_alpha=min_alpha,
            sg=sg,
            hs=hs,
            negative=negative,
            ns_exponent=ns_exponent,
            cbow_mean=cbow_mean,
            hashfxn=hashfxn,
            epochs=epochs,
            null_word=null_word,
            trim_rule=trim_rule,
            sorted_vocab=sorted_vocab,
            batch_words=batch_words,
            callbacks=callbacks,
            max_final_vocab=max_final_vocab,
            shrink_windows=shrink_windows,
            cbow_grad=cbow_grad,
            objective=objective,
            sampler=sampler,
            output_bias=output_bias,
            self_norm=self_norm,
            nce_z=nce_z,
            classes=classes,
            class_depth=class_depth,
            bands=bands,
            remove_accidental_hits=remove_accidental_hits,
            noise_per=noise_per,
            progress=progress,
            max_memory=max_memory,
            track_loss=track_loss,
        )

    @staticmethod
    def _make_tree(counts: np.ndarray[Any, np.dtype[np.int64]]) -> _weights.Huffman:
        """Return the tree that fastText makes, so that its files fit to the last tie."""
        return fasttext_huffman(counts)

    def _new_vectors(self) -> FastTextKeyedVectors:
        return FastTextKeyedVectors(self.vector_size, self.min_n, self.max_n, self.bucket)

    def _make_inputs(self, keep: bool) -> None:
        if not keep:
            self.wv.vectors_vocab = self.wv.vectors_vocab[:0]
            self.wv._ngrams = None
        self.wv.resize_vectors(seed=self.seed)

    def _align_inputs(self) -> list[_weights.Matrix]:
        wv, dim = self.wv, self.vector_size
        wv.vectors_vocab = _weights.for_training(wv.vectors_vocab, len(wv), dim, "wv.vectors_vocab")
        if self.bucket == 0:
            return [wv.vectors_vocab]
        wv._grow_ngrams(self.seed)  # for n-grams that a user gave the words
        ngrams = wv._ngram_rows()
        n_rows = self.bucket if ngrams.buckets is None else len(ngrams.values)
        wv._ngrams = ngrams.with_values(
            _weights.for_training(ngrams.values, n_rows, dim, "wv.vectors_ngrams", "buckets")
        )
        return [wv.vectors_vocab, wv._ngrams.values]

    def _holders(self) -> list[object]:
        return [*super()._holders(), *([self.wv._ngrams] if self.bucket else [])]

    def _trainer_inputs(self) -> dict[str, Any]:
        wv = self.wv
        words = {
            "input": wv.vectors_vocab,
            "input_lock": _weights.lock_factors(wv.vectors_vocab_lockf, len(wv)),
        }
        if self.bucket == 0:
            return words
        offsets, ids = wv._ngram_table()
        lock = _weights.lock_factors(wv.vectors_ngrams_lockf, self.bucket)
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
        """Old name of `load_facebook_model`."""
        warn("load_fasttext_format", "load_facebook_model")
        return load_facebook_model(model_file, encoding)

    def load_binary_data(self, encoding: str = "utf8") -> None:
        """Become the model of the `.bin` file that the attribute `file_name` names."""
        warn("load_binary_data", "load_facebook_model")
        path: StrPath | None = getattr(self, "file_name", None)
        if path is None:
            raise AttributeError("load_binary_data reads the file that model.file_name names")
        self.__dict__.update(load_facebook_model(path, encoding).__dict__)

    def estimate_memory(
        self, vocab_size: int | None = None, report: dict[str, int] | None = None
    ) -> dict[str, int]:
        """Return about how many bytes each part of the model takes, and their total."""
        row_bytes = _weights.row_bytes(self.vector_size)
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
    """Return the model of a fastText `.bin` file, to ask and to train further.

    Training goes on with what the file says, at fastText's exponent of 0.5 for negative samples;
    the learning rate is not in a file. Words that `encoding` cannot decode are kept with their
    bytes escaped.
    """
    data = _facebook.read(path)
    model = FastText(**_facebook.settings_of(data.args))
    model.corpus_total_words = data.n_tokens
    model.raw_vocab = {}
    _facebook.take_vectors(model.wv, data, encoding)
    counts = model.wv.expandos["count"]
    model.wv.expandos["sample_int"] = vocab.keep_thresholds(counts, model.sample)
    _facebook.take_output(model, data)
    model.add_lifecycle_event("load_facebook_model", path=str(path))
    return model


def load_facebook_vectors(path: StrPath, encoding: str = "utf-8") -> FastTextKeyedVectors:
    """Return the vectors of a fastText `.bin` file; its output matrix is not read."""
    data = _facebook.read(path)
    args = data.args
    bucket = _useful_buckets(args.minn, args.maxn, args.bucket)
    wv = FastTextKeyedVectors(args.dim, args.minn, args.maxn, bucket)
    _facebook.take_vectors(wv, data, encoding)
    return wv


def save_facebook_model(
    model: FastText,
    path: StrPath,
    encoding: str = "utf-8",
    lr_update_rate: int = 100,
    word_ngrams: int = 1,
) -> None:
    """Write a `.bin` file that fastText reads; the last two are settings that it holds."""
    data = _facebook.data_of(model, model.wv, encoding, lr_update_rate, word_ngrams)
    fasttext_format.write(data, path)
