"""Temporary files: nothing stays of a process that is killed, and nothing else is ever touched."""

import os
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from pyw2v.io import leftovers
from pyw2v.io.atomic import atomic_write

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs signals and locks")
OLD = time.time() - 2 * 24 * 60 * 60


@pytest.fixture(params=["unnamed", "named"])
def named(request, monkeypatch):
    """With files that have no name until they are done, and without."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("the system has no unnamed files")
    return request.param == "named"


def run(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


KILLED = """
import os, random, signal, sys, time
from pyw2v.io.atomic import atomic_write

path, named = sys.argv[1], sys.argv[2] == "True"
if named:
    del os.O_TMPFILE
folder = os.path.dirname(path)
random.seed(1)

def write(letter):
    with atomic_write(path) as file:
        for _ in range(30):
            file.write(letter * 5000)

write(b"a")
n_left = 0
for i in range(30):
    child = os.fork()
    if child == 0:
        while True:
            write(random.choice([b"b", b"c"]))
    time.sleep(random.random() * 0.02)
    os.kill(child, signal.SIGKILL if i % 2 else signal.SIGTERM)
    os.waitpid(child, 0)
    data = open(path, "rb").read()
    assert len(data) == 150_000 and len(set(data)) == 1, len(data)
    n_left = max(n_left, len(os.listdir(folder)) - 1)
    assert n_left <= 1, os.listdir(folder)
    if i % 5 == 4:
        write(b"a")
        assert os.listdir(folder) == ["file"], os.listdir(folder)
print(n_left)
"""


@posix_only
def test_killed_writers_leave_a_sound_file_and_nothing_after_the_next_write(tmp_path, named):
    n_left = run(KILLED, tmp_path / "file", named)
    if named:  # else there is nothing to see but in the moment before the name changes
        assert int(n_left) == 1


@posix_only
def test_writer_killed_before_its_file_takes_the_name_is_swept(tmp_path, named):
    code = """
    import os, signal, sys
    from pyw2v.io.atomic import atomic_write
    if sys.argv[2] == "True":
        del os.O_TMPFILE
    os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
    with atomic_write(sys.argv[1]) as file:
        file.write(b"new")
    """
    path = tmp_path / "file"
    path.write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), path, str(named)], check=False
    )
    assert done.returncode < 0
    assert path.read_bytes() == b"old"
    assert len(os.listdir(tmp_path)) == 2
    with atomic_write(path) as file:
        file.write(b"newer")
    assert os.listdir(tmp_path) == ["file"]
    assert path.read_bytes() == b"newer"


@posix_only
def test_files_of_active_writers_are_not_swept(tmp_path, named):
    with atomic_write(tmp_path / "first") as first:
        first.write(b"1")
        with atomic_write(tmp_path / "second") as second:
            second.write(b"2")
    assert sorted(os.listdir(tmp_path)) == ["first", "second"]


def test_what_other_systems_and_older_versions_left_is_swept_after_a_day(tmp_path):
    names = [".pyw2v-0123456789abcdef.tmp", ".pyw2v-00000000-123-0123456789abcdef.tmp"]
    for age, expected in ((time.time(), sorted(names)), (OLD, [])):
        for name in names:
            (tmp_path / name).write_bytes(b"x")
            os.utime(tmp_path / name, (age, age))
        leftovers.sweep(str(tmp_path))
        assert sorted(os.listdir(tmp_path)) == expected


@posix_only
def test_nothing_else_is_swept(tmp_path):
    own = os.path.basename(leftovers.new_name(str(tmp_path)))
    for name in (own[1:], own + "x", ".pyw2v-x.tmp", ".pyw2v-0123456789abcde.tmp", "model.tmp"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / own.replace(".tmp", "0.tmp")).write_bytes(b"x")
    os.mkdir(leftovers.new_name(str(tmp_path)))
    os.symlink(tmp_path / "model.tmp", leftovers.new_name(str(tmp_path)))
    os.mkfifo(leftovers.new_name(str(tmp_path)))
    if os.geteuid() == 0:
        other = leftovers.new_name(str(tmp_path))
        with open(other, "wb"):
            os.chown(other, 12345, -1)
    before = sorted(os.listdir(tmp_path))
    leftovers.sweep(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == before


def test_folder_that_cannot_be_listed_is_no_error(tmp_path):
    leftovers.sweep(str(tmp_path / "missing"))


@posix_only
def test_file_too_large_for_the_disk_names_the_file_and_keeps_the_old_one(tmp_path, named):
    code = """
    import errno, os, resource, sys
    from pyw2v.io.atomic import atomic_write
    if sys.argv[2] == "True":
        del os.O_TMPFILE
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    try:
        with atomic_write(sys.argv[1]) as file:
            file.write(b"x" * 200_000)
    except OSError as error:
        assert error.errno == errno.EFBIG and error.filename == sys.argv[1], error
    else:
        raise AssertionError
    """
    path = tmp_path / "file"
    path.write_bytes(b"old")
    run(code, path, named)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_threads_may_write_the_same_file_at_once(tmp_path, named):
    path = tmp_path / "file"

    def write(letter):
        for _ in range(10):
            with atomic_write(path) as file:
                for _ in range(10):
                    file.write(letter * 1000)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    data = path.read_bytes()
    assert len(data) == 10_000
    assert len(set(data)) == 1
    assert os.listdir(tmp_path) == ["file"]


@posix_only
def test_file_that_cannot_be_linked_is_copied(tmp_path, monkeypatch):
    if not hasattr(os, "O_TMPFILE"):
        pytest.skip("the system has no unnamed files")

    def refuse(*args, **kwargs):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o604)
    with atomic_write(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o604
    assert os.listdir(tmp_path) == ["file"]


def test_file_can_be_written_to_out_of_order(tmp_path, named):
    with atomic_write(tmp_path / "file") as file:
        file.write(b"....body")
        file.seek(0)
        file.write(b"head")
    assert (tmp_path / "file").read_bytes() == b"headbody"


@posix_only
def test_nothing_stays_in_the_temporary_folder_of_a_killed_process(tmp_path):
    code = """
    import gzip, io, os, signal, sys, tempfile
    import pyw2v
    from pyw2v.fasttext_model import facebook
    from pyw2v.fasttext_model import load_facebook_vectors
    from pyw2v.io import handles, native, word2vec_format

    tempfile.tempdir = sys.argv[1]
    source = sys.argv[2]
    kv = pyw2v.KeyedVectors(2)
    kv.add_vectors(["a", "b"], [[1, 0], [0, 1]])
    kv.save_word2vec_format(source + ".gz")
    kv.save(source)

    def die(*args, **kwargs):
        os.kill(os.getpid(), signal.SIGKILL)

    class Target:
        write = die

    def load_compressed():
        word2vec_format._core.load = die
        pyw2v.KeyedVectors.load_word2vec_format(source + ".gz")

    def load_handle():
        native.load = die
        pyw2v.KeyedVectors.load(open(source, "rb"))

    def load_facebook():
        facebook._plain = die
        load_facebook_vectors(source + ".gz")

    def save_handle():
        kv.save(Target())

    for work in (load_compressed, load_handle, load_facebook, save_handle):
        child = os.fork()
        if child == 0:
            work()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL, work
        if os.path.isdir("/proc/self/fd"):
            assert os.listdir(sys.argv[1]) == [], work
    """
    (tmp_path / "temporary").mkdir()
    run(code, tmp_path / "temporary", tmp_path / "source")
