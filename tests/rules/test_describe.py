"""Pages, tables and the schema are made from the catalogue and say what is in it."""

from __future__ import annotations

import json

import pytest
import yaml

from migrate.core.resources import data_dir
from migrate.core.targets import Target
from migrate.rules.catalogue import load_catalogue
from migrate.rules.describe import (
    KIND_TITLES,
    coverage_counts,
    coverage_page,
    coverage_rows,
    json_schema,
    rule_page,
)
from migrate.rules.host_tables import FOLDER
from migrate.rules.model import Rule, RuleKind

CATALOGUE = load_catalogue()


@pytest.mark.parametrize("rule", CATALOGUE.rules, ids=lambda r: r.id)
def test_page_holds_every_spelling(rule: Rule) -> None:
    page = rule_page(rule)
    assert page.startswith(f"# {rule.id}\n")
    for entry in rule.emits:
        for _, template in entry.forms:
            assert template in page
        if entry.code is not None:
            assert entry.code in page


def test_page() -> None:
    rule = CATALOGUE.rule("intrinsics.rsqrtf")
    assert rule is not None
    page = rule_page(rule)
    assert "Composed.\n\nvector unit:\n\n```cpp\nAscendC::Sqrt($tmp, $0, $count);" in page
    assert "Needs `$tmp` (f32), `$one` (f32) in the unified buffer." in page
    assert "CUDA's own error is at most 2 ulp." in page


def test_coverage_names_every_rule() -> None:
    page = coverage_page(CATALOGUE)
    assert set(KIND_TITLES) == set(RuleKind)
    assert all(f"| {rule.id} |" in page for rule in CATALOGUE.rules)
    (row,) = [r for r in coverage_rows(CATALOGUE, RuleKind.ATOMIC) if r[0] == "atomics.cas"]
    assert row[2:4] == ("emulated", "none")


def test_counts_add_up() -> None:
    kinds = (RuleKind.HOST, RuleKind.HOST_NAME)
    device = sum(1 for r in CATALOGUE.rules if r.kind not in kinds)
    counts = dict(coverage_counts(CATALOGUE))
    assert set(counts) == {t.value for t in Target}
    assert all(sum(c) == device for c in counts.values())


def _accepts(schema: dict[str, object], value: object, path: str) -> None:
    """The few keywords that our schema uses, checked by hand."""
    options = schema.get("oneOf")
    if isinstance(options, list):
        errors = []
        for option in options:
            try:
                _accepts(option, value, path)
            except AssertionError as error:
                errors.append(str(error))
        assert len(errors) < len(options), errors
        return
    if "enum" in schema:
        assert value in schema["enum"], f"{path}: {value}"  # type: ignore[operator]
    kinds = {
        "object": dict,
        "array": list,
        "string": (str, int, float),
        "number": (int, float),
        "boolean": bool,
    }
    kind = schema.get("type")
    if isinstance(kind, str):
        assert isinstance(value, kinds[kind]), f"{path}: {value!r} is no {kind}"  # type: ignore[arg-type]
    if isinstance(value, dict):
        properties = schema.get("properties")
        for name in schema.get("required", []):  # type: ignore[attr-defined]
            assert name in value, f"{path} lacks {name}"
        for key, inner in value.items():
            if isinstance(properties, dict) and key in properties:
                _accepts(properties[key], inner, f"{path}.{key}")
            else:
                assert schema.get("additionalProperties") is not False, f"{path}.{key}"
    if isinstance(value, list) and "items" in schema:
        for i, inner in enumerate(value):
            _accepts(schema["items"], inner, f"{path}[{i}]")  # type: ignore[arg-type]


def test_schema_takes_every_rule() -> None:
    schema = json.loads(json_schema())
    for rule in CATALOGUE.rules:
        if rule.file.path.parts[0] == FOLDER:
            continue  # a table holds many rules and has fields of its own
        text = (data_dir("rules") / rule.file.path).read_text(encoding="utf-8")
        _accepts(schema, yaml.load(text, Loader=yaml.CSafeLoader), rule.id)


def test_shipped_schema_is_current() -> None:
    """Made by ``migrate.rules.describe.json_schema``; write it again when fields change."""
    shipped = (data_dir("rules") / "schema.json").read_text(encoding="utf-8")
    assert shipped == json_schema()


def test_schema_refuses_a_slip() -> None:
    schema = json.loads(json_schema())
    text = (data_dir("rules") / "intrinsics" / "expf.yaml").read_text(encoding="utf-8")
    with pytest.raises(AssertionError, match="suport"):
        _accepts(schema, yaml.safe_load(text.replace("support:", "suport:", 1)), "rule")
