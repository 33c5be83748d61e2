"""The names that pickles of gensim's models have: of its classes, of NumPy's, of Python's."""

from __future__ import annotations

from typing import Any

import numpy as np

DTYPE_NAME = ("numpy", "dtype")
ENCODE_NAME = ("_codecs", "encode")

CLASSES = {
    "gensim.models.word2vec": ("Word2Vec", "Word2VecVocab", "Word2VecTrainables", "Vocab"),
    "gensim.models.keyedvectors": (
        *("KeyedVectors", "BaseKeyedVectors", "WordEmbeddingsKeyedVectors"),
        *("Word2VecKeyedVectors", "EuclideanKeyedVectors", "FastTextKeyedVectors"),
        *("Vocab", "CompatVocab", "SimpleVocab"),
    ),
    "gensim.models.fasttext": (
        *("FastText", "FastTextVocab", "FastTextTrainables", "FastTextKeyedVectors"),
    ),
    "gensim.models.wrappers.fasttext": ("FastText", "FastTextKeyedVectors"),
    "gensim.models.deprecated.fasttext": ("FastText",),
    "gensim.models.deprecated.word2vec": ("Word2Vec", "Vocab"),
    "gensim.models.deprecated.keyedvectors": ("EuclideanKeyedVectors", "Vocab"),
    "gensim.models.phrases": ("Phrases", "Phraser", "FrozenPhrases", "PhrasesTransformation"),
}
_NUMPY_RANDOM = (
    *("__RandomState_ctor", "__randomstate_ctor", "__bit_generator_ctor", "__generator_ctor"),
    *("RandomState", "Generator", "MT19937", "PCG64", "SeedSequence"),
)
RANDOM = (
    *(
        (f"numpy.random{end}", name)
        for end in ("", "._pickle", ".mtrand")
        for name in _NUMPY_RANDOM
    ),
    *(("mtrand", name) for name in _NUMPY_RANDOM),
    ("numpy.random._mt19937", "MT19937"),
    ("numpy.random.bit_generator", "SeedSequence"),
)
BUILTINS = ("builtins", "__builtin__")
EMPTY_BYTES = tuple((module, "bytes") for module in BUILTINS)
NUMPY_CORES = ("numpy.core", "numpy._core")
_NUMBER_TYPES = ("float16", "float32", "float64", "int32", "int64", "uint32", "uint64", "bool_")
# What a name stands for that is not called; None for the rest.
VALUES: dict[tuple[str, str], Any] = {
    **{("numpy", name): getattr(np, name) for name in _NUMBER_TYPES},
    **{(m, t.__name__): t for m in BUILTINS for t in (int, float, bool, str, bytes, complex)},
    ("__builtin__", "long"): int,
    ("__builtin__", "unicode"): str,
    **{
        ("gensim.models.phrases", f"{name}_scorer"): f"{name}_scorer"
        for name in ("original", "npmi")
    },
}
# What may be named besides what is called.
VALUES_AND_BASES = frozenset(
    (
        *VALUES,
        *((m, name) for m in BUILTINS for name in ("hash", "object")),
        *((m, name) for m in BUILTINS for name in ("dict", "list", "tuple")),
        ("numpy", "ndarray"),
        ("gensim.utils", "call_on_class_only"),
    )
)
