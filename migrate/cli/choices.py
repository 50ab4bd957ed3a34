"""Options that several commands share, and how they become :class:`Options`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.options import DoublePolicy, Limits, Options, OracleKind, default_cxx
from migrate.core.targets import Target
from migrate.pipeline.compile_commands import NAME as DATABASE_NAME
from migrate.pipeline.compile_commands import find_database

Sources = Annotated[
    list[Path] | None,
    typer.Argument(help="CUDA files, directories, or a compile_commands.json."),
]
To = Annotated[str, typer.Option("--to", help="Target: ascend or tilelang.", metavar="TARGET")]
Chip = Annotated[
    str | None,
    typer.Option("--chip", help="ascend910b (default for ascend) or ascend950.", metavar="CHIP"),
]
Double = Annotated[
    DoublePolicy,
    typer.Option(
        "--double",
        help="Double precision where the chip has none: soft (exact, slow), fp32 or refuse.",
    ),
]
Include = Annotated[
    list[Path] | None, typer.Option("--include", "-I", help="Include directory (repeatable).")
]
Define = Annotated[
    list[str] | None, typer.Option("--define", "-D", help="Macro, NAME or NAME=VALUE.")
]
Configs = Annotated[
    list[str] | None,
    typer.Option(
        "--config",
        help="NAME=-DX,-DY=2: convert under these macros as well, and merge (repeatable).",
        metavar="NAME=MACROS",
    ),
]
Std = Annotated[str, typer.Option("--std", help="C++ standard of the sources.")]
Rules = Annotated[
    list[Path] | None, typer.Option("--rules", help="Directory with rules of your own.")
]
NoRun = Annotated[
    bool, typer.Option("--no-run", help="Compile and run nothing: convert and report only.")
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Run the original again although nothing of it changed."),
]
Build = Annotated[
    Path | None,
    typer.Option("--build", "-p", help="compile_commands.json, or the folder that holds it."),
]
Args = Annotated[
    str,
    typer.Option("--args", help="Arguments for the original and migrated program, as one text."),
]
Timeout = Annotated[
    float, typer.Option("--timeout", min=1, help="Seconds that one program run may take.")
]
Oracle = Annotated[
    OracleKind,
    typer.Option(
        "--oracle",
        help="What runs the original: cpu, gpu (nvcc and a device), auto (gpu where there is one).",
    ),
]
KeepCuda = Annotated[
    bool,
    typer.Option("--keep-cuda", help="Files that build for CUDA and for Ascend (docs/hybrid.md)."),
]
FUZZ = 3
"""Generated launches a kernel unless told otherwise."""
Fuzz = Annotated[
    int,
    typer.Option(
        "--fuzz", min=0, help="Launches to generate for each kernel beside the captured ones."
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Where generated launches start from.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=0, help="Programs at once (0: all cores).")]


def with_database(
    sources: list[Path] | None, build: Path | None
) -> tuple[tuple[Path, ...], Path | None]:
    """Inputs and the compilation database among them. Raises :class:`UserError` CM0001."""
    given = sources or []
    databases = [p for p in given if p.name == DATABASE_NAME]
    rest = tuple(p for p in given if p not in databases)
    if not given and build is None:
        raise UserError(Diagnostic(usage.MISSING_INPUT, Outcome.STOPPED, "no source is given"))
    if build is None:
        return rest, databases[0] if databases else None
    found = find_database(build)
    if found is None:
        cause = f"{build} is no {DATABASE_NAME} and holds none"
        raise UserError(Diagnostic(usage.MISSING_INPUT, Outcome.STOPPED, cause))
    return rest, found


def make_options(
    target: Target,
    *,
    double: DoublePolicy = DoublePolicy.SOFT,
    include: list[Path] | None = None,
    define: list[str] | None = None,
    std: str = "c++17",
    rules: list[Path] | None = None,
    no_run: bool = False,
    args: tuple[str, ...] = (),
    timeout: float = 60.0,
    jobs: int = 0,
    no_cache: bool = False,
    fuzz: int = 0,
    seed: int = 1,
    oracle: OracleKind = OracleKind.CPU,
) -> Options:
    """Options from command line values."""
    made = Options(
        target=target,
        double=double,
        include_dirs=tuple(include or ()),
        defines=tuple(define or ()),
        std=std,
        run=not no_run,
        program_args=args,
        limits=Limits(seconds=timeout),
        rules_dirs=tuple(rules or ()),
        cxx=default_cxx(),
        reuse_runs=not no_cache,
        fuzz=fuzz,
        seed=seed,
        oracle=oracle,
    )
    if jobs:
        from dataclasses import replace

        made = replace(made, jobs=jobs)
    return made
