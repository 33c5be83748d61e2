"""`KeyedVectors`: keys and vectors with every query and file format, as gensim users know them.

The class is built up in `keys`, `store`, `changes`, `similarity`, `query_vectors` and `queries`;
files and evaluation are here. `fasttext` adds vectors of n-grams, `compact` keeps vectors in fewer
bytes, and `search` finds the nearest rows.
"""

import logging
import os
from collections.abc import Callable, Iterable
from typing import IO, Any, Self, TypeAlias, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pyw2v._shared import kinds
from pyw2v._shared.arrays import prep_vectors, pseudorandom_weak_vector
from pyw2v._shared.checks import check_list, check_object
from pyw2v._shared.reading import consistent, locked
from pyw2v.io import fields, gensim_format, handles, native, word2vec_format
from pyw2v.vectors import evaluate
from pyw2v.vectors import gensim as gensim_vectors
from pyw2v.vectors.changes import Changes
from pyw2v.vectors.compact import CompactVectors
from pyw2v.vectors.correlation import Correlation
from pyw2v.vectors.keys import PATHS, Key, check_attributes
from pyw2v.vectors.queries import Queries

__all__ = ["KeyedVectors", "load_word2vec_format", "prep_vectors", "pseudorandom_weak_vector"]

logger = logging.getLogger(__name__)

StrPath: TypeAlias = str | os.PathLike[str]
Convert: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]

ATTRIBUTE_PREFIX = "attribute."  # before the name of an attribute in a native file
_DTYPES = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8"  # of vectors
_OURS = "_pyw2v"  # in the state of a pickle: not gensim's


