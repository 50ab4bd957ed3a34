"""Each fault of a rule file is found and told with the file (and the line, where one line is at fault)."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic
from migrate.rules.catalogue import Catalogue, load_catalogue, make_catalogue
from migrate.rules.host_tables import load_table
from migrate.rules.lint import CHECKS, lint_rules
from migrate.rules.load import load_preludes, load_rule, rule_files
from migrate.rules.model import Form, Rule

GOOD = """\
id: intrinsics.half_of
kind: intrinsic
summary: Half of x.
status: stable
since: 0.1.0

match:
  calls:
    - f32 half_of(f32)

produces: {op: abs, args: [$0]}

emits:
  tilelang:
    support: native
    expr: $0 * T.float32(0.5)
  ascend910b:
    support: composed
    vector: |
      AscendC::Duplicate($tmp, 0.5f, $count);
      AscendC::Mul($dst, $0, $tmp, $count);
    scalar: $0 * 0.5f
    scratch: {tmp: f32}
  ascend950:
    support: native
    expr: $0 * 0.5f

numerics: {exact: true}
performance: One multiplication.
references:
  - https://docs.nvidia.com/cuda/cuda-math-api/

examples:
  - name: of a float
    cuda: half_of(x)
    with: {x: float}
    ir: half_of(x)
near_misses:
  - name: of a double
    call: f64 half_of(f64)
