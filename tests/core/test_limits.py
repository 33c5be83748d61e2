"""Little memory and few threads: MemoryError, or the same result from fewer threads."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import pyw2v

try:
    import resource
except ImportError:  # Windows
    resource = None

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's limits"),
    pytest.mark.skipif("san.so" in os.environ.get("LD_PRELOAD", ""), reason="maps terabytes"),
]

# A thread takes as much address space as the stack may grow to, so that a limit of address space is
# one of threads, while there is memory in plenty.
STACK = 1 << 30

BEGIN = """
import os, resource, sys
import numpy as np
import pyw2v
from pyw2v import CooccurrenceMatrix, FastText, GloVe, KeyedVectors, Phrases, TextClassifier
from pyw2v import Word2Vec

def used():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

def limit(n_bytes):
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, -1))

drawn = np.random.default_rng(1).integers(2000, size=(2000, 20))
sentences = [[f"word{i}" for i in row] for row in drawn]
lines = [" ".join(sentence) for sentence in sentences]
labels = ["yes", "no"] * 1000
"""


def child(code, *args, stack=None):
    """What code prints, run by a Python of its own whose threads have such a stack."""
    command = [sys.executable, "-c", BEGIN + textwrap.dedent(code), *map(str, args)]
    if stack is not None:
        command = ["sh", "-c", f'ulimit -s {stack // 1024} && exec "$@"', "sh", *command]
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(pyw2v.__file__).parents[1]),
            "OPENBLAS_NUM_THREADS": "1",
        },
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


JOBS = """
def jobs(path):
    kept = {"min_count": 1, "epochs": 1, "vector_size": 8, "workers": 4}
    yield "Word2Vec", lambda: len(Word2Vec(sentences * 2, **kept).loss_history)
    yield "corpus_file", lambda: Word2Vec(corpus_file=path, **kept).corpus_total_words
    yield "TextClassifier", lambda: len(
        TextClassifier(dim=8, epochs=1, workers=4).fit(lines, labels).loss_history_)
    yield "GloVe", lambda: len(GloVe(sentences, epochs=1, vector_size=8, workers=4).loss_history)
    yield "cooccurrence", lambda: CooccurrenceMatrix.from_corpus(sentences, workers=4).values.sum()
    yield "Phrases", lambda: len(Phrases(sentences, min_count=1, threshold=0.1).export_phrases())
    yield "predict", lambda: classifier.predict(lines).tolist()
    yield "most_similar", lambda: vectors.most_similar("word1", topn=3)

vectors = KeyedVectors(100)
vectors.add_vectors([f"word{i}" for i in range(50_000)],
                    np.random.default_rng(1).normal(size=(50_000, 100)).astype(np.float32))
vectors.fill_norms()
classifier = TextClassifier(dim=8, epochs=1, workers=1).fit(lines, labels)
with open(sys.argv[1], "w") as file:
    for line in lines * 10:
        file.write(line + "\\n")
"""


def may_have_large_stacks():
    if resource is None:
        return False
    limit = resource.getrlimit(resource.RLIMIT_STACK)[1]
    return limit == resource.RLIM_INFINITY or limit >= STACK


needs_large_stacks = pytest.mark.skipif(not may_have_large_stacks(), reason="stacks are limited")


@needs_large_stacks
def test_work_is_done_by_as_many_threads_as_can_be_had(tmp_path):
    code = (
        JOBS
        + """
wanted = {name: job() for name, job in jobs(sys.argv[1])}
for n_threads in (1, 2):
    limit(used() + int((n_threads + 0.5) * 2**30))
    for name, job in jobs(sys.argv[1]):
        assert job() == wanted[name], (name, n_threads)
print("same")
"""
    )
    assert child(code, tmp_path / "text", stack=STACK) == "same\n"


@needs_large_stacks
def test_without_any_thread_queries_work_and_training_says_why(tmp_path):
    code = (
        JOBS
        + """
wanted = {name: job() for name, job in jobs(sys.argv[1])}
limit(used() + 2**29)
for name, job in jobs(sys.argv[1]):
    try:
        assert job() == wanted[name]
        print(name, "works")
    except MemoryError as error:
        assert str(error) == f"too little memory: {2**30} bytes for the stack of a thread"
        print(name, "raises")
"""
    )
    told = dict(line.split() for line in child(code, tmp_path / "text", stack=STACK).splitlines())
    assert {name for name, what in told.items() if what == "works"} == {"predict", "most_similar"}
    assert len(told) == 8


def test_short_memory_is_a_memory_error_wherever_it_runs_out(tmp_path):
    code = """
folder = sys.argv[1]
vectors = KeyedVectors(100)
vectors.add_vectors([f"word{i}" for i in range(5000)],
                    np.random.default_rng(1).normal(size=(5000, 100)).astype(np.float32))
vectors.save(folder + "/kv")
vectors.save_word2vec_format(folder + "/txt")
few = {"min_count": 1, "epochs": 1, "workers": 2}
model = FastText(sentences[:200], bucket=20_000, vector_size=50, **few)
model.save(folder + "/model")
pyw2v.fasttext.train_unsupervised(
    lines[:200], bucket=20_000, dim=50, epoch=1, minCount=1, thread=1, verbose=0
).save_model(folder + "/bin")
jobs = [
    lambda: Word2Vec(sentences, vector_size=300, **few),
    lambda: FastText(sentences, vector_size=50, bucket=100_000, **few),
    lambda: TextClassifier(dim=50, min_n=3, max_n=4, bucket=50_000, epochs=1).fit(lines, labels),
    lambda: GloVe(sentences, epochs=1, workers=2),
    lambda: KeyedVectors.load(folder + "/kv", mmap=True),
    lambda: KeyedVectors.load_word2vec_format(folder + "/txt"),
    lambda: FastText.load(folder + "/model"),
    lambda: pyw2v.fasttext.load_model(folder + "/bin"),
]
errors = 0
for job in jobs:
    for extra in (1 << 16, 1 << 20, 3 << 20, 9 << 20, 24 << 20):
        pid = os.fork()
        if pid == 0:
            limit(used() + extra)
            try:
                job()
            except MemoryError:
                os._exit(1)
            os._exit(0)
        status = os.waitpid(pid, 0)[1]
        assert os.WIFEXITED(status) and os.WEXITSTATUS(status) < 2, (jobs.index(job), extra)
        errors += os.WEXITSTATUS(status)
print(errors >= len(jobs))
"""
    code = code.replace("import pyw2v", "import pyw2v, pyw2v.fasttext")
    assert child("import pyw2v.fasttext\n" + code, tmp_path) == "True\n"
