"""What a user sees while a model is trained."""

import sys
import types

import pytest
from models import N_RAW, small

from pyw2v import progress


def test_progress_false_shows_nothing(capfd):
    small(epochs=3, progress=False)
    assert capfd.readouterr() == ("", "")


def test_progress_none_shows_nothing_outside_a_terminal(capfd):
    small(epochs=3, progress=None)
    assert capfd.readouterr() == ("", "")


def test_progress_is_a_tqdm_bar_when_installed(capfd):
    pytest.importorskip("tqdm")
    small(epochs=3, sample=0, progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "epoch 3/3" in err
    assert "loss" in err


def test_progress_is_a_plain_line_otherwise(capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    small(epochs=3, sample=0, progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert f"train: 100 % {3 * N_RAW} words" in err
    assert err.endswith("\n")


def test_plain_line_redraws_in_place_on_a_terminal(monkeypatch):
    written = []
    stderr = types.SimpleNamespace(isatty=lambda: True, write=written.append, flush=lambda: None)
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress.open_progress(None) as shown:
        shown.begin("train", 1000, "words")
        shown.update(500, "a long note")
        shown.update(1000)
    assert written[0].startswith("\rtrain: [##########..........] 50 % 500 words")
    assert written[-1].endswith("\n")
    assert "\n" not in "".join(written[:-1])
    assert len(written[-1].rstrip("\n")) >= len(written[0])
