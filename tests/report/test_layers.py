"""The table of layers: how names are sorted, what counts as moved, and where it is shown."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from migrate.report.html import render_html
from migrate.report.json_report import read_report
from migrate.report.layers import LAYERS, layer_of, layer_rows
from migrate.report.model import dump_json
from migrate.report.terminal import print_report
from tests.report.sample_report import sample_report

EVIL = "<b>&"


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("cudaMalloc", "memory"),
        ("cudaMemcpyPeer", "communication"),
        ("ncclAllReduce", "communication"),
        ("cudaGetLastError", "debugging"),
        ("nvtxRangePushA", "profiling"),
        ("cudaEventElapsedTime", "profiling"),
        ("NvInfer", "model formats"),
        ("cublasSgemm", "kernels"),
        ("cudaStreamCreate", "kernels"),
    ],
)
def test_names_have_a_layer(name: str, layer: str) -> None:
    assert layer_of(name) == layer


def test_what_moved_and_what_remains() -> None:
    calls = [("cudaMalloc", "call", 3), ("cudaMallocArray", "call", 1)]
    stubbed = ["cudaMallocArray with 4 arguments: none", "#include <NvInfer.h>: no rule covers it"]
    rows = {r.layer: r for r in layer_rows((), calls, stubbed)}
    assert tuple(rows) == LAYERS
    memory, models = rows["memory"], rows["model formats"]
    assert (memory.found, memory.moved, memory.remains) == (4, 3, ("cudaMallocArray",))
    assert (models.found, models.moved, models.remains) == (1, 0, ("NvInfer",))
    assert (rows["profiling"].found, rows["profiling"].remains) == (0, ())


def test_every_format_shows_the_layers(tmp_path: Path) -> None:
    report = sample_report()
    rows = layer_rows((), [("cudaMalloc", "call", 3)], [f"cudaFooBar{EVIL}: none"])
    rows = tuple(replace(r, remains=(EVIL,)) if r.remains else r for r in rows)
    shown = replace(report, programs=(replace(report.programs[0], layers=rows),))
    out = io.StringIO()
    print_report(Console(file=out, width=140), shown)
    assert "model formats" in out.getvalue()
    assert EVIL in out.getvalue()
    page = render_html(shown)
    assert "Layers of the port" in page
    assert EVIL not in page
    assert "&lt;b&gt;" in page
    place = tmp_path / "report.json"
    place.write_text(dump_json(shown), encoding="utf-8")
    assert read_report(place).programs[0].layers == rows
