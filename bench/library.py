"""The two libraries behind one interface: both have gensim's calls, so a job is written once."""

import hashlib
import importlib
from pathlib import Path
from typing import Any

from bench.errors import BenchError

LIBRARIES = ("pyw2v", "gensim")


def models(library: str) -> Any:
    """Return the module that has Word2Vec and KeyedVectors."""
    try:
        if library == "pyw2v":
            return importlib.import_module("pyw2v")
        found = importlib.import_module("gensim.models")
        word2vec = importlib.import_module("gensim.models.word2vec")
    except ImportError as error:
        raise BenchError(
            f"{library} does not import ({error}); pip install -e '.[bench]' builds and installs "
            "what the bench needs"
        ) from error
    # Without its compiled code gensim is a hundred times slower: no peer to measure against.
    if word2vec.FAST_VERSION < 0 or word2vec.CORPUSFILE_VERSION < 0:
        raise BenchError("gensim has no compiled code here; install it from a wheel")
    return found


def versions() -> dict[str, str]:
    """Return what identifies the code of each library, so that saved results can be told apart."""
    pyw2v, gensim = models("pyw2v"), importlib.import_module("gensim")
    models("gensim")
    folder = Path(pyw2v.__file__).parent
    digest = hashlib.sha256()
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.so"), *folder.rglob("*.pyd")]):
        digest.update(path.read_bytes())
    return {
        "pyw2v": f"pyw2v {pyw2v.__version__} {digest.hexdigest()[:10]}",
        "gensim": f"gensim {gensim.__version__}",
    }
