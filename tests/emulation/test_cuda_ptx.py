"""Inline PTX: templates are read, translated to C++, and compute what the PTX ISA says."""

from __future__ import annotations

import pytest

from migrate.core.codes.verification import PTX_NOT_EMULATED
from migrate.emulation.source_rewrite import RewrittenSource, rewrite
from migrate.ir.ptx_text import (
    Declaration,
    Instruction,
    Label,
    Operand,
    PtxError,
    parse,
    parse_operand,
)
from tests.emulation.cuda_builds import CudaBuilds


def test_a_template_is_split_into_statements() -> None:
    text = """{ .reg .pred p; .reg .b32 %%t<2>; // comment
      AGAIN: @!p ld.global.v2.u32 {%0, %%t1}, [%1 + 8];
      setp.lt.s32 p, %0, -3; /* more */ @p bra AGAIN; }"""
    assert parse(text) == (
        Declaration("pred", ("p",)),
        Declaration("b32", ("%t0", "%t1")),
        Label("AGAIN"),
        Instruction(
            ("ld", "global", "v2", "u32"),
            (
                Operand("{%0, %t1}", (Operand("%0"), Operand("%t1")), "vector"),
                Operand("[%1 + 8]", (Operand("%1"),), "address", "+8"),
            ),
            "p",
            True,
        ),
        Instruction(("setp", "lt", "s32"), (Operand("p"), Operand("%0"), Operand("-3"))),
        Instruction(("bra",), (Operand("AGAIN"),), "p"),
    )


def test_a_state_space_with_a_part_is_no_label() -> None:
    (statement,) = parse("ld.shared::cta.b32 %0, [%1];")
    assert isinstance(statement, Instruction)
    assert statement.parts == ("ld", "shared::cta", "b32")


@pytest.mark.parametrize("text", ["[%0, {%1, %2}]", "%0 * 2", "(%0)"])
def test_operands_of_other_forms_are_refused(text: str) -> None:
    with pytest.raises(PtxError):
        parse_operand(text)


def _rewritten(body: str) -> RewrittenSource:
    result = rewrite(f"__device__ void f() {{\n{body}\n}}\n")
    assert result.text.count("\n") == body.count("\n") + 3
    return result


def test_the_rewriter_puts_a_block_of_calls() -> None:
    result = _rewritten('asm volatile("add.u32 %0, %1, 7;"\n : "=r"(x) : "r"(y)\n);')
    assert result.problems == ()
    assert "asm" not in result.text
    assert "::cuda_emu::ptx::add<std::uint32_t>(cuda_emu_op1, " in result.text
    assert "::cuda_emu::ptx::assign(cuda_emu_out0, cuda_emu_op0);" in result.text


@pytest.mark.parametrize(
    ("instruction", "named"),
    [
        ("wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned"),
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];", "ldmatrix"),
        ("mbarrier.init.shared::cta.b64 [%1], 1;", "mbarrier.init"),
        ("cp.async.bulk.commit_group;", "cp.async.bulk.commit_group"),
        ("min.xorsign.abs.f32 %0, %0, %1;", "the modifier .xorsign"),
        ("mov.u32 %0, some_variable;", "the name some_variable"),
        ("ld.param.u32 %0, [%1];", "the state space .param"),
        ("add.u32 %0, %%envreg3, %1;", "the register %envreg3"),
        ("vote.ballot.b32 %0, %1;", "a vote of this form"),
        ("add.f16x4 %0, %0, %1;", "the type .f16x4"),
    ],
)
def test_what_has_no_translation_is_refused_by_name(instruction: str, named: str) -> None:
    result = _rewritten(f'asm volatile("{instruction}" : "+r"(x) : "r"(y));')
    assert named in result.problems[0].message
    assert result.problems[0].line == 2
    assert "::cuda_emu::ptx::refuse(" in result.text


def test_a_template_made_with_a_macro_parameter_is_refused() -> None:
    result = rewrite('#define RUN(op) asm(op " %0, %1;" : "=r"(x) : "r"(y))\n')
    assert "a template made with op" in result.problems[0].message


def test_string_macros_are_part_of_a_template() -> None:
    result = rewrite('#define T "u32"\nvoid f() { asm("add." T " %0, %0, 1;" : "+r"(x)); }\n')
    assert result.problems == ()
    assert "add<std::uint32_t>" in result.text


@pytest.mark.parametrize(
    "statement",
    [
        'asm volatile("cpuid" : "=a"(a), "=b"(b) : "a"(0));',
        'asm volatile("pause");',
        'asm volatile("addl $4, %0" : "+r"(x));',
        'register int x asm("eax");',
    ],
)
def test_assembly_of_the_host_stays(statement: str) -> None:
    assert statement in _rewritten(statement).text


def test_instructions_compute_what_the_isa_says(cuda: CudaBuilds) -> None:
    result = cuda.run_once("ptx")
    assert "checked 87 failed 0" in result.stdout, result.stdout


def test_an_instruction_that_is_not_emulated_ends_the_program(cuda: CudaBuilds) -> None:
    result = cuda.run_once("ptx")
    assert result.exit == 3
    assert f"{PTX_NOT_EMULATED.id}: inline PTX 'mma.sync" in result.stderr
    assert "thread (40,0,0)" in result.stderr
