"""The C++ readers under libFuzzer: the files of `coverage/`, each built with the sanitizers.

libFuzzer mutates what reaches new code, many thousand times a second. What it keeps stays in
`build/fuzz/coverage/NAME`, for the next run; the seeds of the targets are put there first.
"""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HARNESSES = sorted((ROOT / "tools" / "fuzzing" / "coverage").glob("*.cpp"))
_SLOW = ("isa", "query", "train")  # kernels and their users, which no reader needs
_FLAGS = ["-std=c++17", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
_SANITIZERS = "address,undefined"
_LIMITS = ["-max_len=8192", "-timeout=10", "-rss_limit_mb=1536", "-malloc_limit_mb=512"]


def run(seconds: int, output: Path) -> int:
    """Build, and run each harness for its share of the time; 1 if one of them found something."""
    compiler = shutil.which("clang++") or shutil.which("clang++-14")
    if compiler is None or not _has_libfuzzer(compiler):
        print("SKIPPED: the coverage-guided build needs clang++ and its libFuzzer")
        return 0
    folder = output / "coverage"
    programs = _built(compiler, folder)
    _write_seeds(folder)
    share = max(1, seconds // len(programs) * _n_cores())
    with ThreadPoolExecutor(_n_cores()) as pool:
        codes = list(pool.map(lambda program: _run_one(program, share), programs))
    return max(codes)


def _has_libfuzzer(compiler: str) -> bool:
    empty = (
        'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    )
    flags = [f"-fsanitize=fuzzer,{_SANITIZERS}", "-x", "c++", "-", "-o", os.devnull]
    command = [compiler, *flags]
    return subprocess.run(command, input=empty, text=True, check=False).returncode == 0


def _n_cores() -> int:
    return len(os.sched_getaffinity(0))


def _built(compiler: str, folder: Path) -> list[Path]:
    """Compile the sources that changed, and link a program for each harness."""
    every = sorted((ROOT / "csrc").glob("*/*.cpp"))
    sources = [path for path in every if path.parent.name not in _SLOW]
    sources = [path for path in sources if not path.stem.endswith("_windows")]
    headers = [*(ROOT / "csrc").rglob("*.h"), *HARNESSES[0].parent.glob("*.h")]
    newest = max(path.stat().st_mtime for path in headers)

    def compiled(path: Path) -> Path:
        target = folder / "objects" / path.relative_to(ROOT).with_suffix(".o")
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and target.stat().st_mtime > max(newest, path.stat().st_mtime):
            return target
        includes = ["-I", str(ROOT / "csrc"), "-I", str(ROOT / "tools" / "fuzzing")]
        flags = [*_FLAGS, f"-fsanitize=fuzzer-no-link,{_SANITIZERS}"]
        subprocess.run([compiler, *flags, *includes, "-c", path, "-o", target], check=True)
        return target

    print("building with libFuzzer", flush=True)
    with ThreadPoolExecutor(_n_cores()) as pool:
        objects = list(pool.map(compiled, [*HARNESSES, *sources]))
    library = folder / "libcsrc.a"  # of which a program links what it needs
    subprocess.run(["ar", "crs", library, *objects[len(HARNESSES) :]], check=True)
    programs = []
    for harness, made in zip(HARNESSES, objects, strict=False):
        programs.append(folder / f"fuzz-{harness.stem}")
        flags = [f"-fsanitize=fuzzer,{_SANITIZERS}", "-pthread", "-o", str(programs[-1])]
        subprocess.run([compiler, *flags, made, library], check=True)
    return programs


def _write_seeds(folder: Path) -> None:
    from fuzzing import seeds  # noqa: PLC0415 (a build needs no pyw2v)

    rows = [(b"\0\1\0", seed) for seed in seeds.word2vec_text()]
    rows += [(b"\1\1\0", seed) for seed in seeds.word2vec_binary()]
    text = [(b"\0\5\0\0", s) for s in (*seeds.corpus(), *seeds.labelled())]
    text += [(b"\1\5\0\0", seed) for seed in seeds.corpus()]
    kinds = {"word2vec": rows, "vocab": text, "text": [(b"\3\6", s) for s in seeds.corpus()]}
    kinds["fasttext"] = [(b"", seed) for seed in seeds.fasttext()]
    for name, some in kinds.items():
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        for number, (choices, seed) in enumerate(some):
            (place / f"seed-{number}").write_bytes(choices + next(iter(seed.values())))


def _run_one(program: Path, seconds: int) -> int:
    name = program.name.removeprefix("fuzz-")
    corpus, found = program.parent / name, program.parent / f"{name}-findings"
    corpus.mkdir(exist_ok=True)
    found.mkdir(exist_ok=True)
    # An allocation that is refused is a finding.
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=0"}
    command = [
        str(program),
        str(corpus),
        f"-max_total_time={seconds}",
        f"-artifact_prefix={found}/",
        *_LIMITS,
    ]
    result = subprocess.run(
        [*command, "-print_final_stats=1"],
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    lines = result.stderr.splitlines()
    runs = next((line.split()[-1] for line in lines if "number_of_executed_units" in line), "?")
    rate = next((line.split()[-1] for line in lines if "average_exec_per_sec" in line), "?")
    cover = next((line for line in reversed(lines) if " cov: " in line), "").strip()
    covered = cover.partition("cov: ")[2].split()[:1]
    print(f"{name}: {runs} inputs, {rate} a second, {''.join(covered)} edges covered", flush=True)
    if result.returncode:
        print("\n".join(lines[-60:]))
        print(f"finding: {program} FILE runs a file of {found} again", flush=True)
    return int(result.returncode != 0)
