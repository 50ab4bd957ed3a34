"""``cudamigrate verify OUT --shrink DIR`` and ``--capture DIR``: failing launches by themselves."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from migrate.cli.exit_codes import ExitCode
from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.options import Options
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.oracle import NO_ORACLE
from migrate.pipeline.prove import kernel_tasks
from migrate.pipeline.run import Listener, Prepared, ProgramRun, finish, prepare
from migrate.pipeline.shrink import Failing, Shrunk, shrink, write_capture
from migrate.pipeline.stages import read
from migrate.rules.catalogue import load_catalogue
from migrate.verify.capture import Capture, Launch, load_capture
from migrate.verify.evidence import Verdict


def shrink_tree(
    programs: tuple[InputProgram, ...],
    options: Options,
    out: Path,
    into: Path,
    console: Console,
    listener: Listener,
) -> int:
    """Shrink the first failing launch of every ``different`` kernel of the tree ``out``.

    Each is written to ``into/PROGRAM.KERNEL``, which :func:`replay_capture` takes. The exit status
    is not OK when a kernel is different.
    """
    catalogue = load_catalogue(options.rules_dirs)
    different = 0
    with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:
        for number, program in enumerate(programs):
            work = Path(scratch) / str(number)
            prepared = prepare(program, options, work, listener)
            run = finish(prepared, options, catalogue, work, listener=listener, edited=out)
            for task in kernel_tasks(run.conversion, prepared.oracle):
                evidence = run.proof.kernels[task.key]
                if evidence.verdict is not Verdict.DIFFERENT:
                    continue
                different += 1
                place = work / "shrink" / task.kernel.symbol
                failing = Failing(prepared, run, task, evidence, work / "tree", options, place)
                done = shrink(failing)
                if done is not None and prepared.oracle.capture is not None:
                    target = into / f"{program.name}.{done.symbol}"
                    write_capture(prepared.oracle.capture, done.last, target)
                    console.print(_line(program.name, done, target), soft_wrap=True, markup=False)
    if not different:
        console.print("no kernel is different: there is nothing to shrink")
    return ExitCode.BELOW_GATE if different else ExitCode.OK


def _line(program: str, done: Shrunk, target: Path) -> str:
    return (
        f"{program} {done.symbol}: {_shape(done.first)} -> {_shape(done.last)} "
        f"in {done.rounds} rounds: {target}"
    )


def _shape(launch: Launch) -> str:
    scalars = ", ".join(
        f"{a.name} {int.from_bytes(a.data, 'little', signed=True)}"
        for a in launch.args
        if a.kind in ("i32", "u32", "i64", "u64")
    )
    return f"{launch.threads} threads in grid {launch.grid}" + (f", {scalars}" if scalars else "")


def replay_capture(
    programs: tuple[InputProgram, ...],
    options: Options,
    out: Path,
    directory: Path,
    listener: Listener,
) -> tuple[ProgramRun, ...]:
    """Replay the launches of a capture directory on the tree ``out``; the original is not run.

    Raises :class:`UserError` CM0001 when the directory holds no capture.
    """
    if not (directory / "launches.jsonl").is_file():
        cause = f"{directory / 'launches.jsonl'} does not exist"
        raise UserError(Diagnostic(usage.MISSING_INPUT, Outcome.STOPPED, cause))
    found = load_capture(directory)
    # A shrunk launch stands for itself here: it is all that is compared.
    launches = tuple(replace(x, source="captured") for x in found.launches)
    capture: Capture = replace(found, launches=launches)
    catalogue = load_catalogue(options.rules_dirs)
    runs: list[ProgramRun] = []
    with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:
        for number, program in enumerate(programs):
            alone = replace(program, has_main=False)  # the whole program is not run either
            oracle = replace(NO_ORACLE, capture=capture)
            prepared = Prepared(alone, read(alone, options), oracle)
            work = Path(scratch) / str(number)
            runs.append(finish(prepared, options, catalogue, work, listener=listener, edited=out))
    return tuple(runs)
