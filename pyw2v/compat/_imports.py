"""Import hooks: one package's name leads to a folder of ours, and back.

The modules of ours and those of the real package live in two worlds under the same names. While a
shim is installed, `sys.modules` has ours, and the real ones are set aside; importing a real one
swaps the worlds for as long as that takes, so that the real modules see only each other, with all
their internals. A real module without a counterpart of ours is then listed among ours, too.

The real package's tests are the exception: they are loaded among ours, so that they test pyw2v.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, DistributionFinder
from importlib.util import spec_from_file_location, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

_PREFIX = "pyw2v.compat."


_ANY = DistributionFinder.Context()


class Shim(MetaPathFinder):
    """Stands in for the package `name`, as of `version`, with the modules in `folder`."""

    def __init__(self, name: str, version: str, folder: Path) -> None:
        self.name = name
        self._version = version
        self._folder = folder
        self._set_aside: dict[str, ModuleType] = {}  # the world that is not in sys.modules
        self._lock = threading.RLock()

    @property
    def is_installed(self) -> bool:
        """Whether imports of the package are ours."""
        return self in sys.meta_path

    def install(self) -> None:
        """Take over the name; once is enough."""
        with self._lock:
            if not self.is_installed:
                self._swap()
                sys.meta_path.insert(0, self)

    def uninstall(self) -> None:
        """Give the name back, with the real modules that were imported; ours are forgotten."""
        with self._lock:
            if self.is_installed:
                sys.meta_path.remove(self)
                self._swap()
                self._set_aside.clear()

    def _swap(self) -> None:
        """Exchange the package's modules in sys.modules for those set aside."""
        names = [name for name in sys.modules if self._owns(name)]
        gone = {name: sys.modules.pop(name) for name in names}
        sys.modules.update(self._set_aside)
        self._set_aside = gone

    def _owns(self, module: str) -> bool:
        return module == self.name or module.startswith(self.name + ".")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module of ours, else of the real package."""
        if not self._owns(fullname):
            return None
        base = self._folder.joinpath(*fullname.split(".")[1:])
        init, plain = base / "__init__.py", base.with_name(base.name + ".py")
        if init.is_file():
            return spec_from_file_location(fullname, init, submodule_search_locations=[str(base)])
        if plain.is_file():
            return spec_from_file_location(fullname, plain)
        spec = PathFinder.find_spec(fullname, _elsewhere_on(path, self._folder))
        if spec is not None:
            return spec
        return spec_from_loader(fullname, _Imported(self.real_module(fullname)))

    def find_distributions(
        self, context: DistributionFinder.Context = _ANY
    ) -> Iterator[Distribution]:
        """Find the package for `importlib.metadata.version`, by which some choose a spelling."""
        if context.name is not None and context.name.lower() == self.name:
            yield _StandIn(self.name, self._version, self._folder)

    def real_module(self, fullname: str) -> ModuleType:
        """Import a module of the real package, in its own world."""
        with self._lock, self._in_real_world():
            try:
                return importlib.import_module(fullname)
            except ModuleNotFoundError as error:
                if error.name != self.name:
                    raise
                raise ModuleNotFoundError(_elsewhere(fullname, self.name), name=fullname) from None

    @contextmanager
    def _in_real_world(self) -> Iterator[None]:
        if not self.is_installed:
            yield
            return
        place = sys.meta_path.index(self)
        sys.meta_path.remove(self)
        self._swap()
        try:
            yield
        finally:
            self._swap()
            sys.meta_path.insert(place, self)


class _StandIn(Distribution):
    """What the metadata of an installed package says, of one that is stood in for."""

    def __init__(self, name: str, version: str, folder: Path) -> None:
        self._text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        self._folder = folder

    def read_text(self, filename: str) -> str | None:
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        return self._folder.parent / path


class _Imported(Loader):
    """Hands out a module that has been imported already."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # of its own world; the import put its own there


def real_folders(package: str) -> list[str]:
    """Return the folders of the real package, whose name may be taken; none without it."""
    spec = PathFinder.find_spec(package, sys.path)
    return list(spec.submodule_search_locations or []) if spec is not None else []


def _elsewhere_on(path: Sequence[str] | None, folder: Path) -> list[str]:
    """Return the folders that a package of ours has put on its path besides its own."""
    return [entry for entry in path or [] if not Path(entry).is_relative_to(folder)]


def fall_through(module: str, elsewhere: Iterable[str] = ()) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module of ours: what it lacks comes from the real module.

    Names in `elsewhere` are known to be the real package's: without it, reading one is an
    ImportError that says so, and any other name an AttributeError, so that hasattr() works.
    """
    fullname = module.removeprefix(_PREFIX)
    package = fullname.partition(".")[0]
    known = frozenset(elsewhere)

    def attribute(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {fullname!r} has no attribute {name!r}")
        try:
            return getattr(_real_module(package, fullname), name)
        except ModuleNotFoundError as error:
            message = _elsewhere(f"{fullname}.{name}", package)
            if name in known:
                raise ImportError(message, name=fullname) from error
            raise AttributeError(message) from error

    return attribute


def _real_module(package: str, fullname: str) -> ModuleType:
    for finder in sys.meta_path:
        if isinstance(finder, Shim) and finder.name == package:
            return finder.real_module(fullname)
    return importlib.import_module(fullname)


def _elsewhere(what: str, package: str) -> str:
    return (
        f"pyw2v.compat, which stands in for {package}, does not provide {what}, and the real "
        f"{package}, where it would come from, is not installed"
    )
