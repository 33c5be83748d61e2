"""`FastTextKeyedVectors`: vectors of words and of their n-grams, so that any word has one."""

import logging
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pyw2v import _peer_classes, _subwords, _weights
from pyw2v._buckets import BucketRows
from pyw2v._checks import check_int
from pyw2v._compact_ngrams import CompactNgrams
from pyw2v._keys import Key
from pyw2v.compact import CompactVectors
from pyw2v.io import handles, native
from pyw2v.vectors import Convert, KeyedVectors

logger = logging.getLogger(__name__)

_BUCKETS = "ngram_buckets"  # in a file: which buckets have rows, where not all have
_SIZES = ("vector_size", "min_n", "max_n", "bucket")  # what the rest of a file is read by


class FastTextKeyedVectors(KeyedVectors):
    """Vectors of words and of their n-grams, with gensim's methods and attributes.

    The vector of a word in the vocabulary, a row of `vectors`, is the mean of its own row in
    `vectors_vocab` and those of its n-grams of `min_n` to `max_n` characters in `vectors_ngrams`
    (one row for each of `bucket` hash values); that of any other word the mean of its n-grams'
    rows. After changing the latter two matrices, call `adjust_vectors()`.

    Rows of buckets that no word of the vocabulary has n-grams in are zero, and take no memory until
    `vectors_ngrams` is first asked for.
    """

    compatible_hash = True  # with fastText's files; gensim reads this attribute
    # What `buckets_word` was set to: subclasses hash n-grams of their own, and fill the list later.
    _given_buckets: list[Any] | None = None
    _has_ngrams = True  # from when the vocabulary is built; before, all n-grams count as zero

    def __init__(
        self,
        vector_size: int,
        min_n: int,
        max_n: int,
        bucket: int,
        count: int = 0,
        dtype: DTypeLike = np.float32,
    ) -> None:
        super().__init__(vector_size, count, dtype)
        self.min_n = check_int("min_n", min_n, minimum=0)
        self.max_n = check_int("max_n", max_n, minimum=0)
        self.bucket = check_int("bucket", bucket, minimum=0, maximum=2**32 - 1)
        self.vectors_vocab: NDArray[Any] = np.zeros((count, self.vector_size), dtype)
        # BucketRows, or what else the user put there.
        self._ngrams: Any = BucketRows.none(self.bucket, self.vector_size, dtype)
        self._has_ngrams = False
        # Factors on the training updates of the rows, read modulo their number.
        self.vectors_vocab_lockf: NDArray[np.float32] = np.ones(1, np.float32)
        self.vectors_ngrams_lockf: NDArray[np.float32] = np.ones(1, np.float32)
        self._table: _subwords.Table | None = None  # n-grams of the words, once they are known
        self._given_buckets = None

    # -- access ----------------------------------------------------------------------------------

    def __contains__(self, word: Key) -> bool:
        return (self.bucket > 0 and _subwords.is_spelt(word)) or super().__contains__(word)

    # The name of the argument is gensim's, and not that of the base class there, either.
    def get_vector(self, word: Key, norm: bool = False) -> NDArray[Any]:
        """Vector of a word, in the vocabulary or not; zeros, with a warning, without n-grams."""
        if self.bucket == 0 or not _subwords.is_spelt(word) or self.has_index_for(word):
            return super().get_vector(word, norm)
        table = _subwords.ngram_table([word], self.min_n, self.max_n, self.bucket)
        vector: NDArray[Any] = self._ngram_means(table)[0]
        if not len(table[1]):
            logger.warning("could not extract any ngrams from %r, returning origin vector", word)
        if norm:
            vector = (vector / (np.linalg.norm(vector) or 1)).astype(vector.dtype)
        return vector

    def get_sentence_vector(self, sentence: list[Key]) -> NDArray[Any]:
        """Mean of the vectors of a list of words, each at unit length."""
        if isinstance(sentence, str):
            raise TypeError(f"a sentence must be a list of words, got {sentence!r}")
        return self.get_mean_vector(sentence)

    @property
    def vectors_ngrams(self) -> Any:
        """One row for each bucket; made when it is first asked for, and what counts from then on.

        Until then only the buckets that words have n-grams in have rows. None before the vocabulary
        is built. Anything can be put here; what has no rows by number is refused when it is used.
        """
        if not self._has_ngrams:
            return None
        if not isinstance(self._ngrams, BucketRows):
            return self._ngrams
        if self._ngrams.buckets is not None:
            self._ngrams = BucketRows.full(self._ngrams.to_dense())
        return self._ngrams.values

    @vectors_ngrams.setter
    def vectors_ngrams(self, rows: Any) -> None:
        is_matrix = len(getattr(rows, "shape", ())) == 2
        self._ngrams = BucketRows.full(rows) if is_matrix else rows
        self._has_ngrams = True

    def _ngram_rows(self) -> BucketRows:
        """The rows of the n-grams, which must be there."""
        if not isinstance(self._ngrams, BucketRows):
            raise ValueError(
                f"the vectors of n-grams are needed, and vectors_ngrams is {self._ngrams!r}: it "
                f"must be a matrix of {self.bucket} rows (bucket) of {self.vector_size} numbers"
            )
        return self._ngrams

    @property
    def buckets_word(self) -> list[NDArray[np.uint32]]:
        """The rows in `vectors_ngrams` of the n-grams of each word."""
        if self._given_buckets is not None:
            return self._given_buckets
        offsets, ids = self._ngram_table()
        return [ids[start:end] for start, end in pairwise(offsets.tolist())]

    @buckets_word.setter
    def buckets_word(self, buckets: list[Any] | None) -> None:
        self._given_buckets, self._table = buckets, None

    def _ngram_table(self) -> _subwords.Table:
        given = self._given_buckets
        if given is None or len(given) != len(self):
            if self._table is not None and len(self._table[0]) == len(self) + 1:
                return self._table
            self.recalc_char_ngram_buckets()
        if self._given_buckets is not None:
            return _subwords.table_of(self._given_buckets)
        assert self._table is not None
        return self._table

    def _ngram_means(self, table: _subwords.Table) -> NDArray[Any]:
        means = np.zeros((len(table[0]) - 1, self.vector_size), self.vectors.dtype)
        self._compose(None, table, means)
        return means

    def _compose(self, own: Any, table: _subwords.Table, out: NDArray[Any]) -> None:
        offsets, ids = table
        rows = self._ngram_rows()
        _subwords.compose(own, rows.values, (offsets, rows.at(ids)), out)

    def quantize(
        self, method: str = "pq", *, sample: int = 1000, seed: int = 1234, **options: Any
    ) -> CompactVectors:
        """The same in fewer bytes, n-grams included: see `KeyedVectors.quantize`."""
        compact = super().quantize(method, sample=sample, seed=seed, **options)
        if self.bucket == 0:
            return compact
        rows, buckets = self._ngram_rows().existing()
        sizes = (self.min_n, self.max_n, self.bucket)
        ngrams = CompactNgrams.encode(method, rows, buckets, sizes, seed, **options)
        compact.add_ngrams(ngrams, rows.nbytes)
        return compact

    # -- change ----------------------------------------------------------------------------------

    def recalc_char_ngram_buckets(self) -> None:
        """Lists the n-grams of all words anew."""
        self._given_buckets = None
        self._table = _subwords.ngram_table(self.index_to_key, self.min_n, self.max_n, self.bucket)

    def adjust_vectors(self) -> None:
        """Composes `vectors` anew from `vectors_vocab` and `vectors_ngrams`."""
        self.norms = None
        if self.bucket == 0:
            self.vectors = self.vectors_vocab
            return
        shape, current = self.vectors_vocab.shape, self.vectors
        if current.shape != shape or current is self.vectors_vocab or not current.flags.writeable:
            self.vectors = np.empty(shape, current.dtype)
        self._compose(self.vectors_vocab, self._ngram_table(), self.vectors)

    def resize_vectors(self, seed: int | None = 0) -> None:
        """Gives rows to the words and their n-grams that have none, of small random numbers."""
        dim = self.vector_size
        self.vectors_vocab = _weights.random_rows(len(self), dim, seed, self.vectors_vocab)
        self.allocate_vecattrs()
        self.recalc_char_ngram_buckets()
        if self._ngrams is None:
            self._ngrams = BucketRows.none(self.bucket, dim, self.vectors_vocab.dtype)
        self._grow_ngrams(seed)
        self.adjust_vectors()

    def _grow_ngrams(self, seed: int | None) -> None:
        """Gives rows to the n-grams of the words; other numbers than the words have."""
        next_seed = None if seed is None else seed + 1
        self._ngrams = self._ngram_rows().grown(0, self._ngram_table()[1], next_seed)
        self._has_ngrams = True

    def init_post_load(self, fb_vectors: NDArray[Any]) -> None:
        """Takes the input matrix of a fastText file: rows of the words, then of the buckets."""
        shape = (len(self) + self.bucket, self.vector_size)
        if fb_vectors.shape != shape:
            raise ValueError(f"the matrix must have shape {shape}, got {fb_vectors.shape}")
        self.vectors_vocab = _weights.grown(fb_vectors[: len(self)], len(self), shape[1])
        self.vectors_ngrams = _weights.grown(fb_vectors[len(self) :], self.bucket, shape[1])
        self.recalc_char_ngram_buckets()
        self.adjust_vectors()

    def _rows_changed(self, rows: NDArray[np.intp]) -> None:
        """Gives the words rows of their own such that their vectors are what the user gave."""
        super()._rows_changed(rows)
        self._table = self._given_buckets = None
        if self.bucket == 0:
            self.vectors_vocab = self.vectors
            return
        own = self.vectors_vocab
        if own.shape != self.vectors.shape or not own.flags.writeable:
            own = np.zeros(self.vectors.shape, own.dtype)
            own[: len(self.vectors_vocab)] = self.vectors_vocab
        keys = [self.index_to_key[row] for row in rows]
        table = _subwords.ngram_table(keys, self.min_n, self.max_n, self.bucket)
        n_ngrams = np.diff(table[0])[:, np.newaxis]
        given = self.vectors[rows]
        own[rows] = given + n_ngrams * (given - self._ngram_means(table))
        self.vectors_vocab = own

    def _reorder(self, order: NDArray[np.intp]) -> None:
        super()._reorder(order)
        self._table = self._given_buckets = None
        self.vectors_vocab = self.vectors if self.bucket == 0 else self.vectors_vocab[order]
        if len(self.vectors_vocab_lockf) == len(order):
            self.vectors_vocab_lockf = self.vectors_vocab_lockf[order]

    # -- files -----------------------------------------------------------------------------------

    def save(self, fname_or_handle: Any, *args: Any, **kwargs: Any) -> None:
        """Writes one file, see `KeyedVectors.save`.

        A class of yours may have matrices that are no NumPy arrays, such as compressed ones: the
        file is a pickle then, as gensim's would be, which the same class loads.
        """
        if self._not_arrays() and _peer_classes.package_of(type(self)) is not None:
            _peer_classes.save(self, fname_or_handle)
        else:
            super().save(fname_or_handle, *args, **kwargs)

    @classmethod
    def load(cls, fname: Any, mmap: bool | str | None = None) -> Self:
        """Reads what `save` wrote, or gensim's files; see `KeyedVectors.load`.

        A pickle that `save` wrote of a class of yours may name classes of the same package.
        """
        with handles.as_path(fname) as path:
            vectors: Self | None = _peer_classes.read(cls, path)
            return super().load(path, mmap) if vectors is None else vectors

    def _not_arrays(self) -> dict[str, Any]:
        """The matrices that are no NumPy arrays, which a file of ours cannot hold."""
        ngrams = self._ngrams.values if isinstance(self._ngrams, BucketRows) else self._ngrams
        matrices = {"vectors_vocab": self.vectors_vocab, "vectors_ngrams": ngrams}
        return {name: rows for name, rows in matrices.items() if not isinstance(rows, np.ndarray)}

    def _arrays(self, some: Any) -> dict[str, NDArray[Any]]:
        for name, matrix in self._not_arrays().items():
            raise TypeError(
                f"{name} is a {type(matrix).__name__}, where a file can only hold a NumPy "
                "array; pickle can write objects of other classes"
            )
        buckets = self._ngrams.buckets
        return ({} if buckets is None else {_BUCKETS: buckets}) | {
            "vectors_vocab": self.vectors_vocab[some],
            "vectors_ngrams": self._ngrams.values,
            "vectors_lockf": np.asarray(self.vectors_lockf, np.float32),
            "vectors_vocab_lockf": np.asarray(self.vectors_vocab_lockf, np.float32),
            "vectors_ngrams_lockf": np.asarray(self.vectors_ngrams_lockf, np.float32),
        }

    def _file_settings(self) -> dict[str, Any]:
        return {"type": "FastTextKeyedVectors"} | {name: getattr(self, name) for name in _SIZES}

    @classmethod
    def _for_file(cls, file: native.NativeFile) -> Self:
        size, min_n, max_n, bucket = (file.settings[name] for name in _SIZES)
        return cls(size, min_n, max_n, bucket, dtype=file.tensors["vectors_vocab"].dtype)

    def _restore_arrays(self, tensors: dict[str, NDArray[Any]], convert: Convert) -> None:
        self.vectors_vocab = convert(self._checked(tensors, "vectors_vocab", len(self)))
        buckets = np.array(tensors[_BUCKETS], np.uint32) if _BUCKETS in tensors else None
        n_rows = self.bucket if buckets is None else 1 + len(buckets)
        rows = convert(self._checked(tensors, "vectors_ngrams", n_rows))
        self._ngrams = BucketRows(rows, 0, self.bucket, buckets)
        self._has_ngrams = len(self) > 0
        for name in ("vectors_lockf", "vectors_vocab_lockf", "vectors_ngrams_lockf"):
            setattr(self, name, np.array(tensors[name], np.float32))
        self.adjust_vectors()

    @classmethod
    def _of(cls, keys: list[Key], vectors: NDArray[Any]) -> Self:
        """Words without n-grams, as a file of vectors alone has them."""
        kv = cls(vectors.shape[1], 0, 0, 0, dtype=vectors.dtype)
        kv._set_keys(keys)
        kv.vectors = kv.vectors_vocab = vectors
        return kv
