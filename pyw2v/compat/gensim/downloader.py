"""gensim.downloader: vectors and texts of the gensim-data project, by name.

    import gensim.downloader as api
    api.info(name_only=True), api.load("glove-twitter-25"), api.load("text8", return_path=True)

Files lie where gensim puts them, in GENSIM_DATA_DIR or ~/gensim-data, so that both find them. To
every file belongs a program that reads it. gensim runs that; here vectors and text8 are read by
pyw2v instead, and for other texts there is `return_path=True`, or the real gensim.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from pyw2v.compat._imports import fall_through
from pyw2v.corpus import Text8Corpus
from pyw2v.io.atomic import atomic_write
from pyw2v.vectors import KeyedVectors

__all__ = ["BASE_DIR", "base_dir", "info", "load"]

logger = logging.getLogger(__name__)

BASE_DIR = os.environ.get("GENSIM_DATA_DIR", os.path.expanduser("~/gensim-data"))
base_dir = BASE_DIR
DATA_LIST_URL = "https://raw.githubusercontent.com/RaRe-Technologies/gensim-data/master/list.json"
DOWNLOAD_BASE_URL = "https://github.com/RaRe-Technologies/gensim-data/releases/download"


def info(
    name: str | None = None, show_only_latest: bool = True, name_only: bool = False
) -> dict[str, Any]:
    """Return what is known of one name, or of all: {"corpora": {...}, "models": {...}}."""
    everything = _list()
    if name is not None:
        for known in everything.values():
            if name in known:
                found: dict[str, Any] = known[name]
                return found
        raise ValueError(f"Incorrect model/corpus name: {name!r}; info(name_only=True) has them")
    if not show_only_latest:
        return everything
    if name_only:
        return {kind: list(known) for kind, known in everything.items()}
    return {
        kind: {name: about for name, about in known.items() if about.get("latest", True)}
        for kind, known in everything.items()
    }


def load(name: str, return_path: bool = False) -> Any:
    """Return vectors or a text, downloaded if it is not here yet; or the path of its file."""
    about = info(name)
    folder = Path(BASE_DIR, name)
    if not folder.exists():
        _download(name, about)
    path = str(folder / about["file_name"])
    if return_path:
        return path
    if name in _list()["models"]:
        return KeyedVectors.load_word2vec_format(path, binary=None)
    if name == "text8":
        return Text8Corpus(path)
    try:
        real_load = _attribute("load")
    except AttributeError as error:
        raise NotImplementedError(
            f"the text {name} is read by a program that comes with it, which only the real gensim "
            f"runs; its file is load({name!r}, return_path=True)"
        ) from error
    return real_load(name)


def _list() -> dict[str, dict[str, Any]]:
    """Return the list of all names; without network, as it was when it was last fetched."""
    cache = Path(BASE_DIR, "information.json")
    try:
        with urlopen(DATA_LIST_URL) as response:
            fetched = response.read()
    except OSError as error:
        if not cache.exists():
            raise OSError(f"{DATA_LIST_URL} cannot be read, nor is there {cache}") from error
        logger.warning("%s cannot be read (%s): using %s", DATA_LIST_URL, error, cache)
    else:
        cache.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(cache) as file:
            file.write(fetched)
    known: dict[str, dict[str, Any]] = json.loads(cache.read_text(encoding="utf-8"))
    return {kind: known[kind] for kind in ("corpora", "models")}


def _download(name: str, about: dict[str, Any]) -> None:
    """Make the folder of a name, complete or not at all."""
    n_parts = about["parts"]
    with tempfile.TemporaryDirectory(dir=BASE_DIR) as folder:
        complete = Path(folder, name)
        complete.mkdir()
        # For gensim, which takes a folder without it for damaged.
        _fetch(f"{DOWNLOAD_BASE_URL}/{name}/__init__.py", complete / "__init__.py", None)
        target = complete / f"{name}.gz"
        url = f"{DOWNLOAD_BASE_URL}/{name}/{name}.gz"
        for part in range(n_parts):
            some = n_parts > 1
            key, address = (f"checksum-{part}", f"{url}_0{part}") if some else ("checksum", url)
            _fetch(address, target, about[key])
        complete.rename(Path(BASE_DIR, name))


def _fetch(url: str, target: Path, checksum: str | None) -> None:
    """Append what is at an address to a file."""
    digest = hashlib.md5(usedforsecurity=False)
    with urlopen(url) as response, tempfile.TemporaryFile() as whole:
        while block := response.read(1 << 20):
            digest.update(block)
            whole.write(block)
        if checksum is not None and digest.hexdigest() != checksum:
            raise OSError(f"{url} has the checksum {digest.hexdigest()}, not {checksum}: try again")
        whole.seek(0)
        with target.open("ab") as file:
            shutil.copyfileobj(whole, file)


_attribute = fall_through(__name__)
__getattr__ = _attribute


def main() -> None:
    """Show or fetch what the command line names."""
    parser = argparse.ArgumentParser(description="vectors and texts of gensim-data")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("-d", "--download", metavar="name", help="fetch a text or vectors")
    group.add_argument("-i", "--info", metavar="name", help="about one; `name` for all names")
    arguments = parser.parse_args()
    if arguments.download:
        print(load(arguments.download, return_path=True))
    elif arguments.info == "name":
        print(json.dumps(info(name_only=True), indent=4))
    else:
        print(json.dumps(info(arguments.info), indent=4))


if __name__ == "__main__":
    main()
