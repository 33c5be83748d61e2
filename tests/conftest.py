"""What all tests share."""

import os

# After `pip install .`, the folder pyw2v/ of the sources has no extension modules. pytest does not
# look there, but `python -c` and `python -m`, which some tests start, would: they search the
# current folder first unless told not to.
os.environ["PYTHONSAFEPATH"] = "1"
