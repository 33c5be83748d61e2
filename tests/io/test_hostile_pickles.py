"""Pickles that attack their reader are refused, or read as the harmless data that they are."""

import bz2
import gzip
import io
import json
import os
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import hostile_pickles
import numpy as np
import pytest
from pickle_assembler import KEYED_VECTORS, Raw, build, call, model, name, new, stream, vectors

import pyw2v
from pyw2v import KeyedVectors, Word2Vec
from pyw2v.io import gensim_format, pickle_stream, streams

HERE = Path(__file__).parents[1] / "helpers"
N_CHILDREN = 2


def file_name(number, form):
    return f"{number:04}-" + "".join(c if c.isalnum() else "-" for c in form)[:60]


def run_children(folder):
    """Load all files of a folder, and return what each load came to by the file's name."""
    home = Path(pyw2v.__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": str(home), "OPENBLAS_NUM_THREADS": "1"}
    children = [
        subprocess.Popen(
            [sys.executable, HERE / "hostile_loads.py", folder, str(N_CHILDREN), str(part)],
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        for part in range(N_CHILDREN)
    ]
    found = {}
    for child in children:
        printed = child.communicate(timeout=300)[0].splitlines()
        for line in printed:
            file, *outcomes = json.loads(line)
            found[file] = outcomes[0] if outcomes else ["the process died"]
        assert child.returncode == 0, f"a child died of {printed[-1:]}"
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_no_hostile_pickle_runs_changes_or_exhausts_anything(tmp_path):
    (tmp_path / "forms").mkdir()
    (tmp_path / "sound").write_bytes(stream(model()))
    expected = {}
    for form, content, outcome in hostile_pickles.forms():
        file = file_name(len(expected), form)
        expected[file] = outcome
        (tmp_path / "forms" / file).write_bytes(content)
    for form, content in hostile_pickles.array_files():
        file = file_name(len(expected), form)
        expected[file] = "refused"
        (tmp_path / "forms" / file).write_bytes(stream(vectors(__numpys=["vectors"])))
        (tmp_path / "forms" / f"{file}.vectors.npy").write_bytes(content)
    assert len(expected) >= 250
    found = run_children(tmp_path)
    assert found.keys() == expected.keys()
    wrong = []
    for file, outcomes in found.items():
        allowed = {
            "either": {"loads", "refused"},
            "loads": {"loads", "refused"},  # refused by the classes that it is not of
            "refused": {"refused"},
            "missing": {"missing", "refused"},
        }[expected[file]]
        if not allowed.issuperset(outcomes) or (
            expected[file] in ("loads", "missing") and expected[file] not in outcomes
        ):
            wrong.append(f"{file}: {expected[file]}, not {sorted(set(outcomes))}")
    assert not wrong, f"{len(wrong)} of {len(found)}:\n" + "\n".join(wrong)


def test_forms_are_distinct():
    contents = [content for _, content, _ in hostile_pickles.forms()]
    assert len(set(contents)) >= 1000


def test_a_stream_is_read_as_markers_that_nothing_was_done_with():
    value = build(new(*KEYED_VECTORS), {"hashfxn": name("os", "system")})
    seen = []
    made = pickle_stream.read(stream(value), lambda *asked: seen.append(asked))
    assert seen == [KEYED_VECTORS, ("os", "system")]
    assert type(made) is pickle_stream.Call
    assert (made.function.module, made.function.name) == KEYED_VECTORS
    text, found = made.state.items
    assert (text, type(found)) == ("hashfxn", pickle_stream.Name)


def test_errors_say_at_which_byte(tmp_path):
    path = tmp_path / "model"
    content = stream(vectors(x=Raw(b"cos\nsystem\n")))
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"model: byte {content.index(b'cos')}: .* os\.system"):
        KeyedVectors.load(path)
    path.write_bytes(content[:50])
    with pytest.raises(
        ValueError, match=r"model is no sound gensim file: byte \d+ of 50: cut short"
    ):
        KeyedVectors.load(path)


def test_a_compressed_pickle_is_unpacked_no_further_than_its_size_warrants(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "_UNPACKED_BYTES", 1 << 20)
    path = tmp_path / "model.bz2"
    path.write_bytes(bz2.compress(stream(vectors(x=b"\0" * (1 << 23)))))
    assert path.stat().st_size < 1000
    with pytest.raises(ValueError, match=r"model\.bz2 unpacks to more than 1\d+ bytes"):
        KeyedVectors.load(path)
    monkeypatch.undo()
    assert KeyedVectors.load(path).index_to_key == ["a", "b"]


@pytest.mark.parametrize("damage", ["shape", "size", "member", "method"])
def test_an_archive_beside_a_pickle_holds_what_its_header_says(tmp_path, damage):
    path = tmp_path / "model.gz"
    path.write_bytes(gzip.compress(stream(vectors(__numpys=["vectors"]))))
    file = io.BytesIO()
    np.save(file, np.ones((2, 3), np.float32))
    content = file.getvalue()
    if damage == "shape":
        content = content.replace(b"(2, 3), }        ", b"(2, 300000000), }")
    archive = f"{path}.vectors.npz"
    member = "other.npy" if damage == "member" else "val.npy"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr(member, content if damage != "size" else content + b"\0" * (1 << 28))
    if damage == "method":
        packed = Path(archive).read_bytes()
        Path(archive).write_bytes(packed.replace(b"\x08\0", b"\x63\0"))
    with pytest.raises(ValueError, match=r"vectors\.npz is no sound file of an array"):
        KeyedVectors.load(path)


def test_a_model_names_no_argument_that_gensim_does_not_keep(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(stream(model(corpus_file="/dev/zero", sentences=[["a", "b"]] * 9)))
    assert Word2Vec.load(path).wv.index_to_key == ["a", "b"]


def test_the_reader_imports_nothing(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(stream(vectors(x=name("antigravity", "fly"))))
    with pytest.raises(ValueError, match=r"antigravity\.fly"):
        KeyedVectors.load(path)
    assert "antigravity" not in sys.modules


# -- classes of a trusted package ----------------------------------------------------------------


@pytest.fixture
def package(monkeypatch):
    """A package that counts what is called in it."""
    module = types.ModuleType("trusted")
    module.calls = []

    class Rows:
        def __init__(self, *args):
            module.calls.append(args)

        def __setstate__(self, state):
            self.state = state

    class Plain:
        pass

    for cls in (Rows, Plain):
        cls.__module__ = "trusted"
        setattr(module, cls.__name__, cls)
    module.function = lambda *args: module.calls.append(args)
    module.os = os
    monkeypatch.setitem(sys.modules, "trusted", module)
    return module


def read_trusting(path, value):
    path.write_bytes(stream(value))
    return vars(gensim_format.read(path, package="trusted"))["x"]


def test_objects_of_a_trusted_package_are_made_without_their_constructor(package, tmp_path):
    path = tmp_path / "model"
    rows = read_trusting(path, vectors(x=build(new("trusted", "Rows"), {"a": np.arange(2)})))
    assert type(rows) is package.Rows
    assert rows.state["a"].tolist() == [0, 1]
    plain = read_trusting(path, vectors(x=build(new("trusted", "Plain"), ({"a": 1}, {"b": 2}))))
    assert vars(plain) == {"a": 1, "b": 2}
    assert package.calls == []


@pytest.mark.parametrize(
    "value",
    [
        call("trusted", "Rows", 1),
        call("trusted", "function", 1),
        new("trusted", "function", 1),
        new("trusted", "Rows.__init__"),
        name("trusted", "os"),
        new("trusted.sub", "Rows"),
        new("trusted", "Plain", 1, 2),
        build(new("trusted", "Plain"), {1: 2}),
        build(new("trusted", "Plain"), [1]),
        build(name("trusted", "Plain"), {"a": 1}),
    ],
)
def test_nothing_else_is_done_with_a_trusted_package(package, tmp_path, value):
    path = tmp_path / "model"
    with pytest.raises(ValueError, match="model"):
        read_trusting(path, vectors(x=value))
    assert package.calls == []
    assert not hasattr(package.Plain, "a")
