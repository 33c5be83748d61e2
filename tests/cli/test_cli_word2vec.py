"""The commands of the word2vec C tools: flags, prompts, files."""

import io
import sys

import numpy as np
import pytest

from pyw2v import KeyedVectors
from pyw2v.cli import main
from pyw2v.cli.word2vec_tools import PROGRAMS

TEXT = b"the cat sat on the mat\nthe dog sat on the log\n" * 30


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(TEXT)
    return path


@pytest.fixture
def run(capfdbinary, monkeypatch):
    def call(*args, stdin=b"", code=0):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        assert main(list(map(str, args))) == code
        out, err = capfdbinary.readouterr()
        return out if code == 0 else err

    return call


@pytest.fixture
def vectors(tmp_path):
    """Four directions, and a word that is no UTF-8 between the first two."""
    path = tmp_path / "vectors.bin"
    rows = [(b"</s>", [1, -1]), (b"east", [3, 0]), (b"North", [0, 2]), (b"\xff", [5, 5])]
    rows += [(b"west", [-1, 0]), (b"south", [0, -4])]
    body = b"".join(word + b" " + np.array(row, "<f4").tobytes() + b"\n" for word, row in rows)
    path.write_bytes(b"6 2\n" + body)
    return path


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_arguments_a_program_tells_its_usage(run, name):
    assert name.encode() in run(name)


