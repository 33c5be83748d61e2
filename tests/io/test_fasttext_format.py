"""fastText's files: read as fastText wrote them, written as it would, and refused when damaged."""

import json
import shutil
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v.fasttext import load_model
from pyw2v.io.errors import TruncatedFileError
from pyw2v.io.fasttext_data import FastTextArgs, FastTextData
from pyw2v.io.fasttext_format import read, write
from pyw2v.quantize import QuantizedMatrix

FOLDER = Path(__file__).parents[1] / "data" / "fasttext"
GOLDEN = json.loads((FOLDER / "golden.json").read_text(encoding="utf-8"))
FILES = sorted(GOLDEN)
# One of each kind; cutting every byte of the larger ones would take long.
SMALL = ["cbow.bin", "skipgram.bin", "softmax.bin"]


def make_data(n_words=3, n_labels=2, dim=2, bucket=4, pruned=None, quantized=(False, False)):
    """A classifier of arbitrary numbers."""
    rng = np.random.default_rng(1)

    def matrix(rows, as_codes, norms):
        if not as_codes:
            return rng.normal(size=(rows, dim)).astype(np.float32)
        return QuantizedMatrix(
            rng.integers(0, 256, (rows, dim), dtype=np.uint8),
            rng.normal(size=256 * dim).astype(np.float32),
            dim,
            1,
            *((rng.integers(0, 256, rows, dtype=np.uint8), np.ones(256, "f4")) if norms else ()),
        )

    n_buckets = bucket if pruned is None else len(pruned)
    return FastTextData(
        args=FastTextArgs(dim=dim, bucket=bucket, model="supervised", loss="softmax"),
        words=[f"w{i}".encode() for i in range(n_words)],
        word_counts=np.arange(n_words, 0, -1),
        labels=[f"__label__{i}".encode() for i in range(n_labels)],
        label_counts=np.arange(n_labels, 0, -1),
        n_tokens=99,
        pruned=None if pruned is None else np.array(pruned, np.int32).reshape(-1, 2),
        input=matrix(n_words + n_buckets, quantized[0], True),
        output=matrix(n_labels, quantized[1], False),
    )


@pytest.fixture
def tiny(tmp_path):
    """Bytes of small files of all kinds, most of them smaller than fastText can make them."""
    kinds = {
        "dense": make_data(),
        "pruned": make_data(dim=1, pruned=[(3, 0), (1, 1)], quantized=(True, True)),
        "all pruned": make_data(dim=1, pruned=[], quantized=(True, False)),
    }
    result = {}
    for name, data in kinds.items():
        write(data, tmp_path / "model")
        result[name] = (tmp_path / "model").read_bytes()
    return result


