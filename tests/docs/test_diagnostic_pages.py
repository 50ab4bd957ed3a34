"""Every code has a page of one form, and every page has a code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from migrate.core.codes import all_codes

PAGES = Path(__file__).parents[2] / "docs" / "diagnostics"
SECTIONS = ["Cause", "Example", "Output", "What to do"]
CODES = all_codes()


def test_every_code_has_a_page() -> None:
    assert [c for c in CODES if not (PAGES / f"{c}.md").is_file()] == []


def test_every_page_has_a_code() -> None:
    assert [
        p.name for p in sorted(PAGES.iterdir()) if p.stem not in CODES or p.suffix != ".md"
    ] == []


@pytest.mark.parametrize("code", CODES)
def test_page_form(code: str) -> None:
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    head, *_ = text.split("\n## ")
    title, _, meaning = head.partition("\n")
    assert title == f"# {code}: {CODES[code].title}"
    assert meaning.strip().endswith("."), "the meaning is whole sentences"
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    bodies = [part.partition("\n")[2].strip() for part in text.split("\n## ")[1:]]
    assert all(bodies), "no section is empty"
    assert re.search(r"^```\w+\n.+?\n```$", bodies[1], re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", CODES)
def test_page_states_facts(code: str) -> None:
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert re.findall(r"\b(?:might|probably|perhaps|please)\b", text, re.IGNORECASE) == []
