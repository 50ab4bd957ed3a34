"""docs/cli.md names every command, option and exit code, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
import typer.main

from migrate.cli.app import app
from migrate.cli.exit_codes import ExitCode
from migrate.verify.evidence import Verdict

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


def _commands() -> dict[str, click.Command]:
    # Newer typer brings a click of its own, so classes are not compared.
    group = typer.main.get_command(app)
    return dict(getattr(group, "commands"))  # noqa: B009


COMMANDS = _commands()


def _section(name: str) -> str:
    found = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"no section '## {name}'"
    return found.group(1)


def _long_options(command: click.Command) -> set[str]:
    return {
        name
        for p in command.params
        if p.param_type_name == "option"
        for name in p.opts
        if name.startswith("--") and name != "--help"
    }


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_command_and_its_options(name: str) -> None:
    assert f"cudamigrate {name}" in PAGE
    text = _section(name)
    command = COMMANDS[name]
    subcommands = getattr(command, "commands", None)
    if subcommands is not None:
        assert [c for c in subcommands if f"`{name} {c}" not in text] == []
        return
    rows = "\n".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(--[\w-]+)`", rows)) == _long_options(command)


def test_exit_codes() -> None:
    rows = re.findall(r"^\| (\d) \|", _section("Exit codes"), re.MULTILINE)
    assert [int(r) for r in rows] == [c.value for c in ExitCode]


def test_verdicts() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|", _section("Verdicts"), re.MULTILINE)
    assert rows == [v.value for v in Verdict]
