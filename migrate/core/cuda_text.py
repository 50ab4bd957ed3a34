"""Whether a piece of C++ text has CUDA in it, comments and strings aside."""

from __future__ import annotations

import re
from dataclasses import dataclass

from migrate.core.cpp_text import Token, tokens

_MAYBE_CUDA = re.compile(rb"<<<|__global__|\bcuda[A-Z]\w*\s*\(|\bcuda_runtime")
_CUDA_CALL = re.compile(r"cuda[A-Z]\w*")


@dataclass(frozen=True, slots=True)
class CudaUses:
    """Kernels by name, and how many launches and CUDA runtime calls stand in a text."""

    kernels: tuple[str, ...] = ()
    launches: int = 0
    calls: int = 0
    includes: bool = False

    @property
    def any(self) -> bool:
        """True when there is anything to convert."""
        return bool(self.kernels or self.launches or self.calls or self.includes)

    def __str__(self) -> str:
        parts = [f"kernel {k}" for k in self.kernels]
        parts += [_counted(self.launches, "launch", "launches")] if self.launches else []
        parts += [_counted(self.calls, "CUDA call", "CUDA calls")] if self.calls else []
        return ", ".join(parts)


def _counted(n: int, one: str, more: str) -> str:
    return f"{n} {one if n == 1 else more}"


@dataclass(frozen=True, slots=True)
class KernelHead:
    """A kernel's name in a text, and the range from ``__global__`` to the end of the name.

    ``defined`` is true when a body follows, so that it is no prototype.
    """

    name: str
    start: int
    end: int
    defined: bool


def kernel_heads(found: tuple[Token, ...]) -> tuple[KernelHead, ...]:
    """Every ``__global__ ... name(`` in a sequence of tokens, macro bodies aside."""
    heads: list[KernelHead] = []
    at: int | None = None
    for i, token in enumerate(found):
        if token.text == "__global__":
            at = token.start
        elif at is not None and token.text in (";", "{", "}"):
            at = None
        elif at is not None and token.text == "(" and found[i - 1].kind == "word":
            before = found[i - 1]
            if not before.text.startswith("__"):
                heads.append(KernelHead(before.text, at, before.end, _has_body(found, i)))
                at = None
    return tuple(heads)


def _has_body(found: tuple[Token, ...], i: int) -> bool:
    """Whether a brace follows the parameters that open at ``found[i]``."""
    depth = 0
    for token in found[i:]:
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.text != ")":
            return token.text == "{"
    return False


def launch_places(found: tuple[Token, ...]) -> tuple[int, ...]:
    """Where ``<<<`` of a launch stands, macro bodies aside."""
    return tuple(
        t.start
        for i, t in enumerate(found)
        if t.text == "<" and _opens_launch(found[i : i + 3]) and i and found[i - 1].text != "<"
    )


def cuda_uses(text: bytes, start: int = 0, end: int | None = None) -> CudaUses:
    """What of CUDA a text, or a range of it, has."""
    stop = len(text) if end is None else end
    if _MAYBE_CUDA.search(text, start, stop) is None:
        return CudaUses()
    found = tokens(text, start, stop)
    calls = sum(
        found[i].text == "(" and _CUDA_CALL.fullmatch(found[i - 1].text) is not None
        for i in range(1, len(found))
    )
    includes = any(
        t.kind == "directive" and "include" in t.text and "cuda" in t.text for t in found
    )
    names = dict.fromkeys(h.name for h in kernel_heads(found))
    return CudaUses(tuple(names), len(launch_places(found)), calls, includes)


def _opens_launch(three: tuple[Token, ...]) -> bool:
    joined = len(three) == 3 and three[2].start == three[0].start + 2
    return joined and all(t.text == "<" for t in three)


def holds_cuda(text: bytes) -> bool:
    """True for text with a kernel, a launch or a call of the CUDA runtime."""
    return cuda_uses(text).any