"""


def findings(folder: Path, files: dict[str, str]) -> tuple[Diagnostic, ...]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    preludes = load_preludes(folder)
    loaded = [load_rule(p, folder, preludes) for p in rule_files(folder)]
    faults = [d for _, found in loaded for d in found]
    return make_catalogue([r for r, _ in loaded if r is not None], faults).lint()


def test_the_good_rule_is_good(tmp_path: Path) -> None:
    assert findings(tmp_path, {"intrinsics/half_of.yaml": GOOD}) == ()


CHANGES = {
    "id that is not the path": ("id: intrinsics.half_of", "id: intrinsics.halves", "does not say the path"),
    "unknown field": ("status: stable", "status: stable\nmood: good", "no field 'mood'"),
    "field twice": ("since: 0.1.0", "since: 0.1.0\nsince: 0.2.0", "stands twice"),
    "missing summary": ("summary: Half of x.\n", "", "lacks 'summary'"),
    "unknown kind": ("kind: intrinsic", "kind: magic", "'magic', not one of"),
    "unknown status": ("status: stable", "status: good", "'good', not one of"),
    "no match": ("match:\n  calls:\n    - f32 half_of(f32)\n", "", "lacks 'match'"),
    "bad signature": ("- f32 half_of(f32)", "- half_of", "is not 'result name(types)'"),
    "overload twice": ("- f32 half_of(f32)", "- f32 half_of(f32)\n    - f32 half_of(f32)", "stands twice"),
    "unknown target": ("  ascend950:\n", "  ascend910c:\n", "'ascend910c' is not one of"),
    "missing target": ("  ascend950:\n    support: native\n    expr: $0 * 0.5f\n", "", "'ascend950' is missing"),
    "none without a code": (
        "    support: native\n    expr: $0 * 0.5f",
        "    support: none",
        "support 'none' needs a code",
    ),
    "none with an unknown code": (
        "    support: native\n    expr: $0 * 0.5f",
        "    support: none\n    code: CM4999",
        "no code CM4999",
    ),
    "support without a spelling": (
        "    support: native\n    expr: $0 * 0.5f",
        "    support: native",
        "needs a spelling",
    ),
    "unbound operand": ("scalar: $0 * 0.5f", "scalar: $1 * 0.5f", "$1 in 'scalar' of 'ascend910b' is not bound"),
    "unbound buffer": ("scratch: {tmp: f32}", "scratch: {other: f32}", "$tmp in 'vector'"),
    "buffer nobody uses": ("scratch: {tmp: f32}", "scratch: {tmp: f32, more: f32}", "'more' of 'ascend910b' is not used"),
    "count outside a vector form": ("expr: $0 * 0.5f", "expr: $0 * $count", "$count in 'expr'"),
    "operand read after the result is written": (
        "AscendC::Duplicate($tmp, 0.5f, $count);",
        "AscendC::Duplicate($dst, 0.5f, $count);",
        "reads an operand after it has written $dst",
    ),
    "vector form on TileLang": ("    expr: $0 * T.float32(0.5)", "    vector: $dst = $0", "'vector' does not fit 'tilelang'"),
    "TileLang text that is no Python": ("expr: $0 * T.float32(0.5)", "expr: $0 * T.float32(0.5", "is not Python"),
    "brackets left open": ("scalar: $0 * 0.5f", "scalar: ($0 * 0.5f", "unbalanced brackets"),
    "helper that is not there": ("scratch: {tmp: f32}", "scratch: {tmp: f32}\n    prelude: [halve]", "no helper preludes/ascend910b/halve"),
    "unknown operation": ("{op: abs,", "{op: halve,", "no operation 'halve'"),
    "operation with too many operands": ("{op: abs, args: [$0]}", "{op: abs, args: [$0, $1]}", "does not take 2 operands"),
    "no example": (
        "examples:\n  - name: of a float\n    cuda: half_of(x)\n    with: {x: float}\n    ir: half_of(x)\n",
        "",
        "there is no example",
    ),
    "no near-miss": ("near_misses:\n  - name: of a double\n    call: f64 half_of(f64)\n", "", "there is no near-miss"),
    "near-miss that matches": ("call: f64 half_of(f64)", "call: f32 half_of(f32)", "is noisy"),
    "near-miss of nothing": ("    call: f64 half_of(f64)\n", "", "neither 'call' nor 'cuda'"),
    "unmeasured factor": ("performance: One multiplication.", "performance: Runs 3x as fast.", "that nobody measured"),
    "unmeasured share": ("performance: One multiplication.", "performance: Saves 20 % of the time.", "that nobody measured"),
    "unknown predicate": (
        "produces:",
        "conditions:\n  - {check: is_lucky, args: [$0], otherwise: CM2002}\nproduces:",
        "no predicate 'is_lucky'",
    ),
    "condition with an unknown code": (
        "produces:",
        "conditions:\n  - {check: is_constant, args: [$0], otherwise: CM2999}\nproduces:",
        "no code 'CM2999'",
    ),
    "condition that no near-miss fails": (
        "produces:",
        "conditions:\n  - {check: is_constant, args: [$0], otherwise: CM2002}\nproduces:",
        "no near-miss fails the condition",
    ),
    "fragment in an intrinsic": ("  calls:", "  cuda: $X + 1\n  where: {X: int}\n  calls:", "does not fit kind"),
    "metavariable without a type": ("  calls:", "  cuda: $X + 1\n  calls:", "$X is not in both"),
    "entry that is never asked": (
        "  ascend950:\n    support: native\n    expr: $0 * 0.5f",
        "  ascend950:\n    - support: native\n      expr: $0 * 0.5f\n    - for: [f32]\n      support: native\n      expr: $0 / 2.0f",
        "is never reached",
    ),
    "exactness of a form that does not exist": ("scratch: {tmp: f32}", "scratch: {tmp: f32}\n    exact: [vectors]", "'vectors' is neither true, false nor a form"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_fault(name: str, tmp_path: Path) -> None:
    old, new, expected = CHANGES[name]
    assert GOOD.count(old) == 1, "the change hits one place"
    found = findings(tmp_path, {"intrinsics/half_of.yaml": GOOD.replace(old, new)})
    assert any(expected in d.cause for d in found), [d.cause for d in found]
    assert all(d.code is usage.BAD_RULE_FILE for d in found)
    assert all(d.span.file == "rules/intrinsics/half_of.yaml" for d in found)


def test_every_check_has_a_fault_here() -> None:
    """One that is added needs a case above or below; the number is the reminder."""
    assert len(CHECKS) == 12


def test_a_fault_names_its_line(tmp_path: Path) -> None:
    bad = GOOD.replace("kind: intrinsic", "kind: magic")
    (fault,) = findings(tmp_path, {"intrinsics/half_of.yaml": bad})
    assert (fault.span.line, fault.span.column) == (2, 7)


def test_broken_yaml(tmp_path: Path) -> None:
    (fault,) = findings(tmp_path, {"intrinsics/half_of.yaml": "id: [1, 2\nkind: x\n"})
    assert "not YAML" in fault.cause
    assert fault.span.line >= 2


def test_a_list_is_no_rule(tmp_path: Path) -> None:
    (fault,) = findings(tmp_path, {"intrinsics/half_of.yaml": "- 1\n- 2\n"})
    assert "does not hold a mapping" in fault.cause


def test_bytes_are_no_rule(tmp_path: Path) -> None:
    path = tmp_path / "intrinsics" / "half_of.yaml"
    path.parent.mkdir()
    path.write_bytes(b"\xff\xfe\x00id")
    _, (fault,) = load_rule(path, tmp_path, load_preludes(tmp_path))
    assert "cannot be read" in fault.cause


def test_two_rules_for_one_overload(tmp_path: Path) -> None:
    other = GOOD.replace("intrinsics.half_of", "intrinsics.halved")
    found = findings(tmp_path, {"intrinsics/half_of.yaml": GOOD, "intrinsics/halved.yaml": other})
    assert any("belongs to 'intrinsics.half_of'" in d.cause for d in found)


def test_two_rules_for_one_host_call(tmp_path: Path) -> None:
    host = """\
id: host.IDENT
kind: host-api
summary: Waits.
since: 0.1.0
match: {host: ["cudaWait(0)"]}
produces: {op: host, args: []}
emits:
  tilelang: {support: none, code: CM4003}
  ascend910b: {support: native, call: wait()}
  ascend950: {support: native, call: wait()}
