"""Reads sources in several processes: the parser holds the interpreter's lock.

The units themselves come back by way of the cache, where the process that asked finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from migrate.core.diagnostics import UserError
from migrate.core.options import Options
from migrate.frontend.program import FrontendOptions, known_unit, read_unit
from migrate.ir.program import SourceUnit
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.stages import frontend_options

_T = TypeVar("_T")
_FEW = 6
"""Up to this many files one process reads in the time in which others would start."""

ReadTask = tuple[Path, Path, FrontendOptions]
"""A source, the root of its output path, and how it is parsed."""


def read_tasks(programs: tuple[InputProgram, ...], options: Options) -> tuple[ReadTask, ...]:
    """What there is to read for some programs, each file once."""
    return tuple(
        dict.fromkeys(
            (s, p.root, frontend_options(p, s, options)) for p in programs for s in p.sources
        )
    )


def known(task: ReadTask) -> SourceUnit | None:
    """A unit that the cache has; ``None`` as well for a file that cannot be read."""
    try:
        return known_unit(*task)
    except UserError:
        return None


def in_processes(
    work: Callable[[ReadTask], _T], tasks: tuple[ReadTask, ...], jobs: int
) -> Iterator[_T]:
    """The results of ``work``, in the order of ``tasks``; few tasks stay in this process."""
    if jobs < 2 or len(tasks) <= _FEW:
        yield from map(work, tasks)
        return
    workers = min(jobs, len(tasks))
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from pool.map(work, tasks, chunksize=max(1, min(4, len(tasks) // (4 * workers))))


def _read_and_keep(task: ReadTask) -> None:
    try:
        read_unit(*task)
    except UserError:
        return  # reported by whoever reads the file


def read_ahead(programs: tuple[InputProgram, ...], options: Options) -> None:
    """Bring the units of many files into the cache; does nothing for few files or without it."""
    if not options.reuse_runs or options.jobs < 2:
        return
    tasks = read_tasks(programs, options)
    missing = tuple(t for t in tasks if known(t) is None) if len(tasks) > _FEW else ()
    if len(missing) > _FEW:
        for _ in in_processes(_read_and_keep, missing, options.jobs):
            pass
