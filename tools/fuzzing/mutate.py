"""Random changes of bytes and of lines of text: what any file can suffer.

A mutation takes the bytes of a file, the choices of the case, and the bytes of the other seeds of
the target; it returns new bytes. `structure.py` has those that know a format.
"""

import random
import re
import struct
from collections.abc import Callable, Sequence
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")

NUMBERS: tuple[int, ...] = (
    *(0, 1, 2, 3, 7, 127, 128, 255, 256, 1000, 65535, 65536, 10**6, 2**24, 2**31 - 1, 2**31),
    *(2**32 - 1, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1),
    *(-1, -2, -128, -(2**31), -(2**31) - 1, -(2**63)),
)
FLOATS = (float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1e-45, 1e38, 3.5e38, 1e300, -1.0)
TEXT_NUMBERS: tuple[bytes, ...] = (
    b"nan",
    b"inf",
    b"-inf",
    b"1e999",
    b"-1e999",
    b"1e-999",
    b"0",
    b"-0",
    b"-1",
    b"+1",
)
TEXT_NUMBERS += (b"0x10", b"1_000", b"1e", b".", b"-", b"", b"1.5.2", b"9" * 20, b"9" * 400)
TEXT_NUMBERS += (b"2147483648", b"9223372036854775808", b"-9223372036854775809", b"1e38", b"4e38")
TEXT_NUMBERS += (b"0." + b"0" * 400 + b"1", b"1e99999999999999999999", b"3.4028236e38", b"\xd9\xa3")
# Not UTF-8, white space beyond ASCII, a byte-order mark, zero bytes, ends of lines.
NASTY_TEXT: tuple[bytes, ...] = (
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc0\x80",
    b"\xe2\x80",
)
NASTY_TEXT += (b"\xc2\xa0", b"\xe2\x80\xa8", b"\xe3\x80\x80", b"\xc2\x85", b"\xef\xbb\xbf", b"\0")
NASTY_TEXT += (b"\r", b"\r\n", b"\n", b"\n\n", b" ", b"  ", b"\t", b"\x0b", b"\x1c", b",", b'"')
NASTY_TEXT += (b"</s>", b"__label__", b"__label__x", b": ", b"#", b"_", b"<", b">", b"a" * 300)

_TOKEN = re.compile(rb"[-+.\w]+")
_LENGTHS = ("<b", "<h", "<i", "<q", "<I", "<Q", "<f", "<d")


