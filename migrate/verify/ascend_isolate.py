"""Finds the kernels that keep a migrated file from compiling, and takes them out of its replay.

Every kernel of a file is in one driver. One that does not compile must not cost the others their
verdict, so its definition is left out and its launch function made to end the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from migrate.core.artifact import Artifact, EmittedKernel

_PLACE = re.compile(r"^(?:In file included from )?(?P<file>[^\s:][^:\n]*):(?P<line>\d+)[:,]")


def faulty_kernels(log: str, kernels: Iterable[EmittedKernel]) -> Mapping[str, str]:
    """The kernels in whose lines the compiler found errors: symbol to the words about it.

    An error in a header counts for the kernel whose line the compiler says it comes from. Errors
    that no kernel holds are left out.
    """
    known = tuple(kernels)
    found: dict[str, list[str]] = {}
    context: list[EmittedKernel] = []
    after_error = False
    for line in log.splitlines():
        is_error = " error: " in line
        if after_error and not is_error and _starts_context(line):
            context = []
        here = _kernels_at(line, known)
        if is_error:
            for kernel in here or context[-1:]:
                found.setdefault(kernel.symbol, []).append(line)
        elif ": note: " not in line:
            context += here
        after_error = is_error or (after_error and not _starts_context(line))
    return {symbol: "\n".join(lines) for symbol, lines in found.items()}


def _starts_context(line: str) -> bool:
    return ": In " in line or line.startswith("In file included from")


def _kernels_at(line: str, kernels: tuple[EmittedKernel, ...]) -> list[EmittedKernel]:
    hit = _PLACE.match(line)
    if hit is None:
        return []
    name, at = Path(hit["file"]).name, int(hit["line"])
    return [k for k in kernels if k.file.name == name and k.first_line <= at <= k.last_line]


def without_kernels(
    out: Path, artifact: Artifact, dropped: Iterable[str]
) -> Mapping[PurePosixPath, bytes]:
    """New contents of the files below ``out`` that hold a dropped kernel; lines keep their number.

    Raises ``ValueError`` when a launch function is not where the assembly puts it.
    """
    symbols = frozenset(dropped)
    found: dict[PurePosixPath, list[bytes]] = {}
    for kernel in artifact.kernels:
        if kernel.symbol not in symbols:
            continue
        if kernel.file not in found:
            data = (out / Path(*kernel.file.parts)).read_bytes()
            found[kernel.file] = data.split(b"\n")
        _drop(found[kernel.file], kernel)
    return {path: b"\n".join(lines) for path, lines in found.items()}


def _drop(lines: list[bytes], kernel: EmittedKernel) -> None:
    first, last = kernel.first_line - 1, kernel.last_line
    opening = _alone(lines, b"{", last)
    end = _alone(lines, b"}", opening)
    lines[first:last] = [b""] * (last - first)
    lines[opening + 1 : end] = [b"__builtin_trap();", *[b""] * (end - opening - 2)]


def _alone(lines: list[bytes], text: bytes, start: int) -> int:
    for i in range(start, len(lines)):
        if lines[i].rstrip(b"\r") == text:
            return i
    raise ValueError("a launch function is not behind its kernel")
