"""A text classifier as the kernels see it, made of borrowed arrays and settings."""

from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core.huffman import HuffmanTree

class LineModel:
    """What a run trains, or a probe of the tests."""

    dtype: np.dtype[Any]
    n_labels: int
    n_rows: int
    def __init__(
        self,
        *,
        input: npt.NDArray[Any],
        output: npt.NDArray[Any],
        loss: str,
        n_labels: int,
        negative: int = 5,
        noise_weights: npt.NDArray[np.float64] | None = None,
        huffman: HuffmanTree | None = None,
        class_weights: npt.NDArray[np.float32] | None = None,
        unlabelled: bool = False,
    ) -> None: ...