@pytest.mark.parametrize("name", FILES)
def test_unchanged_files_are_written_byte_for_byte(name, tmp_path):
    write(read(FOLDER / name), tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (FOLDER / name).read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_reading_gives_the_words_and_counts_of_fasttext(name):
    data = read(FOLDER / name)
    golden = GOLDEN[name]
    assert [word.decode(errors="replace") for word in data.words] == golden["words"]
    assert_array_equal(data.word_counts, golden["counts"])
    assert [label.decode() for label in data.labels] == golden.get("labels", [])
    assert data.args.dim == golden["dim"]
    assert data.is_quantized == golden["quantized"]
    row = data.input.rows([1])[0] if data.is_quantized else data.input[1]
    assert_allclose(row, golden["input_vector"], rtol=1e-6, atol=1e-7)


def test_settings_are_read_under_their_names():
    args = read(FOLDER / "hs.bin").args
    assert args == FastTextArgs(
        dim=4, ws=5, epoch=10, min_count=1, neg=5, word_ngrams=1, loss="hs", model="supervised",
        bucket=40, minn=2, maxn=3, lr_update_rate=100, t=1e-4,
    )  # fmt: skip
    assert read(FOLDER / "cbow.bin").args.model == "cbow"


def test_words_that_are_not_utf8_survive():
    words = read(FOLDER / "latin1.bin").words
    assert any(b"\xe9" in word for word in words)


def test_dense_matrices_are_views_on_the_file_when_they_can_be(tmp_path):
    for n_letters in range(4):
        data = make_data()
        data.words[0] += b"x" * n_letters
        write(data, tmp_path / "model")
        aligned = read(tmp_path / "model").input
        mapped = read(tmp_path / "model", aligned=False).input
        assert aligned.flags.aligned
        assert not mapped.flags.owndata
        assert not mapped.flags.writeable
        assert_array_equal(aligned, data.input)
        assert_array_equal(mapped, data.input)


def test_a_model_can_be_written_over_the_file_it_is_mapped_from(tmp_path):
    path = tmp_path / "model.bin"
    shutil.copy(FOLDER / "softmax.bin", path)
    data = read(path, aligned=False)
    write(data, path)
    assert path.read_bytes() == (FOLDER / "softmax.bin").read_bytes()


def test_version_11_classifiers_have_no_character_ngrams(tmp_path):
    content = bytearray((FOLDER / "hs.bin").read_bytes())
    content[4:8] = struct.pack("<i", 11)
    (tmp_path / "old.bin").write_bytes(content)
    assert read(tmp_path / "old.bin").args.maxn == 0
    content = bytearray((FOLDER / "skipgram.bin").read_bytes())
    content[4:8] = struct.pack("<i", 11)
    (tmp_path / "old.bin").write_bytes(content)
    assert read(tmp_path / "old.bin").args.maxn == 4


@pytest.mark.parametrize("version", [-1, 0, 10, 13])
def test_other_versions_are_refused(version, tmp_path):
    content = bytearray((FOLDER / "hs.bin").read_bytes())
    content[4:8] = struct.pack("<i", version)
    (tmp_path / "model").write_bytes(content)
    with pytest.raises(ValueError, match="model, byte 4: wrong file format: version"):
        read(tmp_path / "model")


def test_files_of_other_programs_are_refused(tmp_path):
    (tmp_path / "text").write_bytes(b"3 2\na 1 2\n")
    with pytest.raises(ValueError, match="text, byte 0: wrong file format"):
        read(tmp_path / "text")
    (tmp_path / "empty").touch()
    with pytest.raises(TruncatedFileError, match="empty, byte 0"):
        read(tmp_path / "empty")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none")


@pytest.mark.parametrize("kind", ["dense", "pruned", "all pruned"])
def test_tiny_files_round_trip(tiny, kind, tmp_path):
    (tmp_path / "model").write_bytes(tiny[kind])
    data = read(tmp_path / "model")
    assert (data.pruned is None) == (kind == "dense")
    write(data, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == tiny[kind]


@pytest.mark.parametrize("kind", ["dense", "pruned", "all pruned", *SMALL])
def test_a_file_cut_at_any_byte_is_refused(tiny, kind, tmp_path):
    content = tiny[kind] if kind in tiny else (FOLDER / kind).read_bytes()
    path = tmp_path / "model"
    path.write_bytes(content)
    # Within a matrix one byte is like the next; its ends and all before it are cut at each.
    for n in {*range(min(600, len(content))), *range(0, len(content), 7), len(content) - 1}:
        path.write_bytes(content[:n])
        with pytest.raises(TruncatedFileError, match=f"model, byte {n}: "):
            read(path)
    path.write_bytes(content + b"\0")
    with pytest.raises(ValueError, match=f"byte {len(content)}: bytes after the output matrix"):
        read(path)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".ftz")])
def test_a_quantised_file_cut_anywhere_is_refused(name, tmp_path):
    content = (FOLDER / name).read_bytes()
    for n in range(0, len(content), 37):
        (tmp_path / "model").write_bytes(content[:n])
        with pytest.raises(TruncatedFileError):
            read(tmp_path / "model")


@settings(max_examples=300, deadline=None)
@given(
    name=st.sampled_from(FILES), where=st.floats(0, 1), bit=st.integers(0, 7), head=st.booleans()
)
def test_a_flipped_bit_is_refused_or_harmless(tmp_path_factory, name, where, bit, head):
    content = bytearray((FOLDER / name).read_bytes())
    size = min(len(content), 200) if head else len(content)
    at = min(size - 1, int(where * size))
    content[at] ^= 1 << bit
    path = tmp_path_factory.mktemp("flip") / "model"
    path.write_bytes(content)
    try:
        data = read(path)
    except ValueError as error:
        assert "model, byte " in str(error)  # noqa: PT017 (either outcome will do)
        return
    # What was read must fit together, whatever the numbers are.
    assert data.input.shape[1] == data.output.shape[1] == data.args.dim
    write(data, path)


