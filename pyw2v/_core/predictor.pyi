from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core.huffman import HuffmanTree
from pyw2v._core.lines import Rules

class Predictor:
    def __init__(
        self,
        *,
        rules: Rules,
        label_prefix: bytes,
        words: list[bytes],
        labels: list[bytes],
        input: Any,  # a float32 array, or a QuantizedMatrix
        output: npt.NDArray[np.float32],
        loss: str,
        huffman: HuffmanTree | None = None,
    ) -> None: ...
    @property
    def n_labels(self) -> int: ...
    def predict(
        self,
        texts: list[bytes],
        k: int = 1,
        threshold: float = 0.0,
        as_fasttext: bool = False,
        workers: int = 1,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32], npt.NDArray[np.int32]]: ...
    def predict_line(
        self, line: bytes, k: int = 1, threshold: float = 0.0, as_fasttext: bool = False
    ) -> tuple[list[int], list[float]]: ...
    def hidden(self, texts: list[bytes], workers: int = 1) -> npt.NDArray[np.float32]: ...
    def line(self, text: bytes) -> tuple[list[int], list[int]]: ...