def test_the_help_of_the_command_lists_the_programs(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert all(f"\n    {name} " in out or f"\n    {name}\n" in out for name in PROGRAMS)


def test_word2vec_writes_text_as_the_c_program_does(run, text, tmp_path):
    output = tmp_path / "vectors.txt"
    out = run("word2vec", "-train", text, "-output", output, "-size", 3, "-threads", 1)
    lines = output.read_text().split("\n")
    assert lines[0] == "8 3"
    assert [line.split(" ")[0] for line in lines[1:4]] == ["</s>", "the", "sat"]
    for line in lines[1:-1]:
        _, *numbers, empty = line.split(" ")
        assert empty == ""
        assert len(numbers) == 3
        assert all(len(number.partition(".")[2]) == 6 for number in numbers)
    head = f"Starting training using file {text}\nVocab size: 8\nWords in train file: 420\n"
    assert out.startswith(head.encode())
    assert b"\rAlpha: 0.0000" in out
    assert b"  Progress: 99.9" in out or b"  Progress: 100.00%" in out
    assert b"  Words/thread/sec: " in out


def test_word2vec_is_quiet_without_debug(run, text, tmp_path):
    out = run("word2vec", "-train", text, "-output", tmp_path / "v", "-debug", 0, "-size", 2)
    assert out == f"Starting training using file {text}\n".encode()


@pytest.mark.parametrize("cbow", [0, 1])
@pytest.mark.parametrize("hs", [0, 1])
def test_the_fast_engine_learns_and_is_read_as_word2vec_files(run, text, tmp_path, cbow, hs):
    output = tmp_path / "vectors.bin"
    flags = ["-cbow", cbow, "-hs", hs, "-negative", 5 * (1 - hs), "-iter", 20, "-sample", 0]
    run("word2vec", "-train", text, "-output", output, "-size", 8, "-binary", 1, *flags)
    loaded = KeyedVectors.load_word2vec_format(output, binary=True)
    assert loaded.index_to_key[:2] == ["</s>", "the"]
    assert np.linalg.norm(loaded["cat"]) > 0.2  # first values are within 1/16 each
    assert loaded.similarity("cat", "dog") > loaded.similarity("cat", "</s>")


def test_a_vocabulary_is_saved_and_read_by_either_engine(run, text, tmp_path):
    vocab, again = tmp_path / "vocab", tmp_path / "again"
    run("word2vec", "-train", text, "-save-vocab", vocab, "--exact", "-min-count", 31)
    assert vocab.read_bytes() == b"</s> 60\nthe 120\nsat 60\non 60\n"
    run("word2vec", "-train", text, "-read-vocab", vocab, "-save-vocab", again)
    assert again.read_bytes() == vocab.read_bytes()
    output = tmp_path / "vectors"
    run("word2vec", "-train", text, "-read-vocab", vocab, "-output", output, "-size", 2)
    assert output.read_bytes().startswith(b"4 2\n</s> ")


def test_a_vocabulary_without_sentence_end_gets_one_unless_exact(run, text, tmp_path):
    vocab, saved = tmp_path / "vocab", tmp_path / "saved"
    vocab.write_bytes(b"the 120\nsat 60\n")
    run("word2vec", "-train", text, "-read-vocab", vocab, "-save-vocab", saved)
    assert saved.read_bytes() == b"</s> 0\nthe 120\nsat 60\n"
    run("word2vec", "-train", text, "-read-vocab", vocab, "-save-vocab", saved, "--exact")
    assert saved.read_bytes() == vocab.read_bytes()


def test_several_passes_train_when_the_vocabulary_promises_fewer_words(run, text, tmp_path):
    """An epoch then ends before the end of the file, which is what ends all others in C."""
    vocab = tmp_path / "vocab"
    vocab.write_bytes(b"</s> 6\nthe 12\nsat 6\non 6\ncat 6\n")
    outputs = []
    for passes in (1, 2):
        outputs.append(tmp_path / f"vectors-{passes}")
        flags = ["-read-vocab", vocab, "-iter", passes, "-size", 4, "-sample", 0]
        run("word2vec", "-train", text, "-output", outputs[-1], "--exact", *flags)
    assert outputs[0].read_bytes() != outputs[1].read_bytes()


def test_classes_are_written_as_words_and_numbers(run, text, tmp_path):
    output = tmp_path / "classes"
    run("word2vec", "-train", text, "-output", output, "-classes", 3, "-size", 4)
    rows = [line.split() for line in output.read_text().splitlines()]
    assert len(rows) == 8
    assert {int(number) for _, number in rows} <= {0, 1, 2}


def test_exact_runs_say_that_later_passes_do_not_train(text, tmp_path, capfd):
    argv = ["-train", str(text), "-output", str(tmp_path / "v"), "-size", "2"]
    assert main(["word2vec", "--exact", *argv]) == 0
    assert "of -iter 5 only the first pass trains" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-size"], b"Argument missing for -size"),
        (["-size", "many"], b"-size must be a whole number, got 'many'"),
        (["-size", "5"], b"-train must name"),
        (["-train", "x", "--exact", "-threads", "3"], b"-threads must be 1, got 3"),
        (["-train", "x", "-threads", "0"], b"-threads must be at least 1, got 0"),
        (["-train", "/no/such/file"], b"/no/such/file: No such file"),
        (["-train", "x", "-classes", "-1"], b"-classes must be at least 0, got -1"),
    ],
)
def test_wrong_flags_are_named(run, args, message):
    assert message in run("word2vec", *args, code=1)


def test_wrong_settings_are_named_before_training(run, text, tmp_path):
    err = run("word2vec", "-train", text, "-output", tmp_path / "v", "-window", 0, code=1)
    assert b"window must be between 1" in err
    err = run("word2vec", "-train", text, "-output", tmp_path / "no" / "v", code=1)
    assert b"No such file or directory" in err


def test_unknown_flags_are_ignored_with_a_warning_and_first_ones_count(text, tmp_path, capfd):
    vocab = tmp_path / "vocab"
    argv = ["-min-count", "61", "-fast", "-min-count", "1", "-train", str(text)]
    assert main(["word2vec", *argv, "-save-vocab", str(vocab)]) == 0
    assert "-fast is no flag" in capfd.readouterr().err
    assert vocab.read_bytes() == b"</s> 60\nthe 120\n"


