"""Algorithms of CUB, Thrust and cuBLAS in host code: done by the host, on copies (CM4012).

AscendCL has no such algorithms. Headers of ours (``templates/ascendc/host_*.h``) have the ones that
programs call most, under the libraries' own names; each waits for the device, copies what it reads,
computes, and copies back. An algorithm that they lack does not compile. What kernels call of the
libraries is written into the file where it is needed, so a header with nothing else goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from migrate.core.artifact import GeneratedFile
from migrate.core.cpp_text import Token
from migrate.core.resources import data_dir

MEMORY = "host_device_memory.h"
BLAS = "host_blas.h"
"""The header of the rules for cuBLAS (``rules/host_tables/blas.yaml``)."""
_HEADERS = {"cub": "host_cub.h", "thrust": "host_thrust.h"}
_DEVICE_HEADER = re.compile(r"(cub|thrust)/.*|(cooperative_groups)/.*|(cuComplex)\.h")
_COMPLEX = re.compile(r"cu(?:C|[a-z]*C?omplex)\w*|make_cu\w+omplex")


def host_uses(found: Iterable[Token]) -> frozenset[str]:
    """Which of ``cub``, ``thrust`` and ``cuComplex`` host code names, outside of kernels."""
    out: set[str] = set()
    for word in (t.text for t in found if t.kind == "word"):
        if word in _HEADERS:
            out.add(word)
        if _COMPLEX.fullmatch(word):
            out.add("cuComplex")
    return frozenset(out)


def library_header(name: str, uses: frozenset[str]) -> str | None:
    """What stands for a header of CUDA's C++ libraries; empty for nothing, ``None``: not known."""
    hit = _DEVICE_HEADER.fullmatch(name)
    if hit is None:
        return None
    library = next(g for g in hit.groups() if g)
    if library not in uses:
        return ""
    return _HEADERS.get(library)


def shipped_headers(folder: PurePosixPath, content: bytes) -> dict[PurePosixPath, GeneratedFile]:
    """The headers of algorithms that a generated file includes, to lie beside it."""
    wanted = [h for h in (*_HEADERS.values(), BLAS) if f'#include "{h}"'.encode() in content]
    names = [*wanted, MEMORY] if wanted else []
    texts = {n: (data_dir("templates") / "ascendc" / n).read_bytes() for n in names}
    return {folder / n: GeneratedFile(folder / n, text) for n, text in texts.items()}
