"""Reading small CUDA sources in tests."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.frontend.program import FrontendOptions, read_unit
from migrate.ir.kernel import Kernel, Module
from migrate.ir.printer import print_function, print_kernel
from migrate.ir.program import SourceUnit
from migrate.ir.verify import faults_of

Read = Callable[..., SourceUnit]


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One precompiled prelude for the whole session."""
    return tmp_path_factory.mktemp("prelude")


@pytest.fixture
def read(tmp_path: Path, cache_dir: Path) -> Read:
    """Read CUDA text as one unit; every kernel that comes back is legal IR."""

    def run(text: str, *, defines: tuple[str, ...] = (), name: str = "unit.cu") -> SourceUnit:
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        unit = read_unit(path, tmp_path, FrontendOptions(defines=defines, cache_dir=cache_dir))
        for item in (*unit.module.kernels, *unit.module.functions):
            assert faults_of(item, unit.module) == ()
        return unit

    return run


def kernel_body(unit: SourceUnit, symbol: str = "") -> list[str]:
    """The lines of a kernel's body, without the outermost braces and indentation."""
    assert not unit.unread, [u.diagnostic.one_line() for u in unit.unread]
    kernel = only_kernel(unit.module) if not symbol else by_symbol(unit.module, symbol)
    return inner_lines(print_kernel(kernel))


def function_lines(unit: SourceUnit, symbol: str) -> list[str]:
    """A device function's text: its head, then its body."""
    text = print_function(unit.module.function(symbol))
    return [text.splitlines()[0], *inner_lines(text)]


def inner_lines(text: str) -> list[str]:
    """Lines between the first and the last."""
    return [line[2:] for line in text.splitlines()[1:-1]]


def only_kernel(module: Module) -> Kernel:
    """The single kernel of a module."""
    assert len(module.kernels) == 1
    return module.kernels[0]


def by_symbol(module: Module, symbol: str) -> Kernel:
    """A kernel by symbol."""
    return next(k for k in module.kernels if k.symbol == symbol)


def codes(unit: SourceUnit) -> list[str]:
    """The codes for which kernels were not read."""
    return [u.diagnostic.code.id for u in unit.unread]


needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compare with")
