"""``cudamigrate convert SRC --to TARGET -o OUT``."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from rich.console import Console

from migrate.cli import choices
from migrate.cli.exit_codes import ExitCode
from migrate.cli.progress import showing
from migrate.core.artifact import GeneratedFile
from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.options import DoublePolicy, OracleKind
from migrate.core.targets import Target, resolve_target
from migrate.emulation.toolchain import find_compiler
from migrate.pipeline.build_files import build_files
from migrate.pipeline.compile_commands import load_database
from migrate.pipeline.configurations import configured, merge_runs, parse_configurations
from migrate.pipeline.hybrid import hybrid_build, hybrid_files
from migrate.pipeline.inputs import find_inputs
from migrate.pipeline.oracle import gpu_of
from migrate.pipeline.output import check_output, write_tree
from migrate.pipeline.run import run_all
from migrate.pipeline.summary import (
    manifest,
    shape_files,
    shared_differences,
    tree_copies,
    tree_files,
)
from migrate.report.assemble import assemble_report
from migrate.report.html import render_html
from migrate.report.model import Report, dump_json
from migrate.report.terminal import print_diagnostic, print_report
from migrate.rules.catalogue import load_catalogue


def report_files(report: Report) -> tuple[GeneratedFile, ...]:
    """``report.json`` and ``report.html``."""
    return (
        GeneratedFile(PurePosixPath("report.json"), dump_json(report).encode()),
        GeneratedFile(PurePosixPath("report.html"), render_html(report).encode()),
    )


def exit_for(report: Report) -> int:
    """1 when a kernel is ``different`` or a migrated program fails its own check, else 0.

    A program that stops at the stub of a refused kernel does what it should.
    """
    broken = any(p.check_failed for p in report.programs)
    return ExitCode.BELOW_GATE if report.totals.different.count or broken else ExitCode.OK


def convert(
    to: choices.To,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output directory.")],
    sources: choices.Sources = None,
    chip: choices.Chip = None,
    build: choices.Build = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an output directory of an earlier run.")
    ] = False,
    double: choices.Double = DoublePolicy.SOFT,
    include: choices.Include = None,
    define: choices.Define = None,
    config: choices.Configs = None,
    std: choices.Std = "c++17",
    rules: choices.Rules = None,
    no_run: choices.NoRun = False,
    args: choices.Args = "",
    timeout: choices.Timeout = 60.0,
    jobs: choices.Jobs = 0,
    no_cache: choices.NoCache = False,
    fuzz: choices.Fuzz = choices.FUZZ,
    seed: choices.Seed = 1,
    oracle: choices.Oracle = OracleKind.CPU,
    keep_cuda: choices.KeepCuda = False,
) -> None:
    """Convert CUDA sources, prove the result on the CPU, and write the report."""
    started = time.monotonic()
    target = resolve_target(to, chip)
    if keep_cuda and target is Target.TILELANG:
        cause = "--keep-cuda is for Ascend: a Python module holds no CUDA"
        raise UserError(Diagnostic(usage.OPTION_NOT_FOR_TARGET, Outcome.STOPPED, cause))
    options = choices.make_options(
        target,
        double=double,
        include=include,
        define=define,
        std=std,
        rules=rules,
        no_run=no_run,
        args=tuple(shlex.split(args)),
        timeout=timeout,
        jobs=jobs,
        no_cache=no_cache,
        fuzz=fuzz,
        seed=seed,
        oracle=oracle,
    )
    paths, database = choices.with_database(sources, build)
    check_output(out, force=force)
    inputs = find_inputs(paths, None if database is None else load_database(database), out)
    configurations = parse_configurations(config or (), define or ())
    programs = configured(inputs.programs, configurations)
    if options.run:
        find_compiler(options.cxx)
        gpu_of(oracle)
    catalogue = load_catalogue(options.rules_dirs)
    console = Console()
    for fault in catalogue.faults:
        print_diagnostic(Console(stderr=True), fault)
    if catalogue.faults:
        raise UserError(catalogue.faults[0])
    with showing(console, len(programs)) as listener:
        runs = run_all(programs, options, catalogue, listener=listener)
    runs, unmerged = merge_runs(runs, configurations)
    command = shlex.join(["cudamigrate", *sys.argv[1:]])
    made = tree_files(runs)
    build_tree = build_files(inputs, made, target)
    differences = (*unmerged, *shared_differences(runs))
    notes = (*inputs.diagnostics, *differences, *build_tree.diagnostics)
    if keep_cuda:
        build_tree, hybrid = hybrid_build(build_tree), hybrid_files(made)
        made, notes = hybrid.files, (*notes, *hybrid.diagnostics)
    report = assemble_report(runs, options, time.monotonic() - started, command, notes)
    copies = tree_copies(runs, inputs, (*made, *build_tree.files))
    records = (manifest(runs, options), *shape_files(runs, options))
    files = (*made, *build_tree.files, *records, *report_files(report))
    write_tree(out, files, force=force, copies=copies)
    print_report(console, report)
    console.print(f"\nreport: {out / 'report.html'}", soft_wrap=True, markup=False)
    raise typer.Exit(exit_for(report))