examples: [{name: call, cuda: cudaWait()}]
near_misses: [{name: argument, cuda: cudaWait(1)}]
"""
    one = findings(tmp_path, {"host/one.yaml": host.replace("IDENT", "one")})
    assert one == ()
    two = findings(tmp_path, {"host/two.yaml": host.replace("IDENT", "two")})
    assert any("cudaWait belongs to 'host.one'" in d.cause for d in two)
    odd = (
        host.replace("IDENT", "odd").replace("op: host", "op: bake").replace("cudaWait", "cudaOdd")
    )
    assert any(
        "no host operation 'bake'" in d.cause for d in findings(tmp_path, {"host/odd.yaml": odd})
    )


def test_same_id_twice(tmp_path: Path) -> None:
    findings(tmp_path, {"intrinsics/half_of.yaml": GOOD})
    preludes = load_preludes(tmp_path)
    (path,) = rule_files(tmp_path)
    rules = [load_rule(path, tmp_path, preludes)[0] for _ in range(2)]
    found = make_catalogue([r for r in rules if r is not None]).lint()
    assert any("id 'intrinsics.half_of' stands in" in d.cause for d in found)


@pytest.fixture
def user_dir(tmp_path: Path) -> Path:
    text = GOOD.replace("half_of", "expf").replace(
        "since: 0.1.0", "since: 0.1.0\npriority: takeover"
    )
    path = tmp_path / "intrinsics" / "expf.yaml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return tmp_path


def _exp(catalogue: Catalogue) -> str:
    from migrate.ir.types import F32

    rule = catalogue.intrinsic("expf", (F32,))
    assert rule is not None
    spelling = rule.spelling("ascend950", "expr", (F32,))
    assert spelling is not None
    return spelling.template


def test_user_rule_takes_over(user_dir: Path) -> None:
    catalogue = load_catalogue((user_dir,))
    assert _exp(catalogue) == "$0 * 0.5f"
    assert catalogue.lint() == ()


def test_user_rule_as_fallback(user_dir: Path) -> None:
    path = user_dir / "intrinsics" / "expf.yaml"
    path.write_text(path.read_text().replace("takeover", "fallback"), encoding="utf-8")
    catalogue = load_catalogue((user_dir,))
    assert _exp(catalogue) == "expf($0)"
    assert catalogue.lint() == ()


def test_user_rule_without_priority_clashes(user_dir: Path) -> None:
    path = user_dir / "intrinsics" / "expf.yaml"
    path.write_text(path.read_text().replace("priority: takeover\n", ""), encoding="utf-8")
    found = load_catalogue((user_dir,)).lint()
    assert any("belongs to 'intrinsics.expf'" in d.cause for d in found)
    assert all(d.span.file == path.as_posix() for d in found)


TABLE = """summary: Calls.
since: 0.2.0
rows:
  - cuda: cudaFoo(2, 3)
    ascend: aclrtFoo($0)
  - cuda: cudaBarOne cudaBarTwo
    stem: cudaBar
    ascend950: Bar::k$tail
    reason: there is no bar
"""


def _table(tmp_path: Path, text: str) -> tuple[tuple[Rule, ...], tuple[Diagnostic, ...]]:
    folder = tmp_path / "host_tables"
    folder.mkdir()
    (folder / "calls.yaml").write_text(text, encoding="utf-8")
    return load_table(folder / "calls.yaml", tmp_path, load_preludes(tmp_path))


def test_a_table_is_a_rule_a_row(tmp_path: Path) -> None:
    calls = "  - cuda: cudaOne(*) cudaTwo(*)\n    reason: none\n"
    rules, faults = _table(tmp_path, TABLE + calls)
    assert faults == ()
    assert lint_rules(rules) == ()
    names = ["cudaFoo_2_3", "cudaBarOne", "cudaBarTwo", "cudaOne", "cudaTwo"]
    assert [r.id for r in rules] == [f"host_tables.calls.{n}" for n in names]
    catalogue = make_catalogue(rules)
    call = catalogue.host("cudaFoo", 3)
    assert call is not None
    assert catalogue.host("cudaFoo", 1) is None
    for chip in ("ascend950", "ascend910b"):
        spelling = call.spelling(chip, Form.CALL)
        assert spelling is not None
        assert spelling.template == "aclrtFoo($0)"
    name = catalogue.host("cudaBarTwo")
    assert name is not None
    spelling = name.spelling("ascend950", Form.NAME)
    assert spelling is not None
    assert spelling.template == "Bar::kTwo"
    assert name.spelling("ascend910b", Form.NAME) is None
    missing = name.emission("ascend910b")
    assert missing is not None
    assert (missing.code, missing.reason) == ("CM4003", "there is no bar")


@pytest.mark.parametrize(
    ("right", "wrong", "cause"),
    [
        ("    reason: there is no bar\n", "", "a row without a spelling for ascend910b"),
        ("stem: cudaBar", "stem: cudaBaz", "cudaBarOne does not begin with cudaBaz"),
        ("ascend: aclrtFoo($0)", "ascent: aclrtFoo($0)", "no field 'ascent'"),
        ("($0)\n", "($0)\n    prelude: [foo]\n", "there is no helper 'foo'"),
    ],
)
def test_a_table_with_a_fault_gives_no_rules(
    tmp_path: Path, right: str, wrong: str, cause: str
) -> None:
    assert right in TABLE
    rules, faults = _table(tmp_path, TABLE.replace(right, wrong))
    assert rules == ()
    assert any(cause in d.cause for d in faults)