class Draw:
    """The random choices of one case.

    All come from `random.Random.random`, whose numbers are the same in every version of Python.
    """

    def __init__(self) -> None:
        self._random = random.Random(0)
        self.uniform = self._random.random

    def start(self, target: str, seed: int, case: int) -> None:
        """Begin the choices of this case anew."""
        self._random.seed(crc32(target.encode()) << 128 | seed << 64 | case)

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1."""
        return int(self.uniform() * n)

    def pick(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[int(self.uniform() * len(values))]

    def chance(self, share: float) -> bool:
        """Return True in so many of all cases."""
        return self.uniform() < share

    def bytes(self, n: int) -> bytes:
        """Return n random bytes."""
        return self._random.getrandbits(8 * n).to_bytes(n, "little") if n else b""

    def place(self, n: int) -> int:
        """Return a place in n bytes; one among the first in half of all cases, as headers are."""
        return self.below(min(n, 96)) if self.chance(0.5) else self.below(n)


Mutation = Callable[[bytes, Draw, Sequence[bytes]], bytes]


def flip_bit(data: bytes, draw: Draw, _: Sequence[bytes]) -> bytes:
    """Change one bit."""
    at = draw.place(len(data))
    return data[:at] + bytes((data[at] ^ 1 << draw.below(8),)) + data[at + 1 :]


def set_bytes(data: bytes, draw: Draw, _: Sequence[bytes]) -> bytes:
    """Overwrite some bytes by random ones."""
    at = draw.place(len(data))
    new = draw.bytes(1 + draw.below(4))
    return data[:at] + new + data[at + len(new) :]


def set_number(data: bytes, draw: Draw, _: Sequence[bytes]) -> bytes:
    """Overwrite a binary number: by an extreme one, or one near a size of the file."""
    at = draw.place(len(data))
    if draw.chance(0.7):
        at &= ~3
    new = binary_number(draw.pick(_LENGTHS), draw, len(data))
    return data[:at] + new + data[at + len(new) :]


def binary_number(form: str, draw: Draw, size: object) -> bytes:
    """Return a number in a form of `struct`; a size that was mutated itself counts for 0."""
    if form in ("<f", "<d"):
        value = draw.pick(FLOATS)
        return struct.pack(form, value if form == "<d" or abs(value) < 3.4e38 else float("inf"))
    known = size if isinstance(size, int) else 0
    number: int = draw.pick(NUMBERS) if draw.chance(0.7) else known + draw.below(9) - 4
    n_bytes = struct.calcsize(form)
    return int(int(number) % 256**n_bytes).to_bytes(n_bytes, "little")


def truncate(data: bytes, draw: Draw, _: Sequence[bytes]) -> bytes:
    """Cut the end off."""
    return data[: draw.below(len(data))]


def insert(data: bytes, draw: Draw, _: Sequence[bytes]) -> bytes:
    """Put random bytes, or a copy of others of the file, somewhere."""
    at = draw.place(len(data) + 1)
    if draw.chance(0.5):
        new = draw.bytes(1 + draw.below(8))
    else:
        begin = draw.below(len(data))
        new = data[begin : begin + 1 + draw.below(32)] * (1 if draw.chance(0.8) else 20)
    return data[:at] + new + data[at:]


def delete(data: bytes, draw: Draw, _: Sequence[bytes]) -> bytes:
    """Drop some bytes."""
    at = draw.place(len(data))
    return data[:at] + data[at + 1 + draw.below(16) :]


def splice(data: bytes, draw: Draw, others: Sequence[bytes]) -> bytes:
    """Go on as another seed does."""
    other = draw.pick(others)
    return data[: draw.below(len(data) + 1)] + other[draw.below(len(other) + 1) :]


def swap(data: bytes, draw: Draw, _: Sequence[bytes]) -> bytes:
    """Exchange two neighbouring pieces."""
    n = 1 + draw.below(16)
    at = draw.place(len(data))
    return data[:at] + data[at + n : at + 2 * n] + data[at : at + n] + data[at + 2 * n :]


def text_number(data: bytes, draw: Draw, _: Sequence[bytes]) -> bytes:
    """Replace a token of text, a number most of the time, by a nasty number."""
    tokens = list(_TOKEN.finditer(data[:4096]))
    if not tokens:
        return TEXT_NUMBERS[0] + data
    token = tokens[draw.below(min(4, len(tokens)))] if draw.chance(0.3) else draw.pick(tokens)
    if draw.chance(0.4):
        new = b"%d" % draw.pick(NUMBERS)
    elif draw.chance(0.2):
        new = draw.pick(tokens)[0]
    else:
        new = draw.pick(TEXT_NUMBERS)
    return data[: token.start()] + new + data[token.end() :]


def text_nasty(data: bytes, draw: Draw, _: Sequence[bytes]) -> bytes:
    """Put in text that readers stumble over."""
    at = draw.place(len(data) + 1)
    end = at + (draw.below(3) if draw.chance(0.5) else 0)
    return data[:at] + draw.pick(NASTY_TEXT) + data[end:]


def text_lines(data: bytes, draw: Draw, others: Sequence[bytes]) -> bytes:
    """Drop, double, exchange or join lines."""
    lines = data.splitlines(keepends=True) or [b""]
    at, kind = draw.below(len(lines)), draw.below(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines[at:at] = [lines[at]] * (1 if draw.chance(0.9) else 50)
    elif kind == 2:
        other = draw.below(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        lines[at] = lines[at].rstrip(b"\r\n")
    else:
        lines.insert(at, draw.pick(draw.pick(others).splitlines(keepends=True) or [b"\n"]))
    return b"".join(lines)


Group = tuple[Mutation, ...]  # what may happen to one file

BYTES: Group = (flip_bit, set_bytes, set_number, truncate, insert, delete, splice, swap, set_number)
TEXT: Group = (
    *(text_number, text_number, text_nasty, text_nasty, text_lines, text_lines),
    *(flip_bit, truncate, insert, delete, splice, swap),
)


def mutate(data: bytes, draw: Draw, others: Sequence[bytes], groups: Sequence[Group]) -> bytes:
    """Return the data after one or more mutations, mostly few, of one of the groups."""
    mutations = draw.pick(groups)
    while True:
        data = draw.pick(mutations)(data or draw.pick(others)[:8] or b"0", draw, others)
        if draw.chance(0.6):
            return data
