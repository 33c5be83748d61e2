"""`KeyedVectors`: keys and vectors with every query and file format, as gensim users know them."""

import logging
import os
from collections.abc import Callable, Iterable
from typing import IO, Any, Self, TypeAlias, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pyw2v import _gensim_vectors, _kinds, evaluate
from pyw2v._arrays import prep_vectors, pseudorandom_weak_vector
from pyw2v._checks import check_list, check_object
from pyw2v._correlation import Correlation
from pyw2v._keys import PATHS, Key
from pyw2v._queries import Queries
from pyw2v.compact import CompactVectors
from pyw2v.io import gensim_format, handles, native, word2vec_format

__all__ = ["KeyedVectors", "load_word2vec_format", "prep_vectors", "pseudorandom_weak_vector"]

logger = logging.getLogger(__name__)

StrPath: TypeAlias = str | os.PathLike[str]
Convert: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]

ATTRIBUTE_PREFIX = "attribute."  # before the name of an attribute in a native file
_OURS = "_pyw2v"  # in the state of a pickle: not gensim's


class KeyedVectors(Queries):
    """A mapping from keys (words) to vectors, with gensim's methods and attributes.

    `vectors` is the matrix, one row a key; `index_to_key` and `key_to_index` give the order of the
    rows; `norms` the lengths of the rows once they are known. After changing `vectors` in place,
    call `fill_norms(force=True)`.

        kv = KeyedVectors(2)
        kv.add_vectors(["a", "b"], [[1, 0], [0.5, 0.5]])
        kv["a"], kv.most_similar("a")
    """

    # -- files -----------------------------------------------------------------------------------

    def save(
        self,
        fname_or_handle: StrPath | IO[bytes],
        separately: Any = None,
        sep_limit: Any = None,
        ignore: Any = None,
        pickle_protocol: Any = None,
    ) -> None:
        """Writes one file in the safetensors format; an older file stays intact on error.

        Only the first parameter counts, a path (compressed, if its extension says so) or an open
        binary file; the other parameters are gensim's and have no effect. Attributes
        whose values are numbers or strings are stored too, and other ones raise TypeError, save
        for the Huffman paths of a model, which follow from the counts.
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
    def load(cls, fname: StrPath | IO[bytes], mmap: bool | str | None = None) -> Self:
        """Reads what `save` wrote, or the vectors of a saved model; gensim's files, too.

        The result is of the class that was saved, so that words and n-grams come as
        `FastTextKeyedVectors`, and what `quantize` made as `CompactVectors`. gensim's pickles are
        read as data: no code in them is run. With `mmap=True` (or gensim's "r") the vectors stay
        in the file and are shared between processes; a change by key then makes a private copy
        first.
        """
        with handles.as_path(fname) as path:
            if gensim_format.is_pickle(path):
                saved = gensim_format.read(path, mmap=bool(mmap))
                kind = cls._class_of(saved.name.rpartition(".")[2], fname)
                return _gensim_vectors.vectors_of(kind, saved)
            file = native.load(path, mmap=bool(mmap) and path is fname)
        if file.settings.get("type") == "CompactVectors":
            return cast(Self, CompactVectors._from_file(file, fname))
        kind = cls._class_of(file.settings.get("type"), fname)
        try:
            kv = kind._for_file(file)
            kv._restore(file)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ValueError(
                f"{fname} does not hold keys and their vectors as {kind.__name__}: {error}"
            ) from error
        return kv

    @classmethod
    def _class_of(cls, kind: Any, source: Any) -> type[Self]:
        """The class for vectors of this kind, or for those of a model of this kind."""
        of_model = {"Word2Vec": "KeyedVectors", "FastText": "FastTextKeyedVectors"}
        kind = of_model.get(str(kind), kind)
        return _kinds.class_of(cls, kind, tuple(of_model.values()), source)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {_OURS: True}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes the state of a pickle, of ours or, under pyw2v.compat, of gensim's."""
        if _OURS not in state:
            _gensim_vectors.take_state(self, state)
            return
        self.__dict__.update(state)
        del self.__dict__[_OURS]

    @classmethod
    def from_gensim(cls, vectors: Any) -> Self:
        """A copy of gensim's KeyedVectors, or FastTextKeyedVectors, or of those of a model."""
        check_object("vectors", vectors, "vectors of gensim")
        kind = cls._class_of(_kinds.kind_of(type(vectors)), f"{vectors!r}")
        return _gensim_vectors.vectors_of(kind, vectors)

    def to_gensim(self) -> Any:
        """A copy as gensim's KeyedVectors; needs gensim."""
        return _gensim_vectors.gensim_vectors(self)

    @classmethod
    def _for_file(cls, file: native.NativeFile) -> Self:
        """Without keys, for the contents of a file."""
        return cls(file.tensors["vectors"].shape[1], dtype=file.tensors["vectors"].dtype)

    def _restore(
        self,
        file: native.NativeFile,
        convert: Convert = lambda matrix: matrix,
    ) -> None:
        """Takes keys, attributes and, through `convert`, the matrices of a file."""
        self._set_keys(list(file.words["index_to_key"]))
        for stored, dtype in ((file.tensors, None), (file.words, object)):
            for name in [name for name in stored if name.startswith(ATTRIBUTE_PREFIX)]:
                self.expandos[name.removeprefix(ATTRIBUTE_PREFIX)] = np.array(stored[name], dtype)
        for name, values in self.expandos.items():
            if len(values) != len(self):
                raise ValueError(
                    f"attribute {name!r} has {len(values)} values for {len(self)} keys"
                )
        self._restore_arrays(file.tensors, convert)
        _gensim_vectors.note_files(self)

    def _restore_arrays(
        self,
        tensors: dict[str, NDArray[Any]],
        convert: Convert,
    ) -> None:
        self.vectors = convert(self._checked(tensors, "vectors", len(self)))
        self.vectors_lockf = np.array(tensors.get("vectors_lockf", [1.0]), np.float32)

    def _checked(self, tensors: dict[str, NDArray[Any]], name: str, n_rows: int) -> NDArray[Any]:
        shape = (n_rows, self.vector_size)
        if tensors[name].shape != shape:
            raise ValueError(f"{name} must have shape {shape}, got {tensors[name].shape}")
        return tensors[name]

    def _set_keys(self, keys: list[Key]) -> None:
        """Makes these the keys, which must be unique; the rows are set by the caller."""
        self.index_to_key = keys
        self.key_to_index = {key: index for index, key in enumerate(keys) if key is not None}
        self.next_index = len(keys)

    @classmethod
    def _of(cls, keys: list[Key], vectors: NDArray[Any]) -> Self:
        """Keys and the rows that belong to them, without a copy; keys must be unique."""
        kv = cls(vectors.shape[1], dtype=vectors.dtype)
        kv._set_keys(keys)
        kv.vectors = vectors
        return kv

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
        """Writes the text or binary format of the word2vec C program, and a vocabulary file.

        Rows are in descending order of the attribute `sort_attr`, or as they are without it.
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
        """Reads the text or binary format of the word2vec C program, or GloVe's text.

        `binary=None` and `no_header=None` find out from the file. `limit` reads only the first
        rows. Attribute `count` comes from `fvocab`; without it, it falls from the number of rows
        to 1, so that the order is kept.
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
        kv = cls._of(list(content.words), content.vectors)
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
        """Takes the vectors of those keys that are here from a word2vec file; adds no keys.

        `lockf` becomes the factor on the training updates of these rows: 0 keeps them as they are
        in the file, 1 trains them further.
        """
        content = word2vec_format.load_word2vec(
            fname, binary=binary, encoding=encoding, unicode_errors=unicode_errors
        )
        if content.vectors.shape[1] != self.vector_size:
            raise ValueError(
                f"{os.fspath(fname)} has vectors of size {content.vectors.shape[1]}, "
                f"which do not fit vector_size {self.vector_size}"
            )
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

    def evaluate_word_analogies(
        self,
        analogies: StrPath,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
        similarity_function: str = "most_similar",
    ) -> tuple[float, list[evaluate.Section]]:
        """See `evaluate.evaluate_word_analogies`; `similarity_function` is gensim's, no effect."""
        return evaluate.evaluate_word_analogies(
            self, analogies, restrict_vocab, case_insensitive, dummy4unknown
        )

    def evaluate_word_pairs(
        self,
        pairs: StrPath,
        delimiter: str | None = "\t",
        encoding: str = "utf8",
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> tuple[Correlation, Correlation, float]:
        """See `evaluate.evaluate_word_pairs`."""
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

    def quantize(
        self, method: str = "pq", *, sample: int = 1000, seed: int = 1234, **options: Any
    ) -> CompactVectors:
        """The same keys in fewer bytes, which answers the same queries but cannot be changed.

        `method` is "pq" (product quantiser; options `dsub=2`, `qnorm=False`, `workers=-1`),
        "float16" or "int8". The result's `report` has the bytes before and after and
        `recall_at_10`: the share of the 10 nearest keys, of `sample` keys, that are still found.

            small = kv.quantize("pq", dsub=4)
            small.report["recall_at_10"], small.most_similar("paris")
        """
        return CompactVectors.of(self, method, sample, seed, **options)

    def vectors_for_all(
        self, keys: Iterable[Key], allow_inference: bool = True, copy_vecattrs: bool = False
    ) -> "KeyedVectors":
        """New `KeyedVectors` of the given keys, each once, in order; unknown ones are skipped.

        `allow_inference=False` takes only keys that have a row of their own. Attributes come
        along with `copy_vecattrs`; else `count` falls from the number of keys to 1, as in a file
        without counts.
        """
        keys = check_list("keys", keys, "keys")
        known: Any = self if allow_inference else self.key_to_index
        chosen = [key for key in dict.fromkeys(keys) if key in known]
        vectors = self[chosen] if chosen else np.zeros((0, self.vector_size), self.vectors.dtype)
        kv = KeyedVectors._of(chosen, vectors)
        kv.expandos["count"] = np.arange(len(chosen), 0, -1)
        if copy_vecattrs:
            with_row = [i for i, key in enumerate(chosen) if self.has_index_for(key)]
            rows = [self.get_index(chosen[i]) for i in with_row]
            for name, values in self.expandos.items():
                kv.expandos[name] = np.zeros(len(chosen), values.dtype)
                kv.expandos[name][with_row] = values[rows]
        return kv


# gensim 3's names of the same class.
Word2VecKeyedVectors = KeyedVectors
EuclideanKeyedVectors = KeyedVectors


def load_word2vec_format(*args: Any, **kwargs: Any) -> KeyedVectors:
    """Other name of `KeyedVectors.load_word2vec_format`."""
    return KeyedVectors.load_word2vec_format(*args, **kwargs)
