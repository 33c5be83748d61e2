"""Text as fastText sees it: bytes, tokens between blanks, and lines that end at a token `</s>`."""

from collections.abc import Iterable, Iterator

EOS = "</s>"
BOW = "<"
EOW = ">"

_EOS = EOS.encode()


def encode(text: str | bytes) -> bytes:
    """UTF-8; what was decoded with "surrogateescape" becomes the bytes that it was."""
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {text!r} of type {type(text).__name__}")
    return text.encode("utf-8", "surrogateescape")


def decode_all(tokens: list[bytes], errors: str) -> list[str]:
    """Tokens, which have no line feed in them, as texts: all of them at once."""
    return b"\n".join(tokens).decode("utf-8", errors).split("\n") if tokens else []


def tokens_of(text: bytes) -> list[bytes]:
    """Cut at blanks; every line break is a token of its own, `</s>`."""
    if b"\0" in text:
        text = text.replace(b"\0", b" ")
    first, *others = text.split(b"\n")
    tokens = first.split()  # at blanks of ASCII, as fastText, but that zero is none of them
    for line in others:
        tokens.append(_EOS)
        tokens += line.split()
    return tokens


def lines_of(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Tokens of one line after the other; a line ends at `</s>`, wherever that comes from."""
    line: list[bytes] = []
    for chunk in chunks:
        tokens = tokens_of(chunk)
        begin = 0
        for _ in range(tokens.count(_EOS)):
            end = tokens.index(_EOS, begin) + 1
            yield line + tokens[begin:end]
            line, begin = [], end
        line += tokens[begin:]
    if line:
        yield line


def first_line(text: bytes) -> list[bytes]:
    """Tokens up to and including the first `</s>`."""
    tokens = tokens_of(text)
    return tokens[: tokens.index(_EOS) + 1] if _EOS in tokens else tokens


def one_line(text: str | bytes, what: str = "predict") -> bytes:
    """The text with the line break that ends it; another one within is an error."""
    line = encode(text)
    if b"\n" in line:
        raise ValueError(f"{what} processes one line at a time (remove '\\n')")
    return line + b"\n"
