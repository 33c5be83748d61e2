"""gensim.similarities.annoy: `most_similar(..., indexer=AnnoyIndexer(model, 100))`, approximate.

The package `annoy` does the search. Takes models and vectors of pyw2v's and of the real gensim's,
which can both search by the result; the files of an index are gensim's, too.
"""

from __future__ import annotations

import importlib
import os
import pickle
from typing import Any, NoReturn

from pyw2v.io import gensim_format, pickle_stream
from pyw2v.io.pickle_values import Converter
from pyw2v.io.streams import read_whole

__all__ = ["AnnoyIndexer"]


class AnnoyIndexer:
    """An index of the vectors of a model, made of `num_trees` trees: more find more."""

    def __init__(self, model: Any = None, num_trees: int | None = None) -> None:
        self.index: Any = None
        self.labels: Any = None
        self.model = model
        self.num_trees = num_trees
        if model is not None and num_trees:
            vectors = _vectors_of(model)
            self.index = _new_index(vectors.vector_size)
            for row, vector in enumerate(vectors.get_normed_vectors()):
                self.index.add_item(row, vector)
            self.index.build(num_trees)
            self.labels = vectors.index_to_key

    def save(self, fname: str | os.PathLike[str], protocol: int = 4) -> None:
        """Write the index to `fname`, and its keys to `fname.dict`; not the model."""
        path = os.fspath(fname)
        self.index.save(path)
        content = {"f": self.index.f, "num_trees": self.num_trees, "labels": self.labels}
        with open(path + ".dict", "wb") as file:
            pickle.dump(content, file, protocol)

    def load(self, fname: str | os.PathLike[str]) -> None:
        """Read what `save` wrote; the second file is read as data, no code in it is run."""
        path = os.fspath(fname)
        missing = [name for name in (path, path + ".dict") if not os.path.exists(name)]
        if missing:
            raise OSError(f"Can't find index file {missing[0]!r}: an index has two, see save()")
        content = _read_data(path + ".dict")
        self.index = _new_index(content["f"])
        self.index.load(path)
        self.num_trees, self.labels = content["num_trees"], content["labels"]

    def most_similar(self, vector: Any, num_neighbors: int) -> list[tuple[Any, float]]:
        """Return the nearest keys that were found, each with its cosine."""
        rows, distances = self.index.get_nns_by_vector(
            vector, num_neighbors, include_distances=True
        )
        # Annoy's angular distance is that of the unit vectors' ends.
        return [
            (self.labels[row], 1 - distance**2 / 2)
            for row, distance in zip(rows, distances, strict=True)
        ]


def _vectors_of(model: Any) -> Any:
    """Return the vectors of a model: of documents, of words, or the model itself."""
    for vectors in (*map(getattr(model, "__dict__", {}).get, ("dv", "wv")), model):
        if hasattr(vectors, "get_normed_vectors"):
            return vectors
    raise ValueError(
        "Only a Word2Vec, Doc2Vec, FastText or KeyedVectors instance can be used, got "
        f"{type(model).__name__}"
    )


def _new_index(n_features: int) -> Any:
    try:
        annoy = importlib.import_module("annoy")
    except ImportError as error:
        raise ImportError(
            "Annoy not installed. To use the Annoy indexer, please run `pip install annoy`."
        ) from error
    return annoy.AnnoyIndex(n_features, metric="angular")


def _read_data(path: str) -> Any:
    """Return what a pickle without any name holds."""
    stream = read_whole(path)
    with gensim_format.sound(path):
        return Converter(len(stream), None).value_of(pickle_stream.read(stream, _refuse))


def _refuse(module: str, name: str) -> NoReturn:
    raise pickle.UnpicklingError(
        f"the keys of an index need no {pickle_stream.shown(module, name)}"
    )
