"""Cut, changed and lying word2vec files: a ValueError with file and byte, or a valid load."""

import os
import re
import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyw2v.io.errors import TruncatedFileError
from pyw2v.io.word2vec_format import load_word2vec, save_word2vec

TEXT = b"3 2\nthe 0.1 -2\nof 1e-3 .5\n</s> 1 2\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "vectors"


def write(path, data):
    path.write_bytes(data)
    return path


def test_missing_file_is_named(path):
    with pytest.raises(FileNotFoundError) as error:
        load_word2vec(path)
    assert error.value.filename == str(path)
    with pytest.raises(IsADirectoryError):
        load_word2vec(path.parent)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "byte 0: .*ends within its first line"),
        (b"3", "byte 0"),
        (b"3 2", "byte 0"),
        (b"three 2\n", "byte 0: the first line must state"),
        (b"the 0.1 0.2\nof 0.3 0.4\n", "byte 0: .*no_header=True"),
        (b"-1 2\na 1 2\n", "byte 0: the first line states -1 words"),
        (b"1 -2\na 1 2\n", "byte 0: the first line states 1 words of -2"),
        (b"1 0\na\n", "byte 0"),
        (b"1 1.5\na 1\n", "byte 0"),
        (b"2 2\na 1 2\n", "byte 9: .*1 of 2 rows|byte 9: .*takes more"),
        (b"3 1\nabcdefgh 1\nb 2\n", "byte 18: the file ends after 2 of 3 rows"),
        (b"2 2\na 1\nb 1 2\n", "byte 7: row 1 has 1 numbers, not 2"),
        (b"2 2\na 1 2\nb 1\n", "byte 13: row 2 has 1 numbers, not 2"),
        (b"1 2\na 1 2 3\n", "byte 9: row 1 has more than 2"),
        (b"1 2\nnew york 1 2\n", "byte 8: 'york' in row 1 is not a number"),
        (b"2 2\na 1 2\n\nb 1 2\n", "byte 10: row 2 has 0 numbers"),
        (b"1 2\na\t1\t2\n", "byte 9: row 1 has 0 numbers"),
    ],
)
def test_broken_text_is_refused(path, data, what):
    write(path, data)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}, ({what})"):
        load_word2vec(path)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"1 2\na 1234567", "byte 4|byte 6: the file ends within the vector of word 1 of 1"),
        (b"2 1\na 1234b 123", "byte 12: the file ends within the vector of word 2 of 2"),
        (b"2 1\na 1234bcdefg", "byte 10: the file ends within word 2 of 2"),
        (b"2 1\na 1234x\ny 1234", "byte 10: word 2 has a line break in it"),
        (b"-2 1\na 1234", "byte 0: the first line states -2"),
    ],
)
def test_broken_binary_is_refused(path, data, what):
    write(path, data)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}, ({what})"):
        load_word2vec(path, binary=True)


def test_short_file_is_also_an_eof_error(path):
    with pytest.raises(EOFError) as error:
        load_word2vec(write(path, TEXT[:-10]))
    assert isinstance(error.value, TruncatedFileError)
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(
    "header",
    [
        b"999999999 300",
        b"4 9999999999",
        b"9223372036854775807 9223372036854775807",
        b"4611686018427387904 4",
        b"99999999999999999999999999 2",
        b"0 99999999999",
    ],
)
def test_lying_header_allocates_no_memory(path, binary, header):
    write(path, header + b"\na 0.125 0.25\nb 0.125 0.25\n")
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=re.escape(str(path))):
            load_word2vec(path, binary=binary)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_lying_header_stays_within_an_address_space_limit(path):
    write(path, b"20000000 100\na 1 2\n")
    code = textwrap.dedent(
        """
        import resource, sys
        from pyw2v.io.word2vec_format import load_word2vec
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20), -1))
        for binary in (False, True):
            try:
                load_word2vec(sys.argv[1], binary=binary)
            except ValueError:
                print("refused")
        """
    )
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("needs /proc")
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    assert done.stdout == "refused\nrefused\n"


SMALL = np.array([[0.1, -2.5], [1e-3, 7], [1, 2]], np.float32)


def small_file(path, binary):
    save_word2vec(path, ["the", "öl", "</s>"], SMALL, binary=binary)
    return path.read_bytes()


def loads_or_refuses(path, **options):
    try:
        file = load_word2vec(path, **options)
    except ValueError as error:
        return str(error)
    assert file.vectors.shape[0] == len(file.words) == len(file.counts)
    assert len(set(file.words)) == len(file.words)
    return None


@pytest.mark.filterwarnings("ignore:.*goes on after", "ignore:.*more than once")
@pytest.mark.parametrize("binary", [False, True])
def test_every_cut_is_refused_or_read(path, binary):
    data = small_file(path, binary)
    for size in range(len(data)):
        write(path, data[:size])
        for option in (binary, not binary, None):
            message = loads_or_refuses(path, binary=option)
            loads_or_refuses(path, binary=option, no_header=None)
            if option is binary and size < len(data) - 2:  # a cut last number is a number
                assert message is not None
                assert str(path) in message


@pytest.mark.filterwarnings(
    "ignore:.*goes on after", "ignore:.*more than once", "ignore:.*not finite"
)
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("value", [0x00, 0x0A, 0x20, 0x2D, 0x39, 0x80, 0xFF])
def test_every_changed_byte_is_refused_or_read(path, binary, value):
    data = small_file(path, binary)
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] = value
        write(path, changed)
        for option in (binary, None):
            loads_or_refuses(path, binary=option)
            loads_or_refuses(path, binary=option, no_header=None, unicode_errors="replace")


@pytest.mark.filterwarnings("ignore:.*goes on after", "ignore:.*more than once")
@given(st.binary(max_size=60), st.sampled_from([b"", b"1 1\n", b"2 3\n", b"a 1\n"]))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_refused_or_read(tmp_path_factory, data, start):
    path = write(tmp_path_factory.mktemp("any") / "f", start + data)
    for binary in (False, True, None):
        for no_header in (False, None):
            loads_or_refuses(path, binary=binary, no_header=no_header)


@pytest.mark.skipif(os.name != "posix", reason="needs limits on file sizes")
def test_full_disk_keeps_the_old_file(path):
    """A limit on file sizes stands in for a full disk: both make write() fail half way."""
    write(path, b"old")
    code = textwrap.dedent(
        """
        import resource, signal, sys
        import numpy as np
        from pyw2v.io.word2vec_format import save_word2vec
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            save_word2vec(sys.argv[1], list(map(str, range(9999))), np.ones((9999, 50)))
        except OSError as error:
            print(error.filename)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == [path.name]
