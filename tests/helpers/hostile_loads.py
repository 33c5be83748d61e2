"""The program that loads hostile files: `hostile_loads.py FOLDER N_PARTS PART`.

It loads its part of the files in the folder `forms` there, and prints what each load came to, with
limits on memory and time, a canary file, and a check whether pyw2v, NumPy and the built-in
functions are still what they were.
"""

import functools
import json
import os
import resource
import signal
import sys
from pathlib import Path

import pyw2v
from pyw2v import FastTextKeyedVectors, KeyedVectors, Phrases, Word2Vec
from pyw2v.io import gensim_format, pickle_arrays, pickle_stream, pickle_values

MAX_SECONDS = 3.0  # of the processor, for all loads of one file
MAX_BYTES = 1 << 29


class TooLongError(BaseException):
    """A load that does not end."""


def fingerprint():
    """What a file could have changed: what modules hold, and what functions and classes are."""
    others = [
        sys.modules[n] for n in ("builtins", "os", "numpy", "copyreg", "collections", "pathlib")
    ]
    seen = [id(value) for module in others for value in vars(module).values()]
    for module in (pyw2v, gensim_format, pickle_arrays, pickle_stream, pickle_values):
        for key, value in list(vars(module).items()):
            seen += [key, id(value)]
            if isinstance(value, type) and value.__module__.startswith("pyw2v"):
                seen += [(k, id(v)) for k, v in vars(value).items()]
            elif hasattr(value, "__code__"):
                parts = (
                    value.__code__,
                    value.__defaults__,
                    value.__kwdefaults__,
                    value.__globals__,
                )
                seen += [*map(id, parts), len(vars(value))]
    return seen


def loads():
    mapped = functools.partial(KeyedVectors.load, mmap="r")
    return [KeyedVectors.load, mapped, Word2Vec.load, FastTextKeyedVectors.load, Phrases.load]


def outcome(load, path):
    try:
        load(path)
    except ValueError as error:
        return "refused" if path in str(error) else f"does not name the file: {error!r:.300}"
    except OSError as error:
        missing = error.filename is not None and str(error.filename).startswith(path)
        return "missing" if missing else f"{error!r:.300}"
    except TooLongError:
        return "took too long"
    except BaseException as error:
        return f"{type(error).__name__}: {error!s:.300}"
    return "loads"


def limit_process():
    def stop(*_):
        raise TooLongError

    signal.signal(signal.SIGPROF, stop)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MAX_BYTES,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def main(folder, n_parts, part):
    os.chdir(folder)
    each = loads()
    for load in each:  # what is imported at the first load is imported now
        outcome(load, str(Path("sound").absolute()))
    before = fingerprint()
    limit_process()
    canary = Path("canary")
    for path in sorted(Path("forms").iterdir())[part::n_parts]:
        if path.name.endswith((".npy", ".npz")):
            continue
        print(json.dumps([path.name]), flush=True)  # the last one, if the process dies
        signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
        found = [outcome(load, str(path.absolute())) for load in each]
        signal.setitimer(signal.ITIMER_PROF, 0)
        if canary.exists():
            found.append("the canary sings")
            canary.unlink()
        if fingerprint() != before:
            found.append("something has changed")
            before = fingerprint()
        print(json.dumps([path.name, found]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
