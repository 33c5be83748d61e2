"""Files that another program changes while they are read or mapped: an error, never a dead process.

Everything runs in child processes, since a mistake here ends the one that makes it (SIGBUS).
"""

import os
import shutil
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import pyw2v
from pyw2v.fasttext_model import save_facebook_model
from pyw2v.glove.cooccurrence import CooccurrenceMatrix
from pyw2v.io import mapped, native

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows refuses to cut an open file")

N_TRIES = 12
N_WORDS, DIM = 5000, 50

# Loads a file whenever it is told to, and says how long it took and what came of it.
LOADER = """
import sys, time
from pathlib import Path
import pyw2v, pyw2v.fasttext
from pyw2v.glove.cooccurrence import CooccurrenceMatrix
from pyw2v.corpus import scan
from pyw2v.fasttext_model import load_facebook_vectors
from pyw2v.io import fasttext_format, native

def load_large(path):
    fasttext_format.MAPPED_BYTES = 0
    return load_facebook_vectors(path)

for line in sys.stdin:
    path, n_rows, load = line.rstrip().split("\t")
    start = time.perf_counter()
    try:
        n_found = eval(load)
        outcome = "whole" if n_found == int(n_rows) else f"{n_found} of {n_rows}"
    except (ValueError, OSError) as error:
        outcome = "refused" if path in str(error) else f"{error!r}"
    print(time.perf_counter() - start, outcome, flush=True)
"""


def vectors():
    rng = np.random.default_rng(1)
    kv = pyw2v.KeyedVectors(DIM)
    kv.add_vectors([f"w{i}" for i in range(N_WORDS)], rng.normal(size=(N_WORDS, DIM)))
    return kv


def write_text(path):
    vectors().save_word2vec_format(path)
    return N_WORDS


def write_binary(path):
    vectors().save_word2vec_format(path, binary=True)
    return N_WORDS


def write_vectors(path):
    vectors().save(path)
    return N_WORDS


def write_model(path):
    pyw2v.Word2Vec([[f"w{i}" for i in range(N_WORDS)]], vector_size=DIM, min_count=1).save(path)
    return N_WORDS


def write_fasttext(path):
    words = [[f"w{i}" for i in range(500)]]
    model = pyw2v.FastText(words, vector_size=DIM, min_count=1, bucket=20_000, epochs=1)
    save_facebook_model(model, path)
    return 500


def write_corpus(path):
    path.write_text("one two three four five six\n" * 50_000)
    return 300_000


def write_records(path):
    n = 200
    rows, columns = np.divmod(np.arange(n * n), n)
    counts = CooccurrenceMatrix.from_arrays(rows, columns, np.ones(n * n), [*map(str, range(n))])
    counts.save_glove_format(path, f"{path}.words")
    return n * n


LOADS = {
    "text": (write_text, "len(pyw2v.KeyedVectors.load_word2vec_format(path))"),
    "binary": (write_binary, "len(pyw2v.KeyedVectors.load_word2vec_format(path, binary=True))"),
    "vectors": (write_vectors, "len(pyw2v.KeyedVectors.load(path))"),
    "mapped vectors": (write_vectors, "len(native.load(path, mmap=True).words['index_to_key'])"),
    "model": (write_model, "len(pyw2v.Word2Vec.load(path).wv)"),
    "fasttext": (write_fasttext, "len(pyw2v.fasttext.load_model(path).words)"),
    "facebook": (write_fasttext, "len(load_facebook_vectors(path))"),
    "large facebook": (write_fasttext, "len(load_large(path))"),
    "corpus": (write_corpus, "scan(Path(path)).corpus.n_raw_words"),
    "records": (write_records, "len(CooccurrenceMatrix.load_glove_format(path, path + '.words'))"),
}


