"""Training runs: the one border between Python and the threads that train."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyw2v._core.line_model import LineModel
from pyw2v._core.lines import Lines, Rules
from pyw2v._core.word_model import WordModel

class EpochResult(NamedTuple):
    loss: float
    examples: int
    words_trained: int

class Run:
    """One call to train(): epochs are started, polled and finished one by one."""

    def start(
        self, epoch: int, first: int = 0, before: tuple[float, int, int] = (0.0, 0, 0)
    ) -> None: ...
    def pause(self) -> None: ...
    @property
    def place(self) -> tuple[int, int]: ...
    def wait(self, seconds: float) -> bool: ...
    def stop(self) -> None: ...
    def finish(self) -> EpochResult: ...
    @property
    def n_done(self) -> int: ...

class WordRun(Run):
    """Trains word vectors on an encoded corpus."""

    def __init__(
        self,
        model: WordModel,
        *,
        tokens: npt.NDArray[np.int32],
        ends: npt.NDArray[np.int64],
        lr_start: float,
        lr_end: float,
        epochs: float,
        total_tokens: float,
        seed: int,
        workers: int,
    ) -> None: ...

class LineRun(Run):
    """Trains a text classifier on encoded lines."""

    def __init__(
        self,
        model: LineModel,
        *,
        lines: Lines,
        rules: Rules,
        entries: npt.NDArray[np.int32],
        line_weights: npt.NDArray[np.float32] | None = None,
        order: npt.NDArray[np.int64] | None = None,
        lr: float,
        epochs: int,
        seed: int,
        workers: int,
    ) -> None: ...

class GloveRun(Run):
    """Trains GloVe's vectors on records, in float32 or float64."""

    def __init__(
        self,
        *,
        values: npt.NDArray[Any],
        squares: npt.NDArray[Any],
        records: npt.NDArray[Any],
        ends: npt.NDArray[np.int64],
        n_bands: int = 0,
        lr: float,
        bias_lr: float,
        grad_clip: float,
        seed: int,
        workers: int,
    ) -> None: ...

class ExactRun(Run):
    """Trains word vectors as word2vec.c does, bit for bit."""

    def __init__(
        self,
        *,
        tokens: npt.NDArray[np.int32],
        counts: npt.NDArray[np.int64],
        syn0: npt.NDArray[np.float32],
        syn1: npt.NDArray[np.float32] | None = None,
        syn1neg: npt.NDArray[np.float32] | None = None,
        cbow: bool,
        negative: int,
        window: int,
        epochs: int,
        alpha: float,
        sample: float,
    ) -> None: ...
    @property
    def alpha(self) -> float: ...
