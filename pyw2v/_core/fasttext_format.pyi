from typing import Any

import numpy as np
import numpy.typing as npt

def parse(descriptor: int, name: str) -> dict[str, Any]: ...
def entry_bytes(words: list[bytes], counts: npt.NDArray[np.int64], are_labels: bool) -> bytes: ...
