"""The table of host API coverage: its stored form and its page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from migrate.pipeline.api_coverage import ApiCoverage
from migrate.report.model import to_json

HEADER = (
    "library", "call sites", "migrated", "stubbed", "unknown", "functions", "of them migrated",
)  # fmt: skip
_INTRO = """# Host API

How many of the calls of CUDA's host API in public test suites are migrated to Ascend. A call site
is a name of a CUDA library in front of parentheses, wherever it stands in a file, so calls in code
that is never compiled count too.

* **migrated**: a rule spells the call for the target;
* **stubbed**: a rule says that the target has no such thing;
* **unknown**: no rule knows the call.

Stubbed and unknown calls both become a call that ends the program with
[CM4003](diagnostics/CM4003.md) where it is reached, and are listed by it; none is dropped or left
as it was.
"""


def dump_coverage(coverage: ApiCoverage, title: str, command: str, date: str) -> str:
    """The stored figures of one suite and target."""
    facts = {"title": title, "command": command, "date": date, **_plain(coverage)}
    return json.dumps(facts, indent=1, ensure_ascii=False) + "\n"


def _plain(coverage: ApiCoverage) -> dict[str, object]:
    plain = cast("dict[str, object]", to_json(coverage))
    plain["missing"] = [list(x) for x in coverage.missing[:40]]
    return plain


def table_rows(coverage: ApiCoverage) -> tuple[tuple[str, ...], ...]:
    """The table's cells, a last row with the sums."""
    rows = [
        (r.library, r.sites, r.migrated, r.stubbed, r.unknown, r.names, r.names_migrated)
        for r in coverage.rows
    ]
    return tuple(_cells(r) for r in rows)


def _cells(row: tuple[str, int, int, int, int, int, int]) -> tuple[str, ...]:
    library, sites, migrated, *rest = row
    share = f"{migrated} ({100 * migrated / sites:.1f} %)" if sites else "0"
    return (library, str(sites), share, *map(str, rest))


def host_api_page(folder: Path) -> str:
    """The page from every file of figures in a folder."""
    parts = [_INTRO]
    for path in sorted(folder.glob("*.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        parts.append(f"## {facts['title']}, {facts['target']}\n")
        parts.append(f"`{facts['command']}`, {facts['date']}, {facts['files']} files with calls.\n")
        lines = [_line(HEADER), _line(("---", *["---:"] * (len(HEADER) - 1)))]
        for r in facts["rows"]:
            sites = r["migrated"] + r["stubbed"] + r["unknown"]
            cells = (r["library"], sites, r["migrated"], r["stubbed"], r["unknown"])
            lines.append(_line(_cells((*cells, r["names"], r["names_migrated"]))))
        parts.append("\n".join(lines) + "\n")
        top = ", ".join(f"`{name}` {count}" for name, count in facts["missing"][:20])
        parts.append(f"Most frequent of those that are not migrated: {top}.\n")
    return "\n".join(parts)


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
