"""Processes in which files are loaded, with limits on memory and time.

They are forked when all is imported and all seeds are made, so that a new one for one that died
costs a moment. A child says in shared memory which case it is at: when it dies, or takes too long,
that case is the finding.
"""

import contextlib
import faulthandler
import gc
import json
import mmap
import os
import resource
import shutil
import signal
import struct
import tempfile
import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fuzzing.cases import Finding, Runner, State, replay, run_many
from fuzzing.targets import TARGETS, Target

_COUNTERS = struct.Struct("<qqq")  # the case, files accepted, files refused
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Limits:
    """What a case may take."""

    seconds: float = 5.0  # of processor time
    memory: int = 512 << 20  # bytes of address space beyond those at the start
    sanitized: bool = False  # AddressSanitizer reports signals, and has a limit of its own


class _SharedState(State):
    """The child's side: counters in shared memory, findings through a pipe."""

    def __init__(self, memory: mmap.mmap, pipe: int) -> None:
        self.memory = memory
        self.pipe = pipe
        self.case = 0
        self.done = [0, 0]  # refused, accepted

    def begin(self, case: int) -> None:
        self.case = case
        _COUNTERS.pack_into(self.memory, 0, case, self.done[1], self.done[0])

    def count(self, accepted: bool) -> None:
        self.done[accepted] += 1

    def found(self, finding: Finding, case: int) -> None:
        self.tell({"case": case, **asdict(finding)})

    def tell(self, message: dict[str, Any]) -> None:
        os.write(self.pipe, json.dumps(message).encode() + b"\n")


class Child:
    """A process that runs one job after another."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.limits = limits
        self.memory = mmap.mmap(-1, mmap.PAGESIZE)
        self.job: tuple[Target, int, int, int] | None = None
        self.log = folder / "log"
        folder.mkdir(parents=True, exist_ok=True)
        read_jobs, self.jobs = os.pipe()
        self.results, write_results = os.pipe()
        self.rest = b""
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.jobs)
                os.close(self.results)
                _serve(read_jobs, _SharedState(self.memory, write_results), folder, limits)
                os._exit(0)
            except BaseException:  # a fault of this program: the parent shows the log
                traceback.print_exc()
                os._exit(1)
        os.close(read_jobs)
        os.close(write_results)

    def start(self, target: Target, seed: int, first: int, end: int) -> None:
        """Hand out a job: cases of a target."""
        self.job = (target, seed, first, end)
        self.started = time.monotonic()
        _COUNTERS.pack_into(self.memory, 0, first, 0, 0)
        self.cpu_started = self.cpu_seconds()
        self.seen = (first, self.started, self.cpu_started)
        os.write(self.jobs, json.dumps([target.name, seed, first, end]).encode() + b"\n")

    def counters(self) -> tuple[int, int, int]:
        """Return the case it is at, and how many of the job were accepted and refused."""
        return _COUNTERS.unpack_from(self.memory, 0)

    def cpu_seconds(self) -> float:
        """Return the processor time it has used."""
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / _TICKS
        return 0.0

    def hangs(self) -> bool:
        """Whether the case has taken too long, as far as the last polls tell."""
        case = self.counters()[0]
        now, cpu = time.monotonic(), self.cpu_seconds()
        if case != self.seen[0]:
            self.seen = (case, now, cpu)
        limit = self.limits.seconds
        return cpu - self.seen[2] > limit or now - self.seen[1] > 10 * limit

    def messages(self) -> list[dict[str, Any]] | None:
        """What the child has said; None at its end."""
        data = os.read(self.results, 1 << 16)
        if not data:
            return None
        *lines, self.rest = (self.rest + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def end(self, signal_number: int = 0) -> int:
        """Return the status of the process, which is killed if a signal is given."""
        if signal_number:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal_number)
        status = os.waitpid(self.pid, 0)[1]
        for pipe in (self.jobs, self.results):
            os.close(pipe)
        return os.waitstatus_to_exitcode(status)


def _serve(jobs: int, state: _SharedState, folder: Path, limits: Limits) -> None:
    """The child: run jobs until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(folder / "log", os.O_RDWR | os.O_CREAT | os.O_TRUNC), 2)
    _limit(folder, limits)
    gc.disable()  # now and then by hand: see run_many
    gc.freeze()
    runner = Runner(str(folder))
    before = _peak_kb()
    with open(jobs, "rb") as lines:
        for line in lines:
            name, seed, first, end = json.loads(line)
            state.done = [0, 0]
            Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
            slowest = run_many(runner, TARGETS[name], seed, first, end, state)
            state.begin(end)
            grown = max(0, _peak_kb() - before) >> 10
            state.tell({"done": True, "slowest": slowest, "peak_mb": grown})


def _limit(folder: Path, limits: Limits) -> None:
    """Make this process one in which files are loaded."""
    warnings.simplefilter("ignore")
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.sanitized:
        return
    faulthandler.enable(2)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * mmap.PAGESIZE + limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def replay_limited(target: Target, path: Path, limits: Limits) -> list[Finding]:
    """`cases.replay` in a process with limits: a crash and a hang are findings, too."""
    folder = Path(tempfile.mkdtemp(prefix="pyw2v-fuzz-", dir=memory_folder()))
    results, write_results = os.pipe()
    pid = os.fork()
    if pid == 0:
        _limit(folder, limits)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limits.seconds) + 1,) * 2)
        found = replay(target, path, str(folder))
        os.write(write_results, json.dumps([asdict(finding) for finding in found]).encode())
        os._exit(0)
    os.close(write_results)
    with open(results, "rb") as file:
        told = file.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    shutil.rmtree(folder, ignore_errors=True)
    if code == 0:
        return [Finding(**finding) for finding in json.loads(told)]
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return [Finding("hang", f"more than {limits.seconds} s")]
    return [Finding("crash", signal.Signals(-code).name if code < 0 else f"exit code {code}")]


def _peak_kb() -> int:
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])


def memory_folder() -> str | None:
    """A folder that is no disk, if there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
