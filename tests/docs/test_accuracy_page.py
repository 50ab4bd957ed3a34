"""The accuracy page is what the stored scores say, and the scores say that nothing is wrong."""

from __future__ import annotations

from pathlib import Path

from migrate.report.accuracy import accuracy_page, load_scores

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_is_generated() -> None:
    page = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    assert page == accuracy_page(DOCS / "accuracy")


def test_no_corpus_kernel_is_different() -> None:
    scores = {s.name: s for s in load_scores(DOCS / "accuracy")}
    assert {k["verdict"] for k in scores["corpus"].kernels} <= {"equal-captured", "refused"}


def test_every_different_kernel_is_explained() -> None:
    notes = (DOCS / "accuracy" / "notes.md").read_text(encoding="utf-8")
    for score in load_scores(DOCS / "accuracy"):
        for k in score.kernels:
            if k["verdict"] == "different":
                assert f"`{k['program']}`" in notes, k
