"""Matrix products over staged tiles: what is recognised, for which block, and what is not one."""

from __future__ import annotations

import pytest

from migrate.core.codes.lifting import PRODUCT_IN_LOOPS
from migrate.core.diagnostics import Severity
from migrate.core.options import Options
from migrate.core.rung import Rung
from migrate.core.targets import Target
from migrate.ir.kernel import Module
from migrate.ir.parser import parse_module
from migrate.lifting.idioms.products import Matrix, Product, products
from migrate.lifting.lift import lift
from migrate.lifting.regions import split_regions

HEAD = 'mangled "" qualified "" bounds 0'
X = "var x: i32 = cast<i32>(threadIdx.x)\n"
Y = "var y: i32 = cast<i32>(threadIdx.y)\n"
LOAD = "a.[((y * 8:i32) + x)] = p[((y * 8:i32) + x)] b.[((y * 8:i32) + x)] = q[x]\nbarrier block\n"
A, B = "a.[((y * 8:i32) + d)]", "b.[((d * 8:i32) + x)]"
ADD = f"sum = (sum + ({A} * {B}))"
STORE = "barrier block\nr[((y * 8:i32) + x)] = sum"


def loop(body: str = ADD, stop: int = 8, step: int = 1) -> str:
    """A loop over the depth."""
    return f"""for {{ init {{ var d: i32 = 0:i32 }} while (d < {stop}:i32)
      step {{ d = (d + {step}:i32) }} body {{ {body} }} }}
    """


def kernel(body: str, kind: str = "f32", total: str = "", length: int = 64) -> Module:
    total = total or kind
    zero = "0.0" if total.startswith("f") else "0"
    params = f"p: ptr<global const, {kind}>, q: ptr<global const, {kind}>, r: ptr<global, {total}>, n: i32"
    text = f"""{X}{Y}shared var a: array<{kind}, {length}>
    shared var b: array<{kind}, {length}>
    var sum: {total} = {zero}:{total}
    {body}"""
    return parse_module(f'module "m"\nkernel k "k" ({params}) {HEAD} {{\n{text}\n}}\n')


def found(module: Module) -> list[Product]:
    return list(products(split_regions(module.kernels[0], module)))


def only(module: Module) -> Product:
    (p,) = found(module)
    return p


def test_a_row_times_a_column_in_every_thread_is_a_product() -> None:
    p = only(kernel(LOAD + loop() + STORE))
    assert (p.rows, p.columns, p.depth, p.block) == (8, 8, 8, (8, 8))
    assert (p.result, p.left.array, p.right.array) == ("sum", "a", "b")
    assert (p.left.along, p.left.across, p.right.along, p.right.across) == (1, 8, 8, 1)


@pytest.mark.parametrize(
    ("a", "b", "left", "right"),
    [
        ("a.[((d * 8:i32) + y)]", B, (8, 1), (8, 1)),
        (A, "b.[((x * 8:i32) + d)]", (1, 8), (1, 8)),
    ],
    ids=["left", "right"],
)
def test_transposed_factors_show_in_their_strides(
    a: str, b: str, left: tuple[int, int], right: tuple[int, int]
) -> None:
    p = only(kernel(LOAD + loop(f"sum = (sum + ({a} * {b}))") + STORE))
    assert (p.left.along, p.left.across) == left
    assert (p.right.along, p.right.across) == right


def test_the_order_of_operands_does_not_matter_and_neither_does_fma() -> None:
    plain = only(kernel(LOAD + loop() + STORE))
    for body in (f"sum = (({A} * {B}) + sum)", f"sum = call<f32> fmaf({A}, {B}, sum)"):
        p = only(kernel(LOAD + loop(body) + STORE))
        assert (p.rows, p.columns, p.left, p.right) == (8, 8, plain.left, plain.right)


def test_factors_may_be_widened_to_the_type_of_the_sum() -> None:
    wide = f"sum = (sum + (cast<i32>({A}) * cast<i32>({B})))"
    p = only(kernel(LOAD + loop(wide) + STORE, "i8", "i32"))
    assert isinstance(p.left, Matrix) and str(p.left.element) == "i8"


