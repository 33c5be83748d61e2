"""One case: a mutated file, made of a target's name, a seed and a number; loaded, used, judged."""

import gc
import os
import resource
import time
import traceback
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fuzzing.mutate import Draw, mutate
from fuzzing.seeds import Seed
from fuzzing.targets import TARGETS, Target

DEEP = 0.0625  # share of the cases in which a loaded object is also trained, saved and so on
_MAX_GROWTH = 200 << 20  # bytes of memory that a case may take
_PACKAGE = "pyw2v" + os.sep


@dataclass
class Finding:
    """What must not happen. Those with the same `sign` are taken for one."""

    kind: str  # crash, hang, memory, exception, unnamed or use
    sign: str
    text: str = ""


@cache
def seeds_of(target: Target) -> list[Seed]:
    """Return the seeds, made once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models that have learnt little
        return target.seeds()


class Maker:
    """Makes cases."""

    def __init__(self) -> None:
        self.draw = Draw()

    def make(self, target: Target, seed: int, case: int) -> tuple[int, Seed, int, bool]:
        """Return which seed was taken, the files, the variant, and whether to use all deeply."""
        draw = self.draw
        draw.start(target.name, seed, case)
        seeds = seeds_of(target)
        chosen = draw.below(len(seeds))
        files = dict(seeds[chosen])
        name = draw.pick(list(files)) if len(files) > 1 else next(iter(files))
        others = [seed[name] for seed in seeds if name in seed]
        files[name] = mutate(files[name], draw, others, target.mutations_of(name))
        return chosen, files, draw.below(target.variants), draw.chance(DEEP)


class Runner:
    """Writes the files of cases to a folder, loads and uses them."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.scratch = os.path.join(folder, "scratch")
        self._written: dict[str, bytes] = {}
        self._peak = _peak()
        self._maker = Maker()

    def run(self, target: Target, seed: int, case: int) -> Finding | bool:
        """Return what is wrong, or whether the file was accepted."""
        chosen, files, variant, deep = self._maker.make(target, seed, case)
        return self.run_files(target, f"{target.name}-{chosen}", files, variant, deep)

    def run_files(
        self, target: Target, place: str, files: Seed, variant: int, deep: bool
    ) -> Finding | bool:
        """The same for given files."""
        folder = f"{self.folder}/{place}"
        for name, data in files.items():
            self._write(folder, name, data)
        name = next(iter(files))
        stage = "load"
        try:
            loaded = target.load(f"{folder}/{name}", variant)
            stage = "use"
            target.use(loaded, self.scratch, deep)
            result: Finding | bool = True
        except Exception as error:
            named = name if target.names_file else ""
            result = _judged(error, stage, target.refusals, named)
        before, self._peak = self._peak, _peak()
        if self._peak - before > _MAX_GROWTH and not isinstance(result, Finding):
            return Finding("memory", "the process grew", f"by {(self._peak - before) >> 20} MB")
        return result

    def _write(self, folder: str, name: str, data: bytes) -> None:
        path = f"{folder}/{name}"
        if self._written.get(path) is data:
            return
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        except FileNotFoundError:
            os.makedirs(folder)
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(file, data)
        os.close(file)
        self._written[path] = data


def _peak() -> int:
    """The most bytes that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _judged(
    error: Exception, stage: str, refusals: tuple[type[Exception], ...], name: str
) -> Finding | bool:
    """Return False for a refusal as it should be: one of its kind, that names the file."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError):
            return _finding("memory", stage, error)
        cause = cause.__cause__ or cause.__context__
    if stage == "use":
        return _finding("use", stage, error)
    if not isinstance(error, refusals):
        return _finding("exception", stage, error)
    text = str(error)
    if name not in text and not any(name in note for note in getattr(error, "__notes__", ())):
        return _finding("unnamed", stage, error)
    return False


def _finding(kind: str, stage: str, error: Exception) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _PACKAGE in frame.filename] or frames
    at = ours[-1]
    place = f"{at.filename.rpartition(_PACKAGE)[2]}:{at.lineno} {at.name}"
    sign = f"{type(error).__name__} in {place} ({stage})"
    return Finding(kind, sign, f"{str(error)[:300]}")


def tidy() -> None:
    """Collect what cycles keep alive, now and not at any time."""
    gc.collect()


def replay(target: Target, path: Path, folder: str) -> list[Finding]:
    """Load and use a saved file, or a folder of files, in every variant; return what is wrong."""
    if path.is_dir():
        names = sorted((part.name for part in path.iterdir()), key=len)  # parts have longer ones
        files = {name: (path / name).read_bytes() for name in names}
    else:
        files = {path.name: path.read_bytes()}
    found = []
    for variant in range(target.variants):
        result = Runner(folder).run_files(target, f"replay-{variant}", files, variant, True)
        if isinstance(result, Finding):
            found.append(result)
    return found


def corpus_files(folder: Path) -> list[tuple[str, Path]]:
    """Return the saved files of a folder, each with its target's name."""
    return [(path.parent.name, path) for path in sorted(folder.glob("*/*"))]


def run_many(
    runner: Runner, target: Target, seed: int, first: int, end: int, state: "State"
) -> tuple[float, int]:
    """Run cases, telling of findings by `state`; return the slowest one's seconds and number."""
    slowest = (0.0, first)
    clock = time.process_time
    for case in range(first, end):
        started = clock()
        state.begin(case)
        result = runner.run(target, seed, case)
        if isinstance(result, Finding):
            state.found(result, case)
        else:
            state.count(result)
        took = clock() - started
        if took > slowest[0]:
            slowest = (took, case)
        if case % 256 == 0:
            tidy()
    return slowest


class State:
    """What a run tells while it goes on; the processes of a campaign share it with their parent."""

    def begin(self, case: int) -> None:
        """Tell which case begins."""

    def count(self, accepted: bool) -> None:
        """Tell that a case is over, and whether its file was accepted."""

    def found(self, finding: Finding, case: int) -> None:
        """Tell of a finding."""


def target_named(name: str) -> Target:
    """Return the target."""
    if name not in TARGETS:
        raise SystemExit(f"no target {name!r}; there are {', '.join(TARGETS)}")
    return TARGETS[name]
