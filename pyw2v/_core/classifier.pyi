from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core.lines import Lines, Rules
from pyw2v._core.trainer import EpochResult

_Huffman = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int32]]

class ClassifierTrainer:
    def __init__(
        self,
        *,
        lines: Lines,
        rules: Rules,
        entries: npt.NDArray[np.int32],
        input: npt.NDArray[np.float32],
        output: npt.NDArray[np.float32],
        loss: str,
        label_counts: npt.NDArray[np.int64],
        huffman: _Huffman | None = None,
        negative: int = 5,
        class_weights: npt.NDArray[np.float32] | None = None,
        line_weights: npt.NDArray[np.float32] | None = None,
        order: npt.NDArray[np.int64] | None = None,
        unlabelled: bool = False,
        lr: float,
        epochs: int,
        seed: int,
        workers: int,
    ) -> None: ...
    def start(self, epoch: int) -> None: ...
    def wait(self, seconds: float) -> bool: ...
    def stop(self) -> None: ...
    def finish(self) -> EpochResult: ...
    @property
    def lines_done(self) -> int: ...

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
        huffman: _Huffman | None = None,
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
