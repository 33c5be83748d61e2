"""Makes commands.json: what fastText's own program prints (see README.md); not a test.

Called with the path of the program, which is built from the sources in fasttext's sdist:
`g++ -std=c++17 -O2 -pthread src/*.cc -o program`.
"""

import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
CLASSIFIERS = ("softmax.bin", "hs.bin", "ova.bin", "ns.bin", "plain.ftz", "cutoff.ftz")
LINES = 12  # of lines.txt, given on standard input
TEXT = "ab unseen\nжжéa\n"


def commands():
    """Yield arguments and standard input.

    Not those of two commands at fault: `analogies` never ends, `print-ngrams` adds to memory that
    it has not set.
    """
    lines = (FOLDER / "lines.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    some = "".join(lines[:LINES])
    for model in CLASSIFIERS:
        yield ("test", model, "lines.txt"), ""
        yield ("test-label", model, "lines.txt", "2", "0.1"), ""
        yield ("predict", model, "-", "2"), some
        yield ("predict-prob", model, "-", "3", "0.15"), some
    for model in ("skipgram.bin", "cbow.bin", "softmax.bin"):
        yield ("print-word-vectors", model), TEXT
        yield ("print-sentence-vectors", model), TEXT
        yield ("dump", model, "args"), ""
        yield ("dump", model, "dict"), ""
    yield ("nn", "skipgram.bin", "3"), TEXT
    yield ("dump", "cbow.bin", "output"), ""


def outputs(program):
    """Yield what the program prints to each."""
    for arguments, text in commands():
        done = subprocess.run(
            [program, *arguments],
            input=text.encode(),
            capture_output=True,
            cwd=FOLDER,
            check=True,
            timeout=60,
        )
        yield {"arguments": arguments, "stdin": text, "stdout": done.stdout.decode()}


if __name__ == "__main__":
    text = json.dumps(list(outputs(sys.argv[1])), ensure_ascii=False, indent=0)
    (FOLDER / "commands.json").write_text(text + "\n", encoding="utf-8")
