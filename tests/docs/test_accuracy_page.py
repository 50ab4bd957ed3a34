"""The accuracy page is what the stored scores say, and the scores say that nothing is wrong."""

from __future__ import annotations

from pathlib import Path

from migrate.report.accuracy import StoredScore, accuracy_page, load_scores, render_accuracy
from migrate.report.ascend_projects import load_projects
from migrate.report.originals import load_originals

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_is_generated() -> None:
    page = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    assert page == accuracy_page(DOCS / "accuracy")


def test_no_corpus_kernel_is_different() -> None:
    scores = {s.name: s for s in load_scores(DOCS / "accuracy")}
    known = {"equal", "equal-captured", "refused"}
    assert {k["verdict"] for k in scores["corpus"].kernels} <= known


def test_every_different_kernel_is_explained() -> None:
    notes = (DOCS / "accuracy" / "notes.md").read_text(encoding="utf-8")
    for score in load_scores(DOCS / "accuracy"):
        for k in score.kernels:
            if k["verdict"] == "different":
                assert f"`{k['program']}`" in notes, k


def test_every_original_that_does_not_pass_is_explained() -> None:
    notes = (DOCS / "accuracy" / "notes.md").read_text(encoding="utf-8")
    suites = load_originals(DOCS / "accuracy" / "originals")
    assert suites
    for row in (r for s in suites for r in s.rows):
        assert not row.control_passed, row
        assert row.exact == row.replayed, row
        if not row.passed or row.stored_bytes > row.cap_bytes:
            assert f"`{row.program}`" in notes, row


def test_every_ascend_project_that_does_not_pass_is_explained() -> None:
    for stored in load_projects(DOCS / "accuracy" / "ascend-projects"):
        checked = [p for p in stored.programs if p.self_checked]
        failing = [p for p in checked if not p.passed]
        assert 5 * len(failing) <= len(checked)
        for program in failing:
            assert f"`{program.program}`" in stored.notes, program


def _kernel(target: str, group: str, rung: str, verdict: str) -> dict[str, object]:
    return {
        "program": "p",
        "group": group,
        "target": target,
        "rung": rung,
        "verdict": verdict,
        "codes": [],
    }


def test_equal_kernels_are_counted_by_archetype_and_rung() -> None:
    kernels = (
        _kernel("tilelang", "norm", "tile", "equal"),
        _kernel("tilelang", "norm", "lanes", "equal-captured"),
        _kernel("tilelang", "norm", "lanes", "different"),
        _kernel("tilelang", "map", "tile", "compiled"),
        _kernel("ascend950", "norm", "simt", "equal"),
    )
    page = render_accuracy((StoredScore("s", "Suite", "today", "score", (), kernels, ()),))
    assert "| target | archetype | equal/kernels | tile | lanes | simt |" in page
    assert "| tilelang | map | 0/1 | 0/1 |  |  |" in page
    assert "| tilelang | norm | 2/3 | 1/1 | 1/2 |  |" in page
    assert "| ascend950 | norm | 1/1 |  |  | 1/1 |" in page


def test_kernels_without_an_archetype_make_no_table() -> None:
    kernels = (_kernel("tilelang", "", "tile", "equal"),)
    page = render_accuracy((StoredScore("s", "Suite", "today", "score", (), kernels, ()),))
    assert "archetype" not in page
