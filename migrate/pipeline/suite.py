"""Suites of programs with known arguments: the corpus, or a table of programs."""

from __future__ import annotations

import csv
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import yaml

from migrate.core.codes import usage
from migrate.core.compile_settings import CompileSettings
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.targets import Target
from migrate.ir.types import Kind
from migrate.pipeline.inputs import HOST_SUFFIXES, InputProgram, find_programs
from migrate.pipeline.own_check import Words
from migrate.verify.compare import Tolerance
from migrate.verify.judge import Tolerances


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a corpus program must reach: ``verdict`` is ``equal`` or ``refused``."""

    kernel: str
    target: Target
    verdict: str
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteProgram:
    """One program of a suite."""

    source: InputProgram
    group: str
    args: tuple[str, ...] = ()
    other_args: tuple[tuple[str, ...], ...] = ()
    expectations: tuple[Expectation, ...] = ()
    tolerances: tuple[tuple[str, Tolerances], ...] = ()


def _stop(cause: str) -> UserError:
    return UserError(Diagnostic(usage.UNREADABLE_INPUT, Outcome.STOPPED, cause))


def load_suite(
    path: Path, sources: Path | None, pattern: str, without: frozenset[str]
) -> tuple[SuiteProgram, ...]:
    """A suite: a directory with ``case.yaml`` files, or a CSV table with its ``sources``.

    The table has the columns ``program``, ``archetype``, ``args`` and ``features``; a program lies
    at ``sources / pattern.format(program=...)``, or in ``folder`` below ``sources`` where the table
    has that column. Behind a ``|``, ``args`` holds further lists of arguments, for kernels that the
    first one does not reach. Programs with a feature in ``without`` are left out. More columns that
    a table may have: ``includes`` and ``hosts`` (folders to search and C++ files to link, below
    ``sources``), ``files`` (patterns of files below the program's folder that it reads when it
    runs), and ``check``, where ``status`` says that the exit status is the program's verdict.
    Raises :class:`UserError` CM0011 for what cannot be read.
    """
    if path.is_dir():
        found = tuple(_case(p) for p in sorted(path.rglob("case.yaml")))
        if not found:
            raise _stop(f"{path} holds no case.yaml")
        return found
    if sources is None:
        raise _stop(f"{path} is a table: --sources is needed")
    return _table(path, sources, pattern, without)


def _case(path: Path) -> SuiteProgram:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        kernels = cast("list[dict[str, object]]", data["kernels"])
        (source,) = find_programs((path.parent,))
        expectations = tuple(e for k in kernels for e in _expectations(k))
        tolerances = tuple(
            (str(k["name"]), _tolerances(cast("dict[str, float]", k["tolerance"])))
            for k in kernels
            if "tolerance" in k
        )
        args = tuple(str(a) for a in data.get("args") or ())
    except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise _stop(f"{path}: {error}") from error
    return SuiteProgram(source, path.parent.parent.name, args, (), expectations, tolerances)


def _expectations(kernel: dict[str, object]) -> tuple[Expectation, ...]:
    codes = cast("dict[str, str | list[str]]", kernel.get("codes") or {})
    expect = cast("dict[str, str]", kernel["expect"])
    out: list[Expectation] = []
    for target, verdict in expect.items():
        wanted = codes.get(target, [])
        listed = (wanted,) if isinstance(wanted, str) else tuple(wanted)
        out.append(Expectation(str(kernel["name"]), Target(target), verdict, listed))
    return tuple(out)


def _tolerances(data: dict[str, float]) -> Tolerances:
    one = Tolerance(float(data["rtol"]), float(data["atol"]))
    return {kind: one for kind in (Kind.F16, Kind.BF16, Kind.F32, Kind.F64)}


def _table(
    path: Path, sources: Path, pattern: str, without: frozenset[str]
) -> tuple[SuiteProgram, ...]:
    found: list[SuiteProgram] = []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise _stop(f"{path}: {error}") from error
    for row in rows:
        features = set(row.get("features", "").split()) | set(row.get("libraries", "").split())
        if features & without:
            continue
        name = row["program"]
        folder = sources / (row.get("folder") or pattern.format(program=name))
        if not folder.is_dir():
            raise _stop(f"{folder} does not exist")
        programs = find_programs((folder,))
        source = programs[0] if len(programs) == 1 else _joined(name, folder, programs)
        hosts = (*source.host_sources, *_apart(folder, source))
        hosts += tuple(sources / word for word in row.get("hosts", "").split())
        renamed = replace(source, name=name, host_sources=tuple(dict.fromkeys(hosts)))
        renamed = _as_listed(renamed, folder, sources, row)
        args, *others = argument_lists(row.get("args", ""))
        found.append(SuiteProgram(renamed, row.get("archetype", ""), args, tuple(others)))
    return tuple(found)


def argument_lists(text: str) -> list[tuple[str, ...]]:
    """Lists of arguments with a ``|`` between them: ``1 -q | 2 -q``. There is always a first."""
    lists: list[list[str]] = [[]]
    for word in shlex.split(text):
        if word == "|":
            lists.append([])
        else:
            lists[-1].append(word)
    return [tuple(words) for words in lists]


def _as_listed(
    program: InputProgram, folder: Path, sources: Path, row: dict[str, str]
) -> InputProgram:
    """The program with what the table's further columns say of it."""
    includes = tuple(sources / word for word in row.get("includes", "").split())
    listed = CompileSettings(include_dirs=includes)
    found = sorted(p for word in row.get("files", "").split() for p in folder.glob(word))
    status = row.get("check", "") == Words.STATUS.value
    return replace(
        program,
        settings=tuple((p, program.settings_of(p).under(listed)) for p in program.sources),
        files=tuple((p.relative_to(folder).as_posix(), p) for p in found if p.is_file()),
        verdict=Words.STATUS if status else Words.PRINTED,
    )


def _apart(folder: Path, program: InputProgram) -> tuple[Path, ...]:
    """Plain C++ files in folders below a program's own that hold no CUDA: its helper code."""
    own = {s.parent for s in program.sources}
    files = (f for f in folder.rglob("*") if f.suffix in HOST_SUFFIXES and f.is_file())
    return tuple(sorted(f for f in files if f.parent not in own))


def _joined(name: str, folder: Path, programs: tuple[InputProgram, ...]) -> InputProgram:
    """A table's program is all files of its folder tree."""
    return InputProgram(
        name,
        folder,
        tuple(dict.fromkeys(s for p in programs for s in p.sources)),
        tuple(dict.fromkeys(s for p in programs for s in p.host_sources)),
        any(p.has_main for p in programs),
        tuple(dict.fromkeys(s for p in programs for s in p.settings)),
    )
