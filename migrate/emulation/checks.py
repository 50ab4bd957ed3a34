"""Builds a CUDA program with the checks compiled in, runs it, and reads what they found.

The program's own units are compiled with the compiler's thread-sanitizer instrumentation, whose
calls the CPU runtime answers (``cuda_emu/emu/check.h``); the sanitizer's library is not used.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from migrate.core.codes.checks import CHECKS_UNAVAILABLE
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.emulation.cuda_program import (
    OPENMP,
    BuiltProgram,
    CudaSources,
    RunSetup,
    build_cuda_program,
    run_program,
)
from migrate.emulation.run import RunResult
from migrate.emulation.symbols import Frame, frames_at
from migrate.emulation.toolchain import BuildOptions, Compiler


class Check(str, Enum):
    """What to look for."""

    MEMORY = "memory"
    RACE = "race"
    INIT = "init"
    LEAK = "leak"


_UNIT_FLAGS = (
    "-fsanitize=thread,bounds,alignment",
    "--param=tsan-instrument-func-entry-exit=0",
    "--param=tsan-distinguish-volatile=1",
)
_FLAGS = ("-O1", "-g1", "-fno-omit-frame-pointer", "-DCUDA_EMU_CHECK")
_WRAPPED = ("memcpy", "memmove", "memset", "malloc", "_Znwm", "_Znam")
_LINK = tuple(f"-Wl,--wrap={name}" for name in _WRAPPED)
_SHADOW = 14
"""Address space that a byte of device memory reserves: itself, its state, 12 bytes of records."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something happened: frames from the innermost outwards."""

    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """An address as a finding names it: ``offset`` bytes into an allocation of ``size`` bytes."""

    space: str
    allocation: int
    size: int
    offset: int
    made: Place
    freed: Place


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the checks' file; texts are "" and numbers 0 where the kind has none.

    ``thread`` and ``other_thread`` are (block, thread) coordinates.
    """

    kind: str
    place: Place
    other_place: Place
    kernel: str
    thread: tuple[tuple[int, ...], tuple[int, ...]] | None
    other_thread: tuple[tuple[int, ...], tuple[int, ...]] | None
    memory: Memory | None
    address: str
    texts: Mapping[str, str]
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """How the program ended, and what was found, in the order in which it was found."""

    result: RunResult
    findings: tuple[Finding, ...]


def checking(options: BuildOptions) -> BuildOptions:
    """The options of an ordinary build, changed to one with the checks.

    They follow the threads of kernels and not those of the host, so OpenMP is only linked.
    """
    openmp = ("-lgomp",) if OPENMP in options.libraries else ()
    return replace(
        options,
        flags=(*options.flags, *_FLAGS),
        unit_flags=(*(f for f in options.unit_flags if f != OPENMP), *_UNIT_FLAGS),
        libraries=(*_LINK, *(f for f in options.libraries if f != OPENMP), *openmp),
    )


def build_checked(
    program: CudaSources, work: Path, compiler: Compiler, cache_dir: Path | None = None
) -> BuiltProgram:
    """Builds the program with the checks in it.

    Raises ``CompileError``, ``OSError``, and ``UserError`` CM5241 for a compiler other than g++.
    """
    if compiler.family != "gcc":
        cause = f"{compiler.version}: the checks need g++"
        raise UserError(Diagnostic(CHECKS_UNAVAILABLE, Outcome.STOPPED, cause))
    return build_cuda_program(program, work, compiler, cache_dir, checking)


def run_checked(built: BuiltProgram, setup: RunSetup, checks: frozenset[Check]) -> CheckedRun:
    """Runs a program that ``build_checked`` made, on one core, and reads its findings."""
    limits = setup.limits
    # What is only reserved counts as address space as well.
    wide = replace(limits, reserved_bytes=limits.reserved_bytes + limits.memory_bytes * _SHADOW)
    with tempfile.TemporaryDirectory(prefix="cudamigrate-check-") as scratch:
        file = Path(scratch) / "findings"
        file.touch()
        variables = (
            *setup.environment,
            ("CUDAMIGRATE_CHECK", ",".join(sorted(c.value for c in checks))),
            ("CUDAMIGRATE_CHECK_FILE", str(file)),
            ("CUDAMIGRATE_CHECK_HEAP_MB", str(limits.memory_bytes >> 20)),
            ("CUDAMIGRATE_THREADS", "1"),
        )
        changed = replace(setup, limits=wide, environment=variables, writable=(Path(scratch),))
        result = run_program(built, changed)
        lines = file.read_text("utf-8", "replace").splitlines()
    return CheckedRun(result, read_findings(built.path, lines))


def _objects(lines: list[str]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for line in lines:
        try:
            value: object = json.loads(line)
        except ValueError:
            continue  # the last line of a program that was killed
        if isinstance(value, dict):
            found.append({str(key): item for key, item in value.items()})
    return found


def _numbers(value: object) -> tuple[int, ...]:
    return tuple(v for v in value if isinstance(v, int)) if isinstance(value, list) else ()


_CHAINS = ("pc", "other_pc", "made", "freed")


def read_findings(program: Path, lines: list[str]) -> tuple[Finding, ...]:
    """The findings in the lines of the checks' file, with source lines for code addresses."""
    objects = _objects(lines)
    addresses = {pc for item in objects for key in _CHAINS for pc in _numbers(item.get(key))}
    frames = frames_at(program, addresses)

    return tuple(_finding(item, frames) for item in objects)


_Frames = Mapping[int, tuple[Frame, ...]]


def _place(item: Mapping[str, object], key: str, frames: _Frames) -> Place:
    chain = _numbers(item.get(key))
    return Place(tuple(frame for pc in chain for frame in frames.get(pc, ())))


def _thread(
    item: Mapping[str, object], prefix: str
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    block, thread = _numbers(item.get(f"{prefix}block")), _numbers(item.get(f"{prefix}thread"))
    return (block, thread) if block and thread else None


def _finding(item: Mapping[str, object], frames: _Frames) -> Finding:
    texts = {key: value for key, value in item.items() if isinstance(value, str)}
    numbers = {key: value for key, value in item.items() if isinstance(value, int)}
    memory = None
    if "size" in numbers:
        memory = Memory(
            texts.get("space", ""),
            numbers.get("allocation", -1),
            numbers["size"],
            numbers.get("offset", 0),
            _place(item, "made", frames),
            _place(item, "freed", frames),
        )
    return Finding(
        texts.get("kind", ""),
        _place(item, "pc", frames),
        _place(item, "other_pc", frames),
        texts.get("kernel", ""),
        _thread(item, ""),
        _thread(item, "other_"),
        memory,
        texts.get("address", ""),
        texts,
        numbers,
    )
