"""``pyw2v glove``: the C program's tools and files, either side taking over at any stage."""

import io
import os
import resource
import signal
import subprocess
import sys

import glove_data
import numpy as np
import pytest

from pyw2v import KeyedVectors
from pyw2v.cli import main
from pyw2v.cli.glove import shuffle_records
from pyw2v.io import glove_format


def tool(*args, stdin=None, cwd=None):
    command = [sys.executable, "-m", "pyw2v", "glove", *map(str, args)]
    if isinstance(stdin, bytes):
        return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, check=False)
    with open(stdin or os.devnull, "rb") as file:
        return subprocess.run(command, stdin=file, capture_output=True, cwd=cwd, check=False)


def test_vocab_count_writes_the_c_programs_vocabulary():
    done = tool("vocab_count", "-min-count", 5, stdin=glove_data.FOLDER / "corpus.txt")
    assert done.stdout == (glove_data.FOLDER / "vocab.txt").read_bytes()
    assert b"Using vocabulary of size 294." in done.stderr
    piped = tool("vocab_count", "-max-vocab", 2, "-verbose", 0, stdin=b"b a b\nc a b\n")
    assert piped.stdout == b"b 3\na 2\n"
    assert not piped.stderr


@pytest.mark.parametrize("min_count", [1, 2])
def test_unk_in_the_corpus_is_an_error_however_rare(min_count):
    done = tool("vocab_count", "-min-count", min_count, stdin=b"a <unk> b a\n")
    assert done.returncode == 1
    assert b"<unk>" in done.stderr
    assert not done.stdout


def test_cooccur_writes_the_c_programs_records(tmp_path):
    done = tool(
        *("cooccur", "-window-size", 10, "-vocab-file", glove_data.FOLDER / "vocab.txt"),
        *("-memory", 0.00001, "-overflow-file", tmp_path / "overflow", "-verbose", 0),
        stdin=glove_data.FOLDER / "corpus.txt",
    )
    ours = np.frombuffer(done.stdout, glove_format.RECORD)
    golden = glove_data.records("cooccurrence.bin")
    assert np.array_equal(ours[["word", "context"]], golden[["word", "context"]])
    np.testing.assert_allclose(ours["count"][1:], golden["count"][1:], rtol=1e-12)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("array_size", [1, 10, 1000, 10**6])
def test_shuffle_keeps_every_record_and_moves_most(array_size, tmp_path):
    golden = glove_data.records("cooccurrence.bin")[:3000]
    done = tool(
        *("shuffle", "-array-size", array_size, "-seed", 5, "-temp-file", tmp_path / "temp"),
        stdin=golden.tobytes(),
    )
    ours = np.frombuffer(done.stdout, glove_format.RECORD)
    assert np.array_equal(np.sort(ours, order=["word", "context"]), golden)
    assert np.mean(ours == golden) < 0.01
    assert not os.listdir(tmp_path)


def test_shuffles_that_spill_reach_every_order():
    records = np.zeros(3, glove_format.RECORD)
    records["word"] = [1, 2, 3]
    rng, seen = np.random.default_rng(1), {}
    for _ in range(1200):
        target = io.BytesIO()
        shuffle_records(io.BytesIO(records.tobytes()), target, 2, "/tmp", rng)
        order = tuple(np.frombuffer(target.getvalue(), glove_format.RECORD)["word"].tolist())
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 6
    assert min(seen.values()) > 140


