import numpy as np
from numpy.typing import NDArray

class TopK:
    def __init__(
        self,
        queries: NDArray[np.float32],
        k: int,
        exclude_offsets: NDArray[np.int64],
        exclude_ids: NDArray[np.int32],
        filter: bool = True,
    ) -> None: ...
    def scan(
        self,
        rows: NDArray[np.float32],
        scales: NDArray[np.float32],
        first_id: int,
        workers: int,
    ) -> None: ...
    def result(self, ids: NDArray[np.int64], scores: NDArray[np.float32]) -> None: ...
    @property
    def n_filtered(self) -> int: ...
    @property
    def n_passed(self) -> int: ...
