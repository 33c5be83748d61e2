"""`pyw2v fasttext`: the output forms of fastText's program."""

import io
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from pyw2v import fasttext
from pyw2v.cli import main
from pyw2v.io import fasttext_format
from pyw2v.io.fasttext_data import FastTextArgs, FastTextData

DATA = Path(__file__).parents[1] / "data" / "fasttext"
PRINTED = json.loads((DATA / "commands.json").read_text(encoding="utf-8"))
WORDS = [b"</s>", b"good", b"bad", b"caf\xc3\xa9", b"\xff"]


@pytest.fixture
def classifier(tmp_path, rng):
    """Two labels that the rows of `good` and `bad` tell apart."""
    rows = np.zeros((5, 3), "f4")
    rows[1], rows[2], rows[3] = [4, 0, 1], [0, 4, 1], [0.123456789, 1e-7, 12345.678]
    data = FastTextData(
        FastTextArgs(3, 5, 5, 1, 5, 1, "softmax", "supervised", 0, 0, 0, 100, 1e-4),
        WORDS,
        np.array([9, 4, 3, 2, 1]),
        rows,
        np.array([[2, 0, 0], [0, 2, 0]], "f4"),
        [b"__label__yes", b"__label__no"],
        np.array([5, 4]),
        30,
    )
    fasttext_format.write(data, tmp_path / "model.bin")
    return str(tmp_path / "model.bin")


@pytest.fixture
def skipgram(tmp_path, rng):
    data = FastTextData(
        FastTextArgs(4, 5, 5, 1, 5, 1, "ns", "skipgram", 50, 2, 3, 100, 1e-4),
        WORDS[:4],
        np.array([9, 4, 3, 2]),
        rng.normal(size=(54, 4)).astype("f4"),
        rng.normal(size=(4, 4)).astype("f4"),
        n_tokens=30,
    )
    fasttext_format.write(data, tmp_path / "vectors.bin")
    return str(tmp_path / "vectors.bin")


@pytest.fixture
def run(capsysbinary, monkeypatch):
    def call(*args, stdin=b"", code=0):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        assert main(["fasttext", *map(str, args)]) == code
        out, err = capsysbinary.readouterr()
        return out if code == 0 else err

    return call


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "test.txt"
    path.write_bytes(b"__label__yes good\n__label__no bad\n__label__no good good\n")
    return path


def test_without_a_known_command_the_usage_is_an_error(run):
    for args in ((), ("unknown",)):
        text = run(*args, code=1).decode()
        assert text.startswith("usage: pyw2v fasttext <command> <args>")
        assert "  print-sentence-vectors  print sentence vectors given a trained model" in text


@pytest.mark.parametrize(
    "args", [("test",), ("predict", "m"), ("nn",), ("dump", "m"), ("print-ngrams", "m", "w", "x")]
)
def test_a_wrong_number_of_arguments_prints_the_usage(run, args):
    assert run(*args, code=1).decode().startswith(f"usage: pyw2v fasttext {args[0]} <model>")


def test_user_errors_are_one_line(run, classifier, tmp_path):
    assert run("nn", tmp_path / "none.bin", code=1).count(b"\n") == 1
    assert b"k must be a whole number, got 'x'" in run("nn", classifier, "x", code=1)
    assert b"th must be a number" in run("predict", classifier, "-", "1", "x", code=1)
    (tmp_path / "bad.bin").write_bytes(b"not a model")
    assert run("dump", tmp_path / "bad.bin", "args", code=1).count(b"\n") == 1
    assert b"usage" in run("dump", classifier, "labels", code=1)


def test_predict_prints_labels(run, classifier, lines):
    assert run("predict", classifier, lines) == b"__label__yes\n__label__no\n__label__yes\n"
    two = run("predict", classifier, "-", 2, stdin=b"bad\nunknown")
    assert two == b"__label__no __label__yes\n\n"


def test_predict_prob_prints_six_digits_and_obeys_the_threshold(run, classifier):
    line = run("predict-prob", classifier, "-", "2", "0.6", stdin=b"good\n").decode()
    label, probability = line.split()
    # Softmax of the mean of the rows of `good` and the end of the line.
    assert label == "__label__yes"
    assert float(probability) == pytest.approx(1 / (1 + math.exp(-4)) + 1e-5, abs=1e-6)
    assert probability == f"{float(probability):.6g}"


def test_test_prints_three_significant_digits(run, classifier, lines):
    assert run("test", classifier, lines) == b"N\t3\nP@1\t0.667\nR@1\t0.667\n"
    assert run("test", classifier, "-", "2", stdin=lines.read_bytes()) == (
        b"N\t3\nP@2\t0.5\nR@2\t1\n"
    )


def test_test_label_prints_every_label(run, classifier, tmp_path):
    path = tmp_path / "one.txt"
    path.write_bytes(b"__label__yes good\n__label__yes good\n")
    assert run("test-label", classifier, path).decode().splitlines() == [
        "F1-Score : 1.000000  Precision : 1.000000  Recall : 1.000000   __label__yes",
        "F1-Score : --------  Precision : --------  Recall : --------   __label__no",
        "N\t2",
        "P@1\t1.000",
        "R@1\t1.000",
    ]