def test_a_shuffle_that_fills_the_disk_names_the_folder(tmp_path):
    """A limit on file sizes stands in for a full disk: both make write() fail half way."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = subprocess.run(
        [
            *(sys.executable, "-m", "pyw2v", "glove", "shuffle", "-array-size", "10000"),
            *("-temp-file", str(tmp_path / "temp")),
        ],
        input=glove_data.records("cooccurrence.bin").tobytes(),
        capture_output=True,
        preexec_fn=limit,
        check=False,
    )
    assert done.returncode == 1
    assert f"pyw2v: error: {tmp_path}: File too large" in done.stderr.decode()
    assert not os.listdir(tmp_path)


def test_shuffle_refuses_half_a_record():
    done = tool("shuffle", stdin=b"x" * 17)
    assert done.returncode == 1
    assert b"within a record" in done.stderr


@pytest.fixture
def shuffled(tmp_path):
    path = tmp_path / "shuf.bin"
    path.write_bytes(glove_data.records("cooccurrence.shuf.bin").tobytes())
    return path


def glove(shuffled, *flags):
    return main(
        [
            *("glove", "glove", "-input-file", str(shuffled), "-vector-size", "12", "-threads"),
            *("1", "-vocab-file", str(glove_data.FOLDER / "vocab.txt"), "-x-max", "10"),
            *("-iter", "3", "-save-file", str(shuffled.parent / "vectors"), *map(str, flags)),
        ]
    )


def test_glove_exact_writes_the_c_programs_vectors(shuffled, capsys):
    start = glove_data.FOLDER / "vectors.000.bin"
    flags = ("-exact", 1, "-load-init-param", 1, "-init-param-file", start)
    assert glove(shuffled, *flags, "-write-header", 1, "-binary", 2) == 0
    ours = (shuffled.parent / "vectors.txt").read_text().splitlines()
    assert ours[1:] == (glove_data.FOLDER / "vectors.txt").read_text().splitlines()[1:]
    raw = glove_format.load_parameters(shuffled.parent / "vectors.bin", 294)
    golden = glove_format.load_parameters(glove_data.FOLDER / "vectors.bin", 294)
    np.testing.assert_allclose(raw, golden, atol=1e-12)
    shown = capsys.readouterr().err
    for i, cost in enumerate(glove_data.COSTS):
        assert f"iter: {i + 1:03d}, cost: {cost:.6f}" in shown


def test_glove_checkpoints_resume_where_they_were(shuffled, tmp_path):
    exact = ("-exact", 1, "-binary", 1, "-seed", 3, "-verbose", 0)
    squares = ("-gradsq-file", tmp_path / "gradsq", "-checkpoint-every", 1)
    assert glove(shuffled, *exact, *squares, "-save-init-param", 1) == 0
    names = {p.name for p in tmp_path.glob("*.bin")} - {"shuf.bin"}
    kept = {f"{name}{n}.bin" for name in ("vectors", "gradsq") for n in ("", ".001", ".002")}
    assert kept <= names
    assert {"vectors.000.bin", "gradsq.003.bin"} <= names
    final = (tmp_path / "vectors.bin").read_bytes()
    (tmp_path / "vectors.bin").unlink()
    middle = (
        *("-load-init-param", 1, "-init-param-file", tmp_path / "vectors.002.bin"),
        *("-load-init-gradsq", 1, "-init-gradsq-file", tmp_path / "gradsq.002.bin"),
    )
    assert glove(shuffled, *exact, *middle, "-iter", 1) == 0
    assert (tmp_path / "vectors.bin").read_bytes() == final


@pytest.mark.parametrize(("model", "columns"), [(0, 26), (1, 12), (2, 12), (3, 24)])
def test_models_say_what_the_text_has(shuffled, tmp_path, model, columns):
    gradsq = ("-save-gradsq", 1, "-gradsq-file", tmp_path / "gradsq", "-binary", 2)
    assert glove(shuffled, "-iter", 1, "-model", model, "-verbose", 0, *gradsq) == 0
    raw = glove_format.load_parameters(tmp_path / "vectors.bin", 294)
    words, contexts = raw[:294], raw[294:]
    expected = {
        0: np.hstack([words, contexts]),
        1: words[:, :-1],
        2: (words + contexts)[:, :-1],
        3: np.hstack([words[:, :-1], contexts[:, :-1]]),
    }[model]
    lines = [line.split() for line in (tmp_path / "vectors.txt").read_text().splitlines()]
    assert len(lines) == 295
    assert lines[-1][0] == "<unk>"
    assert len(lines[0]) == columns + 1
    values = np.array([line[1:] for line in lines], float)
    np.testing.assert_allclose(values[:-1], expected, atol=1e-6)
    np.testing.assert_allclose(values[-1], expected[-100:].mean(axis=0), atol=1e-6)
    squares = [line.split() for line in (tmp_path / "gradsq.txt").read_text().splitlines()]
    assert len(squares) == 294
    assert len(squares[0]) == 27
    assert min(float(value) for value in squares[0][1:]) > 1.0


def test_train_does_all_steps_and_leaves_only_the_named_files(tmp_path):
    code = main(
        [
            *("glove", "train", str(glove_data.FOLDER / "corpus.txt"), "-min-count", "5"),
            *("-vector-size", "8", "-iter", "2", "-window-size", "10", "-verbose", "0"),
            *("-save-file", str(tmp_path / "v"), "-vocab-file", str(tmp_path / "vocab.txt")),
        ]
    )
    assert code == 0
    assert (tmp_path / "vocab.txt").read_bytes() == (glove_data.FOLDER / "vocab.txt").read_bytes()
    vectors = KeyedVectors.load_word2vec_format(tmp_path / "v.txt", no_header=True)
    assert vectors.vectors.shape == (295, 8)
    assert sorted(os.listdir(tmp_path)) == ["v.txt", "vocab.txt"]


def test_train_refuses_what_it_could_not_save_before_it_trains(tmp_path, capsys, monkeypatch):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("a <unk> b a <unk> b\n")
    flags = ("-vector-size", "2", "-iter", "1", "-threads", "1")
    command = ("glove", "train", str(corpus), *flags, "-save-file", str(tmp_path / "v"))
    assert main(command) == 1
    shown = capsys.readouterr().err
    assert "'<unk>'" in shown
    assert "cost" not in shown
    monkeypatch.setattr(os, "access", lambda *_: False)  # as on a read-only disk, also for root
    assert main(command) == 1
    assert f"{tmp_path}: the folder cannot be written to" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["corpus.txt"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "usage: pyw2v glove"),
        (["fly"], "usage: pyw2v glove"),
        (["cooccur", "-h"], "-window-size"),
        (["cooccur", "-nonsense", "1"], "Unknown argument: -nonsense"),
        (["cooccur", "-memory"], "No argument given for -memory"),
        (["cooccur", "-window-size", "x"], "-window-size must be a whole number, got 'x'"),
        (["glove", "-model", "4"], "-model must be 0, 1, 2 or 3, got 4"),
        (["glove", "-vocab-file", "/no/vocab"], "/no/vocab"),
        (["train"], "usage: pyw2v glove train CORPUS"),
        (["train", "/no/corpus", "-save-file", "/no/v"], "no such folder"),
    ],
)
def test_wrong_usage_is_explained(args, message, capsys):
    assert main(["glove", *args]) == 1
    assert message in capsys.readouterr().err


def test_a_broken_record_is_named(shuffled, capsys):
    records = glove_data.records("cooccurrence.shuf.bin")[:5].copy()
    records["word"][3] = 295
    shuffled.write_bytes(records.tobytes())
    assert glove(shuffled) == 1
    assert "byte 48: a record must have two ids from 1 to 294" in capsys.readouterr().err
    shuffled.write_bytes(records.tobytes()[:-1])
    assert glove(shuffled) == 1
    assert "within a record" in capsys.readouterr().err
