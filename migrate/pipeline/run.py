"""One run over many programs: read, run the original, convert, prove. What the commands call."""

from __future__ import annotations

import shutil
import tempfile
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from migrate.core.artifact import Artifact
from migrate.core.codes import internal
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.options import Options
from migrate.ir.program import Program
from migrate.pipeline.hybrid import ascend_text
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.oracle import NO_ORACLE, Oracle, run_oracle
from migrate.pipeline.prove import Proof, kernel_tasks, prove
from migrate.pipeline.read_ahead import read_ahead
from migrate.pipeline.shared_files import own_text
from migrate.pipeline.stages import Conversion, convert_program, read, with_settings
from migrate.rules.catalogue import Catalogue
from migrate.verify.evidence import KernelEvidence, ProgramEvidence, Verdict
from migrate.verify.judge import Tolerances


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """One program with its proof, for one target."""

    conversion: Conversion
    proof: Proof


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run tells while it works: the program, and the stage it enters."""

    program: str
    stage: str


Listener = Callable[[Progress], None]
ToleranceTable = dict[str, dict[str, Tolerances]]
"""By program name, then kernel name."""


def silent(_: Progress) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program as read, with the run of its original: the same for every target."""

    source: InputProgram
    program: Program
    oracle: Oracle


def prepare(
    source: InputProgram, options: Options, work: Path, listener: Listener = silent
) -> Prepared:
    """Read a program and run its original."""
    listener(Progress(source.name, "read"))
    program = read(source, options)
    options = with_settings(options, source)
    listener(Progress(source.name, "run original"))
    oracle = run_oracle(source, options, work / "oracle", program) if options.run else NO_ORACLE
    return Prepared(source, program, oracle)


def finish(
    prepared: Prepared,
    options: Options,
    catalogue: Catalogue,
    work: Path,
    *,
    tolerances: dict[str, Tolerances] | None = None,
    listener: Listener = silent,
    edited: Path | None = None,
) -> ProgramRun:
    """Lift, emit and prove for one target.

    ``edited`` is an output directory whose files are proven instead of freshly generated ones (for
    code that was changed by hand).
    """
    name = prepared.source.name
    options = with_settings(options, prepared.source)
    listener(Progress(name, "convert"))
    conversion = convert_program(prepared.source, prepared.program, options, catalogue)
    tree = work / "tree"
    _lay(tree, conversion.artifact, edited, name)
    listener(Progress(name, "verify"))
    try:
        proof = prove(conversion, prepared.oracle, tree, options, work, tolerances)
    except UserError:
        raise
    except Exception as error:
        proof = _unproven(conversion, prepared.oracle, error)
    return ProgramRun(conversion, proof)


def _unproven(conversion: Conversion, oracle: Oracle, error: Exception) -> Proof:
    """A fault of ours while proving costs this program its proof, with CM9005, and no other."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    cause = f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"
    found = Diagnostic(internal.REPLAY_FAULT, Outcome.UNPROVEN, cause)
    evidence = {
        t.key: KernelEvidence(t.kernel.symbol, Verdict.EMITTED, diagnostics=(found,))
        for t in kernel_tasks(conversion, oracle)
    }
    runs = ProgramEvidence(oracle.original, detail=oracle.detail, diagnostics=oracle.diagnostics)
    return Proof(evidence, runs)


def _lay(tree: Path, artifact: Artifact, edited: Path | None, program: str) -> None:
    shutil.rmtree(tree, ignore_errors=True)
    places = tuple(f.path for f in artifact.files)
    for file in artifact.files:
        path = tree / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        found = None
        if edited is not None:
            found = own_text(file.path, program, places, partial(ascend_text, edited))
        path.write_bytes(file.content if found is None else found)


def run_all(
    sources: tuple[InputProgram, ...],
    options: Options,
    catalogue: Catalogue,
    *,
    tolerances: ToleranceTable | None = None,
    listener: Listener = silent,
    edited: Path | None = None,
) -> tuple[ProgramRun, ...]:
    """Convert and prove every program; results come in the order of ``sources``."""
    read_ahead(sources, options)
    with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:

        def one(item: tuple[int, InputProgram]) -> ProgramRun:
            number, source = item
            work = Path(scratch) / str(number)
            prepared = prepare(source, options, work, listener)
            done = finish(
                prepared,
                options,
                catalogue,
                work,
                tolerances=(tolerances or {}).get(source.name),
                listener=listener,
                edited=edited,
            )
            shutil.rmtree(work, ignore_errors=True)
            listener(Progress(source.name, "done"))
            return done

        with ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
            return tuple(pool.map(one, enumerate(sources)))