class KeyedVectors(Queries, Changes):
    """A mapping from keys (words) to vectors, with gensim's methods and attributes.

    Threads may share one object: a query sees the keys and vectors as they were before or after a
    change by a method, never halfway, and changes wait for each other. After changing `vectors` in
    place, call ``fill_norms(force=True)``.

    Parameters
    ----------
    vector_size : int
        Length of every vector.
    count : int, default 0
        Rows to allocate ahead; `add_vector` and `add_vectors` fill them first.
    dtype : data-type, default numpy.float32
        Type of the numbers.
    mapfile_path : str, optional
        Accepted for gensim; has no effect.

    Attributes
    ----------
    vectors : ndarray of shape (n_keys, vector_size)
        One row a key.
    index_to_key : list
        The key of each row.
    key_to_index : dict
        The row of each key.
    expandos : dict of str to ndarray
        Attributes of the keys, such as `count`.
    norms : ndarray of shape (n_keys,) or None
        Lengths of the rows, once they are known.

    Examples
    --------
    >>> from pyw2v import KeyedVectors
    >>> kv = KeyedVectors(2)
    >>> kv.add_vectors(["a", "b"], [[1, 0], [0.5, 0.5]])
    >>> kv["a"]
    array([1., 0.], dtype=float32)
    >>> [(key, round(cosine, 3)) for key, cosine in kv.most_similar("a")]
    [('b', 0.707)]
    """

    # -- files -----------------------------------------------------------------------------------

    @locked
    def save(
        self,
        fname_or_handle: StrPath | IO[bytes],
        separately: Any = None,
        sep_limit: Any = None,
        ignore: Any = None,
        pickle_protocol: Any = None,
    ) -> None:
        """Write one file in the safetensors format.

        An older file of that name stays intact if anything fails. Numbers and strings in `expandos`
        are stored too. The Huffman paths of a model are not: they follow from the counts.

        Parameters
        ----------
        fname_or_handle : str, os.PathLike or binary file
            Where to write. A path that ends in .gz, .bz2, .xz or .zst is compressed.
        separately : object, optional
            Accepted for gensim, as are the next three; has no effect.
        sep_limit : object, optional
            Has no effect.
        ignore : object, optional
            Has no effect.
        pickle_protocol : object, optional
            Has no effect.

        Raises
        ------
        TypeError
            If an attribute holds anything but numbers and strings.

        See Also
        --------
        load : Read the file again.
        save_word2vec_format : Write the format of the word2vec C program.
        """
        filled = [i for i, key in enumerate(self.index_to_key) if key is not None]
        some: Any = slice(None) if len(filled) == len(self) else filled
        tensors = self._arrays(some)
        words: dict[str, list[Any]] = {"index_to_key": [self.index_to_key[i] for i in filled]}
        for name, values in self.expandos.items():
            if name in PATHS and values.dtype == object:
                continue
            if values.dtype != object:
                tensors[ATTRIBUTE_PREFIX + name] = values[some]
            elif all(isinstance(value, str | int) for value in values):
                words[ATTRIBUTE_PREFIX + name] = values[some].tolist()
            else:
                raise TypeError(
                    f"attribute {name!r} holds values that are neither numbers nor strings; "
                    f"delete it from expandos to save the rest"
                )
        handles.save(fname_or_handle, tensors, words, self._file_settings())

    def _arrays(self, some: Any) -> dict[str, NDArray[Any]]:
        """The arrays a file stores, of some keys; what is computed from others is left out."""
        return {
            "vectors": self.vectors[some],
            "vectors_lockf": np.asarray(self.vectors_lockf, np.float32),
        }

    def _file_settings(self) -> dict[str, Any]:
        return {"type": "KeyedVectors", "vector_size": self.vector_size}

    @classmethod
    def load(
        cls, fname: StrPath | IO[bytes], mmap: bool | str | None = None, verify: bool = False
    ) -> Self:
        """Read what `save` wrote, the vectors of a saved model, or a file of gensim's.

        The result has the class that was saved: `FastTextKeyedVectors` where there are n-grams,
        `CompactVectors` where `quantize` made them. gensim's pickles are read as data: no code in
        them is run.

        Parameters
        ----------
        fname : str, os.PathLike or binary file
            What to read.
        mmap : bool or str, optional
            True, or gensim's "r": leave the vectors in the file, shared between processes. A change
            by key makes a private copy first. The file may be replaced but not written into: a
            search then raises an error.
        verify : bool, default False
            Compare the file with the checksum in it, which `save` writes.

        Returns
        -------
        KeyedVectors
            The vectors, with their keys and attributes.

        Raises
        ------
        ValueError
            If the content is damaged, the file holds an object of another kind, or the checksum
            differs or is missing.
        """
        with handles.as_path(fname) as path:
            if gensim_format.is_pickle(path):
                if verify:
                    native.no_checksum(fname)
                saved = gensim_format.read(path, mmap=bool(mmap))
                kind = cls._class_of(saved.name.rpartition(".")[2], fname)
                with gensim_format.sound(fname):
                    return gensim_vectors.vectors_of(kind, saved)
            file = native.load(path, mmap=bool(mmap) and path is fname, verify=verify)
        if file.settings.get("type") == "CompactVectors":
            return cast(Self, CompactVectors._from_file(file, fname))
        kind = cls._class_of(file.settings.get("type"), fname)
        with fields.sound(fname, kind.__name__):
            kv = kind._for_file(file)
            kv._restore(file)
        return kv

    @classmethod
    def _class_of(cls, kind: Any, source: Any) -> type[Self]:
        """The class for vectors of this kind, or for those of a model of this kind."""
        of_model = {"Word2Vec": "KeyedVectors", "FastText": "FastTextKeyedVectors"}
        kind = of_model.get(str(kind), kind)
        return kinds.class_of(cls, kind, tuple(of_model.values()), source)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {_OURS: True}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle, of ours or, under pyw2v.compat, of gensim's."""
        super().__setstate__({})
        if _OURS not in state:
            gensim_vectors.take_state(self, state)
            return
        self.__dict__.update(state)
        del self.__dict__[_OURS]

    @classmethod
    def from_gensim(cls, vectors: Any) -> Self:
        """Return a copy of gensim's vectors, or of those of a gensim model.

        Parameters
        ----------
        vectors : gensim KeyedVectors, FastTextKeyedVectors or model
            What to copy.

        Returns
        -------
        KeyedVectors
            `FastTextKeyedVectors` where gensim's have n-grams.

        Raises
        ------
        TypeError, ValueError
            If `vectors` is something else.

        See Also
        --------
        to_gensim : The other direction.
        """
        check_object("vectors", vectors, "vectors of gensim")
        kind = cls._class_of(kinds.kind_of(type(vectors)), f"{vectors!r}")
        return gensim_vectors.vectors_of(kind, vectors)

    @locked
    def to_gensim(self) -> Any:
        """Return a copy as gensim's KeyedVectors; needs gensim.

        Returns
        -------
        gensim.models.KeyedVectors
            `gensim.models.fasttext.FastTextKeyedVectors` where there are n-grams.

        Raises
        ------
        ImportError
            If gensim is not installed.
        """
        return gensim_vectors.gensim_vectors(self)

    @classmethod
    def _for_file(cls, file: native.NativeFile) -> Self:
        """Without keys, for the contents of a file."""
        return cls(*width_in(file, "vectors"))

    def _restore(
        self,
        file: native.NativeFile,
        convert: Convert = lambda matrix: matrix,
    ) -> None:
        """Take keys, attributes and, through `convert`, the matrices of a file."""
        self._set_keys(list(file.words["index_to_key"]))
        if len(self.key_to_index) != len(self):
            fields.unique("the keys", self.index_to_key)
        for stored, dtype in ((file.tensors, None), (file.words, object)):
            for name in [name for name in stored if name.startswith(ATTRIBUTE_PREFIX)]:
                values = np.array(stored[name], dtype)
                self.expandos[name.removeprefix(ATTRIBUTE_PREFIX)] = values
        check_attributes(self.expandos, len(self))
        self._restore_arrays(file.tensors, convert)
        gensim_vectors.note_files(self)

    def _restore_arrays(
        self,
        tensors: dict[str, NDArray[Any]],
        convert: Convert,
    ) -> None:
        self.vectors = convert(self._checked(tensors, "vectors", len(self)))
        self._restore_locks(tensors, "vectors_lockf")

    def _restore_locks(self, tensors: dict[str, NDArray[Any]], *names: str) -> None:
        """Take factors on the updates of rows, which are read modulo their number."""
        ones = np.ones(1, np.float32)
        for name in names:
            factors = fields.array("f4", None)(name, tensors.get(name, ones))
            if not len(factors) or not np.isfinite(factors).all():
                raise ValueError(f"{name} must be at least one number, and all of them finite")
            setattr(self, name, np.array(factors))

    def _checked(
        self, tensors: dict[str, NDArray[Any]], name: str, n_rows: int | None
    ) -> NDArray[Any]:
        rule = fields.array(_DTYPES, n_rows, self.vector_size)
        checked: NDArray[Any] = fields.checked(tensors, {name: rule})[name]
        return checked

    def _set_keys(self, keys: list[Key]) -> None:
        """Make these the keys, which must be unique; the rows are set by the caller."""
        self.index_to_key = keys
        self.key_to_index = {key: index for index, key in enumerate(keys) if key is not None}
        self.next_index = len(keys)

    @classmethod
    def _from_rows(cls, keys: list[Key], vectors: NDArray[Any]) -> Self:
        """Keys and the rows that belong to them, without a copy; keys must be unique."""
        kv = cls(vectors.shape[1], dtype=vectors.dtype)
        kv._set_keys(keys)
        kv.vectors = vectors
        return kv

    @locked
    def save_word2vec_format(
        self,
        fname: StrPath,
        fvocab: StrPath | None = None,
        binary: bool = False,
        total_vec: int | None = None,
        write_header: bool = True,
        prefix: str = "",
        append: bool = False,
        sort_attr: str = "count",
    ) -> None:
        """Write the text or binary format of the word2vec C program.

        Parameters
        ----------
        fname : str or os.PathLike
            Where to write.
        fvocab : str or os.PathLike, optional
            Where to write the words with their counts.
        binary : bool, default False
            Whether to write the binary format instead of text.
        total_vec : int, optional
            Number of vectors to state in the header instead of the true one.
        write_header : bool, default True
            Whether to begin with a line of the two sizes; GloVe's files have none.
        prefix : str, default ""
            What to put before every key.
        append : bool, default False
            Whether to write behind what the file has already.
        sort_attr : str, default "count"
            Attribute by which rows are sorted, largest first. Without it they keep their order.

        Raises
        ------
        ValueError
            If `fvocab` is given and the attribute `sort_attr` is not set, or if a key has a space
            or a line break in it; in the text format, a space is a warning.

        See Also
        --------
        load_word2vec_format : Read the file again.
        """
        order = np.array([i for i, key in enumerate(self.index_to_key) if key is not None], int)
        values = self.expandos.get(sort_attr)
        if values is not None:
            order = order[np.argsort(-values[order], kind="stable")]
        elif fvocab is not None:
            raise ValueError(f"fvocab needs the attribute {sort_attr!r}, which is not set")
        elif sort_attr != "count":
            logger.warning("attribute %r is not set, rows are stored as they are", sort_attr)
        words = [self.index_to_key[i] for i in order]
        if fvocab is not None and values is not None:
            word2vec_format.save_vocab(fvocab, words, values[order], prefix=prefix, append=append)
        in_order = np.array_equal(order, np.arange(len(self)))
        word2vec_format.save_word2vec(
            fname,
            words,
            self.vectors if in_order else self.vectors[order],
            binary=binary,
            prefix=prefix,
            write_header=write_header,
            append=append,
            total_vec=total_vec,
        )

    @classmethod
    def load_word2vec_format(
        cls,
        fname: StrPath,
        fvocab: StrPath | None = None,
        binary: bool | None = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
        limit: int | None = None,
        datatype: DTypeLike = np.float32,
        no_header: bool | None = False,
    ) -> Self:
        """Read the text or binary format of the word2vec C program, or GloVe's text.

        Parameters
        ----------
        fname : str or os.PathLike
            What to read, plain or compressed.
        fvocab : str or os.PathLike, optional
            File of words and counts, for the attribute `count`. Without it, counts fall from the
            number of rows to 1, which keeps the order.
        binary : bool or None, default False
            Which format it is; None finds out from the file.
        encoding : str, default "utf8"
            Encoding of the words.
        unicode_errors : str, default "strict"
            What to do with bytes that are not text, as in `bytes.decode`.
        limit : int, optional
            Read only so many rows.
        datatype : data-type, default numpy.float32
            Type of the numbers in memory.
        no_header : bool or None, default False
            Whether the first line is a vector already; None finds out from the file.

        Returns
        -------
        KeyedVectors
            The vectors, in the order of the file.

        Raises
        ------
        ValueError
            If the file is damaged or not of this format; the message says where.
        """
        content = word2vec_format.load_word2vec(
            fname,
            fvocab=fvocab,
            binary=binary,
            encoding=encoding,
            unicode_errors=unicode_errors,
            limit=limit,
            datatype=datatype,
            no_header=no_header,
        )
        kv = cls._from_rows(list(content.words), content.vectors)
        if content.counts is not None:
            kv.expandos["count"] = np.asarray(content.counts, np.int64)
        return kv

    def intersect_word2vec_format(
        self,
        fname: StrPath,
        lockf: float = 0.0,
        binary: bool | None = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
    ) -> None:
        """Take the vectors of those keys that are here from a word2vec file; add no keys.

        Parameters
        ----------
        fname : str or os.PathLike
            What to read.
        lockf : float, default 0.0
            Factor on the training updates of these rows: 0 keeps them as they are in the file, 1
            trains them further.
        binary : bool or None, default False
            Which format it is; None finds out from the file.
        encoding : str, default "utf8"
            Encoding of the words.
        unicode_errors : str, default "strict"
            What to do with bytes that are not text, as in `bytes.decode`.

        Raises
        ------
        ValueError
            If the vectors of the file have another length.
        """
        content = word2vec_format.load_word2vec(
            fname, binary=binary, encoding=encoding, unicode_errors=unicode_errors
        )
        if content.vectors.shape[1] != self.vector_size:
            raise ValueError(
                f"{os.fspath(fname)} has vectors of size {content.vectors.shape[1]}, "
                f"which do not fit vector_size {self.vector_size}"
            )
        with self._guard:
            shared = [
                (self.key_to_index[word], position)
                for position, word in enumerate(content.words)
                if word in self.key_to_index
            ]
            rows, positions = np.array(shared, int).reshape(-1, 2).T
            self._own_vectors()
            self.vectors[rows] = content.vectors[positions]
            # One element stands for all rows; a shorter array repeats.
            self.vectors_lockf = np.resize(self.vectors_lockf, len(self))
            self.vectors_lockf[rows] = lockf
            self._rows_changed(rows)
        logger.info("took %d of %d vectors from %s", len(shared), len(content.words), fname)

    # -- evaluation ------------------------------------------------------------------------------

    @locked
    def evaluate_word_analogies(
        self,
        analogies: StrPath,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
        similarity_function: str = "most_similar",
    ) -> tuple[float, list[evaluate.Section]]:
        """Return the accuracy on a file of analogies, and the details by section.

        Parameters
        ----------
        analogies : str or os.PathLike
            File of questions: four words a line, in sections headed by ``: name``.
        restrict_vocab : int or None, default 300000
            Use only so many of the first words; None uses all.
        case_insensitive : bool, default True
            Whether to compare words in upper case.
        dummy4unknown : bool, default False
            Whether questions with an unknown word count as wrong instead of being left out.
        similarity_function : str, default "most_similar"
            Accepted for gensim; has no effect.

        Returns
        -------
        accuracy : float
            Share of the questions that were predicted right.
        sections : list of dict
            `section`, and the questions in `correct` and `incorrect`; the last is "Total accuracy".

        Raises
        ------
        ValueError
            If the file has no questions, or one before the first section.

        See Also
        --------
        pyw2v.evaluate.evaluate_word_analogies : The same as a function.
        """
        return evaluate.evaluate_word_analogies(
            self, analogies, restrict_vocab, case_insensitive, dummy4unknown
        )

    @locked
    def evaluate_word_pairs(
        self,
        pairs: StrPath,
        delimiter: str | None = "\t",
        encoding: str = "utf8",
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> tuple[Correlation, Correlation, float]:
        """Correlate similarities with human judgements from a file.

        Parameters
        ----------
        pairs : str or os.PathLike
            File of lines ``word word number``; those that start with ``#`` are comments.
        delimiter : str or None, default tab
            What separates the three; None for any white space.
        encoding : str, default "utf8"
            Encoding of the file.
        restrict_vocab : int or None, default 300000
            Use only so many of the first words; None uses all.
        case_insensitive : bool, default True
            Whether to compare words in upper case.
        dummy4unknown : bool, default False
            Whether pairs with an unknown word get similarity 0 instead of being left out.

        Returns
        -------
        pearson : Correlation
            Pearson's coefficient, `statistic`, and its `pvalue`.
        spearman : Correlation
            Spearman's.
        unknown : float
            Pairs with an unknown word, in per cent.

        Raises
        ------
        ValueError
            If the file has no usable pair.

        See Also
        --------
        pyw2v.evaluate.evaluate_word_pairs : The same as a function.
        """
        return evaluate.evaluate_word_pairs(
            self, pairs, delimiter, encoding, restrict_vocab, case_insensitive, dummy4unknown
        )

    def _old_accuracy(self) -> Callable[..., list[evaluate.Section]]:
        """gensim 3's evaluate_word_analogies, which returned the sections alone."""

        def accuracy(
            questions: StrPath,
            restrict_vocab: int | None = 30_000,
            most_similar: Any = None,
            case_insensitive: bool = True,
        ) -> list[evaluate.Section]:
            return self.evaluate_word_analogies(questions, restrict_vocab, case_insensitive)[1]

        return accuracy

    log_accuracy = staticmethod(evaluate.log_accuracy)
    log_evaluate_word_pairs = staticmethod(evaluate.log_evaluate_word_pairs)

    # -- a part of the vectors -------------------------------------------------------------------

    @locked
    def quantize(
        self, method: str = "pq", *, sample: int = 1000, seed: int = 1234, **options: Any
    ) -> CompactVectors:
        """Return the same keys in fewer bytes, for the same queries; it cannot be changed.

        Parameters
        ----------
        method : {"pq", "float16", "int8"}, default "pq"
            Product quantiser, half precision, or bytes with a scale for each row.
        sample : int, default 1000
            Keys whose neighbours are searched before and after, for the report.
        seed : int, default 1234
            Seed of the quantiser and of the sample.
        **options : int or bool
            Of "pq" alone: `dsub` (2), `qnorm` (False) and `workers` (-1), as in
            `pyw2v.quantize.QuantizedMatrix.train`.

        Returns
        -------
        CompactVectors
            Its `report` has the bytes before and after, and `recall_at_10`: the share of the 10
            nearest keys that are still found.

        Raises
        ------
        ValueError
            If `method` is unknown, or "pq" has fewer than 256 rows to learn from.
        TypeError
            If the method has no such option.
        """
        return CompactVectors.of(self, method, sample, seed, **options)

    def vectors_for_all(
        self, keys: Iterable[Key], allow_inference: bool = True, copy_vecattrs: bool = False
    ) -> "KeyedVectors":
        """Return new vectors of the given keys, each once, in order; unknown ones are skipped.

        Parameters
        ----------
        keys : iterable
            The keys to take.
        allow_inference : bool, default True
            Whether to compose vectors of unknown words from n-grams, where there are any.
        copy_vecattrs : bool, default False
            Whether attributes come along. Otherwise `count` falls from the number of keys to 1, as
            for a file without counts.

        Returns
        -------
        KeyedVectors
            Copies of the vectors.
        """
        return self._part(check_list("keys", keys, "keys"), allow_inference, copy_vecattrs)

    @consistent
    def _part(self, keys: list[Key], allow_inference: bool, copy_vecattrs: bool) -> "KeyedVectors":
        known: Any = self if allow_inference else self.key_to_index
        chosen = [key for key in dict.fromkeys(keys) if key in known]
        vectors = self[chosen] if chosen else np.zeros((0, self.vector_size), self.vectors.dtype)
        kv = KeyedVectors._from_rows(chosen, vectors)
        kv.expandos["count"] = np.arange(len(chosen), 0, -1)
        if copy_vecattrs:
            with_row = [i for i, key in enumerate(chosen) if self.has_index_for(key)]
            rows = [self.get_index(chosen[i]) for i in with_row]
            for name, values in self.expandos.items():
                kv.expandos[name] = np.zeros((len(chosen), *values.shape[1:]), values.dtype)
                kv.expandos[name][with_row] = values[rows]
        return kv


def width_in(file: native.NativeFile, name: str) -> tuple[int, int, Any]:
    """How many numbers the rows of a matrix have, 0 rows, and the type; the settings must agree."""
    rows = fields.checked(file.tensors, {name: fields.array(_DTYPES, None, None)})[name]
    size = file.settings.get("vector_size", rows.shape[1])
    if type(size) is not int or size != rows.shape[1]:
        raise ValueError(f"vector_size is {size!r:.80}, but {name} has {rows.shape[1]} columns")
    return size, 0, rows.dtype


# gensim 3's names of the same class.
Word2VecKeyedVectors = KeyedVectors
EuclideanKeyedVectors = KeyedVectors


def load_word2vec_format(*args: Any, **kwargs: Any) -> KeyedVectors:
    """Read a word2vec file: other name of `KeyedVectors.load_word2vec_format`.

    Parameters
    ----------
    *args : object
        Its arguments.
    **kwargs : object
        Its arguments by name.

    Returns
    -------
    KeyedVectors
        The vectors, in the order of the file.
    """
    return KeyedVectors.load_word2vec_format(*args, **kwargs)
