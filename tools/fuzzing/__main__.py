"""The command line of `tools/fuzz`, without what builds: see there."""

import argparse
import json
import os
import sys
import tempfile
import traceback
from dataclasses import asdict
from pathlib import Path

from fuzzing import cases, libfuzzer
from fuzzing.campaign import Campaign, Report, command, save_case
from fuzzing.children import Limits, replay_limited
from fuzzing.targets import TARGETS, Target

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run what the arguments select; 1 if there are findings."""
    args = _arguments()
    if args.coverage is not None:
        return libfuzzer.run(args.coverage, args.output)
    if args.list:
        print(*TARGETS, sep="\n")
        return 0
    names = args.target.split(",") if args.target else list(TARGETS)
    targets = [cases.target_named(name) for name in names]
    limits = Limits(args.limit * (10 if args.sanitized else 1), sanitized=args.sanitized)
    if args.corpus:
        return _replay(cases.corpus_files(args.corpus), limits)
    if args.file or args.case is not None:
        if len(targets) != 1 or not args.target:
            raise SystemExit("--case and --file need one --target")
        if args.file:
            return _replay([(args.target, args.file)], limits)
        return _one_case(targets[0], args)
    campaign = Campaign(targets, args.seed, limits, args.output)
    seconds = args.seconds or (None if args.loads else 60.0)
    report = campaign.run(loads=args.loads, seconds=seconds, n_children=args.jobs)
    _print(report)
    args.output.mkdir(parents=True, exist_ok=True)
    (args.output / "report.json").write_text(json.dumps(asdict(report), indent=1))
    return bool(report.findings)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/fuzz", allow_abbrev=False)
    parser.add_argument("--target", help="one or more, with commas between; default: all")
    parser.add_argument("--list", action="store_true", help="show the targets")
    parser.add_argument("--seconds", type=float, help="how long; default: 60")
    parser.add_argument("--loads", type=int, help="how many, instead of how long")
    parser.add_argument("--seed", type=int, default=0, help="of the random choices; default: 0")
    parser.add_argument("--case", type=int, help="this case alone, with its traceback")
    parser.add_argument("--file", type=Path, help="this saved file or folder alone")
    parser.add_argument("--corpus", type=Path, help="the saved files of a folder: TARGET/NAME")
    parser.add_argument("--coverage", type=int, nargs="?", const=60, metavar="SECONDS")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--limit", type=float, default=5.0, help="seconds a case may take")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--sanitized", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _replay(files: list[tuple[str, Path]], limits: Limits) -> int:
    """Run saved files."""
    n_bad = 0
    for name, path in files:
        found = replay_limited(cases.target_named(name), path, limits)
        n_bad += bool(found)
        for finding in found:
            print(f"{path}\n    {finding.kind}: {finding.sign}\n    {finding.text}")
    print(f"{len(files)} files, {n_bad} of them with findings")
    return bool(n_bad)


def _one_case(target: Target, args: argparse.Namespace) -> int:
    """Run one case in this process, without limits, so that a debugger can be used."""
    print(f"file: {save_case(target, args.seed, args.case, args.output)}", flush=True)
    _show_errors()
    with tempfile.TemporaryDirectory() as folder:
        result = cases.Runner(folder).run(target, args.seed, args.case)
    if isinstance(result, cases.Finding):
        print(f"{result.kind}: {result.sign}\n{result.text}")
        return 1
    print("accepted" if result else "refused, as it should be")
    return 0


def _show_errors() -> None:
    judged = cases._judged

    def shown(error: Exception, *rest: object) -> object:
        traceback.print_exception(error)
        return judged(error, *rest)  # type: ignore[arg-type]

    cases._judged = shown  # type: ignore[assignment]


def _print(report: Report) -> None:
    names = ("target", "loads", "accepted", "refused", "findings", "a second", "slowest", "peak MB")
    print("{:<22}{:>10}{:>10}{:>10}{:>9}{:>10}{:>10}{:>9}".format(*names))
    loads = seconds = 0.0
    for name, total in report.totals.items():
        rate = total.loads / total.seconds if total.seconds else 0
        print(
            f"{name:<22}{total.loads:>10}{total.accepted:>10}{total.refused:>10}"
            f"{total.findings:>9}{rate:>10.0f}{total.slowest[0]:>9.3f}s{total.peak_mb:>9}"
        )
        loads, seconds = loads + total.loads, seconds + total.seconds
    print(f"{int(loads)} loads, {loads / max(seconds, 1e-9):.0f} a second of processor time")
    for entry in report.findings:
        print(f"\n{entry['kind']}: {entry['target']}: {entry['sign']} ({entry['times']} times)")
        print(f"    {entry['text'].splitlines()[0] if entry['text'] else ''}")
        print(f"    {command(TARGETS[entry['target']], entry['seed'], entry['case'])}")
    print("no findings" if not report.findings else f"{len(report.findings)} different findings")


if __name__ == "__main__":
    sys.exit(main())
