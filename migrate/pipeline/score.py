"""Scores a suite: emitted, compiled, equal, refused, different, per target and rung."""

from __future__ import annotations

import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.core.diagnostics import UserError
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.read_ahead import read_ahead
from migrate.pipeline.run import (
    Listener,
    Prepared,
    ProgramRun,
    Progress,
    finish,
    prepare,
    silent,
)
from migrate.pipeline.suite import Expectation, SuiteProgram
from migrate.rules.catalogue import Catalogue
from migrate.verify.evidence import EQUAL_NAMES, Verdict


@dataclass(frozen=True, slots=True)
class KernelScore:
    """One kernel instantiation on one target. ``cause`` is the first diagnostic's one line."""

    program: str
    group: str
    kernel: str
    symbol: str
    target: str
    rung: str
    verdict: str
    launches: int
    codes: tuple[str, ...]
    cause: str


@dataclass(frozen=True, slots=True)
class ProgramScore:
    """Whole-program runs on one target, as :class:`migrate.verify.evidence.ProgramEvidence`."""

    program: str
    target: str
    original: str
    migrated: str
    control: str
    detail: str
    output: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class SuiteScore:
    """Everything measured for a suite; ``misses`` are expectations that were not reached."""

    kernels: tuple[KernelScore, ...]
    programs: tuple[ProgramScore, ...]
    misses: tuple[str, ...]


def score_suite(
    suite: tuple[SuiteProgram, ...],
    targets: tuple[Target, ...],
    options: Options,
    catalogue: Catalogue,
    listener: Listener = silent,
) -> SuiteScore:
    """Convert and prove every program for every target. Each original runs once."""
    read_ahead(tuple(p.source for p in suite), options)
    with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:

        def one(item: tuple[int, SuiteProgram]) -> SuiteScore:
            number, program = item
            work = Path(scratch) / str(number)
            try:
                return _score_program(program, targets, options, catalogue, work, listener)
            except UserError:
                raise
            except Exception as error:
                return _lost(program, targets, error)
            finally:
                shutil.rmtree(work, ignore_errors=True)
                listener(Progress(program.source.name, "done"))

        with ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
            parts = tuple(pool.map(one, enumerate(suite)))
    return SuiteScore(
        tuple(k for p in parts for k in p.kernels),
        tuple(r for p in parts for r in p.programs),
        tuple(m for p in parts for m in p.misses),
    )


def _lost(program: SuiteProgram, targets: tuple[Target, ...], error: Exception) -> SuiteScore:
    """A fault of ours costs one program, and is a miss of the suite."""
    name = program.source.name
    detail = f"{type(error).__name__}: {error}"
    rows = tuple(
        ProgramScore(name, t.value, "error", "not-run", "not-run", detail) for t in targets
    )
    return SuiteScore((), rows, (f"{name}: {detail}",))


def _score_program(
    program: SuiteProgram,
    targets: tuple[Target, ...],
    options: Options,
    catalogue: Catalogue,
    work: Path,
    listener: Listener,
) -> SuiteScore:
    base = replace(options, program_args=program.args, other_args=program.other_args)
    prepared = prepare(program.source, base, work, listener)
    kernels: list[KernelScore] = []
    runs: list[ProgramScore] = []
    misses: list[str] = []
    for target in targets:
        run = finish(
            prepared,
            replace(base, target=target),
            catalogue,
            work / target.value,
            tolerances=dict(program.tolerances),
            listener=listener,
        )
        rows = _kernel_scores(program, target, prepared, run)
        kernels += rows
        seen = run.proof.runs
        runs.append(
            ProgramScore(
                program.source.name,
                target.value,
                seen.original,
                seen.migrated,
                seen.control,
                seen.detail,
                seen.output,
                seen.arguments,
            )
        )
        misses += _misses(program, target, tuple(rows), runs[-1])
    return SuiteScore(tuple(kernels), tuple(runs), tuple(misses))


def _kernel_scores(
    program: SuiteProgram, target: Target, prepared: Prepared, run: ProgramRun
) -> list[KernelScore]:
    emitted = {(k.symbol, k.mangled): k for k in run.conversion.artifact.kernels}
    refused = {(k.symbol, k.mangled): k for k in run.conversion.artifact.refused}
    rows: dict[tuple[str, str], KernelScore] = {}
    for unit, kernel in prepared.program.kernels:
        key = (kernel.symbol, kernel.mangled)
        if key in rows:
            continue
        if key in emitted:
            evidence = run.proof.kernels[(str(unit.main.path), kernel.symbol)]
            found = (*evidence.diagnostics, *emitted[key].diagnostics)
            rung, verdict = emitted[key].rung.value, evidence.verdict.value
            launches = evidence.compared
        else:
            found = refused[key].diagnostics if key in refused else ()
            rung, verdict, launches = "refused", Verdict.REFUSED.value, 0
        rows[key] = KernelScore(
            program.source.name,
            program.group,
            kernel.name,
            kernel.symbol,
            target.value,
            rung,
            verdict,
            launches,
            tuple(dict.fromkeys(d.code.id for d in found)),
            found[0].one_line() if found else "",
        )
    for unit in prepared.program.units:
        for lost in unit.unread:
            key = (lost.name, str(lost.span))
            rows[key] = KernelScore(
                program.source.name,
                program.group,
                lost.name,
                lost.name,
                target.value,
                "unread",
                Verdict.REFUSED.value,
                0,
                (lost.diagnostic.code.id,),
                lost.diagnostic.one_line(),
            )
    return list(rows.values())


def _misses(
    program: SuiteProgram, target: Target, rows: tuple[KernelScore, ...], run: ProgramScore
) -> list[str]:
    """Expectations of a corpus case that were not reached."""
    found: list[str] = []
    for e in program.expectations:
        if e.target is target:
            found += _miss(program.source.name, e, tuple(r for r in rows if r.kernel == e.kernel))
    expects_all = program.expectations and all(
        e.verdict == "equal" for e in program.expectations if e.target is target
    )
    if expects_all and target is not Target.TILELANG:
        if run.migrated != "pass" or run.control == "pass":
            found.append(
                f"{run.program} on {run.target}: migrated program {run.migrated}, "
                f"with kernels skipped {run.control}"
            )
    return found


def _miss(program: str, e: Expectation, rows: tuple[KernelScore, ...]) -> list[str]:
    if not rows:
        return [f"{program} on {e.target.value}: kernel {e.kernel} was not found"]
    out: list[str] = []
    for r in rows:
        equal = r.verdict in EQUAL_NAMES
        right = equal if e.verdict == "equal" else r.verdict == e.verdict
        codes = all(c in r.codes for c in e.codes)
        if not right or not codes:
            wanted = " ".join((e.verdict, *e.codes))
            got = " ".join((r.verdict, *r.codes))
            out.append(f"{program} on {e.target.value}: {r.symbol}: wanted {wanted}, got {got}")
    return out
