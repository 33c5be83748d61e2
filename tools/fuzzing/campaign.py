"""Many cases in child processes: the parent hands out work and notes what goes wrong."""

import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fuzzing.cases import Finding, Maker, seeds_of
from fuzzing.children import Child, Limits, memory_folder
from fuzzing.targets import Target

_POLL = 0.2  # seconds
_JOB_SECONDS = 2.0
_GRACE = 5.0  # seconds after the end for jobs that are not done


@dataclass
class Totals:
    """What happened to a target's files."""

    loads: int = 0
    accepted: int = 0
    refused: int = 0
    findings: int = 0
    seconds: float = 0.0  # of processor time
    slowest: tuple[float, int] = (0.0, 0)
    peak_mb: int = 0


@dataclass
class Report:
    """What a campaign found: totals by target, and each kind of finding once."""

    totals: dict[str, Totals] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)


class Campaign:
    """Runs cases of some targets until so many are done, or so many seconds are over."""

    def __init__(self, targets: list[Target], seed: int, limits: Limits, output: Path) -> None:
        self.targets = targets
        self.seed = seed
        self.limits = limits
        self.output = output
        self.report = Report({target.name: Totals() for target in targets})
        self._signs: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._rates = {target.name: 500.0 for target in targets}  # loads a second, so far

    def run(self, *, loads: int | None, seconds: float | None, n_children: int) -> Report:
        """Return what was found; Ctrl-C ends it early."""
        for target in self.targets:
            seeds_of(target)
        folder = Path(tempfile.mkdtemp(prefix="pyw2v-fuzz-", dir=memory_folder()))
        self._jobs = self._shares(loads) if loads is not None else self._rounds()
        self._again: list[tuple[Target, int, int]] = []
        self._deadline = None if seconds is None else time.monotonic() + seconds
        children = [Child(folder / str(i), self.limits) for i in range(n_children)]
        try:
            for i in range(n_children):
                self._next_job(children[i])
            while any(child.job for child in children) and not self._is_over(_GRACE):
                self._poll(children, folder)
            for child in children:
                if child.job:
                    self._count(child)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
        finally:
            for child in children:
                child.end(signal.SIGKILL)
            shutil.rmtree(folder, ignore_errors=True)
        return self.report

    # -- work --------------------------------------------------------------------------------------

    def _shares(self, loads: int) -> Iterator[tuple[Target, int, int]]:
        """Jobs for so many loads: of each target at least a hundredth, the rest by weight."""
        least = loads // 100 if len(self.targets) < 100 else 0
        rest = loads - least * len(self.targets)
        weights = {target.name: target.weight for target in self.targets}
        if not any(weights.values()):
            weights = dict.fromkeys(weights, 1)
        total = sum(weights.values())
        left = {name: [0, least + max(0, rest) * n // total] for name, n in weights.items()}
        while any(first < end for first, end in left.values()):
            for target in self.targets:
                first, end = left[target.name]
                n = min(end - first, self._job_size(target))
                if n > 0:
                    left[target.name][0] += n
                    yield target, first, first + n

    def _rounds(self) -> Iterator[tuple[Target, int, int]]:
        """Jobs without end, the same time for each target."""
        first = dict.fromkeys(self._rates, 0)
        while True:
            for target in self.targets:
                n = self._job_size(target)
                first[target.name] += n
                yield target, first[target.name] - n, first[target.name]

    def _job_size(self, target: Target) -> int:
        seconds = _JOB_SECONDS
        if self._deadline is not None:  # all targets are to have some turns
            seconds = min(seconds, max(0.2, (self._deadline - time.monotonic()) / 200))
        return max(20, int(self._rates[target.name] * seconds))

    def _is_over(self, grace: float = 0.0) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline + grace

    def _next_job(self, child: Child) -> None:
        child.job = None
        if self._is_over():
            return
        job = self._again.pop() if self._again else next(self._jobs, None)
        if job is not None:
            child.start(job[0], self.seed, job[1], job[2])

    # -- what children say -------------------------------------------------------------------------

    def _poll(self, children: list[Child], folder: Path) -> None:
        ready, _, _ = select.select([child.results for child in children], [], [], _POLL)
        for i, child in enumerate(children):
            if child.results in ready:
                messages = child.messages()
                if messages is None:
                    self._died(child, "crash", child.end())
                    children[i] = self._replaced(folder / str(i))
                    continue
                for message in messages:
                    self._hear(child, message)
            elif child.job and child.hangs():
                self._died(child, "hang", child.end(signal.SIGKILL))
                children[i] = self._replaced(folder / str(i))

    def _replaced(self, folder: Path) -> Child:
        child = Child(folder, self.limits)
        self._next_job(child)
        return child

    def _hear(self, child: Child, message: dict[str, Any]) -> None:
        assert child.job is not None
        target, _, first, end = child.job
        totals = self.report.totals[target.name]
        if "done" not in message:
            self._note(target, Finding(message["kind"], message["sign"], message["text"]), message)
            return
        self._count(child)
        took = time.monotonic() - child.started
        self._rates[target.name] = max(10.0, (end - first) / max(took, 1e-3))
        totals.slowest = max(totals.slowest, tuple(message["slowest"]))
        totals.peak_mb = max(totals.peak_mb, message["peak_mb"])
        self._next_job(child)

    def _count(self, child: Child) -> None:
        """Count the cases that a child has done of its job."""
        assert child.job is not None
        totals = self.report.totals[child.job[0].name]
        case, accepted, refused = child.counters()
        totals.loads += case - child.job[2]
        totals.accepted += accepted
        totals.refused += refused
        totals.seconds += max(0.0, child.cpu_seconds() - child.cpu_started)

    def _died(self, child: Child, kind: str, code: int) -> None:
        if child.job is None:
            return
        target, _, _, end = child.job
        self._count(child)
        case = child.counters()[0]
        self.report.totals[target.name].loads += 1
        if kind == "hang":
            sign = text = f"more than {self.limits.seconds} s"
        else:
            told = child.log.read_text(errors="replace") if child.log.exists() else ""
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            sign, text = f"{name}{_where(told)}", told[:2000]
        self._note(target, Finding(kind, sign, text), {"case": case})
        if case + 1 < end:
            self._again.append((target, case + 1, end))

    def _note(self, target: Target, finding: Finding, message: dict[str, Any]) -> None:
        totals = self.report.totals[target.name]
        totals.findings += 1
        key = (target.name, finding.kind, finding.sign)
        if key in self._signs:
            self._signs[key]["times"] += 1
            return
        case = message["case"]
        path = save_case(target, self.seed, case, self.output)
        entry = {"target": target.name, **asdict(finding), "seed": self.seed, "case": case}
        entry |= {"times": 1, "file": str(path), "command": command(target, self.seed, case)}
        self._signs[key] = entry
        self.report.findings.append(entry)
        print(f"{finding.kind}: {target.name}: {finding.sign}", file=sys.stderr)
        print(f"    {entry['command']}", file=sys.stderr, flush=True)


def _where(told: str) -> str:
    """The place of a crash, as far as a report tells: of the sanitizer, or of faulthandler."""
    lines = told.splitlines()
    for line in lines:
        if "SUMMARY:" in line or "runtime error:" in line:
            return f" {line.strip()[:200]}"
    frames = [line.strip() for line in lines if line.strip().startswith("File ")]
    ours = [frame for frame in frames if "pyw2v/" in frame] or frames
    return f" in {ours[0].rpartition('pyw2v/')[2][:100]}" if ours else ""


def command(target: Target, seed: int, case: int) -> str:
    """Return what runs a case again."""
    return f"tools/fuzz --target {target.name} --seed {seed} --case {case}"


def save_case(target: Target, seed: int, case: int, output: Path) -> Path:
    """Write the file of a case, or a folder if it has several; return its path."""
    _, files, _, _ = Maker().make(target, seed, case)
    path = output / target.name / f"{seed}-{case}"
    if len(files) == 1:
        name = next(iter(files))  # its end says what reads it
        path = path.with_name(f"{path.name}-{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[name])
        return path
    path.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (path / name).write_bytes(data)
    return path
