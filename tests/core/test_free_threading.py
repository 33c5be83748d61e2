"""Many threads share one model; and, on a CPython without the GIL, the GIL stays off."""

import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import pyw2v

N_THREADS = 8
WORDS = [f"w{i}" for i in range(60)]


def sentences():
    rng = np.random.default_rng(5)
    return [[WORDS[i] for i in rng.integers(0, len(WORDS), 12)] for _ in range(200)]


def at_once(work):
    """Results of work(i), called by all threads at the same moment."""
    barrier = Barrier(N_THREADS)

    def run(i):
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(N_THREADS) as pool:
        return list(pool.map(run, range(N_THREADS)))


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="needs a CPython without the GIL"
)
def test_importing_the_package_leaves_the_gil_off():
    code = "import sys, pyw2v.cli; print(sys._is_gil_enabled())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stdout == "False\n", done.stderr


def test_threads_that_query_one_model_get_the_results_of_one_thread():
    model = pyw2v.FastText(
        sentences(), vector_size=16, min_count=1, epochs=2, bucket=500, workers=1
    )

    def ask(i):
        mine = WORDS[i:] + WORDS[:i]
        return [
            (word, model.wv.most_similar(word, topn=5), model.wv["un" + word].tobytes())
            for word in mine
        ]

    alone = {word: rest for word, *rest in ask(0)}
    for results in at_once(ask):
        assert {word: rest for word, *rest in results} == alone


@pytest.mark.parametrize("frozen", [True, False])
def test_threads_that_join_by_one_model_get_the_phrases_of_one_thread(frozen):
    texts = [["new", "york", *sentence] for sentence in sentences()]
    counted = pyw2v.Phrases(texts, min_count=1, threshold=0.1)
    phrases = counted.freeze() if frozen else counted
    alone = list(phrases[texts])
    assert alone[0][0] == "new_york"
    assert all(joined == alone for joined in at_once(lambda _: list(phrases[texts])))


def test_threads_that_train_models_of_their_own_do_not_disturb_each_other():
    texts = sentences()

    def train(_):
        model = pyw2v.Word2Vec(texts, vector_size=8, min_count=1, epochs=2, seed=3, workers=1)
        return model.wv.vectors.tobytes()

    assert len(set(at_once(train))) == 1


def test_threads_that_load_one_file_get_the_same_vectors(tmp_path):
    model = pyw2v.Word2Vec(sentences(), vector_size=8, min_count=1, epochs=1, workers=1)
    model.wv.save(tmp_path / "kv")
    loaded = at_once(lambda _: pyw2v.KeyedVectors.load(tmp_path / "kv", mmap="r"))
    assert all((kv.vectors == model.wv.vectors).all() for kv in loaded)
    assert all(kv.index_to_key == model.wv.index_to_key for kv in loaded)
