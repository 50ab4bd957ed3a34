"""Inline PTX is kept with its operands; what it needs beyond one thread's values is refused."""

from __future__ import annotations

import pytest

from migrate.backends.cuda.module_text import ModulePrinter
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.ir.parser import parse_module
from migrate.ir.printer import print_module
from migrate.lifting.lift import lift
from tests.frontend.conftest import Read, codes, kernel_body, only_kernel

TEXT = """
    #define LOAD(x, p) asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(p))
    __global__ void k(float* a, int n) {
      int r;
      asm("{ .reg .u32 t;" " add.u32 t, %1, %2; mov.u32 %0, t; }" : "=r"(r) : "r"(n), "n"(3));
      asm volatile("add.s32 %[x], %[x], %[y];" : [x] "+r"(r) : [y] "r"(n + 1) : "memory");
      asm volatile("" ::: "memory");
      float f;
      LOAD(f, a + 1);
      a[r] = f;
    }
"""


def test_operands_are_places_and_values_by_number(read: Read) -> None:
    assert [line for line in kernel_body(read(TEXT)) if line.startswith("asm")] == [
        'asm "{ .reg .u32 t; add.u32 t, %1, %2; mov.u32 %0, t; }" ["=r", "r", "n"]'
        " out(r) in(n, 3:i32)",
        'asm "add.s32 %0, %0, %1;" ["+r", "r"] out(r) in((n + 1:i32))',
        'asm "ld.global.f32 %0, [%1];" ["=f", "l"] out(f) in(padd(a, 1:i32))',
    ]


def test_the_text_reads_back(read: Read) -> None:
    module = read(TEXT).module
    assert print_module(parse_module(print_module(module))) == print_module(module)


def test_printed_cuda_has_the_statement(read: Read) -> None:
    unit = read(TEXT)
    text = ModulePrinter(unit.module, "n", frozenset()).kernel(only_kernel(unit.module))
    assert 'asm volatile("add.s32 %0, %0, %1;" : "+r"(r) : "r"(n + 1) : "memory");' in text


@pytest.mark.parametrize("target", list(Target))
def test_no_target_emits_it(read: Read, target: Target) -> None:
    unit = read(TEXT)
    found = lift(only_kernel(unit.module), unit.module, target, Options(target=target))
    assert [d.code.id for d in found.diagnostics] == ["CM3016"]


@pytest.mark.parametrize(
    "opcode",
    ["mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "mbarrier.init.shared.b64",
     "barrier.cluster.arrive", "fence.proxy.async", "red.async.relaxed.cluster.global.add.u32"],
)  # fmt: skip
def test_instructions_on_hidden_state_are_refused_by_name(read: Read, opcode: str) -> None:
    unit = read(f'__global__ void k(int n) {{ asm("{opcode} %0;" :: "r"(n)); }}')
    assert codes(unit) == ["CM1107"]
    assert opcode in unit.unread[0].diagnostic.cause
