"""Results in a JSON file, written after every run, so that an interrupted bench loses nothing."""

import json
import os
from pathlib import Path
from typing import Any

from bench.errors import BenchError


class Store:
    """Runs by key, and finished tables by name; in memory only without a path."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._stamp: dict[str, Any] = {}
        self._data: dict[str, dict[str, Any]] = {"machine": {}, "runs": {}, "tables": {}}
        if path is not None and path.exists():
            try:
                self._data.update(json.loads(path.read_text()))
            except ValueError as error:
                raise BenchError(f"{path} is not a file of results: {error}") from error

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the run saved under this key."""
        found: dict[str, Any] | None = self._data["runs"].get(key)
        return found

    def put(self, key: str, result: dict[str, Any]) -> None:
        """Save a run."""
        self._data["runs"][key] = result
        self._write()

    def put_row(self, table: str, name: str, row: dict[str, Any]) -> None:
        """Save a line of a table, with what it was measured on: lines of several calls may mix."""
        self._data["tables"].setdefault(table, {})[name] = {**row, **self._stamp}
        self._write()

    def describe(self, machine: dict[str, Any], measured: dict[str, Any]) -> None:
        """Save the machine; `measured` (code, text) goes into every line of the tables."""
        self._data["machine"] = machine
        self._stamp = {"measured": measured}
        self._write()

    def _write(self) -> None:
        if self._path is None:
            return
        partial = self._path.with_name(self._path.name + ".part")
        partial.write_text(json.dumps(self._data, indent=1) + "\n")
        os.replace(partial, self._path)
