"""``cudamigrate gate OUT``: fails when a conversion is below a bar. For CI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.report.json_report import read_report
from migrate.report.model import KernelRow, Report
from migrate.verify.evidence import EQUAL_NAMES


def _kernels(report: Report) -> dict[tuple[str, str], KernelRow]:
    return {(p.name, k.symbol): k for p in report.programs for k in p.kernels}


def _equal(row: KernelRow) -> bool:
    return row.verdict in EQUAL_NAMES


def failures(
    report: Report, min_equal: float, max_different: int, baseline: Report | None
) -> tuple[str, ...]:
    """What keeps a report from passing; empty when it passes.

    ``min_equal`` is the share of all kernels (0..1) whose numbers were compared and agree.
    A kernel that was equal in ``baseline`` must be equal now.
    """
    found: list[str] = []
    totals = report.totals
    if totals.kernels == 0:
        found.append("the report holds no kernel")
    elif totals.equal.count < min_equal * totals.kernels:
        share = totals.equal.count / totals.kernels
        found.append(
            f"equal: {totals.equal.count} of {totals.kernels} kernels ({share:.1%}), "
            f"wanted {min_equal:.1%}"
        )
    if totals.different.count > max_different:
        found.append(f"different: {totals.different.count}, allowed {max_different}")
    for program in report.programs:
        if program.check_failed:
            found.append(
                f"{program.name}: the migrated program's own check: {program.migrated_run}"
            )
    if baseline is not None:
        now = _kernels(report)
        for key, row in _kernels(baseline).items():
            after = now.get(key)
            if _equal(row) and (after is None or not _equal(after)):
                state = "missing" if after is None else after.verdict
                found.append(f"{key[0]}: {key[1]} was {row.verdict}, is {state}")
    return tuple(found)


def gate(
    out: Annotated[Path, typer.Argument(help="An output directory or its report.json.")],
    min_equal: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Least share of kernels that are equal.")
    ] = 1.0,
    max_different: Annotated[
        int, typer.Option(min=0, help="Most kernels whose numbers differ.")
    ] = 0,
    baseline: Annotated[
        Path | None, typer.Option(help="An earlier report.json that must not get worse.")
    ] = None,
) -> None:
    """Exit 1 when a conversion is below the bar, naming each reason."""
    report = read_report(out)
    earlier = None if baseline is None else read_report(baseline)
    found = failures(report, min_equal, max_different, earlier)
    console = Console()
    if found:
        raise UserError(Diagnostic(usage.GATE_FAILED, Outcome.STOPPED, "; ".join(found)))
    console.print(
        f"gate passed: {report.totals.equal.count} of {report.totals.kernels} kernels equal, "
        f"{report.totals.different.count} different"
    )
