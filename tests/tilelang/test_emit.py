"""The generated modules as text."""

from __future__ import annotations

import ast

import pytest
from programs import CASES, Case, convert
from syrupy.assertion import SnapshotAssertion

from migrate.core.rung import Rung

GOLDEN = ("saxpy", "float_identities", "members", "loops", "block_and_thread", "compaction")


def kernels_of(text: str) -> str:
    """The part that differs from module to module."""
    return text[text.index("@functools.cache") :]


@pytest.mark.parametrize("case", [c for c in CASES if c.name in GOLDEN], ids=lambda c: c.name)
def test_golden(case: Case, snapshot: SnapshotAssertion) -> None:
    (file,) = convert(case).files
    assert kernels_of(file.content.decode()) == snapshot


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_module_is_python_and_lines_are_mapped(case: Case) -> None:
    made = convert(case)
    (file,) = made.files
    (kernel,) = made.kernels
    text = file.content.decode()
    ast.parse(text)
    lines = text.splitlines()
    assert lines[kernel.first_line - 1] == "@functools.cache"
    assert kernel.text.splitlines() == lines[kernel.first_line - 1 : kernel.last_line]


def test_rungs() -> None:
    rungs = {c.name: convert(c).kernels[0].rung for c in CASES}
    assert rungs["saxpy"] is Rung.TILE
    assert rungs["block_and_thread"] is Rung.LANES


def refused(body: str, params: str = "n: i32, x: ptr<global, i32>") -> tuple[str, str]:
    """Code and module text of a kernel that cannot be emitted."""
    made = convert(Case("k", params, body, {}))
    (found,) = made.refused
    assert not made.kernels
    return found.diagnostics[-1].code.id, made.files[0].content.decode()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("barrier grid", "CM4010"),
        (
            "if (threadIdx.x == 0:u32) { barrier block } x[0:i32] = 1:i32",
            "CM3001",
        ),
        (
            "if (threadIdx.x < 7:u32) { collective v: i32 = shfl(4294967295:u32, n, 1:i32, 32:i32) "
            "x[0:i32] = v } x[1:i32] = 1:i32",
            "CM3002",
        ),
        ('effect printf("hello")', "CM3015"),
        ('asm "nop;" [] out() in()', "CM3016"),
        ("x[0:i32] = call<i32> no_such_function(n)", "CM4002"),
    ],
)
def test_refusals_fail_loudly(body: str, code: str) -> None:
    found, text = refused(body)
    assert found == code
    assert "raise NotImplementedError(" in text and code in text


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("atomic _ = max device x[0:i32](1.0:f32)", "f32"),
        ("atomic _ = exch device x[0:i32](1.0:f64)", "f64"),
        ("atomic _ = cas device x[0:i32](0:u16, 1:u16)", "u16"),
        ("atomic _ = inc device x[0:i32](1:i32)", "i32"),
        ("atomic _ = add device x[0:i32](1.0:bf16)", "bf16"),
    ],
)
def test_atomics_that_cuda_has_not_are_refused(body: str, kind: str) -> None:
    code, _ = refused(body, f"n: i32, x: ptr<global, {kind}>")
    assert code == "CM4004"


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("atomic _ = add device x[0:i32](1:i64)", "i64",
         "T.atomic_add(x[0], T.int64(1))"),
        ("atomic _ = cas device x[0:i32](0:i32, 1:i32)", "i32",
         'T.call_extern("int32", "atomic_cas_int32", T.address_of(x[0])'),
        ("atomic _ = max device x[0:i32](1:u32)", "u32", '"atomic_max_uint32_in_int32"'),
    ],
)  # fmt: skip
def test_atomics_are_operations_of_tilelang_or_functions(body: str, kind: str, text: str) -> None:
    (file,) = convert(Case("k", f"n: i32, x: ptr<global, {kind}>", body, {})).files
    content = file.content.decode()
    assert text in content
    assert ("T.import_source(ATOMIC_" in content) == ("call_extern" in content)


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("atomic _ = sub device x[n](1:u32)", "u32", "T.atomic_add(x[n], T.int32(-1))"),
        ("x[n] = 4294967294:u32", "u32", "x[n] = T.int32(-2)"),
        ("x[n] = 2147483648:u32", "u32", 'x[n] = T.cast(T.uint32(2147483648), "int32")'),
        ("atomic a = add device x[n](1:u32) if (a == 3:u32) { x[n] = 2:u32 }", "u32",
         "if (a ^ T.uint32(0)) == T.uint32(3):"),
        ("var r: i32 = cast<i32>((cast<u32>(n) / 3:u32)) x[(r * n)] = 1:i32", "i32",
         'r = T.alloc_var("int32", init=T.reinterpret('),
        ("var r: i32 = cast<i32>((cast<u32>(n) / 3:u32)) x[n] = r", "i32", "r = T.reinterpret("),
    ],
    ids=["number", "stored", "no number", "old value", "index", "no index"],
)  # fmt: skip
def test_unsigned_values_in_the_forms_that_tilelang_takes(body: str, kind: str, text: str) -> None:
    (file,) = convert(Case("k", f"n: i32, x: ptr<global, {kind}>", body, {})).files
    assert text in file.content.decode()


@pytest.mark.parametrize(
    ("body", "call", "source"),
    [
        ("effect assert((x[n] >= 0:i32))", '"check_assertion", T.cast(x[n] >= 0, "int32"))',
         "if (!holds) __trap();"),
        ("fence device", '"thread_fence_device")', "__threadfence();"),
        ("fence block", '"thread_fence_block")', "__threadfence_block();"),
    ],
)  # fmt: skip
def test_assertions_and_fences_are_functions(body: str, call: str, source: str) -> None:
    made = convert(Case("k", "n: i32, x: ptr<global, i32>", f"x[n] = 1:i32 {body}", {}))
    content = made.files[0].content.decode()
    ast.parse(content)
    assert f'T.call_extern("int32", {call}' in content
    assert source in content
    assert content.count("T.import_source(") == 1


def chain(count: int, test: str = "t", case: str = "x[n] = {0}:i32") -> str:
    """``t`` against one constant after the other, with a last branch for all others."""
    text = "x[n] = -1:i32"
    for k in reversed(range(count)):
        text = f"if ({test} == {k}:i32) {{ {case.format(k)} }} else {{ {text} }}"
    return f"var t: i32 = x[0:i32] {text}"


def test_a_long_chain_of_cases_is_not_nested() -> None:
    (file,) = convert(Case("k", "n: i32, x: ptr<global, i32>", chain(24), {})).files
    text = file.content.decode()
    ast.parse(text)
    assert "elif" not in text
    assert "if t == 23:" in text
    assert " and t != 23:" in text


@pytest.mark.parametrize(
    "body",
    [
        chain(5),
        chain(8, test="x[1:i32]"),
        chain(8).replace("x[n] = 3:i32", "t = 5:i32"),
        chain(8).replace("t == 3:i32", "t == 2:i32"),
        chain(8).replace("t == 3:i32", "t > 3:i32"),
        chain(8).replace("t == 3:i32", "n == 3:i32"),
    ],
    ids=["short", "memory", "changed", "twice", "another test", "another value"],
)
def test_other_chains_stay_alternatives(body: str) -> None:
    (file,) = convert(Case("k", "n: i32, x: ptr<global, i32>", body, {})).files
    assert "elif" in file.content.decode()
