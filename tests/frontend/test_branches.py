"""Preprocessor branches: the one taken is read, the others are listed with the way to reach them."""

from __future__ import annotations

import pytest

from migrate.frontend.branches import branches
from migrate.ir.program import SourceUnit
from tests.frontend.conftest import Read

KERNEL = "__global__ void {}(float* x) {{ x[threadIdx.x] = 1; }}\n"


def _kernels(unit: SourceUnit) -> list[str]:
    return [k.name for k in unit.module.kernels]


def _left_out(unit: SourceUnit) -> dict[str, str]:
    return {
        u.name: "" if u.diagnostic.suggestion is None else u.diagnostic.suggestion.text
        for u in unit.unread
        if u.diagnostic.code.id == "CM1030"
    }


@pytest.mark.parametrize(
    ("condition", "define", "hint"),
    [
        ("#ifdef FAST", "FAST", "-D FAST"),
        ("#if defined(FAST)", "FAST", "-D FAST"),
        ("#if FAST", "FAST=1", "-D FAST=1"),
        ("#if LEVEL >= 3", "LEVEL=3", "-D LEVEL=3"),
        ("#if LEVEL > 3 // deep", "LEVEL=4", "-D LEVEL=4"),
        ("#if defined FAST && LEVEL == 2", "FAST", "-D FAST -D LEVEL=2"),
        ("#if __CUDA_ARCH__ >= 900", "__CUDA_ARCH__=900", "-D __CUDA_ARCH__=900"),
        ("#if CUDART_VERSION >= 13000", "CUDART_VERSION=13000", "-D CUDART_VERSION=13000"),
        ("#if CUDA_VERSION < 11000", "CUDA_VERSION=10999", "-D CUDA_VERSION=10999"),
    ],
)
def test_a_branch_and_the_way_to_it(read: Read, condition: str, define: str, hint: str) -> None:
    text = f"{condition}\n{KERNEL.format('one')}#else\n{KERNEL.format('other')}#endif\n"
    unit = read(text)
    assert _kernels(unit) == ["other"]
    assert _left_out(unit) == {"one": f"to read it, give {hint}"}
    extra = ("LEVEL=2",) if "LEVEL == 2" in condition else ()
    reached = read(text, defines=(define, *extra))
    assert _kernels(reached) == ["one"]
    assert list(_left_out(reached)) == ["other"]


def test_a_condition_that_no_option_makes_true_is_shown(read: Read) -> None:
    unit = read(f"#if (A + B) % 2\n{KERNEL.format('odd')}#endif\n")
    assert _left_out(unit) == {"odd": "make ((A + B) % 2) hold"}


def test_launches_and_calls_in_a_branch_are_listed(read: Read) -> None:
    unit = read(
        f"""
        {KERNEL.format("k")}
        void run(float* x) {{
        #ifdef TWICE
          k<<<1, 2>>>(x);
          cudaDeviceSynchronize();
        #endif
          k<<<1, 1>>>(x);
        #ifdef WORDS
          // cudaFree(x) in words only
        #endif
        }}
        """
    )
    found = [d for d in unit.diagnostics if d.code.id == "CM1030"]
    assert [d.cause for d in found] == ["1 launch, 1 CUDA call: needs (defined(TWICE))"]
    assert len(unit.launches) == 1


def test_code_that_nothing_reaches_is_no_kernel_of_the_program(read: Read) -> None:
    unit = read(f"#if 0\n{KERNEL.format('dead')}#endif\n{KERNEL.format('k')}")
    assert unit.unread == ()
    assert [(d.code.id, d.severity.value) for d in unit.diagnostics] == [("CM1030", "note")]


def test_chains_and_nesting() -> None:
    text = b"#if A\n#ifdef B\n1\n#endif\n#elif C /* c */ \\\n  && D\n2\n#else\n3\n#endif\n#endif\n"
    shown = [(b.needs, text[b.start : b.end].strip()[:3]) for b in branches(text)]
    assert shown == [
        ("(A)", b"#if"),
        ("(defined(B))", b"1"),
        ("!(A) && (C && D)", b"2"),
        ("!(A) && !(C && D)", b"3"),
    ]
