"""The Python snippets of README.md and docs/ run as they stand, one file at a time."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))

pytestmark = pytest.mark.skipif(not PAGES, reason="needs the sources")


def snippets(page):
    """Yield (line number, code) of each block marked as Python."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield text.count("\n", 0, match.start(1)), match[1]


@pytest.mark.filterwarnings("error")  # of training on too little, too
@pytest.mark.parametrize("page", ["README.md", *PAGES])
def test_snippets_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": page}
    for line, code in snippets(page):
        # Blank lines before it make a traceback show the line of the page.
        exec(compile("\n" * line + code, ROOT / page, "exec"), names)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *PAGES])
def test_links_to_files_lead_somewhere(page):
    path = ROOT / page
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    missing = [target for target in local if not (path.parent / target).exists()]
    assert not missing


def test_commands_of_the_readme_exist():
    from pyw2v.cli import OTHER_FLAGS, build_parser  # noqa: PLC0415 (here alone)

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^pyw2v (.+)$", text, re.MULTILINE)
    assert len(lines) >= 5
    for line in lines:
        words = line.split("#")[0].split()
        if words[0] not in OTHER_FLAGS:  # these read their flags themselves
            build_parser().parse_args(words)
