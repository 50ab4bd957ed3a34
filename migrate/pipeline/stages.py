"""The whole compiler, in order: read, lift, emit. Proving comes after (``prove.py``).

Each stage is a pure function of the one before; diagnostics travel with the results.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.backends.ascendc.assemble import emit_ascend
from migrate.backends.tilelang.bridge import has_launches
from migrate.backends.tilelang.emit import emit_host_code, emit_tilelang
from migrate.core.artifact import Artifact, RefusedKernel
from migrate.core.codes import internal
from migrate.core.diagnostics import Code, Diagnostic, Outcome
from migrate.core.options import Options
from migrate.core.rung import Rung
from migrate.core.targets import Target
from migrate.frontend.program import FrontendOptions, read_unit
from migrate.ir.kernel import Kernel, Module
from migrate.ir.lifted import Lifted
from migrate.ir.program import Program, SourceUnit
from migrate.lifting.lift import lift
from migrate.pipeline.inputs import InputProgram
from migrate.rules.catalogue import Catalogue

LiftedUnits = dict[str, tuple[Lifted, ...]]
"""Lifted kernels of each unit, by the unit's relative path (POSIX)."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """One program for one target: what was read, what it was lifted to, what was written."""

    source: InputProgram
    program: Program
    lifted: LiftedUnits
    artifact: Artifact


def frontend_options(source: InputProgram, path: Path, options: Options) -> FrontendOptions:
    """How one source of a program is parsed."""
    return FrontendOptions(
        include_dirs=options.include_dirs,
        defines=options.defines,
        std=options.std,
        cxx=options.cxx or "g++",
        cache_dir=options.cache_dir,
        settings=source.settings_of(path),
        reuse=options.reuse_runs,
    )


def with_settings(options: Options, source: InputProgram) -> Options:
    """The options for building a program: what its own build says, added to the command line."""
    joint = source.joint_settings
    return replace(
        options,
        include_dirs=tuple(dict.fromkeys((*options.include_dirs, *joint.all_dirs))),
        defines=tuple(dict.fromkeys((*joint.defines, *options.defines))),
        std=joint.std or options.std,
    )


def read(source: InputProgram, options: Options) -> Program:
    """Parse every source of a program. A file that another one includes is no unit of its own."""
    units = tuple(
        read_unit(path, source.root, frontend_options(source, path, options))
        for path in source.sources
    )
    included = {h.path.resolve() for u in units for h in u.headers}
    return Program(tuple(u for u in units if u.main.path.resolve() not in included))


def lift_program(program: Program, options: Options) -> LiftedUnits:
    """Lift every kernel of every unit for the target."""
    return {
        _key(unit): tuple(_lift(kernel, unit.module, options) for kernel in unit.module.kernels)
        for unit in program.units
    }


def _lift(kernel: Kernel, module: Module, options: Options) -> Lifted:
    """Lift one kernel. A fault of ours costs this kernel, with a CM9 code, and no other."""
    try:
        return lift(kernel, module, options.target, options)
    except Exception as error:
        found = _our_fault(internal.PASS_FAULT, kernel, error)
        return Lifted(kernel, Rung.REFUSED, module, None, diagnostics=(found,))


def _our_fault(code: Code, kernel: Kernel, error: Exception) -> Diagnostic:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    cause = f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"
    return Diagnostic(code, Outcome.REFUSED, cause, kernel.span, kernel=kernel.symbol)


def emit(program: Program, lifted: LiftedUnits, options: Options, catalogue: Catalogue) -> Artifact:
    """Generate the output files.

    A fault of a back end refuses every kernel of the program with CM9002: nothing is written that
    nobody vouches for.
    """
    try:
        return _emit(program, lifted, options, catalogue)
    except Exception as error:
        refused = tuple(
            RefusedKernel(
                kernel.symbol,
                kernel.name,
                kernel.mangled,
                kernel.span,
                (_our_fault(internal.BACKEND_FAULT, kernel, error),),
            )
            for _, kernel in program.kernels
        )
        return Artifact(options.target.value, (), (), refused)


def _emit(
    program: Program, lifted: LiftedUnits, options: Options, catalogue: Catalogue
) -> Artifact:
    if options.target is not Target.TILELANG:
        return emit_ascend(program, lifted, options.target, options, catalogue)
    # A file without kernels is host code alone, which stays CUDA but for its launches.
    units = [u for u in program.units if u.module.kernels or u.unread]
    bridged = has_launches(program)
    parts = [
        emit_tilelang(u, lifted[_key(u)], options, catalogue, bridged=bridged)
        for u in _apart(units)
    ]
    parts += [emit_host_code(u) for u in program.units if bridged and u not in units and u.launches]
    return merge(options.target.value, tuple(parts))


def _apart(units: list[SourceUnit]) -> Iterator[SourceUnit]:
    """Units whose modules would share a name (``a.cu`` beside ``a.cpp``) get their own."""
    taken: set[Path] = set()
    for unit in units:
        relative = unit.main.relative
        if relative.with_suffix(".py") in taken:
            relative = relative.with_name(f"{relative.name}.cu".replace(".", "_"))
        taken.add(relative.with_suffix(".py"))
        yield replace(unit, main=replace(unit.main, relative=relative))


def merge(target: str, parts: tuple[Artifact, ...]) -> Artifact:
    """One artifact from several; a file that stands in two of them is kept once."""
    files = {f.path: f for part in parts for f in part.files}
    return Artifact(
        target=target,
        files=tuple(files.values()),
        kernels=tuple(k for part in parts for k in part.kernels),
        refused=tuple(k for part in parts for k in part.refused),
        line_map=tuple(x for part in parts for x in part.line_map),
        diagnostics=tuple(d for part in parts for d in part.diagnostics),
        variables=tuple(v for part in parts for v in part.variables),
    )


def convert(source: InputProgram, options: Options, catalogue: Catalogue) -> Conversion:
    """Read, lift, emit."""
    program = read(source, options)
    return convert_program(source, program, options, catalogue)


def convert_program(
    source: InputProgram, program: Program, options: Options, catalogue: Catalogue
) -> Conversion:
    """Lift and emit a program that was read already (for several targets it is read once)."""
    lifted = lift_program(program, options)
    return Conversion(source, program, lifted, emit(program, lifted, options, catalogue))


def _key(unit: SourceUnit) -> str:
    return Path(unit.main.relative).as_posix()
