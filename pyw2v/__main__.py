"""``python -m pyw2v`` is the ``pyw2v`` command."""

import sys

from pyw2v.cli import main

if __name__ == "__main__":
    sys.exit(main())
