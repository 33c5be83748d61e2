"""The log of fastText's names on a terminal: who trains by hand sees how far it is."""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty")

FOLDER = Path(__file__).parents[1] / "data" / "fasttext"
LINE = re.compile(
    r"Progress: [ \d]{3}\.\d% words/sec/thread: +\d+ lr: +\d\.\d{6} "
    r"avg\.loss: +(\d+\.\d{6}|unknown) ETA: +\d+h[ \d]\dm[ \d]\ds"
)
TRAIN = """
from pyw2v import fasttext
model = fasttext.{call}
"""
SUPERVISED = f"train_supervised({str(FOLDER / 'lines.txt')!r}, dim=6, bucket=200, epoch=20)"
UNSUPERVISED = f"train_unsupervised({str(FOLDER / 'words.txt')!r}, dim=6, bucket=200, minCount=1)"


def on_a_terminal(program):
    """Run a program whose standard error is a terminal; return what it wrote there."""
    ours, theirs = pty.openpty()
    shown = b""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=theirs
    ) as run:
        os.close(theirs)
        with contextlib.suppress(OSError):  # how Linux tells that the other end is closed
            while part := os.read(ours, 65536):
                shown += part
        os.close(ours)
    text = shown.decode().replace("\r\n", "\n")
    assert run.returncode == 0, text
    return text


@pytest.mark.parametrize(
    ("call", "words", "labels"), [(SUPERVISED, 41, 5), (UNSUPERVISED, 13, 0)], ids=["labels", "no"]
)
def test_training_shows_fasttexts_log_on_a_terminal(call, words, labels):
    shown = on_a_terminal(TRAIN.format(call=call))
    head = f"\rRead 0M words\nNumber of words:  {words}\nNumber of labels: {labels}\n"
    assert head in shown
    lines = shown.split(head)[1].strip("\r\n").split("\r")
    assert len(lines) >= 2  # on the way, and at the end
    assert all(LINE.fullmatch(line) for line in lines), lines
    assert lines[-1].startswith("Progress: 100.0%")


def test_verbose_0_shows_nothing_on_a_terminal():
    assert on_a_terminal(TRAIN.format(call=SUPERVISED[:-1] + ", verbose=0)")) == ""


def test_training_rows_again_shows_the_log_on_a_terminal():
    path = str(FOLDER / "lines.txt")
    wide = f"train_supervised({path!r}, dim=6, bucket=500, wordNgrams=2, epoch=2, verbose={{}})"
    again = f"model.quantize({path!r}, cutoff=260, retrain=True, epoch=2)"
    program = TRAIN.format(call=wide.format(1)) + again
    assert on_a_terminal(program).count("Progress: 100.0%") == 2
    assert on_a_terminal(TRAIN.format(call=wide.format(0)) + again) == ""
