"""What the machine is and who else uses it: figures from a busy machine are noise."""

import os
import platform
import resource
import time
from dataclasses import dataclass
from pathlib import Path

# Load average at the start, when nothing of ours has run yet, from which on we warn.
_HIGH_LOAD = 0.5
# Cores that others may use during a run before its figures are called noise.
HIGH_USE = 0.1


def n_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_name() -> str:
    """Return the CPU's name as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def load_warning() -> str | None:
    """Return a warning when the machine is busy before we start."""
    if not hasattr(os, "getloadavg"):
        return None
    load = os.getloadavg()[0]
    if load <= _HIGH_LOAD:
        return None
    return (
        f"WARNING: the load of this machine is {load:.1f} on {n_cores()} cores before the bench "
        "starts: other programs are running, and the figures below are noise"
    )


def memory_bytes(field: str) -> int:
    """Return a size from /proc/self/status (VmHWM: the most that was ever resident), or 0."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _busy_seconds() -> float | None:
    """Return the seconds for which the cores were busy or stolen since the machine started."""
    try:
        fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
        user, nice, system, _idle, _wait, irq, soft_irq, steal = map(int, fields)
    except (OSError, ValueError):
        return None
    return (user + nice + system + irq + soft_irq + steal) / os.sysconf("SC_CLK_TCK")


def _own_seconds() -> float:
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


@dataclass
class UseByOthers:
    """Measures, from when it is made, how many cores programs other than ours keep busy."""

    def __post_init__(self) -> None:
        self._started = time.perf_counter()
        self._busy, self._own = _busy_seconds(), _own_seconds()

    def cores(self) -> float | None:
        """Return the mean number of cores the others used (children must have ended)."""
        busy = _busy_seconds()
        if busy is None or self._busy is None:
            return None
        others = (busy - self._busy) - (_own_seconds() - self._own)
        return max(0.0, others / max(time.perf_counter() - self._started, 1e-9))
