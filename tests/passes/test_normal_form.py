"""A kernel means the same before and after every pass, and ends in normal form."""

from __future__ import annotations

import struct

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_kernels import LENGTH, kernels
from support.interpreter import Address, Memory, Value, run_kernel

from migrate.core.diagnostics import Sink
from migrate.ir.expr import Compose, Extract, Invoke, PtrAdd, PtrElem, Read, VarPlace
from migrate.ir.kernel import Kernel, Module
from migrate.ir.parser import parse_module
from migrate.ir.printer import print_module
from migrate.ir.simt import CallStmt, DoWhile, Return, Switch
from migrate.ir.types import Pointer
from migrate.ir.walk import all_exprs, walk_stmts
from migrate.lifting.schedule import NORMAL_FORM

Content = tuple[bytes, bytes]


def run(kernel: Kernel, module: Module, scalars: tuple[int, int, int]) -> Content:
    """What is left in the two buffers."""
    n, a, b = scalars
    x = Memory.of(struct.pack("<8i", *range(LENGTH)))
    y = Memory.of(struct.pack("<16i", *range(100, 116)))
    table = Memory.of(struct.pack("<8i", 3, -1, 4, 1, -5, 9, 2, 6))
    known: dict[str, Value] = {
        "n": n, "given": (a, b), "given_a": a, "given_b": b,
        "x": Address(x, 0), "y": Address(y, 0), "table": Address(table, 0),
    }  # fmt: skip
    run_kernel(kernel, module, known, {"table": table})
    return bytes(x.data), bytes(y.data)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(kernels(), st.tuples(*(st.integers(-6, 6) for _ in range(3))))
def test_each_pass_keeps_the_meaning(text: str, scalars: tuple[int, int, int]) -> None:
    module = parse_module(text)
    kernel = module.kernels[0]
    expected = run(kernel, module, scalars)
    for step in NORMAL_FORM:
        kernel = step.run(kernel, module, Sink())
        assert run(kernel, module, scalars) == expected, step.name
    assert_normal_form(kernel)


def assert_normal_form(kernel: Kernel) -> None:
    """No calls, no exits, no aggregates, flat memory."""
    for s in walk_stmts(kernel.body):
        assert not isinstance(s, CallStmt | DoWhile | Return | Switch)
    for e in all_exprs(kernel.body):
        assert not isinstance(e, Invoke | Compose | Extract | PtrAdd)
        if isinstance(e, Read) and isinstance(e.place, PtrElem):
            pointer = e.place.pointer
            assert isinstance(pointer, Read) and isinstance(pointer.place, VarPlace)
    names = {p.name for p in kernel.params if isinstance(p.type, Pointer)}
    assert names <= {"x", "y", "table"}


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(kernels())
def test_text_survives_the_passes(text: str) -> None:
    module = parse_module(text)
    kernel = module.kernels[0]
    for step in NORMAL_FORM:
        kernel = step.run(kernel, module, Sink())
    printed = print_module(Module("random", module.structs, (), (), (kernel,)))
    assert parse_module(printed).kernels[0] == kernel
