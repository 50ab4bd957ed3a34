"""``cudamigrate tilelang-build OUT``: compiles the kernels that converted host programs call."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from rich.console import Console

from migrate.backends.ascendc.api_lint import lint_api
from migrate.backends.ascendc.api_table import load_api_table
from migrate.cli import choices
from migrate.cli.exit_codes import ExitCode
from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.targets import Target
from migrate.verify.tilelang_program import build_libraries
from migrate.verify.tilelang_replay import tilelang_installed

LIBRARIES = "tilelang_kernels"
"""Where libraries are put, and where a program looks for them beside itself."""


_C_API = frozenset({"asc_init"})
"""Functions of the vendor's C interface that TileLang calls (``c_api/misc/misc.h``); the table that
is looked up is of the SIMT interface."""


def tilelang_build(
    out: Annotated[Path, typer.Argument(help="Output directory of convert --to tilelang.")],
    folder: Annotated[
        Path | None, typer.Option(help=f"Where the libraries go (default OUT/{LIBRARIES}).")
    ] = None,
    target: Annotated[
        str,
        typer.Option(help="c for a CPU, cuda for the device here, one such as sm_80, or ascend."),
    ] = "cuda",
    shapes: Annotated[
        Path | None, typer.Option(help="File in the form of OUT/kernel_shapes.json.")
    ] = None,
    timeout: choices.Timeout = 60.0,
) -> None:
    """Compile the TileLang kernels of an output tree to libraries for its C++ host programs."""
    if not tilelang_installed():
        cause = "tilelang and torch compile the kernels, and are not installed"
        raise UserError(Diagnostic(usage.NO_TILELANG, Outcome.STOPPED, cause))
    if not (out / "build_kernels.py").is_file():
        cause = f"{out} holds no build_kernels.py: no C++ host program of it calls kernels"
        raise UserError(Diagnostic(usage.MISSING_INPUT, Outcome.STOPPED, cause))
    options = choices.make_options(Target.TILELANG, timeout=timeout)
    place = out / LIBRARIES if folder is None else folder
    with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:
        result = build_libraries(out, place, target, shapes, options, Path(scratch))
    console = Console(stderr=not result.ok)
    if not result.ok:
        console.print(result.stderr.strip(), markup=False, soft_wrap=True)
        raise typer.Exit(ExitCode.BELOW_GATE)
    if target == "ascend":
        _lint(console, place)
        return
    count = len(list(place.rglob("*.so")))
    console.print(f"{count} libraries in {place}", markup=False, soft_wrap=True)


def _lint(console: Console, folder: Path) -> None:
    """Whether TileLang's Ascend code names functions that the vendor's compiler does not know."""
    files = sorted(folder.rglob("*.asc"))
    texts = {PurePosixPath(f.relative_to(folder).as_posix()): f.read_bytes() for f in files}
    faults = [f for f in lint_api(texts, load_api_table()) if f.name not in _C_API]
    for fault in faults:
        where = f"{folder / fault.file}:{fault.line}"
        console.print(f"{where}: {fault.name}: {fault.cause}", markup=False, soft_wrap=True)
    text = f"{len(files)} files in {folder}, {len(faults)} names that are not the vendor's"
    console.print(text, markup=False, soft_wrap=True)
    if faults:
        raise typer.Exit(ExitCode.BELOW_GATE)
