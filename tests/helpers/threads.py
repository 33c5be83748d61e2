"""The threads of this process, as the system counts them."""

import time
from pathlib import Path

import pytest

_TASKS = Path("/proc/self/task")

needs_count = pytest.mark.skipif(not _TASKS.exists(), reason="needs /proc/self/task")


def count():
    return len(list(_TASKS.iterdir())) if _TASKS.exists() else 0


def none_left(before):
    """Whether there are no more threads than before; a joined one may take a moment to vanish."""
    until = time.monotonic() + 2
    while count() > before and time.monotonic() < until:
        time.sleep(0.01)
    return count() == before
