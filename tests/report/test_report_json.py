"""report.json reads back as it was written, and nothing else is taken for one (CM0010)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sample_report import buffer, kernel, launch, program, report_of, sample_report

from migrate.core.diagnostics import UserError
from migrate.report.json_report import read_report
from migrate.report.model import Json, Report, dump_json, totals_of, wilson


def _written(folder: Path, report: Report) -> Path:
    path = folder / "report.json"
    path.write_text(dump_json(report), encoding="utf-8")
    return path


def test_round_trip(tmp_path: Path) -> None:
    report = sample_report()
    path = _written(tmp_path, report)
    assert read_report(path) == report
    assert read_report(tmp_path) == report
    assert dump_json(read_report(path)) == path.read_text(encoding="utf-8")


def test_infinities_and_odd_text_survive(tmp_path: Path) -> None:
    infinite = replace(buffer("y", wrong=1), max_abs=float("inf"), max_rel=float("-inf"))
    row = kernel('k\u2028\x00"', "different", (launch(0, infinite),))
    report = report_of(program("grüße", row, runs=("pass",) * 3))
    assert read_report(_written(tmp_path, report)) == report


def test_nan_survives(tmp_path: Path) -> None:
    odd = replace(buffer("y", wrong=1), cosine=float("nan"))
    report = report_of(
        program("p", kernel("k", "different", (launch(0, odd),)), runs=("pass",) * 3)
    )
    read = read_report(_written(tmp_path, report))
    cosine = read.programs[0].kernels[0].launches[0].buffers[0].cosine
    assert cosine != cosine  # noqa: PLR0124  (only a NaN differs from itself)


def _object(value: Json) -> dict[str, Json]:
    assert isinstance(value, dict)
    return value


def _without(key: str) -> Callable[[dict[str, Json]], None]:
    def change(data: dict[str, Json]) -> None:
        del data[key]

    return change


def _with(key: str, value: Json) -> Callable[[dict[str, Json]], None]:
    def change(data: dict[str, Json]) -> None:
        data[key] = value

    return change


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_without("schema"), "schema None"),
        (_with("schema", 0), "schema 0"),
        (_without("totals"), "report.totals is missing"),
        (_with("seconds", "long"), "report.seconds is str"),
        (_with("seconds", True), "report.seconds is bool"),
        (_with("programs", {}), "report.programs is dict, wanted a list"),
        (_with("programs", [{}]), "report.programs[0].name is missing"),
        (_with("toolchain", [["g++"]]), "report.toolchain[0] has 1 items, wanted 2"),
        (_with("diagnostics", [3]), "report.diagnostics[0] is int, wanted an object"),
    ],
)
def test_a_field_that_does_not_fit(
    tmp_path: Path, change: Callable[[dict[str, Json]], None], named: str
) -> None:
    path = _written(tmp_path, sample_report())
    data = _object(json.loads(path.read_text(encoding="utf-8")))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(UserError) as error:
        read_report(path)
    assert error.value.diagnostic.code.id == "CM0010"
    assert named in error.value.diagnostic.cause


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b"{", b"\xff\xfe{}", b'{"schema": 1}'], ids=repr
)
def test_not_a_report(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(UserError) as error:
        read_report(path)
    assert error.value.diagnostic.code.id == "CM0010"


def test_missing(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "gone" / "report.json"):
        with pytest.raises(UserError) as error:
            read_report(path)
        assert error.value.diagnostic.code.id == "CM0010"


def test_wilson() -> None:
    # Reference values: Wilson (1927) as given by R's binom::binom.confint(method = "wilson").
    half = wilson(5, 10)
    assert (round(half.low, 4), round(half.high, 4)) == (0.2366, 0.7634)
    none = wilson(0, 20)
    assert none.low == 0.0 and round(none.high, 4) == 0.1611
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_totals_stay_apart() -> None:
    totals = totals_of(("equal", "device-equal", "compiled", "emitted", "refused", "different"))
    counts = {
        name: getattr(totals, name).count
        for name in ("emitted", "compiled", "equal", "refused", "different", "not_compared")
    }
    assert counts == {
        "emitted": 5,
        "compiled": 4,
        "equal": 2,
        "refused": 1,
        "different": 1,
        "not_compared": 2,
    }
