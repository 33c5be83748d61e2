"""Run programs written for gensim or fasttext on pyw2v, without changing them.

    from pyw2v import compat

    compat.install("gensim")             # or "fasttext", or both: compat.install()
    from gensim.models import Word2Vec   # pyw2v's; in other people's modules, too
    compat.uninstall()                   # everything as it was

or, for a whole program, `python -m pyw2v.compat script.py ...` and `python -m pyw2v.compat -m
package ...`. It makes no difference whether gensim is installed, except for what pyw2v does not
provide (topic models, Doc2Vec, ...): that comes from the real gensim if there is one, else from an
ImportError that says so. Modules that imported the real classes before keep them.
"""

from pathlib import Path

from pyw2v.compat._imports import Shim

__all__ = ["PACKAGES", "VERSIONS", "install", "installed", "uninstall"]

# The versions that pyw2v stands in for; other packages compare them to choose a spelling.
VERSIONS = {"fasttext": "0.9.3", "gensim": "4.4.0"}
PACKAGES = tuple(VERSIONS)

_shims = {
    name: Shim(name, version, Path(__file__).parent / name) for name, version in VERSIONS.items()
}


def install(*packages: str) -> None:
    """Let `import gensim` and `import fasttext` find pyw2v.

    Parameters
    ----------
    *packages : str
        "gensim" or "fasttext"; both if none is named.

    Raises
    ------
    ValueError
        If another package is named.

    See Also
    --------
    uninstall : Undo it.
    """
    for shim in _chosen(packages):
        shim.install()


def uninstall(*packages: str) -> None:
    """Undo `install`; modules that were imported before it are back.

    Parameters
    ----------
    *packages : str
        "gensim" or "fasttext"; both if none is named.

    Raises
    ------
    ValueError
        If another package is named.
    """
    for shim in _chosen(packages):
        shim.uninstall()


def installed() -> tuple[str, ...]:
    """Return the packages that pyw2v stands in for now.

    Returns
    -------
    tuple of str
        Their names.
    """
    return tuple(name for name, shim in _shims.items() if shim.is_installed)


def _chosen(packages: tuple[str, ...]) -> list[Shim]:
    unknown = [name for name in packages if name not in _shims]
    if unknown:
        raise ValueError(f"packages must be among {', '.join(PACKAGES)}, got {unknown[0]!r}")
    return [_shims[name] for name in packages or PACKAGES]
