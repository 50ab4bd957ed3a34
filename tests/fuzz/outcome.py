"""One mutated file through the whole of ``convert`` without running it; says what is wrong."""

from __future__ import annotations

from pathlib import Path

from migrate.core.codes import all_codes
from migrate.core.diagnostics import Diagnostic, UserError
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_inputs
from migrate.pipeline.stages import emit, lift_program, read
from migrate.rules.catalogue import load_catalogue

TARGETS = (Target.TILELANG, Target.ASCEND_910B, Target.ASCEND_950)


def faults_of(path: Path, cache: Path, target: Target, *, lifts: bool = True) -> tuple[str, ...]:
    """Faults of ours: exceptions, CM9 codes, kernels without an outcome. Empty when all is coded."""
    try:
        inputs = find_inputs((path,))
    except UserError as error:
        return () if error.diagnostic.code.id in all_codes() else (str(error),)
    options = Options(target, cache_dir=cache, run=False, jobs=1)
    found: list[str] = []
    for program in inputs.programs:
        units = read(program, options)
        diagnostics: list[Diagnostic] = [d for u in units.units for d in u.diagnostics]
        if lifts:
            lifted = lift_program(units, options)
            artifact = emit(units, lifted, options, load_catalogue())
            done = {k.symbol for k in (*artifact.kernels, *artifact.refused)}
            found += [f"no outcome: {k.symbol}" for _, k in units.kernels if k.symbol not in done]
            diagnostics += [
                d for k in (*artifact.kernels, *artifact.refused) for d in k.diagnostics
            ]
            for refused in artifact.refused:
                if not refused.diagnostics:
                    found.append(f"refused without a code: {refused.symbol}")
        found += [d.one_line() for d in diagnostics if d.code.id.startswith("CM9")]
    return tuple(dict.fromkeys(found))
