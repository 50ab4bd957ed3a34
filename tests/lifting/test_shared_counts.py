"""Counts in shared memory: what becomes a program of tiles, and what is close and does not."""

from __future__ import annotations

import struct

import pytest
from lane_interpreter import Block
from support.interpreter import Address, Memory

from migrate.ir.kernel import Module
from migrate.ir.lanes import LaneKernel
from migrate.ir.lanes_text import print_lane_kernel
from migrate.ir.parser import parse_module
from migrate.lifting.idioms.tiles import block_tiles
from migrate.lifting.lane_code import lane_code
from migrate.lifting.regions import split_regions

IN = [(k * 37 + 11) % 16 for k in range(64)]
STEP = "cast<i32>((cast<u32>({0}) + blockDim.x))"
COUNT = "atomic _ = add device s.[x[i]](1:i32)"
FLUSH = "atomic _ = add device y[c](s.[c])"


def shared_out(name: str, stop: str, body: str, step: str = STEP) -> str:
    """A loop whose numbers below ``stop`` the lanes share out."""
    return f"""for {{ init {{ var {name}: i32 = cast<i32>(threadIdx.x) }} while ({name} < {stop})
      step {{ {name} = {step.format(name)} }} body {{ {body} }} }}
    """


def histogram(
    clear: str = "s.[b] = 0:i32", count: str = COUNT, flush: str = FLUSH, step: str = STEP
) -> str:
    return f"""shared var s: array<i32, 16>
    {shared_out("b", "16:i32", clear, step)}barrier block
    {shared_out("i", "n", count)}barrier block
    {shared_out("c", "16:i32", flush)}"""


def lifted(body: str) -> tuple[LaneKernel, LaneKernel | None, Module]:
    params = "n: i32, x: ptr<global const, i32>, y: ptr<global, i32>"
    head = 'mangled "" qualified "" bounds 0'
    module = parse_module(f'module "m"\nkernel k "k" ({params}) {head} {{\n{body}\n}}\n')
    program = split_regions(module.kernels[0], module)
    return program, block_tiles(program, module), module


def run(program: LaneKernel, module: Module, threads: int, backwards: bool = False) -> list[int]:
    y = Memory.of(struct.pack("<16i", *range(16)))
    x = Memory.of(struct.pack("<64i", *IN))
    block = Block(
        lane_code(program),
        module,
        (threads, 1, 1),
        (lambda n: reversed(range(n))) if backwards else range,
    )
    block.run({"n": 60, "x": Address(x, 0), "y": Address(y, 0)})
    return list(struct.unpack("<16i", y.data))


def test_bins_are_set_and_handed_on_as_tiles() -> None:
    program, made, module = lifted(histogram())
    assert made is not None
    lines = [x.strip() for x in print_lane_kernel(made).splitlines()]
    assert "region b < 16 {" in lines and "region c < 16 {" in lines
    assert lines[1:3] == ["requires (blockDim.y == 1:u32)", "requires (blockDim.z == 1:u32)"]
    for threads in (5, 8, 32):
        wanted = run(program, module, threads)
        assert wanted == run(made, module, threads) == run(made, module, threads, backwards=True)


def test_lanes_wait_between_counting_and_handing_on() -> None:
    made = lifted(histogram())[1]
    assert made is not None
    lines = [x.strip() for x in print_lane_kernel(made).splitlines()]
    flush = lines.index("region c < 16 {")
    assert lines[flush - 2 : flush] == ["region {", "}"]


CLOSE = {
    "bins that are read while they are counted": histogram(count=f"{COUNT}\ny[i] = s.[0:i32]"),
    "bins that are set while they are counted": histogram(count="s.[x[i]] = 1:i32"),
    "the count before is used": histogram(
        count="atomic old = add device s.[x[i]](1:i32)\ny[i] = old"
    ),
    "a bin that several rounds set": histogram("s.[(b / 2:i32)] = b"),
    "a bin that rounds set in an order": histogram("s.[(b % 4:i32)] = b"),
    "a round that reads another one's bin": histogram("s.[b] = s.[((b + 1:i32) % 16:i32)]"),
    "lanes that are asked for": histogram("s.[b] = cast<i32>(threadIdx.x)"),
    "every second number": histogram(step="({0} + 2:i32)"),
    "a bin that a lane's rounds count and read": histogram(
        flush="atomic _ = add device s.[(c % 4:i32)](1:i32)\ny[c] = s.[(c % 4:i32)]"
    ),
    "counts that can be what is read": histogram(flush="atomic _ = add device y[c](x[c])"),
    "memory that can be the same": histogram(flush="y[c] = (s.[c] + x[(c + 1:i32)])"),
}


@pytest.mark.parametrize("name", CLOSE)
def test_what_is_close_stays_a_lane_program(name: str) -> None:
    assert lifted(CLOSE[name])[1] is None
