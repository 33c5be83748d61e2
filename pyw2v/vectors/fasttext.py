"""`FastTextKeyedVectors`: vectors of words and of their n-grams, so that any word has one."""

import logging
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pyw2v import _matrices
from pyw2v._core.ngrams import NgramHasher
from pyw2v._matrices.bucket_rows import BucketRows
from pyw2v._shared.checks import check_int
from pyw2v._shared.lengths import unit
from pyw2v._shared.reading import consistent, locked, writing
from pyw2v.io import fields, handles, native
from pyw2v.vectors import Convert, KeyedVectors, peer_classes, width_in
from pyw2v.vectors import ngrams as subwords
from pyw2v.vectors.compact import CompactVectors
from pyw2v.vectors.compact_ngrams import CompactNgrams
from pyw2v.vectors.keys import Key

logger = logging.getLogger(__name__)

_BUCKETS = "ngram_buckets"  # in a file: which buckets have rows, where not all have
# The most n-grams that a file may have: so many, and so many for each byte of its words.
_MANY_NGRAMS = 1 << 24
_MAX_NGRAMS_A_BYTE = 256
# The settings that the rest of a file is read by.
_SIZES: fields.Rules = {
    "min_n": fields.integer(0, 2**31 - 1),
    "max_n": fields.integer(0, 2**31 - 1),
    "bucket": fields.integer(0, 2**32 - 1),
}


