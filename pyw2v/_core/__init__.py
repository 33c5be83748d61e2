"""Extension types, one module per C++ owner: the only way from Python into csrc."""

from importlib.util import find_spec

# Python searches the current folder first: in a source tree it finds this package before the
# installed one.
if find_spec(f"{__name__}.isa") is None:
    raise ImportError(
        f"{__path__[0]} holds sources only, its extension modules are not built: run Python in "
        "another folder to use an installed pyw2v, or build them here by pip install -e ."
    )
