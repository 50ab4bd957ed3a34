"""Proves the CUDA that TileLang makes of migrated kernels, program after program."""

from __future__ import annotations

import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.prove import job_of, kernel_tasks
from migrate.pipeline.run import Listener, Progress, prepare, silent
from migrate.pipeline.stages import convert_program
from migrate.pipeline.suite import SuiteProgram
from migrate.rules.catalogue import Catalogue
from migrate.verify.evidence import KernelEvidence, Verdict
from migrate.verify.judge import judge
from migrate.verify.tilelang_cuda import replay_tilelang_cuda


@dataclass(frozen=True, slots=True)
class CudaKernel:
    """One kernel of a program as the CUDA that TileLang makes of it.

    ``nvcc`` is as in :class:`migrate.verify.tilelang_cuda.CudaReplayed`, or empty for a kernel that
    was refused or not read. ``cause`` says what is wrong with a kernel that is not equal.
    """

    program: str
    symbol: str
    lowered: bool
    nvcc: str
    verdict: Verdict
    launches: int
    cause: str


def prove_tilelang_cuda(
    program: SuiteProgram,
    options: Options,
    catalogue: Catalogue,
    work: Path,
    listener: Listener = silent,
) -> tuple[CudaKernel, ...]:
    """Convert a program to TileLang, lower its kernels to CUDA, compile and replay them.

    ``work`` is a scratch directory.
    """
    mine = replace(options, target=Target.TILELANG, program_args=program.args)
    name = program.source.name
    prepared = prepare(program.source, mine, work, listener)
    listener(Progress(name, "convert"))
    conversion = convert_program(prepared.source, prepared.program, mine, catalogue)
    tree = work / "tree"
    for file in conversion.artifact.files:
        path = tree / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    listener(Progress(name, "verify"))
    capture = prepared.oracle.capture
    tasks = kernel_tasks(conversion, prepared.oracle)
    jobs = tuple(job_of(t) for t in tasks)
    found = replay_tilelang_cuda(tree, jobs, capture, mine, work / "replay") if jobs else {}
    rows: list[CudaKernel] = []
    for task in tasks:
        made = found[task.emitted.symbol]
        if capture is None:
            verdict = Verdict.COMPILED if made.replayed.compiled else Verdict.EMITTED
            evidence = KernelEvidence(task.kernel.symbol, verdict)
        else:
            evidence = judge(
                task.kernel,
                task.unit.module,
                task.launches,
                made.replayed,
                capture,
                tolerances=dict(program.tolerances).get(task.kernel.name),
            )
        rows.append(
            CudaKernel(
                name,
                task.kernel.symbol,
                made.lowered,
                made.nvcc,
                evidence.verdict,
                evidence.compared,
                evidence.diagnostics[0].one_line() if evidence.diagnostics else "",
            )
        )
    for refused in conversion.artifact.refused:
        cause = refused.diagnostics[0].one_line() if refused.diagnostics else ""
        rows.append(CudaKernel(name, refused.symbol, False, "", Verdict.REFUSED, 0, cause))
    return tuple(rows)


def prove_suite_cuda(
    suite: tuple[SuiteProgram, ...],
    options: Options,
    catalogue: Catalogue,
    listener: Listener = silent,
) -> tuple[CudaKernel, ...]:
    """The same for every program of a suite, in its order; ``options.jobs`` programs at once."""
    with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:

        def one(item: tuple[int, SuiteProgram]) -> tuple[CudaKernel, ...]:
            number, program = item
            work = Path(scratch) / str(number)
            try:
                return prove_tilelang_cuda(program, options, catalogue, work, listener)
            finally:
                shutil.rmtree(work, ignore_errors=True)
                listener(Progress(program.source.name, "done"))

        with ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
            return tuple(k for rows in pool.map(one, enumerate(suite)) for k in rows)
