"""The example that trains a PyTorch model from our pairs."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "torch_skipgram.py"

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'pyw2v[torch]'")
pytestmark = [
    pytest.mark.skipif(not EXAMPLE.exists(), reason="needs the sources"),
    pytest.mark.filterwarnings("ignore"),  # what PyTorch warns about is not ours
]


@pytest.fixture
def sentences(rng):
    """Two topics of ten words each that never meet."""
    return [
        [f"{'ab'[topic]}{word}" for word in rng.integers(0, 10, 8)]
        for topic in rng.integers(0, 2, 600)
    ]


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Threads have nothing to gain on matrices this small, and wait for each other all the same."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # for what the test starts
    yield
    torch.set_num_threads(before)


def test_words_of_one_topic_end_up_together(sentences):
    spec = importlib.util.spec_from_file_location("torch_skipgram", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    vectors, losses = example.train(
        sentences, dim=10, epochs=4, lr=0.02, window=3, subsample=None, batch=256
    )
    assert losses[-1] < losses[0]
    for word in ("a0", "b5"):
        nearest = [other for other, _ in vectors.most_similar(word, topn=9)]
        assert {other[0] for other in nearest} == {word[0]}
    assert np.isfinite(vectors.vectors).all()


def test_the_command_trains_and_saves(sentences, tmp_path):
    corpus, saved = tmp_path / "corpus.txt", tmp_path / "vectors.txt"
    corpus.write_text("\n".join(map(" ".join, sentences)))
    command = [sys.executable, str(EXAMPLE), str(corpus), "--words", "a1", "--save", str(saved)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "loss per example:" in done.stdout
    assert "\na1 " in done.stdout
    assert saved.read_text().startswith("20 100\n")
