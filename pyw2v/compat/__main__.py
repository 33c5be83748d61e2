"""python -m pyw2v.compat [--only gensim|fasttext] script.py ... | -m package ...

Runs a program written for gensim or fasttext, unchanged, on pyw2v.
"""

import argparse
import os
import runpy
import sys

from pyw2v import compat


def main(arguments: list[str] | None = None) -> None:
    """Run the program that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m pyw2v.compat",
        description="Run a program written for gensim or fasttext, unchanged, on pyw2v.",
    )
    parser.add_argument("--only", choices=compat.PACKAGES, help="stand in for one package only")
    parser.add_argument("-m", action="store_true", dest="module", help="run a module, not a file")
    parser.add_argument("program", help="a script, or after -m the name of a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")
    options = parser.parse_args(arguments)

    compat.install(*([options.only] if options.only else []))
    sys.argv = [options.program, *options.arguments]
    if options.module:
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
    else:
        # As `python script.py` does: what lies beside the script can be imported.
        if not sys.flags.safe_path:
            sys.path[0] = os.path.dirname(os.path.abspath(options.program))
        runpy.run_path(options.program, run_name="__main__")


if __name__ == "__main__":
    main()
