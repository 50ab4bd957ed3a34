"""What the rules say of atomic operations on TileLang is what the back end writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from programs import Case, convert

RULES = Path(__file__).parents[2] / "rules" / "atomics"
VALUES = {"i32": "1:i32", "u32": "1:u32", "i64": "1:i64", "u64": "1:u64", "f32": "1.0:f32",
          "f64": "1.0:f64", "f16": "1.0:f16"}  # fmt: skip


@dataclass(frozen=True)
class Spelling:
    """An operation on one type; ``head`` is the rule's text up to the place."""

    op: str
    kind: str
    wants_old: bool
    head: str

    def __str__(self) -> str:
        return f"{self.op}-{self.kind}{'-old' if self.wants_old else ''}"


def spellings() -> Iterator[Spelling]:
    for path in sorted(RULES.glob("*.yaml")):
        rule = yaml.safe_load(path.read_text())
        for form in rule["emits"]["tilelang"]:
            for kind in form["for"]:
                for key in ("expr", "stmt"):
                    yield Spelling(path.stem, kind, key == "expr", form[key].split("$0")[0])


@pytest.mark.parametrize("path", sorted(RULES.glob("*.yaml")), ids=lambda p: p.stem)
def test_every_type_that_cuda_has_is_spelled(path: Path) -> None:
    calls = yaml.safe_load(path.read_text())["match"]["calls"]
    kinds = {c.split()[0] for c in calls}
    assert kinds == {s.kind for s in spellings() if s.op == path.stem}


@pytest.mark.parametrize("spelling", spellings(), ids=str)
def test_the_back_end_writes_what_the_rule_says(spelling: Spelling) -> None:
    value = VALUES[spelling.kind]
    operands = f"{value}, {value}" if spelling.op == "cas" else value
    result = "old" if spelling.wants_old else "_"
    used = "x[0:i32] = old" if spelling.wants_old else ""
    body = f"atomic {result} = {spelling.op} device x[n]({operands}) {used}"
    made = convert(Case("k", f"n: i32, x: ptr<global, {spelling.kind}>", body, {}))
    text = made.files[0].content.decode()
    assert f"{spelling.head}x[n]" in text
    function = re.search(r'"(atomic_\w+)"', spelling.head)
    if function is not None:
        assert f"{function[1]}(" in text
        assert f"T.import_source({function[1].upper()})" in text
