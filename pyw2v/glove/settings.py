"""The settings of a GloVe model."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pyw2v._runs import arguments
from pyw2v._shared import rules
from pyw2v._shared.settings import Alias, Setting, Table
from pyw2v.glove.cooccurrence import MAX_WINDOW
from pyw2v.glove.state import KINDS
from pyw2v.progress import Progress

_MAX_INT = 2**31 - 1
_POSITIVE = rules.real(0.0, exclusive=True)


def _dtype(name: str, value: Any) -> str:
    """A rule: the name of a type that there is code for."""
    try:
        dtype = str(np.dtype(value).name)
    except TypeError:
        dtype = ""
    if dtype not in ("float32", "float64"):
        raise ValueError(f"{name} must be float32 or float64, got {value!r}")
    return dtype


# Those with a peer have the default of GloVe's C program.
GLOVE = Table(
    (
        arguments.SENTENCES,
        arguments.CORPUS_FILE,
        Setting(
            "vector_size",
            "int",
            50,
            "Numbers per vector.",
            rules.between(1, _MAX_INT),
            peer="GloVe",
        ),
        Setting(
            "window",
            "int",
            15,
            "The farthest context word, see `CooccurrenceMatrix.from_corpus`.",
            rules.between(1, MAX_WINDOW),
            peer="GloVe",
        ),
        Setting(
            "symmetric",
            "bool",
            True,
            "Context words stand to both sides of a word; False: to its left.",
            rules.truth,
            stored=rules.flag,
            peer="GloVe",
        ),
        Setting(
            "distance_weighting",
            "bool",
            True,
            "A context word that is d words away counts 1/d; False: 1.",
            rules.truth,
            stored=rules.flag,
            peer="GloVe",
        ),
        Setting(
            "x_max",
            "float",
            100.0,
            "A pair counted x times weighs (x / x_max) ** `weighting_exponent`, at most 1. For "
            "corpora of some million words, 10 does better than 100.",
            _POSITIVE,
            peer="GloVe",
        ),
        Setting(
            "weighting_exponent",
            "float",
            0.75,
            "The exponent of these weights, which GloVe's paper calls alpha.",
            rules.real(),
            peer="GloVe",
        ),
        Setting(
            "learning_rate",
            "float",
            0.05,
            "The learning rate of AdaGrad, the same in all epochs.",
            _POSITIVE,
            peer="GloVe",
        ),
        Setting(
            "epochs",
            "int",
            25,
            "Passes over the counts.",
            rules.between(1, _MAX_INT),
            peer="GloVe",
        ),
        arguments.WORKERS,
        Setting(
            "seed",
            "int",
            1,
            "One worker and one seed give the same vectors, bit for bit.",
            rules.between(0, 2**63 - 1),
        ),
        Setting("grad_clip", "float", 100.0, "No gradient is larger.", _POSITIVE, peer="GloVe"),
        Setting("min_count", "int", 5, "Rarer words are ignored.", rules.between(0, _MAX_INT)),
        Setting(
            "max_final_vocab",
            "int | None",
            None,
            "Keep at most so many words, the most frequent ones.",
            rules.optional(rules.integer(1)),
            also=("max_vocab",),
        ),
        Setting(
            "max_memory",
            "int | None",
            None,
            "Bytes for counts and records; more goes to nameless temporary files. None: half of "
            "what is free.",
            rules.optional(rules.integer(0)),
            also=("memory",),
        ),
        Setting(
            "bias_learning_rate",
            "float",
            1.0,
            "The learning rate of biases. The C program lets theirs be 1; its paper has them learn "
            "like the vectors.",
            _POSITIVE,
            keyword=True,
        ),
        Setting(
            "dtype",
            "str",
            "float32",
            '"float32" trains in vector code on tiles of records; "float64" does what the C '
            "program does, number for number, and is many times slower.",
            _dtype,
            keyword=True,
        ),
        Setting(
            "vectors",
            "str",
            KINDS[0],
            'What `wv` holds: the "sum" of both vectors of a word, as the paper advises, or the '
            '"word" or "context" one.',
            rules.one_of(*KINDS),
            keyword=True,
        ),
        Setting(
            "init_vectors",
            "KeyedVectors | None",
            None,
            "Vectors to start from, for the words that they have.",
            kept=False,
            keyword=True,
        ),
        arguments.CALLBACKS._replace(keyword=True),
        arguments.OWN_PROGRESS,
        arguments.CHECKPOINT,
        arguments.CHECKPOINT_EVERY,
    )
)


class GloveSettings:
    """What the constructor takes and keeps."""

    _settings: ClassVar[Table] = GLOVE

    # Settings: written by tools/write_settings.py.
    vector_size: int = 50
    window: int = 15
    symmetric: bool = True
    distance_weighting: bool = True
    x_max: float = 100.0
    weighting_exponent: float = 0.75
    learning_rate: float = 0.05
    epochs: int = 25
    workers: int = -1
    seed: int = 1
    grad_clip: float = 100.0
    min_count: int = 5
    max_final_vocab: int | None = None
    max_vocab = Alias[int | None]("max_final_vocab")
    max_memory: int | None = None
    memory = Alias[int | None]("max_memory")
    bias_learning_rate: float = 1.0
    dtype: str = "float32"
    vectors: str = "sum"
    progress: bool | Progress | None = False
    # End of the settings.

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle, which may be older than the names of today."""
        vars(self).update(self._settings.renamed(state))

    def settings(self) -> dict[str, Any]:
        """Return all settings by their names: the arguments of a model like this one.

        Returns
        -------
        dict
            The settings.
        """
        return self._settings.values(self)