def test_word_vectors_have_five_digits_and_a_blank_behind_each(run, classifier):
    out = run("print-word-vectors", classifier, stdin="good café\n".encode())
    assert out == "good 4 0 1 \ncafé 0.12346 1e-07 12346 \n".encode()


def test_words_that_are_not_utf8_come_out_as_they_went_in(run, classifier):
    assert run("print-word-vectors", classifier, stdin=b"\xff\n") == b"\xff 0 0 0 \n"
    assert b"\xff 1 word\n" in run("dump", classifier, "dict")


def test_sentence_vectors_are_one_a_line(run, classifier):
    out = run("print-sentence-vectors", classifier, stdin=b"good\nbad\n")
    assert out == b"2 0 0.5 \n0 2 0.5 \n"


def test_a_last_line_without_an_end_has_no_end_of_line_in_its_vector(run, classifier):
    out = run("print-sentence-vectors", classifier, stdin=b"good\nbad")
    assert out == b"2 0 0.5 \n0 4 1 \n"


def test_words_end_at_blanks_of_ascii_alone(run, skipgram):
    model = fasttext.load_model(skipgram)
    word = "x\u00a0y\u3000z"
    out = run("print-word-vectors", skipgram, stdin=f" {word}\n\v".encode()).decode()
    assert out.startswith(f"{word} ")
    assert out.count("\n") == 1
    expected = "".join(f"{w} {s:.6g}\n" for s, w in model.get_nearest_neighbors(word, 1))
    out = run("nn", skipgram, 1, stdin=word.encode()).decode()
    assert out == f"Query word? {expected}Query word? "


def test_ngrams_begin_with_the_word(run, skipgram):
    lines = run("print-ngrams", skipgram, "bad").decode().splitlines()
    model = fasttext.load_model(skipgram)
    assert [line.split()[0] for line in lines] == model.get_subwords("bad")[0]
    assert lines[0].split()[0] == "bad"
    assert [float(x) for x in lines[0].split()[1:]] == pytest.approx(
        model.get_input_vector(2), rel=1e-4
    )


def test_neighbours_are_printed_for_each_word_until_the_end(run, skipgram):
    model = fasttext.load_model(skipgram)
    expected = "".join(f"{w} {s:.6g}\n" for s, w in model.get_nearest_neighbors("good", 2))
    out = run("nn", skipgram, 2, stdin=b"good\ngood").decode()
    prompt = "Query word? "
    assert out == prompt + expected + prompt + expected + prompt


def test_analogies_end_at_the_end_of_the_input(run, skipgram):
    model = fasttext.load_model(skipgram)
    expected = "".join(f"{w} {s:.6g}\n" for s, w in model.get_analogies("good", "bad", "</s>", 1))
    out = run("analogies", skipgram, 1, stdin=b"good bad </s> good").decode()
    prompt = "Query triplet (A - B + C)? "
    assert out == f"Loading model {skipgram}\n{prompt}{expected}{prompt}"


def test_dump_prints_the_settings(run, classifier):
    assert run("dump", classifier, "args").decode().splitlines() == [
        *("dim 3", "ws 5", "epoch 5", "minCount 1", "neg 5", "wordNgrams 1", "loss softmax"),
        *("model sup", "bucket 0", "minn 0", "maxn 0", "lrUpdateRate 100", "t 0.0001"),
    ]


def test_dump_prints_the_dictionary(run, classifier):
    out = run("dump", classifier, "dict").split(b"\n")
    assert out[:3] == [b"7", b"</s> 9 word", b"good 4 word"]
    assert out[6:] == [b"__label__yes 5 label", b"__label__no 4 label", b""]


def test_dump_prints_matrices(run, classifier):
    rows = run("dump", classifier, "input").decode().splitlines()
    assert rows[0] == "5 3"
    assert rows[4] == "0.123457 1e-07 12345.7"
    assert run("dump", classifier, "output") == b"2 3\n2 0 0\n0 2 0\n"


def same_text(ours, theirs):
    """Whether two texts have the same layout and words; numbers may differ in the last digit."""
    for line, other in zip(ours.split("\n"), theirs.split("\n"), strict=True):
        for part, expected in zip(line.split(" "), other.split(" "), strict=True):
            if part != expected and float(part) != pytest.approx(
                float(expected), rel=2e-5, abs=2e-6
            ):
                return False
    return True


@pytest.mark.parametrize("asked", PRINTED, ids=lambda asked: " ".join(asked["arguments"]))
def test_output_is_that_of_fasttexts_program(asked, run, monkeypatch):
    monkeypatch.chdir(DATA)
    printed = run(*asked["arguments"], stdin=asked["stdin"].encode()).decode()
    assert same_text(printed, asked["stdout"]), printed


def test_wrong_usage_is_told_with_the_meaning_of_all_arguments(run):
    told = run("test-label", code=1).decode()
    assert told.startswith("usage: pyw2v fasttext test-label <model> <test-data> [<k>] [<th>]\n\n")
    assert "  <model>      model filename\n" in told
    assert "  <th>         (optional; 0.0 by default) probability threshold\n" in told
    assert "(optional; 10 by default)" in run("nn", code=1).decode()
