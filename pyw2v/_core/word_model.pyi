"""A model of word vectors as the kernels see it, made of borrowed arrays and settings."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyw2v._core.full_output import FullOutput
from pyw2v._core.huffman import HuffmanTree

class SampledNoise(NamedTuple):
    unique: bool
    shift: npt.NDArray[Any] | None
    bias: npt.NDArray[Any] | None
    log_z: npt.NDArray[Any] | None
    softmax: bool
    remove_hits: bool
    per_pair: bool

class WordModel:
    """What a run trains, or a probe of the tests."""

    dtype: np.dtype[Any]
    n_words: int
    def __init__(
        self,
        *,
        input: npt.NDArray[Any],
        input_lock: npt.NDArray[np.float32] | None = None,
        keep: npt.NDArray[np.uint32] | None = None,
        subwords: tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]] | None = None,
        input_ngrams: npt.NDArray[Any] | None = None,
        ngrams_lock: npt.NDArray[np.float32] | None = None,
        output_ns: npt.NDArray[Any] | None = None,
        negative: int = 0,
        noise_weights: npt.NDArray[np.float64] | None = None,
        sampled: SampledNoise | None = None,
        output_hs: npt.NDArray[Any] | None = None,
        huffman: HuffmanTree | None = None,
        full: FullOutput | None = None,
        sg: bool,
        window: int,
        shrink_windows: bool,
        average_context: bool,
        average_gradient: bool,
        track_loss: bool,
    ) -> None: ...
