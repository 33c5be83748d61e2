"""``python -m pyw2v.cli``, which is ``python -m pyw2v`` by its other name."""

import sys

from pyw2v.cli import main

sys.exit(main())
