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


def cuda_uses(text: bytes, start: int = 0, end: int | None = None) -> CudaUses:
    """What of CUDA a text, or a range of it, has."""
    stop = len(text) if end is None else end
    if _MAYBE_CUDA.search(text, start, stop) is None:
        return CudaUses()
    found = tokens(text, start, stop)
    kernels: list[str] = []
    launches = calls = 0
    includes = False
    heads = 0
    for i, token in enumerate(found):
        if token.kind == "directive":
            includes |= "include" in token.text and "cuda" in token.text
        elif token.text == "__global__":
            heads += 1
        elif token.text == "(" and i and found[i - 1].kind == "word":
            name = found[i - 1].text
            if _CUDA_CALL.fullmatch(name):
                calls += 1
            elif heads and not name.startswith("__"):
                kernels.append(name)
                heads = 0
        elif token.text == "<" and _opens_launch(found[i : i + 3]):
            launches += found[i - 1].text != "<" if i else 0
    return CudaUses(tuple(dict.fromkeys(kernels)), launches, calls, includes)


def _opens_launch(three: tuple[Token, ...]) -> bool:
    joined = len(three) == 3 and three[2].start == three[0].start + 2
    return joined and all(t.text == "<" for t in three)


def holds_cuda(text: bytes) -> bool:
    """True for text with a kernel, a launch or a call of the CUDA runtime."""
    return cuda_uses(text).any
