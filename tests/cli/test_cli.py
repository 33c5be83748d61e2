"""Every command through `main`, as a user would type it; what is printed and the exit code."""

import io
import itertools
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pyw2v
from pyw2v import FastText, KeyedVectors, Word2Vec
from pyw2v.cli import main
from pyw2v.cli.analogy import parse_terms
from pyw2v.fasttext_model import save_facebook_model

ANIMALS = ["cat", "dog", "horse", "cow", "sheep", "goat"]
FOODS = ["bread", "cheese", "apple", "soup", "cake", "rice"]


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """A text of two worlds that never meet."""
    rng = random.Random(1)
    lines = [" ".join(rng.choices(rng.choice([ANIMALS, FOODS]), k=8)) for _ in range(400)]
    path = tmp_path_factory.mktemp("cli") / "corpus.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def vectors(corpus):
    """Native vectors of that text."""
    path = corpus.with_name("vectors.kv")
    options = "--model sg --dim 16 --window 3 --epochs 5 --sample 0 --workers 1 --quiet"
    assert main(["train", str(corpus), "-o", str(path), *options.split()]) == 0
    return path


def run(capsys, *args):
    """Return exit code, standard output and standard error of one command."""
    code = main([str(arg) for arg in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def fails(capsys, *args):
    """Assert that a command ends as user errors must, and return its one line."""
    code, out, err = run(capsys, *args)
    assert code == 1
    assert out == ""
    assert err.startswith("pyw2v: error: ")
    assert err.count("\n") == 1
    return err


class TestTrain:
    @pytest.mark.parametrize("name", ["out.kv", "out.txt", "out.vec", "out.bin", "out.safetensors"])
    def test_writes_the_format_of_the_extension(self, capsys, corpus, tmp_path, name):
        path = tmp_path / name
        code, out, err = run(capsys, "train", corpus, "-o", path, "--dim", 4, "--epochs", 1)
        assert (code, out) == (0, "")
        assert "12 words x 4 dimensions" in err
        code, out, _ = run(capsys, "neighbors", path, "cat", "-n", 2)
        assert code == 0
        assert len(out.splitlines()) == 3

    @pytest.mark.parametrize(
        "options",
        [
            "--model sg --negative 3",
            "--model cbow --cbow-sum",
            "--model sg --hs",
            "--model cbow --hs --negative 2",
            "--objective nce --negative 3",
            "--model sg --objective sampled_softmax",
            "--fixed-window --min-alpha 0.01 --alpha 0.1 --ns-exponent 0.5 --seed 9",
        ],
    )
    @pytest.mark.filterwarnings("ignore")
    def test_takes_model_options(self, capsys, corpus, tmp_path, options):
        args = ["--dim", "8", "--epochs", "1", *options.split()]
        assert run(capsys, "train", corpus, "-o", tmp_path / "v.kv", *args)[0] == 0

    def test_learns_the_two_worlds(self, vectors):
        wv = KeyedVectors.load(str(vectors))
        near = {word for word, _ in wv.most_similar("cat", topn=len(ANIMALS) - 1)}
        assert near == set(ANIMALS) - {"cat"}

    def test_one_worker_is_repeatable(self, capsys, corpus, tmp_path):
        files = [tmp_path / "a.bin", tmp_path / "b.bin"]
        for path in files:
            run(capsys, "train", corpus, "-o", path, "--dim", 8, "--workers", 1, "--seed", 3)
        assert files[0].read_bytes() == files[1].read_bytes()

    def test_saves_the_model_too(self, capsys, corpus, tmp_path):
        model = tmp_path / "m.model"
        run(capsys, "train", corpus, "-o", tmp_path / "v.kv", "--dim", 8, "--save-model", model)
        assert Word2Vec.load(str(model)).vector_size == 8
        assert run(capsys, "neighbors", model, "cat")[0] == 0

    def test_reads_folders_several_files_and_standard_input(
        self, capsys, corpus, tmp_path, monkeypatch
    ):
        folder = tmp_path / "texts"
        folder.mkdir()
        (folder / "1.txt").write_text("cat dog\n" * 5)
        (folder / "2.txt").write_text("sun moon\n" * 5)
        stdin = io.TextIOWrapper(io.BytesIO("été hiver\n".encode() * 5), encoding="ascii")
        monkeypatch.setattr(sys, "stdin", stdin)
        out = tmp_path / "v.txt"
        code, _, _ = run(capsys, "train", folder, corpus, "-", "-o", out, "--dim", 2)
        assert code == 0
        words = {line.split()[0] for line in out.read_text("utf-8").splitlines()[1:]}
        assert {"sun", "moon", "été", "hiver", *ANIMALS} <= words

    def test_quiet_says_nothing(self, capsys, corpus, tmp_path):
        assert run(capsys, "train", corpus, "-o", tmp_path / "v.kv", "-q") == (0, "", "")

    def test_vocabulary_options(self, capsys, corpus, tmp_path):
        out = tmp_path / "v.txt"
        run(capsys, "train", corpus, "-o", out, "--dim", 2, "--max-vocab", 5)
        assert int(out.read_text().split()[0]) <= 5

    def test_missing_corpus(self, capsys, tmp_path):
        err = fails(capsys, "train", tmp_path / "no.txt", "-o", tmp_path / "v.kv")
        assert "no.txt: No such file or directory" in err

    def test_unknown_extension(self, capsys, corpus, tmp_path):
        err = fails(capsys, "train", corpus, "-o", tmp_path / "v.xyz")
        assert "--format native|text|binary" in err

    def test_missing_folder_is_reported_before_training(self, capsys, corpus, tmp_path):
        assert "no such folder" in fails(capsys, "train", corpus, "-o", tmp_path / "no" / "v.kv")

    def test_bad_setting(self, capsys, corpus, tmp_path):
        err = fails(capsys, "train", corpus, "-o", tmp_path / "v.kv", "--window", 0)
        assert "window" in err
        assert "got 0" in err

    def test_empty_vocabulary_has_the_hint(self, capsys, tmp_path):
        text = tmp_path / "t.txt"
        text.write_text("a b c\n")
        assert "min_count" in fails(capsys, "train", text, "-o", tmp_path / "v.kv")


class TestNeighbors:
    def test_prints_an_aligned_list_per_word(self, capsys, vectors):
        code, out, _ = run(capsys, "neighbors", vectors, "cat", "bread", "-n", 3)
        lines = out.splitlines()
        assert code == 0
        assert [lines[0], lines[4]] == ["cat", "bread"]
        assert {line.split()[0] for line in lines[1:4]} < set(ANIMALS)

    def test_tsv(self, capsys, vectors):
        _, out, _ = run(capsys, "neighbors", vectors, "cat", "-n", 1, "--tsv")
        word, neighbor, similarity = out.rstrip("\n").split("\t")
        assert word == "cat"
        assert neighbor in ANIMALS
        assert 0 < float(similarity) <= 1

    @pytest.mark.parametrize("name", ["spelt.model", "spelt.kv", "spelt.bin"])
    def test_words_never_seen_have_neighbors_in_fasttext_models(
        self, capsys, corpus, tmp_path, name
    ):
        model = FastText(corpus_file=corpus, vector_size=8, bucket=500, min_n=2, epochs=1)
        save = {"spelt.model": model.save, "spelt.kv": model.wv.save}
        save.get(name, lambda path: save_facebook_model(model, path))(tmp_path / name)
        code, out, _ = run(capsys, "neighbors", tmp_path / name, "horses", "-n", 2)
        assert code == 0
        assert out.startswith("horses\n")
        assert len(out.splitlines()) == 3

    def test_reads_queries_from_standard_input(self, capsys, vectors, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO("cat\n\nbread unheard\n"))
        code, out, err = run(capsys, "neighbors", vectors, "-n", 1)
        assert code == 1  # not all of them were known
        assert [line for line in out.splitlines() if line[0] != " "] == ["cat", "bread"]
        assert "'unheard' is not among the 12 words" in err

    def test_unknown_word_gets_a_suggestion(self, capsys, vectors):
        assert "did you mean 'cheese'?" in fails(capsys, "neighbors", vectors, "chese")
        assert "did you mean 'cheese'?" in fails(capsys, "neighbors", vectors, "Chese")
        assert "did you mean 'cat'?" in fails(capsys, "neighbors", vectors, "Cat")

    def test_file_that_is_not_vectors(self, capsys, tmp_path):
        path = tmp_path / "x.bin"
        path.write_bytes(b"\x00\x01nonsense" * 10)
        fails(capsys, "neighbors", path, "cat")

    def test_empty_file(self, capsys, tmp_path):
        path = tmp_path / "x.txt"
        path.write_bytes(b"")
        fails(capsys, "neighbors", path, "cat")


class TestAnalogy:
    @pytest.mark.parametrize(
        ("query", "positive", "negative"),
        [
            ("king - man + woman", ["king", "woman"], ["man"]),
            ("man king woman", ["king", "woman"], ["man"]),
            ("king -man +woman", ["king", "woman"], ["man"]),
            ("- man + king", ["king"], ["man"]),
            ("king", ["king"], []),
            ("well-known - x", ["well-known"], ["x"]),
        ],
    )
    def test_parse(self, query, positive, negative):
        assert parse_terms(query.split()) == (positive, negative)

    @pytest.mark.parametrize("query", ["a b", "a - b c", "a +", "a b c d"])
    def test_parse_refuses(self, query):
        with pytest.raises(ValueError, match=r"sign|expected"):
            parse_terms(query.split())

    @pytest.mark.parametrize("flags", [[], ["--cosmul"]])
    def test_answers(self, capsys, vectors, flags):
        code, out, _ = run(capsys, "analogy", vectors, *flags, "cat", "-", "dog", "+", "bread")
        assert code == 0
        assert out.splitlines()[0] == "cat + bread - dog"
        assert len(out.splitlines()) == 6

    def test_three_words(self, capsys, vectors):
        _, out, _ = run(capsys, "analogy", vectors, "dog", "cat", "bread", "-n", 1)
        assert out.splitlines()[0] == "cat + bread - dog"

    def test_reads_queries_from_standard_input(self, capsys, vectors, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO("cat - dog + bread\ncat dog\ncat + zebra\n"))
        code, out, err = run(capsys, "analogy", vectors, "-n", 1)
        assert code == 1
        assert len(out.splitlines()) == 2
        assert "expected + or - before 'dog'" in err
        assert "'zebra' is not among" in err

    def test_unknown_word(self, capsys, vectors):
        assert "'zebra'" in fails(capsys, "analogy", vectors, "zebra", "-", "cat")


class TestEvaluate:
    def test_analogies_and_pairs_of_either_delimiter(self, capsys, vectors, tmp_path):
        analogies = tmp_path / "questions.txt"
        analogies.write_text(": both\ncat dog bread cheese\ncat cow cake rice\n")
        tabs = tmp_path / "tabs.txt"
        tabs.write_text("cat\tdog\t9.5\ncat\tbread\t1\ncow\tgoat\t8\n")
        spaces = tmp_path / "spaces.txt"
        spaces.write_text("cat dog 9.5\ncat bread 1\ncow goat 8\n")
        code, out, _ = run(capsys, "evaluate", vectors, analogies, tabs, spaces)
        assert code == 0
        assert "both" in out
        assert "Total accuracy" in out
        rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if ".txt" in line}
        assert rows[str(tabs)] == rows[str(spaces)]

    def test_unknown_words_only(self, capsys, vectors, tmp_path):
        analogies = tmp_path / "questions.txt"
        analogies.write_text(": none\nw x y z\n")
        fails(capsys, "evaluate", vectors, analogies)

    def test_missing_set(self, capsys, vectors, tmp_path):
        assert "No such file" in fails(capsys, "evaluate", vectors, tmp_path / "no.txt")


class TestConvert:
    def test_round_trip_through_all_formats(self, capsys, vectors, tmp_path):
        steps = [vectors, tmp_path / "a.txt", tmp_path / "b.bin", tmp_path / "c.kv"]
        for source, target in itertools.pairwise(steps):
            code, _, err = run(capsys, "convert", source, target)
            assert code == 0
            assert "12 words x 16 dimensions" in err
        first, last = KeyedVectors.load(str(vectors)), KeyedVectors.load(str(steps[-1]))
        assert first.index_to_key == last.index_to_key
        assert (first.vectors == last.vectors).all()

    def test_compact_vectors_are_decoded(self, capsys, vectors, tmp_path):
        KeyedVectors.load(vectors).quantize("float16").save(tmp_path / "small.kv")
        assert run(capsys, "convert", tmp_path / "small.kv", tmp_path / "large.kv")[0] == 0
        large = KeyedVectors.load(tmp_path / "large.kv")
        assert type(large) is KeyedVectors
        assert large.index_to_key == KeyedVectors.load(vectors).index_to_key

    def test_text_can_be_compressed(self, capsys, vectors, tmp_path):
        path = tmp_path / "v.txt.gz"
        assert run(capsys, "convert", vectors, path)[0] == 0
        assert path.read_bytes()[:2] == b"\x1f\x8b"
        assert run(capsys, "neighbors", path, "cat")[0] == 0
        assert "never compressed" in fails(capsys, "convert", vectors, tmp_path / "v.kv.gz")

    @pytest.mark.parametrize("source", ["native", "text"])
    def test_limit(self, capsys, vectors, tmp_path, source):
        if source == "text":
            run(capsys, "convert", vectors, tmp_path / "a.txt")
        path = vectors if source == "native" else tmp_path / "a.txt"
        run(capsys, "convert", path, tmp_path / "b.txt", "--limit", 3)
        assert (tmp_path / "b.txt").read_text().split()[0] == "3"

    def test_formats_can_be_named(self, capsys, vectors, tmp_path):
        odd = tmp_path / "noextension"
        assert run(capsys, "convert", vectors, odd, "--to", "binary")[0] == 0
        args = ("convert", odd, tmp_path / "x.kv", "--from", "binary")
        assert run(capsys, *args)[0] == 0
        assert "--to" in fails(capsys, "convert", vectors, tmp_path / "other")

    def test_never_overwrites_unless_forced(self, capsys, vectors, tmp_path):
        target = tmp_path / "x.txt"
        target.write_text("precious")
        assert "--force" in fails(capsys, "convert", vectors, target)
        assert target.read_text() == "precious"
        assert run(capsys, "convert", vectors, target, "--force")[0] == 0


class TestInfo:
    def test_build(self, capsys):
        code, out, _ = run(capsys, "info")
        assert code == 0
        for needed in (pyw2v.__version__, pyw2v.isa(), "NumPy", "Python", "compiler", "cores"):
            assert needed in out

    @pytest.mark.parametrize("name", ["v.kv", "v.txt", "v.bin"])
    def test_file(self, capsys, vectors, tmp_path, name):
        path = tmp_path / name
        run(capsys, "convert", vectors, path)
        code, out, _ = run(capsys, "info", path)
        assert code == 0
        assert "12 x 16 float32" in out
        assert KeyedVectors.load(str(vectors)).index_to_key[0] in out


class TestDemo:
    def test_shows_all_it_promises_and_saves(self, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        code, out, _ = run(capsys, "demo", "--epochs", 1)
        assert code == 0
        for needed in ("Nearest neighbours", "Analogies", "odd one out", "words/s", "Saved"):
            assert needed in out
        lines = [line[4:] for line in out.splitlines()[-3:]]
        exec("\n".join(lines), {})
        assert "france" in KeyedVectors.load("pyw2v-demo.kv")

    def test_never_overwrites(self, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("pyw2v-demo.kv").write_text("precious")
        code, out, _ = run(capsys, "demo", "--epochs", 1)
        assert code == 0
        assert "pyw2v-demo-2.kv" in out
        assert Path("pyw2v-demo.kv").read_text() == "precious"
        assert "already exists" in fails(capsys, "demo", "-o", "pyw2v-demo.kv")


COMMANDS = ["demo", "train", "neighbors", "analogy", "evaluate", "convert", "info"]


class TestUsage:
    @pytest.mark.parametrize("command", COMMANDS)
    def test_help_teaches_by_example(self, capsys, command):
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
        assert f"examples:\n  pyw2v {command}" in capsys.readouterr().out

    @pytest.mark.parametrize(
        "args",
        [[], ["nonsense"], ["train"], ["neighbors", "f", "-n", "0"], ["train", "x", "--nope"]],
    )
    def test_wrong_usage_exits_with_2(self, capsys, args):
        with pytest.raises(SystemExit) as ended:
            main(args)
        assert ended.value.code == 2
        assert "--help" in capsys.readouterr().err

    def test_version(self, capsys):
        with pytest.raises(SystemExit) as ended:
            main(["--version"])
        assert ended.value.code == 0
        assert capsys.readouterr().out == f"pyw2v {pyw2v.__version__}\n"

    def test_ctrl_c_exits_with_130(self, capsys, vectors, monkeypatch):
        def interrupt(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(KeyedVectors, "most_similar", interrupt)
        code, _, err = run(capsys, "neighbors", vectors, "cat")
        assert code == 130
        assert "interrupted" in err

    def test_bugs_keep_their_traceback(self, vectors, monkeypatch):
        monkeypatch.setattr(KeyedVectors, "most_similar", lambda *args, **kwargs: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            main(["neighbors", str(vectors), "cat"])


def python_m(*args, module="pyw2v", **kwargs):
    env = {**os.environ, "PYTHONPATH": str(Path(pyw2v.__file__).parents[1])}
    command = [sys.executable, "-m", module, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False, **kwargs)


class TestProcess:
    @pytest.mark.parametrize("module", ["pyw2v", "pyw2v.cli"])
    def test_python_m_runs_the_command(self, vectors, module):
        done = python_m("neighbors", vectors, "cat", "-n", 1, module=module)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("cat\n")

    def test_info_of_either_module_names_version_instruction_set_compiler_and_flags(self):
        done, same = python_m("info"), python_m("info", module="pyw2v.cli")
        assert (same.stdout, same.stderr, same.returncode) == (done.stdout, "", 0)
        rows = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in done.stdout.splitlines())
        assert rows["pyw2v"] == pyw2v.__version__
        assert rows["instruction set"].startswith(pyw2v.isa())
        assert {"compiler", "flags"} <= set(rows)

    def test_user_errors_have_no_traceback(self, tmp_path):
        done = python_m("info", tmp_path / "no.kv")
        assert done.returncode == 1
        assert done.stderr == f"pyw2v: error: {tmp_path / 'no.kv'}: No such file or directory\n"

    @pytest.mark.skipif(os.name != "posix", reason="a shell pipe")
    @pytest.mark.skipif(os.name != "posix", reason="needs a shell")
    def test_a_closed_pipe_is_no_error(self, vectors):
        script = (
            f'"{sys.executable}" -m pyw2v neighbors "{vectors}" cat | true; echo ${{PIPESTATUS[0]}}'
        )
        env = {**os.environ, "PYTHONPATH": str(Path(pyw2v.__file__).parents[1])}
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, env=env, check=True
        )
        assert (done.stdout.strip(), done.stderr) == ("0", "")

    @pytest.mark.skipif(os.name != "posix", reason="sends a signal")
    def test_ctrl_c_in_training_ends_with_130_and_writes_nothing(self, tmp_path):
        out = tmp_path / "v.kv"
        options = ["--epochs", "1000000", "--dim", "8", "--min-count", "1"]
        command = [sys.executable, "-m", "pyw2v", "train", "-", "-o", str(out), *options]
        env = {**os.environ, "PYTHONPATH": str(Path(pyw2v.__file__).parents[1])}
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=env
        ) as process:
            # More than a pipe holds: once it is all written, the command is up and reading.
            process.stdin.write(b"the cat sat on the mat\n" * 50_000)
            process.stdin.close()
            process.stdin = None
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            try:
                _, err = process.communicate(timeout=60)
            finally:
                process.kill()
        assert process.returncode == 130
        assert err.decode().strip() == f"pyw2v: interrupted: {out} was not written"
        assert list(tmp_path.iterdir()) == []
