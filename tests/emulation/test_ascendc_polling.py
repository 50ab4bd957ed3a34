"""Loops of device code that read volatile memory are found, and nothing else is touched."""

from __future__ import annotations

import pytest

from migrate.emulation.asc_rewrite import rewrite_asc

_HEAD = '#include "simt_api/asc_simt.h"\n'
_CALL = "::ascendc_emu::simt::poll_in_block();"


def _rewritten(body: str, parameters: str = "int* p") -> str:
    return rewrite_asc(f"{_HEAD}__global__ void k({parameters}) {{ {body} }}\n", "k.asc")


@pytest.mark.parametrize(
    ("body", "parameters", "result"),
    [
        ("while (*(volatile int*)p) {}", "int* p", f"while (*(volatile int*)p) {{ {_CALL}}}"),
        ("while (*p == 0);", "volatile int* p", f"while (*p == 0){{ {_CALL} ; }}"),
        ("for (;;) f(*p);", "volatile int* p", f"for (;;) {{ {_CALL} f(*p); }}"),
        ("do { g(); } while (*p);", "int volatile* p", "do { g(); } while (*p);"),
        ("do { g(*p); } while (1);", "volatile int* p", f"do {{ {_CALL} g(*p); }} while (1);"),
        ("{ } while (*p) ;", "volatile int* p", f"{{ }} while (*p) {{ {_CALL} ; }}"),
    ],
)
def test_a_polling_loop_gives_way(body: str, parameters: str, result: str) -> None:
    assert result in _rewritten(body, parameters)


@pytest.mark.parametrize(
    "body",
    [
        "while (*p) { f(p); }",
        "for (int i = 0; i < 3; ++i) p[i] = 0;",
        "volatile int v = *p; v = 2;",
        "while (*p) if (p[1]) f((volatile int*)p);",
    ],
)
def test_other_loops_are_left_alone(body: str) -> None:
    assert _CALL not in _rewritten(body)


def test_host_code_is_left_alone() -> None:
    host = "void h(volatile int* p) { while (*p) {} }\n"
    assert host in rewrite_asc(f"{_HEAD}__global__ void k(int*) {{}}\n{host}", "k.asc")
