from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core.full_output import FullOutput
from pyw2v._core.huffman import HuffmanTree
from pyw2v._core.runs import EpochResult
from pyw2v._core.word_model import SampledNoise

_Reals = npt.NDArray[np.float32] | npt.NDArray[np.float64]

def table_name(isa: str) -> str: ...
def random_bits(seed: int, epoch: int, chunk: int, n: int) -> npt.NDArray[np.uint64]: ...
def byte_vector(
    x: npt.NDArray[np.float32], max_byte: int, offset: int, isa: str
) -> tuple[npt.NDArray[np.uint8], tuple[float, float, float, float, bool]] | None: ...
def block_step(
    x: _Reals,
    y: _Reals,
    labels: Sequence[float] | _Reals,
    mask: Sequence[float] | _Reals,
    lr: float,
    isa: str,
    x_rows: Sequence[int] | npt.NDArray[np.int64] | None = None,
    y_rows: Sequence[int] | npt.NDArray[np.int64] | None = None,
) -> tuple[_Reals, _Reals, _Reals, float]: ...
def train_chunk(
    isa: str,
    *,
    tokens: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int64],
    input: _Reals,
    output_ns: _Reals | None = None,
    output_hs: _Reals | None = None,
    huffman: HuffmanTree | None = None,
    noise_weights: Sequence[float] | _Reals | None = None,
    keep: npt.NDArray[np.uint32] | None = None,
    input_lock: npt.NDArray[np.float32] | None = None,
    negative: int = 0,
    sg: bool = True,
    window: int = 5,
    shrink_windows: bool = True,
    average_context: bool = True,
    average_gradient: bool = True,
    track_loss: bool = True,
    lr_begin: float,
    lr_end: float,
    seed: int = 0,
    epoch: int = 0,
    index: int = 0,
    input_ngrams: _Reals | None = None,
    subwords: tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]] | None = None,
    ngrams_lock: npt.NDArray[np.float32] | None = None,
    sampled: SampledNoise | None = None,
    full: FullOutput | None = None,
) -> EpochResult: ...
def padded(array: npt.NDArray[Any], dtype: Any) -> npt.NDArray[Any]: ...
def unpadded(rows: npt.NDArray[Any], dim: int) -> npt.NDArray[Any]: ...
def in_rows(matrix: npt.NDArray[Any], isa: str) -> npt.NDArray[Any]: ...
def take_rows(matrix: npt.NDArray[Any], rows: npt.NDArray[Any]) -> None: ...
