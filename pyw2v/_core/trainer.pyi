from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyw2v._core.full_output import FullOutput

class EpochResult(NamedTuple):
    loss: float
    examples: int
    words_trained: int

class SampledNoise(NamedTuple):
    unique: bool
    shift: npt.NDArray[np.float32] | None
    bias: npt.NDArray[np.float32] | None
    log_z: npt.NDArray[np.float32] | None
    softmax: bool
    remove_hits: bool
    per_pair: bool

class Trainer:
    def __init__(
        self,
        *,
        tokens: npt.NDArray[np.int32],
        ends: npt.NDArray[np.int64],
        keep: npt.NDArray[np.uint32] | None,
        counts: npt.NDArray[np.int64],
        input: npt.NDArray[np.float32],
        output_ns: npt.NDArray[np.float32] | None = None,
        output_hs: npt.NDArray[np.float32] | None = None,
        huffman: tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int32]]
        | None = None,
        sg: bool,
        negative: int,
        ns_exponent: float,
        window: int,
        shrink_windows: bool,
        cbow_mean: bool,
        cbow_grad: str,
        lr_start: float,
        lr_end: float,
        epochs: float,
        total_tokens: float,
        seed: int,
        workers: int,
        compute_loss: bool,
        input_lock: npt.NDArray[np.float32] | None = None,
        subwords: tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]] | None = None,
        input_ngrams: npt.NDArray[np.float32] | None = None,
        ngrams_lock: npt.NDArray[np.float32] | None = None,
        noise_weights: npt.NDArray[np.float64] | None = None,
        sampled: SampledNoise | None = None,
        full: FullOutput | None = None,
    ) -> None: ...
    def start(self, epoch: int) -> None: ...
    def wait(self, seconds: float) -> bool: ...
    def stop(self) -> None: ...
    def finish(self) -> EpochResult: ...
    @property
    def words_done(self) -> int: ...
