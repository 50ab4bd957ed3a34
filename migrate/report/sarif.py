"""SARIF 2.1.0: the diagnostics of a report, for code hosts and editors.

Only what SARIF is made for goes in: findings with a place. Figures and evidence stay in
``report.json``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import quote

from migrate.report.explanation import page_markdown
from migrate.report.model import DiagnosticRow, Json, Report

SCHEMA_URI = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVEL = {"error": "error", "warning": "warning", "note": "note"}


@dataclass(frozen=True, slots=True)
class _Finding:
    """A diagnostic with the program and the kernel that it belongs to (both "" when neither)."""

    row: DiagnosticRow
    program: str = ""
    kernel: str = ""


def _findings(report: Report) -> tuple[_Finding, ...]:
    """Every diagnostic once; a kernel's own comes before the same one of its program."""
    found: dict[DiagnosticRow, _Finding] = {}
    for program in report.programs:
        for kernel in program.kernels:
            for row in kernel.diagnostics:
                found.setdefault(row, _Finding(row, program.name, kernel.symbol))
        for row in program.diagnostics:
            found.setdefault(row, _Finding(row, program.name))
    for row in report.diagnostics:
        found.setdefault(row, _Finding(row))
    return tuple(found.values())


def _uri(file: str) -> str:
    """A relative path as a relative URI, an absolute one as a ``file:`` URI (SARIF 3.4.3)."""
    path = PurePath(file)
    text = quote(path.as_posix())
    return f"file://{text}" if path.is_absolute() else text


def _message(row: DiagnosticRow) -> str:
    text = f"{row.title}: {row.cause}"
    return f"{text}. What to do: {row.suggestion}" if row.suggestion else text


def _location(row: DiagnosticRow) -> dict[str, Json]:
    region: dict[str, Json] = {"startLine": row.line}
    if row.column >= 1:
        region["startColumn"] = row.column
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(row.file)}, "region": region}}


def _result(finding: _Finding, index: int, target: str) -> dict[str, Json]:
    row = finding.row
    properties: dict[str, Json] = {"outcome": row.outcome, "target": target}
    for key, value in (
        ("program", finding.program),
        ("kernel", finding.kernel),
        ("catalogueRule", row.rule),
        ("trust", row.trust),
    ):
        if value:
            properties[key] = value
    result: dict[str, Json] = {
        "ruleId": row.code,
        "ruleIndex": index,
        "level": _LEVEL[row.severity],
        "message": {"text": _message(row)},
        "properties": properties,
    }
    if row.line >= 1:
        result["locations"] = [_location(row)]
    return result


def _rule(code: str, title: str) -> dict[str, Json]:
    rule: dict[str, Json] = {"id": code, "shortDescription": {"text": title}}
    page = page_markdown(code)
    if page is not None:
        rule["help"] = {"text": page, "markdown": page}
    return rule


def render_sarif(report: Report) -> str:
    """The diagnostics as one SARIF 2.1.0 run; rules are the codes that occur, by code."""
    findings = _findings(report)
    titles = dict(sorted((f.row.code, f.row.title) for f in findings))
    index = {code: i for i, code in enumerate(titles)}
    invocation: dict[str, Json] = {"executionSuccessful": True}
    if report.command:
        invocation["commandLine"] = report.command
    log: dict[str, Json] = {
        "$schema": SCHEMA_URI,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "cudamigrate",
                        "version": report.tool_version,
                        "rules": [_rule(code, title) for code, title in titles.items()],
                    }
                },
                "invocations": [invocation],
                "results": [_result(f, index[f.row.code], report.target) for f in findings],
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"