@settings(max_examples=200, deadline=None)
@given(
    name=st.sampled_from(["softmax.bin", "cutoff.ftz"]),
    at=st.integers(0, 99),
    value=st.sampled_from([0, 1, -1, 2**31 - 1, -(2**31), 2**20, 2**16]),
)
def test_a_number_that_claims_too_much_is_refused_before_memory_is_allocated(
    tmp_path_factory, name, at, value
):
    content = bytearray((FOLDER / name).read_bytes())
    content[at : at + 4] = struct.pack("<i", value)
    path = tmp_path_factory.mktemp("claim") / "model"
    path.write_bytes(content)
    try:
        data = read(path)
    except ValueError as error:
        assert "model, byte " in str(error)  # noqa: PT017 (either outcome will do)
    else:
        assert len(data.words) + len(data.labels) <= len(content)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ({"words": [b"a", b"b", b"a"]}, "token twice, as entries 1 and 3"),
        (
            {"labels": [b"w1", b"l1"], "words": [b"w0", b"w1", b"w2"]},
            "token twice, as entries 2 and 4",
        ),
        ({"words": [b"a", b"\xff", b"\xff"]}, "token twice, as entries 2 and 3"),
    ],
)
def test_tokens_that_cannot_be_told_apart_are_refused(tokens, message, tmp_path):
    write(make_data().replace(**tokens), tmp_path / "model")
    with pytest.raises(ValueError, match=rf"model, byte \d+: the dictionary has an? {message}"):
        read(tmp_path / "model")


def test_a_token_may_be_empty_as_pretrained_vectors_make_it(tmp_path):
    write(make_data().replace(words=[b"a", b"", b"b"]), tmp_path / "model.bin")
    assert read(tmp_path / "model.bin").words == [b"a", b"", b"b"]
    model = load_model(tmp_path / "model.bin")
    labels, shares = model.predict("a b unknown", k=2)
    assert len(labels) == 2
    assert abs(sum(shares) - 1) < 1e-3


def test_many_tokens_are_compared_as_a_whole(tmp_path):
    words = [f"word-{'x' * (i % 40)}{i}".encode() for i in range(3000)]
    write(make_data(n_words=3000).replace(words=words), tmp_path / "model")
    assert read(tmp_path / "model").words == words
    words[2999] = words[7]
    write(make_data(n_words=3000).replace(words=words), tmp_path / "model")
    with pytest.raises(ValueError, match=r"entries 8 and 3000$"):
        read(tmp_path / "model")


def test_matrices_that_do_not_fit_the_dictionary_are_not_written(tmp_path):
    data = make_data()
    path = tmp_path / "model"
    for wrong, message in (
        (data.replace(input=data.input[1:]), "input matrix must have shape"),
        (data.replace(output=data.output[:, 1:]), "output matrix must have shape"),
        (data.replace(word_counts=data.word_counts[1:]), "as many counts"),
        (data.replace(words=[b"a\0b", b"c", b"d"]), "zero byte"),
        (data.replace(args=replace(data.args, ws=2**40)), "32-bit"),
        (make_data(bucket=4, pruned=[(0, 0)]), "pruned dictionary"),
        (make_data(quantized=(False, True)), "quantised output"),
    ):
        with pytest.raises(ValueError, match=message):
            write(wrong, path)
        assert not path.exists()


def test_files_from_before_the_magic_number_are_read(tmp_path):
    words = [(b"</s>", 3), (b"a", 2)]
    content = struct.pack("<12id", 2, 5, 1, 1, 5, 1, 2, 2, 3, 3, 6, 100, 1e-4)
    content += struct.pack("<3iq", 2, 2, 0, 9)
    content += b"".join(word + b"\0" + struct.pack("<qb", n, 0) for word, n in words)
    rows = np.arange(10, dtype="<f4").reshape(5, 2)
    content += struct.pack("<2q", 5, 2) + rows.tobytes()
    content += struct.pack("<2q", 2, 2) + rows[:2].tobytes()
    path = tmp_path / "old.bin"
    path.write_bytes(content)
    data = read(path)
    assert data.words == [b"</s>", b"a"]
    assert (data.args.dim, data.args.ws, data.args.bucket, data.args.model) == (2, 5, 3, "skipgram")
    assert np.array_equal(data.input, rows)
    assert np.array_equal(data.output, rows[:2])
    path.write_bytes(content[:-1])
    with pytest.raises(ValueError, match="ends within"):
        read(path)
