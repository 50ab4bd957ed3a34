"""What the front end makes of source files: kernels extracted, refused by code, unread.

Nothing is lifted, emitted or run, so whole suites are measured in minutes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from migrate.core.codes import internal, reading
from migrate.core.diagnostics import UserError
from migrate.core.options import Options
from migrate.frontend.program import read_unit
from migrate.ir.program import SourceUnit
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.read_ahead import ReadTask, in_processes, known, read_tasks


class Reading(Enum):
    """What became of a kernel definition. One in a branch that is not compiled is left out."""

    EXTRACTED = "extracted"
    REFUSED = "refused"
    UNREAD = "unread"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class KernelReading:
    """One kernel definition of one unit; ``codes`` say why it is not extracted."""

    name: str
    file: str
    end: int
    line: int
    reading: Reading
    codes: tuple[str, ...] = ()
    cause: str = ""


@dataclass(frozen=True, slots=True)
class FileReading:
    """One translation unit: its kernels, its launches, and what went wrong with it.

    ``parsed`` is true when the parser came through without an error that hid code; ``stopped`` is
    the code for which nothing of the file was read. ``headers`` are the files that it includes.
    """

    file: str
    kernels: tuple[KernelReading, ...]
    launches: int
    codes: tuple[str, ...]
    seconds: float
    stopped: str = ""
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything measured; a kernel of a shared header stands once, with its best reading.

    ``left_out`` counts kernels in preprocessor branches that no unit compiles; they are no part of
    ``kernels``.
    """

    files: tuple[FileReading, ...]
    kernels: tuple[KernelReading, ...]
    seconds: float
    left_out: int = 0

    def count(self, state: Reading) -> int:
        """How many kernels are in a state."""
        return sum(k.reading is state for k in self.kernels)


FileListener = Callable[[FileReading], None]


def _quiet(_: FileReading) -> None:
    pass


def extract(
    programs: tuple[InputProgram, ...], options: Options, listener: FileListener = _quiet
) -> Extraction:
    """Read every source of the programs, ``options.jobs`` at once. A bad file costs itself."""
    started = time.monotonic()
    tasks = read_tasks(programs, options)
    files: list[FileReading] = []
    for found in _readings(tasks, options.jobs):
        listener(found)
        files.append(found)
    merged: dict[tuple[str, int, str], KernelReading] = {}
    # A file that another one includes is read there: alone it lacks what stands before it.
    included = {h for f in files for h in f.headers}
    files = [f for f in files if _resolved(f.file) not in included]
    for kernel in (k for f in files for k in f.kernels):
        key = (kernel.file, kernel.end, kernel.name)
        merged[key] = _better(merged.get(key), kernel)
    left_out = sum(k.reading is Reading.LEFT_OUT for k in merged.values())
    counted = _defined(tuple(k for k in merged.values() if k.reading is not Reading.LEFT_OUT))
    return Extraction(tuple(files), counted, time.monotonic() - started, left_out)


def _readings(tasks: tuple[ReadTask, ...], jobs: int) -> Iterable[FileReading]:
    """What the cache has first, then the rest in processes."""
    missing: list[ReadTask] = []
    for task in tasks:
        started = time.monotonic()
        unit = known(task)
        if unit is None:
            missing.append(task)
        else:
            yield _summed_up(task[0], unit, started)
    yield from in_processes(read_file, tuple(missing), jobs)


def read_file(task: ReadTask) -> FileReading:
    """Read one translation unit and sum it up."""
    path, root, options = task
    started = time.monotonic()
    try:
        unit = read_unit(path, root, options)
    except UserError as error:
        seconds = time.monotonic() - started
        return FileReading(str(path), (), 0, (), seconds, error.diagnostic.code.id)
    except Exception as error:
        cause = f"{internal.FRONTEND_FAULT.id}: {type(error).__name__}: {error}"
        return FileReading(str(path), (), 0, (), time.monotonic() - started, cause)
    return _summed_up(path, unit, started)


def _summed_up(path: Path, unit: SourceUnit, started: float) -> FileReading:
    codes = tuple(dict.fromkeys(d.code.id for d in unit.diagnostics))
    seconds = time.monotonic() - started
    headers = tuple(_resolved(str(h.path)) for h in unit.headers)
    kernels = _kernels(unit)
    return FileReading(str(path), kernels, len(unit.launches), codes, seconds, "", headers)


_STATES = {
    reading.KERNEL_UNREAD: Reading.UNREAD,
    reading.BRANCH_NOT_READ: Reading.LEFT_OUT,
}


def _kernels(unit: SourceUnit) -> tuple[KernelReading, ...]:
    """The unit's kernel definitions. One with a refused instantiation is refused."""
    found: dict[tuple[str, int, str], KernelReading] = {}
    for kernel in unit.module.kernels:
        file, end = _resolved(kernel.span.file), kernel.span.end
        found[(file, end, kernel.name)] = KernelReading(
            kernel.name, file, end, kernel.span.line, Reading.EXTRACTED
        )
    for lost in unit.unread:
        file, end, code = _resolved(lost.span.file), lost.span.end, lost.diagnostic.code
        before = found.get((file, end, lost.name))
        codes = (*(() if before is None else before.codes), code.id)
        found[(file, end, lost.name)] = KernelReading(
            lost.name,
            file,
            end,
            lost.span.line,
            _STATES.get(code, Reading.REFUSED),
            tuple(dict.fromkeys(codes)),
            lost.diagnostic.cause,
        )
    return tuple(found.values())


def _resolved(name: str) -> str:
    return str(Path(name).resolve())


def _defined(found: tuple[KernelReading, ...]) -> tuple[KernelReading, ...]:
    """Without prototypes of kernels that another file of their folder defines."""
    prototype = (reading.NO_DEFINITION.id,)
    known = {(Path(k.file).parent, k.name) for k in found if k.codes != prototype}
    return tuple(
        k for k in found if k.codes != prototype or (Path(k.file).parent, k.name) not in known
    )


def _better(first: KernelReading | None, second: KernelReading) -> KernelReading:
    """Of two units' views of one kernel: a refusal counts, unless nothing instantiated it."""
    if first is None or first.codes in _NOTHING_SAID:
        return second
    return first if second.codes in ((), *_NOTHING_SAID) else second


_NOTHING_SAID = ((reading.NEVER_INSTANTIATED.id,), (reading.BRANCH_NOT_READ.id,))
