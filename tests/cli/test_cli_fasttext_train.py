"""`pyw2v fasttext supervised|skipgram|cbow|quantize`: flags, files and exit codes."""

import pytest

from pyw2v import fasttext
from pyw2v.cli import main
from pyw2v.cli._fasttext_flags import flags_help, read_flags


@pytest.fixture
def labelled(tmp_path):
    path = tmp_path / "train.txt"
    lines = [
        f"__label__{'ab'[i % 2]} {'good' if i % 2 else 'bad'} w{i % 300}\n" for i in range(900)
    ]
    path.write_text("".join(lines))
    return path


def run(*args):
    return main(["fasttext", *map(str, args)])


QUICK = ("-dim", 6, "-thread", 1, "-verbose", 0, "-epoch", 2)


def test_supervised_writes_model_vectors_and_output(labelled, tmp_path):
    out = tmp_path / "model"
    assert run("supervised", "-input", labelled, "-output", out, *QUICK, "-saveOutput") == 0
    model = fasttext.load_model(f"{out}.bin")
    assert model.get_labels() == ["__label__a", "__label__b"]
    head, *rows = (tmp_path / "model.vec").read_text().splitlines()
    assert head == f"{len(model.words)} 6"
    word, *numbers = rows[1].split(" ")
    assert numbers.pop() == ""
    assert [float(x) for x in numbers] == pytest.approx(model[word], rel=1e-4)
    assert (tmp_path / "model.output").read_text().startswith("2 6\n__label__")


def test_quantize_reads_bin_and_writes_ftz(labelled, tmp_path):
    out = tmp_path / "model"
    assert run("supervised", "-input", labelled, "-output", out, *QUICK) == 0
    assert run("quantize", "-input", labelled, "-output", out, "-qnorm", "-dsub", 3) == 0
    assert fasttext.load_model(f"{out}.ftz").is_quantized()


@pytest.mark.parametrize("command", ["skipgram", "cbow"])
def test_vectors_are_trained(labelled, tmp_path, command):
    out = tmp_path / "vectors"
    flags = ("-minCount", 1, "-bucket", 100, "-loss", "hs")
    assert run(command, "-input", labelled, "-output", out, *QUICK, *flags) == 0
    assert fasttext.load_model(f"{out}.bin").get_dimension() == 6
    assert (tmp_path / "vectors.vec").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("-input", "x"), "Empty input or output path."),
        (("input", "x"), "Provided argument without a dash! Usage:"),
        (("-colour", "x"), "Unknown argument: -colour"),
        (("-dim",), "-dim is missing an argument"),
        (("-h",), "Here is the help! Usage:"),
        (("-dim", "x"), "-dim must be a whole number, got 'x'"),
        (("-input", "x", "-output", "y", "-loss", "l2"), "Unknown loss: l2"),
    ],
)
def test_wrong_flags_end_with_one_and_a_message(capsys, args, message):
    assert run("supervised", *args) == 1
    assert capsys.readouterr().err.startswith(message)


def test_a_missing_file_is_a_message(capsys, tmp_path):
    assert run("supervised", "-input", tmp_path / "no", "-output", tmp_path / "m", *QUICK) == 1
    assert capsys.readouterr().err.startswith("pyw2v: error: ")
    assert not (tmp_path / "m.bin").exists()


def test_failed_searches_are_messages(capsys, labelled, tmp_path):
    flags = ("-autotune-validation", labelled, "-autotune-metric", "f2")
    assert run("supervised", "-input", labelled, "-output", tmp_path / "m", *QUICK, *flags) == 1
    assert "metric must be f1" in capsys.readouterr().err


def test_help_shows_the_defaults_of_the_command():
    assert "  -minCount           minimal number of word occurrences [5]\n" in flags_help("cbow")
    assert "  -minCount           minimal number of word occurrences [1]\n" in flags_help(
        "supervised"
    )
    assert "  -retrain            whether embeddings are finetuned" in flags_help("quantize")


def test_switches_take_no_value():
    given = read_flags("quantize", ["-qout", "-input", "a", "-retrain", "-output", "b"])
    assert given == {"qout": True, "input": "a", "retrain": True, "output": "b"}
