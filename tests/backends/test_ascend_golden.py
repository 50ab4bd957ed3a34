"""Whole migrated files of some corpus programs, as a reader sees them.

``pytest --snapshot-update`` rewrites them; read the difference before you commit it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from migrate.core.targets import Target
from tests.backends.conftest import Convert

CORPUS = Path(__file__).parents[2] / "corpus"
PROGRAMS = [
    "elementwise/saxpy",
    "elementwise/bias_gelu",
    "elementwise/pitched_add",
    "elementwise/daxpy",
    "image/rgba_to_ycbcr",
    "iterative/mandelbrot",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_ascend_950(convert: Convert, snapshot: SnapshotAssertion, program: str) -> None:
    source = CORPUS / program / f"{Path(program).name}.cu"
    artifact = convert(source, Target.ASCEND_950)
    assert [str(f.path) for f in artifact.files] == [f"{source.stem}.asc"]
    assert artifact.files[0].content.decode() == snapshot


@pytest.mark.parametrize("program", PROGRAMS)
def test_kernel_lines_and_source_map_point_at_the_kernel(convert: Convert, program: str) -> None:
    source = CORPUS / program / f"{Path(program).name}.cu"
    artifact = convert(source, Target.ASCEND_950)
    lines = artifact.files[0].content.decode().split("\n")
    original = source.read_text().split("\n")
    for kernel in artifact.kernels:
        shown = "\n".join(lines[kernel.first_line - 1 : kernel.last_line])
        assert shown.strip() == kernel.text.strip()
    mapped = dict(artifact.line_map)[artifact.files[0].path]
    assert bool(mapped) == bool(artifact.kernels)
    for entry in mapped:
        assert 1 <= entry.span.line <= len(original)
    texts = {lines[e.line - 1].strip(): original[e.span.line - 1].strip() for e in mapped}
    if program == "elementwise/saxpy":
        assert texts["y[i] = a * x[i] + y[i];"] == "y[i] = a * x[i] + y[i];"
