"""Check that Word2Vec is imported in less than 150 ms beyond NumPy's own time, as the best of ten.

The time is that of the processor, so that other programs do not count.

`import pyw2v` alone takes a few: names are loaded when they are first used.
"""

import subprocess
import sys

LIMIT = 0.150  # seconds
CODE = (
    "import time, numpy; start = time.thread_time(); from pyw2v import Word2Vec; "
    "print(time.thread_time() - start)"
)


def main():
    """Print the time; the exit code is 1 when it is too long."""
    runs = [
        subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
        for _ in range(10)
    ]
    best = min(float(run.stdout) for run in runs)
    print(f"import of Word2Vec: {best * 1e3:.0f} ms beyond NumPy's")
    return 0 if best < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
