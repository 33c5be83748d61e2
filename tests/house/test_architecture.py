"""The page on the architecture names files that exist, and is short enough to be read."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
# Paths from the top, of files and of folders.
PATH = re.compile(r"(?<![\w/.])((?:csrc|pyw2v|tests|tools|docs|bench|\.ci)/[\w./-]*[\w])")

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="needs the sources")


def test_every_path_on_the_page_exists():
    paths = set(PATH.findall(PAGE.read_text("utf-8")))
    assert len(paths) > 60
    missing = sorted(path for path in paths if not (ROOT / path).exists())
    assert not missing, missing


def test_the_page_takes_about_ten_minutes():
    words = re.findall(r"[A-Za-z][A-Za-z'-]*", PAGE.read_text("utf-8"))
    assert len(words) < 2600  # 250 a minute


def test_contributing_points_to_the_page():
    assert "docs/architecture.md" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")
