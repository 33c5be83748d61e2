"""Training examples for other frameworks, as NumPy batches."""

from typing import TypeAlias, final

import numpy as np
import numpy.typing as npt

_Ids: TypeAlias = npt.NDArray[np.int32]
_Floats: TypeAlias = npt.NDArray[np.float32]

@final
class PairSource:
    """The examples of one epoch after the other."""

    def __new__(
        cls,
        *,
        tokens: _Ids,
        ends: npt.NDArray[np.int64],
        keep: npt.NDArray[np.uint32] | None,
        weights: npt.NDArray[np.float64] | None,
        log_q: npt.NDArray[np.float32] | None,
        window: int,
        shrink_windows: bool,
        positives: int,
        negative: int,
        noise_per_window: bool,
        unique: bool,
        mark_hits: bool,
        pool: int,
        seed: int,
    ) -> PairSource: ...
    def start(self, epoch: int) -> None: ...
    def batch(self, n: int, joined: bool) -> tuple[_Ids, _Ids, _Ids, _Floats] | None: ...

def skipgrams(
    words: npt.NDArray[np.int64],
    keep: npt.NDArray[np.float64] | None,
    *,
    vocabulary_size: int,
    window: int,
    negative_samples: float,
    shuffle: bool,
    seed: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]: ...
