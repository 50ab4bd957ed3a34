"""Helpers that are put into a program's files do not use names that programs define as macros."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from migrate.backends.ascendc import host_extremes, host_stubs, simd_dialect, simd_helpers

ROOT = Path(__file__).resolve().parents[2]
HEADERS = (*ROOT.glob("rules/preludes/**/*.h"), *ROOT.glob("templates/ascendc/*.h"))
PARAMETER = re.compile(r"\b(?:typename|class)\s+[A-Z]\b")


@pytest.mark.parametrize("path", HEADERS, ids=lambda p: p.name)
def test_no_template_parameter_of_one_letter_in_a_header(path: Path) -> None:
    """``#define T double`` is common, and the helpers stand behind it."""
    assert PARAMETER.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("module", [host_extremes, host_stubs, simd_dialect, simd_helpers])
def test_no_template_parameter_of_one_letter_in_a_module(module: object) -> None:
    assert inspect.ismodule(module)
    assert PARAMETER.findall(inspect.getsource(module)) == []
