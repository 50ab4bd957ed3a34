"""``cudamigrate explain CM1203``: the page of a diagnostic code; with ``--facts``, what was found
out about a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from migrate.cli import choices
from migrate.core.codes import all_codes, usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.options import Options
from migrate.core.resources import data_dir
from migrate.core.targets import resolve_target
from migrate.pipeline.facts import kernel_facts
from migrate.pipeline.inputs import find_inputs
from migrate.pipeline.stages import read
from migrate.report.facts import print_facts


def page_of(code: str) -> str:
    """The Markdown page of a code. Raises :class:`UserError` CM0009 for an unknown one."""
    wanted = code.upper()
    known = all_codes()
    if wanted not in known:
        near = ", ".join(c for c in known if c[:4] == wanted[:4])
        hint = f"; codes of that block: {near}" if near else ""
        raise UserError(
            Diagnostic(usage.UNKNOWN_CODE, Outcome.STOPPED, f"{code!r} is not a code{hint}")
        )
    return (data_dir("docs/diagnostics") / f"{wanted}.md").read_text(encoding="utf-8")


def _print_kernels(source: Path, name: str, options: Options) -> None:
    """The facts of each instance of a kernel. Raises :class:`UserError` CM0014 without any."""
    console = Console()
    seen: list[str] = []
    shown = 0
    for program in find_inputs((source,), None).programs:
        for unit in read(program, options).units:
            for kernel in unit.module.kernels:
                seen.append(kernel.name)
                if name in (kernel.name, kernel.symbol, kernel.qualified):
                    print_facts(console, kernel_facts(kernel, unit.module, options))
                    shown += 1
    if not shown:
        known = ", ".join(dict.fromkeys(seen)) or "none"
        cause = f"{source} has no kernel {name!r} that can be read; there are: {known}"
        raise UserError(Diagnostic(usage.UNKNOWN_KERNEL, Outcome.STOPPED, cause))


def explain(
    subject: Annotated[
        str,
        typer.Argument(
            help="A code such as CM4001; with --facts, a CUDA file or directory.",
            metavar="CODE|SOURCE",
        ),
    ],
    facts: Annotated[
        str,
        typer.Option(
            "--facts", help="Show what was found out about this kernel.", metavar="KERNEL"
        ),
    ] = "",
    to: choices.To = "tilelang",
    chip: choices.Chip = None,
    include: choices.Include = None,
    define: choices.Define = None,
    std: choices.Std = "c++17",
) -> None:
    """Show what a diagnostic code means and what to do, or what was found out about a kernel."""
    if not facts:
        Console().print(Markdown(page_of(subject)))
        return
    target = resolve_target(to, chip)
    options = choices.make_options(target, include=include, define=define, std=std)
    _print_kernels(Path(subject), facts, options)
