"""Programs of tiles: what becomes one, with which tiles and steps, and what stays lanes."""

from __future__ import annotations

import pytest

from migrate.ir.expr import ArrElem, Binary, Read, VarPlace
from migrate.ir.kernel import Module
from migrate.ir.parser import parse_module
from migrate.ir.simt import Assign, If
from migrate.ir.tile_code import (
    BlockTile,
    EachPoint,
    Multiply,
    Serial,
    TileCode,
    walk_tile_steps,
)
from migrate.lifting.idioms.matrix_tiles import matrix_tiles
from migrate.lifting.regions import split_regions

HEAD = 'mangled "" qualified "" bounds 0'
X = "var x: i32 = cast<i32>(threadIdx.x)\n"
Y = "var y: i32 = cast<i32>(threadIdx.y)\n"
LOAD = "a.[((y * 8:i32) + x)] = p[((y * n) + x)] b.[((y * 8:i32) + x)] = q[((y * n) + x)]\n"
BARRIER = "barrier block\n"
ADD = "sum = (sum + (a.[((y * 8:i32) + d)] * b.[((d * 8:i32) + x)]))"
STORE = "r[((y * n) + x)] = sum\n"


def loop(
    body: str, name: str = "d", start: str = "0:i32", stop: str = "8:i32", step: int = 1
) -> str:
    """A loop of each thread."""
    return f"""for {{ init {{ var {name}: i32 = {start} }} while ({name} < {stop})
      step {{ {name} = ({name} + {step}:i32) }} body {{ {body} }} }}
    """


def module(body: str, length: int = 64, total: str = "f32", zero: str = "sum = 0.0:f32") -> Module:
    params = """p: ptr<global const, f32>, q: ptr<global const restrict, f32>,
    r: ptr<global, f32>, n: i32"""
    text = f"""{X}{Y}shared var a: array<f32, {length}>
    shared var b: array<f32, {length}>
    var sum: {total}
    {zero}
    {body}"""
    return parse_module(f'module "m"\nkernel k "k" ({params}) {HEAD} {{\n{text}\n}}\n')


def tiles_of(m: Module) -> TileCode | None:
    return matrix_tiles(split_regions(m.kernels[0], m), m)


def only(m: Module) -> TileCode:
    code = tiles_of(m)
    assert code is not None
    return code


def boxes(code: TileCode) -> list[tuple[int, int]]:
    return [(s.rows, s.columns) for s in walk_tile_steps(code.body) if isinstance(s, EachPoint)]


PRODUCT = LOAD + BARRIER + loop(ADD) + BARRIER + STORE


def test_a_staged_product_has_tiles_of_two_dimensions_and_a_fragment_of_sums() -> None:
    code = only(module(PRODUCT))
    kinds = [(t.name, t.rows, t.columns, t.fragment) for t in code.tiles]
    assert kinds == [("a", 8, 8, False), ("b", 8, 8, False), ("sum", 8, 8, True)]
    assert code.block == (8, 8) and code.threads == 64
    assert boxes(code) == [(8, 8)] * 5


def test_the_depth_stays_a_loop_around_the_elements_in_its_order() -> None:
    (serial,) = [s for s in walk_tile_steps(only(module(PRODUCT)).body) if isinstance(s, Serial)]
    (point,) = serial.body
    assert isinstance(point, EachPoint)
    (add,) = point.body
    assert isinstance(add, Assign) and isinstance(add.value, Binary)
    left = add.value.rhs
    assert isinstance(left, Binary) and isinstance(left.lhs, Read) and isinstance(left.rhs, Read)
    row, column = left.lhs.place, left.rhs.place
    assert isinstance(row, ArrElem) and isinstance(column, ArrElem)
    assert row.index == Read(VarPlace("d", row.index.type))
    assert isinstance(column.base, ArrElem) and column.base.index == row.index


def tile(code: TileCode, name: str) -> BlockTile:
    (found,) = [t for t in code.tiles if t.name == name]
    return found


def test_padding_is_dropped() -> None:
    padded = PRODUCT.replace("a.[((y * 8:i32)", "a.[((y * 9:i32)")
    code = only(module(padded, length=72))
    assert (tile(code, "a").rows, tile(code, "a").columns) == (8, 8)


