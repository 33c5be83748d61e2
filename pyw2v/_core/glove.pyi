"""The engine of GloVe: records in an order for training, and the epochs."""

from typing import Any, final

import numpy as np
import numpy.typing as npt

from pyw2v._core.trainer import EpochResult

def record_dtype(real: npt.DTypeLike) -> np.dtype[Any]: ...
def make_tiles(
    row_ends: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int32],
    values: npt.NDArray[np.float64],
    records: npt.NDArray[Any],
    *,
    x_max: float,
    exponent: float,
    dim: int,
    seed: int,
    workers: int,
    tile_rows: int = 0,
) -> tuple[npt.NDArray[np.int64], int]: ...
def make_records(
    words: npt.NDArray[np.int32],
    contexts: npt.NDArray[np.int32],
    values: npt.NDArray[np.float64],
    *,
    x_max: float,
    exponent: float,
) -> npt.NDArray[Any]: ...

@final
class GloveTrainer:
    """One call of train(): epochs are started, waited for and finished one by one."""

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
    def start(self, epoch: int) -> None: ...
    def wait(self, seconds: float) -> bool: ...
    def stop(self) -> None: ...
    def finish(self) -> EpochResult: ...
    @property
    def records_done(self) -> int: ...
