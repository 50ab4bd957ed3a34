"""Which CUDA library a name of host code belongs to, told by its form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from migrate.core.cpp_text import Token, closing

_LIBRARIES = (
    ("runtime", r"cuda[A-Z]\w*|make_cuda[A-Z]\w*|CUDART_\w+|cudnnCuda\w*"),
    ("cuBLAS", r"cublas[A-Z_]\w*|CUBLAS_\w+|CUBLASLT_\w+"),
    ("cuFFT", r"cufft[A-Z_]\w*|CUFFT_\w+"),
    ("cuSPARSE", r"cusparse[A-Z_]\w*|CUSPARSE_\w+"),
    ("cuSOLVER", r"cusolver[A-Z_]\w*|CUSOLVER_\w+"),
    ("cuRAND", r"curand[A-Z]\w*|CURAND_\w+"),
    ("cuDNN", r"cudnn[A-Z_]\w*|CUDNN_\w+"),
    ("cuTENSOR", r"cutensor[A-Z_]\w*|CUTENSOR_\w+"),
    ("NCCL", r"nccl[A-Z]\w*|NCCL_\w+"),
    ("NVTX", r"nvtx[A-Z]\w*|NVTX_\w+"),
    ("NVRTC", r"nvrtc[A-Z]\w*|NVRTC_\w+"),
    ("NVML", r"nvml[A-Z]\w*|NVML_\w+"),
    ("nvJPEG", r"nvjpeg[A-Z]\w*|NVJPEG_\w+"),
    ("NPP", r"nppi?[A-Z]\w*|Npp\w+"),
    (
        "driver",
        r"cu[A-Z][a-z]\w*|CU[a-z]+\w*|CU_\w+|CUDA_(?:SUCCESS|ERROR\w*)"
        r"|CUDA_[A-Z0-9_]+_(?:PARAMS|DESCRIPTOR)",
    ),
)  # fmt: skip
_PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in _LIBRARIES)
LIBRARIES = tuple(sorted((name for name, _ in _LIBRARIES), key=str.lower))
"""The libraries that names are sorted into."""

_QUALIFIERS = frozenset({
    "const", "volatile", "static", "extern", "inline", "constexpr", "typename", "return", "else",
    "case", "new", "delete", "throw", "goto", "do", "sizeof", "public", "private", "protected",
    "mutable", "typedef", "thread_local", "using", "and", "or", "not", "signed", "unsigned",
})  # fmt: skip
_RECORDS = frozenset({"struct", "class", "enum", "union"})


def library_of(name: str) -> str | None:
    """The library whose names look like this one; ``None`` for any other name."""
    return next((lib for lib, pattern in _PATTERNS if pattern.fullmatch(name)), None)


def declared_names(found: tuple[Token, ...]) -> Iterator[str]:
    """Names that code declares itself: records, aliases, functions, variables and macros."""
    for i, t in enumerate(found):
        if t.kind == "directive":
            hit = re.match(r"#\s*define\s+(\w+)", t.text)
            if hit is not None:
                yield hit.group(1)
            continue
        if t.kind != "word" or i == 0 or i + 1 >= len(found):
            continue
        before, after = found[i - 1], found[i + 1].text
        if before.text in _RECORDS:
            if after in ("{", ":", ";"):
                yield t.text
        elif (
            (before.text == "using" and after == "=")
            or (before.kind == "word" and before.text not in _QUALIFIERS)
            or (before.text in ("*", "&", ">") and after == "(" and _has_body(found, i + 1))
        ):
            yield t.text


def _has_body(found: tuple[Token, ...], opening: int) -> bool:
    close = closing(found, opening)
    return close is not None and close + 1 < len(found) and found[close + 1].text == "{"


def all_declared(parts: Iterable[tuple[Token, ...]]) -> frozenset[str]:
    """Names that any of the files declares."""
    return frozenset(name for found in parts for name in declared_names(found))
