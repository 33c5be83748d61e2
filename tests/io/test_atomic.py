"""Atomic writes: the new file whole, or the old one as it was, and nothing beside it."""

import os
import stat
import sys

import pytest

from pyw2v.io.atomic import atomic_write
from pyw2v.io.streams import compress_to, is_compressed, open_binary


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


def test_new_file_appears_when_the_block_ends(path):
    with atomic_write(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert os.listdir(path.parent) == ["file"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_error_keeps_the_old_file_and_leaves_nothing(path, error):
    path.write_bytes(b"old")
    with pytest.raises(error), atomic_write(path) as file:  # noqa: PT012 (what raises is between the two)
        file.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == ["file"]


@pytest.mark.parametrize("when", ["write", "os.fsync", "os.replace"])
def test_full_disk_names_the_file(path, monkeypatch, when):
    path.write_bytes(b"old")

    def fail(*args):
        raise OSError(28, "No space left on device")

    with (  # noqa: PT012 (what raises is between the two)
        pytest.raises(OSError, match="No space left") as error,
        atomic_write(path) as file,
    ):
        file.write(b"new")
        if when == "write":
            fail()
        monkeypatch.setattr(when, fail)
    assert error.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == ["file"]


def test_other_files_errors_are_left_alone(path, tmp_path):
    with pytest.raises(FileNotFoundError) as error, atomic_write(path):
        (tmp_path / "other").read_bytes()
    assert error.value.filename == str(tmp_path / "other")


def test_folder_must_exist_and_be_a_folder(path):
    path.write_bytes(b"a file")
    with pytest.raises(NotADirectoryError) as error, atomic_write(path / "x"):
        pass
    assert error.value.filename == str(path / "x")
    with pytest.raises(FileNotFoundError) as missing, atomic_write(path.parent / "no" / "x"):
        pass
    assert missing.value.filename == str(path.parent / "no" / "x")
    with pytest.raises(IsADirectoryError), atomic_write(path.parent):
        pass


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere, and Windows too"
)
def test_unwritable_folder_is_told(path):
    path.parent.chmod(0o500)
    try:
        with pytest.raises(PermissionError) as error, atomic_write(path):
            pass
    finally:
        path.parent.chmod(0o700)
    assert error.value.filename == str(path)


@pytest.mark.skipif(os.name != "posix", reason="needs permission bits")
def test_permissions_are_kept_or_the_users_default(path):
    old = os.umask(0o027)
    try:
        with atomic_write(path) as file:
            file.write(b"new")
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    with atomic_write(path) as file:
        file.write(b"newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@pytest.mark.skipif(os.name != "posix", reason="needs a right on Windows")
def test_symbolic_link_stays_a_link(path):
    link = path.with_name("link")
    link.symlink_to(path)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.name != "posix", reason="needs /dev")
def test_device_is_written_to_and_not_replaced():
    with atomic_write("/dev/null") as file:
        file.write(b"gone")
    assert not os.path.isfile("/dev/null")


def test_longest_file_name_is_fine(tmp_path):
    with atomic_write(tmp_path / ("x" * 255)) as file:
        file.write(b"new")


def test_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with atomic_write("file") as file:
        file.write(b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["f.gz", "f.bz2", "f.xz", "F.GZ", "f.zst"])
def test_compressed_streams_round_trip(tmp_path, name):
    if name.endswith(".zst") and sys.version_info < (3, 14):
        pytest.importorskip("zstandard")
    path = tmp_path / name
    assert is_compressed(path)
    with open(path, "wb") as file:
        with compress_to(file, path) as stream:
            stream.write(b"some bytes" * 1000)
        assert not file.closed
    assert path.stat().st_size < 1000
    with open_binary(path) as stream:
        assert stream.read() == b"some bytes" * 1000
    data = path.read_bytes()
    path.write_bytes(data + data)
    with open_binary(path) as stream:
        assert stream.read() == b"some bytes" * 2000
    path.write_bytes(data[:-1])
    with open_binary(path) as stream, pytest.raises(EOFError):
        stream.read()


def test_other_names_are_plain(path):
    path.write_bytes(b"plain")
    assert not is_compressed(path)
    with open_binary(path) as stream:
        assert stream.read() == b"plain"
    with open(path, "wb") as file, pytest.raises(ValueError, match="no extension"):
        compress_to(file, path)


def test_zstandard_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setattr("pyw2v.io.streams._zstd", None)
    with pytest.raises(ImportError, match=r"f\.zst .* needs Python 3\.14 or `pip install"):
        open_binary(tmp_path / "f.zst")
