import numpy as np
import numpy.typing as npt

from pyw2v._core.lines import Rules

def mean_rows(
    words: npt.NDArray[np.float32] | None,
    parts: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int64],
    ids: npt.NDArray[np.uint32],
    out: npt.NDArray[np.float32],
    workers: int = 1,
) -> None: ...

class WordMeans:
    def __init__(
        self, *, rules: Rules, ids: dict[bytes, int], rows: npt.NDArray[np.float32]
    ) -> None: ...
    def word(self, word: bytes) -> npt.NDArray[np.float32]: ...
    def line(self, words: list[bytes]) -> npt.NDArray[np.float32]: ...