def test_several_sums_a_thread_and_strided_loads_fill_larger_boxes() -> None:
    zero = "sum.[0:i32] = 0.0:f32 sum.[1:i32] = 0.0:f32"
    load = loop(
        "a.[(((i / 8:i32) * 8:i32) + (i % 8:i32))] = p[i] b.[i] = q[i]",
        name="i", start="((y * 8:i32) + x)", stop="64:i32", step=32,
    )  # fmt: skip
    more = loop(
        loop("sum.[j] = (sum.[j] + (a.[(((y + (j * 4:i32)) * 8:i32) + d)] * b.[((d * 8:i32) + x)]))",
             name="j", stop="2:i32"),
    )  # fmt: skip
    store = loop(
        "if (x < n) { r[(((y + (e * 4:i32)) * n) + x)] = sum.[e] }", name="e", stop="2:i32"
    )
    code = only(module(load + BARRIER + more + BARRIER + store, total="array<f32, 2>", zero=zero))
    assert code.block == (8, 4)
    assert boxes(code) == [(8, 8)] * 5
    last = code.body[-1]
    assert isinstance(last, EachPoint) and isinstance(last.body[0], If)
    # Without the test two rounds of a thread could store to one place.
    apart = store.replace("if (x < n) {", "").replace("sum.[e] }", "sum.[e]")
    unproven = load + BARRIER + more + BARRIER + apart
    assert tiles_of(module(unproven, total="array<f32, 2>", zero=zero)) is None
    # What is read may be what another round stored, but for memory of its own.
    for other, found in (("p", False), ("q", True)):
        biased = store.replace("sum.[e] }", f"(sum.[e] + {other}[x]) }}")
        body = load + BARRIER + more + BARRIER + biased
        made = tiles_of(module(body, total="array<f32, 2>", zero=zero))
        assert (made is not None) is found


def test_both_sides_of_a_branch_store_a_choice() -> None:
    either = (
        "if (x < n) { a.[((y * 8:i32) + x)] = p[x] } else { a.[((y * 8:i32) + x)] = 0.0:f32 }\n"
    )
    load = either + "b.[((y * 8:i32) + x)] = q[x]\n"
    assert boxes(only(module(load + BARRIER + loop(ADD) + BARRIER + STORE))) == [(8, 8)] * 5


def test_a_staged_window_is_a_larger_tile() -> None:
    window = loop(
        loop("a.[((u * 16:i32) + v)] = p[((u * n) + v)]", name="v", start="x", stop="10:i32", step=8),
        name="u", start="y", stop="10:i32", step=8,
    )  # fmt: skip
    add = loop("sum = (sum + (a.[(((y + d) * 16:i32) + x)] * q[d]))", stop="3:i32")
    fill = "b.[((y * 8:i32) + x)] = 0.0:f32\n"
    code = only(module(window + fill + BARRIER + add + BARRIER + STORE, length=160))
    assert (tile(code, "a").rows, tile(code, "a").columns) == (10, 10)
    assert (tile(code, "sum").rows, tile(code, "sum").columns) == (8, 8)


