"""Textual IR in, textual IR out."""

from __future__ import annotations

from migrate.core.diagnostics import Sink
from migrate.ir.kernel import Kernel, Module
from migrate.ir.parser import parse_module
from migrate.ir.printer import print_kernel
from migrate.lifting.schedule import NORMAL_FORM

HEAD = 'mangled "" qualified "" bounds 0'


def module_of(body: str, params: str = "", before: str = "") -> Module:
    """A module with one kernel ``k``; ``before`` holds structs, globals and functions."""
    return parse_module(f'module "m"\n{before}\nkernel k "k" ({params}) {HEAD} {{\n{body}\n}}\n')


def apply(name: str, module: Module) -> Kernel:
    """The kernel after the pass of that name alone."""
    (step,) = [p for p in NORMAL_FORM if p.name == name]
    return step.run(module.kernels[0], module, Sink())


def normalised(text: str) -> list[str]:
    """Lines without indentation, braces joined to their heads."""
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def body_lines(kernel: Kernel) -> list[str]:
    """The printed body, without the kernel's own head and end."""
    return normalised(print_kernel(kernel))[1:-1]


def check(name: str, before: str, after: str, params: str = "", context: str = "") -> Kernel:
    """The pass turns one body into the other; both are read as IR text."""
    kernel = apply(name, module_of(before, params, context))
    got, wanted = body_lines(kernel), normalised(after)
    assert got == wanted, "\n" + "\n".join(got)
    return kernel


def unchanged(name: str, body: str, params: str = "", context: str = "") -> None:
    """A near miss: the pass gives the same object back."""
    module = module_of(body, params, context)
    assert apply(name, module) is module.kernels[0]