class FastTextKeyedVectors(KeyedVectors):
    """Vectors of words and of their n-grams, with gensim's methods and attributes.

    The vector of a word in the vocabulary, a row of `vectors`, is the mean of its own row in
    `vectors_vocab` and the rows of its n-grams in `vectors_ngrams`. The vector of any other word is
    the mean of the rows of its n-grams. After changing the latter two matrices, call
    `adjust_vectors`.

    Rows of buckets without an n-gram of the vocabulary are zero, and take no memory until
    `vectors_ngrams` is first read.

    Parameters
    ----------
    vector_size : int
        Length of every vector.
    min_n : int
        Characters of the shortest n-grams.
    max_n : int
        Characters of the longest ones.
    bucket : int
        Number of hash values of n-grams; 0 for no n-grams.
    count : int, default 0
        Rows of words to allocate ahead.
    dtype : data-type, default numpy.float32
        Type of the numbers.

    Attributes
    ----------
    vectors_vocab : ndarray of shape (n_words, vector_size)
        The words' own rows.

    See Also
    --------
    KeyedVectors : The queries.
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
        self._table: subwords.Table | None = None  # n-grams of the words, once they are known
        self._given_buckets = None

    @property
    def _hasher(self) -> NgramHasher:
        """Made when it is used: min_n, max_n and bucket are anyone's to change."""
        return NgramHasher(self.min_n, self.max_n, self.bucket)

    # -- access ----------------------------------------------------------------------------------

    def __contains__(self, word: Key) -> bool:
        return (self.bucket > 0 and subwords.is_spelt(word)) or super().__contains__(word)

    # The name of the argument is gensim's, and not that of the base class there, either.
    def get_vector(self, word: Key, norm: bool = False) -> NDArray[Any]:
        """Return the vector of a word, in the vocabulary or not.

        Parameters
        ----------
        word : str or int
            The word.
        norm : bool, default False
            Whether to scale it to unit length.

        Returns
        -------
        ndarray of shape (vector_size,)
            The vector; zeros, with a logged warning, for a word too short for n-grams.

        Raises
        ------
        KeyError
            If the word is unknown and there are no n-grams.
        """
        if self.bucket == 0 or not subwords.is_spelt(word) or self.has_index_for(word):
            return super().get_vector(word, norm)
        return self._made_vector(word, norm)

    @consistent
    def _made_vector(self, word: Key, norm: bool) -> NDArray[Any]:
        table = subwords.ngram_table([word], self._hasher)
        vector: NDArray[Any] = self._ngram_means(table)[0]
        if not len(table[1]):
            logger.warning("could not extract any ngrams from %r, returning origin vector", word)
        if norm:
            vector = unit(vector).astype(vector.dtype, copy=False)
        return vector

    def get_sentence_vector(self, sentence: list[Key]) -> NDArray[Any]:
        """Return the mean of the vectors of a list of words, each at unit length.

        Parameters
        ----------
        sentence : list
            The words.

        Returns
        -------
        ndarray of shape (vector_size,)
            The mean.

        Raises
        ------
        TypeError
            If `sentence` is a str.
        ValueError
            If it is empty.
        """
        if isinstance(sentence, str):
            raise TypeError(f"a sentence must be a list of words, got {sentence!r}")
        return self.get_mean_vector(sentence)

    @property
    def vectors_ngrams(self) -> Any:
        """One row for each bucket, made when it is first read; None before the vocabulary is built.

        Until then only buckets with n-grams of words have rows. Any object can be assigned; one
        that has no rows by number raises an error when it is used.
        """
        if not self._has_ngrams:
            return None
        with self._guard.lock:  # all get the same matrix
            if not isinstance(self._ngrams, BucketRows):
                return self._ngrams
            if self._ngrams.buckets is not None:
                self._ngrams = BucketRows.full(self._ngrams.to_dense())
            return self._ngrams.values

    @vectors_ngrams.setter
    def vectors_ngrams(self, rows: Any) -> None:
        is_matrix = len(getattr(rows, "shape", ())) == 2
        with self._guard:
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
        given = self._given_buckets
        if given is not None:
            return given
        offsets, ids = self._ngram_table()
        return [ids[start:end] for start, end in pairwise(offsets.tolist())]

    @buckets_word.setter
    def buckets_word(self, buckets: list[Any] | None) -> None:
        with self._guard:
            self._given_buckets, self._table = buckets, None

    @locked
    def _ngram_table(self) -> subwords.Table:
        given = self._given_buckets
        if given is None or len(given) != len(self):
            if self._table is not None and len(self._table[0]) == len(self) + 1:
                return self._table
            self.recalc_char_ngram_buckets()
        if self._given_buckets is not None:
            return subwords.table_of(self._given_buckets)
        assert self._table is not None
        return self._table

    def _ngram_means(self, table: subwords.Table) -> NDArray[Any]:
        means = np.zeros((len(table[0]) - 1, self.vector_size), self.vectors.dtype)
        self._compose(None, table, means)
        return means

    def _compose(self, own: Any, table: subwords.Table, out: NDArray[Any]) -> None:
        offsets, ids = table
        rows = self._ngram_rows()
        subwords.compose(own, rows.values, (offsets, rows.at(ids)), out)

    @locked
    def quantize(
        self, method: str = "pq", *, sample: int = 1000, seed: int = 1234, **options: Any
    ) -> CompactVectors:
        """Return the same in fewer bytes, n-grams included; it cannot be changed.

        Parameters
        ----------
        method : {"pq", "float16", "int8"}, default "pq"
            Product quantiser, half precision, or bytes with a scale for each row.
        sample : int, default 1000
            Keys whose neighbours are searched before and after, for the report.
        seed : int, default 1234
            Seed of the quantiser and of the sample.
        **options : int or bool
            Of "pq" alone: `dsub` (2), `qnorm` (False) and `workers` (-1).

        Returns
        -------
        CompactVectors
            See `KeyedVectors.quantize`.
        """
        compact = super().quantize(method, sample=sample, seed=seed, **options)
        if self.bucket == 0:
            return compact
        rows, buckets = self._ngram_rows().existing()
        sizes = (self.min_n, self.max_n, self.bucket)
        ngrams = CompactNgrams.encode(method, rows, buckets, sizes, seed, **options)
        compact.add_ngrams(ngrams, rows.nbytes)
        return compact

    # -- change ----------------------------------------------------------------------------------

    @writing
    def recalc_char_ngram_buckets(self) -> None:
        """List the n-grams of all words anew."""
        self._given_buckets = None
        self._table = subwords.ngram_table(self.index_to_key, self._hasher)

    def _set_some_ngrams(self, buckets: Any, rows: NDArray[Any]) -> None:
        """Give rows to some buckets; all others have zeros."""
        values = np.concatenate([np.zeros((1, rows.shape[1]), rows.dtype), rows])
        self._ngrams = BucketRows(values, 0, self.bucket, np.array(buckets, np.uint32))
        self._has_ngrams = True

    @writing
    def adjust_vectors(self) -> None:
        """Compose `vectors` anew from `vectors_vocab` and `vectors_ngrams`."""
        self.norms = None
        if self.bucket == 0:
            self.vectors = self.vectors_vocab
            return
        shape, current = self.vectors_vocab.shape, self.vectors
        if current.shape != shape or current is self.vectors_vocab or not current.flags.writeable:
            self.vectors = np.empty(shape, current.dtype)
        self._compose(self.vectors_vocab, self._ngram_table(), self.vectors)

    @writing
    def resize_vectors(self, seed: int | None = 0) -> None:
        """Give rows to the words and n-grams that have none, of small random numbers.

        Parameters
        ----------
        seed : int or None, default 0
            Seed of the numbers; None draws new ones every time.
        """
        dim = self.vector_size
        self.vectors_vocab = _matrices.random_rows(len(self), dim, seed, self.vectors_vocab)
        self.allocate_vecattrs()
        self.recalc_char_ngram_buckets()
        if self._ngrams is None:
            self._ngrams = BucketRows.none(self.bucket, dim, self.vectors_vocab.dtype)
        self._grow_ngrams(seed)
        self.adjust_vectors()

    @writing
    def _grow_ngrams(self, seed: int | None) -> None:
        """Give rows to the n-grams of the words; random numbers other than the words'."""
        next_seed = None if seed is None else seed + 1
        self._ngrams = self._ngram_rows().grown(0, self._ngram_table()[1], next_seed)
        self._has_ngrams = True

    @writing
    def init_post_load(self, fb_vectors: NDArray[Any]) -> None:
        """Take the input matrix of a fastText file.

        Parameters
        ----------
        fb_vectors : ndarray of shape (n_words + bucket, vector_size)
            Rows of the words, then of the buckets.

        Raises
        ------
        ValueError
            If it has another shape.
        """
        shape = (len(self) + self.bucket, self.vector_size)
        if fb_vectors.shape != shape:
            raise ValueError(f"the matrix must have shape {shape}, got {fb_vectors.shape}")
        self.vectors_vocab = _matrices.grown(fb_vectors[: len(self)], len(self), shape[1])
        self.vectors_ngrams = _matrices.grown(fb_vectors[len(self) :], self.bucket, shape[1])
        self.recalc_char_ngram_buckets()
        self.adjust_vectors()

    def _rows_changed(self, rows: NDArray[np.intp]) -> None:
        """Give the words rows of their own such that their vectors are what the user gave."""
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
        table = subwords.ngram_table(keys, self._hasher)
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

    @locked
    def save(self, fname_or_handle: Any, *args: Any, **kwargs: Any) -> None:
        """Write one file, as `KeyedVectors.save` does.

        A subclass of yours may have matrices that are no NumPy arrays, such as compressed ones: the
        file is then a pickle, as gensim's would be, which the same class loads.

        Parameters
        ----------
        fname_or_handle : str, os.PathLike or binary file
            Where to write.
        *args : object
            Accepted for gensim; without effect.
        **kwargs : object
            Accepted for gensim; without effect.

        Raises
        ------
        TypeError
            If an attribute or a matrix cannot be stored.
        """
        if self._not_arrays() and peer_classes.package_of(type(self)) is not None:
            peer_classes.save(self, fname_or_handle)
        else:
            super().save(fname_or_handle, *args, **kwargs)

    @classmethod
    def load(cls, fname: Any, mmap: bool | str | None = None, verify: bool = False) -> Self:
        """Read what `save` wrote, or gensim's files; see `KeyedVectors.load`.

        A pickle that `save` wrote of a subclass of yours may name classes of the same package.

        Parameters
        ----------
        fname : str, os.PathLike or binary file
            What to read.
        mmap : bool or str, optional
            True, or gensim's "r": leave the matrices in the file.
        verify : bool, default False
            Compare the file with the checksum in it.

        Returns
        -------
        FastTextKeyedVectors
            The vectors.

        Raises
        ------
        ValueError
            If the content is damaged, the file holds an object of another kind, or the checksum
            differs or is missing.
        """
        with handles.as_path(fname) as path:
            vectors: Self | None = peer_classes.read(cls, path)
            return super().load(path, mmap, verify) if vectors is None else vectors

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
        names = ("vector_size", *_SIZES)
        return {"type": "FastTextKeyedVectors"} | {name: getattr(self, name) for name in names}

    @classmethod
    def _for_file(cls, file: native.NativeFile) -> Self:
        size, count, dtype = width_in(file, "vectors_vocab")
        return cls(size, **fields.checked(file.settings, _SIZES), count=count, dtype=dtype)

    def _restore_arrays(self, tensors: dict[str, NDArray[Any]], convert: Convert) -> None:
        self.vectors_vocab = convert(self._checked(tensors, "vectors_vocab", len(self)))
        buckets = None
        if _BUCKETS in tensors:
            buckets = np.array(fields.array("u4", None)(_BUCKETS, tensors[_BUCKETS]))
            fields.unique(_BUCKETS, buckets.tolist())
        n_rows = self.bucket if buckets is None else 1 + len(buckets)
        rows = convert(self._checked(tensors, "vectors_ngrams", n_rows))
        if rows.dtype.kind != "f" or rows.dtype != self.vectors_vocab.dtype:
            types = f"{self.vectors_vocab.dtype} and {rows.dtype}"
            raise ValueError(
                f"vectors_vocab and vectors_ngrams must be floating-point numbers of one type, "
                f"got {types}"
            )
        self._ngrams = BucketRows(rows, 0, self.bucket, buckets)
        self._has_ngrams = len(self) > 0
        names = ("vectors_lockf", "vectors_vocab_lockf", "vectors_ngrams_lockf")
        self._restore_locks(tensors, *names)
        self._check_ngram_lengths()
        self.adjust_vectors()

    def _check_ngram_lengths(self) -> None:
        """Raise where a file's max_n and long words make n-grams out of proportion to it."""
        if self.max_n <= _MAX_NGRAMS_A_BYTE:
            return
        sizes = np.array([len(subwords.spelling(key)) + 2 for key in self.index_to_key], np.int64)
        n_ngrams = int((sizes * np.minimum(sizes, self.max_n)).sum())
        if self.bucket and n_ngrams > _MANY_NGRAMS + _MAX_NGRAMS_A_BYTE * int(sizes.sum()):
            raise ValueError(
                f"max_n must be less for words of up to {sizes.max()} letters, got {self.max_n}"
            )

    @classmethod
    def _from_rows(cls, keys: list[Key], vectors: NDArray[Any]) -> Self:
        """Words without n-grams, as a file of vectors alone has them."""
        kv = cls(vectors.shape[1], 0, 0, 0, dtype=vectors.dtype)
        kv._set_keys(keys)
        kv.vectors = kv.vectors_vocab = vectors
        return kv