@pytest.fixture(scope="module")
def loader():
    command = [sys.executable, "-c", LOADER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        yield child
        child.stdin.close()


@pytest.mark.parametrize("kind", LOADS)
def test_file_cut_short_while_it_is_loaded_is_refused(tmp_path, loader, kind):
    write, load = LOADS[kind]
    path, whole = tmp_path / "file", tmp_path / "whole"
    n_rows = write(path)
    shutil.copyfile(path, whole)

    def start():
        assert loader.poll() is None, f"the process ended with {loader.returncode}"
        loader.stdin.write(f"{path}\t{n_rows}\t{load}\n")
        loader.stdin.flush()

    def search():
        line = loader.stdout.readline()
        assert line, f"the process ended with {loader.wait()}"
        seconds, result = line.split(maxsplit=1)
        return float(seconds), result.strip()

    start()
    seconds, result = search()
    assert result == "whole"
    for i in range(N_TRIES):
        shutil.copyfile(whole, path)
        start()
        time.sleep(seconds * i / N_TRIES)
        os.truncate(path, (0, 5000, whole.stat().st_size // 2)[i % 3])
        _, result = search()
        start()  # what the shorter file gives
        assert result in ("whole", "refused", search()[1])


def run(code, *arguments):
    """Run a script; it must end by itself."""
    code = "import os, sys\nimport numpy as np\nimport pyw2v\n" + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


REFUSED = """
def refused(call, what):
    try:
        call()
    except ValueError as error:
        assert sys.argv[1] in str(error) and what in str(error), error
    else:
        raise AssertionError("not refused")
"""


@pytest.mark.parametrize("change", ["os.truncate(path, 10)", "os.utime(path, ns=(5, 5))"])
def test_queries_of_mapped_vectors_refuse_a_file_that_changed(tmp_path, change):
    write_vectors(tmp_path / "kv")
    code = f"""
    path = sys.argv[1]
    kv = pyw2v.KeyedVectors.load(path, mmap="r")
    assert not kv.vectors.flags.owndata
    ready = pyw2v.KeyedVectors.load(path, mmap="r")
    ready.most_similar("w3")
    {change}
    what = "10" if os.path.getsize(path) == 10 else "written to"
    for kv in (kv, ready):
        refused(lambda: kv.most_similar("w3"), what)
        refused(lambda: kv.most_similar([["w3"], ["w4"]], topn=None), what)
        refused(lambda: kv.save(path + "2"), what)
    """
    run(REFUSED + textwrap.dedent(code), tmp_path / "kv")


def test_large_fasttext_files_are_mapped_and_refused_once_they_change(tmp_path):
    write_fasttext(tmp_path / "model.bin")
    code = """
    import pyw2v.fasttext
    from pyw2v.io import fasttext_format, mapped
    fasttext_format.MAPPED_BYTES = 0
    path = sys.argv[1]
    model = pyw2v.fasttext.load_model(path)
    assert isinstance(mapped.mapping_of(model.f.data.input), mapped.MappedFile)
    model.get_word_vector("w3")
    other = pyw2v.fasttext.load_model(path)
    os.truncate(path, 5000)
    refused(lambda: model.get_nearest_neighbors("zzz"), "5000")
    refused(lambda: other.get_word_vector("w3"), "5000")
    refused(lambda: model.save_model(path + "2"), "5000")
    """
    run(REFUSED + textwrap.dedent(code), tmp_path / "model.bin")


def test_small_fasttext_files_are_copied(tmp_path):
    write_fasttext(tmp_path / "model.bin")
    code = """
    import pyw2v.fasttext
    path = sys.argv[1]
    model = pyw2v.fasttext.load_model(path)
    before = model.get_word_vector("w3"), model.get_nearest_neighbors("w3")
    os.truncate(path, 0)
    model.f.use(model.f.data)  # what was made of it is made again
    assert (model.get_word_vector("w3") == before[0]).all()
    assert model.get_nearest_neighbors("w3") == before[1]
    assert not model.f.getOutputMatrix().flags.writeable
    """
    run(code, tmp_path / "model.bin")


def test_file_that_is_replaced_stays_as_it_was_for_those_who_mapped_it(tmp_path):
    path = tmp_path / "kv"
    write_vectors(path)
    kv = pyw2v.KeyedVectors.load(path, mmap="r")
    nearest = kv.most_similar("w3")
    other = pyw2v.KeyedVectors(2)
    other.add_vectors(["a", "b"], [[1, 0], [0, 1]])
    other.save(path)
    assert kv.most_similar("w3") == nearest
    assert len(pyw2v.KeyedVectors.load(path, mmap="r")) == 2


def test_arrays_of_numpys_own_mappings_are_checked_too(tmp_path):
    np.save(tmp_path / "array.npy", np.ones((1000, 10)))
    array = np.load(tmp_path / "array.npy", mmap_mode="r")[10:]
    mapped.check_unchanged(array, np.ones(3), None)
    os.truncate(tmp_path / "array.npy", 200)
    with pytest.raises(ValueError, match=r"array\.npy has become shorter"):
        mapped.check_unchanged(array)


def test_copies_of_mapped_arrays_are_read_from_the_file(tmp_path):
    path = tmp_path / "kv"
    write_vectors(path)
    array = native.load(path, mmap=True).tensors["vectors"]
    whole = native.load(path).tensors["vectors"]
    for part in (slice(None), slice(7, 100), slice(3, 3), slice(0, 100, 3)):
        target = np.zeros(whole[part].shape, np.float32)
        mapped.copy_into(target, array[part])
        np.testing.assert_array_equal(target, whole[part])
    code = """
    from pyw2v.io import mapped, native
    array = native.load(sys.argv[1], mmap=True).tensors["vectors"]
    os.truncate(sys.argv[1], 5000)
    refused(lambda: mapped.copy_into(np.zeros(array.shape, np.float32), array), "shorter")
    """
    if hasattr(os, "preadv"):
        run(REFUSED + textwrap.dedent(code), path)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_mapped_files_keep_no_descriptor_once_they_are_gone(tmp_path):
    write_vectors(tmp_path / "kv")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        file = native.load(tmp_path / "kv", mmap=True)
        assert len(os.listdir("/proc/self/fd")) > before
        del file
    assert len(os.listdir("/proc/self/fd")) == before
