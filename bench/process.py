"""The parent's side of a job: start it in a process of its own, wait, and say who disturbed it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.errors import BenchError
from bench.machine import UseByOthers

_ROOT = Path(__file__).resolve().parent.parent


def run(job: str, **arguments: Any) -> dict[str, Any]:
    """Run a job of bench.jobs; add to its result how many cores others used meanwhile."""
    others = UseByOthers()
    done = subprocess.run(
        [sys.executable, "-m", "bench.job"],
        input=json.dumps({"job": job, "arguments": arguments}),
        capture_output=True,
        text=True,
        cwd=_ROOT,
        check=False,
    )
    if done.returncode:
        raise BenchError(f"the job {job} {arguments} failed:\n{done.stderr.strip()}")
    reply = json.loads(done.stdout)
    if "error" in reply:
        raise BenchError(reply["error"])
    result: dict[str, Any] = reply["result"]
    result["others"] = others.cores()
    return result