def test_word2phrase_joins_what_stands_together(run, tmp_path):
    text, output = tmp_path / "text", tmp_path / "phrases"
    line = b"new york is big but new ideas are bigger in york shire\nnew york new york"
    text.write_bytes(line)
    flags = ["-min-count", 1, "-threshold", 1.5]
    out = run("word2phrase", "-train", text, "-output", output, *flags)
    assert output.read_bytes() == (
        b" new_york is big but new ideas are bigger in york shire\n new_york new_york"
    )
    assert out.startswith(f"Starting training using file {text}\n\nVocab size (uni".encode())
    assert out.endswith(b"\nWords in train file: 16\n")


@pytest.mark.parametrize("name", ["train", "output"])
def test_word2phrase_needs_its_files(run, name):
    other = {"train": "output", "output": "train"}[name]
    assert f"-{name} must name a file".encode() in run("word2phrase", f"-{other}", "x", code=1)


def test_distance_shows_the_nearest_words(run, vectors):
    prompt = b"Enter word or sentence (EXIT to break): "
    out = run("distance", vectors, stdin=b"east\nEXIT\nnever read\n")
    lines = [
        b"",
        b"Word: east  Position in vocabulary: 1",
        b"",
        b" " * 46 + b"Word       Cosine distance",
        b"-" * 72,
        b" " * 46 + b"</s>\t\t0.707107",
        b" " * 49 + b"\xff\t\t0.707107",
        b" " * 45 + b"North\t\t0.000000",
        b" " * 45 + b"south\t\t0.000000",
    ]
    # -1 is no better than the start value, so `west` is not shown; 36 places stay empty.
    lines += [b" " * 50 + b"\t\t-1.000000"] * 36
    assert out == prompt + b"\n".join([*lines, prompt])


def test_distance_adds_words_and_names_unknown_ones(run, vectors):
    out = run("distance", vectors, stdin=b"east North\nwest nowhere east\n")
    assert b"                                                 \xff\t\t1.000000\n" in out
    assert b"\nWord: west  Position in vocabulary: 4\n" in out
    assert b"\nWord: nowhere  Position in vocabulary: -1\nOut of dictionary word!\n" in out
    assert out.count(b"Position") == 4
    assert out.count(b"Enter word") == 3


def test_word_analogy_completes_triples(run, vectors):
    out = run("word-analogy", vectors, stdin=b"east North west\neast\neast </s> west\n")
    assert b"Word              Distance\n" in out
    # North - east + west = (-2, 1): south is behind, and only what is above 0 is shown.
    assert out.count(b"\t\t0.000000\n") == 40
    assert b"Only 1 words were entered.. three words are needed" in out
    assert b"\nWord: </s>  Position in vocabulary: 0\nOut of dictionary word!\n" in out


def test_compute_accuracy_counts_right_predictions(run, vectors):
    questions = b": first\neast north west south\nwest north east \xff\n: second\neast no way x\n"
    out = run("compute-accuracy", vectors, stdin=questions)
    assert out.decode("latin-1").splitlines() == [
        "first:",
        "ACCURACY TOP1: 50.00 %  (1 / 2)",
        "Total accuracy: 50.00 %   Semantic accuracy: 50.00 %   Syntactic accuracy: -nan % ",
        "second:",
        "ACCURACY TOP1: 0.00 %  (0 / 1)",
        "Total accuracy: 50.00 %   Semantic accuracy: 50.00 %   Syntactic accuracy: -nan % ",
        "Questions seen / total: 2 3   66.67 % ",
    ]


def test_compute_accuracy_calls_sections_after_the_fifth_syntactic(run, vectors):
    sections = b"".join(b": s%d\nwest north east \xff\n" % i for i in range(6))
    out = run("compute-accuracy", vectors, stdin=sections)
    assert b"Semantic accuracy: 100.00 %   Syntactic accuracy: 100.00 % \nQuestions" in out


def test_compute_accuracy_searches_the_first_words_only(run, vectors):
    questions = b": s\neast north west south\n"
    assert b"total: 0 1   0.00 % \n" in run("compute-accuracy", vectors, 3, stdin=questions)
    assert b"threshold must be a whole number" in run("compute-accuracy", vectors, "x", code=1)
