"""The child's side: `python -m bench.job` reads a job from stdin, writes its result to stdout."""

import json
import sys
from typing import Any

from bench.errors import BenchError
from bench.jobs import JOBS


def main() -> int:
    """Run one job; a BenchError is passed on as such."""
    request = json.load(sys.stdin)
    reply: dict[str, Any]
    try:
        reply = {"result": JOBS[request["job"]](**request["arguments"])}
    except BenchError as error:
        reply = {"error": str(error)}
    json.dump(reply, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
