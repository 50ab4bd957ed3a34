"""JUnit XML, for the test view of CI servers: a suite a program, a case a kernel.

* equal: the case passes;
* different: the case fails;
* refused, or numbers not compared: the case is skipped with the reason, since JUnit has no third
  state and neither is a success. ``cudamigrate gate`` is the command that turns them into failures.

A further case, "whole program", holds the migrated program's own check.
"""

from __future__ import annotations

import re
from datetime import datetime
from xml.etree import ElementTree

from migrate.pipeline.own_check import passes
from migrate.report.model import KernelRow, LaunchRow, ProgramRow, Report
from migrate.verify.evidence import EQUAL_NAMES

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
WHOLE_PROGRAM = "whole program"


def _clean(text: str) -> str:
    """XML 1.0 has no way to write control characters; they become U+FFFD."""
    return _NOT_XML.sub("\ufffd", text)


def _child(parent: ElementTree.Element, tag: str, message: str, text: str = "") -> None:
    element = ElementTree.SubElement(parent, tag, {"message": _clean(message)})
    if text:
        element.text = _clean(text)


def _launch_line(launch: LaunchRow) -> str:
    size = f"grid {launch.grid} block {launch.block}"
    if launch.problem:
        return f"launch {launch.seq} ({launch.source}, {size}): {launch.problem}"
    wrong = [f"{b.name}: {b.wrong} elements wrong" for b in launch.buffers if not b.equal]
    state = "; ".join(wrong) if wrong else "equal"
    return f"launch {launch.seq} ({launch.source}, {size}): {state}"


def _reasons(row: KernelRow) -> str:
    return "; ".join(f"{d.code}: {d.title}" for d in row.diagnostics if d.severity != "note")


def _kernel_case(suite: ElementTree.Element, program: ProgramRow, row: KernelRow) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "classname": _clean(program.name),
            "name": _clean(row.symbol),
            "file": _clean(row.file),
            "line": str(row.line),
            "time": "0",
        },
    )
    if row.verdict == "different":
        lines = "\n".join(_launch_line(x) for x in row.launches if not x.equal)
        _child(case, "failure", _reasons(row) or "numbers differ from the original", lines)
    elif row.verdict not in EQUAL_NAMES:
        _child(case, "skipped", _reasons(row) or f"{row.verdict}: no numbers were compared")
    detail = [f"rung {row.rung}, {row.compared} of {row.total_launches} launches compared"]
    detail += [_launch_line(x) for x in row.launches]
    ElementTree.SubElement(case, "system-out").text = _clean("\n".join(detail))


def _program_case(suite: ElementTree.Element, program: ProgramRow) -> None:
    """The whole-program check counts only when the same program fails without its kernels."""
    if program.migrated_run == "not-run":
        return
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {"classname": _clean(program.name), "name": WHOLE_PROGRAM, "time": "0"},
    )
    runs = (
        f"original {program.original_run}, migrated {program.migrated_run}, "
        f"kernels skipped {program.control_run}"
    )
    if program.stopped_at_refused:
        _child(case, "skipped", f"the program stops at a refused kernel: {runs}", program.detail)
    elif program.check_failed:
        _child(case, "failure", f"own check of the migrated program: {runs}", program.detail)
    elif not passes(program.migrated_run):
        _child(case, "skipped", f"the program has no check of its own: {runs}")
    elif program.control_run != "fail":
        _child(case, "skipped", f"the check was not shown to fail without kernels: {runs}")
    ElementTree.SubElement(case, "system-out").text = runs


def _counted(element: ElementTree.Element, cases: list[ElementTree.Element]) -> None:
    element.set("tests", str(len(cases)))
    element.set("failures", str(sum(c.find("failure") is not None for c in cases)))
    element.set("errors", "0")
    element.set("skipped", str(sum(c.find("skipped") is not None for c in cases)))


def _timestamp(date: str) -> str | None:
    """The time of a run (``2026-01-31 12:00:00 UTC`` or ISO 8601) as JUnit writes it."""
    try:
        time = datetime.fromisoformat(date.replace(" UTC", "+00:00"))
    except ValueError:
        return None
    return time.isoformat(timespec="seconds")


def render_junit(report: Report) -> str:
    """The report as JUnit XML."""
    root = ElementTree.Element(
        "testsuites", {"name": f"cudamigrate {report.target}", "time": f"{report.seconds:.3f}"}
    )
    timestamp = _timestamp(report.date)
    for program in report.programs:
        suite = ElementTree.SubElement(
            root, "testsuite", {"name": _clean(program.name), "time": "0"}
        )
        if timestamp is not None:
            suite.set("timestamp", timestamp)
        for row in program.kernels:
            _kernel_case(suite, program, row)
        _program_case(suite, program)
        _counted(suite, list(suite.iter("testcase")))
    _counted(root, list(root.iter("testcase")))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'
