"""SARIF and JUnit of a fixed report, and how they treat odd input."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from sample_report import (
    BARRIER,
    buffer,
    kernel,
    launch,
    program,
    report_of,
    sample_report,
)
from syrupy.assertion import SnapshotAssertion

from migrate.report.junit import render_junit
from migrate.report.sarif import render_sarif


def _run(text: str) -> dict[str, Any]:
    (run,) = json.loads(text)["runs"]
    assert isinstance(run, dict)
    return run


def _without_pages(text: str) -> str:
    """SARIF without the embedded pages, which change when their wording does."""
    data = json.loads(text)
    for rule in data["runs"][0]["tool"]["driver"]["rules"]:
        assert rule.pop("help")["markdown"].startswith(f"# {rule['id']}: ")
    return json.dumps(data, indent=2)


def test_sarif(snapshot: SnapshotAssertion) -> None:
    assert _without_pages(render_sarif(sample_report())) == snapshot


def test_sarif_results_point_to_their_rules() -> None:
    run = _run(render_sarif(sample_report()))
    rules = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in rules] == sorted({r["id"] for r in rules})
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")


def test_sarif_names_a_finding_once_and_places_only_what_has_a_place() -> None:
    placeless = replace(BARRIER, code="CM0001", file="<none>", line=0, column=0)
    one = program("p", kernel("k", "refused", (), (BARRIER,)), runs=("pass", "not-run", "not-run"))
    report = replace(report_of(replace(one, diagnostics=(BARRIER,))), diagnostics=(placeless,))
    results = _run(render_sarif(report))["results"]
    assert [(r["ruleId"], "locations" in r) for r in results] == [
        ("CM3001", True),
        ("CM0001", False),
    ]


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/k#1.cu", "a%20b/k%231.cu"),
        ("/src/k.cu", "file:///src/k.cu"),
        ("grüße.cu", "gr%C3%BC%C3%9Fe.cu"),
    ],
)
def test_sarif_uris(file: str, uri: str) -> None:
    row = kernel("k", "refused", (), (replace(BARRIER, file=file),))
    (result,) = _run(render_sarif(report_of(program("p", row, runs=("pass",) * 3))))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_junit(snapshot: SnapshotAssertion) -> None:
    assert render_junit(sample_report()) == snapshot


def _cases(text: str) -> dict[str, str]:
    """Case name to its state, for reports of one program."""
    states: dict[str, str] = {}
    for case in ElementTree.fromstring(text.encode()).iter("testcase"):
        found = [c.tag for c in case if c.tag != "system-out"]
        assert len(found) <= 1
        states[case.attrib["name"]] = found[0] if found else "pass"
    return states


@pytest.mark.parametrize(
    ("verdict", "state"),
    [
        ("device-equal", "pass"),
        ("equal", "pass"),
        ("equal-captured", "pass"),
        ("compiled", "skipped"),
        ("emitted", "skipped"),
        ("refused", "skipped"),
        ("different", "failure"),
    ],
)
def test_junit_kernels(verdict: str, state: str) -> None:
    one = program("p", kernel("k", verdict), runs=("pass", "not-run", "not-run"))
    assert _cases(render_junit(report_of(one))) == {"k": state}


@pytest.mark.parametrize(
    ("runs", "state"),
    [
        (("pass", "pass", "fail"), "pass"),
        (("pass", "pass", "pass"), "skipped"),
        (("pass", "pass", "not-run"), "skipped"),
        (("no-check", "no-check", "not-run"), "skipped"),
        (("pass", "fail", "fail"), "failure"),
        (("pass", "error", "fail"), "failure"),
    ],
)
def test_junit_whole_program(runs: tuple[str, str, str], state: str) -> None:
    cases = _cases(render_junit(report_of(program("p", kernel("k", "equal"), runs=runs))))
    assert cases["whole program"] == state


def test_junit_counts_add_up() -> None:
    root = ElementTree.fromstring(render_junit(sample_report()).encode())
    suites = list(root.iter("testsuite"))
    for name in ("tests", "failures", "skipped"):
        assert int(root.attrib[name]) == sum(int(s.attrib[name]) for s in suites)
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["skipped"]) == (
        "6",
        "1",
        "2",
    )


def test_junit_survives_what_xml_cannot_say() -> None:
    text = "\x1b[31mred\x1b[0m \x00 ]]> <b> & \ud800"
    bad = kernel("k<\x01>", "different", (launch(0, buffer("y", wrong=1), problem=text),))
    root = ElementTree.fromstring(
        render_junit(report_of(program(text, bad, runs=("pass", "not-run", "not-run")))).encode()
    )
    (case,) = root.iter("testcase")
    assert case.attrib["name"] == "k<\ufffd>"
    assert "]]> <b> &" in (case.findtext("failure") or "")


def test_junit_of_nothing() -> None:
    root = ElementTree.fromstring(render_junit(report_of()).encode())
    assert root.attrib["tests"] == "0" and list(root) == []
