"""Mutated CUDA: tokens deleted, doubled and swapped, files cut off and glued together."""

from __future__ import annotations

import random

from migrate.core.cpp_text import Token, tokens

_SPLICES = (b"{", b"}", b"(", b")", b"<<<", b">>>", b"template <", b"#if 0\n", b"#endif\n", b'"',
            b"/*", b"__global__ ", b"\0", b"\xff", b"\\\n", b"#define k ", b"#include __FILE__\n")  # fmt: skip


def mutated(source: bytes, random_: random.Random) -> bytes:
    """The text after one to six mutations."""
    text = source
    for _ in range(random_.randint(1, 6)):
        found = tokens(text)
        if found:
            text = _one(text, found, random_)
    return text


def _one(text: bytes, found: tuple[Token, ...], random_: random.Random) -> bytes:
    first = random_.randrange(len(found))
    last = min(len(found) - 1, first + random_.choice((0, 0, 0, 1, 2, 5, 20)))
    start, end = found[first].start, found[last].end
    match random_.randrange(6):
        case 0:
            return text[:start] + text[end:]
        case 1:
            return text[:end] + b" " + text[start:end] + text[end:]
        case 2:
            return text[:start]
        case 3:
            other = found[random_.randrange(len(found))]
            return text[:start] + text[other.start : other.end] + text[end:]
        case 4:
            return text[:start] + random_.choice(_SPLICES) + text[start:]
        case _:
            return text[:start] + text[start:end] * random_.choice((2, 3, 50)) + text[end:]
