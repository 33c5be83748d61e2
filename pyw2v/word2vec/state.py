"""The state of a model: settings, vocabulary, matrices, history, and the tables made from them.

The modules that build, train, query and save a model all work on this; `pyw2v.word2vec` puts the
public class on top.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from pyw2v import _matrices, objectives
from pyw2v._core.huffman import HuffmanTree
from pyw2v._runs.record import RunRecord
from pyw2v._shared.lifecycle import Lifecycle
from pyw2v._shared.old_names import OldNames, VocabView, warn
from pyw2v._shared.settings import Alias, Table
from pyw2v.objectives import Objective
from pyw2v.objectives.classes import ClassTree
from pyw2v.objectives.samplers import Sampler
from pyw2v.vectors import KeyedVectors
from pyw2v.vectors.keys import PATHS
from pyw2v.word2vec.table import WORD2VEC

_CUM_TABLE_DOMAIN = 2**31 - 1
_OUTPUT_SETTINGS = ("hs", "negative", "ns_exponent")  # that an objective is made of, too

# Methods of the vectors that gensim 3 had on the model, too.
_MOVED_TO_WV = (
    *("doesnt_match", "evaluate_word_pairs", "most_similar", "most_similar_cosmul"),
    *("n_similarity", "save_word2vec_format", "similar_by_vector", "similar_by_word"),
    *("similarity", "wmdistance", "intersect_word2vec_format"),
)


class ModelState(Lifecycle, OldNames):
    """What a Word2Vec model is made of, and what is derived from it on demand."""

    _old_names: ClassVar[Mapping[str, str]] = {
        **{name: f"wv.{name}" for name in _MOVED_TO_WV},
        "iter": "epochs",
        "size": "vector_size",
        "syn0": "wv.vectors",
        "syn0_lockf": "wv.vectors_lockf",
        "index2word": "wv.index_to_key",
        "vocab": "wv.key_to_index",
        "trainables": "the attributes of the model itself",
        "vocabulary": "the attributes of the model itself",
        "accuracy": "wv.evaluate_word_analogies",
        "clear_sims": "nothing: norms follow the vectors",
        "delete_temporary_training_data": "model.wv, and forget the model",
    }

    _settings: ClassVar[Table] = WORD2VEC

    # Settings: written by tools/write_settings.py.
    vector_size: int = 100
    alpha: float = 0.025
    learning_rate = Alias[float]("alpha")
    window: int = 5
    min_count: int = 5
    max_vocab_size: int | None = None
    sample: float = 0.001
    seed: int | None = 1
    workers: int = 3
    min_alpha: float = 0.0001
    min_learning_rate = Alias[float]("min_alpha")
    sg: int = 0
    hs: int = 0
    negative: int = 5
    ns_exponent: float = 0.75
    cbow_mean: int = 1
    hashfxn: Callable[[Any], int] = hash
    epochs: int = 5
    null_word: int = 0
    sorted_vocab: int = 1
    batch_words: int = 10_000
    compute_loss: bool = False
    comment: str | None = None
    max_final_vocab: int | None = None
    shrink_windows: bool = True
    cbow_grad: str = "sum"
    objective: str | None = None
    sampler: Sampler | None = None
    output_bias: bool | None = None
    self_norm: float = 0.0
    nce_z: float | str = 1.0
    classes: Any = None
    class_depth: int = 2
    bands: Any = None
    remove_accidental_hits: bool | None = None
    noise_per: str = "window"
    progress: bool | None = False
    max_memory: int | None = None
    track_loss: bool = True
    engine: str = "fast"
    # End of the settings.

    # State: what happened to the model so far.
    layer1_size: int
    wv: KeyedVectors
    syn1neg: _matrices.Matrix | None
    syn1: _matrices.Matrix | None
    syn1bias: _matrices.Matrix | None  # one number for each row of syn1neg
    syn1class: _matrices.Matrix | None = None  # this and the next four: see outputs
    syn1class_bias: _matrices.Matrix | None = None
    class_of: np.ndarray[Any, np.dtype[np.int32]] | None = None
    band_ends: np.ndarray[Any, np.dtype[np.int32]] | None = None
    band_widths: np.ndarray[Any, np.dtype[np.int32]] | None = None
    _log_z: _matrices.Matrix  # of one number, which nce_z="learned" learns
    random: np.random.RandomState
    raw_vocab: dict[Any, int] | None
    effective_min_count: int
    corpus_count: int
    corpus_total_words: int
    train_count: int
    total_train_time: float
    running_training_loss: float
    min_alpha_yet_reached: float
    loss_history: list[float]
    _run_record: RunRecord | None = None  # the last call of train()
    _entropy: int  # what all random draws derive from: the seed, or chosen once if that is None
    _n_seeds: int  # how many seeds have been derived so far
    _huffman: HuffmanTree | None
    _cum_table: np.ndarray[Any, np.dtype[np.uint32]] | None
    _class_tree: tuple[Any, int, ClassTree] | None = None  # see outputs.class_tree
    # The objective, and the values of the settings that it was made of.
    _made_objective: tuple[dict[str, Any], Objective | None] | None = None

    @property
    def epochs_trained(self) -> int:
        """How many whole epochs the last call of `train` has trained, of `epochs`."""
        return 0 if self._run_record is None else self._run_record.epochs_done

    def _old_vocab(self) -> VocabView:
        return VocabView(self.wv)

    def _old_trainables(self) -> ModelState:
        return self

    _old_vocabulary = _old_trainables

    def _old_clear_sims(self) -> Callable[[], None]:
        def clear_sims() -> None:
            self.wv._rows_moved()

        return clear_sims

    def _old_delete_temporary_training_data(self) -> Callable[..., None]:
        def delete(replace_word_vectors_with_normalized: bool = False) -> None:
            if replace_word_vectors_with_normalized:
                self.wv.unit_normalize_all()

        return delete

    def _old_accuracy(self) -> Any:
        return self.wv._old_accuracy()

    def __getitem__(self, words: Any) -> np.ndarray[Any, Any]:
        warn("model[word]", "model.wv[word]")
        return self.wv[words]

    def __contains__(self, word: Any) -> bool:
        warn("word in model", "word in model.wv")
        return word in self.wv

    # Without this, __getitem__ would let iter() try model[0], model[1], ...
    __iter__ = None

    @staticmethod
    def _make_tree(counts: np.ndarray[Any, np.dtype[np.int64]]) -> HuffmanTree:
        return HuffmanTree(counts)

    def _objective(self) -> Objective | None:
        """Return the objective that the settings describe, checked; None for hs= and negative=."""
        settings = {name: getattr(self, name) for name in (*objectives.DEFAULTS, *_OUTPUT_SETTINGS)}
        kept = self._made_objective
        if kept is None or any(settings[name] is not value for name, value in kept[0].items()):
            kinds = {name: settings[name] for name in objectives.DEFAULTS}
            others = {name: settings[name] for name in _OUTPUT_SETTINGS}
            kept = self._made_objective = (settings, objectives.make(kinds, **others))
        return kept[1]

    @property
    def _has_tree(self) -> bool:
        """Whether there is a Huffman tree, and syn1 has its rows."""
        return bool(self.hs) or self.objective == "hs"

    @property
    def _has_word_rows(self) -> bool:
        """Whether every word has an output row, in syn1neg."""
        objective = self._objective()
        return bool(self.negative) if objective is None else objective.has_word_rows

    @property
    def _has_bias(self) -> bool:
        """Whether every word has a number that is added to its scores, in syn1bias."""
        objective = self._objective()
        return objective is not None and bool(objective.output_bias)

    @property
    def nce_log_z(self) -> float:
        """What is taken off the scores of noise contrastive estimation: log Z, given or learnt."""
        if isinstance(self.nce_z, str):
            return float(self._log_z[0])
        return math.log(self.nce_z)

    def _new_vectors(self) -> KeyedVectors:
        """Return the empty vectors of a model with these settings."""
        return KeyedVectors(self.vector_size)

    def create_binary_tree(self) -> None:
        """Build the Huffman tree, and give each word its path as attributes `code` and `point`.

        Training builds the tree by itself, in a compact form; the attributes are for inspection.
        """
        self._huffman = None
        self.wv._add_paths(self._huffman_tree())

    def make_cum_table(self, domain: int = _CUM_TABLE_DOMAIN) -> None:
        """Compute `cum_table` anew from the counts: word i owns the numbers up to entry i.

        Parameters
        ----------
        domain : int, default 2**31 - 1
            The last entry.
        """
        counts = self.wv.expandos.get("count", np.empty(0))
        table = np.cumsum(np.asarray(counts, dtype=np.float64) ** self.ns_exponent)
        if len(table):
            table = np.round(table / table[-1] * domain)
        self._cum_table = table.astype(np.uint32)

    @property
    def cum_table(self) -> np.ndarray[Any, np.dtype[np.uint32]] | None:
        """gensim's cumulative table for drawing words; made when first read, not used to train."""
        if self._cum_table is None and self.negative and len(self.wv):
            self.make_cum_table()
        return self._cum_table

    @cum_table.setter
    def cum_table(self, table: np.ndarray[Any, np.dtype[np.uint32]] | None) -> None:
        self._cum_table = table

    def _forget_tables(self) -> None:
        """Drop what is derived from the vocabulary; it is made again when needed."""
        for name in PATHS:
            self.wv.expandos.pop(name, None)
        if self.hs:
            self.wv._make_tree = self._make_tree
        else:
            vars(self.wv).pop("_make_tree", None)
        self._huffman = None
        self._cum_table = None

    def _huffman_tree(self) -> HuffmanTree:
        if not isinstance(self._huffman, HuffmanTree):  # None; older pickles have a tuple
            counts = np.ascontiguousarray(self.wv.expandos["count"], dtype=np.int64)
            self._huffman = self._make_tree(counts)
        return self._huffman

    def _keep_thresholds(self) -> np.ndarray[Any, np.dtype[np.uint32]] | None:
        """Return the thresholds of sub-sampling, None where nothing is ever dropped."""
        keep = self.wv.expandos.get("sample_int")
        if keep is None or not self.sample:
            return None
        return np.ascontiguousarray(keep, dtype=np.uint32)

    def _align_weights(self) -> list[_matrices.Matrix]:
        """Make the weights such that the core trains on them in place; return them.

        They usually are; after unpickling, or when the user put another array there, they are
        copied once and the attributes then name the copy.
        """
        shape = (len(self.wv), self.vector_size)
        matrices = self._align_inputs()
        for name, used in (("syn1neg", self._has_word_rows), ("syn1", self._has_tree)):
            if not used:
                continue
            array = getattr(self, name)
            if array is None:  # an objective switched on after the vocabulary was built
                array = _matrices.zeros(*shape)
            matrices.append(_matrices.for_training(array, *shape, name))
            setattr(self, name, matrices[-1])
        if self._has_bias:
            self.syn1bias = _matrices.numbers_for_training(self.syn1bias, shape[0], "syn1bias")
            matrices.append(self.syn1bias)
        return matrices

    def _align_inputs(self) -> list[_matrices.Matrix]:
        shape = (len(self.wv), self.vector_size)
        self.wv.vectors = _matrices.for_training(self.wv.vectors, *shape, "wv.vectors")
        return [self.wv.vectors]

    def _holders(self) -> list[object]:
        """Return the objects whose attributes name the matrices."""
        return [self, self.wv]

    def _trainer_inputs(self) -> dict[str, Any]:
        """Return those arguments of the Trainer that make up the input rows of words."""
        return {
            "input": self.wv.vectors,
            "input_lock": _matrices.lock_factors(self.wv.vectors_lockf, len(self.wv)),
        }

    def _row_counts(self, words: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return how many input rows the vector of each of these words is made of."""
        return np.ones(len(words), np.int64)

    def _inputs_changed(self) -> None:
        """Called after training, an epoch or part of one: forget what followed from the rows."""
        self.wv._rows_moved()

    def _init_random(self) -> None:
        self.random = np.random.RandomState(self.seed)
        entropy = np.random.SeedSequence(self.seed).entropy
        self._entropy = int(entropy)  # type: ignore[arg-type]  # an int, given an int or None
        self._n_seeds = 0

    def _next_seed(self) -> int:
        """Return a new seed: each call of train() draws differently, in a sequence that repeats."""
        sequence = np.random.SeedSequence(self._entropy, spawn_key=(self._n_seeds,))
        self._n_seeds += 1
        return int(sequence.generate_state(1, np.uint64)[0])
