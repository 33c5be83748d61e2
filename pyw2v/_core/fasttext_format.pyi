import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

def parse(data: bytes | mmap.mmap, name: str) -> dict[str, Any]: ...
def entry_bytes(words: list[bytes], counts: npt.NDArray[np.int64], are_labels: bool) -> bytes: ...
