from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core.huffman import HuffmanTree
from pyw2v._core.runs import EpochResult

def train_lines(
    isa: str,
    *,
    features: Sequence[Any],
    labels: Sequence[Any],
    input: npt.NDArray[Any],
    output: npt.NDArray[Any],
    loss: str,
    lr: float,
    negative: int = 5,
    noise_weights: Any = None,
    huffman: HuffmanTree | None = None,
    class_weights: npt.NDArray[np.float32] | None = None,
    seed: int = 0,
) -> EpochResult: ...