def test_sums_in_a_lane_s_own_array_make_a_larger_tile() -> None:
    body = """var acc: array<f32, 2>
    acc.[0:i32] = 0.0:f32 acc.[1:i32] = 0.0:f32
    barrier block
    """
    more = "for { init { var i: i32 = 0:i32 } while (i < 2:i32) step { i = (i + 1:i32) } body {"
    inner = f"{more} acc.[i] = (acc.[i] + (a.[(((y + (i * 4:i32)) * 8:i32) + d)] * {B})) }} }}"
    end = "barrier block\nr[((y * 8:i32) + x)] = (acc.[0:i32] + acc.[1:i32])"
    load = LOAD.replace("a.[", "a.[").replace("q[x]", "q[x]")
    p = only(kernel(load + body + loop(inner) + end))
    assert (p.result, p.rows, p.columns, p.depth, p.block) == ("acc", 8, 8, 8, (8, 4))


NEAR_MISSES = {
    "the barrier behind the loads is missing": LOAD.replace("barrier block", "") + loop() + STORE,
    "the products are subtracted": LOAD + loop(ADD.replace("sum +", "sum -")) + STORE,
    "a factor is multiplied by itself": LOAD + loop(f"sum = (sum + ({A} * {A}))") + STORE,
    "one depth is left out": LOAD + loop(f"if (d != 3:i32) {{ {ADD} }}") + STORE,
    "every other depth is left out": LOAD + loop(step=2) + STORE,
    "both factors lie in one array": LOAD + loop(ADD.replace("b.[", "a.[")) + STORE,
    "rows of threads share their sums": LOAD + loop(ADD.replace("(y *", "((y / 2:i32) *")) + STORE,
    "rows overlap": LOAD + loop(ADD.replace("(y * 8:i32)", "(y * 4:i32)")) + STORE,
    "the tile is stored to between": LOAD + loop(f"{ADD} a.[((y * 8:i32) + x)] = sum") + STORE,
    "memory is stored to between": LOAD + loop(f"{ADD} r[x] = sum") + STORE,
    "the sum is scaled on the way": LOAD + loop(f"{ADD} sum = (sum * 2.0:f32)") + STORE,
    "another number is added on the way": LOAD + loop(ADD.replace("(sum", "((sum + q[d])")) + STORE,
    "a third factor": LOAD + loop(ADD.replace(f"{B}))", f"({B} * q[d])))")) + STORE,
    "the depth depends on the thread": LOAD + loop().replace("d < 8:i32", "d < x") + STORE,
    "the depth is not known": LOAD + loop().replace("d < 8:i32", "d < n") + STORE,
    "an index comes from memory": LOAD
    + loop(ADD.replace("((y * 8:i32) + d)", "cast<i32>(q[d])"))
    + STORE,
    "another loop has no end": LOAD + loop() + loop("", step=0).replace("d ", "e ").replace("var d:", "var e:") + STORE,
    "a constant of 64 bits decides": LOAD
    + loop(f"if (cast<u64>(d) < 9223372036854775808:u64) {{ {ADD} }}")
    + STORE,
    "some threads only": LOAD + loop(f"if (x < 4:i32) {{ {ADD} }}") + STORE,
    "the sum of another thread's row": LOAD
    + loop(ADD.replace("(y * 8:i32)", "((y * 8:i32) + (x * 8:i32))"))
    + STORE,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(NEAR_MISSES))
def test_near_misses_are_no_products(name: str) -> None:
    assert found(kernel(NEAR_MISSES[name])) == []


def test_a_conversion_that_loses_values_is_no_factor() -> None:
    narrow = f"sum = (sum + (cast<i8>({A}) * cast<i8>({B})))"
    assert found(kernel(LOAD + loop(narrow) + STORE, "i32", "i8")) == []


@pytest.mark.parametrize(
    ("kind", "total", "body", "reason"),
    [
        ("f32", "f32", ADD, "T.gemm would round f32 to TF32"),
        ("i32", "i32", ADD, "tensor cores take no i32 and i32"),
        ("f64", "f64", ADD, "T.gemm is not emitted for sums of 8 x 8 and f64 8 deep"),
        ("i8", "i32", f"sum = (sum + (cast<i32>({A}) * cast<i32>({B})))",
         "TileLang has no instruction for i8 8 deep"),
    ],
)  # fmt: skip
def test_the_kernel_says_why_it_is_no_gemm(kind: str, total: str, body: str, reason: str) -> None:
    module = kernel(LOAD + loop(body) + STORE, kind, total)
    made = lift(module.kernels[0], module, Target.TILELANG, Options(Target.TILELANG))
    assert made.rung is Rung.TILE
    (note,) = made.diagnostics
    assert note.code is PRODUCT_IN_LOOPS and note.severity is Severity.NOTE
    assert note.cause == f"sum[8, 8] += a[8, 8] @ b[8, 8] in a block of 8 x 8; {reason}"