NEAR_MISSES = {
    "the barrier behind the loads is missing": LOAD + loop(ADD) + BARRIER + STORE,
    "an element is not staged": PRODUCT.replace("a.[((y * 8:i32) + x)] =", "if (x < 7:i32) { a.[((y * 8:i32) + x)] =").replace("+ x)] b.[", "+ x)] } b.[", 1),
    "an element is staged twice": PRODUCT.replace("a.[((y * 8:i32) + x)] =", "a.[((y * 8:i32) + (x / 2:i32))] ="),
    "the place in a tile is not affine": PRODUCT.replace("((y * 8:i32) + d)", "((y * 8:i32) + (d ^ x))"),
    "the place in a tile comes from memory": PRODUCT.replace("((y * 8:i32) + d)", "cast<i32>(q[d])"),
    "a row beyond the tile is read": PRODUCT.replace("((y * 8:i32) + d)", "(((y + 1:i32) * 8:i32) + d)"),
    "threads along z have tiles of their own": PRODUCT.replace("((y * 8:i32) + ", "(((y + (cast<i32>(threadIdx.z) * 8:i32)) * 8:i32) + "),
    "a test is made again behind a store": PRODUCT.replace(STORE, f"if (sum > 0.0:f32) {{ sum = 0.0:f32 {STORE} }}"),
    "some threads take fewer rounds": PRODUCT.replace("d < 8:i32", "d < (x + 1:i32)"),
    "a loop in a loop carries a value along": PRODUCT.replace(STORE, loop("var t: f32 = 0.0:f32\n" + loop("t = (t + q[g])", name="g") + "sum = (sum + t)", name="e") + STORE),
    "a value is kept over a store to where it came from": PRODUCT.replace(STORE, "var t: f32 = r[x]\n" + STORE + "r[((y * n) + x)] = t\n"),
    "rounds that stage read what they store": PRODUCT.replace(LOAD, loop("a.[((y * 8:i32) + x)] = p[e] b.[((y * 8:i32) + x)] = a.[((y * 8:i32) + x)]", name="e")),
    "the sum of a neighbour is stored too": PRODUCT.replace(STORE, STORE + "a.[((y * 8:i32) + x)] = sum\nbarrier block\nr[x] = a.[((x * 8:i32) + (y ^ x))]\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(NEAR_MISSES))
def test_near_misses_stay_lanes(name: str) -> None:
    assert tiles_of(module(NEAR_MISSES[name])) is None


def test_a_kernel_for_any_block_stays_lanes() -> None:
    """Threads that share the work by ``blockDim`` may be launched in blocks of several sizes."""
    size = "(cast<i32>(blockDim.x) * cast<i32>(blockDim.y))"
    tid = "((y * cast<i32>(blockDim.x)) + x)"
    load = f"""for {{ init {{ var i: i32 = {tid} }} while (i < 64:i32)
      step {{ i = (i + {size}) }} body {{ a.[i] = p[i] b.[i] = q[i] }} }}
    """
    add = loop("sum = (sum + (a.[d] * b.[d]))")
    assert tiles_of(module(load + BARRIER + add + BARRIER + STORE)) is None


def squares(kind: str, total: str, side: int = 16, depth: int = 16) -> Module:
    """A product of tiles of ``side`` x ``depth``, with factors that are widened to the sums."""
    left, right = f"a.[((y * {depth}:i32) + d)]", f"b.[((d * {side}:i32) + x)]"
    if kind != total:
        left, right = f"cast<{total}>({left})", f"cast<{total}>({right})"
    zero = "0.0" if total.startswith("f") else "0"
    own = f"((y * {side}:i32) + x)"
    text = f"""{X}{Y}shared var a: array<{kind}, {side * depth}>
    shared var b: array<{kind}, {side * depth}>
    var sum: {total} = {zero}:{total}
    {loop("a.[i] = p[i] b.[i] = q[i]", "i", own, f"{side * depth}:i32", side * side)}
    barrier block
    {loop(f"sum = (sum + ({left} * {right}))", stop=f"{depth}:i32")}
    barrier block
    r[{own}] = sum"""
    params = f"p: ptr<global const, {kind}>, q: ptr<global const, {kind}>, r: ptr<global, {total}>"
    return parse_module(f'module "m"\nkernel k "k" ({params}) {HEAD} {{\n{text}\n}}\n')


def multiplications(code: TileCode) -> list[Multiply]:
    return [s for s in walk_tile_steps(code.body) if isinstance(s, Multiply)]


@pytest.mark.parametrize(
    ("kind", "total", "depth"), [("f16", "f32", 16), ("f64", "f64", 16), ("i8", "i32", 32)]
)
def test_products_that_lose_nothing_are_those_of_tensor_cores(
    kind: str, total: str, depth: int
) -> None:
    code = only(squares(kind, total, depth=depth))
    (found,) = multiplications(code)
    assert (found.result, found.left, found.right) == ("sum", "a", "b")
    assert not found.transposed_left and not found.transposed_right
    assert code.threads == 32 and code.block == (16, 16)


@pytest.mark.parametrize(
    ("kind", "total", "side", "depth"),
    [("f32", "f32", 16, 16), ("f16", "f16", 16, 16), ("i8", "i32", 16, 16),
     ("i32", "i32", 16, 16), ("f16", "f32", 8, 16)],
)  # fmt: skip
def test_other_products_stay_loops_over_tiles(kind: str, total: str, side: int, depth: int) -> None:
    assert multiplications(only(squares(kind, total, side, depth))) == []


def test_a_sum_of_one_region_and_a_counter_from_before_the_loop_are_followed() -> None:
    """As many kernels have it: ``int d; float t = 0; for (d = 0; ...) t += ...; r[...] -= t;``."""
    own = f"var d: i32 var t: f32 = 0.0:f32\n{loop(ADD.replace('sum', 't'))}".replace(
        "init { var d: i32 = 0:i32 }", "init { d = 0:i32 }"
    )
    store = "r[((y * n) + x)] = (r[((y * n) + x)] - t)\n"
    code = only(module(LOAD + BARRIER + own + store, zero=""))
    assert [t.name for t in code.tiles if t.fragment] == ["t"]
    # What the counter ends with is not known.
    late = LOAD + BARRIER + own + store.replace("- t)", "- (t * cast<f32>(d)))")
    assert tiles_of(module(late, zero="")) is None
