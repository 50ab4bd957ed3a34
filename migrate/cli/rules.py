"""``cudamigrate rules list|show|lint``: the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table

from migrate.cli.exit_codes import ExitCode
from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.resources import data_dir
from migrate.core.targets import Target
from migrate.report.terminal import print_diagnostic
from migrate.rules.catalogue import load_catalogue
from migrate.rules.model import Rule

rules_app = typer.Typer(help="List, show and check the rules of the catalogue.")

RulesDir = Annotated[
    list[Path] | None, typer.Option("--rules", help="Directory with rules of your own.")
]


def _support(rule: Rule, target: Target) -> str:
    kinds = dict.fromkeys(e.support.value for e in rule.emits if e.target == target.value)
    return "/".join(kinds) or "-"


@rules_app.command("list")
def list_rules(
    kind: Annotated[str | None, typer.Option(help="Only rules of this kind.")] = None,
    rules: RulesDir = None,
) -> None:
    """List every rule with its support on each target."""
    catalogue = load_catalogue(tuple(rules or ()))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("rule", "kind", *(t.value for t in Target), "summary"):
        table.add_column(name, overflow="fold")
    shown = [r for r in catalogue.rules if kind is None or r.kind.value == kind]
    for r in shown:
        table.add_row(r.id, r.kind.value, *(_support(r, t) for t in Target), r.summary)
    console = Console()
    console.print(table)
    console.print(f"{len(shown)} rules")


@rules_app.command("show")
def show_rule(
    rule: Annotated[str, typer.Argument(help="A rule's id, such as intrinsics.expf.")],
    rules: RulesDir = None,
) -> None:
    """Show one rule file."""
    catalogue = load_catalogue(tuple(rules or ()))
    found = catalogue.rule(rule)
    if found is None:
        raise UserError(
            Diagnostic(usage.BAD_RULE_FILE, Outcome.STOPPED, f"no rule has the id {rule!r}")
        )
    roots = tuple(rules or ()) if found.file.user else (data_dir("rules"),)
    for root in roots:
        path = root / found.file.path
        if path.is_file():
            Console().print(Syntax(path.read_text(encoding="utf-8"), "yaml", word_wrap=True))
            return


@rules_app.command("lint")
def lint_rules(rules: RulesDir = None) -> None:
    """Check the whole catalogue; exit 2 when a rule has a fault."""
    catalogue = load_catalogue(tuple(rules or ()))
    faults = catalogue.lint()
    console = Console(stderr=True)
    for fault in faults:
        print_diagnostic(console, fault)
    Console().print(f"{len(catalogue.rules)} rules, {len(faults)} faults")
    raise typer.Exit(ExitCode.BAD_INPUT if faults else ExitCode.OK)
